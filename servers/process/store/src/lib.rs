//! What the process manager keeps: who runs which program, whose child it is, how it has ended, and who may spawn what.
//!
//! Nothing here knows of messages or calls. A process is known by its number; an instance of a program is a process that
//! runs it at times. A step takes time with the number of all instances, or of the patterns of one process.
#![cfg_attr(not(test), no_std)]
#![forbid(unsafe_code)]

mod right;
#[cfg(test)]
mod tests;

use right::Rights;

/// Most instances of all programs together.
pub const INSTANCES: usize = 32;

/// Names a child, and none that comes after it: the number of its process, and which life of that it is. They count from 1,
/// so that no process that begins with the system is called so.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pid(pub u32);

/// Bits of a process's number.
const PROCESS_BITS: u32 = 8;

/// Lives of a process that have names of their own.
const LIVES: u32 = (1 << 24) - 2;

impl Pid {
    /// That of a process that has ended so often.
    #[must_use]
    pub const fn new(process: u8, ends: u32) -> Pid {
        // It is never 0, which means any child.
        Pid((Pid::life(ends) << PROCESS_BITS) + ((process as u32) + 1))
    }

    const fn life(ends: u32) -> u32 {
        ends % LIVES + 1
    }

    /// The number of its process.
    #[must_use]
    pub const fn process(self) -> u32 {
        self.0.wrapping_sub(1) & ((1 << PROCESS_BITS) - 1)
    }

    /// Whether a process that has ended so often now has ended as this child.
    #[must_use]
    pub const fn has_ended(self, ends: u32) -> bool {
        self.0.wrapping_sub(1) >> PROCESS_BITS != Pid::life(ends)
    }
}

/// Why something is not done; nothing has changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refused {
    /// There is no such program.
    NoSuchProgram,
    /// The process may not do that.
    NotAllowed,
    /// All instances of the program are in use.
    NoInstance,
    /// The process has as many children as it may.
    TooManyChildren,
    /// The process has no such child.
    NoSuchChild,
    /// No such program runs, or none that the process may see.
    NoSuchProcess,
    /// It has not ended yet.
    NotYet,
}

/// How a child has ended: as the kernel's record says, and with which signal, if its manager ended it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Why.
    pub reason: u32,
    /// The exit status, or what was touched.
    pub status: u32,
    /// The signal by which it was ended, or 0.
    pub signal: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Child {
    pid: Pid,
    /// For whom it counts: who has spawned it, even if it is nobody's child.
    by: Option<u8>,
    parent: Option<u8>,
    /// Its manager is ending it, because of this signal.
    signal: u8,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Nobody's.
    Free,
    Lives(Child),
    /// Its parent has not waited for it yet.
    Ended(Child, End),
}

#[derive(Clone, Copy)]
struct Instance {
    process: u8,
    program: &'static str,
    state: State,
}

/// What there is to know of a child.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Where the list goes on.
    pub next: usize,
    /// Its name for others.
    pub pid: Pid,
    /// Its process.
    pub process: u8,
    /// Whose child it is, if that has not ended.
    pub parent: Option<u8>,
    /// It has ended, and its parent has not waited for it yet.
    pub has_ended: bool,
    /// What it runs.
    pub program: &'static str,
}

/// A program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Program {
    /// Where the list goes on.
    pub next: usize,
    /// Its name.
    pub name: &'static str,
    /// How often it can run at once.
    pub instances: usize,
    /// How many of these are nobody's.
    pub free: usize,
}

/// All instances, and who may spawn what.
pub struct Children {
    instances: [Instance; INSTANCES],
    count: usize,
    rights: Rights,
}

impl Children {
    /// Without an instance.
    #[must_use]
    pub const fn new() -> Self {
        const NONE: Instance = Instance {
            process: 0,
            program: "",
            state: State::Free,
        };
        Self {
            instances: [NONE; INSTANCES],
            count: 0,
            rights: Rights::new(),
        }
    }

    fn all(&self) -> &[Instance] {
        self.instances.get(..self.count).unwrap_or_default()
    }

    fn all_mut(&mut self) -> &mut [Instance] {
        self.instances.get_mut(..self.count).unwrap_or_default()
    }

