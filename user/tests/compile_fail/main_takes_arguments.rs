#[riposte::main(stack = 1024)]
fn start() {}

fn main() {}
