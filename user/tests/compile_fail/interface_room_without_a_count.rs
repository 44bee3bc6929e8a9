#[riposte::interface]
trait Store {
    fn get(&self, key: u32, room: &mut [u8]) -> bool;
}

fn main() {}
