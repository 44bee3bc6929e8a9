#[riposte::interface]
trait Store<T> {
    fn put(&mut self, value: u32);
}

fn main() {}
