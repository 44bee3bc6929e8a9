//! `./riposte trace`: what the kernel does while an application runs.

pub mod ctf;
pub mod event;
mod live;
pub mod names;
pub mod perfetto;
pub mod summary;
pub mod timeline;
pub mod words;

use std::mem;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use miette::{IntoDiagnostic, WrapErr, miette};
use serde::Serialize;

use crate::board::Board;
use crate::build::elf::Linked;
use crate::cli;
use crate::interrupt;
use crate::json;
use crate::lab::Lab;
use crate::machine::ring::{Collected, Gap, Live, Ring};
use crate::machine::{self, Attended, End, Machine, Next};
use crate::plan::Region;
use crate::progress;
use crate::run::{self, Built};
use crate::whole::{self, Pending};
use event::Event;
use names::Names;
use summary::Summary;

/// Bytes before the events of a kernel's ring.
const HEADER: u32 = riposte_abi::trace::HEADER as u32;

/// The files of a trace, in its folder.
const PERFETTO: &str = "trace.json";
const CTF: &str = "ctf";
const SUMMARY: &str = "summary.txt";
const WAVES: &str = "waves.vcd";
const FILES: [(&str, &str); 4] = [
    (PERFETTO, "open it at https://ui.perfetto.dev"),
    (CTF, "babeltrace2 and Trace Compass read the folder"),
    (SUMMARY, "what stands above"),
    (WAVES, "GTKWave shows it"),
];

/// Events that the kernel keeps, if neither the command nor the manifest says.
const EVENTS: u32 = 1 << 14;

/// Traces a run of an application to its end; the result is its exit code.
///
/// # Errors
/// If it does not build, the emulator does not run, or nothing can be written.
pub fn trace(lab: &Lab, asked: &cli::Trace) -> miette::Result<i32> {
    let application = lab.application(&asked.application.app)?;
    let board = lab.board_for(&application, asked.application.board.as_deref())?;
    let mut application = application.on(board)?;
    let kernel = &mut application.kernel;
    kernel.trace = match (asked.events, kernel.trace) {
        (Some(events), _) => events,
        (None, 0) => EVENTS,
        (None, events) => events,
    };
    if asked.live && board.simulator().is_some() {
        return Err(miette!(
            help = "leave --live out: the trace is read at the end of the run",
            "{} is a simulator, whose memory is seen when it has ended",
            board.name
        ));
    }
    let image = lab.build(&application, board)?;
    let built = Built::of(lab, &application, board, image, asked.card.as_deref())?;
    let folder = asked.output.clone().unwrap_or_else(|| {
        let name = format!("trace-{}-{}", application.name, board.name);
        lab.root.join("results").join(name)
    });
    make(&folder)?;
    if asked.json {
        // The application's console is no JSON.
        progress::speak_aside();
    }
    built.tell();
    let names = Arc::new(Names::of(&built.image.plan));
    let (end, collected) = run(&built, &folder, &names, asked)?;
    let traced = Traced::of(&names, &collected)?;
    let summary = traced.write(&folder)?;
    let fails = matches!(end, End::Endless(_)) && asked.duration.is_none();
    if !asked.json {
        print!("\n{summary}\n{}", written(&folder));
    } else if !fails {
        json::print(&Report::of(&summary, &folder, end))?;
    }
    match end {
        End::Exit(code) => Ok(code),
        End::Interrupted(_) | End::Stopped => Ok(interrupt::EXIT_CODE),
        End::Endless(_) if fails => Err(miette!(
            help = "give it a time: --for 5",
            "it comes to no end"
        )),
        End::Endless(_) => Ok(0),
    }
}

/// A trace as data.
#[derive(Serialize)]
struct Report<'a> {
    #[serde(flatten)]
    summary: &'a Summary,
    /// The code with which the application ended the run, if it did.
    code: Option<i32>,
    /// What was written.
    files: Vec<PathBuf>,
}

impl Report<'_> {
    fn of<'a>(summary: &'a Summary, folder: &Path, end: End) -> Report<'a> {
        Report {
            summary,
            code: match end {
                End::Exit(code) => Some(code),
                _ => None,
            },
            files: there(folder).map(|(file, _)| file).collect(),
        }
    }
}

/// Where a kernel keeps its trace.
fn ring(board: &Board, kernel: &Linked) -> miette::Result<Ring> {
    let found = || {
        let (counts, size) = kernel.static_at("TRACE")?;
        let entries = Region {
            base: counts + HEADER,
            size: size - HEADER,
        };
        Some(Ring { counts, entries })
    };
    found().ok_or_else(|| miette!("the kernel of {} has no trace", board.name))
}

