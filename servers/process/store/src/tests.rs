use super::*;

/// The shell, which may spawn all; another one that may spawn `count`; and one that may spawn nothing.
const SHELL: u8 = 1;
const OTHER: u8 = 2;
const STRANGER: u8 = 3;
const EXIT: End = End {
    reason: 9,
    status: 0,
    signal: 0,
};

/// Two instances of `count`, in processes 10 and 11, and one of `upper`.
fn children() -> Children {
    let mut children = Children::new();
    assert_eq!(children.add(10, "count"), Some(0));
    assert_eq!(children.add(11, "count"), Some(1));
    assert_eq!(children.add(12, "upper"), Some(2));
    assert!(children.allow(SHELL, 2, "*"));
    assert!(children.allow(OTHER, 4, "count"));
    children
}

fn spawn(children: &mut Children, parent: u8, program: &str, ends: u32) -> Result<Pid, Refused> {
    let place = children.place(parent, program.as_bytes())?;
    let pid = Pid::new(10 + place as u8, ends);
    children.begin(place, pid, parent, false);
    Ok(pid)
}

/// As a parent that waits for an end.
fn wait(all: &mut Children, parent: u8, wanted: Option<Pid>) -> Result<(Pid, End), Refused> {
    let told = all.ended(parent, wanted)?;
    all.forget(told.0);
    Ok(told)
}

#[test]
fn who_may_spawn_a_program_does_as_often_as_it_has_instances() {
    let mut all = children();
    spawn(&mut all, OTHER, "count", 0).unwrap();
    spawn(&mut all, OTHER, "count", 0).unwrap();
    assert_eq!(spawn(&mut all, OTHER, "count", 0), Err(Refused::NoInstance));
    assert_eq!(spawn(&mut all, OTHER, "upper", 0), Err(Refused::NotAllowed));
    assert_eq!(
        spawn(&mut all, STRANGER, "count", 0),
        Err(Refused::NotAllowed)
    );
    assert_eq!(
        spawn(&mut all, SHELL, "coun", 0),
        Err(Refused::NoSuchProgram)
    );
    assert_eq!(spawn(&mut all, SHELL, "", 0), Err(Refused::NoSuchProgram));
    spawn(&mut all, SHELL, "upper", 0).unwrap();
}

#[test]
fn a_process_has_as_many_children_as_it_may_until_it_has_waited() {
    let mut all = children();
    let first = spawn(&mut all, SHELL, "count", 0).unwrap();
    spawn(&mut all, SHELL, "count", 0).unwrap();
    let third = Err(Refused::TooManyChildren);
    assert_eq!(spawn(&mut all, SHELL, "upper", 0), third);
    assert_eq!(all.end(10, 1, EXIT), Some((first, Some(SHELL))));
    assert_eq!(
        spawn(&mut all, SHELL, "upper", 0),
        third,
        "it has not waited"
    );
    assert_eq!(wait(&mut all, SHELL, Some(first)), Ok((first, EXIT)));
    spawn(&mut all, SHELL, "upper", 0).unwrap();
}

#[test]
fn what_a_process_has_spawned_counts_for_it_though_it_is_nobodys() {
    let mut all = children();
    let place = all.place(SHELL, b"count").unwrap();
    let detached = Pid::new(10, 0);
    all.begin(place, detached, SHELL, true);
    let orphan = spawn(&mut all, SHELL, "upper", 0).unwrap();
    all.leave(SHELL);
    let refused = Err(Refused::TooManyChildren);
    assert_eq!(
        spawn(&mut all, SHELL, "count", 0),
        refused,
        "in its next life, too"
    );
    assert_eq!(all.end(10, 1, EXIT), Some((detached, None)));
    spawn(&mut all, SHELL, "count", 1).unwrap();
    assert_eq!(all.end(12, 1, EXIT), Some((orphan, None)));
    assert_eq!(all.place(SHELL, b"upper"), Ok(2));
}

#[test]
fn an_end_is_told_once_and_to_the_parent_alone() {
    let mut all = children();
    let child = spawn(&mut all, SHELL, "count", 0).unwrap();
    assert_eq!(wait(&mut all, SHELL, Some(child)), Err(Refused::NotYet));
    assert_eq!(wait(&mut all, SHELL, None), Err(Refused::NotYet));
    assert_eq!(
        wait(&mut all, OTHER, Some(child)),
        Err(Refused::NoSuchChild)
    );
    all.end(10, 1, EXIT);
    assert_eq!(wait(&mut all, OTHER, None), Err(Refused::NoSuchChild));
    all.forget(Pid(child.0 + 1));
    assert_eq!(
        all.ended(SHELL, None),
        Ok((child, EXIT)),
        "until it is forgotten"
    );
    assert_eq!(wait(&mut all, SHELL, None), Ok((child, EXIT)));
    assert_eq!(
        wait(&mut all, SHELL, Some(child)),
        Err(Refused::NoSuchChild)
    );
}

#[test]
fn a_name_is_of_one_life_only() {
    let mut all = children();
    let first = spawn(&mut all, SHELL, "upper", 0).unwrap();
    all.end(12, 1, EXIT);
    wait(&mut all, SHELL, None).unwrap();
    let second = spawn(&mut all, SHELL, "upper", 1).unwrap();
    assert_ne!(first, second);
    assert_eq!(all.target(SHELL, first), Err(Refused::NoSuchProcess));
    assert_eq!(all.target(SHELL, second), Ok(2));
    // Told late: it is about the first.
    assert_eq!(all.end(12, 1, EXIT), None);
    assert_eq!(all.target(SHELL, second), Ok(2));
    assert_eq!(all.end(12, 2, EXIT), Some((second, Some(SHELL))));
}

