//! Runs the applications of a suite, and turns what they print into measurements.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use miette::{IntoDiagnostic, miette};
use serde::Deserialize;

use super::breakdown::{self, Breakdown, Marked, Origin};
use super::pulses::{self, Series};
use super::reference::Reference;
use super::suite::Suite;
use super::{log, ticks};
use crate::board::Board;
use crate::build::Image;
use crate::fault::{self, Scene};
use crate::lab::Lab;
use crate::machine::{self, End, Engine, Machine, Next, Pace, Said};
use crate::manifest::Application;
use crate::progress::Step;

/// The peripheral whose pins a simulator's waveform shows.
const PINS: &str = "gpio0";
/// The waveform of the last run, in the image's folder.
const WAVEFORM: &str = "waveform.vcd";

/// The log of the last run's modes, in the image's folder.
const MODES: &str = "modes.log";

/// What a benchmark prints behind `@result`: raw counts, which only the host turns into figures.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(deny_unknown_fields)]
pub struct Sample {
    /// Name of the case.
    pub case: String,
    /// Whether the case crosses two isolated processes.
    pub protected: bool,
    /// Turns of the measured loop.
    pub iterations: u64,
    /// Operations in one turn.
    #[serde(default = "one")]
    pub operations: u64,
    /// Timer ticks of the measured loop.
    pub ticks: u64,
    /// Timer ticks of the same loop without the operation.
    #[serde(default)]
    pub loop_ticks: u64,
    /// Ticks of the shortest single operation, if they were measured one by one.
    pub min_ticks: Option<u64>,
    /// Ticks of the longest single operation.
    pub max_ticks: Option<u64>,
    /// Bytes of payload that one operation moves, if it moves any.
    pub bytes: Option<u64>,
    /// How it was measured, if there is more to say.
    pub method: Option<String>,
    /// What each of its threads has counted, if they did. Without `loop_ticks`, nothing is subtracted.
    #[serde(default)]
    pub counters: Vec<u64>,
}

fn one() -> u64 {
    1
}

/// What a board counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Instructions, on an emulator.
    Instructions,
    /// Cycles, on a simulator whose memory is as described.
    Cycles {
        /// See [`Simulator::memory`](crate::board::Simulator::memory).
        memory: String,
    },
}

impl Unit {
    /// What `board` counts.
    #[must_use]
    pub fn of(board: &Board) -> Unit {
        board
            .simulator()
            .map_or(Unit::Instructions, |simulator| Unit::Cycles {
                memory: simulator.memory(),
            })
    }

    /// Its name, which is that of the result file's metric.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Unit::Instructions => "instructions",
            Unit::Cycles { .. } => "cycles",
        }
    }

    /// The suite's name of the memory, if it has several.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        match self {
            Unit::Instructions => None,
            Unit::Cycles { memory } => model(memory),
        }
    }
}

/// The suite's name of a memory that is told as [`Simulator::memory`](crate::board::Simulator::memory) does.
#[must_use]
pub fn model(memory: &str) -> Option<&str> {
    memory.split_once(": ").map(|(name, _)| name)
}

/// A figure, with all that belongs to it.
#[derive(Clone, Debug, PartialEq)]
pub struct Measurement {
    /// The suite.
    pub suite: String,
    /// Its application that measures it.
    pub application: String,
    /// The board.
    pub board: String,
    /// What the board said.
    pub sample: Sample,
    /// What is counted.
    pub unit: Unit,
    /// As many of one operation.
    pub value: f64,
    /// Of the shortest operation, if measured.
    pub min: Option<u64>,
    /// Of the longest operation, if measured.
    pub max: Option<u64>,
    /// Exceptions of one operation, if marked, on an emulator.
    pub exceptions: Option<f64>,
    /// Instructions of one operation and of a turn of the loop, if marked, on a simulator.
    pub retired: Option<f64>,
    /// Instructions that its timer could not tell apart, if there are any.
    pub grain: Option<u64>,
    /// Bytes of code of the kernel in the image that was measured.
    pub kernel_code: u32,
    /// Bytes of its RAM.
    pub kernel_ram: u32,
    /// Bytes of that for each thread.
    pub thread_ram: u32,
}

