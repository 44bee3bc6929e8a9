//! A flame graph as one SVG file: what an operation took, by process, and by function with those that the compiler put
//! into it, each as wide as its share.

use std::fmt::Write;

use super::report::show;
use crate::markup::escape;

/// Widths and heights in the picture's own units.
const WIDTH: f64 = 1200.0;
const ROW: f64 = 20.0;
/// What a letter takes at most.
const LETTER: f64 = 7.2;
/// What is narrower is not drawn: nobody would see it, and the file would grow.
const NARROWEST: f64 = 0.5;
/// Fills of the processes and the kernel, in the order of their cost; dark text is legible on each.
const FILLS: [&str; 6] = [
    "#ffd8a8", "#b9d9ff", "#c3f0c8", "#f5c2e7", "#fff3a3", "#d7ccff",
];

/// A function, or whose it is, in one place of the picture.
#[derive(Debug, Default, PartialEq)]
pub struct Frame {
    name: String,
    cost: f64,
    inner: Vec<Frame>,
}

impl Frame {
    /// All of it, to which stacks are added.
    #[must_use]
    pub fn whole(name: &str) -> Frame {
        Frame {
            name: name.into(),
            ..Frame::default()
        }
    }

    /// Adds what was spent in the last of these names, called by those before it.
    pub fn add(&mut self, stack: &[String], cost: f64) {
        self.cost += cost;
        let Some((first, rest)) = stack.split_first() else {
            return;
        };
        let place = self.inner.iter().position(|it| it.name == *first);
        let place = place.unwrap_or_else(|| {
            self.inner.push(Frame::whole(first));
            self.inner.len() - 1
        });
        self.inner[place].add(rest, cost);
    }

    fn depth(&self) -> usize {
        1 + self.inner.iter().map(Frame::depth).max().unwrap_or(0)
    }

    /// The picture: the whole on top, and below each function what is in it, the most expensive first.
    #[must_use]
    pub fn picture(&self, unit: &str) -> String {
        #[allow(clippy::cast_precision_loss, reason = "a few dozen at most")]
        let height = (self.depth() as f64 + 1.0) * ROW;
        let mut text = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" \
             font-family=\"monospace\" font-size=\"12\">\n<title>{}</title>\n\
             <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fff\"/>\n",
            escape(&self.name)
        );
        self.draw(&mut text, self.cost, unit, (0.0, 0.0), "#e3e5e8");
        let mut place = 0.0;
        let fills = FILLS.into_iter().cycle();
        for (frame, fill) in sorted(&self.inner).into_iter().zip(fills) {
            frame.draw_all(&mut text, self.cost, unit, (place, ROW), fill);
            place += frame.cost;
        }
        text + "</svg>\n"
    }

    fn draw_all(&self, text: &mut String, all: f64, unit: &str, at: (f64, f64), fill: &str) {
        if self.cost / all * WIDTH < NARROWEST {
            return;
        }
        self.draw(text, all, unit, at, fill);
        let mut place = at.0;
        for frame in sorted(&self.inner) {
            frame.draw_all(text, all, unit, (place, at.1 + ROW), fill);
            place += frame.cost;
        }
    }

    /// Itself, at so much cost from the left and so far from above.
    fn draw(&self, text: &mut String, all: f64, unit: &str, (left, top): (f64, f64), fill: &str) {
        let (x, width) = (left / all * WIDTH, self.cost / all * WIDTH);
        let told = format!(
            "{}: {} {unit}, {:.1} %",
            self.name,
            show(self.cost),
            100.0 * self.cost / all
        );
        #[allow(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a width in letters"
        )]
        let room = ((width - 6.0) / LETTER).max(0.0) as usize;
        let label = label(&self.name, room);
        let _ = writeln!(
            text,
            "<g><title>{}</title><rect x=\"{x:.2}\" y=\"{top}\" width=\"{width:.2}\" height=\"{}\" fill=\"{fill}\" \
             stroke=\"#fff\"/><text x=\"{:.2}\" y=\"{}\" fill=\"#1b1f24\">{}</text></g>",
            escape(&told),
            ROW - 1.0,
            x + 3.0,
            top + 14.0,
            escape(&label)
        );
    }
}

/// The name, or its last part, or the beginning of that, in so many letters.
fn label(name: &str, room: usize) -> String {
    let last = name.rsplit_once("::").map_or(name, |(_, last)| last);
    let fits = |it: &&str| it.chars().count() <= room;
    if let Some(whole) = [name, last].into_iter().find(fits) {
        return whole.into();
    }
    if room < 3 {
        return String::new();
    }
    last.chars().take(room - 1).chain(['…']).collect()
}

/// The most expensive first.
fn sorted(frames: &[Frame]) -> Vec<&Frame> {
    let mut all: Vec<&Frame> = frames.iter().collect();
    all.sort_by(|one, other| other.cost.total_cmp(&one.cost));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    fn widths(picture: &str, name: &str) -> Vec<f64> {
        let group = picture
            .split("<g>")
            .filter(|it| it.starts_with(&format!("<title>{name}: ")));
        let width = |it: &str| it.split("width=\"").nth(1)?.split('"').next()?.parse().ok();
        group.filter_map(width).collect()
    }

    #[test]
    fn a_function_is_as_wide_as_its_share_with_all_that_is_in_it() {
        let mut whole = Frame::whole("case");
        whole.add(&stack(&["kernel", "send"]), 10.0);
        whole.add(&stack(&["kernel", "send", "copy"]), 50.0);
        whole.add(&stack(&["client", "main"]), 40.0);
        let picture = whole.picture("cycles");
        for (name, share) in [
            ("case", 100.0),
            ("kernel", 60.0),
            ("send", 60.0),
            ("copy", 50.0),
            ("main", 40.0),
        ] {
            assert_eq!(widths(&picture, name), [share * WIDTH / 100.0], "{name}");
        }
    }

    #[test]
    fn names_of_rust_are_no_tags() {
        let mut whole = Frame::whole("case");
        whole.add(&stack(&["Option<&T>::map"]), 1.0);
        let picture = whole.picture("cycles");
        assert!(picture.contains("Option&lt;&amp;T&gt;::map"), "{picture}");
        assert!(!picture.contains("Option<"), "{picture}");
    }

    #[test]
    fn where_a_path_has_no_room_its_last_name_stands() {
        for (room, text) in [
            (22, "kernel::ready::pop_all"),
            (15, "pop_all"),
            (4, "pop…"),
            (2, ""),
        ] {
            assert_eq!(label("kernel::ready::pop_all", room), text);
        }
    }

    #[test]
    fn a_label_stays_within_its_function() {
        let mut whole = Frame::whole("case");
        whole.add(&stack(&["a".repeat(400).as_str()]), 1.0);
        whole.add(&stack(&["b".repeat(9).as_str()]), 99.0);
        let picture = whole.picture("cycles");
        let labels = picture
            .split("<text ")
            .skip(1)
            .filter_map(|it| it.split(['>', '<']).nth(1));
        let longest = labels.map(|it| it.chars().count()).max();
        assert_eq!(longest, Some(9), "{picture}");
    }
}
