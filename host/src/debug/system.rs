//! What the threads of a stopped board are doing, by the kernel's memory.

use crate::board::{Architecture, Board};
use crate::build::Image;
use crate::layout::{Layouts, Variants};
use crate::plan::Region;

use super::target::Memory;

/// Where the kernel keeps what a debugger asks for.
pub struct System<'a> {
    image: &'a Image,
    board: &'a Board,
    threads: Table,
    processes: Table,
    channels: Table,
    /// The address of the running thread's address.
    current: u32,
    of: Offsets,
}

/// An array in the kernel's memory.
#[derive(Clone, Copy)]
struct Table {
    base: u32,
    /// Bytes of an element.
    size: u32,
    count: u32,
}

impl Table {
    /// The one called `name`, which has `count` elements at least.
    fn new(image: &Image, name: &str, count: usize) -> Option<Table> {
        let (base, all) = image.kernel.static_at(name)?;
        let count = u32::try_from(count).ok()?;
        Some(Table {
            base,
            size: all.checked_div(count)?,
            count,
        })
    }

    fn region(self) -> Region {
        Region {
            base: self.base,
            size: self.size * self.count,
        }
    }

    /// The element at this address.
    fn index(self, address: u32) -> Option<usize> {
        let offset = address.checked_sub(self.base)?;
        let is_one = offset % self.size == 0 && offset / self.size < self.count;
        is_one.then_some((offset / self.size) as usize)
    }

    fn element(self, bytes: &[u8], index: usize) -> Option<&[u8]> {
        bytes.chunks(self.size as usize).nth(index)
    }
}

/// An enumeration, and where it is.
type Enumeration = Option<(u32, Variants)>;

/// Where members lie. Those that this kernel does without are `None`.
#[cfg_attr(test, derive(Default))]
struct Offsets {
    registers: u32,
    frame: u32,
    resume: u32,
    protection: u32,
    stopped: u32,
    waiting: u32,
    sleeping: u32,
    server: u32,
    sending: u32,
    bound: u32,
    priority: u32,
    word: Enumeration,
    joining: Option<u32>,
    signals: Enumeration,
    waiting_receiver: u32,
    alive: u32,
    held: u32,
    context: Option<Context>,
}

/// The same of what the port for RISC-V keeps.
#[cfg_attr(test, derive(Default))]
struct Context {
    pointers: u32,
    saved: u32,
    whole: u32,
}

impl Offsets {
    fn new(layouts: &Layouts, board: &Board) -> Option<Offsets> {
        let thread = |path: &[&str]| layouts.offset("Thread", path);
        let process = |path: &[&str]| layouts.offset("Process", path);
        let context = |name| layouts.offset("Context", &[name]);
        let of_context = || {
            Some(Context {
                pointers: context("pointers")?,
                saved: context("saved")?,
                whole: context("whole")?,
            })
        };
        Some(Offsets {
            registers: thread(&["registers"])?,
            frame: thread(&["frame"])?,
            resume: thread(&["resume"])?,
            protection: thread(&["protection"])?,
            stopped: thread(&["stopped"])?,
            waiting: thread(&["waiting"])?,
            sleeping: thread(&["sleeping"])?,
            server: thread(&["server"])?,
            sending: thread(&["sending"])?,
            bound: thread(&["bound"])?,
            priority: thread(&["priority"])?,
            word: layouts.variants("Thread", &["place", "wait"]),
            joining: thread(&["start", "joining"]),
            signals: layouts.variants("Thread", &["signals", "waits"]),
            waiting_receiver: layouts.offset("Channel", &["waiting_receiver"])?,
            alive: process(&["alive"])?,
            held: process(&["held"])?,
            context: match board.arch {
                Architecture::Armv7m => None,
                Architecture::Riscv => Some(of_context()?),
            },
        })
    }
}

/// A thread of a process.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// Its process, in manifest order.
    pub process: usize,
    /// `PROCESS/THREAD`, as the manifest names them.
    pub name: String,
    /// What it is doing, and what it waits for.
    pub state: String,
    /// Whether there is something of it to look at.
    pub exists: bool,
}

/// The kernel's memory at one moment.
pub struct Moment {
    threads: Vec<u8>,
    processes: Vec<u8>,
    channels: Vec<u8>,
    current: u32,
}

/// The registers that are in the core of gdb's description, in its order; `None` of what is not known.
pub type Registers = Vec<Option<u32>>;

