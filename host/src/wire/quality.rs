//! How bad a wire is: what it does to the frames that are sent, by a seed and the number of each.

use std::ops::RangeInclusive;
use std::str::FromStr;
use std::time::Duration;

use crate::suggest;

/// The longest delay: what is under way is kept.
const LONGEST_DELAY: Duration = Duration::from_secs(10);

/// A share of all frames, in millionths.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Share(u32);

impl Share {
    const WHOLE: u32 = 1_000_000;

    /// Whether `draw` is among these.
    fn holds(self, draw: u64) -> bool {
        draw % u64::from(Share::WHOLE) < u64::from(self.0)
    }
}

impl FromStr for Share {
    type Err = String;

    fn from_str(text: &str) -> Result<Share, String> {
        let wrong = || format!("`{text}` is no share of the frames: write 5% or 0.5%");
        let number = text.strip_suffix('%').ok_or_else(wrong)?;
        let percent: f64 = number.parse().map_err(|_| wrong())?;
        if !(0.0..=100.0).contains(&percent) {
            return Err(format!("{text} of the frames: a share is from 0% to 100%"));
        }
        Ok(Share((percent * 10_000.0).round() as u32))
    }
}

/// When the wire is cut.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Cut {
    /// For the frames of these numbers, of each node: its first is 1. The last of them is through again.
    Frames(u64, u64),
    /// In this time since the beginning.
    Time(Duration, Duration),
}

impl Cut {
    fn holds(&self, number: u64, now: Duration) -> bool {
        match self {
            Cut::Frames(from, to) => (*from..*to).contains(&number),
            Cut::Time(from, to) => (*from..*to).contains(&now),
        }
    }
}

impl FromStr for Cut {
    type Err = String;

    fn from_str(text: &str) -> Result<Cut, String> {
        let wrong =
            || format!("`{text}` is no time of a cut: write 2s..5s, or 100..200 for frames");
        let (from, to) = text.split_once("..").ok_or_else(wrong)?;
        let cut = match (from.parse(), to.parse()) {
            (Ok(from), Ok(to)) => Cut::Frames(from, to),
            _ => {
                let time = |text| humantime::parse_duration(text).map_err(|_| wrong());
                Cut::Time(time(from)?, time(to)?)
            }
        };
        let ends_before_it_begins = match &cut {
            Cut::Frames(from, to) => to <= from,
            Cut::Time(from, to) => to <= from,
        };
        if ends_before_it_begins {
            return Err(format!(
                "cut={text}: it ends when it begins, or before; write the earlier one first"
            ));
        }
        Ok(cut)
    }
}

/// How bad a wire is. One that nothing is said of loses nothing, and changes nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quality {
    /// Frames that are lost.
    loss: Share,
    /// Frames that come twice.
    double: Share,
    /// Frames that others overtake.
    reorder: Share,
    /// Frames that come with other bits, or without their end.
    corrupt: Share,
    /// How much later each comes, between these.
    delay: RangeInclusive<Duration>,
    /// When none come.
    cuts: Vec<Cut>,
    /// Which frames are chosen.
    pub seed: u64,
}

impl Default for Quality {
    fn default() -> Quality {
        Quality {
            loss: Share::default(),
            double: Share::default(),
            reorder: Share::default(),
            corrupt: Share::default(),
            delay: Duration::ZERO..=Duration::ZERO,
            cuts: vec![],
            seed: 1,
        }
    }
}

/// What may be said of a wire.
const KEYS: [&str; 7] = [
    "loss", "double", "reorder", "corrupt", "delay", "cut", "seed",
];

impl FromStr for Quality {
    type Err = String;

