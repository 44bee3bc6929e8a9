#[riposte::interface]
trait Store {
    const SIZE: usize;
}

fn main() {}
