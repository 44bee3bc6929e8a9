//! The personality of ChibiOS/RT: that its page tells what `ch.h` has and has not, and that it compiles as
//! whatever a program is compiled as.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;

use riposte_host::build::c::Compiler;
use riposte_host::lab::Lab;

const HEADERS: &str = "personalities/chibios/include";
const SOURCES: &str = "personalities/chibios/src";
/// A compiler of each family.
const TARGETS: [&str; 2] = ["thumbv7m-none-eabi", "riscv32imac-unknown-none-elf"];

fn root() -> PathBuf {
    Path::new("..").canonicalize().expect("the repository")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Whether a word is the name of a call: `ch`, and a capital letter.
fn is_call(word: &str) -> bool {
    word.strip_prefix("ch")
        .is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_uppercase()))
}

/// The calls that a text names.
fn calls_in(text: &str) -> BTreeSet<String> {
    text.split(|it: char| !it.is_ascii_alphanumeric() && it != '_')
        .filter(|word| is_call(word))
        .map(str::to_owned)
        .collect()
}

/// The calls of the page's table that are as `states` say.
fn calls_that_are(states: &[&str]) -> BTreeSet<String> {
    let page = read(&root().join("docs/src/personalities/chibios.md"));
    let (_, table) = page.split_once("## Call by call").expect("the table");
    let (table, _) = table.split_once("\n## ").expect("its end");
    let mut found = BTreeSet::new();
    for row in table.lines().filter(|line| line.starts_with('|')) {
        let cells: Vec<_> = row.split('|').map(str::trim).collect();
        if states.contains(&cells[2]) {
            // Behind the colon is how, or why: it may name others.
            found.extend(calls_in(cells[3].split(':').next().unwrap_or_default()));
        }
    }
    assert!(!found.is_empty(), "{states:?}");
    found
}

