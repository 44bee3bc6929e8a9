//! The page of `./riposte report`, in a real browser.

mod browser;
#[path = "report_page/documents.rs"]
mod documents;
#[path = "report_page/looks.rs"]
mod looks;
mod wheel;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::{Value, json};

use browser::Browser;
use documents::{breakdowns, checks, document, entry, everything, transfers};

/// The rules of accessibility.
const AXE: wheel::Wheel = [
    "axe-playwright-python",
    "0.1.8",
    "fdd263c998388f1a8e67cad02677e612d946248bd44d163be5e8650ea31f95f8",
    "axe_playwright_python/axe.min.js",
];
/// What the page is asked, in the page itself.
const QUESTIONS: &str = include_str!("report_page/questions.js");
/// And of its plots.
const PLOTS: &str = include_str!("report_page/plots.js");

/// Runs the tool as a person would, on this file.
fn report(file: &Path) -> Output {
    let mut tool = Command::new(env!("CARGO_BIN_EXE_riposte-host"));
    tool.arg("report").arg(file).output().unwrap()
}

/// Writes the document, makes its page, and returns what the tool said and where the page is.
fn made(folder: &Path, document: &str) -> (String, PathBuf) {
    let file = folder.join("r.json");
    std::fs::write(&file, document).unwrap();
    let output = report(&file);
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    (
        String::from_utf8(output.stdout).unwrap(),
        folder.join("r.html"),
    )
}

/// The page of a figure of every kind, and of a call.
fn made_of_all(folder: &Path) -> (String, PathBuf) {
    std::fs::write(folder.join("r.breakdowns.json"), breakdowns().to_string()).unwrap();
    made(folder, &document().to_string())
}

/// The same, and of transfers between two nodes: all that is ever drawn.
fn made_with_transfers(folder: &Path) -> (String, PathBuf) {
    std::fs::write(folder.join("r.nodes.json"), transfers().to_string()).unwrap();
    made_of_all(folder)
}

/// The rules of accessibility, fetched once and kept in the target folder.
fn axe() -> String {
    std::fs::read_to_string(wheel::fetched(AXE)).unwrap()
}

/// What the page that is shown answers to all questions.
fn asked(browser: &mut Browser) -> Value {
    browser.run(QUESTIONS)
}

/// The rules of accessibility that the page that is shown breaks.
fn broken(browser: &mut Browser) -> Value {
    browser.run(&axe());
    browser.run(
        "axe.run().then((it) => it.violations.map((it) =>
            `${it.id}: ${it.nodes.map((node) => node.html.slice(0, 100)).join(' | ')}`))",
    )
}

fn texts(all: &Value) -> Vec<&str> {
    let all = all.as_array().unwrap().iter();
    all.map(|it| it.as_str().unwrap()).collect()
}

/// A table of the page: its caption, its heading and its rows.
struct Table {
    caption: String,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    fn read(it: &Value) -> Table {
        let owned = |all: &Value| texts(all).iter().map(|it| (*it).to_owned()).collect();
        Table {
            caption: it["caption"].as_str().unwrap().into(),
            head: owned(&it["head"]),
            rows: it["rows"].as_array().unwrap().iter().map(owned).collect(),
        }
    }

    fn all(answer: &Value) -> Vec<Table> {
        let all = answer["tables"].as_array().unwrap().iter();
        all.map(Table::read).collect()
    }

    fn column(&self, name: &str) -> Option<usize> {
        self.head.iter().position(|it| it == name)
    }
}

/// The table whose caption begins and ends so.
fn table<'a>(tables: &'a [Table], start: &str, end: &str) -> &'a Table {
    let mut found = tables
        .iter()
        .filter(|it| it.caption.starts_with(start) && it.caption.ends_with(end));
    let table = found.next();
    table.unwrap_or_else(|| panic!("there is no table {start} … {end}"))
}

/// A figure as the page shows it.
fn short(value: f64) -> String {
    let text = match value {
        100.0.. => format!("{value:.0}"),
        1.0.. => format!("{value:.1}"),
        _ => format!("{value:.3}"),
    };
    text.trim_end_matches(".0").into()
}

/// The costs of a document that are neither of a larger system nor of a longest path: by board, case and whether they cross
/// processes.
fn costs(document: &Value) -> BTreeMap<(String, String, bool), f64> {
    let text = |it: &Value| it.as_str().unwrap().to_owned();
    let all = document["results"].as_array().unwrap().iter();
    let costs = all.filter(|it| {
        ["cycles", "instructions"]
            .iter()
            .any(|name| it["metric"] == *name)
    });
    let costs = costs.map(|it| {
        let place = format!("{}: {}", text(&it["suite"]), text(&it["board"]));
        let key = (place, text(&it["case"]), it["protected"].as_bool().unwrap());
        (key, it["value"].as_f64().unwrap())
    });
    costs
        .filter(|((_, case, _), _)| !case.contains('@') && !case.starts_with("longest: "))
        .collect()
}

/// Each cost of the document stands in the row of its case, in the column of its kind, in the section of its suite; and nothing
/// else stands there.
fn shows_the_costs(tables: &[(String, Table)], document: &Value) {
    let mut shown = BTreeMap::new();
    for (section, table) in tables {
        let Some((place, _)) = table.caption.split_once(": ") else {
            continue;
        };
        if !table.caption.ends_with(" of an operation") {
            continue;
        }
        let board = place.split(',').next().unwrap();
        let suite = section.strip_prefix("suite-").unwrap();
        for (name, protected) in [("across processes", true), ("within one", false)] {
            let Some(column) = table.column(name) else {
                continue;
            };
            for row in table.rows.iter().filter(|row| !row[column].is_empty()) {
                let key = (format!("{suite}: {board}"), row[0].clone(), protected);
                let before = shown.insert(key.clone(), row[column].clone());
                assert_eq!(before, None, "{key:?} is shown twice");
            }
        }
    }
    let wanted: BTreeMap<_, _> = costs(document)
        .into_iter()
        .map(|(key, value)| (key, short(value)))
        .collect();
    assert_eq!(shown, wanted);
}

