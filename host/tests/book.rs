//! The book says what the code says.

mod pages;

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
        ("## `[[pool]]`", "PoolTable"),
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

/// A page whose pieces of code stand in programs of the repository.
struct Shown {
    page: &'static str,
    languages: &'static [&'static str],
    programs: &'static [&'static str],
    /// It has at least so many pieces.
    least: usize,
}

/// Pieces of Rust and C that are compiled as parts of programs, and of manifests that are read with them.
const SHOWN: [Shown; 10] = [
    Shown {
        page: "board.md",
        languages: &["rust,ignore", "toml"],
        programs: &[
            "boards/mps2-an386/board.toml",
            "boards/mps2/src/clock.rs",
            "boards/mps2/src/lib.rs",
            "boards/virt-rv32/board.toml",
            "boards/virt/src/exit.rs",
            "boards/virt/src/lib.rs",
        ],
        least: 16,
    },
    Shown {
        page: "driver.md",
        languages: &["rust,ignore"],
        programs: &[
            "servers/console/src/cmsdk.rs",
            "servers/console/src/main.rs",
            "servers/console/src/terminal.rs",
            "servers/console/src/readers.rs",
            "servers/console/src/uart.rs",
        ],
        least: 8,
    },
    Shown {
        page: "interfaces.md",
        languages: &["rust,ignore"],
        programs: &[
            "examples/thermometer/api/src/lib.rs",
            "examples/thermometer/sensor/src/main.rs",
            "examples/thermometer/display/src/main.rs",
            "tests/boards/interface/server/src/main.rs",
        ],
        least: 9,
    },
    Shown {
        page: "logger.md",
        languages: &["rust,ignore", "toml", "c,ignore"],
        programs: &[
            "examples/logger/app.toml",
            "examples/logger/api/src/lib.rs",
            "examples/logger/sensor/src/main.rs",
            "examples/logger/store/src/main.rs",
            "examples/logger/watchdog/src/main.rs",
            "examples/logger/report/main.c",
        ],
        least: 7,
    },
    Shown {
        page: "manager.md",
        languages: &["rust,ignore", "toml"],
        programs: &[
            "examples/keys/app.toml",
            "examples/keys/api/src/lib.rs",
            "examples/keys/keeper/src/main.rs",
        ],
        least: 10,
    },
    Shown {
        page: "names.md",
        languages: &["rust,ignore"],
        programs: &[
            "examples/find/thermometer/src/main.rs",
            "examples/find/visitor/src/main.rs",
        ],
        least: 4,
    },
    Shown {
        page: "personalities/qnx4-porting.md",
        languages: &["c,ignore", "toml"],
        programs: &[
            "examples/qnx4/app.toml",
            "examples/qnx4/plant.h",
            "examples/qnx4/furnace/main.c",
            "examples/qnx4/furnace/program.toml",
            "examples/qnx4/operator/main.c",
            "examples/qnx4/heater/main.c",
        ],
        least: 7,
    },
    Shown {
        page: "pools.md",
        languages: &["c,ignore"],
        programs: &[
            "examples/frames/camera/main.c",
            "examples/frames/screen/main.c",
        ],
        least: 4,
    },
    Shown {
        page: "porting.md",
        languages: &["c,ignore", "toml"],
        programs: &[
            "examples/posix/before.c",
            "examples/posix/station/main.c",
            "examples/posix/average/main.c",
            "examples/posix/app.toml",
        ],
        least: 5,
    },
    Shown {
        page: "porting/xous.md",
        languages: &["rust,ignore"],
        programs: &["bench/xous/ticktimer/src/as_written.rs"],
        least: 1,
    },
];

#[test]
fn pieces_of_programs_stand_in_those_programs() {
    let mut stale = vec![];
    for shown in &SHOWN {
        let read = |file: &&str| read_to_string(Path::new("..").join(file)).expect("there");
        let programs: Vec<_> = shown.programs.iter().map(read).collect();
        let text = page(shown.page);
        let pieces = fences(&text);
        let pieces = pieces
            .iter()
            .filter(|(language, _)| shown.languages.contains(language));
        let pieces: Vec<_> = pieces.map(|(_, piece)| *piece).collect();
        assert!(
            pieces.len() >= shown.least,
            "{}: {}",
            shown.page,
            pieces.len()
        );
        for piece in pieces {
            let wanted = lines(piece.trim_end());
            let stands = |program: &String| {
                let there = lines(program);
                there.windows(wanted.len()).any(|window| window == wanted)
            };
            if !programs.iter().any(stands) {
                stale.push(format!("{}, in no program:\n{piece}", shown.page));
            }
        }
    }
    assert!(stale.is_empty(), "{}", stale.join("\n"));
}

