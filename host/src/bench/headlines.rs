//! `bench/headlines.toml`: what `./riposte bench` measures and shows when nothing is asked for.

use std::collections::BTreeSet;

use miette::miette;
use serde::Deserialize;

use super::measure::Measurement;
use super::reference::Reference;
use super::suite::Suite;
use crate::board::Board;
use crate::lab::Lab;
use crate::source::{At, Refusal, Refusals, Source};
use crate::suggest;

/// The file, below the root.
const FILE: &str = "bench/headlines.toml";

/// What the screen shows.
pub struct Headlines {
    /// The publications.
    pub publications: Vec<Group>,
    /// What other systems were measured at on the same boards.
    pub peers: Vec<Group>,
    /// What stands beside no other system.
    pub own: Vec<Group>,
}

/// Figures that stand together.
pub struct Group {
    /// The publication or the board.
    pub name: String,
    /// The machine of the others.
    pub on: Option<String>,
    /// Why there are no figures, if there are none.
    pub missing: Option<String>,
    /// The figures.
    pub figures: Vec<Figure>,
}

/// A figure of a suite.
#[derive(Clone)]
pub struct Figure {
    /// What it is, for the reader.
    pub what: String,
    /// Index of the suite.
    pub suite: usize,
    /// Its name.
    pub suite_name: String,
    /// Name of the suite's application that measures it.
    pub application: String,
    /// The board, in the memory in which it is measured.
    pub board: Board,
    /// The case.
    pub case: String,
    /// Whether it crosses two processes.
    pub protected: bool,
    /// The case of which it is shown as a multiple, if it is.
    pub per: Option<String>,
    /// Whether it is a message there and back, which stands beside the board's floor.
    pub round_trip: bool,
}

impl Figure {
    /// The published cycles, least and most; or counts of one case for one of the other.
    pub fn published(&self, reference: &Reference) -> Option<[f64; 2]> {
        let Some(per) = &self.per else {
            return reference.cycles(&self.case);
        };
        let ratio = reference.count_a_second(per)? / reference.count_a_second(&self.case)?;
        Some([ratio, ratio])
    }

    /// Whether its suite has measured its case, and that which it is a multiple of, on some board.
    pub fn is_case_of(&self, measured: &[Measurement]) -> bool {
        let is = |case: &String| {
            let mut all = measured.iter();
            all.any(|it| {
                it.suite == self.suite_name
                    && it.sample.case == *case
                    && it.sample.protected == self.protected
            })
        };
        is(&self.case) && self.per.iter().all(is)
    }
}

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    publication: Vec<WrittenGroup>,
    #[serde(default)]
    peers: Vec<WrittenGroup>,
    #[serde(default)]
    own: Vec<WrittenGroup>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenGroup {
    name: At<String>,
    on: Option<String>,
    missing: Option<String>,
    suite: Option<At<String>>,
    application: Option<At<String>>,
    board: Option<At<String>>,
    memory: Option<At<String>>,
    protected: Option<bool>,
    #[serde(default)]
    figures: Vec<WrittenFigure>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenFigure {
    case: At<String>,
    what: String,
    suite: Option<At<String>>,
    application: Option<At<String>>,
    board: Option<At<String>>,
    memory: Option<At<String>>,
    protected: Option<bool>,
    per: Option<At<String>>,
    #[serde(default)]
    round_trip: bool,
}

/// Whose figures a group's are compared with.
#[derive(Clone, Copy)]
enum Others {
    Published,
    Peers,
    Nobody,
}

impl Headlines {
    /// Reads the file; `references` belong to `suites`, one each.
    ///
    /// # Errors
    /// Whatever in it names a suite, application, board, memory or case that there is not, with the line.
    pub fn read(
        lab: &Lab,
        suites: &[Suite],
        references: &[Reference],
    ) -> miette::Result<Headlines> {
        let source = Source::read(&lab.root.join(FILE))?;
        Headlines::parse(lab, suites, references, &source)
            .map_err(|error| error.wrap_err(miette!("{FILE} is wrong")))
    }

    fn parse(
        lab: &Lab,
        suites: &[Suite],
        references: &[Reference],
        source: &Source,
    ) -> miette::Result<Headlines> {
        let reader = Reader {
            lab,
            suites,
            references,
            source,
        };
        reader.read()
    }

    /// The messages there and back, board by board: those with peers on the board first.
    #[must_use]
    pub fn round_trips(&self) -> Vec<(&Board, Vec<(&Group, &Figure)>)> {
        let mut boards: Vec<(&Board, Vec<(&Group, &Figure)>)> = Vec::new();
        let groups = self.peers.iter().chain(&self.own).chain(&self.publications);
        for group in groups {
            for figure in group.figures.iter().filter(|it| it.round_trip) {
                let at = boards.iter().position(|(board, _)| **board == figure.board);
                let at = at.unwrap_or_else(|| {
                    boards.push((&figure.board, Vec::new()));
                    boards.len() - 1
                });
                boards[at].1.push((group, figure));
            }
        }
        boards
    }

    /// Every figure there is to measure.
    pub fn figures(&self) -> impl Iterator<Item = &Figure> {
        let groups = self.publications.iter().chain(&self.peers).chain(&self.own);
        groups.flat_map(|group| &group.figures)
    }
}

struct Reader<'a> {
    lab: &'a Lab,
    suites: &'a [Suite],
    references: &'a [Reference],
    source: &'a Source,
}

