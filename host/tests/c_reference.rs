//! The book has a page for each call of `riposte.h`, which is made of its comment.

mod c_comments;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use c_comments::{Function, functions};

/// A chapter: its file, its title, and how the names of its functions begin, behind `riposte_`.
const CHAPTERS: [(&str, &str, &[&str]); 8] = [
    (
        "messages",
        "Messages",
        &[
            "send", "receive", "try", "reply", "read", "write", "relay", "peer", "message",
        ],
    ),
    (
        "memory",
        "Memory that is lent, given and shared",
        &["lend", "move", "release", "reclaim", "pages", "region"],
    ),
    (
        "names",
        "What the manifest gives",
        &[
            "connect",
            "connection",
            "close",
            "channel",
            "client",
            "peripheral",
            "setting",
            "process",
            "name",
        ],
    ),
    (
        "events",
        "Proxies, timers, interrupts, notification bits",
        &["proxy", "timer", "interrupt", "notify", "clock", "sleep"],
    ),
    ("signals", "Signals", &["signal"]),
    ("console", "What is typed at the console", &["console"]),
    (
        "threads",
        "Threads and the process",
        &[
            "thread",
            "is",
            "yield",
            "null",
            "instructions",
            "exit",
            "shutdown",
            "raw",
            "panic",
            "fault",
            "stack",
            "error",
        ],
    ),
    (
        "sync",
        "Threads that wait for each other",
        &[
            "semaphore",
            "mutex",
            "recursive",
            "condvar",
            "event",
            "rwlock",
            "once",
            "barrier",
            "mailbox",
            "queue",
            "byte",
            "pool",
            "heap",
            "word",
            "futex",
        ],
    ),
];

fn root() -> PathBuf {
    Path::new("..").canonicalize().expect("the repository")
}

/// The functions that have a page.
fn documented() -> Vec<Function> {
    let mut all = functions(&root());
    all.retain(|it| !it.is_half());
    all
}

/// Which chapter a function is in, by the first word of its name.
fn chapter(function: &Function) -> &'static str {
    let rest = function.name.trim_start_matches("riposte_");
    let word = rest.split('_').next().unwrap_or_default();
    let found = CHAPTERS.iter().find(|(_, _, words)| words.contains(&word));
    found
        .unwrap_or_else(|| panic!("no chapter of c_reference.rs has {}", function.name))
        .0
}

fn page(function: &Function) -> String {
    let mut text = format!(
        "\n## {}\n\n```text\n{}\n```\n\n{}\n",
        function.name, function.prototype, function.purpose
    );
    let parameters: Vec<_> = function
        .all("param")
        .filter_map(|it| it.split_once(' '))
        .collect();
    if !parameters.is_empty() {
        text += "\n| parameter | |\n| --- | --- |\n";
    }
    for (name, meaning) in parameters {
        let _ = writeln!(text, "| `{name}` | {meaning} |");
    }
    for value in function.all("return") {
        let _ = write!(text, "\n**Returns** {value}\n");
    }
    let errors: Vec<_> = function
        .all("error")
        .filter_map(|it| it.split_once(' '))
        .collect();
    if !errors.is_empty() {
        text += "\n| error | |\n| --- | --- |\n";
    }
    for (name, meaning) in errors {
        let _ = writeln!(text, "| `{name}` | {meaning} |");
    }
    for (tag, title) in [("blocks", "Blocks"), ("from", "Called from")] {
        for said in function.all(tag) {
            let _ = write!(text, "\n**{title}:** {said}\n");
        }
    }
    text
}

fn chapters() -> Vec<(PathBuf, String)> {
    let mut functions = documented();
    functions.sort_by(|one, other| one.name.cmp(&other.name));
    let made = CHAPTERS.iter().map(|(file, title, _)| {
        let mut text = format!(
            "# {title}\n\nOf `riposte.h`, in order of name. Errors are the return value, or `RIPOSTE_OK`; what \
             is said of errors and deadlines in [Programs in C](../c.md) holds for all.\n"
        );
        for function in functions.iter().filter(|it| chapter(it) == *file) {
            text += &page(function);
        }
        (root().join("docs/src/c").join(file).with_extension("md"), text)
    });
    made.collect()
}

#[test]
fn the_book_has_a_page_for_each_call_of_the_c_library() {
    for (file, made) in chapters() {
        if std::env::var_os("RIPOSTE_WRITE").is_some() {
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
            std::fs::write(&file, &made).expect("written");
        }
        let committed = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(
            committed == made,
            "{} is stale; run: RIPOSTE_WRITE=1 cargo test -p riposte-host --test c_reference",
            file.display()
        );
        let summary = std::fs::read_to_string(root().join("docs/src/SUMMARY.md")).expect("there");
        let name = file.file_name().expect("a name").display().to_string();
        assert!(
            summary.contains(&format!("(c/{name})")),
            "SUMMARY.md lacks c/{name}"
        );
    }
}

#[test]
fn each_page_says_what_the_call_does_its_parameters_its_errors_whether_it_blocks_and_from_where() {
    let functions = documented();
    assert!(functions.len() > 150, "{}", functions.len());
    for function in functions {
        let name = &function.name;
        assert!(function.purpose.len() > 10, "{name} has no purpose");
        for tag in ["blocks", "from"] {
            assert_eq!(function.all(tag).count(), 1, "{name} has no @{tag}");
        }
        let told: Vec<_> = function
            .all("param")
            .filter_map(|it| it.split(' ').next())
            .collect();
        assert_eq!(told, function.parameters(), "@param of {name}");
        let fails = function.prototype.starts_with("riposte_error_t");
        let errors = function.all("error").count() > 0;
        assert!(fails == errors, "{name}: @error");
        let gives = !function.prototype.contains("void riposte_") && !fails;
        assert!(
            gives == (function.all("return").count() > 0),
            "{name}: @return"
        );
    }
}
