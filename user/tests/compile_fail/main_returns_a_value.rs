#[riposte::main]
fn start() -> u32 {
    0
}

fn main() {}
