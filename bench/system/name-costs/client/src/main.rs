//! Measures what it takes to find a service by its name, among few names and among many. What is found is given back
//! each time, since it takes a handle: that is measured by itself, too.
#![no_std]

use measure::{Benchmark, Case, Counter, Figures, Meter};
use riposte::{Connection, println};
use riposte_names::Names;

struct Locate;

impl Benchmark for Locate {
    fn run<C: Counter>(meter: Meter<C>) {
        let iterations = riposte::setting("iterations").unwrap();
        let names = Names::connect().unwrap();
        let mut shop = riposte::connect("shop").unwrap();
        for (count, [exact, below]) in [
            (16, ["locate-16", "locate-below-16"]),
            (256, ["locate-256", "locate-below-256"]),
        ] {
            shop.send_words([count]).unwrap();
            locate(meter, iterations, &names, "/dev/door007").report(case(exact));
            locate(meter, iterations, &names, "/dev/door007/left/side").report(case(below));
        }
        close(meter, iterations, &mut shop).report(case("open-and-close"));
    }
}

fn case(name: &'static str) -> Case {
    Case {
        name,
        protected: true,
        bytes: 0,
    }
}

/// Finds the path, and gives back what was found.
#[inline(never)]
fn locate<C: Counter>(meter: Meter<C>, iterations: u32, names: &Names, path: &str) -> Figures {
    meter.measure(iterations, || {
        let found = names.locate(path).unwrap();
        found.connection.close().unwrap();
    })
}

/// Gives a connection back, and opens it again: what to take off for the former, and a little more.
#[inline(never)]
fn close<C: Counter>(meter: Meter<C>, iterations: u32, shop: &mut Connection) -> Figures {
    meter.measure(iterations, || {
        Connection::from_handle(shop.handle()).close().unwrap();
        shop.reconnect().unwrap();
    })
}

#[riposte::main]
fn main() {
    measure::measure::<Locate>();
    println!("@done");
    let error = riposte::shutdown(0);
    panic!("shutdown: {error}");
}
