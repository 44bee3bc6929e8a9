//! What the tool says on a terminal and elsewhere: colours are for people who look.

use std::fs::{self, File};
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::pty::openpty;

/// How a colour begins.
const ESCAPE: char = '\x1b';

/// The tool with these words, where nothing is said of colours.
fn tool(words: &[&str]) -> Command {
    let mut tool = Command::new(env!("CARGO_BIN_EXE_riposte-host"));
    tool.args(words).stdin(Stdio::null());
    for name in ["NO_COLOR", "FORCE_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        tool.env_remove(name);
    }
    tool.env("TERM", "xterm-256color");
    tool
}

/// What it says into pipes.
fn into_pipes(mut tool: Command) -> String {
    let done = tool.output().expect("it runs");
    let [out, err] = [done.stdout, done.stderr].map(|it| String::from_utf8(it).expect("text"));
    out + &err
}

/// What it says on a terminal.
fn on_a_terminal(mut tool: Command) -> String {
    let terminal = openpty(None, None).expect("a terminal");
    let mut child = tool
        .stdout(terminal.slave.try_clone().expect("another one"))
        .stderr(terminal.slave)
        .spawn()
        .expect("it runs");
    // The command keeps the terminal open, which ends when nobody has it any more.
    drop(tool);
    let mut said = vec![];
    // Linux says that with an error.
    let _ = File::from(terminal.master).read_to_end(&mut said);
    child.wait().expect("it ends");
    String::from_utf8(said).expect("text")
}

/// The folder of a manifest that is refused.
fn wrong() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "[application]\nname = \"wrong\"\nboards = [\"mps2-an386\"]\nprioritty = 1\n";
    fs::write(folder.path().join("app.toml"), text).expect("written");
    folder
}

#[test]
fn colours_are_on_terminals_alone_and_not_there_if_nobody_wants_them() {
    let wrong = wrong();
    let place = Path::to_str(wrong.path()).expect("a name");
    for words in [&["--help"][..], &["size", place]] {
        let seen = on_a_terminal(tool(words));
        assert!(seen.contains(ESCAPE), "{words:?}: {seen:?}");
        let piped = into_pipes(tool(words));
        assert!(!piped.contains(ESCAPE), "{words:?}: {piped:?}");
        assert!(piped.len() > 50, "{words:?}: {piped:?}");
        let mut plain = tool(words);
        plain.env("NO_COLOR", "1");
        let plain = on_a_terminal(plain);
        assert!(!plain.contains(ESCAPE), "{words:?}: {plain:?}");
    }
}

/// A program reads the same JSON wherever it is printed.
#[test]
fn json_has_no_colours_on_a_terminal_either() {
    let seen = on_a_terminal(tool(&["boards", "--json"]));
    assert!(!seen.contains(ESCAPE), "{seen:?}");
    assert!(serde_json::from_str::<serde_json::Value>(&seen).is_ok());
}

#[test]
fn an_unknown_application_is_told_in_a_few_words_by_every_command_that_takes_one() {
    for command in ["run", "trace", "debug", "core", "size", "map", "stack"] {
        let said = into_pipes(tool(&[command, "nonsuch"]));
        assert!(
            said.contains("unknown application `nonsuch`"),
            "{command}: {said}"
        );
        assert!(
            said.contains("ls examples bench tests/boards"),
            "{command}: {said}"
        );
        assert!(said.len() < 700, "{command}: {said}");
    }
}

#[test]
fn where_there_is_no_room_for_what_is_printed_one_line_says_so() {
    for words in [
        &["boards"][..],
        &["boards", "--json"],
        &["schema"],
        &["--help"],
        &["help", "run"],
        &["--version"],
    ] {
        let full = File::options().write(true).open("/dev/full");
        let mut tool = tool(words);
        tool.stdout(full.expect("Linux has it"));
        let done = tool.stderr(Stdio::piped()).output().expect("it runs");
        let said = String::from_utf8(done.stderr).expect("text");
        let start = "riposte: what is printed cannot be written: ";
        assert!(said.starts_with(start), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(!done.status.success());
    }
}

#[test]
fn where_there_is_no_room_to_say_why_either_the_exit_code_is_the_same() {
    for (words, code) in [
        (&["--help"][..], 1),
        (&["run", "no-such-application"], 1),
        (&["no-such-command"], 2),
    ] {
        let full = || {
            let full = File::options().write(true).open("/dev/full");
            full.expect("Linux has it")
        };
        let done = tool(words).stdout(full()).stderr(full()).status();
        assert_eq!(done.expect("it runs").code(), Some(code), "{words:?}");
    }
}
