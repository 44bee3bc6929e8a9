//! What cargo tests: format, lints, and the tests of every crate that runs on the host.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread::JoinHandle;

use miette::IntoDiagnostic;

use super::{Depth, Tally};
use crate::board::Board;
use crate::build::{kernel, programs};
use crate::child;
use crate::lab::{HOMES, Lab, applications_below};
use crate::manifest::Program;
use crate::progress::{self, Step};
use crate::toolchain::Toolchain;

/// A line of a test's output that is shown though the test passed.
const TO_SHOW: &str = "explored ";
/// A line of a test that passed without what it needs, which is said: it has shown nothing.
const NOT_PLAYED: &str = "NOT PLAYED: ";

pub fn format(lab: &Lab, tally: &mut Tally) -> miette::Result<()> {
    let toolchain = Toolchain::find(&lab.root)?;
    let mut command = toolchain.cargo();
    command.args(["fmt", "--all", "--check", "--", "--color", "never"]);
    let (name, outcome) = verdict("format", &mut command)?;
    tally.count(&name, outcome);
    Ok(())
}

/// The workspace of the gateway, and where it is built.
const GATEWAY: [&str; 4] = [
    "--manifest-path",
    "gateway/Cargo.toml",
    "--target-dir",
    "target/gateway",
];

/// The gateway's format, and its tests.
///
/// # Errors
/// If cargo does not even run.
pub fn gateway(lab: &Lab, tally: &mut Tally) -> miette::Result<()> {
    let toolchain = Toolchain::find(&lab.root)?;
    let mut command = toolchain.cargo();
    command.args(["fmt", "--check", "--manifest-path", "gateway/Cargo.toml"]);
    command.args(["--", "--color", "never"]);
    let (name, outcome) = verdict("format of the gateway", &mut command)?;
    tally.count(&name, outcome);
    let ran = cargo_test(&mut toolchain.cargo(), &GATEWAY, &[], "gateway")?;
    tally.add(ran.name, ran.passed, ran.failed, &ran.why);
    Ok(())
}

/// What the explorer does of the kernel as it is on boards that translate addresses, unless everything is to
/// be explored: the worlds in which memory changes hands, where that makes a difference.
const WITH_MEMORY: [&str; 3] = [
    "every_interleaving_of_loans_holds",
    "every_interleaving_of_moving_on_holds",
    "every_interleaving_of_words_of_regions_holds",
];

/// What the explorer does of the kernel as most devices have it, unless everything is to be explored: worlds that take a
/// second or two.
const OF_THE_LEAN_KERNEL: [&str; 4] = [
    "every_interleaving_of_a_driver_and_its_interrupts_holds",
    "every_interleaving_of_a_server_and_its_courier_holds",
    "every_interleaving_of_two_servers_and_a_client_holds",
    "every_interleaving_with_bytes_and_interruptions_holds",
];

/// The tests of the crates that run on the host, under way.
pub struct Running(Option<JoinHandle<miette::Result<Vec<Ran>>>>);

/// What one run of `cargo test` came to.
struct Ran {
    name: &'static str,
    shown: Vec<String>,
    passed: u64,
    failed: u64,
    why: String,
}

/// Begins to run `cargo test`, and then the tests of the kernel again, as it is on boards that translate
/// addresses, and without what most manifests do not ask for, if they are `wanted`; meanwhile the caller does something
/// else. The explorer and the compiler of a large crate keep one core busy for long: the other ones would wait.
#[must_use]
pub fn begin(lab: &Lab, depth: Depth, wanted: bool) -> Running {
    let root = lab.root.clone();
    let all = move || tests(&root, depth);
    Running(wanted.then(|| std::thread::spawn(all)))
}

impl Drop for Running {
    /// No cargo stays behind when somebody presses Ctrl-C.
    fn drop(&mut self) {
        let running = self.0.take();
        let _ = running.map(JoinHandle::join);
    }
}

