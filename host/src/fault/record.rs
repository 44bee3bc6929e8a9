//! The fault record as the supervisor prints it.

use riposte_abi::fault::{REGISTERS, TEXT_BYTES, TRACE, reason};
use serde_json::Value;

use crate::layout::Layouts;

/// [`riposte_abi::fault::Record`], as far as a report needs it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Record {
    /// Faults of this process so far.
    pub count: u32,
    /// Index of the process in the manifest.
    pub process: usize,
    /// Index of the thread within the process.
    pub thread: usize,
    /// One of [`riposte_abi::fault::reason`].
    pub reason: u32,
    /// One of [`riposte_abi::fault::action`].
    pub action: u32,
    /// What it touched, if the hardware tells.
    pub address: Option<u32>,
    /// As the processor family has them (see [`riposte_abi::fault::Record`]).
    pub registers: Vec<u32>,
    /// Words of its stack that look like return addresses, newest first.
    pub trace: Vec<u32>,
    /// Bytes that each thread of the process has never used of its stack, as far as that was told.
    pub stacks_unused: Vec<u32>,
    /// Panic message.
    pub text: String,
    /// The board stood still before the kernel had taken all of it.
    pub unfinished: bool,
}

impl Record {
    /// The register at `position`; 0 if it was not told.
    #[must_use]
    pub fn register(&self, position: usize) -> u32 {
        self.registers.get(position).copied().unwrap_or_default()
    }

    /// Whether this is told of the same fault, with all that the kernel has kept of it.
    #[must_use]
    pub fn is(&self, kept: &Record) -> bool {
        let of_the_kernel = |it: &Record| Record {
            // Those of its stacks are counted when it is told.
            stacks_unused: vec![],
            ..it.clone()
        };
        of_the_kernel(self) == of_the_kernel(kept)
    }

    /// Whether the process did what it may not, or panicked: it has not ended by itself or at another one's wish.
    #[must_use]
    pub fn is_a_fault(&self) -> bool {
        !matches!(self.reason, reason::EXIT | reason::CONTROLLED)
    }
}

/// Where the kernel keeps the parts of a record in a process.
pub struct Members {
    count: usize,
    thread: usize,
    reason: usize,
    action: usize,
    address: usize,
    address_valid: usize,
    registers: usize,
    trace: usize,
    text_length: usize,
    text: usize,
    known: usize,
    text_left: usize,
}

impl Members {
    /// By the kernel's debug information, if it has that.
    #[must_use]
    pub fn new(kernel: &Layouts) -> Option<Members> {
        let at = |name| {
            kernel
                .offset("Process", &["record", name])
                .map(|it| it as usize)
        };
        Some(Members {
            count: at("count")?,
            thread: at("thread")?,
            reason: at("reason")?,
            action: at("action")?,
            address: at("address")?,
            address_valid: at("address_valid")?,
            registers: at("registers")?,
            trace: at("trace")?,
            text_length: at("text_length")?,
            text: at("text")?,
            known: at("known")?,
            text_left: at("text_left")?,
        })
    }

    /// The record in the bytes of process `index`, if it has one.
    #[must_use]
    pub fn read(&self, index: usize, bytes: &[u8]) -> Option<Record> {
        let words = |at: usize, count: usize| -> Option<Vec<u32>> {
            let bytes = bytes.get(at..)?.get(..count * 4)?;
            let words = bytes.as_chunks::<4>().0.iter();
            Some(words.map(|it| u32::from_le_bytes(*it)).collect())
        };
        let word = |at| words(at, 1).map(|it| it[0]);
        let address = word(self.address)?;
        let length = (word(self.text_length)? as usize).min(TEXT_BYTES);
        let text = bytes.get(self.text..)?.get(..length)?;
        // Its registers, which come first, or its text: what is left of them is nothing once they are taken.
        let unfinished = *bytes.get(self.known)? != 0 || word(self.text_left)? != 0;
        let trace = words(self.trace, TRACE)?.into_iter();
        let record = Record {
            count: word(self.count)?,
            process: index,
            thread: word(self.thread)? as usize,
            reason: word(self.reason)?,
            action: word(self.action)?,
            address: (word(self.address_valid)? != 0).then_some(address),
            registers: words(self.registers, REGISTERS)?,
            trace: trace.take_while(|word| *word != 0).collect(),
            stacks_unused: vec![],
            text: printed(text),
            unfinished,
        };
        (record.count != 0).then_some(record)
    }
}

