//! The process-info table: the names that the manifest gives a process, laid out in its flash.

use riposte_abi::process_info::{Entry, Header, MAGIC};

/// Bytes of the header and of an entry.
const HEADER: usize = size_of::<Header>();
const ENTRY: usize = size_of::<Entry>();

/// One name that a process can look up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// One of [`riposte_abi::process_info::kind`].
    pub kind: u32,
    /// Its meaning depends on the kind.
    pub value: u32,
    /// The name.
    pub name: String,
}

/// The table for address `base` of process `index`, whose own name is `process`.
#[must_use]
pub fn bytes(base: u32, index: u32, process: &str, names: &[Name]) -> Vec<u8> {
    let texts = base + word(HEADER + names.len() * ENTRY);
    let mut words = vec![MAGIC, word(names.len()), index, texts, word(process.len())];
    // A zero ends each, for C.
    let mut text = format!("{process}\0");
    for Name { kind, value, name } in names {
        words.extend([*kind, *value, texts + word(text.len()), word(name.len())]);
        text.push_str(name);
        text.push('\0');
    }
    let mut bytes: Vec<u8> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    bytes.extend(text.as_bytes());
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    bytes
}

/// A table is far smaller than the address space.
fn word(length: usize) -> u32 {
    u32::try_from(length).expect("a table fits the address space")
}

#[cfg(test)]
mod tests {
    use super::*;
    use riposte_abi::process_info::kind;

    #[test]
    fn a_name_is_where_its_entry_says() {
        let names = [
            Name {
                kind: kind::CONNECTION,
                value: 0,
                name: "console".into(),
            },
            Name {
                kind: kind::SETTING,
                value: 7,
                name: "iterations".into(),
            },
        ];
        let base = 0x1_0000;
        let table = bytes(base, 3, "client", &names);
        let word = |at: usize| u32::from_le_bytes(table[at..at + 4].try_into().unwrap());
        let text = |at: usize| {
            let start = (word(at) - base) as usize;
            std::str::from_utf8(&table[start..start + word(at + 4) as usize]).unwrap()
        };
        assert_eq!([word(0), word(4), word(8)], [MAGIC, 2, 3]);
        assert_eq!(text(12), "client");
        assert_eq!(text(HEADER + 8), "console");
        assert_eq!(text(HEADER + ENTRY + 8), "iterations");
        assert_eq!(word(HEADER + ENTRY + 4), 7);
        assert_eq!(table.len() % 4, 0);
    }

    #[test]
    fn the_size_does_not_depend_on_the_address() {
        let names = [Name {
            kind: kind::CHANNEL,
            value: 1,
            name: "echo".into(),
        }];
        assert_eq!(
            bytes(0, 0, "a", &names).len(),
            bytes(0x8000, 0, "a", &names).len()
        );
    }
}
