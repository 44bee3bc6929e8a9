//! The emulator, one instruction at a time.

use std::process::Command;

use crate::toolchain::output;

/// The options by which an emulator translates each instruction by itself, so that it logs the address of each that runs.
/// They stand before all others: of several accelerators that are named the emulator takes the first.
pub(crate) fn one_at_a_time(program: &str) -> &'static [&'static str] {
    let version = output(Command::new(program).arg("--version"));
    options(&version.unwrap_or_default())
}

/// Those of an emulator that says this of its version. In QEMU 8.1 it became a property of the accelerator, and what was an
/// option before is gone from later ones.
fn options(version: &str) -> &'static [&'static str] {
    let numbers = version.split("version ").nth(1).unwrap_or("");
    let mut numbers = numbers.split('.').map_while(|it| it.parse::<u32>().ok());
    match (numbers.next(), numbers.next()) {
        (Some(major), Some(minor)) if (major, minor) >= (8, 1) => {
            &["-accel", "tcg,one-insn-per-tb=on"]
        }
        _ => &["-singlestep"],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn from_8_1_on_it_is_asked_of_the_accelerator() {
        const BEFORE: &[&str] = &["-singlestep"];
        const NOW: &[&str] = &["-accel", "tcg,one-insn-per-tb=on"];
        for (version, expected) in [
            ("7.2.22 (Debian 1:7.2+dfsg-7+deb12u18+b3)", BEFORE),
            ("8.0.5", BEFORE),
            ("8.1.0", NOW),
            ("8.2.2 (Debian 1:8.2.2+ds-0ubuntu1.10)", NOW),
            ("10.0.2 (v10.0.2)", NOW),
        ] {
            let said = format!("QEMU emulator version {version}\nCopyright (c)");
            assert_eq!(options(&said), expected, "{version}");
        }
        assert_eq!(options(""), BEFORE, "one that says nothing");
    }
}
