//! `./riposte debug`: gdb with the kernel's threads.

mod emulator;
mod proxy;
mod system;
mod target;

use std::io::{self, ErrorKind};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc::Sender;
use std::time::Duration;

use miette::{IntoDiagnostic, WrapErr, miette};
use serde_json::{Value, json};

use crate::board::Board;
use crate::build::Image;
use crate::card::Card;
use crate::child::{Ends, Running};
use crate::cli;
use crate::interrupt;
use crate::json;
use crate::lab::Lab;
use crate::rsp::{self, Packet};
use crate::shell;
use crate::whole;
use emulator::Emulator;
pub(crate) use proxy::refusal;
use proxy::{Proxy, Then};
pub(crate) use system::System;
pub(crate) use target::{Memory, Target, unreadable};

/// The debugger, and the package that it comes in.
pub(crate) const DEBUGGER: &str = "gdb-multiarch";
/// What a server says when a debugger may come, before the address.
pub(crate) const WAITING: &str = "waiting for a debugger at";
/// What a debugger is told before it comes: the programs are here and not on the board, and run together.
pub(crate) const SETTINGS: [&str; 5] = [
    "set sysroot /",
    "set schedule-multiple on",
    "set print thread-events off",
    "set print inferior-events off",
    "set confirm off",
];
/// What it reads first.
const SCRIPT: &str = "debug.gdb";
/// How often it is looked whether one has come.
const POLL: Duration = Duration::from_millis(20);

/// Something that one of the two sides said.
#[derive(Debug)]
pub enum Event {
    /// The debugger's request.
    Debugger(Vec<u8>),
    /// The debugger wants the board to stop.
    Break,
    /// There is no debugger any more.
    DebuggerGone,
    /// The emulator's answer.
    Emulator(Vec<u8>),
    /// There is no emulator any more.
    EmulatorGone,
}

/// Debugs the application, or only serves a debugger; the result is an exit code.
///
/// # Errors
/// If it does not build, the board cannot be debugged, or the debugger is missing.
pub fn debug(lab: &Lab, asked: &cli::Debug) -> miette::Result<i32> {
    let application = lab.application(&asked.application.app)?;
    let board = lab.board_for(&application, asked.application.board.as_deref())?;
    refuse_simulator(board)?;
    let debugger = &asked.debugger;
    debugger.check()?;
    let image = lab.build(&application, board)?;
    let card = Card::of(&application, board, &image, asked.card.as_deref())?;
    let system = system(&image, board)?;
    let mut door = Door::open(&image, debugger)?;
    if asked.json {
        door.tell(json!({
            "application": application.name, "board": board.name, "kernel": image.kernel.file,
        }));
    }
    let (emulator, events) = Emulator::begin(lab, board, &image, card.as_ref(), &system)?;
    door.attend(&system, emulator, &events)
}

/// Refuses a board that has no stub.
///
/// # Errors
/// If it is a simulator.
fn refuse_simulator(board: &Board) -> miette::Result<()> {
    if board.simulator().is_none() {
        return Ok(());
    }
    Err(miette!(
        help = "choose a board of QEMU's with --board: `./riposte boards` names them",
        "{} is a simulator, which has no debugger's stub",
        board.name
    ))
}

/// Where the kernel of an image keeps what a debugger asks for.
///
/// # Errors
/// If its debug information does not tell.
pub(crate) fn system<'a>(image: &'a Image, board: &'a Board) -> miette::Result<System<'a>> {
    System::new(image, board).ok_or_else(|| {
        miette!(
            "the kernel of {} has no debug information",
            image.plan.application
        )
    })
}

/// Serves a port of this machine, 0 for any that is free.
fn listen(port: u16) -> miette::Result<TcpListener> {
    TcpListener::bind(("127.0.0.1", port)).map_err(|error| {
        miette!(
            help = "--server 0 takes any port that is free, and says which",
            "port {port} cannot be served: {error}"
        )
    })
}

/// Where debuggers come in.
pub(crate) struct Door<'a> {
    listener: TcpListener,
    script: PathBuf,
    asked: &'a cli::Debugger,
    /// What is printed as JSON when debuggers may come, and nothing else.
    told: Option<Value>,
}

