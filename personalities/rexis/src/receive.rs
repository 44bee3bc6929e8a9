//! The server's side.

use core::sync::atomic::{AtomicU32, Ordering};

use riposte::{Answer, Channel, Deadline, Duration, Error, Event, Token};

/// Handle of the task's channel, 0 before it is looked up.
static CHANNEL: AtomicU32 = AtomicU32::new(0);

/// The task that sent a message and waits for the reply.
#[derive(Debug, Default)]
pub struct Sender(Option<Token>);

/// The channel from which this task receives.
#[inline(always)]
fn own_channel() -> Option<Channel> {
    match CHANNEL.load(Ordering::Relaxed) {
        0 => look_up(),
        handle => Some(Channel::from_handle(handle)),
    }
}

#[cold]
#[inline(never)]
fn look_up() -> Option<Channel> {
    let channel = riposte::own_channel().ok()?;
    CHANNEL.store(channel.handle(), Ordering::Relaxed);
    Some(channel)
}

/// Waits for a message, of which up to `len` bytes go to `buf`; `sender` then names who waits for
/// the reply. `timeout` is in milliseconds; 0 is none. Blocks.
///
/// Returns whether there is a message: not after the timeout, nor if `len` is beyond the buffer
/// or the process owns no channel. A sender that was not replied to is given up.
#[inline(always)]
pub fn REXIS_MessageReceive(sender: &mut Sender, buf: &mut [u8], len: usize, timeout: u32) -> bool {
    let (Some(channel), Some(buffer)) = (own_channel(), buf.get_mut(..len)) else {
        return false;
    };
    let received = if timeout == 0 {
        channel.receive(buffer)
    } else {
        let moment = riposte::clock() + Duration::from_millis(timeout.into());
        channel.receive_until(buffer, Deadline::At(moment))
    };
    accept(sender, received)
}

/// Whether what was received is a message; `sender` is then who sent it, and its bytes are in the
/// buffer.
#[inline(always)]
fn accept(sender: &mut Sender, received: Result<Event<'_>, Error>) -> bool {
    match received {
        Ok(Event::Message(message)) => {
            sender.0 = Some(message.into_buffer().0);
            true
        }
        _ => false,
    }
}

/// Replies to `sender` with the first `len` bytes of `buf`. Never blocks.
///
/// Returns whether the sender got the reply: not if it no longer waits, or `len` is beyond the
/// buffer (then it still waits).
#[inline(always)]
pub fn REXIS_MessageReply(sender: &mut Sender, buf: &[u8], len: usize) -> bool {
    match (buf.get(..len), sender.0.take()) {
        (Some(bytes), Some(token)) => token.reply(bytes).is_ok(),
        (None, token) => {
            sender.0 = token;
            false
        }
        _ => false,
    }
}

/// [`REXIS_MessageReply`] with `reply` and `reply_len`, then [`REXIS_MessageReceive`] with the other
/// arguments: for a task that has nothing to do in between. Without a timeout the two are one system
/// call. REXIS has no such call: who ports a server joins its two calls into this one. Blocks.
///
/// Returns what the receive returns: a sender that no longer waits for its reply is no error. If
/// `reply_len` is beyond `reply`, nothing happens, and the sender still waits.
#[inline(always)]
pub fn REXIS_MessageReplyReceive(
    sender: &mut Sender,
    reply: &[u8],
    reply_len: usize,
    buf: &mut [u8],
    len: usize,
    timeout: u32,
) -> bool {
    if reply.len() < reply_len {
        return false;
    }
    if timeout == 0
        && let (Some(channel), Some(buffer)) = (own_channel(), buf.get_mut(..len))
        && let Some(token) = sender.0.take()
    {
        let answer = Answer::bytes(token, &reply[..reply_len]);
        match channel.reply_receive(answer, buffer) {
            Err(Error::NoSuchClient) => {}
            received => return accept(sender, received),
        }
    } else {
        REXIS_MessageReply(sender, reply, reply_len);
    }
    REXIS_MessageReceive(sender, buf, len, timeout)
}
