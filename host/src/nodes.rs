//! Several machines that are joined by one Ethernet: what `nodes.toml` says of them.

use std::path::{Path, PathBuf};

use schemars::JsonSchema;
use serde::Deserialize;

use crate::board::{Board, ETHERNET, Run};
use crate::build::Image;
use crate::card::Card;
use crate::document;
use crate::lab::Lab;
use crate::machine::{Engine, Pace};
use crate::manifest::{Application, Check, Names};
use crate::network::Network;
use crate::source::{At, Refusals, Source};
use crate::suggest;
use crate::wire::{Quality, Wire};

/// The file that says it.
pub const FILE: &str = "nodes.toml";

/// Most machines at one wire.
const MOST: usize = 16;
/// How often a machine can start again.
const RESTARTS: u32 = 1000;

/// Several machines that are joined by one Ethernet, each of which runs an application of its own.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Written {
    /// One line for a person.
    #[serde(default)]
    pub description: String,
    /// How bad the wire is, as `./riposte run GROUP --wire FAULTS` says it, which takes its place: `"loss=5%,seed=7"`. Default: it loses
    /// nothing.
    pub wire: Option<At<String>>,
    /// A machine. At least two, at most 16.
    #[serde(default)]
    pub node: Vec<At<NodeTable>>,
}

/// A machine.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NodeTable {
    /// Its name: small letters, digits and `-`, a letter first.
    pub name: At<String>,
    /// What it runs: a folder with an `app.toml`, relative to this file's, that begins with `./` or `../`; or the name of an
    /// application as `./riposte run` takes it. It must use the board's device `ethernet`.
    pub application: At<String>,
    /// The board. Default: the first that the application names.
    pub board: Option<At<String>>,
    /// Whether it is ended when all those have ended of which this is not said. Default false.
    #[serde(default)]
    pub background: bool,
    /// How often it is started again, as by its power switch, when its application has ended: 0 to 1000. Default 0.
    pub restart: Option<At<i64>>,
}

/// Several machines, checked.
pub struct Group {
    /// Its name: that of its folder.
    pub name: String,
    /// How bad the wire is.
    pub wire: Quality,
    /// The machines. Their names are all different.
    pub nodes: Vec<Node>,
}

/// A machine.
pub struct Node {
    /// Its name.
    pub name: String,
    /// What it runs.
    pub application: Application,
    /// On what.
    pub board: Board,
    /// Whether it is ended with the others.
    pub background: bool,
    /// How often it is started again.
    pub restarts: u32,
}

impl Node {
    /// What runs it, as the node of that number at a wire; `image` is its application's on its board.
    ///
    /// # Errors
    /// If its card cannot be made.
    pub fn engine(
        &self,
        lab: &Lab,
        image: &Image,
        (wire, number): (&Wire, usize),
    ) -> miette::Result<Engine> {
        let (application, board) = (&self.application, &self.board);
        // Nodes are few.
        let address = number as u8;
        let network = Network::at_wire(application, board, address, wire.network(number))?;
        let card = Card::of(application, board, image, None)?;
        let devices = card.iter().flat_map(Card::arguments);
        let devices = devices.chain(network.iter().flat_map(Network::arguments));
        let engine = Engine::new(&lab.root, board, &image.file, Pace::Person)?;
        Ok(engine.with_devices(devices))
    }
}

/// The JSON Schema of the file, for editors. `docs/nodes.schema.json` is a copy of it.
#[must_use]
pub fn schema() -> String {
    crate::manifest::as_text(&schemars::schema_for!(Written))
}

impl Group {
    /// Loads the group in the folder, or the file, at `path`.
    ///
    /// # Errors
    /// Every mistake in it, with its place and the next step; or what is wrong with one of its applications.
    pub fn load(lab: &Lab, path: &Path) -> miette::Result<Group> {
        let file = if path.is_dir() {
            path.join(FILE)
        } else {
            path.into()
        };
        let folder = file.parent().map_or_else(PathBuf::new, Path::to_path_buf);
        let name = folder.canonicalize().unwrap_or_default();
        let name = crate::lab::short_name(&name);
        resolve(lab, &Source::read(&file)?, &folder, name)
    }

    /// The group with each of its nodes on `board`, if all of their applications name it and it has an Ethernet.
    ///
    /// # Errors
    /// As [`Group::load`].
    pub fn load_on(lab: &Lab, path: &Path, board: &Board) -> miette::Result<Option<Group>> {
        let mut group = Group::load(lab, path)?;
        for node in &mut group.nodes {
            let mut boards = node.application.boards.iter();
            if !has_wire(board) || !boards.any(|it| it.value == board.name) {
                return Ok(None);
            }
            node.board = board.clone();
        }
        Ok(Some(group))
    }

