//! Builds the kernel for one application: its tables are sized and filled from the plan.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use miette::{IntoDiagnostic, WrapErr, miette};

use super::link::{self, write};
use super::lock::Lock;
use super::made::Made;
use super::{cargo, stack};
use crate::board::{Board, KernelImage};
use crate::kernel_config;
use crate::plan::{Plan, Restart};
use crate::quantity::show;
use crate::toolchain::Toolchain;

/// The folder of the folders in which cargo builds kernels.
const TARGET_DIRECTORY: &str = "target/kernels";

/// The folder among them of the build scripts that were compiled already.
const SCRIPTS_DIRECTORY: &str = "target/kernels/scripts";

/// The build scripts of the kernel's crates. One that is not named here is only compiled more often.
const SCRIPTS: [&str; 6] = [
    "kernel/build.rs",
    "arch/armv7m/build.rs",
    "arch/riscv/build.rs",
    "boards/mps2/build.rs",
    "boards/sim/build.rs",
    "boards/virt/build.rs",
];

/// The kernel's ELF file, in the folder of an image.
pub const FILE: &str = "kernel.elf";

/// Its configuration, beside it.
pub const CONFIG: &str = "config.rs";

/// Where cargo puts what runs on this machine, which is the build scripts, in a folder of its own.
const HOSTS: &str = "kernel";

/// The variable that names the configuration's file, which only the last crate reads.
const CONFIGURATION: &str = "RIPOSTE_CONFIG";
/// Variables that only the ports' and the boards' crates are compiled with, which is done in a moment.
const BEHIND_THE_KERNEL: [&str; 13] = [
    CONFIGURATION,
    "RIPOSTE_CHANGES",
    "RIPOSTE_COUNTERS",
    "RIPOSTE_EXTERNAL_MASK",
    "RIPOSTE_FIXED_GUARDS",
    "RIPOSTE_FLUSHES",
    "RIPOSTE_GUARD",
    "RIPOSTE_GUARDS",
    "RIPOSTE_PROTECTION",
    "RIPOSTE_REFRESH",
    "RIPOSTE_REGIONS",
    "RIPOSTE_RESTARTABLE",
    "RIPOSTE_VECTORED",
];

/// What the kernel is compiled from, besides its configuration.
const SOURCES: [&str; 7] = [
    "abi",
    "arch",
    "boards",
    "kernel",
    "Cargo.toml",
    "Cargo.lock",
    "rust-toolchain.toml",
];

/// The sources of this tool that say how a kernel is compiled, sized and linked.
const MAKERS: [&str; 7] = [
    include_str!("kernel.rs"),
    include_str!("link.rs"),
    include_str!("stack.rs"),
    include_str!("stack/riscv.rs"),
    include_str!("stack/thumb.rs"),
    include_str!("../symbols.rs"),
    include_str!("../toolchain.rs"),
];

/// Builds the kernel into `folder`, unless the one that is there, or that of another image, is of the same sources and
/// configuration, made by the same tools.
///
/// # Errors
/// If the kernel does not build.
pub fn build(
    toolchain: &Toolchain,
    root: &Path,
    board: &Board,
    plan: &Plan,
    folder: &Path,
) -> miette::Result<PathBuf> {
    let output = folder.join(FILE);
    let inputs = Inputs::write(root, board, plan, folder)?;
    let stamp = inputs.stamp(toolchain, root)?;
    unless_made(&output, &stamp, || {
        let compile = |file: &Path| inputs.compile(toolchain, root, board, plan, file);
        Made::of(root, &stamp).take(&output, compile)
    })?;
    Ok(output)
}

/// Has `make` make a file, unless the one that is there was made of what this stamp stands for. A file that is not
/// whole has no stamp.
fn unless_made(
    file: &Path,
    stamp: &str,
    make: impl FnOnce() -> miette::Result<()>,
) -> miette::Result<()> {
    let stamp_file = file.with_extension("stamp");
    let made = std::fs::read_to_string(&stamp_file).unwrap_or_default();
    if made == stamp && file.exists() {
        return Ok(());
    }
    // Absent is as good as removed.
    let _ = std::fs::remove_file(&stamp_file);
    make()?;
    write(&stamp_file, stamp.as_bytes())
}

