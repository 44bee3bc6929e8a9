//! What a call came to, in words that mean the same on every board and on the host.

use riposte_abi::call::{self, OPERATION_SHIFT, number, operation};
use riposte_abi::thread::state;
use riposte_abi::{Error, info, notice, region, register, signal};

use crate::draw::{Env, Kind, Player, Step};
use crate::plan::THREADS_EACH;
use crate::world::{Mapped, NAMED, Opened, World, is_new, kind};

/// Words of a record.
pub const WORDS: usize = 10;

/// A call and what it came to: the thread and the call; `CALL` and `INFO`, without a token; five words; who is to be
/// answered; bytes accepted; a sum over the thread's buffer and its random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Record(pub [u32; WORDS]);

/// The number by which a record calls a call about signals: this and its own.
pub const SIGNALS: u32 = 0x180;

/// The number by which a record calls a call about regions: this and its own.
pub const REGIONS: u32 = 0x1C0;

/// The number by which a record calls a call: that of one without a handle, or 0x100 and the operation.
#[must_use]
pub fn call_number(word: u32) -> u32 {
    match word >> OPERATION_SHIFT {
        operation::OTHER => word & 0xFF,
        operation::SIGNAL => SIGNALS | word & 0xF,
        operation::REGION if word & call::HANDLE_MASK <= region::number::COPY => {
            REGIONS | word & 0xF
        }
        other => 0x100 | other,
    }
}

/// The thread takes notice of what its call has returned, and writes it down.
pub fn absorb(
    world: &mut World,
    player: &mut Player,
    env: &impl Env,
    step: &Step,
    result: &[u32; register::COUNT],
) {
    let mut out = [0; WORDS];
    out[0] =
        player.thread as u32 | call_number(step.registers[register::CALL]) << 8 | player.life << 20;
    let (call, flags) = (result[register::CALL], result[register::INFO]);
    let process = player.thread / THREADS_EACH;
    let words = register::WORDS.map(|place| result[place]);
    (out[1], out[2]) = (call, flags & !info::TAG_MASK);
    let take = |out: &mut [u32; WORDS], count: usize| {
        out[3..3 + count].copy_from_slice(&words[..count]);
    };
    if (answers(step) || relays(step))
        && (flags & info::ERROR == 0 || call == Error::NoSuchClient as u32)
    {
        let tag = step.registers[register::INFO] & info::TAG_MASK;
        world.close_token(tag, step.registers[register::GENERATION]);
    }
    world.receives[player.thread] = 0;
    if world.has_relays() && matches!(step.kind, Kind::Client { .. }) {
        world.close_tokens_of(player.thread);
    }
    let mut memory = 0;
    if let Some(page) = player.sent.take() {
        memory = take_back(world, player, env, step, (call, flags), page);
    }
    if let Some(page) = player.reclaims.take()
        && flags & info::ERROR == 0
    {
        world.have_page(process, page);
        memory = env.page_sum(page);
    }
    if step.registers[register::CALL] == call::word(operation::SIGNAL, signal::number::ACTION)
        && flags & info::ERROR == 0
    {
        world.handles_signals |= 1 << process;
    }
    world.named[player.thread] = [0; NAMED];
    world.releases[player.thread] = 0;
    if step.registers[register::CALL] == number::CLOSE && flags & info::ERROR == 0 {
        world.close_region(process, step.registers[register::WORD0]);
    }
    if step.kind == Kind::Nothing {
        (out[1], out[2]) = (0, 0);
    } else if flags & info::ERROR != 0 {
        // An error is all that there is.
        out[2] = flags;
    } else {
        match step.kind {
            Kind::Nothing => {}
            Kind::Words(count) => take(&mut out, count),
            Kind::Clock => {
                let now = u64::from(words[0]) | u64::from(words[1]) << 32;
                out[3] = env.moment(now);
            }
            Kind::Handle(kind) => out[3] = world.see_handle(words[0], process, kind),
            Kind::Region => {
                out[3] = world.see_handle(words[0], process, kind::REGION);
                out[4] = words[1];
            }
            Kind::Mapped => {
                // Where it is differs from board to board.
                out[4] = words[1];
                memory = env.region_sum(words[0]);
                let handle = step.registers[register::WORD0] & call::HANDLE_MASK;
                world.see_handle(handle, process, kind::REGION);
                let wanted = step.registers[register::WORD1];
                world.map(Mapped {
                    address: words[0],
                    process: process as u32,
                    writable: u32::from(wanted & region::right::WRITE != 0),
                });
            }
            Kind::State => {
                take(&mut out, 3);
                // Whose turn it is not yet has a priority when its wait ends.
                if matches!(words[0], state::STOPPED | state::RECEIVE_BLOCKED) {
                    out[4] &= !0xFF;
                }
                if words[0] == state::STOPPED {
                    out[4] = 0;
                }
            }
            Kind::Thread => out[3] = words[0] & riposte_abi::thread::INDEX_MASK,
            Kind::Client { bytes } => {
                // The library clears nothing of what it is not told.
                out[2] = flags;
                if flags & info::BYTES != 0 {
                    take(&mut out, 2);
                } else {
                    take(&mut out, covered(flags));
                }
                if flags & info::HANDLE != 0 {
                    let kind = world.given[player.thread];
                    out[7] = world.see_handle(words[4], process, kind);
                }
                if bytes {
                    out[8] = result[register::GENERATION];
                }
            }
            Kind::Server => {
                let token = (flags & info::TAG_MASK, result[register::GENERATION]);
                let form = flags & info::LENGTH_MASK;
                let is_words = flags & (info::NOTICE | info::BYTES) == 0;
                if is_words && matches!(form, info::LENT | info::LENT_MUT | info::MOVED) {
                    // Where it is differs from board to board.
                    take(&mut out, 5);
                    out[3] = 0;
                    out[8] = world.see_token(token.0, token.1, process);
                    // Whoever was told of the client before may have answered it, and then nothing is there.
                    if is_new(out[8]) {
                        world.open(Opened {
                            address: words[0],
                            thread: player.thread as u32,
                            tag: token.0,
                            generation: token.1,
                            mark: form,
                        });
                        memory = env.sum_at(words[0]);
                    }
                } else if flags & info::NOTICE == 0 {
                    take(
                        &mut out,
                        if flags & info::BYTES != 0 {
                            2
                        } else {
                            covered(flags)
                        },
                    );
                    out[8] = world.see_token(token.0, token.1, process);
                } else {
                    take(&mut out, 3);
                    match words[0] {
                        notice::PROXY => out[1] = world.see_handle(call, process, kind::PROXY),
                        notice::UNBLOCK => out[8] = world.see_token(token.0, token.1, process),
                        _ => {}
                    }
                }
            }
        }
    }
    // Others may have changed what is mapped meanwhile.
    let number = world.count as usize;
    let seen = world.mapped_by(process, number);
    let seen = seen.map_or(0, |mapped| env.region_sum(mapped.address));
    out[9] = env.sum() ^ player.random.state() ^ memory ^ seen.rotate_left(7);
    world.write(Record(out));
}

