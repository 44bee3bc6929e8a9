//! From a folder of C sources to objects that a process is linked from.

mod fresh;

use std::collections::{HashSet, VecDeque};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;

use miette::{IntoDiagnostic, WrapErr, miette};
use serde::Deserialize;

use super::link::write;
use super::programs::TARGET_DIRECTORY;
use super::{make, with_hash};
use crate::child;
use crate::document;
use crate::interface::{self, Header};
use crate::interrupt;
use crate::progress;
use crate::quantity::Size;
use crate::source::{At, Source};
use crate::toolchain::{on_path, output};

/// The file that says more of a C program than its sources do; it need not be there.
pub const PROGRAM: &str = "program.toml";
/// What is compiled.
const EXTENSIONS: [&str; 5] = ["c", "S", "cpp", "cc", "cxx"];
/// Of these: what is C++.
const CPP_EXTENSIONS: [&str; 3] = ["cpp", "cc", "cxx"];
/// Where Debian's packages of picolibc put it, below its triple.
const PICOLIBC: &str = "/usr/lib/picolibc";

/// How every C program is compiled; a program's own flags come later.
const FLAGS: [&str; 9] = [
    "--specs=picolibc.specs",
    "-O2",
    "-g",
    "-Wall",
    "-Wextra",
    "-ffunction-sections",
    "-fdata-sections",
    "-fno-pic",
    "-fno-common",
];

/// How C++ is compiled, besides: without exceptions and run-time types, which need tables and a library, and with our own
/// headers alone.
const CPP_FLAGS: [&str; 6] = [
    "-std=c++17",
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-unwind-tables",
    "-fno-asynchronous-unwind-tables",
    "-nostdinc++",
];

/// What C++ needs whatever a program's own flags say: the linker tells the guards of statics from all else by their
/// sections.
const CPP_ALWAYS: [&str; 2] = ["-fdata-sections", "-fzero-initialized-in-bss"];

/// `program.toml` as it is written.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Written {
    /// Files, or folders of such, besides the sources in the program's own folder; relative to it.
    sources: Vec<PathBuf>,
    /// Folders in which headers are looked for; relative to the program's own.
    include: Vec<PathBuf>,
    /// Folders of crates with interfaces, whose headers it includes; relative to its own.
    interfaces: Vec<At<PathBuf>>,
    /// Flags of the compiler. One that names a standard is for the language whose it is.
    flags: Vec<String>,
    /// Bytes from which `malloc` and its like take their memory, if the program calls them.
    heap: Option<At<Size>>,
}

/// Bytes of the heap where none are written.
const HEAP: u32 = 4096;

/// Folders in which a C program's first source is looked for: what is named by mistake can be all that a disk has.
const MOST_FOLDERS: usize = 1000;

/// Whether `folder` holds a C program: there is no `Cargo.toml`, but a [`PROGRAM`] or, in it or not far below, a source.
#[must_use]
pub fn is_program(folder: &Path) -> bool {
    !folder.join("Cargo.toml").is_file()
        && (folder.join(PROGRAM).is_file() || {
            let mut files = files_below(folder).take(MOST_FOLDERS).flatten();
            files.any(|it| is_source(&it))
        })
}

/// Whether `folder` holds one that is seen without a look below it, which can be all that a disk has.
#[must_use]
pub fn is_seen(folder: &Path) -> bool {
    let entries = || std::fs::read_dir(folder).into_iter().flatten().flatten();
    folder.join(PROGRAM).is_file() || entries().any(|it| is_source(&it.path()))
}

fn is_source(path: &Path) -> bool {
    let extension = path.extension().and_then(|it| it.to_str());
    extension.is_some_and(|it| EXTENSIONS.contains(&it))
}

/// The C compiler for a target, by Rust's name of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    triple: &'static str,
    machine: Vec<String>,
}

