//! What the kernel asks of the machine it runs on.

use core::cell::Cell;

use riposte_abi::{fault::REGISTERS, signal::frame};

use crate::{Known, Readable, Thread, Upcall, Writable};

/// Where the extra registers `x2` and `x3` of a thread are while it is in a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Room {
    /// The kernel keeps them.
    Kept(u32, u32),
    /// They are two words at this address of the thread's stack. They were stored there with the rights that
    /// the process had then: it may have parted with that memory since. (Not where addresses are translated.)
    OnStack(u32),
}

/// An interrupt waits ([`Port::interrupted`]) before an answer is known: the call is to come again.
pub(crate) struct Interrupted;

/// A processor family under the kernel. The host's tests implement it over plain vectors.
pub trait Port {
    /// Copies `from` to `to`, which have the same length, from the first byte on. Returns how many
    /// bytes were copied: all, or, if an interrupt waits by then, at least one and a multiple of four.
    /// It looks for interrupts after each [`crate::CHUNK`], or as many fewer bytes as take as long.
    /// What becomes of a range that overlaps the other is its process's own business.
    fn copy(&self, from: Readable, to: Writable) -> u32;

    /// Copies `from` to `to`, which have the same length, at most [`crate::CHUNK`]: all of it,
    /// whatever waits.
    fn copy_short(&self, from: Readable, to: Writable);

    /// Copies checked user bytes into the kernel. `to` is as long as `from`.
    fn fetch(&self, from: Readable, to: &mut [u8]);

    /// Copies kernel bytes to checked user memory. `from` is as long as `to`.
    fn store(&self, from: &[Cell<u8>], to: Writable);

    /// The aligned word of user memory that `from` is.
    fn word(&self, from: Readable) -> u32 {
        let mut bytes = [0; 4];
        self.fetch(from, &mut bytes);
        u32::from_le_bytes(bytes)
    }

    /// Sets the aligned word of user memory that `to` is, in one step as processes see it.
    fn set_word(&self, to: Writable, value: u32) {
        self.store(&value.to_le_bytes().map(Cell::new), to);
    }

    /// Extra register `x0` to `x4` of a thread that is in a system call.
    fn extra(&self, thread: &Thread, index: usize) -> u32;

    /// Extra registers `x2` and `x3`: where a thread that is in a call, perhaps a blocked one, wants bytes.
    fn room(&self, thread: &Thread) -> Room;

    /// Writes what is `known` of the registers of a thread that has stopped its process into its fault record, where
    /// all are 0.
    fn registers(&self, thread: &Thread, known: Known, to: &[Cell<u32>; REGISTERS]);

    /// From where down nothing of a suspended thread lies on its stack.
    fn stack_below(&self, thread: &Thread) -> u32;

    /// Bytes that the handler of a signal takes of the stack of a suspended thread at its beginning: below its stack
    /// pointer, and above what the kernel keeps there.
    fn upcall_room(&self, thread: &Thread) -> (u32, u32);

    /// Saves all that a suspended thread goes on with, and has it go on with `upcall` instead. The range is as long as
    /// [`Port::upcall_room`] says: below the stack pointer, the kernel's words, and above.
    fn begin_upcall(&self, thread: &Thread, range: Writable, upcall: &Upcall);

    /// Has a thread that is in a call go on with what [`Port::begin_upcall`] has saved; or with whatever lies there by
    /// now, as long as it could have come there itself. The range begins with the kernel's words, which are returned.
    /// `None`, and nothing has changed, if it could not.
    fn end_upcall(&self, thread: &Thread, range: Readable) -> Option<[u32; frame::WORDS]>;

    /// The stack pointer of a thread that is in a system call.
    fn stack_pointer(&self, thread: &Thread) -> u32;

    /// The code address that a word on a stack would return to, if it could be a return address at
    /// all.
    fn return_target(&self, word: u32) -> Option<u32>;

    /// Whether an interrupt waits, the clock's or another. It is taken as soon as a thread is resumed.
    fn interrupted(&self) -> bool;

    /// Monotonic time in nanoseconds.
    fn now(&self) -> u64;

    /// Nanoseconds of a tick of [`Port::ticks`].
    const TICK: u32;

    /// The low word of the count from which [`Port::now`] is made: in a trace. Between two alarms it does not come
    /// around.
    fn ticks(&self) -> u32;

    /// Asks for [`crate::Kernel::alarm`] at or soon after this monotonic time; `u64::MAX` for none.
    fn set_alarm(&self, at: u64);

    /// Whether the protection can express just these bytes: open them to another process, and hide
    /// them from their own. A port that says no is never asked for [`Port::open`] and what follows.
    fn can_open(&self, range: Writable) -> bool;

    /// Makes `range`, which [`Port::can_open`], appear in window `number` of the process whose
    /// threads these are, from their next instruction on: for reading, and for writing if
    /// `writable`. Returns its address there.
    fn open(
        &self,
        threads: &'static [Thread],
        number: usize,
        range: Writable,
        writable: bool,
    ) -> u32;

    /// Takes away the `length` bytes that are open in window `number` of these threads.
    fn close(&self, threads: &'static [Thread], number: usize, length: u32);

    /// Makes a gap in the memory of the process whose threads these are: from their next
    /// instruction on they cannot write `range`, which [`Port::can_open`], nor read it unless
    /// `readable`. They see it at `address`.
    fn hide(
        &self,
        threads: &'static [Thread],
        number: usize,
        range: Writable,
        address: u32,
        readable: bool,
    );

    /// Gives these threads back what gap `number` has taken away.
    fn show(&self, threads: &'static [Thread], number: usize);

    /// 0, where the compiler can't see that it is: it would clear a thread's registers by a call of `memset`, which takes
    /// 100 instructions for 20 bytes in a small kernel.
    fn zero(&self) -> u32 {
        core::hint::black_box(0)
    }

    /// Keeps interrupt `line` from coming until [`Port::unmask`].
    fn mask(&self, line: u16);

    /// Lets interrupt `line` come, at once if it has been asked for meanwhile. Until then one that has
    /// come ([`crate::Kernel::interrupt`]) does not come again.
    fn unmask(&self, line: u16);

    /// Forgets that interrupt `line` was asked for, if its device asks no more.
    fn forget(&self, line: u16);

    /// Asks for interrupt `line` as its device would; false if the machine cannot do that by software.
    fn pend(&self, line: u16) -> bool;

    /// Writes zeros to `to`, from the first byte on. Returns how many: all, or a multiple of
    /// [`crate::CHUNK`] if an interrupt waits by then.
    fn clear(&self, to: Writable) -> u32 {
        let zeros = [const { Cell::new(0) }; 64];
        let mut done = 0;
        while done < to.length() {
            let part = to.part(done, zeros.len() as u32);
            self.store(&zeros[..part.length() as usize], part);
            done += part.length();
        }
        done
    }

    /// Makes a thread that is in a system call execute it again, with all its registers, when it runs next: at
    /// once if it goes on, after what interrupts it.
    fn repeat(&self, thread: &Thread);

    /// Makes the thread begin at its entry with an empty stack the next time it runs. What is open
    /// to it and what is hidden from it stays so.
    fn reset(&self, thread: &Thread);

    /// Resets the machine, which begins anew. Does not return where there is a machine to reset.
    fn reset_machine(&self);

    /// Ends the run with this exit code. Does not return where there is a machine to stop.
    fn shutdown(&self, code: u32);
}
