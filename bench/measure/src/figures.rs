//! The line that carries a case's figures to the host.

use riposte::println;

/// What is measured.
#[derive(Clone, Copy)]
pub struct Case {
    /// Its name, which never changes once published.
    pub name: &'static str,
    /// Whether it goes across two isolated processes.
    pub protected: bool,
    /// Bytes of a message, in one direction.
    pub bytes: u32,
}

/// What was measured. All times are in ticks.
#[derive(Clone, Copy)]
pub struct Figures {
    /// Turns of the measured loop.
    pub iterations: u32,
    /// Operations in one turn.
    pub operations: u32,
    /// The loop.
    pub ticks: u32,
    /// The same loop without the operations.
    pub loop_ticks: u32,
    /// The shortest single operation, without what reading the timer takes.
    pub min_ticks: u32,
    /// The longest single operation, without what reading the timer takes.
    pub max_ticks: u32,
}

impl Figures {
    /// Prints the line; fails if nothing was measured.
    pub fn report(&self, case: Case) {
        self.print(case, format_args!("{}", case.name));
    }

    /// As [`Figures::report`], of the case in a system in which there are `number` of `what`.
    pub fn report_at(&self, case: Case, number: u32, what: &str) {
        self.print(case, format_args!("{}@{number}-{what}", case.name));
    }

    /// As [`Figures::report`], of the longest path of the call `name`; `when` says what makes it long.
    pub fn report_longest(&self, case: Case, name: &str, when: &str) {
        self.print(case, format_args!("{}: {name}, {when}", case.name));
    }

    fn print(&self, case: Case, name: core::fmt::Arguments<'_>) {
        let Case {
            protected, bytes, ..
        } = case;
        let Figures {
            iterations,
            operations,
            ticks,
            loop_ticks,
            min_ticks,
            max_ticks,
        } = *self;
        if iterations == 0 || ticks <= loop_ticks || min_ticks == 0 {
            println!("@fail {name}: measured nothing");
            return;
        }
        println!(
            "@result {{\"case\":\"{name}\",\"protected\":{protected},\"bytes\":{bytes},\
             \"iterations\":{iterations},\"operations\":{operations},\"ticks\":{ticks},\"loop_ticks\":{loop_ticks},\
             \"min_ticks\":{min_ticks},\"max_ticks\":{max_ticks}}}"
        );
    }
}