/// The files that are generated for the kernel.
struct Inputs {
    /// The package of the board's kernel, and its target.
    of: [String; 2],
    script: PathBuf,
    texts: [String; 2],
    environment: Environment,
}

/// Variables that the kernel's crates are compiled with.
pub type Environment = Vec<(&'static str, String)>;

/// The variables for a plan whose configuration was written to `folder`.
#[must_use]
pub fn environment(plan: &Plan, board: &Board, folder: &Path) -> Environment {
    let fixed = kernel_config::fixed_guards(plan, board);
    let bases = fixed.iter().flatten().map(|base| format!("{base:#x}, "));
    vec![
        (CONFIGURATION, config(folder).display().to_string()),
        ("RIPOSTE_LEVELS", plan.levels.to_string()),
        ("RIPOSTE_HANDLES", plan.handles.to_string()),
        (
            "RIPOSTE_REGIONS",
            kernel_config::regions(plan, board).to_string(),
        ),
        ("RIPOSTE_GUARDS", flag(fixed.is_none())),
        ("RIPOSTE_FIXED_GUARDS", bases.collect()),
        ("RIPOSTE_GUARD", board.protection.guard.to_string()),
        ("RIPOSTE_TRANSLATED", flag(board.protection.translates())),
        ("RIPOSTE_PROTECTION", board.protection.kind.name().into()),
        ("RIPOSTE_FLUSHES", flag(board.protection.flushes)),
        (
            "RIPOSTE_LINE",
            board.cache.map_or(1, |cache| cache.line).to_string(),
        ),
        ("RIPOSTE_REFRESH", flag(board.protection.refresh)),
        ("RIPOSTE_VECTORED", flag(board.traps.vectored)),
        ("RIPOSTE_EXTERNAL_MASK", flag(board.traps.external_mask)),
        ("RIPOSTE_COUNTERS", flag(board.clock.counters)),
        (
            "RIPOSTE_MEMORY_MESSAGES",
            flag(kernel_config::changes(plan)),
        ),
        (
            "RIPOSTE_PROXIES",
            flag(plan.processes.iter().any(kernel_config::has_proxies)),
        ),
        (
            "RIPOSTE_TIMERS",
            flag(
                plan.processes
                    .iter()
                    .any(|process| process.objects.timers > 0),
            ),
        ),
        (
            "RIPOSTE_CHANGES",
            flag(kernel_config::configures(plan, board)),
        ),
        ("RIPOSTE_SHARED_MEMORY", flag(!plan.regions.is_empty())),
        ("RIPOSTE_POOLS", flag(!plan.pools.is_empty())),
        ("RIPOSTE_FUTEXES", kernel_config::futexes(plan).to_string()),
        (
            "RIPOSTE_RUN_TIME_THREADS",
            flag(kernel_config::starts_threads(plan)),
        ),
        ("RIPOSTE_SLICES", flag(kernel_config::takes_turns(plan))),
        ("RIPOSTE_ADAPTIVE", flag(kernel_config::drops_levels(plan))),
        ("RIPOSTE_INTERRUPTS", flag(kernel_config::interrupts(plan))),
        (
            "RIPOSTE_INTERRUPT_RATES",
            flag(kernel_config::limits_interrupts(plan)),
        ),
        (
            "RIPOSTE_INSPECTION",
            flag(plan.processes.iter().any(|it| it.grants.inspect)),
        ),
        (
            "RIPOSTE_FIXED_PRIORITIES",
            flag(plan.channels.iter().any(|it| it.fixed_priority.is_some())),
        ),
        (
            "RIPOSTE_RELAYS",
            flag(plan.processes.iter().any(|it| it.grants.relay)),
        ),
        ("RIPOSTE_CONTROLS", some(plan, |it| !it.controls.is_empty())),
        ("RIPOSTE_PROGRAMS", flag(plan.manager.is_some())),
        (
            "RIPOSTE_DELAYS",
            some(plan, |it| it.delay_ns != 0 || it.window_ns.is_some()),
        ),
        ("RIPOSTE_HOLDS", flag(kernel_config::holds(plan))),
        ("RIPOSTE_GROUPS", some(plan, |it| !it.with.is_empty())),
        ("RIPOSTE_RESETS", some(plan, |it| it.resets)),
        ("RIPOSTE_TRANSFERS", flag(kernel_config::hands_on(plan))),
        (
            "RIPOSTE_OWN_BADGES",
            flag(kernel_config::gives_badges(plan)),
        ),
        (
            "RIPOSTE_SIGNALS",
            flag(kernel_config::signals_are_sent(plan)),
        ),
        ("RIPOSTE_TRACE", plan.trace.to_string()),
        ("RIPOSTE_GRANULE", board.protection.guard.to_string()),
        ("RIPOSTE_RESTARTABLE", flag(restartable(plan))),
    ]
}

/// Whether the manifest says so of some process's restarts.
fn some(plan: &Plan, says: impl Fn(&Restart) -> bool) -> String {
    flag(plan.processes.iter().any(|process| says(&process.restart)))
}

/// Whether any program has restartable sequences.
fn restartable(plan: &Plan) -> bool {
    plan.processes
        .iter()
        .any(|process| process.restartable.1 > 0)
}

fn flag(value: bool) -> String {
    u8::from(value).to_string()
}

fn config(folder: &Path) -> PathBuf {
    folder.join(CONFIG)
}

impl Inputs {
    fn write(root: &Path, board: &Board, plan: &Plan, folder: &Path) -> miette::Result<Inputs> {
        let inputs = Inputs {
            of: [&board.kernel.package, &board.kernel_target].map(String::clone),
            script: folder.join("kernel.ld"),
            texts: [
                kernel_config::generate(plan, board),
                linker_script(root, board)?,
            ],
            environment: environment(plan, board, folder),
        };
        write_if_changed(&config(folder), &inputs.texts[0])?;
        write_if_changed(&inputs.script, &inputs.texts[1])?;
        Ok(inputs)
    }

    fn stamp(&self, toolchain: &Toolchain, root: &Path) -> miette::Result<String> {
        let mut hasher = DefaultHasher::new();
        let tools = [toolchain.version()?, toolchain.linker_version()?];
        (tools, MAKERS, &self.of).hash(&mut hasher);
        // The names of an application and its processes are told to a reader alone.
        let [config, script] = &self.texts;
        let lines = config.lines().filter(|line| !line.starts_with("//"));
        lines.for_each(|line| line.hash(&mut hasher));
        script.hash(&mut hasher);
        // Where the configuration lies is of no effect.
        let environment = self.environment.iter();
        let environment = environment.filter(|(name, _)| *name != CONFIGURATION);
        environment.for_each(|variable| variable.hash(&mut hasher));
        for source in SOURCES {
            hash_tree(&root.join(source), &mut hasher);
        }
        Ok(format!("{:016x}\n", hasher.finish()))
    }

    fn compile(
        &self,
        toolchain: &Toolchain,
        root: &Path,
        board: &Board,
        plan: &Plan,
        output: &Path,
    ) -> miette::Result<()> {
        let package = &board.kernel.package;
        let folder = self.target_directory(toolchain, root, board);
        // What cargo makes there has one name: it is another application's once that one builds.
        let _building = Lock::of(&folder, "waiting for another kernel to be built")?;
        let scripts = scripts(toolchain, root, package)?;
        let hosts = folder.join(HOSTS);
        if !hosts.exists() {
            copy(&scripts, &hosts);
        }
        let config = config(output.parent().unwrap_or(root));
        write_if_changed(&config, &self.texts[0])?;
        let archive = self.archive(toolchain, board, plan, (&folder, &config))?;
        copy(&hosts, &scripts);
        let aside = output.with_extension("new.elf");
        let link = |stack| self.link(toolchain, board, plan, (&archive, stack), &aside);
        link(0)?;
        // How deep its calls go depends on no address.
        link(stack::size(board, stack::depth(&aside)?.bytes))?;
        // An image that is in use keeps the old file.
        std::fs::rename(&aside, output)
            .into_diagnostic()
            .wrap_err_with(|| format!("cannot write {}", output.display()))
    }

    /// Compiles the kernel, all of it as one.
    fn archive(
        &self,
        toolchain: &Toolchain,
        board: &Board,
        plan: &Plan,
        (folder, config): (&Path, &Path),
    ) -> miette::Result<PathBuf> {
        let package = &board.kernel.package;
        let mut command = toolchain.cargo_for("build", &board.kernel_target);
        command
            .args(["--package", package, "--quiet", "--profile", "kernel"])
            .args(["--message-format", "json-render-diagnostics"])
            .arg("--target-dir")
            .arg(folder)
            .envs(self.environment.clone())
            .env(CONFIGURATION, config);
        let what = format!("the kernel of {} for {}", plan.application, plan.board);
        let archives = cargo::run(&mut command, &what)?.archives;
        archives
            .into_values()
            .next()
            .ok_or_else(|| miette!("cargo made no kernel from package {package}"))
    }

    /// Links an archive as the kernel with so many bytes of stack.
    fn link(
        &self,
        toolchain: &Toolchain,
        board: &Board,
        plan: &Plan,
        (archive, stack): (&Path, u32),
        output: &Path,
    ) -> miette::Result<()> {
        let mut command = link::command(toolchain, &self.script, output);
        command
            .arg(format!("--defsym=__kernel_stack_size={stack}"))
            .arg(archive);
        let linked = link::run(&mut command)?;
        if linked.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&linked.stderr);
        Err(too_large(board, plan, &said).unwrap_or_else(|| {
            let name = &plan.application;
            miette!(
                "the kernel of {name} for {} does not link:\n{}",
                plan.board,
                said.trim_end()
            )
        }))
    }

    /// Kernels whose portable crate differs have a folder each, where cargo remembers it: only the port and the last
    /// crate, which holds the application's tables, are then compiled anew for each application, and kernels
    /// are built side by side. Where cargo builds Rust's library too, they share one.
    fn target_directory(&self, toolchain: &Toolchain, root: &Path, board: &Board) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        (&board.kernel_target, &board.kernel.package).hash(&mut hasher);
        if toolchain.has_library(&board.kernel_target) {
            let crates = self.environment.iter();
            crates
                .filter(|(name, _)| !BEHIND_THE_KERNEL.contains(name))
                .for_each(|variable| variable.hash(&mut hasher));
        }
        root.join(TARGET_DIRECTORY)
            .join(format!("{:016x}", hasher.finish()))
    }
}

