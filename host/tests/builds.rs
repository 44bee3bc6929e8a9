//! What a build says, and what it leaves.

mod tool;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use riposte_host::cli::Language;
use riposte_host::lab::Lab;
use riposte_host::new;
use riposte_host::source::Refusals;
use tool::{Tool, image_folder, remove_images};

/// A new application in a folder of its own, and what is built of it.
struct Fresh {
    lab: Lab,
    _folder: tempfile::TempDir,
    path: PathBuf,
}

impl Fresh {
    fn new(language: Language) -> Fresh {
        let lab = Lab::open().expect("the repository");
        let folder = tempfile::tempdir().expect("a directory");
        let path = folder.path().canonicalize().expect("there").join("fresh");
        let wanted = new::Wanted {
            path: &path,
            language,
            processes: &[],
        };
        new::create(&wanted, &lab.root, &lab.boards).expect("created");
        Fresh {
            lab,
            _folder: folder,
            path,
        }
    }

    /// Changes a file below its folder.
    fn replace(&self, file: &str, there: &str, instead: &str) {
        let file = self.path.join(file);
        let text = fs::read_to_string(&file).expect("there");
        assert!(text.contains(there), "{text}");
        fs::write(file, text.replace(there, instead)).expect("written");
    }

    /// What `./riposte size` says of it.
    fn size(&self) -> String {
        let tool = Tool::new(&["size", "--board", "mps2-an386"])
            .arg(&self.path)
            .env("RIPOSTE_ROOT", &self.lab.root);
        let mut running = tool.start();
        let code = running.ends();
        let text = running.text();
        assert_eq!(code, Some(0), "{text}");
        text
    }
}

impl Drop for Fresh {
    fn drop(&mut self) {
        remove_images(&self.lab, &self.path);
    }
}

fn names_in(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("there").flatten();
    entries
        .map(|it| it.file_name().to_string_lossy().into_owned())
        .collect()
}

#[test]
fn a_warning_of_the_c_compiler_is_said_when_it_compiles_and_not_again() {
    let fresh = Fresh::new(Language::C);
    fs::write(fresh.path.join("fresh/odd.c"), "static int odd;\n").expect("written");
    assert!(fresh.size().contains("defined but not used"));
    let again = fresh.size();
    assert!(!again.contains("warning"), "{again}");
    fs::write(fresh.path.join("fresh/odd.c"), "static int even;\n").expect("written");
    assert!(fresh.size().contains("defined but not used"));
}

#[test]
fn nothing_stays_of_a_process_that_the_manifest_does_not_name_any_more() {
    let fresh = Fresh::new(Language::Rust);
    fresh.size();
    let folder = image_folder(&fresh.lab, "mps2-an386", &fresh.path).join("processes");
    assert!(names_in(&folder).contains(&"fresh.elf".into()));
    fresh.replace(
        "app.toml",
        "name = \"fresh\"\nprogram",
        "name = \"other\"\nprogram",
    );
    fresh.replace("app.toml", "from = \"fresh\"", "from = \"other\"");
    fresh.size();
    let names = names_in(&folder);
    assert!(names.contains(&"other.elf".into()), "{names:?}");
    assert!(!names.iter().any(|it| it.starts_with("fresh")), "{names:?}");
}

/// Cargo takes packages of one name, at one place in their workspaces, for the same.
#[test]
fn an_application_is_of_its_own_sources_whatever_another_one_of_its_name_is_of() {
    let [one, other] = [(); 2].map(|()| Fresh::new(Language::Rust));
    let source = "fresh/src/main.rs";
    other.replace(
        source,
        "println!(",
        "println!(\"This is the other one.\"); println!(",
    );
    let says_it_is_the_other = |fresh: &Fresh| {
        fresh.size();
        let folder = image_folder(&fresh.lab, "mps2-an386", &fresh.path).join("processes");
        let program = fs::read(folder.join("fresh.elf")).expect("there");
        let words = b"This is the other one.";
        program.windows(words.len()).any(|it| it == words)
    };
    for _ in 0..2 {
        assert!(!says_it_is_the_other(&one));
        assert!(says_it_is_the_other(&other));
    }
}