fn sections_and_tables(answer: &Value) -> Vec<(String, Table)> {
    let sections = answer["tables"].as_array().unwrap().iter();
    let sections = sections.map(|it| it["section"].as_str().unwrap().to_owned());
    sections.zip(Table::all(answer)).collect()
}

/// Each mark of a chart lies where its figures say, on the scales that the chart's own axes have; and it is in the table below.
/// Returns how many marks there are, and how many of them are published.
fn plots_its_figures(chart: &Value) -> (usize, usize) {
    let table = Table::read(&chart["table"]);
    assert_eq!(table.caption, chart["caption"].as_str().unwrap());
    let number = |it: &Value| it.as_f64().unwrap();
    // A scale of equal factors, of two of its marks.
    let scale = |marks: &Value| {
        let marks = marks.as_array().unwrap();
        let [(at, value), (other, most)] =
            [&marks[0], marks.last().unwrap()].map(|it| (number(&it[0]), number(&it[1]).log10()));
        move |it: f64| at + (it.log10() - value) / (most - value) * (other - at)
    };
    let (across, up) = (scale(&chart["across"]), scale(&chart["up"]));
    let mut rows: Vec<(String, f64, f64)> = table
        .rows
        .iter()
        .map(|row| {
            (
                row[0].clone(),
                row[1].parse().unwrap(),
                row[2].parse().unwrap(),
            )
        })
        .collect();
    let mut published = 0;
    let marks = chart["marks"].as_array().unwrap();
    for mark in marks {
        let told = mark["told"].as_str().unwrap();
        let (name, figures) = told.rsplit_once(": ").unwrap();
        let (figure, size) = figures.split_once(" at ").unwrap();
        let size: f64 = size.parse().unwrap();
        // As exact as it is told.
        let digits = figure.split_once('.').map_or(0, |(_, digits)| digits.len());
        let told_as = 0.5 / 10_f64.powi(digits as i32) + 0.001;
        let figure: f64 = figure.parse().unwrap();
        let at = rows
            .iter()
            .position(|row| row.0 == name && row.1 == size && (row.2 - figure).abs() <= told_as)
            .unwrap_or_else(|| panic!("{told} is not in the table {}", table.caption));
        let (_, size, figure) = rows.remove(at);
        let [x, y] = ["x", "y"].map(|it| number(&mark[it]));
        let off = (x - across(size)).abs().max((y - up(figure)).abs());
        assert!(off < 0.7, "{told} is drawn {off} pixels beside its place");
        published += usize::from(mark["published"] == true);
    }
    assert!(rows.is_empty(), "not drawn: {rows:?}");
    (marks.len(), published)
}

/// The published points of a suite's mechanisms, of those that make a curve.
fn published_points(suite: &str) -> usize {
    let text = std::fs::read_to_string(format!("../bench/{suite}/reference.toml")).unwrap();
    let reference: toml::Table = text.parse().unwrap();
    let series = reference["series"].as_array().unwrap().iter();
    let counts = series.map(|it| {
        it.get("points")
            .and_then(|it| it.as_array())
            .map_or(0, Vec::len)
    });
    counts.filter(|it| *it >= 3).sum()
}

