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
