//! Figures in the book and the README are those that the guard keeps and that suites compare with.
//!
//! The tables of the results and of the README are written as a whole. Elsewhere in the book a number stands before a mark
//! that says which figure it is, `121<!-- figure core/rt-1w -->`, with as many decimals as the page gives it.

mod pages;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use riposte_host::compare;
use toml::{Table, Value};

/// The figures are between these lines of a page.
const BEGIN: &str = "<!-- figures: begin, generated -->\n";
const END: &str = "<!-- figures: end -->";

/// A number of the book's text stands before this; then come the figure's name, as [`Baseline::figure`] reads it, and the
/// end.
const MARK: &str = "<!-- figure ";
const MARK_END: &str = " -->";

/// What stands behind a number of instructions or cycles that is no figure of the guards, `600<!-- wanted --> cycles`: what it
/// is instead.
const APART: [&str; 5] = ["counted", "estimated", "given", "published", "wanted"];

/// Where numbers are those of the day on which they were written.
const RECORDS: [&str; 2] = ["docs/src/trust.md", "docs/src/decisions"];

/// The board of a figure whose name says none.
const BOARD: &str = "mps2-an386";

/// How it is done.
const WRITE: &str = "RIPOSTE_WRITE=1 cargo test -p riposte-host --test results_page";

/// The suites and boards of the page of results, in its order: what is measured there, and in what.
const TABLES: [(&str, &str, &str, &str); 6] = [
    (
        "core",
        "mps2-an386",
        "instructions",
        "Messages, threads, locks",
    ),
    ("rexis", "ibex", "cycles", "REXIS's exchange"),
    ("rexis", "mps2-an386", "instructions", "REXIS's exchange"),
    (
        "chibios",
        "mps2-an386",
        "instructions",
        "ChibiOS/RT's switches",
    ),
    (
        "thread-metric",
        "mps2-an386",
        "instructions",
        "Thread-Metric, a count",
    ),
    ("xous", "virt-rv32", "instructions", "Xous's calls"),
];

fn root() -> PathBuf {
    Path::new("..").canonicalize().expect("the repository")
}

fn read(file: &str) -> String {
    std::fs::read_to_string(root().join(file)).unwrap_or_else(|error| panic!("{file}: {error}"))
}

fn table(file: &str) -> Table {
    read(file).parse().expect("TOML")
}

/// What one suite takes on one board, and what it is compared with.
struct Measured {
    across: BTreeMap<String, f64>,
    within: BTreeMap<String, f64>,
    reference: Table,
    board: &'static str,
}

impl Measured {
    fn new(baseline: &Table, suite: &str, board: &'static str, metric: &str) -> Measured {
        let figures = &baseline["figures"][suite][board][metric];
        let numbers = |from: Option<&Value>| {
            let all = from.and_then(Value::as_table).into_iter().flatten();
            all.filter_map(|(case, value)| Some((case.clone(), compare::number(value)?)))
                .collect()
        };
        Measured {
            across: numbers(Some(figures)),
            within: numbers(figures.get("within")),
            reference: table(&format!("bench/{suite}/reference.toml")),
            board,
        }
    }

    /// What `reference.toml` has in tables of this name for a case on the board.
    fn of<'t>(&'t self, name: &str, case: &'t str) -> impl Iterator<Item = &'t Value> {
        let rows = self.reference.get(name).and_then(Value::as_array);
        rows.into_iter().flatten().filter(move |row| {
            let boards = row.get("boards").and_then(Value::as_array);
            let here =
                boards.is_none_or(|all| all.iter().any(|it| it.as_str() == Some(self.board)));
            here && row.get("case").and_then(Value::as_str) == Some(case)
        })
    }

