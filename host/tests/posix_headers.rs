//! POSIX's headers: each can be included alone, twice and with all others, in each language and standard, without a
//! warning.

use std::path::{Path, PathBuf};
use std::process::Command;

use riposte_host::build::c::Compiler;

fn root() -> PathBuf {
    Path::new("..").canonicalize().expect("the repository")
}

/// Headers below a folder, as a program names them.
fn headers(folder: &Path, below: &str) -> Vec<String> {
    let mut found = vec![];
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        let name = format!("{below}{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            found.extend(headers(&entry.path(), &format!("{name}/")));
        } else {
            found.push(name);
        }
    }
    found.sort();
    found
}

/// Our headers come as the library of a system does, but for our own checks: there every warning counts.
fn check(mut command: Command, source: &Path) -> String {
    for folder in ["c/include", "c/posix/include"] {
        command.arg("-I").arg(root().join(folder));
    }
    command.args(["--specs=picolibc.specs", "-c", "-o", "/dev/null"]);
    command.args(["-Wall", "-Wextra", "-Wpedantic", "-Werror"]);
    let output = command.arg(source).output().expect("the compiler runs");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn every_posix_header_compiles_alone_and_with_all_others_as_c99_c11_and_cpp17() {
    let folder = tempfile::tempdir().expect("a folder");
    let all = headers(&root().join("c/posix/include"), "");
    assert!(all.len() > 2, "{all:?}");
    let mut sources: Vec<String> = all
        .iter()
        .map(|header| format!("#include <{header}>\n#include <{header}>\nint unused;\n"))
        .collect();
    let together = all.iter().map(|header| format!("#include <{header}>\n"));
    sources.push(together.clone().collect::<String>() + "int unused;\n");
    sources.push(together.rev().collect::<String>() + "int unused;\n");
    for target in ["thumbv7em-none-eabi", "riscv32imc-unknown-none-elf"] {
        let compiler = Compiler::known(target).expect("a compiler");
        for (number, text) in sources.iter().enumerate() {
            for standard in ["c99", "c11", "c++17"] {
                let is_cpp = standard.starts_with("c++");
                let source = folder.path().join(if is_cpp { "one.cpp" } else { "one.c" });
                std::fs::write(&source, text).expect("written");
                // How far it is optimised matters where all of them meet.
                let levels: &[&str] = if number < all.len() {
                    &["-Os"]
                } else {
                    &["-O0", "-Os", "-O2"]
                };
                for level in levels {
                    for visible in ["-D_POSIX_C_SOURCE=200809L", "-D_DEFAULT_SOURCE"] {
                        let mut command = match is_cpp {
                            true => compiler.cpp_command(),
                            false => compiler.command(),
                        };
                        command.args([&format!("-std={standard}"), *level, visible]);
                        let said = check(command, &source);
                        assert!(
                            said.is_empty(),
                            "{standard} {level} {visible}\n{text}{said}"
                        );
                    }
                }
            }
        }
    }
}

/// What the standard has in `<sys/types.h>` as in `<pthread.h>`.
const OF_THREADS: [&str; 13] = [
    "pthread_attr_t",
    "pthread_barrier_t",
    "pthread_barrierattr_t",
    "pthread_cond_t",
    "pthread_condattr_t",
    "pthread_key_t",
    "pthread_mutex_t",
    "pthread_mutexattr_t",
    "pthread_once_t",
    "pthread_rwlock_t",
    "pthread_rwlockattr_t",
    "pthread_spinlock_t",
    "pthread_t",
];

#[test]
fn sys_types_has_the_types_of_threads_and_a_program_of_standard_c_alone_may_have_its_own() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("one.c");
    let all: String = OF_THREADS
        .iter()
        .map(|it| format!("{it} *a_{it};\n"))
        .collect();
    let own: String = OF_THREADS
        .iter()
        .map(|it| format!("typedef char {it};\n"))
        .collect();
    let programs = [
        (
            "-D_POSIX_C_SOURCE=200809L",
            format!("#include <sys/types.h>\n{all}"),
        ),
        (
            "-Wall",
            format!("#include <stdio.h>\n#include <stdlib.h>\n#include <time.h>\n{own}"),
        ),
    ];
    for target in ["thumbv7em-none-eabi", "riscv32imc-unknown-none-elf"] {
        let compiler = Compiler::known(target).expect("a compiler");
        for (flag, text) in &programs {
            std::fs::write(&source, text).expect("written");
            let mut command = compiler.command();
            command.args(["-std=c11", flag]);
            let said = check(command, &source);
            assert!(said.is_empty(), "{text}{said}");
        }
    }
}

