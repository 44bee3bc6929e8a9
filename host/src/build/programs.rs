//! From the programs that a manifest names to their static libraries.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use miette::{IntoDiagnostic, WrapErr};
use serde::Deserialize;

use super::{c, cargo, link};
use crate::board::Board;
use crate::manifest::{Application, Channel, Process, Program};
use crate::quantity;
use crate::suggest;
use crate::toolchain::{Toolchain, output};

/// The folder of programs that nobody means who writes an application.
const TESTS: &str = "tests";

/// What the kernel of a board is built from.
const KERNEL: &str = "riposte-kernel";

/// The folder, below `target/`, of everything built for a board.
pub const TARGET_DIRECTORY: &str = "target/firmware";

/// The profile of what runs on a board.
const PROFILE: &str = "firmware";

#[derive(Deserialize)]
struct Metadata {
    packages: Vec<Package>,
    workspace_root: PathBuf,
}

#[derive(Deserialize)]
struct Package {
    name: String,
    manifest_path: PathBuf,
    targets: Vec<Target>,
    dependencies: Vec<Dependency>,
    metadata: Option<Told>,
}

/// What a package's `[package.metadata]` says to us.
#[derive(Deserialize)]
struct Told {
    riposte: Option<Needs>,
}

/// What a program needs of its manifest.
#[derive(Clone, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Needs {
    /// Bytes of its main thread's stack.
    stack: Option<u32>,
    /// A device for which it waits at another channel than its clients', while it serves one: those that queue meanwhile lend it
    /// nothing.
    waits_for: Option<String>,
}

#[derive(Deserialize)]
struct Target {
    crate_types: Vec<String>,
}

#[derive(Deserialize)]
struct Dependency {
    name: String,
}

impl Package {
    /// A board's kernel is a static library too, and none that a process could run.
    fn is_program(&self) -> bool {
        let types = self.targets.iter().flat_map(|target| &target.crate_types);
        let is_kernel = self.dependencies.iter().any(|it| it.name == KERNEL);
        types.into_iter().any(|name| name == "staticlib") && !is_kernel
    }
}

/// Packages that are built together.
struct Workspace {
    /// Its `Cargo.toml`.
    manifest: PathBuf,
    packages: BTreeMap<String, PathBuf>,
    needs: BTreeMap<PathBuf, Needs>,
    /// The names of those that are programs of a board.
    programs: Vec<String>,
}

fn metadata(toolchain: &Toolchain, manifest: &Path) -> miette::Result<Metadata> {
    let mut command = toolchain.cargo();
    command.args([
        "metadata",
        "--no-deps",
        "--format-version",
        "1",
        "--manifest-path",
    ]);
    let json = output(command.arg(manifest))?;
    serde_json::from_str(&json)
        .into_diagnostic()
        .wrap_err("cargo metadata is not as expected")
}

/// The packages of the workspace at `root` that are programs of a board: name and folder.
///
/// # Errors
/// If cargo does not run, or finds the workspace wrong.
pub fn packages(toolchain: &Toolchain, root: &Path) -> miette::Result<Vec<(String, PathBuf)>> {
    let packages = metadata(toolchain, &root.join("Cargo.toml"))?
        .packages
        .into_iter();
    Ok(packages
        .filter(Package::is_program)
        .map(|package| (package.name, package.manifest_path.with_file_name("")))
        .collect())
}

impl Workspace {
    fn read(toolchain: &Toolchain, manifest: &Path) -> miette::Result<Workspace> {
        let Metadata {
            packages,
            workspace_root,
        } = metadata(toolchain, manifest)?;
        let needs = |it: &Package| {
            let told = it.metadata.as_ref()?.riposte.clone()?;
            Some((it.manifest_path.clone(), told))
        };
        let programs = packages.iter().filter(|it| it.is_program());
        Ok(Workspace {
            manifest: workspace_root.join("Cargo.toml"),
            needs: packages.iter().filter_map(needs).collect(),
            programs: programs.map(|it| it.name.clone()).collect(),
            packages: packages
                .into_iter()
                .map(|it| (it.name, it.manifest_path))
                .collect(),
        })
    }

    /// The names of the programs that do not lie in `folder`.
    fn programs_outside(&self, folder: &Path) -> impl Iterator<Item = &str> {
        let names = self.programs.iter().map(String::as_str);
        names.filter(move |name| !self.packages[*name].starts_with(folder))
    }

