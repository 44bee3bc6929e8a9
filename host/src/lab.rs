//! The repository as the commands see it: its boards, its applications, its tools.

use std::path::{Path, PathBuf};

use miette::miette;

use crate::board::{self, Board, Memory};
use crate::build::{self, Image};
use crate::explain;
use crate::manifest::{self, Application};
use crate::nodes;
use crate::shell;
use crate::suggest;
use crate::toolchain::Toolchain;

/// The folders, below the root, whose applications have names.
pub const HOMES: [&str; 4] = ["examples", "bench", "tests/boards", "tests/faults"];

/// The repository.
#[derive(Clone)]
pub struct Lab {
    /// Its root.
    pub root: PathBuf,
    /// Its boards, ordered by name.
    pub boards: Vec<Board>,
}

impl Lab {
    /// Opens the repository that this tool was built from, or the one that `RIPOSTE_ROOT` names.
    ///
    /// # Errors
    /// If a board's description is wrong.
    pub fn open() -> miette::Result<Lab> {
        let built_from = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .unwrap_or(Path::new("."));
        let root = std::env::var_os("RIPOSTE_ROOT").map_or(built_from.into(), PathBuf::from);
        let root = root.canonicalize().unwrap_or(root);
        let boards = board::load_all(&root.join("boards"))?;
        Ok(Lab { root, boards })
    }

    /// How a person calls `./riposte` from the folder in which this runs.
    #[must_use]
    pub fn command(&self) -> String {
        let here = std::env::current_dir().and_then(|it| it.canonicalize());
        let here = here.unwrap_or_default();
        let up = here
            .strip_prefix(&self.root)
            .map(|it| it.components().count());
        let folder = match (up, self.root.strip_prefix(&here)) {
            (Ok(0), _) => ".".into(),
            (Ok(up), _) => PathBuf::from_iter(vec![".."; up]),
            (_, Ok(down)) => Path::new(".").join(down),
            _ => self.root.clone(),
        };
        shell::word(&folder.join("riposte").display().to_string())
    }

    /// The board with this name.
    ///
    /// # Errors
    /// If there is none; the message names those that there are.
    pub fn board(&self, name: &str) -> miette::Result<&Board> {
        self.boards
            .iter()
            .find(|board| board.name == name)
            .ok_or_else(|| {
                let names = self.boards.iter().map(|board| board.name.as_str());
                unknown("board", name, names)
            })
    }

    /// The repository with the memory of its simulated boards as it is asked for; `None` if nothing
    /// is asked.
    ///
    /// # Errors
    /// If one of the boards in `asked` is not simulated, or none is named.
    pub fn with_memory(&self, memory: &Memory, asked: &[String]) -> miette::Result<Option<Lab>> {
        if memory.is_default() {
            return Ok(None);
        }
        let simulated = self.boards.iter().filter(|it| it.simulator().is_some());
        let names: Vec<&str> = simulated.map(|board| board.name.as_str()).collect();
        let other = asked.iter().find(|name| !names.contains(&name.as_str()));
        if asked.is_empty() || other.is_some() {
            let what = other.map_or("all boards".into(), |name| format!("`{name}`"));
            return Err(miette!(
                help = format!(
                    "name simulated boards only: --board {}",
                    names.join(" --board ")
                ),
                "the latency of memory cannot be chosen on {what}"
            ));
        }
        Ok(Some(Lab {
            root: self.root.clone(),
            boards: self
                .boards
                .iter()
                .map(|it| it.with_memory(memory))
                .collect(),
        }))
    }

    /// The board that is asked for, if the application runs on it, or the application's first.
    ///
    /// # Errors
    /// If there is no such board, or the application does not run on it.
    pub fn board_for(
        &self,
        application: &Application,
        asked: Option<&str>,
    ) -> miette::Result<&Board> {
        let names: Vec<&str> = application
            .boards
            .iter()
            .map(|it| it.value.as_str())
            .collect();
        let Some(asked) = asked else {
            return self.board(names.first().copied().unwrap_or_default());
        };
        // Of boards that are equally like what was written, one on which the application runs was meant.
        let others = self.boards.iter().map(|board| board.name.as_str());
        let others = others.filter(|it| !names.contains(it));
        let known = names.iter().copied().chain(others);
        let mut boards = self.boards.iter();
        let board = boards.find(|board| board.name == asked);
        let board = board.ok_or_else(|| unknown("board", asked, known))?;
        if names.contains(&asked) {
            return Ok(board);
        }
        Err(miette!(
            "application `{}` does not run on board `{asked}`: its app.toml names {}",
            application.name,
            names.join(", ")
        ))
    }

