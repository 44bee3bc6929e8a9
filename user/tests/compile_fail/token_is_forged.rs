fn forge(tag: u32, generation: u32) -> riposte::Token {
    riposte::Token::from_parts(tag, generation)
}

fn main() {}
