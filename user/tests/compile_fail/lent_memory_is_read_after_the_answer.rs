fn answer(lent: riposte::Lent<'_>) -> u8 {
    let bytes: &[u8] = &lent;
    let _ = lent.reply_words([1]);
    bytes[0]
}

fn main() {}
