use riposte::Shared;
use riposte::sync::Queue;
use zerocopy::FromBytes;

#[derive(Clone, Copy, FromBytes)]
#[repr(C)]
struct Reading {
    channel: u8,
    value: u32,
}

fn shared<T: Shared>() {}

fn main() {
    shared::<Queue<Reading, 4>>();
}
