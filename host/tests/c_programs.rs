//! Programs in C: what their compilers and the linker say, and that what the documentation shows of them
//! compiles, also as C++.

mod pages;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use riposte_host::board;
use riposte_host::build::c::Compiler;
use riposte_host::interface;

const RIPOSTE: &str = env!("CARGO_BIN_EXE_riposte-host");

/// Folders of headers that a program may include.
const INCLUDED: [&str; 6] = [
    "c/include",
    "personalities/qnx4/include",
    "personalities/rexis",
    "personalities/chibios/include",
    "personalities/cmrx",
    // Last: QNX 4 has some of these names for itself.
    "c/posix/include",
];

fn root() -> PathBuf {
    Path::new("..").canonicalize().expect("the repository")
}

/// A compiler for each set of instructions that a board's programs have.
fn compilers() -> Vec<Compiler> {
    let boards = board::load_all(Path::new("../boards")).expect("the boards load");
    let mut compilers: Vec<_> = boards
        .iter()
        .flat_map(|board| board.program_targets())
        .filter_map(Compiler::known)
        .collect();
    compilers.sort_by_key(|it| format!("{it:?}"));
    compilers.dedup();
    assert!(compilers.len() > 3, "{compilers:?}");
    compilers
}

/// Checks a source, and takes every warning for an error.
fn checked(mut command: Command, source: &Path) -> Output {
    for folder in INCLUDED {
        command.arg("-I").arg(root().join(folder));
    }
    command.args(["--specs=picolibc.specs", "-O2", "-fsyntax-only"]);
    command.args(["-Wall", "-Wextra", "-Wpedantic", "-Werror"]);
    command.arg(source).output().expect("the compiler runs")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn every_header_is_included_by_cpp_without_a_warning_on_every_architecture() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut found = 0;
    for compiler in compilers() {
        for header in [
            "riposte.h",
            "rexis.h",
            "ch.h",
            "cmrx.h",
            "process.h",
            "errno.h",
            "unistd.h",
            "sys/kernel.h",
            "sys/name.h",
            "sys/proxy.h",
            "sys/irqinfo.h",
            "sys/sched.h",
            "sys/vc.h",
        ] {
            let source = folder.path().join("includes.cpp");
            std::fs::write(&source, format!("#include <{header}>\n")).expect("written");
            for standard in ["-std=c++11", "-std=c++20"] {
                // Debian's packages of the C compilers hold these, too.
                let mut command = compiler.cpp_command();
                command.arg(standard);
                let output = checked(command, &source);
                assert!(output.status.success(), "{header}: {}", said(&output));
                found += 1;
            }
        }
    }
    assert!(found >= 32, "{found}");
}

/// The examples in C of a page: what stands between the fences. A piece of a program has a fence of another kind, which a
/// test of `book.rs` looks at.
fn examples(page: &Path) -> Vec<String> {
    let text = std::fs::read_to_string(page).expect("a page");
    let parts = text.split("```c\n").skip(1);
    parts
        .map(|part| part.split("```").next().unwrap_or_default().to_owned())
        .collect()
}

/// The standard that the examples of a page are written for. Macros of CMRX take no argument where ISO C wants one.
fn standard(page: &Path) -> &'static str {
    match page.file_name() {
        Some(name) if name == "cmrx.md" => "-std=gnu11",
        _ => "-std=c11",
    }
}

/// An example stands alone, or is a piece of a program whose rest says no more than its page.
#[test]
fn every_example_in_c_of_the_book_compiles() {
    let folder = tempfile::tempdir().expect("a folder");
    let header = interface::header(&root().join("examples/thermometer/api")).expect("a header");
    std::fs::write(folder.path().join(header.name), header.text).expect("written");
    let plant = root().join("examples/qnx4/plant.h");
    std::fs::copy(plant, folder.path().join("plant.h")).expect("copied");
    let compilers = compilers();
    let mut count = 0;
    for page in pages::below(&[root().join("docs/src")]) {
        let name = page.display();
        for (number, example) in examples(&page).iter().enumerate() {
            let source = folder.path().join("example.c");
            // A static function without a caller is what an example is made of.
            let text = format!("#include <riposte.h>\n#line 1 \"{name} {number}\"\n{example}");
            std::fs::write(&source, text).expect("written");
            for compiler in &compilers {
                let mut command = compiler.command();
                command.arg(standard(&page));
                command.args(["-Wno-unused-function", "-Wno-unused-variable"]);
                command.arg("-I").arg(folder.path());
                let output = checked(command, &source);
                assert!(output.status.success(), "{}", said(&output));
            }
            count += 1;
        }
    }
    assert!(count > 20, "{count}");
}

/// A new application in C, whose `main.c` is this.
fn application(source: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("fresh");
    let made = Command::new(RIPOSTE)
        .args(["new", "--lang", "c"])
        .arg(&path)
        .output()
        .expect("it runs");
    assert!(made.status.success(), "{}", said(&made));
    std::fs::write(path.join("fresh/main.c"), source).expect("written");
    folder
}

