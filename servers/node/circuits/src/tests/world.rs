//! Two nodes, the wire between them, clients and servers at both, and what is known of each request.

use std::boxed::Box;
use std::vec;
use std::vec::Vec;

use crate::wire::{Buffer, PART};
use crate::{
    Answer, BLOCKS, Blocks, Ends, Failure, Heard, LONGEST, NEAR, Node, PROXIES, PairKey,
    PeerSettings,
};

pub const MILLI: u64 = 1_000_000;
pub const SECOND: u64 = 1000 * MILLI;
pub const KEY: [u8; 32] = *b"a key for two nodes and no other";

/// Numbers that look drawn, by a seed.
pub struct Draw(u64);

impl Draw {
    pub fn new(seed: u64) -> Draw {
        Draw(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.next() % end.max(1)
    }

    pub fn chance(&mut self, percent: u64) -> bool {
        self.below(100) < percent
    }
}

/// A frame has come to a node.
pub fn hear(node: &mut Node, now: u64, frame: &[u8], ends: &mut impl Ends) -> Heard {
    let mut buffer = Buffer::new();
    let length = buffer.copy(frame);
    node.hear(now, &mut buffer, length, ends)
}

/// What a wire does to frames, in percent.
#[derive(Clone, Copy, Default)]
pub struct Faults {
    pub lost: u64,
    pub doubled: u64,
    pub late: u64,
    pub corrupted: u64,
    pub cut: bool,
}

/// What a node takes for a frame, and how many frames are kept while it is busy.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// Nanoseconds a byte, to make a frame.
    pub makes: u64,
    /// Nanoseconds a byte, to take one.
    pub takes: u64,
    /// Whole frames; more are lost.
    pub keeps: usize,
}

/// What came of a request at its client.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    Reply(u32, Vec<u8>),
    /// The right to trigger a proxy: its place at the client's node, and which one it is.
    Proxy(usize, usize),
    Failed(Failure),
}

/// What is known of a request.
pub struct Record {
    pub node: usize,
    pub bytes: Vec<u8>,
    pub deadline: u64,
    pub served: u32,
    pub served_at: u64,
    pub priority: u8,
    pub cancelled_at_server: bool,
    pub told: Option<(u64, Told)>,
}

/// A proxy of a server.
pub struct Canned {
    /// At which node.
    pub node: usize,
    /// When it was triggered by clients.
    pub triggered: Vec<u64>,
    /// How often its server has received it, and when the last time.
    pub received: usize,
    pub received_at: u64,
    /// Its server has ended it.
    pub is_over: bool,
}

/// How servers answer.
#[derive(Clone, Copy)]
pub struct Serving {
    /// After so long, and up to so much longer.
    pub after: [u64; 2],
    /// With so many bytes, or as many as came.
    pub reply: Option<usize>,
    pub dies: u64,
    /// With a new proxy.
    pub brings: bool,
}

/// What a node's program keeps.
pub struct Program {
    pub now: u64,
    blocks: Vec<Vec<u8>>,
    /// Which record waits in which place.
    waits: [Option<usize>; NEAR],
    opens: Vec<(usize, usize, Vec<u8>)>,
    serves: Vec<usize>,
    cancels: Vec<usize>,
    pub closed: usize,
    records: Vec<(usize, u64, Told)>,
    sources: Vec<Vec<u8>>,
    /// Which proxies of peers clients can trigger, by their places.
    pub remotes: [Option<usize>; PROXIES],
    /// Which of its own peers can.
    pub rights: [Option<usize>; PROXIES],
    /// Those that have been triggered, and how often.
    triggered: Vec<(usize, u32)>,
    /// Proxies of this node that are over.
    over: Vec<usize>,
    /// Its clients take no proxies.
    pub refuses_proxies: bool,
    /// Its clients have parted with the memory of their messages.
    pub is_unmapped: bool,
}

impl Program {
    fn new() -> Program {
        Program {
            now: 0,
            blocks: vec![vec![0; PART]; BLOCKS],
            waits: [None; NEAR],
            opens: Vec::new(),
            serves: Vec::new(),
            cancels: Vec::new(),
            closed: 0,
            records: Vec::new(),
            sources: vec![Vec::new(); NEAR],
            remotes: [None; PROXIES],
            rights: [None; PROXIES],
            triggered: Vec::new(),
            over: Vec::new(),
            refuses_proxies: false,
            is_unmapped: false,
        }
    }
}

