//! The screen that `./riposte bench` ends in: the headlines, beside what was published and beside the peers.

use std::fmt::Write as _;

use super::front::Found;
use super::headlines::{Figure, Group, Headlines};
use super::measure::{Measurement, Unit};
use super::reference::{Peer, Reference};
use super::report::show;
use super::result_file::Provenance;
use crate::board::Board;
use crate::table::{Align, Table};

/// Columns of the terminal that the screen may take.
const WIDTH: usize = 100;

/// What stands in the place of a figure that there is not.
const MISSING: &str = "missing";

/// What the figures of the publications are.
const NOTE: &str = "\
Exact cycles of the core's own logic; published times are multiplied by their clock. The ratio is
published ÷ Riposte: more than 1 says that Riposte takes less.
";

/// The whole screen. `references` are those of the suites, by the numbers that the headlines have.
pub fn text(
    headlines: &Headlines,
    references: &[Reference],
    found: &Found,
    provenance: &Provenance,
) -> String {
    let view = View { references, found };
    let missing = missing(headlines, found);
    let commit = provenance.short_commit();
    let shipped = "every process protected from the others, tracing off";
    let mut text = format!("Riposte {commit}, as it ships: {shipped}\n\n");
    text.push_str(&view.publications(&headlines.publications));
    text.push('\n');
    for group in &headlines.peers {
        text.push_str(&view.peers(group));
    }
    for group in &headlines.own {
        text.push_str(&view.sentence(group, None));
    }
    missing.iter().for_each(|line| text += &(cut(line) + "\n"));
    text + "\nThe long tables: ./riposte bench SUITE, --board BOARD, or --all (many minutes)\n"
}

struct View<'a> {
    references: &'a [Reference],
    found: &'a Found,
}