/// What is said when it is built.
fn refusal_of(source: &str) -> String {
    let folder = application(source);
    let output = Command::new(RIPOSTE)
        .args(["run", "--board", "mps2-an386"])
        .arg(folder.path().join("fresh"))
        .output()
        .expect("it runs");
    assert!(!output.status.success());
    said(&output)
}

/// That all of it is said, in this order.
fn says_in_order(text: &str, parts: &[&str]) {
    let mut rest = text;
    for part in parts {
        let (_, behind) = rest
            .split_once(part)
            .unwrap_or_else(|| panic!("no `{part}` where it should be in:\n{text}"));
        rest = behind;
    }
}

#[test]
fn a_c_program_that_does_not_compile_is_told_by_the_compiler_and_then_by_the_manifest() {
    let text = refusal_of("#include <riposte.h>\nint main(void) { return riposte_nothing; }\n");
    says_in_order(
        &text,
        &[
            "main.c:2:",
            "error: ",
            "riposte_nothing",
            "does not compile",
            "app.toml:",
            "program = ",
        ],
    );
}

#[test]
fn a_c_program_that_does_not_link_is_told_by_the_linker_and_then_by_the_manifest() {
    let text = refusal_of("int missing(void);\nint main(void) { return missing(); }\n");
    says_in_order(
        &text,
        &[
            "undefined symbol: missing",
            "main.c:2",
            "does not link",
            "app.toml:",
            "program = ",
        ],
    );
}

/// The builder refuses itself where it has measured less for a thread than the program has in the end.
#[test]
fn threads_have_as_much_storage_as_is_measured_wherever_the_data_before_it_ends() {
    for words in [1, 3, 5, 7] {
        let source = format!(
            "static volatile unsigned data[{words}] = {{1}};\n\
             static volatile _Thread_local unsigned first = 7;\n\
             static _Thread_local _Alignas(32) char aligned[33];\n\
             int main(void) {{ aligned[first] = (char)data[0]; return aligned[0]; }}\n"
        );
        let folder = application(&source);
        let mut tool = Command::new(RIPOSTE);
        let output = tool.arg("size").arg(folder.path().join("fresh")).output();
        let output = output.expect("it runs");
        assert!(output.status.success(), "{words}: {}", said(&output));
    }
}

#[test]
fn a_c_program_without_a_main_function_is_told_to_have_one() {
    let text = refusal_of("int mian(void) { return 0; }\n");
    says_in_order(
        &text,
        &[
            "has no main function",
            "app.toml:",
            "program = ",
            "add to it: int main(void)",
        ],
    );
}

#[test]
fn a_crate_of_interfaces_that_is_not_there_is_refused_where_it_is_named() {
    let folder = application("int main(void) { return 0; }\n");
    let program = folder.path().join("fresh/fresh/program.toml");
    std::fs::write(program, "interfaces = [\"../lamp-api\"]\n").expect("written");
    let output = Command::new(RIPOSTE)
        .args(["run", "--board", "mps2-an386"])
        .arg(folder.path().join("fresh"))
        .output()
        .expect("it runs");
    assert!(!output.status.success());
    says_in_order(
        &said(&output),
        &["no crate in `../lamp-api`", "program.toml:", "Cargo.toml"],
    );
}

#[test]
fn a_function_of_the_c_library_that_lacks_something_is_named_with_what_to_write_instead() {
    let source = "#include <stdlib.h>\nint main(void) { return (int)arc4random(); }\n";
    let words = ["calls `arc4random`", "`getentropy`", "docs/src/c.md"];
    says_in_order(&refusal_of(source), &words);
}

#[test]
fn a_function_that_is_not_there_is_named_with_what_to_write_instead() {
    let source = "#include <sys/times.h>\nint main(void) { return (int)times(0); }\n";
    let words = ["calls `times`: ", "use clock", "docs/src/posix.md"];
    says_in_order(&refusal_of(source), &words);
}

/// Thread-Metric, as somebody has it: the test's own file, which knows nothing but `tm_api.h`.
const SUITE: &str = r#"
#include "tm_api.h"
#include <stdio.h>

static volatile unsigned long counter;

void counting(void)
{
    for (;;)
        counter++;
}

void reporting(void)
{
    unsigned long last = 0;
    for (;;) {
        tm_thread_sleep(TM_TEST_DURATION);
        printf("counted %s\n", counter > last ? "on" : "nothing");
        last = counter;
    }
}

void initialize(void)
{
    tm_thread_create(0, 10, counting);
    tm_thread_create(5, 2, reporting);
    tm_thread_resume(0);
    tm_thread_resume(5);
}

void tm_main(void)
{
    tm_initialize(initialize);
}
"#;

