//! The command line.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use crate::board::Memory;
use crate::completion;
use crate::explain;
use crate::manifest::TRACED;
use crate::suggest;
use crate::wire::Quality;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, CommandFactory, Parser, Subcommand, ValueEnum};
use clap_complete::engine::ArgValueCompleter;

/// The end of the help: what a person does first.
const BEGIN: &str = "\
Begin: ./riposte new hello-you && ./riposte run hello-you
The book: docs/src/tutorial.md is a device's firmware, step by step; docs/src/SUMMARY.md lists all pages";

/// Riposte: a message-passing microkernel, and the lab that measures it.
#[derive(Debug, Parser)]
#[command(
    name = "./riposte",
    bin_name = "./riposte",
    version,
    max_term_width = 100,
    after_help = BEGIN
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Make a new application that builds and runs
    New(New),
    /// Add a process to an application: a program that prints a line, and its tables in app.toml
    Add(Add),
    /// Build and boot an application, console attached
    Run(Run),
    /// Build and run an application with a traced kernel, and write down what that does
    Trace(Trace),
    /// Build and boot an application with gdb attached, which sees the threads of all processes
    Debug(Debug),
    /// Write a core of an application that has stopped, or open one in gdb as `debug` does
    Core(Core),
    /// Show an application's memory, by process and for the kernel
    Size(Size),
    /// Show an application's flash and RAM by process, crate and symbol, and what would save some
    Map(Map),
    /// Show how much stack each thread can need at most, and what it has used
    Stack(Stack),
    /// Build, boot and measure; print our figures beside the published ones
    Bench(Bench),
    /// Show what was measured, as a page: one file that needs no network
    Report(Report),
    /// Say what changed between two measurements; the exit code is 1 if a figure rose
    Compare(Compare),
    /// Say where the instructions or cycles of a case go: by process, privilege and function
    Profile(Profile),
    /// Run every test: host, explorer, boards, attacks, fuzzer
    Test(Test),
    /// Compare random programs on the shipped kernel with a naive model, call by call
    Fuzz(Fuzz),
    /// List the boards
    Boards(Printed),
    /// Say what is missing here, and how to get it
    Doctor(Printed),
    /// Print the JSON Schema of app.toml
    Schema(Schema),
    /// Build the reference of the Rust library, and say where it is
    Doc(Doc),
    /// Print the script by which a shell completes the words of this command
    Completion(Completion),
}

/// What to measure.
#[derive(Args, Debug)]
pub struct Bench {
    /// Suites, whose tables are printed; with neither suite nor board, the headlines of all, in one screen
    #[arg(add = ArgValueCompleter::new(completion::suites))]
    pub suites: Vec<String>,
    /// Boards; each suite's own if none is named
    #[arg(long = "board", value_name = "BOARD", add = ArgValueCompleter::new(completion::boards))]
    pub boards: Vec<String>,
    /// The tables of every suite, on every board
    #[arg(long, conflicts_with_all = ["suites", "boards"])]
    pub all: bool,
    /// Where to write the results, instead of the folder `results`
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
    /// Open the page of what was measured as the desktop opens pages
    #[arg(long)]
    pub open: bool,
    /// The memory of simulated boards
    #[command(flatten)]
    pub memory: Memory,
}

impl Bench {
    /// Whether nothing is asked for in particular: the headlines will do.
    #[must_use]
    pub fn asks_for_headlines(&self) -> bool {
        self.suites.is_empty() && self.boards.is_empty() && !self.all
    }
}

/// What to show.
#[derive(Args, Debug)]
pub struct Report {
    /// Result files, of which the later ones count where several have a figure; the newest if none is named
    pub files: Vec<PathBuf>,
    /// Where to write the page, instead of beside the last file
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Open it as the desktop opens pages
    #[arg(long)]
    pub open: bool,
    /// Print where it is and what stands first on it as JSON
    #[arg(long)]
    pub json: bool,
}

/// What to compare.
#[derive(Args, Debug)]
pub struct Compare {
    /// What was: a result file, or a revision, which is built and measured
    pub before: String,
    /// What is: the same
    pub after: String,
    /// Of revisions, the suites to measure; the headlines if none is named
    #[arg(long = "suite", value_name = "SUITE", add = ArgValueCompleter::new(completion::suites))]
    pub suites: Vec<String>,
    /// Of revisions, the boards to measure on; each suite's own if none is named
    #[arg(long = "board", value_name = "BOARD", add = ArgValueCompleter::new(completion::boards))]
    pub boards: Vec<String>,
    /// By how many percent a figure may rise
    #[arg(long, value_name = "PERCENT", default_value_t = 1.0, value_parser = percent)]
    pub threshold: f64,
    /// Succeed also if figures were measured before only
    #[arg(long)]
    pub allow_missing: bool,
    /// Print it as JSON
    #[arg(long)]
    pub json: bool,
}

