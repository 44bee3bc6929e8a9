fn handle_here(stack: &'static mut [u8]) -> Result<(), riposte::Error> {
    riposte::signal::use_stack(stack)
}

fn main() {}
