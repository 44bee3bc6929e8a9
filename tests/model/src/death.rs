//! The end of a process, interrupted after each of its steps.

use riposte_abi::call::number;

use crate::{Call, Machine, ThreadId};

/// More steps than any death takes here.
const MANY: u32 = 400;

/// Plays a death that is interrupted after one step, after two, and so on, until it is over before its interrupt: `play`
/// returns whether it was half done. It takes more than `least` steps.
///
/// # Panics
/// It takes fewer, or does not end.
pub fn interrupt_at_each_step(least: u32, mut play: impl FnMut(u32) -> bool) {
    let over = (1..MANY).find(|steps| !play(*steps));
    let steps = over.expect("it ends");
    assert!(steps > least, "it has steps: {steps}");
}

impl Machine {
    /// `thread` ends its process, and an interrupt waits after so many steps of that: whether it is half done then.
    pub fn exit_interrupted(&mut self, thread: ThreadId, steps: u32) -> bool {
        self.host.interrupt_after(steps);
        self.call_once(thread, Call::other(number::EXIT, &[0]));
        self.kernel.awaits_interrupt()
    }

    /// As [`Machine::raise`], in the middle of a death: but whoever it wakes runs when it is known who waits for the dead.
    pub fn raise_amid(&mut self, line: usize) {
        self.raise(line);
        while self.kernel.awaits_interrupt() && self.kernel.goes_before_everybody() {
            self.interrupt();
        }
    }

    /// Lets the kernel finish what it has begun.
    pub fn finish(&mut self) {
        while self.kernel.awaits_interrupt() {
            self.interrupt();
        }
    }
}
