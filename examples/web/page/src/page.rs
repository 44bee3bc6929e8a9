//! The page for a person.

use riposte::Instant;
use riposte_network::State;

use crate::response::Response;
use crate::threads::{self, Does, Thread};

const HEAD: &str = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Riposte</title>\
<meta http-equiv=\"refresh\" content=\"5\"><style>\
body{font:16px/1.5 system-ui,sans-serif;margin:2em auto;max-width:50em;padding:0 1em}\
table{border-collapse:collapse;width:100%}td,th{text-align:left;padding:.2em .8em .2em 0;border-bottom:1px solid #ccc}\
td.n,th.n{text-align:right}</style></head><body>\n";

/// Writes it.
pub fn write(to: &mut Response<'_>, network: &State) {
    to.text(HEAD);
    let seconds = Instant::now().as_nanos() / 1_000_000_000;
    to.format(format_args!(
        "<h1>Riposte</h1>\n<p>Up for {seconds} s. This page is served by the process <code>"
    ));
    to.name(riposte::process_name());
    to.text(
        "</code>, which may ask what others do, and nothing else. <a href=\"state.json\">As JSON.</a></p>\n\
        <h2>Threads</h2>\n<table><tr><th>process<th class=n>thread<th class=n>priority<th class=n>stack used<th>does</tr>\n",
    );
    for thread in threads::all() {
        row(to, &thread);
    }
    to.text("</table>\n<h2>Network</h2>\n<table>");
    let State {
        address,
        prefix,
        gateway,
        is_up,
        device,
        ..
    } = network;
    let [a, b, c, d, e, f] = device;
    let link = if *is_up { "up" } else { "down" };
    to.format(format_args!(
        "<tr><td>address<td>{address}/{prefix}</tr><tr><td>gateway<td>{gateway}</tr>\
        <tr><td>device<td>{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{f:02x}, link {link}, started again {} times</tr>\
        <tr><td>sent<td>{} frames, {} bytes, {} more lost</tr><tr><td>received<td>{} frames, {} bytes</tr>",
        network.restarts,
        network.sent,
        network.sent_bytes,
        network.lost,
        network.received,
        network.received_bytes
    ));
    to.text("</table>\n</body></html>\n");
}

fn row(to: &mut Response<'_>, thread: &Thread) {
    to.text("<tr><td>");
    to.name(thread.process);
    to.format(format_args!(
        "<td class=n>{}<td class=n>{}<td class=n>{} of {}<td>{}</tr>\n",
        thread.number,
        thread.state.priority,
        thread.used,
        thread.state.stack,
        Does(thread.state.doing)
    ));
}