/// What the standard asks of any system, and what these headers say of this one.
const LIMITS: &str = r#"
#include <limits.h>
#define LEAST(name, value) _Static_assert(name == value, #name)
LEAST(_POSIX_AIO_LISTIO_MAX, 2);
LEAST(_POSIX_AIO_MAX, 1);
LEAST(_POSIX_ARG_MAX, 4096);
LEAST(_POSIX_CHILD_MAX, 25);
LEAST(_POSIX_CLOCKRES_MIN, 20000000);
LEAST(_POSIX_DELAYTIMER_MAX, 32);
LEAST(_POSIX_HOST_NAME_MAX, 255);
LEAST(_POSIX_LINK_MAX, 8);
LEAST(_POSIX_LOGIN_NAME_MAX, 9);
LEAST(_POSIX_MAX_CANON, 255);
LEAST(_POSIX_MAX_INPUT, 255);
LEAST(_POSIX_MQ_OPEN_MAX, 8);
LEAST(_POSIX_MQ_PRIO_MAX, 32);
LEAST(_POSIX_NAME_MAX, 14);
LEAST(_POSIX_NGROUPS_MAX, 8);
LEAST(_POSIX_OPEN_MAX, 20);
LEAST(_POSIX_PATH_MAX, 256);
LEAST(_POSIX_PIPE_BUF, 512);
LEAST(_POSIX_RE_DUP_MAX, 255);
LEAST(_POSIX_RTSIG_MAX, 8);
LEAST(_POSIX_SEM_NSEMS_MAX, 256);
LEAST(_POSIX_SEM_VALUE_MAX, 32767);
LEAST(_POSIX_SIGQUEUE_MAX, 32);
LEAST(_POSIX_SSIZE_MAX, 32767);
LEAST(_POSIX_STREAM_MAX, 8);
LEAST(_POSIX_SYMLINK_MAX, 255);
LEAST(_POSIX_SYMLOOP_MAX, 8);
LEAST(_POSIX_THREAD_DESTRUCTOR_ITERATIONS, 4);
LEAST(_POSIX_THREAD_KEYS_MAX, 128);
LEAST(_POSIX_THREAD_THREADS_MAX, 64);
LEAST(_POSIX_TIMER_MAX, 32);
LEAST(_POSIX_TTY_NAME_MAX, 9);
LEAST(_POSIX_TZNAME_MAX, 6);
LEAST(_POSIX2_CHARCLASS_NAME_MAX, 14);
LEAST(_POSIX2_COLL_WEIGHTS_MAX, 2);
LEAST(_POSIX2_LINE_MAX, 2048);
LEAST(_POSIX2_RE_DUP_MAX, 255);
LEAST(LONG_BIT, 8 * sizeof(long));
LEAST(WORD_BIT, 8 * sizeof(int));
/* No less here than anywhere. */
_Static_assert(NAME_MAX >= _POSIX_NAME_MAX && PATH_MAX >= _POSIX_PATH_MAX && PIPE_BUF >= _POSIX_PIPE_BUF, "files");
_Static_assert(MQ_OPEN_MAX >= _POSIX_MQ_OPEN_MAX && MQ_PRIO_MAX >= _POSIX_MQ_PRIO_MAX, "queues");
_Static_assert(RTSIG_MAX >= _POSIX_RTSIG_MAX && SIGQUEUE_MAX >= _POSIX_SIGQUEUE_MAX, "signals");
_Static_assert(PTHREAD_KEYS_MAX >= _POSIX_THREAD_KEYS_MAX && SEM_VALUE_MAX >= _POSIX_SEM_VALUE_MAX, "threads");
_Static_assert(PTHREAD_DESTRUCTOR_ITERATIONS >= _POSIX_THREAD_DESTRUCTOR_ITERATIONS && PTHREAD_STACK_MIN > 0, "threads");
_Static_assert(LINE_MAX >= _POSIX2_LINE_MAX && NGROUPS_MAX >= _POSIX_NGROUPS_MAX && SSIZE_MAX >= _POSIX_SSIZE_MAX, "others");
/* What differs by program, sysconf() tells. */
#if defined ARG_MAX || defined CHILD_MAX || defined LINK_MAX || defined OPEN_MAX
#error they are no constants
#endif
int unused;
"#;

