struct Frame {
    pixels: [u8; 64],
}

fn first(pages: &riposte::Pages) -> u8 {
    pages.view::<Frame>().unwrap().pixels[0]
}

fn main() {}
