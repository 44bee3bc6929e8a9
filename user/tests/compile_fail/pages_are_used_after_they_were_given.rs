fn give(connection: &riposte::Connection, mut pages: riposte::Pages) {
    let _ = connection.give(pages, [0; 3]);
    pages[0] = 1;
}

fn main() {}
