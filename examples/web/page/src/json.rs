//! The same for a program.

use riposte::Instant;
use riposte_network::State;

use crate::response::Response;
use crate::threads::{self, Does};

/// Writes it.
pub fn write(to: &mut Response<'_>, network: &State) {
    let nanoseconds = Instant::now().as_nanos();
    to.format(format_args!("{{\"uptime_ns\":{nanoseconds},\"threads\":["));
    for (place, thread) in threads::all().enumerate() {
        to.text(if place == 0 {
            "{\"process\":\""
        } else {
            ",{\"process\":\""
        });
        to.name(thread.process);
        to.format(format_args!(
            "\",\"thread\":{},\"priority\":{},\"stack\":{},\"stack_used\":{},\"does\":\"{}\"}}",
            thread.number,
            thread.state.priority,
            thread.state.stack,
            thread.used,
            Does(thread.state.doing)
        ));
    }
    let State {
        address,
        prefix,
        gateway,
        is_up,
        ..
    } = network;
    to.format(format_args!(
        "],\"network\":{{\"address\":\"{address}\",\"prefix\":{prefix},\"gateway\":\"{gateway}\",\"link\":{is_up},\
        \"driver_restarts\":{},\"frames_sent\":{},\"bytes_sent\":{},\"frames_received\":{},\"bytes_received\":{},\
        \"frames_lost\":{}}}}}\n",
        network.restarts,
        network.sent,
        network.sent_bytes,
        network.received,
        network.received_bytes,
        network.lost
    ));
}