/// What has another profile, or flags of its own, is another kernel, and the next build would find it made.
#[test]
fn what_is_built_is_what_the_workspace_says_whatever_the_environment_asks_of_cargo() {
    let fresh = Fresh::new(Language::Rust);
    let folder = image_folder(&fresh.lab, "mps2-an386", &fresh.path);
    let build = |environment: &[(&str, &str)]| {
        // Whatever was made before is made again.
        if let Ok(stamp) = fs::read_to_string(folder.join("kernel.stamp")) {
            let made = fresh.lab.root.join("target/kernels/made");
            let _ = fs::remove_file(made.join(stamp.trim_end()).join("kernel.elf"));
            fs::remove_file(folder.join("kernel.stamp")).expect("there");
        }
        let mut tool = Tool::new(&["size", "--board", "mps2-an386"]).arg(&fresh.path);
        for (name, value) in environment {
            tool = tool.env(name, value);
        }
        let mut running = tool.env("RIPOSTE_ROOT", &fresh.lab.root).start();
        assert_eq!(running.ends(), Some(0), "{}", running.text());
        ["kernel.elf", "processes/fresh.elf"].map(|it| fs::read(folder.join(it)).expect("there"))
    };
    // What it is made of is known when it was made once.
    let plain = build(&[]);
    let asked = build(&[
        ("CARGO_PROFILE_KERNEL_OPT_LEVEL", "z"),
        ("CARGO_PROFILE_FIRMWARE_OPT_LEVEL", "1"),
        ("RUSTFLAGS", "-Cforce-frame-pointers=yes"),
    ]);
    let [is_same_kernel, is_same_program] = [0, 1].map(|it| plain[it] == asked[it]);
    assert!(is_same_kernel && is_same_program);
}

#[test]
fn an_application_that_is_named_by_its_file_is_built_where_its_folder_says() {
    let fresh = Fresh::new(Language::Rust);
    let tool = Tool::new(&["size", "app.toml", "--board", "mps2-an386"]);
    let tool = tool.env("RIPOSTE_ROOT", &fresh.lab.root);
    let mut running = tool.within(&fresh.path).start();
    assert_eq!(running.ends(), Some(0), "{}", running.text());
    let folder = image_folder(&fresh.lab, "mps2-an386", &fresh.path);
    assert!(folder.join("image.bin").exists());
}

/// A region of the protection unit begins wherever there is a place for it, and not where such a static would.
#[test]
fn statics_that_are_aligned_to_much_have_room_wherever_their_program_lies() {
    let fresh = Fresh::new(Language::Rust);
    let source = "fresh/src/main.rs";
    let statics = "#[repr(align(8192))]\nstruct Aligned([core::sync::atomic::AtomicU32; 4]);\n\
        #[repr(align(4096))]\nstruct Table([u32; 4]);\n\
        static WORDS: Aligned = Aligned([const { core::sync::atomic::AtomicU32::new(1) }; 4]);\n\
        static TABLE: Table = Table([7; 4]);\n";
    let used = "core::hint::black_box((&WORDS, &TABLE)); println!(";
    fresh.replace(source, "println!(", used);
    fresh.replace(
        source,
        "#[riposte::main]",
        &format!("{statics}\n#[riposte::main]"),
    );
    let mut last = "4KiB";
    for stack in ["5KiB", "7KiB", "9KiB"] {
        let [before, now] = [last, stack].map(|it| format!("stack = {it:?}"));
        fresh.replace("app.toml", &before, &now);
        last = stack;
        fresh.size();
    }
}

#[test]
fn a_misspelt_program_is_answered_with_the_few_that_are_like_it() {
    for (there, instead, help) in [
        (
            "program = \"console\"",
            "program = \"consle\"",
            "did you mean `console`?",
        ),
        (
            "program = \"./fresh\"",
            "program = \"./frish\"",
            "did you mean `./fresh`?",
        ),
        (
            "program = \"console\"",
            "program = \"xyzzy\"",
            "name a program of Riposte's, such as `console`, or a folder beside app.toml, as `./NAME`",
        ),
    ] {
        let fresh = Fresh::new(Language::Rust);
        fresh.replace("app.toml", there, instead);
        let board = fresh.lab.board("mps2-an386").expect("there");
        let built = fresh
            .lab
            .load(&fresh.path)
            .and_then(|it| fresh.lab.build(&it, board));
        let error = built.expect_err("refused");
        let refusals = Refusals::all(&error);
        assert_eq!(refusals[0].next_step(), help);
    }
}

