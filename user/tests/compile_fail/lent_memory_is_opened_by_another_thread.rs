fn send<T: Send>(_: T) {}

fn hand_over(event: riposte::Event<'static>, rare: riposte::Rare) {
    send(event);
    send(rare);
}

fn main() {}