    fn names(&self) -> impl Iterator<Item = String> {
        self.packages.keys().cloned()
    }

    fn name_of(&self, manifest: &Path) -> Option<&String> {
        self.packages
            .iter()
            .find(|(_, path)| *path == manifest)
            .map(|(name, _)| name)
    }
}

/// Builds the program of every process; the result is what each is linked from, in manifest order.
///
/// # Errors
/// A program that is not there, with its place in the manifest, or that does not build.
pub fn build(
    toolchain: &Toolchain,
    root: &Path,
    application: &Application,
    board: &Board,
) -> miette::Result<Vec<Vec<PathBuf>>> {
    let workspace = Workspace::read(toolchain, &root.join("Cargo.toml"))?;
    let builds = application
        .processes
        .iter()
        .map(|process| {
            let manifest = cargo_manifest(&workspace, root, application, process)?;
            if let Some(needs) = workspace.needs.get(&manifest) {
                check_stack(application, process, needs)?;
                check_priority(application, process, needs)?;
            }
            Ok(Build {
                target: target(board, process),
                manifest,
            })
        })
        .collect::<miette::Result<Vec<_>>>()?;
    let mut others = Vec::new();
    let runs = runs(&builds, |manifest| match workspace.name_of(manifest) {
        Some(name) => Ok((workspace.manifest.clone(), name.clone())),
        None => outside(toolchain, &mut others, manifest),
    })?;
    let archives = run_all(toolchain, root, &workspace, &others, &runs)?;
    let processes = application.processes.iter().zip(&builds);
    processes
        .map(|(process, build)| {
            let archive = archive_of(&archives, application, process, build)?;
            let Program::C(folder) = &process.program.value else {
                return Ok(vec![archive]);
            };
            let (mut files, libraries) = compile(root, application, process, folder, build.target)?;
            // The library's own functions for memory come before those of the C library.
            files.push(archive);
            files.extend(libraries);
            Ok(files)
        })
        .collect()
}

/// A program that overflows its stack before it has said anything leaves no word of why.
fn check_stack(application: &Application, process: &Process, needs: &Needs) -> miette::Result<()> {
    let (Some(stack), Some(main)) = (needs.stack, process.threads.first()) else {
        return Ok(());
    };
    if main.stack.value >= stack {
        return Ok(());
    }
    let message = format!(
        "the program of process `{}` needs a stack of {}, and has {}",
        process.name.value,
        quantity::show(stack.into()),
        quantity::show(main.stack.value.into()),
    );
    let help = format!("write: stack = \"{}\"", quantity::show(stack.into()));
    let place = main.stack.span;
    Err(application.source.refuse(place, message, help).into())
}

/// A client that comes while its server waits elsewhere would wait for whoever is more urgent than the one that is served.
fn check_priority(
    application: &Application,
    process: &Process,
    needs: &Needs,
) -> miette::Result<()> {
    let mut peripherals = process.peripherals.iter();
    let waits_for = needs.waits_for.as_ref();
    let Some(device) = waits_for.and_then(|it| peripherals.find(|named| named.value == *it)) else {
        return Ok(());
    };
    let own = |it: &Channel| application.processes[it.owner].name.value == process.name.value;
    let Some(index) = application.channels.iter().position(own) else {
        return Ok(());
    };
    let channel = &application.channels[index];
    let clients = application.processes.iter();
    let clients = clients.filter(|it| it.connections.iter().any(|it| it.channel() == Some(index)));
    let highest = clients.map(most_urgent).max().unwrap_or(0);
    let main = process.threads.first().map_or(0, |it| it.priority);
    let fixed = channel.fixed_priority;
    if fixed.is_some_and(|fixed| (highest..=main).contains(&fixed)) {
        return Ok(());
    }
    let (name, device) = (&channel.name.value, &device.value);
    let message = format!(
        "channel `{name}` needs a fixed priority, as high as its clients' and no higher than its server's: while that \
         waits for its `{device}`, no client raises it"
    );
    let wanted = main.max(highest);
    let help = match main < highest {
        true => format!(
            "write: priority = {wanted}, here and at process `{}`",
            process.name.value
        ),
        false => format!("write: priority = {wanted}"),
    };
    let place = channel.name.span;
    Err(application.source.refuse(place, message, help).into())
}