    /// The peer that takes least, protected or not.
    fn peer(&self, case: &str, protected: bool) -> String {
        let peers = self
            .of("peer", case)
            .filter(|it| it["protected"].as_bool() == Some(protected));
        let taken = peers.map(|it| {
            (
                number(&it["instructions"]),
                it["system"].as_str().expect("a name"),
            )
        });
        let least = taken.min_by(|one, other| one.0.total_cmp(&other.0));
        least.map_or(String::new(), |(value, system)| {
            format!("{} ({system})", digits(value))
        })
    }

    fn target(&self, case: &str, protected: bool) -> Option<f64> {
        let is_meant =
            |it: &&Value| it.get("protected").and_then(Value::as_bool).unwrap_or(true) == protected;
        let wanted = self.of("target", case).find(is_meant)?;
        wanted.get("at_most").map(number)
    }

    /// What it takes and, if that is told, what is wanted.
    fn cell(&self, case: &str, protected: bool) -> String {
        let all = if protected {
            &self.across
        } else {
            &self.within
        };
        let Some(value) = all.get(case) else {
            return String::new();
        };
        let wanted = self.target(case, protected);
        wanted.map_or(digits(*value), |it| {
            format!("{} (≤ {})", digits(*value), digits(it))
        })
    }

    fn rows(&self) -> String {
        let cases: std::collections::BTreeSet<&String> =
            self.across.keys().chain(self.within.keys()).collect();
        // Those of growth and of the longest paths have a page of their own.
        let cases = cases
            .into_iter()
            .filter(|it| !it.contains('@') && !it.starts_with("longest: "));
        cases.fold(String::new(), |text, case| {
            let across = self.cell(case, true);
            let within = self.cell(case, false);
            let peers = [true, false].map(|protected| self.peer(case, protected));
            text + &format!(
                "| `{case}` | {across} | {within} | {} | {} |\n",
                peers[0], peers[1]
            )
        })
    }
}

/// The figures that guards keep: of suites, on the boards of each test, on the others, and between nodes, and of how long the
/// kernel looks for no interrupt.
struct Baseline {
    suites: [Table; 3],
    bounds: Table,
}

impl Baseline {
    fn new() -> Baseline {
        Baseline {
            suites: ["baseline", "elsewhere", "between"]
                .map(|it| table(&format!("bench/{it}.toml"))),
            bounds: table("tests/bounds.toml"),
        }
    }

    /// What a mark names: `SUITE/CASE`, `SUITE/within/CASE` within one process, `SUITE/BOARD/CASE` on another board than
    /// `mps2-an386`, `SUITE/BOARD/MEMORY/CASE` in one of a suite's memories, `SUITE/BOARD/near/CASE` of what `bench/between.toml` has, `bounds/BOARD/APPLICATION` of `tests/bounds.toml`, what one takes more than another, `(ONE - OTHER)`, and any of these with ` / NUMBER` or ` * NUMBER`.
    fn figure(&self, name: &str) -> Result<f64, String> {
        let number = |it: &str| {
            let number = it.parse::<u32>().ok().filter(|it| *it > 0).map(f64::from);
            number.ok_or_else(|| format!("`{it}` of `{name}` is no whole number above 0"))
        };
        if let Some((one, parts)) = name.rsplit_once(" / ") {
            return Ok(self.difference(one)? / number(parts)?);
        }
        if let Some((one, times)) = name.rsplit_once(" * ") {
            return Ok(self.difference(one)? * number(times)?);
        }
        self.difference(name)
    }

    fn difference(&self, name: &str) -> Result<f64, String> {
        let within = name.strip_prefix('(').and_then(|it| it.strip_suffix(')'));
        let both = within.and_then(|it| it.split_once(" - "));
        let Some((one, other)) = both else {
            return self.of_case(name);
        };
        Ok(self.of_case(one)? - self.of_case(other)?)
    }

