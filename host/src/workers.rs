//! Does jobs side by side, and hands on what comes out in their order.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::channel;
use std::thread;

use crate::interrupt;

/// Does `work` on each job, and `count` on what comes out, in the order of the jobs however long
/// each takes. Whatever happens twice at once must be kept apart by `work`. What has not begun when
/// somebody presses Ctrl-C is left out.
pub fn in_order<Job: Sync, Outcome: Send>(
    jobs: &[Job],
    work: impl Fn(&Job) -> Outcome + Sync,
    mut count: impl FnMut(&Job, Outcome),
) {
    let next = AtomicUsize::new(0);
    let (done, outcomes) = channel();
    thread::scope(|scope| {
        for _ in 0..workers().min(jobs.len()) {
            let (next, work, done) = (&next, &work, done.clone());
            scope.spawn(move || {
                while !interrupt::asked() {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    let Some(job) = jobs.get(number) else { break };
                    // The receiver outlives the workers.
                    let _ = done.send((number, work(job)));
                }
            });
        }
        drop(done);
        let mut early = BTreeMap::new();
        let mut turn = 0;
        for (number, outcome) in outcomes {
            early.insert(number, outcome);
            while let Some(outcome) = early.remove(&turn) {
                count(&jobs[turn], outcome);
                turn += 1;
            }
        }
    });
}

/// One for each core, and one more: programs are built for one image at a time, so that one of the
/// workers mostly waits for its turn.
fn workers() -> usize {
    thread::available_parallelism().map_or(1, NonZero::get) + 1
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_is_done_early_waits_for_its_turn() {
        let jobs = [60, 0, 30, 0, 0, 10];
        let mut order = vec![];
        in_order(
            &jobs,
            |job| {
                thread::sleep(Duration::from_millis(*job));
                job + 1
            },
            |job, outcome| order.push((*job, outcome)),
        );
        assert_eq!(order, jobs.map(|job| (job, job + 1)));
    }

    #[test]
    fn jobs_run_side_by_side() {
        let meeting = std::sync::Barrier::new(2);
        let mut met = 0;
        // Each of the two waits for the other one.
        in_order(&[(), ()], |()| meeting.wait(), |(), _| met += 1);
        assert_eq!(met, 2);
    }
}
