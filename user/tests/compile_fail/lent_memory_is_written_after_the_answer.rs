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
    let frame = lent.view_mut(|frame: &mut Frame| frame);
    let answer = lent.answer_words([]);
    frame.unwrap().pixels[0] = 1;
    answer
}

fn main() {}