/// What to profile.
#[derive(Args, Debug)]
pub struct Profile {
    /// The case, as in core/rt-1w
    #[arg(value_name = "SUITE/CASE", add = ArgValueCompleter::new(completion::cases))]
    pub case: String,
    /// The board; the suite's first if none is named
    #[arg(long, value_name = "BOARD", add = ArgValueCompleter::new(completion::boards))]
    pub board: Option<String>,
    /// Of the case within one process, instead of that across two
    #[arg(long)]
    pub within: bool,
    /// Where the suite measures in several memories, the one; its first if none is named
    #[arg(long, value_name = "NAME")]
    pub memory: Option<String>,
    /// Where to draw it, too: a flame graph, as SVG
    #[arg(long, value_name = "FILE")]
    pub flame: Option<PathBuf>,
    /// Where to write it as data, too
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

/// Which tests.
#[derive(Args, Debug)]
pub struct Test {
    /// Stages; all of them if none is named
    #[arg(value_enum, value_name = "STAGE")]
    pub stages: Vec<Stage>,
    /// Only what takes a minute or two
    #[arg(long, conflicts_with = "full")]
    pub quick: bool,
    /// Explore deeper, and measure every suite twice
    #[arg(long)]
    pub full: bool,
    /// Print the verdicts as JSON at the end, and the lines meanwhile on the standard error
    #[arg(long)]
    pub json: bool,
}

/// A kind of tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Stage {
    /// Whether all sources are formatted
    Format,
    /// The tests of every crate that runs on the host, the explorer's among them
    Host,
    /// The simulators' own
    Simulators,
    /// The applications of tests/boards, and the examples that end
    Boards,
    /// Random programs on the shipped kernel and on a naive model
    Fuzzer,
    /// How long an interrupt waits in the kernel at most
    Bounds,
    /// The report on a fault
    Faults,
    /// Clippy
    Lints,
    /// Suites measured twice
    Determinism,
    /// The soak test, one seed twice and another one
    Soak,
    /// A pin's times beside a counter's
    Pin,
    /// A new application
    New,
    /// The gateway's own, which only `--full` runs else: it is five hundred crates
    Gateway,
}

/// Random programs.
#[derive(Args, Debug)]
pub struct Fuzz {
    /// Boards; one if none is named
    #[arg(long = "board", value_name = "BOARD", add = ArgValueCompleter::new(completion::boards))]
    pub boards: Vec<String>,
    /// The seed of the first round
    #[arg(long, default_value_t = 1)]
    pub seed: u32,
    /// How many rounds, each of some hundred calls
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    pub rounds: u32,
    /// Print it as JSON
    #[arg(long)]
    pub json: bool,
}

/// An application on a board.
#[derive(Args, Debug)]
pub struct Application {
    /// Its name, or the folder that holds its app.toml
    #[arg(add = ArgValueCompleter::new(completion::applications))]
    pub app: String,
    /// The board; the first that the application names if none is
    #[arg(long, value_name = "BOARD", add = ArgValueCompleter::new(completion::boards))]
    pub board: Option<String>,
}

/// How a result is printed.
#[derive(Args, Debug)]
pub struct Printed {
    /// Print it as JSON
    #[arg(long)]
    pub json: bool,
}

/// An application whose size is to be shown.
#[derive(Args, Debug)]
pub struct Size {
    /// The application and the board
    #[command(flatten)]
    pub application: Application,
    /// Print it as JSON
    #[arg(long)]
    pub json: bool,
}

/// An application whose memory is to be shown.
#[derive(Args, Debug)]
pub struct Map {
    /// The application and the board
    #[command(flatten)]
    pub application: Application,
    /// Print all symbols, instead of the largest
    #[arg(long, conflicts_with = "json")]
    pub all: bool,
    /// Print everything as JSON
    #[arg(long)]
    pub json: bool,
}

/// An application whose stacks are to be shown.
#[derive(Args, Debug)]
pub struct Stack {
    /// The application and the board
    #[command(flatten)]
    pub application: Application,
    /// Run it first, in virtual time and to its end, to measure what is used
    #[arg(long)]
    pub run: bool,
    /// Print each way and circle whole, instead of what takes most of it
    #[arg(long, conflicts_with = "json")]
    pub all: bool,
    /// Print everything as JSON
    #[arg(long)]
    pub json: bool,
}

