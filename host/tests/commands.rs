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

/// Commands of listings that are not played with what is printed below them: how they begin, and the test that runs such a
/// one, with its file.
const RUN: [(&str, &str, &str); 15] = [
    ("add logger", "tutorial.rs", TUTORIAL),
    (
        "bench",
        "bench.rs",
        "a_bench_ends_with_its_figures_on_the_screen_in_a_file_and_on_a_page",
    ),
    ("new", "tutorial.rs", TUTORIAL),
    (
        "profile core/rt-1w",
        "profile.rs",
        "a_profile_of_an_emulated_case_adds_up_to_its_figure_and_names_kernel_and_processes",
    ),
    ("run blink", "tutorial.rs", TUTORIAL),
    (
        "run card --card",
        "run.rs",
        "the_card_of_an_emulator_writes_through",
    ),
    (
        "run gateway",
        "../../gateway/tests/example.rs",
        "a_program_in_python_asks_a_board_and_is_asked_by_it",
    ),
    ("run hello", "../src/test/boards.rs", "applications"),
    ("run hello-you", "tutorial.rs", TUTORIAL),
    ("run keys", "../src/test/boards.rs", "applications"),
    (
        "run nodes",
        "nodes.rs",
        "the_example_tells_on_both_consoles_how_one_of_two_machines_begins_anew",
    ),
    (
        "run ping",
        "run.rs",
        "who_pings_at_the_shell_is_told_who_sends_it_back",
    ),
    (
        "run shell",
        "run.rs",
        "a_person_at_the_shell_sees_who_runs_and_keeps_files",
    ),
    ("run unruly", "../src/test/boards.rs", "applications"),
    (
        "run web",
        "network.rs",
        "a_board_serves_a_web_page_with_its_state",
    ),
];
/// Who plays the tutorial's commands makes, extends and runs an application.
const TUTORIAL: &str = "somebody_who_follows_the_tutorial_has_a_station_in_the_end";
/// The command that runs the tests, which no test runs.
const NOT_RUN: &str = "test";

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

/// The commands in a page's listings that are shown without what they print.
fn not_played(text: &str) -> Vec<String> {
    let listings = text.split("\n```").skip(1).step_by(2);
    let listings = listings.map(|it| it.replace("\n$ ", "\nplayed: "));
    let listings: String = listings.map(|it| format!("\n```{it}\n```\n")).collect();
    commands(&listings)
}

#[test]
fn each_command_of_a_listing_is_run_by_a_test() {
    let is = |command: &str, known: &str| {
        let rest = command.strip_prefix(known);
        rest.is_some_and(|it| it.is_empty() || it.starts_with(' '))
    };
    let records = PathBuf::from("../docs/src/decisions");
    let pages = pages().into_iter().filter(|it| !it.starts_with(&records));
    let shown = pages.flat_map(|page| not_played(&std::fs::read_to_string(page).expect("there")));
    let shown: Vec<String> = shown.collect();
    assert!(shown.len() > 20, "{shown:?}");
    for command in &shown {
        let mut known = RUN.iter().map(|it| it.0).chain([NOT_RUN]);
        assert!(
            known.any(|it| is(command, it)),
            "no test runs ./riposte {command}"
        );
    }
    for (known, file, test) in RUN {
        assert!(
            shown.iter().any(|it| is(it, known)),
            "no page shows {known}"
        );
        let text = std::fs::read_to_string(PathBuf::from("tests").join(file)).expect(file);
        assert!(
            text.contains(&format!("fn {test}(")),
            "{file} has no {test}"
        );
    }
}