impl Door<'_> {
    /// Opens it, and writes what a debugger of this image needs to be told.
    ///
    /// # Errors
    /// If the port is somebody else's, or nothing can be written.
    pub(crate) fn open<'a>(image: &Image, asked: &'a cli::Debugger) -> miette::Result<Door<'a>> {
        let listener = listen(asked.server.unwrap_or(0))?;
        listener.set_nonblocking(true).into_diagnostic()?;
        let port = listener.local_addr().into_diagnostic()?.port();
        Ok(Door {
            listener,
            script: script(image, port)?,
            asked,
            told: None,
        })
    }

    /// Has it say as JSON what a debugger comes to, `whom`, and where.
    pub(crate) fn tell(&mut self, whom: Value) {
        self.told = Some(whom);
    }

    /// Says that a debugger may come.
    fn announce(&self) -> miette::Result<()> {
        let command = format!(
            "{DEBUGGER} -x {}",
            shell::word(&self.script.to_string_lossy())
        );
        let address = self.listener.local_addr().into_diagnostic()?;
        let Some(whom) = &self.told else {
            println!("{WAITING} {address}: {command}");
            return Ok(());
        };
        let mut told = whom.clone();
        told["address"] = address.to_string().into();
        told["command"] = command.into();
        json::line(&told)
    }

    /// Lets a debugger look at a board until it ends, or one after the other; the result is an exit code. What they say is
    /// sent to `events`, where the board hears it.
    ///
    /// # Errors
    /// If the board has ended, or there is no debugger.
    pub(crate) fn attend(
        &self,
        system: &System<'_>,
        target: impl Target,
        events: &Sender<Event>,
    ) -> miette::Result<i32> {
        let mut session = Session {
            target,
            events: events.clone(),
        };
        let accept = || Ok(self.listener.accept()?.0);
        if self.asked.server.is_some() {
            self.announce()?;
            loop {
                let stream = accepted(accept, interrupt::check)?;
                let then = session.serve(system, stream)?;
                // A signal ends the emulator before it ends this.
                interrupt::check()?;
                if matches!(then, Then::Ends) {
                    return Ok(0);
                }
            }
        }
        interrupt::leave_to_others();
        let mut debugger = debugger(&self.script, &self.asked.arguments)?;
        let stream = accepted(accept, || match debugger.child.try_wait() {
            Ok(Some(status)) => Err(miette!(
                "{DEBUGGER} ended before it came to the board: {status}"
            )),
            _ => Ok(()),
        })?;
        let served = session.serve(system, stream);
        let status = debugger.child.wait().into_diagnostic()?;
        interrupt::check()?;
        served?;
        Ok(status.code().unwrap_or(1))
    }
}

/// Waits until somebody comes; no longer than `goes_on` sees no reason to give up.
fn accepted<S>(
    mut accept: impl FnMut() -> io::Result<S>,
    mut goes_on: impl FnMut() -> miette::Result<()>,
) -> miette::Result<S> {
    loop {
        match accept() {
            Err(error) if error.kind() == ErrorKind::WouldBlock => goes_on()?,
            other => return other.into_diagnostic(),
        }
        std::thread::sleep(POLL);
    }
}

impl cli::Debugger {
    /// Refuses early what is missing.
    ///
    /// # Errors
    /// If a debugger is to be started, and is not there.
    pub(crate) fn check(&self) -> miette::Result<()> {
        if self.server.is_some() {
            return Ok(());
        }
        let found = Command::new(DEBUGGER)
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        found.map(drop).map_err(|_| no_debugger())
    }
}

fn no_debugger() -> miette::Report {
    let path = std::env::var("PATH").unwrap_or_default();
    let path = if path.is_empty() {
        "PATH, which is empty"
    } else {
        &path
    };
    miette!(
        help = "install the package that has it (Debian, Ubuntu: apt-get install gdb-multiarch), or use another debugger \
                with --server PORT",
        "there is no `{DEBUGGER}` in {path}"
    )
}