/// A text as the supervisor prints it.
fn printed(text: &[u8]) -> String {
    let mut printed = String::new();
    for chunk in text.utf8_chunks() {
        let chars = chunk.valid().chars();
        printed.extend(chars.map(|it| match it {
            '\n' | '\t' => it,
            '\0'..='\x1F' => '?',
            _ => it,
        }));
        if !chunk.invalid().is_empty() {
            printed.push('?');
        }
    }
    printed
}

/// Reads a record whose fields have the names of the ABI's. Numbers may be hexadecimal text.
#[must_use]
pub fn parse(json: &str) -> Option<Record> {
    let value: Value = serde_json::from_str(json).ok()?;
    let field = |name: &str| number(&value[name]);
    let list = |name: &str| -> Vec<u32> {
        let items = value[name].as_array();
        items.into_iter().flatten().filter_map(number).collect()
    };
    let valid = match &value["address_valid"] {
        Value::Bool(valid) => *valid,
        other => number(other).unwrap_or_default() != 0,
    };
    Some(Record {
        count: field("count").unwrap_or_default(),
        process: field("process")? as usize,
        thread: field("thread").unwrap_or_default() as usize,
        reason: field("reason")?,
        action: field("action").unwrap_or_default(),
        address: field("address").filter(|_| valid),
        registers: list("registers"),
        trace: list("trace")
            .into_iter()
            .take_while(|word| *word != 0)
            .collect(),
        stacks_unused: list("stacks_unused"),
        text: value["text"].as_str().unwrap_or_default().into(),
        unfinished: false,
    })
}

fn number(value: &Value) -> Option<u32> {
    match value {
        Value::String(text) => {
            let digits = text.strip_prefix("0x")?;
            u32::from_str_radix(digits, 16).ok()
        }
        other => u32::try_from(other.as_u64()?).ok(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_is_read_by_the_names_of_the_abi() {
        let record = parse(
            r#"{"count":2,"process":1,"thread":0,"reason":1,"action":1,"address":"0x20010000",
                "address_valid":1,"registers":[1,2],"trace":[257,0,9],"text":""}"#,
        )
        .unwrap();
        assert_eq!(record.address, Some(0x2001_0000));
        assert_eq!((record.process, record.count), (1, 2));
        assert_eq!(record.trace, [257]);
    }

    #[test]
    fn a_record_of_which_the_kernel_had_not_taken_all_says_so() {
        const TEXT: usize = (9 + REGISTERS + TRACE) * 4;
        let members = Members {
            count: 0,
            thread: 4,
            reason: 8,
            action: 12,
            address: 16,
            address_valid: 20,
            text_length: 24,
            text_left: 28,
            known: 32,
            registers: 36,
            trace: 36 + REGISTERS * 4,
            text: TEXT,
        };
        let mut bytes = [0; TEXT + TEXT_BYTES];
        bytes[0] = 1;
        let unfinished = |bytes: &[u8]| members.read(0, bytes).map(|it| it.unfinished);
        assert_eq!(unfinished(&bytes), Some(false));
        bytes[28] = 64;
        assert_eq!(unfinished(&bytes), Some(true));
        bytes[28] = 0;
        bytes[32] = 2;
        assert_eq!(unfinished(&bytes), Some(true));
    }

    #[test]
    fn an_address_that_the_hardware_did_not_tell_is_not_shown() {
        let json = r#"{"process":0,"reason":6,"address":123,"address_valid":0}"#;
        assert_eq!(parse(json).unwrap().address, None);
    }

    #[test]
    fn what_is_no_record_is_left_alone() {
        assert_eq!(parse("nonsense"), None);
        assert_eq!(parse("{}"), None);
    }
}
