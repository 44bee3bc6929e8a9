#[riposte::interface]
trait Store {
    fn put(&mut self, a: &str, b: &str, c: &str, d: &str, e: &str, f: &str, g: &str, h: &[u8]);
}

fn main() {}
