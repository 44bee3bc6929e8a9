#[riposte::interface]
trait Store {
    fn reconnect(&mut self);
}

#[riposte::interface]
trait Lamp {
    fn set(&mut self, percent: u32);
    fn set_until(&mut self, moment: u64);
}

fn main() {}