/// The numbers of these blocks.
fn each(blocks: Blocks) -> impl Iterator<Item = usize> {
    blocks
        .runs()
        .flat_map(|run| run.first..run.first + run.count)
}

impl Ends for Program {
    fn read(&mut self, near: usize, offset: usize, to: &mut [u8]) -> bool {
        let source = &self.sources[near];
        assert!(self.waits[near].is_some(), "bytes of nobody are read");
        to.copy_from_slice(&source[offset..offset + to.len()]);
        !self.is_unmapped
    }

    fn answer(&mut self, near: usize, answer: Answer<'_>) -> bool {
        let record = self.waits[near].take().expect("an answer for nobody");
        let told = match answer {
            Answer::Bytes { status, bytes } => Told::Reply(status, bytes.to_vec()),
            Answer::Blocks {
                status,
                blocks,
                length,
            } => {
                let mut all: Vec<u8> = Vec::new();
                for block in each(blocks) {
                    all.extend_from_slice(&self.blocks[block]);
                }
                all.truncate(length);
                Told::Reply(status, all)
            }
            Answer::Proxy { .. } if self.refuses_proxies => {
                let told = Told::Failed(Failure::NotCarried);
                self.records.push((record, self.now, told));
                return false;
            }
            Answer::Proxy { bytes, proxy } => {
                let which = u32::from_le_bytes(*bytes.first_chunk().expect("four bytes")) as usize;
                assert_eq!(self.remotes[proxy], None, "a place that is taken");
                self.remotes[proxy] = Some(which);
                Told::Proxy(proxy, which)
            }
            Answer::Failed(why) => Told::Failed(why),
        };
        self.records.push((record, self.now, told));
        true
    }

    fn keep(&mut self, block: usize, bytes: &[u8]) {
        self.blocks[block][..bytes.len()].copy_from_slice(bytes);
    }

    fn recall(&mut self, block: usize, to: &mut [u8]) {
        to.copy_from_slice(&self.blocks[block][..to.len()]);
    }

    fn open(&mut self, peer: usize, circuit: usize, name: &[u8]) {
        self.opens.push((peer, circuit, name.to_vec()));
    }

    fn closed(&mut self, _peer: usize) {
        self.closed += 1;
    }

    fn serve(&mut self, far: usize) {
        self.serves.push(far);
    }

    fn cancel(&mut self, far: usize) {
        self.cancels.push(far);
    }

    fn end_proxy(&mut self, proxy: usize) {
        assert!(self.remotes[proxy].take().is_some(), "a proxy of nobody");
    }

    fn trigger(&mut self, right: usize, times: u32) -> bool {
        let which = self.rights[right].expect("a right of nobody");
        if self.over.contains(&which) {
            return false;
        }
        self.triggered.push((which, times));
        true
    }

    fn forget(&mut self, right: usize) {
        assert!(self.rights[right].take().is_some(), "a right of nobody");
    }
}

/// A request that a server has.
struct Work {
    node: usize,
    far: usize,
    at: u64,
    record: Option<usize>,
    result: Result<(u32, Vec<u8>), Failure>,
    brings: bool,
}

/// Both nodes.
pub struct World {
    pub now: u64,
    pub nodes: [Box<Node>; 2],
    pub programs: [Program; 2],
    pub draw: Draw,
    pub faults: Faults,
    pub serving: Serving,
    pub records: Vec<Record>,
    pub canned: Vec<Canned>,
    pub latency: u64,
    /// Nanoseconds that the wire is taken by a byte: it carries a frame at a time, or all at once if this is 0.
    pub carries: u64,
    /// Until when it is taken.
    taken: u64,
    pub machines: [Machine; 2],
    /// Until when each is busy with a frame.
    busy: [u64; 2],
    /// Frames that have come while it was.
    kept: [Vec<Vec<u8>>; 2],
    /// How many more were lost.
    pub flooded: usize,
    /// Frames that are lost, counted as [`World::seen`] has them.
    pub loses: Vec<usize>,
    wire: Vec<(u64, usize, Vec<u8>)>,
    works: Vec<Work>,
    /// All frames that ever were sent, to whom.
    pub seen: Vec<(usize, Vec<u8>)>,
    /// Whose they were that came.
    pub heard: Vec<Heard>,
    lives: u64,
    room: usize,
    /// Whether node 1 knows where node 0 is: always, if it is told; else as [`Heard`] says.
    pub finds: Option<bool>,
}

