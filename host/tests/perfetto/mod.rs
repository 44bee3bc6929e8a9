//! A trace as Perfetto's trace processor takes it in: its rules for JSON, as its sources and documentation say them.
//!
//! Its own reader comes from no registry of packages: it is downloaded when it is first used. So the rules stand here, by
//! which it leaves out what does not fit, in silence but for a count of such things.

use std::collections::HashMap;

use serde_json::Value;

/// The track of a thread: its process and itself.
pub type Track = (u64, u64);

/// Something that lasts, or happens.
#[derive(Clone, Debug)]
pub struct Slice {
    pub track: Track,
    pub name: String,
    pub begin: i64,
    pub end: i64,
}

/// An arrow: the slices from which and to which it leads.
#[derive(Clone, Debug)]
pub struct Flow {
    pub from: Slice,
    pub to: Slice,
}

/// What Perfetto shows of a trace.
#[derive(Default)]
pub struct Model {
    pub slices: Vec<Slice>,
    pub flows: Vec<Flow>,
    /// What it leaves out, and why.
    pub left_out: Vec<String>,
    /// The slices of each track that have not ended.
    open: HashMap<Track, Vec<usize>>,
    /// The arrows that have begun, and those that wait for the next slice of a track.
    begun: HashMap<u64, usize>,
    waiting: HashMap<Track, Vec<u64>>,
}

/// Nanoseconds of a time in microseconds: what is behind the point of the product is cut off.
fn nanoseconds(value: &Value) -> i64 {
    (value.as_f64().expect("a time") * 1000.0) as i64
}

fn track(event: &Value) -> Track {
    let number = |name: &str| event[name].as_u64().expect("a number");
    (number("pid"), number("tid"))
}

impl Model {
    /// Of the events of a file.
    pub fn of(events: &[Value]) -> Model {
        // By time; what has the same time stays in order.
        let mut events: Vec<&Value> = events.iter().filter(|it| it["ts"].is_number()).collect();
        events.sort_by_key(|event| nanoseconds(&event["ts"]));
        let mut model = Model::default();
        for event in events {
            match event["ph"].as_str() {
                Some("X") => model.slice(event),
                Some("s") => model.begins(event),
                Some("f") => model.ends(event),
                _ => (),
            }
        }
        for (id, from) in std::mem::take(&mut model.begun) {
            let from = &model.slices[from];
            let text = format!("arrow {id} from {from:?} leads nowhere");
            model.left_out.push(text);
        }
        model
    }

    /// A slice lies within the one that is open on its track, or is left out.
    fn slice(&mut self, event: &Value) {
        let begin = nanoseconds(&event["ts"]);
        let slice = Slice {
            track: track(event),
            name: event["name"].as_str().expect("a name").to_owned(),
            begin,
            end: begin + nanoseconds(&event["dur"]),
        };
        let open = self.open.entry(slice.track).or_default();
        while open.pop_if(|it| self.slices[*it].end <= begin).is_some() {}
        let around = open.last().map(|it| &self.slices[*it]);
        if let Some(around) = around.filter(|it| it.end < slice.end) {
            let text = format!("{slice:?} overlaps {around:?}");
            self.left_out.push(text);
            return;
        }
        let index = self.slices.len();
        open.push(index);
        for id in self.waiting.remove(&slice.track).unwrap_or_default() {
            self.arrow(id, event, slice.clone());
        }
        self.slices.push(slice);
    }

    /// What is open on the track of an event: also a slice without length that has just been.
    fn around(&self, event: &Value) -> Option<usize> {
        self.open.get(&track(event))?.last().copied()
    }

    fn begins(&mut self, event: &Value) {
        let id = event["id"].as_u64().expect("an id");
        match self.around(event) {
            Some(slice) => {
                let before = self.begun.insert(id, slice);
                assert_eq!(before, None, "arrow {id} begins twice");
            }
            None => self.left_out.push(format!("{event} has no slice")),
        }
    }

    fn ends(&mut self, event: &Value) {
        let id = event["id"].as_u64().expect("an id");
        if event["bp"] != "e" {
            self.waiting.entry(track(event)).or_default().push(id);
        } else if let Some(slice) = self.around(event) {
            let slice = self.slices[slice].clone();
            self.arrow(id, event, slice);
        } else {
            self.left_out.push(format!("{event} has no slice"));
        }
    }

    fn arrow(&mut self, id: u64, event: &Value, to: Slice) {
        let Some(from) = self.begun.remove(&id) else {
            self.left_out
                .push(format!("arrow {id} to {event} comes from nowhere"));
            return;
        };
        let from = self.slices[from].clone();
        self.flows.push(Flow { from, to });
    }
}
