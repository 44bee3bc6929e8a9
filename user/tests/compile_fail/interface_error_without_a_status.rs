struct Full;

#[riposte::interface]
trait Store {
    fn put(&mut self, value: u32) -> Result<(), Full>;
}

fn main() {}