/// What a server answers.
pub fn answer_to(request: &[u8], length: usize) -> Vec<u8> {
    let sum = request
        .iter()
        .fold(7_u32, |sum, byte| sum.wrapping_mul(31) ^ u32::from(*byte));
    (0..length)
        .map(|at| (sum as usize + at * 13) as u8)
        .collect()
}

pub fn node(own: u8, other: u8, life: u64, room: usize, key: [u8; 32]) -> Box<Node> {
    let mut node = Box::new(Node::new(own, life, room));
    let settings = PeerSettings {
        number: other,
        key: PairKey(key),
        band: (2, 20),
    };
    assert_eq!(node.add_peer(settings), Some(0));
    node.set_window(4);
    assert_eq!(node.add_circuit(0, b"/counter"), Some(0));
    assert_eq!(node.add_circuit(0, b"/secret"), Some(1));
    node
}

impl World {
    /// Has the wire do what chance says.
    pub fn draw_faults(&mut self) {
        let level = self.draw.below(4) * 8;
        self.faults = Faults {
            lost: self.draw.below(level + 1),
            doubled: self.draw.below(level + 1),
            late: self.draw.below(level + 1),
            corrupted: self.draw.below(level + 1),
            cut: false,
        };
    }

    pub fn new(seed: u64, room: usize) -> World {
        World {
            now: SECOND,
            nodes: [node(1, 2, 100, room, KEY), node(2, 1, 200, room, KEY)],
            programs: [Program::new(), Program::new()],
            draw: Draw::new(seed),
            faults: Faults::default(),
            serving: Serving {
                after: [0, 1],
                reply: None,
                dies: 0,
                brings: false,
            },
            records: Vec::new(),
            canned: Vec::new(),
            latency: MILLI / 2,
            carries: 0,
            taken: 0,
            machines: [Machine {
                makes: 0,
                takes: 0,
                keeps: usize::MAX,
            }; 2],
            busy: [0; 2],
            kept: [Vec::new(), Vec::new()],
            flooded: 0,
            loses: Vec::new(),
            wire: Vec::new(),
            works: Vec::new(),
            seen: Vec::new(),
            heard: Vec::new(),
            lives: 1000,
            room,
            finds: None,
        }
    }

    /// A client at `node` sends so many bytes by a circuit, with this much time. The record; none if there is no place.
    pub fn send(&mut self, node: usize, circuit: usize, length: usize, time: u64) -> Option<usize> {
        let number = self.records.len();
        let head = (number as u32).to_le_bytes();
        let rest = (0..length).map(|at| (at * 7 + number) as u8);
        let bytes: Vec<u8> = head.into_iter().chain(rest).take(length).collect();
        let deadline = self.now + time;
        let priority = (number % 32) as u8;
        let begun = self.nodes[node].begin(self.now, circuit, length, priority, deadline);
        let told = match begun {
            Ok(place) => {
                assert_eq!(
                    self.programs[node].waits[place], None,
                    "a place that is taken"
                );
                self.programs[node].waits[place] = Some(number);
                self.programs[node].sources[place] = bytes.clone();
                None
            }
            Err(Some(why)) => Some((self.now, Told::Failed(why))),
            Err(None) => return None,
        };
        self.records.push(Record {
            node,
            bytes,
            deadline,
            served: 0,
            served_at: 0,
            priority,
            cancelled_at_server: false,
            told,
        });
        Some(number)
    }

    /// The client of a request leaves, or its own deadline is over.
    pub fn leave(&mut self, record: usize) {
        let node = self.records[record].node;
        let waits = self.programs[node].waits;
        if let Some(place) = waits.iter().position(|it| *it == Some(record)) {
            let why = self.nodes[node].abandon(self.now, place);
            self.programs[node].waits[place] = None;
            self.records[record].told = Some((self.now, Told::Failed(why)));
        }
    }

