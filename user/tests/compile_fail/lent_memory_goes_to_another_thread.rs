fn send<T: Send>(_: T) {}

fn hand_over(lent: riposte::Lent<'static>, written: riposte::LentMut<'static>) {
    send(lent);
    send(written);
}

fn main() {}
