fn give(connection: &riposte::Connection, pages: riposte::Pages) -> u8 {
    let first = &pages[0];
    let _ = connection.give(pages, [0; 3]);
    *first
}

fn main() {}
