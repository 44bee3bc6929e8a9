//! Lends, sees what the others may do with memory, and compares it with what was to happen.
#![no_std]

mod alone;
mod bench;
mod threads;
mod travels;

#[riposte::main]
fn main() {
    let mut bench = bench::Bench::new();
    alone::refusals(&bench);
    alone::loans(&mut bench);
    alone::attempts(&mut bench);
    alone::deadline(&bench);
    alone::death(&mut bench);
    threads::loans(&mut bench);
    threads::before_it_is_received(&mut bench);
    threads::death(&mut bench);
    travels::home(&mut bench);
    travels::on(&mut bench);
    travels::at_once(&mut bench);
    travels::in_between(&mut bench);
    travels::failures(&mut bench);
    check::done();
}
