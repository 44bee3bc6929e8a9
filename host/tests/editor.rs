//! A session in VS Code, by the files that `./riposte new` writes.

mod browser;
mod tool;
mod vscode;
mod wheel;

use std::path::Path;

use tool::{is_gone, program::Program, remove_images, wait_for};
use vscode::Editor;

/// The numbers of all processes whose command names this folder.
fn that_name(folder: &Path) -> Vec<String> {
    let name = folder.to_str().expect("a name");
    let all = std::fs::read_dir("/proc").expect("processes").flatten();
    all.filter_map(|it| it.file_name().into_string().ok())
        .filter(|it| it.bytes().all(|byte| byte.is_ascii_digit()))
        .filter(|id| {
            let command = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&command).contains(name)
        })
        .collect()
}

#[test]
fn vs_code_stops_in_a_new_application_and_shows_the_threads_of_all_processes() {
    let program = Program::new(
        "edited",
        "    println!(\"first\");\n    println!(\"second\");\n    let _ = riposte::shutdown(0);",
    );
    let source = program.path.join("edited/src/main.rs");
    let mut editor = Editor::open(&program.path, &source);
    editor.goes_to_line(8, "first");
    editor.presses(9, false);
    editor.waits_for("document.querySelector('[class*=codicon-debug-breakpoint]')");
    editor.presses(5, false);
    let list = editor.lists("PAUSED ON BREAKPOINT\nedited::main\nmain.rs\n8");
    for words in [
        "kernel",
        "edited/main (runs, priority 10)",
        "supervisor/main (waits for a message at supervisor's channel faults",
        "console/main (waits for a message at console's channel console",
    ] {
        assert!(list.contains(words), "no {words:?} in {list}");
    }
    editor.presses(10, false);
    editor.lists("PAUSED ON STEP\nedited::main\nmain.rs\n9");
    if std::env::var_os("RIPOSTE_WRITE").is_some() {
        // The picture of the book's page.
        let file = program.lab.root.join("docs/src/pictures/editor.png");
        std::fs::write(file, editor.picture()).expect("written");
    }
    let started = that_name(&program.path);
    assert!(!started.is_empty());
    // Shift and F5 end the session, and all that it started.
    editor.presses(5, true);
    editor.waits_for("!document.querySelector('.debug-toolbar')?.checkVisibility()");
    for id in &started {
        wait_for(|| is_gone(id).then_some(()));
    }
    drop(editor);
    remove_images(&program.lab, &program.path);
}
