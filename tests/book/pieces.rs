//! The pieces of Rust in the book, which `cargo test` compiles for this machine: those of the pages that are listed here.
//!
//! Pieces that belong to a program of the repository or to one that a test writes are compared with it instead: a test of
//! `host/tests/book.rs` says of each piece of the book which of the two it is.

#![no_std]

/// A module for each page, which holds the page as documentation.
macro_rules! pages {
    ($($name:ident: $page:literal;)*) => {
        $(
            #[cfg(doctest)]
            #[doc = include_str!(concat!("../../docs/src/", $page))]
            mod $name {}
        )*
    };
}

pages! {
    block: "block.md";
    console: "console.md";
    entropy: "entropy.md";
    files: "files.md";
    interrupts: "interrupts.md";
    log: "log.md";
    memory: "memory.md";
    messages: "messages.md";
    network: "network.md";
    nodes: "nodes.md";
    pipes: "pipe.md";
    pools: "pools.md";
    programs: "process.md";
    signals: "signals.md";
    supervision: "supervision.md";
    synchronisation: "sync.md";
    threads: "threads.md";
    xous: "personalities/xous.md";
}
