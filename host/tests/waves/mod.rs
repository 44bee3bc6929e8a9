//! The waves of a simulated board: a value change dump, read by the crate `vcd`.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use vcd::{Command, IdCode, Value, Vector};

/// Cycles from one to another one.
pub type Stretch = (u64, u64);

/// A signal's values, each with the cycle from which it has it.
pub type Signal = Vec<(u64, u32)>;

/// What a board's pins and registers did, in cycles.
pub struct Waves {
    pub privilege: Signal,
    pub timer: Signal,
    pub address_space: Signal,
    end: u64,
}

/// Machine mode, in which the kernel runs.
const MACHINE: u32 = 3;

fn number(bits: &Vector) -> u32 {
    bits.iter()
        .fold(0, |all, bit| all << 1 | u32::from(bit == Value::V1))
}

impl Waves {
    pub fn read(file: &Path) -> Waves {
        let mut parser = vcd::Parser::new(BufReader::new(File::open(file).expect("waves")));
        let header = parser.parse_header().expect("a header");
        let code = |name: &str| -> IdCode {
            let found = header.find_var(&["board", name]);
            found.unwrap_or_else(|| panic!("no signal {name}")).code
        };
        let [privilege, timer, satp] = ["privilege", "timer_interrupt", "satp"].map(code);
        let mut waves = Waves {
            privilege: vec![],
            timer: vec![],
            address_space: vec![],
            end: 0,
        };
        for command in parser {
            let (signal, value) = match command.expect("a change") {
                Command::Timestamp(time) => {
                    assert!(waves.end <= time, "time goes backwards");
                    waves.end = time;
                    continue;
                }
                Command::ChangeScalar(code, value) => (code, u32::from(value == Value::V1)),
                Command::ChangeVector(code, value) => (code, number(&value)),
                _ => continue,
            };
            let now = (waves.end, value);
            match signal {
                it if it == privilege => waves.privilege.push(now),
                it if it == timer => waves.timer.push(now),
                it if it == satp => waves.address_space.push(now),
                _ => (),
            }
        }
        waves
    }

    /// The cycles in which the board is in machine mode, or is not.
    fn stretches(&self, in_machine_mode: bool) -> Vec<Stretch> {
        let ends = self.privilege.iter().skip(1).map(|(time, _)| *time);
        let stretches = self.privilege.iter().zip(ends.chain([self.end]));
        let stretches = stretches.filter(|((_, mode), _)| (*mode == MACHINE) == in_machine_mode);
        stretches.map(|((begin, _), end)| (*begin, end)).collect()
    }

    /// When the kernel runs.
    pub fn kernel(&self) -> Vec<Stretch> {
        self.stretches(true)
    }

    /// When a process runs.
    pub fn processes(&self) -> Vec<Stretch> {
        self.stretches(false)
    }
}

/// The stretch of some, one after the other, in which a cycle lies.
pub fn around(stretches: &[Stretch], cycle: u64) -> Option<Stretch> {
    let behind = stretches.partition_point(|(begin, _)| *begin <= cycle);
    let (begin, end) = *stretches.get(behind.checked_sub(1)?)?;
    (cycle <= end).then_some((begin, end))
}
