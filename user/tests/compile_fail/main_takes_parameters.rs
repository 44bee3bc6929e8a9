#[riposte::main]
fn start(arguments: &[&str]) {}

fn main() {}
