//! Prints how often each call had each outcome in the rounds of a boot, on the model: a call that comes to nothing
//! finds nothing.
//!
//! `cargo run -p riposte-fuzz-model --example outcomes -- SEED ROUNDS`

use std::collections::BTreeMap;

use riposte_abi::{Error, info};
use riposte_fuzz_model::{describe, play};

fn main() {
    let mut arguments = std::env::args().skip(1).map(|it| it.parse().unwrap());
    let (seed, rounds): (u32, u32) = (arguments.next().unwrap(), arguments.next().unwrap());
    let mut outcomes: BTreeMap<String, u32> = BTreeMap::new();
    let mut calls = 0;
    for record in (0..rounds).flat_map(|round| play(seed, round).records) {
        let outcome = match Error::from_number(record[1]) {
            Some(error) if record[2] & info::ERROR != 0 => format!("{error:?}"),
            // Most return no word, some whether something was so.
            _ => format!("done, {}", if record[3] == 0 { "0" } else { "not 0" }),
        };
        let call = describe::name(record[0] >> 8 & 0xFFF);
        *outcomes.entry(format!("{call}: {outcome}")).or_default() += 1;
        calls += 1;
    }
    println!("{calls} calls");
    for (outcome, count) in outcomes {
        println!("{count:7} {outcome}");
    }
}
