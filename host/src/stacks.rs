//! How much of their stacks the threads of an application have used at most.

use miette::IntoDiagnostic;
use serde::{Deserialize, Serialize};

use crate::build::Image;
use crate::plan::{Plan, PlanProcess, Region};

/// The file in an image's folder that tells what the last run has used.
const FILE: &str = "stacks.json";

/// What is in that file.
#[derive(Serialize, Deserialize)]
struct Kept<T> {
    /// What [tells](Image::read) the image that ran from others.
    image: String,
    stacks: T,
}

/// Bytes that the threads of an application have used at most in a run, as far as that became known.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Stacks(Vec<Used>);

/// What a thread has used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Used {
    process: String,
    thread: String,
    /// Bytes.
    used: u32,
    /// Bytes that it can use.
    size: u32,
}

/// What a thread can use of its stack: the lowest bytes of all but the first are its guard.
#[must_use]
pub fn usable(process: &PlanProcess, thread: usize, guard: u32) -> Option<Region> {
    let Region { base, size } = process.threads.get(thread)?.stack;
    let guard = if thread == 0 { 0 } else { guard };
    Some(Region {
        base: base + guard,
        size: size - guard,
    })
}

/// What a thread has used of its stack if so many of the bytes that it can use are unused, and how many those are.
#[must_use]
pub fn used(process: &PlanProcess, thread: usize, unused: u32, guard: u32) -> Option<(u32, u32)> {
    let Region { size, .. } = usable(process, thread, guard)?;
    Some((size.checked_sub(unused)?, size))
}

impl Stacks {
    /// Takes note of what a thread has left.
    pub fn note(&mut self, plan: &Plan, guard: u32, process: usize, thread: usize, unused: u32) {
        let Some(process) = plan.processes.get(process) else {
            return;
        };
        let Some((used, size)) = used(process, thread, unused, guard) else {
            return;
        };
        let name = &process.threads[thread].name;
        let known = |it: &&mut Used| it.process == process.name && it.thread == *name;
        match self.0.iter_mut().find(known) {
            Some(known) => known.used = known.used.max(used),
            None => self.0.push(Used {
                process: process.name.clone(),
                thread: name.clone(),
                used,
                size,
            }),
        }
    }

    /// Keeps what is known for `./riposte size` and `stack`, if anything is.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn keep(&self, image: &Image) -> miette::Result<()> {
        if self.0.is_empty() {
            return Ok(());
        }
        let kept = Kept {
            image: image.read()?.1,
            stacks: self,
        };
        let text = serde_json::to_string(&kept).into_diagnostic()?;
        std::fs::write(image.place(FILE), text).into_diagnostic()?;
        image.publish(FILE)
    }

    /// What the last run has kept in an image's folder; nothing, if there was none, or it was of another image.
    #[must_use]
    pub fn kept(image: &Image) -> Stacks {
        let text = std::fs::read_to_string(image.folder.join(FILE)).unwrap_or_default();
        let kept = serde_json::from_str::<Kept<Stacks>>(&text);
        let kept = kept
            .ok()
            .filter(|it| image.read().is_ok_and(|(_, hash)| hash == it.image));
        kept.map(|it| it.stacks).unwrap_or_default()
    }

    /// Bytes that a thread has used at most, if that became known.
    #[must_use]
    pub fn of(&self, process: &str, thread: &str) -> Option<u32> {
        let mut all = self.0.iter();
        let found = all.find(|it| it.process == process && it.thread == thread);
        found.map(|it| it.used)
    }

    /// One line for all, if anything is known.
    #[must_use]
    pub fn summary(&self) -> String {
        let is_alone = |it: &Used| {
            self.0
                .iter()
                .filter(|other| other.process == it.process)
                .count()
                == 1
        };
        let thread = |it: &Used| {
            let name = if is_alone(it) {
                it.process.clone()
            } else {
                format!("{}/{}", it.process, it.thread)
            };
            format!("{name} {} of {}", it.used, it.size)
        };
        let threads: Vec<String> = self.0.iter().map(thread).collect();
        match threads.is_empty() {
            true => String::new(),
            false => format!(
                "riposte: used of the stacks, in bytes: {}\n",
                threads.join(", ")
            ),
        }
    }

    /// A line for each thread.
    #[must_use]
    pub fn lines(&self) -> String {
        let line = |it: &Used| {
            format!(
                "  thread `{}` of `{}`: {} of {}\n",
                it.thread, it.process, it.used, it.size
            )
        };
        self.0.iter().map(line).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lab::Lab;

    #[test]
    fn what_a_run_of_another_image_has_used_is_not_told() {
        let folder = tempfile::tempdir().unwrap();
        let lab = Lab::open().unwrap();
        let mut image = crate::fault::tests::image(&lab.boards[0]);
        image.file = folder.path().join("image.bin");
        image.folder = folder.path().join("shown");
        std::fs::create_dir(&image.folder).unwrap();
        std::fs::write(&image.file, "one").unwrap();
        let used = Used {
            process: "keeper".into(),
            thread: "main".into(),
            used: 600,
            size: 1024,
        };
        Stacks(vec![used]).keep(&image).unwrap();
        let kept = || Stacks::kept(&image).of("keeper", "main");
        assert_eq!(kept(), Some(600));
        std::fs::write(&image.file, "another").unwrap();
        assert_eq!(kept(), None);
    }
}
