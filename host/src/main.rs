//! The host tool: see `./riposte help`.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use riposte_host::cli::{self, Add, Command, New};
use riposte_host::lab::Lab;
use riposte_host::new::{Wanted, add::Addition};
use riposte_host::progress::course::Course;
use riposte_host::{
    bench, compare, completion, cores, debug, doc, doctor, explain, fuzz, interrupt, json,
    manifest, map, new, nodes, report, run, shell, size, stack, test, trace,
};

fn main() -> ExitCode {
    completion::answer();
    let cli = match cli::parse() {
        Ok(cli) => cli,
        Err(code) => return exit_code(code),
    };
    interrupt::install();
    forgive_closed_output();
    match obey(&cli.command) {
        Ok(code) => exit_code(code),
        // What fails then fails for it.
        Err(_) if interrupt::asked() => {
            explain::tell("riposte: interrupted");
            exit_code(interrupt::EXIT_CODE)
        }
        Err(report) => {
            explain::tell(explain::text(&report));
            ExitCode::FAILURE
        }
    }
}

fn obey(command: &Command) -> miette::Result<i32> {
    let lab = Lab::open()?;
    let takes_its_time = matches!(
        command,
        Command::Bench(_)
            | Command::Compare(_)
            | Command::Profile(_)
            | Command::Test(_)
            | Command::Fuzz(_)
            | Command::Doc(_)
    );
    let words: Vec<String> = std::env::args().skip(1).collect();
    let course = takes_its_time.then(|| Course::begin(&lab.root, &words));
    let code = answer(&lab, command)?;
    if let Some(course) = course.filter(|_| code == 0) {
        course.end();
    }
    Ok(code)
}

fn answer(lab: &Lab, command: &Command) -> miette::Result<i32> {
    match command {
        Command::Bench(it) => bench::bench(lab, it),
        Command::Report(it) => report::report(lab, it),
        Command::Compare(it) => compare::compare(lab, it),
        Command::Profile(it) => bench::profile::profile(lab, it),
        Command::Run(it) => run::run(lab, it),
        Command::Trace(it) => trace::trace(lab, it),
        Command::Debug(it) => debug::debug(lab, it),
        Command::Core(it) => cores::core(lab, it),
        Command::Size(it) => size::size(lab, it).map(|()| 0),
        Command::Map(it) => map::map(lab, it).map(|()| 0),
        Command::Stack(it) => stack::stack(lab, it).map(|()| 0),
        Command::Boards(it) => doctor::boards(lab, it.json).map(|()| 0),
        Command::Doctor(it) => doctor::doctor(lab, it.json).map(|is_well| i32::from(!is_well)),
        Command::Schema(it) => {
            let text = if it.nodes {
                nodes::schema()
            } else {
                manifest::schema()
            };
            print!("{text}");
            Ok(0)
        }
        Command::Completion(it) => {
            print!("{}", completion::script(it.shell, &lab.root)?);
            Ok(0)
        }
        Command::Test(it) => test::test(lab, it),
        Command::Fuzz(it) => fuzz::fuzz(lab, it),
        Command::New(it) => new(lab, it),
        Command::Add(it) => add(lab, it),
        Command::Doc(it) => doc::doc(lab, it).map(|()| 0),
    }
}

/// Who closes our output, as `head` does, wants no more of it; that is no crash to be explained. Where there is no room for it, one
/// line says so. The panic still unwinds, so that no child stays behind.
fn forgive_closed_output() {
    let explain = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        let text = panic.payload_as_str().unwrap_or_default();
        if text.contains("Broken pipe") {
            return;
        }
        let Some(why) = text.strip_prefix("failed printing to stdout: ") else {
            return explain(panic);
        };
        explain::tell(explain::no_room(why));
    }));
}

fn new(lab: &Lab, asked: &New) -> miette::Result<i32> {
    let wanted = Wanted {
        path: Path::new(&asked.name),
        language: asked.lang,
        processes: &asked.processes,
    };
    let files = new::create(&wanted, &lab.root, &lab.boards)?;
    wrote(lab, files, &asked.name, asked.json)
}

fn add(lab: &Lab, asked: &Add) -> miette::Result<i32> {
    let application = lab.application(&asked.app)?;
    let addition = Addition {
        application: &application,
        folder: &application.directory,
        process: &asked.process,
        language: asked.lang,
    };
    let files = new::add::add(&addition, &lab.root)?;
    wrote(lab, files, &asked.app, asked.json)
}

/// Says which files of an application were written.
fn wrote(lab: &Lab, files: Vec<PathBuf>, application: &str, as_json: bool) -> miette::Result<i32> {
    let next = format!("{} run {}", lab.command(), shell::word(application));
    if as_json {
        json::print(&serde_json::json!({ "files": files, "next": next }))?;
    } else {
        for file in files {
            println!("wrote {}", file.display());
        }
        println!("now: {next}");
    }
    Ok(0)
}

fn exit_code(code: i32) -> ExitCode {
    u8::try_from(code).map_or(ExitCode::FAILURE, ExitCode::from)
}