/// An application that is to run, and how.
#[derive(Args, Debug)]
pub struct Run {
    /// The application and the board
    #[command(flatten)]
    pub application: Application,
    /// Seconds, or a time such as 90s or 5m, without a word on the console after which it is stopped
    #[arg(long, value_name = "SECONDS", value_parser = duration)]
    pub limit: Option<Duration>,
    /// Hand on Ctrl-C, too, to what runs; Ctrl-] ends the run in its place
    #[arg(long)]
    pub raw: bool,
    /// In virtual time alone: exact, and as fast as it goes (simulated boards run so always, and those with a network or a
    /// card in a file never)
    #[arg(long = "virtual")]
    pub in_virtual_time: bool,
    /// The card's image, for an application that uses the board's device `card`; it is made, full of zeros, if it is not
    /// there. Without this option each run has a new one
    #[arg(long, value_name = "FILE")]
    pub card: Option<PathBuf>,
    /// Print what the console says, and at the end how the run ended, as JSON: a line each
    #[arg(long)]
    pub json: bool,
    /// Of a group of nodes
    #[command(flatten)]
    pub nodes: Nodes,
}

/// How the nodes of a group are to run.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Of several machines at one wire (nodes.toml)")]
pub struct Nodes {
    /// What the wire does to frames: loss=5%, double=1%, reorder=2%, corrupt=1% (shares of them), delay=1ms..20ms,
    /// cut=2s..5s (or cut=100..200, by a node's frames), seed=7 (which frames), with commas in between
    #[arg(long, value_name = "FAULTS")]
    pub wire: Option<Quality>,
    /// Write the wire's frames to this file, for Wireshark
    #[arg(long, value_name = "FILE")]
    pub pcap: Option<PathBuf>,
    /// Switch a node off and on that long after the beginning, as in north=5s; may be said again
    #[arg(long, value_name = "NODE=TIME", value_parser = reset)]
    pub reset: Vec<(String, Duration)>,
}

impl Nodes {
    /// The first option that is for nodes, if there is one.
    #[must_use]
    pub fn first_option(&self) -> Option<&'static str> {
        let said = [
            (self.wire.is_some(), "--wire"),
            (self.pcap.is_some(), "--pcap"),
            (!self.reset.is_empty(), "--reset"),
        ];
        said.into_iter()
            .find_map(|(is_said, option)| is_said.then_some(option))
    }
}

/// Which node, and when.
fn reset(text: &str) -> Result<(String, Duration), String> {
    let wrong = || "a node and a time are wanted, as in north=5s".to_owned();
    let (node, time) = text.split_once('=').ok_or_else(wrong)?;
    Ok((node.to_owned(), duration(time)?))
}

/// An application that is to be traced, and how.
#[derive(Args, Debug)]
pub struct Trace {
    /// The application and the board
    #[command(flatten)]
    pub application: Application,
    /// How many events the kernel keeps, of which later ones replace the first: a power of two from 64 to 65536, 16384 if
    /// neither this nor the manifest says
    #[arg(long, value_name = "N", value_parser = events)]
    pub events: Option<u32>,
    /// Print the events while they come, and run as fast as a clock on the wall goes, as boards with a network or a card in a
    /// file do always; not on a simulated board
    #[arg(long)]
    pub live: bool,
    /// Seconds of this machine, or a time such as 90s or 5m, after which the run ends if it has not: without --live far more
    /// of the board's, which skips what is slept; of a simulated board, seconds of its own
    #[arg(long = "for", value_name = "SECONDS", value_parser = duration)]
    pub duration: Option<Duration>,
    /// The card's image, as with `run`
    #[arg(long, value_name = "FILE")]
    pub card: Option<PathBuf>,
    /// The folder to write to, instead of one in `results`
    #[arg(long, value_name = "FOLDER")]
    pub output: Option<PathBuf>,
    /// Print the summary as JSON, and the console on the standard error
    #[arg(long, conflicts_with = "live")]
    pub json: bool,
}

/// How much a figure may rise.
fn percent(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|_| "it is no number")?;
    match number.is_finite() && number >= 0.0 {
        true => Ok(number),
        false => Err("it must be 0 or more".into()),
    }
}