impl Reader<'_> {
    fn read(&self) -> miette::Result<Headlines> {
        let written: Written = crate::document::parse(self.source)?;
        let mut wrong = Vec::new();
        let mut groups = |written: &[WrittenGroup], others| -> Vec<Group> {
            let groups = written.iter();
            groups
                .map(|it| self.group(it, others, &mut wrong))
                .collect()
        };
        let headlines = Headlines {
            publications: groups(&written.publication, Others::Published),
            peers: groups(&written.peers, Others::Peers),
            own: groups(&written.own, Others::Nobody),
        };
        if wrong.is_empty() {
            Ok(headlines)
        } else {
            Err(Refusals::report(wrong))
        }
    }

    fn group(&self, written: &WrittenGroup, others: Others, wrong: &mut Vec<Refusal>) -> Group {
        if written.figures.is_empty() == written.missing.is_none() {
            let message = format!(
                "`{}` has to say figures, or what is missing",
                written.name.value
            );
            let help = "write figures = [{ case = …, what = … }], or missing = \"…\"";
            wrong.push(self.source.refuse(written.name.span, message, help));
        }
        let mut figures = Vec::new();
        for figure in &written.figures {
            match self.figure(written, figure, others) {
                Ok(figure) => figures.push(figure),
                Err(refusal) => wrong.push(*refusal),
            }
        }
        Group {
            name: written.name.value.clone(),
            on: written.on.clone(),
            missing: written.missing.clone(),
            figures,
        }
    }

    fn figure(
        &self,
        group: &WrittenGroup,
        written: &WrittenFigure,
        others: Others,
    ) -> Result<Figure, Box<Refusal>> {
        let said = |own: &Option<At<String>>, common: &Option<At<String>>, key: &str| {
            let missing = || {
                let message = format!("`{}` says no {key}", written.case.value);
                let help = format!("write {key} = \"…\" in the figure, or in its group");
                Box::new(self.source.refuse(written.case.span, message, help))
            };
            own.as_ref()
                .or(common.as_ref())
                .cloned()
                .ok_or_else(missing)
        };
        let suite = said(&written.suite, &group.suite, "suite")?;
        let names = self.suites.iter().map(|it| it.name.as_str());
        let index = self.index(&suite, "suites", names)?;
        let (suite, reference) = (&self.suites[index], &self.references[index]);

        let application = said(&written.application, &group.application, "application")?;
        let names = suite.applications.iter().map(|it| it.name.as_str());
        let place = self.index(&application, "applications of the suite", names)?;

        let board = said(&written.board, &group.board, "board")?;
        let names = suite.applications[place].boards.iter();
        let names = names.map(|it| it.value.as_str());
        self.index(&board, "boards of the application", names)?;
        let memory = written.memory.as_ref().or(group.memory.as_ref());
        let name = board;
        let board = self.board(&name, memory, reference)?;
        if matches!(others, Others::Published) && board.simulator().is_none() {
            let message = format!(
                "`{}` counts instructions, and published are cycles",
                name.value
            );
            let help = "write a board that is simulated cycle by cycle";
            return Err(Box::new(self.source.refuse(name.span, message, help)));
        }

        for case in std::iter::once(&written.case).chain(&written.per) {
            let cases = others.cases(reference, &board);
            self.index(case, others.words(), cases.into_iter())?;
        }
        Ok(Figure {
            what: written.what.clone(),
            suite: index,
            suite_name: suite.name.clone(),
            application: application.value,
            board,
            case: written.case.value.clone(),
            protected: written.protected.or(group.protected).unwrap_or(true),
            per: written.per.as_ref().map(|it| it.value.clone()),
            round_trip: written.round_trip,
        })
    }

    /// The board in the memory that is named, which must be if the suite measures in several.
    fn board(
        &self,
        name: &At<String>,
        memory: Option<&At<String>>,
        reference: &Reference,
    ) -> Result<Board, Box<Refusal>> {
        let board = self.lab.boards.iter().find(|it| it.name == name.value);
        let Some(board) = board else {
            let names = self.lab.boards.iter().map(|it| it.name.as_str());
            return Err(self.unknown(name, "boards", names));
        };
        let boards = reference.memories(board);
        let model = |board: &Board| board.simulator().and_then(|it| it.model.clone());
        let names: Vec<String> = boards.iter().filter_map(model).collect();
        let names = || names.iter().map(String::as_str);
        match memory {
            Some(memory) => {
                let index = self.index(memory, "memories of the suite there", names())?;
                Ok(boards[index].clone())
            }
            None if boards.len() == 1 => Ok(boards[0].clone()),
            None => {
                let message = format!("the suite measures on `{}` in several memories", name.value);
                let all: Vec<&str> = names().collect();
                let help = format!("write memory = \"…\", one of {}", all.join(", "));
                Err(Box::new(self.source.refuse(name.span, message, help)))
            }
        }
    }

    fn index<'n>(
        &self,
        name: &At<String>,
        what: &str,
        names: impl Iterator<Item = &'n str> + Clone,
    ) -> Result<usize, Box<Refusal>> {
        let found = names.clone().position(|it| it == name.value);
        found.ok_or_else(|| self.unknown(name, what, names))
    }

    fn unknown<'n>(
        &self,
        name: &At<String>,
        what: &str,
        names: impl Iterator<Item = &'n str>,
    ) -> Box<Refusal> {
        let message = format!("`{}` is not among the {what}", name.value);
        let help = suggest::help(&name.value, what, names);
        Box::new(self.source.refuse(name.span, message, help))
    }
}

