#[riposte::interface]
trait Store {
    fn version(&self) -> u32 {
        1
    }
}

fn main() {}
