//! What the operations of a case took, by process and function.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Value, json};

use super::windows::{Place, Spent, Waited, Window};
use crate::bench::flame::Frame;
use crate::bench::measure::Sample;
use crate::bench::report::{place, show};
use crate::bench::suite::Suite;
use crate::board::{Board, Simulator};
use crate::fault::Scene;
use crate::machine::space;
use crate::table::{Align, Table};

/// As many functions have a row of their own.
const ROWS: usize = 40;
/// Whose the kernel's code is.
const KERNEL: &str = "kernel";

/// Instructions, or cycles, of one operation by function, `PROCESS: FUNCTION`.
pub type Costs = BTreeMap<String, f64>;

/// Whose code it is, and its function.
type Part = (String, String);

/// Whose each instruction of an image is; what was asked for is remembered, as its windows have much in common.
pub struct Names<'a> {
    scene: &'a Scene<'a>,
    known: HashMap<Place, Vec<String>>,
}

impl<'a> Names<'a> {
    /// Those of a scene.
    #[must_use]
    pub fn of(scene: &'a Scene<'a>) -> Names<'a> {
        Names {
            scene,
            known: HashMap::new(),
        }
    }

    /// Whose it is, its function, and those that the compiler has put into that one.
    fn stack(&mut self, place: Place) -> &[String] {
        let scene = self.scene;
        self.known.entry(place).or_insert_with(|| {
            let (satp, address) = place;
            let space = space(satp);
            let who = scene.process(space, address).unwrap_or(KERNEL).to_owned();
            let mut functions = scene.functions(space, address);
            if functions.is_empty() {
                functions.push("without a name".into());
            }
            [vec![who], functions].concat()
        })
    }
}

/// What was spent in the operations of a case.
pub struct Profile {
    /// The case.
    pub case: String,
    /// Whether it crosses two processes.
    pub protected: bool,
    /// The application whose whole run it is, where that marks no loop.
    whole_run_of: Option<String>,
    operations: u64,
    parts: Vec<(Part, Spent)>,
    /// Whose it is, its function, and those that the compiler has put into that one.
    stacks: Vec<(Vec<String>, Spent)>,
    in_cycles: bool,
}

impl Profile {
    /// What the operations of a case took between its marks.
    #[must_use]
    pub fn of(names: &mut Names<'_>, board: &Board, sample: &Sample, window: &Window) -> Profile {
        let mut parts: BTreeMap<Part, Spent> = BTreeMap::new();
        let mut stacks: BTreeMap<Vec<String>, Spent> = BTreeMap::new();
        for (place, spent) in window {
            let stack = names.stack(*place);
            let part = (stack[0].clone(), stack[stack.len() - 1].clone());
            *parts.entry(part).or_default() += *spent;
            *stacks.entry(stack.to_vec()).or_default() += *spent;
        }
        let mut profile = Profile {
            case: sample.case.clone(),
            protected: sample.protected,
            whole_run_of: None,
            operations: sample.iterations * sample.operations,
            parts: parts.into_iter().collect(),
            stacks: stacks.into_iter().collect(),
            in_cycles: board.simulator().is_some(),
        };
        let mut parts = std::mem::take(&mut profile.parts);
        parts.sort_by_key(|it| std::cmp::Reverse(profile.cost(&it.1)));
        profile.parts = parts;
        profile
    }

    /// As [`Profile::of`], of the whole run of an application that marks no loop.
    #[must_use]
    pub fn of_whole_run(
        names: &mut Names<'_>,
        board: &Board,
        sample: &Sample,
        (application, window): (&str, &Window),
    ) -> Profile {
        Profile {
            whole_run_of: Some(application.into()),
            operations: 1,
            ..Profile::of(names, board, sample, window)
        }
    }

    /// The application whose whole run it is, if it is no operation's.
    #[must_use]
    pub fn whole_run_of(&self) -> Option<&str> {
        self.whole_run_of.as_deref()
    }

    /// What each function took of an operation.
    #[must_use]
    pub fn costs(&self) -> Costs {
        let parts = self.parts.iter();
        let each = |((who, function), spent): &(Part, Spent)| {
            (format!("{who}: {function}"), self.each(self.cost(spent)))
        };
        parts.map(each).collect()
    }

    /// What the board counts.
    fn cost(&self, spent: &Spent) -> u64 {
        if self.in_cycles {
            spent.cycles
        } else {
            spent.instructions
        }
    }

    /// Of one operation.
    #[allow(clippy::cast_precision_loss, reason = "counts are far below 2^53")]
    fn each(&self, count: u64) -> f64 {
        count as f64 / self.operations as f64
    }

    fn whole(&self) -> u64 {
        self.cost(&self.all())
    }

    fn all(&self) -> Spent {
        let mut all = Spent::default();
        self.parts.iter().for_each(|(_, spent)| all += *spent);
        all
    }

    /// Whether the core has waited for page tables: not all have some.
    fn walks_tables(&self) -> bool {
        self.all().waited.translation > 0
    }

