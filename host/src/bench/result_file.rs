//! The result file: one JSON document, whose names do not change once published.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use miette::miette;
use serde_json::{Number, Value, json};

use super::breakdown::Breakdown;
use super::measure::{Measurement, Unit};
use crate::board::Board;
use crate::checks::{self, Stage};
use crate::lab::Lab;
use crate::progress;
use crate::toolchain::{Toolchain, output};
use crate::whole::{self, Pending};

/// Number of this layout of the document.
const SCHEMA: u32 = 1;
/// What is measured is what is shipped.
const CONFIG: &str =
    "protection on, release build (programs opt-level 3, kernel opt-level s, fat LTO), tracing off";

/// Behind the commit from which files differ.
const DIRTY: &str = "-dirty";

/// Where results come from.
#[derive(Clone)]
pub struct Provenance {
    /// The commit, with `-dirty` behind it if files differ from it (those that it does not know are nobody's to measure).
    pub commit: String,
    /// When, in UTC.
    pub date: String,
    /// Versions of the tools.
    pub tools: BTreeMap<String, String>,
    /// The configuration that was measured.
    pub config: String,
    /// What the tests of this checkout have counted.
    pub checks: Vec<Stage>,
}

impl Provenance {
    /// Asks the tools for their versions.
    ///
    /// # Errors
    /// If the compiler is missing.
    pub fn find(lab: &Lab) -> miette::Result<Provenance> {
        let rustc = Toolchain::find(&lab.root)?.version()?;
        let mut tools = BTreeMap::from([("rustc".to_owned(), rustc)]);
        for board in &lab.boards {
            if let Some(emulator) = board.emulator()
                && let Ok(version) = output(Command::new(emulator).arg("--version"))
            {
                let line = version.lines().next().unwrap_or_default().to_owned();
                tools.insert(emulator.to_owned(), line);
            }
        }
        let cores = lab.boards.iter().filter_map(Board::simulator);
        for core in cores.map(|simulator| simulator.core) {
            tools.extend(core.package(&lab.root));
        }
        Ok(Provenance {
            commit: commit(&lab.root),
            date: date(),
            tools,
            config: CONFIG.into(),
            checks: checks::of(&lab.root),
        })
    }

    /// The same at the end of the measurements. If another commit, or other files, are checked out by now, some of them
    /// may be of those: it says so, and they are of no commit alone.
    #[must_use]
    pub fn at_the_end(&self, root: &Path) -> Provenance {
        let mut now = self.clone();
        if commit(root) != self.commit && !self.commit.ends_with(DIRTY) {
            progress::complain(
                "riposte: the checkout is another one than when the measurements began: they are of no commit alone",
            );
            now.commit += DIRTY;
        }
        now
    }

    /// As much of the commit as names it, and whether files differ from it.
    #[must_use]
    pub fn short_commit(&self) -> String {
        let (hash, dirty) = match self.commit.split_once('-') {
            Some((hash, dirty)) => (hash, format!("-{dirty}")),
            None => (self.commit.as_str(), String::new()),
        };
        hash.chars().take(10).collect::<String>() + &dirty
    }

    /// The compiler's version.
    #[must_use]
    pub fn compiler(&self) -> &str {
        self.tools.get("rustc").map_or("", String::as_str)
    }
}

/// Now, in UTC.
pub fn date() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()
}

/// The commit of the checkout, with `-dirty` behind it if files differ from it.
pub fn commit(root: &Path) -> String {
    let git = |arguments: &[&str]| output(Command::new("git").args(arguments).current_dir(root));
    let Ok(commit) = git(&["rev-parse", "HEAD"]) else {
        return "unknown".into();
    };
    // An application of one's own beside the project's changes nothing that is measured.
    match git(&["status", "--porcelain", "--untracked-files=no"]) {
        Ok(changes) if changes.is_empty() => commit,
        _ => commit + DIRTY,
    }
}

/// A result file that can be written.
pub struct Destination {
    /// The folder of the checkout.
    root: PathBuf,
    file: PathBuf,
    /// Whether somebody asked for this name, whatever has it.
    is_asked: bool,
    pending: Pending,
}

