//! The book says what the code says.

use std::fs::read_to_string;
use std::path::{Path, PathBuf};

use clap::CommandFactory;
use riposte_host::source::Source;
use riposte_host::{board, manifest};

fn page(name: &str) -> String {
    read_to_string(Path::new("../docs/src").join(name)).expect("the page is there")
}

#[test]
fn the_manifest_page_has_an_example_that_is_right() {
    let page = page("manifest.md");
    let start = page.find("```toml\n").expect("an example") + "```toml\n".len();
    let example = &page[start..start + page[start..].find("```").expect("its end")];
    let boards = board::load_all(Path::new("../boards")).expect("the boards load");
    let source = Source {
        path: "manifest.md".into(),
        text: example.into(),
    };
    let app = manifest::resolve(source, ".".into(), &boards).expect("right");
    assert!(app.warnings.is_empty(), "{:?}", app.warnings);
}

/// Descriptions are taken from the schema, so that there is one text for each key.
#[test]
fn the_manifest_page_describes_every_key_as_the_schema_does() {
    let page = page("manifest.md");
    let schema: serde_json::Value = serde_json::from_str(&manifest::schema()).expect("JSON");
    let sections = [
        ("## `[application]`", "ApplicationTable"),
        ("## `[kernel]`", "KernelTable"),
        ("## `[supervisor]`", "SupervisorTable"),
        ("## `[[process]]`", "ProcessTable"),
        ("## `[[process.thread]]`", "ThreadTable"),
        ("## `[[channel]]`", "ChannelTable"),
        ("## `[[proxy]]`", "ProxyTable"),
        ("## `[names]`", "NamesTable"),
        ("## `[programs]`", "ProgramsTable"),
        ("## `[[connection]]`", "ConnectionTable"),
        ("## `[[region]]`", "RegionTable"),
        ("## `[board.NAME]`", "BoardTable"),
    ];
    let nodes: serde_json::Value =
        serde_json::from_str(&riposte_host::nodes::schema()).expect("JSON");
    let tables = sections.map(|(heading, table)| (heading, &schema["$defs"][table]));
    let of_nodes = [
        ("## Several machines", &nodes),
        ("### `[[node]]`", &nodes["$defs"]["NodeTable"]),
    ];
    for (heading, table) in tables.into_iter().chain(of_nodes) {
        let start = page.find(&format!("{heading}\n")).expect(heading) + heading.len();
        let section = page[start..].split("\n## ").next().unwrap_or_default();
        for (key, property) in table["properties"].as_object().expect("keys") {
            let described = property["description"]
                .as_str()
                .unwrap_or_default()
                .replace('\n', " ");
            let row = section
                .lines()
                .find(|line| line.starts_with(&format!("| `{key}` |")));
            let row = row.unwrap_or_else(|| panic!("{heading} of manifest.md lacks `{key}`"));
            assert!(
                row.ends_with(&format!("| {described} |")),
                "{heading} of manifest.md is stale: describe `{key}` as: {described}"
            );
        }
    }
}

/// Lines without their indentation.
fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).collect()
}

/// All code of a chapter stands in one of `programs`: what it shows is what the compiler has seen.
fn shows_pieces_of(chapter: &str, languages: &[&str], programs: &[&str], least: usize) {
    let read = |file: &&str| read_to_string(Path::new("..").join(file)).expect("there");
    let programs: Vec<_> = programs.iter().map(read).collect();
    let page = page(chapter);
    let fences = languages.iter().map(|it| format!("```{it}\n"));
    let pieces = fences.flat_map(|fence| page.split(&fence).skip(1).collect::<Vec<_>>());
    let pieces: Vec<_> = pieces.filter_map(|rest| rest.split("```").next()).collect();
    assert!(pieces.len() >= least, "{}", pieces.len());
    for piece in pieces {
        let wanted = lines(piece.trim_end());
        let stands = |program: &String| {
            let there = lines(program);
            there.windows(wanted.len()).any(|window| window == wanted)
        };
        assert!(programs.iter().any(stands), "in no program:\n{piece}");
    }
}

