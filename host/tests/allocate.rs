//! The allocator: what must hold of every layout, and what is refused.

use std::fmt::Write;
use std::path::Path;

use proptest::prelude::*;
use riposte_host::board::{self, Board, Protection, ProtectionKind};
use riposte_host::manifest::{self, Application};
use riposte_host::plan::{
    IDLE_STACK, Layout, Mapped, Placement, ProgramSizes, Region, allocate, space,
};
use riposte_host::source::{Refusals, Source};

/// A board whose regions can be eighths of powers of two.
fn with_eighths() -> Board {
    board::load(Path::new("../boards/mps2-an386/board.toml")).expect("the board loads")
}

/// The same board, if its regions were powers of two, and its kernel had memory of its own.
fn the_board() -> Board {
    let mut board = with_eighths();
    board.protection.kind = ProtectionKind::Pmp;
    board.kernel.flash.size = 64 << 10;
    board.kernel.text = board.kernel.flash;
    board.kernel.ram.size = 64 << 10;
    board
}

#[path = "../../arch/armv7m/src/eighths.rs"]
mod eighths;

/// A process of a made-up application: its threads' stacks, main first, its `ram`, and its `pages`
/// if it has some.
#[derive(Clone, Debug, Default)]
struct Made {
    stacks: Vec<u32>,
    ram: Option<u32>,
    pages: u32,
}

fn application(processes: &[Made]) -> Application {
    application_on(&the_board(), processes)
}

fn application_on(board: &Board, processes: &[Made]) -> Application {
    let mut text = format!(
        "[application]\nname = \"made\"\nboards = [{:?}]\n",
        board.name
    );
    for (index, process) in processes.iter().enumerate() {
        let main = process.stacks[0];
        writeln!(
            text,
            "[[process]]\nname = \"p{index}\"\nprogram = \"p\"\npriority = 1"
        )
        .unwrap();
        writeln!(text, "stack = {main}").unwrap();
        if let Some(ram) = process.ram {
            writeln!(text, "ram = {ram}").unwrap();
        }
        if process.pages > 0 {
            writeln!(text, "pages = {}", process.pages).unwrap();
        }
        for (thread, stack) in process.stacks[1..].iter().enumerate() {
            writeln!(
                text,
                "[[process.thread]]\nname = \"t{thread}\"\npriority = 1"
            )
            .unwrap();
            writeln!(text, "stack = {stack}").unwrap();
        }
    }
    resolved(&text, board)
}

/// The application of a manifest that is right.
fn resolved(text: &str, board: &Board) -> Application {
    let source = Source {
        path: "app.toml".into(),
        text: text.into(),
    };
    manifest::resolve(source, ".".into(), std::slice::from_ref(board)).expect("right")
}

fn stack() -> impl Strategy<Value = u32> {
    (32u32..600).prop_map(|eighths| eighths * 8)
}

fn made() -> impl Strategy<Value = (Made, ProgramSizes)> {
    let stacks = proptest::collection::vec(stack(), 1..4);
    // A region given in the manifest is large enough for any stacks that are made here.
    let ram = proptest::option::of((15u32..20).prop_map(|power| 1 << power));
    let pages = proptest::sample::select(&[0u32, 4096, 8192]);
    let sizes = (0u32..300_000, 0u32..100_000);
    (stacks, ram, pages, sizes).prop_map(|(stacks, ram, pages, (flash, data))| {
        let made = Made { stacks, ram, pages };
        (
            made,
            ProgramSizes {
                flash,
                data,
                hot: 0,
            },
        )
    })
}

/// Power of two, aligned to itself, inside `memory`, and not in the kernel's part.
fn assert_lawful(region: Region, memory: Region, kernel: Region) {
    assert!(
        region.size.is_power_of_two(),
        "{region:x?} is no power of two"
    );
    assert!(
        region.size >= 32,
        "{region:x?} is too small for the protection unit"
    );
    assert!(
        region.base.is_multiple_of(region.size),
        "{region:x?} is not aligned to its size"
    );
    assert!(
        memory.contains(region),
        "{region:x?} is outside {memory:x?}"
    );
    assert!(
        !kernel.overlaps(region),
        "{region:x?} overlaps the kernel {kernel:x?}"
    );
}

