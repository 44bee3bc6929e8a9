//! A session of an editor, by the launch file that `./riposte new` writes: what VS Code's extension for C and C++ does with
//! these settings, without the editor.
//!
//! The extension begins the server, waits until it says the words that the file has, begins gdb with its machine interface,
//! tells it what the file says in the file's order, and comes to the server's address. Then it asks for threads and frames.

mod tool;

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};

use riposte_host::lab::Lab;
use serde_json::Value;
use tool::{LONG, Tool, program::Program, remove_images, words};

/// The keys of a launch of the type `cppdbg` that the file has, and what each is, by the extension's documentation.
const KEYS: [(&str, &str); 16] = [
    ("name", "text"),
    ("type", "text"),
    ("request", "text"),
    ("cwd", "text"),
    ("program", "text"),
    ("debugServerPath", "text"),
    ("debugServerArgs", "text"),
    ("serverStarted", "text"),
    ("filterStdout", "flag"),
    ("serverLaunchTimeout", "number"),
    ("MIMode", "text"),
    ("miDebuggerPath", "text"),
    ("miDebuggerServerAddress", "text"),
    ("useExtendedRemote", "flag"),
    ("setupCommands", "list"),
    ("filterStderr", "flag"),
];

/// A new application's launch, as the editor reads it: with its folder for `${workspaceFolder}`, and a port that is free.
fn launch(program: &Program) -> Value {
    let file = program.path.join(".vscode/launch.json");
    let text = std::fs::read_to_string(file).expect("there");
    let folder = program.path.to_str().expect("a name");
    let text = text.replace("${workspaceFolder}", folder);
    assert!(!text.contains("${"), "{text}");
    let file: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(file["version"], "0.2.0");
    let launch = &file["configurations"][0];
    let address = launch["miDebuggerServerAddress"].as_str().expect("text");
    let (_, port) = address.rsplit_once(':').expect("a port");
    let free = TcpListener::bind("127.0.0.1:0").expect("a port");
    let free = free.local_addr().expect("a port").port().to_string();
    let text = launch.to_string();
    assert_eq!(text.matches(port).count(), 2, "{text}");
    serde_json::from_str(&text.replace(port, &free)).expect("JSON")
}

fn text<'a>(launch: &'a Value, key: &str) -> &'a str {
    launch[key].as_str().expect(key)
}

/// gdb with its machine interface.
struct Debugger {
    child: Child,
    asks: ChildStdin,
    says: Receiver<String>,
    asked: u32,
}

impl Debugger {
    fn begin(path: &str) -> Debugger {
        let mut child = Command::new(path)
            .arg("--interpreter=mi")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("gdb is not here; get it: apt-get install gdb-multiarch");
        let out = BufReader::new(child.stdout.take().expect("a pipe"));
        let (say, says) = channel();
        std::thread::spawn(move || {
            let lines = out.lines().map_while(Result::ok);
            // Nobody listens any more when the test has ended.
            lines.map(|line| say.send(line)).all(|it| it.is_ok())
        });
        Debugger {
            asks: child.stdin.take().expect("a pipe"),
            says,
            child,
            asked: 0,
        }
    }

    /// The next line that begins so.
    fn hears(&mut self, begin: &str) -> String {
        let mut said = vec![];
        while let Ok(line) = self.says.recv_timeout(LONG) {
            if line.starts_with(begin) {
                return line;
            }
            said.push(line);
        }
        panic!("gdb never said {begin}, but:\n{}", said.join("\n"));
    }

    /// What it answers.
    fn answer(&mut self, command: &str) -> String {
        self.asked += 1;
        let token = self.asked;
        writeln!(self.asks, "{token}{command}").expect("it listens");
        self.hears(&format!("{token}^"))
    }

    /// It does as it is told.
    fn does(&mut self, command: &str) -> String {
        let answer = self.answer(command);
        assert!(!answer.contains("^error"), "{command}: {answer}");
        answer
    }
}

impl Drop for Debugger {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn each_setting_of_the_launch_file_is_one_that_the_editor_knows() {
    let program = Program::new("edited-keys", "    println!(\"here\");");
    let launch = launch(&program);
    for (key, value) in launch.as_object().expect("an object") {
        let known = KEYS.iter().find(|(name, _)| name == key);
        let (_, kind) = known.unwrap_or_else(|| panic!("cppdbg has no `{key}`"));
        let is_right = match *kind {
            "text" => value.is_string(),
            "flag" => value.is_boolean(),
            "number" => value.is_u64(),
            _ => value.is_array(),
        };
        assert!(is_right, "`{key}` is a {kind}: {value}");
    }
    assert_eq!(text(&launch, "type"), "cppdbg");
    assert_eq!(text(&launch, "request"), "launch");
    for command in launch["setupCommands"].as_array().expect("a list") {
        assert!(text(command, "text").starts_with("set "), "{command}");
    }
}

#[test]
fn an_editors_session_by_the_launch_file_stops_in_the_program_and_sees_all_threads() {
    let lab = Lab::open().expect("the repository");
    let program = Program::new(
        "edited",
        "    let answer = 42;\n    println!(\"{answer}\");",
    );
    let launch = launch(&program);
    let words = words(text(&launch, "debugServerArgs"));
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let mut server = Tool::new(&words)
        .within(text(&launch, "cwd").as_ref())
        .env("RIPOSTE_ROOT", &lab.root)
        .start();
    server.says(text(&launch, "serverStarted"));
    let mut gdb = Debugger::begin(text(&launch, "miDebuggerPath"));
    gdb.hears("(gdb)");
    gdb.does("-gdb-set mi-async on");
    for command in launch["setupCommands"].as_array().expect("a list") {
        let command = text(command, "text");
        gdb.does(&format!("-interpreter-exec console \"{command}\""));
    }
    gdb.does(&format!(
        "-file-exec-and-symbols \"{}\"",
        text(&launch, "program")
    ));
    assert_eq!(launch["useExtendedRemote"], true);
    let address = text(&launch, "miDebuggerServerAddress");
    gdb.does(&format!("-target-select extended-remote {address}"));
    // A breakpoint as somebody sets it beside a line: it stops in the program, though the kernel is what was loaded first.
    let source = program.path.join("edited/src/main.rs");
    let lines = std::fs::read_to_string(&source).expect("there");
    let line = lines.lines().position(|it| it.contains("println!"));
    let line = line.expect("a line") + 1;
    let place = format!("{}:{line}", source.display());
    gdb.does(&format!("-break-insert -f \"{place}\""));
    gdb.does("-exec-continue --all");
    let stopped = gdb.hears("*stopped,");
    assert!(stopped.contains("breakpoint-hit"), "{stopped}");
    assert!(stopped.contains(&format!("line=\"{line}\"")), "{stopped}");
    let threads = gdb.does("-thread-info");
    for name in ["kernel", "console/main", "edited/main"] {
        assert!(threads.contains(name), "{threads}");
    }
    let frames = gdb.does("-stack-list-frames");
    assert!(frames.contains("main.rs"), "{frames}");
    let stepped = gdb.does("-exec-next");
    assert!(stepped.contains("^running"), "{stepped}");
    gdb.hears("*stopped,");
    drop(gdb);
    server.signal("TERM");
    assert_eq!(server.ends(), Some(130));
    remove_images(&lab, &program.path);
}
