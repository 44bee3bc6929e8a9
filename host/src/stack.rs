//! `./riposte stack`: how much stack each thread can need at most, beside what the manifest sets aside and what was used.

use serde::Serialize;

use crate::board::{Architecture, Board};
use crate::build::Image;
use crate::build::stack::{Bound, EXCEPTION, Stacks as Code, Unbounded};
use crate::cli;
use crate::json;
use crate::lab::Lab;
use crate::plan::{PlanProcess, PlanThread};
use crate::run;
use crate::stacks::{self, Stacks};
use crate::table::{Align, Table};

/// Bytes that a Cortex-M pushes when something interrupts a thread that has no floating-point registers, and to align it.
const PLAIN_EXCEPTION: u32 = 32 + 4;

/// As many functions of a way or circle are named, unless all are asked for.
const NAMED: usize = 5;
/// As many letters of a function's path are shown then.
const LETTERS: usize = 60;

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
    /// The same, in a line that can be read.
    #[serde(skip)]
    unbounded_in_short: Option<String>,
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
        false => Stacks::kept(&image),
    };
    let report = Report::of(&image, board, &used)?;
    if asked.json {
        return json::print(&report);
    }
    print!("{}", report.text(asked.all));
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
                let mut it = Thread::of(process, thread, bound, taken_by_a_trap(board, process));
                let usable = stacks::usable(process, index, board.protection.guard);
                it.size = usable.map_or(0, |it| it.size);
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

    /// A table, and a few lines of each thread; with `all` whole ways and circles.
    fn text(&self, all: bool) -> String {
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
        let remarks: String = self.threads.iter().map(|it| it.remark(all)).collect();
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
        let (bound, least, why, depth) = match bound {
            Some(Bound::Way(it)) => (Some(it.bytes + trap), None, None, it),
            Some(Bound::None(why, it)) => {
                let why = [why.to_string(), in_short(&why).to_string()];
                (None, Some(it.bytes + trap), Some(why), it)
            }
            None => {
                let why = "no function begins where it does".to_owned();
                (None, None, Some([why.clone(), why]), Default::default())
            }
        };
        let [unbounded, unbounded_in_short] = why.map(|it| it.map(Some)).unwrap_or_default();
        Thread {
            process: process.name.clone(),
            thread: thread.name.clone(),
            spare: thread.spare,
            size: thread.stack.size,
            bound,
            unbounded,
            unbounded_in_short,
            at_least: least,
            way: depth.way,
            used: None,
        }
    }

    /// What a table has no room for.
    fn remark(&self, all: bool) -> String {
        let who = format!("`{}` of `{}`", self.thread, self.process);
        let needed = self.bound.or(self.at_least).unwrap_or_default();
        let mut text = String::new();
        if needed > self.size {
            text += &format!("{who} can need more than is set aside\n");
        }
        let why = match all {
            true => &self.unbounded,
            false => &self.unbounded_in_short,
        };
        if let Some(why) = why {
            text += &format!("{who} is unbounded, because {why}\n");
        }
        if !self.way.is_empty() {
            let way = match all {
                true => whole(&self.way),
                false => most_of(&self.way),
            };
            text += &format!("{who} is deepest in {way}\n");
        }
        text
    }
}

/// The functions of a way that take something, and what each does.
fn whole(way: &[(String, u32)]) -> String {
    let way = way.iter().filter(|(_, bytes)| *bytes > 0);
    let way: Vec<String> = way.map(|(name, bytes)| format!("{name} {bytes}")).collect();
    way.join(", ")
}

/// Those that take most, in the order of the way, and what all others do.
fn most_of(way: &[(String, u32)]) -> String {
    let mut most: Vec<usize> = (0..way.len()).collect();
    most.sort_by_key(|it| std::cmp::Reverse(way[*it].1));
    most.truncate(NAMED);
    most.sort_unstable();
    let shown = most.iter().map(|it| (cut(&way[*it].0), way[*it].1));
    let shown: Vec<(String, u32)> = shown.collect();
    let bytes = |way: &[(String, u32)]| way.iter().map(|(_, bytes)| bytes).sum::<u32>();
    let others = bytes(way) - bytes(&shown);
    match others {
        0 => whole(&shown),
        _ => format!("{}, others {others} (--all names them)", whole(&shown)),
    }
}

/// A reason of which names are cut, and of many left out.
fn in_short(why: &Unbounded) -> Unbounded {
    match why {
        Unbounded::Recursion(circle, indirect) => {
            let mut names: Vec<String> = circle.iter().map(|it| cut(it)).collect();
            if let Some(left) = circle.len().checked_sub(NAMED).filter(|it| *it > 0) {
                // The last one is the first.
                names.splice(
                    NAMED - 1..NAMED - 1 + left,
                    [format!("{left} others (--all names them)")],
                );
            }
            let mut callers: Vec<String> = indirect.iter().map(|it| cut(it)).collect();
            if let Some(left) = callers.len().checked_sub(NAMED).filter(|it| *it > 0) {
                callers.truncate(NAMED);
                // Behind all names, in their order.
                callers.push(format!("… {left} others"));
            }
            Unbounded::Recursion(names, callers.into_iter().collect())
        }
        Unbounded::Register(function, address) => Unbounded::Register(cut(function), *address),
    }
}

/// A function's path, the middle of which is left out if it is long: its end says most.
fn cut(path: &str) -> String {
    let letters: Vec<char> = path.chars().collect();
    if letters.len() <= LETTERS {
        return path.into();
    }
    let part = |letters: &[char]| letters.iter().collect::<String>();
    let half = LETTERS / 2;
    let (begin, end) = (&letters[..half - 1], &letters[letters.len() - half..]);
    format!("{}…{}", part(begin), part(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_way_the_functions_that_take_most_are_named_in_its_order_and_the_sum_of_the_others() {
        let way = [9, 0, 70, 30, 50, 5, 60, 40].map(|bytes| (format!("f{bytes}"), bytes));
        let most = most_of(&way);
        assert_eq!(
            most,
            "f70 70, f30 30, f50 50, f60 60, f40 40, others 14 (--all names them)"
        );
        assert_eq!(most_of(&way[..3]), "f9 9, f70 70");
        assert_eq!(whole(&way[..3]), "f9 9, f70 70");
    }

    #[test]
    fn a_long_path_is_cut_in_the_middle() {
        assert_eq!(cut("console::main"), "console::main");
        let long = format!("<console::{} as Write>::write_str", "é".repeat(400));
        let cut = cut(&long);
        assert_eq!(cut.chars().count(), LETTERS);
        assert!(cut.starts_with("<console::é"), "{cut}");
        assert!(cut.ends_with(" as Write>::write_str"), "{cut}");
    }

    #[test]
    fn of_a_long_circle_the_beginning_and_the_end_are_named() {
        let names = |count: usize| (0..count).map(|it| format!("f{it}"));
        let circle = |count| names(count).chain(["f0".into()]).collect::<Vec<_>>();
        let short = Unbounded::Recursion(circle(4), names(5).collect());
        assert_eq!(in_short(&short), short);
        let long = in_short(&Unbounded::Recursion(circle(9), names(8).collect()));
        assert_eq!(
            long.to_string(),
            "there is recursion, f0 -> f1 -> f2 -> f3 -> 5 others (--all names them) -> f0 (if the calls through \
             pointers of f0, f1, f2, f3, f4, … 3 others lead there)"
        );
    }
}