/// How many events a kernel may keep.
fn events(text: &str) -> Result<u32, String> {
    let events = text.parse().ok();
    events
        .filter(|events: &u32| events.is_power_of_two() && TRACED.contains(events))
        .ok_or_else(|| "a number of events is a power of two from 64 to 65536".into())
}

/// An application that is to be debugged.
#[derive(Args, Debug)]
pub struct Debug {
    /// The application and the board
    #[command(flatten)]
    pub application: Application,
    /// The card's image, as with `run`
    #[arg(long, value_name = "FILE")]
    pub card: Option<PathBuf>,
    /// Print what a debugger comes to, and where, as JSON: a line
    #[arg(long, requires = "server")]
    pub json: bool,
    /// Who debugs
    #[command(flatten)]
    pub debugger: Debugger,
}

/// Who debugs.
#[derive(Args, Debug)]
pub struct Debugger {
    /// Start no debugger: wait for one at this port of this machine (0: any that is free), and then for the next one
    #[arg(long, value_name = "PORT")]
    pub server: Option<u16>,
    /// What gdb is told further
    #[arg(last = true, value_name = "ARGUMENT", conflicts_with = "server")]
    pub arguments: Vec<String>,
}

/// A core that is to be written of an application, or opened.
#[derive(Args, Debug)]
pub struct Core {
    /// The application: its name, or the folder that holds its app.toml; or a core, which is opened
    #[arg(value_name = "APP|FILE", add = ArgValueCompleter::new(completion::applications))]
    pub subject: String,
    /// The board; the first that the application names if none is
    #[arg(long, value_name = "BOARD", add = ArgValueCompleter::new(completion::boards))]
    pub board: Option<String>,
    /// Seconds, or a time such as 20ms or 5m, after which the board is stopped if it has not: of this machine, or of a
    /// simulated board's own time
    #[arg(long, value_name = "SECONDS", value_parser = duration)]
    pub after: Option<Duration>,
    /// In virtual time alone, as with `run`
    #[arg(long = "virtual")]
    pub in_virtual_time: bool,
    /// The card's image, as with `run`
    #[arg(long, value_name = "FILE")]
    pub card: Option<PathBuf>,
    /// The file to write, instead of one in `results`
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Print what was written as JSON, and the console on the standard error; of a core that is opened for a debugger at a
    /// port, what it is, and where
    #[arg(long)]
    pub json: bool,
    /// Who looks at a core that is opened
    #[command(flatten)]
    pub debugger: Debugger,
}

/// Seconds, or a number with a unit.
fn duration(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().map(Duration::from_secs);
    let time = seconds.or_else(|_| humantime::parse_duration(text));
    match time {
        Ok(time) if time > Duration::ZERO => Ok(time),
        _ => Err("a time is a number of seconds, or as in 90s or 5m".into()),
    }
}

/// A new application.
#[derive(Args, Debug)]
pub struct New {
    /// Its name, and that of its folder
    pub name: String,
    /// The language of its programs
    #[arg(long, value_enum, default_value_t = Language::Rust)]
    pub lang: Language,
    /// Its processes, of which the first one serves the others; one, of its own name, if none is named
    #[arg(long, value_name = "NAME,NAME...", value_delimiter = ',')]
    pub processes: Vec<String>,
    /// Print which files were written as JSON
    #[arg(long)]
    pub json: bool,
}

/// A process that is to be added.
#[derive(Args, Debug)]
pub struct Add {
    /// The application: its name, or the folder that holds its app.toml
    #[arg(add = ArgValueCompleter::new(completion::applications))]
    pub app: String,
    /// The process's name, and that of its program's folder
    pub process: String,
    /// The language of its program
    #[arg(long, value_enum, default_value_t = Language::Rust)]
    pub lang: Language,
    /// Print which files were written as JSON
    #[arg(long)]
    pub json: bool,
}

/// Of which file.
#[derive(Args, Debug)]
pub struct Schema {
    /// That of nodes.toml
    #[arg(long)]
    pub nodes: bool,
}

/// The reference of the Rust library.
#[derive(Args, Debug)]
pub struct Doc {
    /// Open it in a browser
    #[arg(long)]
    pub open: bool,
    /// Print where it is as JSON
    #[arg(long)]
    pub json: bool,
}

/// For whom to complete.
#[derive(Args, Debug)]
pub struct Completion {
    /// The shell
    #[arg(value_enum)]
    pub shell: Shell,
}

/// A shell that completes words.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Shell {
    /// GNU Bash
    Bash,
    /// The Z shell
    Zsh,
    /// fish
    Fish,
}

