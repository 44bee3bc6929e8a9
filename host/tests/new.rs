//! `./riposte new` writes an application that is right, and `./riposte add` one that stays so.

mod tool;

use std::path::{Path, PathBuf};
use std::process::Command;

use clap::Parser;
use riposte_host::board::{self, Board};
use riposte_host::build;
use riposte_host::cli::{self, Language};
use riposte_host::lab::Lab;
use riposte_host::manifest;
use riposte_host::new::add::{Addition, add};
use riposte_host::new::{self, Wanted};
use tool::remove_images;

fn root() -> PathBuf {
    Path::new("..").canonicalize().expect("the repository")
}

fn boards() -> Vec<Board> {
    board::load_all(&root().join("boards")).expect("the boards load")
}

fn create(path: &Path, language: Language, processes: &[&str]) -> miette::Result<Vec<PathBuf>> {
    let processes: Vec<String> = processes.iter().map(ToString::to_string).collect();
    let wanted = Wanted {
        path,
        language,
        processes: &processes,
    };
    new::create(&wanted, &root(), &boards())
}

/// Has cargo look at the programs in a folder, with these options, without the network.
fn cargo_takes(folder: &Path, options: &[&str]) {
    let metadata = Command::new(env!("CARGO"))
        .args(["metadata", "--offline", "--format-version=1"])
        .args(options)
        .current_dir(folder)
        .output()
        .expect("cargo runs");
    assert!(
        metadata.status.success(),
        "{}",
        String::from_utf8_lossy(&metadata.stderr)
    );
}

#[test]
fn what_is_said_to_be_next_can_be_typed_where_the_person_stands() {
    let [beside, below] = [
        tempfile::tempdir(),
        tempfile::tempdir_in(root().join("target")),
    ];
    for folder in [beside.expect("a folder"), below.expect("a folder")] {
        for place in ["blink", "my things/blink"] {
            let mut tool = Command::new(env!("CARGO_BIN_EXE_riposte-host"));
            let tool = tool.args(["new", place]).current_dir(folder.path());
            let said = tool.output().expect("it runs").stdout;
            let said = String::from_utf8(said).expect("text");
            let next = said.lines().find_map(|it| it.strip_prefix("now: "));
            // What it would do, without doing it.
            let script = format!(
                "set -- {}; test -x \"$1\" && test -f \"$3/app.toml\"",
                next.expect("what is next")
            );
            let mut shell = Command::new("sh");
            let shell = shell.args(["-c", &script]).current_dir(folder.path());
            assert!(shell.status().expect("a shell").success(), "{said}");
        }
    }
}

#[test]
fn a_folder_that_has_no_name_of_its_own_is_refused_as_it_was_written() {
    for written in [".", "/"] {
        let refused = create(Path::new(written), Language::Rust, &[]).unwrap_err();
        assert_eq!(refused.to_string(), format!("`{written}` is not a name"));
    }
}

#[test]
fn a_new_application_is_right_and_gives_no_warning() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("blink-2");
    let files = create(&path, Language::Rust, &[]).expect("created");
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
    let files = create(&path, Language::C, &[]).expect("created");
    assert!(files.contains(&path.join("blink/main.c")), "{files:?}");
    let app = manifest::load(&path, &boards()).expect("right");
    assert!(app.warnings.is_empty(), "{:?}", app.warnings);
}

#[test]
fn a_new_application_is_its_own_workspace_with_the_firmware_profile_and_the_library() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("blink");
    create(&path, Language::Rust, &[]).expect("created");
    let read = |file: &Path| -> toml::Table {
        std::fs::read_to_string(file)
            .expect("there")
            .parse()
            .expect("TOML")
    };
    let made = read(&path.join("Cargo.toml"));
    assert!(made["workspace"].is_table());
    assert_eq!(made["profile"], {
        let mut profile = read(&root().join("Cargo.toml"))["profile"].clone();
        let profiles = profile.as_table_mut().expect("a table");
        profiles.retain(|name, _| name == "firmware");
        // What it says of Riposte's own programs is of no use elsewhere.
        let firmware = profiles["firmware"].as_table_mut().expect("a table");
        firmware.remove("package");
        // A debugger shows the variables of what somebody writes.
        firmware.insert("debug".into(), 2.into());
        profile
    });
    cargo_takes(&path.join("blink"), &["--no-deps"]);
}

