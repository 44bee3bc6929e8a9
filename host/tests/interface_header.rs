//! The header that programs in C include for the interfaces of a crate: that it compiles wherever, and what is
//! said of a crate of which there can be none.

use std::path::{Path, PathBuf};
use std::process::Command;

use riposte_host::board;
use riposte_host::build::c::Compiler;
use riposte_host::explain;
use riposte_host::interface;

/// The crate of the test on the boards, which has something of everything.
const EVERYTHING: &str = "../tests/boards/interface/api";

fn check(command: &mut Command, folder: &Path, source: &Path) {
    let output = command
        .args(["--specs=picolibc.specs", "-O2", "-fsyntax-only"])
        .args(["-Wall", "-Wextra", "-Wpedantic", "-Werror"])
        .arg("-I../c/include")
        .arg("-I")
        .arg(folder)
        .arg(source)
        .output()
        .expect("a compiler");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
}

#[test]
fn the_header_of_an_interface_compiles_as_c_and_as_cpp_for_every_board() {
    let folder = tempfile::tempdir().expect("a folder");
    let header = interface::header(Path::new(EVERYTHING)).expect("a header");
    let text = format!(
        "#include <{}>\nint main(void) {{ return 0; }}\n",
        header.name
    );
    std::fs::write(folder.path().join(&header.name), &header.text).expect("written");
    let sources = ["main.c", "main.cpp"].map(|name| folder.path().join(name));
    for source in &sources {
        std::fs::write(source, &text).expect("written");
    }
    let boards = board::load_all(Path::new("../boards")).expect("the boards load");
    let targets = boards.iter().flat_map(|board| board.program_targets());
    let mut checked = 0;
    for compiler in targets.filter_map(Compiler::known) {
        check(
            compiler.command().arg("-std=c11"),
            folder.path(),
            &sources[0],
        );
        check(
            compiler.cpp_command().arg("-std=c++17"),
            folder.path(),
            &sources[1],
        );
        checked += 1;
    }
    assert!(checked > 3, "{checked}");
}

/// A crate with this source.
fn crate_of(source: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().to_owned();
    std::fs::create_dir(path.join("src")).expect("made");
    std::fs::write(path.join("Cargo.toml"), "[package]\nname = \"lamp-api\"\n").expect("written");
    std::fs::write(path.join("src/lib.rs"), source).expect("written");
    (folder, path)
}

fn header_of(source: &str) -> String {
    let (_folder, path) = crate_of(source);
    interface::header(&path).expect("a header").text
}

fn refusal_of(source: &str) -> String {
    let (_folder, path) = crate_of(source);
    match interface::header(&path) {
        Ok(header) => panic!("{}", header.text),
        Err(report) => explain::text(&report),
    }
}

