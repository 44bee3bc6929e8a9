//! Completion by a shell, which asks `./riposte` as it stands.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::process::{Command, Output};

use riposte_host::cli::Shell;
use riposte_host::completion::script;
use riposte_host::lab::Lab;
use riposte_host::toolchain::on_path;

/// Writes the script by which `shell` asks, and returns where.
fn registered(shell: Shell, root: &Path, folder: &Path) -> String {
    let file = folder.join("completion");
    fs::write(&file, script(shell, root).expect("written")).expect("written");
    file.to_str().expect("text").to_owned()
}

/// What bash offers for the last of these words, typed in the checkout.
fn bash(root: &Path, words: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a directory");
    let file = registered(Shell::Bash, root, folder.path());
    let typed: Vec<&str> = words.split(' ').collect();
    let last = typed.last().expect("a word");
    let asks = format!(
        "source {file}; COMP_WORDS=(./riposte {words}); COMP_CWORD={}; COMP_TYPE=9; \
         _clap_complete_riposte ./riposte '{last}' ''; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        typed.len(),
    );
    let mut bash = Command::new("bash");
    let output = bash.args(["-c", &asks]).current_dir(root).output();
    lines(&output.expect("bash is there"))
}

/// What fish offers for the last of these words, without what it says of each.
fn fish(root: &Path, words: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a directory");
    let file = registered(Shell::Fish, root, folder.path());
    let asks = format!("source {file}; complete -C './riposte {words}'");
    let mut fish = Command::new("fish");
    fish.args(["--no-config", "-c", &asks]).current_dir(root);
    let offered = lines(
        &fish
            .env("HOME", folder.path())
            .output()
            .expect("fish is there"),
    );
    let value = |line: &String| line.split('\t').next().unwrap_or_default().to_owned();
    offered.iter().map(value).collect()
}

/// What zsh has on its line when somebody has typed these words and the tab: its line editor completes, in a terminal of
/// its own.
fn zsh(root: &Path, words: &str) -> String {
    let folder = tempfile::tempdir().expect("a directory");
    let file = registered(Shell::Zsh, root, folder.path());
    let line = folder.path().join("line");
    let inner = folder.path().join("inner");
    let editor = format!(
        "autoload -Uz compinit; compinit -D -u; source {file}\n\
         zle-line-init() {{ BUFFER='./riposte {words}'; CURSOR=$#BUFFER; zle complete-word; \
         print -r -- \"$BUFFER\" >{}; exit }}\nzle -N zle-line-init\n",
        line.display()
    );
    fs::write(&inner, editor).expect("written");
    let terminal = format!(
        "zmodload zsh/zpty; zpty shell zsh -f -i; zpty -w shell 'source {}'; \
         while zpty -r shell said; do :; done",
        inner.display()
    );
    let mut zsh = Command::new("zsh");
    zsh.args(["-f", "-c", &terminal]).current_dir(root);
    let output = zsh.output().expect("zsh is there");
    fs::read_to_string(&line).unwrap_or_else(|_| panic!("its editor has no line: {output:?}"))
}

/// Whether a shell that nobody needs is here; a test that is not played says so past the harness, which keeps what a test
/// that passed has printed.
fn is_here(shell: &str) -> bool {
    let is_here = on_path(shell).is_some();
    if !is_here {
        let said = format!(
            "NOT PLAYED: completion by {shell}, which is not here; get it: apt-get install {shell}\n"
        );
        // Nobody may listen any more.
        let _ = io::stderr().write_all(said.as_bytes());
    }
    is_here
}

/// Words of which one is begun, and the only one that there is.
const ONLY: [(&str, &str); 8] = [
    ("pro", "profile"),
    ("profile --fla", "--flame"),
    ("new --lang ru", "rust"),
    ("run therm", "thermometer"),
    ("run hello --board mps2-an386", "mps2-an386"),
    ("bench rex", "rexis"),
    ("profile system/signal-s", "system/signal-self"),
    ("size examples/therm", "examples/thermometer/"),
];

fn lines(output: &Output) -> Vec<String> {
    let said = String::from_utf8_lossy(&output.stdout);
    said.lines().map(|line| line.trim().to_owned()).collect()
}

#[test]
fn bash_completes_commands_options_and_names_of_what_there_is() {
    let lab = Lab::open().expect("the repository");
    for (words, wanted) in ONLY {
        assert_eq!(bash(&lab.root, words), [wanted], "{words}");
    }
    let boards = bash(&lab.root, "trace hello --board virt");
    assert_eq!(boards, ["virt-rv32", "virt-rv32-mmu"]);
    assert_eq!(bash(&lab.root, "run no-such-application"), [""]);
}

#[test]
fn fish_completes_the_same() {
    let lab = Lab::open().expect("the repository");
    if !is_here("fish") {
        return;
    }
    for (words, wanted) in ONLY {
        assert_eq!(fish(&lab.root, words), [wanted], "{words}");
    }
    let boards = fish(&lab.root, "trace hello --board virt");
    assert_eq!(boards, ["virt-rv32", "virt-rv32-mmu"]);
    let none: [&str; 0] = [];
    assert_eq!(fish(&lab.root, "run no-such-application"), none);
}

#[test]
fn zsh_completes_the_same() {
    let lab = Lab::open().expect("the repository");
    if !is_here("zsh") {
        return;
    }
    for (words, wanted) in ONLY {
        let (before, _) = words.rsplit_once(' ').unwrap_or_default();
        let line = [
            &["./riposte"][..],
            &before.split_whitespace().collect::<Vec<_>>(),
            &[wanted],
        ]
        .concat()
        .join(" ");
        assert_eq!(zsh(&lab.root, words).trim_end(), line, "{words}");
    }
    let first = zsh(&lab.root, "trace hello --board virt");
    assert_eq!(first.trim_end(), "./riposte trace hello --board virt-rv32");
    let as_it_was = zsh(&lab.root, "run no-such-application");
    assert_eq!(as_it_was.trim_end(), "./riposte run no-such-application");
}

#[test]
fn the_other_shells_ask_the_same() {
    let lab = Lab::open().expect("the repository");
    let command = lab.root.join("riposte");
    for (shell, name) in [(Shell::Zsh, "zsh"), (Shell::Fish, "fish")] {
        let script = script(shell, &lab.root).expect("written");
        assert!(script.contains(command.to_str().expect("text")), "{script}");
        assert!(
            script.contains(&format!("RIPOSTE_COMPLETE=\"{name}\""))
                || script.contains(&format!("RIPOSTE_COMPLETE={name}")),
            "{script}"
        );
        let mut asked = Command::new(&command);
        asked
            .args(["--", "./riposte", "run", "hel"])
            .current_dir(&lab.root);
        asked
            .env("RIPOSTE_COMPLETE", name)
            .env("_CLAP_COMPLETE_INDEX", "2");
        let output = asked.output().expect("it runs");
        let said = lines(&output);
        assert!(
            said.iter().any(|line| line.starts_with("hello")),
            "{name}: {said:?}"
        );
    }
}