fn assert_apart(regions: &[Region]) {
    for (index, one) in regions.iter().enumerate() {
        for other in &regions[index + 1..] {
            assert!(!one.overlaps(*other), "{one:x?} overlaps {other:x?}");
        }
    }
}

fn assert_holds(app: &Application, board: &Board, sizes: &[ProgramSizes], layout: &Layout) {
    assert_eq!(layout.processes.len(), app.processes.len());
    for ((process, placed), size) in app.processes.iter().zip(&layout.processes).zip(sizes) {
        assert_lawful(placed.flash.lies(), board.flash, board.kernel.flash);
        assert_lawful(placed.ram.lies(), board.ram, board.kernel.ram);
        assert!(placed.flash.seen.size >= size.flash && placed.data.size >= size.data);
        if let Some(ram) = &process.ram {
            assert_eq!(placed.ram.seen.size, ram.value);
        }
        assert_eq!(
            placed.stacks[0].base, placed.ram.seen.base,
            "the main stack lies lowest"
        );
        assert_eq!(placed.stacks.len(), process.threads.len());
        for (index, (stack, thread)) in placed.stacks.iter().zip(&process.threads).enumerate() {
            let guard = if index == 0 {
                0
            } else {
                Protection::smallest_guard()
            };
            assert!(stack.size >= thread.stack.value + guard);
            assert!(
                stack.base.is_multiple_of(Protection::smallest_guard())
                    && stack.size.is_multiple_of(Protection::smallest_guard())
            );
        }
        assert_eq!(placed.pages.size, process.lending.pages.value);
        assert_eq!(
            placed.pages.end(),
            placed.ram.seen.end(),
            "pages lie at the end"
        );
        assert!(placed.pages.size == 0 || placed.pages.base.is_multiple_of(placed.pages.size));
        let rest = [placed.data, placed.pages];
        let parts: Vec<Region> = placed.stacks.iter().copied().chain(rest).collect();
        assert_apart(&parts);
        assert!(parts.iter().all(|part| placed.ram.seen.contains(*part)));
    }
    let all = |pick: fn(&riposte_host::plan::Placement) -> Region| -> Vec<Region> {
        layout.processes.iter().map(pick).collect()
    };
    assert_apart(&all(|placed| placed.flash.lies()));
    assert_apart(&all(|placed| placed.ram.lies()));
}

