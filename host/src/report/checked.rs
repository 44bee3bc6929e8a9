//! What the page says of the tests: how many states the explorer has seen, how many calls the fuzzer has compared, which
//! figures came twice with the same digits, and what bounds hold.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use super::page::{Picture, Table};
use super::section;
use crate::bench;
use crate::checks::{self, Counted, Stage};
use crate::compare;
use crate::lab::Lab;
use crate::results::{Key, Results};

/// The bounds that are kept, by board and application.
const BOUNDS: &str = "tests/bounds.toml";

/// What the page shows of the tests.
#[derive(Serialize)]
pub struct Checked {
    /// What was counted, in one line each.
    sentences: Vec<Sentence>,
    /// What has not been run, and how to run it.
    missing: Vec<String>,
    /// What operations cost in larger systems, as it is kept.
    pictures: Vec<Picture>,
    /// Each thing that was counted.
    tables: Vec<Table>,
}

/// What a stage has counted.
#[derive(Serialize)]
struct Sentence {
    /// The stage, and what it is for.
    title: String,
    /// What it came to.
    text: String,
    /// Of which commit, when, and how much of it was tested.
    when: String,
    /// Whether any of its tests failed.
    failed: bool,
}

/// A stage that the page tells of.
struct Told {
    stage: &'static str,
    /// The name that `./riposte test` knows it by.
    asked: &'static str,
    title: &'static str,
    text: fn(&Stage) -> Option<String>,
}

const TOLD: [Told; 4] = [
    Told {
        stage: "host tests",
        asked: "host",
        title: "Explorer: every interleaving of small systems on the kernel as it ships",
        text: explorer,
    },
    Told {
        stage: "fuzzer",
        asked: "fuzzer",
        title: "Fuzzer: random programs on the boards, each call compared with a naive model",
        text: fuzzer,
    },
    Told {
        stage: "determinism",
        asked: "determinism",
        title: "Determinism: suites measured twice, compared to the digit",
        text: determinism,
    },
    Told {
        stage: "bounds",
        asked: "bounds",
        title: "Bounds: the most that passes in the kernel between two looks for interrupts",
        text: bounds,
    },
];

/// What is told of the tests: those that the result file took along, else those of this checkout.
pub fn checked(lab: &Lab, results: &Results) -> Checked {
    let (stages, unread) = match results.document.get("checks") {
        Some(taken) => checks::read(taken),
        None => (checks::of(&lab.root), 0),
    };
    let others = results.others.iter();
    let others = others.filter_map(|it| it["commit"].as_str());
    let measured: Vec<&str> = others.chain([results.commit.as_str()]).collect();
    let mut checked = of(&stages, &measured);
    if unread > 0 {
        let stages = many(unread, "stage");
        let missing = format!("Of what the tests have counted, {stages} could not be read.");
        checked.missing.push(missing);
    }
    // Where larger systems were measured, their own section shows them.
    let measured = results.entries.iter();
    let mut measured = measured.filter_map(|it| bench::growing(&it.case));
    if let (None, Ok(kept)) = (measured.next(), compare::kept(lab)) {
        checked.pictures = growth(&kept);
    }
    let text = std::fs::read_to_string(lab.root.join(BOUNDS));
    let kept = text.ok().and_then(|text| toml::from_str(&text).ok());
    checked
        .tables
        .extend(kept.and_then(|it| held(&it, &stages)));
    checked
}

fn of(stages: &[Stage], measured: &[&str]) -> Checked {
    let mut checked = Checked {
        sentences: vec![],
        missing: vec![],
        pictures: vec![],
        tables: vec![],
    };
    for told in &TOLD {
        let stage = stages.iter().find(|it| it.stage == told.stage);
        let text = stage.and_then(|it| (told.text)(it));
        let (Some(stage), Some(text)) = (stage, text) else {
            let name = told.title.split_once(':').map_or(told.title, |it| it.0);
            let asked = told.asked;
            checked.missing.push(format!(
                "{name}: nothing was counted; ./riposte test {asked} does"
            ));
            continue;
        };
        checked.sentences.push(Sentence {
            title: told.title.into(),
            text,
            when: when(stage, measured),
            failed: stage.failed > 0,
        });
        checked.tables.push(table(stage));
    }
    if stages.is_empty() {
        checked.missing = vec![
            "No test has been run here: ./riposte test counts, and leaves it for this page.".into(),
        ];
    }
    checked
}

/// Of which commit it was, and whether that is one whose figures the page shows.
fn when(stage: &Stage, measured: &[&str]) -> String {
    let Stage {
        commit,
        date,
        depth,
        passed,
        failed,
        ..
    } = stage;
    let same = match (measured.contains(&commit.as_str()), measured.len()) {
        (true, 1) => "the commit that was measured",
        (true, _) => "a commit of those that were measured",
        (false, _) => "another commit than was measured",
    };
    let commit: String = commit.chars().take(10).collect::<String>()
        + commit.find('-').map_or("", |at| &commit[at..]);
    format!(
        "{date}, commit {commit} ({same}), depth {depth}: {passed} tests passed, {failed} failed"
    )
}

