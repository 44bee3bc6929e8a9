//! Links one process.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use miette::{IntoDiagnostic, WrapErr};
use object::{Object, ObjectSymbol};

use super::elf::{Linked, Storage};
use super::script::{self, Places};
use crate::child;
use crate::conformance;
use crate::interrupt;
use crate::manifest::Thread;
use crate::toolchain::Toolchain;

/// A program that is to be linked.
pub struct Link<'a> {
    /// Its objects and libraries, in the order in which they are searched.
    pub files: &'a [PathBuf],
    /// Whether it is written in C.
    pub is_c: bool,
    /// Whether others spawn it.
    pub is_spawned: bool,
    /// Its threads; the first is the main thread.
    pub threads: &'a [Thread],
    /// The ELF file to write; the linker script is written beside it.
    pub output: PathBuf,
}

/// Functions of C's streams that have a stream to themselves where there are several threads: `c/posix/src/stdio/whole.c`.
const WHOLE: [&str; 7] = [
    "fgets", "fputs", "fread", "fwrite", "puts", "vfprintf", "vfscanf",
];

/// Where the threads of a C program begin, but the main thread. In a program with thread-local storage other functions
/// take their places, which give a thread's its first values.
const BEGINNINGS: [&str; 2] = [
    "riposte_private_thread_begin",
    "riposte_private_spare_begin",
];

/// A program that calls this may cancel its threads.
const CANCELS: &str = "pthread_cancel";

/// A program that calls this handles signals without POSIX, and needs of it what keeps them from a thread that begins.
const HANDLES: &str = "riposte_signal_handle";
const KEEPS: &str = "posix_create_masked";

/// What a C program needs of POSIX to take its arguments, and its standard input and output, from who spawns it.
const SPAWNED: [&str; 3] = ["posix_arguments", "posix_write_all", "posix_read_line"];

/// Why a program was not linked.
pub struct NotLinked {
    /// What the linker says.
    pub said: String,
    /// The same in a few words, of which the program is the subject.
    pub message: String,
    /// The next step.
    pub help: String,
}

impl Link<'_> {
    /// Links the program to `places`.
    ///
    /// # Errors
    /// If the linker does not run; inside, if it refuses the program, or an entry is missing.
    pub fn run(
        &self,
        toolchain: &Toolchain,
        places: &Places,
    ) -> miette::Result<Result<Linked, NotLinked>> {
        // An image that is in use keeps the old file. Absent is as good as removed.
        let _ = std::fs::remove_file(&self.output);
        let script = self.output.with_extension("ld");
        write(&script, script::text(places).as_bytes())?;
        let output = run(&mut self.command(toolchain, &script, places)?)?;
        if !output.status.success() {
            let said: String = String::from_utf8_lossy(&output.stderr).trim().into();
            let why = match said.contains(ARCHIVED) {
                true => self.reasons(toolchain, &script, places)?,
                false => String::new(),
            };
            return Ok(Err(self
                .without_main(&said)
                .unwrap_or_else(|| refused(said, &why))));
        }
        let linked = Linked::read(&self.output)?;
        Ok(match self.missing_entry(&linked) {
            Some(missing) => Err(missing),
            None => Ok(linked),
        })
    }

    /// What made the linker take each part of an archive.
    fn reasons(
        &self,
        toolchain: &Toolchain,
        script: &Path,
        places: &Places,
    ) -> miette::Result<String> {
        let mut command = self.command(toolchain, script, places)?;
        let why = self.output.with_extension("why");
        run(command.arg(format!("--why-extract={}", why.display())))?;
        Ok(std::fs::read_to_string(&why).unwrap_or_default())
    }

    fn command(
        &self,
        toolchain: &Toolchain,
        script: &Path,
        places: &Places,
    ) -> miette::Result<Command> {
        let mut command = command(toolchain, script, &self.output);
        if places.storage != Storage::NONE {
            command.args(BEGINNINGS.map(|it| format!("--wrap={it}")));
        }
        for symbol in self.threads.iter().filter_map(Thread::symbol) {
            command.args(["-u", &symbol]);
        }
        if self.is_c && self.is_spawned {
            command.args(SPAWNED.iter().flat_map(|symbol| ["-u", symbol]));
        }
        if self.is_c {
            let called = called(self.files)?;
            let points = conformance::CANCELLATION_POINTS.iter();
            let taken = points.filter(|it| it.starts_with("riposte_") || called.contains(**it));
            if called.contains(HANDLES) {
                command.args(["-u", KEEPS]);
            }
            if self.threads.len() > 1 {
                command.args(WHOLE.map(|it| format!("--wrap={it}")));
            }
            if called.contains(CANCELS) {
                command.args(taken.map(|it| format!("--wrap={it}")));
            }
        }
        command.args(self.files);
        Ok(command)
    }

    /// The start code, which is linked first, calls the main function.
    fn without_main(&self, said: &str) -> Option<NotLinked> {
        let (symbol, help) = match self.is_c {
            true => ("main", "add to it: int main(void)"),
            false => (
                "riposte_main",
                "mark its main function: #[riposte::main] fn main()",
            ),
        };
        let line = format!("undefined symbol: {symbol}");
        said.lines()
            .any(|it| it.ends_with(&line))
            .then(|| NotLinked {
                said: String::new(),
                message: "has no main function".into(),
                help: help.into(),
            })
    }

    fn missing_entry(&self, linked: &Linked) -> Option<NotLinked> {
        let missing = |thread: &&Thread| {
            let symbol = thread.symbol();
            symbol.is_some_and(|symbol| linked.symbol(&symbol).is_none_or(|entry| entry == 0))
        };
        let thread = self.threads.iter().find(missing)?;
        let function = thread.name.replace('-', "_");
        let add = match self.is_c {
            false => format!("#[riposte::thread] fn {function}() -> !"),
            true => format!("RIPOSTE_THREAD({function}) {{ ... }}"),
        };
        let help = format!(
            "add to it: {add}; or if the thread is another process's, write its [[process.thread]] below that one: it belongs \
             to the [[process]] above it"
        );
        Some(NotLinked {
            said: String::new(),
            message: format!("has no thread `{}`", thread.name),
            help,
        })
    }
}