impl Compiler {
    /// The compiler for `target`, and that it is there.
    fn of(target: &str) -> miette::Result<Compiler> {
        let compiler = Compiler::known(target)
            .ok_or_else(|| miette!("no C compiler is known for {target}"))?;
        compiler.found().map_err(|missing| {
            let help = format!("install it: apt-get install {}", compiler.packages());
            miette!(help = help, "{missing} is missing")
        })?;
        Ok(compiler)
    }

    /// Where it lies; or what is missing, of it or of its C library.
    ///
    /// # Errors
    /// The name of what is missing.
    pub fn found(&self) -> Result<String, String> {
        let program = on_path(&self.program()).ok_or_else(|| self.program())?;
        let library = Path::new(PICOLIBC).join(self.triple);
        if library.is_dir() {
            Ok(program.display().to_string())
        } else {
            Err(library.display().to_string())
        }
    }

    /// The compiler that makes what can be linked with Rust's code for `target`.
    #[must_use]
    pub fn known(target: &str) -> Option<Compiler> {
        let arm = |cpu: &str, float: &[&str]| Compiler {
            triple: "arm-none-eabi",
            machine: ["-mthumb", cpu]
                .iter()
                .chain(float)
                .map(|it| (*it).into())
                .collect(),
        };
        match target {
            "thumbv7m-none-eabi" => Some(arm("-mcpu=cortex-m3", &["-mfloat-abi=soft"])),
            "thumbv7em-none-eabi" => Some(arm("-mcpu=cortex-m4", &["-mfloat-abi=soft"])),
            "thumbv7em-none-eabihf" => Some(arm(
                "-mcpu=cortex-m4",
                &["-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"],
            )),
            _ => {
                let isa = target
                    .strip_prefix("riscv")?
                    .strip_suffix("-unknown-none-elf")?;
                isa.starts_with("32").then(|| Compiler {
                    triple: "riscv64-unknown-elf",
                    machine: vec![format!("-march=rv{isa}"), "-mabi=ilp32".into()],
                })
            }
        }
    }

    /// Its program.
    #[must_use]
    pub fn program(&self) -> String {
        format!("{}-gcc", self.triple)
    }

    /// The Debian packages that hold it and its library.
    #[must_use]
    pub fn packages(&self) -> String {
        let triple = self.triple;
        format!("gcc-{triple} picolibc-{triple}")
    }

    /// The compiler, told for which machine.
    #[must_use]
    pub fn command(&self) -> Command {
        self.tool("gcc")
    }

    /// That of C++, told the same.
    #[must_use]
    pub fn cpp_command(&self) -> Command {
        self.tool("g++")
    }

    fn of_language(&self, is_cpp: bool) -> Command {
        if is_cpp {
            self.cpp_command()
        } else {
            self.command()
        }
    }

    fn tool(&self, name: &str) -> Command {
        let mut command = Command::new(format!("{}-{name}", self.triple));
        command.args(&self.machine);
        command
    }

    /// The C library and the compiler's own, in the order in which they are linked.
    fn libraries(&self) -> miette::Result<Vec<PathBuf>> {
        let folder = output(self.command().arg("-print-multi-directory"))?;
        let folder = Path::new(PICOLIBC)
            .join(self.triple)
            .join("lib")
            .join(folder);
        let helpers = output(self.command().arg("-print-libgcc-file-name"))?;
        let library = folder.join("libc.a");
        Ok(vec![library, helpers.into()])
    }
}

/// What is compiled for each program, as it is told of it: below the root.
const LIBRARY: [&str; 3] = ["c/start.c", "c/stdio.c", "c/malloc.c"];

/// What is compiled besides for a program with C++: below the root.
const CPP_LIBRARY: [&str; 2] = ["c/cpp/new.cpp", "c/cpp/runtime.cpp"];

/// Where the headers of C++ are, below the root.
const CPP_HEADERS: &str = "c/cpp/include";

/// Where POSIX's sources are, below the root.
const POSIX: &str = "c/posix/src";

/// Where its headers are, before those of the C library, some of which they include.
const HEADERS: [&str; 2] = ["c/include", "c/posix/include"];

