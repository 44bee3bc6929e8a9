//! What runs on the boards: every application below `tests/boards`, and every example that ends.

use std::path::Path;

use miette::IntoDiagnostic;

use super::{Depth, Tally};
use crate::board::Board;
use crate::card::Card;
use crate::cli::Language;
use crate::explain;
use crate::fault::Scene;
use crate::lab::{Lab, applications_below, short_name};
use crate::machine::{self, End, Engine, Machine, Next, Pace, Said};
use crate::manifest::{Application, Process};
use crate::network::Network;
use crate::new;
use crate::progress::Step;
use crate::workers;

/// An application that is to run on a board.
struct Job<'a> {
    application: Application,
    board: &'a Board,
    name: String,
    /// Whether it says verdicts; else it must only end well.
    says: bool,
}

/// Those that run on every board of their manifests. The others test what no board has of its own: unless
/// everything is to be run, they do so on one board for each processor family and kind of memory protection.
const EVERYWHERE: [&str; 10] = [
    "attack",
    "attack-float",
    "budget",
    "bytes",
    "float",
    "input",
    "interrupt",
    "messages",
    "protection",
    "registers",
];

/// Runs every application on the boards that it names, as many of them as `depth` says.
pub fn applications(lab: &Lab, depth: Depth, tally: &mut Tally) -> miette::Result<()> {
    let mut jobs = vec![];
    for path in applications_below(&lab.root.join("tests/boards")) {
        add(&mut jobs, lab, &path, depth, "", true)?;
    }
    for path in applications_below(&lab.root.join("examples")) {
        if ends(&lab.load(&path)?) {
            add(&mut jobs, lab, &path, depth, "example ", false)?;
        }
    }
    workers::in_order(
        &jobs,
        |job| run(lab, &job.application, job.board),
        |job, heard| {
            if job.says {
                heard.count(&job.name, tally);
            } else {
                let well = heard.ended_well().and_then(|()| heard.found_no_fault());
                tally.count(&job.name, well);
            }
        },
    );
    Ok(())
}

/// Whether an example ends by itself: it may stop the machine, and waits for nobody who types.
fn ends(application: &Application) -> bool {
    let stops = |process: &Process| process.grants.shutdown;
    let reads = |process: &Process| {
        process
            .interrupts
            .iter()
            .any(|it| it.value == "uart0-receive")
    };
    let processes = &application.processes;
    processes.iter().any(stops) && !processes.iter().any(reads)
}

fn add<'a>(
    jobs: &mut Vec<Job<'a>>,
    lab: &'a Lab,
    path: &Path,
    depth: Depth,
    kind: &str,
    says: bool,
) -> miette::Result<()> {
    let application = lab.load(path)?;
    let boards = application.boards.iter();
    let boards = boards.map(|name| lab.board(&name.value));
    let boards = boards.collect::<miette::Result<Vec<_>>>()?;
    for board in chosen(&boards, &short_name(path), depth) {
        jobs.push(Job {
            application: application.clone(),
            board,
            name: format!("{kind}{} on {}", short_name(path), board.name),
            says,
        });
    }
    Ok(())
}

/// The boards on which an application runs, of those that it names.
fn chosen<'a>(boards: &[&'a Board], application: &str, depth: Depth) -> Vec<&'a Board> {
    let mut kinds = vec![];
    let mut boards = boards.to_vec();
    boards.retain(|board| {
        let kind = (board.arch, board.protection.kind.name());
        let is_new = !kinds.contains(&kind);
        kinds.push(kind);
        match depth {
            Depth::Quick => kinds.len() == 1,
            Depth::Normal => is_new || EVERYWHERE.contains(&application),
            Depth::Full => true,
        }
    });
    boards
}

/// What the report on each crash of the example says; tried on its first board.
const CRASH_REPORT: [&str; 10] = [
    "process `crash` touched memory that is not its own",
    "process `crash` overflowed its stack",
    "process `crash` panicked",
    // The way to a panic.
    "crash::main at examples/crash/crash/src/main.rs:35\n",
    "main.rs:48: unwrap: no connection `consle`: app.toml needs a [[connection]] from = \"crash\", to = \"consle\"\n",
    "process `crash` ended with status 3\n  thread    main\n  then      restarted, as on_exit says (it has stopped 7 times so far)\n",
    "supervisor: process `crash` ended with status 3, and was restarted",
    "crash::main at examples/crash/crash/src/main.rs:",
    "  hint ",
    "restarted",
];

