use riposte::sync::Queue;

#[derive(riposte::Shared)]
#[repr(C)]
struct Common {
    queue: Queue<bool, 4>,
}

fn main() {}
