//! The meter and the marks.

use core::hint::black_box;

use riposte::Peripheral;

use crate::Figures;

/// Single operations that are timed for the shortest and the longest.
pub const SAMPLES: u32 = 64;

/// The kinds of device that have something to measure with.
const TIMER: &str = "cmsdk-timer";
const COUNTER: &str = "sim-meter";

/// Registers of the CMSDK APB timer (Arm DDI 0479, chapter 4.1).
mod timer {
    pub const CTRL: u32 = 0x000;
    pub const VALUE: u32 = 0x004;
    pub const RELOAD: u32 = 0x008;
    pub const ENABLE: u32 = 1;
}

/// Registers of a simulated board's meter (`sim/README.md`).
mod counter {
    pub const CYCLES: u32 = 0x000;
}

/// Where a store changes nothing, and the emulator logs it among the exceptions: addresses in the
/// device's page where it has no register.
#[derive(Clone, Copy)]
struct Marks {
    begin: u32,
    end: u32,
}

impl Marks {
    /// Those of the timer.
    const TIMER: Marks = Marks {
        begin: 0x800,
        end: 0x804,
    };
    /// Those of the meter, where it has no register; a simulator logs no exceptions.
    const COUNTER: Marks = Marks {
        begin: 0x800,
        end: 0x804,
    };
    /// Those of the Goldfish real-time clock, whose page ends early: its status, which cannot be
    /// written, and what follows its registers.
    const CLOCK: Marks = Marks {
        begin: 0x18,
        end: 0x20,
    };
}

/// What ticks.
#[derive(Clone, Copy)]
enum Ticks {
    /// The processor's count of instructions.
    Instructions,
    /// The device's timer, which counts down.
    Timer,
    /// The device's counter of cycles.
    Cycles,
}

/// What the board measures with: a counter or timer of the device `timer1`, or the processor's count
/// of instructions. The other use of that device is to carry the marks.
#[derive(Clone, Copy)]
pub struct Meter {
    device: Peripheral,
    ticks: Ticks,
    marks: Marks,
}

impl Meter {
    /// Starts the timer, if `timer1`, which the manifest must give this process, is one.
    #[must_use]
    pub fn start() -> Meter {
        let device = riposte::peripheral("timer1").unwrap();
        let (ticks, marks) = match device.kind() {
            TIMER => {
                device.write(timer::RELOAD, u32::MAX);
                device.write(timer::VALUE, u32::MAX);
                device.write(timer::CTRL, timer::ENABLE);
                (Ticks::Timer, Marks::TIMER)
            }
            COUNTER => (Ticks::Cycles, Marks::COUNTER),
            _ => {
                assert!(riposte::instructions().is_some(), "nothing to measure with");
                (Ticks::Instructions, Marks::CLOCK)
            }
        };
        Meter {
            device,
            ticks,
            marks,
        }
    }

    /// Ticks left until the meter wraps: the timer counts down.
    #[inline(always)]
    fn left(self) -> u32 {
        match self.ticks {
            Ticks::Instructions => !riposte::instructions().unwrap_or_default(),
            Ticks::Timer => self.device.read(timer::VALUE),
            Ticks::Cycles => !self.device.read(counter::CYCLES),
        }
    }

    /// Ticks that `work` takes, with one reading of the meter.
    #[inline(always)]
    pub fn time(self, work: impl FnOnce()) -> u32 {
        let before = self.left();
        work();
        before.wrapping_sub(self.left())
    }

    /// Ticks that reading the meter takes by itself.
    #[must_use]
    #[inline(never)]
    pub fn reading(self) -> u32 {
        self.time(|| {})
    }

    /// Ticks of a loop with nothing in it.
    #[inline(never)]
    fn empty_loop(self, iterations: u32) -> u32 {
        self.time(|| {
            for _ in 0..iterations {
                black_box(());
            }
        })
    }

    /// Marks the beginning of what the host counts exceptions in.
    #[inline(always)]
    pub fn begin(self) {
        self.device.write(self.marks.begin, 0);
    }

    /// Marks its end.
    #[inline(always)]
    pub fn end(self) {
        self.device.write(self.marks.end, 0);
    }

    /// Measures `operation`: once to warm up, `iterations` times in a loop, and [`SAMPLES`] times
    /// by itself.
    #[inline(always)]
    pub fn measure(self, iterations: u32, mut operation: impl FnMut()) -> Figures {
        operation();
        self.begin();
        let ticks = self.time(|| {
            for _ in 0..iterations {
                operation();
            }
        });
        self.end();
        let mut figures = Figures {
            iterations,
            operations: 1,
            ticks,
            loop_ticks: self.empty_loop(iterations),
            min_ticks: u32::MAX,
            max_ticks: 0,
        };
        let reading = self.reading();
        for _ in 0..SAMPLES {
            figures.sample(self.time(&mut operation), reading);
        }
        figures
    }
}

impl Figures {
    /// Takes note of a single operation of `ticks`, of which reading the timer took `reading`.
    #[inline(always)]
    pub fn sample(&mut self, ticks: u32, reading: u32) {
        let net = ticks.saturating_sub(reading);
        self.min_ticks = self.min_ticks.min(net);
        self.max_ticks = self.max_ticks.max(net);
    }
}
