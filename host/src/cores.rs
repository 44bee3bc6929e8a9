//! `./riposte core`: a file of what a stopped system was, and gdb that looks at one.

mod file;
mod still;

use std::path::Path;
use std::sync::Arc;

use miette::miette;
use serde_json::json;

use crate::board::Board;
use crate::build::Image;
use crate::cli;
use crate::debug::{self, Door, Memory, unreadable};
use crate::fault;
use crate::json;
use crate::lab::Lab;
use crate::machine::{Attended, End, IsHeld, Kept, Machine, Next, Reading, Said};
use crate::plan::{OnFault, Region};
use crate::run::{self, Built};
use crate::whole::Pending;
use file::{Core, LAYOUT, Origin};
use still::Still;

/// How a core's name ends, if nobody says another one.
const EXTENSION: &str = "core";

/// Writes a core of an application, or opens one; the result is an exit code.
///
/// # Errors
/// If the application does not run, no core can be written, or the one that is to be opened is none that can be.
pub fn core(lab: &Lab, asked: &cli::Core) -> miette::Result<i32> {
    let path = Path::new(&asked.subject);
    let is = |extension: &str| path.extension().is_some_and(|it| it == extension);
    if is(EXTENSION) || path.is_file() && !is("toml") {
        refuse(
            &[
                ("--board", asked.board.is_some()),
                ("--after", asked.after.is_some()),
                ("--virtual", asked.in_virtual_time),
                ("--card", asked.card.is_some()),
                ("--output", asked.output.is_some()),
            ],
            "is for writing a core of an application, and this is a core",
        )?;
        if asked.json && asked.debugger.server.is_none() {
            return Err(miette!(
                help = "add --server PORT",
                "`--json` is for a debugger at a port: gdb, which is started else, speaks for itself"
            ));
        }
        open(lab, path, asked)
    } else {
        refuse(
            &[
                ("--server", asked.debugger.server.is_some()),
                ("--", !asked.debugger.arguments.is_empty()),
            ],
            "is for opening a core, and this is an application: `debug` looks at one that runs",
        )?;
        write(lab, asked)
    }
}

/// Refuses options that mean nothing here.
fn refuse(options: &[(&str, bool)], why: &str) -> miette::Result<()> {
    match options.iter().find(|(_, is_there)| *is_there) {
        Some((option, _)) => Err(miette!("`{option}` {why}")),
        None => Ok(()),
    }
}

fn write(lab: &Lab, asked: &cli::Core) -> miette::Result<i32> {
    let application = lab.application(&asked.subject)?;
    let board = lab.board_for(&application, asked.board.as_deref())?;
    let output = asked.output.clone().unwrap_or_else(|| {
        let name = format!("{}-{}.{EXTENSION}", application.name, board.name);
        lab.root.join("results").join(name)
    });
    if asked.output.is_none() {
        // What cannot be made is told when there is something to be written.
        let _ = std::fs::create_dir_all(lab.root.join("results"));
    }
    // Before the run, which may take long.
    let pending = Pending::new(&output).map_err(|why| cannot_write(&output, &why))?;
    let image = lab.build(&application, board)?;
    debug::system(&image, board)?;
    let (read, hash) = image.read()?;
    let built = Built::of(lab, &application, board, image, asked.card.as_deref())?;
    built.tell();
    let (stopped, kept) = stop(&built, asked, read.len())?;
    let core = Core {
        origin: Origin {
            layout: LAYOUT,
            application: name(lab, &application.directory),
            board: board.name.clone(),
            image: hash,
            stopped,
        },
        registers: kept.registers,
        memory: kept.memory,
    };
    let written = pending.write(&core.bytes(board.arch)?);
    written.map_err(|why| cannot_write(&output, &why))?;
    let next = format!("./riposte core {}", output.display());
    let origin = &core.origin;
    if asked.json {
        json::print(&json!({
            "core": output, "application": origin.application, "board": origin.board,
            "stopped": origin.stopped, "next": next,
        }))?;
    } else {
        let stopped = &origin.stopped;
        println!(
            "\ncore: {} ({stopped}); look at it: {next}",
            output.display()
        );
    }
    Ok(0)
}

fn cannot_write(to: &Path, why: &std::io::Error) -> miette::Report {
    miette!(
        help = "name a file in a folder that can be written to, with --output",
        "cannot write {}: {why}",
        to.display()
    )
}

/// How an application is found again: where it lies in the repository, or else anywhere.
fn name(lab: &Lab, directory: &Path) -> String {
    let directory = directory
        .canonicalize()
        .unwrap_or_else(|_| directory.into());
    let place = directory.strip_prefix(&lab.root).unwrap_or(&directory);
    place.display().to_string()
}

