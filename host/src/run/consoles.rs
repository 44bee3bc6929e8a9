//! Several consoles in one: which node says a line, and for which a line is that is typed.

use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::told::Told;

/// Colours of a terminal for the nodes, which begin again behind the last one.
const COLOURS: [&str; 6] = ["36", "33", "35", "32", "34", "31"];

/// Most bytes of a line that has no end yet which come once more behind what another node has said: its last ones.
const AGAIN: usize = 4096;

/// The consoles of several nodes, on the standard output.
pub struct Consoles {
    names: Vec<String>,
    /// What stands before each line of a node; `None` if they are printed as JSON.
    prefixes: Option<Vec<String>>,
    /// One at a time.
    shown: Mutex<Shown>,
}

/// What stands on the screen.
#[derive(Default)]
struct Shown {
    /// Of each node's line that has no end yet, what has come of it, or the last of that.
    begun: BTreeMap<usize, String>,
    /// Whose such line is the last thing there.
    last: Option<usize>,
}

impl Shown {
    /// What is to be printed when a node says this behind its prefix: what comes late of a line goes on where that has begun, or
    /// else the line comes whole, or the last of it, once more.
    fn said(&mut self, node: usize, prefix: &str, text: &str) -> String {
        let mut printed = String::new();
        for piece in text.split_inclusive('\n') {
            let has_ended = piece.ends_with('\n');
            let piece = piece.trim_end_matches(['\r', '\n']);
            let goes_on = self.last == Some(node);
            let begun = self.begun.remove(&node);
            // Of what stands there only the end is missing.
            if !goes_on && begun.is_some() && piece.is_empty() && has_ended {
                continue;
            }
            let begun = begun.unwrap_or_default();
            if !goes_on {
                printed += self.ended();
                printed += prefix;
                printed += &begun;
            }
            printed += piece;
            if has_ended {
                self.last = None;
                printed.push('\n');
            } else {
                self.last = Some(node);
                let mut begun = begun + piece;
                // Of a board that ends no line, all of it would come behind each line of the others.
                let first = begun.len().saturating_sub(AGAIN);
                begun.drain(..begun.ceil_char_boundary(first));
                self.begun.insert(node, begun);
            }
        }
        printed
    }

    /// What ends a line that has no end yet, before something else.
    fn ended(&mut self) -> &'static str {
        self.last.take().map_or("", |_| "\n")
    }
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
            shown: Mutex::default(),
        }
    }

    /// Shows what a node says: a line, or several, or the beginning of one.
    pub fn say(&self, node: usize, text: &str) {
        let Some(prefixes) = &self.prefixes else {
            let _shown = self.shown();
            return Told::console(Some(&self.names[node]), text).print();
        };
        let mut shown = self.shown();
        print!("{}", shown.said(node, &prefixes[node], text));
        // Who closed the console does not want to see more.
        let _ = std::io::stdout().flush();
    }

    /// Says something of a node to the person; what it had begun to say comes to no end then.
    pub fn tell(&self, node: usize, text: &str) {
        let mut shown = self.shown();
        print!("{}", shown.ended());
        let _ = std::io::stdout().flush();
        shown.begun.remove(&node);
        eprintln!("riposte: {}: {}", self.names[node], text.trim_end());
    }

    fn shown(&self) -> MutexGuard<'_, Shown> {
        self.shown.lock().unwrap_or_else(PoisonError::into_inner)
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
    fn a_line_that_comes_in_pieces_is_whole_whoever_says_something_between() {
        let printed = |said: &[(usize, &str)]| {
            let mut shown = Shown::default();
            let said = said.iter();
            let printed = said.map(|(node, text)| shown.said(*node, ["a| ", "b| "][*node], text));
            printed.collect::<String>()
        };
        assert_eq!(printed(&[(0, "one\r\n\ntwo\n")]), "a| one\na| \na| two\n");
        assert_eq!(printed(&[(0, "I cou"), (0, "nt\r\n")]), "a| I count\n");
        let between = [(0, "I cou"), (1, "hello\n"), (0, "nt "), (0, "on\n")];
        let whole = "a| I cou\nb| hello\na| I count on\n";
        assert_eq!(printed(&between), whole);
        let prompts = [(0, "> "), (1, "# "), (0, "\n"), (1, "ls\n")];
        assert_eq!(printed(&prompts), "a| > \nb| # ls\n");
    }

    #[test]
    fn of_a_line_without_an_end_only_the_last_of_it_is_kept_and_comes_once_more() {
        const TIMES: usize = 1000;
        let piece = "\u{E4}".repeat(50);
        let mut shown = Shown::default();
        let mut last = String::new();
        let mut printed = 0;
        for _ in 0..TIMES {
            last = shown.said(0, "a| ", &piece);
            printed += last.len() + shown.said(1, "b| ", "hello\n").len();
        }
        assert!(printed < TIMES * (2 * AGAIN), "{printed}");
        assert!(shown.begun.values().all(|it| it.len() <= AGAIN));
        assert!(last.starts_with("a| ") && last.ends_with(&piece));
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
