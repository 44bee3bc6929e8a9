//! Where processes lie in the caches of a board whose caches are direct-mapped: what is used for the same
//! message has lines of its own.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use riposte_host::board::{self, Board};
use riposte_host::manifest::{self, Application};
use riposte_host::plan::{Placement, ProgramSizes, allocate, space};
use riposte_host::source::Source;

/// Processes whose page-table entries and stacks are apart.
const COLOURS: usize = 8;
/// Bytes that an entry of a root table shows, and those that an entry of a leaf table does.
const ROOT: u32 = 4 << 20;
const LEAF: u32 = space::PAGE;
/// Bytes of an entry.
const ENTRY: u32 = 4;

fn the_board(name: &str) -> Board {
    let path = format!("../boards/{name}/board.toml");
    board::load(Path::new(&path)).expect("the board loads")
}

/// Processes with so many threads each. Each of `talks` is a connection from one to the other.
struct Made<'a> {
    threads: &'a [usize],
    talks: &'a [(usize, usize)],
    region: bool,
}

impl Made<'_> {
    fn on(&self, board: &Board) -> Application {
        let mut text = format!(
            "[application]\nname = \"made\"\nboards = [{:?}]\n",
            board.name
        );
        for (index, threads) in self.threads.iter().enumerate() {
            writeln!(text, "[[process]]\nname = \"p{index}\"\nprogram = \"p\"").unwrap();
            writeln!(text, "priority = 1\nstack = 1024").unwrap();
            for thread in 1..*threads {
                writeln!(text, "[[process.thread]]\nname = \"t{thread}\"").unwrap();
                writeln!(text, "priority = 1\nstack = 1024").unwrap();
            }
        }
        for (index, (from, to)) in self.talks.iter().enumerate() {
            writeln!(text, "[[channel]]\nname = \"c{index}\"\nowner = \"p{to}\"").unwrap();
            writeln!(
                text,
                "[[connection]]\nfrom = \"p{from}\"\nto = \"c{index}\""
            )
            .unwrap();
        }
        if self.region {
            writeln!(
                text,
                "[[region]]\nname = \"r\"\nsize = \"4KiB\"\nprocesses = [\"p0\"]"
            )
            .unwrap();
        }
        let source = Source {
            path: "app.toml".into(),
            text: text.into(),
        };
        manifest::resolve(source, ".".into(), std::slice::from_ref(board)).expect("right")
    }

    /// Where they lie if each has so many bytes of code for messages.
    fn placed(&self, board: &Board, hot: u32) -> Vec<Placement> {
        let size = ProgramSizes {
            flash: 8000,
            data: 5000,
            hot,
        };
        let sizes: Vec<_> = self.threads.iter().map(|_| size).collect();
        let layout = allocate(&self.on(board), board, &sizes).expect("it fits");
        layout.processes
    }
}

/// The line of the cache in which the entry of `address` lies, in a table whose entries show so much.
fn line_of_entry(board: &Board, address: u32, shows: u32) -> u32 {
    let line = board.cache.as_ref().expect("a cache").line;
    address / shows % (space::PAGE / ENTRY) * ENTRY / line
}

/// The lines of the cache that `length` bytes from `begin` on take.
fn lines(board: &Board, begin: u32, length: u32) -> BTreeSet<u32> {
    let line = board.cache.as_ref().expect("a cache").line;
    let all = space::PAGE / line;
    (begin / line..(begin + length).div_ceil(line))
        .map(|line| line % all)
        .collect()
}

/// The last byte of a process's main stack: what its thread touches first.
fn top(process: &Placement) -> u32 {
    process.stacks[0].base + process.stacks[0].size - 1
}

#[test]
fn the_page_table_entries_of_processes_and_of_code_and_stacks_have_lines_of_their_own() {
    let board = the_board("vexriscv");
    let made = Made {
        threads: &[1; COLOURS],
        talks: &[],
        region: false,
    };
    let processes = made.placed(&board, 512);
    let distinct = |address: fn(&Placement) -> u32, shows: u32| {
        let entries = processes
            .iter()
            .map(|process| line_of_entry(&board, address(process), shows));
        entries.collect::<BTreeSet<_>>()
    };
    let roots = distinct(|process| process.text.base, ROOT);
    assert_eq!(roots.len(), COLOURS, "entries of root tables");
    let code = distinct(|process| process.text.base, LEAF);
    assert_eq!(code.len(), COLOURS, "entries of code");
    let stacks = distinct(top, LEAF);
    assert_eq!(stacks.len(), COLOURS, "entries of stacks");
    assert!(code.is_disjoint(&stacks), "code and stacks");
}

#[test]
fn with_a_region_all_processes_see_what_they_see_in_one_place_and_their_leaf_entries_apart() {
    let board = the_board("vexriscv");
    let made = Made {
        threads: &[1; COLOURS],
        talks: &[],
        region: true,
    };
    let processes = made.placed(&board, 512);
    let places: BTreeSet<_> = processes
        .iter()
        .map(|process| process.text.base / ROOT)
        .collect();
    assert_eq!(places.len(), 1, "a region is where it is for all");
    for address in [|process: &Placement| process.text.base, top] {
        let entries = processes
            .iter()
            .map(|process| line_of_entry(&board, address(process), LEAF));
        assert_eq!(entries.collect::<BTreeSet<_>>().len(), COLOURS);
    }
}

