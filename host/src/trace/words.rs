//! Events in words.

use riposte_abi::{fault::reason, notice};
use serde_json::{Map, Value, json};

use super::event::{Due, What};
use super::names::Names;

/// What an event is called, and what it says beside.
#[must_use]
pub fn of(names: &Names, what: What) -> (String, Map<String, Value>) {
    let (name, says) = match what {
        What::Switch { from, state } => (
            "switch".to_owned(),
            json!({"from": names.thread(from), "which is": state.name()}),
        ),
        What::Send { channel, badge } => (
            format!("send to {}", names.channel(channel)),
            json!({"channel": names.channel(channel), "badge": badge}),
        ),
        What::Receive {
            client,
            badge,
            generation,
        } => (
            format!("receive from {}", names.thread(client)),
            json!({"client": names.thread(client), "badge": badge, "generation": generation}),
        ),
        What::Reply { client, status } => (
            format!("reply to {}", names.thread(client)),
            json!({"client": names.thread(client), "status": status}),
        ),
        What::End(state) => ("wait ended".to_owned(), json!({"was": state.name()})),
        What::Trigger {
            channel,
            proxy,
            times,
        } => (
            format!("proxy of {}", names.channel(channel)),
            json!({"channel": names.channel(channel), "proxy": proxy, "times": times}),
        ),
        What::Notify { channel, bits } => (
            format!("notify {}", names.channel(channel)),
            json!({"channel": names.channel(channel), "bits": bits}),
        ),
        What::Notice { notice, word } => (
            format!("notice: {}", notice_name(notice)),
            json!({"word": word}),
        ),
        What::FutexWait(word) => ("futex wait".to_owned(), json!({"word": word})),
        What::FutexWake { by } => ("futex wake".to_owned(), json!({"by": names.thread(by)})),
        What::LockWait { owner, word } => (
            format!("wait for the lock of {}", names.thread(owner)),
            json!({"owner": names.thread(owner), "word": word}),
        ),
        What::LockGiven { by } => ("lock given".to_owned(), json!({"by": names.thread(by)})),
        What::Signal { process, signal } => (
            format!("signal {signal} to {}", names.process(process)),
            json!({"process": names.process(process), "signal": signal}),
        ),
        What::Handler(signal) => (format!("handler of signal {signal}"), json!({})),
        What::Interrupt(line) => (format!("interrupt {line}"), json!({"line": line})),
        What::Deadline(due) => (format!("due: {}", due_name(names, due)), json!({})),
        What::Fault { reason, address } => (
            format!("fault: {}", fault_name(reason)),
            json!({"address": address}),
        ),
        What::Priority { before } => ("priority".to_owned(), json!({"before": before})),
        What::Stop { by } => ("stopped".to_owned(), json!({"by": names.thread(by)})),
    };
    match says {
        Value::Object(says) => (name, says),
        _ => (name, Map::new()),
    }
}

/// A notice.
#[must_use]
pub fn notice_name(notice: u32) -> &'static str {
    match notice {
        notice::CLIENT_DIED => "a client died",
        notice::UNBLOCK => "a client wants to leave",
        notice::FAULT => "a fault",
        notice::BITS => "bits",
        notice::PROXY => "a proxy",
        _ => "unknown",
    }
}

/// What a time has come of.
#[must_use]
pub fn due_name(names: &Names, due: Due) -> String {
    match due {
        Due::Thread(thread) => format!("deadline of {}", names.thread(thread)),
        Due::Timer(process, number) => format!("timer {number} of {}", names.process(process)),
        Due::Interrupt(line) => format!("interrupt {line} may come again"),
    }
}

/// Why a thread has faulted.
#[must_use]
pub fn fault_name(reason: u32) -> &'static str {
    match reason {
        reason::MEMORY => "memory",
        reason::STACK_OVERFLOW => "stack overflow",
        reason::EXECUTE => "execution of what is no code",
        reason::ILLEGAL => "illegal instruction",
        reason::ARITHMETIC => "arithmetic",
        reason::BUS => "bus",
        reason::PANIC => "panic",
        reason::BREAKPOINT => "breakpoint",
        reason::EXIT => "exit",
        reason::CONTROLLED => "stopped or restarted by another process",
        reason::SIGNAL_FRAME => "frame of a signal that is not its handler's",
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_reason_of_a_fault_has_a_name() {
        let source = include_str!("../../../abi/src/fault.rs");
        let (_, reasons) = source.split_once("pub mod reason {").expect("there");
        let (reasons, _) = reasons.split_once("\n}").expect("it ends");
        let numbers = reasons.split("pub const ").skip(1).map(|it| {
            let (_, number) = it.split_once("= ").expect("a value");
            let (number, _) = number.split_once(';').expect("it ends");
            number.parse::<u32>().expect("a number")
        });
        let names: Vec<_> = numbers.map(fault_name).collect();
        assert!(names.len() > 10, "{names:?}");
        assert!(!names.contains(&fault_name(0)), "{names:?}");
    }
}
