use riposte::sync::{Mutex, MutexGuard};

fn send<T: Send>(_: T) {}

fn give(guard: MutexGuard<'static, u32>) {
    send(guard);
}

fn main() {
    static MUTEX: Mutex<u32> = Mutex::new(0);
    give(MUTEX.lock().unwrap());
}
