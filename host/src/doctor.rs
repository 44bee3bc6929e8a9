//! `./riposte doctor` and `./riposte boards`: what can be run here, and what is missing.

use std::process::Command;

use serde::Serialize;

use crate::board::Board;
use crate::build::c::Compiler;
use crate::debug;
use crate::json;
use crate::lab::Lab;
use crate::table::{Align, Table};
use crate::toolchain::{Toolchain, on_path, output};

/// What `sim/build` needs, and how to get it.
const SIMULATOR_TOOLS: [(&str, &str); 4] = [
    ("verilator", "apt-get install verilator"),
    ("g++", "apt-get install g++"),
    ("make", "apt-get install make"),
    ("python3", "apt-get install python3 python3-pip"),
];

/// One thing that is there or not.
struct Finding {
    name: String,
    /// What is there, or how to get it.
    state: Result<String, String>,
}

/// The same as data.
#[derive(Serialize)]
struct Told<'a> {
    name: &'a str,
    found: Option<&'a str>,
    /// How to get what is missing.
    remedy: Option<&'a str>,
}

impl Told<'_> {
    fn of(finding: &Finding) -> Told<'_> {
        Told {
            name: &finding.name,
            found: finding.state.as_deref().ok(),
            remedy: finding.state.as_deref().err().map(|it| &**it),
        }
    }
}

/// Prints what is there and what is missing; false if something is.
///
/// # Errors
/// If it cannot be printed.
pub fn doctor(lab: &Lab, as_json: bool) -> miette::Result<bool> {
    let mut findings = vec![tool(
        "cc",
        "the host tool's linker",
        "apt-get install gcc libc6-dev",
    )];
    findings.extend(rust(lab));
    findings.extend(emulators(lab));
    if lab.boards.iter().any(|board| board.simulator().is_some()) {
        let why = "builds the simulators of the cycle-accurate boards";
        findings.extend(SIMULATOR_TOOLS.map(|(name, remedy)| tool(name, why, remedy)));
        findings.push(pip());
    }
    findings.push(tool(
        "babeltrace2",
        "reads what `./riposte trace` writes",
        "apt-get install babeltrace2",
    ));
    findings.push(tool(
        debug::DEBUGGER,
        "the debugger of `./riposte debug`",
        &format!("apt-get install {}", debug::DEBUGGER),
    ));
    findings.extend(compilers(lab));
    let is_well = findings.iter().all(|finding| finding.state.is_ok());
    if as_json {
        let told: Vec<Told<'_>> = findings.iter().map(Told::of).collect();
        json::print(&told)?;
        return Ok(is_well);
    }
    for Finding { name, state } in &findings {
        match state {
            Ok(found) => println!("ok       {name}: {found}"),
            Err(remedy) => println!("missing  {name}: {remedy}"),
        }
    }
    Ok(is_well)
}

/// The C compilers of all boards, each with its library.
fn compilers(lab: &Lab) -> Vec<Finding> {
    let targets = lab.boards.iter().flat_map(Board::program_targets);
    let mut compilers: Vec<_> = targets.filter_map(Compiler::known).collect();
    compilers.sort_by_key(Compiler::program);
    compilers.dedup_by_key(|compiler| compiler.program());
    let finding = |compiler: &Compiler| Finding {
        name: compiler.program(),
        state: compiler.found().map_err(|missing| {
            let packages = compiler.packages();
            format!("programs in C: {missing} is missing; get it: apt-get install {packages}")
        }),
    };
    compilers.iter().map(finding).collect()
}

/// `python3` may be there without it.
fn pip() -> Finding {
    let mut command = Command::new("python3");
    command.args(["-m", "pip", "--version"]);
    let why = "downloads the cores of the simulators; get it: apt-get install python3-pip";
    Finding {
        name: "pip".into(),
        state: output(&mut command).map_err(|_| why.into()),
    }
}

fn tool(name: &str, why: &str, remedy: &str) -> Finding {
    let state = on_path(name)
        .map(|path| path.display().to_string())
        .ok_or_else(|| format!("{why}; get it: {remedy}"));
    Finding {
        name: name.into(),
        state,
    }
}

fn rust(lab: &Lab) -> Vec<Finding> {
    let toolchain = match Toolchain::find(&lab.root) {
        Ok(toolchain) => toolchain,
        // Its error sends the reader here.
        Err(_) => {
            let why = "compiles kernel, programs and this tool; get it: ./riposte boards, which installs what is missing, \
                       or apt-get install rustup";
            return vec![Finding {
                name: "rust".into(),
                state: Err(why.into()),
            }];
        }
    };
    let version = toolchain.version().map_err(|error| error.to_string());
    let mut findings = vec![Finding {
        name: "rust".into(),
        state: version,
    }];
    let mut targets: Vec<&str> = lab
        .boards
        .iter()
        .flat_map(|board| {
            board
                .program_targets()
                .chain([board.kernel_target.as_str()])
        })
        .collect();
    targets.sort_unstable();
    targets.dedup();
    findings.extend(targets.into_iter().map(|target| {
        let how = if toolchain.has_library(target) {
            "compiled library"
        } else {
            "library is built from source"
        };
        Finding {
            name: target.into(),
            state: Ok(how.into()),
        }
    }));
    findings
}

fn emulators(lab: &Lab) -> Vec<Finding> {
    let mut names: Vec<&str> = lab.boards.iter().filter_map(Board::emulator).collect();
    names.sort_unstable();
    names.dedup();
    let finding = |name: &str| {
        let version = output(Command::new(name).arg("--version"));
        let state = version
            .map(|text| text.lines().next().unwrap_or_default().to_owned())
            .map_err(|_| format!("emulates boards; get it: apt-get install {}", package(name)));
        Finding {
            name: name.into(),
            state,
        }
    };
    names.into_iter().map(finding).collect()
}

/// The Debian package of an emulator.
fn package(emulator: &str) -> &str {
    match emulator {
        "qemu-system-riscv32" => "qemu-system-misc",
        other => other,
    }
}

/// A board, and whether it can be run here.
#[derive(Serialize)]
struct Here<'a> {
    board: &'a str,
    description: &'a str,
    runs_here: bool,
    /// What is missing for that.
    missing: Option<&'a str>,
}

/// Prints the boards, and whether each can be run here.
///
/// # Errors
/// If they cannot be printed.
pub fn boards(lab: &Lab, as_json: bool) -> miette::Result<()> {
    let mut all = Vec::new();
    for board in &lab.boards {
        let needed: &[&str] = match (board.emulator(), board.simulator()) {
            (Some(name), _) => &[name],
            (None, _) => &SIMULATOR_TOOLS.map(|(name, _)| name),
        };
        let missing = needed.iter().find(|name| on_path(name).is_none());
        all.push(Here {
            board: &board.name,
            description: &board.description,
            runs_here: missing.is_none(),
            missing: missing.copied(),
        });
    }
    if as_json {
        return json::print(&all);
    }
    let mut table = Table::new(&[
        ("board", Align::Left),
        ("runs here", Align::Left),
        ("", Align::Left),
    ]);
    for it in all {
        let here = it
            .missing
            .map_or("yes".into(), |name| format!("no: {name} is missing"));
        table.row(vec![it.board.into(), here, it.description.into()]);
    }
    print!("{table}");
    Ok(())
}
