//! What the tool leaves when it is killed, which it cannot see to itself: a shell waits for its end, and then ends all
//! that still runs of what it has started, and removes its files.

use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{ChildStdin, Command, Stdio};
use std::sync::LazyLock;

/// Each line is all that runs, as `kill` names it; the end of the tool is the end of them.
const SCRIPT: &str = r#"while read -r line; do all=$line; done
[ -z "$all" ] || kill -s KILL -- $all
rm -rf "$1"*"#;

/// What the shell reads. Nobody else has it, so that it ends with the tool, however that ends. Where there is no shell,
/// what a killed tool has started stays.
static SHELL: LazyLock<Option<ChildStdin>> = LazyLock::new(|| {
    let mut command = Command::new("sh");
    command
        .args(["-c", SCRIPT, "riposte-reaper"])
        .arg(file(""))
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // The tool's group may be killed with it.
        .process_group(0);
    command.spawn().ok()?.stdin
});

/// Tells all that runs now: processes, and groups with a minus.
pub fn tell(all: impl Iterator<Item = i32>) {
    let all: Vec<String> = all.map(|it| it.to_string()).collect();
    if let Some(mut shell) = SHELL.as_ref() {
        // An error means that somebody has ended it.
        let _ = shell.write_all(format!("{}\n", all.join(" ")).as_bytes());
    }
}

/// A file or folder of this tool's, for as long as it runs.
#[must_use]
pub fn file(name: &str) -> PathBuf {
    let name = format!("riposte-{}-{name}", std::process::id());
    folder(std::env::temp_dir()).join(name)
}

/// Bytes of the longest way to a folder of sockets: the system takes 107 for that to a socket.
const LONGEST: usize = 60;

/// Where they are: in the folder for such, unless an emulator could not be told a way to a socket in it.
fn folder(temporary: PathBuf) -> PathBuf {
    let way = temporary.to_string_lossy();
    // A comma would end it.
    match way.len() <= LONGEST && !way.contains(',') {
        true => temporary,
        false => "/tmp".into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sockets_lie_where_there_can_be_some_whatever_the_folder_for_temporary_files_is() {
        let of = |way: &str| folder(way.into());
        assert_eq!(of("/var/tmp"), PathBuf::from("/var/tmp"));
        for way in [&*"/far".repeat(30), "/a,b"] {
            assert_eq!(of(way), PathBuf::from("/tmp"));
        }
    }
}
