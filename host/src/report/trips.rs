//! What stands first on the page: a message there and back on each board, as a multiple of what the hardware takes anyway.

use serde::Serialize;

use super::chart::short;
use super::section::{View, place_name};
use crate::bench::{Figure, Group, Headlines, Unit};
use crate::board::Board;

/// The suite whose messages are shown of boards that the headlines do not name.
const SUITE: &str = "core";
/// And which of them.
const CASES: [(&str, &str); 2] = [
    ("rt-1w", "round trip, one word"),
    ("rt-32B", "round trip, 32 bytes"),
];

/// A board, and what messages there and back take on it.
#[derive(Serialize)]
pub struct Trips {
    /// The board, in its memory.
    board: String,
    /// What it is.
    about: String,
    /// What it counts.
    unit: String,
    /// Its floor, if that was measured.
    floor: Option<String>,
    /// A row for each message.
    rows: Vec<Trip>,
}

/// A message there and back.
#[derive(Serialize)]
pub struct Trip {
    what: String,
    ours: Option<Cost>,
    theirs: Option<Cost>,
    /// Who the others are.
    whose: String,
}

/// A figure, and what it is of the board's floor.
#[derive(Serialize)]
pub struct Cost {
    /// As it is shown.
    figure: String,
    /// As a multiple of the floor, shown too.
    floors: Option<String>,
    /// How long its bar is, in hundredths of the board's longest.
    bar: f64,
}

/// What is published is a span.
type Span = [f64; 2];

impl View<'_> {
    /// The messages there and back, board by board, of which anything was measured.
    pub fn trips(&self, headlines: &Headlines) -> Vec<Trips> {
        let named = headlines.round_trips();
        let mut all: Vec<Trips> = named
            .iter()
            .map(|(board, figures)| self.trips_of_headlines(board, figures, headlines))
            .collect();
        let is_named = |board: &Board| named.iter().any(|(it, _)| **it == *board);
        let others = self.lab.boards.iter().filter(|it| !is_named(it));
        all.extend(others.map(|board| self.trips_of_suite(board)));
        all.retain(|it| it.rows.iter().any(|row| row.ours.is_some()));
        all
    }

    fn trips_of_headlines(
        &self,
        board: &Board,
        figures: &[(&Group, &Figure)],
        all: &Headlines,
    ) -> Trips {
        let floor = self.floor(board);
        let row = |(group, figure): &(&Group, &Figure)| {
            let is_published = all.publications.iter().any(|it| std::ptr::eq(it, *group));
            let (theirs, whose, what) = if is_published {
                let on = group.on.iter().map(|on| format!(", on {on}"));
                let whose = format!("{}, published{}", group.name, on.collect::<String>());
                let what = format!("{}: {}", group.name, figure.what);
                let published = figure.published(&self.references[figure.suite]);
                (published, whose, what)
            } else {
                let (theirs, whose) = self.peer(figure.suite, board, &figure.case);
                (theirs, whose, figure.what.clone())
            };
            let ours = self.value(figure).map(|it| [it; 2]);
            Trip::new(what, ours, theirs, whose, floor)
        };
        self.on(board, floor, figures.iter().map(row).collect())
    }

    fn trips_of_suite(&self, board: &Board) -> Trips {
        let floor = self.floor(board);
        let suite = self.suites.iter().position(|it| it.name == SUITE);
        let rows = CASES.iter().map(|(case, what)| {
            let ours = self.protected_cost(SUITE, case, board).map(|it| [it; 2]);
            let theirs = suite.map(|suite| self.peer(suite, board, case));
            let (theirs, whose) = theirs.unwrap_or_default();
            Trip::new((*what).into(), ours, theirs, whose, floor)
        });
        self.on(board, floor, rows.collect())
    }

    fn on(&self, board: &Board, floor: Option<f64>, mut rows: Vec<Trip>) -> Trips {
        rows.retain(|row| row.ours.is_some() || row.theirs.is_some());
        // What stands beside others comes first.
        rows.sort_by_key(|row| row.theirs.is_none());
        let bars = rows.iter_mut().flat_map(Trip::bars);
        let longest = bars.map(|it| *it).fold(f64::MIN_POSITIVE, f64::max);
        let bars = rows.iter_mut().flat_map(Trip::bars);
        bars.for_each(|it| *it *= 100.0 / longest);
        Trips {
            board: place_name(board),
            about: board.description.clone(),
            unit: Unit::of(board).name().into(),
            floor: floor.map(short),
            rows,
        }
    }

    /// What the best protected peer on the board takes.
    fn peer(&self, suite: usize, board: &Board, case: &str) -> (Option<Span>, String) {
        let reference = self.references[suite].for_board(&board.name);
        let best = reference.best(case, true);
        let whose = best.map_or_else(String::new, |it| it.system.clone());
        (best.map(|it| [it.instructions; 2]), whose)
    }
}

impl Trip {
    fn bars(&mut self) -> impl Iterator<Item = &mut f64> {
        let costs = self.ours.iter_mut().chain(&mut self.theirs);
        costs.map(|it| &mut it.bar)
    }

    fn new(
        what: String,
        ours: Option<Span>,
        theirs: Option<Span>,
        whose: String,
        floor: Option<f64>,
    ) -> Trip {
        Trip {
            what,
            ours: ours.map(|it| Cost::of(it, floor)),
            theirs: theirs.map(|it| Cost::of(it, floor)),
            whose,
        }
    }
}

impl Cost {
    fn of([least, most]: Span, floor: Option<f64>) -> Cost {
        let span = |show: &dyn Fn(f64) -> String| match show(least) == show(most) {
            true => show(most),
            false => format!("{}-{}", show(least), show(most)),
        };
        Cost {
            figure: span(&short),
            floors: floor.map(|floor| span(&|it| format!("{:.2}", it / floor))),
            // Without a floor there is nothing that its length could stand for.
            bar: floor.map_or(0.0, |floor| most / floor),
        }
    }
}