impl Destination {
    /// Makes sure, before anything is measured, that `asked`, or a new file in `results`, can be
    /// written.
    ///
    /// # Errors
    /// If it cannot, or has the name of the page that is made of it.
    pub fn open(
        lab: &Lab,
        asked: Option<&Path>,
        provenance: &Provenance,
    ) -> miette::Result<Destination> {
        let file = asked.map_or_else(
            || {
                lab.root
                    .join("results")
                    .join(format!("{}.json", provenance.date.replace(':', "")))
            },
            Path::to_path_buf,
        );
        if file.extension().is_some_and(|it| it == "html") {
            return Err(miette!(
                help = format!(
                    "write another name behind --json, such as {}",
                    file.with_extension("json").display()
                ),
                "{} would be the page of the figures, and not these",
                file.display()
            ));
        }
        if asked.is_none() {
            // If it fails, making the file says why.
            let _ = std::fs::create_dir_all(lab.root.join("results"));
        }
        let pending = Pending::new(&file).map_err(|error| cannot_write(&file, &error))?;
        Ok(Destination {
            root: lab.root.clone(),
            file,
            is_asked: asked.is_some(),
            pending,
        })
    }

    /// Writes the document, with the commit as it is [at the end](Provenance::at_the_end), and beside it what it does not
    /// hold: the breakdowns, and what took place between nodes. Says where all that is, and returns the file, which is
    /// beside that of a run that began in the same second. What is no file, such as a pipe, gets the document alone, and
    /// none is returned.
    ///
    /// # Errors
    /// If the disk is full, or the folder gone; what was there before is there still.
    pub fn write(
        self,
        provenance: &Provenance,
        measurements: &[Measurement],
        breakdowns: &[Breakdown],
        nodes: impl FnOnce(&Path) -> miette::Result<()>,
    ) -> miette::Result<Option<PathBuf>> {
        let is_file = self.pending.is_file();
        let provenance = provenance.at_the_end(&self.root);
        let file = self.write_document(&document(&provenance, measurements))?;
        println!("results: {}", file.display());
        if !is_file {
            progress::complain(&format!(
                "riposte: {} is no file: there is no page, nor what would lie beside a file of results",
                file.display()
            ));
            return Ok(None);
        }
        if !breakdowns.is_empty() {
            let beside = write_breakdowns(&file, breakdowns)?;
            println!("breakdowns: {}", beside.display());
        }
        nodes(&file)?;
        Ok(Some(file))
    }

    /// Writes the document; returns where.
    fn write_document(self, document: &Value) -> miette::Result<PathBuf> {
        let text = format!("{document:#}\n");
        let written = if self.is_asked {
            let file = self.file.clone();
            self.pending.write(text.as_bytes()).map(|()| {
                // What lies beside it is of the measurement before, if it is there.
                for name in BESIDE {
                    let _ = std::fs::remove_file(file.with_extension(name));
                }
                file
            })
        } else {
            let names = numbered(&self.file);
            self.pending.write_anew(text.as_bytes(), names)
        };
        written.map_err(|error| cannot_write(&self.file, &error))
    }
}

/// The name of a file, and those that it gets where there is one already.
fn numbered(file: &Path) -> impl Iterator<Item = PathBuf> {
    let stem = file.file_stem().unwrap_or_default().to_string_lossy();
    let further = (2..).map(move |number: u64| format!("{stem}-{number}.json"));
    let further = further.map(|name| file.with_file_name(name));
    std::iter::once(file.to_path_buf()).chain(further)
}

fn cannot_write(file: &Path, error: &std::io::Error) -> miette::Report {
    miette!("cannot write the result file {}: {error}", file.display())
}

/// What a result file has beside it, by its extensions: breakdowns of calls, and transfers between nodes.
pub const BREAKDOWNS: &str = "breakdowns.json";
pub const NODES: &str = "nodes.json";
const BESIDE: [&str; 2] = [BREAKDOWNS, NODES];