/// The crashing example is explained to a person: who, where, why, and what to do.
pub fn fault_reports(lab: &Lab, tally: &mut Tally) -> miette::Result<()> {
    let application = lab.application("examples/crash")?;
    let heard = run(lab, &application, lab.board_for(&application, None)?);
    let text = heard.text.join("\n");
    let missing = CRASH_REPORT.iter().find(|words| !text.contains(**words));
    let verdict = missing.map_or(Ok(()), |words| Err(format!("no `{words}` in:\n{text}")));
    tally.count("faults of example crash are explained", verdict);
    let application = lab.application("tests/faults/told")?;
    let text = run(lab, &application, lab.board_for(&application, None)?)
        .text
        .join("\n");
    let told = text.matches(TOLD).count();
    let verdict = (told == 3)
        .then_some(())
        .ok_or_else(|| format!("{told} times `{TOLD}` in:\n{text}"));
    tally.count(
        "a fault is told although the console was restarted",
        verdict,
    );
    let application = lab.application("tests/faults/anew")?;
    let anew = run(lab, &application, lab.board_for(&application, None)?)
        .text
        .join("\n");
    let told = anew.matches(TOLD_ANEW).count();
    let verdict = (told == 1)
        .then_some(())
        .ok_or_else(|| format!("{told} times `{TOLD_ANEW}` in:\n{anew}"));
    tally.count(
        "a supervisor that begins anew tells of who was stopped before",
        verdict,
    );
    let stacks: Vec<&str> = text
        .lines()
        .filter(|it| it.contains("  stack     "))
        .collect();
    let alone = |it: &&str| it.contains(" main ") && it.ends_with(" of 2048 bytes used at most");
    let verdict = (stacks.len() == 3 && stacks.iter().all(alone))
        .then_some(())
        .ok_or_else(|| format!("stacks are not told, or others than main's:\n{text}"));
    tally.count(
        "a fault report says nothing of a stack that was never used",
        verdict,
    );
    Ok(())
}

/// What the report on each of the three faults of `tests/faults/told` begins with.
const TOLD: &str = "process `mortal` panicked:";
/// What the supervisor of `tests/faults/anew` says for those without a host.
const TOLD_ANEW: &str = "supervisor: process `mortal` panicked";

/// A new application builds and runs, in each language.
pub fn new_application(lab: &Lab, tally: &mut Tally) {
    let several = ["keeper", "first", "second"].map(str::to_owned);
    for (language, processes, name) in [
        (Language::Rust, &[][..], "Rust"),
        (Language::C, &[], "C"),
        (Language::Rust, &several, "Rust, of three processes,"),
    ] {
        new_application_in(lab, (language, processes, name), |_| Ok(()), tally);
    }
    let name = "Rust that formats floating point";
    new_application_in(lab, (Language::Rust, &[], name), format_a_float, tally);
}

/// What the program prints takes as much stack as any formatting does.
fn format_a_float(path: &Path) -> std::io::Result<()> {
    let source = path.join("fresh/src/main.rs");
    let text = std::fs::read_to_string(&source)?;
    let printed = "\"hello from {}\", riposte::process_name()";
    assert!(text.contains(printed), "the template prints something else");
    let text = text.replace(printed, "\"{:.3} {:e}\", 1.5_f32, 2.5_f64");
    std::fs::write(source, text)
}

fn new_application_in(
    lab: &Lab,
    (language, processes, name): (Language, &[String], &str),
    change: impl Fn(&Path) -> std::io::Result<()>,
    tally: &mut Tally,
) {
    let verdict = || -> miette::Result<()> {
        let folder = std::env::temp_dir().join(format!("riposte-new-{}", std::process::id()));
        let path = folder.join("fresh");
        let wanted = new::Wanted {
            path: &path,
            language,
            processes,
        };
        let made = new::create(&wanted, &lab.root, &lab.boards).and_then(|_| {
            change(&path).into_diagnostic()?;
            let application = lab.load(&path)?;
            let board = lab.board_for(&application, None)?;
            run(lab, &application, board)
                .ended_well()
                .map_err(|why| miette::miette!("{why}"))
        });
        // What stays is in the system's folder for such.
        let _ = std::fs::remove_dir_all(&folder);
        made
    };
    let verdict = verdict().map_err(|report| explain::text(&report));
    let name = format!("a new application in {name} builds and runs");
    tally.count(&name, verdict);
}

