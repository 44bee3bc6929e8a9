struct Record {
    number: u32,
}

#[riposte::interface]
trait Store {
    fn put(&mut self, all: &[Record]);
    fn get(&self, room: &mut [Record]) -> usize;
}

fn main() {}