/// Why a program was not compiled.
pub enum Refused {
    /// The compiler has said why.
    Said,
    /// Something else.
    Other(miette::Report),
}

impl From<miette::Report> for Refused {
    fn from(report: miette::Report) -> Refused {
        Refused::Other(report)
    }
}

/// Compiles the C program in `folder` for `target`. Returns its objects, and the libraries that are
/// linked behind that of Riposte. What the compiler says goes to the standard error.
///
/// # Errors
/// If it does not compile, or a tool is missing.
pub fn compile(
    root: &Path,
    folder: &Path,
    target: &str,
) -> Result<(Vec<PathBuf>, Vec<PathBuf>), Refused> {
    let compiler = Compiler::of(target)?;
    let written = read(folder)?;
    let headers = headers(root, folder, &written.interfaces)?;
    let mut sources = sources_below(folder);
    for path in &written.sources {
        let path = folder.join(path);
        if path.is_dir() {
            sources.extend(sources_below(&path));
        } else {
            sources.push(path);
        }
    }
    let place = root
        .join(TARGET_DIRECTORY)
        .join("c")
        .join(target)
        .join(name_of(root, folder));
    make(&place)?;
    let has_cpp = sources.iter().any(|source| is_cpp(source));
    sources.extend(LIBRARY.map(|source| root.join(source)));
    if has_cpp {
        sources.extend(CPP_LIBRARY.map(|source| root.join(source)));
    }
    let heap = heap(folder, written.heap.as_ref())?;
    let mut objects = vec![];
    let mut good = true;
    for (number, source) in sources.iter().enumerate() {
        let object = place.join(format!("{number}.o"));
        let is_cpp = is_cpp(source);
        let mut command = compiler.of_language(is_cpp);
        command.args(FLAGS);
        if is_cpp {
            command.args(CPP_FLAGS);
        }
        for include in &written.include {
            command.arg("-I").arg(folder.join(include));
        }
        for header in &headers {
            command.arg("-I").arg(header);
        }
        // A header of the program's own, or of a personality, comes before one of the same name here.
        include_ours(&mut command, root);
        if is_cpp {
            command.arg("-isystem").arg(root.join(CPP_HEADERS));
        }
        let flags = written.flags.iter();
        command.args(flags.filter(|flag| is_for(flag, is_cpp)));
        if is_cpp {
            command.args(CPP_ALWAYS);
        }
        command.arg(format!("-DRIPOSTE_PRIVATE_HEAP={heap}"));
        command.arg("-c").arg(source).arg("-o").arg(&object);
        good &= fresh::unless(&object, &mut command, run)?;
        objects.push(object);
    }
    if !good {
        return Err(Refused::Said);
    }
    let mut libraries = vec![posix(root, &compiler, target)?];
    libraries.extend(compiler.libraries()?);
    Ok((objects, libraries))
}

/// Whether a source is C++.
fn is_cpp(source: &Path) -> bool {
    let extension = source.extension().and_then(|it| it.to_str());
    extension.is_some_and(|it| CPP_EXTENSIONS.contains(&it))
}

/// Whether a flag is for this language: a standard is one language's.
fn is_for(flag: &str, is_cpp: bool) -> bool {
    let standard = flag.strip_prefix("-std=");
    standard.is_none_or(|standard| standard.contains("++") == is_cpp)
}

/// Bytes of a program's heap.
fn heap(folder: &Path, written: Option<&At<Size>>) -> miette::Result<u32> {
    let Some(size) = written else {
        return Ok(HEAP);
    };
    size.value.bytes().map_err(|help| {
        let program = Source::read(&folder.join(PROGRAM));
        let refuse = |it: Source| it.refuse(size.span, "the heap is no size", help).into();
        program.map_or_else(|error| error, refuse)
    })
}

/// Our own headers.
fn include_ours(command: &mut Command, root: &Path) {
    for folder in HEADERS {
        command.arg("-I").arg(root.join(folder));
    }
}

