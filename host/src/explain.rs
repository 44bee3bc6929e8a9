//! How a refusal or a failure is told to a person.

use miette::Report;

/// A mistake in a file is shown with its place; everything else is one line and its remedy.
#[must_use]
pub fn text(report: &Report) -> String {
    let has_place = report.labels().is_some() || report.related().is_some();
    if has_place {
        return format!("{report:?}");
    }
    let causes: Vec<String> = report.chain().map(ToString::to_string).collect();
    let help = report.help().map(|help| format!(" ({help})"));
    format!("riposte: {}{}", causes.join(": "), help.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_place_in_a_file_is_one_line_with_its_remedy() {
        let report = miette::miette!(help = "install it", "the tool is missing");
        assert_eq!(text(&report), "riposte: the tool is missing (install it)");
    }
}