    fn from_str(text: &str) -> Result<Quality, String> {
        let mut quality = Quality::default();
        let mut said = vec![];
        for part in text.split(',').map(str::trim) {
            let (key, value) = part.split_once('=').ok_or_else(|| {
                format!("`{part}` says nothing of a wire: write KEY=VALUE, as in loss=5%,seed=7")
            })?;
            if said.contains(&key) && key != "cut" {
                return Err(format!("`{key}` is there twice; leave one out"));
            }
            match key {
                "loss" => quality.loss = value.parse()?,
                "double" => quality.double = value.parse()?,
                "reorder" => quality.reorder = value.parse()?,
                "corrupt" => quality.corrupt = value.parse()?,
                "delay" => quality.delay = delay(value)?,
                "cut" => quality.cuts.push(value.parse()?),
                "seed" => {
                    let wrong = |_| format!("`{value}` is no seed: write a whole number");
                    quality.seed = value.parse().map_err(wrong)?;
                }
                other => {
                    let help = suggest::help(other, "keys", KEYS);
                    return Err(format!("nothing is known of `{other}` of a wire: {help}"));
                }
            }
            said.push(key);
        }
        Ok(quality)
    }
}

fn delay(text: &str) -> Result<RangeInclusive<Duration>, String> {
    let time = |text| {
        humantime::parse_duration(text)
            .ok()
            .filter(|it| *it <= LONGEST_DELAY)
    };
    let (least, most) = text.split_once("..").unwrap_or((text, text));
    let (Some(least), Some(most)) = (time(least), time(most)) else {
        let longest = humantime::format_duration(LONGEST_DELAY);
        return Err(format!(
            "`{text}` is no delay: write 5ms, or 1ms..20ms; {longest} is the longest"
        ));
    };
    if most < least {
        return Err(format!(
            "delay={text}: the longest is shorter than the shortest"
        ));
    }
    Ok(least..=most)
}

/// What becomes of a frame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Fate {
    /// It is lost, because the wire is cut.
    pub cut: bool,
    /// It is lost.
    pub lost: bool,
    /// It comes with other bits, or without its end: which, by this number.
    pub corrupted: Option<u64>,
    /// How it comes; a second one comes, too, if it comes twice.
    pub comes: Vec<Coming>,
}

/// How a frame comes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coming {
    /// So much later.
    pub delay: Duration,
    /// When so many later ones of its sender have come; or soon, if there are none.
    pub after: Option<u8>,
}

impl Quality {
    /// What becomes of the frame of that `number`, from 1, that the node `sender` sends at `now`, counted from the
    /// beginning. It depends on nothing else, but for `now` of a cut in time.
    #[must_use]
    pub fn fate(&self, sender: usize, number: u64, now: Duration) -> Fate {
        let draw = |purpose: u64| draw(self.seed, sender as u64, number, purpose);
        let mut fate = Fate {
            cut: self.cuts.iter().any(|cut| cut.holds(number, now)),
            lost: self.loss.holds(draw(1)),
            corrupted: self.corrupt.holds(draw(2)).then(|| draw(3)),
            comes: vec![],
        };
        let times = match (fate.cut || fate.lost, self.double.holds(draw(4))) {
            (true, _) => 0,
            (false, false) => 1,
            (false, true) => 2,
        };
        fate.comes.extend((0..times).map(|time| {
            let purpose = 8 * (time + 1);
            Coming {
                delay: self.delay_of(draw(purpose)),
                after: self
                    .reorder
                    .holds(draw(purpose + 1))
                    .then(|| 1 + (draw(purpose + 2) % 4) as u8),
            }
        }));
        fate
    }

    fn delay_of(&self, draw: u64) -> Duration {
        let (least, most) = (self.delay.start(), self.delay.end());
        let span = (*most - *least).as_micros() as u64;
        *least + Duration::from_micros(draw % (span + 1))
    }
}

/// A number of no pattern, of these four alone.
fn draw(seed: u64, sender: u64, number: u64, purpose: u64) -> u64 {
    [sender, number, purpose]
        .into_iter()
        .fold(mix(seed), |state, it| mix(state ^ it))
}

