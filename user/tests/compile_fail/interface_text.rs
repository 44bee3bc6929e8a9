#[riposte::interface]
trait Store {
    fn put(&mut self, name: &str);
}

fn main() {}
