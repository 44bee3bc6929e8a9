//! What `./riposte run --json` prints: a line for whatever the console says, and one at the end.

use serde::Serialize;

use crate::interrupt;
use crate::json;
use crate::machine::End;

/// Something that is told of a run.
#[derive(Debug, Serialize)]
#[serde(tag = "event", rename_all = "lowercase")]
pub enum Told<'a> {
    /// The console said something.
    Console {
        /// Of a group, which node's.
        #[serde(skip_serializing_if = "Option::is_none")]
        node: Option<&'a str>,
        /// What. A line has its end; the beginning of one whose end has not come has none, and does not come again.
        text: &'a str,
    },
    /// Nothing more comes.
    End {
        /// Why.
        how: How,
        /// The exit code of the command.
        code: i32,
    },
}

/// How a run came to its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// The application ended it with this code.
    Exit(i32),
    /// It was stopped, as its console was silent for too long or it took too many cycles.
    Endless,
    /// Ctrl-C.
    Interrupted,
    /// Something that it needs failed.
    Failed,
}

impl Serialize for How {
    fn serialize<S: serde::Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(match self {
            How::Exit(_) => "exit",
            How::Endless => "endless",
            How::Interrupted => "interrupted",
            How::Failed => "failed",
        })
    }
}

impl How {
    /// That of one machine.
    pub fn of(end: End) -> How {
        match end {
            End::Exit(code) => How::Exit(code),
            End::Endless(_) => How::Endless,
            End::Interrupted(_) | End::Stopped => How::Interrupted,
        }
    }

    /// The exit code of the command.
    pub fn code(self) -> i32 {
        match self {
            How::Exit(code) => code,
            How::Endless | How::Failed => 1,
            How::Interrupted => interrupt::EXIT_CODE,
        }
    }
}

impl<'a> Told<'a> {
    /// What a console said, that of a node if there are several.
    pub fn console(node: Option<&'a str>, text: &'a str) -> Told<'a> {
        Told::Console { node, text }
    }

    /// The end of a run.
    pub fn end(how: How) -> Told<'a> {
        let code = how.code();
        Told::End { how, code }
    }

    /// Prints it.
    pub fn print(&self) {
        // Texts and numbers always have JSON.
        let _ = json::line(self);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(told: &Told<'_>) -> String {
        serde_json::to_string(told).expect("JSON")
    }

    #[test]
    fn what_is_told_of_a_run_has_the_names_that_the_page_of_commands_gives() {
        assert_eq!(
            text(&Told::console(Some("north"), "a \"b\"\n")),
            r#"{"event":"console","node":"north","text":"a \"b\"\n"}"#
        );
        assert_eq!(
            text(&Told::console(None, "> ")),
            r#"{"event":"console","text":"> "}"#
        );
        let ends = [
            (End::Exit(3), r#"{"event":"end","how":"exit","code":3}"#),
            (
                End::Endless(None),
                r#"{"event":"end","how":"endless","code":1}"#,
            ),
            (
                End::Interrupted(None),
                r#"{"event":"end","how":"interrupted","code":130}"#,
            ),
        ];
        for (end, wanted) in ends {
            assert_eq!(text(&Told::end(How::of(end))), wanted);
        }
    }
}