    fn of_case(&self, name: &str) -> Result<f64, String> {
        if let Some((board, application)) = bound(name) {
            let bound = self.bounds.get(board).and_then(|it| it.get(application));
            let unknown = || format!("tests/bounds.toml has no `{application}` on `{board}`");
            return bound.map(number).ok_or_else(unknown);
        }
        let unknown = || format!("no figure `{name}` is kept in `bench`");
        let parts: Vec<&str> = name.split('/').collect();
        let (board, place, suite, case) = match parts[..] {
            [suite, case] => (BOARD, None, suite, case),
            [suite, "within", case] => (BOARD, Some("within"), suite, case),
            [suite, board, case] => (board, None, suite, case),
            // Within one process, in a memory, or what there is between nodes.
            [suite, board, place, case] => (board, Some(place), suite, case),
            _ => return Err(unknown()),
        };
        let boards = self.suites.iter().filter_map(|it| it["figures"].get(suite));
        let metrics = boards.filter_map(|it| it.get(board)?.as_table()).flatten();
        let mut cases = metrics.filter_map(|(_, cases)| {
            let cases = place.map_or(Some(cases), |it| cases.get(it))?;
            cases.get(case).filter(|it| !it.is_table()).map(number)
        });
        cases.next().ok_or_else(unknown)
    }

    /// Whether there is a case of this name on the board, or a bound of this application.
    fn knows(&self, case: &str, board: &str) -> bool {
        let tables = self.suites.iter();
        let mut suites = tables.flat_map(|it| it["figures"].as_table().expect("suites").keys());
        suites.any(|suite| {
            let both = ["", "within/"].map(|within| format!("{suite}/{board}/{within}{case}"));
            both.iter().any(|name| self.of_case(name).is_ok())
        }) || self.of_case(&format!("bounds/{board}/{case}")).is_ok()
    }
}

/// Board and application of `bounds/BOARD/APPLICATION`.
fn bound(name: &str) -> Option<(&str, &str)> {
    name.strip_prefix("bounds/")?.split_once('/')
}

/// The number at the end of a text, with its signs that group and its point.
fn last_number(text: &str) -> &str {
    let is_part = |it: char| it.is_ascii_digit() || matches!(it, ',' | '.');
    text[text.trim_end_matches(is_part).len()..].trim_start_matches([',', '.'])
}

/// A page with the baseline's numbers before its marks, and what is wrong with it as it stands.
fn marked(page: &str, baseline: &Baseline) -> (String, Vec<String>) {
    let (mut wanted, mut wrong) = (String::new(), Vec::new());
    let mut pieces = page.split(MARK);
    wanted += pieces.next().expect("a first one");
    for piece in pieces {
        let line = wanted.lines().count();
        let found = last_number(&wanted).to_string();
        let name = piece.split(MARK_END).next().unwrap_or(piece);
        let decimals = found.split_once('.').map_or(0, |(_, it)| it.len());
        let right = baseline
            .figure(name)
            .map(|it| grouped(&format!("{it:.decimals$}")));
        match right {
            _ if !piece.contains(MARK_END) || name.contains('\n') => {
                wrong.push(format!("line {line}: a mark does not end in its line"));
            }
            _ if found.is_empty() => {
                wrong.push(format!(
                    "line {line}: no number stands before the mark `{name}`"
                ));
            }
            Err(error) => wrong.push(format!("line {line}: {error}")),
            Ok(right) if right != found => {
                wrong.push(format!("line {line}: {name} is {right}, not {found}"));
                wanted.truncate(wanted.len() - found.len());
                wanted += &right;
            }
            Ok(_) => {}
        }
        wanted += MARK;
        wanted += piece;
    }
    (wanted, wrong)
}

/// The pages of the book, and what the page of POSIX is made of.
fn pages() -> Vec<(PathBuf, String)> {
    let folders = ["docs/src", "c/posix/conformance"].map(|it| root().join(it));
    let pages = pages::below(&folders).into_iter();
    let read = pages.map(|path| {
        let page = std::fs::read_to_string(&path).expect("a page");
        (path, page)
    });
    read.collect()
}