impl View<'_> {
    fn publications(&self, groups: &[Group]) -> String {
        let mut table = Table::new(&[
            ("Publications", Align::Left),
            ("published", Align::Right),
            ("Riposte", Align::Right),
            ("ratio", Align::Right),
        ]);
        for group in groups {
            let of_group = group.figures.iter();
            of_group.for_each(|it| table.row(self.row(it, &group.figures[0])));
        }
        let table = table.to_string();
        let mut lines = table.lines();
        let mut text: String = lines
            .by_ref()
            .take(2)
            .map(|line| line.to_owned() + "\n")
            .collect();
        for group in groups {
            text += &self.title(group);
            for line in lines.by_ref().take(group.figures.len()) {
                let _ = writeln!(text, "{line}");
            }
        }
        text + NOTE
    }

    /// Whose figures follow, and where ours are from; or why there are none.
    fn title(&self, group: &Group) -> String {
        let on = group.on.iter().map(|on| format!(" on {on}"));
        let mut text = group.name.clone() + &on.collect::<String>();
        let first = group.figures.first();
        if let Some(source) = first.and_then(|it| self.references[it.suite].source.as_ref()) {
            let _ = write!(text, ", {}", word(source.protected));
        }
        if let Some(first) = first {
            let (board, processes) = (place(&first.board), processes(first));
            let _ = write!(text, "; Riposte on {board}, {processes}");
        }
        if let Some(why) = &group.missing {
            let _ = write!(text, ": {why}");
        }
        wrap(&text)
    }

    /// The row of a figure; it says where it is from if the `first` one, of which the title says so, is from
    /// elsewhere.
    fn row(&self, figure: &Figure, first: &Figure) -> Vec<String> {
        let published = figure.published(&self.references[figure.suite]);
        let ours = self.found.value(figure);
        let span = |[least, most]: [f64; 2]| {
            if least == most {
                show(most)
            } else {
                format!("{}-{}", show(least), show(most))
            }
        };
        let mut what = format!("  {}", figure.what);
        if figure.board != first.board || figure.protected != first.protected {
            let (board, processes) = (place(&figure.board), processes(figure));
            let _ = write!(what, " ({board}, {processes})");
        }
        vec![
            what,
            published.map_or(MISSING.into(), span),
            ours.map_or(MISSING.into(), show),
            ratio(published.map(|it| it[0]), ours),
        ]
    }

    /// A table; or one sentence, if there is one peer only.
    fn peers(&self, group: &Group) -> String {
        let systems = self.systems(group);
        if let [system] = systems.as_slice() {
            return self.sentence(group, Some(*system));
        }
        let headings: Vec<String> = systems.iter().map(|(name, _)| heading(name)).collect();
        let mut columns = vec![("", Align::Left), ("Riposte", Align::Right)];
        columns.push(("ratio", Align::Right));
        columns.extend(headings.iter().map(|it| (it.as_str(), Align::Right)));
        let mut table = Table::new(&columns);
        for figure in &group.figures {
            table.row(self.peers_row(figure, &systems));
        }
        let list = |wanted| {
            let names = systems.iter().filter(|it| it.1 == wanted).map(|it| it.0);
            names.collect::<Vec<_>>().join(", ")
        };
        let (protected, others) = (list(true), list(false));
        let title = format!(
            "Peers on {}; the ratio is to the best protected ones: {protected}. Unprotected: {others}",
            described(group)
        );
        format!("{}{table}", wrap(&title))
    }

    /// Every system that has a figure, the protected ones first; else they stay in order.
    fn systems(&self, group: &Group) -> Vec<(&str, bool)> {
        let mut systems: Vec<(&str, bool)> = Vec::new();
        for peer in group.figures.iter().flat_map(|it| self.peers_of(it)) {
            let system = (peer.system.as_str(), peer.protected);
            if !systems.contains(&system) {
                systems.push(system);
            }
        }
        systems.sort_by_key(|(_, protected)| !protected);
        systems
    }

    /// The figures of a group one behind the other, each beside that of the peer if there is one.
    fn sentence(&self, group: &Group, peer: Option<(&str, bool)>) -> String {
        let figure = |figure: &Figure| {
            let ours = self.found.value(figure);
            let text = ours.map_or(MISSING.into(), show);
            let Some(peer) = peer.and_then(|_| self.peers_of(figure).next()) else {
                return format!("{} {text}", figure.what);
            };
            let others = peer.instructions;
            let ratio = ratio(Some(others), ours);
            format!("{} {text} to {} ({ratio})", figure.what, show(others))
        };
        let figures: Vec<String> = group.figures.iter().map(figure).collect();
        let peer = peer.map(|(name, protected)| format!(" to {name} ({})", word(protected)));
        let peer = peer.unwrap_or_default();
        wrap(&format!(
            "On {}, Riposte{peer}: {}",
            described(group),
            figures.join("; ")
        ))
    }

    fn peers_row(&self, figure: &Figure, systems: &[(&str, bool)]) -> Vec<String> {
        let ours = self.found.value(figure);
        let of = |system: &(&str, bool)| {
            let mut peers = self.peers_of(figure);
            peers.find(|it| (it.system.as_str(), it.protected) == *system)
        };
        let protected = self.peers_of(figure).filter(|it| it.protected);
        let best = protected.map(|it| it.instructions).min_by(f64::total_cmp);
        let mut row = vec![figure.what.clone(), ours.map_or(MISSING.into(), show)];
        row.push(ratio(best, ours));
        let cell = |it: &(&str, bool)| of(it).map_or(String::new(), |it| show(it.instructions));
        row.extend(systems.iter().map(cell));
        row
    }

    fn peers_of(&self, figure: &Figure) -> impl Iterator<Item = &Peer> {
        let peers = self.references[figure.suite].peer.iter();
        peers.filter(|it| it.case == figure.case && it.is_on(&figure.board.name))
    }
}

