//! What the threads and channels of a traced system are called.

use crate::plan::Plan;

/// A thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Thread {
    /// The index of its process.
    pub process: usize,
    /// Its name in the manifest.
    pub name: String,
    /// Its own priority.
    pub priority: u32,
}

/// The names of a system.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Names {
    /// Of the application.
    pub application: String,
    /// Of the board.
    pub board: String,
    /// Of the processes; the last one is the kernel's own, the idle one.
    pub processes: Vec<String>,
    /// The threads, by their indices; the last one is the idle one.
    pub threads: Vec<Thread>,
    /// Of the channels, and whose they are.
    pub channels: Vec<(String, usize)>,
}

impl Names {
    /// Those of a plan.
    #[must_use]
    pub fn of(plan: &Plan) -> Names {
        let processes = plan.processes.iter().map(|process| process.name.clone());
        let threads = plan.processes.iter().enumerate();
        let threads = threads.flat_map(|(process, it)| {
            it.threads.iter().map(move |thread| Thread {
                process,
                name: thread.name.clone(),
                priority: thread.priority.into(),
            })
        });
        let idle = Thread {
            process: plan.processes.len(),
            name: "main".into(),
            priority: 0,
        };
        Names {
            application: plan.application.clone(),
            board: plan.board.clone(),
            processes: processes.chain(["idle".into()]).collect(),
            threads: threads.chain([idle]).collect(),
            channels: plan
                .channels
                .iter()
                .map(|channel| (channel.name.clone(), channel.owner))
                .collect(),
        }
    }

    /// The index of the idle thread.
    #[must_use]
    pub fn idle(&self) -> usize {
        self.threads.len() - 1
    }

    /// A thread: its process, and its own name if that has several.
    #[must_use]
    pub fn thread(&self, index: usize) -> String {
        let Some(thread) = self.threads.get(index) else {
            return format!("thread {index}");
        };
        let process = self.process(thread.process);
        let mut others = self.threads.iter();
        if others
            .by_ref()
            .filter(|it| it.process == thread.process)
            .count()
            > 1
        {
            format!("{process}.{}", thread.name)
        } else {
            process
        }
    }

    /// A process.
    #[must_use]
    pub fn process(&self, index: usize) -> String {
        let name = self.processes.get(index).cloned();
        name.unwrap_or_else(|| format!("process {index}"))
    }

    /// A channel.
    #[must_use]
    pub fn channel(&self, index: usize) -> String {
        let name = self.channels.get(index).map(|(name, _)| name.clone());
        name.unwrap_or_else(|| format!("channel {index}"))
    }
}
