//! Passes what the trap code depends on from the manifest to the compiler.

use std::{env, fs, path::Path};

fn main() {
    println!("cargo::rerun-if-env-changed=RIPOSTE_REGIONS");
    let regions = env::var("RIPOSTE_REGIONS").unwrap_or_else(|_| "4".into());
    assert!(
        regions == "4" || regions == "8",
        "RIPOSTE_REGIONS = {regions} must be 4 or 8"
    );
    println!("cargo::rerun-if-env-changed=RIPOSTE_GRANULE");
    let granule = env::var("RIPOSTE_GRANULE").unwrap_or_else(|_| "32".into());
    let text = format!(
        "/// MPU regions that every switch writes: 4, or 8 if some process needs more.\npub const REGIONS: usize = {regions};\n\
         /// Bytes of the smallest range that can be lent.\npub const GRANULE: u32 = {granule};\n"
    );
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("regions.rs"), text).expect("OUT_DIR can be written");
}