impl Measurement {
    /// What is to be said of its timer, if that was coarse.
    #[must_use]
    pub fn coarse(&self) -> Option<String> {
        let said = |it| format!("the timer ticks once in {it} instructions");
        self.grain.map(said)
    }
}

/// What a suite's run on a board gave.
#[derive(Default)]
pub struct Outcome {
    /// The figures.
    pub measurements: Vec<Measurement>,
    /// Where the cycles of calls went.
    pub breakdowns: Vec<Breakdown>,
}

/// Measures every application of a suite that runs on `board`.
///
/// # Errors
/// A program that does not build, or a benchmark that fails.
pub fn suite(lab: &Lab, suite: &Suite, board: &Board) -> miette::Result<Outcome> {
    some(lab, suite, board, |_| true)
}

/// Measures the floor of `board`, which is an application of the suite `core`; empty if there is
/// none for the board.
///
/// # Errors
/// As [`suite`].
pub fn floor(lab: &Lab, core: &Suite, board: &Board) -> miette::Result<Vec<Measurement>> {
    Ok(some(lab, core, board, |application| application.name == FLOOR)?.measurements)
}

/// Name of the application that measures the floor, and of its case.
pub const FLOOR: &str = "floor";

/// Whether this is the measurement of a board's floor.
#[must_use]
pub fn is_floor(measurement: &Measurement) -> bool {
    measurement.sample.case == FLOOR
}

/// As [`suite`], of the applications that are `wanted`.
///
/// # Errors
/// As [`suite`].
pub fn some(
    lab: &Lab,
    suite: &Suite,
    board: &Board,
    wanted: impl Fn(&Application) -> bool,
) -> miette::Result<Outcome> {
    let reference = Reference::read(suite, &lab.boards)?;
    let mut all = Outcome::default();
    for application in suite.on(board).filter(|it| wanted(it)) {
        let of_one = application_of(
            lab,
            suite,
            &reference,
            application,
            board,
            Extent::All(&reference.breakdown),
        )?;
        all.measurements.extend(of_one.measurements);
        all.breakdowns.extend(of_one.breakdowns);
    }
    Ok(all)
}

/// Measures every application of a suite that runs on `board` twice, by the same image.
///
/// # Errors
/// As [`suite`].
pub fn twice(lab: &Lab, suite: &Suite, board: &Board) -> miette::Result<[Vec<Measurement>; 2]> {
    let reference = Reference::read(suite, &lab.boards)?;
    let mut both = [Vec::new(), Vec::new()];
    for application in suite.on(board) {
        let image = lab.build(application, board)?;
        let run = Run::new((suite, &reference), application, board, &image);
        for measured in &mut both {
            measured.extend(run.measure(lab)?);
        }
    }
    Ok(both)
}

/// How far an application is measured.
#[derive(Clone, Copy)]
pub enum Extent<'a> {
    /// To its end; and the calls that are marked are broken down.
    All(&'a [Marked]),
    /// Until these cases are there, each across processes or within one: what would come later takes no time.
    Until(&'a [(&'a str, bool)]),
}

impl Extent<'_> {
    fn marked(&self) -> &[Marked] {
        match self {
            Extent::All(marked) => marked,
            Extent::Until(_) => &[],
        }
    }

    /// Whether nothing more is wanted.
    fn is_reached(&self, samples: &[Sample]) -> bool {
        let has = |(case, protected): &(&str, bool)| {
            let mut samples = samples.iter();
            samples.any(|it| it.case == *case && it.protected == *protected)
        };
        matches!(self, Extent::Until(cases) if cases.iter().all(has))
    }
}