    /// Loads the application with this name, or the one in this folder, and says what in it is
    /// probably not meant.
    ///
    /// # Errors
    /// If there is none, or its manifest is refused.
    pub fn application(&self, name: &str) -> miette::Result<Application> {
        let path = self.find(name)?;
        self.load(&path)
    }

    /// Loads the application in the folder `path`.
    ///
    /// # Errors
    /// If its manifest is refused; no image of it is left then.
    pub fn load(&self, path: &Path) -> miette::Result<Application> {
        let application = manifest::load(path, &self.boards).inspect_err(|_| {
            build::remove_images(&self.root, &manifest::directory_of(path), &self.boards);
        })?;
        let (shown, others) = application
            .warnings
            .split_at(application.warnings.len().min(explain::MOST_SHOWN));
        for warning in shown {
            eprintln!("{:?}", miette::Report::new(warning.clone()));
        }
        if !others.is_empty() {
            eprintln!("{}", explain::further(others.len()));
        }
        Ok(application)
    }

    /// The folder with the group of nodes that has this name, or is given, if there is one.
    #[must_use]
    pub fn group(&self, name: &str) -> Option<PathBuf> {
        // Every path ends with no name.
        if name.is_empty() {
            return None;
        }
        let given = PathBuf::from(name);
        let holds = |it: &PathBuf| it.join(nodes::FILE).is_file();
        if given.is_file() && given.ends_with(nodes::FILE) || holds(&given) {
            return Some(given);
        }
        let here = self.root.join(name);
        let named = HOMES.iter().map(|home| self.root.join(home));
        let named = named.flat_map(|home| groups_below(&home));
        let mut named = named.filter(|path| path.ends_with(name));
        Some(here).filter(holds).or_else(|| named.next())
    }

    /// The application with this name, or in this folder.
    ///
    /// # Errors
    /// If there is none.
    pub fn find(&self, name: &str) -> miette::Result<PathBuf> {
        self.find_from(Path::new(""), name)
    }

    /// As [`Lab::find`], for somebody in the folder `here`.
    fn find_from(&self, here: &Path, name: &str) -> miette::Result<PathBuf> {
        let given = here.join(name);
        // Any other file is none, and hides no application of its name.
        let is_manifest = given.is_file() && given.extension().is_some_and(|it| it == "toml");
        if is_manifest || given.join("app.toml").is_file() {
            return Ok(given);
        }
        let in_repository = self.root.join(name);
        if in_repository.join("app.toml").is_file() {
            return Ok(in_repository);
        }
        let all = self.applications();
        let found = all.iter().filter(|_| !name.is_empty()).find(|path| {
            path.ends_with(name)
                || path
                    .strip_prefix(&self.root)
                    .is_ok_and(|path| path == Path::new(name))
        });
        found
            .cloned()
            .ok_or_else(|| self.unknown_application(name, here))
    }

    /// Refuses the name of an application in one line: the few that it may have been meant to be, those in the folder
    /// `here` among them, and how to see all.
    fn unknown_application(&self, name: &str, here: &Path) -> miette::Report {
        if name.is_empty() {
            return miette!(
                help = "./riposte run hello runs the first of the examples",
                "the application's name is empty"
            );
        }
        if self.group(name).is_some() {
            return miette!(
                help = "name the folder of one of its machines, as its nodes.toml does",
                "`{name}` is a group of machines, which `run` alone takes"
            );
        }
        let place = here.join(name);
        if place.exists() {
            let what = match place.is_dir() {
                true => "a folder without app.toml",
                false => "a file, and no app.toml",
            };
            return miette!(
                help = "an application is a folder with an app.toml, a group of machines one with a nodes.toml: name that \
                        folder; `./riposte new NAME` makes an application",
                "`{name}` is {what}"
            );
        }
        let names = self.names();
        let local = local_names(here);
        let others = names.iter().filter(|it| !local.contains(it));
        let known = local.iter().chain(others).map(String::as_str);
        let question = suggest::question(name, known);
        let question = question.map_or_else(|| ";".to_owned(), |it| format!(": {it} If not,"));
        miette!(
            help = "an application is a folder with an app.toml, named by the way there, or by its own name if it is in \
                    one of these; a shell completes the names (`./riposte completion --help`)",
            "unknown application `{name}`{question} all {} are listed by: ls {}",
            names.len(),
            HOMES.join(" ")
        )
    }

