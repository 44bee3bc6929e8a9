//! Believes no server that says nothing, or less than it was asked.
#![no_std]

use core::net::{Ipv4Addr, SocketAddr};

use check::equal;
use embedded_io::Write;
use riposte::{Deadline, Duration, Instant, RegionHandle, Status};
use riposte_files::{FileError, Files, Options};
use riposte_names::{Changes, NameError, Names};
use riposte_network::{Network, NetworkError};
use riposte_pipe::{PipeError, Pipes};
use riposte_process::{Command, ProcessError, Processes};
use riposte_queue::{QueueError, Queues};
use riposte_shared_memory::{Object, SharedMemory, SharedMemoryError};

#[riposte::main]
fn main() {
    lists();
    numbers();
    writes();
    check::done();
}

/// Who goes through a list goes on where it says.
fn lists() {
    let names = Names::connect().unwrap();
    equal(
        "a list of names that does not go on is none",
        names.list("/", 0).map(drop),
        Err(NameError::Other(Status::OK)),
    );
    let processes = Processes::connect().unwrap();
    equal(
        "nor is one of processes",
        processes.list(0).map(drop),
        Err(ProcessError::Other(Status::OK)),
    );
    equal(
        "nor is one of programs",
        processes.programs(0).map(drop),
        Err(ProcessError::Other(Status::OK)),
    );
}

fn numbers() {
    let names = Names::connect().unwrap();
    equal(
        "an empty answer is no number of changes",
        names.watch(Changes::default(), Deadline::Immediate),
        Err(NameError::Other(Status::OK)),
    );
    let processes = Processes::connect().unwrap();
    equal(
        "nor is one a process",
        processes.spawn(&Command::new("program")),
        Err(ProcessError::Other(Status::OK)),
    );
    let queues = Queues::connect("queues").unwrap();
    equal(
        "nor is one a queue",
        queues.open("queue").map(drop),
        Err(QueueError::Other(Status::OK)),
    );
    let memory = SharedMemory::connect("shared-memory").unwrap();
    let object = Object {
        number: 1,
        size: 1,
        room: 1,
        region: RegionHandle::from_handle(0),
    };
    equal(
        "nor is one a size",
        memory.size(&object),
        Err(SharedMemoryError::Other(Status::OK)),
    );
}

fn writes() {
    let network = Network::connect("network").unwrap();
    let to = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 7);
    let mut stream = network.stream(to).unwrap();
    equal(
        "who writes all of something to a stream of which nothing is taken is told so",
        stream.write_all_until(b"bytes", Instant::now() + Duration::from_millis(10)),
        Err(NetworkError::Garbled),
    );
    equal(
        "and does not panic where a library does so",
        Write::write_all(&mut stream, b"bytes"),
        Err(NetworkError::Garbled),
    );
    let files = Files::connect("files").unwrap();
    let mut file = files.open("file", Options::new().write()).unwrap();
    equal(
        "nor of a file",
        file.write_all(b"bytes"),
        Err(FileError::Garbled),
    );
    equal("but of nothing nothing is taken", file.write(&[]), Ok(0));
    let pipes = Pipes::connect("pipes").unwrap();
    let mut writer = pipes.writer("pipe").unwrap();
    equal(
        "nor of a pipe",
        Write::write_all(&mut writer, b"bytes"),
        Err(PipeError::Garbled),
    );
}
