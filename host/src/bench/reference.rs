//! `reference.toml`: what others published or were measured at, and what we aim for.

use miette::miette;
use serde::Deserialize;

use super::breakdown::Marked;
use super::memory::{self, Model};
use super::sizes::Series;
use super::suite::Suite;
use crate::board::Board;
use crate::machine::Pace;
use crate::source::{At, Refusals, Source};
use crate::suggest;

/// The reference figures of a suite.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// What the suite measures, if its applications measure different things; else its first one says so.
    pub title: Option<String>,
    /// The publication that the suite reproduces, if it does one.
    pub source: Option<Publication>,
    /// Figures of the publication.
    #[serde(default)]
    pub figure: Vec<Figure>,
    /// Mechanisms that the publication measured with messages of several sizes.
    #[serde(default)]
    pub series: Vec<Series>,
    /// Mechanisms that it measured between two nodes; ours stand beside the first.
    #[serde(default)]
    pub network: Vec<Series>,
    /// The most bytes in a millisecond that it says a wire of 10 Mb/s can carry.
    pub network_most: Option<f64>,
    /// Counts of the publication.
    #[serde(default)]
    pub count: Vec<Count>,
    /// Other systems, measured on the same emulated board.
    #[serde(default)]
    pub peer: Vec<Peer>,
    /// What we aim for.
    #[serde(default)]
    pub target: Vec<Target>,
    /// Operations that may cost more in a larger system.
    #[serde(default)]
    pub growth: Vec<Growth>,
    /// Applications that are measured at the pace of `run`: they go by the clock, and single
    /// instructions need not show.
    #[serde(default)]
    pub by_the_clock: Vec<At<String>>,
    /// Cases whose calls are broken down, on boards whose simulator logs them.
    #[serde(default)]
    pub breakdown: Vec<Marked>,
    /// The memories as the file writes them.
    #[serde(default)]
    pub memory: Vec<memory::Written>,
    /// The memories to measure in, on simulated boards.
    #[serde(skip)]
    pub models: Vec<Model>,
}

/// An operation that may cost more in a larger system, with the logarithm of its size. All others may not.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Growth {
    /// The operation.
    pub case: String,
    /// The most that is added when there is twice as much.
    pub a_doubling: f64,
}

/// A publication.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Publication {
    /// Its title.
    pub title: String,
    /// Who published it.
    pub publisher: String,
    /// The system that it measures.
    pub system: String,
    /// The machine.
    pub hardware: String,
    /// The machine's clock: it turns times into cycles. 0 if it is not told, and there are no times.
    #[serde(default)]
    pub megahertz: f64,
    /// Whether tasks were isolated from each other.
    pub protected: bool,
    /// How it was measured.
    #[serde(default)]
    pub method: String,
}

/// A published time.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure {
    /// The case.
    pub case: String,
    /// The time, or the shortest one.
    pub microseconds_min: f64,
    /// The longest time.
    pub microseconds_max: f64,
    /// What else the publication says.
    #[serde(default)]
    pub remark: String,
}

impl Figure {
    /// Least and most cycles.
    #[must_use]
    pub fn cycles(&self, publication: &Publication) -> [f64; 2] {
        [self.microseconds_min, self.microseconds_max].map(|time| time * publication.megahertz)
    }
}

/// What was published as a count of operations in a time.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Count {
    /// The case.
    pub case: String,
    /// The system, if it is not that of the publication.
    pub system: Option<String>,
    /// How many operations.
    pub count: u64,
    /// In how many seconds.
    pub seconds: u32,
    /// How many of each thread, if there were several.
    #[serde(default)]
    pub threads: Vec<u64>,
}

/// A figure of another system on the same board, in instructions.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Peer {
    /// The boards beside whose figures it stands; all if empty.
    #[serde(default)]
    pub boards: Vec<String>,
    /// The case.
    pub case: String,
    /// The system.
    pub system: String,
    /// Instructions of one operation.
    pub instructions: f64,
    /// Whether its tasks were isolated from each other.
    pub protected: bool,
    /// Anything else to know.
    #[serde(default)]
    pub remark: String,
}

impl Peer {
    /// Whether it stands beside the figures of `board`.
    #[must_use]
    pub fn is_on(&self, board: &str) -> bool {
        self.boards.is_empty() || self.boards.iter().any(|name| name == board)
    }
}

/// A figure to reach.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Target {
    /// The case.
    pub case: String,
    /// The largest figure that meets it.
    pub at_most: f64,
    /// The largest multiple of the board's floor that meets it too.
    pub floors: Option<f64>,
    /// The boards that it is for; all if empty.
    #[serde(default)]
    pub boards: Vec<String>,
    /// The memory model that it is for; all if none is named.
    pub memory: Option<At<String>>,
    /// For the protected case; else for the one within a process.
    #[serde(default = "yes")]
    pub protected: bool,
}

fn yes() -> bool {
    true
}

