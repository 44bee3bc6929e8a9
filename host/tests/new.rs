//! `./riposte new` writes an application that is right.

use std::path::{Path, PathBuf};
use std::process::Command;

use riposte_host::board::{self, Board};
use riposte_host::cli::Language;
use riposte_host::{manifest, new};

fn root() -> PathBuf {
    Path::new("..").canonicalize().expect("the repository")
}

fn boards() -> Vec<Board> {
    board::load_all(&root().join("boards")).expect("the boards load")
}

#[test]
fn a_new_application_is_right_and_gives_no_warning() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("blink-2");
    let files = new::create(&path, &root(), &boards(), Language::Rust).expect("created");
    assert!(files.iter().all(|file| file.is_file()), "{files:?}");
    let app = manifest::load(&path, &boards()).expect("right");
    assert_eq!(app.name, "blink-2");
    assert_eq!(app.boards.len(), boards().len());
    assert_eq!(app.boards[0].value, "mps2-an386");
    assert!(app.warnings.is_empty(), "{:?}", app.warnings);
    assert!(app.supervisor.is_some(), "a crash says nothing");
}

#[test]
fn a_new_application_in_c_is_right_too() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("blink");
    let files = new::create(&path, &root(), &boards(), Language::C).expect("created");
    assert!(files.contains(&path.join("blink/main.c")), "{files:?}");
    let app = manifest::load(&path, &boards()).expect("right");
    assert!(app.warnings.is_empty(), "{:?}", app.warnings);
}

#[test]
fn a_new_crate_is_its_own_workspace_with_the_firmware_profile_and_the_library() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("blink");
    new::create(&path, &root(), &boards(), Language::Rust).expect("created");
    let read = |file: &Path| -> toml::Table {
        std::fs::read_to_string(file)
            .expect("there")
            .parse()
            .expect("TOML")
    };
    let made = read(&path.join("blink/Cargo.toml"));
    assert!(made["workspace"].is_table());
    assert_eq!(made["profile"], {
        let mut profile = read(&root().join("Cargo.toml"))["profile"].clone();
        profile
            .as_table_mut()
            .expect("a table")
            .retain(|name, _| name == "firmware");
        profile
    });
    let metadata = Command::new(env!("CARGO"))
        .args([
            "metadata",
            "--offline",
            "--no-deps",
            "--format-version=1",
            "--manifest-path",
        ])
        .arg(path.join("blink/Cargo.toml"))
        .output()
        .expect("cargo runs");
    assert!(
        metadata.status.success(),
        "{}",
        String::from_utf8_lossy(&metadata.stderr)
    );
}

#[test]
fn inside_the_repository_the_library_is_named_relatively() {
    let target = root().join("target");
    std::fs::create_dir_all(&target).expect("target");
    let directory = tempfile::tempdir_in(target).expect("a directory");
    let path = directory.path().join("blink");
    new::create(&path, &root(), &boards(), Language::Rust).expect("created");
    let text = std::fs::read_to_string(path.join("blink/Cargo.toml")).expect("there");
    assert!(
        text.contains("riposte = { path = \"../../../../user\" }"),
        "{text}"
    );
}

#[track_caller]
fn refused(name: &str, message: &str, help: &str) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join(name);
    let error = new::create(&path, &root(), &boards(), Language::Rust).expect_err("refused");
    assert_eq!(error.to_string(), message);
    assert!(
        error
            .help()
            .is_some_and(|text| text.to_string().contains(help)),
        "{error:?}"
    );
    assert!(!path.exists(), "nothing is left");
}

#[test]
fn a_bad_name_is_refused_with_one_that_would_do() {
    refused("My_App", "`My_App` is not a name", "`my-app`");
    refused("123", "`123` is not a name", "begin with a letter");
}

#[test]
fn a_taken_name_is_refused() {
    refused(
        "console",
        "an application cannot be called `console`",
        "these are taken",
    );
}

#[test]
fn what_is_there_already_is_not_overwritten() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("blink");
    std::fs::create_dir(&path).expect("a directory");
    let error = new::create(&path, &root(), &boards(), Language::Rust).expect_err("refused");
    assert!(
        error.to_string().ends_with("blink is there already"),
        "{error}"
    );
}
