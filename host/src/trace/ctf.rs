//! A trace in the Common Trace Format 1.8, as babeltrace2 and Trace Compass read it: a folder with a description and one
//! stream. Before each gap a packet ends; the next one says how many events were discarded until then.

use std::io;
use std::path::Path;

use super::event::{Event, What};
use super::names::Names;
use super::words;
use crate::machine::ring::Gap;
use crate::whole;

/// What a packet begins with.
const MAGIC: u32 = 0xC1FC_1FC1;

/// Bytes before the first event of a packet: the magic number, two times, two sizes, and a count.
const HEAD: usize = 4 + 5 * 8;

/// The events, by their ids: what each is called, and its fields, all of which follow `thread` and `priority`.
const EVENTS: &[(&str, &[&str])] = &[
    ("switch", &["string from", "string state"]),
    ("send", &["string channel", "uint32 badge"]),
    (
        "receive",
        &["string client", "uint32 badge", "uint32 generation"],
    ),
    ("reply", &["string client", "uint32 status"]),
    ("end", &["string state"]),
    (
        "trigger",
        &["string channel", "uint32 proxy", "uint32 times"],
    ),
    ("notify", &["string channel", "uint32 bits"]),
    ("notice", &["string kind", "uint32 value"]),
    ("futex_wait", &["uint32 address"]),
    ("futex_wake", &["string by"]),
    ("lock_wait", &["string owner", "uint32 address"]),
    ("lock_given", &["string by"]),
    ("signal", &["string process", "uint32 number"]),
    ("handler", &["uint32 number"]),
    ("interrupt", &["uint32 line"]),
    ("deadline", &["string of"]),
    ("fault", &["string reason", "uint32 address"]),
    ("priority", &["uint32 before"]),
    ("stop", &["string by"]),
];

/// Writes a trace into `folder`, which is made. Where there are gaps, events are missing.
///
/// # Errors
/// What the file system says.
pub fn write(folder: &Path, names: &Names, events: &[Event], gaps: &[Gap]) -> io::Result<()> {
    std::fs::create_dir_all(folder)?;
    whole::write(&folder.join("metadata"), description(names))?;
    whole::write(&folder.join("stream"), stream(names, events, gaps))
}

fn description(names: &Names) -> String {
    let mut text = format!(
        "/* CTF 1.8 */\n\
         typealias integer {{ size = 8; align = 8; signed = false; }} := uint8;\n\
         typealias integer {{ size = 32; align = 8; signed = false; }} := uint32;\n\
         typealias integer {{ size = 64; align = 8; signed = false; }} := uint64;\n\
         trace {{ major = 1; minor = 8; byte_order = le; packet.header := struct {{ uint32 magic; }}; }};\n\
         env {{ application = \"{}\"; board = \"{}\"; }};\n\
         clock {{ name = board; freq = 1000000000; description = \"nanoseconds since the start\"; }};\n\
         typealias integer {{ size = 64; align = 8; signed = false; map = clock.board.value; }} := moment;\n\
         stream {{\n\
         packet.context := struct {{ moment timestamp_begin; moment timestamp_end; uint64 content_size; uint64 packet_size; \
         uint64 events_discarded; }};\n\
         event.header := struct {{ uint8 id; moment timestamp; }};\n\
         event.context := struct {{ string thread; uint8 priority; }};\n}};\n",
        quoted(&names.application),
        quoted(&names.board),
    );
    for (id, (name, fields)) in EVENTS.iter().enumerate() {
        let fields = fields.iter().map(|field| format!(" {field};"));
        let fields: String = fields.collect();
        text += &format!(
            "event {{ name = \"{name}\"; id = {id}; fields := struct {{{fields} }}; }};\n"
        );
    }
    text
}

/// What stands between quotation marks.
fn quoted(text: &str) -> String {
    text.replace('\\', "\\\\").replace('"', "\\\"")
}

