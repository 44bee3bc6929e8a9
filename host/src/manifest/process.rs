//! `[[process]]` and `[[process.thread]]`.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use super::application::{Lending, Process, Program, Setting, Thread};
use super::check::{Check, Names};
use super::lending::lending;
use super::rates::rates;
use super::written::{self, Grant, ProcessTable, ThreadTable};
use super::{naming, program, proxy, restart, signals};
use crate::board::Protection;
use crate::build::c;
use crate::plan::{Grants, Objects, OnExit, OnFault, Policy};
use crate::quantity::{Size, show, show_power};
use crate::source::At;
use crate::suggest;

const SMALLEST_STACK: u32 = 256;

/// More than any board has for all that it runs.
const LARGEST_STACK: u32 = 16 << 20;
/// Stack of a spare thread if the manifest does not say.
const SPARE_STACK: u32 = 1024;
const MOST_SPARE: u32 = 64;

/// What every process is checked against.
pub struct Surroundings<'a> {
    /// Of the manifest.
    pub directory: &'a Path,
    /// Priority levels, 0 included.
    pub levels: u32,
    pub processes: &'a Names<'a>,
}

/// The process without its connections and channels.
pub fn process(check: &mut Check, around: &Surroundings, table: &ProcessTable) -> Process {
    let threads = threads(check, around.levels, table);
    let lending = lending(check, table);
    let objects = proxy::objects(check, table);
    let rates = rates(check, table, &objects);
    let [registers, finds] = naming::patterns(check, table);
    Process {
        name: table.name.clone(),
        program: program(check, around.directory, &table.program),
        ram: ram(check, table, &threads, &lending),
        priority_limit: priority_limit(check, around.levels, table),
        threads,
        lending,
        on_fault: on_fault(table.on_fault),
        on_exit: on_exit(table.on_exit),
        restart: restart::restart(check, around.processes, table),
        signals: signals::signals(check, around.processes, table),
        peripherals: table.peripherals.clone(),
        regions: Vec::new(),
        quotas: Vec::new(),
        interrupts: table.interrupts.clone(),
        grants: Grants {
            shutdown: table.grants.contains(&Grant::Shutdown),
            supervisor: table.grants.contains(&Grant::Supervisor),
            inspect: table.grants.contains(&Grant::Inspect),
            relay: table.grants.contains(&Grant::Relay),
        },
        fpu: table.fpu.clone().unwrap_or(table.name.with(false)),
        registers,
        finds,
        spawns: table.spawns.clone(),
        children: program::children(check, table),
        instance_of: table.instance_of.clone(),
        settings: settings(check, &table.settings),
        connections: Vec::new(),
        channels: Vec::new(),
        objects: Objects {
            timer_rate: rates.timers.value,
            ..objects
        },
        rates,
    }
}

fn threads(check: &mut Check, levels: u32, table: &ProcessTable) -> Vec<Thread> {
    let names = table.thread.iter().map(|thread| &thread.value.name);
    Names::collect(check, "thread", "threads of this process", names);
    let priority = priority(check, &table.priority, levels);
    let mut threads = vec![Thread {
        name: "main".into(),
        priority,
        policy: policy(table.policy),
        spare: false,
        stack: stack(check, &table.stack),
    }];
    threads.extend(
        table
            .thread
            .iter()
            .map(|thread| further(check, levels, &thread.value)),
    );
    threads.extend(spare(check, table));
    threads
}

fn further(check: &mut Check, levels: u32, table: &ThreadTable) -> Thread {
    if table.name.value == "main" {
        let message = "`main` is the thread that every process has";
        let help =
            "its priority, policy and stack stand in [[process]]; give this one another name";
        check.refuse(table.name.span, message, help);
    }
    Thread {
        name: table.name.value.clone(),
        priority: priority(check, &table.priority, levels),
        policy: policy(table.policy),
        spare: false,
        stack: stack(check, &table.stack),
    }
}

/// Threads that the program starts: they come last.
fn spare(check: &mut Check, table: &ProcessTable) -> Vec<Thread> {
    let Some(number) = &table.threads_spare else {
        if let Some(size) = &table.spare_stack {
            let message = format!("`{}` has no spare threads", table.name.value);
            let help = "add threads_spare = 1 or more, or leave `spare_stack` out";
            check.warn(size.span, message, help);
        }
        return vec![];
    };
    let count = check.in_range(number, "number of spare threads", 0..=MOST_SPARE);
    let stack = match &table.spare_stack {
        Some(size) => stack(check, size),
        None => number.with(SPARE_STACK),
    };
    let spare = |number| Thread {
        name: format!("spare {number}"),
        priority: 1,
        policy: Policy::Fifo,
        spare: true,
        stack: stack.clone(),
    };
    (1..=count).map(spare).collect()
}

