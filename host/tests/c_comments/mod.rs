//! The functions of `riposte.h`, and what their comments say.

#![allow(dead_code, reason = "each test uses a part of it")]

use std::path::{Path, PathBuf};

/// A function with a comment that begins with two stars.
pub struct Function {
    pub name: String,
    /// As it is declared, on one line.
    pub prototype: String,
    /// What it does.
    pub purpose: String,
    /// What its comment says behind each tag, in order: `param`, `return`, `error`, `blocks`, `from`.
    pub said: Vec<(String, String)>,
}

impl Function {
    /// What is said behind a tag.
    pub fn all<'a>(&'a self, tag: &'a str) -> impl Iterator<Item = &'a str> {
        let said = self.said.iter().filter(move |(it, _)| it == tag);
        said.map(|(_, text)| text.as_str())
    }

    /// Whether only inline functions call it: their pages say it all.
    pub fn is_half(&self) -> bool {
        self.name.starts_with("riposte_private_")
            || self
                .all("from")
                .any(|from| from.to_lowercase().starts_with("riposte_"))
    }

    /// The names of its parameters, as it is declared.
    pub fn parameters(&self) -> Vec<String> {
        let inside = self.prototype.split_once('(').map_or("", |it| it.1);
        let inside = inside.strip_suffix(')').unwrap_or(inside);
        let mut inside = inside.to_owned();
        // A parameter that is a function has parameters of its own.
        while let Some((before, rest)) = inside.split_once("(*") {
            let (name, rest) = rest.split_once(')').expect("it ends");
            let rest = rest.split_once(')').map_or("", |it| it.1);
            inside = format!("{before} {name}{rest}");
        }
        let array = |letter: char| "[]".contains(letter) || letter.is_ascii_digit();
        inside
            .split(',')
            .map(|one| one.trim().trim_end_matches(array))
            .filter(|one| !one.is_empty() && *one != "void")
            .filter_map(|one| one.rsplit([' ', '*']).next())
            .map(str::to_owned)
            .collect()
    }
}

/// All of them, in the order of the headers.
pub fn functions(root: &Path) -> Vec<Function> {
    let folder = root.join("c/include");
    let included = std::fs::read_dir(folder.join("riposte")).expect("a folder");
    let mut files: Vec<PathBuf> = included.flatten().map(|entry| entry.path()).collect();
    files.sort();
    files.push(folder.join("riposte.h"));
    let mut found: Vec<Function> = vec![];
    for file in files {
        let text = std::fs::read_to_string(file).expect("a header");
        for part in text.split("/**").skip(1) {
            let (comment, code) = part.split_once("*/").expect("the comment ends");
            // A processor's own form of a function has the same page.
            let made = function(comment, code)
                .filter(|it| found.iter().all(|known| known.name != it.name));
            found.extend(made);
        }
    }
    found
}

fn function(comment: &str, code: &str) -> Option<Function> {
    // A type or a constant is no function.
    let end = code.find([';', '{'])?;
    let words: Vec<_> = code[..end].split_whitespace().collect();
    let prototype = words.join(" ");
    let prototype = prototype
        .trim_start_matches("RIPOSTE_PRIVATE_INLINE ")
        .trim_start_matches("static inline ")
        .trim_start_matches("extern ")
        .trim_start_matches("__attribute__((noreturn)) ")
        .trim_end_matches(" __attribute__((noreturn))")
        .to_owned();
    let (head, _) = prototype.split_once('(')?;
    let name = head.rsplit([' ', '*']).next()?.to_owned();
    if !name.starts_with("riposte_") || head.contains('=') {
        return None;
    }
    let lines = comment
        .lines()
        .map(|line| line.trim().trim_start_matches('*').trim());
    let text: Vec<_> = lines.filter(|line| !line.is_empty()).collect();
    let text = text.join(" ");
    let mut parts = text.split(" @");
    let purpose = parts.next().unwrap_or_default().to_owned();
    let said = parts.filter_map(|part| part.split_once(' '));
    let said = said
        .map(|(tag, text)| (tag.to_owned(), text.to_owned()))
        .collect();
    Some(Function {
        name,
        prototype,
        purpose,
        said,
    })
}