#[test]
fn the_page_shows_every_figure_and_every_point_where_it_belongs() {
    let folder = tempfile::tempdir().unwrap();
    let (said, file) = made_of_all(folder.path());
    assert_eq!(said, format!("report: {}\n", file.display()));
    let page = std::fs::read_to_string(&file).unwrap();
    // It needs nobody else.
    for foreign in ["http:", "https:", "url(", "@import", "<link", " src="] {
        assert!(
            !page.contains(foreign),
            "the page refers to elsewhere: {foreign}"
        );
    }
    let mut browser = Browser::open(folder.path());
    browser.screen(1200, 900);
    browser.show(&file);
    let answer = asked(&mut browser);
    assert_eq!(
        texts(&answer["sections"]),
        [
            "round-trips",
            "claims",
            "suite-rexis",
            "suite-qnx",
            "suite-chibios",
            "suite-thread-metric",
            "suite-xous",
            "suite-core",
            "suite-system",
            "checked",
            "method"
        ]
    );
    let tables = sections_and_tables(&answer);
    shows_the_costs(&tables, &document());
    let tables = Table::all(&answer);
    let empty = tables.iter().find(|it| it.rows.is_empty());
    assert_eq!(empty.map(|it| &it.caption), None, "a table has no rows");
    let longest = table(&tables, "virt-rv32: the longest path", "in instructions");
    assert_eq!(longest.rows, [["clock, <b>always</b>", "77"]]);
    let sizes = table(&tables, "core: size of the kernels", "bytes");
    assert_eq!(sizes.rows[0][2..], ["33350", "33350"]);
    // Curves over bytes, in time and as rate, with all that was published; and one over the size of the system.
    let charts = answer["charts"].as_array().unwrap();
    let counts = charts.iter().map(plots_its_figures);
    let mut counts: Vec<(usize, usize)> = counts.collect();
    let qnx = published_points("qnx");
    assert!(qnx > 70, "{qnx}");
    let mut wanted = vec![(4, 0), (4, 0), (3, 0), (4 + qnx, qnx), (4 + qnx, qnx)];
    wanted.sort_unstable();
    counts.sort_unstable();
    assert_eq!(counts, wanted);
    // The figures that it embeds are those of the file.
    assert_eq!(answer["data"]["results"], document()["results"]);
    assert_eq!(answer["data"]["checks"], checks());
    assert_eq!(answer["sorted"], json!(["ascending", "descending"]));
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn first_stand_round_trips_as_multiples_of_the_floor_beside_others() {
    let folder = tempfile::tempdir().unwrap();
    let (_, file) = made_of_all(folder.path());
    let mut browser = Browser::open(folder.path());
    browser.screen(1200, 900);
    browser.show(&file);
    let trips = browser.run(
        "[...document.querySelectorAll('.trip')].map((it) => [it.querySelector('h3').textContent,
            it.querySelector('.place').textContent, [...it.querySelectorAll('tbody tr')].map((row) =>
            [...row.cells].map((cell) => cell.textContent.trim()).concat([...row.querySelectorAll('.bar i')]
            .map((bar) => bar.getBoundingClientRect().width / bar.parentNode.getBoundingClientRect().width)))])",
    );
    let of = |board: &str| {
        let all = trips.as_array().unwrap();
        all.iter().find(|it| it[0] == board).unwrap().clone()
    };
    let m4 = of("mps2-an386");
    assert!(
        m4[1]
            .as_str()
            .unwrap()
            .ends_with("The floor takes 71 instructions.")
    );
    let text = std::fs::read_to_string("../bench/core/reference.toml").unwrap();
    let core: toml::Table = text.parse().unwrap();
    let peers = core["peer"].as_array().unwrap().iter();
    let best = peers.filter(|it| {
        let boards = it.get("boards").and_then(|it| it.as_array());
        it["case"].as_str() == Some("rt-1w")
            && it["protected"].as_bool() == Some(true)
            && boards.is_none_or(|it| it.iter().any(|it| it.as_str() == Some("mps2-an386")))
    });
    let number = |it: &toml::Value| {
        it.as_float()
            .or(it.as_integer().map(|it| it as f64))
            .unwrap()
    };
    let best = best
        .map(|it| number(&it["instructions"]))
        .fold(f64::INFINITY, f64::min);
    let row = &m4[2][0];
    assert_eq!(
        row[1],
        format!("{:.2}× the floor, 121 instructions", 121.0 / 71.0)
    );
    let theirs = format!(
        "{:.2}× the floor, {} instructions: ",
        best / 71.0,
        short(best)
    );
    assert!(row[2].as_str().unwrap().starts_with(&theirs), "{row}");
    // Its bar is as long as its figure, beside the longest of the board.
    let rows = m4[2].as_array().unwrap().iter();
    let others = rows.filter_map(|row| row[2].as_str()?.split('×').next()?.parse::<f64>().ok());
    let longest = others.fold(best / 71.0, f64::max);
    let [ours, theirs] = [3, 4].map(|at| row[at].as_f64().unwrap());
    assert!((ours - 121.0 / 71.0 / longest).abs() < 0.01, "{row}");
    assert!((theirs - best / 71.0 / longest).abs() < 0.01, "{row}");
    // What was published on another machine, and what has no floor here.
    let rexis = &of("ibex")[2][0];
    assert_eq!(
        rexis[1],
        format!("{:.2}× the floor, 604 cycles", 604.0 / 158.0)
    );
    assert!(
        rexis[2]
            .as_str()
            .unwrap()
            .contains("REXIS, published, on Cortex-M4")
    );
    let xous = of("vexriscv, slow SRAM");
    assert!(
        xous[1]
            .as_str()
            .unwrap()
            .contains("Its floor was not measured here")
    );
    assert_eq!(xous[2][0][1], "504 cycles");
    // The claim, and what the figures are not, stand above all.
    let lead = browser.run("document.querySelector('header .lead').textContent");
    let lead = lead.as_str().unwrap().to_owned();
    for words in [
        "On mps2-an386, ",
        "times what the\nhardware",
        "the best of the others, CMRX, takes 469",
    ] {
        assert!(lead.contains(words), "{lead}");
    }
    let header = browser.run("document.querySelector('header').textContent");
    assert!(
        header
            .as_str()
            .unwrap()
            .contains("nothing has run on silicon")
    );
    // All of the first board is on the first screen.
    let bottom = browser.run("document.querySelector('.trip').getBoundingClientRect().bottom");
    assert!(bottom.as_f64().unwrap() <= 900.0, "{bottom}");
}

#[test]
fn a_call_is_drawn_as_long_as_its_phases_take_with_its_marks_and_its_levels() {
    let folder = tempfile::tempdir().unwrap();
    let (_, file) = made_of_all(folder.path());
    let mut browser = Browser::open(folder.path());
    browser.show(&file);
    let drawn = browser.run(
        "(() => { const it = [...document.querySelectorAll('figure')].find((it) => it.querySelector('.wave'));
            const all = (name) => [...it.querySelectorAll(name)];
            return { phases: all('rect.fill').map((it) => [it.getBBox().x, it.getBBox().width]),
                numbers: all('text.phase').map((it) => it.textContent), spaces: all('path.bus').length,
                wave: it.querySelector('path.wave').getAttribute('d'),
                marks: all('g.mark').map((it) => [it.querySelector('line').x1.baseVal.value,
                    it.querySelector('text').textContent]) }; })()",
    );
    let number = |it: &Value| it.as_f64().unwrap();
    let [(x0, w0), (x1, w1), (x2, w2)] = [0, 1, 2].map(|at| {
        (
            number(&drawn["phases"][at][0]),
            number(&drawn["phases"][at][1]),
        )
    });
    let a_cycle = w0 / 120.0;
    for (found, wanted) in [(w1, 60.0), (w2, 120.0), (x1 - x0, 120.0), (x2 - x0, 180.0)] {
        assert!(
            (found - wanted * a_cycle).abs() < 0.2,
            "{found}, {wanted} cycles"
        );
    }
    assert_eq!(drawn["numbers"], json!(["120", "60", "120"]));
    assert_eq!(drawn["spaces"], 2);
    let levels: Vec<&str> = drawn["wave"].as_str().unwrap().split(['M', 'L']).collect();
    let heights: Vec<&str> = levels[1..]
        .iter()
        .map(|it| it.split([' ', 'H']).nth(1).unwrap())
        .collect();
    assert_eq!(heights.len(), 3, "{levels:?}");
    assert!(
        heights[0] == heights[2] && heights[0] != heights[1],
        "{levels:?}"
    );
    let marks = drawn["marks"].as_array().unwrap();
    assert_eq!(marks.len(), 2);
    assert_eq!([&marks[0][1], &marks[1][1]], ["0x11110001", "0x22220001"]);
    assert!((number(&marks[1][0]) - number(&marks[0][0]) - 300.0 * a_cycle).abs() < 0.2);
}

