//! The guard: exact figures that are kept in the tree, so that none grows unseen, and the book says the same as the
//! boards.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use miette::{IntoDiagnostic, WrapErr, miette};

use super::change::{Change, changes};
use super::functions::{Accounted, accounting};
use super::kept::{self, Kept, number, of_which};
use super::profiled::{AllCounted, key, profiled, whole_run};
use crate::bench::measure::Measurement;
use crate::bench::suite::{self, Suite};
use crate::explain;
use crate::lab::Lab;
use crate::progress;
use crate::results::Key;
use crate::toolchain::Toolchain;
use crate::whole;

/// The figures that are kept, below the root: of what each test measures.
pub const BASELINE: &str = "bench/baseline.toml";
/// And of what only the long form of the tests measures.
pub const ELSEWHERE: &str = "bench/elsewhere.toml";
/// What a figure may rise by, in percent, without being written anew.
const THRESHOLD: f64 = 1.0;
/// The table of the figures within one process.
const WITHIN: &str = "within";
/// Set, it makes the guard write the figures instead.
const WRITE: &str = "RIPOSTE_WRITE";
/// As many applications are profiled to name the functions of the figures that rose most.
const PROFILED: usize = 3;

/// What is kept.
#[derive(Debug, Default, PartialEq)]
struct Baseline {
    /// The compiler: another one makes other code.
    compiler: String,
    figures: BTreeMap<Key, f64>,
}

/// What was measured.
#[derive(Clone, Copy)]
pub struct Measured<'a> {
    /// The figures.
    pub figures: &'a [Measurement],
    /// There would be more, had not something failed.
    pub failed: bool,
}

/// Compares what was measured with the figures that are kept. Returns what is to be said of it.
///
/// # Errors
/// Every figure that rose or fell by more than the threshold, came or went, and which functions account for those that
/// rose most; with what to do.
pub fn guard(lab: &Lab, measured: Measured) -> miette::Result<()> {
    let suites = suite::all(lab)?;
    let is_to_write = std::env::var_os(WRITE).is_some();
    guard_in(lab, &lab.root, &suites, measured, is_to_write)
}

/// As [`guard`], with the files that are kept below `home`, and these suites.
///
/// # Errors
/// As [`guard`].
pub fn guard_in(
    lab: &Lab,
    home: &Path,
    suites: &[Suite],
    measured: Measured,
    is_to_write: bool,
) -> miette::Result<()> {
    let now = Baseline::now(lab, measured, is_to_write)?;
    let (figures, file) = (measured.figures, home.join(BASELINE));
    let profile = |wanted: &[&Measurement]| profiled(lab, suites, wanted);
    if is_to_write {
        let kept = Baseline::read(&file).unwrap_or_default();
        let functions = home.join(kept::FILE);
        let functions_of = renewed(&kept, Kept::read(&functions)?, &of_which(figures), profile)?;
        whole::write(&functions, functions_of.written()).into_diagnostic()?;
        whole::write(&file, now.written(BASELINE_IS)).into_diagnostic()?;
    }
    let (changed, wrong) = now.beside(&Baseline::read(&file)?, BASELINE);
    if wrong.is_empty() {
        return Ok(());
    }
    let rose = risen(&changed, &of_which(figures));
    let named = named(&rose, &Kept::read(&home.join(kept::FILE))?, profile);
    Err(miette!(
        help = format!(
            "if it is meant, write them anew in the same commit, and say why: {WRITE}=1 ./riposte test determinism"
        ),
        "{}{named}",
        wrong.join("\n"),
    ))
}

/// As [`guard`], of what only the long form of the tests measures; no functions are kept of that.
///
/// # Errors
/// Every figure that rose or fell by more than the threshold, came or went; with what to do.
pub fn elsewhere(lab: &Lab, measured: Measured) -> miette::Result<()> {
    let is_to_write = std::env::var_os(WRITE).is_some();
    elsewhere_in(lab, &lab.root, measured, is_to_write)
}

