//! The tables of a suite on a board.

use std::fmt::Write as _;

use super::measure::{FLOOR, Measurement, Unit};
use super::reference::{Figure, Peer, Publication, Reference, Target};
use super::result_file::Provenance;
use super::suite::Suite;
use super::{copies, counters, growth, longest, sizes};
use crate::board::Board;
use crate::table::{Align, Table};

/// Columns of the terminal that a table and its notes may take.
const WIDTH: usize = 110;

/// Our figures beside those of others, and below them how they came about.
pub fn tables(
    suite: &Suite,
    board: &Board,
    reference: &Reference,
    measurements: &[Measurement],
    floor: Option<f64>,
    provenance: &Provenance,
) -> String {
    let place = place(board);
    let about = reference.title.as_deref().unwrap_or(suite.description());
    let title = format!("{}: {about} on {place}", suite.name);
    let unit = Unit::of(board);
    let mut text = format!("\n{title}\n{} per operation\n\n", unit.name());
    let reference = &reference.for_board(&board.name);
    let of_table = |it: &&Measurement| {
        !growth::is_point(it) && !longest::is_path(it) && !sizes::is_point(it, reference)
    };
    let cases = Case::group(measurements.iter().filter(of_table));
    if !cases.is_empty() {
        let _ = writeln!(text, "{}", table(&cases, board, reference, floor));
    }
    text.push_str(&growth::tables(measurements, reference));
    text.push_str(&sizes::tables(measurements, reference));
    text.push_str(&longest::table(measurements));
    text.push_str(&wrap(&copies::line(measurements).unwrap_or_default()));
    text.push_str(&wrap(&counters::lines(board, measurements, reference)));
    text.push_str(&wrap(&others(&cases, reference)));
    text.push_str(&wrap(&own_methods(measurements)));
    text.push_str(&wrap(&method(board, measurements, provenance)));
    text
}

/// The board, with its memory where the suite measures in several.
pub fn place(board: &Board) -> String {
    let simulator = board.simulator().filter(|it| it.model.is_some());
    let memory = simulator.map(|it| format!(", {}", it.memory()));
    board.name.clone() + &memory.unwrap_or_default()
}

/// The measurements of one case, across processes and within one.
struct Case<'a> {
    name: &'a str,
    protected: Option<&'a Measurement>,
    single: Option<&'a Measurement>,
}