impl<'a> System<'a> {
    /// That of an image; `None` if its kernel has no debug information.
    #[must_use]
    pub fn new(image: &'a Image, board: &'a Board) -> Option<System<'a>> {
        let processes = &image.plan.processes;
        let threads: usize = processes.iter().map(|it| it.threads.len()).sum();
        // The last ones are the kernel's own.
        let table = |name, count| Table::new(image, name, count);
        Some(System {
            image,
            board,
            threads: table("THREADS", threads + 1)?,
            processes: table("PROCESSES", processes.len() + 1)?,
            channels: table("CHANNELS", image.plan.channels.len().max(1)).unwrap_or(Table {
                base: 0,
                size: 1,
                count: 0,
            }),
            current: image.kernel.symbol("__kernel_stack_top")?,
            of: Offsets::new(&Layouts::read(&image.kernel.file), board)?,
        })
    }

    /// The kernel's memory as it is now.
    ///
    /// # Errors
    /// If the emulator does not tell.
    pub fn look(&self, memory: &mut impl Memory) -> miette::Result<Moment> {
        let mut read = |table: Table| memory.read(table.region());
        Ok(Moment {
            threads: read(self.threads)?,
            processes: read(self.processes)?,
            channels: read(self.channels)?,
            current: memory.word(self.current)?,
        })
    }

    /// The index of the running thread, and its process; `None` if that is the kernel's own.
    ///
    /// # Errors
    /// If the emulator does not tell.
    pub fn running(&self, memory: &mut impl Memory) -> miette::Result<Option<(usize, usize)>> {
        let index = self.threads.index(memory.word(self.current)?);
        let places = self.places();
        Ok(index.and_then(|index| Some((index, places.get(index)?.0))))
    }

    /// Whether an address is the kernel's code.
    #[must_use]
    pub fn is_kernel(&self, counter: u32) -> bool {
        let layout = &self.image.layout;
        let holds =
            |region: Region| (u64::from(region.base)..region.end()).contains(&u64::from(counter));
        holds(layout.kernel_flash) || holds(layout.kernel_text)
    }

    /// The first instructions of the processes.
    pub fn entries(&self) -> impl Iterator<Item = u32> {
        let threads = self.image.plan.processes.iter();
        threads.map(|process| process.threads[0].entry & !1)
    }

    /// All threads of processes, in the kernel's order.
    #[must_use]
    pub fn threads(&self, moment: &Moment) -> Vec<Thread> {
        let places = self.places();
        let threads = places.iter().enumerate().map(|(index, &(process, name))| {
            let [state, priority] = self
                .state(moment, index, process)
                .unwrap_or(["unknown".into(), String::new()]);
            let exists = !matches!(&*state, "stopped" | "unknown");
            Thread {
                process,
                name: format!("{}/{name}", self.image.plan.processes[process].name),
                state: state + &priority,
                exists,
            }
        });
        threads.collect()
    }

    /// The process and the name of each thread.
    fn places(&self) -> Vec<(usize, &str)> {
        let processes = self.image.plan.processes.iter().enumerate();
        let threads = processes.flat_map(|(process, it)| {
            let threads = it.threads.iter();
            threads.map(move |thread| (process, &*thread.name))
        });
        threads.collect()
    }

    /// What a thread is doing, as the kernel itself would say, and at which priority.
    fn state(&self, moment: &Moment, index: usize, process: usize) -> Option<[String; 2]> {
        let thread = self.threads.element(&moment.threads, index)?;
        let of_process = self.processes.element(&moment.processes, process)?;
        let address = self.threads.base + index as u32 * self.threads.size;
        let of = &self.of;
        let held = self.is_held(moment, process);
        let priority = *thread.get(of.priority as usize)?;
        let bound = word(thread, of.bound)?;
        let receiver = self.channels.index(bound).and_then(|index| {
            let channel = self.channels.element(&moment.channels, index)?;
            word(channel, of.waiting_receiver)
        });
        let is = |it: &Enumeration, nothing| {
            it.as_ref()
                .and_then(|(offset, it)| it.of(thread.get(*offset as usize..)?))
                .is_some_and(|variant| variant != nothing)
        };
        let joining = of.joining.and_then(|at| word(thread, at)).unwrap_or(0);
        let (server, sending) = (word(thread, of.server)?, word(thread, of.sending)?);
        let state = if flag(thread, of.stopped)? || !flag(of_process, of.alive)? {
            "stopped".into()
        } else if server != 0 {
            format!("waits for the reply of {}", self.name(server))
        } else if sending != 0 {
            format!("waits to be received at {}", self.channel(sending))
        } else if flag(thread, of.waiting)? || receiver == Some(address) {
            format!("waits for a message at {}", self.channel(bound))
        } else if is(&of.word, "None") {
            "waits at a word of memory, or for a lock".into()
        } else if joining != 0 {
            format!("waits for the end of {}", self.name(joining))
        } else if flag(thread, of.sleeping)? {
            "sleeps".into()
        } else if is(&of.signals, "Nothing") {
            "waits for a signal".into()
        } else if moment.current == address {
            "runs".into()
        } else {
            "ready".into()
        };
        let state = match (held, &*state) {
            (false, _) => state,
            (true, "ready" | "runs") => "held".into(),
            (true, _) => format!("held, {state}"),
        };
        Some([state, format!(", priority {priority}")])
    }

    /// Whether the kernel holds a process where it fell.
    #[must_use]
    pub fn is_held(&self, moment: &Moment, process: usize) -> bool {
        let process = self.processes.element(&moment.processes, process);
        let has = |offset| process.and_then(|it| flag(it, offset)) == Some(true);
        has(self.of.held) && has(self.of.alive)
    }

    /// The thread at this address.
    fn name(&self, address: u32) -> String {
        let places = self.places();
        let place = self.threads.index(address).and_then(|it| places.get(it));
        place.map_or("an unknown thread".into(), |(process, thread)| {
            format!("{}/{thread}", self.image.plan.processes[*process].name)
        })
    }

    /// The channel at this address, as its owner and its clients name it.
    fn channel(&self, address: u32) -> String {
        let index = self.channels.index(address);
        let channel = index.and_then(|index| self.image.plan.channels.get(index));
        channel.map_or("no channel".into(), |channel| {
            let owner = &self.image.plan.processes[channel.owner].name;
            format!("{owner}'s channel {}", channel.name)
        })
    }

    /// Where a thread goes on.
    ///
    /// # Errors
    /// If the emulator does not tell.
    pub fn counter(
        &self,
        moment: &Moment,
        index: usize,
        memory: &mut impl Memory,
    ) -> miette::Result<Option<u32>> {
        let registers = self.registers(moment, index, memory)?;
        Ok(registers.get(self.counter_register()).copied().flatten())
    }

    /// The number of the program counter.
    #[must_use]
    pub fn counter_register(&self) -> usize {
        match self.board.arch {
            Architecture::Armv7m => 15,
            Architecture::Riscv => 32,
        }
    }

    /// The bytes of the instruction with which a program calls the kernel.
    #[must_use]
    pub fn call_bytes(&self) -> u32 {
        match self.board.arch {
            Architecture::Armv7m => 2,
            Architecture::Riscv => 4,
        }
    }

    /// The registers of a thread that does not run: those with which it goes on.
    ///
    /// # Errors
    /// If the emulator does not tell.
    pub fn registers(
        &self,
        moment: &Moment,
        index: usize,
        memory: &mut impl Memory,
    ) -> miette::Result<Registers> {
        let Some(thread) = self.threads.element(&moment.threads, index) else {
            return Ok(vec![]);
        };
        let at = |offset| word(thread, offset).unwrap_or(0);
        let message: Vec<u32> = (0..riposte_abi::register::COUNT as u32)
            .map(|position| at(self.of.registers + position * 4))
            .collect();
        let (frame, resume) = (at(self.of.frame), at(self.of.resume));
        match &self.of.context {
            None => Ok(armv7m(frame, resume, &message, memory)),
            Some(of) => riscv(
                of,
                at(self.of.protection),
                (frame, resume),
                &message,
                memory,
            ),
        }
    }

    /// The registers with which the kernel begins at the next call: its stack is empty while a process runs.
    ///
    /// # Errors
    /// If the emulator does not tell.
    pub fn kernel_registers(&self, memory: &mut impl Memory) -> miette::Result<Registers> {
        let stack = Some(self.current);
        Ok(match self.board.arch {
            Architecture::Armv7m => {
                let entry = memory.word(self.board.flash.base + CALL_VECTOR)?;
                let mut registers = vec![None; REGISTERS];
                (registers[13], registers[15]) = (stack, Some(entry & !1));
                registers[16] = Some(THUMB);
                registers
            }
            Architecture::Riscv => {
                let mut registers = vec![None; 33];
                (registers[0], registers[2]) = (Some(0), stack);
                registers[32] = self.image.kernel.symbol("riposte_system_call");
                registers
            }
        })
    }

    /// The root of the page tables through which a process sees its memory, where it has some.
    ///
    /// # Errors
    /// If the emulator does not tell.
    pub fn space(
        &self,
        moment: &Moment,
        process: usize,
        memory: &mut impl Memory,
    ) -> miette::Result<Option<u32>> {
        if !self.translates() {
            return Ok(None);
        }
        let first = self.places().iter().position(|it| it.0 == process);
        let thread = first.and_then(|it| self.threads.element(&moment.threads, it));
        let context = thread.and_then(|it| word(it, self.of.protection));
        let Some((context, of)) = context.zip(self.of.context.as_ref()) else {
            return Ok(None);
        };
        // What is written to `satp` follows the pointers.
        let satp = memory.word(context.wrapping_add(of.pointers + 8))?;
        Ok(Some((satp & 0x003F_FFFF) << 12))
    }

    /// Whether each process sees its memory elsewhere than it lies.
    #[must_use]
    pub fn translates(&self) -> bool {
        self.board.protection.translates()
    }

    /// The processes of the system.
    #[must_use]
    pub fn image(&self) -> &Image {
        self.image
    }
}