fn priority_limit(check: &mut Check, levels: u32, table: &ProcessTable) -> Option<u8> {
    let limit = table.priority_limit.as_ref()?;
    Some(check.in_range(limit, "priority limit", 1..=levels - 1) as u8)
}

fn policy(written: written::Policy) -> Policy {
    match written {
        written::Policy::Fifo => Policy::Fifo,
        written::Policy::RoundRobin => Policy::RoundRobin,
        written::Policy::Adaptive => Policy::Adaptive,
    }
}

/// A priority of threads: level 0 is the idle one.
pub fn priority(check: &mut Check, priority: &At<i64>, levels: u32) -> u8 {
    check.in_range(priority, "priority", 1..=levels - 1) as u8
}

fn stack(check: &mut Check, size: &At<Size>) -> At<u32> {
    let Some(stack) = check.size(size) else {
        return size.with(SMALLEST_STACK);
    };
    if stack.value < SMALLEST_STACK {
        let message = format!("a stack of {} bytes is too small", stack.value);
        let help = format!("write at least {SMALLEST_STACK}: a trap and a call must fit");
        check.refuse(size.span, message, help);
    } else if stack.value > LARGEST_STACK {
        let message = format!("a stack of {} is too large", show(stack.value.into()));
        let help = format!("no board has more than {}", show(LARGEST_STACK.into()));
        check.refuse(size.span, message, help);
        return size.with(LARGEST_STACK);
    } else if !stack.value.is_multiple_of(8) {
        let message = format!("a stack of {} bytes would be misaligned", stack.value);
        let help = format!(
            "write a multiple of 8, such as {}",
            stack.value.next_multiple_of(8)
        );
        check.refuse(size.span, message, help);
    }
    stack
}

/// Bytes of RAM that the stacks take: the main thread's, then the others, each with its guard of
/// `guard` bytes.
/// If there are guards, all are rounded up to the size of one, so that the next one is aligned.
pub fn stack_sizes(threads: &[Thread], guard: u32) -> impl Iterator<Item = u64> {
    let guard = if threads.len() > 1 {
        u64::from(guard)
    } else {
        Protection::smallest_guard().into()
    };
    threads.iter().enumerate().map(move |(index, thread)| {
        let below = if index == 0 { 0 } else { guard };
        (u64::from(thread.stack.value) + below).next_multiple_of(guard)
    })
}

fn ram(
    check: &mut Check,
    table: &ProcessTable,
    threads: &[Thread],
    lending: &Lending,
) -> Option<At<u32>> {
    let written = table.ram.as_ref()?;
    let ram = check.size(written)?;
    // What no board can do; each board's own guards are added when its memory is divided.
    let stacks: u64 = stack_sizes(threads, Protection::smallest_guard()).sum();
    if !ram.value.is_power_of_two() {
        let message = format!("a region of {} is not possible", show(ram.value.into()));
        let next = show_power(ram.value);
        let help = format!("regions are powers of two: write {next:?}");
        check.refuse(ram.span, message, help);
    } else if stacks > u64::from(ram.value) {
        let message = format!(
            "the stacks of `{}` take {stacks} bytes, more than its RAM region of {}",
            table.name.value,
            show(ram.value.into()),
        );
        let help = format!(
            "write {:?} or more, or leave `ram` out",
            show(stacks.next_power_of_two())
        );
        check.refuse(ram.span, message, help);
    } else if stacks + u64::from(lending.pages.value) > u64::from(ram.value) {
        let message = format!(
            "the pages of `{}` take {}, its stacks {stacks} bytes: more than its RAM region of {}",
            table.name.value,
            show(lending.pages.value.into()),
            show(ram.value.into()),
        );
        let enough = (stacks + u64::from(lending.pages.value)).next_power_of_two();
        let help = format!("write ram = {:?} or more, or leave `ram` out", show(enough));
        check.refuse(lending.pages.span, message, help);
    }
    Some(ram)
}

