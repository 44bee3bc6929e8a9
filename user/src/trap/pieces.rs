//! Few bytes of several pieces, put together.

use core::mem::MaybeUninit;

/// Bytes of a message that are put together before it is sent: to copy so many takes less than a third of what it takes
/// the kernel to look at two pieces of them.
const SHORT: usize = 144;

/// Where so many are put together.
pub type Room = [MaybeUninit<u8>; SHORT];
/// One that holds nothing.
pub const ROOM: Room = [const { MaybeUninit::uninit() }; SHORT];

/// `pieces` one behind the other: put together in `room`, if they are several; none if there is too little.
#[inline]
pub fn join<'a>(pieces: &[&'a [u8]], room: &'a mut Room) -> Option<&'a [u8]> {
    if let [only] = pieces {
        return Some(only);
    }
    let length = pieces.iter().map(|piece| piece.len()).sum();
    let joined = room.get_mut(..length)?;
    let mut rest = &mut *joined;
    for piece in pieces {
        let (place, behind) = rest.split_at_mut(piece.len());
        place.write_copy_of_slice(piece);
        rest = behind;
    }
    // SAFETY: the pieces, each written behind the ones before it, are as long as all of it.
    Some(unsafe { joined.assume_init_ref() })
}
