//! The client's side.

use crate::Pid;

/// Sends the first `len` bytes of `msg` to the task `pid` and waits until that has replied; the
/// first `reply_len` bytes of `reply` take the answer. Blocks.
///
/// Returns whether the message was answered: not if a length is beyond its buffer, or the task
/// has died.
#[inline(always)]
pub fn REXIS_MessageSend(
    pid: &Pid,
    msg: &[u8],
    len: usize,
    reply: &mut [u8],
    reply_len: usize,
) -> bool {
    match (msg.get(..len), reply.get_mut(..reply_len)) {
        (Some(message), Some(reply)) => pid.0.send(message, reply).is_ok(),
        _ => false,
    }
}