fn stream(names: &Names, events: &[Event], gaps: &[Gap]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut discarded = 0;
    let mut begin = 0;
    // A packet without events, between gaps at one place or at the end, has the time of the event before.
    let mut last = 0;
    let gaps = gaps.iter().map(|gap| (gap.before, gap.missing));
    let ends = gaps.chain([(events.len(), 0)]);
    for (end, missing) in ends {
        let end = end.clamp(begin, events.len());
        let inside = &events[begin..end];
        bytes.extend(packet(names, inside, last, discarded));
        last = inside.last().map_or(last, |event| event.time);
        discarded += u64::from(missing);
        begin = end;
    }
    bytes
}

fn packet(names: &Names, events: &[Event], before: u64, discarded: u64) -> Vec<u8> {
    let mut content = Vec::new();
    for event in events {
        put(&mut content, names, event);
    }
    let time = |event: Option<&Event>| event.map_or(before, |event| event.time);
    let bits = (HEAD + content.len()) as u64 * 8;
    let mut packet = MAGIC.to_le_bytes().to_vec();
    for field in [
        time(events.first()),
        time(events.last()),
        bits,
        bits,
        discarded,
    ] {
        packet.extend(field.to_le_bytes());
    }
    packet.extend(content);
    packet
}

/// An event, as a person reads it: its name, and each field with its value.
pub fn line(names: &Names, event: &Event) -> String {
    let (id, strings, numbers) = fields(names, event);
    let (name, labels) = EVENTS[usize::from(id)];
    let numbers = numbers.iter().map(u32::to_string);
    let values = strings.into_iter().chain(numbers);
    let labels = labels.iter().filter_map(|it| it.split(' ').nth(1));
    let pairs = labels
        .zip(values)
        .map(|(label, value)| format!("{label} {value}"));
    format!("{name}: {}", pairs.collect::<Vec<_>>().join(", "))
}

/// Its number among [`EVENTS`], and the values of its fields: strings come before numbers.
fn fields(names: &Names, event: &Event) -> (u8, Vec<String>, Vec<u32>) {
    use What as W;
    let thread = |thread| names.thread(thread);
    let channel = |channel| names.channel(channel);
    match event.what {
        W::Switch { from, state } => (0, vec![thread(from), state.name().into()], vec![]),
        W::Send { channel: to, badge } => (1, vec![channel(to)], vec![badge]),
        W::Receive {
            client,
            badge,
            generation,
        } => (2, vec![thread(client)], vec![badge, generation]),
        W::Reply { client, status } => (3, vec![thread(client)], vec![status]),
        W::End(state) => (4, vec![state.name().into()], vec![]),
        W::Trigger {
            channel: of,
            proxy,
            times,
        } => (5, vec![channel(of)], vec![proxy, times]),
        W::Notify { channel: of, bits } => (6, vec![channel(of)], vec![bits]),
        W::Notice { notice, word } => (7, vec![words::notice_name(notice).into()], vec![word]),
        W::FutexWait(word) => (8, vec![], vec![word]),
        W::FutexWake { by } => (9, vec![thread(by)], vec![]),
        W::LockWait { owner, word } => (10, vec![thread(owner)], vec![word]),
        W::LockGiven { by } => (11, vec![thread(by)], vec![]),
        W::Signal { process, signal } => (12, vec![names.process(process)], vec![signal]),
        W::Handler(signal) => (13, vec![], vec![signal]),
        W::Interrupt(line) => (14, vec![], vec![line]),
        W::Deadline(due) => (15, vec![words::due_name(names, due)], vec![]),
        W::Fault { reason, address } => (16, vec![words::fault_name(reason).into()], vec![address]),
        W::Priority { before } => (17, vec![], vec![before]),
        W::Stop { by } => (18, vec![thread(by)], vec![]),
    }
}

fn put(to: &mut Vec<u8>, names: &Names, event: &Event) {
    let (id, strings, numbers) = fields(names, event);
    to.push(id);
    to.extend(event.time.to_le_bytes());
    text(to, &names.thread(event.thread));
    to.push(event.priority as u8);
    strings.iter().for_each(|it| text(to, it));
    numbers.iter().for_each(|it| to.extend(it.to_le_bytes()));
}

/// A string ends with a zero byte; a name in a manifest has none.
fn text(to: &mut Vec<u8>, text: &str) {
    to.extend(text.bytes());
    to.push(0);
}
