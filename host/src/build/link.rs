//! Links one process.

use std::path::{Path, PathBuf};

use miette::{IntoDiagnostic, WrapErr, miette};

use super::elf::Linked;
use super::script::{self, Places};
use crate::manifest::Thread;
use crate::toolchain::Toolchain;

/// A program that is to be linked.
pub struct Link<'a> {
    /// Its static library.
    pub archive: &'a Path,
    /// Name of the process, as a person knows it.
    pub process: &'a str,
    /// Its threads; the first is the main thread.
    pub threads: &'a [Thread],
    /// The ELF file to write; the linker script is written beside it.
    pub output: PathBuf,
}

impl Link<'_> {
    /// Links the program to `places`.
    ///
    /// # Errors
    /// If the linker refuses the program, or an entry is missing.
    pub fn run(&self, toolchain: &Toolchain, places: &Places) -> miette::Result<Linked> {
        let script = self.output.with_extension("ld");
        write(&script, script::text(places).as_bytes())?;
        let mut command = toolchain.linker();
        command
            .args(["--gc-sections", "--nmagic", "--build-id=none"])
            .arg(format!("--script={}", script.display()))
            .arg("-o")
            .arg(&self.output);
        for symbol in self.threads.iter().filter_map(Thread::symbol) {
            command.args(["-u", &symbol]);
        }
        command.arg(self.archive);
        let output = command
            .output()
            .into_diagnostic()
            .wrap_err("the linker does not run")?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            return Err(miette!(
                "process `{}` does not link:\n{}",
                self.process,
                said.trim()
            ));
        }
        let linked = Linked::read(&self.output)?;
        self.check_entries(&linked)?;
        Ok(linked)
    }

    fn check_entries(&self, linked: &Linked) -> miette::Result<()> {
        let missing = |thread: &&Thread| {
            let symbol = thread.symbol();
            symbol.is_some_and(|symbol| linked.symbol(&symbol).is_none_or(|entry| entry == 0))
        };
        let Some(thread) = self.threads.iter().find(missing) else {
            return Ok(());
        };
        let help = if thread.name == "main" {
            "mark its main function: #[riposte::main] fn main()".into()
        } else {
            format!(
                "add to it: #[riposte::thread] fn {}() -> !",
                thread.name.replace('-', "_")
            )
        };
        Err(miette!(
            help = help,
            "the program of process `{}` has no thread `{}`",
            self.process,
            thread.name
        ))
    }
}

/// Writes a file of the build.
pub(super) fn write(file: &Path, bytes: &[u8]) -> miette::Result<()> {
    std::fs::write(file, bytes)
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot write {}", file.display()))
}