#[test]
fn the_page_of_interfaces_shows_pieces_of_programs_that_run() {
    let programs = [
        "examples/thermometer/api/src/lib.rs",
        "examples/thermometer/sensor/src/main.rs",
        "examples/thermometer/display/src/main.rs",
        "tests/boards/interface/server/src/main.rs",
    ];
    shows_pieces_of("interfaces.md", &["rust,ignore"], &programs, 9);
}

#[test]
fn the_page_of_names_shows_pieces_of_the_example() {
    let programs = [
        "examples/find/thermometer/src/main.rs",
        "examples/find/visitor/src/main.rs",
    ];
    shows_pieces_of("names.md", &["rust,ignore"], &programs, 4);
}

#[test]
fn the_page_of_porting_from_qnx_4_shows_pieces_of_the_example() {
    let programs = [
        "examples/qnx4/app.toml",
        "examples/qnx4/plant.h",
        "examples/qnx4/furnace/main.c",
        "examples/qnx4/furnace/program.toml",
        "examples/qnx4/operator/main.c",
        "examples/qnx4/heater/main.c",
    ];
    shows_pieces_of(
        "personalities/qnx4-porting.md",
        &["c,ported", "toml"],
        &programs,
        7,
    );
}

#[test]
fn the_page_of_porting_from_xous_shows_a_piece_of_the_published_client() {
    let programs = ["bench/xous/ticktimer/src/as_written.rs"];
    shows_pieces_of("porting/xous.md", &["rust,ignore"], &programs, 1);
}

/// The keys of the tables in the manifests that guides show are those of the schema, with what they must have.
#[test]
fn the_guides_to_porting_show_tables_that_a_manifest_may_have() {
    let schema: serde_json::Value = serde_json::from_str(&manifest::schema()).expect("JSON");
    let guides = Path::new("../docs/src/porting").read_dir().expect("guides");
    let mut tables = 0;
    for guide in guides.flatten() {
        let text = read_to_string(guide.path()).expect("there");
        for piece in text.split("```toml\n").skip(1) {
            let piece = piece.split("```").next().expect("its end");
            let manifest: toml::Table = piece.parse().expect("TOML");
            for (name, all) in &manifest {
                let kind = match name.as_str() {
                    "process" => "ProcessTable",
                    "channel" => "ChannelTable",
                    "connection" => "ConnectionTable",
                    other => panic!("[{other}] of {piece}"),
                };
                let kind = &schema["$defs"][kind];
                for table in all.as_array().expect("tables").iter() {
                    let table = table.as_table().expect("a table");
                    for key in table.keys() {
                        let known = kind["properties"].get(key).is_some();
                        assert!(known, "{}: no key `{key}`", guide.path().display());
                    }
                    for key in kind["required"].as_array().into_iter().flatten() {
                        let key = key.as_str().expect("a name");
                        assert!(table.contains_key(key), "no `{key}` in {table:?}");
                    }
                    tables += 1;
                }
            }
        }
    }
    assert!(tables > 10, "{tables}");
}

#[test]
fn the_guides_to_porting_name_calls_that_the_header_has() {
    let parts = Path::new("../c/include/riposte").read_dir().expect("parts");
    let parts = parts.flatten().map(|it| it.path());
    let headers = parts.chain([PathBuf::from("../c/include/riposte.h")]);
    let headers: Vec<String> = headers.filter_map(|it| read_to_string(it).ok()).collect();
    let header = headers.concat();
    let is_part = |it: char| it.is_alphanumeric() || it == '_';
    let known: Vec<&str> = header.split(|it| !is_part(it)).collect();
    let guides = Path::new("../docs/src/porting").read_dir().expect("guides");
    for guide in guides.flatten() {
        let text = read_to_string(guide.path()).expect("there");
        let words = text.split(|it| !is_part(it));
        for word in words.filter(|it| it.to_lowercase().starts_with("riposte_")) {
            let there = known.contains(&word);
            assert!(there, "{}: no {word}", guide.path().display());
        }
    }
}