fn elsewhere_in(
    lab: &Lab,
    home: &Path,
    measured: Measured,
    is_to_write: bool,
) -> miette::Result<()> {
    let now = Baseline::now(lab, measured, is_to_write)?;
    let file = home.join(ELSEWHERE);
    if is_to_write {
        whole::write(&file, now.written(ELSEWHERE_IS)).into_diagnostic()?;
    }
    let (_, wrong) = now.beside(&Baseline::read(&file)?, ELSEWHERE);
    if wrong.is_empty() {
        return Ok(());
    }
    Err(miette!(
        help = format!(
            "`./riposte compare` names the functions; to write them anew: {WRITE}=1 ./riposte test --full determinism"
        ),
        "{}",
        wrong.join("\n"),
    ))
}

/// The figures that are kept.
///
/// # Errors
/// A baseline that cannot be read.
pub fn kept(lab: &Lab) -> miette::Result<BTreeMap<Key, f64>> {
    Ok(Baseline::read(&lab.root.join(BASELINE))?.figures)
}

/// What is to be kept of the functions of all that was measured. Only what is not as it was is profiled: applications of
/// which a figure moved at all, or of whose cases nothing is kept.
fn renewed(
    baseline: &Baseline,
    functions: Kept,
    measured: &[&Measurement],
    profile: impl Fn(&[&Measurement]) -> miette::Result<AllCounted>,
) -> miette::Result<Kept> {
    let is_known = |it: &Measurement| {
        let keys = [key(it), whole_run(it)];
        keys.iter().any(|key| functions.counted.contains_key(key))
    };
    let has_moved =
        |it: &&&Measurement| baseline.figures.get(&key(it)) != Some(&it.value) || !is_known(it);
    let place = |it: &Measurement| (it.application.clone(), it.board.clone());
    let moved = measured.iter().filter(has_moved).map(|it| place(it));
    let moved: BTreeSet<(String, String)> = moved.collect();
    let anew = measured.iter().copied();
    let anew = anew.filter(|it| moved.contains(&place(it)));
    let counted = profile(&anew.collect::<Vec<_>>())?;
    let there: BTreeSet<Key> = measured
        .iter()
        .flat_map(|it| [key(it), whole_run(it)])
        .collect();
    let mut kept = functions;
    kept.counted.retain(|key, _| there.contains(key));
    kept.renew(counted);
    Ok(kept)
}

/// Of the figures that rose, the one that rose most of each application, and of those the few that rose most.
fn risen<'a>(changed: &[Change], measured: &[&'a Measurement]) -> Vec<&'a Measurement> {
    let mut rose: Vec<&Measurement> = vec![];
    for change in changed.iter().filter(|it| it.percent() > THRESHOLD) {
        let Some(&it) = measured.iter().find(|it| key(it) == change.key) else {
            continue;
        };
        let same =
            |other: &&Measurement| other.application == it.application && other.board == it.board;
        if rose.len() < PROFILED && !rose.iter().any(same) {
            rose.push(it);
        }
    }
    rose
}

/// Which functions account for figures that rose, in words; nothing is profiled if none did.
fn named(
    rose: &[&Measurement],
    kept: &Kept,
    profile: impl FnOnce(&[&Measurement]) -> miette::Result<AllCounted>,
) -> String {
    if rose.is_empty() {
        return String::new();
    }
    let now = match profile(rose) {
        Ok(now) => now,
        Err(report) => {
            let why = explain::text(&report);
            return format!("\nwhich functions account for it is not known: {why}");
        }
    };
    let told = |it: &&Measurement| {
        let figure = key(it);
        let Some(now) = now.get(&figure) else {
            return format!("\n{figure}: it marks no loop, and its functions are not known");
        };
        let Some(before) = kept.counted.get(&now.of) else {
            return format!("\n{}: {} has none of its functions", now.of, kept::FILE);
        };
        let accounted = Accounted {
            figure: now.of.to_string(),
            metric: now.of.metric.clone(),
            moved: accounting(before, Kept::unknown(&now.of, &now.costs), &now.costs, true),
        };
        accounted.text("none, or too little to be kept")
    };
    rose.iter().map(told).collect()
}

