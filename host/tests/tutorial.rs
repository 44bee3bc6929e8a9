//! The tutorial, followed word for word: each file that it shows is written, each command is run, each line that is typed is
//! typed, and what it says that one sees is seen.

mod tool;

use std::path::{Path, PathBuf};

use riposte_host::lab::Lab;
use toml_edit::{DocumentMut, Item, Table};
use tool::{Running, Tool, remove_images};

/// What one fence of the page is for.
enum Step<'p> {
    /// The whole of a file.
    File(&'p str, &'p str),
    /// What comes to the end of a file.
    Appended(&'p str, &'p str),
    /// Keys of `[application]`, or of a process, in a manifest.
    Keys(&'p str, Option<&'p str>, &'p str),
    /// Commands, what is typed, what is seen.
    Session(&'p str),
}

/// What stands between the last two backquotes of a text, or the `n`th pair before them.
fn quoted(text: &str, back: usize) -> Option<&str> {
    let parts: Vec<&str> = text.split('`').collect();
    let quoted: Vec<&str> = parts.iter().skip(1).step_by(2).copied().collect();
    quoted.iter().rev().nth(back).copied()
}

fn step<'p>(before: &'p str, language: &str, text: &'p str) -> Step<'p> {
    let paragraph = before.trim_end().rsplit("\n\n").next().unwrap_or_default();
    let sentence = paragraph
        .rsplit(". ")
        .find(|it| it.len() > 1)
        .unwrap_or_default();
    let [last, before_last] = [0, 1].map(|back| quoted(paragraph, back));
    if language == "text" {
        return Step::Session(text);
    }
    let last = last.unwrap_or_else(|| panic!("no file is named for:\n{text}"));
    if paragraph.ends_with("give the application:") {
        Step::Keys(last, None, text)
    } else if paragraph.contains("give the process") {
        Step::Keys(before_last.expect("a manifest"), Some(last), text)
    } else if sentence.starts_with("To the end of") || paragraph.starts_with("To the end of") {
        Step::Appended(last, text)
    } else {
        assert!(
            paragraph.ends_with(&format!("`{last}`:")),
            "what is this for?\n{paragraph}"
        );
        Step::File(last, text)
    }
}

/// All fences of the page, in their order.
fn steps(page: &str) -> Vec<Step<'_>> {
    let mut steps = vec![];
    let mut rest = page;
    while let Some((before, behind)) = rest.split_once("\n```") {
        let (language, behind) = behind.split_once('\n').expect("a language");
        let (text, behind) = behind.split_once("```").expect("its end");
        steps.push(step(before, language, text));
        rest = behind;
    }
    steps
}

/// Sets keys in a manifest, as a person does who looks for the table.
fn give(file: &Path, process: Option<&str>, keys: &str) {
    let mut manifest: DocumentMut = std::fs::read_to_string(file)
        .expect("there")
        .parse()
        .expect("TOML");
    let table: &mut Table = match process {
        None => manifest["application"].as_table_mut().expect("a table"),
        Some(name) => {
            let all = manifest["process"]
                .as_array_of_tables_mut()
                .expect("processes");
            let mut all = all.iter_mut();
            let found = all.find(|it| it.get("name").and_then(Item::as_str) == Some(name));
            found.unwrap_or_else(|| panic!("no process {name}"))
        }
    };
    let keys: DocumentMut = keys.parse().expect("TOML");
    for (key, value) in keys.iter() {
        table.insert(key, value.clone());
    }
    std::fs::write(file, manifest.to_string()).expect("written");
}

/// Plays one fence of commands in the folder.
fn play(folder: &Path, lab: &Lab, session: &str) {
    let mut running: Option<Running> = None;
    for line in session.lines() {
        if let Some(command) = line.strip_prefix("$ ./riposte ") {
            end(running.take());
            let words: Vec<&str> = command.split(' ').collect();
            let tool = Tool::new(&words).env("RIPOSTE_ROOT", &lab.root);
            running = Some(tool.within(folder).start());
        } else if let Some(typed) = line.strip_prefix("> ") {
            running
                .as_mut()
                .expect("a command")
                .hears(&format!("{typed}\n"));
        } else {
            // Who is elsewhere is told the command's place.
            let command = lab.root.join("riposte").display().to_string();
            let line = line.replace("./riposte", &command);
            sees(running.as_mut().expect("a command"), &line);
        }
    }
    end(running);
}

/// A line is seen that has these pieces, in their order: what is between two of them, `…` on the page, differs.
fn sees(running: &mut Running, line: &str) {
    let pieces: Vec<&str> = line.split('…').map(str::trim).collect();
    let longest = pieces.iter().max_by_key(|it| it.len()).expect("a piece");
    let seen = running.says(longest);
    let mut rest = seen.as_str();
    for piece in &pieces {
        let behind = rest.split_once(piece);
        (_, rest) = behind.unwrap_or_else(|| panic!("`{seen}` is not `{line}`"));
    }
}

fn end(running: Option<Running>) {
    if let Some(mut running) = running {
        let code = running.ends();
        assert_eq!(code, Some(0), "{}", running.text());
    }
}

#[test]
fn somebody_who_follows_the_tutorial_has_a_station_in_the_end() {
    let page = std::fs::read_to_string("../docs/src/tutorial.md").expect("there");
    let lab = Lab::open().expect("the repository");
    let folder = tempfile::tempdir().expect("a folder");
    let root = folder.path().canonicalize().expect("there");
    let steps = steps(&page);
    assert!(steps.len() > 20, "{} steps", steps.len());
    let place = |file: &str| -> PathBuf { root.join(file) };
    for step in steps {
        match step {
            Step::File(file, text) => std::fs::write(place(file), text).expect("written"),
            Step::Appended(file, text) => {
                let before = std::fs::read_to_string(place(file)).expect("there");
                std::fs::write(place(file), before + text).expect("written");
            }
            Step::Keys(file, process, keys) => give(&place(file), process, keys),
            Step::Session(session) => play(&root, &lab, session),
        }
    }
    remove_images(&lab, &root.join("station"));
}
