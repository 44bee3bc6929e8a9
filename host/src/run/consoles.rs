//! Several consoles in one: which node says a line, and for which a line is that is typed.

use std::fmt::Write as _;
use std::io::{IsTerminal, Write};
use std::sync::{Mutex, PoisonError};

use super::told::Told;

/// Colours of a terminal for the nodes, which begin again behind the last one.
const COLOURS: [&str; 6] = ["36", "33", "35", "32", "34", "31"];

/// The consoles of several nodes, on the standard output.
pub struct Consoles {
    names: Vec<String>,
    /// What stands before each line of a node; `None` if they are printed as JSON.
    prefixes: Option<Vec<String>>,
    /// One line at a time.
    turn: Mutex<()>,
}

impl Consoles {
    /// Those of nodes with these names; as JSON if that is asked for, else in colour on a terminal, unless `NO_COLOR` is
    /// set.
    #[must_use]
    pub fn new(names: Vec<String>, as_json: bool) -> Consoles {
        let in_colour = std::io::stdout().is_terminal()
            && std::env::var_os("NO_COLOR").is_none_or(|it| it.is_empty());
        let prefixes = (!as_json).then(|| prefixes(&names, in_colour));
        Consoles {
            names,
            prefixes,
            turn: Mutex::new(()),
        }
    }

    /// Shows what a node says: a line, or several, or the beginning of one.
    pub fn say(&self, node: usize, text: &str) {
        let Some(prefixes) = &self.prefixes else {
            let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
            return Told::console(Some(&self.names[node]), text).print();
        };
        let mut lines = String::new();
        for line in text.trim_end_matches('\n').split('\n') {
            let _ = writeln!(lines, "{}{}", prefixes[node], line.trim_end_matches('\r'));
        }
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        print!("{lines}");
        // Who closed the console does not want to see more.
        let _ = std::io::stdout().flush();
    }

    /// Says something of a node to the person.
    pub fn tell(&self, node: usize, text: &str) {
        let _turn = self.turn.lock().unwrap_or_else(PoisonError::into_inner);
        eprintln!("riposte: {}: {}", self.names[node], text.trim_end());
    }
}

fn prefixes(names: &[String], in_colour: bool) -> Vec<String> {
    let width = names.iter().map(String::len).max().unwrap_or_default();
    let prefix = |(node, name): (usize, &String)| {
        let prefix = format!("{name:width$} |");
        if in_colour {
            let colour = COLOURS[node % COLOURS.len()];
            format!("\x1b[{colour}m{prefix}\x1b[0m ")
        } else {
            format!("{prefix} ")
        }
    };
    names.iter().enumerate().map(prefix).collect()
}

/// What a line means that a person types.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed {
    /// Keys for the console of a node.
    Keys(usize, String),
    /// A node is to be switched off and on.
    Reset(usize),
    /// A node's cable is to be plugged in or out.
    Plug { node: usize, is_in: bool },
    /// Nothing: why.
    Nothing(String),
}

/// What is typed to several nodes: a line for the one that its beginning names, or else the one that was named last.
pub struct Keyboard {
    names: Vec<String>,
    chosen: usize,
}

impl Keyboard {
    /// That of nodes with these names, the first of which is chosen.
    #[must_use]
    pub fn new(names: Vec<String>) -> Keyboard {
        Keyboard { names, chosen: 0 }
    }

    /// What this line means, which has no end.
    pub fn means(&mut self, line: &str) -> Typed {
        if let Some(order) = line.strip_prefix('@') {
            return self.order(order);
        }
        let named = line
            .split_once(':')
            .and_then(|(name, rest)| Some((self.position(name)?, rest)));
        let text = match named {
            Some((node, rest)) => {
                self.chosen = node;
                rest.strip_prefix(' ').unwrap_or(rest)
            }
            None => line,
        };
        // As the key that ends a line.
        Typed::Keys(self.chosen, format!("{text}\r"))
    }

    fn order(&self, order: &str) -> Typed {
        let mut words = order.split_whitespace();
        let (what, name) = (words.next(), words.next().unwrap_or_default());
        let node = self.position(name);
        match (what, node, words.next()) {
            (Some("reset"), Some(node), None) => Typed::Reset(node),
            (Some("unplug"), Some(node), None) => Typed::Plug { node, is_in: false },
            (Some("plug"), Some(node), None) => Typed::Plug { node, is_in: true },
            _ => Typed::Nothing(format!(
                "`@{order}` is no order: write @reset NODE, @unplug NODE or @plug NODE; the nodes are {}",
                self.names.join(", ")
            )),
        }
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|it| it == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Vec<String> {
        ["north", "far-south"].map(str::to_owned).to_vec()
    }

    #[test]
    fn each_line_begins_with_the_name_of_its_node() {
        assert_eq!(prefixes(&names(), false), ["north     | ", "far-south | "]);
        let coloured = prefixes(&names(), true);
        assert_eq!(coloured[1], "\x1b[33mfar-south |\x1b[0m ");
    }

    #[test]
    fn a_line_is_for_the_node_that_it_names_and_then_those_that_name_none() {
        let mut keyboard = Keyboard::new(names());
        let keys = |node, text: &str| Typed::Keys(node, text.to_owned());
        assert_eq!(keyboard.means("help"), keys(0, "help\r"));
        assert_eq!(keyboard.means("far-south: ps"), keys(1, "ps\r"));
        assert_eq!(keyboard.means("west: ps"), keys(1, "west: ps\r"));
        assert_eq!(keyboard.means(""), keys(1, "\r"));
        assert_eq!(keyboard.means("north:  x: y"), keys(0, " x: y\r"));
        assert_eq!(keyboard.means("north:"), keys(0, "\r"));
    }

    #[test]
    fn an_order_is_for_the_tool_and_one_that_makes_no_sense_says_what_would() {
        let mut keyboard = Keyboard::new(names());
        assert_eq!(keyboard.means("@reset far-south"), Typed::Reset(1));
        let plug = |node, is_in| Typed::Plug { node, is_in };
        assert_eq!(keyboard.means("@unplug north"), plug(0, false));
        assert_eq!(keyboard.means("@plug  north "), plug(0, true));
        for line in [
            "@",
            "@reset",
            "@reset west",
            "@reset north now",
            "@stop north",
        ] {
            let Typed::Nothing(why) = keyboard.means(line) else {
                panic!("{line} is taken");
            };
            assert!(why.contains("@reset NODE") && why.contains("north, far-south"));
        }
    }
}
