//! Figures in the book and the README are those that the guard keeps and that suites compare with.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

/// The figures are between these lines of a page.
const BEGIN: &str = "<!-- figures: begin, generated -->\n";
const END: &str = "<!-- figures: end -->";

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
            let number =
                |value: &Value| value.as_float().or(value.as_integer().map(|it| it as f64));
            all.filter_map(|(case, value)| Some((case.clone(), number(value)?)))
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

fn number(value: &Value) -> f64 {
    let whole = value.as_integer().map(|it| it as f64);
    value.as_float().or(whole).expect("a number")
}

/// As `bench` prints it: what the loop's own end adds to an operation is not its cost.
fn digits(value: f64) -> String {
    let tenths = (value * 10.0).round() / 10.0;
    let text = if (tenths - tenths.round()).abs() < 0.05 {
        format!("{tenths:.0}")
    } else {
        format!("{tenths:.1}")
    };
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