/// Why figures are missing: a line for each application that has none, and for each case that none printed.
pub fn missing(headlines: &Headlines, found: &Found) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for figure in headlines.figures().filter(|it| found.value(it).is_none()) {
        let from = format!("{} on {}", figure.application, place(&figure.board));
        let why = match found.troubles.get(&from) {
            Some(why) => why.lines().next().unwrap_or_default().to_owned(),
            None => format!("it printed no case `{}`", figure.case),
        };
        let line = format!("missing: {from}: {why}");
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

impl Found {
    /// The figure, as it is shown.
    fn value(&self, figure: &Figure) -> Option<f64> {
        let of = |case: &str| {
            let mut all = self.measurements.iter();
            let found = all.find(|it| figure.is(it) && it.sample.case == case);
            found.map(|it| it.value)
        };
        let value = of(&figure.case)?;
        match &figure.per {
            Some(per) => Some(value / of(per)?),
            None => Some(value),
        }
    }
}

impl Figure {
    /// Whether the measurement is of the same kind: from the same suite, in the same place.
    fn is(&self, it: &Measurement) -> bool {
        it.board == self.board.name
            && it.unit == Unit::of(&self.board)
            && it.sample.protected == self.protected
            && it.suite == self.suite_name
    }
}

fn word(protected: bool) -> &'static str {
    if protected {
        "protected"
    } else {
        "unprotected"
    }
}

/// The board, with its memory where the suite measures in several.
pub fn place(board: &Board) -> String {
    let memory = board.simulator().and_then(|it| it.model.as_ref());
    let memory = memory.map(|name| format!(" with {name}"));
    board.name.clone() + &memory.unwrap_or_default()
}

/// The processes of a case: each is protected from the others, always.
fn processes(figure: &Figure) -> &'static str {
    if figure.protected {
        "between processes"
    } else {
        "within a process"
    }
}

/// The board of a group, and what it counts there.
fn described(group: &Group) -> String {
    let unit = group.figures.first().map(|it| Unit::of(&it.board));
    let counted = match unit {
        Some(Unit::Instructions) => {
            "instructions, emulated; an exception's entry and exit count none"
        }
        Some(Unit::Cycles { .. }) => "cycles",
        None => "",
    };
    format!("{} ({counted})", group.name)
}

/// How many times ours go into others'.
fn ratio(others: Option<f64>, ours: Option<f64>) -> String {
    match others.zip(ours).map(|(others, ours)| others / ours) {
        None => "-".into(),
        Some(ratio) if ratio < 2.0 => format!("{ratio:.2}×"),
        Some(ratio) if ratio < 10.0 => format!("{ratio:.1}×"),
        Some(ratio) => format!("{ratio:.0}×"),
    }
}

/// A name of two words stands in two lines.
fn heading(system: &str) -> String {
    system.replace(' ', "\n").replace('-', "-\n")
}

/// The text in lines that fit, those after the first further in.
fn wrap(text: &str) -> String {
    let options = textwrap::Options::new(WIDTH).subsequent_indent("    ");
    let lines = textwrap::wrap(text, options).into_iter();
    lines.map(|line| line.into_owned() + "\n").collect()
}