/// Compiles POSIX for `target`, once for all programs. Returns the archive, from which each takes what it calls.
fn posix(root: &Path, compiler: &Compiler, target: &str) -> Result<PathBuf, Refused> {
    let place = root
        .join(TARGET_DIRECTORY)
        .join("c")
        .join(target)
        .join("posix");
    make(&place)?;
    let archive = place.join("libposix.a");
    let (mut objects, mut good, mut changed) = (vec![], true, !archive.is_file());
    for source in sources_below(&root.join(POSIX)) {
        let object = place.join(name_of(root, &source)).with_extension("o");
        let mut command = compiler.command();
        command.args(FLAGS).args(["-Wpedantic", "-Werror"]);
        include_ours(&mut command, root);
        command.arg("-c").arg(&source).arg("-o").arg(&object);
        good &= fresh::unless(&object, &mut command, |command| {
            changed = true;
            run(command)
        })?;
        objects.push(object);
    }
    if good && changed {
        // One that holds what is no longer there is made anew. Absent is as good as removed.
        let _ = std::fs::remove_file(&archive);
        let mut command = Command::new(format!("{}-ar", compiler.triple));
        good = run(command.arg("rcs").arg(&archive).args(&objects))?;
    }
    if good {
        Ok(archive)
    } else {
        Err(Refused::Said)
    }
}

/// Makes the headers of these crates' interfaces; returns the folders in which they are.
fn headers(root: &Path, folder: &Path, crates: &[At<PathBuf>]) -> miette::Result<Vec<PathBuf>> {
    let mut folders = vec![];
    for named in crates {
        let from = folder.join(&named.value);
        if !from.join("Cargo.toml").is_file() {
            let program = Source::read(&folder.join(PROGRAM))?;
            let message = format!("there is no crate in `{}`", named.value.display());
            let help = "name the folder that holds the Cargo.toml of a crate with interfaces";
            return Err(program.refuse(named.span, message, help).into());
        }
        let Header { name, text } = interface::header(&from)?;
        let place = root
            .join(TARGET_DIRECTORY)
            .join("interfaces")
            .join(name_of(root, &from));
        make(&place)?;
        write(&place.join(name), text.as_bytes())?;
        folders.push(place);
    }
    Ok(folders)
}

/// Runs the compiler, and passes on what it says.
fn run(command: &mut Command) -> miette::Result<bool> {
    let output = child::output(command)
        .into_diagnostic()
        .wrap_err("the C compiler does not run; `./riposte doctor` says what is missing")?;
    interrupt::check()?;
    let said = String::from_utf8_lossy(&output.stderr);
    if !said.trim().is_empty() {
        progress::complain(said.trim_end());
    }
    Ok(output.status.success())
}

fn read(folder: &Path) -> miette::Result<Written> {
    let file = folder.join(PROGRAM);
    if file.is_file() {
        Ok(document::parse(&Source::read(&file)?)?)
    } else {
        Ok(Written::default())
    }
}

/// A folder's name among those of all C programs: no other one has it, be it named the same but for a separator.
fn name_of(root: &Path, folder: &Path) -> String {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.into());
    let place = folder.strip_prefix(root).unwrap_or(&folder);
    let mut hasher = DefaultHasher::new();
    place.hash(&mut hasher);
    let parts: Vec<_> = place.iter().map(|part| part.to_string_lossy()).collect();
    let name = parts.join("-").replace('/', "");
    with_hash(&name, &format!("{:016x}", hasher.finish()))
}

/// The sources in `folder` and below, in order of name.
fn sources_below(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = files_below(folder).flatten().collect();
    found.retain(|it| is_source(it));
    found.sort();
    found
}

