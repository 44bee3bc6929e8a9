//! `c/posix/conformance/` says the truth, and the page of the book says what it does.

use std::path::{Path, PathBuf};
use std::process::Command;

use riposte_host::build::c::Compiler;
use riposte_host::conformance::{CANCELLATION_POINTS, Table, tables};

/// A board of each family of processors.
const FAMILIES: [&str; 2] = ["mps2-an386", "virt-rv32"];

fn root() -> PathBuf {
    Path::new("..").canonicalize().expect("the repository")
}

#[test]
fn the_page_of_the_book_is_current() {
    let preface = root().join("c/posix/conformance/preface.md");
    let mut page = std::fs::read_to_string(preface).expect("a preface");
    let parts: Vec<String> = tables().iter().map(Table::page).collect();
    page += &parts.join("\n");
    let file = root().join("docs/src/posix.md");
    if std::env::var_os("RIPOSTE_WRITE").is_some() {
        std::fs::write(&file, &page).expect("written");
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    assert!(
        committed == page,
        "docs/src/posix.md is stale; run: RIPOSTE_WRITE=1 cargo test -p riposte-host --test posix"
    );
}

#[test]
fn there_is_a_table_of_the_page_for_each_file() {
    let folder = root().join("c/posix/conformance");
    let files = std::fs::read_dir(folder).expect("a folder").flatten();
    let files = files.filter(|file| file.path().extension().is_some_and(|it| it == "toml"));
    assert_eq!(
        files.count(),
        tables().len(),
        "host/src/conformance.rs names each"
    );
}

#[test]
fn no_function_stands_in_the_tables_twice() {
    let tables = tables();
    let mut all: Vec<&str> = tables
        .iter()
        .flat_map(|table| {
            table
                .functions()
                .chain(table.absent.keys().map(String::as_str))
        })
        .collect();
    all.sort_unstable();
    for pair in all.windows(2) {
        assert_ne!(pair[0], pair[1]);
    }
}

/// A source that refers to these functions of each header.
fn source<'t>(functions: impl Iterator<Item = (&'t Table, Vec<&'t str>)>) -> String {
    let (mut includes, mut names, mut macros) = (String::new(), vec![], String::new());
    for (table, functions) in functions {
        includes += &format!("#include <{}>\n", table.header);
        names.extend(functions);
        for name in &table.done.macros {
            macros += &format!("#ifndef {name}\n#error {name} is no macro\n#endif\n");
        }
    }
    let rows: String = names
        .iter()
        .map(|name| format!("    (any *){name},\n"))
        .collect();
    format!(
        "{includes}{macros}\ntypedef void any(void);\nany *const volatile all[] = {{\n{rows}}};\n\
         int main(void) {{ return all[0] == 0; }}\n"
    )
}

/// An application with a program in C of this source, built for a board; what is said, and whether it is.
fn built(source: &str, board: &str) -> (bool, String) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("fresh");
    let tool = || Command::new(env!("CARGO_BIN_EXE_riposte-host"));
    let made = tool().args(["new", "--lang", "c"]).arg(&path).output();
    assert!(made.expect("it runs").status.success());
    std::fs::write(path.join("fresh/main.c"), source).expect("written");
    let flags = "flags = [\"-std=c11\", \"-D_POSIX_C_SOURCE=200809L\", \"-Werror\", \"-Wno-cast-function-type\"]\n";
    std::fs::write(path.join("fresh/program.toml"), flags).expect("written");
    let output = tool().args(["size", "--board", board]).arg(&path).output();
    let output = output.expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.success(), said)
}

#[test]
fn what_is_absent_is_refused_at_link_time_by_its_name_with_the_reason_of_the_page() {
    let tables = tables();
    // Also of what the standard has for systems beyond the profile alone.
    let text = "#define _XOPEN_SOURCE 700\n".to_owned()
        + &source(tables.iter().map(|table| (table, table.absent_names())));
    for board in FAMILIES {
        let (good, said) = built(&text, board);
        assert!(!good, "{board}");
        // However the report is broken into lines.
        let words =
            |text: &str| -> String { text.chars().filter(char::is_ascii_alphanumeric).collect() };
        let said = words(&said);
        for table in &tables {
            for (name, why) in &table.absent {
                assert!(said.contains(&words(&format!("{name}{why}"))), "{name}");
            }
        }
    }
}

