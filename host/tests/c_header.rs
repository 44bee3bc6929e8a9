//! `c/include/riposte.h` is generated from `abi/` and `c/`, and is committed.

mod c_comments;

use std::path::{Path, PathBuf};

use c_comments::functions;
use syn::visit_mut::VisitMut;
use syn::{File, Ident, Item, parse_quote};

/// Modules of the ABI that C needs, and what their constants' names begin with.
const MODULES: [(&str, &str, &[&str]); 20] = [
    ("lib", "RIPOSTE_", &[]),
    ("error", "RIPOSTE_ERROR_", &[]),
    ("call", "RIPOSTE_", &[]),
    ("call", "RIPOSTE_OPERATION_", &["operation"]),
    ("call", "RIPOSTE_NUMBER_", &["number"]),
    ("info", "RIPOSTE_INFO_", &[]),
    ("info", "RIPOSTE_SELECT_", &["select"]),
    ("notice", "RIPOSTE_NOTICE_", &[]),
    ("notice", "RIPOSTE_UNBLOCK_", &["unblock"]),
    ("lock", "RIPOSTE_LOCK_", &[]),
    ("semaphore", "RIPOSTE_SEMAPHORE_", &[]),
    ("signal", "RIPOSTE_SIGNAL_", &[]),
    ("signal", "RIPOSTE_SIGNAL_CALL_", &["number"]),
    ("signal", "RIPOSTE_SIGNAL_HOW_", &["how"]),
    ("thread", "RIPOSTE_THREAD_", &[]),
    ("thread", "RIPOSTE_POLICY_", &["policy"]),
    ("thread", "RIPOSTE_STATE_", &["state"]),
    ("region", "RIPOSTE_RIGHT_", &["right"]),
    ("fault", "RIPOSTE_FAULT_", &[]),
    ("fault", "RIPOSTE_FAULT_", &["reason"]),
];
const ACTION: (&str, &str, &[&str]) = ("fault", "RIPOSTE_ACTION_", &["action"]);

fn root() -> PathBuf {
    Path::new("..").canonicalize().expect("the repository")
}

fn parse(file: &Path) -> File {
    let text = std::fs::read_to_string(file).expect("a source");
    syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// The items of a module, or of one inside it.
fn items(module: &str, inside: &[&str]) -> Vec<Item> {
    let mut items = parse(&root().join("abi/src").join(module).with_extension("rs")).items;
    for name in inside {
        let found = items.into_iter().find_map(|item| match item {
            Item::Mod(it) if it.ident == name => it.content,
            _ => None,
        });
        items = found
            .unwrap_or_else(|| panic!("abi has no module {name}"))
            .1;
    }
    items
}

/// Types of the ABI, and their names in C.
const TYPES: [(&str, &str); 2] = [
    ("Error", "riposte_error_t"),
    ("Record", "riposte_fault_record_t"),
];

/// Gives types of the ABI their names in C.
struct Types;

impl VisitMut for Types {
    fn visit_ident_mut(&mut self, ident: &mut Ident) {
        if let Some((_, name)) = TYPES.iter().find(|(rust, _)| ident == rust) {
            *ident = Ident::new(name, ident.span());
        }
    }
}

/// Gives what a module defines its name in C.
struct Renamer<'a> {
    constants: Vec<Ident>,
    prefix: &'a str,
}

impl VisitMut for Renamer<'_> {
    fn visit_ident_mut(&mut self, ident: &mut Ident) {
        if self.constants.contains(ident) {
            *ident = Ident::new(&format!("{}{ident}", self.prefix), ident.span());
        }
    }

    fn visit_item_enum_mut(&mut self, item: &mut syn::ItemEnum) {
        for variant in &mut item.variants {
            let name = screaming(&variant.ident.to_string());
            variant.ident = Ident::new(&format!("{}{name}", self.prefix), variant.ident.span());
        }
        item.variants.insert(
            0,
            parse_quote!(
                #[doc = " No error."]
                RIPOSTE_OK = 0
            ),
        );
    }
}