/// Measures one application of a suite on `board` as far as is wanted.
///
/// # Errors
/// As [`suite`].
pub fn application_of(
    lab: &Lab,
    suite: &Suite,
    reference: &Reference,
    application: &Application,
    board: &Board,
    extent: Extent<'_>,
) -> miette::Result<Outcome> {
    let image = lab.build(application, board)?;
    let run = Run {
        extent,
        ..Run::new((suite, reference), application, board, &image)
    };
    Ok(Outcome {
        measurements: run.measure(lab)?,
        breakdowns: run.breakdowns(lab)?,
    })
}

/// What is logged of a run, and where.
#[derive(Clone, Copy)]
enum Observed<'a> {
    Nothing,
    Marks(&'a Path),
    Profile(&'a Path),
}

/// How a run is watched that is not measured.
pub struct Watched<'a> {
    /// Where a profile of its measured loops goes, if one is wanted.
    pub log: Option<&'a Path>,
    /// Whether what it has said is enough, so that it may end.
    pub enough: &'a dyn Fn(&[Sample]) -> bool,
}

/// Runs an application of a suite once; returns what it said it measured, up to where that is enough.
///
/// # Errors
/// As [`suite`].
pub fn once(
    (lab, suite, application, board): (&Lab, &Suite, &Application, &Board),
    image: &Image,
    pace: Pace,
    watched: Watched<'_>,
) -> miette::Result<Vec<Sample>> {
    let run = Run {
        suite,
        application,
        board,
        image,
        extent: Extent::All(&[]),
        pace,
    };
    let observed = watched.log.map_or(Observed::Nothing, Observed::Profile);
    run.samples(lab, observed, watched.enough)
}

struct Run<'a> {
    suite: &'a Suite,
    application: &'a Application,
    board: &'a Board,
    image: &'a Image,
    extent: Extent<'a>,
    pace: Pace,
}

impl<'a> Run<'a> {
    /// To the end of what the application measures, of which nothing is broken down.
    fn new(
        (suite, reference): (&'a Suite, &Reference),
        application: &'a Application,
        board: &'a Board,
        image: &'a Image,
    ) -> Run<'a> {
        Run {
            suite,
            application,
            board,
            image,
            extent: Extent::All(&[]),
            pace: reference.pace(&application.name),
        }
    }

    fn measure(&self, lab: &Lab) -> miette::Result<Vec<Measurement>> {
        let what = format!("measuring {} on {}", self.application.name, self.board.name);
        let _step = Step::begin(what);
        let log = self.image.place("exceptions.log");
        // The log of a run that is stopped ends anywhere.
        let observed = match self.extent {
            Extent::All(_) => Observed::Marks(&log),
            Extent::Until(_) => Observed::Nothing,
        };
        let is_reached = |samples: &[Sample]| self.extent.is_reached(samples);
        let samples = self.samples(lab, observed, &is_reached)?;
        let simulated = self.board.simulator().is_some();
        let mut counts = match File::open(&log).map(BufReader::new) {
            _ if matches!(observed, Observed::Nothing) => Vec::new(),
            Ok(file) if simulated => log::retired(file),
            Ok(file) => log::exceptions(file),
            Err(_) => Vec::new(),
        };
        // It is large, and says nothing more.
        let _ = std::fs::remove_file(&log);
        let (marked, printed) = (counts.len(), samples.len());
        if marked != printed && simulated {
            // A pin can show cases that no mark stands for.
            counts.clear();
        } else if marked != printed && marked != 0 {
            return Err(self.failure(&format!("{marked} loops are marked, but {printed} results")));
        }
        let counts = counts.into_iter().map(Some).chain(std::iter::repeat(None));
        samples
            .into_iter()
            .zip(counts)
            .map(|(sample, count)| self.figure(sample, count))
            .collect()
    }

