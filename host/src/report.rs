//! `./riposte report`: one page of all that was measured, in one file that needs no network.

mod between;
mod chart;
mod checked;
mod page;
mod section;
mod trips;
mod waveform;

pub(crate) use chart::short;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use miette::miette;
use serde::Serialize;
use serde_json::Value;

use crate::bench::{self, Headlines, Reference, Suite};
use crate::cli;
use crate::json;
use crate::lab::Lab;
use crate::progress;
use crate::results::{self, Entry, Results};
use crate::whole;
use between::Transfer;

/// What to do about a file that is not shown whole.
const ANEW: &str = "measure anew: ./riposte bench; or have the Riposte that wrote it show it";

/// Writes the page of the files that are asked for, or of the newest; the result is the exit code.
///
/// # Errors
/// A result file that is none, or a page that cannot be written.
pub fn report(lab: &Lab, asked: &cli::Report) -> miette::Result<i32> {
    let files = match asked.files.as_slice() {
        [] => vec![newest(&lab.root.join("results"))?],
        files => files.to_vec(),
    };
    let written = write(lab, &files, asked.output.as_deref())?;
    written.show(asked.json, asked.open)?;
    if asked.json {
        json::print(&written)?;
    }
    Ok(0)
}

/// Writes the page of a result file beside it, says where it is, and shows it if that is wanted.
///
/// # Errors
/// As [`report`].
pub fn publish(lab: &Lab, file: &Path, shown: bool) -> miette::Result<()> {
    write(lab, &[file.to_path_buf()], None)?.show(false, shown)
}

/// A page that was written.
#[derive(Serialize)]
struct Written {
    /// Where it is.
    page: PathBuf,
    /// How many figures it shows.
    figures: usize,
    /// The files that they are from.
    sources: Vec<page::Source>,
    /// What stands first: messages there and back, board by board.
    round_trips: Vec<trips::Trips>,
    /// And below it.
    headlines: Vec<page::Claim>,
}

impl Written {
    /// Says where it is, unless that was said, and what is to know of its files, and shows it if that is wanted.
    fn show(&self, is_told: bool, shown: bool) -> miette::Result<()> {
        for remark in self.sources.iter().flat_map(page::Source::told) {
            progress::complain(&format!("riposte: {remark} ({ANEW})"));
        }
        if !is_told {
            println!("report: {}", self.page.display());
        }
        if shown { open(&self.page) } else { Ok(()) }
    }
}

/// Writes the page of `files`, the later of which count where several have a figure: to `output`, or beside the
/// last one.
fn write(lab: &Lab, files: &[PathBuf], output: Option<&Path>) -> miette::Result<Written> {
    let mut read = files.iter().map(|file| results::read(file));
    let mut all = read.next().expect("at least one file")?;
    let suites = bench::all(lab)?;
    let mut sources = vec![source(lab, &suites, &all)];
    for later in read {
        let later = later?;
        sources.push(source(lab, &suites, &later));
        all.add(&later);
        all.file = later.file;
    }
    let mut all_breakdowns = vec![];
    let mut all_transfers = vec![];
    for (file, source) in files.iter().zip(&mut sources) {
        let (read, remark) = beside(file, bench::BREAKDOWNS, "calls");
        add(&mut all_breakdowns, read, |a, b| {
            ["suite", "case", "board", "memory"]
                .iter()
                .all(|name| a[name] == b[name])
        });
        source.remarks.extend(remark);
        let (read, remark) = beside(file, bench::NODES, "transfers");
        source.remarks.extend(remark);
        let (read, unread) = between::transfers(&read);
        add(&mut all_transfers, read, Transfer::is_of_same);
        if unread > 0 {
            let remark = format!("of the transfers between nodes {unread} cannot be read");
            source.remarks.push(remark);
        }
    }
    let page = page(
        lab,
        &suites,
        &all,
        sources,
        (&all_breakdowns, &all_transfers),
    )?;
    let text = page::render(&page)?;
    let output = output.map_or_else(|| all.file.with_extension("html"), Path::to_path_buf);
    let is_there = |file: &PathBuf| file.canonicalize().ok() == output.canonicalize().ok();
    if files.iter().any(is_there) {
        return Err(miette!(
            help = "`--output FILE` names another place",
            "the page would take the place of its own figures in {}",
            output.display()
        ));
    }
    whole::write(&output, text).map_err(|error| {
        let help = "`--output FILE` names another place";
        miette!(
            help = help,
            "cannot write the report {}: {error}",
            output.display()
        )
    })?;
    Ok(Written {
        page: output,
        figures: all.entries.len(),
        sources: page.sources,
        round_trips: page.trips,
        headlines: page.claims,
    })
}

/// Adds what a later file has beside it, in the place of what earlier ones have of the same.
fn add<T>(all: &mut Vec<T>, later: Vec<T>, is_of_same: impl Fn(&T, &T) -> bool) {
    all.retain(|it| !later.iter().any(|other| is_of_same(it, other)));
    all.extend(later);
}