impl Running {
    /// Waits for the tests, and counts every one.
    ///
    /// # Errors
    /// If cargo does not even run.
    pub fn finish(&mut self, tally: &mut Tally) -> miette::Result<()> {
        let Some(running) = self.0.take() else {
            return Ok(());
        };
        let all = running.join().expect("the thread only runs commands")?;
        for ran in all {
            let shown = ran.shown.iter();
            shown.for_each(|line| progress::say(&format!("        {line}")));
            for line in &ran.shown {
                match explored(line) {
                    Some(it) => tally.tell(&format!("{}: {}", ran.name, it.world), &it.counts),
                    None => tally.count(ran.name, Err(format!("no counts are in: {line}"))),
                }
            }
            tally.add(ran.name, ran.passed, ran.failed, &ran.why);
        }
        Ok(())
    }
}

fn tests(root: &Path, depth: Depth) -> miette::Result<Vec<Ran>> {
    let toolchain = Toolchain::find(root)?;
    let host = cargo_test(&mut toolchain.cargo(), &[], &[], "host tests")?;
    let long = (depth == Depth::Full).then(|| {
        let options = ["--package=riposte-host", "--test=compare"];
        let name = "host tests that take minutes";
        cargo_test(&mut toolchain.cargo(), &options, &["--ignored"], name)
    });
    let long = long.transpose()?;
    let [kernel, model, promises, explorer] =
        ["kernel", "model", "promises", "explorer"].map(|it| format!("--package=riposte-{it}"));
    let again = |packages: &[&str], features: &str, only: &[&str], name| {
        let mut command = toolchain.cargo();
        let arguments = [packages, &["--features", features]].concat();
        cargo_test(&mut command, &arguments, only, name)
    };
    let worlds = |some: &'static [&str]| if depth == Depth::Full { &[] } else { some };
    let feature = "riposte-kernel/translated";
    let packages = [kernel.as_str(), &model, &promises];
    let kernel = again(&packages, feature, &[], "host tests, addresses translated")?;
    let only = worlds(&WITH_MEMORY);
    let translated = again(
        &[&explorer],
        feature,
        only,
        "explorer, addresses translated",
    )?;
    let lean = again(&[&promises], "lean", &[], "host tests, lean kernel")?;
    let only = worlds(&OF_THE_LEAN_KERNEL);
    let explorer = again(&[&explorer], "lean", only, "explorer, lean kernel")?;
    let all = [host, kernel, translated, lean, explorer];
    Ok(all.into_iter().chain(long).collect())
}

/// What the explorer says of a world.
#[derive(Debug, PartialEq)]
struct Explored<'a> {
    world: &'a str,
    counts: [(&'static str, u64); 4],
}

/// Reads `explored WORLD: N states, N transitions, depth N`, and `, complete` behind it if nothing was left to see.
fn explored(line: &str) -> Option<Explored<'_>> {
    let (world, rest) = line.strip_prefix(TO_SHOW)?.rsplit_once(": ")?;
    let mut parts = rest.split(", ");
    let mut number = |before: &str, behind: &str| {
        let part = parts.next()?.strip_prefix(before)?;
        part.strip_suffix(behind)?.parse::<u64>().ok()
    };
    let states = number("", " states")?;
    let transitions = number("", " transitions")?;
    let depth = number("depth ", "")?;
    let complete = u64::from(parts.next() == Some("complete"));
    let counts = [
        ("states", states),
        ("transitions", transitions),
        ("depth", depth),
        ("complete", complete),
    ];
    Some(Explored { world, counts })
}

/// Runs the tests of the packages that these `options` of cargo name, or of all if they name none, whose names
/// contain one of `only`, or all.
fn cargo_test(
    command: &mut Command,
    options: &[&str],
    only: &[&str],
    name: &'static str,
) -> miette::Result<Ran> {
    command
        .args(["test", "--no-fail-fast", "--color", "never"])
        .args(options)
        .args(["--", "--show-output"])
        .args(only);
    let (succeeded, text) = {
        let _step = Step::begin(format!("building and running: {name}"));
        capture(command)?
    };
    for line in not_played(&text) {
        progress::complain(&format!("riposte: {line}"));
    }
    let shown = text.lines().filter(|line| line.starts_with(TO_SHOW));
    let (passed, mut failed) = counts(&text);
    if failed == 0 && (!succeeded || passed == 0) {
        // It did not even compile, or no test has such a name.
        failed = 1;
    }
    Ok(Ran {
        name,
        shown: shown.map(str::to_owned).collect(),
        passed,
        failed,
        why: failures(&text),
    })
}