impl Reference {
    /// Reads the suite's file; a suite without one has no reference.
    ///
    /// # Errors
    /// A file that is wrong, with the line.
    pub fn read(suite: &Suite, boards: &[Board]) -> miette::Result<Reference> {
        let file = suite.folder.join("reference.toml");
        if !file.exists() {
            return Ok(Reference::default());
        }
        let applications = suite.applications.iter().map(|it| it.name.as_str());
        let applications: Vec<&str> = applications.collect();
        Reference::parse(&Source::read(&file)?, boards, &applications)
            .map_err(|error| error.wrap_err(miette!("{} is wrong", file.display())))
    }

    fn parse(
        source: &Source,
        boards: &[Board],
        applications: &[&str],
    ) -> miette::Result<Reference> {
        let mut reference: Reference = crate::document::parse(source)?;
        let points: Vec<Figure> = reference.series.iter().flat_map(Series::figures).collect();
        reference.figure.extend(points);
        let mut wrong = Vec::new();
        reference.models = memory::resolve(&reference.memory, source, boards, &mut wrong);
        let asked = reference.target.iter().filter_map(|it| it.memory.as_ref());
        wrong.extend(asked.filter_map(|name| memory::unknown(name, &reference.memory, source)));
        let others = reference.by_the_clock.iter();
        let others = others.filter(|name| !applications.contains(&name.value.as_str()));
        wrong.extend(others.map(|name| {
            let message = format!("the suite has no application `{}`", name.value);
            let help = suggest::help(&name.value, "applications", applications.iter().copied());
            source.refuse(name.span, message, help)
        }));
        if wrong.is_empty() {
            Ok(reference)
        } else {
            Err(Refusals::report(wrong))
        }
    }

    /// The cases that it wants, breaks down or stands beside what was published of them; some more than once.
    pub fn cases(&self) -> impl Iterator<Item = &str> {
        let published = self.figure.iter().map(|it| &it.case);
        let counted = self.count.iter().map(|it| &it.case);
        let wanted = self.target.iter().map(|it| &it.case);
        let broken_down = self.breakdown.iter().map(|it| &it.case);
        let all = published.chain(counted).chain(wanted).chain(broken_down);
        all.map(String::as_str)
    }

    /// The least and the most cycles that were published of a case.
    #[must_use]
    pub fn cycles(&self, case: &str) -> Option<[f64; 2]> {
        let source = self.source.as_ref()?;
        let figure = self.figure.iter().find(|it| it.case == case)?;
        Some(figure.cycles(source).map(f64::round))
    }

    /// The fastest peer at a case.
    #[must_use]
    pub fn best(&self, case: &str, protected: bool) -> Option<&Peer> {
        let peers = self.peer.iter();
        let peers = peers.filter(|it| it.case == case && it.protected == protected);
        peers.min_by(|a, b| a.instructions.total_cmp(&b.instructions))
    }

    /// The pace at which an application of the suite is measured.
    #[must_use]
    pub fn pace(&self, application: &str) -> Pace {
        if self.by_the_clock.iter().any(|it| it.value == application) {
            Pace::Clock
        } else {
            Pace::Bench
        }
    }

    /// The board in each memory that the suite measures in: in its own, if none is named for it.
    #[must_use]
    pub fn memories(&self, board: &Board) -> Vec<Board> {
        let models = self.models.iter();
        let all: Vec<Board> = models.filter_map(|it| it.around(board)).collect();
        if all.is_empty() {
            return vec![board.clone()];
        }
        all
    }

    /// The board in one of these memories: the one of this name, or the first if none is named.
    ///
    /// # Errors
    /// If the suite measures on the board in no memory of this name.
    pub fn memory(&self, board: &Board, named: Option<&str>) -> miette::Result<Board> {
        let mut all = self.memories(board);
        let Some(named) = named else {
            return Ok(all.swap_remove(0));
        };
        let model = |it: &Board| it.simulator().and_then(|it| it.model.clone());
        let names: Vec<String> = all.iter().filter_map(model).collect();
        let found = all
            .into_iter()
            .find(|it| model(it).as_deref() == Some(named));
        found.ok_or_else(|| {
            let help = match names.is_empty() {
                true => "leave `--memory` out: the suite measures there in one memory only".into(),
                false => suggest::help(named, "memories", names.iter().map(String::as_str)),
            };
            miette!(
                help = help,
                "the suite measures on {} in no memory `{named}`",
                board.name
            )
        })
    }

    /// The reference as it is for a board: without the peers of others.
    #[must_use]
    pub fn for_board(&self, board: &str) -> Reference {
        let mut reference = self.clone();
        reference.peer.retain(|peer| peer.is_on(board));
        reference
    }

    /// What the publication's own system has counted of a case in a second.
    #[must_use]
    #[allow(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
    pub fn count_a_second(&self, case: &str) -> Option<f64> {
        let mut counts = self.count.iter();
        let count = counts.find(|it| it.case == case && it.system.is_none())?;
        Some(count.count as f64 / f64::from(count.seconds))
    }