impl Others {
    fn words(self) -> &'static str {
        match self {
            Others::Published => "published cases of the suite",
            Others::Peers => "cases that have peers on the board",
            Others::Nobody => "cases that the suite's reference.toml names",
        }
    }

    /// The cases that a figure can be of: a mistyped one is found before anything is measured.
    fn cases<'a>(self, reference: &'a Reference, board: &Board) -> Vec<&'a str> {
        let figures = reference.figure.iter().map(|it| it.case.as_str());
        let published = figures.chain(reference.count.iter().map(|it| it.case.as_str()));
        let here = reference.peer.iter().filter(|it| it.is_on(&board.name));
        let everywhere = reference.peer.iter().map(|it| it.case.as_str());
        let targets = reference.target.iter().map(|it| it.case.as_str());
        let mut cases: Vec<&str> = match self {
            Others::Published => published.collect(),
            Others::Peers => here.map(|it| it.case.as_str()).collect(),
            Others::Nobody => published.chain(everywhere).chain(targets).collect(),
        };
        // Several systems have figures of one case.
        let mut seen = BTreeSet::new();
        cases.retain(|case| seen.insert(*case));
        cases
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::bench::suite;
    use crate::source::wrong;

    /// The headlines as they are, with what they are checked against.
    pub fn read() -> (Headlines, Vec<Reference>) {
        let (lab, suites, references) = lab();
        let headlines = Headlines::read(&lab, &suites, &references);
        let headlines = headlines.unwrap_or_else(|error| panic!("{error:?}"));
        (headlines, references)
    }

    fn lab() -> (Lab, Vec<Suite>, Vec<Reference>) {
        let lab = Lab::open().unwrap();
        let suites = suite::all(&lab).unwrap();
        let references = suites.iter().map(|it| Reference::read(it, &lab.boards));
        let references = references.collect::<miette::Result<_>>().unwrap();
        (lab, suites, references)
    }

    fn parse(text: &str) -> miette::Result<Headlines> {
        let (lab, suites, references) = lab();
        let source = Source {
            path: "headlines.toml".into(),
            text: text.into(),
        };
        Headlines::parse(&lab, &suites, &references, &source)
    }

    #[test]
    fn every_publication_has_its_headline_or_says_what_is_missing() {
        let (headlines, _) = read();
        for name in ["REXIS", "QNX", "ChibiOS/RT", "CMRX", "Xous"] {
            let mut all = headlines.publications.iter();
            let group = all.find(|it| it.name.contains(name));
            let group = group.unwrap_or_else(|| panic!("there is no {name}"));
            assert!(
                group.figures.is_empty() == group.missing.is_some(),
                "{name}"
            );
        }
    }

    #[test]
    fn messages_there_and_back_come_board_by_board_and_each_is_between_processes() {
        let (headlines, _) = read();
        let boards = headlines.round_trips();
        let names: Vec<&str> = boards
            .iter()
            .map(|(board, _)| board.name.as_str())
            .collect();
        assert_eq!(names, ["mps2-an386", "virt-rv32", "ibex", "vexriscv"]);
        for (board, figures) in &boards {
            for (_, figure) in figures {
                assert_eq!(figure.board, **board);
                assert!(figure.protected && figure.per.is_none(), "{}", figure.what);
            }
        }
        let all = boards
            .iter()
            .map(|(_, figures)| figures.len())
            .sum::<usize>();
        assert_eq!(all, headlines.figures().filter(|it| it.round_trip).count());
    }

    #[test]
    fn every_suite_with_a_publication_is_in_the_headlines() {
        let (headlines, references) = read();
        for (index, _) in references
            .iter()
            .enumerate()
            .filter(|it| it.1.source.is_some())
        {
            let figures = headlines.publications.iter().flat_map(|it| &it.figures);
            assert!(
                figures.into_iter().any(|it| it.suite == index),
                "suite {index}"
            );
        }
    }

    #[test]
    fn a_headline_that_its_suite_does_not_measure_is_found() {
        use crate::bench::measurement;
        let (headlines, _) = read();
        let one = headlines.peers[0].figures[0].clone();
        let measured = |case: &str, protected| [measurement(case, protected, 1.0)];
        assert!(one.is_case_of(&measured(&one.case, one.protected)));
        assert!(!one.is_case_of(&measured(&one.case, !one.protected)));
        assert!(!one.is_case_of(&measured("another", one.protected)));
        assert!(!one.is_case_of(&[]));
    }

    const RIGHT: &str = r#"