    /// A node begins a new life: all that it had is gone, its servers with it.
    pub fn reboot(&mut self, at: usize) {
        self.lives += 1;
        self.reboot_as(at, self.lives);
    }

    /// As that, in this life.
    pub fn reboot_as(&mut self, at: usize, life: u64) {
        let (own, other) = if at == 0 { (1, 2) } else { (2, 1) };
        self.nodes[at] = node(own, other, life, self.room, KEY);
        self.programs[at] = Program::new();
        if at == 1 {
            self.finds = self.finds.map(|_| false);
        }
        for canned in self.canned.iter_mut().filter(|it| it.node == at) {
            canned.is_over = true;
        }
        self.works.retain(|work| work.node != at);
        for record in &mut self.records {
            if record.node == at && record.told.is_none() {
                record.told = Some((self.now, Told::Failed(Failure::NodeGone)));
            }
        }
    }

    /// All frames from now on by themselves.
    pub fn put(&mut self, to: usize, frame: Vec<u8>) {
        self.wire.push((self.now, to, frame));
    }

    fn transmit(&mut self, to: usize, frame: &[u8]) {
        let number = self.seen.len();
        self.seen.push((to, frame.to_vec()));
        let mut leaves = self.busy[1 - to].max(self.now);
        if self.carries > 0 {
            leaves = leaves.max(self.taken) + self.carries * frame.len() as u64;
            self.taken = leaves;
        }
        let faults = self.faults;
        if to == 0 && self.finds == Some(false) {
            return;
        }
        if self.loses.contains(&number) || faults.cut || self.draw.chance(faults.lost) {
            return;
        }
        let copies = 1 + u64::from(self.draw.chance(faults.doubled));
        for _ in 0..copies {
            let mut frame = frame.to_vec();
            if self.draw.chance(faults.corrupted) {
                let place = self.draw.below(frame.len() as u64) as usize;
                frame[place] ^= 1 << self.draw.below(8);
                if self.draw.chance(30) {
                    frame.truncate(place);
                }
            }
            let late = if self.draw.chance(faults.late) {
                self.draw.below(30 * MILLI)
            } else {
                0
            };
            self.wire.push((leaves + self.latency + late, to, frame));
        }
    }

    /// What the programs of both nodes do.
    fn work(&mut self) {
        for at in 0..2 {
            self.programs[at].now = self.now;
            let mut out = Buffer::new();
            let mut frames = 0;
            while self.busy[at] <= self.now
                && let Ok(frame) =
                    self.nodes[at].next_frame(self.now, &mut out, &mut self.programs[at])
            {
                self.busy[at] = self.now + self.machines[at].makes * frame.length as u64;
                self.transmit(1 - at, &out[..frame.length]);
                frames += 1;
                assert!(frames < 200, "frames without end");
            }
            for (peer, circuit, name) in core::mem::take(&mut self.programs[at].opens) {
                assert_eq!(self.nodes[at].asked_name(peer, circuit), name);
                let failure = (name != b"/counter").then_some(Failure::NotExported);
                self.nodes[at].opened(peer, circuit, failure);
            }
            for far in core::mem::take(&mut self.programs[at].serves) {
                self.begin_work(at, far);
            }
            for far in core::mem::take(&mut self.programs[at].cancels) {
                for work in self
                    .works
                    .iter_mut()
                    .filter(|work| work.node == at && work.far == far)
                {
                    if let Some(record) = work.record {
                        self.records[record].cancelled_at_server = true;
                    }
                }
            }
            for (which, times) in core::mem::take(&mut self.programs[at].triggered) {
                let canned = &mut self.canned[which];
                assert!(canned.node == at && !canned.is_over, "of another life");
                canned.received += times as usize;
                canned.received_at = self.now;
                assert!(
                    canned.received <= canned.triggered.len(),
                    "more often than it was triggered"
                );
            }
            for (record, when, told) in core::mem::take(&mut self.programs[at].records) {
                self.check(record, when, &told);
                assert!(
                    self.records[record].told.is_none(),
                    "answered twice: {record}"
                );
                self.records[record].told = Some((when, told));
            }
        }
    }