fn run(
    built: &Built<'_>,
    folder: &Path,
    names: &Arc<Names>,
    asked: &cli::Trace,
) -> miette::Result<(End, Collected)> {
    let scene = built.scene();
    let waves = folder.join(WAVES);
    // What is left of a trace of before is no part of this one.
    let _ = std::fs::remove_file(&waves);
    // How many events have been shown while they came, and how many gaps.
    let shown = [0; 2].map(|none| Arc::new(AtomicUsize::new(none)));
    // Whether the console has begun a line that has no end yet: one at a time prints, and says so.
    let amid = Arc::new(Mutex::new(false));
    let live: Live = {
        let (names, shown, amid) = (names.clone(), shown.clone(), amid.clone());
        Arc::new(move |events, gaps| {
            shown[0].fetch_add(events.len(), Ordering::Relaxed);
            shown[1].fetch_add(gaps.len(), Ordering::Relaxed);
            let mut amid = amid.lock().unwrap_or_else(PoisonError::into_inner);
            let end = if mem::take(&mut *amid) { "\n" } else { "" };
            print!("{end}{}", live::text(&names, events, gaps));
        })
    };
    // It is given what a run gives it: without its card, a traced application would wait for it.
    let given = built.machine(&scene, !asked.live)?;
    let mut machine = Machine {
        attended: Attended::FromHere,
        // Until somebody says otherwise.
        patience: None,
        trace: Some(ring(built.board, &built.image.kernel)?),
        live: asked.live.then(|| live.clone()),
        engine: given.engine.with_waveform(&waves),
        ..given
    };
    if let Some(time) = asked.duration {
        machine = machine.ends_after(built.board, time);
    }
    let (end, seen) = machine::run_to_see(&machine, |said| {
        let text = run::shown(&scene, said);
        let mut amid = amid.lock().unwrap_or_else(PoisonError::into_inner);
        progress::say_part(&text);
        *amid = !text.ends_with('\n');
        Next::Continue
    })?;
    if !seen.trace.to_the_end {
        return Err(miette!(
            "the board was gone before its trace was read to the end"
        ));
    }
    if asked.live {
        let [events, gaps] = shown.map(|it| it.load(Ordering::Relaxed));
        let trace = &seen.trace;
        live(&trace.events[events..], &trace.gaps[gaps..]);
    }
    Ok((end, seen.trace))
}

/// A trace that has been read.
struct Traced<'a> {
    names: &'a Names,
    events: Vec<Event>,
    /// Before which events some are missing: one at a place.
    gaps: Vec<Gap>,
}

impl<'a> Traced<'a> {
    fn of(names: &'a Names, collected: &Collected) -> miette::Result<Traced<'a>> {
        let events: Option<Vec<Event>> = collected.events.iter().map(Event::of).collect();
        let mut events = events.ok_or_else(|| {
            miette!(
                help = "run it again; if it says so again, something writes to the kernel's memory",
                "the trace has events that there are not"
            )
        })?;
        // No clock goes back: what says so was overwritten, and counts as if it had taken no time.
        let mut latest = 0;
        for event in &mut events {
            latest = event.time.max(latest);
            event.time = latest;
        }
        let mut gaps: Vec<Gap> = vec![];
        for gap in &collected.gaps {
            match gaps.last_mut() {
                // Several looks that found none to read in between.
                Some(before) if before.before == gap.before => {
                    before.missing = before.missing.saturating_add(gap.missing);
                    before.reset |= gap.reset;
                }
                _ => gaps.push(*gap),
            }
        }
        Ok(Traced {
            names,
            events,
            gaps,
        })
    }

    fn timeline(&self) -> timeline::Timeline {
        let gaps: Vec<usize> = self.gaps.iter().map(|gap| gap.before).collect();
        timeline::timeline(&self.events, &gaps)
    }

    /// Writes all files, and returns the summary.
    fn write(&self, folder: &Path) -> miette::Result<Summary> {
        let timeline = self.timeline();
        let (names, events, gaps) = (self.names, &self.events, &self.gaps);
        let summary = Summary::of(names, events, &timeline, gaps);
        wrote(folder, PERFETTO, |file| {
            Pending::new(file)?.write_by(|to| perfetto::write(to, names, events, &timeline, gaps))
        })?;
        wrote(folder, CTF, |file| ctf::write(file, names, events, gaps))?;
        wrote(folder, SUMMARY, |file| {
            whole::write(file, summary.to_string())
        })?;
        Ok(summary)
    }
}

fn make(folder: &Path) -> miette::Result<()> {
    std::fs::create_dir_all(folder)
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot write to {}", folder.display()))
}

fn wrote(
    folder: &Path,
    name: &str,
    write: impl FnOnce(&Path) -> std::io::Result<()>,
) -> miette::Result<()> {
    let file = folder.join(name);
    write(&file)
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot write {}", file.display()))
}

/// Where what is, and what opens it.
fn written(folder: &Path) -> String {
    let there = there(folder);
    there
        .map(|(file, how)| format!("{}: {how}\n", file.display()))
        .collect()
}

/// The files of a trace that are in its folder, and what opens each.
fn there(folder: &Path) -> impl Iterator<Item = (PathBuf, &'static str)> {
    let files = FILES.map(|(name, how)| (folder.join(name), how));
    files.into_iter().filter(|(file, _)| file.exists())
}

#[cfg(test)]
mod tests {
    use riposte_abi::trace::kind;

    use super::*;
    use crate::machine::ring::Raw;

    #[test]
    fn what_goes_back_in_time_is_told_as_taking_none() {
        let event = |time, kind, thread: u32, other: u32| Raw {
            time,
            head: kind | thread << 8 | other << 16,
            words: [0; 2],
        };
        let mut collected = Collected::default();
        collected.events = vec![
            event(u64::MAX - 1, kind::SWITCH, 0, 1),
            event(80, kind::LOCK_WAIT, 1, 0),
            event(u64::MAX, kind::SEND, 1, 0),
            event(70, kind::RECEIVE, 0, 1),
            event(60, kind::LOCK_GIVEN, 1, 0),
            event(50, kind::REPLY, 0, 1),
            event(10, kind::SWITCH, 1, 0),
        ];
        // Of three looks, as counts may say that nobody has written.
        let gap = Gap {
            before: 6,
            missing: 1 << 31,
            reset: false,
        };
        collected.gaps = vec![gap; 3];
        let thread = names::Thread {
            process: 0,
            name: "main".into(),
            priority: 1,
        };
        let names = Names {
            processes: vec!["one".into()],
            threads: vec![thread.clone(), thread],
            channels: vec![("channel".into(), 0)],
            ..Names::default()
        };
        let folder = tempfile::tempdir().unwrap();
        let traced = Traced::of(&names, &collected).unwrap();
        let summary = traced.write(folder.path()).unwrap().to_string();
        assert!(summary.contains("7 events"), "{summary}");
    }
}