/// What to say instead of what the linker has `said`, if it is that the kernel has too little memory.
fn too_large(board: &Board, plan: &Plan, said: &str) -> Option<miette::Report> {
    let KernelImage { text, ram, .. } = &board.kernel;
    let memories = [("FLASH", "flash", text), ("RAM", "RAM", ram)];
    let (name, left, beyond) = memories.into_iter().find_map(|(region, name, left)| {
        let (_, beyond) = said.split_once(&format!("will not fit in region '{region}'"))?;
        let digits = |it: &char| it.is_ascii_digit();
        let beyond: String = beyond
            .chars()
            .skip_while(|it| !digits(it))
            .take_while(digits)
            .collect();
        Some((name, left.size, beyond))
    })?;
    Some(miette!(
        help = "make one of the processes smaller, or use another board",
        "the kernel of {} for {} does not fit: the processes leave it {} of {name}, {beyond} bytes too few",
        plan.application,
        plan.board,
        show(left.into()),
    ))
}

/// Where the compiled build scripts of a board's kernel are kept. They do not depend on what the kernel is
/// configured by, so that every folder of kernels begins with them; cargo compiles anew what has changed.
fn scripts(toolchain: &Toolchain, root: &Path, package: &str) -> miette::Result<PathBuf> {
    let mut hasher = DefaultHasher::new();
    toolchain.version()?.hash(&mut hasher);
    for script in SCRIPTS {
        hash_tree(&root.join(script), &mut hasher);
    }
    let name = format!("{package}-{:016x}", hasher.finish());
    Ok(root.join(SCRIPTS_DIRECTORY).join(name))
}