    fn samples(
        &self,
        lab: &Lab,
        observed: Observed<'_>,
        enough: &dyn Fn(&[Sample]) -> bool,
    ) -> miette::Result<Vec<Sample>> {
        let scene = Scene::new(&lab.root, self.board, self.image);
        let mut said = Console::default();
        let mut engine = Engine::new(&lab.root, self.board, &self.image.file, self.pace)?;
        let waveform = self.image.place(WAVEFORM);
        if self.shows_pulses() {
            engine = engine.with_waveform(&waveform);
        }
        engine = match observed {
            Observed::Nothing => engine,
            Observed::Profile(log) => engine.with_profile(log),
            Observed::Marks(_) if self.logs_modes() => engine.with_modes(&self.image.place(MODES)),
            Observed::Marks(log) => engine.with_marks(log),
        };
        let end = machine::run(&Machine::unattended(engine), |text| {
            said.hear(text);
            if enough(&said.samples) {
                Next::Stop
            } else {
                Next::Continue
            }
        })?;
        said.done |= end == End::Stopped;
        self.publish()?;
        if let Some(trouble) = said.trouble(&scene) {
            return Err(self.failure(&trouble));
        }
        if end == End::Exit(0) && self.shows_pulses() {
            let shown = self.pulses(&said.series, &waveform);
            said.samples
                .extend(shown.map_err(|it| self.failure(&it.to_string()))?);
        }
        match end {
            End::Exit(0) if !said.done => {
                Err(self.failure("it ended before it said that it was done"))
            }
            End::Exit(0) if said.samples.is_empty() => Err(self.failure("it measured nothing")),
            End::Exit(0) | End::Stopped | End::Interrupted(_) => Ok(said.samples),
            End::Endless(standing) => Err(self.failure(&scene.endless(standing))),
            other => Err(self.failure(&format!("it ended with {other:?}"))),
        }
    }

    /// Shows what a person may look at, too.
    fn publish(&self) -> miette::Result<()> {
        let written = [(self.shows_pulses(), WAVEFORM), (self.logs_modes(), MODES)];
        let mut written = written.iter().filter(|(written, _)| *written);
        written.try_for_each(|(_, name)| self.image.publish(name))
    }

    /// Whether calls are to be broken down, and the board's simulator logs what that takes.
    fn logs_modes(&self) -> bool {
        self.board.simulator().is_some() && !self.extent.marked().is_empty()
    }

    fn breakdowns(&self, lab: &Lab) -> miette::Result<Vec<Breakdown>> {
        if !self.logs_modes() {
            return Ok(Vec::new());
        }
        let file = self.image.place(MODES);
        let scene = Scene::new(&lab.root, self.board, self.image);
        let origin = Origin {
            suite: &self.suite.name,
            board: self.board,
        };
        breakdown::breakdowns(&origin, self.extent.marked(), &file, &scene)
    }

    /// Whether a program shows times on a pin, and the board's waveform has it.
    fn shows_pulses(&self) -> bool {
        let pins = self.board.peripherals.get(PINS).map(|it| it.region);
        let mut owned = self
            .image
            .plan
            .processes
            .iter()
            .flat_map(|it| &it.peripherals);
        self.board.simulator().is_some() && owned.any(|device| Some(device.lies()) == pins)
    }

    fn pulses(&self, series: &[Series], waveform: &Path) -> miette::Result<Vec<Sample>> {
        let file = File::open(waveform).into_diagnostic()?;
        pulses::samples(series, &pulses::read(BufReader::new(file))?)
    }

    fn figure(&self, sample: Sample, marked: Option<u64>) -> miette::Result<Measurement> {
        let figure = |ticks| ticks::figure(self.board, self.pace, ticks);
        let operations = sample.iterations * sample.operations;
        let whole = figure(sample.ticks);
        let overhead = figure(sample.loop_ticks);
        if operations == 0 || whole <= overhead {
            let trouble = format!("case {} measured nothing: {sample:?}", sample.case);
            return Err(self.failure(&trouble));
        }
        let kernel = crate::size::bytes(&self.image.kernel);
        let simulated = self.board.simulator().is_some();
        let marked = marked.map(|count| per(count, operations));
        Ok(Measurement {
            suite: self.suite.name.clone(),
            application: self.application.name.clone(),
            board: self.board.name.clone(),
            unit: Unit::of(self.board),
            value: per(whole - overhead, operations),
            min: sample.min_ticks.map(figure),
            max: sample.max_ticks.map(figure),
            exceptions: marked.filter(|_| !simulated),
            retired: marked.filter(|_| simulated),
            grain: ticks::grain(self.board, self.pace),
            kernel_code: kernel.text,
            kernel_ram: kernel.data + kernel.zeroed,
            thread_ram: crate::size::of_thread(self.image),
            sample,
        })
    }

