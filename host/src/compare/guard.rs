//! The guard: exact figures that are kept in the tree, so that none grows unseen.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use miette::{IntoDiagnostic, WrapErr, miette};

use super::change::{Change, changes};
use super::functions;
use crate::bench::measure::Measurement;
use crate::lab::Lab;
use crate::results::Key;
use crate::toolchain::Toolchain;
use crate::{progress, symbols};

/// The figures that are kept, below the root.
pub const BASELINE: &str = "bench/baseline.toml";
/// What a figure may rise by, in percent, without being written anew.
const THRESHOLD: f64 = 1.0;
/// Set, it makes the guard write the figures instead.
const WRITE: &str = "RIPOSTE_WRITE";
/// The kernel whose functions are told when a figure grew: the one that most figures are of.
const KERNEL: [&str; 2] = ["bench/core", "mps2-an386"];
/// What is kept.
#[derive(Debug, Default, PartialEq)]
struct Baseline {
    /// The compiler: another one makes other code.
    compiler: String,
    figures: BTreeMap<Key, f64>,
    /// Bytes of code of the kernel's functions.
    functions: BTreeMap<String, u64>,
}

/// Compares what was measured with the figures that are kept. Returns what is to be said of it.
///
/// # Errors
/// Every figure that rose or fell by more than the threshold, came or went, and which functions grew; with what to
/// do.
pub fn guard(lab: &Lab, measured: &[Measurement]) -> miette::Result<()> {
    let now = Baseline {
        compiler: Toolchain::find(&lab.root)?.version()?,
        figures: measured.iter().map(figure).collect(),
        functions: of_kernel(lab)?,
    };
    let file = lab.root.join(BASELINE);
    if std::env::var_os(WRITE).is_some() {
        std::fs::write(&file, now.written()).into_diagnostic()?;
    }
    let kept = Baseline::read(&file)?;
    if kept.compiler != now.compiler {
        progress::complain(&format!(
            "riposte: {BASELINE} is of {}, and this is {}: figures are not compared",
            kept.compiler, now.compiler
        ));
        return Ok(());
    }
    let wrong = judge(&kept.figures, &now.figures);
    if wrong.is_empty() {
        return Ok(());
    }
    let grown = grown(&kept.functions, &now.functions);
    Err(miette!(
        help = format!(
            "if it is meant, write them anew in the same commit, and say why: {WRITE}=1 ./riposte test determinism"
        ),
        "{}{}",
        wrong.join("\n"),
        grown
    ))
}

