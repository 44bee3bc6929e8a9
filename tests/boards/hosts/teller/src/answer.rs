//! Answers, as RFC 1035 writes them.

/// Bytes before the name that is asked for.
pub const HEAD: usize = 12;
/// Most bytes of an answer.
const ANSWER: usize = 512;
/// That it is an answer, to one that wanted everything to be found out, and is.
const FLAGS: u16 = 0x8180;
/// That there is more than there was room for.
const TRUNCATED: u16 = 0x0200;
/// Where the name stands that is asked for.
const ASKED: [u8; 2] = [0xC0, HEAD as u8];
/// The type of a record with an address of IPv6.
const SIX: u8 = 28;
/// What an alias is called.
const ALIAS: &[u8] = b"\x03one\x04test\0";

/// One that is being written.
pub struct Answer {
    bytes: [u8; ANSWER],
    length: usize,
    /// Where the alias stands, if there is one.
    alias: usize,
    /// Whether an address of IPv6 is asked for.
    is_for_six: bool,
}

impl Answer {
    /// To this question, with nothing in it.
    pub fn to(question: &[u8]) -> Answer {
        let mut answer = Answer {
            bytes: [0; ANSWER],
            length: 0,
            alias: 0,
            is_for_six: question.ends_with(&[0, SIX, 0, 1]),
        };
        answer.push(question);
        answer.set(2, FLAGS);
        answer
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }

    fn push(&mut self, bytes: &[u8]) {
        self.bytes[self.length..][..bytes.len()].copy_from_slice(bytes);
        self.length += bytes.len();
    }

    fn word(&self, place: usize) -> u16 {
        u16::from_be_bytes([self.bytes[place], self.bytes[place + 1]])
    }

    fn set(&mut self, place: usize, word: u16) {
        self.bytes[place..][..2].copy_from_slice(&word.to_be_bytes());
    }

    /// Something that is known of a name: of this type.
    fn record(mut self, name: &[u8], kind: u8, data: &[u8]) -> Answer {
        self.push(name);
        self.push(&[0, kind, 0, 1, 0, 0, 0, 60, 0, data.len() as u8]);
        self.push(data);
        self.set(6, self.word(6) + 1);
        self
    }

    /// The address 10.1.0.`last`, or if one of IPv6 is asked for, fd01::`last`.
    pub fn address(self, last: u8) -> Answer {
        if self.is_for_six {
            let address = [0xFD, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, last];
            return self.record(&ASKED, SIX, &address);
        }
        self.told([10, 1, 0, last])
    }

    /// The address, if this family is asked for.
    pub fn address_if(self, is_for_six: bool, last: u8) -> Answer {
        if self.is_for_six == is_for_six {
            self.address(last)
        } else {
            self
        }
    }

    /// This address.
    pub fn told(self, address: [u8; 4]) -> Answer {
        self.record(&ASKED, 1, &address)
    }

    /// That the host is called otherwise.
    pub fn alias(mut self) -> Answer {
        self.alias = self.length + ASKED.len() + 10;
        self.record(&ASKED, 5, ALIAS)
    }

    /// The address 10.1.0.`last` of that.
    pub fn address_of_alias(self, last: u8) -> Answer {
        let name = [0xC0, self.alias as u8];
        self.record(&name, 1, &[10, 1, 0, last])
    }

    /// Why there is nothing in it.
    pub fn code(mut self, code: u16) -> Answer {
        self.set(2, FLAGS | code);
        self
    }

    pub fn truncated(mut self) -> Answer {
        self.set(2, FLAGS | TRUNCATED);
        self
    }

    /// To another question.
    pub fn other_number(mut self) -> Answer {
        self.set(0, !self.word(0));
        self
    }

    /// For another name, of the same length.
    pub fn other_name(mut self) -> Answer {
        self.bytes[HEAD + 1] ^= 1;
        self
    }

    /// A question itself.
    pub fn no_answer(mut self) -> Answer {
        self.set(2, FLAGS & 0x7FFF);
        self
    }

    /// Without its last bytes.
    pub fn cut(mut self) -> Answer {
        self.length -= 3;
        self
    }
}