/// Compiles a source, and takes every warning for an error; what the compiler says.
fn compiled(mut command: Command, source: &Path) -> Result<(), String> {
    command.args([
        "--specs=picolibc.specs",
        "-Wall",
        "-Wextra",
        "-Wpedantic",
        "-Werror",
    ]);
    for folder in ["c/include", HEADERS] {
        command.arg("-I").arg(root().join(folder));
    }
    command.arg("-c").arg(source).args(["-o", "/dev/null"]);
    let output = command.output().expect("the compiler runs");
    if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

fn compilers() -> impl Iterator<Item = Compiler> {
    TARGETS
        .into_iter()
        .map(|target| Compiler::known(target).expect("known"))
}

/// A program that takes the address of each function, and would not compile if there were no such call.
fn program_with(calls: &BTreeSet<String>) -> String {
    let mut text =
        "#include <ch.h>\nint main(void)\n{\n    volatile uintptr_t sum = 0;\n".to_owned();
    for call in calls {
        writeln!(
            text,
            "#ifndef {call}\n    sum += (uintptr_t)&{call};\n#endif"
        )
        .expect("written");
    }
    text + "    return sum == 1;\n}\n"
}

#[test]
fn the_page_has_every_call_that_the_header_has() {
    let mut declared = BTreeSet::new();
    let folder = root().join(HEADERS).join("ch");
    for entry in std::fs::read_dir(folder).expect("headers") {
        let path = entry.expect("a header").path();
        // Spellings of another version.
        if !path.ends_with("api_2_4.h") {
            declared.extend(calls_in(&read(&path)));
        }
    }
    let told = calls_that_are(&["done", "limited", "absent"]);
    assert_eq!(
        declared.difference(&told).collect::<Vec<_>>(),
        Vec::<&String>::new()
    );
    assert_eq!(
        told.difference(&declared).collect::<Vec<_>>(),
        Vec::<&String>::new()
    );
}

#[test]
fn every_call_that_the_page_says_is_there_compiles_and_links() {
    let calls = calls_that_are(&["done", "limited"]);
    assert!(calls.len() > 250, "{}", calls.len());
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("all/main.c");
    std::fs::create_dir_all(folder.path().join("all")).expect("made");
    std::fs::write(&source, program_with(&calls)).expect("written");
    for compiler in compilers() {
        compiled(compiler.command(), &source).unwrap_or_else(|said| panic!("{said}"));
    }
    let root = root();
    let program = format!(
        "sources = [\"{0}/{SOURCES}\"]\ninclude = [\"{0}/{HEADERS}\"]\n",
        root.display()
    );
    std::fs::write(folder.path().join("all/program.toml"), program).expect("written");
    std::fs::write(folder.path().join("app.toml"), MANIFEST).expect("written");
    let lab = Lab::open().expect("the repository");
    let application = lab.load(folder.path()).expect("right");
    for board in ["mps2-an386", "virt-rv32"] {
        let board = lab.board(board).expect("there");
        lab.build(&application, board).expect("it builds and links");
    }
}

const MANIFEST: &str = r#"
[application]
name = "all-of-chibios"
boards = ["mps2-an386", "virt-rv32"]

[[process]]
name = "all"
program = "./all"
priority = 10
stack = "2KiB"
threads_spare = 1
spare_stack = "1KiB"
priority_limit = 12
"#;

#[test]
fn every_call_that_the_page_says_is_absent_is_refused_by_its_name_with_a_reason() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut text = "#include <ch.h>\nint main(void)\n{\n    int sum = 0;\n".to_owned();
    let absent = calls_that_are(&["absent"]);
    for call in &absent {
        writeln!(text, "    sum += {call}(1, \"\");").expect("written");
    }
    text += "    return sum;\n}\n";
    for (compiler, level, name) in compilers()
        .flat_map(|compiler| ["-O0", "-Os", "-O2"].map(|level| (compiler.clone(), level)))
        .flat_map(|(compiler, level)| {
            ["main.c", "main.cpp"].map(|name| (compiler.clone(), level, name))
        })
    {
        let source = folder.path().join(name);
        std::fs::write(&source, &text).expect("written");
        let is_c = name.ends_with(".c");
        let mut command = if is_c {
            compiler.command()
        } else {
            compiler.cpp_command()
        };
        command.arg(level);
        let said = compiled(command, &source).expect_err("it is refused");
        for call in &absent {
            let named = said
                .lines()
                .find(|line| line.contains(call) && line.contains("error: "));
            let line = named.unwrap_or_else(|| panic!("{call} is not refused:\n{said}"));
            let (_, why) = line
                .split_once("attribute error: ")
                .unwrap_or_else(|| panic!("{line}"));
            assert!(why.len() > 10, "{line}");
        }
    }
}

#[test]
fn the_header_compiles_as_any_standard_at_any_level_without_a_warning() {
    let folder = tempfile::tempdir().expect("a folder");
    for compiler in compilers() {
        for level in ["-O0", "-Os", "-O2"] {
            for (standard, name) in [
                ("-std=c99", "includes.c"),
                ("-std=c11", "includes.c"),
                ("-std=c++17", "includes.cpp"),
            ] {
                for spelling in ["", "#define CH_API_2_4\n"] {
                    let source = folder.path().join(name);
                    let text = format!("{spelling}#include <ch.h>\n");
                    std::fs::write(&source, text).expect("written");
                    let is_c = name.ends_with(".c");
                    let mut command = if is_c {
                        compiler.command()
                    } else {
                        compiler.cpp_command()
                    };
                    command.args([standard, level]);
                    compiled(command, &source)
                        .unwrap_or_else(|said| panic!("{standard} {level}: {said}"));
                }
            }
        }
    }
}

#[test]
fn its_sources_compile_at_any_level_without_a_warning() {
    let mut count = 0;
    for entry in std::fs::read_dir(root().join(SOURCES)).expect("sources") {
        let source = entry.expect("a source").path();
        if source.extension().is_none_or(|it| it != "c") {
            continue;
        }
        for compiler in compilers() {
            for level in ["-O0", "-Os", "-O2"] {
                let mut command = compiler.command();
                command.args(["-std=c11", level]);
                compiled(command, &source)
                    .unwrap_or_else(|said| panic!("{} {level}: {said}", source.display()));
            }
        }
        count += 1;
    }
    assert!(count > 15, "{count}");
}
