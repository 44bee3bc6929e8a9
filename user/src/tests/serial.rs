use serde::{Deserialize, Serialize};

use crate::serial::{Error, load, store};
use crate::testing::{loopback, pages};
use crate::{Memory, Pages};

#[derive(Serialize, Deserialize, Clone, PartialEq, Eq, Debug)]
enum Value<'a> {
    Number(u64),
    Text { language: u8, text: &'a str },
    List([Option<i32>; 3]),
}

static VALUES: [Value<'_>; 4] = [
    Value::Number(u64::MAX),
    Value::Text {
        language: 2,
        text: "größer",
    },
    Value::Text {
        language: 0,
        text: "",
    },
    Value::List([Some(-4), None, Some(i32::MAX)]),
];

#[test]
fn a_value_goes_through_lent_memory_and_another_comes_back() {
    let mut memory = [0; 64];
    for (sent, answered) in VALUES.iter().zip(VALUES.iter().cycle().skip(1)) {
        let connection = loopback(4128, move |message| {
            let Ok(Memory::LentMut(mut lent)) = message.into_memory() else {
                panic!("not lent mutably")
            };
            lent.with(|bytes| assert_eq!(load::<Value<'_>>(bytes), Ok(sent.clone())));
            let length = lent.with_mut(|bytes| store(answered, bytes).unwrap());
            lent.answer_words([length as u32])
        });
        let length = store(sent, &mut memory).unwrap();
        assert!(length <= 64);
        connection.lend_mut(&mut memory, [0; 3]).unwrap();
        assert_eq!(load::<Value<'_>>(&memory), Ok(answered.clone()));
    }
}

#[test]
fn a_value_that_does_not_fit_or_is_none_is_an_error() {
    pages(4096);
    assert_eq!(
        store("a text", &mut [0; 6]),
        Err(Error::SerializeBufferFull)
    );
    assert_eq!(store("a text", &mut [0; 7]), Ok(7));
    crate::testing::kernel(|_| [0; 8]);
    let mut memory = Pages::allocate(1).unwrap();
    memory.fill(0xFF);
    assert!(load::<Value<'_>>(&memory).is_err());
}
