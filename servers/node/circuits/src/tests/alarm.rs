//! How often it is said that frames fit no key.

use std::vec::Vec;

use crate::Alarm;

const MILLISECOND: u64 = 1_000_000;
const SECOND: u64 = 1_000 * MILLISECOND;

/// What is said in so many seconds of a clock that begins at `began`, if that many have been counted at each millisecond: when, and of how many.
fn told(began: u64, seconds: u64, counted: impl Fn(u64) -> u32) -> Vec<(u64, u32)> {
    let mut alarm = Alarm::new();
    let mut all = Vec::new();
    for millis in 0..seconds * 1_000 {
        let (now, counted) = (began + millis * MILLISECOND, counted(millis));
        let due = alarm.due(counted);
        let said = alarm.take(now, counted);
        // Who waits until it is due misses nothing, and never waits in vain.
        assert_eq!(said.is_some(), due.is_some_and(|due| due <= now));
        all.extend(said.map(|it| (millis / 1_000, it)));
    }
    all
}

#[test]
fn a_flood_of_frames_that_fit_no_key_is_a_line_a_minute() {
    for began in [0, 77 * SECOND] {
        // Twenty a millisecond.
        let lines = told(began, 600, |millis| millis as u32 * 20);
        let times: Vec<u64> = lines.iter().map(|it| it.0).collect();
        assert_eq!(times, [0, 60, 120, 180, 240, 300, 360, 420, 480, 540]);
        let all: u32 = lines.iter().map(|it| it.1).sum();
        assert_eq!(all, 540_001 * 20);
    }
}

#[test]
fn the_first_frame_that_fits_no_key_is_told_at_once_and_the_last_of_a_flood_in_a_minute() {
    assert_eq!(told(0, 200, |_| 0), []);
    let lines = told(0, 300, |millis| match millis / 1_000 {
        0..5 => 0,
        5 => 1,
        6..200 => 1_000,
        _ => 1_001,
    });
    assert_eq!(lines, [(5, 1), (65, 999), (200, 1)]);
}

#[test]
fn a_count_that_begins_anew_is_told_of_as_it_is() {
    let mut alarm = Alarm::new();
    assert_eq!(alarm.take(0, u32::MAX), Some(u32::MAX));
    assert_eq!(alarm.take(59 * SECOND, 2), None);
    assert_eq!(alarm.take(60 * SECOND, 2), Some(3));
    assert_eq!(alarm.due(2), None);
}