/// What is told of a file: also how many of its figures have no place on the page.
fn source(lab: &Lab, suites: &[Suite], results: &Results) -> page::Source {
    let mut source = page::Source::of(results);
    let has_place = |it: &Entry| {
        let is_of_suite = suites.iter().any(|suite| suite.name == it.suite);
        is_of_suite && lab.boards.iter().any(|board| board.name == it.board)
    };
    let entries = results.entries.iter();
    let strangers = entries.filter(|it| !has_place(it)).count();
    if strangers > 0 {
        source.remarks.push(format!(
            "{strangers} of its figures are of suites or boards that this checkout does not have, and are not shown"
        ));
    }
    source
}

/// What the page shows.
fn page(
    lab: &Lab,
    suites: &[Suite],
    results: &Results,
    sources: Vec<page::Source>,
    (breakdowns, transfers): (&[Value], &[between::Transfer]),
) -> miette::Result<page::Page> {
    let references = suites.iter().map(|it| Reference::read(it, &lab.boards));
    let references = references.collect::<miette::Result<Vec<_>>>()?;
    let headlines = Headlines::read(lab, suites, &references)?;
    let view = section::View {
        lab,
        suites,
        references: &references,
        results,
        breakdowns,
        transfers,
    };
    Ok(page::Page {
        sources,
        trips: view.trips(&headlines),
        claims: view.claims(&headlines),
        checked: checked::checked(lab, results),
        sections: view.sections(&headlines),
        configurations: view.configurations(),
        document: page::Data::of(results, checked::data(lab, results), transfers),
    })
}

/// The list of `what` that was written beside a result file with this ending, if there is any, and what to know of it.
fn beside(file: &Path, ending: &str, what: &str) -> (Vec<Value>, Option<String>) {
    let beside = file.with_extension(ending);
    let Ok(text) = std::fs::read_to_string(&beside) else {
        return (vec![], None);
    };
    let name = beside.file_name().unwrap_or_default().to_string_lossy();
    match serde_json::from_str(&text) {
        Ok(Value::Array(all)) => (all, None),
        _ => match results::before_its_end(&text, 1) {
            Some(Value::Array(all)) => {
                let count = all.len();
                let remark = format!("{name} ends too early: {count} of its {what} are shown");
                (all, Some(remark))
            }
            _ => (
                vec![],
                Some(format!("{name} has no {what} that could be read")),
            ),
        },
    }
}

/// The result file in `folder` that was measured last, as it says itself, whatever name somebody gave it. Of those of one
/// second it is the last by name; before all of them come files that name no time.
fn newest(folder: &Path) -> miette::Result<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let is_result = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_beside = |ending: &str| name.ends_with(&format!(".{ending}"));
        name.ends_with(".json") && !is_beside(bench::BREAKDOWNS) && !is_beside(bench::NODES)
    };
    let files = entries.map(|entry| entry.path()).filter(is_result);
    let age = |file: &PathBuf| {
        let read = results::read(file).ok();
        let when = read.and_then(|it| humantime::parse_rfc3339(&it.date).ok());
        (when, file.with_extension(""))
    };
    files.max_by_key(age).ok_or_else(|| {
        miette!(
            help = "measure first: ./riposte bench",
            "there is no result file in {}",
            folder.display()
        )
    })
}

/// Shows the page as the desktop shows pages.
fn open(page: &Path) -> miette::Result<()> {
    let program = if cfg!(target_os = "macos") {
        "open"
    } else {
        "xdg-open"
    };
    // What it says of browsers that are not there helps nobody, and what a browser prints is none of ours.
    let done = Command::new(program)
        .arg(page)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    match done {
        Ok(status) if status.success() => Ok(()),
        _ => Err(miette!(
            help = format!(
                "open it by hand: {}; or get what opens it: apt-get install xdg-utils chromium",
                page.display()
            ),
            "`{program}` shows no page here"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_file_is_one_of_results_and_none_that_lies_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        assert!(newest(folder.path()).is_err());
        for name in [
            "1.json",
            "2.json",
            "2.breakdowns.json",
            "2.nodes.json",
            "2.html",
        ] {
            std::fs::write(folder.path().join(name), "").unwrap();
        }
        assert_eq!(newest(folder.path()).unwrap(), folder.path().join("2.json"));
    }

    #[test]
    fn the_newest_file_is_the_one_that_was_measured_last_whatever_its_name_is() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| folder.path().join(name);
        for (name, date) in [
            ("2026-03-01T100000Z.json", "2026-03-01T10:00:00Z"),
            ("2026-03-01T100000Z-2.json", "2026-03-01T10:00:00Z"),
            ("before.json", "2026-02-01T10:00:00Z"),
            ("someday.json", "someday"),
        ] {
            let document = serde_json::json!({"schema": 1, "date": date, "results": []});
            std::fs::write(file(name), document.to_string()).unwrap();
        }
        std::fs::write(file("notes.json"), "no result").unwrap();
        let of_one_second = file("2026-03-01T100000Z-2.json");
        assert_eq!(newest(folder.path()).unwrap(), of_one_second);
        let after = file("after.json");
        let document = r#"{"schema": 1, "date": "2026-03-02T10:00:00Z", "results": []}"#;
        std::fs::write(&after, document).unwrap();
        assert_eq!(newest(folder.path()).unwrap(), after);
    }
}
