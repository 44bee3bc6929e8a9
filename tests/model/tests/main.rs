//! The tests of the kernel's promises, a module for each kind. They are one program, which the compiler makes in a third of
//! the time of many; and a package of their own, which is not optimised as the model is.
//!
//! With the feature `lean` they are those of the kernel that most devices have: a test of what that one has nothing of is
//! ignored, or its module is absent.

mod attack;
mod begun;
mod blame;
mod bounds;
#[cfg(not(feature = "lean"))]
mod control;
mod copies;
mod deadlock;
mod death;
#[cfg(not(feature = "lean"))]
mod eleventh;
mod fast_path;
#[cfg(not(feature = "lean"))]
mod fourteenth;
mod futex;
mod guests;
mod half_dead;
mod half_dead_refusals;
mod half_dead_yield;
#[cfg(not(feature = "lean"))]
mod half_held;
mod handles;
mod hostile;
mod inheritance;
mod interrupt;
mod invariants;
mod left_over;
#[cfg(not(feature = "lean"))]
mod lend;
mod lock;
mod messages;
mod ninth;
mod notification;
mod one_peer;
mod order;
mod priority_list;
#[cfg(not(feature = "lean"))]
mod programs;
mod property;
#[cfg(not(feature = "lean"))]
mod proxy;
mod readers;
mod reading;
#[cfg(not(feature = "lean"))]
mod region;
#[cfg(not(feature = "lean"))]
mod region_storm;
#[cfg(not(feature = "lean"))]
mod relay;
#[cfg(not(feature = "lean"))]
mod relay_receivers;
mod replies;
#[cfg(not(feature = "lean"))]
mod signals;
#[cfg(not(feature = "lean"))]
mod snapshot;
#[cfg(not(feature = "lean"))]
mod states;
mod storm;
#[cfg(not(feature = "lean"))]
mod tenth;
#[cfg(not(feature = "lean"))]
mod thirteenth;
mod threads;
mod time;
#[cfg(not(feature = "lean"))]
mod timer;
mod twelfth;
mod urgency;
mod words;

#[test]
fn every_file_beside_this_one_is_a_module_of_it() {
    let folder = env!("CARGO_MANIFEST_DIR");
    let files = std::fs::read_dir(folder).expect("the folder of this file");
    let names = files.map(|file| file.expect("an entry").file_name().into_string());
    let names = names.map(|name| name.expect("names are UTF-8"));
    let modules = names.filter_map(|name| name.strip_suffix(".rs").map(str::to_owned));
    let this = include_str!("main.rs");
    let missing: Vec<String> = modules
        .filter(|name| name != "main" && !this.contains(&format!("\nmod {name};\n")))
        .collect();
    assert!(missing.is_empty(), "their tests do not run: {missing:?}");
}