    /// A name for each application, that of its folder, or the way there if another's is the same; and those of the groups
    /// of nodes.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let all = self.applications();
        let short: Vec<String> = all.iter().map(|path| short_name(path)).collect();
        let names = all.iter().zip(&short).map(|(path, name)| {
            let many = short.iter().filter(|other| *other == name).count() > 1;
            let way = path.strip_prefix(&self.root).unwrap_or(path);
            if many {
                way.display().to_string()
            } else {
                name.clone()
            }
        });
        let groups = HOMES.iter().map(|home| self.root.join(home));
        let groups = groups.flat_map(|home| groups_below(&home));
        names.chain(groups.map(|path| short_name(&path))).collect()
    }

    /// The folders of all applications that have names, examples first.
    #[must_use]
    pub fn applications(&self) -> Vec<PathBuf> {
        let homes = HOMES.iter().map(|home| self.root.join(home));
        homes.flat_map(|home| applications_below(&home)).collect()
    }

    /// Builds an application for a board.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn build(&self, application: &Application, board: &Board) -> miette::Result<Image> {
        build::build(
            &Toolchain::find(&self.root)?,
            &self.root,
            application,
            board,
        )
    }
}

/// The folders at or below `home` that hold an `app.toml`, in order of name; but for those of a group of nodes, which are
/// run together.
#[must_use]
pub fn applications_below(home: &Path) -> Vec<PathBuf> {
    folders_below(home, "app.toml")
}

/// The folders at or below `home` that hold a group of nodes, in order of name.
#[must_use]
pub fn groups_below(home: &Path) -> Vec<PathBuf> {
    folders_below(home, nodes::FILE)
}

/// The folders in `here` that hold an application or a group of nodes, by their names, in order.
fn local_names(here: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(here.join(".")).into_iter();
    let entries = entries.flatten().flatten();
    let holds = |it: &PathBuf| {
        ["app.toml", nodes::FILE]
            .iter()
            .any(|file| it.join(file).is_file())
    };
    let folders = entries.map(|entry| entry.path()).filter(holds);
    let mut names: Vec<String> = folders.map(|it| short_name(&it)).collect();
    names.sort();
    names
}

/// The folders at or below `home` that hold the file `wanted`; not those below a group of nodes.
fn folders_below(home: &Path, wanted: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    if home.join(wanted).is_file() {
        found.push(home.into());
    }
    if home.join(nodes::FILE).is_file() {
        return found;
    }
    let entries = std::fs::read_dir(home).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    folders.retain(|path| path.is_dir() && !path.ends_with("src") && !path.ends_with("target"));
    folders.sort();
    found.extend(folders.iter().flat_map(|it| folders_below(it, wanted)));
    found
}

/// The name by which an application is known: that of its folder.
#[must_use]
pub fn short_name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