#[test]
fn what_the_tests_counted_is_told_with_its_commit_and_what_did_not_run_too() {
    let folder = tempfile::tempdir().unwrap();
    let told = |browser: &mut Browser, file: &Path| {
        browser.show(file);
        let text = browser.run("document.getElementById('checked').innerText");
        text.as_str().unwrap().to_owned()
    };
    let (_, file) = made_of_all(folder.path());
    let mut browser = Browser::open(folder.path());
    let text = told(&mut browser, &file);
    for wanted in [
        "100,123 states and 150,000 transitions of 2 systems, 1 of them to the end.",
        "commit c0ffee (the commit that was measured), depth normal",
        "Some of these tests failed. 52,345 calls in 400 rounds on 1 board,",
        "commit decade (another commit than was measured)",
        "Determinism: nothing was counted; ./riposte test determinism does",
        "Bounds: nothing was counted; ./riposte test bounds does",
    ] {
        assert!(text.contains(wanted), "{wanted} is not in {text}");
    }
    let mut untested = document();
    untested["checks"] = json!([]);
    let (_, file) = made(folder.path(), &untested.to_string());
    let text = told(&mut browser, &file);
    assert!(
        text.contains("No test has been run here: ./riposte test"),
        "{text}"
    );
    assert!(!text.contains("states"), "{text}");
}

#[test]
fn the_buttons_save_what_the_file_has() {
    let folder = tempfile::tempdir().unwrap();
    let saved = tempfile::tempdir().unwrap();
    let (_, file) = made_of_all(folder.path());
    let mut browser = Browser::open(folder.path());
    browser.screen(390, 800);
    browser.show(&file);
    let (name, text) = browser.saved("#json", saved.path());
    assert_eq!(name, "riposte.json");
    let data: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(data, document());
    let (name, text) = browser.saved("#csv", saved.path());
    assert_eq!(name, "riposte.csv");
    let mut rows = csv(&text).into_iter();
    let names = rows.next().unwrap();
    let results = document()["results"].as_array().unwrap().clone();
    let rows: Vec<Vec<String>> = rows.collect();
    assert_eq!(rows.len(), results.len());
    for (row, it) in rows.iter().zip(&results) {
        let row: BTreeMap<&str, &str> = names
            .iter()
            .map(String::as_str)
            .zip(row.iter().map(String::as_str))
            .collect();
        for (name, value) in it
            .as_object()
            .unwrap()
            .iter()
            .filter(|(name, _)| *name != "per")
        {
            let wanted = match value {
                Value::Null => String::new(),
                Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            assert_eq!(row[name.as_str()], wanted, "{name} of {it}");
        }
    }
    assert_eq!(browser.complaints(), [""; 0]);
}

/// The rows of a text of values in quotes, with a comma between them.
fn csv(text: &str) -> Vec<Vec<String>> {
    let (mut rows, mut row, mut cell) = (vec![], vec![], String::new());
    let (mut letters, mut in_quotes) = (text.chars().peekable(), false);
    while let Some(letter) = letters.next() {
        match letter {
            '"' if in_quotes && letters.peek() == Some(&'"') => cell.extend(letters.next()),
            '"' => in_quotes = !in_quotes,
            ',' if !in_quotes => row.push(std::mem::take(&mut cell)),
            '\n' if !in_quotes => {
                row.push(std::mem::take(&mut cell));
                rows.push(std::mem::take(&mut row));
            }
            '\r' if !in_quotes => {}
            other => cell.push(other),
        }
    }
    assert!(
        row.is_empty() && cell.is_empty(),
        "the last row has its end"
    );
    rows
}

#[test]
fn nothing_is_wider_than_the_screen_and_on_paper_nothing_is_closed() {
    let folder = tempfile::tempdir().unwrap();
    let (_, file) = made(folder.path(), &everything().to_string());
    std::fs::write(
        folder.path().join("r.breakdowns.json"),
        breakdowns().to_string(),
    )
    .unwrap();
    report(&folder.path().join("r.json"));
    let mut browser = Browser::open(folder.path());
    browser.show(&file);
    for width in [320, 390, 800, 1200] {
        browser.screen(width, 800);
        let wide = browser.run("document.documentElement.scrollWidth");
        assert_eq!(wide, width);
    }
    let closed = "document.querySelectorAll('details:not([open])').length";
    let before = browser.run(closed).as_u64().unwrap();
    assert!(before > 5, "{before}");
    // By its style alone every table is there: a script may not run.
    browser.media("print", "light");
    let hidden = "[...document.querySelectorAll('main table')].filter((it) =>
        !it.checkVisibility({ contentVisibilityAuto: true }) || it.getBoundingClientRect().height === 0).length";
    assert_eq!(browser.run(hidden), 0);
    let headings = "[...document.querySelectorAll('main table.sortable thead th')].filter((it) =>
        it.textContent !== '' && it.innerText.trim() === '').length";
    assert_eq!(browser.run(headings), 0, "a column has its heading");
    browser.media("screen", "light");
    assert_ne!(browser.run(hidden), 0, "the check sees what is closed");
    // And when it is printed, it opens them, and closes them again.
    browser.run(&format!(
        "addEventListener('beforeprint', () => {{ window.printed = {closed}; }})"
    ));
    browser.ask("Page.printToPDF", json!({}));
    assert_eq!(browser.run("window.printed"), 0);
    assert_eq!(browser.run(closed), before);
}

/// How each part of the page that is shown looks; the picture of all of it is kept beside the tests.
fn parts(browser: &mut Browser, look: &str, width: usize) -> Vec<looks::Part> {
    browser.screen(width, 800);
    let height = browser.run("document.documentElement.scrollHeight");
    browser.screen(width, usize::try_from(height.as_u64().unwrap()).unwrap());
    let parts = browser.run(looks::PARTS);
    let picture = browser.picture();
    std::fs::write(shown(look), &picture).unwrap();
    let whole = looks::Picture::read(&picture);
    browser.run(looks::BARE);
    let bare = looks::Picture::read(&browser.picture());
    browser.run(looks::DRESSED);
    let part = |it: &Value| {
        let number = |at: usize| usize::try_from(it["at"][at].as_u64().unwrap()).unwrap();
        let plot = it["plot"] == true;
        let name = format!("{look}/{}", it["name"].as_str().unwrap());
        let picture = if plot { &bare } else { &whole };
        looks::Part::of(name, plot, [0, 1, 2, 3].map(number), picture)
    };
    parts.as_array().unwrap().iter().map(part).collect()
}

/// The picture of a look.
fn shown(look: &str) -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("report-{look}.png"))
}