#[test]
fn inside_the_repository_the_library_is_named_relatively() {
    let target = root().join("target");
    std::fs::create_dir_all(&target).expect("target");
    let directory = tempfile::tempdir_in(target).expect("a directory");
    let path = directory.path().join("blink");
    create(&path, Language::Rust, &[]).expect("created");
    let text = std::fs::read_to_string(path.join("Cargo.toml")).expect("there");
    assert!(
        text.contains("riposte = { path = \"../../../user\" }"),
        "{text}"
    );
}

/// A copy of both folders, with the same way from one to the other, builds the same.
#[test]
fn a_new_application_names_nothing_by_an_absolute_path() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("blink");
    let files = create(&path, Language::Rust, &["keeper", "asker"]).expect("created");
    let root = root().display().to_string();
    for file in files {
        let text = std::fs::read_to_string(&file).expect("there");
        let is_absolute = |line: &&str| line.contains(&format!("\"{root}"));
        assert_eq!(text.lines().find(is_absolute), None, "{}", file.display());
    }
}

#[test]
fn the_lock_file_of_a_new_application_has_the_library_and_what_it_needs() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("blink");
    create(&path, Language::Rust, &["keeper", "asker"]).expect("created");
    let lock = || -> Vec<(String, String)> {
        let text = std::fs::read_to_string(path.join("Cargo.lock")).expect("there");
        let lock: toml::Table = text.parse().expect("TOML");
        let packages = lock["package"].as_array().expect("a list").iter();
        let text = |it: &toml::Value| it.as_str().expect("a text").to_owned();
        packages
            .map(|it| (text(&it["name"]), text(&it["version"])))
            .collect()
    };
    let written = lock();
    // The library with all that it can have.
    let manifest = path.join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest).expect("there");
    let library = "/user\"";
    assert!(text.contains(library), "{text}");
    let features = format!("{library}, features = [\"heap\", \"postcard\"]");
    std::fs::write(&manifest, text.replace(library, &features)).expect("written");
    cargo_takes(&path, &[]);
    let its_own = ["blink-api", "keeper", "asker"];
    let mut used = lock();
    used.retain(|(name, _)| !its_own.contains(&name.as_str()));
    assert_eq!(written, used, "cargo needs others");
    assert!(used.iter().any(|(name, _)| name == "talc"), "{used:?}");
}

/// What an editor is told exists, or is where a build puts it.
#[test]
fn the_editors_launch_file_leads_to_what_there_is() {
    let inside = root().join("target");
    std::fs::create_dir_all(&inside).expect("target");
    let mut named = tempfile::Builder::new();
    named.prefix("of two words ");
    for directory in [named.tempdir(), named.tempdir_in(inside)] {
        let directory = directory.expect("a directory");
        let path = directory.path().join("blink");
        create(&path, Language::Rust, &[]).expect("created");
        let text = std::fs::read_to_string(path.join(".vscode/launch.json")).expect("there");
        let file: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        let launch = &file["configurations"][0];
        let here = path.to_string_lossy();
        let value = |key: &str| {
            let value = launch[key]
                .as_str()
                .unwrap_or_else(|| panic!("no {key}: {text}"));
            value.replace("${workspaceFolder}", &here)
        };
        let real = |file: String| Path::new(&file).canonicalize().expect("there");
        let target = &launch["target"];
        let server = target["server"].as_str().expect("a server");
        let server = server.replace("${workspaceFolder}", &here);
        assert_eq!(real(server), root().join("riposte"));
        assert_eq!(real(value("cwd")), path.canonicalize().expect("there"));
        let given = target["serverParameters"].as_array().expect("words");
        let given = given.iter().map(|it| it.as_str().expect("a word"));
        let given = given.map(|it| it.replace("${workspaceFolder}", &here));
        let words = std::iter::once("riposte".to_owned()).chain(given);
        let command = cli::Cli::try_parse_from(words).expect("a command").command;
        let cli::Command::Debug(debug) = command else {
            panic!("another command: {target}")
        };
        assert_eq!(debug.debugger.server, Some(0), "any port");
        let boards = boards();
        let application =
            manifest::load(Path::new(&debug.application.app), &boards).expect("right");
        let name = debug.application.board.expect("a board");
        assert!(
            application.boards.iter().any(|it| it.value == name),
            "{name}"
        );
        let board = boards.iter().find(|it| it.name == name).expect("it is one");
        assert!(board.emulator().is_some(), "{name} has no debugger's stub");
        // The kernel is there when it has been built.
        let folder = build::folder_of(&root(), &path, board).expect("there");
        std::fs::create_dir_all(&folder).expect("its folder");
        let kernel = folder.join(build::kernel::FILE);
        std::fs::write(&kernel, "").expect("written");
        let program = real(value("program"));
        std::fs::remove_dir_all(&folder).expect("removed");
        assert_eq!(program, kernel);
    }
}