/// Values that a program may select by, none of which is another one's; and structures that it looks into.
const SELECTED: &str = r#"
#include <mqueue.h>
#include <signal.h>
#include <sys/wait.h>
int of(const siginfo_t *info)
{
    switch (info->si_code) {
    case SI_USER: case SI_QUEUE: case SI_TIMER: case SI_ASYNCIO: case SI_MESGQ:
        return 1;
    case ILL_ILLOPC: case ILL_ILLOPN: case ILL_ILLADR: case ILL_ILLTRP: case ILL_PRVOPC: case ILL_PRVREG:
    case ILL_COPROC: case ILL_BADSTK: case FPE_INTDIV: case FPE_INTOVF: case FPE_FLTDIV: case FPE_FLTOVF:
    case FPE_FLTUND: case FPE_FLTRES: case FPE_FLTINV: case FPE_FLTSUB: case SEGV_MAPERR: case SEGV_ACCERR:
    case BUS_ADRALN: case BUS_ADRERR: case BUS_OBJERR: case TRAP_BRKPT: case TRAP_TRACE:
        return 2;
    case CLD_EXITED: case CLD_KILLED: case CLD_DUMPED: case CLD_TRAPPED: case CLD_STOPPED: case CLD_CONTINUED:
        return info->si_status;
    case POLL_IN: case POLL_OUT: case POLL_MSG: case POLL_ERR: case POLL_PRI: case POLL_HUP:
        return info->si_band != 0;
    default:
        return 0;
    }
}
_Static_assert((SA_NOCLDSTOP | SA_SIGINFO | SA_RESTART | SA_NODEFER | SA_RESETHAND | SA_ONSTACK | SA_NOCLDWAIT)
               == SA_NOCLDSTOP + SA_SIGINFO + SA_RESTART + SA_NODEFER + SA_RESETHAND + SA_ONSTACK + SA_NOCLDWAIT, "bits");
void (*const held)(int) = SIG_HOLD;
const stack_t *stack(const ucontext_t *context, sigset_t *masked, mcontext_t *machine)
{
    *masked = context->uc_sigmask;
    *machine = context->uc_mcontext;
    return context->uc_link ? &context->uc_link->uc_stack : &context->uc_stack;
}
/* A status is a number as any other. */
_Static_assert(WIFEXITED(0) && !WIFSIGNALED(0) && !WIFSTOPPED(0) && WEXITSTATUS(7 << 8) == 7, "an end");
_Static_assert(!WIFEXITED(9) && WIFSIGNALED(9) && !WIFSTOPPED(9) && WTERMSIG(9) == 9 && WSTOPSIG(0) == 0, "a signal");
size_t size(void) { return sizeof(pthread_attr_t) + sizeof(mqd_t); }
"#;

#[test]
fn what_the_standard_names_is_a_constant_or_a_type_of_its_header() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("one.c");
    for target in ["thumbv7em-none-eabi", "riscv32imc-unknown-none-elf"] {
        let compiler = Compiler::known(target).expect("a compiler");
        for text in [LIMITS, SELECTED] {
            std::fs::write(&source, text).expect("written");
            let mut command = compiler.command();
            command.args(["-std=c11", "-D_POSIX_C_SOURCE=200809L"]);
            let said = check(command, &source);
            assert!(said.is_empty(), "{target}\n{said}");
        }
    }
}

/// A program that includes the header of queues alone, as it may on other systems.
const QUEUES: &str = r#"
#include <mqueue.h>
mqd_t made(const char *name)
{
    struct sigevent how = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    const mqd_t queue = mq_open(name, O_CREAT | O_RDWR | O_NONBLOCK, 0600, NULL);
    return mq_notify(queue, &how) == 0 ? queue : (mqd_t)-1;
}
"#;

#[test]
fn the_header_of_message_queues_is_all_that_it_takes_to_open_one_and_to_be_told() {
    let folder = tempfile::tempdir().expect("a folder");
    let source = folder.path().join("one.c");
    std::fs::write(&source, QUEUES).expect("written");
    for target in ["thumbv7em-none-eabi", "riscv32imc-unknown-none-elf"] {
        let compiler = Compiler::known(target).expect("a compiler");
        for standard in ["c99", "c11"] {
            let mut command = compiler.command();
            command.args([&format!("-std={standard}"), "-D_POSIX_C_SOURCE=200809L"]);
            let said = check(command, &source);
            assert!(said.is_empty(), "{target}\n{said}");
        }
    }
}