/// Where a row of a table names a case, and a column a board for which the baseline has the case, the figure is marked: what
/// is wrong otherwise.
fn unmarked_cells(page: &str, baseline: &Baseline) -> Vec<String> {
    let mut heads: Vec<&str> = Vec::new();
    let mut wrong = Vec::new();
    for (at, line) in page.lines().enumerate() {
        if !line.starts_with('|') {
            heads.clear();
        } else if heads.is_empty() {
            heads = line.split('|').collect();
        } else {
            for (head, cell) in heads.iter().zip(line.split('|')) {
                let has_number = cell.contains(|it: char| it.is_ascii_digit());
                let boards = quoted(head);
                let mut both = boards.flat_map(|board| quoted(line).map(move |it| (board, it)));
                let known = both.find(|(board, case)| baseline.knows(case, board));
                if let Some((board, case)) = known.filter(|_| has_number && !cell.contains(MARK)) {
                    wrong.push(format!(
                        "line {}: `{case}` on `{board}` has no mark",
                        at + 1
                    ));
                }
            }
        }
    }
    wrong
}

/// Where a number stands before its unit with nothing that says whose it is: nobody sees when that is stale.
fn unmarked_costs(page: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    // What stands in fences is printed by a command.
    let mut prose = String::new();
    for (at, part) in page.split("\n```").enumerate() {
        let is_prose = at % 2 == 0;
        let lines = part
            .split('\n')
            .map(|line| if is_prose { line } else { "" });
        prose += &lines.collect::<Vec<_>>().join("\n");
        prose += "\n";
    }
    for unit in ["instructions", "cycles"] {
        for (at, _) in prose.match_indices(unit) {
            let before = prose[..at].trim_end();
            let told = before
                .strip_suffix("-->")
                .and_then(|it| it.rsplit_once("<!--"))
                .map(|(_, mark)| mark.trim());
            let is_known = told.is_some_and(|it| it.starts_with("figure ") || APART.contains(&it));
            let number = last_number(before.trim_end_matches('*'));
            if (told.is_some() && !is_known) || !number.is_empty() {
                let line = before.lines().count();
                let what = told.unwrap_or(number);
                wrong.push(format!("line {line}: `{what}` {unit}"));
            }
        }
    }
    wrong
}

/// What stands in a line between signs of code.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

fn number(value: &Value) -> f64 {
    compare::number(value).expect("a number")
}

/// As `bench` prints it: what the loop's own end adds to an operation is not its cost.
fn digits(value: f64) -> String {
    let tenths = (value * 10.0).round() / 10.0;
    let text = if (tenths - tenths.round()).abs() < 0.05 {
        format!("{tenths:.0}")
    } else {
        format!("{tenths:.1}")
    };
    grouped(&text)
}

