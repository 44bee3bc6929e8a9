#![no_std]
#![no_main]
mod board;

#[unsafe(no_mangle)]
fn main() {
    board::println!(
        "hello from {} KiB of RAM",
        board::read(board::RAM_SIZE) / 1024
    );
    board::exit(42);
}

#[unsafe(no_mangle)]
extern "C" fn trap(cause: usize, pc: usize, value: usize) -> usize {
    board::println!("trap {cause:#x} at {pc:#x}, {value:#x}");
    board::exit(98);
}
