//! Registers of devices.

use core::ptr::NonNull;

use safe_mmio::UniqueMmioPointer;

/// The registers at `address`, if that is aligned for them. The caller is [`crate::Peripheral`], which has
/// found that they all belong to a device of this process, and that nobody else in it has the device.
pub fn registers<R>(address: u32) -> Option<UniqueMmioPointer<'static, R>> {
    let registers = NonNull::new(super::pointer(address).cast::<R>())?;
    if !registers.is_aligned() {
        return None;
    }
    // SAFETY: the memory is a device's, which the process has as long as it lives, and nothing else of the
    // process lies there; the caller's promise.
    Some(unsafe { UniqueMmioPointer::new(registers) })
}
