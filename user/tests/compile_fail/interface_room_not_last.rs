#[riposte::interface]
trait Store {
    fn get(&self, room: &mut [u8], key: u32) -> usize;
}

fn main() {}
