use riposte::sync::Mutex;

static MUTEX: Mutex<u32> = Mutex::new(0);

fn keep() -> Result<&'static mut u32, riposte::Error> {
    let mut guard = MUTEX.lock()?;
    Ok(&mut *guard)
}

fn main() {}
