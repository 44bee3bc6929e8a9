//! Result files, read again: what `./riposte bench` has written, today or long ago.
//!
//! A file that is older, newer or cut short is told of in words that a person can act on; what of it can be read, is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use miette::miette;
use serde::Deserialize;
use serde_json::{Value, json};

/// The layout of a result file that this reads.
pub const SCHEMA: u64 = 1;

/// So deep lie the entries of a result file: in `results`, which lies in the document.
const ENTRIES: usize = 2;

/// The metric of sizes, of which a case has several.
const BYTES: &str = "bytes";
/// The metric of exceptions.
const COUNT: &str = "count";

/// One figure of a file, under its published names.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Entry {
    /// The suite.
    pub suite: String,
    /// The case.
    pub case: String,
    /// The board.
    pub board: String,
    /// `instructions`, `cycles`, `count`, `bytes`.
    pub metric: String,
    /// The figure.
    pub value: f64,
    /// The least, where operations were measured one by one.
    #[serde(default)]
    pub min: Option<f64>,
    /// The most.
    #[serde(default)]
    pub max: Option<f64>,
    /// Bytes of payload of an operation.
    #[serde(default)]
    pub bytes: Option<u64>,
    /// Turns of the measured loop.
    #[serde(default)]
    pub iterations: u64,
    /// Whether it crosses two isolated processes.
    #[serde(default)]
    pub protected: bool,
    /// How the system was built, and on what memory it ran.
    #[serde(default)]
    pub config: String,
    /// How it was measured.
    #[serde(default)]
    pub method: String,
}

impl Entry {
    /// Whether it is what the board counts of an operation.
    #[must_use]
    pub fn is_cost(&self) -> bool {
        self.metric != BYTES && self.metric != COUNT && !self.is_retired()
    }

    /// Whether it is a size.
    #[must_use]
    pub fn is_size(&self) -> bool {
        self.metric == BYTES
    }

    /// Whether it is the instructions that a simulator counted beside the cycles.
    fn is_retired(&self) -> bool {
        self.metric == "instructions" && self.method.starts_with("retired")
    }

    /// The memory of a simulated board: what its configuration says behind the rest.
    #[must_use]
    pub fn memory(&self) -> Option<&str> {
        let (_, memory) = self.config.split_once("; ")?;
        Some(memory)
    }

    /// What tells it from all others of a file.
    #[must_use]
    pub fn key(&self) -> Key {
        // Sizes, and what was counted beside the cost, are told apart by what was done.
        let apart = if self.is_cost() { "" } else { &self.method };
        Key {
            suite: self.suite.clone(),
            case: self.case.clone(),
            board: self.board.clone(),
            memory: self.memory().unwrap_or_default().into(),
            protected: self.protected,
            metric: self.metric.clone(),
            apart: apart.into(),
        }
    }
}

/// See [`Entry::key`].
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// The suite.
    pub suite: String,
    /// The case.
    pub case: String,
    /// The board.
    pub board: String,
    /// Its memory, where that is told.
    pub memory: String,
    /// Whether it crosses two processes.
    pub protected: bool,
    /// The metric.
    pub metric: String,
    /// What was done, where a case has several figures of one metric.
    pub apart: String,
}

impl Key {
    /// Whether it is a size.
    #[must_use]
    pub fn is_size(&self) -> bool {
        self.metric == BYTES
    }

    /// Whether it is what the board counts of an operation, and nothing beside that.
    #[must_use]
    pub fn is_cost(&self) -> bool {
        self.apart.is_empty()
    }
}

impl std::fmt::Display for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}/{} on {}", self.suite, self.case, self.board)?;
        if !self.memory.is_empty() {
            write!(f, " ({})", self.memory)?;
        }
        if !self.protected {
            write!(f, ", within one process")?;
        }
        if !self.apart.is_empty() {
            write!(f, ": {}", self.apart)?;
        }
        Ok(())
    }
}

/// A result file.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// Where it was read from.
    pub file: PathBuf,
    /// The commit that was measured.
    pub commit: String,
    /// When, in UTC.
    pub date: String,
    /// Versions of the tools.
    pub tools: BTreeMap<String, String>,
    /// The figures, in the order in which they stand.
    pub entries: Vec<Entry>,
    /// What a reader should know of the file.
    pub remarks: Vec<String>,
    /// Whether it was cut short, or has figures that could not be read.
    pub is_partial: bool,
    /// The document as it is.
    pub document: Value,
    /// What later files say of themselves, whose figures were added.
    pub others: Vec<Value>,
}

/// What to do if a file is not there.
const READ: &str =
    "./riposte bench writes result files into the folder `results`; `--json FILE` says where";

