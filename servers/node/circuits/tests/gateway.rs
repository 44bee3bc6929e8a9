//! The gateway, which is built in its own stage alone, has ends of circuits that go with the protocol as it is.

#[path = "../../../../gateway/src/program.rs"]
#[expect(dead_code, reason = "the rest of the gateway uses it")]
mod program;

use node_circuits::{BLOCKS, Blocks, Ends};
use program::Program;

#[test]
fn the_gateway_keeps_messages_in_the_blocks_that_the_protocol_names() {
    let mut program = Program::new();
    let last = BLOCKS - 1;
    program.keep(0, b"first");
    program.keep(last, b"last");
    let mut bytes = [0; 4];
    program.recall(last, &mut bytes);
    assert_eq!(&bytes, b"last");
    assert!(program.gather(Blocks::NONE, 4).is_empty());
}
