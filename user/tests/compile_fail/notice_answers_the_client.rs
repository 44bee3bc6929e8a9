fn answer(notice: riposte::Notice) {
    if let riposte::Notice::Unblock { client, .. } = notice {
        let _ = client.reply(b"too late");
    }
}

fn main() {}
