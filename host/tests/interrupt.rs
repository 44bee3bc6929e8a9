//! What happens when the tool is asked to end while it waits, builds or runs.

mod tool;

use std::fs::File;

use riposte_host::lab::Lab;
use tool::{Tool, is_gone, program::fresh, remove_images, wait_for};

/// A cargo that knows packages, and builds for ever with the help of another program.
const ENDLESS_CARGO: &str = r#"#!/bin/sh
case $1 in metadata) exec "$REAL_CARGO" "$@" ;; esac
sleep 1000 &
echo $! > "$HELPER.new"
mv "$HELPER.new" "$HELPER"
wait
"#;

#[test]
fn who_waits_for_an_image_says_so_at_once_and_ends_when_asked_once() {
    let lab = Lab::open().expect("the repository");
    for signal in ["TERM", "INT"] {
        let root = tempfile::tempdir().expect("a directory");
        let there = lab.root.join("boards");
        std::os::unix::fs::symlink(there, root.path().join("boards")).expect("a link");
        let application = fresh(&lab, root.path(), "awaited");
        let folder = root.path().join("target/images/mps2-an386/awaited");
        std::fs::create_dir_all(&folder).expect("created");
        let held = File::create(folder.join("lock")).expect("created");
        held.lock().expect("locked");

        let mut tool = Tool::new(&["size", "--board", "mps2-an386"])
            .arg(&application)
            .env("RIPOSTE_ROOT", root.path())
            .start();
        tool.says("waiting for another ./riposte that builds the same image");
        tool.signal(signal);
        assert_eq!(tool.ends(), Some(130), "at SIG{signal}");
    }
}

#[test]
fn a_build_ends_with_all_that_it_started_when_asked_once() {
    let lab = Lab::open().expect("the repository");
    let folder = tempfile::tempdir().expect("a directory");
    let application = fresh(&lab, folder.path(), "endless");
    let cargo = folder.path().join("cargo");
    std::fs::write(&cargo, ENDLESS_CARGO).expect("written");
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&cargo, executable).expect("executable");
    let helper = folder.path().join("helper");

    let mut tool = Tool::new(&["size", "--board", "mps2-an386"])
        .arg(&application)
        .env("RIPOSTE_ROOT", &lab.root)
        .env("REAL_CARGO", env!("CARGO"))
        .env("CARGO", &cargo)
        .env("HELPER", &helper)
        .start();
    let helper = wait_for(|| std::fs::read_to_string(&helper).ok());
    tool.signal("TERM");
    assert_eq!(tool.ends(), Some(130));
    wait_for(|| is_gone(helper.trim()).then_some(()));
    remove_images(&lab, &application);
}

#[test]
fn an_image_that_is_in_use_stays_as_it_is_while_it_is_built_anew() {
    let lab = Lab::open().expect("the repository");
    let board = lab.board("mps2-an386").expect("there");
    let folder = tempfile::tempdir().expect("a directory");
    let path = fresh(&lab, folder.path(), "twice");
    let first = lab
        .build(&lab.load(&path).expect("right"), board)
        .expect("built");
    let files = [&first.file, &first.kernel.file, &first.programs[0].file];
    let read = || files.map(|file| std::fs::read(file).expect("there"));
    let before = read();

    let manifest = path.join("app.toml");
    let text = std::fs::read_to_string(&manifest).expect("there");
    let text = text.replace("priority = 10", "priority = 11");
    std::fs::write(&manifest, text).expect("written");
    let source = path.join("twice/src/main.rs");
    let text = std::fs::read_to_string(&source).expect("there");
    let text = text.replace("hello from", "something else from");
    std::fs::write(&source, text).expect("written");
    // It would wait for ever if it was locked.
    let (built, second) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let lab = Lab::open().expect("the repository");
        let application = lab.load(&path).expect("right");
        let board = lab.board("mps2-an386").expect("there");
        let image = lab.build(&application, board).expect("built");
        let _ = built.send((
            image.folder.clone(),
            std::fs::read(&image.file).expect("there"),
        ));
    });
    let (public, second) = second.recv_timeout(tool::LONG).expect("an image in time");
    assert_eq!(before, read());
    assert_ne!(before[0], second);
    assert_eq!(
        std::fs::read(public.join("image.bin")).expect("there"),
        second
    );

    let private = first.file.clone();
    drop(first);
    assert!(!private.exists());
    std::fs::remove_dir_all(public).expect("removed");
}
