//! Words that two threads change, one of which is interrupted all the time.

use riposte::Duration;
use riposte::sync::Word;

use crate::phase::{self, name};

/// Turns of the judge: interrupts of the other thread.
const TURNS: u32 = 2000;

/// Nanoseconds between two of them at first, and what is added as long as that is not enough for a
/// change of the other thread: on a board with slow memory an interrupt alone takes as long.
const PERIOD: u32 = 20_000;
const MORE: u32 = 1000;

/// Bits of each thread in [`BITS`].
const LOW: u32 = 0x0F0F_0F0F;
const JUDGE: u32 = !LOW;

static ADDED: Word = Word::new(0);
static EXCHANGED: Word = Word::new(0);
static BITS: Word = Word::new(0);
static SWAPPED: Word = Word::new(0);

/// How often the other thread has changed all words.
static TIMES: Word = Word::new(0);
/// Bits of its own that the other thread found changed.
static SPOILT: Word = Word::new(0);
static ENDED: Word = Word::new(0);

/// What both do, once: the bits of its own that it found changed.
fn change(own: u32) -> u32 {
    ADDED.add(1);
    // It never refuses.
    let _ = EXCHANGED.update(|value| Some(value + 3));
    let before = BITS.or(own);
    let after = BITS.and(!own);
    let drawn = SWAPPED.swap(0);
    SWAPPED.add(drawn + 1);
    // Leaves a processor that reserves words for whoever has read them with a reservation.
    let _ = EXCHANGED.compare_exchange(u32::MAX, 0);
    before & own | !after & own
}

/// Changes the words until the phase is over.
pub fn low() {
    phase::wait(name::WORDS);
    let (mut times, mut spoilt) = (0, 0);
    while phase::is(name::WORDS) {
        spoilt |= change(LOW);
        times += 1;
        TIMES.store(times);
    }
    SPOILT.store(spoilt);
    ENDED.store(1);
}

/// Changes the words, too, whenever it interrupts the other thread.
pub fn judge() {
    phase::open(name::WORDS);
    let (mut spoilt, mut period, mut seen) = (0, PERIOD, 0);
    for turn in 0..TURNS {
        // So that interrupts come at every place of the other's code.
        let time = Duration::from_nanos(u64::from(period + turn * 70 % 4000));
        let _ = riposte::sleep(time);
        spoilt |= change(JUDGE);
        let times = TIMES.load();
        period += if times == seen { MORE } else { 0 };
        seen = times;
    }
    phase::open(name::WORDS_OVER);
    while ENDED.load() == 0 {
        phase::pause();
    }
    let all = TURNS + TIMES.load();
    check::holds(
        "what two threads add to a word is all in it",
        ADDED.load() == all,
    );
    check::holds(
        "what two threads exchange in a word is all in it",
        EXCHANGED.load() == 3 * all,
    );
    check::holds(
        "what two threads take out of a word and put back is all in it",
        SWAPPED.load() == all,
    );
    check::holds(
        "a thread that sets and clears bits of a word leaves all others alone",
        spoilt | SPOILT.load() == 0 && BITS.load() == 0,
    );
    check::holds(
        "the other thread has changed the words meanwhile",
        TIMES.load() > TURNS / 10,
    );
}
