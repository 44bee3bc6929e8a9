//! A client that says more than is kept.

use check::{equal, holds};
use riposte::{Connection, Text};

use crate::{next, order, reader, tell};

const RECORDS: u32 = 200;

pub fn floods(talker: &Connection, flooder: &Connection) {
    let mut log = reader();
    let (mut others, mut last) = (0, 0);
    while let Ok(Some(said)) = next(&mut log) {
        others += 1;
        last = said.entry.record.sequence;
    }
    equal(
        "a flood goes through",
        tell(flooder, order::FLOOD, RECORDS),
        0,
    );
    tell(talker, order::HELLO, 13);
    let mut log = reader();
    let (mut kept, mut lost, mut of_others, mut end) = (0, 0, 0, 0);
    while let Ok(Some(said)) = next(&mut log) {
        let mut room = [0; 8];
        let mut name = Text::new(&mut room);
        let _ = log.name(&said.entry.record, &mut name);
        end = said.entry.record.sequence;
        match name.as_str() {
            "flooder" => kept += 1,
            _ => of_others += 1,
        }
        if end > last {
            lost += said.entry.lost;
        }
    }
    equal("it costs nobody else a record", of_others, others + 1);
    holds("its newest records are kept", kept > 1);
    equal(
        "what is not kept is counted",
        kept + lost,
        u64::from(RECORDS),
    );
    equal("in the order of all", end, last + u64::from(RECORDS) + 1);
}