/// The cases that the baseline has figures of, behind their suites: those that `profile` may be asked for.
///
/// # Errors
/// A baseline that cannot be read.
pub fn cases(lab: &Lab) -> miette::Result<Vec<String>> {
    let kept = Baseline::read(&lab.root.join(BASELINE))?;
    let named = |it: &Key| format!("{}/{}", it.suite, it.case);
    let cases: BTreeSet<String> = kept.figures.keys().map(named).collect();
    Ok(cases.into_iter().filter(|it| !it.contains(' ')).collect())
}

/// The cases of a suite that the baseline has figures of.
///
/// # Errors
/// A baseline that cannot be read.
pub fn cases_of(lab: &Lab, suite: &str) -> miette::Result<Vec<String>> {
    let kept = Baseline::read(&lab.root.join(BASELINE))?;
    let of_suite = kept.figures.into_keys().filter(|it| it.suite == suite);
    Ok(of_suite.map(|it| it.case).collect())
}

/// What is not as it is kept.
fn judge(changed: &[Change], kept: &BTreeMap<Key, f64>, now: &BTreeMap<Key, f64>) -> Vec<String> {
    let beyond = changed.iter().filter(|it| it.percent().abs() > THRESHOLD);
    let told = |it: &Change| {
        let [figure, before, after, change] = it.row().try_into().expect("four cells");
        format!("{figure}: {before}, now {after} ({change})")
    };
    let mut wrong: Vec<String> = beyond.map(told).collect();
    let gone = kept.keys().filter(|key| !now.contains_key(key));
    wrong.extend(gone.map(|key| format!("{key}: is measured no more")));
    let new = now.keys().filter(|key| !kept.contains_key(key));
    wrong.extend(new.map(|key| format!("{key}: is measured and not kept")));
    wrong
}

/// What the files say of themselves.
const BASELINE_IS: &str = "# Exact figures that no change moves by over 1 % unseen: ./riposte test determinism compares them.\n\
     # Written by RIPOSTE_WRITE=1 ./riposte test determinism; a commit that changes one says why.\n";
const ELSEWHERE_IS: &str = "# Exact figures of boards and suites that only ./riposte test --full determinism measures, and compares: for the book.\n\
     # Written by RIPOSTE_WRITE=1 ./riposte test --full determinism.\n";

impl Baseline {
    /// What was measured, which is all if it is to be written.
    fn now(lab: &Lab, measured: Measured, is_to_write: bool) -> miette::Result<Baseline> {
        if is_to_write && measured.failed {
            return Err(miette!(
                help = "mend first what is said above to have failed",
                "nothing is written: there would be fewer figures than there are"
            ));
        }
        let figures = measured.figures.iter().map(|it| (key(it), it.value));
        Ok(Baseline {
            compiler: Toolchain::find(&lab.root)?.version()?,
            figures: figures.collect(),
        })
    }

    /// What of it differs from what is kept in a file, and what is wrong with that; nothing if that is of another
    /// compiler, which is said.
    fn beside(&self, kept: &Baseline, file: &str) -> (Vec<Change>, Vec<String>) {
        if kept.compiler != self.compiler {
            progress::complain(&format!(
                "riposte: {file} is of {}, and this is {}: figures are not compared",
                kept.compiler, self.compiler
            ));
            return (vec![], vec![]);
        }
        let (changed, _) = changes(&kept.figures, &self.figures);
        let wrong = judge(&changed, &kept.figures, &self.figures);
        (changed, wrong)
    }

    /// The file, which begins with what it is: for each suite and board a table, in which each case has its figure;
    /// `within` has those within one process. Where a suite measures in several memories, each has a table in that one.
    fn written(&self, what: &str) -> String {
        let mut text = String::from(what);
        text += &format!("compiler = {:?}\n", self.compiler);
        let row = |(key, value): (&Key, &f64)| {
            let mut table = format!("figures.{}.{}.{}", key.suite, key.board, key.metric);
            if !key.memory.is_empty() {
                table += &format!(".{:?}", key.memory);
            }
            if !key.protected {
                table += &format!(".{WITHIN}");
            }
            (table, key.case.clone(), value.to_string())
        };
        text += &kept::tables(self.figures.iter().map(row).collect());
        text
    }