[[publication]]
name = "Xous"
suite = "xous"
application = "xous"
board = "vexriscv"
memory = "slow SRAM"
figures = [{ case = "scalar", what = "a call" }]

[[publication]]
name = "QNX"
missing = "all"

[[peers]]
name = "mps2-an386"
suite = "core"
application = "core"
board = "mps2-an386"
figures = [{ case = "rt-1w", what = "a round trip" }]
"#;

    #[test]
    fn a_wrong_headline_is_refused_where_it_stands() {
        parse(RIGHT).unwrap();
        let mistakes = [
            (
                "\"xous\"\nappl",
                "\"xos\"\nappl",
                "4:9: `xos` is not among the suites",
            ),
            ("suite = \"xous\"\n", "", "7:21: `scalar` says no suite"),
            (
                "application = \"xous\"",
                "application = \"xo\"",
                "5:15: `xo` is not among the applications of the suite",
            ),
            (
                "board = \"vexriscv\"",
                "board = \"vex\"",
                "6:9: `vex` is not among the boards of the application",
            ),
            (
                "board = \"vexriscv\"",
                "board = \"virt-rv32\"",
                "memories of the suite there",
            ),
            (
                "memory = \"slow SRAM\"\n",
                "",
                "the suite measures on `vexriscv` in several memories",
            ),
            (
                "slow SRAM",
                "SRAM",
                "7:10: `SRAM` is not among the memories of the suite there",
            ),
            (
                "\"scalar\"",
                "\"scaler\"",
                "8:21: `scaler` is not among the published cases of the suite",
            ),
            ("what = \"a call\"", "", "the key `what` is missing"),
            (
                "missing = \"all\"",
                "",
                "`QNX` has to say figures, or what is missing",
            ),
            (
                "\"rt-1w\"",
                "\"rt-2w\"",
                "`rt-2w` is not among the cases that have peers on the board",
            ),
        ];
        wrong::is_refused("headlines.toml", RIGHT, parse, &mistakes);
    }

    #[test]
    fn what_an_emulator_counts_never_stands_beside_published_cycles() {
        let text = RIGHT.replace("memory = \"slow SRAM\"\n", "");
        let error = parse(&text.replace("\"vexriscv\"", "\"mps2-an386\""))
            .err()
            .unwrap();
        let said = &wrong::all_of(&error)[0];
        assert!(
            said.ends_with("`mps2-an386` counts instructions, and published are cycles"),
            "{said}"
        );
    }
}