#[test]
fn each_section_and_plot_looks_as_it_did_at_three_widths_in_the_dark_and_in_print() {
    let folder = tempfile::tempdir().unwrap();
    let (_, file) = made_with_transfers(folder.path());
    let mut browser = Browser::open(folder.path());
    browser.show(&file);
    let mut all = vec![];
    for (look, width, media, scheme) in looks::LOOKS {
        browser.media(media, scheme);
        all.extend(parts(&mut browser, look, width));
    }
    let place = Path::new("tests/report_page/looks.txt");
    if std::env::var_os("RIPOSTE_WRITE").is_some() {
        let text: String = all.iter().map(looks::Part::kept).collect();
        std::fs::write(place, text).unwrap();
    }
    let text = std::fs::read_to_string(place).unwrap_or_default();
    let kept: Vec<looks::Part> = text.lines().filter_map(looks::Part::read).collect();
    let missing = |of: &[looks::Part], from: &[looks::Part], what: &str| {
        let there = |it: &&looks::Part| from.iter().any(|other| other.name == it.name);
        let missing = of.iter().filter(|it| !there(it));
        missing
            .map(|it| format!("{}: {what}", it.name))
            .collect::<Vec<_>>()
    };
    let mut differ = missing(&kept, &all, "is not there");
    differ.extend(missing(&all, &kept, "is new"));
    for part in &all {
        let before = kept.iter().find(|it| it.name == part.name);
        let difference = before.and_then(|before| part.difference(before));
        differ.extend(difference.map(|it| format!("{}: {it}", part.name)));
    }
    assert!(
        differ.is_empty(),
        "the page looks otherwise:\n{}\nlook at {}, and the others beside it, and if it is right, run: RIPOSTE_WRITE=1 cargo test \
         -p riposte-host --test report_page looks",
        differ.join("\n"),
        shown(looks::LOOKS[0].0).display()
    );
}

/// What a plot shows, by its kind: as many things are drawn, with a row for each in the table behind it.
fn has_its_table(plot: &Value) -> (&str, usize) {
    let caption = plot["caption"].as_str().unwrap();
    let kind = plot["kind"].as_str().unwrap();
    let tables: Vec<Table> = plot["tables"]
        .as_array()
        .unwrap()
        .iter()
        .map(Table::read)
        .collect();
    let [table] = &tables[..] else {
        panic!("{} tables are behind the plot {caption}", tables.len());
    };
    assert_eq!(table.caption, caption);
    assert_eq!(
        plot["seen"], true,
        "the table of {caption} cannot be opened"
    );
    let mut rows = table.rows.clone();
    let drawn = texts(&plot["drawn"]);
    for told in &drawn {
        let row = rows.iter().position(|row| is_told(kind, row, told));
        let row = row.unwrap_or_else(|| panic!("{told} of {caption} is in no row of {rows:?}"));
        rows.remove(row);
    }
    assert!(rows.is_empty(), "{caption}: not drawn: {rows:?}");
    assert!(!drawn.is_empty(), "{caption} shows nothing");
    (kind, drawn.len())
}

/// Whether a row has the figures that a plot of this kind tells so.
fn is_told(kind: &str, row: &[String], told: &str) -> bool {
    // Each as exact as it is written.
    let exact = |text: &str| {
        let digits = text.split_once('.').map_or(0, |(_, digits)| digits.len());
        0.5 / 10_f64.powi(digits as i32)
    };
    let number = |text: &str| text.parse::<f64>().unwrap();
    let same = |one: &str, other: &str| {
        (number(one) - number(other)).abs() <= exact(one) + exact(other) + 1e-9
    };
    match kind {
        "bars" => {
            let (figure, whose) = told.split_once(' ').unwrap();
            whose == row[1] && same(figure, &row[2])
        }
        "waveform" if row[2].starts_with("REPORT ") => row[2] == format!("REPORT {told}"),
        "waveform" => {
            let [at, cycles, who, _, _, from, to] = row else {
                return false;
            };
            told == format!("{who}: {cycles} cycles from cycle {at}, {from} to {to}").trim_end()
        }
        _ => {
            let (name, figures) = told.rsplit_once(": ").unwrap();
            let (figure, size) = figures.split_once(" at ").unwrap();
            name == row[0] && size == row[1] && same(figure, &row[2])
        }
    }
}

#[test]
fn behind_every_plot_is_a_table_with_a_row_for_each_thing_that_is_drawn() {
    let folder = tempfile::tempdir().unwrap();
    let mut browser = Browser::open(folder.path());
    browser.screen(1200, 900);
    let mut plots = |file: &Path| -> BTreeMap<String, usize> {
        browser.show(file);
        let plots = browser.run(PLOTS);
        assert_eq!(plots["elsewhere"], 0, "a plot is no figure");
        let mut counts = BTreeMap::new();
        for plot in plots["figures"].as_array().unwrap() {
            let (kind, _) = has_its_table(plot);
            *counts.entry(kind.to_owned()).or_default() += 1;
        }
        counts
    };
    let counts = |all: [(&str, usize); 4]| all.map(|(kind, count)| (kind.to_owned(), count)).into();
    let (_, file) = made_with_transfers(folder.path());
    // Four suites beside what was published; time and rate of two suites' sizes, and of transfers.
    let all = counts([("bars", 4), ("growth", 1), ("sizes", 6), ("waveform", 1)]);
    assert_eq!(plots(&file), all);
    // Where nothing is of larger systems, what the guard keeps of them is drawn.
    let mut without = document();
    let results = without["results"].as_array_mut().unwrap();
    results.retain(|it| !it["case"].as_str().unwrap().contains('@'));
    let (_, file) = made(folder.path(), &without.to_string());
    assert_eq!(plots(&file), all);
}

/// Whether it takes so many seconds at most, in one of several runs: a machine does other things too.
fn takes(most: f64, mut seconds: impl FnMut() -> f64) -> Result<(), Vec<f64>> {
    let mut taken = vec![];
    while taken.len() < 10 {
        taken.push(seconds());
        if taken.last().is_some_and(|it| *it <= most) {
            return Ok(());
        }
    }
    Err(taken)
}