    /// Reads the file again.
    fn read(file: &Path) -> miette::Result<Baseline> {
        let text = std::fs::read_to_string(file).map_err(|error| {
            miette!(
                help = format!("write it: {WRITE}=1 ./riposte test determinism"),
                "cannot read {}: {error}",
                file.display()
            )
        })?;
        let document: toml::Table = text
            .parse()
            .into_diagnostic()
            .wrap_err_with(|| format!("{} is wrong", file.display()))?;
        let compiler = document.get("compiler").and_then(toml::Value::as_str);
        let mut baseline = Baseline {
            compiler: compiler.unwrap_or_default().into(),
            figures: BTreeMap::new(),
        };
        for (suite, boards) in table(&document, "figures") {
            for (board, metrics) in boards.as_table().into_iter().flatten() {
                for (metric, cases) in metrics.as_table().into_iter().flatten() {
                    let cases = cases.as_table().cloned().unwrap_or_default();
                    let key = Key {
                        suite: suite.clone(),
                        board: board.clone(),
                        metric: metric.clone(),
                        ..Key::default()
                    };
                    baseline.keep(&key, &cases);
                    for (memory, cases) in &cases {
                        if let (true, Some(cases)) = (memory != WITHIN, cases.as_table()) {
                            let memory = memory.clone();
                            let key = Key {
                                memory,
                                ..key.clone()
                            };
                            baseline.keep(&key, cases);
                        }
                    }
                }
            }
        }
        Ok(baseline)
    }

    /// Keeps the figures of cases whose key is else this one, and of those within one process.
    fn keep(&mut self, key: &Key, cases: &toml::Table) {
        let across = cases.iter().map(|it| (true, it));
        let within = table(cases, WITHIN).map(|it| (false, it));
        for (protected, (case, value)) in across.chain(within) {
            if let Some(value) = number(value) {
                let case = case.clone();
                let key = Key {
                    case,
                    protected,
                    ..key.clone()
                };
                self.figures.insert(key, value);
            }
        }
    }
}

