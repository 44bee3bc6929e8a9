//! `./riposte size`: where an application's memory goes.

use crate::build::{Image, elf::Linked};
use crate::lab::Lab;
use crate::table::{Align, Table};

/// Prints the table of an application.
///
/// # Errors
/// If it does not build.
pub fn size(lab: &Lab, name: &str, board: Option<&str>) -> miette::Result<()> {
    let application = lab.application(name)?;
    let board = lab.board_for(&application, board)?;
    let image = lab.build(&application, board)?;
    println!("{} on {}, bytes\n", application.name, board.name);
    print!("{}", table(&image));
    Ok(())
}

/// Bytes of a linked file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bytes {
    /// Code.
    pub text: u32,
    /// Constants.
    pub constants: u32,
    /// Initialised data, in flash and in RAM.
    pub data: u32,
    /// Zeroed data.
    pub zeroed: u32,
}

/// Measures a linked file.
#[must_use]
pub fn bytes(linked: &Linked) -> Bytes {
    let of = |name: &str| linked.section(name).1;
    Bytes {
        text: of(".text") + of(".vector_table") + of(".vectors"),
        constants: of(".rodata"),
        data: of(".data"),
        zeroed: of(".bss") + of(".uninit") + of(".stack"),
    }
}

fn table(image: &Image) -> String {
    let mut table = Table::new(&[
        ("", Align::Left),
        ("code", Align::Right),
        ("constants", Align::Right),
        ("data", Align::Right),
        ("zeroed", Align::Right),
        ("stacks", Align::Right),
        ("pages", Align::Right),
        ("flash region", Align::Right),
        ("RAM region", Align::Right),
    ]);
    let mut total = [0; 2];
    let kernel = (image.layout.kernel_flash.size, image.layout.kernel_ram.size);
    table.row(row("kernel", &image.kernel, (0, 0), kernel));
    for (process, linked) in image.plan.processes.iter().zip(&image.programs) {
        let stacks = process.threads.iter().map(|thread| thread.stack.size).sum();
        let regions = (process.flash.seen.size, process.ram.seen.size);
        total = [total[0] + regions.0, total[1] + regions.1];
        let reserved = (stacks, process.lending.pages.size);
        table.row(row(&process.name, linked, reserved, regions));
    }
    let image_bytes = std::fs::metadata(&image.file).map_or(0, |file| file.len());
    format!(
        "{table}\nprocesses reserve {} bytes of flash and {} of RAM; the image has {image_bytes}\n",
        total[0], total[1]
    )
}

fn row(name: &str, linked: &Linked, reserved: (u32, u32), regions: (u32, u32)) -> Vec<String> {
    let Bytes {
        text,
        constants,
        data,
        zeroed,
    } = bytes(linked);
    let (stacks, pages) = reserved;
    let numbers = [
        text, constants, data, zeroed, stacks, pages, regions.0, regions.1,
    ];
    std::iter::once(name.to_owned())
        .chain(numbers.map(|it| it.to_string()))
        .collect()
}
