//! Interrupts: a thread of a process is their handler.

use riposte_abi::call::{self, number, operation};
use riposte_abi::process_info::kind;
use riposte_abi::{Error, info, notice, register};

use crate::trap::{self, Range};
use crate::{Channel, ConnectError, Event, Rare, failure, names};

/// An interrupt that the manifest gives to this process, attached to one of its channels.
///
/// When its device asks for it, its bits are set there ([`crate::Notice::Bits`]), and the line stays
/// masked until it is acknowledged: the handler makes the device stop asking, then acknowledges,
/// mostly together with waiting for the next one. To begin with it is masked, too.
///
/// ```no_run
/// use riposte::Interrupt;
///
/// #[riposte::thread]
/// fn handler() -> ! {
///     let channel = riposte::channel("events").unwrap();
///     let timer = Interrupt::attach("timer1", &channel, 1).unwrap();
///     loop {
///         let _bits = timer.wait().unwrap();
///         // Clear the device's request here.
///     }
/// }
/// ```
///
/// When it is dropped, it is detached.
#[derive(Debug)]
pub struct Interrupt {
    handle: u32,
    channel: Channel,
}

impl Interrupt {
    /// Attaches the interrupt that the manifest's `interrupts` of this process call `name`: it sets
    /// `bits` of `channel`, at least one, from its first acknowledgement on. Never blocks.
    ///
    /// # Errors
    /// [`ConnectError::NotInManifest`] if the process has no such interrupt; from the kernel
    /// [`Error::InUse`] if it is attached already, [`Error::BadArgument`] if `bits` is 0.
    pub fn attach(
        name: &'static str,
        channel: &Channel,
        bits: u32,
    ) -> Result<Interrupt, ConnectError> {
        let words = [names::find(kind::INTERRUPT, name)?, channel.handle(), bits];
        Ok(Interrupt {
            handle: failure::perform(number::INTERRUPT_ATTACH, words)?[register::WORD0],
            channel: *channel,
        })
    }

    /// The handle, for calls that this library doesn't wrap.
    #[must_use]
    pub const fn handle(&self) -> u32 {
        self.handle
    }

    /// Acknowledges it, then waits at its channel for the next one: one system call. Returns the bits
    /// that were set, all of them. Blocks.
    ///
    /// # Errors
    /// [`Rare`] is what else was received: a message of a client, another notice, or the error. With
    /// [`Error::Interrupted`] it is acknowledged, and may have come.
    #[inline(always)]
    pub fn wait(&self) -> Result<u32, Rare> {
        let registers = self.next(Range::NONE);
        let is_bits =
            registers[register::INFO] == info::NOTICE && registers[register::WORD0] == notice::BITS;
        if is_bits {
            Ok(registers[register::WORD1])
        } else {
            Err(Rare::of(registers))
        }
    }

    /// As [`Interrupt::wait`], for a server that has clients too; see [`Channel::receive`]. Blocks.
    ///
    /// # Errors
    /// As [`Channel::receive`]. The interrupt is acknowledged if the thread has waited, as it has with
    /// [`Error::Interrupted`] and at a deadline; if the call was refused, it is not.
    pub fn acknowledge_and_receive<'a>(&self, buffer: &'a mut [u8]) -> Result<Event<'a>, Error> {
        let registers = self.next(Range::of_mut(buffer));
        Event::decode(&registers, buffer)
    }

    #[inline(always)]
    fn next(&self, buffer: Range) -> trap::Registers {
        let word = call::word(operation::RECEIVE, self.channel.handle());
        trap::acknowledge_and_receive(word, self.handle, buffer)
    }

    /// Lets it come again, at once if its device asks for it now. Never blocks.
    ///
    /// # Errors
    /// None but the kernel's, which knows the handle as long as `self` is there.
    pub fn acknowledge(&self) -> Result<(), Error> {
        self.call::<{ number::INTERRUPT_ACK }>()
    }

    /// Keeps it from coming until it is acknowledged. Never blocks.
    ///
    /// # Errors
    /// As [`Interrupt::acknowledge`].
    pub fn mask(&self) -> Result<(), Error> {
        self.call::<{ number::INTERRUPT_MASK }>()
    }

    /// Raises it as its device would: at once, or if it is masked, when it is acknowledged. However
    /// often meanwhile, it comes once. Never blocks.
    ///
    /// # Errors
    /// As [`Interrupt::acknowledge`].
    #[inline(always)]
    pub fn pend(&self) -> Result<(), Error> {
        self.call::<{ number::INTERRUPT_PEND }>()
    }

    #[inline(always)]
    fn call<const NUMBER: u32>(&self) -> Result<(), Error> {
        failure::ask(NUMBER, self.handle, 0).map(drop)
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        // It cannot fail: nobody else has the handle.
        let _ = self.call::<{ number::INTERRUPT_DETACH }>();
    }
}