/// The seconds of processors that the report of a file takes: what a shell says of its children.
fn seconds_of_report(file: &Path) -> f64 {
    let output = Command::new("sh")
        .args(["-c", "\"$0\" report \"$1\" > /dev/null && times"])
        .arg(env!("CARGO_BIN_EXE_riposte-host"))
        .arg(file)
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let of_children = text.lines().nth(1).expect("two lines of two times");
    let seconds = |it: &str| {
        let (minutes, seconds) = it.strip_suffix('s').unwrap().split_once('m').unwrap();
        60.0 * minutes.parse::<f64>().unwrap() + seconds.parse::<f64>().unwrap()
    };
    of_children.split_whitespace().map(seconds).sum()
}

/// The seconds of a processor that what a browser shows has taken: on a busy machine they are more on the clock.
fn seconds_of_page(browser: &mut Browser) -> f64 {
    let of_processors = json!({ "timeDomain": "threadTicks" });
    browser.ask("Performance.enable", of_processors);
    let told = browser.ask("Performance.getMetrics", json!({}));
    let mut metrics = told["metrics"].as_array().unwrap().iter();
    let tasks = metrics.find(|it| it["name"] == "TaskDuration");
    tasks.unwrap()["value"].as_f64().unwrap()
}

#[test]
fn a_page_of_everything_comes_in_two_seconds_is_two_megabytes_at_most_and_holds_in_light_and_dark()
{
    let folder = tempfile::tempdir().unwrap();
    let document = everything();
    assert!(document["results"].as_array().unwrap().len() > 300);
    let (_, file) = made(folder.path(), &document.to_string());
    let json = folder.path().join("r.json");
    assert_eq!(takes(2.0, || seconds_of_report(&json)), Ok(()));
    let page = std::fs::read_to_string(&file).unwrap();
    assert!(page.len() <= 2_000_000, "{} bytes", page.len());
    let mut browser = Browser::open(folder.path());
    browser.screen(1200, 900);
    browser.show(&file);
    let until_loaded = || {
        let before = seconds_of_page(&mut browser);
        browser.show(&file);
        let seconds = seconds_of_page(&mut browser) - before;
        assert!(seconds > 0.0, "another page has computed: {seconds}");
        seconds
    };
    assert_eq!(takes(1.0, until_loaded), Ok(()));
    for (scheme, is_dark, opened) in [("light", false, false), ("dark", true, true)] {
        browser.media("screen", scheme);
        browser.show(&file);
        assert_eq!(
            browser.run("matchMedia('(prefers-color-scheme: dark)').matches"),
            is_dark
        );
        browser.run(&format!(
            "for (const it of document.querySelectorAll('details')) it.open ||= {opened}"
        ));
        assert_eq!(
            broken(&mut browser),
            json!([]),
            "rules of accessibility, {scheme}"
        );
        assert_eq!(browser.complaints(), [""; 0]);
    }
    let answer = asked(&mut browser);
    shows_the_costs(&sections_and_tables(&answer), &document);
    let charts = answer["charts"].as_array().unwrap();
    assert!(charts.len() > 3);
    charts.iter().map(plots_its_figures).for_each(drop);
    assert_eq!(
        answer["data"]["results"].as_array().unwrap().len(),
        document["results"].as_array().unwrap().len()
    );
}

#[test]
fn the_page_of_every_kind_of_figure_breaks_no_rule_of_accessibility() {
    let folder = tempfile::tempdir().unwrap();
    let (_, file) = made_of_all(folder.path());
    let mut browser = Browser::open(folder.path());
    for width in [390, 1200] {
        browser.screen(width, 900);
        browser.show(&file);
        assert_eq!(broken(&mut browser), json!([]), "at {width} pixels");
    }
}

/// The first stop leads to the figures, headings of tables are stops, and Enter sorts by one.
#[test]
fn the_page_is_used_by_the_keyboard_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (_, file) = made_of_all(folder.path());
    let mut browser = Browser::open(folder.path());
    browser.screen(1200, 900);
    browser.show(&file);
    let key = |browser: &mut Browser, name: &str, code: u32, text: &str| {
        for kind in ["keyDown", "keyUp"] {
            let pressed = json!({
                "type": kind, "key": name, "code": name, "windowsVirtualKeyCode": code, "text": text,
            });
            browser.ask("Input.dispatchKeyEvent", pressed);
        }
    };
    key(&mut browser, "Tab", 9, "");
    assert_eq!(
        browser.run("document.activeElement.getAttribute('href')"),
        "#main"
    );
    key(&mut browser, "Enter", 13, "\r");
    assert_eq!(browser.run("location.hash"), "#main");
    let sorts = "document.activeElement.closest('th')?.textContent ?? null";
    let mut stops = 0;
    while browser.run(sorts).is_null() {
        key(&mut browser, "Tab", 9, "");
        stops += 1;
        assert!(stops < 200, "no heading is a stop");
    }
    key(&mut browser, "Enter", 13, "\r");
    let sorted = "document.activeElement.closest('th').getAttribute('aria-sort')";
    assert_eq!(browser.run(sorted), "descending");
}

#[test]
fn of_several_files_the_page_embeds_the_figures_that_count() {
    let folder = tempfile::tempdir().unwrap();
    let mut later = document();
    let results = later["results"].as_array_mut().unwrap();
    for it in results.iter_mut() {
        it["value"] = json!(it["value"].as_f64().unwrap() * 2.0);
    }
    later["commit"] = json!("decade");
    let files = [document(), later.clone()].map(|it| {
        let file = folder
            .path()
            .join(format!("{}.json", it["commit"].as_str().unwrap()));
        std::fs::write(&file, it.to_string()).unwrap();
        file
    });
    let mut tool = Command::new(env!("CARGO_BIN_EXE_riposte-host"));
    let output = tool.arg("report").args(&files).output().unwrap();
    assert!(output.status.success());
    let page = std::fs::read_to_string(folder.path().join("decade.html")).unwrap();
    let (_, rest) = page.split_once("type=\"application/json\"").unwrap();
    let (data, _) = rest.split_once("</script>").unwrap();
    let (_, data) = data.split_once('>').unwrap();
    let data: Value = serde_json::from_str(data).unwrap();
    let values = |of: &Value| -> Vec<f64> {
        let all = of["results"].as_array().unwrap().iter();
        all.map(|it| it["value"].as_f64().unwrap()).collect()
    };
    assert_eq!(values(&data), values(&later));
    assert_eq!(data["others"][0]["commit"], "decade");
}