/// What tests say of what they could not play; the harness may have begun the line.
fn not_played(text: &str) -> impl Iterator<Item = &str> {
    let lines = text.lines();
    lines.filter_map(|line| line.find(NOT_PLAYED).map(|at| &line[at..]))
}

/// What cargo says of the tests that failed; everything, if no test did.
fn failures(text: &str) -> String {
    let mut inside = false;
    let mut kept = String::new();
    for line in text.lines() {
        inside = match line {
            "failures:" => true,
            "successes:" => false,
            _ => inside && !line.starts_with("test result: "),
        };
        if inside {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    if kept.is_empty() { text.into() } else { kept }
}

/// Sums cargo's `test result` lines.
fn counts(text: &str) -> (u64, u64) {
    let mut sum = (0, 0);
    for line in text
        .lines()
        .filter(|line| line.starts_with("test result: "))
    {
        let words: Vec<&str> = line.split_whitespace().collect();
        let before = |name: &str| {
            let index = words
                .iter()
                .position(|word| word.trim_end_matches(';') == name)?;
            words.get(index.checked_sub(1)?)?.parse::<u64>().ok()
        };
        sum.0 += before("passed").unwrap_or_default();
        sum.1 += before("failed").unwrap_or_default();
    }
    sum
}

/// The lints, under way.
pub struct Lints(Option<JoinHandle<miette::Result<Vec<Verdict>>>>);

/// What was tried, and why it failed if it did.
type Verdict = (String, Result<(), String>);

/// Begins to lint the host's crates, and what runs on the boards for each of their targets; meanwhile the caller does
/// something else.
#[must_use]
pub fn begin_lints(lab: &Lab, depth: Depth) -> Lints {
    let lab = lab.clone();
    Lints(Some(std::thread::spawn(move || lints(&lab, depth))))
}

impl Drop for Lints {
    /// No cargo stays behind when somebody presses Ctrl-C.
    fn drop(&mut self) {
        let _ = self.0.take().map(JoinHandle::join);
    }
}

impl Lints {
    /// Waits for the lints, and counts every one.
    ///
    /// # Errors
    /// If cargo does not even run.
    pub fn finish(mut self, tally: &mut Tally) -> miette::Result<()> {
        let Some(running) = self.0.take() else {
            return Ok(());
        };
        for (name, verdict) in running.join().expect("the thread only runs commands")? {
            tally.count(&name, verdict);
        }
        Ok(())
    }
}

fn lints(lab: &Lab, depth: Depth) -> miette::Result<Vec<Verdict>> {
    let toolchain = Toolchain::find(&lab.root)?;
    let mut command = toolchain.cargo();
    command.args(["clippy", "--quiet", "--all-targets", "--", "-D", "warnings"]);
    let mut verdicts = vec![verdict("lints, host", &mut command)?];
    if depth == Depth::Quick {
        return Ok(verdicts);
    }
    let packages = programs::packages(&toolchain, &lab.root)?;
    let users = users(lab)?;
    let mut kernels = BTreeSet::new();
    for board in &lab.boards {
        if kernels.insert((&board.kernel_target, board.protection.kind.name())) {
            verdicts.push(lint_kernel(lab, &toolchain, board)?);
        }
    }
    let targets: BTreeSet<&str> = lab.boards.iter().flat_map(Board::program_targets).collect();
    for target in &targets {
        let mut command = firmware_clippy(lab, &toolchain, target);
        let here = packages.iter().filter(|(_, folder)| {
            let users = users.get(&folder.components().collect::<PathBuf>());
            is_linted_for(target, users.unwrap_or(&targets), depth)
        });
        let here: Vec<_> = here
            .flat_map(|(name, _)| ["--package", name.as_str()])
            .collect();
        // Without a name cargo takes all packages there are.
        if here.is_empty() {
            continue;
        }
        command.args(here);
        let name = format!("lints, programs for {target}");
        verdicts.push(verdict(&name, command.args(["--", "-D", "warnings"]))?);
    }
    Ok(verdicts)
}

/// Whether what is for these `targets` is linted for one of them. Unless everything is to be tested, that is the first one of those
/// for which the compiler is given the same source: nothing here is conditional by more than [`sees`] tells.
fn is_linted_for(target: &str, targets: &BTreeSet<&str>, depth: Depth) -> bool {
    let mut same = targets.iter().filter(|it| sees(it) == sees(target));
    targets.contains(target) && (depth == Depth::Full || same.next() == Some(&target))
}

/// What of a target the source of programs can see: the processor's family, and whether it has atomic operations.
fn sees(target: &str) -> (bool, bool) {
    let is_arm = target.starts_with("thumb");
    (is_arm, is_arm || target.starts_with("riscv32ima"))
}

/// The targets of each program's folder, by the boards of the applications that use it. A program
/// may have instructions of one processor family.
fn users(lab: &Lab) -> miette::Result<BTreeMap<PathBuf, BTreeSet<&str>>> {
    let mut users = BTreeMap::<PathBuf, BTreeSet<&str>>::new();
    for home in HOMES {
        for path in applications_below(&lab.root.join(home)) {
            let application = lab.load(&path)?;
            for name in &application.boards {
                let board = lab.board(&name.value)?;
                for process in &application.on(board)?.processes {
                    let Program::Directory(folder) = &process.program.value else {
                        continue;
                    };
                    if let Ok(folder) = folder.canonicalize() {
                        users
                            .entry(folder)
                            .or_default()
                            .extend(board.program_targets());
                    }
                }
            }
        }
    }
    Ok(users)
}

fn firmware_clippy(lab: &Lab, toolchain: &Toolchain, target: &str) -> Command {
    let mut command = toolchain.cargo_for("clippy", target);
    command.args(["--quiet", "--profile", "firmware", "--target-dir"]);
    command.arg(lab.root.join(programs::TARGET_DIRECTORY));
    command
}

/// The kernel is linted as it is configured for one of the examples.
fn lint_kernel(lab: &Lab, toolchain: &Toolchain, board: &Board) -> miette::Result<Verdict> {
    let image = lab.build(&lab.application("examples/hello")?, board)?;
    let mut command = firmware_clippy(lab, toolchain, &board.kernel_target);
    command
        .args(["--package", &board.kernel.package])
        .envs(kernel::environment(&image.plan, board, &image.folder));
    let (target, kind) = (&board.kernel_target, board.protection.kind.name());
    let name = format!("lints, kernel for {target} with {kind}");
    verdict(&name, command.args(["--", "-D", "warnings"]))
}

fn verdict(name: &str, command: &mut Command) -> miette::Result<Verdict> {
    let (succeeded, text) = {
        let _step = Step::begin(name);
        capture(command)?
    };
    let outcome = if succeeded { Ok(()) } else { Err(text) };
    Ok((name.into(), outcome))
}

/// Whether the command succeeded, and all that it printed.
fn capture(command: &mut Command) -> miette::Result<(bool, String)> {
    let output = child::output(command).into_diagnostic()?;
    let streams = [output.stdout, output.stderr];
    let text = streams
        .map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
        .concat();
    Ok((output.status.success(), text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_that_could_not_be_played_is_told() {
        let text = "test fish_completes ... NOT PLAYED: fish\nNOT PLAYED: zsh\nplayed\n";
        let told: Vec<&str> = not_played(text).collect();
        assert_eq!(told, ["NOT PLAYED: fish", "NOT PLAYED: zsh"]);
    }

    const TARGETS: [&str; 6] = [
        "riscv32im-unknown-none-elf",
        "riscv32imac-unknown-none-elf",
        "riscv32imc-unknown-none-elf",
        "thumbv7em-none-eabi",
        "thumbv7em-none-eabihf",
        "thumbv7m-none-eabi",
    ];

    #[test]
    fn the_same_source_is_linted_once_and_for_all_targets_if_everything_is() {
        let all = BTreeSet::from(TARGETS);
        let linted = |users: &BTreeSet<&str>, depth| {
            let linted = TARGETS.iter().filter(|it| is_linted_for(it, users, depth));
            linted.copied().collect::<Vec<_>>()
        };
        assert_eq!(linted(&all, Depth::Full), TARGETS);
        assert_eq!(
            linted(&all, Depth::Normal),
            [TARGETS[0], TARGETS[1], TARGETS[3]]
        );
        let some = BTreeSet::from([TARGETS[2], TARGETS[5]]);
        assert_eq!(linted(&some, Depth::Normal), [TARGETS[2], TARGETS[5]]);
    }

    /// If source becomes conditional by something else, what is linted must follow.
    #[test]
    fn programs_see_nothing_else_of_their_target() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut folders = [
            "abi",
            "user",
            "servers",
            "bench",
            "tests",
            "examples",
            "personalities",
            "c",
        ]
        .map(|it| root.join(it))
        .to_vec();
        let mut seen = BTreeSet::new();
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|it| it == "rs") {
                    let text = std::fs::read_to_string(path).unwrap();
                    let words = text.split(|it: char| !it.is_alphanumeric() && it != '_');
                    let words = words.filter(|it| it.starts_with("target_"));
                    seen.extend(words.map(str::to_owned));
                }
            }
        }
        let known = ["target_arch", "target_has_atomic", "target_os"];
        let conditions = [
            "target_abi",
            "target_endian",
            "target_env",
            "target_family",
            "target_feature",
            "target_pointer_width",
            "target_vendor",
        ];
        assert!(known.iter().all(|it| seen.contains(*it)), "{seen:?}");
        let other = conditions.iter().filter(|it| seen.contains(**it));
        assert_eq!(other.collect::<Vec<_>>(), Vec::<&&str>::new());
    }

    #[test]
    fn the_worlds_that_are_explored_again_are_worlds_of_the_explorer() {
        let explorer = include_str!("../../../tests/explorer/tests/explore.rs");
        for world in WITH_MEMORY.iter().chain(&OF_THE_LEAN_KERNEL) {
            assert!(explorer.contains(&format!(" {world}: ")), "{world}");
        }
    }

    #[test]
    fn only_what_failed_is_repeated() {
        let text = "\
test a ... FAILED
successes:
---- b stdout ----
much
failures:
---- a stdout ----
why
failures:
    a
test result: FAILED. 1 passed; 1 failed
more
";
        let kept = failures(text);
        assert_eq!(
            kept,
            "failures:\n---- a stdout ----\nwhy\nfailures:\n    a\n"
        );
        assert_eq!(
            failures("error: it does not compile"),
            "error: it does not compile"
        );
    }

    #[test]
    fn what_the_explorer_says_of_a_world_is_read() {
        let line = "explored pool: 40321 states, 90000 transitions, depth 8";
        let read = |line| explored(line).map(|it| (it.world, it.counts.map(|(_, count)| count)));
        assert_eq!(read(line), Some(("pool", [40_321, 90_000, 8, 0])));
        let line = format!("{line}, complete");
        assert_eq!(read(&line), Some(("pool", [40_321, 90_000, 8, 1])));
        assert_eq!(read("explored pool: many states"), None);
        assert_eq!(read("pool: 1 states, 2 transitions, depth 3"), None);
    }

    #[test]
    fn every_result_line_of_cargo_counts() {
        let text = "\
test a ... ok
test result: ok. 26 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.29s
test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1s
";
        assert_eq!(counts(text), (29, 2));
    }
}