/// The highest priority that a thread of a process can have of its own.
fn most_urgent(process: &Process) -> u8 {
    let threads = process.threads.iter().map(|it| it.priority);
    let most = threads.chain(process.priority_limit).max();
    most.unwrap_or(0)
}

/// The objects of a C program, and the libraries that it is linked with.
fn compile(
    root: &Path,
    application: &Application,
    process: &Process,
    folder: &Path,
    target: &str,
) -> miette::Result<(Vec<PathBuf>, Vec<PathBuf>)> {
    c::compile(root, folder, target).map_err(|refused| {
        let (message, help) = match refused {
            c::Refused::Said => (
                "does not compile".into(),
                "the compiler says above what is wrong".into(),
            ),
            // What has a place of its own says it all.
            c::Refused::Other(report) if report.labels().is_some() => return report,
            c::Refused::Other(report) => {
                let help = report.help().map(|help| help.to_string());
                (
                    format!("is not compiled: {report}"),
                    help.unwrap_or_default(),
                )
            }
        };
        let message = format!("the program of process `{}` {message}", process.name.value);
        let place = process.program.span;
        application.source.refuse(place, message, help).into()
    })
}

fn target<'b>(board: &'b Board, process: &Process) -> &'b str {
    board
        .target(process.fpu.value)
        .expect("the manifest's check refuses an FPU that is not there")
}

/// A program for a target, by its `Cargo.toml`. Processes that want the same share it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Build<'b> {
    target: &'b str,
    manifest: PathBuf,
}

/// The packages of each run of cargo, by target and by the `Cargo.toml` that the run is for.
type Runs<'b> = BTreeMap<(&'b str, PathBuf), Vec<String>>;

/// Cargo runs once for each target and workspace; `package` finds the workspace's `Cargo.toml` and
/// the package's name.
fn runs<'b>(
    builds: &[Build<'b>],
    mut package: impl FnMut(&Path) -> miette::Result<(PathBuf, String)>,
) -> miette::Result<Runs<'b>> {
    let mut runs = Runs::new();
    for Build { target, manifest } in builds {
        let (home, name) = package(manifest)?;
        let packages = runs.entry((target, home)).or_default();
        if !packages.contains(&name) {
            packages.push(name);
        }
    }
    Ok(runs)
}

/// Has cargo build every run; `others` are the workspaces among them beside `ours`. Returns the archives.
fn run_all<'b>(
    toolchain: &Toolchain,
    root: &Path,
    ours: &Workspace,
    others: &[Workspace],
    runs: &Runs<'b>,
) -> miette::Result<BTreeMap<Build<'b>, PathBuf>> {
    let owners = Owners::of(root, &ours.manifest);
    let mut archives = BTreeMap::new();
    for ((target, home), packages) in runs {
        // The other crates of a workspace are compiled with its programs.
        let workspace = others.iter().find(|it| it.manifest == *home);
        let all: Vec<String> = workspace.unwrap_or(ours).names().collect();
        owners.take(home, &all)?;
        let built = run(toolchain, root, target, home, packages)?.into_iter();
        archives.extend(built.map(|(manifest, archive)| (Build { target, manifest }, archive)));
    }
    Ok(archives)
}

/// Whose the packages are that were compiled last. Cargo tells packages of two workspaces apart by name and by
/// their way from the workspace's root alone: what one has made it would take for the other's, of whatever sources.
struct Owners<'a> {
    /// The file that names those of other workspaces than ours, a line each: the package, and its workspace's `Cargo.toml`.
    file: PathBuf,
    /// The folder of everything that cargo makes.
    folder: PathBuf,
    /// The `Cargo.toml` of our workspace.
    ours: &'a Path,
}