#[test]
fn the_page_of_a_manager_shows_pieces_of_the_example() {
    let programs = [
        "examples/keys/app.toml",
        "examples/keys/api/src/lib.rs",
        "examples/keys/keeper/src/main.rs",
    ];
    shows_pieces_of("manager.md", &["rust,ignore", "toml"], &programs, 10);
}

#[test]
fn the_page_of_the_logger_shows_pieces_of_the_example() {
    let programs = [
        "examples/logger/app.toml",
        "examples/logger/api/src/lib.rs",
        "examples/logger/sensor/src/main.rs",
        "examples/logger/store/src/main.rs",
        "examples/logger/watchdog/src/main.rs",
        "examples/logger/report/main.c",
    ];
    shows_pieces_of("logger.md", &["rust,ignore", "toml", "c"], &programs, 7);
}

#[test]
fn the_page_of_porting_shows_the_programs_before_and_after_whole() {
    let programs = [
        "examples/posix/before.c",
        "examples/posix/station/main.c",
        "examples/posix/average/main.c",
        "examples/posix/app.toml",
    ];
    shows_pieces_of("porting.md", &["c", "toml"], &programs, 5);
    let page = page("porting.md");
    for program in &programs[..3] {
        let text = read_to_string(Path::new("..").join(program)).expect("there");
        assert!(page.contains(&text), "{program} does not stand there whole");
    }
}

#[test]
fn the_abi_page_lists_every_number_of_the_interface() {
    let page = page("abi.md");
    let files = [
        "call.rs",
        "fault.rs",
        "info.rs",
        "lib.rs",
        "notice.rs",
        "process_info.rs",
    ];
    for file in files {
        let text = read_to_string(Path::new("../abi/src").join(file)).expect("there");
        for (name, value) in numbers(&text) {
            let row = |value: &str| format!("| `{name}` | {value} |");
            assert!(
                page.contains(&row(value)) || page.contains(&row(&format!("`{value}`"))),
                "abi.md lacks the row `{}` of abi/src/{file}",
                row(value)
            );
        }
    }
    for error in riposte_abi::Error::ALL {
        let row = format!("| `{}` | {} |", error.name(), error as u32);
        assert!(page.contains(&row), "abi.md lacks the row {row}");
    }
}

/// The files that the driver's chapter shows.
const DRIVER: &str = "../servers/console/src";

#[test]
fn all_code_of_the_drivers_chapter_is_that_of_the_console() {
    let files = std::fs::read_dir(DRIVER).expect("the console");
    let sources = files.map(|file| read_to_string(file.expect("there").path()).expect("a source"));
    let sources: Vec<String> = sources.collect();
    let page = page("driver.md");
    let blocks: Vec<&str> = page
        .split("```rust,ignore\n")
        .skip(1)
        .filter_map(|rest| Some(rest.split_once("```")?.0))
        .collect();
    assert!(blocks.len() >= 8, "{} blocks", blocks.len());
    for block in blocks {
        let is_there = sources.iter().any(|source| source.contains(block));
        assert!(is_there, "driver.md is stale: the console has no\n{block}");
    }
}

#[test]
fn the_page_of_boards_shows_pieces_of_boards_that_run() {
    let sources = [
        "boards/mps2-an386/board.toml",
        "boards/mps2/src/clock.rs",
        "boards/mps2/src/lib.rs",
        "boards/virt-rv32/board.toml",
        "boards/virt/src/exit.rs",
        "boards/virt/src/lib.rs",
    ];
    shows_pieces_of("board.md", &["rust,ignore", "toml"], &sources, 16);
}

/// The keys of a table and of all tables in it, but for the names that a board gives to its devices and interrupts.
fn keys(table: &toml::Table, all: &mut Vec<String>) {
    for (key, value) in table {
        all.push(key.clone());
        match value.as_table() {
            Some(named) if ["peripherals", "interrupts"].contains(&key.as_str()) => {
                let tables = named.values().filter_map(toml::Value::as_table);
                tables.for_each(|it| keys(it, all));
            }
            Some(inner) => keys(inner, all),
            None => (),
        }
    }
}

