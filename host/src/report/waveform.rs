//! A call as a logic analyser would show it: which address space, which privilege, which marks, and how many cycles each phase
//! took.

use std::fmt::Write as _;

use serde_json::Value;

use super::chart::{begin, short};
use super::page::{Picture, Table};
use crate::machine;
use crate::markup::escape;

/// A part of a call's time, in which nothing but one mode ran.
struct Phase {
    who: String,
    privilege: String,
    satp: Option<u32>,
    at: f64,
    length: f64,
    from: String,
    to: String,
}

/// A word that the program stored in REPORT.
struct Mark {
    at: f64,
    word: u64,
}

/// The typical call of a case.
struct Call {
    phases: Vec<Phase>,
    marks: Vec<Mark>,
    length: f64,
}

/// The picture of a breakdown's typical call; none if the document has none.
pub fn picture(breakdown: &Value) -> Option<Picture> {
    let call = Call::read(breakdown.get("typical")?)?;
    let text = |name: &str| breakdown[name].as_str().unwrap_or_default();
    // What the memory is called, where it has a name.
    let memory = breakdown["memory"].as_str();
    let memory = memory.and_then(|it| it.split_once(": ")).map(|it| it.0);
    let memory = memory.map_or_else(String::new, |it| format!(", {it}"));
    let caption = format!(
        "{} on {}{memory}: where the {} cycles of a typical call go. A number is the cycles of a phase.",
        text("case"),
        text("board"),
        short(call.length)
    );
    Some(Picture {
        svg: call.svg(&caption),
        table: call.table(&caption),
        caption,
    })
}

impl Call {
    fn read(typical: &Value) -> Option<Call> {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let phase = |it: &Value| {
            Some(Phase {
                who: text(&it["who"]),
                privilege: text(&it["privilege"]),
                satp: it["satp"].as_u64().and_then(|it| u32::try_from(it).ok()),
                at: it["at"].as_f64()?,
                length: it["cycles"].as_f64()?,
                from: text(&it["from"]["function"]),
                to: text(&it["to"]["function"]),
            })
        };
        let phases = typical.get("stretches")?.as_array()?.iter();
        let phases: Vec<Phase> = phases.filter_map(phase).collect();
        let mark = |it: &Value| {
            Some(Mark {
                at: it["at"].as_f64()?,
                word: it["word"].as_u64()?,
            })
        };
        // Older files do not have them.
        let marks = typical["reports"].as_array().into_iter().flatten();
        let marks = marks.filter_map(mark).collect();
        let end = phases.iter().map(|it| it.at + it.length);
        let length = end.fold(0.0, f64::max);
        (length > 0.0).then_some(Call {
            phases,
            marks,
            length,
        })
    }

    /// Whoever runs, in the order in which they first do: a lane each.
    fn lanes(&self) -> Vec<&str> {
        let mut lanes: Vec<&str> = vec![];
        for it in &self.phases {
            if !lanes.contains(&it.who.as_str()) {
                lanes.push(&it.who);
            }
        }
        lanes
    }

    fn svg(&self, told: &str) -> String {
        let lanes = self.lanes();
        let mut drawing = Drawing {
            svg: String::new(),
            y: 4.0,
            end: self.length,
        };
        for (index, lane) in lanes.iter().enumerate() {
            drawing.label(lane);
            for phase in self.phases.iter().filter(|it| it.who == **lane) {
                drawing.block(phase, index);
            }
            drawing.down();
        }
        drawing.label("address space");
        drawing.levels(&self.runs(|it| it.space_name()));
        drawing.down();
        drawing.label("privilege");
        let privileges = self.runs(|it| it.privilege.clone());
        drawing.wave(&privileges, |name| name == "machine");
        drawing.down();
        if !self.marks.is_empty() {
            drawing.label("REPORT");
            self.marks.iter().for_each(|it| drawing.mark(it));
            drawing.down();
        }
        drawing.finish(told)
    }

    /// The call in parts of the same name: since when, until when, which.
    fn runs(&self, name: impl Fn(&Phase) -> String) -> Vec<(f64, f64, String)> {
        let mut runs: Vec<(f64, f64, String)> = vec![];
        for it in &self.phases {
            let (name, end) = (name(it), it.at + it.length);
            match runs.last_mut() {
                Some(last) if last.2 == name => last.1 = end,
                _ => runs.push((it.at, end, name)),
            }
        }
        runs
    }