#[test]
fn of_several_files_calls_transfers_and_tests_are_those_of_the_later_one_too() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, value: &Value| {
        let file = folder.path().join(name);
        std::fs::write(&file, value.to_string()).unwrap();
        file
    };
    let files = ["c0ffee", "decade"].map(|commit| {
        let mut it = document();
        it["commit"] = json!(commit);
        it["checks"][0]["commit"] = json!(commit);
        write(&format!("{commit}.json"), &it)
    });
    write("c0ffee.nodes.json", &transfers());
    write("c0ffee.breakdowns.json", &breakdowns());
    // Of the later one, which has measured less, a transfer takes longer and a call, too.
    let (mut transfer, mut call) = (transfers()[1].clone(), breakdowns());
    transfer["instructions"] = json!([77_777.0, 34_443.0]);
    call[0]["typical"]["stretches"][2]["cycles"] = json!(1120);
    write("decade.nodes.json", &json!([transfer]));
    write("decade.breakdowns.json", &call);
    let mut tool = Command::new(env!("CARGO_BIN_EXE_riposte-host"));
    let output = tool.arg("report").args(&files).output().unwrap();
    assert!(output.status.success());
    let page = std::fs::read_to_string(folder.path().join("decade.html")).unwrap();
    let (shown, _) = page.split_once("type=\"application/json\"").unwrap();
    assert!(shown.contains("77777") && !shown.contains("31336"));
    assert!(
        shown.contains("29576"),
        "what the later one has not is there"
    );
    assert!(shown.contains("where the 1300 cycles of a typical call go"));
    assert!(!shown.contains("where the 300 cycles of a typical call go"));
    assert!(shown.contains("commit decade (a commit of those that were measured)"));
}

/// The page of a document that is odd in some way, as text.
fn page_of(document: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let (_, file) = made(folder.path(), document);
    std::fs::read_to_string(file).unwrap()
}

#[test]
fn of_a_file_that_was_cut_short_what_is_whole_is_shown_and_the_page_says_that_it_ends_too_early() {
    let text = document().to_string();
    let half = text.find("\"rt-480B\"").unwrap();
    let page = page_of(&text[..half]);
    assert!(page.contains("the file ends too early"), "it is told");
    let (_, rest) = page.split_once("type=\"application/json\"").unwrap();
    let (data, _) = rest.split_once("</script>").unwrap();
    let (_, data) = data.split_once('>').unwrap();
    let data: Value = serde_json::from_str(data).unwrap();
    let whole = document()["results"].as_array().unwrap().clone();
    let shown = data["results"].as_array().unwrap();
    assert_eq!(shown[..], whole[..shown.len()]);
    assert_eq!(
        whole[shown.len()]["case"],
        "rt-480B",
        "all before it are there"
    );
}

#[test]
fn what_is_to_know_of_a_file_is_said_on_the_terminal_too_with_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("r.json");
    let said = |text: &str| {
        std::fs::write(&file, text).unwrap();
        let output = report(&file);
        assert!(output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    let whole = document().to_string();
    assert_eq!(said(&whole), "");
    let cut = said(&whole[..whole.find("\"rt-480B\"").unwrap()]);
    assert!(cut.contains("r.json: the file ends too early"), "{cut}");
    assert!(cut.contains("./riposte bench"), "{cut}");
    for (layout, of) in [(2, "a newer Riposte"), (0, "an older Riposte")] {
        let mut other = document();
        other["schema"] = json!(layout);
        let said = said(&other.to_string());
        assert!(
            said.contains(&format!("r.json: the file is of layout {layout}")),
            "{said}"
        );
        assert!(
            said.contains(of) && said.contains("./riposte bench"),
            "{said}"
        );
    }
}

#[test]
fn a_page_takes_the_place_of_no_figures() {
    let folder = tempfile::tempdir().unwrap();
    let [file, link] = ["r.html", "link.html"].map(|name| folder.path().join(name));
    std::fs::write(&file, document().to_string()).unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    for output in [&[][..], &["--output".into(), link]] {
        let mut tool = Command::new(env!("CARGO_BIN_EXE_riposte-host"));
        let said = tool.arg("report").arg(&file).args(output).output().unwrap();
        assert_eq!(said.status.code(), Some(1));
        let said = String::from_utf8(said.stderr).unwrap();
        assert!(
            said.contains("would take the place of its own figures"),
            "{said}"
        );
        assert_eq!(
            std::fs::read_to_string(&file).unwrap(),
            document().to_string()
        );
    }
}

#[test]
fn of_a_file_of_which_nothing_is_whole_no_page_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("r.json");
    std::fs::write(&file, "{\"checks\": [], \"commit\": \"c0f").unwrap();
    let output = report(&file);
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr).replace('\n', " ");
    assert!(
        said.contains("ends too early") && said.contains("./riposte bench"),
        "{said}"
    );
    assert!(!folder.path().join("r.html").exists());
}

#[test]
fn calls_that_were_cut_short_are_told_and_those_before_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let beside = folder.path().join("r.breakdowns.json");
    let one = breakdowns()[0].to_string();
    let shown = |text: &str| {
        std::fs::write(&beside, text).unwrap();
        let (_, file) = made(folder.path(), &document().to_string());
        std::fs::read_to_string(file).unwrap()
    };
    let page = shown(&format!("[{one}, {}", &one[..one.len() / 2]));
    assert!(page.contains("r.breakdowns.json ends too early: 1 of its calls are shown"));
    assert!(page.contains("scalar on vexriscv"));
    let page = shown("hello");
    assert!(page.contains("r.breakdowns.json has no calls that could be read"));
    assert!(!page.contains("scalar on vexriscv"));
}