/// Whether one of the names that stand between backquotes is this, or ends in it behind a point.
fn is_named(page: &str, name: &str) -> bool {
    let quoted = page.split('`').skip(1).step_by(2);
    let mut names = quoted.flat_map(|it| it.split(['.', '[', ']', '(']));
    names.any(|it| it == name)
}

#[test]
fn the_page_of_boards_tells_every_key_that_a_board_has() {
    let text = without_fences(&page("board.md"));
    let mut all = vec![];
    for board in board::load_all(Path::new("../boards")).expect("the boards load") {
        let file = Path::new("../boards").join(&board.name).join("board.toml");
        let table: toml::Table = read_to_string(file).expect("there").parse().expect("TOML");
        keys(&table, &mut all);
    }
    all.sort();
    all.dedup();
    assert!(all.len() > 35, "{all:?}");
    for key in all {
        assert!(is_named(&text, &key), "board.md does not tell of `{key}`");
    }
}

/// Functions and constants that a trait asks for: those of the file's first one of this name.
fn asked_for(file: &str, name: &str) -> Vec<String> {
    let text = read_to_string(Path::new("..").join(file)).expect("there");
    let begin = text.find(&format!("pub trait {name} {{")).expect(name);
    let body = text[begin..].split("\n}").next().unwrap_or_default();
    let items = body.lines().filter_map(|line| {
        let line = line.strip_prefix("    ")?;
        let item = line
            .strip_prefix("fn ")
            .or_else(|| line.strip_prefix("const "))?;
        item.split(['(', ':']).next()
    });
    items.map(str::to_owned).collect()
}

#[test]
fn the_page_of_boards_tells_all_that_a_port_and_a_board_must_give() {
    let text = without_fences(&page("board.md"));
    for (file, name, least) in [
        ("kernel/src/port.rs", "Port", 30),
        ("arch/armv7m/src/machine.rs", "Board", 7),
        ("arch/riscv/src/machine.rs", "Board", 12),
    ] {
        let items = asked_for(file, name);
        assert!(items.len() >= least, "{items:?}");
        for item in items {
            assert!(
                is_named(&text, &item),
                "board.md tells nothing of `{item}`, {file}"
            );
        }
    }
}

/// The text of a page without its fences.
fn without_fences(text: &str) -> String {
    let prose: Vec<&str> = text.split("\n```").step_by(2).collect();
    prose.join("\n")
}

/// The pages of the book, whose folder leads to the records of decisions, too, and what stands at the root.
fn written_pages() -> Vec<PathBuf> {
    let mut folders = vec![PathBuf::from("../docs/src")];
    let mut pages: Vec<PathBuf> = ["README", "CONTRIBUTING", "CHANGELOG"]
        .map(|name| Path::new("..").join(name).with_extension("md"))
        .into();
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir().expect("a folder").flatten() {
            let path = entry.path();
            match path.extension() {
                _ if path.is_dir() => folders.push(path),
                Some(it) if it == "md" => pages.push(path),
                _ => (),
            }
        }
    }
    pages
}

/// The text of a page without what stands in fences and between backquotes, which has no links.
fn without_code(text: &str) -> String {
    without_fences(text).split('`').step_by(2).collect()
}

/// What GitHub and mdBook call a heading in addresses.
fn anchor(heading: &str) -> String {
    let text = heading.trim_start_matches('#').trim().to_lowercase();
    let text = text.replace(' ', "-");
    text.chars()
        .filter(|it| it.is_alphanumeric() || "-_".contains(*it))
        .collect()
}

/// Where the links of a page lead, as they are written.
fn links(text: &str) -> Vec<String> {
    let text = without_code(text);
    let targets = text.split("](").skip(1).filter_map(|it| it.split_once(')'));
    targets.map(|(target, _)| target.to_owned()).collect()
}