/// A language for programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Language {
    /// Rust
    Rust,
    /// C
    C,
}

/// Parses the command line. What clap answers by itself (help, version, a mistake) is printed.
///
/// # Errors
/// The exit code, if there is nothing more to do.
pub fn parse() -> Result<Cli, i32> {
    Cli::try_parse().map_err(|error| match error.kind() {
        ErrorKind::DisplayHelp
        | ErrorKind::DisplayVersion
        | ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => match error.print() {
            // Who closed the output does not want the help.
            Err(why) if why.kind() != io::ErrorKind::BrokenPipe => {
                explain::tell(explain::no_room(why));
                1
            }
            _ => 0,
        },
        _ => {
            explain::tell(format_args!("riposte: {}", one_line(&error)));
            2
        }
    })
}

/// A mistake in one line, with what there is instead.
fn one_line(error: &clap::Error) -> String {
    let context = |kind| error.get(kind).map(ContextValue::to_string);
    match error.kind() {
        ErrorKind::UnknownArgument => {
            let argument = context(ContextKind::InvalidArg).unwrap_or_default();
            let words: Vec<String> = std::env::args().collect();
            too_many_or_unknown(&argument, &words)
        }
        ErrorKind::InvalidSubcommand => {
            let name = context(ContextKind::InvalidSubcommand).unwrap_or_default();
            let root = Cli::command();
            let names: Vec<&str> = root
                .get_subcommands()
                .map(clap::Command::get_name)
                .collect();
            let all = names.join(", ");
            match suggest::closest(&name, names) {
                Some(meant) => {
                    format!("unknown command `{name}`: did you mean `{meant}`? There are {all}")
                }
                None => format!("unknown command `{name}`: there are {all}"),
            }
        }
        _ => {
            let text = error.to_string();
            let lines = text.lines().take_while(|line| !line.starts_with("Usage"));
            let words: Vec<&str> = lines.flat_map(str::split_whitespace).collect();
            let text = words.join(" ");
            let text = text.trim_start_matches("error: ");
            // It says so behind some mistakes, and not behind others.
            let text = text.trim_end_matches(" For more information, try '--help'.");
            let begun = std::env::args().nth(1).unwrap_or_default();
            let known = Cli::command().find_subcommand(&begun).is_some();
            let command = if known {
                format!(" {begun}")
            } else {
                String::new()
            };
            format!("{text} (./riposte{command} --help says what it takes)")
        }
    }
}

