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
    println!("cargo::rerun-if-env-changed=RIPOSTE_MEMORY_MESSAGES");
    let changes = env::var("RIPOSTE_MEMORY_MESSAGES").is_ok_and(|text| text == "1");
    println!("cargo::rerun-if-env-changed=RIPOSTE_GRANULE");
    let granule = env::var("RIPOSTE_GRANULE").unwrap_or_else(|_| "32".into());
    let text = format!(
        "/// PMP entries that every switch writes: those of the process that needs most.\npub const REGIONS: usize = {regions};\n\
         /// Whether it writes their configurations too: there are windows or gaps.\npub const CHANGES: bool = {changes};\n\
         /// Bytes of the smallest range that can be lent.\npub const GRANULE: u32 = {granule};\n"
    );
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("regions.rs"), text).expect("OUT_DIR can be written");
}
