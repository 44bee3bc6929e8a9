struct Record {
    number: u32,
}

#[riposte::interface]
trait Store {
    fn put(&mut self, record: Record);
}

fn main() {}
