fn share<T: Sync>(_: &T) {}

fn show(lent: riposte::Lent<'static>, written: riposte::LentMut<'static>) {
    share(&lent);
    share(&written);
}

fn main() {}
