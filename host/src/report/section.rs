//! From figures to what the page shows of them: what stands first, and a section for each suite.

use std::collections::BTreeMap;

use serde_json::Value;

use super::between::{self, Transfer};
use super::chart::{self, Bar, Curve, Whose, short};
use super::page::{Claim, ClaimRow, Picture, Section, Table};
use super::waveform;
use crate::bench::{self, Figure, Group, Headlines, Reference, Suite, Unit};
use crate::board::Board;
use crate::lab::Lab;
use crate::results::{Entry, Results};

/// The case that the multiples of the floor are of.
const FLOOR: &str = "floor";
/// The case that counts of others are counted in.
const BASIC: &str = "basic";
/// As many sizes make a curve.
const CURVE: usize = 3;

/// What there is to show.
pub struct View<'a> {
    pub lab: &'a Lab,
    pub suites: &'a [Suite],
    /// Those of the suites, one each.
    pub references: &'a [Reference],
    pub results: &'a Results,
    pub breakdowns: &'a [Value],
    pub transfers: &'a [Transfer],
}

/// A board, in one of its memories, and what a suite measured there.
struct Place<'a> {
    board: Board,
    name: String,
    /// Whether the suite measures in this memory by itself: what it wants, it wants there.
    is_own: bool,
    costs: Vec<&'a Entry>,
    floor: Option<f64>,
}

impl<'a> View<'a> {
    /// What stands first: each publication's headline, and the peers.
    pub fn claims(&self, headlines: &Headlines) -> Vec<Claim> {
        let publications = headlines
            .publications
            .iter()
            .map(|it| self.claim(it, false));
        let peers = headlines.peers.iter().map(|it| self.claim(it, true));
        publications.chain(peers).collect()
    }

    fn claim(&self, group: &Group, peers: bool) -> Claim {
        let on = group.on.as_deref().unwrap_or("");
        let place = group.figures.first().map(|figure| {
            let processes = processes(figure.protected);
            let ours = format!("Riposte on {}, {processes}", place_name(&figure.board));
            match on {
                "" => ours,
                on => format!("theirs on {on}; {ours}"),
            }
        });
        let rows = group.figures.iter().map(|figure| match peers {
            true => self.peer_row(figure),
            false => self.published_row(figure),
        });
        Claim {
            title: match peers {
                true => format!("The best protected peer on {}", group.name),
                false => group.name.clone(),
            },
            place: place.unwrap_or_default(),
            rows: rows.collect(),
            missing: group.missing.clone(),
            is_measured: group.figures.iter().any(|it| self.value(it).is_some()),
        }
    }

    fn published_row(&self, figure: &Figure) -> ClaimRow {
        let reference = &self.references[figure.suite];
        let theirs = figure.published(reference);
        let span = theirs.map(|[least, most]| match least == most {
            true => short(most),
            false => format!("{}-{}", short(least), short(most)),
        });
        self.row(figure, theirs.map(|it| it[0]), span)
    }

    fn peer_row(&self, figure: &Figure) -> ClaimRow {
        let reference = self.references[figure.suite].for_board(&figure.board.name);
        let best = reference.best(&figure.case, true);
        let theirs = best.map(|it| format!("{} {}", short(it.instructions), it.system));
        self.row(figure, best.map(|it| it.instructions), theirs)
    }

    fn row(&self, figure: &Figure, least: Option<f64>, theirs: Option<String>) -> ClaimRow {
        let ours = self.value(figure);
        ClaimRow {
            what: figure.what.clone(),
            theirs: theirs.unwrap_or_else(|| "none".into()),
            ours: ours.map_or("not measured here".into(), short),
            ratio: least.zip(ours).map(|(theirs, ours)| theirs / ours),
        }
    }

    /// What was measured for a headline.
    pub fn value(&self, figure: &Figure) -> Option<f64> {
        let (suite, board) = (&figure.suite_name, &figure.board);
        let of = |case: &str| self.cost(suite, case, figure.protected, board);
        let value = of(&figure.case)?;
        match &figure.per {
            Some(per) => Some(value / of(per)?),
            None => Some(value),
        }
    }

    /// What a case of a suite takes between processes.
    pub fn protected_cost(&self, suite: &str, case: &str, board: &Board) -> Option<f64> {
        self.cost(suite, case, true, board)
    }

    fn cost(&self, suite: &str, case: &str, protected: bool, board: &Board) -> Option<f64> {
        let mut entries = self.results.entries.iter();
        let found = entries.find(|it| {
            it.suite == suite
                && it.case == case
                && it.protected == protected
                && it.is_cost()
                && is_on(it, board)
        });
        found.map(|it| it.value)
    }

