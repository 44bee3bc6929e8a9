#[riposte::thread]
fn worker() {}

fn main() {}