    /// What of it the core waited, in a sentence.
    fn waits(&self) -> String {
        let Waited {
            fetch,
            data,
            translation,
        } = self.all().waited;
        let each = |count| show(self.each(count));
        let mut causes = vec![(fetch, "for fetches"), (data, "for data")];
        causes.extend(
            self.walks_tables()
                .then_some((translation, "for page tables")),
        );
        let causes: Vec<String> = causes
            .into_iter()
            .map(|(count, what)| format!("{} {what}", each(count)))
            .collect();
        format!(
            "\nit waits {}; what is left of the cycles is the core's own\n",
            causes.join(", ")
        )
    }

    /// What each process and the kernel took, most first.
    fn by_process(&self) -> Vec<(&str, Spent)> {
        let mut all: Vec<(&str, Spent)> = vec![];
        for ((who, _), spent) in &self.parts {
            let index = all.iter().position(|it| it.0 == who).unwrap_or_else(|| {
                all.push((who, Spent::default()));
                all.len() - 1
            });
            all[index].1 += *spent;
        }
        all.sort_by_key(|it| std::cmp::Reverse(self.cost(&it.1)));
        all
    }

    fn unit(&self) -> &'static str {
        if self.in_cycles {
            "cycles"
        } else {
            "instructions"
        }
    }

    fn row(&self, who: &str, what: &str, spent: &Spent) -> Vec<String> {
        let part =
            100.0 * self.each(self.cost(spent)) / self.each(self.whole()).max(f64::MIN_POSITIVE);
        let mut row = vec![who.to_owned(), what.to_owned()];
        row.push(show(self.each(self.cost(spent))));
        row.push(format!("{part:.1} %"));
        if self.in_cycles {
            let Waited {
                fetch,
                data,
                translation,
            } = spent.waited;
            let mut counts = vec![spent.instructions, fetch, data];
            counts.extend(self.walks_tables().then_some(translation));
            row.extend(counts.into_iter().map(|it| show(self.each(it))));
        }
        row
    }

    /// It as a person reads it: what each process took, and each function.
    #[must_use]
    pub fn text(&self, suite: &Suite, board: &Board) -> String {
        let table = |what: &str| {
            let mut columns = vec![
                ("who", Align::Left),
                (what, Align::Left),
                (self.unit(), Align::Right),
                ("share", Align::Right),
            ];
            if self.in_cycles {
                columns.push(("instructions", Align::Right));
                columns.push(("fetches", Align::Right));
                columns.push(("data", Align::Right));
            }
            if self.walks_tables() {
                columns.push(("page tables", Align::Right));
            }
            Table::new(&columns)
        };
        let mut processes = table("privilege");
        for (who, spent) in self.by_process() {
            let privilege = if who == KERNEL { "kernel" } else { "user" };
            processes.row(self.row(who, privilege, &spent));
        }
        let mut functions = table("function");
        for ((who, function), spent) in self.parts.iter().take(ROWS) {
            functions.row(self.row(who, function, spent));
        }
        let rest = self.parts.iter().skip(ROWS);
        let rest = rest.fold((0, Spent::default()), |(count, mut all), (_, spent)| {
            all += *spent;
            (count + 1, all)
        });
        if rest.0 > 0 {
            functions.row(self.row("", &format!("{} functions more", rest.0), &rest.1));
        }
        let what = match &self.whole_run_of {
            Some(application) => format!("of the whole run of {application}, which marks no loop"),
            None => format!(
                "of an operation, with its turn of the loop; {} operations",
                self.operations
            ),
        };
        format!(
            "{}/{} on {}: {} {} {what}\n{}\n{processes}\n{functions}",
            suite.name,
            self.case,
            place(board),
            show(self.each(self.whole())),
            self.unit(),
            if self.in_cycles {
                self.waits()
            } else {
                String::new()
            },
        )
    }

    /// A flame graph of it, as SVG.
    #[must_use]
    pub fn flame(&self, suite: &Suite, board: &Board) -> String {
        let place = place(board);
        let mut whole = Frame::whole(&format!("{}/{} on {place}", suite.name, self.case));
        for (stack, spent) in &self.stacks {
            whole.add(stack, self.each(self.cost(spent)));
        }
        whole.picture(self.unit())
    }

    /// It as JSON.
    #[must_use]
    pub fn document(&self, suite: &Suite, board: &Board) -> Value {
        let part = |((who, function), spent): &(Part, Spent)| {
            let cycles = |count| self.in_cycles.then(|| self.each(count));
            json!({
                "who": who, "function": function, "instructions": self.each(spent.instructions),
                "cycles": cycles(spent.cycles), "waits_for_fetches": cycles(spent.waited.fetch),
                "waits_for_data": cycles(spent.waited.data), "waits_for_page_tables": cycles(spent.waited.translation),
            })
        };
        json!({
            "schema": 1, "suite": suite.name, "case": self.case, "board": board.name, "operations": self.operations,
            "memory": board.simulator().map(Simulator::memory),
            "whole_run_of": self.whole_run_of,
            "parts": self.parts.iter().map(part).collect::<Vec<Value>>(),
        })
    }
}