    /// The floor of a board, if it was measured.
    pub fn floor(&self, board: &Board) -> Option<f64> {
        self.floor_in(board, memory(board).as_deref())
    }

    fn floor_in(&self, board: &Board, memory: Option<&str>) -> Option<f64> {
        let mut entries = self.results.entries.iter();
        let found = entries.find(|it| it.case == FLOOR && it.is_cost() && is_in(it, board, memory));
        found.map(|it| it.value).filter(|it| *it > 0.0)
    }

    /// The suites of which the files have figures, those of the publications first.
    pub fn sections(&self, headlines: &Headlines) -> Vec<Section> {
        let published = headlines
            .publications
            .iter()
            .flat_map(|it| it.figures.first());
        let mut order: Vec<usize> = published.map(|it| it.suite).collect();
        order.extend(0..self.suites.len());
        let mut sections = vec![];
        let mut told = vec![];
        for index in order {
            if !told.contains(&index) {
                told.push(index);
                sections.extend(self.section(index));
            }
        }
        sections
    }

    fn section(&self, index: usize) -> Option<Section> {
        let (suite, reference) = (&self.suites[index], &self.references[index]);
        let places = self.places(suite, reference);
        if places.is_empty() {
            return None;
        }
        let title = reference
            .title
            .clone()
            .unwrap_or_else(|| suite.description().into());
        let mut section = Section {
            id: format!("suite-{}", suite.name),
            name: suite.name.clone(),
            title: format!("{}: {title}", suite.name),
            about: about(reference),
            pictures: vec![],
            tables: vec![],
        };
        section
            .pictures
            .extend(beside_published(reference, &places));
        section.pictures.extend(beside_counts(reference, &places));
        for place in &places {
            section.pictures.extend(sizes(reference, place));
            section.pictures.extend(growth(place));
        }
        let between = between::pictures(&suite.name, reference, self.transfers);
        section.pictures.extend(between);
        let of_suite = |it: &&Value| it["suite"] == suite.name.as_str();
        section.pictures.extend(
            self.breakdowns
                .iter()
                .filter(of_suite)
                .filter_map(waveform::picture),
        );
        for place in &places {
            section.tables.extend(costs(reference, place));
            section.tables.extend(longest(place));
        }
        let between = between::tables(&suite.name, reference, self.transfers);
        section.tables.extend(between);
        section.tables.extend(self.kernels(suite));
        Some(section)
    }

    /// Each board in each memory that a suite has figures of: first in those in which it measures by itself, then in what
    /// somebody has asked for, or has measured before the suite had others.
    fn places(&self, suite: &Suite, reference: &Reference) -> Vec<Place<'a>> {
        let mut places: Vec<Place<'a>> = vec![];
        for board in &self.lab.boards {
            let of_board =
                |it: &&Entry| it.suite == suite.name && it.is_cost() && it.board == board.name;
            let entries = || self.results.entries.iter().filter(of_board);
            let own = reference.memories(board).into_iter();
            let own = own.map(|it| (memory(&it), place_name(&it), it));
            let mut memories: Vec<(Option<String>, String, Board)> = own.collect();
            let owned = memories.len();
            for it in entries() {
                let other = it.memory().map(str::to_owned);
                if !memories.iter().any(|(known, ..)| *known == other) {
                    let memory = other.as_deref().unwrap_or("a memory that is not told");
                    let name = format!("{}, {memory}", board.name);
                    memories.push((other, name, board.clone()));
                }
            }
            for (index, (memory, name, board)) in memories.into_iter().enumerate() {
                let here = |it: &&Entry| it.memory() == memory.as_deref();
                let costs: Vec<&Entry> = entries().filter(here).collect();
                if !costs.is_empty() {
                    places.push(Place {
                        floor: self.floor_in(&board, memory.as_deref()),
                        is_own: index < owned,
                        name,
                        costs,
                        board,
                    });
                }
            }
        }
        places
    }

    /// The sizes of the kernels that a suite's applications were measured with.
    fn kernels(&self, suite: &Suite) -> Option<Table> {
        let mut sizes: BTreeMap<(&str, &str), [f64; 2]> = BTreeMap::new();
        let entries = self.results.entries.iter();
        for it in entries.filter(|it| it.suite == suite.name && it.is_size()) {
            let size = sizes
                .entry((it.board.as_str(), it.method.as_str()))
                .or_insert([it.value, it.value]);
            *size = [size[0].min(it.value), size[1].max(it.value)];
        }
        let row = |((board, what), [least, most]): (&(&str, &str), &[f64; 2])| {
            vec![(*board).into(), (*what).into(), short(*least), short(*most)]
        };
        let rows: Vec<Vec<String>> = sizes.iter().map(row).collect();
        (!rows.is_empty()).then(|| Table {
            caption: format!("{}: size of the kernels, in bytes", suite.name),
            head: ["board", "what", "least", "most"].map(Into::into).into(),
            rows,
        })
    }

    /// How the systems were built, and what of them is on which memory.
    pub fn configurations(&self) -> Vec<String> {
        let mut all: Vec<String> = vec![];
        for it in &self.results.entries {
            if !it.config.is_empty() && !all.contains(&it.config) {
                all.push(it.config.clone());
            }
        }
        all.sort();
        all
    }
}