/// The figures that are kept.
///
/// # Errors
/// A baseline that cannot be read.
pub fn kept(lab: &Lab) -> miette::Result<BTreeMap<Key, f64>> {
    Ok(Baseline::read(&lab.root.join(BASELINE))?.figures)
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

fn figure(measured: &Measurement) -> (Key, f64) {
    let key = Key {
        suite: measured.suite.clone(),
        case: measured.sample.case.clone(),
        board: measured.board.clone(),
        protected: measured.sample.protected,
        metric: measured.unit.name().into(),
        ..Key::default()
    };
    (key, measured.value)
}

/// The functions of the kernel that most figures are of, and their code in bytes.
fn of_kernel(lab: &Lab) -> miette::Result<BTreeMap<String, u64>> {
    let [application, board] = KERNEL;
    let application = lab.application(application)?;
    let image = lab.build(&application, lab.board(board)?)?;
    symbols::functions(&image.kernel.file)
}

/// Which functions are larger than they were, the one that grew most first.
fn grown(kept: &BTreeMap<String, u64>, now: &BTreeMap<String, u64>) -> String {
    let moved = functions::moved(kept, now);
    let lines = functions::lines(moved.iter().filter(|it| it.after > it.before));
    match lines.is_empty() {
        true => String::new(),
        false => format!("\nof the kernel's functions there grew:{lines}"),
    }
}

/// What is not as it is kept.
fn judge(kept: &BTreeMap<Key, f64>, now: &BTreeMap<Key, f64>) -> Vec<String> {
    let (changed, _) = changes(kept, now);
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

impl Baseline {
    /// The file: for each suite and board a table, in which each case has its figure; `within` has those within one
    /// process.
    fn written(&self) -> String {
        let mut text = String::from(
            "# Exact figures that no change moves by over 1 % unseen: ./riposte test determinism compares them.\n\
             # Written by RIPOSTE_WRITE=1 ./riposte test determinism; a commit that changes one says why.\n",
        );
        text += &format!("compiler = {:?}\n", self.compiler);
        let row = |(key, value): (&Key, &f64)| {
            let place = if key.protected { "" } else { ".within" };
            let table = format!("figures.{}.{}.{}{place}", key.suite, key.board, key.metric);
            (table, key.case.clone(), value.to_string())
        };
        let mut rows: Vec<(String, String, String)> = self.figures.iter().map(row).collect();
        let function = |(name, bytes): (&String, &u64)| {
            ("functions".to_owned(), name.clone(), bytes.to_string())
        };
        rows.extend(self.functions.iter().map(function));
        rows.sort();
        let mut table = String::new();
        for (heading, name, value) in rows {
            if heading != table {
                text += &format!("\n[{heading}]\n");
                table = heading;
            }
            text += &format!("{name:?} = {value}\n");
        }
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
        let functions = table(&document, "functions");
        let functions = functions.filter_map(|(name, bytes)| {
            Some((name.clone(), u64::try_from(bytes.as_integer()?).ok()?))
        });
        let mut baseline = Baseline {
            compiler: compiler.unwrap_or_default().into(),
            functions: functions.collect(),
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
                        protected: true,
                        ..Key::default()
                    };
                    baseline.keep(&key, cases.iter());
                    let within = Key {
                        protected: false,
                        ..key
                    };
                    baseline.keep(&within, table(&cases, "within"));
                }
            }
        }
        Ok(baseline)
    }

    /// Keeps the figures of cases whose key is else this one.
    fn keep<'a>(&mut self, key: &Key, cases: impl Iterator<Item = (&'a String, &'a toml::Value)>) {
        for (case, value) in cases {
            #[allow(clippy::cast_precision_loss, reason = "figures are far below 2^53")]
            let whole = value.as_integer().map(|it| it as f64);
            if let Some(value) = value.as_float().or(whole) {
                let case = case.clone();
                self.figures.insert(
                    Key {
                        case,
                        ..key.clone()
                    },
                    value,
                );
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
            functions: BTreeMap::from([("kernel::<impl A>::send".to_owned(), 20)]),
        };
        std::fs::write(&file, all.written()).unwrap();
        assert_eq!(Baseline::read(&file).unwrap(), all);
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
        let wrong = judge(&kept, &now);
        assert_eq!(
            wrong,
            [
                "core/c on virt-rv32: 100, now 90 instructions (-10.0 %)",
                "core/a on virt-rv32: 100, now 102 instructions (+2.0 %)",
                "core/d on virt-rv32: is measured no more",
                "core/e on virt-rv32: is measured and not kept",
            ]
        );
        assert!(judge(&kept, &kept).is_empty());
    }

    #[test]
    fn the_functions_that_grew_are_named_the_most_first() {
        let sizes = |of: &[(&str, u64)]| -> BTreeMap<String, u64> {
            of.iter()
                .map(|(name, bytes)| ((*name).to_owned(), *bytes))
                .collect()
        };
        let text = grown(
            &sizes(&[("send", 100), ("reply", 50), ("same", 9)]),
            &sizes(&[("send", 104), ("reply", 70), ("same", 9), ("new", 8)]),
        );
        assert_eq!(
            text,
            "\nof the kernel's functions there grew:\n  reply: 50, now 70 bytes\n  new: new, 8 bytes\n  send: 100, now 104 bytes"
        );
        assert_eq!(grown(&sizes(&[("send", 2)]), &sizes(&[("send", 1)])), "");
    }
}
