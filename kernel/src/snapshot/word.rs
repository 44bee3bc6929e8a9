//! Values as bytes: numbers, references as numbers, and what is made of them.

use alloc::vec::Vec;

use crate::{
    Block, Channel, Deadline, Due, Gap, Handle, Interrupt, Notice, Proxy, Quota, Source, Tables,
    Thread, Timer, limits::HANDLES,
};

/// Most bytes of a state are 0: a run of them is written as 0 and its length.
pub(crate) struct Writer {
    bytes: Vec<u8>,
    zeros: usize,
}

impl Writer {
    pub fn new() -> Self {
        Writer {
            bytes: Vec::with_capacity(1024),
            zeros: 0,
        }
    }

    #[inline(always)]
    pub fn byte(&mut self, byte: u8) {
        if byte == 0 {
            self.zeros += 1;
        } else {
            self.end_run();
            self.bytes.push(byte);
        }
    }

    #[inline]
    fn end_run(&mut self) {
        while self.zeros != 0 {
            let length = self.zeros.min(u8::MAX.into());
            self.bytes.extend([0, length as u8]);
            self.zeros -= length;
        }
    }

    /// All that has been written.
    pub fn end(mut self) -> Vec<u8> {
        self.end_run();
        self.bytes
    }
}

/// Reads what a [`Writer`] has written.
pub(crate) struct Reader<'a> {
    bytes: &'a [u8],
    zeros: u8,
    tables: &'a Tables,
}

impl<'a> Reader<'a> {
    pub fn new(bytes: &'a [u8], tables: &'a Tables) -> Self {
        Reader {
            bytes,
            zeros: 0,
            tables,
        }
    }

    #[inline(always)]
    pub fn byte(&mut self) -> u8 {
        if self.zeros != 0 {
            self.zeros -= 1;
            return 0;
        }
        let byte = self.next();
        if byte == 0 {
            self.zeros = self.next() - 1;
        }
        byte
    }

    fn next(&mut self) -> u8 {
        let (byte, rest) = self.bytes.split_first().expect("a complete snapshot");
        self.bytes = rest;
        *byte
    }

    pub fn is_done(&self) -> bool {
        self.bytes.is_empty() && self.zeros == 0
    }
}

/// A value that a cell can hold.
pub(crate) trait Word: Copy {
    fn pack(self, to: &mut Writer);
    fn unpack(from: &mut Reader) -> Self;
}

impl Word for u8 {
    #[inline]
    fn pack(self, to: &mut Writer) {
        to.byte(self);
    }

    #[inline]
    fn unpack(from: &mut Reader) -> Self {
        from.byte()
    }
}

impl Word for u64 {
    #[inline]
    fn pack(self, to: &mut Writer) {
        let mut rest = self;
        while rest > 0x7F {
            to.byte(rest as u8 | 0x80);
            rest >>= 7;
        }
        to.byte(rest as u8);
    }

    #[inline]
    fn unpack(from: &mut Reader) -> Self {
        let (mut value, mut shift) = (0, 0);
        loop {
            let byte = from.byte();
            value |= u64::from(byte & 0x7F) << shift;
            if byte & 0x80 == 0 {
                return value;
            }
            shift += 7;
        }
    }
}

macro_rules! number {
    ($($type:ty),*) => {$(
        impl Word for $type {
            #[inline]
            fn pack(self, to: &mut Writer) {
                (self as u64).pack(to);
            }

            #[inline]
            fn unpack(from: &mut Reader) -> Self {
                u64::unpack(from) as $type
            }
        }
    )*};
}

number!(u16, u32, usize);

impl Word for bool {
    #[inline]
    fn pack(self, to: &mut Writer) {
        to.byte(self.into());
    }

    #[inline]
    fn unpack(from: &mut Reader) -> Self {
        from.byte() != 0
    }
}

impl<T: Word> Word for Option<T> {
    fn pack(self, to: &mut Writer) {
        self.is_some().pack(to);
        if let Some(value) = self {
            value.pack(to);
        }
    }

