#[riposte::interface]
trait Store {
    fn close(self);
}

fn main() {}