impl<'a> Owners<'a> {
    fn of(root: &Path, ours: &'a Path) -> Owners<'a> {
        let folder = root.join(TARGET_DIRECTORY);
        Owners {
            file: folder.join("owners"),
            folder,
            ours,
        }
    }

    /// Has cargo forget what it has made of `packages` if it was another workspace's than that of `home`.
    ///
    /// # Errors
    /// If that cannot be written.
    fn take(&self, home: &Path, packages: &[String]) -> miette::Result<()> {
        let written = std::fs::read_to_string(&self.file).unwrap_or_default();
        let lines = written.lines().filter_map(|line| line.split_once('\t'));
        let mut owners: BTreeMap<&str, &Path> = lines.map(|(it, of)| (it, of.as_ref())).collect();
        let mut others = Vec::new();
        for package in packages {
            let owner = owners.get(package.as_str()).copied();
            if owner.unwrap_or(self.ours) != home {
                others.push(package);
                owners.insert(package, home);
            }
        }
        if others.is_empty() {
            return Ok(());
        }
        // Forgotten first: whoever is interrupted here forgets once more.
        for package in others {
            self.forget(package)?;
        }
        owners.retain(|_, owner| *owner != self.ours);
        let lines = owners.iter();
        let lines = lines.map(|(package, owner)| format!("{package}\t{}\n", owner.display()));
        link::write(&self.file, lines.collect::<String>().as_bytes())
    }

    /// For every target, and what runs on this machine: build scripts and macros.
    fn forget(&self, package: &str) -> miette::Result<()> {
        let folders = [self.folder.clone()]
            .into_iter()
            .chain(entries(&self.folder));
        let remembered = folders.map(|it| it.join(PROFILE).join(".fingerprint"));
        for compiled in remembered.flat_map(|it| entries(&it)) {
            let name = compiled.file_name().and_then(|it| it.to_str());
            let parts = name.and_then(|it| it.rsplit_once('-'));
            if parts.is_some_and(|(it, _)| it == package) {
                std::fs::remove_dir_all(&compiled)
                    .into_diagnostic()
                    .wrap_err_with(|| format!("cannot remove {}", compiled.display()))?;
            }
        }
        Ok(())
    }
}

/// What is in a folder, if there is one.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    entries.map(|it| it.path()).collect()
}

/// A crate outside this workspace is built with those of its own, which is read once: `others` has those that were.
fn outside(
    toolchain: &Toolchain,
    others: &mut Vec<Workspace>,
    manifest: &Path,
) -> miette::Result<(PathBuf, String)> {
    let place = |others: &[Workspace]| {
        let mut all = others.iter();
        all.find_map(|it| Some((it.manifest.clone(), it.name_of(manifest)?.clone())))
    };
    if let Some(place) = place(others) {
        return Ok(place);
    }
    let read = Workspace::read(toolchain, manifest)?;
    let home = read.manifest.clone();
    others.push(read);
    Ok(place(others).unwrap_or((home, String::new())))
}

fn run(
    toolchain: &Toolchain,
    root: &Path,
    target: &str,
    home: &Path,
    packages: &[String],
) -> miette::Result<BTreeMap<PathBuf, PathBuf>> {
    let mut command = toolchain.cargo_for("build", target);
    command
        .args([
            "--quiet",
            "--profile",
            PROFILE,
            "--message-format",
            "json-render-diagnostics",
        ])
        .arg("--manifest-path")
        .arg(home)
        .arg("--target-dir")
        .arg(root.join(TARGET_DIRECTORY));
    for package in packages {
        command.args(["--package", package]);
    }
    Ok(cargo::run(
        &mut command,
        &format!("one of the programs {}", packages.join(", ")),
    )?
    .archives)
}

/// The `Cargo.toml` of a process's program; of a C program, that of the library that it is linked with.
fn cargo_manifest(
    workspace: &Workspace,
    root: &Path,
    application: &Application,
    process: &Process,
) -> miette::Result<PathBuf> {
    let (found, wanted) = match &process.program.value {
        Program::Package(name) => (workspace.packages.get(name).cloned(), name.clone()),
        Program::Directory(folder) => (
            folder.join("Cargo.toml").canonicalize().ok(),
            folder.display().to_string(),
        ),
        Program::C(folder) => (
            root.join("c/Cargo.toml").canonicalize().ok(),
            folder.display().to_string(),
        ),
    };
    found.ok_or_else(|| {
        let tests = root.join(TESTS);
        let names = workspace.programs_outside(&tests);
        let help = suggest::question(&wanted, names).unwrap_or_else(|| {
            "name a program of Riposte's, such as `console`, or a folder beside app.toml, as `./NAME`"
                .into()
        });
        let message = format!("there is no program `{wanted}`");
        application
            .source
            .refuse(process.program.span, message, help)
            .into()
    })
}