    fn unpack(from: &mut Reader) -> Self {
        bool::unpack(from).then(|| T::unpack(from))
    }
}

impl<T: Word, const N: usize> Word for [T; N] {
    fn pack(self, to: &mut Writer) {
        self.into_iter().for_each(|value| value.pack(to));
    }

    fn unpack(from: &mut Reader) -> Self {
        core::array::from_fn(|_| T::unpack(from))
    }
}

/// Objects that state refers to.
trait Named: 'static {
    /// The parts of its name, the last one of which is most often 0.
    fn name(&self) -> [u8; 3];

    /// The object of this name.
    fn find(tables: &Tables, name: [usize; 3]) -> &'static Self;
}

impl<T: Named> Word for &'static T {
    fn pack(self, to: &mut Writer) {
        let [first, second, third] = self.name().map(u32::from);
        (first | second << 8 | third << 16).pack(to);
    }

    fn unpack(from: &mut Reader) -> Self {
        let name = u32::unpack(from);
        T::find(
            from.tables,
            [0, 8, 16].map(|shift| (name >> shift) as usize & 0xFF),
        )
    }
}

macro_rules! named {
    ($type:ty: $object:ident is $name:expr; $tables:ident, $parts:pat => $found:expr) => {
        impl Named for $type {
            fn name(&self) -> [u8; 3] {
                let $object = self;
                $name
            }

            fn find($tables: &Tables, $parts: [usize; 3]) -> &'static Self {
                $found
            }
        }
    };
}

named!(Thread: thread is [thread.index, 0, 0];
    tables, [index, ..] => &tables.threads[index]);
// No other channel has the index of the one that nothing belongs to.
named!(Channel: channel is [channel.index, 0, 0];
    tables, [index, ..] => tables.channels.get(index).unwrap_or(tables.nowhere));
named!(Interrupt: interrupt is [interrupt.line as u8, (interrupt.line >> 8) as u8, 0];
    tables, [low, high, _] => tables.interrupts[low | high << 8].expect("a line of a process"));
named!(Proxy: proxy is [proxy.process, proxy.number, 0];
    tables, [process, number, _] => &tables.processes[process].objects.proxies[number]);
named!(Timer: timer is timer.deadline.name();
    tables, [process, number, _] => &tables.processes[process].objects.timers[number]);
named!(Gap: gap is [gap.home, gap.number, 0];
    tables, [process, number, _] => &tables.processes[process].exchange.gaps[number]);
named!(Block: block is [block.pool, block.number, 0];
    tables, [pool, number, _] => &tables.pools.as_slice()[0][pool].blocks[number]);
named!(Quota: quota is [quota.process, quota.number, 0];
    tables, [process, number, _] => &tables.processes[process].exchange.quotas.as_slice()[0][number]);
named!([Handle; HANDLES]: handles is handles[0].died.name();
    tables, [process, ..] => &tables.handles[process]);
named!(Notice: notice is match notice.source {
    Source::ClientDied { process, slot } => [process, slot, 0],
    Source::Unblock { thread } => [thread, 0, 1],
    Source::Fault { process } => [process, 0, 2],
    Source::Bits { channel } => [channel, 0, 3],
    Source::Proxy { process, number } => [process, number, 4],
};
tables, [index, number, kind] => match kind {
    0 => &tables.handles[index][number].died,
    1 => &tables.threads[index].unblock,
    2 => &tables.processes[index].fault,
    3 => &tables.channels[index].notified,
    _ => &tables.processes[index].objects.proxies[number].notice,
});
named!(Deadline: deadline is match deadline.due {
    Due::Thread(index) => [index, 0, 1],
    Due::Timer { process, number } => [process, number, 0],
    Due::Interrupt(line) => [line as u8, (line >> 8) as u8, 2],
};
tables, [index, number, kind] => match kind {
    0 => &tables.processes[index].objects.timers[number].deadline,
    1 => &tables.threads[index].deadline,
    _ => {
        let interrupt = tables.interrupts[index | number << 8];
        &interrupt.expect("a line of a process").limit.as_slice()[0].deadline
    }
});
