//! The meter and the marks.

use core::hint::black_box;
use core::marker::PhantomData;

use riposte::{DeviceWords, Peripheral};

use crate::Figures;

/// Single operations that are timed for the shortest and the longest.
pub const SAMPLES: u32 = 64;

/// The words of the device `timer1`, as far as anybody uses them here.
type Device = DeviceWords<0x808>;

/// The device `timer1`, and what the board says that it is.
///
/// # Panics
/// The manifest does not give it to the process.
fn device() -> (Device, &'static str) {
    let device = Peripheral::take("timer1").unwrap();
    (device.words(0).unwrap(), device.kind())
}

/// What the board measures with: a counter or a timer of the device `timer1`, which the manifest must
/// give the process, or the processor's count of instructions.
///
/// It is a type, so that a measured loop has no instruction to choose by.
pub trait Counter: Copy {
    /// Marks the beginning of the measured part: a store that changes nothing, which the emulator logs
    /// among the exceptions, to where the device's page has no register.
    fn begin(device: Device);

    /// Marks its end in the same way.
    fn end(device: Device);

    /// Makes `device` count.
    fn start(device: Device);

    /// Ticks left until the meter wraps.
    fn left(device: Device) -> u32;

    /// It, chosen when the program runs.
    fn clock(device: Device) -> Clock;
}

/// A counter that is chosen when the program runs: for code that a program is to have once, not once
/// for each counter. Choosing takes an instruction or two, in every reading alike.
#[derive(Clone, Copy)]
pub enum Clock {
    /// [`Instructions`].
    Instructions,
    /// [`Timer`].
    Timer(Device),
    /// [`Cycles`].
    Cycles(Device),
}

impl Clock {
    /// What the board measures with, started or not.
    ///
    /// # Panics
    /// The manifest does not give the process the device `timer1`.
    #[must_use]
    pub fn of_board() -> Clock {
        let (device, kind) = device();
        match kind {
            "cmsdk-timer" => Clock::Timer(device),
            "sim-meter" => Clock::Cycles(device),
            _ => Clock::Instructions,
        }
    }

    /// Ticks left until the meter wraps.
    #[inline(always)]
    #[must_use]
    pub fn left(self) -> u32 {
        match self {
            Clock::Cycles(device) => Cycles::left(device),
            Clock::Timer(device) => Timer::left(device),
            Clock::Instructions => !riposte::instructions().unwrap_or_default(),
        }
    }

    /// Ticks that `work` takes, with one reading of the meter.
    #[inline(always)]
    pub fn time(self, work: impl FnOnce()) -> u32 {
        let before = self.left();
        work();
        // It chooses anew: otherwise `work` would be there once for each counter.
        before.wrapping_sub(black_box(self).left())
    }
}

/// The processor's count of instructions. The device carries the marks only: it is a Goldfish
/// real-time clock, whose page ends early. The marks are its status, which cannot be written, and
/// what follows its registers.
#[derive(Clone, Copy)]
pub struct Instructions;

impl Counter for Instructions {
    #[inline(always)]
    fn begin(device: Device) {
        device.write::<0x18>(0);
    }

    #[inline(always)]
    fn end(device: Device) {
        device.write::<0x20>(0);
    }

    fn start(_: Device) {
        assert!(riposte::instructions().is_some(), "nothing to measure with");
    }

    #[inline(always)]
    fn left(_: Device) -> u32 {
        !riposte::instructions().unwrap_or_default()
    }

    fn clock(_: Device) -> Clock {
        Clock::Instructions
    }
}

/// The CMSDK APB timer (Arm DDI 0479, chapter 4.1), which counts down.
#[derive(Clone, Copy)]
pub struct Timer;

impl Timer {
    const CTRL: usize = 0x000;
    const VALUE: usize = 0x004;
    const RELOAD: usize = 0x008;
    const ENABLE: u32 = 1;
}

impl Counter for Timer {
    #[inline(always)]
    fn begin(device: Device) {
        device.write::<0x800>(0);
    }

    #[inline(always)]
    fn end(device: Device) {
        device.write::<0x804>(0);
    }

    fn start(device: Device) {
        device.write::<{ Timer::RELOAD }>(u32::MAX);
        device.write::<{ Timer::VALUE }>(u32::MAX);
        device.write::<{ Timer::CTRL }>(Timer::ENABLE);
    }

    #[inline(always)]
    fn left(device: Device) -> u32 {
        device.read::<{ Timer::VALUE }>()
    }

    fn clock(device: Device) -> Clock {
        Clock::Timer(device)
    }
}

/// The cycle counter of a simulated board (`sim/README.md`). It logs no marks.
#[derive(Clone, Copy)]
pub struct Cycles;

impl Cycles {
    const COUNT: usize = 0x000;
}

impl Counter for Cycles {
    #[inline(always)]
    fn begin(device: Device) {
        device.write::<0x800>(0);
    }

    #[inline(always)]
    fn end(device: Device) {
        device.write::<0x804>(0);
    }

    fn start(_: Device) {}

    #[inline(always)]
    fn left(device: Device) -> u32 {
        !device.read::<{ Cycles::COUNT }>()
    }

    fn clock(device: Device) -> Clock {
        Clock::Cycles(device)
    }
}

/// What is to be measured, with whatever the board has for it.
pub trait Benchmark {
    /// Measures it.
    fn run<C: Counter>(meter: Meter<C>);
}

/// Runs `B` with what the board measures with.
pub fn measure<B: Benchmark>() {
    match device().1 {
        "cmsdk-timer" => B::run(Meter::<Timer>::start()),
        "sim-meter" => B::run(Meter::<Cycles>::start()),
        _ => B::run(Meter::<Instructions>::start()),
    }
}

/// Measures with the counter `C`.
#[derive(Clone, Copy)]
pub struct Meter<C> {
    device: Device,
    counter: PhantomData<C>,
}

impl<C: Counter> Meter<C> {
    fn start() -> Meter<C> {
        let (device, _) = device();
        C::start(device);
        Meter {
            device,
            counter: PhantomData,
        }
    }

    #[inline(always)]
    fn left(self) -> u32 {
        C::left(self.device)
    }

    /// What it measures with, chosen when the program runs.
    #[must_use]
    pub fn clock(self) -> Clock {
        C::clock(self.device)
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
        C::begin(self.device);
    }

    /// Marks its end.
    #[inline(always)]
    pub fn end(self) {
        C::end(self.device);
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
