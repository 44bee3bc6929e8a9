//! Reads a value change dump strictly (IEEE 1364-2005, 18) and prints each change as a line
//! `CYCLE NAME VALUE`, values of vectors in hexadecimal. What is not well-formed ends it with 1.

use std::collections::HashMap;
use std::process::ExitCode;

struct Signal {
    name: String,
    width: usize,
}

#[derive(Default)]
struct Reader {
    signals: HashMap<String, Signal>,
    initialised: HashMap<String, bool>,
    time: Option<u64>,
    lines: Vec<String>,
}

impl Reader {
    fn header<'a>(&mut self, words: &mut impl Iterator<Item = &'a str>) -> Result<(), String> {
        let mut scopes = 0;
        let mut has_timescale = false;
        while let Some(word) = words.next() {
            let body: Vec<_> = words.by_ref().take_while(|word| *word != "$end").collect();
            match (word, body.as_slice()) {
                ("$comment" | "$date" | "$version", _) => {}
                ("$timescale", ["10", "ns"]) => has_timescale = true,
                ("$scope", ["module", _]) => scopes += 1,
                ("$upscope", []) if scopes > 0 => scopes -= 1,
                ("$var", ["wire" | "reg", width, id, name, ..]) if scopes > 0 => {
                    let width = width.parse().map_err(|_| format!("width of {name}"))?;
                    let signal = Signal {
                        name: (*name).into(),
                        width,
                    };
                    if self.signals.insert((*id).into(), signal).is_some() {
                        return Err(format!("two signals are called {id}"));
                    }
                }
                ("$enddefinitions", []) if scopes == 0 && has_timescale => return Ok(()),
                _ => return Err(format!("in the header: {word} {body:?}")),
            }
        }
        Err("the header does not end".into())
    }

    fn change(&mut self, id: &str, digits: &str) -> Result<(), String> {
        let signal = self.signals.get(id).ok_or(format!("no signal {id}"))?;
        if digits.len() != signal.width {
            return Err(format!("{} has {} digits", signal.name, digits.len()));
        }
        let value = u64::from_str_radix(digits, 2).map_err(|_| format!("value {digits}"))?;
        let time = self.time.ok_or("a change before the first time")?;
        self.initialised.insert(id.into(), true);
        self.lines.push(format!("{time} {} {value:x}", signal.name));
        Ok(())
    }

    fn body<'a>(&mut self, words: &mut impl Iterator<Item = &'a str>) -> Result<(), String> {
        while let Some(word) = words.next() {
            match word.split_at(1) {
                ("#", digits) => {
                    let time = digits.parse().map_err(|_| format!("time {word}"))?;
                    if self.time.is_some_and(|before| time < before) {
                        return Err(format!("time {time} after {:?}", self.time));
                    }
                    self.time = Some(time);
                }
                ("b", digits) => {
                    let id = words.next().ok_or("cut off")?;
                    self.change(id, digits)?;
                }
                ("0" | "1", id) => self.change(id, &word[..1])?,
                ("$", "dumpvars" | "end") => {}
                _ => return Err(format!("unexpected {word}")),
            }
        }
        if self.initialised.len() != self.signals.len() {
            return Err("some signal has no first value".into());
        }
        Ok(())
    }
}

fn main() -> ExitCode {
    let path = std::env::args().nth(1).expect("usage: vcd FILE");
    let text = std::fs::read_to_string(&path).expect("a readable file");
    let mut words = text.split_ascii_whitespace();
    let mut reader = Reader::default();
    let result = reader
        .header(&mut words)
        .and_then(|()| reader.body(&mut words));
    for line in &reader.lines {
        println!("{line}");
    }
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{path}: not well-formed: {message}");
            ExitCode::FAILURE
        }
    }
}
