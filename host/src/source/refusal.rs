//! What is refused in a file: message, place, next step.

use std::fmt;
use std::ops::Range;

use miette::{
    Diagnostic, LabeledSpan, MietteError, MietteSpanContents, Severity, SourceCode, SourceSpan,
    SpanContents,
};

use super::{Place, Source};

/// Something in a file that is wrong, or, as a warning, probably not meant.
#[derive(Clone)]
pub struct Refusal {
    pub(super) message: String,
    pub(super) help: String,
    pub(super) labels: Vec<(Place, String)>,
    pub(super) severity: Severity,
    pub(super) source: Source,
}

impl Refusal {
    /// Says `label` at the main place.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Refusal {
        self.labels[0].1 = label.into();
        self
    }

    /// Points to another place too, and says `label` there.
    #[must_use]
    pub fn also(mut self, span: Place, label: impl Into<String>) -> Refusal {
        self.labels.push((span, label.into()));
        self
    }

    /// Line and column, from 1, of the main place.
    #[must_use]
    pub fn position(&self) -> (usize, usize) {
        let place = self.labels[0].0;
        let before = &self.source.text[..place.start];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        (
            self.source.line_of(place),
            before[line_start..].chars().count() + 1,
        )
    }

    /// Whether `other` says the same of the same place.
    #[must_use]
    pub fn is_as(&self, other: &Refusal) -> bool {
        self.message == other.message && self.labels == other.labels
    }

    /// The text at the main place.
    #[must_use]
    pub fn underlined(&self) -> &str {
        let Place { start, end } = self.labels[0].0;
        &self.source.text[start..end]
    }

    /// The next step.
    #[must_use]
    pub fn next_step(&self) -> &str {
        &self.help
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

/// For a log: file, line, column, message.
impl fmt::Debug for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (line, column) = self.position();
        write!(
            f,
            "{}:{line}:{column}: {}",
            self.source.path.display(),
            self.message
        )
    }
}

impl std::error::Error for Refusal {}

impl Diagnostic for Refusal {
    fn severity(&self) -> Option<Severity> {
        Some(self.severity)
    }

    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        Some(Box::new(&self.help))
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(self)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let mut main = true;
        Some(Box::new(self.labels.iter().map(move |(span, label)| {
            let label = (!label.is_empty()).then(|| label.clone());
            let length = span.end - span.start;
            if std::mem::take(&mut main) {
                LabeledSpan::new_primary_with_span(label, (span.start, length))
            } else {
                LabeledSpan::new_with_span(label, (span.start, length))
            }
        })))
    }
}

/// Gives the excerpt the file's name.
impl SourceCode for Refusal {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let text = &*self.source.text;
        let contents = text.read_span(span, lines_before, lines_after)?;
        let (start, end) = (contents.span().offset(), span.offset() + span.len());
        let shown = near(
            text,
            start..start + contents.span().len(),
            span.offset()..end,
        );
        let skipped = &text[start..shown.start];
        let lines = skipped.matches('\n').count();
        let column = match skipped.rfind('\n') {
            Some(newline) => skipped.len() - newline - 1,
            None => contents.column() + skipped.len(),
        };
        Ok(Box::new(
            MietteSpanContents::new_named(
                self.source.path.display().to_string(),
                &text.as_bytes()[shown.clone()],
                (shown.start, shown.len()).into(),
                contents.line() + lines,
                column,
                contents.line_count().saturating_sub(lines),
            )
            .with_language("toml"),
        ))
    }
}

/// Most bytes that are shown before a place, and as many behind it: a line can be as long as its file.
const AROUND: usize = 1000;

/// What is shown of `all` around a place: whole lines, as long as a person reads them.
fn near(text: &str, all: Range<usize>, place: Range<usize>) -> Range<usize> {
    let start = all.start.max(place.start.saturating_sub(AROUND));
    let end = all.end.min(place.end.saturating_add(AROUND)).max(start);
    text.ceil_char_boundary(start)..text.floor_char_boundary(end)
}

/// Several refusals of one file.
#[derive(Clone)]
pub struct Refusals(Vec<Refusal>);

impl Refusals {
    /// A report of all of them; `refusals` is not empty.
    #[must_use]
    pub fn report(mut refusals: Vec<Refusal>) -> miette::Report {
        if refusals.len() == 1 {
            refusals.remove(0).into()
        } else {
            Refusals(refusals).into()
        }
    }

    /// The single ones, in order.
    #[must_use]
    pub fn all(report: &miette::Report) -> Vec<&Refusal> {
        report.downcast_ref::<Refusals>().map_or_else(
            || report.downcast_ref::<Refusal>().into_iter().collect(),
            |refusals| refusals.0.iter().collect(),
        )
    }
}

impl fmt::Display for Refusals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} has {} mistakes",
            self.0[0].source.path.display(),
            self.0.len()
        )
    }
}

impl fmt::Debug for Refusals {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(&self.0).finish()
    }
}

impl std::error::Error for Refusals {}

impl Diagnostic for Refusals {
    fn related<'a>(&'a self) -> Option<Box<dyn Iterator<Item = &'a dyn Diagnostic> + 'a>> {
        Some(Box::new(
            self.0.iter().map(|refusal| refusal as &dyn Diagnostic),
        ))
    }
}