    fn begin_work(&mut self, at: usize, far: usize) {
        let Some(job) = self.nodes[at].job(far) else {
            self.nodes[at].served(far, Ok((0, 0)));
            return;
        };
        let mut bytes: Vec<u8> = Vec::new();
        for block in each(job.request) {
            bytes.extend_from_slice(&self.programs[at].blocks[block]);
        }
        bytes.truncate(job.length);
        let record = bytes
            .first_chunk::<4>()
            .map(|it| u32::from_le_bytes(*it) as usize);
        if let Some(record) = record {
            let record = &mut self.records[record];
            record.served += 1;
            record.served_at = self.now;
            assert_eq!(record.served, 1, "served twice");
            assert_eq!(record.bytes, bytes, "served with other bytes");
            assert_eq!(
                job.priority,
                record.priority.clamp(2, 20),
                "at another priority"
            );
            let late = self.now.saturating_sub(record.deadline);
            assert!(
                late <= self.latency + 30 * MILLI,
                "begun {late} past its deadline"
            );
        }
        let serving = self.serving;
        let length = serving.reply.unwrap_or(bytes.len());
        let dies = self.draw.chance(serving.dies);
        let reply = answer_to(&bytes, length);
        let result = if dies {
            Err(Failure::ServerDied)
        } else {
            Ok((record.unwrap_or(0) as u32 & 3, reply))
        };
        let after = serving.after[0] + self.draw.below(serving.after[1]);
        self.works.push(Work {
            node: at,
            far,
            at: self.now + after,
            record,
            result,
            brings: serving.brings,
        });
    }

    fn end_works(&mut self) {
        let now = self.now;
        let (done, rest) = core::mem::take(&mut self.works)
            .into_iter()
            .partition(|work| work.at <= now);
        self.works = rest;
        let done: Vec<Work> = done;
        for work in done {
            if self.nodes[work.node].is_cancelled(work.far) {
                self.nodes[work.node].served(work.far, Ok((0, 0)));
                continue;
            }
            let result = match &work.result {
                Ok(_) if work.brings => {
                    let which = self.canned.len();
                    self.canned.push(Canned {
                        node: work.node,
                        triggered: Vec::new(),
                        received: 0,
                        received_at: 0,
                        is_over: false,
                    });
                    let program = &mut self.programs[work.node];
                    if let Some(place) = self.nodes[work.node].brought(work.far) {
                        program.rights[place] = Some(which);
                    }
                    if let Some(job) = self.nodes[work.node].job(work.far) {
                        program.keep(
                            job.reply.at(0).expect("room"),
                            &(which as u32).to_le_bytes(),
                        );
                    }
                    Ok((0, 4))
                }
                Ok((status, reply)) => {
                    if let Some(job) = self.nodes[work.node].job(work.far) {
                        let program = &mut self.programs[work.node];
                        for (block, piece) in each(job.reply).zip(reply.chunks(PART)) {
                            program.keep(block, piece);
                        }
                    }
                    Ok((*status, reply.len()))
                }
                Err(why) => Err(*why),
            };
            self.nodes[work.node].served(work.far, result);
        }
    }

    /// What must hold of every answer.
    fn check(&self, record: usize, when: u64, told: &Told) {
        let record_number = record;
        let record = &self.records[record];
        assert!(when <= record.deadline, "answered past its deadline");
        if let Told::Reply(status, bytes) = told {
            if record.bytes.len() >= 4 {
                assert_eq!(record.served, 1, "answered and not served");
                assert_eq!(*status, record_number as u32 & 3);
            }
            let length = self.serving.reply.unwrap_or(record.bytes.len());
            assert!(*bytes == answer_to(&record.bytes, length), "another answer");
        }
    }

    fn next_moment(&mut self) -> Option<u64> {
        let wire = self.wire.iter().map(|(at, _, _)| *at);
        let works = self.works.iter().map(|work| work.at);
        let nodes = self.nodes.iter_mut().zip(self.busy);
        let nodes = nodes.filter_map(|(node, busy)| Some(node.due()?.max(busy)));
        let kept = self.kept.iter().zip(self.busy);
        let kept = kept.filter_map(|(kept, busy)| (!kept.is_empty()).then_some(busy));
        wire.chain(works).chain(nodes).chain(kept).min()
    }