/// Whether a figure is from this board, in its memory.
fn is_on(entry: &Entry, board: &Board) -> bool {
    is_in(entry, board, memory(board).as_deref())
}

fn is_in(entry: &Entry, board: &Board, memory: Option<&str>) -> bool {
    entry.board == board.name && entry.memory() == memory
}

/// The memory of a simulated board, as result files have it.
fn memory(board: &Board) -> Option<String> {
    match Unit::of(board) {
        Unit::Instructions => None,
        Unit::Cycles { memory } => Some(memory),
    }
}

/// The board, in its memory.
pub fn place_name(board: &Board) -> String {
    let model = board.simulator().and_then(|it| it.model.as_ref());
    let model = model.map(|it| format!(", {it}"));
    board.name.clone() + &model.unwrap_or_default()
}

fn processes(protected: bool) -> &'static str {
    match protected {
        true => "across two processes",
        false => "within one process",
    }
}

/// Where a suite's published figures are from.
fn about(reference: &Reference) -> Vec<String> {
    let Some(source) = &reference.source else {
        return vec![];
    };
    let word = if source.protected {
        "protected"
    } else {
        "not protected"
    };
    let mut lines = vec![format!(
        "Published: {} on {}, tasks {word} from each other. {}, \u{201c}{}\u{201d}.",
        source.system, source.hardware, source.publisher, source.title
    )];
    if !source.method.is_empty() {
        lines.push(format!(
            "Their method: {}.",
            source.method.trim_end_matches('.')
        ));
    }
    lines
}

impl Place<'_> {
    /// What a case costs: across processes if it was measured so.
    fn cost(&self, case: &str) -> Option<&Entry> {
        let of_case = || self.costs.iter().filter(|it| it.case == case);
        of_case()
            .find(|it| it.protected)
            .or(of_case().next())
            .copied()
    }

    /// The cases, in the order in which they were measured.
    fn cases(&self) -> Vec<&str> {
        let mut cases: Vec<&str> = vec![];
        for it in &self.costs {
            if !cases.contains(&it.case.as_str()) {
                cases.push(&it.case);
            }
        }
        cases
    }

    fn is_in_cycles(&self) -> bool {
        self.board.simulator().is_some()
    }

    fn unit(&self) -> &'static str {
        Unit::of(&self.board).name()
    }
}

