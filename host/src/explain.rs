//! How a refusal or a failure is told to a person.

use std::fmt;
use std::io::{self, Write};

use miette::{Diagnostic, MietteHandlerOpts, Report, ReportHandler};

/// Most mistakes that are shown, each with what is around it.
pub const MOST_SHOWN: usize = 50;

/// Mistakes in a file are shown with their places, one after the other, as many as a person mends at a time; everything else
/// is one line and its remedy.
#[must_use]
pub fn text(report: &Report) -> String {
    if let Some(mut mistakes) = report.related() {
        let shown = mistakes.by_ref().take(MOST_SHOWN);
        let shown: Vec<String> = shown.map(|it| format!("{:?}", InPlace(it))).collect();
        let shown = shown.join("\n");
        let further = match mistakes.count() {
            0 => String::new(),
            count => format!("\n{}", further(count)),
        };
        return format!("riposte: {report}:\n{}{further}", shown.trim_end());
    }
    if report.labels().is_some() {
        return format!("{report:?}");
    }
    format!("riposte: {}", line(report))
}

/// That there are so many more than those that are shown.
#[must_use]
pub fn further(count: usize) -> String {
    format!("riposte: and {count} more, which are shown when some of these are mended")
}

/// A failure and its remedy, in one line.
#[must_use]
pub fn line(report: &Report) -> String {
    let causes: Vec<String> = report.chain().map(ToString::to_string).collect();
    let help = report.help().map(|help| format!(" ({help})"));
    format!("{}{}", causes.join(": "), help.unwrap_or_default())
}

/// Tells a person why a command ends. If there is no room for that either, its exit code says it alone.
pub fn tell(what: impl fmt::Display) {
    let _ = writeln!(io::stderr(), "{what}");
}

/// That what is printed has no room where it goes.
#[must_use]
pub fn no_room(why: impl fmt::Display) -> String {
    format!(
        "riposte: what is printed cannot be written: {why} (make room there, or have it printed elsewhere)"
    )
}

/// A mistake with its place, as it is shown alone.
struct InPlace<'a>(&'a dyn Diagnostic);

impl fmt::Debug for InPlace<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        MietteHandlerOpts::new().build().debug(self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::{Place, Refusals, Source};

    #[test]
    fn what_has_no_place_in_a_file_is_one_line_with_its_remedy() {
        let report = miette::miette!(help = "install it", "the tool is missing");
        assert_eq!(text(&report), "riposte: the tool is missing (install it)");
    }

    #[test]
    fn several_mistakes_are_shown_as_each_alone_without_a_line_that_says_nothing() {
        let source = Source {
            path: "app.toml".into(),
            text: "one\ntwo\n".into(),
        };
        let at = |start| Place {
            start,
            end: start + 3,
        };
        let first = source.refuse(at(0), "the first is wrong", "mend it");
        let second = source.refuse(at(4), "the second is wrong", "mend it, too");
        let alone = text(&Refusals::report(vec![second.clone()]));
        let both = text(&Refusals::report(vec![first, second]));
        assert!(
            both.starts_with("riposte: app.toml has 2 mistakes:\n"),
            "{both}"
        );
        assert!(both.ends_with(alone.trim_end()), "{both}");
        assert!(!both.lines().any(|it| it.trim() == "Error:"), "{both}");
    }

    #[test]
    fn of_many_mistakes_a_person_is_shown_what_is_mended_at_a_time() {
        let source = Source {
            path: "app.toml".into(),
            text: "no ".repeat(200_000).into(),
        };
        let at = |start| Place {
            start,
            end: start + 2,
        };
        let all = (0..200_000).map(|it| source.refuse(at(3 * it), "wrong", "mend it"));
        let shown = text(&Refusals::report(all.collect()));
        assert!(shown.starts_with("riposte: app.toml has 200000 mistakes:\n"));
        let last = shown.lines().next_back().unwrap_or_default();
        assert!(last.contains("and 199950 more"), "{last}");
        // Of its line, what is around each.
        assert!(shown.len() < 1_000_000, "{} bytes", shown.len());
        assert!(
            shown.contains("app.toml:1:148]"),
            "the place of the last one"
        );
    }
}