/// Runs until there is something to keep; says why it was stopped there.
fn stop(
    built: &Built<'_>,
    asked: &cli::Core,
    image_bytes: usize,
) -> miette::Result<(String, Kept)> {
    let scene = built.scene();
    let mut machine = Machine {
        attended: Attended::FromHere,
        kept: regions(built.board, image_bytes),
        patience: run::patience(built.board, None),
        is_held: Some(held_while_it_runs(built)),
        ..built.machine(&scene, asked.in_virtual_time)?
    };
    if let Some(after) = asked.after {
        machine = machine.ends_after(built.board, after);
    }
    let processes = &built.image.plan.processes;
    let can_be_held = |it: &usize| {
        let process = processes.get(*it);
        process.is_some_and(|it| it.on_fault == OnFault::Hold)
    };
    // Whoever prints can say so: it is where to look.
    let mut held = None;
    let (end, seen, _) = built.run(&machine, &scene, |said| {
        if let Said::Line(line) = said {
            held = fault::held(line).filter(can_be_held);
        }
        if asked.json {
            eprint!("{}", run::shown(&scene, said));
        } else {
            run::show(&scene, said);
        }
        held.map_or(Next::Continue, Next::StopIfHeld)
    })?;
    let mut kept = seen.kept.ok_or_else(|| {
        miette!("the board was gone before it could be read: no core was written")
    })?;
    let stopped = match (end, held) {
        (End::Stopped, Some(process)) => {
            let name = &processes[process].name;
            if is_held(&built.image, built.board, process, &mut kept)? {
                format!("`{name}` is held where it fell")
            } else {
                format!("the console said that `{name}` is held, and it is not")
            }
        }
        (End::Stopped, None) => "the run was stopped".into(),
        (End::Exit(code), _) => format!("it ended the run with code {code}"),
        (End::Interrupted(_), _) => "Ctrl-C".into(),
        (End::Endless(_), _) => match (asked.after, built.board.simulator()) {
            (Some(after), _) => format!("after {}", humantime::format_duration(after)),
            (None, Some(it)) => format!("it went on for {} cycles", it.max_cycles),
            (None, None) => "its console was silent for too long".into(),
        },
    };
    Ok((stopped, kept))
}

/// Whether the kernel holds a process, by its memory.
fn is_held(
    image: &Image,
    board: &Board,
    process: usize,
    memory: &mut impl Memory,
) -> miette::Result<bool> {
    let system = debug::system(image, board)?;
    let moment = system.look(memory)?;
    Ok(system.is_held(&moment, process))
}

/// The same of a board that runs, for when the console says so.
fn held_while_it_runs(built: &Built<'_>) -> IsHeld {
    let (image, board) = (built.image.clone(), built.board.clone());
    // Of what cannot be read the end tells.
    Arc::new(move |process, read| {
        is_held(&image, &board, process, &mut Running(read)).unwrap_or(true)
    })
}

/// The memory of a board that runs.
struct Running<'a, 'b>(&'a mut Reading<'b>);

impl Memory for Running<'_, '_> {
    fn read(&mut self, region: Region) -> miette::Result<Vec<u8>> {
        (self.0)(region).ok_or_else(|| unreadable(region.base))
    }
}

impl Memory for Kept {
    fn read(&mut self, region: Region) -> miette::Result<Vec<u8>> {
        let piece = file::piece(&self.memory, region);
        piece
            .map(<[u8]>::to_vec)
            .ok_or_else(|| unreadable(region.base))
    }
}

/// What is kept of a board: its image, as it lies there, and all its RAM.
fn regions(board: &Board, image_bytes: usize) -> Vec<Region> {
    let size = u32::try_from(image_bytes).unwrap_or(u32::MAX);
    let image = Region {
        size: size.min(board.flash.size),
        ..board.flash
    };
    vec![image, board.ram]
}

fn open(lab: &Lab, path: &Path, asked: &cli::Core) -> miette::Result<i32> {
    let debugger = &asked.debugger;
    let core = Core::read(path)?;
    debugger.check()?;
    let origin = &core.origin;
    let of_another = |why: String| {
        miette!(
            help = "check out the revision that it was written from, and open it there",
            "{} was written from {} on {}, {why}",
            path.display(),
            origin.application,
            origin.board
        )
    };
    let board = lab
        .board(&origin.board)
        .map_err(|why| of_another(format!("which there is not: {why}")))?;
    let place = lab.root.join(&origin.application);
    if !place.join("app.toml").is_file() {
        let why = format!("which there is not: no app.toml in {}", place.display());
        return Err(of_another(why));
    }
    let application = lab.load(&place)?;
    let image = lab.build(&application, board)?;
    let (read, hash) = image.read()?;
    if hash != origin.image {
        let (was, is) = (short(&origin.image), short(&hash));
        let why = format!("whose image was another one: {was}, and is {is}");
        return Err(of_another(why));
    }
    let is_kept = |region: &Region| core.piece(*region).is_some();
    if !core.is_of(board.arch) || !regions(board, read.len()).iter().all(is_kept) {
        return Err(of_another("whose memory was another one".into()));
    }
    let system = debug::system(&image, board)?;
    let mut door = Door::open(&image, debugger)?;
    if asked.json {
        door.tell(json!({
            "application": origin.application, "board": origin.board, "kernel": image.kernel.file,
            "core": path, "stopped": origin.stopped,
        }));
    } else {
        println!(
            "a core of {} on {}: {}",
            origin.application, origin.board, origin.stopped
        );
    }
    let (still, events) = Still::new(core);
    door.attend(&system, still, &events)
}

/// As much of a hash as a person compares.
fn short(hash: &str) -> &str {
    hash.get(..12).unwrap_or(hash)
}
