use core::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use std::string::ToString;

use zerocopy::IntoBytes;

use crate::RegionError;
use crate::testing::region;

#[test]
fn a_value_in_a_region_is_where_the_region_is() {
    region("common", 64, true);
    let common = crate::region("common").unwrap();
    let words = common.cast::<[AtomicU32; 16]>().unwrap();
    words[3].store(0x0403_0201, Ordering::Relaxed);
    assert_eq!(common.load(12), Some(0x0403_0201));
    let mut bytes = [0xFF; 6];
    assert_eq!(common.read(10, &mut bytes), 6);
    assert_eq!(bytes, [0, 0, 1, 2, 3, 4]);
    assert_eq!(common.write(12, &[9]), Ok(1));
    assert_eq!(words[3].load(Ordering::Relaxed), 0x0403_0209);
}

#[test]
fn a_word_of_a_region_is_written_whole_or_not_at_all() {
    region("common", 64, true);
    let common = crate::region("common").unwrap();
    assert_eq!(common.store(60, 0x0403_0201), Ok(()));
    assert_eq!(common.load(60), Some(0x0403_0201));
    let beyond = [61, 64, usize::MAX - 1].map(|at| common.store(at, 1));
    assert_eq!(beyond, [Err(RegionError::TooShort); 3]);
    assert_eq!(common.store(2, 1), Err(RegionError::Alignment));
    assert_eq!(common.load(60), Some(0x0403_0201));
}

#[test]
fn the_words_of_a_region_are_all_of_it() {
    region("common", 64, true);
    let common = crate::region("common").unwrap();
    let words = common.words().unwrap();
    assert_eq!(words.len(), 16);
    words[15].store(7, Ordering::Relaxed);
    assert_eq!(common.load(60), Some(7));
}

#[test]
fn bytes_of_a_region_are_copied_wherever_they_begin_and_end() {
    region("common", 64, true);
    let common = crate::region("common").unwrap();
    let places = (0..5).flat_map(|offset| (0..4).map(move |from| (offset, from)));
    for ((offset, from), length) in places.flat_map(|it| (0..24).map(move |length| (it, length))) {
        let mut expected = [0xEE; 64];
        assert_eq!(common.write(0, &expected), Ok(64));
        // Aligned as a word is, so that some begin where one does.
        let words: [u32; 8] = core::array::from_fn(|at| 0x0302_0100 + 0x0404_0404 * at as u32);
        let bytes = &words.as_bytes()[from..][..length];
        assert_eq!(common.write(offset, bytes), Ok(length));
        expected[offset..][..length].copy_from_slice(bytes);
        let mut all = [0; 64];
        assert_eq!(common.read(0, &mut all), 64);
        assert_eq!(all, expected, "{length} bytes from {from} to {offset}");
        let mut back = [0_u32; 8];
        assert_eq!(
            common.read(offset, &mut back.as_mut_bytes()[from..][..length]),
            length
        );
        let mut expected = [0; 32];
        expected[from..][..length].copy_from_slice(bytes);
        assert_eq!(
            back.as_bytes(),
            expected,
            "{length} bytes from {offset} to {from}"
        );
    }
}

#[test]
fn what_is_beyond_a_region_is_left_out() {
    region("common", 64, true);
    let common = crate::region("common").unwrap();
    assert_eq!(common.read(60, &mut [0; 8]), 4);
    assert_eq!(common.read(usize::MAX, &mut [0; 8]), 0);
    assert_eq!(common.write(64, &[1]), Ok(0));
    assert_eq!([61, 64, usize::MAX].map(|at| common.load(at)), [None; 3]);
    assert_eq!(common.load(2), None);
    let longer = common.cast::<[AtomicU8; 65]>().map(drop);
    assert_eq!(longer, Err(RegionError::TooShort));
    assert!(common.part(60..65).is_none());
    assert!(common.part_mut(64..64).is_some());
    let (start, end) = (5, 4);
    assert!(common.part(start..end).is_none());
}

#[test]
fn who_may_only_read_has_no_way_to_write() {
    region("seen", 64, false);
    let seen = crate::region("seen").unwrap();
    assert!(!seen.is_writable());
    assert_eq!(seen.write(0, &[1]), Err(RegionError::ReadOnly));
    assert_eq!(seen.store(0, 1), Err(RegionError::ReadOnly));
    assert!(seen.part_mut(0..4).is_none());
    assert!(seen.part(0..4).is_some());
    let cast = seen.cast::<AtomicU32>().map(drop);
    assert_eq!(cast, Err(RegionError::ReadOnly));
    assert!(seen.words().is_err());
    assert_eq!(seen.load(0), Some(0));
}

#[test]
fn a_region_that_the_manifest_does_not_give_is_said_with_what_to_write_there() {
    let missing = crate::region("common").unwrap_err();
    assert_eq!(
        missing.to_string(),
        "no region `common`: app.toml needs a [[region]] with that name and `hosted` among its processes"
    );
}
