#[riposte::interface]
trait Store {
    fn get(&self, key: u32) -> &[u8];
}

fn main() {}
