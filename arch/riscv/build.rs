//! Passes what the trap code depends on from the manifest to the compiler.

use std::{env, fs, path::Path};

fn main() {
    println!("cargo::rerun-if-env-changed=RIPOSTE_REGIONS");
    let text = env::var("RIPOSTE_REGIONS").unwrap_or_else(|_| "4".into());
    let regions: usize = text.parse().unwrap_or(0);
    assert!(
        (3..=16).contains(&regions),
        "RIPOSTE_REGIONS = {text} must be from 3 to 16"
    );
    let text = format!(
        "/// PMP entries that every switch writes: those of the process with the most devices.\npub const REGIONS: usize = {regions};\n"
    );
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("regions.rs"), text).expect("OUT_DIR can be written");
}