/// What `./riposte size` says of all of an application's image, of this repository.
fn image_line(application: &str) -> String {
    let mut running = Tool::new(&["size", application, "--board", "mps2-an386"]).start();
    let code = running.ends();
    let text = running.text();
    assert_eq!(code, Some(0), "{text}");
    let mut lines = text.lines();
    let line = lines.find(|line| line.starts_with(IMAGE));
    line.expect(&text).to_owned()
}

/// How such a line begins.
const IMAGE: &str = "the image takes ";

/// Its figures: bytes of flash, those of them that alignment takes, and the same of RAM.
fn figures(line: &str) -> [u32; 4] {
    let mut numbers = line.split(' ').filter_map(|word| word.parse().ok());
    let figures = [(); 4].map(|()| numbers.next());
    figures.map(|figure| figure.expect(line))
}

#[test]
fn hello_takes_40_kib_of_flash_and_16_of_ram_at_most() {
    let line = image_line("hello");
    let [flash, _, ram, _] = figures(&line);
    assert!(flash <= 40 * 1024, "{flash} bytes of flash");
    assert!(ram <= 16 * 1024, "{ram} bytes of RAM");
}

#[test]
fn the_logger_takes_no_more_than_a_third_beyond_what_is_used_in_it() {
    let line = image_line("logger");
    let [flash, lost_flash, ram, lost_ram] = figures(&line);
    for (all, lost) in [(flash, lost_flash), (ram, lost_ram)] {
        assert!(
            f64::from(all) <= 1.3 * f64::from(all - lost),
            "{lost} of {all} bytes are for alignment"
        );
    }
}

/// What the build of an application is refused with.
fn refusal(fresh: &Fresh) -> (String, String) {
    let tool = Tool::new(&["size", "--board", "mps2-an386"])
        .arg(&fresh.path)
        .env("RIPOSTE_ROOT", &fresh.lab.root);
    let mut running = tool.start();
    let code = running.ends();
    let text = running.text();
    assert_eq!(code, Some(1), "{text}");
    // The page breaks lines where they are full.
    let words: Vec<&str> = text.split_whitespace().collect();
    (words.join(" "), text)
}

#[test]
fn a_program_without_a_main_function_is_told_to_mark_one() {
    let fresh = Fresh::new(Language::Rust);
    fresh.replace("fresh/src/main.rs", "#[riposte::main]", "");
    let (words, text) = refusal(&fresh);
    assert!(words.contains("has no main function"), "{text}");
    assert!(
        words.contains("help: mark its main function: #[riposte::main] fn main()"),
        "{text}"
    );
}

#[test]
fn a_thread_at_the_end_of_a_manifest_is_told_whose_it_is() {
    let fresh = Fresh::new(Language::Rust);
    let path = fresh.path.join("app.toml");
    let thread = "\n[[process.thread]]\nname = \"side\"\npriority = 3\nstack = 512\n";
    let manifest = fs::read_to_string(&path).expect("there");
    fs::write(&path, manifest + thread).expect("written");
    let (words, text) = refusal(&fresh);
    assert!(
        words.contains("process `console` has no thread `side`"),
        "{text}"
    );
    assert!(
        words.contains("it belongs to the [[process]] above it"),
        "{text}"
    );
}

/// Crates with what is compiled of them, as `cargo tree` lists them with these options.
fn crates(options: &[&str]) -> BTreeSet<String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args([
        "tree",
        "--prefix",
        "none",
        "--no-dedupe",
        "--format",
        "{p} {f}",
    ]);
    let output = cargo.args(options).current_dir("..").output();
    let listed = String::from_utf8(output.expect("cargo runs").stdout).expect("names");
    listed.lines().map(str::to_owned).collect()
}

/// `./riposte` builds the tool, and then the tests: what they want with other features is compiled a second time, and all
/// that is made of it.
#[test]
fn the_tool_is_compiled_once_for_itself_and_for_its_tests() {
    let tool = crates(&["--package", "riposte-host", "--edges", "normal,build"]);
    let tests = crates(&["--edges", "normal,build,dev"]);
    assert!(!tool.is_empty());
    let again: Vec<&String> = tool.difference(&tests).collect();
    assert!(again.is_empty(), "the tests want others than {again:#?}");
}