/// A number's digits in groups of three before its point.
fn grouped(text: &str) -> String {
    let (whole, rest) = text.split_at(text.find('.').unwrap_or(text.len()));
    let mut grouped = String::new();
    for (at, digit) in whole.chars().enumerate() {
        if at > 0 && (whole.len() - at) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + rest
}

fn results(baseline: &Table) -> String {
    let tables = TABLES.iter().map(|(suite, board, metric, what)| {
        let rows = Measured::new(baseline, suite, board, metric).rows();
        format!(
            "### {what}: `{suite}` on `{board}`, {metric}\n\n\
             | case | between processes (wanted) | within one (wanted) | best protected peer | best unprotected peer |\n\
             | --- | --- | --- | --- | --- |\n{rows}"
        )
    });
    let compiler = baseline["compiler"].as_str().expect("a text");
    let tables: Vec<String> = tables.collect();
    format!("\nBy {compiler}.\n\n{}\n", tables.join("\n"))
}

/// The five figures of the README.
fn headlines(baseline: &Table) -> String {
    let core = Measured::new(baseline, "core", "mps2-an386", "instructions");
    let rexis = Measured::new(baseline, "rexis", "ibex", "cycles");
    let source = &rexis.reference["source"];
    let published = rexis
        .of("figure", "send-reply-32B")
        .next()
        .expect("it is published");
    let clock = number(&source["megahertz"]);
    let cycles =
        ["microseconds_min", "microseconds_max"].map(|key| digits(number(&published[key]) * clock));
    let row = |what: &str, case: &str| {
        let ours = digits(core.across[case]);
        let [protected, unprotected] = [true, false].map(|it| core.peer(case, it));
        format!("| {what} | **{ours}** | {protected} | {unprotected} |\n")
    };
    let mut text = String::from(
        "\nBetween two isolated processes on an emulated Cortex-M4 (`mps2-an386`), in instructions; the last line in cycles \
         of an Ibex core, simulated from its Verilog:\n\n\
         | operation | Riposte | best protected peer | best unprotected peer |\n| --- | --- | --- | --- |\n",
    );
    text += &row("round trip of one word", "rt-1w");
    text += &row("round trip of 32 bytes", "rt-32B");
    text += &row("system call that does nothing", "null-call");
    text += &row("two semaphores, there and back", "sem-pingpong");
    text += &format!(
        "| REXIS's benchmark as it was published: send 2 bytes, reply 32 | **{}** | | {} to {} ({}, published) |\n\n",
        digits(rexis.across["send-reply-32B"]),
        cycles[0],
        cycles[1],
        source["system"].as_str().expect("a name"),
    );
    text
}

/// What stands between the marks of a page is this.
fn is_current(file: &str, figures: &str) {
    let page = read(file);
    let (before, rest) = page
        .split_once(BEGIN)
        .expect("the mark where figures begin");
    let (_, after) = rest.split_once(END).expect("the mark where figures end");
    let wanted = format!("{before}{BEGIN}{figures}{END}{after}");
    if std::env::var_os("RIPOSTE_WRITE").is_some() {
        std::fs::write(root().join(file), &wanted).expect("written");
    } else {
        assert!(page == wanted, "{file} is stale; run: {WRITE}");
    }
}

#[test]
fn the_page_of_results_has_the_figures_that_are_guarded() {
    is_current(
        "docs/src/results.md",
        &results(&table("bench/baseline.toml")),
    );
}

#[test]
fn the_readme_has_the_figures_that_are_guarded() {
    is_current("README.md", &headlines(&table("bench/baseline.toml")));
}

#[test]
fn a_number_of_the_book_that_is_marked_is_the_one_that_is_guarded() {
    let baseline = Baseline::new();
    let mut stale = String::new();
    for (path, page) in pages() {
        let (wanted, wrong) = marked(&page, &baseline);
        let is_written = std::env::var_os("RIPOSTE_WRITE").is_some() && wanted != page;
        if is_written {
            std::fs::write(&path, &wanted).expect("written");
        }
        // What is left is no number that could be written.
        let wrong = if is_written {
            marked(&wanted, &baseline).1
        } else {
            wrong
        };
        for it in wrong {
            stale += &format!("{}: {it}\n", path.display());
        }
    }
    assert!(stale.is_empty(), "{stale}To write the numbers: {WRITE}");
}

#[test]
fn a_case_in_a_table_has_its_figure_marked() {
    let baseline = Baseline::new();
    let mut wrong = String::new();
    for (path, page) in pages()
        .into_iter()
        .filter(|(_, page)| !page.contains(BEGIN))
    {
        for it in unmarked_cells(&page, &baseline) {
            wrong += &format!(
                "{}: {it}: write `121<!-- figure core/rt-1w -->`\n",
                path.display()
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn a_cost_in_the_text_is_a_figure_that_is_marked_or_says_what_else_it_is() {
    let mut wrong = String::new();
    let records = RECORDS.map(|it| root().join(it));
    for (path, page) in pages() {
        if records.iter().any(|it| path.starts_with(it)) {
            continue;
        }
        for it in unmarked_costs(&page) {
            wrong += &format!("{}, {it}\n", path.display());
        }
    }
    assert!(
        wrong.is_empty(),
        "{wrong}Write `121<!-- figure core/rt-1w -->`, or what it is instead, as in `600<!-- wanted -->`: {APART:?}"
    );
}

/// Of a trigger, a notice and two switches.
#[test]
fn an_event_of_a_trace_takes_forty_instructions_at_most() {
    let baseline = Baseline::new();
    for board in ["mps2-an386", "virt-rv32"] {
        let event = format!("(core/{board}/proxy-traced - core/{board}/proxy) / 4");
        let taken = baseline.figure(&event).expect("both are kept");
        assert!(
            (1.0..=40.0).contains(&taken),
            "{taken} instructions on {board}"
        );
    }
}

#[test]
fn the_page_of_growth_has_the_longest_path_of_every_call() {
    let growth = read("docs/src/growth.md");
    let cases = &Baseline::new().suites[0]["figures"]["core"][BOARD]["instructions"];
    let cases = cases.as_table().expect("cases").keys();
    for case in cases.filter(|it| it.starts_with("longest: ")) {
        let mark = format!("{MARK}core/{case}{MARK_END}");
        assert!(growth.contains(&mark), "docs/src/growth.md has no `{mark}`");
    }
}

/// A number that is changed by hand, a figure that there is not, and a mark without a number are told with their line.
#[test]
fn a_stale_number_and_a_mark_of_nothing_are_told() {
    let baseline = Baseline::new();
    let right = grouped(&format!(
        "{:.0}",
        baseline.figure("core/rt-1w").expect("it is there")
    ));
    let mark = format!("{MARK}core/rt-1w{MARK_END}");
    let page = format!("First.\nIt takes (**{right}{mark}**), or so.\n");
    assert_eq!(marked(&page, &baseline), (page.clone(), vec![]));

    let (wanted, wrong) = marked(&page.replace(&right, "9,999"), &baseline);
    assert_eq!(wanted, page);
    assert_eq!(wrong, [format!("line 2: core/rt-1w is {right}, not 9,999")]);

    for (text, error) in [
        ("1<!-- figure core/none -->", "no figure `core/none`"),
        (
            "1<!-- figure core/rt-1w / 0 -->",
            "is no whole number above 0",
        ),
        ("1<!-- figure bounds/ibex/none -->", "no `none` on `ibex`"),
        ("none<!-- figure core/rt-1w -->", "no number stands before"),
        ("1<!-- figure core/rt-1w\n-->", "does not end in its line"),
    ] {
        let (wanted, wrong) = marked(text, &baseline);
        assert_eq!(wanted, text);
        assert!(wrong.len() == 1 && wrong[0].contains(error), "{wrong:?}");
    }

    let told = "It takes 121 instructions, or **1,000**\ncycles.\n\n```text\n5 cycles\n```\n7<!-- wonted --> cycles";
    let wrong = unmarked_costs(told);
    let wanted = [
        "line 1: `121` instructions",
        "line 1: `1,000` cycles",
        "line 7: `wonted` cycles",
    ];
    assert_eq!(wrong, wanted);
    let told = "121<!-- figure core/rt-1w --> instructions, 9<!-- wanted --> cycles, some cycles";
    assert_eq!(unmarked_costs(told), [""; 0]);

    let table =
        "| | `mps2-an386` |\n| --- | --- |\n| `rt-1w` | 121 |\n| `none` | 1 |\n| `rt-0w` | |\n";
    let wrong = unmarked_cells(table, &baseline);
    assert_eq!(wrong, ["line 3: `rt-1w` on `mps2-an386` has no mark"]);
}

#[test]
fn figures_are_written_as_people_read_them() {
    for (value, text) in [
        (121.008, "121"),
        (2743.008, "2,743"),
        (83.3828, "83.4"),
        (10127.09, "10,127.1"),
    ] {
        assert_eq!(digits(value), text);
    }
}