proptest! {
    #[test]
    fn regions_never_overlap_and_are_aligned_powers_of_two(
        made in proptest::collection::vec(made(), 1..12),
    ) {
        let (processes, sizes): (Vec<_>, Vec<_>) = made.into_iter().unzip();
        let board = the_board();
        let app = application(&processes);
        match allocate(&app, &board, &sizes) {
            Ok(layout) => assert_holds(&app, &board, &sizes, &layout),
            Err(report) => {
                let refusals = Refusals::all(&report);
                prop_assert_eq!(refusals.len(), 1);
                prop_assert!(refusals[0].to_string().starts_with('`'));
            }
        }
    }

    /// What the protection unit is told of a range lets a process reach each byte of it and no other.
    #[test]
    fn eighths_let_a_process_reach_exactly_its_own(
        made in proptest::collection::vec(made(), 1..12),
    ) {
        let (processes, sizes): (Vec<_>, Vec<_>) = made.into_iter().unzip();
        let board = with_eighths();
        let app = application_on(&board, &processes);
        let Ok(layout) = allocate(&app, &board, &sizes) else {
            return Ok(());
        };
        let mut all = vec![layout.kernel_flash, layout.kernel_text, layout.kernel_ram];
        for ((placed, size), process) in layout.processes.iter().zip(&sizes).zip(&app.processes) {
            let (flash, ram) = (placed.flash.lies(), placed.ram.lies());
            prop_assert!(flash.size >= size.flash && placed.data.size >= size.data);
            let pages = placed.pages;
            prop_assert!(pages.size == 0 || pages.base.is_multiple_of(pages.size));
            prop_assert!(process.ram.as_ref().is_none_or(|it| it.value == ram.size));
            for region in [flash, ram] {
                prop_assert_eq!(reached(region), vec![region]);
            }
            all.extend([flash, ram]);
        }
        assert_apart(&all);
        prop_assert!(all.iter().all(|it| board.flash.contains(*it) || board.ram.contains(*it)));
    }

    /// Never more than where regions were powers of two.
    #[test]
    fn eighths_take_no_more_than_powers_of_two(
        made in proptest::collection::vec(made(), 1..12),
    ) {
        let (processes, sizes): (Vec<_>, Vec<_>) = made.into_iter().unzip();
        let mut whole = the_board();
        let board = with_eighths();
        whole.kernel = board.kernel.clone();
        let app = application_on(&board, &processes);
        if let Ok(powers) = allocate(&app, &whole, &sizes) {
            let eighths = allocate(&app, &board, &sizes).expect("fits as well");
            let reach = |layout: &Layout| {
                let ends = layout.processes.iter().map(|placed| placed.flash.lies().end());
                ends.max()
            };
            prop_assert!(reach(&eighths) <= reach(&powers));
        }
    }

    /// Where memory ends at a multiple of the largest region, what fits by sum fits.
    #[test]
    fn nothing_that_fits_is_refused(powers in proptest::collection::vec(8u32..22, 1..40)) {
        let mut left: u32 = (4 << 20) - (64 << 10);
        let mut sizes = Vec::new();
        for flash in powers.iter().map(|power| 1 << power) {
            if flash <= left {
                left -= flash;
                sizes.push(ProgramSizes { flash, data: 0, hot: 0 });
            }
        }
        let processes = vec![Made { stacks: vec![256], ..Made::default() }; sizes.len().max(1)];
        sizes.resize(processes.len(), ProgramSizes::default());
        prop_assert!(allocate(&application(&processes), &the_board(), &sizes).is_ok());
    }

    #[test]
    fn the_same_application_gets_the_same_layout(
        made in proptest::collection::vec(made(), 1..6),
    ) {
        let (processes, sizes): (Vec<_>, Vec<_>) = made.into_iter().unzip();
        let app = application(&processes);
        let layout = || allocate(&app, &the_board(), &sizes).ok();
        prop_assert_eq!(layout(), layout());
    }
}

/// The bytes that a region's words let a process reach, as the processor reads them: each eighth whose bit is
/// clear.
fn reached(region: Region) -> Vec<Region> {
    let held = eighths::holding(region.base, region.size);
    assert!(held.size.is_power_of_two() && held.base.is_multiple_of(held.size));
    if held.without == 0 {
        return vec![Region {
            base: held.base,
            size: held.size,
        }];
    }
    assert!(held.size >= 256 && held.without < 0xFF);
    let size = held.size / 8;
    let counting = (0..8).filter(|eighth| held.without & 1 << eighth == 0);
    let mut all: Vec<Region> = Vec::new();
    for base in counting.map(|eighth| held.base + eighth * size) {
        match all.last_mut() {
            Some(last) if last.end() == u64::from(base) => last.size += size,
            _ => all.push(Region { base, size }),
        }
    }
    all
}

#[test]
fn with_eighths_the_kernel_has_what_processes_leave() {
    let board = with_eighths();
    let small = Made {
        stacks: vec![1024],
        ..Made::default()
    };
    let sizes = [(9 << 10, 100), (5 << 10, 3000)].map(|(flash, data)| ProgramSizes {
        flash,
        data,
        hot: 0,
    });
    let app = application_on(&board, &[small.clone(), small]);
    let layout = allocate(&app, &board, &sizes).expect("fits");
    let placed = |base, size| Region { base, size };
    assert_eq!(layout.processes[0].flash.lies(), placed(0x1800, 0x2800));
    assert_eq!(layout.processes[1].flash.lies(), placed(0x400, 0x1400));
    let end = board.ram.end() as u32;
    assert_eq!(layout.processes[1].ram.lies(), placed(end - 4096, 4096));
    assert_eq!(
        layout.processes[0].ram.lies(),
        placed(end - 4096 - 1280, 1280)
    );
    assert_eq!(layout.kernel_flash, board.kernel.flash);
    assert_eq!(layout.kernel_text.base, 0x4000);
    assert_eq!(layout.kernel_text.end(), board.flash.end());
    assert_eq!(
        layout.kernel_ram,
        placed(board.ram.base, (4 << 20) - 4096 - 1280)
    );
}

