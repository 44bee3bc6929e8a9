//! Regions that are made at run time: the calls about them, and the rights of their handles.
//!
//! A call about regions has the operation [`crate::call::operation::REGION`], and its number ([`number`]) where others
//! have a handle. A handle of a region is handed on with [`crate::call::number::REPLY_HANDLE`], closed with
//! [`crate::call::number::CLOSE`]; what is mapped is given up with [`crate::call::number::RELEASE`]. Memory goes back
//! to its pool when nobody has a handle of the region any more, nor has it mapped.

/// Calls about regions: the lower 28 bits of the call word. None of them blocks.
pub mod number {
    /// Makes a region, a block of zeros of the pool at position `WORD0` among those that the caller's process may
    /// make some from. Returns a handle with all [`super::right`]s in `WORD0`, and its bytes in `WORD1`. Says
    /// [`crate::Error::Exhausted`] if no block is free, or the process has made as many as it may and they are not
    /// gone yet.
    pub const CREATE: u32 = 0;
    /// Maps the region with the handle `WORD0` into the caller's process, to be read; and to be written, if `WORD1` is
    /// [`super::right::WRITE`] and not 0. Returns its address in `WORD0`, and its bytes in `WORD1`. Says
    /// [`crate::Error::InUse`] if it is mapped in the process already, and [`crate::Error::Exhausted`] if that has no
    /// place left (`mappings` in its manifest).
    pub const MAP: u32 = 1;
    /// Makes another handle of the region with the handle `WORD0`, with those of its rights that are among `WORD1`.
    /// Returns it in `WORD0`.
    pub const COPY: u32 = 2;
}

/// What the holder of a handle may do beyond reading.
pub mod right {
    /// Map the region to be written.
    pub const WRITE: u32 = 1 << 0;
    /// Hand it on in a reply. Whoever gets it can write if the giver can, and hands it on only if that is [`ONWARD`].
    pub const TRANSFER: u32 = 1 << 1;
    /// Whoever gets it has the same rights as the giver, so that it may hand it on, too.
    pub const ONWARD: u32 = 1 << 2;
    /// All of them.
    pub const ALL: u32 = WRITE | TRANSFER | ONWARD;

    /// The rights of whoever is handed a handle with these, of which [`TRANSFER`] is one.
    #[must_use]
    pub const fn handed_on(rights: u32) -> u32 {
        if rights & ONWARD == 0 {
            rights & !TRANSFER
        } else {
            rights
        }
    }
}
