//! A list in priority order, and a tree beside a list in another order, do what a list that is sorted anew after every
//! change does.

use proptest::prelude::*;
use riposte_kernel::{PriorityList, PriorityTree, Thread, limits::LEVELS};
use riposte_model::{Machine, System, ThreadId};

const THREADS: usize = 40;

#[derive(Clone, Copy, Debug)]
enum Step {
    Insert(usize),
    Remove(usize),
    SetPriority(usize, u8),
}

fn step() -> impl Strategy<Value = Step> {
    let thread = 0..THREADS;
    prop_oneof![
        3 => thread.clone().prop_map(Step::Insert),
        2 => thread.clone().prop_map(Step::Remove),
        2 => (thread, 0..LEVELS as u8).prop_map(|(thread, priority)| Step::SetPriority(thread, priority)),
    ]
}

/// A process whose threads have not been started, and are on no list.
fn machine(priorities: &[u8]) -> Machine {
    let mut system = System::new();
    let process = system.process();
    system.thread(process, 1);
    for priority in priorities {
        system.thread(process, *priority);
    }
    system.start(false)
}

fn order(list: &PriorityList) -> Vec<u8> {
    list.iter().take(1000).map(|thread| thread.index).collect()
}

proptest! {
    #[test]
    fn a_priority_list_agrees_with_one_that_is_sorted_after_every_change(
        priorities in prop::collection::vec(1..LEVELS as u8, THREADS),
        steps in prop::collection::vec(step(), 1..200),
    ) {
        let machine = machine(&priorities);
        let list = PriorityList::new();
        // First to last; those that came later stand behind their equals.
        let mut naive: Vec<&'static Thread> = Vec::new();
        for step in steps {
            let (Step::Insert(index) | Step::Remove(index) | Step::SetPriority(index, _)) = step;
            let thread = machine.thread(ThreadId(1 + index));
            let place = naive.iter().position(|other| other.is(thread));
            match (step, place) {
                (Step::Insert(_), None) => {
                    list.insert(thread);
                    naive.push(thread);
                }
                (Step::Remove(_), Some(place)) => {
                    list.remove(thread);
                    naive.remove(place);
                    prop_assert!(thread.links().is_none());
                }
                (Step::SetPriority(_, priority), Some(place)) => {
                    list.set_priority(thread, priority);
                    naive.remove(place);
                    naive.push(thread);
                }
                _ => {}
            }
            naive.sort_by_key(|thread| std::cmp::Reverse(thread.priority()));
            let expected: Vec<_> = naive.iter().map(|thread| thread.index).collect();
            prop_assert_eq!(order(&list), expected);
            prop_assert_eq!(list.top(), naive.first().map(|thread| thread.priority()));
            prop_assert_eq!(list.is_empty(), naive.is_empty());
        }
    }

    #[test]
    fn a_priority_tree_knows_the_highest_priority_after_every_change(
        priorities in prop::collection::vec(1..LEVELS as u8, THREADS),
        steps in prop::collection::vec(step(), 1..200),
    ) {
        let machine = machine(&priorities);
        let tree = PriorityTree::new();
        let mut naive: Vec<&'static Thread> = Vec::new();
        for step in steps {
            let (Step::Insert(index) | Step::Remove(index) | Step::SetPriority(index, _)) = step;
            let thread = machine.thread(ThreadId(1 + index));
            let place = naive.iter().position(|other| other.is(thread));
            match (step, place) {
                (Step::Insert(_), None) => {
                    tree.insert(thread);
                    naive.push(thread);
                }
                (Step::Remove(_), Some(place)) => {
                    tree.remove(thread);
                    naive.remove(place);
                    prop_assert!(!tree.contains(thread));
                }
                _ => {}
            }
            prop_assert_eq!(tree.top(), naive.iter().map(|thread| thread.priority()).max());
            prop_assert!(naive.iter().all(|thread| tree.contains(thread)));
        }
    }
}
