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

#[test]
fn a_clock_that_does_not_tick_is_refused() {
    let message = "a clock that does not tick tells no time";
    refused(
        "mps2-an386",
        &[("hertz = 25_000_000", "hertz = 0", message, "0")],
    );
}

#[test]
fn what_no_clock_can_be_is_refused() {
    let fast = "no clock here ticks so fast";
    let event = "an event takes a tick at least, and a second at most";
    let shift = "an emulator takes no such shift";
    let cases = [
        ("hertz = 25_000_000", "hertz = 4_294_967_296", fast),
        ("event = 800", "event = 0", event),
        ("event = 800", "event = 25_000_001", event),
        ("event = 800", "event = 9_223_372_036_854_775_807", event),
        ("run_shift = 5", "run_shift = 11", shift),
        ("bench_shift = 10", "bench_shift = 200", shift),
    ];
    for (from, to, message) in cases {
        let (_, underlined) = to.split_once("= ").expect("a value");
        refused("mps2-an386", &[(from, to, message, underlined)]);
    }
}

#[test]
fn a_cache_that_no_hardware_has_is_refused() {
    let line = "this is no size of a line of a cache";
    let code = "this is no part of a page";
    refused(
        "vexriscv",
        &[
            ("line = 32", "line = 0", line, "0"),
            ("line = 32", "line = 24", line, "24"),
            ("line = 32", "line = 8192", line, "8192"),
            (
                "kernel_begins = 0x300",
                "kernel_begins = 0xC00",
                code,
                "0xB00",
            ),
            (
                "kernel_ends = 0xB00",
                "kernel_ends = 0x1001",
                code,
                "0x1001",
            ),
        ],
    );
}

#[test]
fn protection_that_no_hardware_has_is_refused() {
    let smallest = "the memory protection has no region of this size";
    let guard = "this is no size of a guard";
    let few = "a process has code, RAM and a guard: this is too few";
    refused(
        "mps2-an386",
        &[
            ("smallest = 32", "smallest = 0", smallest, "0"),
            ("smallest = 32", "smallest = 48", smallest, "48"),
            ("smallest = 32", "smallest = 16", smallest, "16"),
            ("smallest = 32", "smallest = 32\nguard = 0", guard, "0"),
            ("smallest = 32", "smallest = 32\nguard = 24", guard, "24"),
            ("smallest = 32", "smallest = 32\nguard = 16", guard, "16"),
            (
                "smallest = 32",
                "smallest = 32\nguard = 0x8000_0000",
                guard,
                "0x8000_0000",
            ),
            (
                "smallest = 32",
                "smallest = 64",
                "a guard has 32 bytes if nothing is said, fewer than the smallest region",
                "64",
            ),
            ("regions = 8", "regions = 2", few, "2"),
            (
                "kind = \"mpu\"",
                "kind = \"pmp\"",
                "a processor of this family has no such memory protection",
                "\"pmp\"",
            ),
        ],
    );
    refused(
        "virt-rv32",
        &[(
            "kind = \"pmp\"",
            "kind = \"mpu\"",
            "a processor of this family has no such memory protection",
            "\"mpu\"",
        )],
    );
    refused(
        "virt-rv32-mmu",
        &[
            ("smallest = 4096", "smallest = 8192", smallest, "8192"),
            ("smallest = 4096", "smallest = 64", smallest, "64"),
            ("guard = 4096", "guard = 64", guard, "64"),
        ],
    );
}

#[test]
fn memory_that_is_not_there_or_is_there_twice_is_refused() {
    let beyond = "this does not end below 4 GiB";
    let set_aside = "what is set aside for the kernel is a power of two, and the memory begins at a multiple of it";
    refused(
        "mps2-an386",
        &[
            (
                "flash = 544",
                "flash = \"8MiB\"",
                "more is set aside for the kernel than there is",
                "\"8MiB\"",
            ),
            (
                "base = 0x2000_0000",
                "base = 0x0020_0000",
                "RAM and flash overlap",
                "0x0020_0000",
            ),
            (
                "[ram]\nbase = 0x2000_0000",
                "[ram]\nbase = 0xFFFF_0000",
                beyond,
                "\"4MiB\"",
            ),
            (
                "[ram]\nbase = 0x2000_0000",
                "[ram]\nbase = 0xFFC0_0000",
                beyond,
                "\"4MiB\"",
            ),
        ],
    );
    refused(
        "virt-rv32-mmu",
        &[
            ("ram = \"2MiB\"", "ram = \"3MiB\"", set_aside, "\"3MiB\""),
            (
                "flash = \"128KiB\"",
                "flash = \"96KiB\"",
                set_aside,
                "\"96KiB\"",
            ),
            (
                "base = 0x8040_0000",
                "base = 0x8050_0000",
                set_aside,
                "\"2MiB\"",
            ),
            (
                "base = 0x8040_0000",
                "base = 0xFFFF_0000",
                beyond,
                "\"8MiB\"",
            ),
        ],
    );
}

