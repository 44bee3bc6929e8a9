//! Packs the kernel and the processes into one raw image.

use miette::miette;

use super::elf::Piece;
use crate::plan::Region;

/// What an erased flash cell reads.
const ERASED: u8 = 0xFF;

/// Lays the pieces out from the beginning of `flash`.
///
/// # Errors
/// If two pieces overlap, or one lies outside the flash: the plan is wrong.
pub fn pack(flash: Region, pieces: &[Piece]) -> miette::Result<Vec<u8>> {
    let mut pieces: Vec<&Piece> = pieces
        .iter()
        .filter(|piece| !piece.bytes.is_empty())
        .collect();
    pieces.sort_by_key(|piece| piece.address);
    let mut image = Vec::new();
    for piece in pieces {
        let range = Region {
            base: piece.address,
            size: u32::try_from(piece.bytes.len()).unwrap_or(u32::MAX),
        };
        let offset = piece.address.wrapping_sub(flash.base) as usize;
        if !flash.contains(range) || offset < image.len() {
            return Err(miette!(
                "the {} bytes for {:#010x} overlap what is there, or lie outside the flash",
                range.size,
                range.base
            ));
        }
        image.resize(offset, ERASED);
        image.extend_from_slice(&piece.bytes);
    }
    Ok(image)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLASH: Region = Region {
        base: 0x100,
        size: 0x10,
    };

    fn piece(address: u32, bytes: &[u8]) -> Piece {
        Piece {
            address,
            bytes: bytes.to_vec(),
        }
    }

    #[test]
    fn every_piece_lies_at_its_address() {
        let image = pack(FLASH, &[piece(0x104, &[3, 4]), piece(0x100, &[1, 2])]).unwrap();
        assert_eq!(image, [1, 2, ERASED, ERASED, 3, 4]);
    }

    #[test]
    fn pieces_that_overlap_or_leave_the_flash_make_no_image() {
        assert!(pack(FLASH, &[piece(0x100, &[1, 2]), piece(0x101, &[3])]).is_err());
        assert!(pack(FLASH, &[piece(0xFF, &[1])]).is_err());
        assert!(pack(FLASH, &[piece(0x10F, &[1, 2])]).is_err());
    }
}
