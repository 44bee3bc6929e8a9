//! The Rust that is there: rustup's with prebuilt bare-metal libraries, or the distribution's,
//! which builds them from source.

use std::path::{Path, PathBuf};
use std::process::Command;

use miette::{Context, IntoDiagnostic, miette};

use crate::child;
use crate::interrupt;

/// The compiler, its driver and its linker.
#[derive(Clone, Debug)]
pub struct Toolchain {
    root: PathBuf,
    cargo: String,
    rustc: String,
    sysroot: PathBuf,
    linker: Vec<String>,
}

impl Toolchain {
    /// Finds the toolchain that `rust-toolchain.toml` in `root` names, or the one that the
    /// variables `CARGO` and `RUSTC` name.
    ///
    /// # Errors
    /// If there is no compiler or no linker, with how to get it.
    pub fn find(root: &Path) -> miette::Result<Toolchain> {
        let rustc = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".into());
        let libraries = PathBuf::from(output(
            Command::new(&rustc)
                .args(["--print", "target-libdir"])
                .current_dir(root),
        )?);
        let sysroot = PathBuf::from(output(
            Command::new(&rustc)
                .args(["--print", "sysroot"])
                .current_dir(root),
        )?);
        let bundled = libraries.with_file_name("bin").join("rust-lld");
        let linker = if bundled.exists() {
            vec![
                bundled.to_string_lossy().into_owned(),
                "-flavor".into(),
                "gnu".into(),
            ]
        } else {
            vec![distribution_linker()?]
        };
        let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
        Ok(Toolchain {
            root: root.into(),
            cargo,
            rustc,
            sysroot,
            linker,
        })
    }

    /// `cargo`, run in the root of the workspace.
    #[must_use]
    pub fn cargo(&self) -> Command {
        let mut command = Command::new(&self.cargo);
        command.current_dir(&self.root).env("RUSTC", &self.rustc);
        command
    }

    /// `cargo <subcommand>` for a bare-metal target, with the library sources if the compiled
    /// library is not there. It makes what the workspace says: profiles and compiler flags in the
    /// environment of whoever calls are kept from it.
    #[must_use]
    pub fn cargo_for(&self, subcommand: &str, target: &str) -> Command {
        let mut command = self.cargo();
        command.args([subcommand, "--target", target]);
        for (name, _) in std::env::vars_os() {
            if name.as_encoded_bytes().starts_with(b"CARGO_PROFILE_") {
                command.env_remove(name);
            }
        }
        // Cargo takes this instead of all other flags, also of those in its configuration files.
        command.env("CARGO_ENCODED_RUSTFLAGS", "");
        command.env("CARGO_INCREMENTAL", "0");
        if !self.has_library(target) {
            command
                .arg("-Zbuild-std=core,alloc")
                .env("RUSTC_BOOTSTRAP", "1");
        }
        command
    }

    /// The linker with its leading arguments.
    #[must_use]
    pub fn linker(&self) -> Command {
        let mut command = Command::new(&self.linker[0]);
        command.args(&self.linker[1..]);
        command
    }

    /// The same with another linker.
    #[cfg(test)]
    pub(crate) fn with_linker(&self, linker: &str) -> Toolchain {
        Toolchain {
            linker: vec![linker.into()],
            ..self.clone()
        }
    }

    /// The linker's version, in one line.
    ///
    /// # Errors
    /// If the linker does not run.
    pub fn linker_version(&self) -> miette::Result<String> {
        output(self.linker().arg("--version"))
    }

    /// The compiler's version, in one line.
    ///
    /// # Errors
    /// If the compiler does not run.
    pub fn version(&self) -> miette::Result<String> {
        output(
            Command::new(&self.rustc)
                .arg("--version")
                .current_dir(&self.root),
        )
    }

    /// Whether the compiled core library for `target` is there; else it is built.
    #[must_use]
    pub fn has_library(&self, target: &str) -> bool {
        let folder = self.sysroot.join("lib/rustlib").join(target).join("lib");
        std::fs::read_dir(folder).is_ok_and(|entries| {
            entries
                .flatten()
                .any(|entry| entry.file_name().to_string_lossy().starts_with("libcore-"))
        })
    }
}

fn distribution_linker() -> miette::Result<String> {
    ["ld.lld-22", "ld.lld"]
        .into_iter()
        .find(|name| on_path(name).is_some())
        .map(str::to_owned)
        .ok_or_else(|| {
            miette!(
                help = "install it: apt-get install lld-22",
                "the linker is missing: neither rust-lld nor ld.lld-22 is there"
            )
        })
}

/// Where the program `name` lies, if it is on the path.
#[must_use]
pub fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path)
        .map(|folder| folder.join(name))
        .find(|file| file.is_file())
}

/// What a command prints, without the white space around it.
///
/// # Errors
/// If the command does not run or fails.
pub fn output(command: &mut Command) -> miette::Result<String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = child::output(command).into_diagnostic().wrap_err_with(|| {
        format!("{name} does not run; `./riposte doctor` says what is missing")
    })?;
    interrupt::check()?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
        return Err(miette!("{name} failed: {said}"));
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_that_is_not_there_is_built_from_source() {
        let toolchain = Toolchain {
            root: ".".into(),
            cargo: "cargo".into(),
            rustc: "rustc".into(),
            sysroot: "/nowhere".into(),
            linker: vec!["ld.lld-22".into()],
        };
        let command = toolchain.cargo_for("build", "thumbv7m-none-eabi");
        assert!(
            command
                .get_args()
                .any(|argument| argument == "-Zbuild-std=core,alloc")
        );
    }
}