/// What a table has in the table of this name.
fn table<'a>(
    document: &'a toml::Table,
    name: &str,
) -> impl Iterator<Item = (&'a String, &'a toml::Value)> {
    let table = document.get(name).and_then(toml::Value::as_table);
    table.into_iter().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::Unit;
    use crate::bench::profile::Costs;
    use crate::compare::profiled::Counted;

    fn figures(values: &[(&str, bool, f64)]) -> BTreeMap<Key, f64> {
        let key = |case: &str, protected| Key {
            suite: "core".into(),
            case: case.into(),
            board: "virt-rv32".into(),
            protected,
            metric: "instructions".into(),
            ..Key::default()
        };
        values
            .iter()
            .map(|(case, protected, value)| (key(case, *protected), *value))
            .collect()
    }

    #[test]
    fn nothing_is_written_of_what_failed_in_part() {
        let lab = Lab::open().unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("bench")).unwrap();
        let file = folder.path().join(BASELINE);
        std::fs::write(&file, "old").unwrap();
        let measured = Measured {
            figures: &[],
            failed: true,
        };
        let refused = guard_in(&lab, folder.path(), &[], measured, true).unwrap_err();
        assert!(
            refused.to_string().contains("nothing is written"),
            "{refused}"
        );
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "old");
    }

    #[test]
    fn what_is_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("baseline.toml");
        let all = Baseline {
            compiler: "rustc 1".into(),
            figures: figures(&[
                ("rt-1w", true, 180.0),
                ("rt-1w", false, 150.5),
                ("longest: clock, always", true, 7.0),
            ]),
        };
        std::fs::write(&file, all.written(BASELINE_IS)).unwrap();
        assert_eq!(Baseline::read(&file).unwrap(), all);
    }

    #[test]
    fn a_figure_is_kept_and_compared_in_each_memory_that_its_suite_measures_in() {
        let lab = Lab::open().unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("bench")).unwrap();
        let guard = |block: f64, slow: f64, is_to_write| {
            let in_memory = |name: &str, value| Measurement {
                unit: Unit::Cycles {
                    memory: format!("{name}: RAM latency 2,1,2, two ports"),
                },
                ..measured("xous", "scalar", value)
            };
            let figures = &[in_memory("block RAM", block), in_memory("slow SRAM", slow)];
            let failed = false;
            let measured = Measured { figures, failed };
            elsewhere_in(&lab, folder.path(), measured, is_to_write).map_err(|it| it.to_string())
        };
        assert_eq!(guard(400.0, 500.0, true), Ok(()));
        assert_eq!(guard(400.0, 500.0, false), Ok(()));
        for (block, slow, place) in [(440.0, 500.0, "block RAM"), (400.0, 550.0, "slow SRAM")] {
            let slower = guard(block, slow, false).unwrap_err();
            assert!(slower.contains(&format!("({place})")), "{slower}");
            assert_eq!(slower.lines().count(), 1, "{slower}");
        }
    }

    #[test]
    fn what_grew_or_shrank_or_came_or_went_is_told_and_a_percent_is_not() {
        let kept = figures(&[
            ("a", true, 100.0),
            ("b", true, 1000.0),
            ("c", true, 100.0),
            ("d", true, 1.0),
        ]);
        let now = figures(&[
            ("a", true, 102.0),
            ("b", true, 1009.0),
            ("c", true, 90.0),
            ("e", true, 1.0),
        ]);
        let (changed, _) = changes(&kept, &now);
        let wrong = judge(&changed, &kept, &now);
        assert_eq!(
            wrong,
            [
                "core/c on virt-rv32: 100, now 90 instructions (-10.0 %)",
                "core/a on virt-rv32: 100, now 102 instructions (+2.0 %)",
                "core/d on virt-rv32: is measured no more",
                "core/e on virt-rv32: is measured and not kept",
            ]
        );
        assert!(judge(&[], &kept, &kept).is_empty());
    }

    #[test]
    fn what_only_the_long_form_measures_is_kept_and_compared_in_a_file_of_its_own() {
        let lab = Lab::open().unwrap();
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("bench")).unwrap();
        let guard = |value: f64, is_to_write| {
            let figures = &[measured("core", "rt-1w", value)];
            let failed = false;
            let measured = Measured { figures, failed };
            elsewhere_in(&lab, folder.path(), measured, is_to_write).map_err(|it| it.to_string())
        };
        assert!(guard(100.0, false).is_err_and(|it| it.contains(ELSEWHERE)));
        assert_eq!(guard(100.0, true), Ok(()));
        assert_eq!(guard(100.5, false), Ok(()));
        let slower = guard(102.0, false).unwrap_err();
        assert!(slower.contains("core/rt-1w") && slower.contains("now 102"));
        assert!(!folder.path().join(BASELINE).exists());
    }

    /// A measurement of an application of the suite `core`.
    fn measured(application: &str, case: &str, value: f64) -> Measurement {
        Measurement {
            application: application.into(),
            ..crate::bench::measurement(case, true, value)
        }
    }

    fn costs(all: &[(&str, f64)]) -> Costs {
        all.iter().map(|(name, it)| ((*name).into(), *it)).collect()
    }

    fn counted(of: &Measurement, costs: Costs) -> (Key, Counted) {
        let of = key(of);
        (of.clone(), Counted { of, costs })
    }

    #[test]
    fn only_the_one_that_rose_most_of_each_of_three_applications_is_profiled() {
        let now: Vec<Measurement> = (0..40)
            .map(|it| {
                let application = format!("application-{}", it % 4);
                let rise = f64::from(it % 20) * 5.0;
                measured(&application, &format!("case-{it}"), 1000.0 + rise)
            })
            .collect();
        let kept = now.iter().map(|it| (key(it), 1000.0)).collect();
        let now_figures = now.iter().map(|it| (key(it), it.value)).collect();
        let (changed, _) = changes(&kept, &now_figures);
        let now: Vec<&Measurement> = now.iter().collect();
        let rose: Vec<&str> = risen(&changed, &now)
            .into_iter()
            .map(|it| &*it.sample.case)
            .collect();
        assert_eq!(rose, ["case-19", "case-18", "case-17"]);

        let fell: BTreeMap<Key, f64> = kept.keys().map(|key| (key.clone(), 900.0)).collect();
        let (changed, _) = changes(&kept, &fell);
        assert!(!changed.is_empty() && risen(&changed, &now).is_empty());
        let never = |_: &[&Measurement]| panic!("nothing rose");
        assert_eq!(named(&[], &Kept::default(), never), "");
    }

    #[test]
    fn the_functions_that_take_more_are_named_the_most_first_and_what_is_not_known_is_told() {
        let (one, other, third) = (
            measured("core", "rt-1w", 130.0),
            measured("sync", "proxy", 340.0),
            measured("pin", "pulse", 9.0),
        );
        let mut kept = Kept::default();
        let before = costs(&[
            ("kernel: send", 60.0),
            ("client: main", 61.0),
            ("kernel: rare", 0.5),
        ]);
        kept.renew(AllCounted::from([counted(&one, before)]));
        let after = costs(&[
            ("kernel: send", 64.0),
            ("client: main", 61.0),
            ("kernel: copy", 5.0),
        ]);
        let profile = |wanted: &[&Measurement]| {
            assert_eq!(wanted.len(), 3);
            Ok(AllCounted::from([
                counted(&one, after),
                counted(&other, costs(&[("kernel: proxy", 340.0)])),
            ]))
        };
        assert_eq!(
            named(&[&one, &other, &third], &kept, profile),
            "\ncore/rt-1w on mps2-an386, by function, in instructions:\n  kernel: send: 60, now 64\n  \
             kernel: copy: none, or too little to be kept, now 5\
             \ncore/proxy on mps2-an386: bench/functions.toml has none of its functions\
             \ncore/pulse on mps2-an386: it marks no loop, and its functions are not known"
        );
        let failed = |_: &[&Measurement]| Err(miette!("no emulator"));
        assert_eq!(
            named(&[&one], &kept, failed),
            "\nwhich functions account for it is not known: riposte: no emulator"
        );
    }

    #[test]
    fn what_is_written_anew_profiles_the_applications_of_which_a_figure_moved_and_forgets_what_is_gone()
     {
        let (same, moved, beside) = (
            measured("core", "a", 10.0),
            measured("sync", "b", 20.0),
            measured("sync", "c", 30.0),
        );
        let gone = measured("core", "gone", 1.0);
        let mut kept = Kept::default();
        let one = || costs(&[("kernel: x", 1.0)]);
        let all = [&same, &moved, &beside, &gone].map(|it| counted(it, one()));
        kept.renew(AllCounted::from(all));
        let mut baseline = Baseline::default();
        for (it, value) in [(&same, 10.0), (&moved, 19.0), (&beside, 30.0)] {
            baseline.figures.insert(key(it), value);
        }
        let now = [&same, &moved, &beside];
        let profile = |wanted: &[&Measurement]| {
            let cases: Vec<&str> = wanted.iter().map(|it| &*it.sample.case).collect();
            assert_eq!(cases, ["b", "c"]);
            Ok(AllCounted::from([counted(
                wanted[0],
                costs(&[("kernel: y", 2.0)]),
            )]))
        };
        let kept = renewed(&baseline, kept, &now, profile).unwrap();
        assert_eq!(
            kept.counted.len(),
            3,
            "what is measured no more is forgotten"
        );
        assert_eq!(kept.counted[&key(&moved)], costs(&[("kernel: y", 2.0)]));
        assert_eq!(kept.counted[&key(&same)], one());
    }
}
