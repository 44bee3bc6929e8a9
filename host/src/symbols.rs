//! From an address to the function and the line of source that it belongs to.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use addr2line::Loader;
use miette::{IntoDiagnostic, miette};
use object::{Object, ObjectSymbol, SymbolKind};

/// Where Rust's own library lies, whoever compiled it.
const LIBRARY: &str = "/library/core/";

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The function.
    pub function: String,
    /// Its file, and the line; if the program says.
    pub line: Option<(PathBuf, u32)>,
}

impl Place {
    /// Whether this is Rust's own library, where a reader's mistake is not.
    #[must_use]
    pub fn is_library(&self) -> bool {
        let file = self.line.as_ref().map(|(file, _)| file);
        file.is_some_and(|file| file.starts_with("library/core"))
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.function)?;
        match &self.line {
            Some((file, line)) => write!(f, " at {}:{line}", file.display()),
            None => Ok(()),
        }
    }
}

/// The symbols of one ELF file.
pub struct Symbols {
    loader: Loader,
    root: PathBuf,
}

impl Symbols {
    /// Reads the symbols of `elf`; files below `root` are shown relative to it.
    ///
    /// # Errors
    /// If it is no ELF file.
    pub fn read(elf: &Path, root: &Path) -> miette::Result<Symbols> {
        let loader = Loader::new(elf)
            .map_err(|error| miette!("no symbols in {}: {error}", elf.display()))?;
        Ok(Symbols {
            loader,
            root: root.into(),
        })
    }

    /// The function that holds `address`, innermost inlined one first; empty if none does.
    #[must_use]
    pub fn places(&self, address: u32) -> Vec<Place> {
        let mut places = self.frames(address);
        if places.is_empty() {
            let named = self.named(address);
            places.extend(named.map(|function| Place {
                function,
                line: None,
            }));
        }
        places
    }

    fn frames(&self, address: u32) -> Vec<Place> {
        let mut places = Vec::new();
        let Ok(mut frames) = self.loader.find_frames(u64::from(address)) else {
            return places;
        };
        while let Ok(Some(frame)) = frames.next() {
            let name = frame
                .function
                .and_then(|it| it.demangle().ok().map(|it| tidy(&it)));
            let line = frame
                .location
                .and_then(|it| Some((self.short(it.file?), it.line?)));
            // Of a file with line tables alone the symbols name the function.
            let name = name.or_else(|| self.named(address));
            places.extend(name.map(|function| Place { function, line }));
        }
        places
    }

    fn named(&self, address: u32) -> Option<String> {
        self.loader.find_symbol(u64::from(address)).map(demangled)
    }

    fn short(&self, file: &str) -> PathBuf {
        if let Some(place) = file.find(LIBRARY) {
            return file[place + 1..].into();
        }
        let file = Path::new(file);
        file.strip_prefix(&self.root).unwrap_or(file).into()
    }
}

/// The functions of an ELF file, and the bytes of each; those of one name (of other types) together.
///
/// # Errors
/// If it is no ELF file.
pub fn functions(elf: &Path) -> miette::Result<BTreeMap<String, u64>> {
    let bytes = std::fs::read(elf).into_diagnostic()?;
    let file = object::File::parse(bytes.as_slice())
        .map_err(|error| miette!("no symbols in {}: {error}", elf.display()))?;
    let mut all = BTreeMap::new();
    for symbol in file
        .symbols()
        .filter(|it| it.kind() == SymbolKind::Text && it.size() > 0)
    {
        if let Ok(name) = symbol.name() {
            *all.entry(demangled(name)).or_default() += symbol.size();
        }
    }
    Ok(all)
}

fn demangled(name: &str) -> String {
    tidy(&addr2line::demangle_auto(name.into(), None))
}

/// Without the hash at the end of a legacy name.
fn tidy(name: &str) -> String {
    match name.rsplit_once("::h") {
        Some((path, hash)) if hash.len() == 16 && hash.chars().all(|c| c.is_ascii_hexdigit()) => {
            path.into()
        }
        _ => name.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[inline(never)]
    fn a_function_to_be_found() -> u32 {
        std::hint::black_box(42)
    }

    #[test]
    fn the_library_is_recognised_whoever_compiled_it() {
        let symbols = Symbols::read(&std::env::current_exe().unwrap(), Path::new("/w")).unwrap();
        let place = |file| Place {
            function: "f".into(),
            line: Some((symbols.short(file), 1)),
        };
        assert!(place("/rustc/5980/library/core/src/ptr/mod.rs").is_library());
        assert!(place("/usr/lib/rustlib/src/rust/library/core/src/ptr/mod.rs").is_library());
        assert_eq!(
            place("/w/a/src/main.rs").to_string(),
            "f at a/src/main.rs:1"
        );
        assert!(!place("/w/a/src/main.rs").is_library());
    }

    #[test]
    fn the_hash_of_a_function_is_not_shown() {
        assert_eq!(tidy("server::read::h0123456789abcdef"), "server::read");
        assert_eq!(tidy("server::hash"), "server::hash");
    }

    #[test]
    fn an_address_of_this_program_has_its_function_file_and_line() {
        let this = std::env::current_exe().unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let symbols = Symbols::read(&this, root).unwrap();
        assert_eq!(a_function_to_be_found(), 42);
        let name = "a_function_to_be_found";
        let elf = std::fs::read(&this).unwrap();
        let file = object::File::parse(&*elf).unwrap();
        let symbol = object::Object::symbols(&file)
            .find(|symbol| object::ObjectSymbol::name(symbol).is_ok_and(|it| it.contains(name)))
            .unwrap();
        // Host addresses below 4 GiB: the file is position-independent.
        let address = u32::try_from(object::ObjectSymbol::address(&symbol)).unwrap();
        let places = symbols.places(address);
        assert!(places[0].function.ends_with(name), "{places:?}");
        let (file, _) = places[0].line.as_ref().unwrap();
        assert!(file.ends_with("host/src/symbols.rs"), "{}", file.display());
    }
}
