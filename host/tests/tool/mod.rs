//! The host tool, run as a person runs it, and what it leaves. Each test uses a part of this.
#![allow(dead_code)]

pub mod program;

use std::ffi::OsStr;
use std::io::{BufRead, BufReader, Read, Write, pipe};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use riposte_host::build;
use riposte_host::lab::Lab;

/// Longer than anything takes that happens at all.
pub const LONG: Duration = Duration::from_secs(300);

/// The tool with its arguments.
pub struct Tool(Command);

/// It runs.
pub struct Running {
    child: Child,
    keys: Option<ChildStdin>,
    lines: Receiver<String>,
    said: Vec<String>,
}

impl Tool {
    pub fn new(arguments: &[&str]) -> Tool {
        let mut command = Command::new(env!("CARGO_BIN_EXE_riposte-host"));
        command.args(arguments);
        Tool(command)
    }

    pub fn arg(mut self, argument: impl AsRef<OsStr>) -> Tool {
        self.0.arg(argument);
        self
    }

    pub fn args(mut self, arguments: &[&str]) -> Tool {
        self.0.args(arguments);
        self
    }

    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Tool {
        self.0.env(name, value);
        self
    }

    /// In this folder.
    pub fn within(mut self, folder: &Path) -> Tool {
        self.0.current_dir(folder);
        self
    }

    pub fn start(mut self) -> Running {
        // One pipe for both streams: of two nobody knows in which order they were written.
        let (heard, errors) = pipe().expect("a pipe");
        let output = errors.try_clone().expect("a pipe");
        let streams = self.0.stdin(Stdio::piped()).stdout(output);
        let mut child = streams.stderr(errors).spawn().expect("it runs");
        let (say, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(heard).lines().map_while(Result::ok) {
                // Nobody may be interested any more.
                let _ = say.send(line);
            }
        });
        Running {
            keys: child.stdin.take(),
            child,
            lines,
            said: vec![],
        }
    }
}

impl Running {
    /// Waits until it says a line with these words, and returns the line.
    pub fn says(&mut self, words: &str) -> String {
        self.says_within(words, LONG)
            .unwrap_or_else(|| panic!("no `{words}` in:\n{}", self.said.join("\n")))
    }

    /// As [`Running::says`], unless that takes longer than this.
    pub fn says_within(&mut self, words: &str, time: Duration) -> Option<String> {
        let begun = Instant::now();
        while let Ok(line) = self
            .lines
            .recv_timeout(time.saturating_sub(begun.elapsed()))
        {
            self.said.push(line.clone());
            if line.contains(words) {
                return Some(line);
            }
        }
        None
    }

    /// As [`Running::says`], of a line that may have come before others that were waited for.
    pub fn has_said(&mut self, words: &str) -> String {
        let before = self.said.iter().find(|line| line.contains(words)).cloned();
        before.unwrap_or_else(|| self.says(words))
    }

    /// A debugger that has come, as it is said in JSON where, and has had an answer.
    pub fn is_debugged(&mut self) -> TcpStream {
        let line = self.says("\"address\"");
        let told: serde_json::Value = serde_json::from_str(&line).expect("JSON");
        let address = told["address"].as_str().expect("an address");
        let mut gdb = TcpStream::connect(address).expect("it listens");
        gdb.write_all(b"$?#3f").expect("it listens");
        gdb.read_exact(&mut [0; 4]).expect("an answer");
        gdb
    }

    /// Types this.
    pub fn hears(&mut self, keys: &str) {
        let input = self.keys.as_mut().expect("somebody types still");
        input.write_all(keys.as_bytes()).expect("it listens");
    }

    /// Ends what is typed.
    pub fn hears_no_more(&mut self) {
        self.keys = None;
    }

    /// Hundredths of a second that it has computed for, without what it has started.
    pub fn computed(&self) -> u64 {
        let file = format!("/proc/{}/stat", self.child.id());
        let text = std::fs::read_to_string(file).expect("it runs");
        let (_, behind_name) = text.rsplit_once(") ").expect("a name");
        let fields = behind_name.split(' ').skip(11).take(2);
        fields.map(|it| it.parse::<u64>().expect("a number")).sum()
    }

    /// Its number among the processes.
    pub fn id(&self) -> String {
        self.child.id().to_string()
    }

    /// The numbers of what it has started, and not waited for.
    pub fn started(&self) -> Vec<String> {
        let mut ps = Command::new("ps");
        let listed = ps.args(["-o", "pid=", "--ppid", &self.id()]).output();
        let text = String::from_utf8(listed.expect("ps runs").stdout).expect("numbers");
        text.split_whitespace().map(str::to_owned).collect()
    }

    /// The number of what it has started whose program's name begins so.
    pub fn started_by_name(&self, name: &str) -> Option<String> {
        let is_it = |id: &String| {
            let program = std::fs::read_to_string(format!("/proc/{id}/comm"));
            program.is_ok_and(|it| it.starts_with(name))
        };
        self.started().into_iter().find(is_it)
    }

    pub fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        let sent = Command::new("kill").args(["-s", name, &id]).status();
        assert!(sent.expect("kill runs").success());
    }

    /// Waits for its end, and returns its exit code.
    pub fn ends(&mut self) -> Option<i32> {
        let child = &mut self.child;
        wait_for(|| child.try_wait().expect("it is ours")).code()
    }

    /// All that it said.
    pub fn text(&mut self) -> String {
        self.said.extend(self.lines.iter());
        self.said.join("\n")
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Who is asked ends its emulator itself.
        if matches!(self.child.try_wait(), Ok(None)) {
            let id = self.child.id().to_string();
            let _ = Command::new("kill").args(["-s", "TERM", &id]).status();
            let begun = Instant::now();
            while matches!(self.child.try_wait(), Ok(None)) && begun.elapsed() < LONG {
                std::thread::sleep(Duration::from_millis(10));
            }
        }
        // An error means that it has ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Waits until there is an answer.
pub fn wait_for<T>(mut ask: impl FnMut() -> Option<T>) -> T {
    let begun = Instant::now();
    while begun.elapsed() < LONG {
        if let Some(answer) = ask() {
            return answer;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    panic!("nothing happens");
}

/// Whether a process has ended, even if nobody has asked how.
pub fn is_gone(id: &str) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(')').map(|(_, rest)| rest.trim_start());
    state.is_none_or(|it| it.starts_with('Z'))
}

/// Where the image of the application in `folder` is built for a board.
pub fn image_folder(lab: &Lab, board: &str, folder: &Path) -> PathBuf {
    let board = lab.board(board).expect("there");
    build::folder_of(&lab.root, folder, board).expect("there")
}

/// Removes all that was built of the application in `folder`: its name is one run's own, and nobody would build there
/// again.
pub fn remove_images(lab: &Lab, folder: &Path) {
    for board in &lab.boards {
        // It was not built for each.
        let _ = std::fs::remove_dir_all(image_folder(lab, &board.name, folder));
    }
}