/// Copies the folder `from` to `to`, which appears whole or not at all, unless it is there. Times stay: cargo
/// looks at them. Without a copy cargo compiles more, and nothing else changes.
fn copy(from: &Path, to: &Path) {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    if !from.exists() || to.exists() {
        return;
    }
    let Some(parent) = to.parent() else {
        return;
    };
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    let aside = parent.join(format!("copy-{}-{number}", std::process::id()));
    let copied = std::fs::create_dir_all(parent).is_ok()
        && Command::new("cp")
            .args(["-a", "--"])
            .args([from, &aside])
            .status()
            .is_ok_and(|status| status.success());
    // Somebody else may have been quicker: theirs is as good.
    if !copied || std::fs::rename(&aside, to).is_err() {
        let _ = std::fs::remove_dir_all(&aside);
    }
}

fn linker_script(root: &Path, board: &Board) -> miette::Result<String> {
    let file = root.join(&board.kernel.linker_script);
    let template = std::fs::read_to_string(&file)
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot read {}", file.display()))?;
    let (flash, text, ram) = (board.kernel.flash, board.kernel.text, board.kernel.ram);
    Ok(template
        .replace("@FLASH_ORIGIN@", &format!("{:#010x}", flash.base))
        .replace("@FLASH_SIZE@", &format!("{:#x}", flash.size))
        .replace("@TEXT_ORIGIN@", &format!("{:#010x}", text.base))
        .replace("@TEXT_SIZE@", &format!("{:#x}", text.size))
        .replace("@RAM_ORIGIN@", &format!("{:#010x}", ram.base))
        .replace("@RAM_SIZE@", &format!("{:#x}", ram.size)))
}

