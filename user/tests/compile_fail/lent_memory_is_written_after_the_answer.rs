#[derive(
    riposte::zerocopy::FromBytes,
    riposte::zerocopy::IntoBytes,
    riposte::zerocopy::KnownLayout,
    riposte::zerocopy::Immutable,
)]
#[zerocopy(crate = "riposte::zerocopy")]
#[repr(C)]
struct Frame {
    pixels: [u8; 64],
}

fn answer<'a>(mut lent: riposte::LentMut<'a>) -> riposte::Answer<'a> {
    let frame: &mut Frame = lent.view_mut().unwrap();
    let answer = lent.answer_words([]);
    frame.pixels[0] = 1;
    answer
}

fn main() {}
