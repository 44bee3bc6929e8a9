//! Every interleaving of three threads and what they use: most worlds to the end, the largest ones
//! to a depth.

use riposte_explorer::{Report, World, explore};

fn walk(world: &World, depth: usize) -> Report {
    let report = explore(world, depth);
    println!(
        "explored {}: {} states, {} transitions, depth {}{}",
        world.name,
        report.states,
        report.transitions,
        report.depth,
        if report.complete { ", complete" } else { "" }
    );
    report
}

/// No walk is this long: it ends because nothing is left to see.
const END: usize = usize::MAX;

macro_rules! worlds {
    ($($test:ident: $world:ident to $depth:expr, at least $states:expr;)*) => {$(
        #[test]
        fn $test() {
            let report = walk(&World::$world(), $depth);
            assert_eq!(report.complete, $depth == END);
            assert!(report.states >= $states, "there was more to see: {report:?}");
        }
    )*};
}

worlds! {
    every_interleaving_of_two_servers_and_a_client_holds: two_servers to END, at least 16_000;
    every_interleaving_of_two_receivers_of_one_channel_holds: two_receivers to END, at least 30_000;
    every_interleaving_of_a_pool_and_a_server_that_use_each_other_holds: pool to 8, at least 40_000;
    every_interleaving_of_two_clients_and_a_server_holds: two_clients to 10, at least 50_000;
    every_interleaving_of_a_server_and_its_courier_holds: courier to END, at least 29_000;
    every_interleaving_of_a_driver_and_its_interrupts_holds: driver to END, at least 12_000;
    every_interleaving_with_bytes_and_interruptions_holds: bytes to END, at least 33_000;
    every_interleaving_of_words_and_locks_holds: words to 8, at least 60_000;
    every_interleaving_of_a_lock_and_a_server_holds: owners to END, at least 36_000;
}

// What these do, the lean kernel has nothing of.
#[cfg(not(feature = "lean"))]
worlds! {
    every_interleaving_of_a_chain_of_servers_holds: chain to END, at least 60_000;
    every_interleaving_of_servers_that_hand_clients_on_holds: relays to END, at least 60_000;
    every_interleaving_of_processes_that_use_each_other_holds: mutual to END, at least 40_000;
    every_interleaving_of_processes_that_are_held_holds: held to END, at least 67_000;
    every_interleaving_of_a_process_that_controls_others_holds: controlled to END, at least 5_300;
    every_interleaving_with_notices_and_selection_holds: special to END, at least 80_000;
    every_interleaving_of_proxies_holds: proxies to END, at least 10_000;
    every_interleaving_of_handing_on_holds: handing_on to 26, at least 50_000;
    every_interleaving_of_introducing_holds: introducing to 24, at least 20_000;
    every_interleaving_of_loans_holds: loans to END, at least 9_000;
    every_interleaving_of_timers_holds: timers to END, at least 16_600;
    every_interleaving_of_moving_on_holds: moving_on to END, at least 11_000;
    every_interleaving_of_regions_holds: regions to 14, at least 140_000;
    every_interleaving_of_words_of_regions_holds: region_words to 15, at least 100_000;
    every_interleaving_of_programs_that_come_and_go_holds: programs to END, at least 1_000;
    every_interleaving_of_signals_holds: signals to 11, at least 50_000;
    every_interleaving_of_threads_that_take_turns_holds: turns to END, at least 30_000;
    every_interleaving_of_threads_that_start_and_end_holds: threads to 6, at least 5_000;
    every_interleaving_of_a_semaphore_holds: semaphore to END, at least 340;
}

/// `RIPOSTE_EXPLORE_DEPTH=100 cargo test -p riposte-explorer -- --ignored --nocapture` sees all there
/// is, in some minutes.
#[test]
#[cfg(not(feature = "lean"))]
#[ignore = "takes as long as RIPOSTE_EXPLORE_DEPTH says"]
fn every_interleaving_holds_to_the_depth_that_was_asked_for() {
    let depth = std::env::var("RIPOSTE_EXPLORE_DEPTH").map_or(8, |text| {
        text.parse().expect("RIPOSTE_EXPLORE_DEPTH is a number")
    });
    for world in World::all() {
        let _ = walk(&world, depth);
    }
}
