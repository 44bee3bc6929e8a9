//! What the book prints below a command, and below what is typed at gdb, is what they say. (`tutorial.rs` plays the tutorial,
//! which types at the board, too.)

mod pages;
mod tool;

use std::path::{Path, PathBuf};

use riposte_host::lab::Lab;
use tool::Tool;

/// How a line of the book begins that is a command.
const PROMPT: &str = "$ ./riposte ";

/// How a line of the book begins that is typed at the debugger.
const TYPED: &str = "(gdb) ";

/// The page that a test of its own plays.
const PLAYED: &str = "tutorial.md";

/// A command of the book, and what it says.
struct Sample {
    page: PathBuf,
    command: String,
    /// What is typed at the debugger that it starts.
    typed: Vec<String>,
    lines: Vec<String>,
}

impl Sample {
    /// Whether its command ends by itself, or with what is typed, says the same each time, and takes no more than to build an
    /// application and to run it for moments.
    fn can_be_played(&self) -> bool {
        let mut words = self.command.split(' ');
        match words.next() {
            Some("size" | "boards" | "map" | "stack" | "trace" | "profile" | "core" | "fuzz") => {
                true
            }
            Some("debug") => !self.typed.is_empty(),
            Some("run") => words.any(|it| it == "--virtual"),
            _ => false,
        }
    }

    /// The first of its lines that does not come in what was said, after the lines before it. `…` is whatever there is, a
    /// line or a part of one.
    fn misses<'s>(&'s self, said: &str) -> Option<&'s str> {
        let mut said = said.lines();
        let printed = self.lines.iter().map(|it| it.trim_end());
        let mut printed = printed.filter(|it| !it.is_empty() && *it != "…");
        printed.find(|line| !said.any(|it| is(it, line)))
    }
}

/// Whether a line that was said is that of the book, of which `…` stands for any number of words. What is counted may
/// move by a fiftieth of the line's greatest number, by a compiler or a change elsewhere, before the book is written
/// anew; and the rules of a table are as long as its columns are wide.
fn is(said: &str, printed: &str) -> bool {
    let [said, printed] = [said, printed].map(|it| it.split_whitespace().collect::<Vec<_>>());
    let greatest = said.iter().filter_map(|it| number(it)).fold(0.0, f64::max);
    are(&said, &printed, greatest / 50.0)
}

fn are(said: &[&str], printed: &[&str], most: f64) -> bool {
    match (said, printed) {
        (_, ["…", rest @ ..]) => (0..=said.len()).any(|it| are(&said[it..], rest, most)),
        ([one, said @ ..], [other, printed @ ..]) => {
            is_word(one, other, most) && are(said, printed, most)
        }
        _ => said.is_empty() && printed.is_empty(),
    }
}

/// Whether two words are the same, or numbers that differ by no more than `most`.
fn is_word(said: &str, printed: &str, most: f64) -> bool {
    let is_rule = |it: &str| it.chars().all(|it| it == '-');
    match (number(said), number(printed)) {
        (Some(said), Some(printed)) => (said - printed).abs() <= most,
        _ => said == printed || is_rule(said) && is_rule(printed),
    }
}

fn number(word: &str) -> Option<f64> {
    word.trim_end_matches([',', ';']).parse().ok()
}

/// All commands of a page that stand in a fence with what they say.
fn samples(page: &Path) -> Vec<Sample> {
    let text = std::fs::read_to_string(page).expect("there");
    let fences = text.split("\n```text\n").skip(1);
    let fences = fences.filter_map(|it| it.split("\n```").next());
    let mut samples: Vec<Sample> = vec![];
    for fence in fences.filter(|it| it.starts_with(PROMPT)) {
        for line in fence.lines() {
            if let Some(command) = line.strip_prefix(PROMPT) {
                samples.push(Sample {
                    page: page.to_owned(),
                    command: command.to_owned(),
                    typed: vec![],
                    lines: vec![],
                });
            } else if let Some((typed, sample)) = line.strip_prefix(TYPED).zip(samples.last_mut()) {
                sample.typed.push(typed.to_owned());
            } else if let Some(sample) = samples.last_mut() {
                sample.lines.push(line.to_owned());
            }
        }
    }
    samples
}

#[test]
fn what_the_book_prints_below_a_command_is_what_it_says() {
    let lab = Lab::open().expect("the repository");
    let folder = tempfile::tempdir().expect("a folder");
    let pages = pages::below(&["../docs/src"]).into_iter();
    let pages = pages.filter(|page| !page.ends_with(PLAYED));
    let all = pages.flat_map(|page| samples(&page));
    let played: Vec<Sample> = all.filter(Sample::can_be_played).collect();
    let mut wrong = vec![];
    for sample in &played {
        let words: Vec<&str> = sample.command.split(' ').collect();
        // A command may read what the one before it wrote.
        let mut tool = Tool::new(&words).env("RIPOSTE_ROOT", &lab.root);
        tool = tool.within(folder.path());
        if !sample.typed.is_empty() {
            tool = tool.args(&["--", "-batch"]);
            for line in &sample.typed {
                tool = tool.args(&["-ex", line]);
            }
        }
        if words.first() == Some(&"trace") {
            tool = tool.arg("--output").arg(folder.path());
        }
        let mut running = tool.start();
        let code = running.ends();
        let said = running.text();
        assert_eq!(code, Some(0), "./riposte {}\n{said}", sample.command);
        if let Some(line) = sample.misses(&said) {
            let page = sample.page.display();
            wrong.push(format!(
                "{page}, ./riposte {}: it does not say\n{line}\nbut\n{said}",
                sample.command
            ));
        }
    }
    assert!(played.len() >= 9, "{}", played.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn a_line_of_the_book_may_leave_words_out_and_be_wrong_by_a_fiftieth() {
    assert!(is("hello  644 of 2048,", "hello 644 of 2048,"));
    assert!(is("hello 650 of 2048", "hello 644 of 2048"));
    assert!(is("hello 716 of 2048", "hello … of 2048"));
    assert!(is("hello 716 of 2048", "hello …"));
    assert!(is("-----  --", "----  ----"));
    assert!(!is("hello 716 of 2048", "hello 644 of 2048"));
    assert!(!is("hello 644 of 2048", "hello 644 of"));
    assert!(!is("hello 644 of 2048", "goodbye 644 of 2048"));
    assert!(!is("hello 644 of 2048", "hello … of 4096"));
    let sample = Sample {
        page: PathBuf::new(),
        command: String::new(),
        typed: vec![],
        lines: ["first", "…", "second"].map(str::to_owned).into(),
    };
    assert_eq!(sample.misses("first\nanother\nsecond\n"), None);
    assert_eq!(sample.misses("second\nfirst\n"), Some("second"));
}