/// Writes the breakdowns beside the result file `results`, whose own layout they do not change:
/// `X.json` has them in `X.breakdowns.json`.
///
/// # Errors
/// If it cannot be written.
fn write_breakdowns(results: &Path, all: &[Breakdown]) -> miette::Result<PathBuf> {
    let file = results.with_extension(BREAKDOWNS);
    let documents: Vec<&Value> = all.iter().map(|it| &it.document).collect();
    let text = format!("{:#}\n", json!(documents));
    whole::write(&file, text).map_err(|error| cannot_write(&file, &error))?;
    Ok(file)
}

/// The whole document.
#[must_use]
pub fn document(provenance: &Provenance, measurements: &[Measurement]) -> Value {
    let results: Vec<Value> = measurements
        .iter()
        .flat_map(|it| entries(it, &provenance.config))
        .collect();
    json!({
        "schema": SCHEMA,
        "commit": provenance.commit,
        "date": provenance.date,
        "tools": provenance.tools,
        "checks": provenance.checks,
        "results": results,
    })
}

/// The entry of a measurement, that of its exceptions or instructions, and those of the kernel's size.
fn entries(measurement: &Measurement, config: &str) -> Vec<Value> {
    let Measurement {
        suite,
        application: _,
        board,
        sample,
        unit,
        value,
        min,
        max,
        exceptions,
        retired,
        grain: _,
        kernel_code,
        kernel_ram,
        thread_ram,
    } = measurement;
    let (config, counter) = match unit {
        Unit::Instructions => (config.to_owned(), "emulator's virtual time"),
        Unit::Cycles { memory } => (format!("{config}; {memory}"), "board's cycle counter"),
    };
    let entry = |metric: &str, value: f64, bounds: [Option<u64>; 2], method: &str| {
        json!({
            "suite": suite, "case": sample.case, "board": board,
            "metric": metric, "value": number(value),
            "min": bounds[0], "max": bounds[1], "per": "operation",
            "bytes": sample.bytes, "iterations": sample.iterations,
            "protected": sample.protected, "config": config, "method": method,
        })
    };
    let subtracted = match sample.counters.as_slice() {
        [] => "loop subtracted".to_owned(),
        counters => format!("counters of a window {counters:?}"),
    };
    let method = format!("{subtracted}, {counter}");
    let method = sample.method.as_ref().unwrap_or(&method);
    let method = match measurement.coarse() {
        Some(coarse) => format!("{method}; {coarse}"),
        None => method.clone(),
    };
    let counted = "exceptions taken, counted in the emulator's log";
    let mut entries = vec![entry(unit.name(), *value, [*min, *max], &method)];
    entries.extend(exceptions.map(|count| entry("count", count, [None, None], counted)));
    let counted = "retired with a turn of the loop, counted by the simulator";
    let of_all = |count: &f64| entry(Unit::Instructions.name(), *count, [None, None], counted);
    entries.extend(retired.as_ref().map(of_all));
    let sizes = [
        (
            kernel_code,
            "code of the kernel in the image that was measured",
        ),
        (
            kernel_ram,
            "RAM of the kernel in the image that was measured",
        ),
        (
            thread_ram,
            "RAM of the kernel for each thread in the image that was measured",
        ),
    ];
    let size = |(bytes, what): (&u32, _)| entry("bytes", f64::from(*bytes), [None, None], what);
    entries.extend(sizes.map(size));
    entries
}

