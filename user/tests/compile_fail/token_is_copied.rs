fn keep(token: &riposte::Token) -> riposte::Token {
    token.clone()
}

fn main() {}