fn sum(counted: &[Counted], what: &str) -> u64 {
    let counts = counted.iter().filter_map(|it| it.of(what));
    counts.fold(0, u64::saturating_add)
}

fn explorer(stage: &Stage) -> Option<String> {
    let counted = &stage.counted;
    let complete = counted.iter().filter(|it| it.of("complete") == Some(1));
    (sum(counted, "states") > 0).then(|| {
        format!(
            "{} states and {} transitions of {}, {} of them to the end",
            thousands(sum(counted, "states")),
            thousands(sum(counted, "transitions")),
            many(counted.len(), "system"),
            complete.count()
        )
    })
}

fn fuzzer(stage: &Stage) -> Option<String> {
    let counted = &stage.counted;
    (!counted.is_empty()).then(|| {
        let (calls, rounds) = (sum(counted, "calls"), sum(counted, "rounds"));
        let differs = counted.iter().filter(|it| it.failed).count();
        let verdict = match differs {
            0 => "each as the model says".into(),
            number => format!("the model differs on {}", many(number, "board")),
        };
        format!(
            "{} calls in {} rounds on {}, {verdict}",
            thousands(calls),
            thousands(rounds),
            many(counted.len(), "board")
        )
    })
}

fn determinism(stage: &Stage) -> Option<String> {
    let twice: Vec<&Counted> = stage
        .counted
        .iter()
        .filter(|it| it.of("figures").is_some())
        .collect();
    (!twice.is_empty()).then(|| {
        let same = twice.iter().filter(|it| !it.failed);
        let figures = same.clone().filter_map(|it| it.of("figures"));
        format!(
            "{} figures came twice with the same digits; so did {} of {} suites on their boards as a whole",
            thousands(figures.fold(0, u64::saturating_add)),
            same.count(),
            twice.len()
        )
    })
}

fn bounds(stage: &Stage) -> Option<String> {
    let counted = &stage.counted;
    (!counted.is_empty()).then(|| {
        let held = counted.iter().filter(|it| !it.failed).count();
        format!(
            "{held} of {} are as {BOUNDS} keeps them, within 2 %",
            counted.len()
        )
    })
}

/// Everything that a stage has counted.
fn table(stage: &Stage) -> Table {
    let mut names: Vec<&String> = stage
        .counted
        .iter()
        .flat_map(|it| it.counts.keys())
        .collect();
    names.sort();
    names.dedup();
    let head = ["test".to_owned()].into_iter();
    let head = head.chain(names.iter().map(|it| (*it).clone()));
    let row = |it: &Counted| {
        let name = match it.failed {
            true => format!("FAILED: {}", it.name),
            false => it.name.clone(),
        };
        let counts = names
            .iter()
            .map(|what| it.of(what).map_or_else(String::new, |it| it.to_string()));
        std::iter::once(name).chain(counts).collect()
    };
    Table {
        caption: format!("{}: what its tests have counted", stage.stage),
        head: head.collect(),
        rows: stage.counted.iter().map(row).collect(),
    }
}

/// The bounds that are kept, beside what was measured last.
fn held(kept: &BTreeMap<String, BTreeMap<String, u64>>, stages: &[Stage]) -> Option<Table> {
    let counted = stages.iter().filter(|it| it.stage == "bounds");
    let counted: Vec<&Counted> = counted.flat_map(|it| &it.counted).collect();
    let rows = kept.iter().flat_map(|(board, applications)| {
        let counted = &counted;
        applications.iter().map(move |(application, most)| {
            let start = format!("{application} on {board}: ");
            let measured = counted.iter().find(|it| it.name.starts_with(&start));
            let measured = measured.and_then(|it| it.of("longest"));
            vec![
                board.clone(),
                application.clone(),
                most.to_string(),
                measured.map_or_else(|| "not measured here".into(), |it| it.to_string()),
            ]
        })
    });
    let rows: Vec<Vec<String>> = rows.collect();
    let head = [
        "board",
        "system",
        "kept (instructions; on ibex, cycles)",
        "measured",
    ];
    (!rows.is_empty()).then(|| Table {
        caption: "bounds: the most that passes in the kernel between two looks for interrupts"
            .into(),
        head: head.map(Into::into).into(),
        rows,
    })
}

/// What operations between processes cost in larger and larger systems, on each board of which it is kept.
fn growth(kept: &BTreeMap<Key, f64>) -> Vec<Picture> {
    let mut places: Vec<(&str, &str)> = kept
        .keys()
        .filter(|it| bench::growing(&it.case).is_some())
        .map(|it| (it.board.as_str(), it.metric.as_str()))
        .collect();
    places.sort_unstable();
    places.dedup();
    let picture = |(board, unit): (&str, &str)| {
        let caption = format!(
            "{board}: {unit} of an operation in larger and larger systems, as bench/baseline.toml keeps them and \
             ./riposte test determinism holds them. Flat is good."
        );
        let here = kept
            .iter()
            .filter(|(key, _)| key.board == board && key.metric == unit);
        // Within one process only what is not measured between two.
        let between = |key: &Key| Key {
            protected: true,
            ..key.clone()
        };
        let told = here.filter(|(key, _)| key.protected || !kept.contains_key(&between(key)));
        let costs = told.map(|(key, value)| (key.case.as_str(), *value));
        section::larger_systems(&caption, unit, costs)
    };
    places.into_iter().filter_map(picture).collect()
}

