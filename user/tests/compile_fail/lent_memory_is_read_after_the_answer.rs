fn answer(lent: riposte::Lent<'_>) -> u8 {
    lent.with(|bytes| {
        let _ = lent.reply_words([1]);
        bytes[0]
    })
}

fn main() {}