    /// Lets time pass until then.
    pub fn run_until(&mut self, end: u64) {
        let mut steps = 0;
        loop {
            self.work();
            let next = self.next_moment().unwrap_or(end).max(self.now);
            if next > end || self.next_moment().is_none() {
                self.now = end;
                return;
            }
            self.now = next;
            steps += 1;
            assert!(steps < 400_000, "time does not pass");
            self.end_works();
            self.arrive();
        }
    }

    fn arrive(&mut self) {
        while let Some(place) = self.first_arrival() {
            let (_, to, frame) = self.wire.remove(place);
            if self.kept[to].len() < self.machines[to].keeps {
                self.kept[to].push(frame);
            } else {
                self.flooded += 1;
            }
            self.take(to);
        }
        (0..2).for_each(|to| self.take(to));
    }

    /// A node takes what has come, if it is not busy. Before the next frame it sends what is due, as `servers/node` does.
    fn take(&mut self, to: usize) {
        loop {
            self.work();
            if self.busy[to] > self.now || self.kept[to].is_empty() {
                return;
            }
            let frame = self.kept[to].remove(0);
            self.busy[to] = self.now + self.machines[to].takes * frame.len() as u64;
            self.programs[to].now = self.now;
            let heard = hear(
                &mut self.nodes[to],
                self.now,
                &frame,
                &mut self.programs[to],
            );
            self.heard.push(heard);
            if to == 1 && heard != Heard::Nobody {
                self.finds = self.finds.map(|_| true);
            }
        }
    }

    fn first_arrival(&self) -> Option<usize> {
        let due = self
            .wire
            .iter()
            .enumerate()
            .filter(|(_, (at, _, _))| *at <= self.now);
        due.min_by_key(|(_, (at, _, _))| *at)
            .map(|(place, _)| place)
    }

    pub fn run(&mut self, time: u64) {
        self.run_until(self.now + time);
    }

    /// Sends, and lets time pass until there is an answer.
    pub fn ask(&mut self, node: usize, circuit: usize, length: usize, time: u64) -> Told {
        let record = self.send(node, circuit, length, time).expect("a place");
        let end = self.now + time + 1;
        while self.records[record].told.is_none() && self.now < end {
            self.run((end - self.now).min(MILLI / 10));
        }
        self.records[record]
            .told
            .clone()
            .expect("an answer at the deadline")
            .1
    }

    /// What an answer to such a request would be.
    pub fn expected(&self, length: usize) -> Told {
        let record = self.records.last().unwrap();
        let number = self.records.len() - 1;
        let status = if length >= 4 { number as u32 & 3 } else { 0 };
        let reply = self.serving.reply.unwrap_or(length);
        Told::Reply(status, answer_to(&record.bytes, reply))
    }

    /// A client at `node` asks for a proxy: its place, and which one it is.
    pub fn ask_for_proxy(&mut self, node: usize) -> (usize, usize) {
        self.serving.brings = true;
        let told = self.ask(node, 0, 8, SECOND);
        self.serving.brings = false;
        let Told::Proxy(place, which) = told else {
            panic!("{told:?}");
        };
        (place, which)
    }

    /// A client at `node` triggers what has this place there, if it has a proxy.
    pub fn trigger(&mut self, node: usize, place: usize) {
        if let Some(which) = self.programs[node].remotes[place] {
            self.canned[which].triggered.push(self.now);
            self.nodes[node].trigger(self.now, place);
        }
    }

    /// A server ends its proxy.
    pub fn end_canned(&mut self, which: usize) {
        let canned = &mut self.canned[which];
        canned.is_over = true;
        self.programs[canned.node].over.push(which);
    }

    pub fn all_told(&self) -> bool {
        self.records.iter().all(|record| record.told.is_some())
    }

    pub fn is_idle(&self) -> bool {
        self.nodes.iter().all(|node| node.is_idle()) && self.works.is_empty()
    }
}

const _: () = assert!(LONGEST == 22_528);