    /// The cases that its own system has counted.
    pub fn counted(&self) -> impl Iterator<Item = &str> {
        let counts = self.count.iter().filter(|it| it.system.is_none());
        counts.map(|it| it.case.as_str())
    }

    /// The target of a case on a board, in the board's memory.
    #[must_use]
    pub fn target(&self, case: &str, board: &Board, protected: bool) -> Option<&Target> {
        let model = board.simulator().and_then(|it| it.model.as_deref());
        let on = |target: &&Target| {
            let memory = target.memory.as_ref().map(|it| it.value.as_str());
            (target.boards.is_empty() || target.boards.contains(&board.name))
                && (memory.is_none() || memory == model)
        };
        let mut targets = self.target.iter().filter(on);
        targets.find(|it| it.case == case && it.protected == protected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::wrong;

    #[test]
    fn a_peer_stands_beside_the_figures_of_its_own_boards_only() {
        let peer = |system: &str, boards: &[&str]| Peer {
            boards: boards.iter().map(|name| (*name).to_owned()).collect(),
            case: "rt-1w".into(),
            system: system.into(),
            instructions: 1.0,
            protected: true,
            remark: String::new(),
        };
        let all = Reference {
            peer: vec![
                peer("here", &["a"]),
                peer("there", &["b"]),
                peer("everywhere", &[]),
            ],
            ..Reference::default()
        };
        let kept: Vec<String> = all
            .for_board("a")
            .peer
            .into_iter()
            .map(|it| it.system)
            .collect();
        assert_eq!(kept, ["here", "everywhere"]);
    }

    const MEMORIES: &str = r#"
[[memory]]
name = "block RAM"
boards = ["vexriscv"]

[[memory]]
name = "slow SRAM"
boards = ["vexriscv"]
ram_latency = [8, 5, 7]
ram_ports = 1
l2 = 128

[[target]]
case = "scalar"
memory = "block RAM"
at_most = 400
"#;

    fn parse(text: &str) -> miette::Result<Reference> {
        let source = Source {
            path: "reference.toml".into(),
            text: text.into(),
        };
        let boards = crate::lab::Lab::open().unwrap().boards;
        Reference::parse(&source, &boards, &["calls", "clock"])
    }

    #[test]
    fn a_board_is_measured_in_each_memory_that_is_named_for_it() {
        let lab = crate::lab::Lab::open().unwrap();
        let reference = parse(MEMORIES).unwrap();
        let memories = |name| {
            let boards = reference.memories(lab.board(name).unwrap());
            let simulators = boards.iter().filter_map(Board::simulator);
            simulators.map(|it| it.memory()).collect::<Vec<String>>()
        };
        let slow = "slow SRAM: RAM latency 8,5,7, one port, second-level cache of 128 KiB";
        let block = "block RAM: RAM latency 2,1,2, two ports";
        assert_eq!(memories("vexriscv"), [block, slow]);
        assert_eq!(memories("ibex"), ["RAM latency 2,1,2, two ports"]);
    }

    #[test]
    fn a_target_is_for_the_memory_that_it_names() {
        let lab = crate::lab::Lab::open().unwrap();
        let reference = parse(MEMORIES).unwrap();
        let boards = reference.memories(lab.board("vexriscv").unwrap());
        let found = |board| reference.target("scalar", board, true).is_some();
        assert_eq!(boards.iter().map(found).collect::<Vec<_>>(), [true, false]);
        assert!(!found(lab.board("vexriscv").unwrap()));
    }

    #[test]
    fn an_application_that_goes_by_the_clock_is_measured_at_the_pace_of_the_clock() {
        let reference = parse("by_the_clock = [\"clock\"]").unwrap();
        let paces = ["calls", "clock"].map(|name| reference.pace(name));
        assert_eq!(paces, [Pace::Bench, Pace::Clock]);
        let error = parse("by_the_clock = [\"clocks\"]").unwrap_err();
        assert_eq!(
            wrong::all_of(&error)[0],
            "reference.toml:1:17: the suite has no application `clocks`"
        );
    }

    #[test]
    fn a_wrong_memory_is_refused_where_it_stands() {
        let mistakes = [
            ("[8, 5, 7]", "[8, 5]", ":9:15: this is not a latency"),
            ("ports = 1", "ports = 3", "10:13: this is not possible here"),
            ("l2 = 128", "l2 = 100", "11:6: this is not possible here"),
            (
                "= \"slow SRAM\"",
                "= \"block RAM\"",
                "another memory has this name",
            ),
            ("= \"slow SRAM\"", "= \" \"", "this is no name"),
            ("[\"vexriscv\"]", "[]", "a memory for no board"),
            (
                "\"vexriscv\"",
                "\"virt-rv32\"",
                "`virt-rv32` is no simulated board",
            ),
            (
                "\nmemory = \"block",
                "\nmemory = \"clock",
                "there is no memory `clock RAM`",
            ),
            ("l2 = 128", "l3 = 128", "unknown key `l3`"),
        ];
        wrong::is_refused("reference.toml", MEMORIES, parse, &mistakes);
    }
}
