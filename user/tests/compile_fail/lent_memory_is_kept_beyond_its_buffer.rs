fn receive(channel: &riposte::Channel) -> Option<riposte::Lent<'static>> {
    let mut buffer = [0; 4128];
    let Ok(riposte::Event::Message(message)) = channel.receive(&mut buffer) else {
        return None;
    };
    match message.into_memory() {
        Ok(riposte::Memory::Lent(lent)) => Some(lent),
        _ => None,
    }
}

fn main() {}