/// One line of it: the rest was said when it happened.
fn cut(text: &str) -> String {
    if text.chars().count() <= WIDTH {
        return text.into();
    }
    let kept: String = text.chars().take(WIDTH - 1).collect();
    kept + "…"
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::headlines::tests::read;
    use crate::bench::report::tests::measurement;

    /// Lines of a terminal.
    const SCREEN: usize = 45;

    fn provenance() -> Provenance {
        Provenance {
            commit: "0123456789abcdef-dirty".into(),
            date: String::new(),
            tools: std::collections::BTreeMap::default(),
            config: String::new(),
            checks: vec![],
        }
    }

    /// As if every figure were `value`.
    fn found(headlines: &Headlines, value: f64) -> Found {
        let mut found = Found::default();
        for figure in headlines.figures() {
            for case in std::iter::once(&figure.case).chain(&figure.per) {
                found.measurements.push(Measurement {
                    suite: figure.suite_name.clone(),
                    board: figure.board.name.clone(),
                    unit: Unit::of(&figure.board),
                    ..measurement(case, figure.protected, value)
                });
            }
        }
        found
    }

    /// What it would be like on a terminal, with the line that names the result file.
    fn check_size(text: &str) {
        let lines = text.lines().count() + 1;
        assert!(lines <= SCREEN, "{lines} lines:\n{text}");
        for line in text.lines() {
            let columns = line.chars().count();
            assert!(columns <= WIDTH, "{columns} columns: {line}");
        }
    }

    #[test]
    fn everything_that_is_found_stands_on_one_screen() {
        let (headlines, references) = read();
        let found = found(&headlines, 12_345.6);
        let text = text(&headlines, &references, &found, &provenance());
        check_size(&text);
        assert!(missing(&headlines, &found).is_empty());
        for figure in headlines.figures() {
            assert!(text.contains(&figure.what), "{}", figure.what);
        }
        assert_eq!(
            text.matches("12345.6").count(),
            headlines.figures().filter(|it| it.per.is_none()).count()
        );
        assert!(!text.contains(MISSING) && !text.contains('…'), "{text}");
        assert!(text.starts_with("Riposte 0123456789-dirty"), "{text}");
    }

    #[test]
    fn a_figure_that_is_missing_says_so_in_its_place_and_why_below() {
        let (headlines, references) = read();
        let mut found = found(&headlines, 100.0);
        let lost = headlines.publications[0].figures[0].clone();
        found
            .measurements
            .retain(|it| !(lost.is(it) && it.sample.case == lost.case));
        let text = text(&headlines, &references, &found, &provenance());
        let row = text.lines().find(|line| line.contains(&lost.what)).unwrap();
        assert!(row.contains("  missing") && row.ends_with(" -"), "{row}");
        let why = format!(
            "missing: {} on {}: it printed no case `{}`",
            lost.application, lost.board.name, lost.case
        );
        assert!(text.lines().any(|line| line == why), "{text}");
        assert_eq!(missing(&headlines, &found).len(), 1);
    }

    #[test]
    fn when_nothing_runs_each_application_says_why_once() {
        let (headlines, references) = read();
        let mut found = Found::default();
        for figure in headlines.figures() {
            let job = format!("{} on {}", figure.application, place(&figure.board));
            found
                .troubles
                .insert(job, format!("riposte: {}\nmore", "no ".repeat(50)));
        }
        let text = text(&headlines, &references, &found, &provenance());
        let lines = missing(&headlines, &found);
        assert_eq!(lines.len(), found.troubles.len());
        assert_eq!(text.matches("missing: ").count(), lines.len());
        for line in text.lines() {
            assert!(line.chars().count() <= WIDTH, "{line}");
        }
    }

    #[test]
    fn a_ratio_above_one_says_that_ours_is_less() {
        let shown = |others, ours| ratio(Some(others), Some(ours));
        assert_eq!(shown(110.0, 170.0), "0.65×");
        assert_eq!(shown(469.0, 119.0), "3.9×");
        assert_eq!(shown(17_400.0, 509.0), "34×");
        assert_eq!(ratio(None, Some(1.0)), "-");
    }

    #[test]
    fn a_count_is_shown_as_a_multiple_of_its_yardstick() {
        let (headlines, references) = read();
        let mut all = headlines.publications.iter().flat_map(|it| &it.figures);
        let figure = all.find(|it| it.per.is_some()).unwrap();
        let mut found = found(&headlines, 50.0);
        let mut measured = found.measurements.iter_mut();
        measured
            .find(|it| figure.is(it) && it.sample.case == figure.case)
            .unwrap()
            .value = 400.0;
        assert_eq!(found.value(figure), Some(8.0));
        let view = View {
            references: &references,
            found: &found,
        };
        // 263019565 counts of basic and 675715 of preemptive, in the same 30 s.
        let published = figure.published(&view.references[figure.suite]).unwrap()[0];
        assert!((published - 389.25).abs() < 0.01, "{published}");
    }
}
