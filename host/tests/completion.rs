//! Completion by a shell, which asks `./riposte` as it stands.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use riposte_host::cli::Shell;
use riposte_host::completion::script;
use riposte_host::lab::Lab;

/// What bash offers for the last of these words, typed in the checkout.
fn bash(root: &Path, words: &str) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a directory");
    let file = folder.path().join("riposte.bash");
    fs::write(&file, script(Shell::Bash, root).expect("written")).expect("written");
    let typed: Vec<&str> = words.split(' ').collect();
    let last = typed.last().expect("a word");
    let asks = format!(
        "source {}; COMP_WORDS=(./riposte {words}); COMP_CWORD={}; COMP_TYPE=9; \
         _clap_complete_riposte ./riposte '{last}' ''; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        file.display(),
        typed.len(),
    );
    let mut bash = Command::new("bash");
    let output = bash.args(["-c", &asks]).current_dir(root).output();
    lines(&output.expect("bash is there"))
}

fn lines(output: &Output) -> Vec<String> {
    let said = String::from_utf8_lossy(&output.stdout);
    said.lines().map(|line| line.trim().to_owned()).collect()
}

#[test]
fn bash_completes_commands_options_and_names_of_what_there_is() {
    let lab = Lab::open().expect("the repository");
    for (words, wanted) in [
        ("pro", "profile"),
        ("profile --fla", "--flame"),
        ("new --lang ru", "rust"),
        ("run therm", "thermometer"),
        ("run hello --board mps2-an386", "mps2-an386"),
        ("bench rex", "rexis"),
        ("profile system/signal-s", "system/signal-self"),
        ("size examples/therm", "examples/thermometer/"),
    ] {
        assert_eq!(bash(&lab.root, words), [wanted], "{words}");
    }
    let boards = bash(&lab.root, "trace hello --board virt");
    assert_eq!(boards, ["virt-rv32", "virt-rv32-mmu"]);
    assert_eq!(bash(&lab.root, "run no-such-application"), [""]);
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
