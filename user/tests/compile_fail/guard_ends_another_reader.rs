#![forbid(unsafe_code)]

use riposte::sync::RwLock;

fn main() {
    let lock = RwLock::new(1_u32);
    let reader = lock.read().unwrap();
    lock.end_read().unwrap();
    let mut writer = lock.write().unwrap();
    *writer = *reader;
    lock.end_write().unwrap();
}