impl<'a> Case<'a> {
    fn group(measurements: impl IntoIterator<Item = &'a Measurement>) -> Vec<Case<'a>> {
        let mut cases: Vec<Case<'a>> = Vec::new();
        for measurement in measurements {
            let name = measurement.sample.case.as_str();
            let index = cases
                .iter()
                .position(|case| case.name == name)
                .unwrap_or_else(|| {
                    cases.push(Case {
                        name,
                        protected: None,
                        single: None,
                    });
                    cases.len() - 1
                });
            let case = &mut cases[index];
            let place = if measurement.sample.protected {
                &mut case.protected
            } else {
                &mut case.single
            };
            *place = Some(measurement);
        }
        cases
    }

    fn row(&self, board: &Board, reference: &Reference, floor: Option<f64>) -> Vec<String> {
        let figure = |it: Option<&Measurement>| it.map_or("-".into(), |it| show(it.value));
        let exceptions = self.protected.or(self.single).and_then(|it| it.exceptions);
        let peer = |protected| {
            let best = reference.best(self.name, protected);
            best.map_or(String::new(), |it| {
                format!("{} {}", show(it.instructions), it.system)
            })
        };
        vec![
            self.name.into(),
            figure(self.protected),
            self.floors(floor),
            figure(self.single),
            exceptions.map_or("-".into(), show),
            self.target(board, reference, floor),
            peer(true),
            peer(false),
            published(reference, self.name),
        ]
    }

    /// The figure across processes as a multiple of the board's floor.
    fn floors(&self, floor: Option<f64>) -> String {
        match (self.protected, floor) {
            (Some(it), Some(floor)) if self.name != FLOOR => format!("{:.2}", it.value / floor),
            _ => "-".into(),
        }
    }

    /// The target, and whether it is met or by how much it is missed.
    fn target(&self, board: &Board, reference: &Reference, floor: Option<f64>) -> String {
        let found = |measurement: Option<&Measurement>, protected| {
            let target = reference.target(self.name, board, protected)?;
            Some(verdict(target, measurement?.value, floor))
        };
        found(self.protected, true)
            .or_else(|| found(self.single, false))
            .unwrap_or_default()
    }
}

/// Whether a figure meets its target, of which it may be so many multiples of the board's floor, too; or by how much it misses
/// it.
pub fn verdict(target: &Target, value: f64, floor: Option<f64>) -> String {
    let mut text = judged(tenth(value), target.at_most, "");
    if let (Some(most), Some(floor)) = (target.floors, floor) {
        text += ", ";
        text += &judged(hundredth(value / floor), most, "×");
    }
    text
}

fn judged(value: f64, most: f64, unit: &str) -> String {
    if value <= most {
        return format!("≤ {}{unit} met", show(most));
    }
    let by = hundredth(value - most);
    format!("≤ {}{unit} missed by {by}", show(most))
}

fn table(cases: &[Case<'_>], board: &Board, reference: &Reference, floor: Option<f64>) -> Table {
    let mut columns = vec![
        ("case", Align::Left),
        ("protected", Align::Right),
        ("floors", Align::Right),
        ("one process", Align::Right),
        ("exceptions", Align::Right),
        ("target", Align::Left),
        ("best protected", Align::Left),
        ("best unprotected", Align::Left),
        ("published", Align::Left),
    ];
    let rows: Vec<Vec<String>> = cases
        .iter()
        .map(|case| case.row(board, reference, floor))
        .collect();
    // A column that has nothing to say here is left out.
    let says = |cell: &String| !cell.is_empty() && cell != "-";
    let full = |index: usize| index < 2 || rows.iter().any(|row| says(&row[index]));
    let kept: Vec<usize> = (0..columns.len()).filter(|index| full(*index)).collect();
    columns = kept.iter().map(|index| columns[*index]).collect();
    let mut table = Table::new(&columns);
    for row in rows {
        table.row(kept.iter().map(|index| row[*index].clone()).collect());
    }
    table
}

/// The published time in cycles: never a time of ours.
fn published(reference: &Reference, case: &str) -> String {
    let Some(publication) = &reference.source else {
        return String::new();
    };
    let of_case = reference.figure.iter().filter(|figure| figure.case == case);
    let figures = of_case.map(|figure| cycles(figure, publication));
    let of_case = reference.count.iter().filter(|count| count.case == case);
    let counts = of_case.map(|it| counters::published(it, publication));
    figures.chain(counts).collect::<Vec<_>>().join(", ")
}

fn cycles(figure: &Figure, publication: &Publication) -> String {
    let [least, most] = figure.cycles(publication).map(show);
    let range = if least == most {
        most
    } else {
        format!("{least} to {most}")
    };
    format!("{range} cycles {}", publication.system)
}

/// Every figure of others, and where it comes from.
fn others(cases: &[Case<'_>], reference: &Reference) -> String {
    let mut text = String::new();
    for case in cases {
        for (protected, word) in [(true, "protected"), (false, "unprotected")] {
            let of_case = reference.peer.iter();
            let of_case = of_case.filter(|it| it.case == case.name && it.protected == protected);
            let words: Vec<String> = of_case.map(peer).collect();
            if !words.is_empty() {
                let _ = writeln!(text, "peers, {}, {word}: {}", case.name, words.join(", "));
            }
        }
    }
    if let Some(publication) = &reference.source {
        let is_point = |case: &str| reference.series.iter().any(|it| it.has(case));
        let single = reference.figure.iter().filter(|it| !is_point(&it.case));
        text.push_str(&source(publication, single));
    }
    text
}

fn peer(peer: &Peer) -> String {
    let remark = if peer.remark.is_empty() {
        String::new()
    } else {
        format!(" ({})", peer.remark)
    };
    format!("{} {}{remark}", peer.system, show(peer.instructions))
}

fn source<'a>(publication: &Publication, figures: impl Iterator<Item = &'a Figure>) -> String {
    let Publication {
        title,
        publisher,
        system,
        hardware,
        protected,
        method,
        ..
    } = publication;
    let protected = if *protected {
        "protected"
    } else {
        "unprotected"
    };
    let mut text =
        format!("published: {system}, {protected}, on {hardware}; {publisher}, \"{title}\"\n");
    if !method.is_empty() {
        let _ = writeln!(text, "published method: {method}");
    }
    for figure in figures {
        let Figure {
            case,
            microseconds_min: least,
            microseconds_max: most,
            remark,
        } = figure;
        let _ = writeln!(
            text,
            "published, {case}: {} to {} µs. {remark}",
            show(*least),
            show(*most)
        );
    }
    text
}

/// How cases were measured that say so themselves, or whose timer was coarse: a line for all that say the same.
fn own_methods(measurements: &[Measurement]) -> String {
    let mut methods: Vec<(String, Vec<&str>)> = Vec::new();
    for it in measurements {
        let said: Vec<String> = it
            .sample
            .method
            .iter()
            .cloned()
            .chain(it.coarse())
            .collect();
        if said.is_empty() {
            continue;
        }
        let (said, case) = (said.join("; "), it.sample.case.as_str());
        match methods.iter_mut().find(|(text, _)| *text == said) {
            Some((_, cases)) if cases.contains(&case) => {}
            Some((_, cases)) => cases.push(case),
            None => methods.push((said, vec![case])),
        }
    }
    let lines = methods.iter();
    let line =
        |(text, cases): &(String, Vec<&str>)| format!("method of {}: {text}\n", cases.join(", "));
    lines.map(line).collect()
}

fn method(board: &Board, measurements: &[Measurement], provenance: &Provenance) -> String {
    let turns = range(measurements.iter().map(|it| it.sample.iterations));
    let kernel = range(measurements.iter().map(|it| it.kernel_code));
    let ram = range(measurements.iter().map(|it| it.kernel_ram));
    let thread = range(measurements.iter().map(|it| it.thread_ram));
    let counted = match (Unit::of(board), board.emulator()) {
        (Unit::Cycles { memory }, _) => {
            format!("exact cycles of the core's own logic, by the board's counter; {memory}")
        }
        (Unit::Instructions, emulator) => format!(
            "exact instructions in {} (-icount); an exception's entry and exit count as none",
            emulator.unwrap_or("the emulator")
        ),
    };
    let subtracted = if measurements.iter().all(|it| it.sample.loop_ticks == 0) {
        "nothing subtracted"
    } else {
        "loop subtracted"
    };
    format!(
        "method: {counted}; {subtracted}, {turns} iterations; floors: multiples of the board's \
         floor\nconfiguration: {}; {}\nkernel: {kernel} bytes of code, {ram} of RAM, of which {thread} a thread\n",
        provenance.config,
        provenance.compiler()
    )
}

/// The least and the most, or the one there is.
fn range<T: Ord + Default + std::fmt::Display>(numbers: impl Iterator<Item = T> + Clone) -> String {
    let least = numbers.clone().min().unwrap_or_default();
    let most = numbers.max().unwrap_or_default();
    if least == most {
        format!("{most}")
    } else {
        format!("{least} to {most}")
    }
}

fn hundredth(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// The figure that is shown, which is the one that is judged.
pub fn tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// A figure to a tenth, and no digit more than that says something.
pub fn show(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").unwrap_or(&text).into()
}

/// `text` in lines that fit beside the tables, each of its own lines further in from the second.
fn wrap(text: &str) -> String {
    let options = textwrap::Options::new(WIDTH).subsequent_indent("    ");
    text.lines()
        .flat_map(|line| textwrap::wrap(line, options.clone()))
        .map(|line| line.into_owned() + "\n")
        .collect()
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::bench::measure::Sample;
    use crate::bench::reference::Target;

    /// A measurement of `case`, with that value.
    pub fn measurement(case: &str, protected: bool, value: f64) -> Measurement {
        Measurement {
            suite: "core".into(),
            application: "core".into(),
            board: "mps2-an386".into(),
            sample: Sample {
                case: case.into(),
                protected,
                iterations: 1000,
                operations: 1,
                ticks: 0,
                loop_ticks: 0,
                min_ticks: None,
                max_ticks: None,
                bytes: None,
                method: None,
                counters: Vec::new(),
            },
            unit: Unit::Instructions,
            value,
            min: None,
            max: None,
            exceptions: Some(2.0),
            retired: None,
            grain: None,
            kernel_code: 16_000,
            kernel_ram: 9_000,
            thread_ram: 200,
        }
    }

    fn reference() -> Reference {
        let figure = |system: &str, instructions, protected| Peer {
            boards: Vec::new(),
            case: "rt-1w".into(),
            system: system.into(),
            instructions,
            protected,
            remark: String::new(),
        };
        let target = Target {
            case: "rt-1w".into(),
            at_most: 130.0,
            floors: Some(1.7),
            boards: Vec::new(),
            memory: None,
            protected: true,
        };
        Reference {
            peer: vec![
                figure("CMRX", 469.0, true),
                figure("FreeRTOS-MPU", 1871.0, true),
                figure("ChibiOS", 131.0, false),
            ],
            target: vec![target],
            ..Reference::default()
        }
    }

    fn rows(measurements: &[Measurement]) -> String {
        let lab = crate::lab::Lab::open().unwrap();
        let board = lab.board("mps2-an386").unwrap();
        table(&Case::group(measurements), board, &reference(), Some(70.0)).to_string()
    }

    #[test]
    fn both_forms_of_a_case_stand_in_one_row_beside_the_best_peers() {
        let text = rows(&[
            measurement("rt-1w", true, 112.0),
            measurement("rt-1w", false, 95.5),
        ]);
        let row = text.lines().last().unwrap();
        let words = [
            "rt-1w",
            "112",
            "95.5",
            "2",
            "1.60",
            "≤ 130 met, ≤ 1.7× met",
            "469 CMRX",
            "131 ChibiOS",
        ];
        for word in words {
            assert!(row.contains(word), "{word} in {row}");
        }
        assert!(text.lines().all(|line| line.chars().count() <= 110));
    }

    #[test]
    fn how_a_case_was_measured_is_said_once_for_all_that_were_so() {
        let with = |case, grain| {
            let mut it = measurement(case, true, 1.0);
            it.sample.method = Some("by a pin".into());
            Measurement { grain, ..it }
        };
        let text = own_methods(&[
            with("a", None),
            measurement("b", true, 1.0),
            with("c", None),
            with("a", None),
            with("d", Some(40)),
        ]);
        assert_eq!(
            text,
            "method of a, c: by a pin\nmethod of d: by a pin; the timer ticks once in 40 instructions\n"
        );
    }

    #[test]
    fn a_missed_target_says_by_how_much() {
        assert!(
            rows(&[measurement("rt-1w", true, 142.0)])
                .contains("≤ 130 missed by 12, ≤ 1.7× missed by 0.33")
        );
    }
}