    /// The images of its applications, on their boards.
    ///
    /// # Errors
    /// What is wrong with one of them.
    pub fn build(&self, lab: &Lab) -> miette::Result<Vec<Image>> {
        let images = self.nodes.iter();
        images
            .map(|it| lab.build(&it.application, &it.board))
            .collect()
    }

    /// The names of the machines.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.nodes.iter().map(|it| it.name.clone()).collect()
    }

    /// Which machine has this name.
    ///
    /// # Errors
    /// If there is none; the message names those that there are.
    pub fn find(&self, name: &str) -> miette::Result<usize> {
        let names = self.nodes.iter().map(|it| it.name.as_str());
        let found = self.nodes.iter().position(|it| it.name == name);
        found.ok_or_else(|| crate::lab::unknown("node", name, names))
    }
}

fn resolve(lab: &Lab, source: &Source, folder: &Path, name: String) -> miette::Result<Group> {
    let written: Written = document::parse(source)?;
    let mut check = Check::new(source);
    let tables = || written.node.iter().map(|it| &it.value);
    Names::collect(&mut check, "node", "nodes", tables().map(|it| &it.name));
    if !(2..=MOST).contains(&written.node.len()) {
        let place = written
            .node
            .last()
            .map_or_else(Default::default, |it| it.span);
        let message = format!("these are {} nodes", written.node.len());
        let help = format!(
            "write from 2 to {MOST} tables [[node]]; `./riposte run` takes one application as it is"
        );
        check.refuse(place, message, help);
    }
    let wire = wire(&mut check, written.wire.as_ref());
    let mut nodes = vec![];
    for table in tables() {
        nodes.extend(node(&mut check, lab, folder, table)?);
    }
    if check.refusals.is_empty() {
        Ok(Group { name, wire, nodes })
    } else {
        Err(Refusals::report(check.refusals))
    }
}

fn wire(check: &mut Check, written: Option<&At<String>>) -> Quality {
    let Some(written) = written else {
        return Quality::default();
    };
    written.value.parse().unwrap_or_else(|why: String| {
        let help = "see docs/src/network.md for what may be said of a wire";
        check.refuse(written.span, why, help);
        Quality::default()
    })
}

/// The machine of a table; nothing if it is refused.
fn node(
    check: &mut Check,
    lab: &Lab,
    folder: &Path,
    table: &NodeTable,
) -> miette::Result<Option<Node>> {
    let restarts = table.restart.as_ref();
    let restarts = restarts.map_or(0, |it| {
        check.in_range(it, "number of new starts", 0..=RESTARTS)
    });
    let Some(path) = application(check, lab, folder, &table.application) else {
        return Ok(None);
    };
    let application = lab.load(&path)?;
    let Some(board) = board(check, lab, &application, table) else {
        return Ok(None);
    };
    if !application.on(board)?.uses(ETHERNET) {
        let message = format!(
            "`{}` is to be at a wire, and no process of its application has the device `{ETHERNET}`",
            table.name.value
        );
        let help = format!(
            "docs/src/network.md has the tables of a driver, with peripherals = [\"{ETHERNET}\"]"
        );
        check.refuse(table.application.span, message, help);
        return Ok(None);
    }
    Ok(Some(Node {
        name: table.name.value.clone(),
        application,
        board: board.clone(),
        background: table.background,
        restarts,
    }))
}

fn application(
    check: &mut Check,
    lab: &Lab,
    folder: &Path,
    written: &At<String>,
) -> Option<PathBuf> {
    let text = &written.value;
    if !(text.starts_with("./") || text.starts_with("../")) {
        let found = lab.find(text);
        let refuse = |error: miette::Report| {
            let help = "write the name of one, or its folder, beginning with ./ or ../";
            check.refuse(written.span, error.to_string(), help);
        };
        return found.map_err(refuse).ok();
    }
    // Through components, a `.` inside goes.
    let path: PathBuf = folder.join(text).components().collect();
    if path.join("app.toml").is_file() {
        return Some(path);
    }
    let message = format!("there is no application in {}", path.display());
    let help = "the folder must hold an app.toml; it is relative to that of this file";
    check.refuse(written.span, message, help);
    None
}

