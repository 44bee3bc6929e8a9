//! One Ethernet that joins several emulated machines: a switch, and a wire that can be bad on purpose.
//!
//! Each emulator has a pair of datagram sockets in a folder of this run's own: one is the emulator's end of its cable, one is
//! the switch's. A thread takes what nodes send, does to it what the wire's [`Quality`] says, and hands it on.

mod capture;
mod counters;
mod line;
mod quality;
mod switch;

use std::collections::VecDeque;
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::UnixDatagram;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use miette::{IntoDiagnostic, WrapErr};

use crate::reaper;
use capture::Capture;
pub use counters::{Counters, Traffic, on_ethernet, table};
use line::{Frame, Line};
pub use quality::Quality;
use switch::Switch;

/// How often a thread that waits for a frame looks whether it is all over.
const POLL: Duration = Duration::from_millis(100);
/// How soon it tries again to hand on what an emulator did not take.
const AGAIN: Duration = Duration::from_millis(1);
/// Frames that wait for an emulator to take them. What comes then is lost.
const WAITING: usize = 256;
/// More than any frame: what is longer is noticed.
const BUFFER: usize = 65_536;

/// The wire.
pub struct Wire {
    folder: Folder,
    counters: Arc<Mutex<Vec<Counters>>>,
    orders: SyncSender<Event>,
    over: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

enum Event {
    Sent(Frame),
    Plug { node: usize, is_in: bool },
}

impl Wire {
    /// A wire among so many nodes, which works until it is dropped. What comes out of it is written to the file `capture`, too.
    ///
    /// # Errors
    /// If sockets or the file cannot be made.
    pub fn new(nodes: usize, quality: Quality, capture: Option<&Path>) -> miette::Result<Wire> {
        let capture = capture.map(|file| {
            Capture::create(file)
                .into_diagnostic()
                .wrap_err_with(|| format!("cannot write {}", file.display()))
        });
        Wire::make(nodes, quality, capture.transpose()?)
            .into_diagnostic()
            .wrap_err("cannot make the sockets of a wire")
    }

    fn make(nodes: usize, quality: Quality, capture: Option<Capture>) -> io::Result<Wire> {
        let folder = Folder::new()?;
        let over = Arc::new(AtomicBool::new(false));
        let counters = Arc::new(Mutex::new(vec![Counters::default(); nodes]));
        let (orders, events) = sync_channel(WAITING);
        let mut threads = vec![];
        let mut ports = vec![];
        for node in 0..nodes {
            let socket = UnixDatagram::bind(folder.of_switch(node))?;
            socket.set_read_timeout(Some(POLL))?;
            let (over, orders) = (over.clone(), orders.clone());
            threads.push(std::thread::spawn(move || {
                listen(node, &socket, &orders, &over);
            }));
            ports.push(Port::new(folder.of_node(node))?);
        }
        let middle = Middle {
            begun: Instant::now(),
            line: Line::new(quality, nodes),
            switch: Switch::new(nodes),
            ports,
            counters: counters.clone(),
            capture,
        };
        let ends = over.clone();
        threads.push(std::thread::spawn(move || middle.work(&events, &ends)));
        Ok(Wire {
            folder,
            counters,
            orders,
            over,
            threads,
        })
    }

    /// What a node's emulator is told of its network.
    #[must_use]
    pub fn network(&self, node: usize) -> String {
        cable(&self.folder.of_node(node), &self.folder.of_switch(node))
    }

    /// Plugs a node's cable in or out.
    pub fn plug(&self, node: usize, is_in: bool) {
        // An error means that the wire has ended.
        let _ = self.orders.send(Event::Plug { node, is_in });
    }