#[test]
fn small_regions_fill_the_gap_behind_the_kernel() {
    let processes = vec![
        Made {
            stacks: vec![256],
            ..Made::default()
        };
        2
    ];
    let sizes = [
        ProgramSizes {
            flash: 200 << 10,
            data: 0,
            hot: 0,
        },
        ProgramSizes {
            flash: 64 << 10,
            data: 0,
            hot: 0,
        },
    ];
    let layout = allocate(&application(&processes), &the_board(), &sizes).expect("fits");
    assert_eq!(
        layout.processes[0].flash.lies(),
        Region {
            base: 256 << 10,
            size: 256 << 10
        }
    );
    assert_eq!(
        layout.processes[1].flash.lies(),
        Region {
            base: 64 << 10,
            size: 64 << 10
        }
    );
}

/// Smallest first, the large region would have no aligned place left.
#[test]
fn a_large_region_is_placed_before_small_ones_take_its_place() {
    let kib = |size: u32| size << 10;
    let mut board = the_board();
    board.flash.size = kib(160);
    board.kernel.flash.size = kib(16);
    let mut sizes = vec![
        ProgramSizes {
            flash: kib(16),
            data: 0,
            hot: 0,
        };
        5
    ];
    sizes.push(ProgramSizes {
        flash: kib(64),
        data: 0,
        hot: 0,
    });
    let processes = vec![
        Made {
            stacks: vec![256],
            ..Made::default()
        };
        sizes.len()
    ];
    let layout = allocate(&application(&processes), &board, &sizes).expect("fits exactly");
    assert_eq!(
        layout.processes[5].flash.lies(),
        Region {
            base: kib(64),
            size: kib(64)
        }
    );
}

/// The one refusal of an application with a process like this and one small one.
#[track_caller]
fn refused(made: Made, sizes: ProgramSizes, message: &str, underlined: &str, help: &str) {
    let small = Made {
        stacks: vec![256],
        ..Made::default()
    };
    let sizes = [
        sizes,
        ProgramSizes {
            flash: 100,
            data: 0,
            hot: 0,
        },
    ];
    let report = allocate(&application(&[made, small]), &the_board(), &sizes).expect_err("too big");
    let refusals = Refusals::all(&report);
    assert_eq!(refusals.len(), 1);
    assert_eq!(refusals[0].to_string(), message);
    assert_eq!(refusals[0].underlined(), underlined);
    assert!(
        refusals[0].next_step().contains(help),
        "{}",
        refusals[0].next_step()
    );
}

#[test]
fn a_program_that_does_not_fit_flash_is_refused() {
    refused(
        Made {
            stacks: vec![256],
            ..Made::default()
        },
        ProgramSizes {
            flash: 3 << 20,
            data: 0,
            hot: 0,
        },
        "`p0` does not fit: it needs 4MiB of flash on mps2-an386, aligned to its size",
        "\"p\"",
        "mps2-an386 has 4MiB of flash: kernel 64KiB, p0 4MiB, p1 128",
    );
}

#[test]
fn a_process_that_does_not_fit_ram_is_refused() {
    refused(
        Made {
            stacks: vec![256],
            ..Made::default()
        },
        ProgramSizes {
            flash: 100,
            data: 3 << 20,
            hot: 0,
        },
        "`p0` does not fit: it needs 4MiB of RAM on mps2-an386, aligned to its size",
        "\"p0\"",
        "make one of them smaller",
    );
}

#[test]
fn a_region_that_does_not_fit_ram_is_refused_where_it_is_written() {
    refused(
        Made {
            stacks: vec![256],
            ram: Some(8 << 20),
            pages: 0,
        },
        ProgramSizes {
            flash: 100,
            data: 0,
            hot: 0,
        },
        "`p0` does not fit: it needs 8MiB of RAM on mps2-an386, aligned to its size",
        "8388608",
        "make one of them smaller",
    );
}