fn archive_of(
    archives: &BTreeMap<Build, PathBuf>,
    application: &Application,
    process: &Process,
    build: &Build,
) -> miette::Result<PathBuf> {
    archives.get(build).cloned().ok_or_else(|| {
        let help = format!(
            "write in {}: [lib] crate-type = [\"staticlib\"]",
            build.manifest.display()
        );
        application
            .source
            .refuse(process.program.span, "this package is no program", help)
            .into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOFT: &str = "thumbv7em-none-eabi";
    const HARD: &str = "thumbv7em-none-eabihf";

    fn toolchain() -> Toolchain {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        Toolchain::find(&root).expect("it builds this test")
    }

    fn build(target: &'static str, program: &str) -> Build<'static> {
        Build {
            target,
            manifest: program.into(),
        }
    }

    #[test]
    fn a_program_of_two_targets_is_built_for_both_and_each_target_in_one_run() {
        let builds = [
            build(SOFT, "console"),
            build(HARD, "filter"),
            build(SOFT, "filter"),
            build(SOFT, "console"),
        ];
        let home = PathBuf::from("Cargo.toml");
        let runs = runs(&builds, |manifest| {
            Ok((home.clone(), manifest.display().to_string()))
        });
        let soft = vec!["console".to_owned(), "filter".to_owned()];
        let hard = vec!["filter".to_owned()];
        let expected = Runs::from([((SOFT, home.clone()), soft), ((HARD, home.clone()), hard)]);
        assert_eq!(runs.expect("every program has a package"), expected);
    }

    #[test]
    fn a_kernel_is_no_program_though_it_is_a_static_library() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let packages = packages(&toolchain(), &root).expect("the workspace is right");
        let names: Vec<&str> = packages.iter().map(|(name, _)| name.as_str()).collect();
        for kernel in ["riposte-mps2", "riposte-virt", "riposte-sim"] {
            assert!(!names.contains(&kernel), "{names:?}");
        }
        assert!(names.contains(&"supervisor"), "{names:?}");
    }

    /// A workspace with a library that says this, and a program that refers to it.
    fn workspace(folder: &Path, program: &str, says: &str) -> Workspace {
        let write = |file: &str, text: &str| {
            let file = folder.join(file);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("made");
            std::fs::write(file, text).expect("written");
        };
        let members = format!(
            "[workspace]\nresolver = \"3\"\nmembers = [\"library\", \"{program}\"]\n\
             [profile.firmware]\ninherits = \"release\"\n"
        );
        let package = |name: &str| {
            format!("[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n")
        };
        write("Cargo.toml", &members);
        write("library/Cargo.toml", &package("library"));
        let says = format!("#![no_std]\npub fn says() -> &'static str {{ {says:?} }}\n");
        write("library/src/lib.rs", &says);
        let needs = "[lib]\ncrate-type = [\"staticlib\"]\n\
            [dependencies]\nlibrary = { path = \"../library\" }\n";
        write(
            &format!("{program}/Cargo.toml"),
            &(package(program) + needs),
        );
        let calls = "#![no_std]\n\
            #[unsafe(no_mangle)] extern \"C\" fn says() -> *const u8 { library::says().as_ptr() }\n\
            #[panic_handler] fn panic(_: &core::panic::PanicInfo) -> ! { loop {} }\n";
        write(&format!("{program}/src/lib.rs"), calls);
        Workspace::read(&toolchain(), &folder.join("Cargo.toml")).expect("it is right")
    }

    #[test]
    fn a_program_of_ours_is_of_our_libraries_whatever_another_checkout_has_made_of_its_own() {
        let folder = tempfile::tempdir().expect("a directory");
        let folder = folder.path().canonicalize().expect("there");
        let [root, there] = ["ours", "theirs"].map(|it| folder.join(it));
        let ours = workspace(&root, "program", "This is of ours.");
        let others = [workspace(&there, "other", "This is of theirs.")];
        std::fs::create_dir_all(root.join(TARGET_DIRECTORY)).expect("made");
        let toolchain = toolchain();
        let says = |home: &Workspace, program: &str, words: &str| {
            let run = ((SOFT, home.manifest.clone()), vec![program.to_owned()]);
            let archives = run_all(&toolchain, &root, &ours, &others, &Runs::from([run]));
            let archives = archives.expect("it builds");
            let archive = archives.values().next().expect("a program");
            let bytes = std::fs::read(archive).expect("there");
            let mut places = bytes.windows(words.len());
            places.any(|it| it == words.as_bytes())
        };
        for _ in 0..2 {
            assert!(says(&others[0], "other", "This is of theirs."));
            assert!(says(&ours, "program", "This is of ours."));
        }
    }
}
