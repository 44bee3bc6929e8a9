#[riposte::interface]
trait Store {
    fn put(&mut self, value: u32);
    fn get(&self) -> u32;
}

struct Memory;

impl Store for Memory {
    fn put(&mut self, _value: u32) {}
}

fn main() {}
