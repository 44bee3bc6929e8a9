use core::cell::Cell;

use crate::ThreadLocal;

/// More than there are tests.
static COUNT: ThreadLocal<Cell<u32>, 1000> = ThreadLocal::new(|| Cell::new(0));

#[test]
fn each_thread_has_a_value_of_its_own() {
    let count = || {
        for _ in 0..1000 {
            COUNT.with(|count| count.set(count.get() + 1));
        }
        COUNT.with(Cell::get)
    };
    let others = std::thread::scope(|scope| {
        let threads = [0; 4].map(|_| scope.spawn(count));
        threads.map(|thread| thread.join().unwrap())
    });
    assert_eq!((count(), others), (1000, [1000; 4]));
}