#[test]
fn data_that_does_not_fit_its_region_is_refused() {
    refused(
        Made {
            stacks: vec![512, 256],
            ram: Some(1024),
            pages: 0,
        },
        ProgramSizes {
            flash: 100,
            data: 300,
            hot: 0,
        },
        "`p0` needs 1100 bytes of RAM (stacks 800, data 300); its region has 1KiB",
        "1024",
        "write \"2KiB\", or leave `ram` out",
    );
}

#[test]
fn data_that_does_not_fit_its_region_beside_the_pages_is_refused() {
    refused(
        Made {
            stacks: vec![512],
            ram: Some(16384),
            pages: 8192,
        },
        ProgramSizes {
            flash: 100,
            data: 8000,
            hot: 0,
        },
        "`p0` needs 16704 bytes of RAM (stacks 512, data 8000, pages 8192); its region has 16KiB",
        "16384",
        "write \"32KiB\", or leave `ram` out",
    );
}

#[test]
fn pages_that_do_not_fit_ram_are_refused() {
    refused(
        Made {
            stacks: vec![256],
            ram: None,
            pages: 2 << 20,
        },
        ProgramSizes {
            flash: 100,
            data: 0,
            hot: 0,
        },
        "`p0` does not fit: it needs 4MiB of RAM on mps2-an386, aligned to its size",
        "2097152",
        "make one of them smaller",
    );
}

fn translating_boards() -> impl Iterator<Item = Board> {
    let boards = board::load_all(Path::new("../boards")).expect("the boards load");
    boards
        .into_iter()
        .filter(|board| board.protection.translates())
}

fn whole_pages(region: Region) -> bool {
    region.base.is_multiple_of(space::PAGE) && region.size.is_multiple_of(space::PAGE)
}

#[test]
fn where_addresses_are_translated_memory_is_whole_pages_and_seen_in_one_place() {
    let stacks = [vec![2048], vec![4096, 1024, 1024], vec![72 << 10]];
    let made: Vec<Made> = (0..20).map(|index| made_of(&stacks[index % 3])).collect();
    let sizes: Vec<ProgramSizes> = (0..20)
        .map(|index| ProgramSizes {
            flash: 5000 + index * 3001,
            data: 100 + index * 777,
            hot: 0,
        })
        .collect();
    for board in translating_boards() {
        let app = application_on(&board, &made);
        let layout = allocate(&app, &board, &sizes).expect("fits");
        for (placed, size) in layout.processes.iter().zip(&sizes) {
            let place = placed.flash.seen.base / space::ALL * space::ALL;
            for memory in [placed.flash, placed.ram] {
                assert!(whole_pages(memory.seen) && whole_pages(memory.lies()));
                let base = memory.seen.base - place + space::PRIVATE.base / space::ALL * space::ALL;
                let within = Region {
                    base,
                    ..memory.seen
                };
                assert!(space::PRIVATE.contains(within), "{memory:x?}");
            }
            assert_eq!(
                space::windows(placed.text.base) / space::ALL * space::ALL,
                place
            );
            assert!(!placed.flash.seen.overlaps(placed.ram.seen));
            assert!(placed.flash.seen.contains(placed.text) && placed.text.size >= size.flash);
            assert!(placed.data.size >= size.data);
            for stack in &placed.stacks {
                assert!(placed.ram.seen.contains(*stack));
                assert!(placed.stacks.len() == 1 || stack.base.is_multiple_of(space::PAGE));
            }
        }
        let lies = |pick: fn(&Placement) -> Mapped| -> Vec<Region> {
            layout.processes.iter().map(|it| pick(it).lies()).collect()
        };
        assert_apart(&[lies(|placed| placed.flash), lies(|placed| placed.ram)].concat());
    }
}

fn made_of(stacks: &[u32]) -> Made {
    Made {
        stacks: stacks.to_vec(),
        ..Made::default()
    }
}