#[test]
fn names_are_those_of_the_trait_and_a_structure_of_two_interfaces_is_one_type() {
    let text = header_of(
        "const SIDES: usize = 2;\n\
         #[repr(C)] pub struct RgbColour { r: [u8; SIDES], g: u16 }\n\
         #[derive(ApplicationError)] pub enum Broken { Lamp, Fuse = 9 }\n\
         #[derive(ApplicationError)] pub struct TooHot;\n\
         #[riposte::interface] pub trait DeskLamp {\n\
             fn set(&mut self, colour: RgbColour) -> Result<(), Broken>;\n\
             fn cool(&mut self) -> Result<(), TooHot>;\n\
         }\n\
         #[riposte::interface] pub trait Sign { fn show(&mut self, colours: &[RgbColour]); }\n",
    );
    for part in [
        "#ifndef LAMP_API_H",
        "uint8_t r[2];",
        "static_assert(offsetof(desk_lamp_rgb_colour_t, g) == 2,",
        "static_assert(sizeof(desk_lamp_rgb_colour_t) == 4,",
        "typedef desk_lamp_rgb_colour_t sign_rgb_colour_t;",
        "#define DESK_LAMP_BROKEN_LAMP 1u",
        "#define DESK_LAMP_BROKEN_FUSE 9u",
        "#define DESK_LAMP_TOO_HOT 1u",
        "riposte_error_t desk_lamp_set_until(",
        "sign_serve(",
    ] {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
}

#[test]
fn a_server_looks_whether_a_result_fits_before_it_calls_the_function() {
    let text = header_of(
        "#[riposte::interface] pub trait Probe { fn last(&self) -> Result<[u8; 32], Status>; }\n",
    );
    let at = |part: &str| {
        text.find(part)
            .unwrap_or_else(|| panic!("no `{part}` in:\n{text}"))
    };
    assert!(
        at("if (riposte_capacity < 32)") < at("riposte_server->last("),
        "{text}"
    );
}

#[test]
fn what_means_nothing_in_c_is_refused_where_it_stands() {
    let lamp = "#[riposte::interface] pub trait Lamp { fn set(&mut self, colour: Colour); }\n";
    for (before, said) in [
        (
            "",
            [
                "C knows no type `Colour`",
                "fn set(&mut self, colour: Colour)",
            ],
        ),
        (
            "struct Colour { r: u8 }\n",
            ["add #[repr(C)]", "struct Colour"],
        ),
        (
            "#[repr(C)] struct Colour { r: [u8; 2 + 2] }\n",
            ["a plain number", "[u8; 2 + 2]"],
        ),
        (
            "#[repr(C, align(8))] struct Colour { r: u64 }\n",
            ["`packed`", "align(8)"],
        ),
    ] {
        let text = refusal_of(&format!("{before}{lamp}"));
        for part in said.iter().chain(&["lib.rs:"]) {
            assert!(text.contains(part), "no `{part}` in:\n{text}");
        }
    }
    let text = refusal_of("#[riposte::interface] trait Lamp { fn set(level: u8); }\n");
    assert!(text.contains("takes `&self` or `&mut self`"), "{text}");
    let text = refusal_of("pub trait Lamp {}\n");
    assert!(
        text.contains("has no interface") && text.contains("#[riposte::interface]"),
        "{text}"
    );
}

#[test]
fn a_structure_of_another_module_with_the_same_name_is_not_taken_for_it() {
    let (_folder, path) = crate_of(
        "mod other;\n\
         #[repr(C)] pub struct Sample { pub low: u16, pub high: u16 }\n\
         #[riposte::interface] pub trait Probe { fn take(&self) -> Sample; }",
    );
    let other = "#[repr(C)] pub struct Sample { pub time: u32, pub value: u64 }";
    std::fs::write(path.join("src/other.rs"), other).expect("written");
    if let Ok(header) = interface::header(&path) {
        assert!(header.text.contains("uint16_t low;"), "{}", header.text);
    }
}

#[test]
fn a_constant_of_another_module_with_the_same_name_is_not_taken_for_it() {
    let (_folder, path) = crate_of(
        "mod other;\n\
         pub const WIDTH: usize = 4;\n\
         #[riposte::interface] pub trait Probe { fn take(&self) -> [u8; WIDTH]; }",
    );
    std::fs::write(path.join("src/other.rs"), "pub const WIDTH: usize = 9;").expect("written");
    if let Ok(header) = interface::header(&path) {
        assert!(header.text.contains("uint8_t result[4]"), "{}", header.text);
    }
}

#[test]
fn what_is_there_under_a_condition_is_refused() {
    let (_folder, path) = crate_of(
        "#[cfg(not(feature = \"wide\"))] pub const WIDTH: usize = 4;\n\
         #[cfg(feature = \"wide\")] pub const WIDTH: usize = 9;\n\
         #[riposte::interface] pub trait Probe { fn take(&self) -> [u8; WIDTH]; }",
    );
    let refusal = interface::header(&path).err().expect("refused");
    assert!(
        format!("{refusal:?}").contains("under a condition"),
        "{refusal:?}"
    );
}

#[test]
fn documentation_does_not_end_the_comment_that_it_stands_in() {
    let text = header_of(
        "#[riposte::interface] pub trait Probe {\n/// Reads `*/` and goes on; int hidden;\nfn take(&self) -> u32; }",
    );
    assert!(!text.contains("*/` and"), "{text}");
}

#[test]
fn words_of_cpp_are_no_names_of_parameters() {
    let text = header_of(
        "#[riposte::interface] pub trait Probe { fn take(&self, not: u32, mutable: u32, asm: u32) -> u32; }",
    );
    for word in ["not", "mutable", "asm"] {
        assert!(!text.contains(&format!("uint32_t {word},")), "{text}");
    }
}

#[test]
fn names_that_the_header_has_itself_are_refused_or_changed() {
    let names = [
        (
            "a method",
            "#[riposte::interface] pub trait Probe { fn serve(&self) -> u32; }",
            "riposte_error_t probe_serve",
        ),
        (
            "a structure",
            "#[repr(C)] pub struct Server { a: u32 }\n\
             #[riposte::interface] pub trait Probe { fn take(&self) -> Server; }",
            "} probe_server_t;",
        ),
        (
            "an error",
            "#[derive(ApplicationError)] pub struct Buffer;\n\
             #[riposte::interface] pub trait Probe { fn take(&self) -> Result<u32, Buffer>; }",
            "#define PROBE_BUFFER ",
        ),
        (
            "two errors",
            "#[derive(ApplicationError)] pub enum Lamp { OnFire }\n\
             #[derive(ApplicationError)] pub enum LampOn { Fire = 3 }\n\
             #[riposte::interface] pub trait Probe {\n\
             fn a(&self) -> Result<u32, Lamp>; fn b(&self) -> Result<u32, LampOn>; }",
            "#define PROBE_LAMP_ON_FIRE ",
        ),
    ];
    let mut twice = vec![];
    for (what, source, definition) in names {
        let (_folder, path) = crate_of(source);
        if let Ok(header) = interface::header(&path) {
            let count = header.text.matches(definition).count();
            println!("{what}: {definition}: {count}");
            twice.extend((count > 1).then_some((what, count)));
        }
    }
    assert!(twice.is_empty(), "{twice:?}");
}
