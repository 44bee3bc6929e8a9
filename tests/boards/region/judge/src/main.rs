//! Looks at a region from its own side, and has others look, write and die.
#![no_std]

mod actor;

use core::sync::atomic::{AtomicU32, Ordering};

use actor::Actor;
use check::{equal, holds};
use region_orders::{
    BYTES, KERNEL_READS, KERNEL_WRITES, LOAD, MISSING, PEEK, POKE, REFUSED, RUN, STORE, WHERE,
};
use riposte::abi::fault::reason;
use riposte::{Error, Region, RegionError};

/// Words of the region.
const WORDS: usize = 2048;
/// Offsets of words that the judge and the others write, and of one that nobody must change.
const OURS: u32 = 4;
const THEIRS: u32 = 0x1FFC;
const KEPT: u32 = 0x100;
/// What stands there.
const VALUE: u32 = 0x5EC2_E701;

#[riposte::main]
fn main() {
    let region = riposte::region("common").unwrap();
    let words = region.cast::<[AtomicU32; WORDS]>().unwrap();
    let is_zero = |word: &AtomicU32| word.load(Ordering::Relaxed) == 0;
    holds("a region is zero at first", words.iter().all(is_zero));
    words[KEPT as usize / 4].store(VALUE, Ordering::Relaxed);
    let mut partner = Actor::new("partner");
    let mut reader = Actor::new("reader");
    let mut stranger = Actor::new("stranger");
    view(region);
    exchange(words, &mut partner, &mut reader);
    place(region, [&mut partner, &mut reader, &mut stranger]);
    messages(region, words, &mut partner);
    only_read(region, words, &mut reader);
    keep_out(region, words, &mut stranger);
    restart(region, words, &mut partner);
    check::done();
}

/// What the library says of a region.
fn view(region: Region) {
    equal("a region has its size", region.length(), WORDS * 4);
    holds(
        "a region is aligned to its size",
        region.address().is_multiple_of(WORDS as u32 * 4),
    );
    let too_long = region.cast::<[AtomicU32; WORDS + 1]>().map(|_| ());
    equal(
        "a value longer than the region is refused",
        too_long,
        Err(RegionError::TooShort),
    );
    holds(
        "a part beyond the region is refused",
        region.part(0..WORDS * 4 + 1).is_none() && region.part_mut(WORDS * 4..usize::MAX).is_none(),
    );
    holds(
        "a region that the manifest does not give is missing",
        riposte::region("uncommon").is_err(),
    );
    let first = riposte::region("first").unwrap();
    let apart = first.address().abs_diff(region.address()) as usize;
    holds(
        "regions lie apart",
        apart >= first.length().min(region.length()),
    );
}

/// Both processes write, and each finds what the other wrote.
fn exchange(words: &[AtomicU32], partner: &mut Actor, reader: &mut Actor) {
    words[OURS as usize / 4].store(1, Ordering::Release);
    equal(
        "a process reads what another one wrote",
        partner.order(LOAD, OURS, 0),
        Ok(1),
    );
    equal(
        "the other one writes",
        partner.order(STORE, THEIRS, 2),
        Ok(0),
    );
    let theirs = words[THEIRS as usize / 4].load(Ordering::Acquire);
    equal("and is read", theirs, 2);
    equal(
        "who may only read does",
        reader.order(LOAD, THEIRS, 0),
        Ok(2),
    );
}

fn place(region: Region, [partner, reader, stranger]: [&mut Actor; 3]) {
    let at = Ok(region.address());
    equal(
        "all processes see a region at the same place",
        [partner.order(WHERE, 0, 0), reader.order(WHERE, 0, 0)],
        [at, at],
    );
    equal(
        "who is not named has no region",
        stranger.order(WHERE, 0, 0),
        Ok(MISSING),
    );
}

/// The kernel copies from and to a region.
fn messages(region: Region, words: &[AtomicU32], partner: &mut Actor) {
    let order = [KERNEL_WRITES, region.address() + 0x400, 0x1234];
    for (word, value) in words[0x200 / 4..].iter().zip(order) {
        word.store(value, Ordering::Relaxed);
    }
    let message = region.part(0x200..0x200 + BYTES).unwrap();
    let answer = region.part_mut(0x300..0x300 + BYTES).unwrap();
    words[0x300 / 4].store(9, Ordering::Relaxed);
    let lengths = partner.send(&[message], &mut [answer]);
    equal(
        "a message from a region goes to a region",
        lengths,
        Ok((BYTES, BYTES)),
    );
    let [answered, received] =
        [0x300, 0x408].map(|offset: usize| words[offset / 4].load(Ordering::Relaxed));
    equal(
        "and arrives, as does its answer",
        (answered, received),
        (0, 0x1234),
    );
}

/// A process that may only read can't write by any way.
fn only_read(region: Region, words: &[AtomicU32], reader: &mut Actor) {
    let kept = region.address() + KEPT;
    equal(
        "the library refuses writes to who may only read",
        reader.order(STORE, KEPT, 1),
        Ok(REFUSED),
    );
    equal(
        "the kernel writes nothing for who may only read",
        reader.order(KERNEL_WRITES, kept, 1),
        Ok(Error::BadAddress as u32),
    );
    equal(
        "the kernel reads for who may read",
        reader.order(KERNEL_READS, kept, 0),
        Ok(0),
    );
    let fault = reader.die(POKE, kept, 1);
    equal(
        "who may only read and writes is stopped",
        fault,
        Ok((reason::MEMORY, Some(kept))),
    );
    equal("and has changed nothing", value(words, KEPT), VALUE);
    equal(
        "started again, it reads as before",
        reader.order(LOAD, KEPT, 0),
        Ok(VALUE),
    );
}

/// A process that is not named can't read or write by any way.
fn keep_out(region: Region, words: &[AtomicU32], stranger: &mut Actor) {
    let kept = region.address() + KEPT;
    for order in [KERNEL_WRITES, KERNEL_READS] {
        equal(
            "the kernel copies nothing for a stranger",
            stranger.order(order, kept, 1),
            Ok(Error::BadAddress as u32),
        );
    }
    for order in [PEEK, POKE] {
        equal(
            "a stranger that touches a region is stopped",
            stranger.die(order, kept, 1),
            Ok((reason::MEMORY, Some(kept))),
        );
    }
    equal("and has changed nothing", value(words, KEPT), VALUE);
}

/// The end of a process leaves a region as it is.
fn restart(region: Region, words: &[AtomicU32], partner: &mut Actor) {
    equal("it writes", partner.order(STORE, THEIRS, 3), Ok(0));
    let ran = partner.die(RUN, region.address(), 0);
    equal(
        "what is in a region can't be run",
        ran.map(|(reason, _)| reason),
        Ok(reason::EXECUTE),
    );
    equal(
        "a region keeps what a dead process wrote",
        value(words, THEIRS),
        3,
    );
    words[OURS as usize / 4].store(4, Ordering::Release);
    let found = [OURS, THEIRS].map(|offset| partner.order(LOAD, offset, 0));
    equal(
        "a process that starts again finds the region as it is",
        found,
        [Ok(4), Ok(3)],
    );
}

fn value(words: &[AtomicU32], offset: u32) -> u32 {
    words[offset as usize / 4].load(Ordering::Acquire)
}