/// `BadHandle` as `BAD_HANDLE`.
fn screaming(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push('_');
        }
        text.push(letter.to_ascii_uppercase());
    }
    text
}

/// The constants and types of the ABI, under C's names.
fn abi() -> File {
    let mut all: File = parse_quote!();
    for (module, prefix, inside) in MODULES.into_iter().chain([ACTION]) {
        let mut items = items(module, inside);
        items.retain(|item| matches!(item, Item::Const(_) | Item::Enum(_) | Item::Struct(_)));
        items.retain(|item| !matches!(item, Item::Struct(it) if it.ident == "Part"));
        let constants = items.iter().filter_map(|item| match item {
            Item::Const(it) => Some(it.ident.clone()),
            _ => None,
        });
        let mut renamer = Renamer {
            constants: constants.collect(),
            prefix,
        };
        for item in &mut items {
            renamer.visit_item_mut(item);
        }
        all.items.extend(items);
    }
    Types.visit_file_mut(&mut all);
    all
}

/// The crate `c`, without what stands for an item of the ABI.
fn library() -> Vec<File> {
    let folder = std::fs::read_dir(root().join("c/src")).expect("c/src");
    let mut files: Vec<PathBuf> = folder.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let mut parsed: Vec<File> = files.iter().map(|file| parse(file)).collect();
    for file in &mut parsed {
        Types.visit_file_mut(file);
        file.items
            .retain(|item| !matches!(item, Item::Type(it) if it.ident == "riposte_error_t"));
    }
    parsed
}

fn generate() -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let mut builder = cbindgen::Builder::new().with_config(
        cbindgen::Config::from_file(root().join("c/cbindgen.toml")).expect("c/cbindgen.toml"),
    );
    for (number, file) in [abi()].into_iter().chain(library()).enumerate() {
        let path = folder.path().join(format!("{number:03}.rs"));
        let text = quote::ToTokens::to_token_stream(&file).to_string();
        std::fs::write(&path, text).expect("written");
        builder = builder.with_src(path);
    }
    let mut bytes = vec![];
    builder.generate().expect("a header").write(&mut bytes);
    let text = String::from_utf8(bytes).expect("text");
    // Links of Rust's documentation mean nothing here.
    text.replace("[`", "`").replace("`]", "`")
}

#[test]
fn the_committed_c_header_is_current() {
    let file = root().join("c/include/riposte.h");
    let made = generate();
    if std::env::var_os("RIPOSTE_WRITE").is_some() {
        std::fs::write(&file, &made).expect("written");
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        committed == made,
        "c/include/riposte.h is stale; run: RIPOSTE_WRITE=1 cargo test -p riposte-host --test c_header"
    );
}

/// Calls that C does not name itself, and the function of the Rust library that makes each for it.
const THROUGH_RUST: [(&str, &str); 5] = [
    ("CLOCK", "riposte::Instant::now()"),
    ("EXIT", "riposte::exit("),
    ("SHUTDOWN", "riposte::shutdown("),
    ("THREAD_EXIT", "riposte::thread::exit("),
    // What the start of every program does, before `main`.
    ("START_THREADS", "#[riposte::main]"),
];

/// As every function of the header is called on the boards, so is then every call of the kernel.
#[test]
fn every_call_of_the_kernel_is_made_by_a_function_of_the_header() {
    let mut text = String::new();
    for folder in ["c/src", "c/include/riposte"] {
        for entry in std::fs::read_dir(root().join(folder))
            .expect("a folder")
            .flatten()
        {
            text += &std::fs::read_to_string(entry.path()).expect("a source");
        }
    }
    let words: std::collections::BTreeSet<_> = text
        .split(|letter: char| !letter.is_alphanumeric() && !"_:".contains(letter))
        .collect();
    for module in ["number", "operation"] {
        for item in items("call", &[module]) {
            let Item::Const(it) = item else { continue };
            let name = it.ident.to_string();
            // How many numbers there are, and that the call is no operation, are no calls.
            if ["COUNT", "OTHER"].contains(&name.as_str()) {
                continue;
            }
            let rust = THROUGH_RUST.iter().find(|(call, _)| *call == name);
            let made = words.contains(format!("{module}::{name}").as_str())
                || words.contains(format!("RIPOSTE_{}_{name}", module.to_uppercase()).as_str())
                || rust.is_some_and(|(_, function)| text.contains(function));
            assert!(made, "no function of riposte.h makes the call {name}");
        }
    }
}