/// Refuses a name in one line that says what there is.
pub fn unknown<'a>(
    what: &str,
    name: &str,
    names: impl IntoIterator<Item = &'a str>,
) -> miette::Report {
    let names: Vec<&str> = names.into_iter().collect();
    let all = names.join(", ");
    match suggest::closest(name, names) {
        Some(meant) => miette!("unknown {what} `{name}`: did you mean `{meant}`? There are {all}"),
        None => miette!("unknown {what} `{name}`: there are {all}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_chosen_for_simulated_boards_only() {
        let lab = Lab::open().unwrap();
        let slow = Memory {
            latency: "8,5,7".parse().ok(),
            ..Memory::default()
        };
        let changed = lab.with_memory(&slow, &["ibex".into()]).unwrap().unwrap();
        let simulator = changed.board("ibex").unwrap().simulator().unwrap();
        assert_eq!(simulator.memory(), "RAM latency 8,5,7, two ports");
        assert!(lab.with_memory(&Memory::default(), &[]).unwrap().is_none());
        for asked in [vec![], vec!["ibex".into(), "mps2-an386".into()]] {
            let error = lab.with_memory(&slow, &asked).err().unwrap();
            let help = error.help().unwrap().to_string();
            assert!(help.contains("--board ibex"), "{help}");
        }
    }

    #[test]
    fn the_repository_has_its_boards() {
        let lab = Lab::open().unwrap();
        assert!(lab.board("mps2-an385").is_ok());
        let error = lab.board("mps2").unwrap_err().to_string();
        assert!(
            error.contains("There are ibex, mps2-an385, mps2-an386"),
            "{error}"
        );
        assert!(!error.contains('\n'));
    }

    #[test]
    fn an_unknown_application_is_answered_with_the_few_likeliest_and_how_to_see_all() {
        let lab = Lab::open().unwrap();
        let says = |name: &str| lab.find(name).unwrap_err().to_string();
        let all = lab.names().len();
        let end = format!("all {all} are listed by: ls examples bench tests/boards tests/faults");
        assert!(all > 100);
        assert_eq!(
            says("helo"),
            format!(
                "unknown application `helo`: did you mean `hello`, `hello-c` or `held`? If not, {end}"
            )
        );
        assert_eq!(says("zzz"), format!("unknown application `zzz`; {end}"));
        // Every path ends with no name.
        assert_eq!(says(""), "the application's name is empty");
        assert_eq!(lab.group(""), None);
        // It is there, and no application.
        assert_eq!(
            says("nodes"),
            "`nodes` is a group of machines, which `run` alone takes"
        );
    }

    #[test]
    fn an_application_in_the_current_folder_is_suggested_too() {
        let lab = Lab::open().unwrap();
        let folder = tempfile::tempdir().unwrap();
        for (name, file) in [
            ("station", "app.toml"),
            ("stations", nodes::FILE),
            ("statoins", "other"),
        ] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
            std::fs::write(folder.path().join(name).join(file), "").unwrap();
        }
        let error = lab.unknown_application("statoin", folder.path());
        let text = error.to_string();
        let expected = "unknown application `statoin`: did you mean `station`, `stations` or `";
        assert!(text.starts_with(expected), "{text}");
    }

    #[test]
    fn a_folder_that_is_no_application_is_not_taken_for_a_misspelt_name() {
        let lab = Lab::open().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("helo");
        std::fs::create_dir(&inner).unwrap();
        let error = lab.unknown_application("helo", folder.path());
        assert_eq!(error.to_string(), "`helo` is a folder without app.toml");
        let error = lab.find(inner.to_str().unwrap()).unwrap_err();
        assert!(error.to_string().ends_with("is a folder without app.toml"));
    }

    #[test]
    fn a_file_that_is_no_manifest_hides_no_application_and_is_none() {
        let lab = Lab::open().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let here = folder.path();
        for name in ["hello", "notes.md", "other.toml"] {
            std::fs::write(here.join(name), "").unwrap();
        }
        let found = |name| lab.find_from(here, name);
        assert_eq!(found("hello").unwrap(), lab.root.join("examples/hello"));
        assert_eq!(found("other.toml").unwrap(), here.join("other.toml"));
        let error = found("notes.md").unwrap_err();
        assert_eq!(error.to_string(), "`notes.md` is a file, and no app.toml");
    }

    #[test]
    fn a_board_that_is_not_there_is_likeliest_one_of_the_applications() {
        let lab = Lab::open().unwrap();
        let mut application = lab.application("hello").unwrap();
        for first in ["mps2-an386", "mps2-an385"] {
            application.boards.sort_by_key(|it| it.value != first);
            let error = lab.board_for(&application, Some("mps")).unwrap_err();
            let text = error.to_string();
            assert!(
                text.contains(&format!("did you mean `{first}`? There are {first}, ")),
                "{text}"
            );
            let names = lab.boards.iter().map(|it| it.name.as_str());
            assert!(names.clone().all(|it| text.contains(it)), "{text}");
        }
    }

    #[test]
    fn the_name_of_each_application_is_that_of_one_alone() {
        let mut names = Lab::open().unwrap().names();
        let all = names.len();
        assert!(names.contains(&"tests/boards/c".to_owned()), "{names:?}");
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all, "{names:?}");
    }

    #[test]
    fn a_refused_manifest_leaves_no_image() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let lab = Lab {
            root: root.clone(),
            boards: Lab::open().unwrap().boards,
        };
        let image = root.join("target/images/mps2-an386/wrong/image.bin");
        for folder in [root.join("wrong"), image.parent().unwrap().into()] {
            std::fs::create_dir_all(folder).unwrap();
        }
        std::fs::write(&image, "old").unwrap();
        std::fs::write(root.join("wrong/app.toml"), "[aplication]").unwrap();
        assert!(lab.load(&root.join("wrong")).is_err());
        assert!(!image.exists());
    }

    #[test]
    fn every_application_of_the_repository_has_a_right_manifest() {
        let lab = Lab::open().unwrap();
        for path in lab.applications() {
            let on_each = |application: Application| {
                let boards = application.boards.iter();
                boards
                    .map(|name| lab.board(&name.value))
                    .try_for_each(|board| application.on(board?).map(drop))
            };
            if let Err(error) = manifest::load(&path, &lab.boards).and_then(on_each) {
                panic!("{}: {error:?}", path.display());
            }
        }
    }
}
