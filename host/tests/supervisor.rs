//! The supervisor: that its own fault is not silent; and that programs have of their manifests what they need.

mod tool;

use std::path::{Path, PathBuf};

use riposte_host::cli::Language;
use riposte_host::lab::Lab;
use riposte_host::machine::{self, Next, Said};
use riposte_host::{explain, new};
use tool::remove_images;

/// A supervisor that faults as soon as it is told of a fault.
const FAULTS: &str = r#"
#include <riposte.h>

static volatile uintptr_t nobodys = 4;

int main(void)
{
    riposte_channel_t faults;
    riposte_message_t message;
    if (riposte_channel("faults", &faults) == RIPOSTE_OK)
        riposte_receive(faults, NULL, 0, &message);
    return (int)*(volatile uint32_t *)nobodys;
}
"#;

/// A new application in C, whose program has this for its `main.c`, and whose manifest is changed so.
fn application(source: &str, change: impl Fn(&str) -> String) -> (tempfile::TempDir, PathBuf) {
    let lab = Lab::open().expect("the repository");
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("fresh");
    new::create(
        &new::Wanted {
            path: &path,
            language: Language::C,
            processes: &[],
        },
        &lab.root,
        &lab.boards,
    )
    .expect("created");
    std::fs::write(path.join("fresh/main.c"), source).expect("written");
    let manifest = path.join("app.toml");
    let text = std::fs::read_to_string(&manifest).expect("a manifest");
    std::fs::write(&manifest, change(&text)).expect("written");
    (folder, path)
}

/// Whether a line that begins so comes on the console.
fn says(path: &Path, board: &str, beginning: &str) -> bool {
    let lab = Lab::open().expect("the repository");
    let application = lab.load(path).expect("right");
    let board = lab.board(board).expect("there");
    let image = lab.build(&application, board).expect("it builds and links");
    let mut said = false;
    machine::run_unattended(&lab.root, board, &image.file, |heard| {
        said |= matches!(heard, Said::Line(line) if line.starts_with(beginning));
        if said { Next::Stop } else { Next::Continue }
    })
    .expect("it runs");
    said
}

#[test]
fn a_supervisor_that_faults_itself_is_told_by_the_console() {
    let (_folder, path) = application("int main(void) { return 7; }\n", |manifest| {
        manifest.replace("\"supervisor\"\npriority", "\"./supervisor\"\npriority")
    });
    std::fs::create_dir(path.join("supervisor")).expect("a folder");
    std::fs::write(path.join("supervisor/main.c"), FAULTS).expect("written");
    for board in ["mps2-an386", "virt-rv32"] {
        let told = says(&path, board, "console: the supervisor itself has faulted");
        assert!(told, "{board}: nothing is said");
    }
    remove_images(&Lab::open().expect("the repository"), &path);
}

#[test]
fn a_supervisor_with_too_small_a_stack_is_refused_with_the_stack_to_write() {
    let (_folder, path) = application("int main(void) { return 7; }\n", |manifest| {
        manifest.replace("stack = \"4KiB\"", "stack = \"2KiB\"")
    });
    let lab = Lab::open().expect("the repository");
    let application = lab.load(&path).expect("right");
    let board = lab.board("mps2-an386").expect("there");
    let Err(report) = lab.build(&application, board) else {
        panic!("it is built");
    };
    let text = explain::text(&report);
    for said in [
        "the program of process `supervisor` needs a stack of 3KiB",
        "write: stack = \"3KiB\"",
    ] {
        assert!(text.contains(said), "no {said} in:\n{text}");
    }
    remove_images(&lab, &path);
}

#[test]
fn a_server_that_waits_for_its_device_is_refused_without_a_fixed_priority() {
    let lab = Lab::open().expect("the repository");
    let folder = tempfile::tempdir().expect("a folder");
    let manifest = lab.root.join("examples/card/app.toml");
    let text = std::fs::read_to_string(manifest).expect("a manifest");
    let fixed = "owner = \"block\"\npriority = 16\n";
    let process = "program = \"block\"\npriority = 16\n";
    assert!(text.contains(fixed) && text.contains(process), "{text}");
    let path = folder.path().join("card");
    std::fs::create_dir_all(path.join("keeper")).expect("a folder");
    std::fs::write(path.join("keeper/main.c"), "int main(void) {}\n").expect("written");
    let board = lab.board("virt-rv32").expect("there");
    // Without one; lower than its clients, of 14; higher than its server.
    for (from, to, help) in [
        (fixed, "owner = \"block\"\n", "write: priority = 16\n"),
        (
            fixed,
            "owner = \"block\"\npriority = 13\n",
            "write: priority = 16\n",
        ),
        (
            process,
            "program = \"block\"\npriority = 13\n",
            "write: priority = 14, here and at process `block`\n",
        ),
    ] {
        std::fs::write(path.join("app.toml"), text.replace(from, to)).expect("written");
        let application = lab.load(&path).expect("right");
        let Err(report) = lab.build(&application, board) else {
            panic!("it is built: {to}");
        };
        let said = explain::text(&report);
        for words in ["channel `block` needs a fixed priority, as high as", help] {
            assert!(said.contains(words), "no {words} in:\n{said}");
        }
    }
    remove_images(&lab, &path);
}