/// As the published suite has them: its own declarations, and a layer that knows how to interrupt
/// another kernel.
const SUITES_LAYER: &str = r#"
#ifndef TM_PORTING_LAYER_H
#define TM_PORTING_LAYER_H
#include <stdio.h>
#define TM_CAUSE_INTERRUPT asm("SVC #0");
#endif
"#;
const SUITES_API: &str = r#"
#ifndef TM_API_H
#define TM_API_H
#include "tm_porting_layer.h"
#define TM_SUCCESS 0
#define TM_ERROR 1
#define TM_TEST_DURATION 30
void tm_initialize(void (*prepare)(void));
int tm_thread_create(int thread_id, int priority, void (*entry)(void));
int tm_thread_resume(int thread_id);
void tm_thread_sleep(int seconds);
int tm_semaphore_create(int semaphore_id);
int tm_semaphore_get(int semaphore_id);
int tm_semaphore_put(int semaphore_id);
#endif
"#;
const INTERRUPTS: &str = r#"
#include "tm_api.h"

unsigned long interrupts, handled;

void counting(void)
{
    tm_semaphore_get(0);
    while (1) {
        TM_CAUSE_INTERRUPT
        if (tm_semaphore_get(0) != TM_SUCCESS)
            return;
        interrupts++;
    }
}

void tm_interrupt_handler(void)
{
    handled++;
    tm_semaphore_put(0);
}

void reporting(void)
{
    unsigned long last = 0;
    while (1) {
        tm_thread_sleep(TM_TEST_DURATION);
        printf("counted %s\n", interrupts > last && handled - interrupts < 2 ? "on" : "nothing");
        last = interrupts;
    }
}

void initialize(void)
{
    tm_thread_create(0, 10, counting);
    tm_semaphore_create(0);
    tm_thread_resume(0);
    tm_thread_create(5, 2, reporting);
    tm_thread_resume(5);
}

void tm_main()
{
    tm_initialize(initialize);
}
"#;

/// The flags that the porting layer's README tells.
fn flags_of_the_readme() -> String {
    let text = std::fs::read_to_string(root().join("bench/thread-metric/README.md"));
    let text = text.expect("the README");
    let line = text.lines().find(|line| line.starts_with("flags = "));
    line.expect("flags").to_owned()
}

#[test]
fn a_copy_of_thread_metric_outside_runs_on_the_porting_layer_as_it_is() {
    for files in [
        &[("suite/test.c", SUITE)][..],
        &[
            ("suite/test.c", INTERRUPTS),
            ("suite/tm_api.h", SUITES_API),
            ("suite/tm_porting_layer.h", SUITES_LAYER),
        ],
    ] {
        assert_eq!(lines_of_a_copy(files), ["counted on", "counted on"]);
    }
}

/// Builds and starts a copy that consists of these files, as the README says.
fn lines_of_a_copy(suite: &[(&str, &str)]) -> Vec<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path();
    let port = root().join("bench/thread-metric");
    let port = port.display();
    let program = format!(
        "sources = [\"../suite/test.c\", \"{port}/port/common\", \"{port}/port/threads\"]\n\
         include = [\"../suite\", \"{port}/include\", \"{port}/port\", \"{port}/port/common\"]\n{}\n",
        flags_of_the_readme()
    );
    let files = [("basic/program.toml", &*program), ("app.toml", MANIFEST)];
    for (name, text) in files.iter().chain(suite) {
        let file = path.join(name);
        std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
        std::fs::write(file, text).expect("written");
    }
    let lab = riposte_host::lab::Lab::open().expect("the repository");
    let application = lab.load(path).expect("right");
    let board = lab.board("mps2-an386").expect("there");
    let image = lab.build(&application, board).expect("it builds and links");
    first_lines(&lab.root, board, &image.file)
}

const MANIFEST: &str = r#"
[application]
name = "own-thread-metric"
boards = ["mps2-an386"]

[[process]]
name = "console"
program = "console"
priority = 31
stack = "2KiB"
peripherals = ["uart0"]

[[process]]
name = "basic"
program = "./basic"
priority = 31
stack = "2KiB"
threads_spare = 3
spare_stack = "2KiB"
settings = { second = 10 }
interrupts = ["software"]

[[channel]]
name = "console"
owner = "console"

[[channel]]
name = "interrupt"
owner = "basic"

[[connection]]
from = "basic"
to = "console"
"#;

/// The first two lines that a machine says.
fn first_lines(root: &Path, board: &board::Board, image: &Path) -> Vec<String> {
    use riposte_host::machine::{self, Next, Said};
    let mut lines = vec![];
    machine::run_unattended(root, board, image, |said| {
        if let Said::Line(line) = said {
            lines.push(line.to_owned());
        }
        if lines.len() == 2 {
            Next::Stop
        } else {
            Next::Continue
        }
    })
    .expect("it runs");
    lines
}