/// Whole figures are written without a point.
#[allow(clippy::cast_possible_truncation)]
fn number(value: f64) -> Value {
    if value.fract() == 0.0 && value.abs() < 9e15 {
        return Value::from(value as i64);
    }
    Number::from_f64(value).map_or(Value::Null, Value::Number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::measure::Sample;

    fn provenance() -> Provenance {
        Provenance {
            commit: "c0ffee".into(),
            date: "2025-01-01T00:00:00Z".into(),
            tools: BTreeMap::new(),
            config: CONFIG.into(),
            checks: vec![],
        }
    }

    fn measurement() -> Measurement {
        let sample = serde_json::from_str::<Sample>(
            r#"{"case":"rt-32B","protected":true,"iterations":1000,"ticks":1,"bytes":32}"#,
        );
        Measurement {
            suite: "core".into(),
            application: "core".into(),
            board: "mps2-an386".into(),
            sample: sample.unwrap(),
            unit: Unit::Instructions,
            value: 201.0,
            min: Some(201),
            max: None,
            exceptions: Some(2.0),
            retired: None,
            grain: None,
            kernel_code: 16_000,
            kernel_ram: 9_000,
            thread_ram: 200,
        }
    }

    fn some() -> Value {
        document(&provenance(), &[measurement()])
    }

    #[test]
    fn what_is_no_file_gets_the_document_alone() {
        let lab = Lab::open().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        // Who reads to the end of a pipe gets one document, and no more is written or read.
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || std::fs::read_to_string(pipe).unwrap()
        });
        let provenance = Provenance {
            commit: commit(&lab.root),
            ..provenance()
        };
        let opened = Destination::open(&lab, Some(&pipe), &provenance).unwrap();
        let nodes = |_: &Path| -> miette::Result<()> { panic!("nothing lies beside a pipe") };
        let written = opened.write(&provenance, &[measurement()], &[], nodes);
        assert_eq!(written.unwrap(), None);
        let read: Value = serde_json::from_str(&reader.join().unwrap()).unwrap();
        assert_eq!(read, document(&provenance, &[measurement()]));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn what_was_measured_is_of_no_commit_if_another_one_is_checked_out_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let lab = Lab {
            root: folder.path().into(),
            boards: vec![],
        };
        let git = |arguments: &[&str]| {
            let mut git = Command::new("git");
            git.args(["-c", "user.name=n", "-c", "user.email=n@n"]);
            output(git.args(arguments).current_dir(&lab.root)).unwrap();
        };
        git(&["init", "--quiet"]);
        git(&["commit", "--quiet", "--allow-empty", "-m", "one"]);
        let begun = Provenance {
            commit: commit(&lab.root),
            ..provenance()
        };
        let begin = || Destination::open(&lab, None, &begun).unwrap();
        let commit_of = |run: Destination| {
            let written = run.write(&begun, &[measurement()], &[], |_| Ok(()));
            let text = std::fs::read_to_string(written.unwrap().unwrap()).unwrap();
            let document: Value = serde_json::from_str(&text).unwrap();
            document["commit"].as_str().unwrap().to_owned()
        };
        assert_eq!(commit_of(begin()), begun.commit);
        let run = begin();
        git(&["commit", "--quiet", "--allow-empty", "-m", "two"]);
        assert_eq!(commit_of(run), format!("{}-dirty", begun.commit));
    }

    #[test]
    fn what_lies_beside_a_result_file_of_that_name_goes_with_it() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("r.json");
        let beside = BESIDE.map(|it| file.with_extension(it));
        let before = [&file, &beside[0], &beside[1]];
        for it in before {
            std::fs::write(it, "of before").unwrap();
        }
        let destination = Destination {
            root: folder.path().into(),
            is_asked: true,
            pending: Pending::new(&file).unwrap(),
            file: file.clone(),
        };
        destination.write_document(&some()).unwrap();
        assert_ne!(std::fs::read_to_string(&file).unwrap(), "of before");
        assert!(beside.iter().all(|it| !it.exists()));
    }

    #[test]
    fn the_document_has_the_published_names() {
        let document = document(&provenance(), &[measurement()]);
        assert_eq!(document["schema"], 1);
        assert_eq!(document["commit"], "c0ffee");
        let entry = &document["results"][0];
        let mut names: Vec<&String> = entry.as_object().unwrap().keys().collect();
        names.sort();
        let published = [
            "board",
            "bytes",
            "case",
            "config",
            "iterations",
            "max",
            "method",
            "metric",
            "min",
            "per",
            "protected",
            "suite",
            "value",
        ];
        assert_eq!(names, published);
        assert_eq!(entry["value"].to_string(), "201");
        assert_eq!(document["results"][1]["metric"], "count");
        assert_eq!(document["results"][2]["metric"], "bytes");
        assert_eq!(document["results"][2]["value"], 16_000);
    }

    #[test]
    fn what_a_simulator_counts_is_an_entry_of_its_own() {
        let measurement = Measurement {
            exceptions: None,
            retired: Some(177.5),
            ..measurement()
        };
        let document = document(&provenance(), &[measurement]);
        assert_eq!(document["results"][1]["metric"], "instructions");
        assert_eq!(document["results"][1]["value"], 177.5);
        assert_eq!(document["results"][2]["metric"], "bytes");
    }

    #[test]
    fn a_figure_in_cycles_says_so_and_names_the_memory() {
        let measurement = Measurement {
            unit: Unit::Cycles {
                memory: "RAM latency 8,5,7, one port".into(),
            },
            ..measurement()
        };
        let document = document(&provenance(), &[measurement]);
        let entry = &document["results"][0];
        assert_eq!(entry["metric"], "cycles");
        assert_eq!(entry["method"], "loop subtracted, board's cycle counter");
        let config = entry["config"].as_str().unwrap();
        assert!(config.starts_with(CONFIG) && config.ends_with("; RAM latency 8,5,7, one port"));
    }

    #[test]
    fn a_file_that_cannot_be_written_is_refused_before_anything_runs() {
        let lab = Lab::open().unwrap();
        let file = Path::new("/no/such/folder/results.json");
        let error = Destination::open(&lab, Some(file), &provenance())
            .err()
            .unwrap()
            .to_string();
        assert!(error.contains("/no/such/folder/results.json"), "{error}");
    }

    #[test]
    fn a_file_that_its_own_page_would_replace_is_refused_before_anything_runs() {
        let lab = Lab::open().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("figures.html");
        let refused = Destination::open(&lab, Some(&file), &provenance());
        let refused = refused.err().unwrap();
        let said = refused.to_string();
        assert!(said.ends_with("figures.html would be the page of the figures, and not these"));
        let help = refused.help().unwrap().to_string();
        assert!(help.ends_with("figures.json"), "{help}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_benchmark_that_fails_leaves_no_empty_result_and_touches_no_old_one() {
        let lab = Lab::open().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let (new, old) = (
            folder.path().join("new.json"),
            folder.path().join("old.json"),
        );
        std::fs::write(&old, "{}").unwrap();
        drop(Destination::open(&lab, Some(&new), &provenance()).unwrap());
        drop(Destination::open(&lab, Some(&old), &provenance()).unwrap());
        assert!(!new.exists());
        assert_eq!(std::fs::read_to_string(&old).unwrap(), "{}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn runs_that_began_in_one_second_have_a_file_each() {
        let folder = tempfile::tempdir().unwrap();
        let lab = Lab {
            root: folder.path().into(),
            boards: vec![],
        };
        let begin = || Destination::open(&lab, None, &provenance()).unwrap();
        let runs = [begin(), begin(), begin()];
        let write = |run: Destination| run.write_document(&some()).unwrap();
        let files = runs.map(write);
        let names = files.each_ref().map(|it| it.file_name().unwrap());
        let expected = ["", "-2", "-3"].map(|it| format!("2025-01-01T000000Z{it}.json"));
        assert_eq!(names.map(|it| it.to_string_lossy()), expected);
        let there = std::fs::read_dir(folder.path().join("results")).unwrap();
        assert_eq!(there.count(), 3, "and nothing beside them");
    }

    #[test]
    fn old_results_are_there_until_the_new_ones_are() {
        let lab = Lab::open().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let [file, old] = ["results.json", "old.json"].map(|name| folder.path().join(name));
        for write in [
            |file: &Path, lab: &Lab| {
                let opened = Destination::open(lab, Some(file), &provenance()).unwrap();
                opened.write_document(&some()).unwrap()
            },
            |file: &Path, _: &Lab| write_breakdowns(file, &[]).unwrap(),
        ] {
            let written = write(&file, &lab);
            std::fs::write(&written, "old").unwrap();
            std::fs::hard_link(&written, &old).unwrap();
            write(&file, &lab);
            assert_eq!(std::fs::read_to_string(&old).unwrap(), "old", "never half");
            assert_ne!(std::fs::read_to_string(&written).unwrap(), "old");
            std::fs::remove_file(&old).unwrap();
        }
    }
}