/// Reads a result file.
///
/// # Errors
/// If it cannot be read, or is none. One of another layout is read as far as it goes, and a remark says so.
pub fn read(file: &Path) -> miette::Result<Results> {
    let text = std::fs::read_to_string(file).map_err(|error| {
        let place = file.display();
        miette!(help = READ, "cannot read the result file {place}: {error}")
    })?;
    parse(file, &text)
}

fn parse(file: &Path, text: &str) -> miette::Result<Results> {
    let anew = "measure anew: ./riposte bench --json FILE writes one";
    let mut remarks = vec![];
    let mut is_partial = false;
    let document = serde_json::from_str(text).or_else(|error: serde_json::Error| {
        let place = file.display();
        if error.is_eof()
            && let Some(whole) = before_its_end(text, ENTRIES).filter(|it| it.get("results").is_some())
        {
            let remark = "the file ends too early: only what stands before its end is shown, and the rest is missing";
            remarks.push(remark.into());
            is_partial = true;
            return Ok(whole);
        }
        Err(match error.is_eof() {
            true if text.trim().is_empty() => {
                miette!(help = anew, "the result file {place} is empty")
            }
            true => miette!(
                help = anew,
                "the result file {place} ends too early: {error}"
            ),
            false => miette!(help = anew, "{place} is no result file: {error}"),
        })
    })?;
    let Some(all) = document.get("results").and_then(Value::as_array) else {
        return Err(miette!(
            help = anew,
            "{} is no result file: it has no `results`",
            file.display()
        ));
    };
    match document.get("schema").and_then(Value::as_u64) {
        Some(SCHEMA) => {}
        Some(newer) if newer > SCHEMA => remarks.push(format!(
            "the file is of layout {newer}, made by a newer Riposte; this one knows {SCHEMA}, and shows what it can"
        )),
        Some(older) => remarks.push(format!(
            "the file is of layout {older}, made by an older Riposte; this one knows {SCHEMA}, and shows what it can"
        )),
        // What was cut off may have said it.
        None if is_partial => {}
        None => remarks.push("the file does not say of which layout it is".into()),
    }
    let (mut entries, mut unread): (Vec<Entry>, usize) = (vec![], 0);
    for value in all {
        match Entry::deserialize(value) {
            Ok(entry) => entries.push(entry),
            Err(_) => unread += 1,
        }
    }
    if unread > 0 {
        is_partial = true;
        remarks.push(format!(
            "{unread} of its {} figures could not be read",
            all.len()
        ));
    }
    let said = |name: &str| {
        let said = document.get(name).and_then(Value::as_str);
        said.unwrap_or("unknown").to_owned()
    };
    let tools = document
        .get("tools")
        .and_then(|it| BTreeMap::deserialize(it).ok());
    Ok(Results {
        file: file.to_owned(),
        commit: said("commit"),
        date: said("date"),
        tools: tools.unwrap_or_default(),
        entries,
        remarks,
        is_partial,
        document,
        others: vec![],
    })
}

/// What of a document was written before it was cut short: all members that are whole of what lies at most so deep; the
/// document itself lies 1 deep.
pub fn before_its_end(text: &str, deep: usize) -> Option<Value> {
    let (mut open, mut in_string, mut escaped) = (vec![], false, false);
    let mut whole: Option<(usize, Vec<char>)> = None;
    for (at, letter) in text.char_indices() {
        if in_string {
            in_string = escaped || letter != '"';
            escaped = !escaped && letter == '\\';
            continue;
        }
        match letter {
            '"' => in_string = true,
            '{' => open.push('}'),
            '[' => open.push(']'),
            ',' if open.len() <= deep => whole = Some((at, open.clone())),
            '}' | ']' => {
                open.pop();
                if open.len() <= deep {
                    whole = Some((at + 1, open.clone()));
                }
            }
            _ => {}
        }
    }
    let (end, open) = whole?;
    let text: String = text[..end].chars().chain(open.into_iter().rev()).collect();
    serde_json::from_str(&text).ok()
}

