//! Channels at which something waits to be received, and is not.

use crate::operation::CHANNELS;

/// Calls `measure` with more and more channels, of which up to `most` are those that wait.
///
/// # Panics
/// There are fewer.
pub fn series(most: u32, mut measure: impl FnMut(u32)) {
    let mut names = riposte::connection_names().filter(|name| name.starts_with("pending-"));
    let mut filled = 0;
    for number in [8, 16, 32, 64, 128, most + CHANNELS] {
        for _ in filled..number - CHANNELS {
            let channel = riposte::connect(names.next().unwrap()).unwrap();
            channel.notify(1).unwrap();
        }
        filled = number - CHANNELS;
        measure(number);
    }
}
