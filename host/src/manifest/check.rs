//! Collects what is wrong with a manifest, so that one run shows all of it.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use crate::quantity::{Duration, Size};
use crate::source::{At, Place, Refusal, Source};
use crate::suggest;

/// The mistakes found so far.
pub struct Check<'a> {
    pub source: &'a Source,
    pub refusals: Vec<Refusal>,
    pub warnings: Vec<Refusal>,
}

impl<'a> Check<'a> {
    pub fn new(source: &'a Source) -> Self {
        Check {
            source,
            refusals: Vec::new(),
            warnings: Vec::new(),
        }
    }

    pub fn refuse(&mut self, span: Place, message: impl Into<String>, help: impl Into<String>) {
        self.refusals.push(self.source.refuse(span, message, help));
    }

    /// Refuses what stands for a second time, and points to the `first`.
    pub fn refuse_second(
        &mut self,
        second: Place,
        message: impl Into<String>,
        help: impl Into<String>,
        first: Place,
    ) {
        let refusal = self.source.refuse(second, message, help);
        self.refusals
            .push(refusal.label("the second").also(first, "the first"));
    }

    pub fn warn(&mut self, span: Place, message: impl Into<String>, help: impl Into<String>) {
        self.warnings.push(self.source.warn(span, message, help));
    }

    /// `number` if it is in `range`; else it is refused, and the range's start stands for it.
    pub fn in_range(&mut self, number: &At<i64>, what: &str, range: RangeInclusive<u32>) -> u32 {
        let fits = u32::try_from(number.value)
            .ok()
            .filter(|number| range.contains(number));
        fits.unwrap_or_else(|| {
            let (low, high) = (range.start(), range.end());
            let message = format!("{what} {} is out of range", number.value);
            self.refuse(
                number.span,
                message,
                format!("write a number from {low} to {high}"),
            );
            *range.start()
        })
    }

    /// The nanoseconds of `time`, if they are in `range`; else it is refused, and `range` said in words is the help.
    pub fn time(
        &mut self,
        time: &At<Duration>,
        what: &str,
        range: RangeInclusive<u64>,
        words: &str,
    ) -> Option<u64> {
        let written = &time.value.0;
        match time.value.nanoseconds() {
            Ok(ns) if range.contains(&ns) => return Some(ns),
            Ok(_) => {
                let message = format!("{what} of {written} is out of range");
                self.refuse(time.span, message, format!("write a time {words}"));
            }
            Err(help) => self.refuse(time.span, format!("`{written}` is not a time"), help),
        }
        None
    }

    /// As [`Check::in_range`], and a power of two.
    pub fn power_of_two(
        &mut self,
        number: &At<i64>,
        what: &str,
        range: RangeInclusive<u32>,
    ) -> u32 {
        if u32::try_from(number.value).is_ok_and(|n| range.contains(&n) && n.is_power_of_two()) {
            return number.value.unsigned_abs() as u32;
        }
        let mut powers = Vec::new();
        let mut power = *range.start();
        while power <= *range.end() {
            powers.push(power.to_string());
            power *= 2;
        }
        let message = format!("{} is not a possible {what}", number.value);
        self.refuse(
            number.span,
            message,
            format!("write one of {}", powers.join(", ")),
        );
        *range.start()
    }

    /// The size in bytes, if it is one.
    pub fn size(&mut self, size: &At<Size>) -> Option<At<u32>> {
        match size.value.bytes() {
            Ok(bytes) => Some(size.with(bytes)),
            Err(help) => {
                self.refuse(size.span, "this is not a size", help);
                None
            }
        }
    }

    /// Refuses what is no name, or too long.
    pub fn name(&mut self, name: &At<String>) {
        if let Some(message) = too_long(&name.value) {
            self.refuse(name.span, message, SHORTER);
            return;
        }
        let mut letters = name.value.chars();
        let starts = letters
            .next()
            .is_some_and(|first| first.is_ascii_lowercase());
        let goes_on = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        if !(starts && letters.all(goes_on)) {
            let message = format!("`{}` is not a name", name.value);
            let help = "names have small letters, digits and `-`, and begin with a letter";
            let help = match name_like(&name.value) {
                Some(similar) => format!("write `{similar}`: {help}"),
                None => help.into(),
            };
            self.refuse(name.span, message, help);
        }
    }
}

/// Bytes of the longest name: file systems have names of 255, and what lies beside a file is called so and a bit longer.
pub const LONGEST_NAME: usize = 200;

/// What to do about a name that is too long.
pub const SHORTER: &str = "leave it 200 at most: files are called so";

/// What is wrong with a name that is too long.
pub fn too_long(name: &str) -> Option<String> {
    let length = name.len();
    (length > LONGEST_NAME).then(|| format!("a name has {length} letters"))
}

/// The name that `text` becomes by the rule, if anything is left of it.
pub fn name_like(text: &str) -> Option<String> {
    let name: String = text
        .trim_start_matches(|c: char| !c.is_ascii_alphabetic())
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_lowercase()
            } else {
                '-'
            }
        })
        .collect();
    (!name.is_empty()).then_some(name)
}

/// The names of one kind in the manifest.
pub struct Names<'a> {
    kind: &'static str,
    plural: &'static str,
    order: Vec<&'a str>,
    index: HashMap<&'a str, (usize, Place)>,
}

impl<'a> Names<'a> {
    /// Collects `names`, and refuses what is no name or comes twice.
    pub fn collect(
        check: &mut Check,
        kind: &'static str,
        plural: &'static str,
        names: impl IntoIterator<Item = &'a At<String>>,
    ) -> Self {
        let mut collected = Names {
            kind,
            plural,
            order: Vec::new(),
            index: HashMap::new(),
        };
        for name in names {
            check.name(name);
            collected.add(check, name);
        }
        collected
    }

    fn add(&mut self, check: &mut Check, name: &'a At<String>) {
        let index = self.order.len();
        self.order.push(&name.value);
        if let Some((_, first)) = self.index.get(name.value.as_str()) {
            check.refuse_second(
                name.span,
                format!("there are two {} called `{}`", self.plural, name.value),
                format!("give one {} another name", self.kind),
                *first,
            );
        } else {
            self.index.insert(&name.value, (index, name.span));
        }
    }

    /// The index of `name`, or `None` if it is not there.
    pub fn get(&self, name: &str) -> Option<usize> {
        self.index.get(name).map(|(index, _)| *index)
    }

    /// The index of `name`; refused with `message` if it is not there.
    pub fn find(&self, check: &mut Check, name: &At<String>, message: &str) -> Option<usize> {
        let found = self.get(&name.value);
        if found.is_none() {
            let message = format!("{message}: there is no {} `{}`", self.kind, name.value);
            let help = suggest::help(&name.value, self.plural, self.order.iter().copied());
            check.refuse(name.span, message, help);
        }
        found
    }
}
