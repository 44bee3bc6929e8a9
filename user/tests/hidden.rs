//! What the documentation hides is for macros and for the C library, and nobody reads what it asks for. So a
//! hidden function that can break the rules of the language is `unsafe`, and of every other one it is
//! written down here why it can't.

use std::path::{Path, PathBuf};
use std::{fs, io};

use syn::visit::{self, Visit};
use syn::{Attribute, ImplItemFn, ItemFn, ItemImpl, ItemStruct, Signature, TraitItemFn, Type};
use syn::{Visibility, parse_quote};

/// The hidden functions that are safe, and why.
const HARMLESS: [(&str, &str); 41] = [
    (
        "ByteQueueState::receive_until",
        "words are atomics, and their lengths are checked",
    ),
    (
        "ByteQueueState::send_until",
        "words are atomics, and their lengths are checked",
    ),
    ("Call::answer", "sends bytes that zerocopy vouches for"),
    ("Call::answer_room", "sends bytes that zerocopy vouches for"),
    ("Call::answer_words", "sends words"),
    ("Call::holds", "compares numbers"),
    ("Call::of", "takes a message apart, as its owner can"),
    ("Call::refuse", "sends a number"),
    ("Call::room", "clears a part of a buffer that it owns"),
    (
        "Call::with_tail",
        "moves bytes within a buffer that it owns",
    ),
    ("CallError::check", "looks at a number"),
    ("Condvar::notify", "wakes threads, as notify_one does"),
    ("Condvar::wait_and_take", "waits, as wait_until does"),
    ("Guard::give_up", "drops the guard that it takes"),
    ("Guard::take", "locks, as the guard's owner can"),
    (
        "Lock::wait",
        "takes the lock without a guard, as a forgotten guard has it",
    ),
    ("QueueState::wait_to_put", "calls what it is given"),
    ("QueueState::wait_to_take", "calls what it is given"),
    ("Room::elements", "shows bytes that zerocopy vouches for"),
    (
        "RwLockState::begin_read",
        "counts one more reader: who writes waits longer",
    ),
    (
        "RwLockState::begin_write",
        "takes the lock without a guard, as a forgotten guard has it",
    ),
    ("Semaphore::wait_until", "waits, as take_until does"),
    ("Tail::of", "shows bytes that zerocopy vouches for"),
    ("Taken::is_empty", "compares numbers"),
    ("Taken::take", "shows bytes that zerocopy vouches for"),
    ("Taken::take_text", "checks that the bytes are UTF-8"),
    ("Text::adopt", "checks that the bytes are UTF-8"),
    (
        "Text::room",
        "takes the text away before others write there",
    ),
    ("aligned", "computes with numbers"),
    ("any_stack_will_do", "looks at a number"),
    ("check", "looks at a number"),
    ("count", "computes with numbers"),
    ("exchange", "sends bytes that zerocopy vouches for"),
    ("filled", "looks at numbers"),
    ("greatest", "computes with numbers"),
    ("room_of", "shows bytes that zerocopy vouches for"),
    ("take_value", "copies bytes that zerocopy vouches for"),
    ("take_word", "copies bytes"),
    ("take_words", "copies bytes"),
    ("wait_alone", "sleeps, as sleep_until does"),
    ("whole", "looks at numbers"),
];

/// The names of hidden types, or, with those, of safe functions that are hidden or theirs.
#[derive(Default)]
struct Hidden {
    types: Vec<String>,
    functions: Vec<String>,
    /// The implementation or trait that is being looked at.
    within: Option<String>,
}

fn is_hidden(attributes: &[Attribute]) -> bool {
    let hidden: Attribute = parse_quote!(#[doc(hidden)]);
    attributes.contains(&hidden)
}

fn name_of(ty: &Type) -> Option<String> {
    match ty {
        Type::Path(path) => path.path.segments.last().map(|last| last.ident.to_string()),
        _ => None,
    }
}

impl Hidden {
    fn function(&mut self, attributes: &[Attribute], signature: &Signature) {
        let of_hidden_type = self
            .within
            .as_ref()
            .is_some_and(|it| self.types.contains(it));
        if signature.unsafety.is_some() || !(of_hidden_type || is_hidden(attributes)) {
            return;
        }
        let name = signature.ident.to_string();
        self.functions.push(match &self.within {
            Some(within) => format!("{within}::{name}"),
            None => name,
        });
    }
}

impl Visit<'_> for Hidden {
    fn visit_item_struct(&mut self, item: &ItemStruct) {
        if is_hidden(&item.attrs) {
            self.types.push(item.ident.to_string());
        }
    }

    fn visit_item_fn(&mut self, item: &ItemFn) {
        if matches!(item.vis, Visibility::Public(_)) {
            self.function(&item.attrs, &item.sig);
        }
    }

    fn visit_item_impl(&mut self, item: &ItemImpl) {
        // What implements a trait is called through the trait.
        if item.trait_.is_none() {
            self.within = name_of(&item.self_ty);
            visit::visit_item_impl(self, item);
            self.within = None;
        }
    }

    fn visit_impl_item_fn(&mut self, item: &ImplItemFn) {
        if matches!(item.vis, Visibility::Public(_)) {
            self.function(&item.attrs, &item.sig);
        }
    }

    fn visit_item_trait(&mut self, item: &syn::ItemTrait) {
        self.within = Some(item.ident.to_string());
        visit::visit_item_trait(self, item);
        self.within = None;
    }

    fn visit_trait_item_fn(&mut self, item: &TraitItemFn) {
        self.function(&item.attrs, &item.sig);
    }
}

/// The safe functions that are hidden in these sources.
fn hidden(sources: &[String]) -> Vec<String> {
    let files: Vec<syn::File> = sources
        .iter()
        .map(|source| syn::parse_file(source).expect("Rust"))
        .collect();
    let mut found = Hidden::default();
    // Types first, wherever their functions are.
    files.iter().for_each(|file| found.visit_file(file));
    found.functions.clear();
    files.iter().for_each(|file| found.visit_file(file));
    found.functions.sort();
    found.functions
}

fn sources(folder: &Path, all: &mut Vec<String>) -> io::Result<()> {
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in fs::read_dir(folder)? {
        paths.push(entry?.path());
    }
    for path in paths {
        if path.is_dir() && !path.ends_with("tests") {
            sources(&path, all)?;
        } else if path.extension().is_some_and(|it| it == "rs") {
            all.push(fs::read_to_string(path)?);
        }
    }
    Ok(())
}

#[test]
fn of_every_safe_function_that_is_hidden_it_is_known_why_it_is_harmless() {
    let mut all = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut all).unwrap();
    assert!(all.len() > 60, "the library's sources");
    let known: Vec<&str> = HARMLESS.iter().map(|(name, _)| *name).collect();
    assert_eq!(hidden(&all), known, "found, and known");
}

#[test]
fn a_hidden_function_is_found_wherever_it_is() {
    let source = "
        #[doc(hidden)] pub fn loose() {}
        #[doc(hidden)] pub unsafe fn promised() {}
        pub fn shown() {}
        #[doc(hidden)] pub struct State;
        impl State { pub fn of_state(&self) {} fn inside() {} pub unsafe fn promised() {} }
        impl Lock { #[doc(hidden)] pub fn one(&self) {} pub fn shown(&self) {} }
        pub trait Guard { #[doc(hidden)] fn in_trait(); fn shown(); }
    ";
    let found = hidden(&[source.into()]);
    let expected = ["Guard::in_trait", "Lock::one", "State::of_state", "loose"];
    assert_eq!(found, expected);
}
