//! Begins the rounds, and says what they came to.
#![no_std]

use riposte::abi::call::number;
use riposte::abi::register;
use riposte::println;
use riposte_fuzz_script::plan::RESIDENTS;
use riposte_fuzz_script::world::{Moments, Shared, after, seed_of};

#[riposte::main]
fn main() {
    let setting = |name| riposte::setting(name).unwrap();
    let (first, rounds, shown) = (setting("seed"), setting("rounds"), setting("shown"));
    let moments = Moments::of_setting(setting("quantum"));
    let shared = riposte::region("world").unwrap().address() as usize as *mut Shared;
    for round in 0..rounds {
        let seed = seed_of(first, round);
        // SAFETY: the region is as large and as aligned, any words are a world, and the players sleep.
        let shared = unsafe { &mut *shared };
        shared.words = [0; _];
        shared.world.begin(seed, round);
        sleep_until(moments.time_of(round, after::LOOK));
        let world = &shared.world;
        if round + 1 == shown {
            for record in world.log.iter().take(world.count as usize) {
                println!("@record {record:x?}");
            }
        }
        println!("@round {round} {seed:x} {:x} {}", world.hash, world.count);
        // Whoever is woken by the end of a process, or starts again, belongs to the next round.
        shared.world.close(round + 1);
        sleep_until(moments.time_of(round, after::REVIVE));
        for position in 0..RESIDENTS {
            restart(position as u32);
        }
        sleep_until(moments.time_of(round, after::PREPARE));
    }
    riposte::shutdown(0);
}

/// The process at this position among those that the conductor controls runs from now on.
fn restart(position: u32) {
    let mut registers = [0; register::COUNT];
    registers[register::CALL] = number::PROCESS_RESTART;
    registers[register::WORD0] = position;
    // SAFETY: no memory is named.
    unsafe { riposte::raw_call(registers, [0; 5]) };
}

fn sleep_until(time: u64) {
    let mut registers = [0; register::COUNT];
    registers[register::CALL] = number::SLEEP;
    // SAFETY: no memory is named.
    unsafe { riposte::raw_call(registers, [time as u32, (time >> 32) as u32, 0, 0, 0]) };
}
