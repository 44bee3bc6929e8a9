//! How long a call takes: until whoever runs next runs.

use measure::{Case, Clock, Figures};
use riposte::Shared;
use riposte::sync::Word;

/// What the processes that are measured have in common.
#[derive(Shared)]
#[repr(C)]
pub struct Place {
    /// Whether a call is being measured, and nobody has run since.
    armed: Word,
    before: Word,
    after: Word,
}

/// Measures calls.
#[derive(Clone, Copy)]
pub struct Watch {
    clock: Clock,
    place: &'static Place,
}

impl Watch {
    pub fn new() -> Watch {
        Watch {
            clock: Clock::of_board(),
            place: riposte::region("place").unwrap().cast().unwrap(),
        }
    }

    /// The call that follows is measured.
    #[inline(always)]
    pub fn arm(&self) {
        self.place.armed.store(1);
        self.place.before.store(self.clock.left());
    }

    /// The calling thread runs. If it is the first one since [`Watch::arm`], the call has taken until
    /// now. Whether it is.
    #[inline(always)]
    pub fn witness(&self) -> bool {
        let is_first = self.place.armed.load() == 1;
        if is_first {
            self.place.after.store(self.clock.left());
            self.place.armed.store(0);
        }
        is_first
    }

    /// What the call has taken, in ticks.
    fn ticks(&self) -> u32 {
        self.place.before.load() - self.place.after.load()
    }

    /// Measures `call`, and reports it: `name` is that of the call, `when` says what makes it long.
    #[inline(always)]
    pub fn time<R>(&self, name: &str, when: &str, call: impl FnOnce() -> R) -> R {
        self.arm();
        let result = call();
        self.witness();
        self.report(name, when);
        result
    }

    /// Reports the call that was measured.
    pub fn report(&self, name: &str, when: &str) {
        let ticks = self.ticks();
        self.arm();
        self.witness();
        report(name, when, ticks, self.ticks());
    }

    /// The longest time between two looks at the clock while `goes_on`, and the shortest.
    pub fn gaps(&self, mut goes_on: impl FnMut() -> bool) -> (u32, u32) {
        let (mut longest, mut shortest) = (0, u32::MAX);
        let mut before = self.clock.left();
        while goes_on() {
            let now = self.clock.left();
            let gap = before - now;
            (longest, shortest) = (longest.max(gap), shortest.min(gap));
            before = now;
        }
        (longest, shortest)
    }
}

/// Reports so many ticks, of which measuring took `reading`.
pub fn report(name: &str, when: &str, ticks: u32, reading: u32) {
    let net = ticks - reading;
    let figures = Figures {
        iterations: 1,
        operations: 1,
        ticks,
        loop_ticks: reading,
        min_ticks: net,
        max_ticks: net,
    };
    let case = Case {
        name: "longest",
        protected: true,
        bytes: 0,
    };
    figures.report_longest(case, name, when);
}
