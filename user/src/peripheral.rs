//! Devices that the manifest gives a process.

use core::fmt;
use core::mem::ManuallyDrop;

use riposte_abi::process_info::kind;
use safe_mmio::UniqueMmioPointer;

use crate::sync::Word;
use crate::{ManifestError, names, trap};

/// A device whose registers this process may use: the manifest says so, and the memory protection holds
/// the process to that. Who has it, has it alone in this process; it is free again when it is dropped.
///
/// A driver says how the registers lie as a structure of [`riposte::mmio`](crate::mmio)'s fields, which say
/// how each may be used; [`Peripheral::registers`] then gives it the device's:
///
/// ```no_run
/// use riposte::Peripheral;
/// use riposte::mmio::{field, fields::{ReadPure, ReadWrite}};
///
/// #[repr(C)]
/// struct Timer {
///     control: ReadWrite<u32>,
///     value: ReadPure<u32>,
/// }
///
/// let timer = Peripheral::take("timer1").unwrap();
/// let mut timer = timer.registers::<Timer>().unwrap();
/// field!(timer, control).write(1);
/// let left = field!(timer, value).read();
/// ```
///
/// A layer that has no such structure names words by their offsets: [`Peripheral::words`].
#[derive(Debug)]
pub struct Peripheral {
    base: u32,
    length: u32,
    /// Its bit in [`TAKEN`].
    bit: u32,
}

/// The devices that somebody has, by their order in the manifest.
static TAKEN: Word = Word::new(0);
/// A bit for each device whose words were shared.
static SHARED: Word = Word::new(0);

/// A device could not be had, or not be used so.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PeripheralError {
    /// The manifest does not give it to this process.
    NotInManifest(ManifestError),
    /// Another part of this process has it. (So it is for the 33rd device of a process and all further
    /// ones.)
    Taken,
    /// There are more registers than the device has room for.
    TooShort,
    /// The registers must lie at a multiple of more than they do.
    Alignment,
}

impl fmt::Display for PeripheralError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PeripheralError::NotInManifest(missing) => return fmt::Display::fmt(missing, f),
            PeripheralError::Taken => "another part of this process has the device",
            PeripheralError::TooShort => "the device's memory is shorter than these registers",
            PeripheralError::Alignment => "the registers are not aligned",
        })
    }
}

impl fmt::Debug for PeripheralError {
    /// As `Display`: it is what a failed `expect` puts into the fault report.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for PeripheralError {}

impl From<ManifestError> for PeripheralError {
    fn from(missing: ManifestError) -> PeripheralError {
        PeripheralError::NotInManifest(missing)
    }
}

impl Peripheral {
    /// The device `name` of the board, if nobody else in this process has it. Never blocks.
    ///
    /// # Errors
    /// [`PeripheralError::NotInManifest`] if the manifest does not give it to this process;
    /// [`PeripheralError::Taken`] if another part of the process has it.
    pub fn take(name: &'static str) -> Result<Peripheral, PeripheralError> {
        let base = names::find(kind::PERIPHERAL, name)?;
        let length = names::find(kind::PERIPHERAL_SIZE, name)?;
        let mut all = trap::entries().filter(|entry| entry.kind == kind::PERIPHERAL);
        let position = all.position(|entry| entry.value == base).unwrap_or(0);
        let bit = u32::try_from(position)
            .ok()
            .and_then(|position| 1_u32.checked_shl(position))
            .ok_or(PeripheralError::Taken)?;
        if TAKEN.or(bit) & bit != 0 {
            return Err(PeripheralError::Taken);
        }
        Ok(Peripheral { base, length, bit })
    }

    /// What the board says it is, such as `ns16550`: which driver it takes. Empty if the board does
    /// not say.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        names::manifest_name(kind::DEVICE, self.base).unwrap_or_default()
    }

    /// The address of its first register.
    #[must_use]
    pub const fn address(&self) -> u32 {
        self.base
    }

    /// Bytes from there on that this process may use.
    #[must_use]
    pub const fn length(&self) -> usize {
        self.length as usize
    }

    /// The device's registers, for as long as the process lives.
    ///
    /// # Errors
    /// [`PeripheralError::TooShort`] or [`PeripheralError::Alignment`] if an `R` does not fit; [`PeripheralError::Taken`] if its
    /// [words](Peripheral::words) were ever shared, since they may be used still. The device is free again then.
    pub fn registers<R>(self) -> Result<UniqueMmioPointer<'static, R>, PeripheralError> {
        if size_of::<R>() > self.length() {
            return Err(PeripheralError::TooShort);
        }
        if SHARED.load() & self.bit != 0 {
            return Err(PeripheralError::Taken);
        }
        let registers = trap::registers(self.base).ok_or(PeripheralError::Alignment)?;
        // Nobody else gets it any more.
        let _ = ManuallyDrop::new(self);
        Ok(registers)
    }

    /// The `BYTES` bytes from `offset` on, as words that are named by their offsets. Unlike
    /// [`Peripheral::registers`] they are shared: they can still be used when the device is given back, so
    /// that several parts of a program can read one counter.
    ///
    /// # Errors
    /// [`PeripheralError::TooShort`] if they are not all the device's; [`PeripheralError::Alignment`] if
    /// `offset` is no multiple of 4.
    pub fn words<const BYTES: usize>(
        &self,
        offset: usize,
    ) -> Result<DeviceWords<BYTES>, PeripheralError> {
        let end = offset.checked_add(BYTES);
        if end.is_none_or(|end| end > self.length()) {
            return Err(PeripheralError::TooShort);
        }
        if !offset.is_multiple_of(4) {
            return Err(PeripheralError::Alignment);
        }
        SHARED.or(self.bit);
        Ok(DeviceWords(self.base + offset as u32))
    }
}

impl Drop for Peripheral {
    fn drop(&mut self) {
        TAKEN.and(!self.bit);
    }
}

/// Registers of a device, by their offsets: every 32-bit word of `BYTES` bytes. An offset beyond those, or
/// one that is no multiple of 4, does not compile:
///
/// ```compile_fail,E0080
/// let timer = riposte::Peripheral::take("timer1").unwrap();
/// let words = timer.words::<8>(0).unwrap();
/// words.read::<8>();
/// ```
///
/// Copies can be used by several threads at the same time, whatever the device makes of that.
#[derive(Clone, Copy, Debug)]
pub struct DeviceWords<const BYTES: usize>(u32);

impl<const BYTES: usize> DeviceWords<BYTES> {
    #[inline(always)]
    const fn at<const OFFSET: usize>(self) -> u32 {
        const {
            assert!(
                OFFSET.is_multiple_of(4),
                "a register lies at a multiple of 4"
            );
            assert!(OFFSET + 4 <= BYTES, "the register is beyond the others");
        }
        self.0 + OFFSET as u32
    }

    /// Reads the register at `OFFSET` bytes.
    #[inline(always)]
    #[must_use]
    pub fn read<const OFFSET: usize>(self) -> u32 {
        trap::load(self.at::<OFFSET>())
    }

    /// Writes the register at `OFFSET` bytes.
    #[inline(always)]
    pub fn write<const OFFSET: usize>(self, value: u32) {
        trap::store(self.at::<OFFSET>(), value);
    }
}