/// The promise that no timer or interrupt takes longer than the image builder counts with.
const EVENT: &str = "a timer that is due takes the kernel no longer than the board's file says";

/// How many ticks of the board's clock take so long: an emulator's instruction counts as one.
fn event_ticks(board: &Board, nanoseconds: u64) -> u64 {
    match board.simulator() {
        None => nanoseconds >> board.clock.run_shift,
        Some(_) => nanoseconds * board.clock.hertz / 1_000_000_000,
    }
}

/// What a test said on the console.
#[derive(Default)]
struct Heard {
    verdicts: Vec<(String, Result<(), String>)>,
    done: bool,
    /// Everything, with faults explained; shown if something fails.
    text: Vec<String>,
    end: Option<Result<End, String>>,
}

fn run(lab: &Lab, application: &Application, board: &Board) -> Heard {
    let mut heard = Heard::default();
    let image = match lab.build(application, board) {
        Ok(image) => image,
        Err(report) => {
            heard.end = Some(Err(explain::text(&report)));
            return heard;
        }
    };
    let _step = Step::begin(format!("running {} on {}", application.name, board.name));
    let scene = Scene::new(&lab.root, board, &image);
    let card = match Card::of(application, board, &image, None) {
        Ok(card) => card,
        Err(report) => {
            heard.end = Some(Err(explain::text(&report)));
            return heard;
        }
    };
    let network = match Network::of(application, board) {
        Ok(network) => network,
        Err(report) => {
            heard.end = Some(Err(explain::text(&report)));
            return heard;
        }
    };
    // Both take the time of this machine: were the board's own to pass by while it waits, deadlines would pass, too.
    let pace = if card.is_some() || network.is_some() {
        Pace::Person
    } else {
        Pace::Run
    };
    let engine = Engine::new(&lab.root, board, &image.file, pace);
    let end = engine.and_then(|engine| {
        let arguments = card.iter().flat_map(Card::arguments);
        let arguments = arguments.chain(network.iter().flat_map(Network::arguments));
        let machine = Machine::unattended(engine.with_devices(arguments));
        machine::run(&machine, |said| heard.hear(&said, &scene))
    });
    heard.weigh(board);
    if let Some(card) = card {
        heard.check(&card);
    }
    heard.end = Some(match end {
        Ok(End::Endless(standing)) => Err(scene.endless(standing)),
        other => other.map_err(|report| report.to_string()),
    });
    heard
}

impl Heard {
    fn hear(&mut self, said: &Said<'_>, scene: &Scene<'_>) -> Next {
        let (Said::Line(line) | Said::Unfinished(line)) = said;
        if let Some(name) = line.strip_prefix("@pass ") {
            self.verdicts.push((name.into(), Ok(())));
        } else if let Some(failure) = line.strip_prefix("@fail ") {
            let (name, why) = failure.split_once(": ").unwrap_or((failure, ""));
            self.verdicts.push((name.into(), Err(why.into())));
        } else if *line == "@done" {
            self.done = true;
        }
        self.text.push(scene.explained(line));
        Next::Continue
    }

    /// If it left a card with a FAT volume: whether the host's own check finds nothing to mend.
    fn check(&mut self, card: &Card) {
        if let Some(found) = card.check() {
            self.verdicts
                .push(("fsck.fat finds no fault in the card's volume".into(), found));
        }
    }

    /// If it said what the kernel takes for a timer or an interrupt: whether the board's file does not say
    /// less.
    fn weigh(&mut self, board: &Board) {
        let lines = self.text.iter();
        let said = lines.filter_map(|line| line.strip_prefix("@event ")?.parse().ok());
        for nanoseconds in said.collect::<Vec<u64>>() {
            let (ticks, most) = (event_ticks(board, nanoseconds), board.clock.event);
            let fits = (1..=most).contains(&ticks).then_some(());
            let why = || format!("it takes {ticks} ticks, and `event` in board.toml is {most}");
            self.verdicts.push((EVENT.into(), fits.ok_or_else(why)));
        }
    }

