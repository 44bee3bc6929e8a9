//! How a refusal or a failure is told to a person.

use std::fmt;

use miette::{Diagnostic, MietteHandlerOpts, Report, ReportHandler};

/// Mistakes in a file are shown with their places, one after the other; everything else is one line and its remedy.
#[must_use]
pub fn text(report: &Report) -> String {
    if let Some(mistakes) = report.related() {
        let mistakes: Vec<String> = mistakes.map(|it| format!("{:?}", InPlace(it))).collect();
        return format!("riposte: {report}:\n{}", mistakes.join("\n").trim_end());
    }
    if report.labels().is_some() {
        return format!("{report:?}");
    }
    format!("riposte: {}", line(report))
}

/// A failure and its remedy, in one line.
#[must_use]
pub fn line(report: &Report) -> String {
    let causes: Vec<String> = report.chain().map(ToString::to_string).collect();
    let help = report.help().map(|help| format!(" ({help})"));
    format!("{}{}", causes.join(": "), help.unwrap_or_default())
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
}
