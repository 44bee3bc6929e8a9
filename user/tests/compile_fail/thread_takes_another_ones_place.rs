#![forbid(unsafe_code)]

fn main() {
    riposte::begin_thread(1_000_000, 7);
}