#[track_caller]
fn refused(name: &str, message: &str, help: &str) {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join(name);
    let error = create(&path, Language::Rust, &[]).expect_err("refused");
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
    let long = "d".repeat(201);
    refused(&long, "a name has 201 letters", "200 at most");
}

#[test]
fn a_taken_name_is_refused() {
    refused(
        "console",
        "neither an application nor a process of one can be called `console`",
        "these are taken",
    );
}

#[test]
fn whatever_an_application_and_its_processes_are_called_they_are_refused_or_right() {
    let directory = tempfile::tempdir().expect("a directory");
    let some = directory.path().join("some");
    create(&some, Language::Rust, &[]).expect("created");
    let lock = std::fs::read_to_string(some.join("Cargo.lock")).expect("there");
    // The crates of the library, what the templates have, and what cargo makes.
    let crates = lock.lines().filter_map(|line| line.strip_prefix("name = "));
    let crates = crates.map(|name| name.trim_matches('"'));
    let others =
        "build console deps examples faults incremental loop main src supervisor target test";
    for name in crates.chain(others.split(' ')) {
        for processes in [&[][..], &["keeper", name]] {
            let path = directory.path().join(name);
            let files = match create(&path, Language::Rust, processes) {
                Ok(files) => files,
                Err(refused) => {
                    assert!(refused.help().is_some(), "{name}: {refused}");
                    continue;
                }
            };
            // What cargo makes is in no repository.
            let is_made = |file: &PathBuf| file.starts_with(path.join("target"));
            assert!(!files.iter().any(is_made), "{name}: {files:?}");
            if let Err(wrong) = manifest::load(&path, &boards()) {
                panic!("{name}: {wrong:?}");
            }
            cargo_takes(&path, &[]);
            std::fs::remove_dir_all(&path).expect("removed");
        }
    }
}

#[test]
fn what_is_there_already_is_not_overwritten() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("blink");
    std::fs::create_dir(&path).expect("a directory");
    let error = create(&path, Language::Rust, &[]).expect_err("refused");
    assert!(
        error.to_string().ends_with("blink is there already"),
        "{error}"
    );
}

#[test]
fn several_processes_share_a_crate_and_all_but_the_first_may_send_to_it() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("blink");
    let files = create(&path, Language::Rust, &["keeper", "first", "second"]).expect("created");
    for file in [
        "blink-api/src/lib.rs",
        "keeper/src/main.rs",
        "second/Cargo.toml",
    ] {
        assert!(files.contains(&path.join(file)), "{file} of {files:?}");
    }
    let app = manifest::load(&path, &boards()).expect("right");
    assert!(app.warnings.is_empty(), "{:?}", app.warnings);
    let names = app.processes.iter().map(|it| it.name.value.as_str());
    let names: Vec<&str> = names.collect();
    assert_eq!(names[..3], ["keeper", "first", "second"]);
    let blink = app.processes[0].channels[0];
    let may_send = app.processes.iter().map(|it| {
        let mut connections = it.connections.iter();
        connections.any(|connection| connection.channel() == Some(blink))
    });
    let may_send: Vec<bool> = may_send.collect();
    assert_eq!(may_send, [false, true, true, false, false]);
    for process in ["first", "second"] {
        let text = std::fs::read_to_string(path.join(process).join("src/main.rs")).expect("there");
        assert!(!text.contains("{{"), "{text}");
    }
}