/// The files of `folder`, and of each folder below, those with the shortest way first. Links may lead to a folder more than once.
fn files_below(folder: &Path) -> impl Iterator<Item = Vec<PathBuf>> {
    let mut folders = VecDeque::from([folder.to_owned()]);
    let mut seen = HashSet::new();
    std::iter::from_fn(move || {
        let mut is_new = |it: &PathBuf| it.canonicalize().is_ok_and(|it| seen.insert(it));
        let folder = std::iter::from_fn(|| folders.pop_front()).find(&mut is_new)?;
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut entries: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        entries.sort();
        let (below, files) = entries.into_iter().partition(|it| it.is_dir());
        let below: Vec<PathBuf> = below;
        folders.extend(below);
        Some(files)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(target: &str) -> String {
        let compiler = Compiler::known(target).expect("a compiler");
        format!("{} {}", compiler.program(), compiler.machine.join(" "))
    }

    #[test]
    fn sources_are_found_once_where_folders_lead_in_a_circle() {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("below");
        std::fs::create_dir(&below).unwrap();
        std::fs::write(below.join("one.c"), "").unwrap();
        for circle in ["first", "second"] {
            std::os::unix::fs::symlink(folder.path(), below.join(circle)).unwrap();
        }
        assert_eq!(sources_below(folder.path()), [below.join("one.c")]);
    }

    #[test]
    fn the_compiler_makes_code_for_the_same_machine_as_rust() {
        assert_eq!(
            machine("riscv32imc-unknown-none-elf"),
            "riscv64-unknown-elf-gcc -march=rv32imc -mabi=ilp32"
        );
        assert_eq!(
            machine("thumbv7m-none-eabi"),
            "arm-none-eabi-gcc -mthumb -mcpu=cortex-m3 -mfloat-abi=soft"
        );
        assert!(machine("thumbv7em-none-eabihf").contains("-mfloat-abi=hard"));
        assert_eq!(Compiler::known("riscv64gc-unknown-none-elf"), None);
    }

    #[test]
    fn a_standard_is_a_flag_for_its_own_language_alone() {
        assert!(is_for("-std=c11", false) && !is_for("-std=c11", true));
        assert!(is_for("-std=gnu++20", true) && !is_for("-std=gnu++20", false));
        assert!(is_for("-Werror", true) && is_for("-Werror", false));
        assert!(is_cpp(Path::new("a/main.cpp")) && !is_cpp(Path::new("a/main.c")));
    }

    #[test]
    fn no_two_programs_share_their_objects() {
        let root = tempfile::tempdir().expect("a folder");
        let names = ["net/echo", "net-echo"].map(|folder| {
            let folder = root.path().join(folder);
            std::fs::create_dir_all(&folder).expect("a folder");
            name_of(root.path(), &folder)
        });
        assert_ne!(names[0], names[1]);
        // A file system takes no longer name.
        let far = root.path().join("very-far/".repeat(50));
        assert!(name_of(root.path(), &far).len() < 255);
    }

    #[test]
    fn a_folder_with_a_source_and_no_cargo_toml_is_a_c_program() {
        let folder = tempfile::tempdir().expect("a folder");
        assert!(!is_program(folder.path()));
        std::fs::create_dir(folder.path().join("src")).expect("a folder");
        std::fs::write(folder.path().join("src/main.c"), "").expect("a file");
        assert!(is_program(folder.path()));
        std::fs::write(folder.path().join("Cargo.toml"), "").expect("a file");
        assert!(!is_program(folder.path()));
    }

    #[test]
    fn a_disk_without_a_source_near_its_root_is_not_looked_through_for_one() {
        let disk = tempfile::tempdir().expect("a folder");
        for number in 0..MOST_FOLDERS {
            std::fs::create_dir(disk.path().join(number.to_string())).expect("a folder");
        }
        let deep = disk.path().join("0/below");
        std::fs::create_dir(&deep).expect("a folder");
        std::fs::write(deep.join("main.c"), "").expect("a file");
        assert!(!is_program(disk.path()));
        assert!(is_program(&disk.path().join("0")));
        std::fs::write(disk.path().join("1/main.c"), "").expect("a file");
        assert!(is_program(disk.path()));
    }
}
