//! `./riposte stack`: how much stack each thread can need at most, beside what the manifest sets aside and what was used.

use serde::Serialize;

use crate::board::{Architecture, Board};
use crate::build::Image;
use crate::build::stack::{Bound, EXCEPTION, Stacks as Code};
use crate::cli;
use crate::json;
use crate::lab::Lab;
use crate::plan::{PlanProcess, PlanThread};
use crate::run;
use crate::stacks::Stacks;
use crate::table::{Align, Table};

/// Bytes that a Cortex-M pushes when something interrupts a thread that has no floating-point registers, and to align it.
const PLAIN_EXCEPTION: u32 = 32 + 4;

/// The threads of an application.
#[derive(Debug, Serialize)]
struct Report {
    application: String,
    board: String,
    threads: Vec<Thread>,
}

/// A thread's stack, in bytes.
#[derive(Debug, Serialize)]
struct Thread {
    process: String,
    thread: String,
    /// Whether the program starts it where it wants.
    spare: bool,
    /// What the manifest sets aside, without the guard.
    size: u32,
    /// The most that it can need, if that has a bound.
    bound: Option<u32>,
    /// Why it has none.
    unbounded: Option<String>,
    /// What calls by name alone take, where it has none.
    at_least: Option<u32>,
    /// The functions of the deepest way that is known, and what each takes.
    way: Vec<(String, u32)>,
    /// The most that was used in the last run, if that is known.
    used: Option<u32>,
}

/// Prints the stacks of an application's threads; with `--run` after a run.
///
/// # Errors
/// If it does not build, or does not run to its end.
pub fn stack(lab: &Lab, asked: &cli::Stack) -> miette::Result<()> {
    let application = lab.application(&asked.application.app)?;
    let board = lab.board_for(&application, asked.application.board.as_deref())?;
    let image = lab.build(&application, board)?;
    let used = match asked.run {
        true => run::stacks(lab, &application, board, &image)?,
        false => Stacks::kept(&image.folder),
    };
    let report = Report::of(&image, board, &used)?;
    if asked.json {
        return json::print(&report);
    }
    print!("{}", report.text());
    Ok(())
}

impl Report {
    fn of(image: &Image, board: &Board, used: &Stacks) -> miette::Result<Report> {
        let mut threads = Vec::new();
        for (process, linked) in image.plan.processes.iter().zip(&image.programs) {
            let code = Code::read(&linked.file)?;
            for (index, thread) in process.threads.iter().enumerate() {
                let bound = match (thread.spare, index) {
                    (true, _) => Some(code.from_any()),
                    (false, 0) => linked.symbol(ENTRY).and_then(|it| code.from(it)),
                    (false, _) => code.from(thread.entry),
                };
                let guard = if index == 0 {
                    0
                } else {
                    board.protection.guard
                };
                let mut it = Thread::of(process, thread, bound, taken_by_a_trap(board, process));
                it.size -= guard;
                it.used = used.of(&process.name, &thread.name);
                threads.push(it);
            }
        }
        Ok(Report {
            application: image.plan.application.clone(),
            board: image.plan.board.clone(),
            threads,
        })
    }

    fn text(&self) -> String {
        let mut table = Table::new(&[
            ("process", Align::Left),
            ("thread", Align::Left),
            ("set aside", Align::Right),
            ("at most", Align::Right),
            ("used", Align::Right),
        ]);
        for it in &self.threads {
            let bound = match (it.bound, it.at_least) {
                (Some(bound), _) => bound.to_string(),
                (None, Some(least)) => format!("unbounded, {least} by name"),
                (None, None) => "unknown".into(),
            };
            let used = it.used.map_or(String::new(), |it| it.to_string());
            let size = it.size.to_string();
            table.row(vec![
                it.process.clone(),
                it.thread.clone(),
                size,
                bound,
                used,
            ]);
        }
        let remarks: String = self.threads.iter().map(Thread::remark).collect();
        format!(
            "{} on {}, bytes of stack\n\n{table}\n{remarks}",
            self.application, self.board
        )
    }
}

/// Where the main thread of every program begins.
const ENTRY: &str = "_riposte_start";

/// Bytes that the processor or the kernel puts on the stack of a thread that it interrupts, wherever that is.
fn taken_by_a_trap(board: &Board, process: &PlanProcess) -> u32 {
    match (board.arch, process.fpu) {
        (Architecture::Armv7m, true) => EXCEPTION,
        (Architecture::Armv7m, false) => PLAIN_EXCEPTION,
        (Architecture::Riscv, _) => 0,
    }
}

impl Thread {
    fn of(process: &PlanProcess, thread: &PlanThread, bound: Option<Bound>, trap: u32) -> Thread {
        let (bound, least, unbounded, depth) = match bound {
            Some(Bound::Way(it)) => (Some(it.bytes + trap), None, None, it),
            Some(Bound::None(why, it)) => (None, Some(it.bytes + trap), Some(why.to_string()), it),
            None => (
                None,
                None,
                Some("no function begins where it does".into()),
                Default::default(),
            ),
        };
        Thread {
            process: process.name.clone(),
            thread: thread.name.clone(),
            spare: thread.spare,
            size: thread.stack.size,
            bound,
            unbounded,
            at_least: least,
            way: depth.way,
            used: None,
        }
    }

    /// What a table has no room for.
    fn remark(&self) -> String {
        let who = format!("`{}` of `{}`", self.thread, self.process);
        let needed = self.bound.or(self.at_least).unwrap_or_default();
        let mut text = String::new();
        if needed > self.size {
            text += &format!("{who} can need more than is set aside\n");
        }
        if let Some(why) = &self.unbounded {
            text += &format!("{who} is unbounded, because {why}\n");
        }
        if !self.way.is_empty() {
            let way = self.way.iter().filter(|(_, bytes)| *bytes > 0);
            let way: Vec<String> = way.map(|(name, bytes)| format!("{name} {bytes}")).collect();
            text += &format!("{who} is deepest in {}\n", way.join(", "));
        }
        text
    }
}
