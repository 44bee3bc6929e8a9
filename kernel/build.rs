//! Passes what the kernel's types depend on to the compiler: what the manifest gives, and whether the
//! board translates addresses.

use std::{env, fs, path::Path};

fn power_of_two(name: &str, default: usize, low: usize, high: usize) -> usize {
    println!("cargo::rerun-if-env-changed={name}");
    let value = match env::var(name) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{name} is not a number: {text}")),
        Err(_) => default,
    };
    assert!(
        value.is_power_of_two() && (low..=high).contains(&value),
        "{name} = {value} must be a power of two from {low} to {high}"
    );
    value
}

/// As [`power_of_two`], or 0.
fn or_none(name: &str, default: usize, low: usize, high: usize) -> usize {
    match env::var(name).as_deref() {
        Err(_) if default == 0 => println!("cargo::rerun-if-env-changed={name}"),
        Ok("0") => println!("cargo::rerun-if-env-changed={name}"),
        _ => return power_of_two(name, default, low, high),
    }
    0
}

fn flag(name: &str, default: bool) -> bool {
    println!("cargo::rerun-if-env-changed={name}");
    match env::var(name).as_deref() {
        Err(_) => default,
        Ok("0") => false,
        Ok("1") => true,
        Ok(text) => panic!("{name} = {text} must be 0 or 1"),
    }
}

/// Whether the kernel is compiled with this feature, which tests ask for.
fn tests_ask_for(feature: &str) -> bool {
    env::var_os(format!("CARGO_FEATURE_{feature}")).is_some()
}

fn main() {
    let lean = tests_ask_for("LEAN");
    let levels = power_of_two("RIPOSTE_LEVELS", 32, 32, 256);
    let handles = power_of_two("RIPOSTE_HANDLES", 8, 4, 256);
    let memory_messages = flag("RIPOSTE_MEMORY_MESSAGES", !lean);
    let proxies = flag("RIPOSTE_PROXIES", !lean);
    let timers = flag("RIPOSTE_TIMERS", !lean);
    let run_time_threads = flag("RIPOSTE_RUN_TIME_THREADS", !lean);
    let adaptive = flag("RIPOSTE_ADAPTIVE", !lean);
    let slices = flag("RIPOSTE_SLICES", !lean);
    let shared_memory = flag("RIPOSTE_SHARED_MEMORY", true);
    let pools = flag("RIPOSTE_POOLS", !lean);
    let futexes = or_none("RIPOSTE_FUTEXES", 16, 2, 512);
    let interrupts = flag("RIPOSTE_INTERRUPTS", true);
    let interrupt_rates = flag("RIPOSTE_INTERRUPT_RATES", !lean);
    let controls = flag("RIPOSTE_CONTROLS", !lean);
    let programs = flag("RIPOSTE_PROGRAMS", !lean);
    let delays = flag("RIPOSTE_DELAYS", !lean);
    let holds = flag("RIPOSTE_HOLDS", !lean);
    let groups = flag("RIPOSTE_GROUPS", !lean);
    let resets = flag("RIPOSTE_RESETS", !lean);
    let inspection = flag("RIPOSTE_INSPECTION", !lean);
    let fixed_priorities = flag("RIPOSTE_FIXED_PRIORITIES", true);
    let relays = flag("RIPOSTE_RELAYS", !lean);
    let transfers = flag("RIPOSTE_TRANSFERS", !lean);
    let own_badges = flag("RIPOSTE_OWN_BADGES", !lean);
    let signals = flag("RIPOSTE_SIGNALS", !lean);
    let trace = or_none("RIPOSTE_TRACE", 0, 64, 1 << 16);
    let guard = power_of_two("RIPOSTE_GRANULE", 32, 1, 1 << 16);
    let translated = flag("RIPOSTE_TRANSLATED", tests_ask_for("TRANSLATED"));
    let line = power_of_two("RIPOSTE_LINE", 1, 1, 256);
    let text = format!(
        "/// Priority levels.\npub const LEVELS: usize = {levels};\n\
         /// Handle slots of a process.\npub const HANDLES: usize = {handles};\n\
         /// Whether there are messages that carry memory: otherwise they are always refused.\n\
         pub const MEMORY_MESSAGES: bool = {memory_messages};\n\
         /// Whether there are proxies.\npub const PROXIES: bool = {proxies};\n\
         /// Whether there are timers.\npub const TIMERS: bool = {timers};\n\
         /// Whether threads start and end, and change their priority, while the system runs.
         pub const RUN_TIME_THREADS: bool = {run_time_threads};
         /// Whether there are threads that take turns.
         pub const SLICES: bool = {slices};
         /// Whether there are threads that drop a level.
         pub const ADAPTIVE: bool = {adaptive};
         /// Whether there are regions that several processes may use.\n\
         pub const SHARED_MEMORY: bool = {shared_memory};\n\
         /// Whether processes make regions at run time. Then there are messages that carry memory.\n\
         pub const POOLS: bool = {pools};\n\
         /// Trees of the words at which threads wait; 0: there are no futexes.\npub const FUTEXES: usize = {futexes};\n\
         /// Whether interrupts reach processes.\n\
         pub const INTERRUPTS: bool = {interrupts};\n\
         /// Whether some of them are limited to a rate.\n\
         pub const INTERRUPT_RATES: bool = {interrupt_rates};\n\
         /// Whether processes restart and stop others.\n\
         pub const CONTROLS: bool = {controls};\n\
         /// Whether there are processes that start at run time.\n\
         pub const PROGRAMS: bool = {programs};\n\
         /// Whether restarts are delayed, or count for some time only.\n\
         pub const DELAYS: bool = {delays};\n\
         /// Whether a process that faults is held for a debugger.\n\
         pub const HOLDS: bool = {holds};\n\
         /// Whether processes are restarted with others.\n\
         pub const GROUPS: bool = {groups};\n\
         /// Whether the machine is reset when a process has been restarted too often.\n\
         pub const RESETS: bool = {resets};\n\
         /// Whether a process may ask what threads are doing.\n\
         pub const INSPECTION: bool = {inspection};\n\
         /// Whether there are channels with a fixed priority.\n\
         pub const FIXED_PRIORITIES: bool = {fixed_priorities};\n\
         /// Whether a server may hand a client on to another one.\n\
         pub const RELAYS: bool = {relays};\n\
         /// Whether a reply may bring a handle.\n\
         pub const TRANSFERS: bool = {transfers};\n\
         /// Whether a connection may be handed on with a badge of the process that gets it.\n\
         pub const OWN_BADGES: bool = {own_badges};\n\
         /// Whether there are signals.\n\
         pub const SIGNALS: bool = {signals};\n\
         /// Events of a trace that are kept; 0: they are not traced.\n\
         pub const TRACE_EVENTS: usize = {trace};\n\
         /// Whether events are traced.\n\
         pub const TRACE: bool = TRACE_EVENTS != 0;\n\
         /// Bytes at the beginning of the stacks of threads but the main ones that nobody may touch.\n\
         pub const GUARD: u32 = {guard};\n\
         /// Whether processes see their memory at other addresses than the kernel.\n\
         pub const TRANSLATED: bool = {translated};\n\
         /// What begins with a line of the cache, if there is one.\n\
         #[derive(Clone, Copy, Debug)]\n#[repr(align({line}))]\npub struct Line;\n"
    );
    let out = env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    fs::write(Path::new(&out).join("limits.rs"), text).expect("OUT_DIR can be written");
}