#[test]
fn code_for_messages_shares_no_line_with_the_kernels_nor_with_that_of_whom_it_talks_to() {
    let board = the_board("vexriscv");
    let cache = board.cache.expect("a cache");
    let kernel = lines(
        &board,
        cache.kernel_begins,
        cache.kernel_ends - cache.kernel_begins,
    );
    // As much as the cache has room for: of three, one that talks with the two others, who do not.
    let hot = (space::PAGE - (cache.kernel_ends - cache.kernel_begins)) / 2;
    for talks in [[(0, 1), (2, 0)], [(1, 0), (0, 2)]] {
        let made = Made {
            threads: &[1; 3],
            talks: &talks,
            region: false,
        };
        let processes = made.placed(&board, hot);
        let code = processes
            .iter()
            .map(|process| lines(&board, process.text.base, hot));
        let code: Vec<_> = code.collect();
        assert!(
            code.iter().all(|own| own.is_disjoint(&kernel)),
            "the kernel's"
        );
        assert!(code[0].is_disjoint(&code[1]) && code[0].is_disjoint(&code[2]));
        assert_eq!(
            code[1], code[2],
            "what is left is for those who do not talk"
        );
    }
}

#[test]
fn code_for_messages_that_has_no_room_of_its_own_shares_as_little_as_it_can() {
    let board = the_board("vexriscv");
    let cache = board.cache.expect("a cache");
    let free = space::PAGE - (cache.kernel_ends - cache.kernel_begins);
    let made = Made {
        threads: &[1; 2],
        talks: &[(0, 1)],
        region: false,
    };
    let hot = free / 2 + 10 * cache.line;
    let processes = made.placed(&board, hot);
    let taken = lines(
        &board,
        cache.kernel_begins,
        cache.kernel_ends - cache.kernel_begins,
    );
    let first = lines(&board, processes[0].text.base, hot);
    assert!(first.is_disjoint(&taken));
    let taken: BTreeSet<_> = taken.union(&first).copied().collect();
    let second = lines(&board, processes[1].text.base, hot);
    assert_eq!(
        second.intersection(&taken).count(),
        20,
        "twice ten lines too many"
    );
}

#[test]
fn code_for_messages_shares_rather_with_that_of_whom_it_does_not_talk_to_than_with_the_kernels() {
    let board = the_board("vexriscv");
    let cache = board.cache.expect("a cache");
    let length = cache.kernel_ends - cache.kernel_begins;
    let kernel = lines(&board, cache.kernel_begins, length);
    let made = Made {
        threads: &[1; 5],
        talks: &[],
        region: false,
    };
    // Two take all that the kernel leaves, two more the same again.
    let hot = (space::PAGE - length) / 2;
    for process in made.placed(&board, hot) {
        assert!(lines(&board, process.text.base, hot).is_disjoint(&kernel));
    }
}

#[test]
fn the_ends_of_stacks_are_apart_in_the_cache_and_each_has_its_pages() {
    let board = the_board("vexriscv");
    let made = Made {
        threads: &[4, 3],
        talks: &[],
        region: false,
    };
    let processes = made.placed(&board, 512);
    let mut ends = Vec::new();
    for process in &processes {
        for stack in &process.stacks {
            assert!(stack.base.is_multiple_of(space::PAGE));
            assert!(stack.size >= 1024 && process.ram.seen.contains(*stack));
            ends.push(lines(&board, stack.base + stack.size - 256, 256));
        }
        for (one, next) in process.stacks.iter().zip(&process.stacks[1..]) {
            assert!(one.base + one.size <= next.base);
        }
    }
    for (one, next) in ends[..4].iter().zip(&ends[1..4]) {
        assert!(one.is_disjoint(next), "threads of a process");
    }
    assert!(ends[0].is_disjoint(&ends[4]), "main threads");
}

#[test]
fn without_such_a_cache_code_begins_where_its_pages_do_and_is_seen_at_one_place() {
    let board = the_board("virt-rv32-mmu");
    let made = Made {
        threads: &[1; 3],
        talks: &[(0, 1)],
        region: false,
    };
    for process in made.placed(&board, 512) {
        assert_eq!(process.text.base, process.flash.seen.base);
        assert_eq!(process.text.base, space::PRIVATE.base);
    }
}

#[test]
fn what_a_process_sees_of_its_code_and_of_its_memory_lies_apart_however_large_it_is() {
    let board = the_board("vexriscv");
    for flash in (16..=432).step_by(8).map(|kib| kib << 10) {
        for region in [false, true] {
            let made = Made {
                threads: &[1; COLOURS],
                talks: &[],
                region,
            };
            let sizes = ProgramSizes {
                flash,
                data: 5000,
                hot: 512,
            };
            let layout = allocate(&made.on(&board), &board, &[sizes; COLOURS]).expect("it fits");
            for (index, process) in layout.processes.iter().enumerate() {
                let (code, ram) = (process.flash.seen, process.ram.seen);
                assert!(
                    !code.overlaps(ram),
                    "process {index} of {flash:#x}: {code:x?} {ram:x?}"
                );
            }
        }
    }
}