#[test]
fn processes_of_one_name_are_refused_and_nothing_is_left() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("blink");
    for (processes, message) in [
        (["keeper", "keeper"], "`keeper` is taken"),
        (["keeper", "blink-api"], "`blink-api` is taken"),
        (["keeper", "Second"], "`Second` is not a name"),
    ] {
        let error = create(&path, Language::Rust, &processes).expect_err("refused");
        assert_eq!(error.to_string(), message);
        assert!(!path.exists(), "nothing is left");
    }
}

fn added(path: &Path, process: &str, language: Language) -> miette::Result<Vec<PathBuf>> {
    let application = manifest::load(path, &boards()).expect("right");
    let addition = Addition {
        application: &application,
        folder: path,
        process,
        language,
    };
    add(&addition, &root())
}

#[test]
fn a_process_is_added_to_an_application_which_stays_right_and_builds() {
    let lab = Lab::open().expect("the repository");
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory
        .path()
        .canonicalize()
        .expect("there")
        .join("grows");
    create(&path, Language::Rust, &["store", "sensor"]).expect("created");
    for (process, language) in [("watcher", Language::Rust), ("voice", Language::C)] {
        let files = added(&path, process, language).expect("added");
        assert!(files.iter().all(|file| file.is_file()), "{files:?}");
        assert_eq!(
            files.last(),
            Some(&path.join("app.toml")),
            "it names the others"
        );
    }
    let app = manifest::load(&path, &boards()).expect("right");
    let names: Vec<_> = app
        .processes
        .iter()
        .map(|it| it.name.value.as_str())
        .collect();
    assert_eq!(
        names,
        [
            "store",
            "sensor",
            "supervisor",
            "console",
            "watcher",
            "voice"
        ]
    );
    assert!(app.warnings.is_empty(), "{:?}", app.warnings);
    let program = std::fs::read_to_string(path.join("watcher/Cargo.toml")).expect("there");
    assert!(program.contains("grows-api.workspace = true"), "{program}");
    let board = lab.board("mps2-an386").expect("there");
    lab.build(&app, board).expect("it builds and links");
    remove_images(&lab, &path);
}

#[test]
fn a_program_that_is_added_does_not_shut_down_the_machine_for_which_it_has_no_grant() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("blink");
    let files = create(&path, Language::C, &[]).expect("created");
    let shuts_down = |files: &[PathBuf]| {
        let texts = files.iter().map(std::fs::read_to_string);
        let mut texts = texts.map(|it| it.expect("text"));
        texts.any(|it| it.contains("shutdown(") || it.contains("the machine stops"))
    };
    assert!(shuts_down(&files), "a new application ends by itself");
    for (process, language) in [("voice", Language::C), ("watcher", Language::Rust)] {
        let files = added(&path, process, language).expect("added");
        let (manifest, program) = files.split_last().expect("files");
        assert!(!shuts_down(program), "{program:?}");
        let app = manifest::load(manifest, &boards()).expect("right");
        let mut processes = app.processes.iter();
        let it = processes.find(|it| it.name.value == process).expect("it");
        assert!(!it.grants.shutdown, "{process}");
    }
}

#[test]
fn the_first_program_in_rust_of_an_application_in_c_gets_a_workspace() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("mixed");
    create(&path, Language::C, &[]).expect("created");
    added(&path, "sensor", Language::Rust).expect("added");
    let workspace = std::fs::read_to_string(path.join("Cargo.toml")).expect("there");
    assert!(workspace.contains("members = [\"sensor\"]"), "{workspace}");
    manifest::load(&path, &boards()).expect("right");
}

