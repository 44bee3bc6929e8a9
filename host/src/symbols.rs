//! From an address to the function and the line of source that it belongs to.

use std::fmt;
use std::path::{Path, PathBuf};

use addr2line::Loader;
use miette::{IntoDiagnostic, miette};
use object::{Object, ObjectSection, ObjectSymbol, SymbolKind};

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
    names: Names,
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
            names: Names::read(elf)?,
            root: root.into(),
        })
    }

    /// Whether a function of this name, as the linker knows it, begins at `address`.
    #[must_use]
    pub fn begins(&self, function: &str, address: u32) -> bool {
        let (name, start) = self.names.at(address).unwrap_or_default();
        name == function && start == address
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
        self.names.at(address).map(|(name, _)| demangled(name))
    }

    fn short(&self, file: &str) -> PathBuf {
        if let Some(place) = file.find(LIBRARY) {
            return file[place + 1..].into();
        }
        let file = Path::new(file);
        file.strip_prefix(&self.root).unwrap_or(file).into()
    }
}

/// The names that code has in an ELF file.
///
/// A function goes before a label at the same address: those of the linker script stand where `_riposte_start` does, and RISC-V's
/// assemblers leave labels of their own, `.L0 `, everywhere.
struct Names {
    /// By address: where it begins and ends, and its name.
    functions: Vec<(u32, u32, String)>,
    labels: Vec<(u32, u32, String)>,
}

impl Names {
    fn read(elf: &Path) -> miette::Result<Names> {
        let bytes = std::fs::read(elf).into_diagnostic()?;
        let file = object::File::parse(bytes.as_slice())
            .map_err(|error| miette!("no symbols in {}: {error}", elf.display()))?;
        let is_arm = file.architecture() == object::Architecture::Arm;
        let is_code = |symbol: &object::Symbol<'_, '_>| {
            let section = symbol.section_index();
            let section = section.and_then(|index| file.section_by_index(index).ok());
            section.is_some_and(|it| it.kind() == object::SectionKind::Text)
        };
        let all = file.symbols().filter_map(|symbol| {
            let name = symbol.name().ok().filter(|it| !it.is_empty())?;
            let is_function = symbol.kind() == SymbolKind::Text && symbol.size() > 0;
            let start = symbol.address() & !u64::from(is_arm && is_function);
            let is_own = is_code(&symbol) && !name.starts_with(['.', '$']);
            let (start, end) = (start as u32, (start + symbol.size()) as u32);
            is_own.then(|| (is_function, (start, end, name.to_owned())))
        });
        let (functions, labels): (Vec<_>, Vec<_>) = all.partition(|(is_function, _)| *is_function);
        let sorted = |named: Vec<(bool, (u32, u32, String))>| {
            let mut named: Vec<_> = named.into_iter().map(|(_, it)| it).collect();
            named.sort();
            named
        };
        Ok(Names {
            functions: sorted(functions),
            labels: sorted(labels),
        })
    }

    /// The function that holds `address`, or the nearest label before it; and where that begins.
    fn at(&self, address: u32) -> Option<(&str, u32)> {
        let before = |named: &'_ [(u32, u32, String)]| named.partition_point(|it| it.0 <= address);
        let functions = &self.functions[..before(&self.functions)];
        let holds = functions.last().filter(|it| address < it.1);
        let label = self.labels[..before(&self.labels)].last();
        let nearest = || {
            label
                .into_iter()
                .chain(functions.last())
                .max_by_key(|it| it.0)
        };
        let (start, _, name) = holds.or_else(nearest)?;
        Some((name, *start))
    }
}

/// Bytes of an ELF file's section, and whose they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owned {
    /// The function or static; nothing for what has no name, such as most constants.
    pub symbol: Option<String>,
    /// The crate of its path; nothing where the name has none, as in C and assembly.
    pub krate: Option<String>,
    /// Where it begins; 0 for what has no name.
    pub address: u32,
    /// The section.
    pub section: String,
    /// Bytes.
    pub bytes: u32,
}

