#![forbid(unsafe_code)]

use riposte::sync::Lock;

fn main() {
    let lock = Lock::new();
    let first = lock.lock().unwrap();
    let second = lock.held().unwrap();
    drop(second);
    lock.hand_over().unwrap();
    drop(first);
}