    /// What it has counted so far, of each node.
    #[must_use]
    pub fn counters(&self) -> Vec<Counters> {
        let counters = self.counters.lock();
        counters.unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// What an emulator is told of a cable between two datagram sockets: its own end, and the other one.
#[must_use]
pub fn cable(own: &Path, other: &Path) -> String {
    // A comma would end the name of the file.
    let [own, other] = [own, other].map(|it| it.to_string_lossy().replace(',', ",,"));
    format!("dgram,local.type=unix,local.path={own},remote.type=unix,remote.path={other}")
}

impl Drop for Wire {
    fn drop(&mut self) {
        self.over.store(true, Ordering::Release);
        for thread in self.threads.drain(..) {
            let _ = thread.join();
        }
    }
}

/// Takes what a node sends, until it is all over.
fn listen(node: usize, socket: &UnixDatagram, to: &SyncSender<Event>, over: &AtomicBool) {
    let mut buffer = vec![0; BUFFER];
    while !over.load(Ordering::Acquire) {
        // An error is a wait that was too long.
        let Ok(length) = socket.recv(&mut buffer) else {
            continue;
        };
        let bytes = buffer[..length].to_vec();
        if to.send(Event::Sent(Frame { from: node, bytes })).is_err() {
            return;
        }
    }
}

/// What is between the nodes.
struct Middle {
    begun: Instant,
    line: Line,
    switch: Switch,
    ports: Vec<Port>,
    counters: Arc<Mutex<Vec<Counters>>>,
    capture: Option<Capture>,
}

impl Middle {
    fn work(mut self, events: &Receiver<Event>, over: &AtomicBool) {
        while !over.load(Ordering::Acquire) {
            let wait = self.wait();
            match events.recv_timeout(wait) {
                Ok(event) => self.hear(event),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.hand_on();
        }
    }

    /// Until when there is nothing to do unless somebody sends.
    fn wait(&self) -> Duration {
        if self.ports.iter().any(|port| !port.waiting.is_empty()) {
            return AGAIN;
        }
        let until = self
            .line
            .next()
            .map(|at| at.saturating_sub(self.begun.elapsed()));
        until.unwrap_or(POLL).min(POLL)
    }

    fn hear(&mut self, event: Event) {
        match event {
            Event::Sent(frame) => {
                let now = self.begun.elapsed();
                let mut counters = self.counters.lock().unwrap_or_else(PoisonError::into_inner);
                let counters = &mut counters[frame.from];
                self.line.take(now, frame, counters);
            }
            Event::Plug { node, is_in } => self.line.plug(node, is_in),
        }
    }

    /// Hands on all that has come out of the wire.
    fn hand_on(&mut self) {
        let now = self.begun.elapsed();
        let mut counters = self.counters.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(frame) = self.line.out(now) {
            if let Some(capture) = &mut self.capture
                && let Err(error) = capture.add(now, &frame.bytes)
            {
                eprintln!("riposte: no more frames are written: {error}");
                self.capture = None;
            }
            for to in self.switch.forward(frame.from, &frame.bytes) {
                let counters = &mut counters[to];
                if self.line.is_plugged(to) {
                    self.ports[to].push(frame.bytes.clone(), counters);
                } else {
                    counters.cut += 1;
                }
            }
        }
        for (port, counters) in self.ports.iter_mut().zip(counters.iter_mut()) {
            port.flush(counters);
        }
    }
}

/// The way to a node.
struct Port {
    socket: UnixDatagram,
    emulator: PathBuf,
    waiting: VecDeque<Vec<u8>>,
}

impl Port {
    fn new(emulator: PathBuf) -> io::Result<Port> {
        let socket = UnixDatagram::unbound()?;
        // An emulator that stands still keeps nobody else waiting.
        socket.set_nonblocking(true)?;
        Ok(Port {
            socket,
            emulator,
            waiting: VecDeque::new(),
        })
    }

    fn push(&mut self, frame: Vec<u8>, counters: &mut Counters) {
        if self.waiting.len() < WAITING {
            self.waiting.push_back(frame);
        } else {
            counters.not_taken += 1;
        }
    }

    /// Hands on what waits, as far as the emulator takes it. What is for one that does not run is lost.
    fn flush(&mut self, counters: &mut Counters) {
        while let Some(frame) = self.waiting.front() {
            match self.socket.send_to(frame, &self.emulator) {
                Ok(length) => counters.received.count(length),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(_) => counters.not_taken += 1,
            }
            self.waiting.pop_front();
        }
    }
}

/// A folder for sockets, which nobody else can look into. It goes when it is dropped.
struct Folder(PathBuf);

impl Folder {
    fn new() -> io::Result<Folder> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let folder = reaper::file(&format!("{number}.wire"));
        // One of this name is left of a process that was killed.
        let _ = std::fs::remove_dir_all(&folder);
        std::fs::DirBuilder::new().mode(0o700).create(&folder)?;
        Ok(Folder(folder))
    }

    /// The switch's end of a node's cable.
    fn of_switch(&self, node: usize) -> PathBuf {
        self.0.join(format!("switch-{node}"))
    }

    /// The emulator's end of it.
    fn of_node(&self, node: usize) -> PathBuf {
        self.0.join(format!("node-{node}"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who stands for an emulator.
    struct Node {
        socket: UnixDatagram,
        switch: PathBuf,
    }

    impl Node {
        fn new(wire: &Wire, number: usize) -> Node {
            let socket = UnixDatagram::bind(wire.folder.of_node(number)).expect("a socket");
            let long = Some(Duration::from_secs(30));
            socket.set_read_timeout(long).expect("a time");
            let switch = wire.folder.of_switch(number);
            Node { socket, switch }
        }

        fn send(&self, frame: &[u8]) {
            self.socket
                .send_to(frame, &self.switch)
                .expect("the switch listens");
        }

        fn receive(&self) -> Vec<u8> {
            let mut frame = vec![0; 2048];
            let length = self.socket.recv(&mut frame).expect("a frame comes");
            frame.truncate(length);
            frame
        }
    }

    fn frame(to: u8, from: u8, number: u8) -> Vec<u8> {
        let mut frame = [2, 0, 0, 0, 0, to, 2, 0, 0, 0, 0, from, 8, 0].to_vec();
        frame.resize(60, number);
        frame
    }

    #[test]
    fn frames_come_to_the_node_that_they_are_for_and_are_counted() {
        let wire = Wire::new(3, Quality::default(), None).expect("sockets");
        let nodes = [0, 1, 2].map(|number| Node::new(&wire, number));
        nodes[0].send(&frame(1, 0, 7));
        assert_eq!(nodes[1].receive(), frame(1, 0, 7));
        assert_eq!(nodes[2].receive(), frame(1, 0, 7));
        for number in 0..100 {
            nodes[1].send(&frame(0, 1, number));
            assert_eq!(nodes[0].receive(), frame(0, 1, number));
        }
        let [first, second, third] = wire.counters()[..] else {
            panic!("three nodes");
        };
        assert_eq!((first.sent.frames, first.received.frames), (1, 100));
        assert_eq!((second.sent.bytes, second.received.bytes), (6000, 60));
        assert_eq!((third.sent.frames, third.received.on_ethernet), (0, 84));
    }

    #[test]
    fn a_node_that_does_not_run_or_does_not_listen_keeps_nobody_waiting() {
        let wire = Wire::new(3, Quality::default(), None).expect("sockets");
        let (first, silent) = (Node::new(&wire, 0), Node::new(&wire, 2));
        silent.send(&frame(9, 2, 0));
        first.receive();
        let many = 2 * WAITING as u64;
        for _ in 0..many {
            first.send(&frame(2, 0, 1));
        }
        first.send(&frame(1, 0, 2));
        let counted = || {
            let counters = wire.counters();
            let silent = counters[2];
            let all = silent.received.frames + silent.not_taken;
            // Two frames were for the one that does not run.
            (counters[1].not_taken == 2).then_some((all, silent.not_taken))
        };
        let begun = Instant::now();
        let mut found = None;
        while found.is_none() && begun.elapsed() < Duration::from_secs(30) {
            found = counted();
        }
        let (all, not_taken) = found.expect("the last one was handed on");
        // What its socket keeps, and what waits for it, is neither.
        assert!(not_taken > 0 && all <= many, "{all} {not_taken}");
    }

    #[test]
    fn a_node_begins_anew_at_its_old_place() {
        let wire = Wire::new(2, Quality::default(), None).expect("sockets");
        let first = Node::new(&wire, 0);
        drop(Node::new(&wire, 1));
        first.send(&frame(1, 0, 1));
        std::fs::remove_file(wire.folder.of_node(1)).expect("its socket");
        let second = Node::new(&wire, 1);
        // The first frame was lost, or is on its way.
        first.send(&frame(1, 0, 2));
        while second.receive() != frame(1, 0, 2) {}
    }

    #[test]
    fn nothing_is_left_of_a_wire() {
        let wire = Wire::new(2, Quality::default(), None).expect("sockets");
        let folder = wire.folder.0.clone();
        assert!(folder.exists());
        drop(wire);
        assert!(!folder.exists());
    }
}
