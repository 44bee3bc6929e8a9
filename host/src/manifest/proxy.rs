//! `[[proxy]]`, and the keys `proxies` and `timers` of a process.

use riposte_abi::MAX_PROXY_BYTES;

use super::application::{Channel, Process, Proxy};
use super::check::{Check, Names};
use super::written::{Manifest, ProcessTable, ProxyTable};
use crate::plan::Objects;
use crate::source::At;

/// Handle slots limit both kinds together.
const MOST: u32 = riposte_abi::call::INDEX_MASK;

/// What a process can make itself.
pub fn objects(check: &mut Check, table: &ProcessTable) -> Objects {
    let mut number = |written: &Option<At<i64>>, what| {
        let written = written.as_ref();
        written.map_or(0, |number| check.in_range(number, what, 0..=MOST))
    };
    Objects {
        proxies: number(&table.proxies, "number of proxies"),
        timers: number(&table.timers, "number of timers"),
        fixed: Vec::new(),
        timer_rate: 0,
    }
}

/// The names of the proxies, none of which is a channel's.
pub fn names<'a>(check: &mut Check, manifest: &'a Manifest, channels: &Names) -> Names<'a> {
    let tables = || manifest.proxy.iter().map(|table| &table.value.name);
    for name in tables() {
        if channels.get(&name.value).is_some() {
            let message = format!("there is a channel called `{}`, too", name.value);
            let help = "a connection names either: give the proxy another name";
            check.refuse(name.span, message, help);
        }
    }
    Names::collect(check, "proxy", "proxies", tables())
}

/// The proxy, if it has a channel.
pub fn proxy(check: &mut Check, channels: &Names, table: &ProxyTable) -> Option<Proxy> {
    let message = format!("proxy `{}` has no channel", table.name.value);
    let channel = channels.find(check, &table.channel, &message);
    Some(Proxy {
        name: table.name.clone(),
        message: text(check, table),
        channel: channel?,
    })
}

fn text(check: &mut Check, table: &ProxyTable) -> Vec<u8> {
    let Some(text) = &table.message else {
        return Vec::new();
    };
    let length = text.value.len();
    if length > MAX_PROXY_BYTES {
        let message = format!("a message of {length} bytes is too long for a proxy");
        let help = format!("write at most {MAX_PROXY_BYTES} bytes");
        check.refuse(text.span, message, help);
    }
    text.value.clone().into_bytes()
}

/// Gives each process the proxies of its channels.
pub fn own_proxies(proxies: &[Proxy], channels: &[Channel], processes: &mut [Process]) {
    for (index, proxy) in proxies.iter().enumerate() {
        let owner = channels[proxy.channel].owner;
        processes[owner].objects.fixed.push(index);
    }
}
