//! Below the stack of a main thread, which has no guard, lies nothing that its process may write.

use std::fmt::Write;
use std::path::Path;

use proptest::prelude::*;
use riposte_host::board::{self, Board, ProtectionKind};
use riposte_host::manifest::{self, Application};
use riposte_host::plan::{Layout, ProgramSizes, Region, allocate};
use riposte_host::source::Source;

/// Each kind of protection that knows addresses of the machine only.
fn boards() -> [Board; 2] {
    let eighths = board::load(Path::new("../boards/mps2-an386/board.toml")).expect("it loads");
    let mut powers = eighths.clone();
    powers.protection.kind = ProtectionKind::Pmp;
    powers.kernel.ram.size = 4 << 10;
    [eighths, powers]
}

/// A process of a made-up application.
#[derive(Clone, Debug)]
struct Made {
    stack: u32,
    data: u32,
    pages: bool,
    windows: bool,
    mappings: bool,
    /// For each region of the application, whether it may not use it, read it, or write it too.
    access: [u8; 2],
}

fn made() -> impl Strategy<Value = Made> {
    let bools = any::<(bool, bool, bool)>();
    let access = [0u8..3, 0u8..3];
    (32u32..600, 0u32..20_000, bools, access).prop_map(
        |(stack, data, (pages, windows, mappings), access)| Made {
            stack: stack * 8,
            data,
            pages,
            windows,
            mappings,
            access,
        },
    )
}

/// An application of these processes, with regions and a pool of such sizes.
fn application(board: &Board, processes: &[Made], sizes: [u32; 3]) -> Application {
    let mut text = format!(
        "[application]\nname = \"made\"\nboards = [{:?}]\n",
        board.name
    );
    for (index, process) in processes.iter().enumerate() {
        let Made {
            stack,
            windows,
            mappings,
            ..
        } = *process;
        let (windows, mappings) = (u32::from(windows), u32::from(mappings));
        let pages = if process.pages { "pages = 4096\n" } else { "" };
        let unblock = "[\"unblock\"]";
        writeln!(
            text,
            "[[process]]\nname = \"p{index}\"\nprogram = \"p\"\npriority = 1\nstack = {stack}\n\
             windows = {windows}\nmappings = {mappings}\n{pages}\
             [[channel]]\nname = \"c{index}\"\nowner = \"p{index}\"\nnotify = {unblock}"
        )
        .unwrap();
    }
    for (region, size) in sizes[..2].iter().enumerate() {
        let access = |(index, made): (usize, &Made)| match made.access[region] {
            0 => None,
            1 => Some(format!("{{ process = \"p{index}\", access = \"read\" }}")),
            _ => Some(format!("\"p{index}\"")),
        };
        let users: Vec<_> = processes.iter().enumerate().filter_map(access).collect();
        if !users.is_empty() {
            let users = users.join(", ");
            writeln!(
                text,
                "[[region]]\nname = \"r{region}\"\nsize = {size}\nprocesses = [{users}]"
            )
            .unwrap();
        }
    }
    let block = sizes[2];
    writeln!(
        text,
        "[[pool]]\nname = \"pool\"\nblock = {block}\nblocks = 2\nprocesses = [\"p0\"]"
    )
    .unwrap();
    let source = Source {
        path: "app.toml".into(),
        text: text.into(),
    };
    manifest::resolve(source, ".".into(), std::slice::from_ref(board)).expect("right")
}

/// What process `index` may write beside its own memory, or may be handed so that it can.
fn may_write(app: &Application, board: &Board, layout: &Layout, index: usize) -> Vec<Region> {
    let process = &app.processes[index];
    let writable = process.regions.iter().filter(|it| it.writable);
    let mut all: Vec<Region> = writable
        .map(|it| layout.regions[it.region].lies())
        .collect();
    if process.lending.mappings.value > 0 {
        all.extend(&layout.pools);
    }
    if process.lending.windows.value > 0 {
        let others = layout.processes.iter().enumerate();
        all.extend(others.filter(|it| it.0 != index).map(|it| it.1.ram.lies()));
    }
    all.extend(board.peripherals.values().map(|device| device.region));
    all
}

proptest! {
    #[test]
    fn a_main_stack_that_overflows_meets_nothing_that_its_process_may_write(
        processes in proptest::collection::vec(made(), 1..10),
        powers in [5u32..17, 5u32..17, 5u32..14],
    ) {
        let sizes: Vec<_> = processes
            .iter()
            .map(|made| ProgramSizes { flash: 1000, data: made.data, hot: 0 })
            .collect();
        for board in boards() {
            let app = application(&board, &processes, powers.map(|power| 1 << power));
            let layout = allocate(&app, &board, &sizes).expect("there is room for it");
            for (index, placed) in layout.processes.iter().enumerate() {
                let stack = u64::from(placed.ram.lies().base);
                for region in may_write(&app, &board, &layout, index) {
                    prop_assert_ne!(region.end(), stack, "p{} on {:x?}", index, region);
                }
            }
        }
    }
}

/// The kernel's RAM lies lowest, so that no device can end where a process's begins.
#[test]
fn no_device_lies_in_the_memory_of_a_board() {
    for board in board::load_all(Path::new("../boards")).expect("the boards load") {
        for (name, device) in &board.peripherals {
            let (ram, flash) = (board.ram, board.flash);
            let region = device.region;
            assert!(!ram.overlaps(region), "{name} of {}", board.name);
            assert!(!flash.overlaps(region), "{name} of {}", board.name);
        }
    }
}
