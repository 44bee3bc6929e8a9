//! `reference.toml`: what others published or were measured at, and what we aim for.

use miette::miette;
use serde::Deserialize;

use super::breakdown::Marked;
use super::suite::Suite;

/// The reference figures of a suite.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reference {
    /// The publication that the suite reproduces, if it does one.
    pub source: Option<Publication>,
    /// Figures of the publication.
    #[serde(default)]
    pub figure: Vec<Figure>,
    /// Other systems, measured on the same emulated board.
    #[serde(default)]
    pub peer: Vec<Peer>,
    /// What we aim for.
    #[serde(default)]
    pub target: Vec<Target>,
    /// Cases whose calls are broken down, on boards whose simulator logs them.
    #[serde(default)]
    pub breakdown: Vec<Marked>,
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
    /// The machine's clock: it turns times into cycles.
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
    /// For the protected case; else for the one within a process.
    #[serde(default = "yes")]
    pub protected: bool,
}

fn yes() -> bool {
    true
}

impl Reference {
    /// Reads the suite's file; a suite without one has no reference.
    pub fn read(suite: &Suite) -> miette::Result<Reference> {
        let file = suite.folder.join("reference.toml");
        if !file.exists() {
            return Ok(Reference::default());
        }
        crate::document::parse(&crate::source::Source::read(&file)?)
            .map_err(|error| error.wrap_err(miette!("{} is wrong", file.display())))
    }

    /// The reference as it is for a board: without the peers of others.
    #[must_use]
    pub fn for_board(&self, board: &str) -> Reference {
        let mut reference = self.clone();
        reference
            .peer
            .retain(|peer| peer.boards.is_empty() || peer.boards.iter().any(|name| name == board));
        reference
    }

    /// The target of a case on a board.
    #[must_use]
    pub fn target(&self, case: &str, board: &str, protected: bool) -> Option<&Target> {
        let on = |target: &&Target| {
            target.boards.is_empty() || target.boards.iter().any(|name| name == board)
        };
        let mut targets = self.target.iter().filter(on);
        targets.find(|it| it.case == case && it.protected == protected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