    /// The phases and marks, by time.
    fn table(&self, caption: &str) -> Table {
        let mut rows: Vec<(f64, Vec<String>)> = vec![];
        for it in &self.phases {
            let cells = [&it.who, &it.privilege, &it.space_name(), &it.from, &it.to];
            let cells = cells.map(Clone::clone);
            let begin = [short(it.at), short(it.length)];
            rows.push((it.at, begin.into_iter().chain(cells).collect()));
        }
        for it in &self.marks {
            let what = format!("REPORT {:#010x}", it.word);
            let cells = [short(it.at), String::new(), what];
            let empty = std::iter::repeat_n(String::new(), 4);
            rows.push((it.at, cells.into_iter().chain(empty).collect()));
        }
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        let head = [
            "from cycle",
            "cycles",
            "who, or the mark",
            "privilege",
            "address space",
            "first function",
            "last function",
        ];
        Table {
            caption: caption.into(),
            head: head.map(Into::into).into(),
            rows: rows.into_iter().map(|(_, cells)| cells).collect(),
        }
    }
}

impl Phase {
    /// The address space by its number; the kernel of a machine without translation has none.
    fn space_name(&self) -> String {
        match self.satp.map(|it| (it, machine::space(it))) {
            None => String::new(),
            Some((_, Some(process))) => (process + 1).to_string(),
            Some((0, None)) => "none".into(),
            Some((_, None)) => "the kernel's".into(),
        }
    }
}

const WIDTH: f64 = 720.0;
const LABELS: f64 = 150.0;
const RIGHT: f64 = 16.0;
const LANE: f64 = 30.0;
const BLOCK: f64 = 20.0;
/// What a digit takes, about.
const DIGIT: f64 = 7.0;
/// Colours that the style has.
const COLOURS: usize = 7;

/// A picture that grows downwards, a lane at a time.
struct Drawing {
    svg: String,
    y: f64,
    end: f64,
}

impl Drawing {
    fn x(&self, at: f64) -> f64 {
        LABELS + at / self.end * (WIDTH - LABELS - RIGHT)
    }

    fn down(&mut self) {
        self.y += LANE;
    }

    fn label(&mut self, name: &str) {
        let (x, y, line) = (LABELS - 8.0, self.y + 14.0, self.y + BLOCK + 0.5);
        let name = escape(name);
        let _ = writeln!(
            self.svg,
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"end\">{name}</text>\
             <line class=\"grid\" x1=\"{LABELS}\" x2=\"{:.1}\" y1=\"{line:.1}\" y2=\"{line:.1}\"/>",
            WIDTH - RIGHT
        );
    }

    /// A phase, with its cycles in it if they fit.
    fn block(&mut self, phase: &Phase, colour: usize) {
        let (x, end) = (self.x(phase.at), self.x(phase.at + phase.length));
        let width = (end - x).max(0.5);
        let cycles = short(phase.length);
        let _ = write!(
            self.svg,
            "<g><rect class=\"fill s{}\" x=\"{x:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{BLOCK}\"/>\
             <title>{}: {cycles} cycles from cycle {}, {} to {}</title>",
            colour % COLOURS,
            self.y,
            escape(&phase.who),
            short(phase.at),
            escape(&phase.from),
            escape(&phase.to)
        );
        self.fitting("phase", x, width, &cycles);
        self.svg.push_str("</g>\n");
    }

    /// A text in the middle of something so wide, if it fits there.
    fn fitting(&mut self, class: &str, x: f64, width: f64, text: &str) {
        #[allow(clippy::cast_precision_loss, reason = "a few digits")]
        let fits = text.chars().count() as f64 * DIGIT <= width;
        if fits {
            let _ = write!(
                self.svg,
                "<text class=\"{class}\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                x + width / 2.0,
                self.y + 14.5,
                escape(text)
            );
        }
    }

    /// A bus: its value between two crossings.
    fn levels(&mut self, runs: &[(f64, f64, String)]) {
        for (from, to, name) in runs {
            let (x, end) = (self.x(*from), self.x(*to));
            let (top, bottom) = (self.y + 1.0, self.y + BLOCK - 1.0);
            let _ = write!(
                self.svg,
                "<path class=\"bus\" d=\"M{x:.1} {:.1}L{:.1} {top:.1}H{:.1}L{end:.1} {:.1}L{:.1} {bottom:.1}H{:.1}Z\">\
                 <title>{} from cycle {} to {}</title></path>",
                self.y + BLOCK / 2.0,
                (x + 2.0).min(end),
                (end - 2.0).max(x),
                self.y + BLOCK / 2.0,
                (end - 2.0).max(x),
                (x + 2.0).min(end),
                escape(name),
                short(*from),
                short(*to)
            );
            self.fitting("value", x, end - x, name);
            self.svg.push('\n');
        }
    }