#[test]
fn every_function_that_the_header_declares_has_a_comment() {
    let header = std::fs::read_to_string(root().join("c/include/riposte.h")).expect("a header");
    let documented = functions(&root());
    // Prototypes begin at the line's start, as nothing else does that has a parenthesis.
    let prototypes = header.lines().filter(|line| {
        line.contains("riposte_") && line.starts_with(|first: char| first.is_ascii_lowercase())
    });
    let names = prototypes.filter_map(|line| line.split_once('(')?.0.split([' ', '*']).next_back());
    for name in names.filter(|name| name.starts_with("riposte_")) {
        let has = documented.iter().any(|it| it.name == name);
        assert!(has, "{name} has no comment");
    }
}

#[test]
fn every_function_of_the_header_is_called_by_the_test_on_the_boards() {
    let mut text = String::new();
    for program in ["c/tester", "c/server", "c/victim", "input-c/reader"] {
        let folder = root().join("tests/boards").join(program);
        for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
            text += &std::fs::read_to_string(entry.path()).expect("a source");
        }
    }
    for function in functions(&root()) {
        let name = &function.name;
        let called = text.contains(&format!("{name}("));
        assert!(called || function.is_half(), "{name} is not called");
    }
}

/// The macros and inline functions that a header defines, and whether a comment says what each is for.
fn defined(header: &str) -> Vec<(String, bool)> {
    let lines: Vec<&str> = header.lines().collect();
    let is_explained = |line: usize| {
        let before = lines[..line].iter().rev();
        // One comment may be for several macros.
        let mut rest =
            before.skip_while(|line| line.starts_with("#define") || line.starts_with("    "));
        rest.next().is_some_and(|line| line.ends_with("*/"))
    };
    let inline = [
        "RIPOSTE_PRIVATE_INLINE ",
        "RIPOSTE_PRIVATE_COLD ",
        "static inline ",
    ];
    let named = lines.iter().enumerate().filter_map(|(number, line)| {
        let name = if let Some(macro_) = line.strip_prefix("#define ") {
            macro_.split(['(', ' ']).next()?
        } else if inline.iter().any(|it| line.starts_with(it)) {
            line.split('(').next()?.rsplit([' ', '*']).next()?
        } else {
            return None;
        };
        Some((name.to_owned(), is_explained(number)))
    });
    named.collect()
}

#[test]
fn what_the_headers_define_is_explained_or_has_the_private_prefix() {
    let folder = root().join("c/include");
    let own = std::fs::read_dir(folder.join("riposte")).expect("a folder");
    let mut files: Vec<PathBuf> = own.flatten().map(|entry| entry.path()).collect();
    files.push(folder.join("riposte.h"));
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a header");
        let names = defined(&text);
        assert!(!names.is_empty(), "{}", file.display());
        for (name, is_explained) in names {
            let known = name.to_lowercase().starts_with("riposte_");
            let is_private = name.to_lowercase().starts_with("riposte_private_");
            let is_guard = name.ends_with("_H");
            let right = known && (is_private || is_guard || is_explained);
            assert!(right, "{name} in {}", file.display());
        }
    }
}

#[test]
fn a_helper_without_the_private_prefix_is_found() {
    let header = "/* Explained. */\n#define RIPOSTE_A 1\n#define RIPOSTE_B 2\n\nstatic inline int riposte_c(void)\n";
    let found = defined(header);
    let expected = [
        ("RIPOSTE_A", true),
        ("RIPOSTE_B", true),
        ("riposte_c", false),
    ];
    assert_eq!(found, expected.map(|(name, is)| (name.to_owned(), is)));
}