    /// `process` is an instance of `program`. Those of a program come together. Its place, if there was room.
    pub fn add(&mut self, process: u8, program: &'static str) -> Option<usize> {
        let place = self.instances.get_mut(self.count)?;
        *place = Instance {
            process,
            program,
            state: State::Free,
        };
        self.count += 1;
        Some(self.count - 1)
    }

    /// Lets a process spawn the programs that `pattern` means: a name, or the beginning of some and `*`. It may have
    /// `most` children at once. Whether there was room.
    pub fn allow(&mut self, process: u8, most: u8, pattern: &'static str) -> bool {
        self.rights.allow(process, most, pattern)
    }

    /// A program runs that nobody here has spawned: it is nobody's child.
    pub fn adopt(&mut self, place: usize, pid: Pid) {
        self.put(
            place,
            Child {
                pid,
                by: None,
                parent: None,
                signal: 0,
            },
        );
    }

    fn put(&mut self, place: usize, child: Child) {
        if let Some(instance) = self.all_mut().get_mut(place) {
            instance.state = State::Lives(child);
        }
    }

    /// Where `parent` can have `program` run.
    ///
    /// # Errors
    /// [`Refused::NoSuchProgram`], [`Refused::NotAllowed`], [`Refused::TooManyChildren`], [`Refused::NoInstance`].
    pub fn place(&self, parent: u8, program: &[u8]) -> Result<usize, Refused> {
        let is_it = |instance: &&Instance| instance.program.as_bytes() == program;
        let first = self
            .all()
            .iter()
            .find(is_it)
            .ok_or(Refused::NoSuchProgram)?;
        let most = self.rights.most(parent, first.program);
        let most = most.ok_or(Refused::NotAllowed)?;
        let own = self.all().iter().filter(|it| it.counts_for(parent));
        if own.count() >= most.into() {
            return Err(Refused::TooManyChildren);
        }
        let free = |instance: &Instance| {
            instance.state == State::Free && instance.program == first.program
        };
        let place = self.all().iter().position(free);
        place.ok_or(Refused::NoInstance)
    }

    /// What [`Children::place`] has found for `by` runs now, as its child; or `detached`, as nobody's.
    pub fn begin(&mut self, place: usize, pid: Pid, by: u8, detached: bool) {
        self.put(
            place,
            Child {
                pid,
                by: Some(by),
                parent: (!detached).then_some(by),
                signal: 0,
            },
        );
    }

    /// The process of that number has ended so often now, at last so. Which child that was, and whose.
    pub fn end(&mut self, process: u8, ends: u32, end: End) -> Option<(Pid, Option<u8>)> {
        let instance = self.all_mut().iter_mut().find(|it| it.process == process)?;
        let State::Lives(child) = instance.state else {
            return None;
        };
        // It may be about a life before this one.
        if !child.pid.has_ended(ends) {
            return None;
        }
        let end = End {
            signal: child.signal,
            ..end
        };
        instance.state = match child.parent {
            Some(_) => State::Ended(child, end),
            None => State::Free,
        };
        Some((child.pid, child.parent))
    }

    /// How a child of `parent` has ended: that of this name, or any.
    ///
    /// # Errors
    /// [`Refused::NoSuchChild`]; [`Refused::NotYet`] if none has ended.
    pub fn ended(&self, parent: u8, wanted: Option<Pid>) -> Result<(Pid, End), Refused> {
        let is_wanted = |instance: &&Instance| {
            let pid = instance.pid();
            instance.is_child_of(parent) && (wanted.is_none() || pid == wanted)
        };
        let mut refused = Refused::NoSuchChild;
        for instance in self.all().iter().filter(is_wanted) {
            if let State::Ended(child, end) = instance.state {
                return Ok((child.pid, end));
            }
            refused = Refused::NotYet;
        }
        Err(refused)
    }

    /// The parent of a child that has ended knows so: nothing is left of it.
    pub fn forget(&mut self, pid: Pid) {
        let has_ended =
            |it: &&mut Instance| matches!(it.state, State::Ended(child, _) if child.pid == pid);
        if let Some(instance) = self.all_mut().iter_mut().find(has_ended) {
            instance.state = State::Free;
        }
    }