#[test]
fn a_device_that_cannot_be_protected_is_refused() {
    let shape = "the memory protection cannot hold this device";
    let beyond = "this does not end below 4 GiB";
    refused(
        "virt-rv32",
        &[
            (
                "base = 0x1000_1000\nsize = \"4KiB\"",
                "base = 0x1000_1000\nsize = 3000",
                shape,
                "3000",
            ),
            (
                "base = 0x1000_1000\nsize = \"4KiB\"",
                "base = 0x1000_1000\nsize = 16",
                shape,
                "16",
            ),
            (
                "base = 0x1000_1000",
                "base = 0x1000_1800",
                shape,
                "0x1000_1800",
            ),
            (
                "base = 0x0200_0000\nsize = \"64KiB\"",
                "base = 0xFFFF_F000\nsize = \"64KiB\"",
                beyond,
                "\"64KiB\"",
            ),
        ],
    );
    refused(
        "virt-rv32-mmu",
        &[
            (
                "base = 0x1000_1000\nsize = \"4KiB\"",
                "base = 0x1000_1000\nsize = 256",
                shape,
                "256",
            ),
            (
                "base = 0x1000_1000",
                "base = 0x1000_1100",
                shape,
                "0x1000_1100",
            ),
            (
                "base = 0x1000_1000\nsize = \"4KiB\"",
                "base = 0x1000_1000\nsize = 0",
                shape,
                "0",
            ),
        ],
    );
}

#[test]
fn a_device_that_is_something_else_s_too_is_refused() {
    let gpio = "base = 0x4001_0000";
    refused(
        "mps2-an386",
        &[
            (
                gpio,
                "base = 0x2000_0000",
                "`gpio0` overlaps RAM",
                "0x2000_0000",
            ),
            (
                gpio,
                "base = 0x0000_1000",
                "`gpio0` overlaps flash",
                "0x0000_1000",
            ),
            (
                gpio,
                "base = 0x4000_2000",
                "`gpio0` overlaps `dualtimer`",
                "0x4000_2000",
            ),
            (
                gpio,
                "base = 0x4000_8000",
                "`watchdog` overlaps `gpio0`",
                "0x4000_8000",
            ),
            (
                gpio,
                "base = 0x4000_1000",
                "`timer1` overlaps `gpio0`",
                "0x4000_1000",
            ),
        ],
    );
    // Also if the kernel has both.
    refused(
        "virt-rv32",
        &[(
            "base = 0x0200_0000",
            "base = 0x0010_0000",
            "`exit` overlaps `clint`",
            "0x0010_0000",
        )],
    );
}

#[test]
fn an_interrupt_that_is_another_ones_too_is_refused() {
    refused(
        "mps2-an386",
        &[(
            "number = 30",
            "number = 31",
            "`spare` is the same line as `software`",
            "31",
        )],
    );
    refused(
        "ibex",
        &[(
            "number = 4",
            "number = 3",
            "`line4` is the same line as `line3`",
            "3",
        )],
    );
}

#[test]
fn a_line_that_no_controller_has_is_refused() {
    let none = |number| format!("no interrupt controller of this family has line {number}");
    for (board, from, number) in [
        ("mps2-an386", "number = 30", "496"),
        ("mps2-an386", "number = 30", "65535"),
        ("ibex", "number = 4", "1024"),
        ("virt-rv32", "number = 95", "1024"),
    ] {
        let to = format!("number = {number}");
        refused(board, &[(from, &to, &none(number), number)]);
    }
}

#[test]
fn two_devices_that_several_processes_may_have_may_overlap() {
    let good = std::fs::read_to_string("../boards/mps2-an386/board.toml").expect("there");
    let directory = tempfile::tempdir().expect("a directory");
    let file = directory.path().join("board.toml");
    let gpio = "base = 0x4001_0000\nsize = \"4KiB\"";
    assert!(good.contains(gpio));
    let both = good.replacen(
        gpio,
        "base = 0x4000_1000\nsize = \"4KiB\"\nshared = true",
        1,
    );
    std::fs::write(&file, both).expect("written");
    board::load(&file).expect("it is taken");
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
        let report = board::load(&file).err();
        let report = report.unwrap_or_else(|| panic!("{to} is taken"));
        let refusals = Refusals::all(&report);
        assert_eq!(refusals[0].to_string(), *message);
        assert_eq!(refusals[0].underlined(), *underlined, "{to}");
    }
}