#[cfg(test)]
impl<'a> System<'a> {
    /// That of an image that was never linked, all of whose tables lie at 0, and so do all their members.
    pub fn pretended(image: &'a Image, board: &'a Board) -> System<'a> {
        let table = |count| Table {
            base: 0,
            size: 64,
            count,
        };
        let threads = image.plan.processes.iter().map(|it| it.threads.len());
        System {
            image,
            board,
            threads: table(threads.sum::<usize>() as u32),
            processes: table(image.plan.processes.len() as u32),
            channels: table(0),
            current: 0,
            of: Offsets {
                context: match board.arch {
                    Architecture::Armv7m => None,
                    Architecture::Riscv => Some(Context::default()),
                },
                ..Offsets::default()
            },
        }
    }
}

/// Where the vector of calls is in the table of a Cortex-M, and what the status says of Thumb code.
const CALL_VECTOR: u32 = 11 * 4;
const THUMB: u32 = 1 << 24;

/// Registers of a Cortex-M: r0 to r12, sp, lr, pc and xpsr.
const REGISTERS: usize = 17;
/// Words that the processor pushes: r0 to r3, r12, lr, pc and xpsr.
const PUSHED: u32 = 8;

fn armv7m(frame: u32, resume: u32, message: &[u32], memory: &mut impl Memory) -> Registers {
    // With registers of the FPU behind them, unless the fourth bit is set; and a word where the stack was not aligned.
    let size = if resume & 0x10 == 0 { 104 } else { PUSHED * 4 };
    // Where a process puts its stack pointer is its own affair: it may be at the end of memory, or where there is none.
    let mut word = |address: u32| memory.word(address).ok();
    let pushed = (0..PUSHED).map(|index| word(frame.wrapping_add(index * 4)));
    let pushed: Option<Vec<u32>> = pushed.collect();
    let Some([r0, r1, r2, r3, r12, lr, pc, xpsr]) = pushed.as_deref() else {
        let mut registers = vec![None; REGISTERS];
        registers[13] = Some(frame.wrapping_add(size));
        return registers;
    };
    let aligned = if xpsr & 0x200 == 0 { 0 } else { 4 };
    let sp = frame.wrapping_add(size + aligned);
    let mut registers = vec![*r0, *r1, *r2, *r3];
    registers.extend(message);
    registers.extend([*r12, sp, *lr, *pc, *xpsr]);
    let mut registers: Registers = registers.into_iter().map(Some).collect();
    if is_in_stub(*pc, memory) {
        // A call carries its message in r6 and r7: the stub has pushed what the program has there, and brings it back.
        registers[6] = memory.word(sp).ok();
        registers[7] = memory.word(sp.wrapping_add(4)).ok();
    }
    registers
}

