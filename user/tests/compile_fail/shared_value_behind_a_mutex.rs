use riposte::sync::Mutex;

#[derive(riposte::Shared)]
#[repr(C)]
struct Common {
    value: Mutex<u32>,
}

fn main() {}
