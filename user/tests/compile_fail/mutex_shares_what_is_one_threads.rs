use std::rc::Rc;

static MUTEX: riposte::sync::Mutex<Option<Rc<u32>>> = riposte::sync::Mutex::new(None);

fn main() {}
