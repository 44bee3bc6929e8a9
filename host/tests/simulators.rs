//! What keeps a simulator from being built is told in one line, and nothing half-built stays.

use std::path::{Path, PathBuf};
use std::process::Command;

use riposte_host::board;
use riposte_host::machine::{Engine, Pace};

/// Where the process that asks for the simulator finds the repository.
const ROOT: &str = "RIPOSTE_TEST_ROOT";

/// A repository with a `sim` of its own, and nothing built.
struct Repository(tempfile::TempDir);

impl Repository {
    fn new() -> Repository {
        Repository::named("repository")
    }

    /// In a folder whose name begins so.
    fn named(name: &str) -> Repository {
        let folder = tempfile::Builder::new().prefix(name).tempdir();
        let folder = folder.expect("a directory");
        let mut copy = Command::new("cp");
        copy.args(["-r", "../sim"]).arg(folder.path());
        assert!(copy.status().expect("cp runs").success());
        Repository(folder)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// What the tool says to somebody who wants to run an image on `ibex`: in a process of its own,
    /// because what it starts depends on these variables.
    fn refusal(&self, variables: &[(&str, &Path)]) -> String {
        let output = Command::new(std::env::current_exe().expect("this test"))
            .args(["--ignored", "--exact", "the_one_who_asks", "--nocapture"])
            .env(ROOT, self.0.path())
            .envs(variables.iter().copied())
            .output()
            .expect("it runs");
        let text = String::from_utf8_lossy(&output.stdout);
        let mut lines = text.lines().filter_map(|it| it.strip_prefix("refused: "));
        let line = lines.next().unwrap_or_else(|| panic!("no refusal: {text}"));
        line.to_owned()
    }

    /// What stands in the table of cores of a core.
    fn core(&self, name: &str) -> Vec<String> {
        let cores = std::fs::read_to_string(self.path("sim/cores")).expect("there");
        let mut rows = cores.lines().map(str::split_whitespace);
        let row = rows.find(|row| row.clone().next() == Some(name));
        row.expect("its row").map(str::to_owned).collect()
    }

    fn has_nothing_built(&self) {
        let found = Command::new("find")
            .arg(self.path("target"))
            .args(["-type", "f", "!", "-name", "*.lock"])
            .output()
            .expect("find runs");
        assert_eq!(String::from_utf8_lossy(&found.stdout), "");
    }
}

/// Not a test: see [`Repository::refusal`].
#[test]
#[ignore = "asked by the others"]
fn the_one_who_asks() {
    let root = PathBuf::from(std::env::var_os(ROOT).expect("asked by another test"));
    let boards = board::load_all(Path::new("../boards")).expect("the boards load");
    let ibex = boards.iter().find(|it| it.name == "ibex").expect("there");
    let error = Engine::new(&root, ibex, Path::new("image.bin"), Pace::Run).expect_err("refused");
    println!("\nrefused: {error}; {}", error.help().expect("a next step"));
}

#[test]
fn without_verilator_the_next_step_is_to_install_it() {
    let repository = Repository::new();
    let path = repository.path("bin");
    std::fs::create_dir(&path).expect("a directory");
    for tool in ["bash", "env", "dirname", "awk"] {
        let from = std::env::split_paths(&std::env::var_os("PATH").expect("a path"))
            .map(|folder| folder.join(tool))
            .find(|file| file.is_file());
        std::os::unix::fs::symlink(from.expect(tool), path.join(tool)).expect("linked");
    }
    let line = repository.refusal(&[("PATH", &path)]);
    let expected = "there is no simulator of ibex: sim/build: verilator is missing: apt-get install \
                    verilator; `./riposte doctor`";
    assert!(line.starts_with(expected), "{line}");
    repository.has_nothing_built();
}

/// A Verilator that writes down where it is and what it is told, and makes nothing.
const VERILATOR: &str = "#!/bin/sh
[ \"$1\" = --version ] && exit
printf '%s\\n' \"$PWD\" \"$@\" > \"$TOLD\"
exit 1
";

#[test]
fn a_checkout_with_a_blank_in_its_name_has_simulators() {
    use std::os::unix::fs::PermissionsExt as _;

    let repository = Repository::named("a checkout");
    let row = repository.core("ibex");
    let sources = repository.path(&format!("target/sim/cores/{}-{}", row[1], row[2]));
    std::fs::create_dir_all(sources).expect("a directory");
    let (bin, told) = (repository.path("bin"), repository.path("told"));
    std::fs::create_dir(&bin).expect("a directory");
    let verilator = bin.join("verilator");
    std::fs::write(&verilator, VERILATOR).expect("written");
    let mode = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(&verilator, mode).expect("it may run");
    let before = std::env::var_os("PATH").expect("a path");
    let path = std::iter::once(bin).chain(std::env::split_paths(&before));
    let path = PathBuf::from(std::env::join_paths(path).expect("a path"));
    let line = repository.refusal(&[("PATH", &path), ("TOLD", &told)]);
    assert!(
        line.contains("the simulator of ibex does not build"),
        "{line}"
    );
    // Neither it nor make takes such a name: they are told none.
    let told = std::fs::read_to_string(told).expect("it was told something");
    assert!(told.contains("sim/ibex/board.sv"), "{told}");
    assert!(!told.contains("a checkout"), "{told}");
    repository.has_nothing_built();
}

/// A wheel that pip takes, whose content is not that of the core.
const WHEEL: &str = "
import sys, zipfile
name, version = 'pythondata_cpu_ibex', sys.argv[2]
with zipfile.ZipFile(f'{sys.argv[1]}/{name}-{version}-py3-none-any.whl', 'w') as wheel:
    about = f'{name}-{version}.dist-info/'
    wheel.writestr(about + 'METADATA', f'Metadata-Version: 2.1\\nName: {name}\\nVersion: {version}\\n')
    wheel.writestr(about + 'WHEEL', 'Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n')
    wheel.writestr(about + 'RECORD', '')
";

#[test]
fn a_wheel_with_another_hash_is_named_and_not_kept() {
    let repository = Repository::new();
    let version = &repository.core("ibex")[2];
    let wheels = repository.path("wheels");
    std::fs::create_dir(&wheels).expect("a directory");
    let made = Command::new("python3")
        .args(["-c", WHEEL])
        .arg(&wheels)
        .arg(version)
        .status();
    assert!(made.expect("python3 runs").success());
    // Where pip looks, and nowhere else.
    let variables = [
        ("PIP_NO_INDEX", Path::new("1")),
        ("PIP_FIND_LINKS", &wheels),
    ];
    let line = repository.refusal(&variables);
    let expected = format!(
        "there is no simulator of ibex: sim/fetch: pythondata-cpu-ibex {version} has the wrong hash: \
         expected "
    );
    assert!(line.starts_with(&expected), "{line}");
    assert!(line.contains("; nothing was kept: "), "{line}");
    repository.has_nothing_built();
}