    /// `parent` has ended: its children are nobody's.
    pub fn leave(&mut self, parent: u8) {
        for instance in self.all_mut() {
            match &mut instance.state {
                State::Lives(child) if child.parent == Some(parent) => child.parent = None,
                State::Ended(child, _) if child.parent == Some(parent) => {
                    instance.state = State::Free;
                }
                _ => {}
            }
        }
    }

    /// Where the program with this name runs, which `process` may send signals to and end: its parent may; who may spawn
    /// it may when it has none.
    ///
    /// # Errors
    /// [`Refused::NoSuchProcess`] if it does not run, [`Refused::NotAllowed`].
    pub fn target(&self, process: u8, pid: Pid) -> Result<usize, Refused> {
        let is_it = |instance: &Instance| match instance.state {
            State::Lives(child) => child.pid == pid,
            _ => false,
        };
        let place = self.all().iter().position(is_it);
        let place = place.ok_or(Refused::NoSuchProcess)?;
        let instance = self.all().get(place).ok_or(Refused::NoSuchProcess)?;
        let may = match instance.parent() {
            Some(parent) => parent == process,
            None => self.rights.most(process, instance.program).is_some(),
        };
        if may {
            Ok(place)
        } else {
            Err(Refused::NotAllowed)
        }
    }

    /// What runs in this place is being ended because of `signal`.
    pub fn is_ended_by(&mut self, place: usize, signal: u8) {
        if let Some(instance) = self.all_mut().get_mut(place)
            && let State::Lives(child) = &mut instance.state
        {
            child.signal = signal;
        }
    }

    /// Where this process runs a program.
    #[must_use]
    pub fn of(&self, process: u8) -> Option<usize> {
        let runs = |it: &Instance| it.process == process && matches!(it.state, State::Lives(_));
        self.all().iter().position(runs)
    }

    /// Who has spawned what this process runs: the name of that one if it is a child itself, else its number and 1; 0 if
    /// there is none any more. None of a process that nobody has spawned.
    #[must_use]
    pub fn parent(&self, process: u8) -> Option<u32> {
        let runs = |process: u8| self.all().get(self.of(process)?);
        let Some(parent) = runs(process)?.parent() else {
            return Some(0);
        };
        let own = runs(parent).and_then(Instance::pid);
        Some(own.map_or(u32::from(parent) + 1, |pid| pid.0))
    }

    /// The first child from this place on that runs what `process` may spawn.
    #[must_use]
    pub fn list(&self, process: u8, from: usize) -> Option<Listed> {
        let all = self.all().iter().enumerate().skip(from);
        let mut seen = all.filter(|(_, it)| self.rights.most(process, it.program).is_some());
        seen.find_map(|(place, instance)| {
            Some(Listed {
                next: place + 1,
                pid: instance.pid()?,
                process: instance.process,
                parent: instance.parent(),
                has_ended: matches!(instance.state, State::Ended(..)),
                program: instance.program,
            })
        })
    }

    /// The first program from this place on that `process` may spawn.
    #[must_use]
    pub fn program(&self, process: u8, from: usize) -> Option<Program> {
        let rest = self.all().get(from..)?;
        let may = |it: &&Instance| self.rights.most(process, it.program).is_some();
        let name = rest.iter().find(may)?.program;
        let is_it = |it: &&Instance| it.program == name;
        let all = || self.all().iter().filter(is_it);
        let first = self.all().iter().position(|it| it.program == name)?;
        Some(Program {
            next: first + all().count(),
            name,
            instances: all().count(),
            free: all().filter(|it| it.state == State::Free).count(),
        })
    }
}

impl Default for Children {
    fn default() -> Self {
        Self::new()
    }
}

impl Instance {
    fn child(&self) -> Option<&Child> {
        match &self.state {
            State::Free => None,
            State::Lives(child) | State::Ended(child, _) => Some(child),
        }
    }

    fn pid(&self) -> Option<Pid> {
        self.child().map(|child| child.pid)
    }

    fn parent(&self) -> Option<u8> {
        self.child().and_then(|child| child.parent)
    }

    fn is_child_of(&self, parent: u8) -> bool {
        self.parent() == Some(parent)
    }

    fn counts_for(&self, process: u8) -> bool {
        self.child().is_some_and(|child| child.by == Some(process))
    }
}
