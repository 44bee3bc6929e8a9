//! How much memory the kernel of an application has where memory is set aside for it: what its board says, or more
//! if its objects need more.
//!
//! Processes are placed behind the kernel before it is linked, so that its size is not known then. What
//! an object takes is estimated here, never too low; if it were, the linker would refuse the kernel. With ARM's
//! protection unit the kernel has what processes leave, and nothing is set aside.

use crate::board::{Board, ProtectionKind};
use crate::manifest::{Application, Pool, Process};
use crate::plan::Region;

/// Bytes of the kernel's code and of constants that no object has.
const CODE: u32 = 56 << 10;

/// Bytes of its stack, of what there is of it once, and of the table of interrupts.
const ONCE: u32 = (4 + 4) << 10;
/// Bytes of a thread, with its deadline, but without what its port keeps.
const THREAD: u32 = 320;
/// Bytes of a process, without its handles.
const PROCESS: u32 = 576;
/// Constants of a process or a thread: its ranges of memory, its protection image.
const CONSTANTS: u32 = 256;
/// Bytes of a handle.
const HANDLE: u32 = 44;
/// Bytes of a channel, without its queue, which has a word for each priority.
const CHANNEL: u32 = 96;
/// Bytes of a proxy.
const PROXY: u32 = 140;
/// Bytes of a timer, a window, a gap or a quota.
const TIMER: u32 = 64;

/// Memory is set aside in multiples of it.
const PAGE: u32 = 4 << 10;

/// `board`, with as much memory for the kernel as `application` needs.
#[must_use]
pub fn board(application: &Application, board: &Board) -> Board {
    if board.protection.kind == ProtectionKind::Mpu {
        return board.clone();
    }
    let (objects, tables) = (objects(application, board), tables(application, board));
    let grow = |region: &mut Region, needed: u32| {
        region.size = region.size.max(needed.next_multiple_of(PAGE));
    };
    let mut board = board.clone();
    grow(&mut board.kernel.ram, ONCE + objects + tables);
    let constants = CONSTANTS * (threads(application) + processes(application));
    let needed = CODE + objects + constants;
    grow(&mut board.kernel.flash, needed);
    board
}

/// Threads, with the idle one.
fn threads(application: &Application) -> u32 {
    let of = |process: &Process| process.threads.len() as u32;
    1 + application.processes.iter().map(of).sum::<u32>()
}

/// Processes, with the idle one.
fn processes(application: &Application) -> u32 {
    1 + application.processes.len() as u32
}

/// Bytes of all objects that begin with some value, which lies in flash.
fn objects(application: &Application, board: &Board) -> u32 {
    let kernel = &application.kernel;
    let further = |process: &Process| {
        let (objects, lending) = (&process.objects, &process.lending);
        let proxies = objects.fixed.len() as u32 + objects.proxies;
        let places = lending.windows.value + lending.mappings.value + lending.gaps.value;
        let quotas = process.quotas.len() as u32;
        proxies * PROXY + (objects.timers + places + quotas) * TIMER
    };
    let further: u32 = application.processes.iter().map(further).sum();
    threads(application) * (THREAD + context(board))
        + processes(application) * (PROCESS + kernel.handles * HANDLE)
        + application.channels.len() as u32 * (CHANNEL + kernel.levels * 4 + kernel.levels / 8)
        + further
        + application.pools.iter().map(pool).sum::<u32>()
}

/// Bytes of a pool and its blocks, of which each is less than half as large as a timer.
fn pool(pool: &Pool) -> u32 {
    TIMER + pool.blocks * TIMER / 2
}

/// What the port keeps of a thread.
fn context(board: &Board) -> u32 {
    match board.protection.kind {
        // Registers, and an image of 16 entries.
        ProtectionKind::Mpu | ProtectionKind::Pmp => 112 + 80,
        // Registers; and a thread begins with a line of the cache.
        ProtectionKind::Sv32 => 160 + 64,
    }
}

/// Bytes of page tables, two pages a process.
fn tables(application: &Application, board: &Board) -> u32 {
    match board.protection.kind {
        ProtectionKind::Sv32 => 2 * PAGE * processes(application),
        ProtectionKind::Mpu | ProtectionKind::Pmp => 0,
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::{board, manifest};

    /// Flash and RAM of the kernel of an application on a board, and whether that is more than the board
    /// sets aside.
    fn sizes(application: &str, name: &str) -> ([u32; 2], bool) {
        let boards = board::load_all(Path::new("../boards")).expect("the boards load");
        let path = Path::new("..").join(application);
        let application = manifest::load(&path, &boards).expect("the manifest is right");
        let least = boards.iter().find(|it| it.name == name).expect("a board");
        let grown = super::board(&application, least);
        let of = |board: &Board| [board.kernel.flash.size, board.kernel.ram.size];
        (of(&grown), of(&grown) != of(least))
    }

    #[test]
    fn a_kernel_of_few_objects_has_what_its_board_sets_aside() {
        for board in ["virt-rv32", "virt-rv32-mmu"] {
            assert!(!sizes("bench/core", board).1, "{board}");
        }
    }

    #[test]
    fn a_kernel_of_256_threads_has_room_for_them() {
        let ([flash, ram], grown) = sizes("bench/core/growth/threads", "virt-rv32");
        assert!(grown && flash > ram && flash % PAGE == 0);
        assert!((256 * 320..256 * 640).contains(&ram), "{ram}");
    }
}