fn debugger(script: &Path, arguments: &[String]) -> miette::Result<Running> {
    let mut command = Command::new(DEBUGGER);
    command.args(["-q", "-x"]).arg(script).args(arguments);
    Running::start_in_terminal(&mut command, Ends::WhenAsked).map_err(|_| no_debugger())
}

/// Writes what a debugger needs to be told.
fn script(image: &Image, port: u16) -> miette::Result<PathBuf> {
    let file = image.place(SCRIPT);
    whole::write(&file, told(&image.kernel.file, port))
        .into_diagnostic()
        .wrap_err_with(|| format!("cannot write {}", file.display()))?;
    Ok(file)
}

/// What a debugger needs to be told to come to a board with this kernel.
fn told(kernel: &Path, port: u16) -> String {
    format!(
        "{}\n\
         file {}\n\
         target extended-remote 127.0.0.1:{port}\n",
        SETTINGS.join("\n"),
        for_debugger(kernel)
    )
}

/// A file as gdb reads its name in a command: without quotes it ends at a blank.
fn for_debugger(file: &Path) -> String {
    let name = file.to_string_lossy();
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A board that is debugged.
struct Session<T> {
    target: T,
    events: Sender<Event>,
}

impl<T: Target> Session<T> {
    fn serve(&mut self, system: &System<'_>, stream: TcpStream) -> miette::Result<Then> {
        stream.set_nonblocking(false).into_diagnostic()?;
        // Small packets go there and back.
        stream.set_nodelay(true).into_diagnostic()?;
        let events = self.events.clone();
        let mut reader = stream.try_clone().into_diagnostic()?;
        let reader = std::thread::spawn(move || {
            loop {
                let event = match rsp::read(&mut reader) {
                    Ok(Packet::Said(said)) if rsp::acknowledge(&mut reader).is_ok() => {
                        Event::Debugger(said)
                    }
                    Ok(Packet::Break) => Event::Break,
                    _ => break,
                };
                if events.send(event).is_err() {
                    return;
                }
            }
            let _ = events.send(Event::DebuggerGone);
        });
        let closing = stream.try_clone().into_diagnostic()?;
        let served = Proxy::new(system, &mut self.target, stream).and_then(|mut proxy| {
            let then = proxy.serve()?;
            if matches!(then, Then::Leaves) {
                proxy.clear()?;
            }
            Ok(then)
        });
        // This debugger waits for nothing more, and the next one is not to be taken for it: an error means that it has
        // closed already.
        let _ = closing.shutdown(Shutdown::Both);
        let _ = reader.join();
        if matches!(served, Ok(Then::Leaves)) {
            self.target.forget();
        }
        served
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_port_that_is_somebody_s_is_refused_by_its_number_with_what_to_do() {
        let somebody = listen(0).unwrap();
        let port = somebody.local_addr().unwrap().port();
        let refused = listen(port).unwrap_err();
        let said = refused.to_string();
        assert!(
            said.starts_with(&format!("port {port} cannot be served: ")),
            "{said}"
        );
        assert!(refused.help().unwrap().to_string().contains("--server 0"));
    }

    #[test]
    fn a_debugger_and_a_shell_read_a_file_by_its_name_whatever_is_in_it() {
        for (name, debugger, shell) in [
            ("/a-b/c.elf", r#""/a-b/c.elf""#, "/a-b/c.elf"),
            ("/a b/c.elf", r#""/a b/c.elf""#, "'/a b/c.elf'"),
            (r#"/it's "\/c"#, r#""/it's \"\\/c""#, r#"'/it'\''s "\/c'"#),
        ] {
            let file = Path::new(name);
            let told = told(file, 3333);
            assert!(told.contains(&format!("\nfile {debugger}\n")), "{told}");
            assert_eq!(shell::word(name), shell);
            let mut echo = Command::new("sh");
            echo.args(["-c", &format!("printf %s {}", shell::word(name))]);
            let heard = echo.output().expect("a shell").stdout;
            assert_eq!(String::from_utf8_lossy(&heard), name);
        }
    }
}
