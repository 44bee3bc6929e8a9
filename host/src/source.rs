//! A TOML file, kept to point into it when something in it is refused.

mod at;
mod refusal;
#[cfg(test)]
pub(crate) mod wrong;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use miette::Severity;

pub use at::{At, Place};
pub use refusal::{Refusal, Refusals};

/// A file's name and text, kept for the errors that come later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Its path.
    pub path: PathBuf,
    /// Its text.
    pub text: Arc<str>,
}

impl Source {
    /// Reads the file.
    ///
    /// # Errors
    /// The file cannot be read, or is not UTF-8.
    pub fn read(path: &Path) -> miette::Result<Source> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            miette::miette!(
                help = "give the path of an app.toml, or of the directory that holds it",
                "cannot read {}: {error}",
                path.display()
            )
        })?;
        Ok(Source {
            path: path.to_path_buf(),
            text: text.into(),
        })
    }

    /// The line, from 1, in which `place` begins.
    #[must_use]
    pub fn line_of(&self, place: Place) -> usize {
        self.text[..place.start].matches('\n').count() + 1
    }

    /// Refuses what stands at `span`: `message` says what is wrong, `help` the next step.
    #[must_use]
    pub fn refuse(
        &self,
        span: Place,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Refusal {
        Refusal {
            message: message.into(),
            help: help.into(),
            labels: vec![(span, String::new())],
            severity: Severity::Error,
            source: self.clone(),
        }
    }

    /// As [`Source::refuse`], but the file is still used.
    #[must_use]
    pub fn warn(
        &self,
        span: Place,
        message: impl Into<String>,
        help: impl Into<String>,
    ) -> Refusal {
        Refusal {
            severity: Severity::Warning,
            ..self.refuse(span, message, help)
        }
    }
}