/// A step of the generator splitmix64.
pub(super) fn mix(state: u64) -> u64 {
    let mut it = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    it = (it ^ (it >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    it = (it ^ (it >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    it ^ (it >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quality(text: &str) -> Quality {
        text.parse().expect(text)
    }

    fn fates(text: &str, sender: usize) -> Vec<Fate> {
        let quality = quality(text);
        (1..=10_000)
            .map(|number| quality.fate(sender, number, Duration::ZERO))
            .collect()
    }

    #[test]
    fn a_wire_of_which_nothing_is_said_changes_nothing() {
        let quality = Quality::default();
        for number in 1..1000 {
            let fate = quality.fate(0, number, Duration::from_secs(number));
            let comes = vec![Coming::default()];
            assert_eq!(
                fate,
                Fate {
                    comes,
                    ..Fate::default()
                }
            );
        }
    }

    #[test]
    fn what_becomes_of_a_frame_is_the_same_for_the_same_seed_and_another_for_another() {
        let text = "loss=10%,double=10%,reorder=10%,corrupt=10%,delay=1ms..9ms,seed=";
        let first = fates(&format!("{text}7"), 0);
        assert_eq!(first, fates(&format!("{text}7"), 0));
        let differs = |other: &[Fate]| first.iter().zip(other).filter(|(a, b)| a != b).count();
        assert!(differs(&fates(&format!("{text}8"), 0)) > 9000);
        assert!(differs(&fates(&format!("{text}7"), 1)) > 9000);
    }

    #[test]
    fn as_many_frames_are_chosen_as_is_said() {
        let all = fates("loss=5%,double=1%,reorder=20%,corrupt=0.5%", 0);
        let count = |chosen: fn(&Fate) -> bool| all.iter().filter(|it| chosen(it)).count();
        assert!((420..580).contains(&count(|it| it.lost)));
        assert!((60..140).contains(&count(|it| it.comes.len() == 2)));
        assert!((25..80).contains(&count(|it| it.corrupted.is_some())));
        let overtaken = count(|it| it.comes.first().is_some_and(|it| it.after.is_some()));
        assert!((1700..2100).contains(&overtaken), "{overtaken}");
        // Nothing of the one depends on the other.
        let apart = fates("loss=5%", 0);
        assert!(all.iter().zip(&apart).all(|(a, b)| a.lost == b.lost));
        assert!(fates("loss=100%", 0).iter().all(|it| it.comes.is_empty()));
    }

    #[test]
    fn a_delay_is_between_its_limits_and_takes_them_all() {
        let delays = fates("delay=2ms..2003us", 0);
        let mut delays: Vec<_> = delays.iter().map(|it| it.comes[0].delay).collect();
        delays.sort();
        delays.dedup();
        let expected = (2000..=2003).map(Duration::from_micros);
        assert_eq!(delays, expected.collect::<Vec<_>>());
    }

    #[test]
    fn a_cut_has_a_beginning_and_an_end_in_frames_or_in_time() {
        let wire = quality("cut=3..5,cut=2s..2500ms");
        let cut = |number, ms| wire.fate(1, number, Duration::from_millis(ms)).cut;
        assert_eq!(
            [2, 3, 4, 5].map(|number| cut(number, 0)),
            [false, true, true, false]
        );
        assert_eq!(
            [1999, 2000, 2499, 2500].map(|ms| cut(9, ms)),
            [false, true, true, false]
        );
        assert!(wire.fate(0, 3, Duration::ZERO).comes.is_empty());
    }

    #[test]
    fn what_makes_no_sense_is_refused_with_what_would() {
        for (text, words) in [
            ("", "KEY=VALUE"),
            ("loss", "KEY=VALUE"),
            ("loss=5", "write 5%"),
            ("loss=-1%", "0% to 100%"),
            ("loss=101%", "0% to 100%"),
            ("loss=NaN%", "0% to 100%"),
            ("los=5%", "loss"),
            ("loss=1%,loss=2%", "twice"),
            ("delay=5", "5ms"),
            ("delay=11s", "longest"),
            ("delay=5ms..1ms", "shorter"),
            ("cut=5s", "2s..5s"),
            ("cut=5s..2s", "earlier"),
            ("cut=5..2s", "2s..5s"),
            ("seed=x", "whole number"),
            ("seed=-1", "whole number"),
        ] {
            let error = text.parse::<Quality>().expect_err(text);
            assert!(error.contains(words) && !error.contains('\n'), "{error}");
        }
    }
}
