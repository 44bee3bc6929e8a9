//! How long a command will take: as long as the last time.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::whole;

/// Where the times are kept, below the root.
const FILE: &str = "target/durations.json";
/// Of so many command lines at most: those of others are forgotten all at once.
const KEPT: usize = 200;

/// When the command that runs ends, if it takes as long as the last time.
static END: OnceLock<Instant> = OnceLock::new();

/// A command that takes its time.
pub struct Course {
    file: PathBuf,
    /// The command line.
    words: String,
    begun: Instant,
}

impl Course {
    /// Begins: from now on it is known what is left, if the command has come to its end before.
    #[must_use]
    pub fn begin(root: &Path, words: &[String]) -> Course {
        let course = Course {
            file: root.join(FILE),
            words: words.join(" "),
            begun: Instant::now(),
        };
        if let Some(seconds) = read(&course.file).get(&course.words)
            && let Ok(took) = Duration::try_from_secs_f64(*seconds)
            && let Some(end) = course.begun.checked_add(took)
        {
            let _ = END.set(end);
        }
        course
    }

    /// It has come to its end. If the time cannot be kept, the next one does not know: that is no failure.
    pub fn end(self) {
        let mut times = read(&self.file);
        if times.len() >= KEPT {
            times.clear();
        }
        times.insert(self.words, self.begun.elapsed().as_secs_f64());
        let text = serde_json::to_vec(&times).unwrap_or_default();
        // Another command may write at the same time.
        let _ = whole::write(&self.file, text);
    }
}

/// The times of the last time, in seconds; none of a file that is not there, or no such file.
fn read(file: &Path) -> BTreeMap<String, f64> {
    let text = std::fs::read(file).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

/// What is left of the command that runs, in words.
pub(super) fn left() -> Option<String> {
    let end = END.get()?;
    Some(words(end.checked_duration_since(Instant::now())))
}

fn words(left: Option<Duration>) -> String {
    match left.map(|left| left.as_secs()) {
        None => "longer than the last time".into(),
        Some(..10) => "a few seconds left".into(),
        Some(seconds @ 10..90) => format!("about {} s left", (seconds + 5) / 10 * 10),
        Some(seconds) => format!("about {} min left", (seconds + 30) / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_said_as_exactly_as_it_is_known() {
        for (seconds, said) in [
            (0, "a few seconds left"),
            (12, "about 10 s left"),
            (89, "about 90 s left"),
            (100, "about 2 min left"),
            (3570, "about 60 min left"),
        ] {
            assert_eq!(words(Some(Duration::from_secs(seconds))), said);
        }
        assert_eq!(words(None), "longer than the last time");
    }

    #[test]
    fn a_command_that_came_to_its_end_is_known_by_its_words() {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("target")).unwrap();
        let file = root.path().join(FILE);
        let line = |words: &[&str]| words.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        Course::begin(root.path(), &line(&["bench", "core"])).end();
        drop(Course::begin(root.path(), &line(&["bench"])));
        let known: Vec<String> = read(&file).into_keys().collect();
        assert_eq!(known, ["bench core"]);
        for broken in ["", "{", "[1]", "{\"bench\": \"long\"}"] {
            std::fs::write(&file, broken).unwrap();
            Course::begin(root.path(), &line(&["bench"])).end();
            assert_eq!(read(&file).len(), 1, "{broken}");
        }
        for wrong in [-1.0, 1e300] {
            std::fs::write(&file, format!("{{\"bench\": {wrong}}}")).unwrap();
            let _ = Course::begin(root.path(), &line(&["bench"]));
        }
    }
}
