//! Who may spawn which programs.

/// Most patterns of all processes.
const PATTERNS: usize = 64;

#[derive(Clone, Copy)]
struct Right {
    process: u8,
    /// How many children the process may have.
    most: u8,
    pattern: &'static str,
}

/// All that the manifest says of it.
pub struct Rights {
    all: [Right; PATTERNS],
    count: usize,
}

impl Rights {
    pub const fn new() -> Self {
        const NONE: Right = Right {
            process: 0,
            most: 0,
            pattern: "",
        };
        Self {
            all: [NONE; PATTERNS],
            count: 0,
        }
    }

    pub fn allow(&mut self, process: u8, most: u8, pattern: &'static str) -> bool {
        let Some(place) = self.all.get_mut(self.count) else {
            return false;
        };
        *place = Right {
            process,
            most,
            pattern,
        };
        self.count += 1;
        true
    }

    /// How many children a process may have that may spawn `program`.
    pub fn most(&self, process: u8, program: &str) -> Option<u8> {
        let all = self.all.get(..self.count).unwrap_or_default();
        let means = |right: &&Right| match right.pattern.strip_suffix('*') {
            Some(beginning) => program.starts_with(beginning),
            None => program == right.pattern,
        };
        let mut own = all.iter().filter(|right| right.process == process);
        own.find(means).map(|right| right.most)
    }
}
