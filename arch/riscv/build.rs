//! Passes what the trap code depends on from the manifest to the compiler.

use std::{env, fs, path::Path};

fn main() {
    let translated = match variable("RIPOSTE_PROTECTION", "pmp").as_str() {
        "pmp" => false,
        "sv32" => true,
        other => panic!("RIPOSTE_PROTECTION = {other} must be pmp or sv32"),
    };
    println!("cargo::rustc-check-cfg=cfg(sv32)");
    if translated {
        println!("cargo::rustc-cfg=sv32");
    }
    let regions = number("RIPOSTE_REGIONS", if translated { "1" } else { "4" });
    let lawful = if translated { 1..=1 } else { 2..=16 };
    assert!(
        lawful.contains(&regions),
        "RIPOSTE_REGIONS = {regions} must be in {lawful:?}"
    );
    let text = format!(
        "/// Words that every switch writes: PMP entries, as many as the process that needs most has; or\n\
         /// `satp`.\n\
         pub const REGIONS: usize = {regions};\n\
         /// Whether the first PMP entry that it writes is the guard below the thread's stack.\n\
         pub const GUARDS: bool = {};\n\
         /// Else bases of the guards below all stacks: as many entries hold them for ever.\n\
         pub const FIXED_GUARDS: &[u32] = &[{}];\n\
         /// Bytes of a guard.\n\
         pub const GUARD: u32 = {};\n\
         /// Whether it writes their configurations too: not every entry is for the same in all threads.\n\
         pub const CHANGES: bool = {};\n\
         /// Bytes of the smallest range that can be lent.\n\
         pub const GRANULE: u32 = {};\n\
         /// 1 if a switch must write a configuration in any case, for an emulator to notice.\n\
         pub const REFRESH: usize = {};\n\
         /// 1 if interrupts come to a table behind the entry of the exceptions.\n\
         pub const VECTORED: usize = {};\n\
         /// Whether the processor says which of its counters user mode may read.\n\
         pub const COUNTERS: bool = {};\n\
         /// Whether the processor has a mask of external interrupts of its own (VexRiscv).\n\
         pub const EXTERNAL_MASK: bool = {};\n\
         /// Whether the processor forgets all translations when `satp` is written.\n\
         pub const FLUSHES: bool = {};\n\
         /// 1 if programs have sequences that begin anew when they are interrupted.\n\
         pub const RESTARTABLE: usize = {};\n",
        number("RIPOSTE_GUARDS", "1") != 0,
        variable("RIPOSTE_FIXED_GUARDS", ""),
        number("RIPOSTE_GUARD", "32"),
        number("RIPOSTE_CHANGES", "0") == 1,
        number("RIPOSTE_GRANULE", "32"),
        number("RIPOSTE_REFRESH", "0"),
        number("RIPOSTE_VECTORED", "0"),
        number("RIPOSTE_COUNTERS", "1") != 0,
        number("RIPOSTE_EXTERNAL_MASK", "0") != 0,
        number("RIPOSTE_FLUSHES", "0") != 0,
        number("RIPOSTE_RESTARTABLE", "0"),
    );
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("manifest.rs"), text).expect("OUT_DIR can be written");
}

fn variable(name: &str, default: &str) -> String {
    println!("cargo::rerun-if-env-changed={name}");
    env::var(name).unwrap_or_else(|_| default.into())
}

fn number(name: &str, default: &str) -> usize {
    let text = variable(name, default);
    text.parse()
        .unwrap_or_else(|_| panic!("{name} = {text} must be a number"))
}