fn write_if_changed(file: &Path, text: &str) -> miette::Result<()> {
    if std::fs::read_to_string(file).is_ok_and(|old| old == text) {
        return Ok(());
    }
    write(file, text.as_bytes())
}

/// Feeds every file below `path`, in order of name. What cannot be read counts as empty: cargo
/// says what is wrong with it.
fn hash_tree(path: &Path, hasher: &mut DefaultHasher) {
    path.hash(hasher);
    if let Ok(entries) = std::fs::read_dir(path) {
        let mut entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        entries.sort();
        entries.iter().for_each(|entry| hash_tree(entry, hasher));
    } else {
        std::fs::read(path).unwrap_or_default().hash(hasher);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fs::File;

    use super::*;

    fn stamp(folder: &Path) -> u64 {
        let mut hasher = DefaultHasher::new();
        hash_tree(folder, &mut hasher);
        hasher.finish()
    }

    /// The variables that are named in the build scripts of a folder's crates.
    fn variables(folder: &str) -> BTreeSet<String> {
        let crates = std::fs::read_dir(Path::new("..").join(folder)).unwrap();
        let scripts = crates
            .map(|it| it.unwrap().path())
            .map(|it| if it.is_dir() { it.join("build.rs") } else { it });
        let texts = scripts
            .filter(|it| it.ends_with("build.rs"))
            .filter_map(|it| std::fs::read_to_string(it).ok());
        let quoted = |text: String| {
            let names = text.split('"').skip(1).step_by(2);
            let names = names.filter(|it| it.starts_with("RIPOSTE_") && !it.contains(' '));
            names.map(str::to_owned).collect::<Vec<_>>()
        };
        texts.flat_map(quoted).collect()
    }

    #[test]
    fn kernels_that_differ_in_their_ports_alone_share_the_portable_crate() {
        let kernel = variables("kernel");
        let behind = &variables("arch") | &variables("boards");
        assert!(kernel.contains("RIPOSTE_HANDLES") && !kernel.contains("RIPOSTE_REGIONS"));
        let listed: BTreeSet<String> = BEHIND_THE_KERNEL.map(str::to_owned).into();
        assert_eq!(&behind - &kernel, listed);
    }

    #[test]
    fn a_copy_appears_whole_with_its_times_and_never_over_another() {
        let folder = tempfile::tempdir().unwrap();
        let [from, to] = ["from", "below/to"].map(|name| folder.path().join(name));
        copy(&from, &to);
        assert!(!to.exists());
        std::fs::create_dir_all(from.join("inside")).unwrap();
        let file = from.join("inside/script");
        std::fs::write(&file, "one").unwrap();
        let old = std::time::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000);
        let opened = File::options().write(true).open(&file).unwrap();
        opened.set_modified(old).unwrap();
        copy(&from, &to);
        std::fs::write(&file, "two").unwrap();
        copy(&from, &to);
        let copied = to.join("inside/script");
        assert_eq!(std::fs::read_to_string(&copied).unwrap(), "one");
        assert_eq!(copied.metadata().unwrap().modified().unwrap(), old);
        assert_eq!(std::fs::read_dir(to.parent().unwrap()).unwrap().count(), 1);
    }

    #[test]
    fn a_kernel_that_was_not_made_to_the_end_is_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(FILE);
        let make = |stamp, bytes, whole: bool| {
            let mut asked = false;
            let made = unless_made(&file, stamp, || {
                asked = true;
                std::fs::write(&file, bytes).unwrap();
                whole.then_some(()).ok_or_else(|| miette!("interrupted"))
            });
            assert_eq!(made.is_ok(), whole);
            asked
        };
        assert!(make("old", "whole", true));
        assert!(!make("old", "again", true));
        assert!(make("new", "without a stack", false));
        assert!(
            make("old", "whole again", true),
            "nobody knows what is there"
        );
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "whole again");
    }

    #[test]
    fn a_kernel_of_another_linker_or_another_way_to_size_it_is_made_anew() {
        let folder = tempfile::tempdir().unwrap();
        let inputs = Inputs {
            of: [const { String::new() }; 2],
            script: folder.path().join("kernel.ld"),
            texts: [const { String::new() }; 2],
            environment: vec![],
        };
        let toolchain = Toolchain::find(Path::new("..")).unwrap();
        let stamp = |toolchain: &Toolchain| inputs.stamp(toolchain, folder.path()).unwrap();
        assert_eq!(stamp(&toolchain), stamp(&toolchain));
        assert_ne!(stamp(&toolchain.with_linker("echo")), stamp(&toolchain));
        let here = Path::new("src/build");
        let readers = std::fs::read_dir(here.join("stack")).unwrap();
        let readers = readers.map(|it| it.unwrap().path());
        let makers = ["kernel.rs", "link.rs", "stack.rs"].map(|it| here.join(it));
        for file in readers.chain(makers) {
            let text = std::fs::read_to_string(&file).unwrap();
            assert!(MAKERS.contains(&text.as_str()), "{}", file.display());
        }
    }

    #[test]
    fn kernels_that_differ_in_names_alone_are_one() {
        let folder = tempfile::tempdir().unwrap();
        let toolchain = Toolchain::find(Path::new("..")).unwrap();
        let stamp = |target: &str, config: &str, place: &str, levels: &str| {
            let inputs = Inputs {
                of: ["riposte-virt", target].map(str::to_owned),
                script: folder.path().join(place).join("kernel.ld"),
                texts: [config.into(), "a script".into()],
                environment: vec![
                    (CONFIGURATION, place.into()),
                    ("RIPOSTE_LEVELS", levels.into()),
                ],
            };
            inputs.stamp(&toolchain, folder.path()).unwrap()
        };
        let one = stamp("riscv32imac", "// one on virt\nTABLE", "one", "32");
        assert_eq!(
            one,
            stamp("riscv32imac", "// other on virt\nTABLE", "other", "32")
        );
        for (target, table, levels) in [
            ("riscv32imc", "TABLE", "32"),
            ("riscv32imac", "TABLES", "32"),
            ("riscv32imac", "TABLE", "64"),
        ] {
            let config = format!("// one on virt\n{table}");
            assert_ne!(one, stamp(target, &config, "one", levels));
        }
    }

    #[test]
    fn a_changed_source_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("lib.rs");
        std::fs::write(&file, "one").unwrap();
        let before = stamp(folder.path());
        assert_eq!(stamp(folder.path()), before);
        std::fs::write(&file, "two").unwrap();
        assert_ne!(stamp(folder.path()), before);
    }
}
