#[riposte::interface]
trait Store {
    fn version() -> u32;
}

fn main() {}
