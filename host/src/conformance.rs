//! What there is of POSIX, function by function: `c/posix/conformance/`, from which the page of the book is made, and the
//! reason that a program is told which calls what is absent.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The tables, one a header.
const TABLES: [&str; 26] = [
    include_str!("../../c/posix/conformance/dirent.toml"),
    include_str!("../../c/posix/conformance/fcntl.toml"),
    include_str!("../../c/posix/conformance/inet.toml"),
    include_str!("../../c/posix/conformance/mman.toml"),
    include_str!("../../c/posix/conformance/mqueue.toml"),
    include_str!("../../c/posix/conformance/netdb.toml"),
    include_str!("../../c/posix/conformance/poll.toml"),
    include_str!("../../c/posix/conformance/pthread.toml"),
    include_str!("../../c/posix/conformance/sched.toml"),
    include_str!("../../c/posix/conformance/select.toml"),
    include_str!("../../c/posix/conformance/semaphore.toml"),
    include_str!("../../c/posix/conformance/setjmp.toml"),
    include_str!("../../c/posix/conformance/signal.toml"),
    include_str!("../../c/posix/conformance/socket.toml"),
    include_str!("../../c/posix/conformance/spawn.toml"),
    include_str!("../../c/posix/conformance/stat.toml"),
    include_str!("../../c/posix/conformance/statvfs.toml"),
    include_str!("../../c/posix/conformance/stdio.toml"),
    include_str!("../../c/posix/conformance/string.toml"),
    include_str!("../../c/posix/conformance/systime.toml"),
    include_str!("../../c/posix/conformance/threads.toml"),
    include_str!("../../c/posix/conformance/time.toml"),
    include_str!("../../c/posix/conformance/times.toml"),
    include_str!("../../c/posix/conformance/unistd.toml"),
    include_str!("../../c/posix/conformance/utsname.toml"),
    include_str!("../../c/posix/conformance/wait.toml"),
];

/// Functions at which POSIX's threads are cancelled. In a program that cancels some, `c/posix/src/cancel` takes the places
/// of those that it calls.
pub const CANCELLATION_POINTS: [&str; 45] = [
    "accept",
    "clock_nanosleep",
    "close",
    "connect",
    "creat",
    "fdatasync",
    "fsync",
    "mq_receive",
    "mq_send",
    "mq_timedreceive",
    "mq_timedsend",
    "nanosleep",
    "open",
    "pause",
    "poll",
    "pread",
    "pselect",
    "pthread_cond_timedwait",
    "pthread_cond_wait",
    "pthread_join",
    "pwrite",
    "read",
    "recv",
    "recvfrom",
    "select",
    "sem_timedwait",
    "sem_wait",
    "send",
    "sendto",
    "sigpause",
    "sigsuspend",
    "sigtimedwait",
    "sigwait",
    "sigwaitinfo",
    "sleep",
    "wait",
    "waitpid",
    "write",
    // What these wait by.
    "riposte_futex_wait_until",
    "riposte_raw_call",
    "riposte_private_semaphore_wait",
    "riposte_private_semaphore_wait_for_ever",
    "riposte_signal_suspend_until",
    "riposte_signal_wait_until",
    "riposte_sleep_until",
];

/// A header's functions.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// As it is included.
    pub header: String,
    /// Those that are as the standard says.
    #[serde(default)]
    pub done: Done,
    /// Those that are not quite, and how.
    #[serde(default)]
    pub limited: BTreeMap<String, String>,
    /// Those that are not there, and why.
    #[serde(default)]
    pub absent: BTreeMap<String, String>,
}

/// What is as the standard says.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Done {
    /// Functions.
    #[serde(default)]
    pub functions: Vec<String>,
    /// Macros of which the standard speaks as of functions.
    #[serde(default)]
    pub macros: Vec<String>,
}

/// All of them, in the order of their headers.
///
/// # Panics
/// One is not as it should be: they are part of this program.
#[must_use]
pub fn tables() -> Vec<Table> {
    TABLES
        .iter()
        .map(|text| toml::from_str(text).expect("a table of c/posix/conformance"))
        .collect()
}

/// Why a function is absent, if it is.
#[must_use]
pub fn absent(function: &str) -> Option<String> {
    let found = |table: Table| table.absent.get(function).cloned();
    tables().into_iter().find_map(found)
}

impl Table {
    /// The functions that can be called.
    pub fn functions(&self) -> impl Iterator<Item = &str> {
        self.done
            .functions
            .iter()
            .chain(self.limited.keys())
            .map(String::as_str)
    }

    /// The functions that cannot.
    #[must_use]
    pub fn absent_names(&self) -> Vec<&str> {
        self.absent.keys().map(String::as_str).collect()
    }

    /// Its part of the page.
    #[must_use]
    pub fn page(&self) -> String {
        let done = self.done.functions.iter().chain(&self.done.macros);
        let done = done.map(|name| (name, "done", ""));
        let limited = self
            .limited
            .iter()
            .map(|(name, how)| (name, "limited", &**how));
        let absent = self
            .absent
            .iter()
            .map(|(name, why)| (name, "absent", &**why));
        let mut rows: Vec<_> = done.chain(limited).chain(absent).collect();
        rows.sort_unstable();
        let rows = rows.iter().map(|(name, status, text)| {
            format!("| `{name}` | {status} | {text} |\n").replace("|  |", "| |")
        });
        format!(
            "## `<{}>`\n\n| function | status | how, or why not |\n| --- | --- | --- |\n{}",
            self.header,
            rows.collect::<String>()
        )
    }
}
