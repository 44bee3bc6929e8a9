fn main() {
    let connection = riposte::Connection::from_handle(0);
    let _ = connection.send_words([0; 6]);
}