/// A handler of the thread begins, with a signal and its word, and writes it down.
pub fn note_signal(world: &mut World, thread: usize, env: &impl Env, (signal, word): (u32, u32)) {
    let mut out = [0; WORDS];
    out[0] = thread as u32 | (SIGNALS | signal::number::RETURN) << 8 | world.lives[thread] << 20;
    (out[1], out[3]) = (signal, word);
    out[9] = env.sum();
    world.write(Record(out));
}

/// A message with a page of the process has come to an end. Returns a sum over the page, if the process has it.
fn take_back(
    world: &mut World,
    player: &Player,
    env: &impl Env,
    step: &Step,
    (call, flags): (u32, u32),
    (page, was_away): (usize, bool),
) -> u32 {
    let process = player.thread / THREADS_EACH;
    let moves = step.registers[register::CALL] >> OPERATION_SHIFT == operation::MOVE;
    let failed = flags & info::ERROR != 0;
    let kept = if moves {
        // It may have been received before the server died.
        failed && !was_away && call != Error::ServerDied as u32
    } else {
        !failed || !was_away
    };
    if !kept || !world.has_sent(process, page, player.thread) {
        return 0;
    }
    world.have_page(process, page);
    env.page_sum(page)
}

/// Whether the call names a client to answer it.
pub(crate) fn answers(step: &Step) -> bool {
    let word = step.registers[register::CALL];
    match word >> OPERATION_SHIFT {
        operation::OTHER => matches!(
            word,
            number::REPLY
                | number::REPLY_BYTES
                | number::REPLY_VECTOR
                | number::REPLY_ERROR
                | number::REPLY_HANDLE
        ),
        other => (operation::REPLY_RECEIVE..=operation::REPLY_ERROR_RECEIVE).contains(&other),
    }
}

/// Whether the call hands a client on.
pub(crate) fn relays(step: &Step) -> bool {
    step.registers[register::CALL] >> OPERATION_SHIFT == operation::RELAY
}

/// How many words a message in registers covers.
fn covered(flags: u32) -> usize {
    ((flags & info::LENGTH_MASK).div_ceil(4) as usize).min(5)
}