/// What the objects among these files refer to and do not hold. What archives refer to is their own.
fn called(files: &[PathBuf]) -> miette::Result<HashSet<String>> {
    let objects = files
        .iter()
        .filter(|file| file.extension().is_some_and(|it| it == "o"));
    let mut called = HashSet::new();
    for file in objects {
        let cannot = || format!("cannot read {}", file.display());
        let bytes = std::fs::read(file)
            .into_diagnostic()
            .wrap_err_with(cannot)?;
        let object = object::File::parse(&*bytes)
            .into_diagnostic()
            .wrap_err_with(cannot)?;
        let lacking = object.symbols().filter(ObjectSymbol::is_undefined);
        called.extend(lacking.filter_map(|symbol| Some(symbol.name().ok()?.to_owned())));
    }
    Ok(called)
}

/// The linker, which is to make `output` as `script` says of the files that follow.
pub fn command(toolchain: &Toolchain, script: &Path, output: &Path) -> Command {
    let mut command = toolchain.linker();
    command
        // Each function that is absent has a reason to be told.
        .args([
            "--gc-sections",
            "--nmagic",
            "--build-id=none",
            "--error-limit=0",
        ])
        .arg(format!("--script={}", script.display()))
        .arg("-o")
        .arg(output);
    command
}

/// Runs a linker's command.
///
/// # Errors
/// If it does not run, not if it refuses what it is to link.
pub fn run(command: &mut Command) -> miette::Result<Output> {
    let output = child::output(command)
        .into_diagnostic()
        .wrap_err("the linker does not run")?;
    interrupt::check()?;
    Ok(output)
}

/// What the program itself refers to, so that a part of an archive is linked: the one that is `wanted`, or that
/// holds this symbol. Each row of `why` is who refers, which part was taken for it, and the symbol.
fn caller<'a>(wanted: &str, why: &'a str) -> Option<&'a str> {
    let row = |line: &'a str| {
        let mut fields = line.split('\t');
        Some((fields.next()?, fields.next()?, fields.next()?))
    };
    let rows: Vec<_> = why.lines().filter_map(row).collect();
    let mut last = *rows
        .iter()
        .find(|(_, taken, name)| *name == wanted || *taken == wanted)?;
    // A chain is no longer than there are rows.
    for _ in &rows {
        match rows.iter().find(|(_, taken, _)| *taken == last.0) {
            Some(before) => last = *before,
            None => break,
        }
    }
    Some(last.2)
}

/// Between the part of an archive and the archive, where the linker says who refers to a symbol.
const ARCHIVED: &str = " in archive ";

/// The linker has refused the program, and `said` why. If a part of an archive refers to what is not there, the
/// program called a function that cannot work here.
fn refused(said: String, why: &str) -> NotLinked {
    let part = |line: &str| {
        let (referrer, archive) = line.trim_start_matches('>').split_once(ARCHIVED)?;
        let (object, _) = referrer.trim().split_once(":(")?;
        Some(format!("{}({object})", archive.trim()))
    };
    let parts = said.lines().filter_map(part);
    let mut called: Vec<String> = parts
        .filter_map(|part| caller(&part, why).map(str::to_owned))
        .collect();
    called.sort_unstable();
    called.dedup();
    let lacks = |line: &str| Some(line.split_once("undefined symbol: ")?.1.to_owned());
    let lacking: Vec<String> = said.lines().filter_map(lacks).collect();
    if let Some(absent) = absent(&lacking) {
        return absent;
    }
    if called.is_empty() {
        return unexplained(said);
    }
    NotLinked {
        message: format!(
            "calls `{}`, for which `{}` would have to be there",
            called.join("`, `"),
            lacking.join("`, `")
        ),
        help: OTHERWISE.into(),
        said,
    }
}

/// The linker alone knows what is wrong.
fn unexplained(said: String) -> NotLinked {
    NotLinked {
        said,
        message: "does not link".into(),
        help: "the linker says above what is wrong".into(),
    }
}

/// Functions of POSIX among those that are lacking, each of which is absent for a reason.
fn absent(lacking: &[String]) -> Option<NotLinked> {
    let reasons: Vec<String> = lacking
        .iter()
        .filter_map(|function| Some(format!("`{function}`: {}", conformance::absent(function)?)))
        .collect();
    (!reasons.is_empty()).then(|| NotLinked {
        said: String::new(),
        message: format!("calls {}", reasons.join("; ")),
        help: "docs/src/posix.md says what there is of POSIX".into(),
    })
}

/// What to write instead of a call of a function of the C library of which no more is known.
const OTHERWISE: &str = "call something else: docs/src/c.md says what there is of the C library";

/// Writes a file of the build.
pub(super) fn write(file: &Path, bytes: &[u8]) -> miette::Result<()> {
    std::fs::write(file, bytes)
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot write {}", file.display()))
}