fn board<'a>(
    check: &mut Check,
    lab: &'a Lab,
    application: &Application,
    table: &NodeTable,
) -> Option<&'a Board> {
    let written = table.board.as_ref();
    let place = written.map_or(table.application.span, |it| it.span);
    let found = lab.board_for(application, written.map(|it| it.value.as_str()));
    let board = match found {
        Ok(board) => board,
        Err(error) => {
            let names = application.boards.iter().map(|it| it.value.as_str());
            let wanted = written.map_or("", |it| it.value.as_str());
            let help = suggest::help(wanted, "boards of this application", names);
            check.refuse(place, error.to_string(), help);
            return None;
        }
    };
    if has_wire(board) {
        return Some(board);
    }
    let others = lab.boards.iter().filter(|it| has_wire(it));
    let others: Vec<&str> = others.map(|it| it.name.as_str()).collect();
    let message = format!("board `{}` has no Ethernet", board.name);
    let help = format!("the boards that have one are: {}", others.join(", "));
    check.refuse(place, message, help);
    None
}

/// Whether a board can be at a wire.
fn has_wire(board: &Board) -> bool {
    matches!(&board.run, Run::Emulator(it) if it.ethernet.is_some())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::wrong;

    const RIGHT: &str = r#"
wire = "loss=5%,seed=7"

[[node]]
name = "north"
application = "tests/boards/network"
board = "virt-rv32"

[[node]]
name = "south"
application = "../examples/web"
restart = 1
"#;

    fn parse(text: &str) -> miette::Result<Group> {
        let lab = Lab::open()?;
        let source = Source {
            path: FILE.into(),
            text: text.into(),
        };
        resolve(&lab, &source, &lab.root.join("tests"), "group".into())
    }

    #[test]
    fn nodes_have_names_applications_and_boards_of_their_own() {
        let group = parse(RIGHT).expect("right");
        assert_eq!(group.names(), ["north", "south"]);
        assert_eq!(group.wire, "loss=5%,seed=7".parse().expect("right"));
        let [north, south] = &group.nodes[..] else {
            panic!("two nodes");
        };
        assert_eq!(
            (north.application.name.as_str(), north.restarts),
            ("network", 0)
        );
        assert_eq!(north.board.name, "virt-rv32");
        assert_eq!(
            (south.application.name.as_str(), south.restarts),
            ("web", 1)
        );
        // The first that it names.
        assert_eq!(south.board.name, "virt-rv32");
        assert_eq!(group.find("south").ok(), Some(1));
        let error = group.find("suoth").expect_err("nobody").to_string();
        assert!(error.contains("did you mean `south`"), "{error}");
    }

    #[test]
    fn what_makes_no_sense_is_refused_at_its_place() {
        let second = &RIGHT[RIGHT.find("[[node]]\nname = \"south\"").expect("there")..];
        wrong::is_refused(
            FILE,
            RIGHT,
            parse,
            &[
                (
                    "\"south\"",
                    "\"north\"",
                    "there are two nodes called `north`",
                ),
                ("\"north\"", "\"North\"", "`North` is not a name"),
                (
                    "loss=5%",
                    "loss=5",
                    "`5` is no share of the frames: write 5% or 0.5%",
                ),
                (second, "", "these are 1 nodes"),
                ("../examples/web", "./none", "/tests/none"),
                (
                    "../examples/web",
                    "nothing-like-it",
                    "are listed by: ls examples bench tests/boards tests/faults",
                ),
                (
                    "../examples/web",
                    "hello",
                    "`south` is to be at a wire, and no process of its application has the device `ethernet`",
                ),
                (
                    "virt-rv32",
                    "vexriscv",
                    "its app.toml names mps2-an386, mps2-an385, virt-rv32, virt-rv32-mmu",
                ),
                (
                    "restart = 1",
                    "restart = -1",
                    "number of new starts -1 is out of range",
                ),
                ("restart = 1", "restarts = 1", "unknown key `restarts`"),
                ("name = \"south\"\n", "", "the key `name` is missing"),
            ],
        );
    }

    #[test]
    fn a_board_without_an_ethernet_is_refused_with_those_that_have_one() {
        let text = RIGHT
            .replace("tests/boards/network", "hello")
            .replace("\"virt-rv32\"", "\"ibex\"");
        let error = parse(&text).err().expect("refused");
        let refusals = Refusals::all(&error);
        let found = refusals
            .iter()
            .find(|it| it.to_string() == "board `ibex` has no Ethernet")
            .expect("it is told");
        assert!(
            found
                .next_step()
                .contains("mps2-an385, mps2-an386, virt-rv32")
        );
    }
}