#[test]
fn the_first_program_in_rust_leaves_what_an_application_in_c_has_of_its_own() {
    let lock = "version = 4\n";
    for (mine, after) in [
        ("*.bak", "*.bak\ntarget/\n"),
        ("*.bak\n", "*.bak\ntarget/\n"),
        ("/target\n", "/target\n"),
        ("target/\n*.bak\n", "target/\n*.bak\n"),
    ] {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("mixed");
        create(&path, Language::C, &[]).expect("created");
        std::fs::write(path.join(".gitignore"), mine).expect("written");
        std::fs::write(path.join("Cargo.lock"), lock).expect("written");
        added(&path, "sensor", Language::Rust).expect("added");
        let read = |file: &str| std::fs::read_to_string(path.join(file)).expect("there");
        assert_eq!(read(".gitignore"), after);
        assert_eq!(read("Cargo.lock"), lock);
    }
}

/// Each file of a folder and of those below it, with what is in it.
fn everything(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut all = vec![];
    for entry in std::fs::read_dir(folder).expect("there") {
        let path = entry.expect("there").path();
        if path.is_dir() {
            all.push((path.clone(), "a folder".into()));
            all.extend(everything(&path));
        } else {
            let text = std::fs::read_to_string(&path).expect("text");
            all.push((path, text));
        }
    }
    all.sort();
    all
}

/// As if power, or the disk, went at the worst moment.
#[test]
fn an_addition_that_fails_in_the_end_has_changed_nothing_and_can_be_made_again() {
    let directory = tempfile::tempdir().expect("a directory");
    for (name, language) in [("rusty", Language::Rust), ("clear", Language::C)] {
        let path = directory.path().join(name);
        create(&path, language, &[]).expect("created");
        let manifest = path.join("app.toml");
        // Beside a file of the longest name no other can be made with a name that is longer.
        let longest = path.join("a".repeat(255));
        std::fs::rename(&manifest, &longest).expect("renamed");
        std::os::unix::fs::symlink(&longest, &manifest).expect("linked");
        let other = directory.path().join(format!("{name}.toml"));
        std::fs::hard_link(&longest, &other).expect("linked");
        let before = std::fs::read_to_string(&manifest).expect("there");
        let all = everything(&path);
        let error = added(&path, "sensor", Language::Rust).expect_err("no place");
        assert!(error.to_string().contains("app.toml"), "{error}");
        assert_eq!(everything(&path), all);
        std::fs::rename(&longest, &manifest).expect("renamed");
        added(&path, "sensor", Language::Rust).expect("added");
        assert_eq!(
            std::fs::read_to_string(other).expect("there"),
            before,
            "never half"
        );
        manifest::load(&path, &boards()).expect("right");
    }
}

#[test]
fn a_manifest_that_would_be_wrong_with_one_more_table_is_refused_and_stays() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("inline");
    create(&path, Language::Rust, &[]).expect("created");
    let process = "{ name = \"only\", program = \"console\", priority = 9, stack = \"2KiB\" }";
    let text = format!(
        "process = [{process}]\n[application]\nname = \"inline\"\nboards = [\"mps2-an386\"]\n"
    );
    std::fs::write(path.join("app.toml"), text).expect("written");
    let all = everything(&path);
    let error = added(&path, "sensor", Language::Rust).expect_err("refused");
    assert!(
        error
            .help()
            .is_some_and(|it| it.to_string().contains("[[process]]"))
    );
    assert_eq!(everything(&path), all);
}

#[test]
fn a_process_that_cannot_be_added_leaves_the_application_as_it_was() {
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("blink");
    create(&path, Language::Rust, &[]).expect("created");
    std::fs::create_dir(path.join("there")).expect("a folder");
    let read = |file: &str| std::fs::read_to_string(path.join(file)).expect("there");
    let before = ["app.toml", "Cargo.toml"].map(read);
    for (process, message) in [
        ("blink", "blink has a process `blink` already"),
        ("console", "can be called `console`"),
        ("Sensor", "`Sensor` is not a name"),
        ("there", "is there already"),
    ] {
        let error = added(&path, process, Language::Rust).expect_err(process);
        assert!(error.to_string().contains(message), "{error}");
        assert!(error.help().is_some(), "{error} has no next step");
    }
    assert_eq!(["app.toml", "Cargo.toml"].map(read), before);
}