/// `push {r6, r7}` and `svc 0`.
const PUSH: u16 = 0xB4C0;
const CALL: u16 = 0xDF00;
/// So many half words before the call a stub may push.
const STUB: u32 = 8;

/// Whether a thread that goes on at `pc` is in the stub of a call. Where there is no code there is none.
fn is_in_stub(pc: u32, memory: &mut impl Memory) -> bool {
    let size = 2 * (STUB + 1);
    let base = pc.saturating_sub(size);
    let Ok(code) = memory.read(Region { base, size }) else {
        return false;
    };
    let halves = code.chunks(2).map(|it| u16::from_le_bytes([it[0], it[1]]));
    let halves: Vec<u16> = halves.collect();
    let (last, before) = halves.split_last().expect("there are some");
    *last == CALL && before.contains(&PUSH)
}

/// The registers that [`Context`] keeps, by number.
const SAVED: [usize; 20] = [
    1, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 26, 27, 28, 29, 30, 31,
];
/// Those of them that a call leaves there; nobody needs the others any more.
const KEPT: [usize; 2] = [8, 9];
/// The first register of the message.
const MESSAGE: usize = 18;

fn riscv(
    of: &Context,
    context: u32,
    (sp, pc): (u32, u32),
    message: &[u32],
    memory: &mut impl Memory,
) -> miette::Result<Registers> {
    let mut registers: Registers = vec![None; 33];
    registers[0] = Some(0);
    registers[2] = Some(sp);
    // What a core says may lie anywhere.
    let mut at = |offset: u32| memory.word(context.wrapping_add(offset));
    registers[3] = Some(at(of.pointers)?);
    registers[4] = Some(at(of.pointers + 4)?);
    let is_whole = at(of.whole)? != 0;
    for (position, register) in SAVED.into_iter().enumerate() {
        if is_whole || KEPT.contains(&register) {
            registers[register] = Some(at(of.saved + position as u32 * 4)?);
        }
    }
    if is_whole {
        for (position, value) in message.iter().enumerate() {
            registers[MESSAGE + position] = Some(*value);
        }
    }
    registers[32] = Some(pc);
    Ok(registers)
}