/// What is wrong with an argument that the command of `words` does not take.
fn too_many_or_unknown(argument: &str, words: &[String]) -> String {
    let mut root = Cli::command();
    root.build();
    let command = words
        .iter()
        .skip(1)
        .find_map(|word| root.find_subcommand(word));
    let command = command.unwrap_or(&root);
    let name = command.get_name();
    if !argument.starts_with('-') {
        let taken = command.get_positionals().map(ToString::to_string);
        let taken: Vec<String> = taken.collect();
        let taken = match taken.is_empty() {
            true => "none".to_owned(),
            false => taken.join(" "),
        };
        return format!("`{argument}` is an argument too many: `{name}` takes {taken}");
    }
    let options: Vec<String> = command
        .get_arguments()
        .filter_map(|argument| argument.get_long().map(|long| format!("--{long}")))
        .collect();
    let meant = suggest::closest(argument, options.iter().map(String::as_str));
    let meant = meant.map_or(String::new(), |it| format!("did you mean `{it}`? "));
    let all = options.join(", ");
    format!("unknown option `{argument}`: {meant}`{name}` has {all}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mistake(words: &[&str]) -> String {
        let words = std::iter::once(&"riposte").chain(words);
        one_line(&Cli::try_parse_from(words).unwrap_err())
    }

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn an_unknown_command_names_all_commands() {
        let all = "new, add, run, trace, debug, core, size, map, stack, bench, report, compare, profile, test, fuzz, \
                   boards, doctor, schema, doc, completion";
        for (slip, meant) in [("bnech", "bench"), ("rnu", "run"), ("tset", "test")] {
            assert_eq!(
                mistake(&[slip]),
                format!("unknown command `{slip}`: did you mean `{meant}`? There are {all}")
            );
        }
        let text = mistake(&["xyzzy"]);
        assert!(
            text.contains(&format!("`xyzzy`: there are {all}")),
            "{text}"
        );
    }

    #[test]
    fn the_help_begins_with_what_a_newcomer_types_and_ends_with_a_next_step() {
        let help = Cli::command().render_long_help().to_string();
        let places = ["\n  new ", "\n  add ", "\n  run ", "\n  bench ", "Begin:"];
        let places: Vec<_> = places.iter().map(|it| help.find(it)).collect();
        assert!(
            places.is_sorted() && places[0].is_some(),
            "{places:?}\n{help}"
        );
        let (_, begin) = BEGIN.split_once("Begin: ").unwrap();
        let commands = begin.lines().next().unwrap().split(" && ");
        let taken: Vec<Cli> = commands
            .map(|it| Cli::try_parse_from(it.split(' ')).unwrap())
            .collect();
        let [Command::New(new), Command::Run(run)] = [&taken[0].command, &taken[1].command] else {
            panic!("{taken:?}")
        };
        assert_eq!(new.name, run.application.app);
        assert_eq!(
            crate::manifest::name_like(&new.name).as_ref(),
            Some(&new.name)
        );
        let pages = begin.split_whitespace().filter(|it| it.ends_with(".md"));
        let pages: Vec<&str> = pages.collect();
        assert!(!pages.is_empty());
        for page in pages {
            let file = std::path::Path::new("..").join(page);
            assert!(file.is_file(), "{page}");
        }
    }

    #[test]
    fn an_argument_too_many_is_not_called_an_option() {
        let says = |argument: &str, words: &[&str]| {
            let words = words.iter().map(|it| (*it).to_owned());
            too_many_or_unknown(argument, &words.collect::<Vec<_>>())
        };
        assert_eq!(
            says("station", &["riposte", "run", "blink", "station"]),
            "`station` is an argument too many: `run` takes <APP>"
        );
        assert_eq!(
            says("x", &["riposte", "boards", "x"]),
            "`x` is an argument too many: `boards` takes none"
        );
    }

    #[test]
    fn an_unknown_option_names_those_of_the_command() {
        let words = ["riposte", "bench", "--bord"].map(str::to_owned);
        let text = too_many_or_unknown("--bord", &words);
        assert!(
            text.contains("did you mean `--board`? `bench` has --board, --all, --json"),
            "{text}"
        );
    }

    #[test]
    fn a_wrong_latency_says_what_one_is() {
        let text = mistake(&["bench", "--ram-latency", "1,1,2"]);
        assert!(
            text.contains("1,1,2") && text.contains("as in 2,1,2"),
            "{text}"
        );
    }

    #[test]
    fn no_rounds_are_no_comparison() {
        let text = mistake(&["fuzz", "--rounds", "0"]);
        assert!(text.contains("0 is not in 1.."), "{text}");
    }

    #[test]
    fn a_limit_is_in_seconds_or_has_a_unit() {
        for (text, seconds) in [("90", 90), ("90s", 90), ("5m", 300)] {
            assert_eq!(duration(text).map(|it| it.as_secs()), Ok(seconds));
        }
        for text in ["0", "-1", "soon"] {
            let text = mistake(&["run", "hello", &format!("--limit={text}")]);
            assert!(text.contains("90s or 5m"), "{text}");
        }
    }

    #[test]
    fn what_is_said_of_a_wire_is_refused_with_what_would_be_right() {
        for (option, right) in [
            ("--wire=loss=5", "write 5%"),
            ("--wire=lost=5%", "did you mean `loss`?"),
            ("--reset=north", "north=5s"),
            ("--reset=north=soon", "90s or 5m"),
        ] {
            let text = mistake(&["run", "nodes", option]);
            assert!(text.contains(right), "{text}");
        }
    }

    #[test]
    fn a_mistake_that_the_parser_tells_ends_with_where_to_read_what_is_right() {
        for words in [
            &["run"][..],
            &["size", "hello", "--board"],
            &["trace", "hello", "--for", "0"],
        ] {
            let text = mistake(words);
            assert!(text.ends_with(" --help says what it takes)"), "{text}");
            assert!(!text.contains("For more information"), "{text}");
        }
    }

    #[test]
    fn every_mistake_is_one_line() {
        for words in [
            &["run"][..],
            &["run", "nodes", "--wire", "delay=1h"],
            &["new", "x", "--lang", "cobol"],
            &["bench", "--board"],
            &["bench", "--board", "ibex", "--ram-latency", "8,5"],
            &["bench", "--ram-ports", "3"],
            &["bench", "--l2", "48"],
        ] {
            let text = mistake(words);
            assert!(!text.contains('\n') && !text.is_empty(), "{text}");
        }
    }
}
