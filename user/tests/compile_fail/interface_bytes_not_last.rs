#[riposte::interface]
trait Store {
    fn put(&mut self, bytes: &[u8], key: u32);
}

fn main() {}
