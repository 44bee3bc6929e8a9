fn leak(lent: riposte::Lent<'static>) -> &'static [u8] {
    let lent: &'static riposte::Lent<'static> = Box::leak(Box::new(lent));
    lent.with(|bytes| bytes)
}

fn main() {}