    /// Counts each verdict, and the end of the run as one more if it is not as it should be.
    fn count(self, name: &str, tally: &mut Tally) {
        let end = self.ended_as_a_test();
        let text = self.text.join("\n");
        for (test, verdict) in self.verdicts {
            tally.count(
                &format!("{name}: {test}"),
                verdict.map_err(|why| format!("{why}\nthe console said:\n{text}")),
            );
        }
        if end.is_err() {
            tally.count(name, end);
        }
    }

    fn ended_as_a_test(&self) -> Result<(), String> {
        self.ended_well()?;
        let text = || self.text.join("\n");
        if !self.done {
            return Err(format!(
                "it ended without @done; the console said:\n{}",
                text()
            ));
        }
        if self.verdicts.is_empty() {
            return Err(format!("it tested nothing; the console said:\n{}", text()));
        }
        Ok(())
    }

    /// Whether nothing that was found, by itself or by what looked at its card, is a fault.
    fn found_no_fault(&self) -> Result<(), String> {
        let faults = self.verdicts.iter().filter_map(|(name, verdict)| {
            let why = verdict.as_ref().err()?;
            Some(format!("{name}: {why}"))
        });
        match faults.reduce(|all, one| format!("{all}; {one}")) {
            Some(faults) => Err(faults),
            None => Ok(()),
        }
    }

    fn ended_well(&self) -> Result<(), String> {
        let failed = self.verdicts.iter().any(|(_, verdict)| verdict.is_err());
        match &self.end {
            Some(Ok(End::Exit(0))) => Ok(()),
            // The verdicts say it already.
            Some(Ok(End::Exit(_))) if failed && self.done => Ok(()),
            Some(Ok(End::Interrupted(_))) => Ok(()),
            Some(Err(why)) => Err(format!(
                "{why}\nthe console said:\n{}",
                self.text.join("\n")
            )),
            other => Err(format!(
                "it ended with {other:?}; the console said:\n{}",
                self.text.join("\n")
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn heard(verdicts: &[(&str, bool)], done: bool, code: i32) -> Heard {
        let verdict = |passed| {
            if passed {
                Ok(())
            } else {
                Err("why".to_owned())
            }
        };
        Heard {
            verdicts: verdicts
                .iter()
                .map(|(name, it)| ((*name).into(), verdict(*it)))
                .collect(),
            done,
            text: Vec::new(),
            end: Some(Ok(End::Exit(code))),
        }
    }

    fn count(heard: Heard) -> String {
        let mut tally = Tally::default();
        heard.count("app on board", &mut tally);
        tally.to_string()
    }

    #[test]
    fn every_verdict_of_a_board_counts_once() {
        assert_eq!(
            count(heard(&[("a", true), ("b", true)], true, 0)),
            "2 passed, 0 failed"
        );
        assert_eq!(
            count(heard(&[("a", true), ("b", false)], true, 1)),
            "1 passed, 1 failed"
        );
    }

    #[test]
    fn every_kind_of_protection_is_tested_and_what_a_board_has_of_its_own_on_every_board() {
        let lab = Lab::open().unwrap();
        for name in EVERYWHERE {
            let there = lab.root.join("tests/boards").join(name).join("app.toml");
            assert!(there.is_file(), "there is no {}", there.display());
        }
        let boards = [
            "mps2-an386",
            "mps2-an385",
            "virt-rv32",
            "ibex",
            "virt-rv32-mmu",
            "vexriscv",
        ];
        let boards = boards.map(|name| lab.board(name).unwrap());
        let names = |application, depth| {
            let chosen = chosen(&boards, application, depth);
            chosen
                .iter()
                .map(|board| board.name.as_str())
                .collect::<Vec<_>>()
        };
        assert_eq!(names("attack", Depth::Quick), ["mps2-an386"]);
        assert_eq!(names("attack", Depth::Normal).len(), 6);
        let kinds = ["mps2-an386", "virt-rv32", "virt-rv32-mmu"];
        assert_eq!(names("queue", Depth::Normal), kinds);
        assert_eq!(names("queue", Depth::Full).len(), 6);
    }

    #[test]
    fn a_board_that_stops_early_or_tests_nothing_fails() {
        assert_eq!(count(heard(&[("a", true)], false, 0)), "1 passed, 1 failed");
        assert_eq!(count(heard(&[("a", true)], true, 3)), "1 passed, 1 failed");
        assert_eq!(count(heard(&[], true, 0)), "0 passed, 1 failed");
    }
}
