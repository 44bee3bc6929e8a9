//! How much of each thing there is: what can be counted is, the rest is used up.

use check::{equal, holds};
use riposte::abi::fault::reason;
use riposte::{Doing, println};
use riposte_files::Files;
use riposte_names::Names;
use riposte_pipe::Pipes;
use riposte_process::{Command, Ended};

use crate::{PROGRAMS, SERVERS, Soak, process_of};

/// Instances of all programs.
pub const INSTANCES: usize = 32;

/// The figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figures {
    /// What each instance can have, as it says: the processes that were asked, and their statuses.
    instances: [(u32, u32); INSTANCES],
    /// Instances that are free, of each program.
    free: [u32; PROGRAMS.len()],
    /// Threads of the programs that are not stopped.
    threads: u32,
    /// Names that there are.
    names: u32,
    /// Free blocks of the disk, and files that the judge may make.
    disk: [u32; 2],
    /// Connections that the judge can be given, and pipes' ends that it can open.
    own: [u32; 2],
}

/// Takes all of them. Nothing else runs.
pub fn count(soak: &mut Soak) -> Figures {
    let space = Files::connect("files").unwrap().space().unwrap();
    Figures {
        instances: instances(soak),
        free: free(soak),
        threads: threads(),
        names: names(),
        disk: [space.free, space.entries],
        own: own(),
    }
}

/// Says what each instance can have: in octal, two digits for each thing.
pub fn say(figures: &Figures) {
    for (process, status) in figures.instances {
        let name = riposte::name_of_process(process).unwrap_or_default();
        println!("{name}: {status:010o}");
    }
    let Figures {
        threads,
        names,
        disk,
        own,
        ..
    } = figures;
    println!("threads {threads}, names {names}, disk {disk:?}, judge {own:?}");
}

/// Says what is as it was, and what is not.
pub fn compare(before: &Figures, after: &Figures) {
    for (was, is) in before.instances.iter().zip(&after.instances) {
        if was != is {
            let name = riposte::name_of_process(was.0).unwrap_or_default();
            println!("{name}: {:o}, and was {:o}", is.1, was.1);
        }
    }
    let all = |figures: &Figures| figures.instances;
    holds(
        "each instance can have as much as at first of pipes, ends, names, connections, files, signals, children and threads",
        all(before) == all(after),
    );
    equal("all instances are free", after.free, before.free);
    equal("no thread is left", after.threads, before.threads);
    equal("no name is left", after.names, before.names);
    equal("the disk is as free", after.disk, before.disk);
    equal("and so is the judge", after.own, before.own);
}

/// Servers have ended when they were restarted, and at no other time. (Of each, that its last end was such.)
pub fn servers_have_ended(restarts: u32) {
    let (mut ends, mut as_told) = (0, true);
    for name in SERVERS {
        let process = (0..).find(|it| riposte::name_of_process(*it) == Some(name));
        let record = riposte::fault_record(process.unwrap_or(0)).unwrap();
        ends += record.count;
        as_told &= record.count == 0 || record.reason == reason::CONTROLLED;
    }
    equal(
        "servers end only when they are ended",
        (ends, as_told),
        (restarts, true),
    );
}

/// Has all instances of each program take what they can.
fn instances(soak: &mut Soak) -> [(u32, u32); INSTANCES] {
    let mut figures = [(0, 0); INSTANCES];
    let mut places = figures.iter_mut();
    for program in PROGRAMS {
        let mut children = [None; INSTANCES];
        let count = Command::new(program).argument("count");
        for child in &mut children {
            *child = soak.processes.spawn(&count).ok();
        }
        for child in children.into_iter().flatten() {
            let end = soak.processes.wait(child).unwrap();
            let place = places.next().unwrap();
            place.0 = process_of(child);
            match end.how {
                Ended::Exited(status) => place.1 = status,
                other => equal("one that counts ends by itself", other, Ended::Exited(0)),
            }
        }
    }
    figures
}

fn free(soak: &Soak) -> [u32; PROGRAMS.len()] {
    let mut free = [0; PROGRAMS.len()];
    let mut next = 0;
    for place in &mut free {
        let program = soak.processes.programs(next).unwrap().unwrap();
        *place = program.free;
        next = program.next;
    }
    free
}

fn threads() -> u32 {
    let processes = (0..255).filter(|process| {
        let name = riposte::name_of_process(*process).unwrap_or_default();
        PROGRAMS.iter().any(|it| name.starts_with(it))
    });
    let states = processes
        .flat_map(|process| (0..16).map_while(move |it| riposte::thread_state(process, it).ok()));
    states.filter(|state| state.doing != Doing::Stopped).count() as u32
}

fn names() -> u32 {
    let names = Names::connect().unwrap();
    let (mut count, mut next) = (0, 0);
    while let Some(listed) = names.list("/", next).unwrap() {
        count += 1;
        next = listed.next;
    }
    count
}

/// Connections, and ends of pipes.
fn own() -> [u32; 2] {
    let names = Names::connect().unwrap();
    let channel = riposte::channel("judge").unwrap();
    names.register("/judge", channel).unwrap();
    let mut connections = [const { None }; 64];
    let found = connections.iter_mut().map_while(|place| {
        *place = names.locate("/judge").ok();
        place.as_ref().map(drop)
    });
    let found = found.count() as u32;
    for found in connections.into_iter().flatten() {
        found.connection.close().unwrap();
    }
    names.unregister("/judge").unwrap();
    let pipes = Pipes::connect("pipes").unwrap();
    let mut ends = [const { None }; 8];
    let opened = ends.iter_mut().map_while(|place| {
        *place = pipes.reader("common").ok();
        place.as_ref().map(drop)
    });
    [found, opened.count() as u32]
}
