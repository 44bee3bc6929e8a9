//! Clients of several priorities, and the judge of what they see. The judge opens one phase after
//! the other; each thread knows what it does in which.
#![no_std]

mod circle;
mod inherit;
mod phase;
mod policy;
mod queue;

#[riposte::main]
fn main() {
    queue::judge();
    inherit::judge();
    policy::judge();
    circle::judge();
    check::done();
}

/// The least urgent client.
#[riposte::thread]
fn low() -> ! {
    queue::client(1);
    inherit::low();
    phase::rest()
}

#[riposte::thread]
fn middle() -> ! {
    queue::client(2);
    inherit::middle();
    phase::rest()
}

#[riposte::thread]
fn high() -> ! {
    queue::client(3);
    inherit::high();
    phase::rest()
}

/// As urgent as `middle`.
#[riposte::thread]
fn second() -> ! {
    queue::client(4);
    phase::rest()
}

#[riposte::thread]
fn turn_a() -> ! {
    policy::take_turns(0)
}

#[riposte::thread]
fn turn_b() -> ! {
    policy::take_turns(1)
}

#[riposte::thread]
fn row_a() -> ! {
    policy::in_a_row(0)
}

#[riposte::thread]
fn row_b() -> ! {
    policy::in_a_row(1)
}