    fn failure(&self, trouble: &str) -> miette::Report {
        let (suite, application) = (&self.suite.name, &self.application.name);
        miette!(
            "benchmark {suite}/{application} failed on {}: {trouble}",
            self.board.name
        )
    }
}

/// Counts stay far below 2^52.
#[allow(clippy::cast_precision_loss)]
fn per(count: u64, operations: u64) -> f64 {
    count as f64 / operations as f64
}

/// What a benchmark said on the console.
#[derive(Default)]
struct Console {
    samples: Vec<Sample>,
    series: Vec<Series>,
    failures: Vec<String>,
    faults: Vec<String>,
    other: Vec<String>,
    done: bool,
}

impl Console {
    fn hear(&mut self, said: Said<'_>) {
        let (Said::Line(line) | Said::Unfinished(line)) = said;
        if let Some(json) = line.strip_prefix("@result ") {
            match serde_json::from_str(json) {
                Ok(sample) => self.samples.push(sample),
                Err(error) => self
                    .failures
                    .push(format!("a wrong result line: {error}: {line}")),
            }
        } else if let Some(json) = line.strip_prefix("@pulses ") {
            match serde_json::from_str(json) {
                Ok(series) => self.series.push(series),
                Err(error) => self
                    .failures
                    .push(format!("a wrong line of pulses: {error}: {line}")),
            }
        } else if let Some(failure) = line.strip_prefix("@fail ") {
            self.failures.push(failure.into());
        } else if let Some((_, json)) = fault::record_of(line) {
            self.faults.push(json.into());
        } else if line == "@done" {
            self.done = true;
        } else if !line.starts_with("@pass ") {
            self.other.push(line.into());
        }
    }

    fn trouble(&self, scene: &Scene<'_>) -> Option<String> {
        if self.failures.is_empty() && self.faults.is_empty() {
            return (!self.done && !self.other.is_empty()).then(|| self.other.join("\n"));
        }
        let faults = self.faults.iter().map(|json| scene.report(json));
        let failures = self.failures.iter().cloned();
        Some(failures.chain(faults).collect::<Vec<_>>().join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_line_is_a_sample() {
        let mut console = Console::default();
        let line = r#"@result {"case":"rt-1w","protected":true,"iterations":10,"ticks":5000}"#;
        for line in ["starting", line, "@done"] {
            console.hear(Said::Line(line));
        }
        assert_eq!(console.samples[0].case, "rt-1w");
        assert_eq!(
            (console.samples[0].operations, console.samples[0].loop_ticks),
            (1, 0)
        );
        assert!(console.done && console.failures.is_empty());
    }

    #[test]
    fn a_run_goes_on_until_every_case_that_is_wanted_is_there() {
        let sample = |case: &str, protected| {
            let text =
                format!(r#"{{"case":"{case}","protected":{protected},"iterations":1,"ticks":1}}"#);
            serde_json::from_str::<Sample>(&text).unwrap()
        };
        let wanted = [("rt-1w", true), ("rt-32B", true)];
        let until = Extent::Until(&wanted);
        let mut samples = vec![sample("rt-1w", true), sample("rt-32B", false)];
        assert!(!until.is_reached(&samples), "that one is within a process");
        samples.push(sample("rt-32B", true));
        assert!(until.is_reached(&samples));
        assert!(!Extent::All(&[]).is_reached(&samples));
    }

    #[test]
    fn a_wrong_result_line_is_a_failure() {
        let mut console = Console::default();
        console.hear(Said::Line(r#"@result {"case":"x","value":1}"#));
        console.hear(Said::Line("@fail rt-32B: wrong bytes"));
        assert_eq!(console.failures.len(), 2);
        assert!(console.samples.is_empty());
    }
}