fn program(check: &mut Check, directory: &Path, program: &At<String>) -> At<Program> {
    let text = &program.value;
    if !(text.starts_with("./") || text.starts_with("../")) {
        if text.is_empty() || text.contains(['/', '\\', '.']) {
            let message = format!("`{text}` is neither a package nor a directory");
            let help = "a directory begins with ./ or ../; a package of the workspace has no slash";
            check.refuse(program.span, message, help);
        }
        return program.with(Program::Package(text.clone()));
    }
    // Through components, a `.` inside goes.
    let directory: PathBuf = directory.join(text).components().collect();
    if c::is_program(&directory) {
        return program.with(Program::C(directory));
    }
    if !directory.join("Cargo.toml").is_file() {
        let message = format!("there is no program in {}", directory.display());
        let beside = programs_beside(&directory, text);
        let help = suggest::question(text, beside.iter().map(String::as_str)).unwrap_or_else(|| {
            "the directory must hold a Cargo.toml, or C sources; it is relative to that of the manifest"
                .into()
        });
        check.refuse(program.span, message, help);
    } else if is_workspace(&directory) {
        let message = format!("{} is a workspace, and no program", directory.display());
        let inside = programs_beside(
            &directory.join("-"),
            &format!("{}/-", text.trim_end_matches('/')),
        );
        let help = match inside.as_slice() {
            [] => "name the directory of a program: that of a Cargo.toml with [package]".into(),
            _ => format!(
                "name the directory of a program, such as `{}`",
                inside.join("`, `")
            ),
        };
        check.refuse(program.span, message, help);
    }
    program.with(Program::Directory(directory))
}

/// Whether the directory's Cargo.toml has no package of its own. One that is no TOML cargo refuses, who says why.
fn is_workspace(directory: &Path) -> bool {
    let text = std::fs::read_to_string(directory.join("Cargo.toml")).unwrap_or_default();
    let manifest = text.parse::<toml::Table>();
    manifest.is_ok_and(|it| it.contains_key("workspace") && !it.contains_key("package"))
}

/// The programs in the folder that `directory` is in, named as it is `written`.
fn programs_beside(directory: &Path, written: &str) -> Vec<String> {
    let (way, _) = written.rsplit_once('/').unwrap_or_default();
    let folder = directory.parent().unwrap_or(directory);
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let programs = entries
        .map(|entry| entry.path())
        .filter(|it| it.is_dir() && (c::is_seen(it) || it.join("Cargo.toml").is_file()));
    programs
        .filter_map(|it| Some(format!("{way}/{}", it.file_name()?.to_string_lossy())))
        .collect()
}

fn on_fault(written: written::OnFault) -> OnFault {
    match written {
        written::OnFault::Restart => OnFault::Restart,
        written::OnFault::Stop => OnFault::Stop,
        written::OnFault::Hold => OnFault::Hold,
    }
}

fn on_exit(written: written::OnExit) -> OnExit {
    match written {
        written::OnExit::Stop => OnExit::Stop,
        written::OnExit::Restart => OnExit::Restart,
    }
}

fn settings(
    check: &mut Check,
    written: &BTreeMap<At<String>, At<written::SettingValue>>,
) -> Vec<Setting> {
    let mut settings: Vec<_> = written.iter().collect();
    settings.sort_by_key(|(name, _)| name.span);
    let mut all: Vec<Setting> = Vec::new();
    for (name, value) in settings {
        check.name(name);
        for setting in numbers(check, name, value) {
            if all.iter().any(|it| it.name == setting.name) {
                check.refuse(
                    name.span,
                    format!("`{}` is set twice", setting.name),
                    "write the address as a text, or its numbers, and not both",
                );
            }
            all.push(setting);
        }
    }
    all
}

/// The numbers that a setting is.
fn numbers(
    check: &mut Check,
    name: &At<String>,
    value: &At<written::SettingValue>,
) -> Vec<Setting> {
    let setting = |name: String, value| Setting { name, value };
    let text = match &value.value {
        written::SettingValue::Number(number) => {
            if *number < i64::from(i32::MIN) || *number > i64::from(u32::MAX) {
                let message = format!("{number} does not fit 32 bits");
                check.refuse(
                    value.span,
                    message,
                    "write a number from -2147483648 to 4294967295",
                );
            }
            return vec![setting(name.value.clone(), *number as u32)];
        }
        written::SettingValue::Address(text) => text,
    };
    match text.parse() {
        Ok(IpAddr::V4(address)) => vec![setting(name.value.clone(), address.into())],
        Ok(IpAddr::V6(address)) => {
            let bytes = address.octets();
            let (words, _) = bytes.as_chunks::<4>();
            let words = words.iter().map(|word| u32::from_be_bytes(*word));
            let numbered = words.enumerate();
            numbered
                .map(|(place, word)| setting(format!("{}-{place}", name.value), word))
                .collect()
        }
        Err(_) if text.parse::<i64>().is_ok() => {
            check.refuse(
                value.span,
                format!("a whole number is wanted here, and this is string \"{text}\""),
                "write digits alone",
            );
            Vec::new()
        }
        Err(_) => {
            check.refuse(
                value.span,
                format!("`{text}` is no address"),
                "write an address such as \"10.0.2.15\" or \"fd00::1\", or a number",
            );
            Vec::new()
        }
    }
}
