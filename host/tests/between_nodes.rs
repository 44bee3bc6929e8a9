//! What is measured between two nodes.

use riposte_host::bench;
use riposte_host::lab::Lab;

/// Bytes of the longest datagram, and of what is around one in its frame: of Ethernet (14), IP (20) and UDP (8).
const LONGEST: u32 = 1472;
const AROUND: u32 = 42;
/// What a frame takes of an Ethernet beside its bytes, and its shortest without its check sum.
const BESIDE: u32 = 24;
const SHORTEST: u32 = 60;

/// Bytes of a FIFO that go in one message.
const PIECE: u32 = 1024;

/// What is around a message in a datagram: what the frame begins with, a header, and a seal.
const SEALED: u32 = 16 + 24 + 16;

/// How many frames there are depends on the time of this machine: one that is late is sent again. That there are two on a quiet
/// wire the board test of circuits says.
#[test]
fn a_message_between_two_nodes_takes_instructions_of_both_and_bytes_of_the_wire() {
    let lab = Lab::open().expect("the repository");
    let board = lab.board("virt-rv32").expect("there");
    let group = bench::measure_nodes(&lab, "qnx", "two-nodes-messages", board, 32);
    let group = group.expect("it runs");
    assert!(group.points.iter().map(|it| it.bytes).eq([1, 32]));
    for point in &group.points {
        assert_eq!(point.case, "messages");
        let [near, far] = point.instructions;
        assert!((10_000.0..500_000.0).contains(&near), "{point:?}");
        assert!((10_000.0..500_000.0).contains(&far), "{point:?}");
        let frame = point.bytes + SEALED + AROUND + BESIDE;
        assert!(point.on_ethernet > f64::from(frame) * 0.5, "{point:?}");
    }
}

/// A piece goes each way of a turn, and more of them than one frame carries for what is longer than a piece.
#[test]
fn a_fifo_between_two_nodes_takes_instructions_of_both_and_bytes_of_the_wire() {
    let lab = Lab::open().expect("the repository");
    let board = lab.board("virt-rv32").expect("there");
    let group = bench::measure_nodes(&lab, "qnx", "two-nodes-fifos", board, 2048);
    let group = group.expect("it runs");
    let bytes = group.points.iter().map(|it| it.bytes);
    assert!(bytes.eq([1, 32, 100, 128, 512, 1024, 2048]));
    for point in &group.points {
        assert_eq!(point.case, "fifos");
        let pieces = f64::from(point.bytes.div_ceil(PIECE));
        for instructions in point.instructions {
            let of_a_piece = instructions / pieces;
            assert!((20_000.0..500_000.0).contains(&of_a_piece), "{point:?}");
        }
        assert!(point.frames > pieces, "{point:?}");
        assert!(point.on_ethernet > f64::from(point.bytes), "{point:?}");
    }
}

#[test]
fn a_datagram_between_two_nodes_takes_its_frames_and_instructions_of_both() {
    let lab = Lab::open().expect("the repository");
    let board = lab.board("virt-rv32").expect("there");
    let group = bench::measure_nodes(&lab, "qnx", "two-nodes", board, 2048).expect("it runs");
    let bytes = group.points.iter().map(|it| it.bytes);
    assert!(bytes.eq([1, 32, 100, 128, 512, 1024, 2048]));
    for point in &group.points {
        let parts = point.bytes.div_ceil(LONGEST);
        assert_eq!(point.frames, f64::from(parts), "{point:?}");
        let whole = point.bytes / LONGEST * (LONGEST + AROUND + BESIDE);
        let rest = match point.bytes % LONGEST {
            0 => 0,
            bytes => (bytes + AROUND).max(SHORTEST) + BESIDE,
        };
        assert_eq!(point.on_ethernet, f64::from(whole + rest), "{point:?}");
        for instructions in point.instructions {
            let of_a_part = instructions / f64::from(parts);
            assert!((5_000.0..60_000.0).contains(&of_a_part), "{point:?}");
        }
    }
}