impl Results {
    /// Adds what a later file has; where both have a figure, the later one's counts.
    pub fn add(&mut self, later: &Results) {
        let mut place: BTreeMap<Key, usize> = BTreeMap::new();
        for (index, entry) in self.entries.iter().enumerate() {
            place.insert(entry.key(), index);
        }
        for entry in &later.entries {
            match place.get(&entry.key()) {
                Some(&index) => self.entries[index] = entry.clone(),
                None => self.entries.push(entry.clone()),
            }
        }
        if let Some(checks) = later.document.get("checks") {
            self.document["checks"] = checks.clone();
        }
        self.others.push(json!({
            "commit": later.commit, "date": later.date, "tools": later.tools,
        }));
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// An entry that is a cost.
    pub fn entry(case: &str, value: f64) -> Entry {
        Entry {
            suite: "core".into(),
            case: case.into(),
            board: "virt-rv32".into(),
            metric: "instructions".into(),
            value,
            min: None,
            max: None,
            bytes: None,
            iterations: 100,
            protected: true,
            config: "as it ships".into(),
            method: "loop subtracted".into(),
        }
    }

    fn read(text: &str) -> miette::Result<Results> {
        parse(Path::new("r.json"), text)
    }

    fn wrong(text: &str) -> String {
        read(text).unwrap_err().to_string()
    }

    const ONE: &str = r#"{"suite": "core", "case": "rt-1w", "board": "ibex", "metric": "cycles", "value": 228,
        "protected": true, "config": "as it ships; RAM latency 2,1,2, two ports"}"#;

    fn document(schema: &str, entries: &str) -> String {
        format!(r#"{{{schema} "commit": "c0ffee", "date": "today", "results": [{entries}]}}"#)
    }

    #[test]
    fn a_file_is_read_with_what_it_says_of_itself() {
        let results = read(&document(r#""schema": 1,"#, ONE)).unwrap();
        assert_eq!(
            (results.commit.as_str(), results.date.as_str()),
            ("c0ffee", "today")
        );
        assert!(results.remarks.is_empty(), "{:?}", results.remarks);
        let [entry] = results.entries.as_slice() else {
            panic!("one entry");
        };
        assert_eq!(entry.memory(), Some("RAM latency 2,1,2, two ports"));
        assert!(entry.is_cost());
    }

    #[test]
    fn a_file_that_is_no_result_says_why_and_what_to_do() {
        assert!(wrong("").contains("r.json is empty"));
        assert!(wrong(&document("", ONE)[..20]).contains("ends too early"));
        assert!(wrong("hello").contains("is no result file"));
        assert!(wrong("{}").contains("it has no `results`"));
        let help = read("").unwrap_err().help().unwrap().to_string();
        assert!(help.contains("./riposte bench"), "{help}");
    }

    #[test]
    fn of_another_layout_what_can_be_read_is_read_and_the_rest_is_told() {
        let odd = format!(r#"{ONE}, {{"suite": "core"}}"#);
        let newer = read(&document(r#""schema": 2,"#, &odd)).unwrap();
        assert_eq!(newer.entries.len(), 1);
        assert!(newer.remarks[0].contains("layout 2"), "{:?}", newer.remarks);
        assert!(
            newer.remarks[1].contains("1 of its 2 figures"),
            "{:?}",
            newer.remarks
        );
        let older = read(&document("", ONE)).unwrap();
        assert!(
            older.remarks[0].contains("does not say"),
            "{:?}",
            older.remarks
        );
    }

    #[test]
    fn of_an_older_layout_it_is_said_that_it_is_older() {
        let older = read(&document(r#""schema": 0,"#, ONE)).unwrap();
        assert_eq!(older.entries.len(), 1);
        assert!(
            older.remarks[0].contains("layout 0, made by an older"),
            "{:?}",
            older.remarks
        );
    }

    #[test]
    fn of_a_file_that_was_cut_short_what_is_whole_is_read_wherever_it_ends() {
        let other = ONE.replace("rt-1w", r#"a \"}], b"#);
        let text = document(r#""schema": 1,"#, &format!("{ONE}, {other}"));
        let whole = read(&text).unwrap();
        assert_eq!(whole.entries.len(), 2);
        let first = text.find(ONE).unwrap() + ONE.len();
        let second = text.rfind('}').unwrap() - "]".len();
        for end in 1..text.len() - 1 {
            let cut = read(&text[..end]);
            let entries = cut.as_ref().map_or(0, |it| it.entries.len());
            let expected = usize::from(end >= first) + usize::from(end >= second);
            assert_eq!(entries, expected, "{}", &text[..end]);
            if let Ok(cut) = cut {
                assert!(cut.remarks[0].contains("ends too early"));
                assert_eq!(cut.entries[..], whole.entries[..entries]);
            }
        }
    }

    #[test]
    fn of_two_files_the_later_one_counts_and_nothing_else_is_lost() {
        let of = |entries: &[(&str, f64)]| Results {
            entries: entries
                .iter()
                .map(|(case, value)| entry(case, *value))
                .collect(),
            ..Results::default()
        };
        let mut all = of(&[("a", 1.0), ("b", 2.0)]);
        all.add(&of(&[("b", 3.0), ("c", 4.0)]));
        let values: Vec<f64> = all.entries.iter().map(|it| it.value).collect();
        assert_eq!(values, [1.0, 3.0, 4.0]);
    }
}
