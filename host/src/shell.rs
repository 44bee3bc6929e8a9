//! Words as a person types them at a shell.

/// A word, in quotes if a shell would take it for something else.
#[must_use]
pub fn word(text: &str) -> String {
    let is_plain = |it: char| it.is_alphanumeric() || "-_./:@%+,".contains(it);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text.into();
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    #[test]
    fn a_shell_takes_a_word_for_what_it_was() {
        for text in [
            "blink",
            "/a/b-1",
            "my things/x",
            "it's",
            "$HOME",
            "",
            "a*",
            "~",
        ] {
            let script = format!("printf %s {}", super::word(text));
            let said = Command::new("sh").args(["-c", &script]).output().unwrap();
            assert_eq!(String::from_utf8(said.stdout).unwrap(), text);
        }
        assert_eq!(super::word("examples/hello"), "examples/hello");
    }
}
