//! The boards' own files are right, and a wrong one is refused.

use std::path::Path;

use riposte_host::board::{self, Board, Run};
use riposte_host::plan::Region;
use riposte_host::source::Refusals;

fn boards() -> Vec<Board> {
    board::load_all(Path::new("../boards")).expect("the boards load")
}

#[test]
fn the_boards_are_there() {
    let facts: Vec<_> = boards()
        .into_iter()
        .map(|board| {
            (
                board.name,
                board.cpu,
                board.kernel_target,
                board.program_target,
                board.fpu_target,
            )
        })
        .collect();
    let expected = [
        (
            "ibex",
            "generic-rv32",
            "riscv32imc-unknown-none-elf",
            "riscv32imc-unknown-none-elf",
            None,
        ),
        (
            "mps2-an385",
            "cortex-m3",
            "thumbv7m-none-eabi",
            "thumbv7m-none-eabi",
            None,
        ),
        (
            "mps2-an386",
            "cortex-m4",
            "thumbv7em-none-eabi",
            "thumbv7em-none-eabi",
            Some("thumbv7em-none-eabihf"),
        ),
        (
            "vexriscv",
            "generic-rv32",
            "riscv32im-unknown-none-elf",
            "riscv32im-unknown-none-elf",
            None,
        ),
        (
            "virt-rv32",
            "generic-rv32",
            "riscv32imac-unknown-none-elf",
            "riscv32imac-unknown-none-elf",
            None,
        ),
        (
            "virt-rv32-mmu",
            "generic-rv32",
            "riscv32imac-unknown-none-elf",
            "riscv32imac-unknown-none-elf",
            None,
        ),
    ];
    let expected = expected.map(|(name, cpu, kernel, program, fpu)| {
        (
            name.to_owned(),
            cpu.to_owned(),
            kernel.to_owned(),
            program.to_owned(),
            fpu.map(str::to_owned),
        )
    });
    assert_eq!(facts, expected);
}

#[test]
fn every_region_of_a_board_can_be_protected() {
    for board in boards() {
        let peripherals = board
            .peripherals
            .values()
            .map(|peripheral| peripheral.region);
        let kernel = [board.kernel.flash, board.kernel.ram];
        let set_aside = kernel.into_iter().filter(|_| board.kernel.ram.size > 0);
        for Region { base, size } in peripherals.chain(set_aside) {
            assert!(
                size.is_power_of_two() && size >= board.protection.smallest,
                "{}",
                board.name
            );
            assert!(
                base.is_multiple_of(size),
                "{}: {base:#x} is not aligned",
                board.name
            );
        }
        assert!(board.flash.contains(board.kernel.flash) && board.ram.contains(board.kernel.ram));
        assert!(!board.flash.overlaps(board.ram), "{}", board.name);
    }
}

#[test]
fn the_common_names_of_the_book_are_on_every_board() {
    let book = std::fs::read_to_string("../docs/src/manifest.md").expect("there");
    let named = |heading: &str| -> Vec<String> {
        let start = book.find(heading).expect(heading);
        let rows = book[start..].lines().skip(2);
        let rows = rows.take_while(|row| row.starts_with("| `"));
        let firsts = rows.filter_map(|row| row.split(" | ").next().map(str::to_owned));
        firsts
            .flat_map(|cell| {
                let names = cell.split('`').skip(1).step_by(2);
                names.map(str::to_owned).collect::<Vec<_>>()
            })
            .collect()
    };
    let peripherals = named("| name | peripheral |");
    let interrupts = named("| name | interrupt |");
    assert!(peripherals.len() == 4 && interrupts.len() >= 2);
    for board in boards() {
        for name in &peripherals {
            let found = board.peripherals.get(name);
            assert!(found.is_some_and(|it| !it.kernel), "{}: {name}", board.name);
        }
        for name in &interrupts {
            assert!(
                board.interrupts.contains_key(name),
                "{}: {name}",
                board.name
            );
        }
    }
}

#[test]
fn peripherals_of_a_board_do_not_overlap() {
    for board in boards() {
        let all: Vec<_> = board
            .peripherals
            .values()
            .map(|peripheral| peripheral.region)
            .collect();
        for (index, one) in all.iter().enumerate() {
            assert!(
                all[index + 1..].iter().all(|other| !one.overlaps(*other)),
                "{}",
                board.name
            );
        }
    }
}

#[test]
fn the_command_is_filled_in() {
    for board in boards() {
        let Run::Emulator(emulator) = &board.run else {
            continue;
        };
        let command = emulator.command(Path::new("/tmp/image.bin"), 10, "file:/tmp/log");
        assert!(
            command.contains(&"shift=10,sleep=off".to_owned()),
            "{command:?}"
        );
        assert!(command.contains(&"file:/tmp/log".to_owned()), "{command:?}");
        assert_eq!(command.last().map(String::as_str), Some("/tmp/image.bin"));
        assert!(
            command
                .iter()
                .all(|argument| !argument.contains(['{', '}'])),
            "{command:?}"
        );
        let names_machine = |argument: &String| board.name.starts_with(argument.as_str());
        assert!(command.iter().any(names_machine), "{command:?}");
    }
}

#[test]
fn a_wrong_board_file_is_refused_at_its_place() {
    refused(
        "mps2-an386",
        &[
            ("[ram]\nbase", "[ram]\nbas", "unknown key `bas`", "bas"),
            ("\"4MiB\"", "\"4MB\"", "this is not a size", "\"4MB\""),
        ],
    );
}

#[test]
fn a_wrong_simulator_is_refused_at_its_place() {
    let latency = "this is not a latency";
    let number = "this is not possible here";
    refused(
        "ibex",
        &[
            ("[2, 1, 2]", "[2, 1]", latency, "[2, 1]"),
            ("[2, 1, 2]", "[1, 1, 2]", latency, "[1, 1, 2]"),
            ("[2, 1, 2]", "[2, 1, 2000]", latency, "[2, 1, 2000]"),
            ("ram_ports = 2", "ram_ports = 3", number, "3"),
            ("ram_ports = 2", "l2 = 48", number, "48"),
            ("max_cycles = 400_000_000", "max_cycles = 0", number, "0"),
            (
                "\"ibex\"",
                "\"rocket\"",
                "`rocket` is not possible here",
                "\"rocket\"",
            ),
            (
                "program_target = \"riscv32imc-",
                "program_target = \"riscv32imac-",
                "the core has no extension `a`",
                "\"riscv32imac-unknown-none-elf\"",
            ),
            (
                "[flash]\nbase = 0x8000_0000",
                "[flash]\nbase = 0x4000_0000",
                "the simulator's RAM does not begin here",
                "0x4000_0000",
            ),
            ("ram_ports", "ports", "unknown key `ports`", "ports"),
        ],
    );
}

/// The board's file with `from` changed into `to` is refused with this message at this place.
fn refused(board: &str, changes: &[(&str, &str, &str, &str)]) {
    let good = Path::new("../boards").join(board).join("board.toml");
    let good = std::fs::read_to_string(good).expect("there");
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("board.toml");
    for (from, to, message, underlined) in changes {
        assert!(good.contains(from), "{from}");
        std::fs::write(&file, good.replacen(from, to, 1)).expect("written");
        let report = board::load(&file).expect_err("wrong");
        let refusals = Refusals::all(&report);
        assert_eq!(refusals[0].to_string(), *message);
        assert_eq!(refusals[0].underlined(), *underlined);
    }
}
