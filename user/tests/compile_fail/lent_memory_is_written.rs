fn darken(mut lent: riposte::Lent<'_>) {
    lent.with(|bytes| bytes[0] = 0);
}

fn main() {}