#[test]
fn transfers_between_nodes_are_drawn_beside_the_published_ones_and_stand_in_a_table() {
    let folder = tempfile::tempdir().unwrap();
    let beside = folder.path().join("r.nodes.json");
    std::fs::write(&beside, transfers().to_string()).unwrap();
    let (_, file) = made(folder.path(), &document().to_string());
    let mut browser = Browser::open(folder.path());
    browser.screen(1200, 900);
    browser.show(&file);
    let answer = asked(&mut browser);
    let text = std::fs::read_to_string("../bench/qnx/reference.toml").unwrap();
    let reference: toml::Table = text.parse().unwrap();
    let network = reference["network"].as_array().unwrap().iter();
    let published: usize = network
        .map(|it| it["points"].as_array().unwrap().len())
        .sum();
    assert!(published > 20, "{published}");
    let charts = answer["charts"].as_array().unwrap().iter();
    let counts: Vec<(usize, usize)> = charts
        .filter(|it| {
            it["caption"]
                .as_str()
                .unwrap()
                .starts_with("Between two nodes")
        })
        .map(plots_its_figures)
        .collect();
    // In the one of bytes in a time a line says what the wire can, from its first to its last size.
    let both = [published, published + 2].map(|theirs| (6 + theirs, theirs));
    assert_eq!(counts, both);
    let tables = Table::all(&answer);
    let rows = &table(
        &tables,
        "Between two nodes, virt-rv32: a transfer",
        "are at work at one",
    )
    .rows;
    assert_eq!(rows.len(), 6);
    let wanted = [
        "messages", "32", "31336", "34443", "1.25", "116", "1089", "92.8", "1006", "9.3", "833",
    ];
    assert!(
        rows.contains(&wanted.map(str::to_owned).to_vec()),
        "{rows:?}"
    );
    let wanted = [
        "datagrams",
        "1",
        "18536",
        "18082",
        "1.25",
        "85",
        "623",
        "68",
        "562",
        "6.8",
        "",
    ];
    assert!(
        rows.contains(&wanted.map(str::to_owned).to_vec()),
        "{rows:?}"
    );
    // A browser has one kind of numbers.
    let numbers = |it: &Value| {
        let all = it.as_array().unwrap().iter();
        let all = all.map(|it| {
            let times = [
                "model_microseconds_10_megabits",
                "bytes_on_ethernet",
                "bytes",
            ];
            times.map(|name| it[name].as_f64().unwrap().round())
        });
        all.collect::<Vec<_>>()
    };
    let embedded = &answer["data"]["between_nodes"];
    assert_eq!(numbers(embedded), numbers(&transfers()));
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn transfers_that_cannot_be_read_are_told_and_the_others_are_shown() {
    let folder = tempfile::tempdir().unwrap();
    let beside = folder.path().join("r.nodes.json");
    let shown = |text: &str| {
        std::fs::write(&beside, text).unwrap();
        let (_, file) = made(folder.path(), &document().to_string());
        std::fs::read_to_string(file).unwrap()
    };
    let mut some = transfers();
    some[0]["frames"] = json!("one");
    some[1]["bytes"] = json!(0);
    let page = shown(&some.to_string());
    assert!(page.contains("of the transfers between nodes 2 cannot be read"));
    assert!(page.contains("Between two nodes, virt-rv32"));
    let whole = transfers().to_string();
    let page = shown(&whole[..whole.len() - 30]);
    assert!(page.contains("r.nodes.json ends too early: 5 of its transfers are shown"));
    let page = shown("hello");
    assert!(page.contains("r.nodes.json has no transfers that could be read"));
    assert!(!page.contains("Between two nodes, virt-rv32"));
}

#[test]
fn what_was_measured_in_another_memory_is_shown_as_such_and_what_has_no_place_is_told() {
    let mut document = document();
    let results = document["results"].as_array_mut().unwrap();
    let mut slow = entry("rexis", "send-reply-32B-joined", "ibex", 1723);
    slow["config"] = json!("protection on; RAM latency 8,5,7, two ports");
    let strangers = [
        ("rexis", "a-board-of-before"),
        ("a-suite-of-before", "ibex"),
    ];
    let strangers = strangers.map(|(suite, board)| entry(suite, "send-reply-32B", board, 4242));
    results.push(slow);
    results.extend(strangers);
    let page = page_of(&document.to_string());
    let caption = "<caption>ibex, RAM latency 8,5,7, two ports: cycles of an operation";
    let table = page.split(caption).nth(1).expect("a table of its own");
    let table = table.split("</table>").next().unwrap();
    assert!(table.contains("1723"));
    assert!(
        !table.contains("missed"),
        "it is wanted in the board's own memory: {table}"
    );
    assert!(
        page.contains("2 of its figures are of suites or boards that this checkout does not have")
    );
}

#[test]
fn an_older_file_is_shown_and_the_page_says_that_it_is_older() {
    let mut older = document();
    older["schema"] = json!(0);
    older.as_object_mut().unwrap().remove("tools");
    // Older files had less in their entries.
    for it in older["results"].as_array_mut().unwrap() {
        let it = it.as_object_mut().unwrap();
        it.retain(|name, _| {
            [
                "suite",
                "case",
                "board",
                "metric",
                "value",
                "protected",
                "config",
            ]
            .contains(&name.as_str())
        });
    }
    let page = page_of(&older.to_string());
    assert!(page.contains("of layout 0, made by an older Riposte"));
    assert!(page.contains(">604<"), "and the rest is there");
    older.as_object_mut().unwrap().remove("schema");
    assert!(page_of(&older.to_string()).contains("does not say of which layout it is"));
}

#[test]
fn a_newer_or_partial_file_is_shown_as_far_as_it_goes_and_says_so() {
    let mut newer = document();
    newer["schema"] = json!(2);
    newer["results"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "suite": "core" }));
    newer["checks"]
        .as_array_mut()
        .unwrap()
        .push(json!({ "stage": "bounds" }));
    let page = page_of(&newer.to_string());
    assert!(page.contains("of layout 2"), "its layout is told");
    assert!(
        page.contains("could not be read"),
        "what is missing is told"
    );
    assert!(
        page.contains("Of what the tests have counted, 1 stage could not be read"),
        "what is missing of the tests is told"
    );
    assert!(
        page.contains("not measured here") && page.contains("Not measured here: "),
        "headlines without a figure are told, and groups of such by their names"
    );
    assert!(page.contains(">604<"), "and the rest is there");
}