#[test]
fn a_name_is_not_nothing_and_counts_around() {
    let last = Pid::new(255, LIVES - 1);
    assert!(!last.has_ended(LIVES - 1));
    assert!(last.has_ended(LIVES));
    assert_eq!(Pid::new(7, LIVES), Pid::new(7, 0));
}

/// 1 to 255 are those that begin with the system, as POSIX's library numbers them.
#[test]
fn no_name_is_that_of_a_process_that_begins_with_the_system() {
    for ends in [0, 1, LIVES - 1, LIVES, u32::MAX] {
        assert!(Pid::new(0, ends).0 > 255);
        assert!(Pid::new(255, ends).0 > 255);
    }
}

#[test]
fn children_of_a_parent_that_has_ended_are_nobodys() {
    let mut all = children();
    let lives = spawn(&mut all, SHELL, "count", 0).unwrap();
    let over = spawn(&mut all, SHELL, "count", 0).unwrap();
    all.end(11, 1, EXIT);
    all.leave(SHELL);
    assert_eq!(wait(&mut all, SHELL, Some(over)), Err(Refused::NoSuchChild));
    assert_eq!(all.place(OTHER, b"count"), Ok(1), "its place is free");
    assert_eq!(all.end(10, 1, EXIT), Some((lives, None)));
    assert_eq!(wait(&mut all, SHELL, None), Err(Refused::NoSuchChild));
    assert_eq!(all.place(OTHER, b"count"), Ok(0));
}

#[test]
fn a_child_is_its_parents_to_end_and_an_orphan_that_of_who_may_spawn_it() {
    let mut all = children();
    let child = spawn(&mut all, SHELL, "count", 0).unwrap();
    assert_eq!(all.target(SHELL, child), Ok(0));
    assert_eq!(all.target(OTHER, child), Err(Refused::NotAllowed));
    all.leave(SHELL);
    assert_eq!(all.target(OTHER, child), Ok(0));
    assert_eq!(all.target(STRANGER, child), Err(Refused::NotAllowed));
    all.is_ended_by(0, 15);
    let end = End {
        reason: 10,
        status: 0,
        signal: 0,
    };
    all.begin(0, child, SHELL, false);
    all.is_ended_by(0, 15);
    all.end(10, 1, end);
    let told = wait(&mut all, SHELL, None).unwrap();
    assert_eq!(told.1, End { signal: 15, ..end });
    assert_eq!(all.target(SHELL, child), Err(Refused::NoSuchProcess));
}

#[test]
fn a_list_has_what_one_may_spawn() {
    let mut all = children();
    spawn(&mut all, SHELL, "upper", 0).unwrap();
    let child = spawn(&mut all, OTHER, "count", 0).unwrap();
    let first = all.list(OTHER, 0).unwrap();
    assert_eq!(
        (first.pid, first.program, first.parent),
        (child, "count", Some(OTHER))
    );
    assert_eq!(all.list(OTHER, first.next), None);
    let second = all.list(SHELL, first.next).unwrap();
    assert_eq!((second.program, second.has_ended), ("upper", false));
    assert_eq!(all.list(STRANGER, 0), None);
    assert_eq!(all.list(SHELL, usize::MAX), None);
}

#[test]
fn programs_are_counted() {
    let mut all = children();
    spawn(&mut all, SHELL, "count", 0).unwrap();
    let first = all.program(SHELL, 0).unwrap();
    assert_eq!((first.name, first.instances, first.free), ("count", 2, 1));
    let second = all.program(SHELL, first.next).unwrap();
    assert_eq!(
        (second.name, second.instances, second.free),
        ("upper", 1, 1)
    );
    assert_eq!(all.program(SHELL, second.next), None);
    assert_eq!(all.program(OTHER, first.next), None);
    assert_eq!(all.program(STRANGER, 0), None);
}

#[test]
fn there_is_room_for_so_many_instances_and_patterns() {
    let mut all = Children::new();
    let added = (0..=255).take_while(|process| all.add(*process, "p").is_some());
    assert_eq!(added.count(), INSTANCES);
    let allowed = (0..=255).take_while(|process| all.allow(*process, 1, "p"));
    assert_eq!(allowed.count(), 64);
}

#[test]
fn what_runs_without_a_parent_is_adopted() {
    let mut all = children();
    let pid = Pid::new(11, 5);
    all.adopt(1, pid);
    assert_eq!(all.of(11), Some(1));
    assert_eq!(all.of(10), None);
    assert_eq!(all.target(OTHER, pid), Ok(1));
    assert_eq!(all.place(OTHER, b"count"), Ok(0));
    assert_eq!(all.end(11, 6, EXIT), Some((pid, None)));
}

#[test]
fn a_child_is_told_its_parent_by_the_name_that_the_parent_has() {
    let mut all = children();
    assert!(all.allow(10, 1, "upper"));
    let child = spawn(&mut all, SHELL, "count", 3).unwrap();
    spawn(&mut all, 10, "upper", 0).unwrap();
    assert_eq!(all.parent(10), Some(u32::from(SHELL) + 1));
    assert_eq!(all.parent(12), Some(child.0), "a child's own child");
    assert_eq!(all.parent(SHELL), None, "nobody has spawned it");
    all.leave(SHELL);
    assert_eq!(all.parent(10), Some(0), "its parent has ended");
}