fn flag(bytes: &[u8], offset: u32) -> Option<bool> {
    Some(*bytes.get(offset as usize)? != 0)
}

fn word(bytes: &[u8], offset: u32) -> Option<u32> {
    let bytes = bytes.get(offset as usize..)?.get(..4)?;
    Some(u32::from_le_bytes(bytes.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    use crate::machine::Kept;

    /// Memory of which any piece holds the same half words over and over.
    struct Full([u8; 4]);

    impl Memory for Full {
        fn read(&mut self, region: Region) -> miette::Result<Vec<u8>> {
            let bytes = self.0.iter().copied().cycle();
            Ok(bytes.take(region.size as usize).collect())
        }
    }

    #[test]
    fn registers_are_told_wherever_a_process_has_put_its_stack_pointer() {
        const CALL_AND_PUSH: [u8; 4] = [0x00, 0xDF, 0xC0, 0xB4];
        for (frame, resume, held, sp) in [
            // The end of memory is in what the processor pushes, with registers of the FPU;
            (0xFFFF_FFF0, 0, [0; 4], 0x58),
            // and in what a stub pushes.
            (0xFFFF_FFD8, 0x10, CALL_AND_PUSH, 0xFFFF_FFFC),
        ] {
            let message = [0; riposte_abi::register::COUNT];
            let registers = armv7m(frame, resume, &message, &mut Full(held));
            assert_eq!(registers[13], Some(sp), "{frame:#x}");
        }
    }

    #[test]
    fn what_is_known_of_a_thread_is_told_though_its_code_or_its_stack_is_not_there() {
        const FRAME: u32 = 0x2000_0000;
        const WHOLE: u32 = 0x10;
        let message = [4; riposte_abi::register::COUNT];
        let words = |words: &[u32]| words.iter().flat_map(|it| it.to_le_bytes()).collect();
        let frame = |pc| (FRAME, words(&[0, 1, 2, 3, 12, 14, pc, THUMB]));
        let told = |memory| {
            let registers = vec![];
            armv7m(FRAME, WHOLE, &message, &mut Kept { registers, memory })
        };
        // It has jumped to what is nothing.
        let registers = told(vec![frame(0x3000_0000)]);
        assert_eq!(registers[..4], [0, 1, 2, 3].map(Some));
        assert_eq!(registers[4..12], [Some(4); 8]);
        let end = [12, FRAME + 32, 14, 0x3000_0000, THUMB].map(Some);
        assert_eq!(registers[12..], end);
        // It calls the kernel, and behind its frame there is no memory.
        let stub = [&[0xC0, 0xB4].repeat(STUB as usize)[..], &[0x00, 0xDF]].concat();
        let registers = told(vec![frame(18), (0, stub)]);
        assert_eq!(registers[4..8], [Some(4), Some(4), None, None]);
        assert_eq!(registers[15], Some(18));
        // Its frame could not be pushed.
        let mut expected = vec![None; REGISTERS];
        expected[13] = Some(FRAME + 32);
        assert_eq!(told(vec![]), expected);
    }
}