/// The fences of a page: the language that each says it has, and what stands in it.
fn fences(text: &str) -> Vec<(&str, &str)> {
    let text = text.split("\n```").skip(1).step_by(2);
    text.filter_map(|it| it.split_once('\n')).collect()
}

/// The page whose programs a test writes as it shows them, and builds and runs.
const PLAYED: &str = "tutorial.md";
/// The pages whose pieces are lines of what `new` writes, which a test builds and runs.
const OF_NEW: [&str; 2] = ["first.md", "../../README.md"];
/// Where programs for other kernels are shown, whose headers are not here.
const GUIDES: &str = "porting/";

/// Why nothing compiles a piece that says it has this language; `None` if something does, or nothing need.
fn why_not_compiled(page: &str, language: &str, compiled: &str) -> Option<String> {
    let shown = SHOWN.iter().find(|it| it.page == page);
    let is_shown = shown.is_some_and(|it| it.languages.contains(&language));
    let is_compiled = match language {
        // A test of `c_programs.rs` compiles all of these.
        "c" => page.ends_with(".md") && !page.starts_with(".."),
        "c,before" => page.starts_with(GUIDES),
        "rust" => OF_NEW.contains(&page),
        "rust,no_run" | "rust,no_run,standalone_crate" => {
            compiled.contains(&format!(": \"{page}\";"))
        }
        "c,ignore" => is_shown || page == PLAYED,
        "rust,ignore" => is_shown || page == PLAYED || OF_NEW.contains(&page),
        "text" | "toml" | "sh" | "console" => true,
        _ => return Some("no language of the book's".into()),
    };
    (!is_compiled).then(|| {
        "nothing compiles it: say `rust,no_run` and list the page in tests/book/pieces.rs, or \
         list the page with its programs in SHOWN of host/tests/book.rs"
            .into()
    })
}

#[test]
fn every_piece_of_rust_and_c_in_the_book_is_compiled() {
    let compiled = read_to_string("../tests/book/pieces.rs").expect("there");
    let mut wrong = vec![];
    let mut count = 0;
    for page in written_pages() {
        let text = read_to_string(&page).expect("there");
        let path = page.strip_prefix("../docs/src").map(Path::to_path_buf);
        let path = path.unwrap_or_else(|_| Path::new("..").join(&page));
        let path = path.to_str().expect("a name");
        for (language, piece) in fences(&text) {
            count += usize::from(language.starts_with(['r', 'c']));
            if let Some(why) = why_not_compiled(path, language, &compiled) {
                wrong.push(format!("{path}, ```{language}: {why}\n{piece}"));
            }
        }
    }
    assert!(count > 100, "{count}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn a_piece_that_nothing_compiles_is_found() {
    let compiled = "files: \"files.md\";";
    for (page, language) in [
        ("new.md", "rust,no_run"),
        ("new.md", "rust,ignore"),
        ("new.md", "rust"),
        ("new.md", "c,ignore"),
        ("new.md", "c,before"),
        ("files.md", "rust"),
        ("files.md", "rust,ignore"),
        ("files.md", "cpp"),
        ("files.md", ""),
        ("porting.md", "rust,ignore"),
        ("../../README.md", "c"),
    ] {
        let why = why_not_compiled(page, language, compiled);
        assert!(why.is_some(), "{page} {language}");
    }
    assert_eq!(why_not_compiled("files.md", "rust,no_run", compiled), None);
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
fn the_page_of_porting_shows_the_programs_before_and_after_whole() {
    let page = page("porting.md");
    for program in [
        "examples/posix/before.c",
        "examples/posix/station/main.c",
        "examples/posix/average/main.c",
    ] {
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
    let mut pages: Vec<PathBuf> = ["README", "CONTRIBUTING", "CHANGELOG"]
        .map(|name| Path::new("..").join(name).with_extension("md"))
        .into();
    pages.extend(pages::below(&["../docs/src"]));
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

/// The listings of the README and of the chapter on a first application are what their command writes.
#[test]
fn the_readme_and_the_first_application_show_lines_of_what_new_writes() {
    let boards = board::load_all(Path::new("../boards")).expect("the boards load");
    let folder = tempfile::tempdir().expect("a folder");
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
    for name in OF_NEW {
        let page = page(name);
        let told = "./riposte new blink --processes keeper,asker";
        assert!(page.contains(told), "no command {told}");
        let listings = fences(&page);
        let listings = listings.iter().filter(|(it, _)| it.starts_with("rust"));
        let listings: Vec<_> = listings.map(|(_, listing)| *listing).collect();
        assert!(!listings.is_empty(), "{name}");
        let shown = listings.iter().flat_map(|listing| lines(listing));
        for line in shown.filter(|line| !line.is_empty()) {
            let line = line.split("  // ").next().unwrap_or_default().trim_end();
            assert!(
                written.contains(&line),
                "{name}: `new` writes no line {line}"
            );
        }
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