/// The names of the tests on the boards: the strings of their `begin`s, and the lines on which those go on.
fn tests_on_boards() -> String {
    let mut names = String::new();
    let mut folders = vec![root().join("tests/boards")];
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder)
            .expect("a folder")
            .flatten()
            .map(|it| it.path())
        {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|it| it == "c") {
                let text = std::fs::read_to_string(&path).expect("a source");
                for part in text.split("begin(\"").skip(1) {
                    names += part.split(");").next().unwrap_or_default();
                    names.push('\n');
                }
            }
        }
    }
    names
}

#[test]
fn what_is_there_is_tested_on_the_boards_by_a_test_that_names_it() {
    let names = tests_on_boards();
    let words: std::collections::BTreeSet<&str> = names
        .split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_')
        .collect();
    for table in tables() {
        for name in table.functions() {
            assert!(words.contains(name), "no test on the boards names {name}");
        }
    }
}

/// The standards of C and C++ that a program may be written to, and how far it may be optimised.
const STANDARDS: [&str; 3] = ["-std=c99", "-std=c11", "-std=c++17"];
const LEVELS: [&str; 3] = ["-O0", "-Os", "-O2"];

#[test]
fn each_header_compiles_without_a_warning_in_each_standard_at_each_level() {
    let folder = tempfile::tempdir().expect("a folder");
    for target in ["thumbv7em-none-eabi", "riscv32imac-unknown-none-elf"] {
        let compiler = Compiler::known(target).expect("a compiler");
        for table in tables() {
            for standard in STANDARDS {
                let is_cpp = standard.contains("++");
                let source = folder.path().join(if is_cpp { "it.cpp" } else { "it.c" });
                // Twice, and with nothing before it.
                let text = format!(
                    "#include <{0}>\n#include <{0}>\nint it = 1;\n",
                    table.header
                );
                std::fs::write(&source, text).expect("written");
                for level in LEVELS {
                    let mut command = if is_cpp {
                        compiler.cpp_command()
                    } else {
                        compiler.command()
                    };
                    for include in ["c/posix/include", "c/include"] {
                        command.arg("-I").arg(root().join(include));
                    }
                    command.args([
                        "--specs=picolibc.specs",
                        "-D_POSIX_C_SOURCE=200809L",
                        standard,
                        level,
                    ]);
                    command.args(["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-c", "-o"]);
                    command.arg(folder.path().join("it.o")).arg(&source);
                    let output = command.output().expect("the compiler runs");
                    let said = String::from_utf8_lossy(&output.stderr);
                    assert!(
                        output.status.success(),
                        "{} {standard} {level}: {said}",
                        table.header
                    );
                }
            }
        }
    }
}
#[test]
fn what_is_there_is_declared_by_its_header_and_links_on_each_family() {
    let tables = tables();
    let text = source(
        tables
            .iter()
            .map(|table| (table, table.functions().collect())),
    );
    for board in FAMILIES {
        let (good, said) = built(&text, board);
        assert!(good, "{board}: {said}");
    }
}

#[test]
fn each_cancellation_point_has_a_function_that_takes_its_place_and_is_there_or_waits_below_one() {
    let folder = root().join("c/posix/src/cancel");
    let sources = std::fs::read_dir(folder).expect("a folder").flatten();
    let mut taken = std::collections::BTreeSet::new();
    for source in sources {
        let text = std::fs::read_to_string(source.path()).expect("a source");
        for line in text.lines() {
            let of_macro = line
                .strip_prefix("POINT")
                .and_then(|it| it.split(", ").nth(1));
            let of_function = line.split_once(" __wrap_").map(|(_, it)| it);
            let named = of_macro.or(of_function.filter(|_| !line.starts_with(' ')));
            let name = named.and_then(|it| it.split(['(', ',']).next());
            taken.extend(name.filter(|it| !it.contains('#')).map(str::to_owned));
        }
    }
    let points: std::collections::BTreeSet<String> =
        CANCELLATION_POINTS.iter().map(|it| (*it).into()).collect();
    assert_eq!(taken, points);
    let tables = tables();
    let functions: Vec<&str> = tables.iter().flat_map(Table::functions).collect();
    for point in points {
        let is_there = functions.contains(&point.as_str());
        assert!(
            is_there || point.starts_with("riposte_") || point == "creat",
            "{point}"
        );
    }
}