#[test]
fn every_link_leads_to_a_file_and_a_heading_that_are_there() {
    let mut dead = vec![];
    for page in written_pages() {
        let text = read_to_string(&page).expect("there");
        for link in links(&text) {
            if link.contains(':') {
                continue;
            }
            let (file, heading) = link.split_once('#').unwrap_or((&link, ""));
            let file = match file {
                "" => page.clone(),
                it => page.parent().expect("a folder").join(it),
            };
            let there = heading.is_empty()
                || read_to_string(&file).is_ok_and(|it| {
                    let headings = it.lines().filter(|line| line.starts_with('#'));
                    headings.map(anchor).any(|it| it == heading)
                });
            if !file.exists() || !there {
                dead.push(format!("{}: {link}", page.display()));
            }
        }
    }
    assert!(dead.is_empty(), "{dead:#?}");
}

#[test]
fn every_page_of_the_book_is_in_its_summary() {
    let listed = links(&page("SUMMARY.md"));
    let book = Path::new("../docs/src");
    for page in written_pages() {
        let Ok(page) = page.strip_prefix(book) else {
            continue;
        };
        let name = page.to_str().expect("a name");
        assert!(
            name == "SUMMARY.md" || listed.iter().any(|it| it == name),
            "SUMMARY.md lacks {name}"
        );
    }
}

#[test]
fn the_page_of_commands_has_a_line_for_each_command() {
    let page = page("commands.md");
    let command = riposte_host::cli::Cli::command();
    for name in command.get_subcommands().map(clap::Command::get_name) {
        let begins = [format!("`./riposte {name}"), format!("` · `{name}")];
        let is_told = |line: &str| {
            let (what, _) = line.split_once(" |").unwrap_or_default();
            let mut ends = begins.iter().filter_map(|it| what.split_once(it.as_str()));
            ends.any(|(_, end)| end.starts_with([' ', '`']))
        };
        let mut rows = page.lines().filter_map(|line| line.strip_prefix("| "));
        assert!(rows.any(is_told), "no line for `{name}`");
    }
}

/// The README's listing is what its first command writes.
#[test]
fn the_readme_shows_lines_of_what_new_writes() {
    let boards = board::load_all(Path::new("../boards")).expect("the boards load");
    let folder = tempfile::tempdir().expect("a folder");
    let readme = read_to_string("../README.md").expect("there");
    let told = "./riposte new blink --processes keeper,asker ";
    assert!(readme.contains(told), "no command {told}");
    let wanted = riposte_host::new::Wanted {
        path: &folder.path().join("blink"),
        language: riposte_host::cli::Language::Rust,
        processes: &["keeper".to_owned(), "asker".to_owned()],
    };
    let files = riposte_host::new::create(&wanted, Path::new(".."), &boards).expect("created");
    let all: Vec<String> = files
        .iter()
        .filter_map(|it| read_to_string(it).ok())
        .collect();
    let all = all.join("\n");
    let written = lines(&all);
    let listing = readme.split("```rust\n").nth(1).expect("a listing");
    let listing = listing.split("```").next().expect("its end");
    for line in lines(listing).into_iter().filter(|line| !line.is_empty()) {
        let line = line.split("  // ").next().unwrap_or_default().trim_end();
        assert!(written.contains(&line), "`new` writes no line {line}");
    }
}

/// Numbers that the page tells in its text.
const IN_THE_TEXT: [&str; 9] = [
    "OPERATION_SHIFT",
    "GENERATION_SHIFT",
    "HANDLE_MASK",
    "INDEX_MASK",
    "MAX_GENERATION",
    "TEXT_BYTES",
    "TRACE",
    "REGISTERS",
    "MAGIC",
];

/// Names and values of the constants in a source file. The positions of the registers are the
/// order of the page's first table.
fn numbers(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let registers = "pub mod register {";
    let without_registers = text.split(registers).next().unwrap_or_default();
    without_registers
        .lines()
        .filter_map(|line| line.trim().strip_prefix("pub const ")?.split_once(": "))
        .filter(|(name, _)| !IN_THE_TEXT.contains(name))
        .filter_map(|(name, rest)| {
            let (kind, value) = rest.split_once(" = ")?;
            ["u32", "usize"]
                .contains(&kind)
                .then_some((name, value.strip_suffix(';')?))
        })
}