/// So many of something.
fn many(number: usize, of: &str) -> String {
    match number {
        1 => format!("1 {of}"),
        _ => format!("{number} {of}s"),
    }
}

/// A number with a comma before each three digits.
fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The checks that a page embeds with its figures.
pub fn data(lab: &Lab, results: &Results) -> Value {
    match results.document.get("checks") {
        Some(taken) => taken.clone(),
        None => serde_json::json!(checks::of(&lab.root)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counted(name: &str, counts: &[(&str, u64)]) -> Counted {
        Counted {
            name: name.into(),
            failed: false,
            counts: counts
                .iter()
                .map(|(what, n)| ((*what).into(), *n))
                .collect(),
        }
    }

    fn stage(name: &str, counted: Vec<Counted>) -> Stage {
        Stage {
            stage: name.into(),
            commit: "c0ffee0123456789-dirty".into(),
            date: "today".into(),
            depth: "normal".into(),
            passed: 2,
            failed: 0,
            counted,
        }
    }

    #[test]
    fn sums_are_told_with_the_commit_and_what_has_not_run_is_named() {
        let host = vec![
            counted(
                "pool",
                &[("states", 1_000), ("transitions", 5), ("complete", 0)],
            ),
            counted(
                "chain",
                &[("states", 234_567), ("transitions", 6), ("complete", 1)],
            ),
        ];
        let stages = [stage("host tests", host)];
        let checked = of(&stages, &["c0ffee0123456789-dirty"]);
        assert_eq!(
            checked.sentences[0].text,
            "235,567 states and 11 transitions of 2 systems, 1 of them to the end"
        );
        assert!(
            checked.sentences[0]
                .when
                .contains("commit c0ffee0123-dirty (the commit that was measured)")
        );
        assert_eq!(checked.missing.len(), 3);
        assert!(checked.missing[0].contains("./riposte test fuzzer"));
        assert!(
            of(&stages, &["other"]).sentences[0]
                .when
                .contains("another commit")
        );
    }

    #[test]
    fn without_tests_the_page_says_so_in_one_line() {
        let checked = of(&[], &["c0ffee"]);
        assert_eq!(checked.missing.len(), 1);
        assert!(checked.missing[0].starts_with("No test has been run"));
    }

    #[test]
    fn what_failed_is_never_told_as_the_same() {
        let mut other = counted("suite qnx on a twice", &[("figures", 9), ("runs", 2)]);
        other.failed = true;
        let core = counted("suite core on a twice", &[("figures", 7), ("runs", 2)]);
        let mut stages = [stage("determinism", vec![core, other])];
        stages[0].failed = 1;
        let checked = of(&stages, &["c0ffee"]);
        let sentence = &checked.sentences[0];
        assert!(
            sentence.failed && sentence.text.starts_with("7 figures"),
            "{}",
            sentence.text
        );
        assert!(sentence.text.contains("1 of 2 suites"));
        assert!(checked.tables[0].rows[1][0].starts_with("FAILED"));
    }

    #[test]
    fn a_bound_stands_beside_what_was_measured_of_the_same_system() {
        let kept = [("a/b", 10), ("a/b2", 20), ("a/c", 30)].map(|(name, most)| (name.into(), most));
        let kept = BTreeMap::from([("ibex".into(), BTreeMap::from(kept))]);
        // One name begins as another does.
        let measured = [
            ("a/b2 on ibex: 21 cycles", 21),
            ("a/b on ibex: 11 cycles", 11),
        ];
        let measured = measured.map(|(name, longest)| counted(name, &[("longest", longest)]));
        let table = held(&kept, &[stage("bounds", measured.into())]).unwrap();
        let rows: Vec<&[String]> = table.rows.iter().map(|row| &row[2..]).collect();
        assert_eq!(
            rows,
            [["10", "11"], ["20", "21"], ["30", "not measured here"]]
        );
    }

    #[test]
    fn growth_is_drawn_of_what_is_kept() {
        let key = |case: &str| Key {
            case: case.into(),
            board: "a".into(),
            metric: "instructions".into(),
            ..Key::default()
        };
        let cases = [
            "yield@2-threads",
            "yield@64-threads",
            "yield@256-threads",
            "yield",
        ];
        let kept = cases.map(|case| (key(case), 49.0)).into();
        let [picture] = growth(&kept).try_into().ok().unwrap();
        assert_eq!(picture.table.rows.len(), 3);
        assert!(picture.caption.contains("bench/baseline.toml"));
        assert!(growth(&BTreeMap::new()).is_empty());
    }

    #[test]
    fn large_numbers_have_commas() {
        assert_eq!(
            [0, 999, 1_000, 1_234_567].map(thousands),
            ["0", "999", "1,000", "1,234,567"]
        );
    }
}
