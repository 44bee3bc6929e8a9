//! A fault record as one line of JSON.

use core::fmt::{Result, Write};

use riposte::abi::fault::Record;

/// Writes the line, with the names of the record's fields, and what each thread of the process has left of its stack.
pub fn write(out: &mut impl Write, record: &Record, stacks: impl Iterator<Item = u32>) -> Result {
    write!(
        out,
        "@fault {{\"count\":{},\"process\":{},\"thread\":{},\"reason\":{},\"action\":{},\
         \"address\":\"{:#x}\",\"address_valid\":{},\"registers\":",
        record.count,
        record.process,
        record.thread,
        record.reason,
        record.action,
        record.address,
        record.address_valid,
    )?;
    list(out, record.registers)?;
    out.write_str(",\"trace\":")?;
    list(out, record.trace)?;
    out.write_str(",\"stacks_unused\":")?;
    list(out, stacks)?;
    out.write_str(",\"text\":\"")?;
    let length = (record.text_length as usize).min(record.text.len());
    let text = record.text.get(..length).unwrap_or_default();
    for chunk in text.utf8_chunks() {
        chunk
            .valid()
            .chars()
            .try_for_each(|char| escaped(out, char))?;
        // The kernel cuts a long text where it is full, maybe within a character.
        if !chunk.invalid().is_empty() {
            out.write_char('?')?;
        }
    }
    out.write_str("\"}\n")
}

fn list(out: &mut impl Write, words: impl IntoIterator<Item = u32>) -> Result {
    out.write_char('[')?;
    for (index, word) in words.into_iter().enumerate() {
        let separator = if index == 0 { "" } else { "," };
        write!(out, "{separator}\"{word:#x}\"")?;
    }
    out.write_char(']')
}

fn escaped(out: &mut impl Write, char: char) -> Result {
    match char {
        '"' | '\\' => write!(out, "\\{char}"),
        '\n' => out.write_str("\\n"),
        '\t' => out.write_str("\\t"),
        // No character takes more than two bytes for one: a text of them has to fit the line.
        '\0'..='\x1F' => out.write_char('?'),
        _ => out.write_char(char),
    }
}
