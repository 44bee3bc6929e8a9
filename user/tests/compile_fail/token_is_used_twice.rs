fn answer(message: riposte::Message<'_>) {
    let token = message.into_token();
    let _ = token.reply(b"once");
    let _ = token.reply(b"twice");
}

fn main() {}