/// Whose the bytes of the `sections` of an ELF file are. Each counts once, also where symbols overlap: it is the one's
/// that begins first, of those the one that is largest. What a section has beyond that is nobody's, in one sum.
///
/// # Errors
/// If it is no ELF file.
pub fn owners(elf: &Path, sections: &[&str]) -> miette::Result<Vec<Owned>> {
    let bytes = std::fs::read(elf).into_diagnostic()?;
    let file = object::File::parse(bytes.as_slice())
        .map_err(|error| miette!("no symbols in {}: {error}", elf.display()))?;
    // The lowest bit of a function's address says that it is Thumb code.
    let is_arm = file.architecture() == object::Architecture::Arm;
    let mut all = Vec::new();
    for section in file.sections() {
        let name = section.name().unwrap_or_default();
        if !sections.contains(&name) || section.size() == 0 {
            continue;
        }
        let end = section.address() + section.size();
        let mut symbols: Vec<(u64, u64, &str)> = Vec::new();
        for symbol in file.symbols() {
            let is_code = symbol.kind() == SymbolKind::Text;
            let start = symbol.address() & !u64::from(is_arm && is_code);
            if symbol.size() > 0 && symbol.section_index() == Some(section.index()) {
                symbols.push((
                    start,
                    start + symbol.size(),
                    symbol.name().unwrap_or_default(),
                ));
            }
        }
        symbols.sort_by_key(|(start, end, _)| (*start, std::cmp::Reverse(*end)));
        let (mut at, mut named) = (section.address(), 0);
        for (start, stop, symbol) in symbols {
            let own = stop.min(end).saturating_sub(start.max(at));
            at = at.max(stop);
            if own > 0 {
                named += own;
                all.push(Owned {
                    symbol: Some(demangled(symbol)),
                    krate: krate(symbol),
                    address: start as u32,
                    section: name.into(),
                    bytes: own as u32,
                });
            }
        }
        if named < section.size() {
            all.push(Owned {
                symbol: None,
                krate: None,
                address: 0,
                section: name.into(),
                bytes: (section.size() - named) as u32,
            });
        }
    }
    Ok(all)
}

/// The crate that a symbol of Rust is written in: that of its path, or of the type or else the trait of its `impl`.
fn krate(symbol: &str) -> Option<String> {
    let path = demangled(symbol);
    let is_rust = symbol.starts_with("_ZN") || symbol.starts_with("_R");
    is_rust.then(|| first_of(&path).unwrap_or_else(|| "core".into()))
}

/// The first part of a path that has several.
fn first_of(path: &str) -> Option<String> {
    let (before, _) = path.split_once("::")?;
    let is_word = |it: char| it.is_alphanumeric() || it == '_';
    let word = &before[before.trim_end_matches(is_word).len()..];
    (!word.is_empty()).then(|| word.to_owned())
}

/// A symbol's path as it is written in the source.
#[must_use]
pub fn demangled(name: &str) -> String {
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
    fn an_address_is_named_by_the_function_that_holds_it_and_not_by_labels_at_its_beginning() {
        let named = |names: &[(u32, u32, &str)]| -> Vec<(u32, u32, String)> {
            let all = names.iter();
            all.map(|(start, end, name)| (*start, *end, (*name).to_owned()))
                .collect()
        };
        let names = Names {
            functions: named(&[(0x8000, 0x804c, "_riposte_start"), (0x8100, 0x8110, "main")]),
            labels: named(&[
                (0x8000, 0x8000, "__hot_end"),
                (0x8000, 0x8000, "__restartable_end"),
                (0x8080, 0x8080, "memset"),
            ]),
        };
        for (address, name) in [
            (0x7fff, None),
            (0x8000, Some(("_riposte_start", 0x8000))),
            (0x804a, Some(("_riposte_start", 0x8000))),
            (0x8060, Some(("_riposte_start", 0x8000))),
            (0x8090, Some(("memset", 0x8080))),
            (0x8108, Some(("main", 0x8100))),
        ] {
            assert_eq!(names.at(address), name, "{address:#x}");
        }
    }

    #[test]
    fn the_hash_of_a_function_is_not_shown() {
        assert_eq!(tidy("server::read::h0123456789abcdef"), "server::read");
        assert_eq!(tidy("server::hash"), "server::hash");
    }

    #[test]
    fn a_symbol_belongs_to_the_crate_it_is_written_in() {
        for (symbol, wanted) in [
            ("_ZN4core3fmt5write17h14b8bae668affc4cE", Some("core")),
            (
                "_ZN45_$LT$foo..Bar$u20$as$u20$core..fmt..Debug$GT$3fmt17h14b8bae668affc4cE",
                Some("foo"),
            ),
            (
                "_ZN42_$LT$u32$u20$as$u20$core..fmt..Display$GT$3fmt17h14b8bae668affc4cE",
                Some("core"),
            ),
            (
                "_ZN36_$LT$$RF$T$u20$as$u20$bar..Debug$GT$3fmt17h14b8bae668affc4cE",
                Some("bar"),
            ),
            ("memcpy", None),
        ] {
            assert_eq!(krate(symbol).as_deref(), wanted, "{symbol}");
        }
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
