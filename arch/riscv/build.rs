//! Passes what the trap code depends on from the manifest to the compiler.

use std::{env, fs, path::Path};

fn main() {
    let regions = number("RIPOSTE_REGIONS", "4");
    assert!(
        (3..=16).contains(&regions),
        "RIPOSTE_REGIONS = {regions} must be from 3 to 16"
    );
    let text = format!(
        "/// PMP entries that every switch writes: those of the process with the most devices.\n\
         pub const REGIONS: usize = {regions};\n\
         /// 1 if a switch must write a configuration too, for an emulator to notice.\n\
         pub const REFRESH: usize = {};\n\
         /// 1 if interrupts come to a table behind the entry of the exceptions.\n\
         pub const VECTORED: usize = {};\n",
        number("RIPOSTE_REFRESH", "0"),
        number("RIPOSTE_VECTORED", "0"),
    );
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("manifest.rs"), text).expect("OUT_DIR can be written");
}

fn number(variable: &str, default: &str) -> usize {
    println!("cargo::rerun-if-env-changed={variable}");
    let text = env::var(variable).unwrap_or_else(|_| default.into());
    text.parse()
        .unwrap_or_else(|_| panic!("{variable} = {text} must be a number"))
}
