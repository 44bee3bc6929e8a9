#[riposte::interface]
trait Store {
    fn get(&self, key: u32, value: &mut u32);
}

fn main() {}