#[test]
fn a_process_that_is_larger_than_what_it_can_see_is_refused_at_its_name() {
    for board in translating_boards() {
        let app = application_on(&board, &[made_of(&[2048])]);
        let sizes = [ProgramSizes {
            flash: 4096,
            data: 3 << 20,
            hot: 0,
        }];
        let report = allocate(&app, &board, &sizes).expect_err("too large");
        let refusals = Refusals::all(&report);
        assert_eq!(refusals[0].underlined(), "\"p0\"");
        let message = refusals[0].to_string();
        assert!(message.starts_with("`p0` needs") && message.contains("a process sees"));
    }
}

#[test]
fn regions_lie_apart_from_everything_and_are_seen_at_one_place() {
    let text = |board: &Board| {
        format!(
            "[application]\nname = \"made\"\nboards = [{:?}]\n\
             [[process]]\nname = \"p0\"\nprogram = \"p\"\npriority = 1\nstack = 1024\n\
             [[region]]\nname = \"small\"\nsize = \"4KiB\"\nprocesses = [\"p0\"]\n\
             [[region]]\nname = \"large\"\nsize = \"64KiB\"\nprocesses = [\"p0\"]\n",
            board.name
        )
    };
    for board in board::load_all(Path::new("../boards")).expect("the boards load") {
        let app = resolved(&text(&board), &board);
        let layout = allocate(&app, &board, &[ProgramSizes::default()]).expect("it fits");
        let [small, large] = layout.regions[..] else {
            panic!("two regions");
        };
        assert_eq!((small.seen.size, large.seen.size), (4096, 65536));
        for region in [small, large] {
            assert!(board.ram.contains(region.lies()));
            assert!(!board.kernel.ram.overlaps(region.lies()));
            assert!(region.seen.base.is_multiple_of(region.seen.size));
            let process = &layout.processes[0];
            for own in [process.ram, process.flash] {
                assert!(!own.lies().overlaps(region.lies()));
                assert!(!own.seen.overlaps(region.seen));
            }
            if board.protection.translates() {
                assert!(space::SHARED.contains(region.seen));
            }
        }
        assert!(!small.lies().overlaps(large.lies()));
        assert!(!small.seen.overlaps(large.seen));
    }
}

#[test]
fn a_region_that_does_not_fit_is_refused_where_its_size_stands() {
    let board = the_board();
    let text = "[application]\nname = \"made\"\nboards = [\"mps2-an386\"]\n\
        [[process]]\nname = \"p0\"\nprogram = \"p\"\npriority = 1\nstack = 1024\n\
        [[region]]\nname = \"huge\"\nsize = \"8MiB\"\nprocesses = [\"p0\"]\n";
    let app = resolved(text, &board);
    let report = allocate(&app, &board, &[ProgramSizes::default()]).expect_err("too large");
    let refusal = Refusals::all(&report)[0];
    assert_eq!(
        refusal.to_string(),
        "`huge` does not fit: it needs 8MiB of RAM on mps2-an386, aligned to its size"
    );
    assert_eq!(refusal.underlined(), "\"8MiB\"");
}

/// A region as small as 32 bytes leaves the kernel memory at whose end the idle thread's stack can be protected.
#[test]
fn the_idle_stack_lies_where_a_protection_region_can_hold_it() {
    let board = with_eighths();
    let text = "[application]\nname = \"made\"\nboards = [\"mps2-an386\"]\n\
        [[process]]\nname = \"p0\"\nprogram = \"p\"\npriority = 1\nstack = 256\nram = \"4KiB\"\n\
        [[process]]\nname = \"p1\"\nprogram = \"p\"\npriority = 1\nstack = 256\n\
        [[region]]\nname = \"small\"\nsize = 32\nprocesses = [\"p0\"]\n";
    let app = resolved(text, &board);
    for data in (0..256).step_by(32) {
        let size = ProgramSizes {
            data,
            ..ProgramSizes::default()
        };
        let layout = allocate(&app, &board, &[ProgramSizes::default(), size]).expect("it fits");
        let idle = Region {
            base: layout.kernel_ram.end() as u32 - IDLE_STACK,
            size: IDLE_STACK,
        };
        assert_eq!(reached(idle), [idle], "beside {data} bytes");
    }
}
