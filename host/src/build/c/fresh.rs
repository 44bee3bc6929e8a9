//! Compiles what has changed, and nothing else: so that a warning is said when there is something new to it.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::SystemTime;

use super::super::link::write;
use crate::toolchain::on_path;

/// Runs the compiler as `command` says, by `compile`, unless `object` is what it would make. Whether it is
/// there then.
///
/// # Errors
/// As `compile`, or if a file cannot be written.
pub(super) fn unless(
    object: &Path,
    command: &mut Command,
    compile: impl FnOnce(&mut Command) -> miette::Result<bool>,
) -> miette::Result<bool> {
    let [files, stamp] = ["d", "stamp"].map(|it| object.with_extension(it));
    let known = std::fs::read_to_string(&stamp).unwrap_or_default();
    if object.is_file() && stamp_of(command, &files).is_some_and(|it| it == known) {
        return Ok(true);
    }
    // An object without a stamp is not trusted. Absent is as good as removed.
    let _ = std::fs::remove_file(&stamp);
    let before = stamp_of_command(command);
    // Its time is when the compiler began, by the clock of the files.
    write(&files, b"")?;
    let begun = modified(&files);
    let good = compile(command.arg("-MD").arg("-MF").arg(&files))?;
    // Of a file that was written since, nobody knows what of it the compiler has read.
    if let (true, Some(new)) = (good && are_older(&files, begun), stamp_with(before, &files)) {
        write(&stamp, new.as_bytes())?;
    }
    Ok(good)
}

fn modified(file: &Path) -> Option<SystemTime> {
    file.metadata().and_then(|it| it.modified()).ok()
}

/// Whether none of the files that are listed in `files` was written after that.
fn are_older(files: &Path, begun: Option<SystemTime>) -> bool {
    let rule = std::fs::read_to_string(files).unwrap_or_default();
    listed(&rule).iter().all(|it| modified(it) <= begun)
}

/// What an object depends on: the compiler, what it is told, and all files that it read the last time, which it
/// has listed in `files`.
fn stamp_of(command: &Command, files: &Path) -> Option<String> {
    stamp_with(stamp_of_command(command), files)
}

fn stamp_of_command(command: &Command) -> DefaultHasher {
    let mut hasher = DefaultHasher::new();
    let program = command.get_program();
    program.hash(&mut hasher);
    let file = on_path(&program.to_string_lossy()).and_then(|it| it.metadata().ok());
    let file = file.map(|it| (it.len(), it.modified().ok()));
    file.hash(&mut hasher);
    command.get_args().for_each(|it| it.hash(&mut hasher));
    hasher
}

fn stamp_with(mut hasher: DefaultHasher, files: &Path) -> Option<String> {
    for file in listed(&std::fs::read_to_string(files).ok()?) {
        std::fs::read(&file).ok()?.hash(&mut hasher);
        file.hash(&mut hasher);
    }
    Some(format!("{:016x}\n", hasher.finish()))
}

/// The files of a rule for make: `object: file file \`, where a space in a name has a `\` before it, and `$`
/// is written twice.
fn listed(rule: &str) -> Vec<PathBuf> {
    let files = rule.split_once(": ").map_or("", |(_, files)| files);
    let (mut all, mut file) = (vec![], String::new());
    let mut letters = files.chars().peekable();
    while let Some(letter) = letters.next() {
        match (letter, letters.peek()) {
            ('\\', Some('\n')) => (),
            ('\\', Some(' ' | '#')) | ('$', Some('$')) => file.extend(letters.next()),
            (letter, _) if letter.is_whitespace() => {
                if !file.is_empty() {
                    all.push(PathBuf::from(std::mem::take(&mut file)));
                }
            }
            (letter, _) => file.push(letter),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_files_of_a_rule_are_found() {
        let rule = "0.o: main.c \\\n /usr/my\\ own/a$$b.h\\\n c.h\n";
        let files = ["main.c", "/usr/my own/a$b.h", "c.h"].map(PathBuf::from);
        assert_eq!(listed(rule), files);
    }

    #[test]
    fn what_has_not_changed_is_not_compiled_again() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name| folder.path().join(name);
        let (object, header) = (place("0.o"), place("a.h"));
        std::fs::write(&header, "1").unwrap();
        let times = |argument: &str, works: bool| {
            let mut times = 0;
            let mut command = Command::new("compiler");
            let good = unless(&object, command.arg(argument), |_| {
                times += 1;
                std::fs::write(&object, "").unwrap();
                let rule = format!("0.o: {}\n", header.display());
                std::fs::write(place("0.d"), rule).unwrap();
                Ok(works)
            });
            assert_eq!(good.unwrap(), works);
            times
        };
        assert_eq!([times("-O2", true), times("-O2", true)], [1, 0]);
        std::fs::write(&header, "2").unwrap();
        assert_eq!([times("-O2", true), times("-O2", true)], [1, 0]);
        assert_eq!([times("-O3", true), times("-O3", true)], [1, 0]);
        // Who has failed says why each time.
        assert_eq!([times("-O1", false), times("-O1", false)], [1, 1]);
        assert_eq!(times("-O1", true), 1);
    }

    #[test]
    fn what_is_written_while_it_is_compiled_is_compiled_again() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name| folder.path().join(name);
        let (object, source) = (place("0.o"), place("a.c"));
        let build = |meanwhile: Option<&str>| {
            let mut command = Command::new("compiler");
            let compile = |_: &mut Command| {
                std::fs::copy(&source, &object).unwrap();
                std::fs::write(place("0.d"), format!("0.o: {}\n", source.display())).unwrap();
                if let Some(text) = meanwhile {
                    // The clock of files goes by some milliseconds.
                    std::thread::sleep(std::time::Duration::from_millis(50));
                    std::fs::write(&source, text).unwrap();
                }
                Ok(true)
            };
            assert!(unless(&object, &mut command, compile).unwrap());
            std::fs::read_to_string(&object).unwrap()
        };
        std::fs::write(&source, "1").unwrap();
        assert_eq!(build(Some("2")), "1");
        assert_eq!(build(None), "2");
    }
}