/// Published cycles and ours, on the boards that count cycles; those of sizes have a picture of their own.
fn beside_published(reference: &Reference, places: &[Place<'_>]) -> Option<Picture> {
    let places: Vec<&Place<'_>> = places.iter().filter(|it| it.is_in_cycles()).collect();
    let mut bars = vec![];
    for figure in &reference.figure {
        if bench::size(&figure.case).is_some() && reference.figure.len() > 2 * CURVE {
            continue;
        }
        let ours = places.iter().filter_map(|place| {
            let cost = place.cost(&figure.case)?;
            Some((Whose::Ours(format!("Riposte, {}", place.name)), cost.value))
        });
        let ours: Vec<(Whose, f64)> = ours.collect();
        if let (Some([_, most]), false) = (reference.cycles(&figure.case), ours.is_empty()) {
            let mut values = vec![(Whose::Theirs("published".into()), most)];
            values.extend(ours);
            bars.push(Bar {
                label: figure.case.clone(),
                values,
            });
        }
    }
    let caption = "Cycles of an operation, published and Riposte's. Shorter is better.";
    picture(
        caption,
        chart::bars(caption, &bars),
        bar_table(caption, &bars),
    )
}

/// What was published as counts, as multiples of a count of its own, and the same of ours.
fn beside_counts(reference: &Reference, places: &[Place<'_>]) -> Option<Picture> {
    let basic = reference.count_a_second(BASIC)?;
    let mut bars = vec![];
    for case in reference.counted().filter(|case| *case != BASIC) {
        let Some(count) = reference.count_a_second(case) else {
            continue;
        };
        let ours = places.iter().filter_map(|place| {
            let ratio = place.cost(case)?.value / place.cost(BASIC)?.value;
            Some((Whose::Ours(format!("Riposte, {}", place.name)), ratio))
        });
        let ours: Vec<(Whose, f64)> = ours.collect();
        if !ours.is_empty() {
            let mut values = vec![(Whose::Theirs("published".into()), basic / count)];
            values.extend(ours);
            bars.push(Bar {
                label: case.to_owned(),
                values,
            });
        }
    }
    let caption = "What a turn of each test takes, in turns of the test basic. Shorter is better.";
    picture(
        caption,
        chart::bars(caption, &bars),
        bar_table(caption, &bars),
    )
}

pub fn picture(caption: &str, svg: String, table: Table) -> Option<Picture> {
    (!svg.is_empty()).then(|| Picture {
        caption: caption.into(),
        svg,
        table,
    })
}

fn bar_table(caption: &str, bars: &[Bar]) -> Table {
    let rows = bars.iter().flat_map(|bar| {
        let row = |(whose, value): &(Whose, f64)| {
            vec![
                bar.label.clone(),
                whose.name().to_owned(),
                format!("{value:.2}"),
            ]
        };
        bar.values.iter().map(row)
    });
    Table {
        caption: caption.into(),
        head: ["what", "whose", "figure"].map(Into::into).into(),
        rows: rows.collect(),
    }
}

/// Gathers points into curves by name, each with the smallest size first.
pub fn gather(points: impl Iterator<Item = (String, f64, f64)>, published: bool) -> Vec<Curve> {
    let mut curves: Vec<Curve> = vec![];
    for (name, size, figure) in points {
        let index = curves
            .iter()
            .position(|it| it.name == name)
            .unwrap_or_else(|| {
                curves.push(Curve {
                    name,
                    points: vec![],
                    published,
                });
                curves.len() - 1
            });
        curves[index].points.push((size, figure));
    }
    for curve in &mut curves {
        curve.points.sort_by(|a, b| a.0.total_cmp(&b.0));
        curve.points.dedup_by(|a, b| a.0 == b.0);
    }
    curves.retain(|it| it.points.len() >= CURVE);
    curves
}

/// What operations cost for more and more bytes, and how many bytes a kilocycle that is, beside what was published.
fn sizes(reference: &Reference, place: &Place<'_>) -> Vec<Picture> {
    let ours = place.cases().into_iter().filter_map(|case| {
        let (operation, bytes) = bench::size(case)?;
        Some((operation.to_owned(), bytes.into(), place.cost(case)?.value))
    });
    let mut curves = gather(ours, false);
    if place.is_in_cycles() {
        let theirs = reference.figure.iter().filter_map(|figure| {
            let (operation, bytes) = bench::size(&figure.case)?;
            let [least, _] = reference.cycles(&figure.case)?;
            Some((format!("{operation}, published"), bytes.into(), least))
        });
        curves.extend(gather(theirs, true));
    }
    let unit = place.unit();
    let caption = format!(
        "{}: {unit} of an operation over the bytes that it moves.",
        place.name
    );
    let svg = chart::curves(&caption, "bytes", unit, &curves);
    let time = picture(&caption, svg, curve_table(&caption, unit, &curves));
    for curve in &mut curves {
        for (size, figure) in &mut curve.points {
            *figure = 1000.0 * *size / *figure;
        }
    }
    let per = format!("bytes in 1,000 {unit}");
    let caption = format!(
        "{}: {per}, over the bytes that an operation moves.",
        place.name
    );
    let svg = chart::curves(&caption, "bytes", &per, &curves);
    let rate = picture(&caption, svg, curve_table(&caption, &per, &curves));
    time.into_iter().chain(rate).collect()
}

/// What operations cost in larger and larger systems.
fn growth(place: &Place<'_>) -> Option<Picture> {
    let cases = place.cases().into_iter();
    let costs = cases.filter_map(|case| Some((case, place.cost(case)?.value)));
    let unit = place.unit();
    let caption = format!(
        "{}: {unit} of an operation in larger and larger systems. Flat is good.",
        place.name
    );
    larger_systems(&caption, unit, costs)
}

/// Curves of those costs that are of larger and larger systems.
pub fn larger_systems<'a>(
    caption: &str,
    unit: &str,
    costs: impl Iterator<Item = (&'a str, f64)>,
) -> Option<Picture> {
    let points = costs.filter_map(|(case, value)| {
        let (operation, number, what) = bench::growing(case)?;
        Some((format!("{operation}, {what}"), f64::from(number), value))
    });
    let curves = gather(points, false);
    let svg = chart::curves(caption, "how many there are", unit, &curves);
    picture(caption, svg, curve_table(caption, unit, &curves))
}

pub fn curve_table(caption: &str, up: &str, curves: &[Curve]) -> Table {
    let rows = curves.iter().flat_map(|curve| {
        let row = |(size, figure): &(f64, f64)| {
            vec![curve.name.clone(), short(*size), format!("{figure:.3}")]
        };
        curve.points.iter().map(row)
    });
    Table {
        caption: caption.into(),
        head: ["what", "size", up].map(Into::into).into(),
        rows: rows.collect(),
    }
}

/// All figures of a place that are in no picture or table of their own.
fn costs(reference: &Reference, place: &Place<'_>) -> Option<Table> {
    let reference = reference.for_board(&place.board.name);
    let mut rows = vec![];
    for case in place.cases() {
        if case.contains('@') || case.starts_with("longest: ") {
            continue;
        }
        let of = |protected: bool| {
            let mut costs = place.costs.iter();
            costs.find(|it| it.case == case && it.protected == protected)
        };
        let show = |it: Option<&&Entry>| it.map_or(String::new(), |it| short(it.value));
        let peer = |protected| {
            let best = reference.best(case, protected);
            best.map_or(String::new(), |it| {
                format!("{} {}", short(it.instructions), it.system)
            })
        };
        let target = [true, false].into_iter().find_map(|protected| {
            let target = reference.target(case, &place.board, protected);
            let target = target.filter(|_| place.is_own)?;
            Some(bench::verdict(target, of(protected)?.value, place.floor))
        });
        let theirs = reference
            .cycles(case)
            .map(|[least, most]| match least == most {
                true => short(most),
                false => format!("{}-{}", short(least), short(most)),
            });
        let floors = of(true)
            .zip(place.floor)
            .map(|(it, floor)| format!("{:.2}", it.value / floor));
        rows.push(vec![
            case.to_owned(),
            show(of(true)),
            floors.filter(|_| case != FLOOR).unwrap_or_default(),
            show(of(false)),
            theirs.unwrap_or_default(),
            peer(true),
            peer(false),
            target.unwrap_or_default(),
        ]);
    }
    let head = [
        "case",
        "across processes",
        "floors",
        "within one",
        "published cycles",
        "best protected peer",
        "best unprotected peer",
        "wanted, at most",
    ];
    // A column that says nothing here is left out.
    let kept: Vec<usize> = (0..head.len())
        .filter(|column| *column == 0 || rows.iter().any(|row| !row[*column].is_empty()))
        .collect();
    let keep = |row: &[String]| kept.iter().map(|column| row[*column].clone()).collect();
    (!rows.is_empty()).then(|| Table {
        caption: format!("{}: {} of an operation", place.name, place.unit()),
        head: keep(&head.map(str::to_owned)),
        rows: rows.iter().map(|row| keep(row)).collect(),
    })
}

/// The longest path of each call, the longest first.
fn longest(place: &Place<'_>) -> Option<Table> {
    let paths = place.costs.iter().filter_map(|it| {
        let (call, when) = bench::longest(&it.case)?;
        Some((format!("{call}, {when}"), it.value))
    });
    let mut paths: Vec<(String, f64)> = paths.collect();
    paths.sort_by(|a, b| b.1.total_cmp(&a.1));
    let rows = paths
        .iter()
        .map(|(path, value)| vec![path.clone(), short(*value)]);
    (!paths.is_empty()).then(|| Table {
        caption: format!(
            "{}: the longest path of each call, in {}",
            place.name,
            place.unit()
        ),
        head: [
            "call, and what makes it long",
            "until whoever runs next runs",
        ]
        .map(Into::into)
        .into(),
        rows: rows.collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_come_in_order_of_size_and_too_few_make_no_curve() {
        let points = [
            ("a", 8.0, 1.0),
            ("a", 2.0, 3.0),
            ("b", 1.0, 1.0),
            ("a", 4.0, 2.0),
        ];
        let points = points.map(|(name, size, figure)| (name.to_owned(), size, figure));
        let curves = gather(points.into_iter(), false);
        assert_eq!(curves.len(), 1);
        assert_eq!(curves[0].points, [(2.0, 3.0), (4.0, 2.0), (8.0, 1.0)]);
    }
}
