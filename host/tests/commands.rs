//! Each command that the book shows is one that the tool takes.

mod pages;

use std::path::PathBuf;

use clap::Parser;
use clap::error::ErrorKind;
use riposte_host::cli::Cli;

/// How a command begins.
const TOOL: &str = "./riposte ";

/// What stands in the place of something, and something that can.
const PLACEHOLDERS: [(&str, &str); 25] = [
    ("SUITE/CASE", "core/rt-1w"),
    ("NODE=TIME", "north=5s"),
    ("F,N,W", "2,1,2"),
    ("A,B…", "one,two"),
    ("rust|c", "c"),
    ("bash|zsh|fish", "fish"),
    ("--quick|--full", "--quick"),
    ("A", "before"),
    ("APP", "hello"),
    ("ARGUMENT", "-batch"),
    ("B", "ibex"),
    ("BOARD", "ibex"),
    ("FAULTS", "loss=5%"),
    ("FILE", "file"),
    ("FOLDER", "folder"),
    ("GROUP", "nodes"),
    ("KIB", "64"),
    ("N", "64"),
    ("NAME", "name"),
    ("PERCENT", "2"),
    ("PORT", "1234"),
    ("PROCESS", "process"),
    ("SECONDS", "5"),
    ("STAGE", "host"),
    ("SUITE", "core"),
];

/// All pages that show commands: the book's, its records' of decisions too, and those at the root.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec![
        PathBuf::from("../README.md"),
        PathBuf::from("../CONTRIBUTING.md"),
    ];
    pages.extend(pages::below(&["../docs"]));
    pages
}

/// The commands of a page: in its fences, of a line, without what a shell does with it; and between backquotes.
fn commands(text: &str) -> Vec<String> {
    let mut commands = vec![];
    for (index, part) in text.split("\n```").enumerate() {
        if index % 2 == 1 {
            let lines = part.replace("\\\n", " ");
            let begins = |it: &str| it.trim_start_matches("$ ").starts_with(TOOL);
            let lines = lines.lines().filter(|it| begins(it));
            let ends = |line: &str| line.split("&& ").map(str::to_owned).collect::<Vec<_>>();
            commands.extend(lines.flat_map(ends));
        } else {
            let spans = part.split('`').skip(1).step_by(2);
            commands.extend(spans.map(|it| it.replace('\n', " ")));
        }
    }
    let commands = commands.iter().filter_map(|it| {
        let it = it.trim_start_matches("$ ").strip_prefix(TOOL)?;
        let ends = [" #", "  ", " |", " >", " &"];
        let end = ends.iter().filter_map(|end| it.find(end)).min();
        Some(it[..end.unwrap_or(it.len())].trim().to_owned())
    });
    commands.filter(|it| !it.is_empty()).collect()
}

/// A word with something in the place of what it stands for.
fn filled_in(word: &str) -> String {
    let word = word.trim_end_matches('…');
    let found = PLACEHOLDERS.iter().find(|(name, _)| *name == word);
    if let Some((_, something)) = found {
        return (*something).to_owned();
    }
    let (option, value) = word.split_once('=').unwrap_or((word, ""));
    let found = PLACEHOLDERS.iter().find(|(name, _)| *name == value);
    found.map_or_else(
        || word.to_owned(),
        |(_, something)| format!("{option}={something}"),
    )
}

/// The words of a command, with all that it may have and something in the place of each placeholder. What is quoted is
/// one word.
fn words(command: &str) -> Vec<String> {
    let command = command.replace("\\|", "|").replace("A,B…", "one,two");
    let mut words = vec![];
    for (index, part) in command.split('\'').enumerate() {
        if index % 2 == 1 {
            words.push(part.to_owned());
        } else {
            let plain = part.replace(['[', ']'], " ");
            words.extend(plain.split_whitespace().map(filled_in));
        }
    }
    words.retain(|it| !it.is_empty());
    words
}

/// Why the tool does not take a command. One that is only named is right, and so is a list of options of which some
/// exclude each other.
fn refused(command: &str) -> Option<String> {
    let all = words(command);
    let error = Cli::try_parse_from(std::iter::once(TOOL).chain(all.iter().map(String::as_str)));
    let error = error.err()?;
    let is_named = all.len() == 1;
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => None,
        ErrorKind::MissingRequiredArgument if is_named => None,
        ErrorKind::ArgumentConflict if command.contains('[') => None,
        _ => Some(format!("./riposte {command}: {error}")),
    }
}

#[test]
fn every_command_of_the_book_is_one_that_the_tool_takes() {
    let mut wrong = vec![];
    let mut count = 0;
    for page in pages() {
        let text = std::fs::read_to_string(&page).expect("there");
        for command in commands(&text) {
            count += 1;
            let why = refused(&command);
            wrong.extend(why.map(|why| format!("{}: {why}", page.display())));
        }
    }
    assert!(count > 100, "{count}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn commands_are_found_and_the_wrong_ones_refused() {
    let page = "Say `./riposte run APP [--board B]`.\n\n```text\n./riposte new a --lang rust && ./riposte run a   # go\n```\n";
    let found = commands(page);
    assert_eq!(found, ["run APP [--board B]", "new a --lang rust", "run a"]);
    assert!(found.iter().all(|it| refused(it).is_none()));
    assert_eq!(refused("run"), None);
    for wrong in [
        "runs APP",
        "run APP --bord B",
        "run --raw",
        "trace hello --events 7",
    ] {
        assert!(refused(wrong).is_some(), "{wrong}");
    }
}