    /// A line that is high where the name is so.
    fn wave(&mut self, runs: &[(f64, f64, String)], is_high: impl Fn(&str) -> bool) {
        let mut path = String::new();
        for (index, (from, to, name)) in runs.iter().enumerate() {
            let y = if is_high(name) {
                self.y + 2.0
            } else {
                self.y + BLOCK - 2.0
            };
            let word = if index == 0 { 'M' } else { 'L' };
            let (x, end) = (self.x(*from), self.x(*to));
            let _ = write!(path, "{word}{x:.1} {y:.1}H{end:.1}");
        }
        let _ = writeln!(self.svg, "<path class=\"wave\" d=\"{path}\"/>");
        for (from, to, name) in runs {
            let (x, end) = (self.x(*from), self.x(*to));
            self.fitting("value", x, end - x, name);
        }
    }

    /// A word at its cycle, written towards the middle.
    fn mark(&mut self, mark: &Mark) {
        let x = self.x(mark.at);
        let (anchor, beside) = if mark.at * 2.0 > self.end {
            ("end", -5.0)
        } else {
            ("start", 5.0)
        };
        let _ = writeln!(
            self.svg,
            "<g class=\"mark\"><line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"4\" y2=\"{:.1}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{:#010x}</text></g>",
            self.y + BLOCK,
            x + beside,
            self.y + 14.0,
            mark.word
        );
    }

    fn finish(self, told: &str) -> String {
        let y = self.y + 10.0;
        let mut svg = begin(WIDTH, y + 6.0, told);
        svg += &self.svg;
        let _ = writeln!(
            svg,
            "<text x=\"{LABELS}\" y=\"{y:.1}\">0</text>\
             <text x=\"{:.1}\" y=\"{y:.1}\" text-anchor=\"end\">{} cycles</text></svg>",
            WIDTH - RIGHT,
            short(self.end)
        );
        svg
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn breakdown() -> Value {
        serde_json::json!({
            "suite": "xous", "case": "scalar", "board": "vexriscv", "memory": "slow: 8 cycles",
            "typical": { "cycles": 300, "stretches": [
                { "at": 0, "cycles": 100, "who": "client, user", "privilege": "user", "satp": 0x8040_0001_u32,
                  "from": null, "to": { "function": "send" } },
                { "at": 100, "cycles": 80, "who": "kernel", "privilege": "machine", "satp": 0x8040_0001_u32,
                  "from": null, "to": null },
                { "at": 180, "cycles": 120, "who": "kernel", "privilege": "machine", "satp": 0x8080_0002_u32,
                  "from": null, "to": null },
            ], "reports": [
                { "at": 0, "word": 0x1111_0000_u32 }, { "at": 300, "word": 0x2222_0000_u32 },
            ] },
        })
    }

    #[test]
    fn a_call_shows_who_runs_its_address_spaces_its_privilege_and_its_marks() {
        let picture = picture(&breakdown()).unwrap();
        let start = "scalar on vexriscv, slow: where the 300 cycles";
        assert!(picture.caption.starts_with(start), "{}", picture.caption);
        let count = |what: &str| picture.svg.matches(what).count();
        assert_eq!(count("class=\"fill s0\""), 1);
        assert_eq!(count("class=\"fill s1\""), 2);
        // The cycles of each phase stand in it.
        assert_eq!(count("class=\"phase\""), 3);
        assert!(picture.svg.contains(">120</text>"));
        // The space changes in the kernel, the privilege before it.
        assert_eq!(count("class=\"bus\""), 2);
        let wave = picture.svg.split("class=\"wave\" d=\"").nth(1).unwrap();
        let wave = wave.split('"').next().unwrap();
        assert_eq!(
            (wave.matches('M').count(), wave.matches('L').count()),
            (1, 1)
        );
        assert_eq!(count("class=\"mark\""), 2);
        assert!(picture.svg.contains(">0x22220000</text>"));
        assert_eq!(picture.table.rows.len(), 3 + 2);
    }

    #[test]
    fn a_phase_too_short_for_its_number_has_it_in_the_table() {
        let mut breakdown = breakdown();
        breakdown["typical"]["stretches"][0]["cycles"] = 2.into();
        breakdown["typical"]["stretches"][1]["at"] = 2.into();
        let picture = picture(&breakdown).unwrap();
        assert_eq!(picture.svg.matches("class=\"phase\"").count(), 2);
        assert!(picture.table.rows.iter().any(|row| row[1] == "2"));
    }

    #[test]
    fn a_call_without_marks_is_shown_without_them_and_nothing_is_shown_of_nothing() {
        let mut breakdown = breakdown();
        breakdown["typical"]["reports"] = Value::Null;
        let without = picture(&breakdown).unwrap();
        assert!(!without.svg.contains("REPORT</text>") && !without.svg.contains("class=\"mark\""));
        breakdown["typical"] = Value::Null;
        assert!(picture(&breakdown).is_none());
    }
}
