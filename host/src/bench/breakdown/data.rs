//! Breakdowns as data.

use serde_json::{Value, json};

use super::log::Privilege;
use super::{Call, Names, typical, who};
use crate::board::{Board, Simulator};

/// Number of this layout of the document.
const SCHEMA: u32 = 1;

/// What was measured, and on what.
pub struct Origin<'a> {
    /// The suite.
    pub suite: &'a str,
    /// The board, in the memory that it had.
    pub board: &'a Board,
}

/// The document of a case's calls: how long each took, and the stretches of the typical one.
#[must_use]
pub fn document(origin: &Origin<'_>, case: &str, calls: &[Call], names: &dyn Names) -> Value {
    let each: Vec<Value> = calls
        .iter()
        .map(|call| json!({ "number": call.number, "cycles": call.cycles() }))
        .collect();
    json!({
        "schema": SCHEMA,
        "suite": origin.suite,
        "case": case,
        "board": origin.board.name,
        "memory": origin.board.simulator().map(Simulator::memory),
        "calls": each,
        "typical": typical(calls).map(|call| described(call, names)),
    })
}

fn described(call: &Call, names: &dyn Names) -> Value {
    let start = call.stretches.first().map_or(0, |it| it.begin);
    let stretches: Vec<Value> = call
        .stretches
        .iter()
        .map(|it| {
            let place = |address: Option<u32>| {
                address.map(|address| {
                    let function = names.function(it.privilege, it.space, address);
                    json!({ "address": address, "function": function })
                })
            };
            json!({
                "at": it.begin - start,
                "cycles": it.cycles(),
                "who": who(it, names),
                "privilege": match it.privilege {
                    Privilege::User => "user",
                    Privilege::Machine => "machine",
                },
                "satp": it.space,
                "from": place(it.entered),
                "to": place(it.left),
            })
        })
        .collect();
    let reports = call.reports.iter();
    let reports = reports.map(|it| json!({ "at": it.cycle - start, "word": it.value }));
    json!({
        "number": call.number,
        "cycles": call.cycles(),
        "stretches": stretches,
        "reports": reports.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Fake, recorded};
    use super::*;

    #[test]
    fn the_document_has_each_call_and_the_stretches_of_the_typical_one() {
        let lab = crate::lab::Lab::open().unwrap();
        let origin = Origin {
            suite: "xous",
            board: lab.board("vexriscv").unwrap(),
        };
        let document = document(&origin, "scalar", &recorded(), &Fake);
        assert_eq!(document["schema"], 1);
        assert_eq!(document["memory"], "RAM latency 2,1,2, two ports");
        assert_eq!(
            document["calls"],
            json!([{"number": 0, "cycles": 300}, {"number": 1, "cycles": 130}])
        );
        let typical = &document["typical"];
        assert_eq!(
            (&typical["number"], &typical["cycles"]),
            (&json!(0), &json!(300))
        );
        let stretches = typical["stretches"].as_array().unwrap();
        let cycles: u64 = stretches
            .iter()
            .filter_map(|it| it["cycles"].as_u64())
            .sum();
        assert_eq!(cycles, 300);
        assert_eq!(stretches[0]["from"], Value::Null);
        let reports = json!([
            { "at": 0, "word": 0x1111_0000_u32 }, { "at": 300, "word": 0x2222_0000_u32 }
        ]);
        assert_eq!(typical["reports"], reports);
        assert_eq!(
            stretches[3],
            json!({
                "at": 120, "cycles": 40, "who": "server, user", "privilege": "user",
                "satp": 0x8000_0002_u32,
                "from": {"address": 0x10800, "function": "f10800"},
                "to": {"address": 0x10820, "function": "f10820"},
            })
        );
    }
}
