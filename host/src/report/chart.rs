//! Pictures as SVG: they need no program to be seen, print as they are, and each says in words what it shows.
//!
//! Series are told apart by their dashes and marks as well as by colour; the colours are those of the page's style.

use std::fmt::Write as _;

use crate::markup::escape;

/// A line of figures over sizes.
pub struct Curve {
    /// Whose it is.
    pub name: String,
    /// Size and figure, the smallest first; none of either is 0.
    pub points: Vec<(f64, f64)>,
    /// Whether others have published it.
    pub published: bool,
}

/// Bars for one operation.
pub struct Bar {
    /// What is measured.
    pub label: String,
    /// Whose each is, and the figure.
    pub values: Vec<(Whose, f64)>,
}

/// Whose a figure is.
pub enum Whose {
    /// That of others.
    Theirs(String),
    /// Riposte's.
    Ours(String),
}

impl Whose {
    /// In words.
    pub fn name(&self) -> &str {
        match self {
            Whose::Theirs(name) | Whose::Ours(name) => name,
        }
    }
}

/// Size of a picture with axes.
const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 380.0;
/// Room for what stands beside its axes.
const LEFT: f64 = 70.0;
const BELOW: f64 = 46.0;
const RIGHT: f64 = 34.0;
const ABOVE: f64 = 12.0;
/// Colours that the style has.
const COLOURS: usize = 7;

/// A picture, before what is in it. `told` is read to who does not see it.
pub fn begin(width: f64, height: f64, told: &str) -> String {
    let told = escape(told);
    format!(
        "<svg viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{told}\" class=\"chart\">\
         <title>{told}</title>\n"
    )
}

/// A scale, by equal factors.
struct Scale {
    least: f64,
    most: f64,
    from: f64,
    to: f64,
}

impl Scale {
    /// From the whole power of ten below all `values` to that above.
    fn around(values: impl Iterator<Item = f64>, from: f64, to: f64) -> Option<Scale> {
        // Beyond that a mark's next one is no number, or the same.
        let values = values.filter(|it| (1e-300..=1e300).contains(it));
        let (least, most) = values.fold((f64::INFINITY, 0.0_f64), |(least, most), it| {
            (least.min(it), most.max(it))
        });
        if most <= 0.0 {
            return None;
        }
        let least = 10_f64.powf(least.log10().floor());
        let above = 10_f64.powf(most.log10().ceil());
        let most = if above > least { above } else { least * 10.0 };
        Some(Scale {
            least,
            most,
            from,
            to,
        })
    }

    fn place(&self, value: f64) -> f64 {
        let part = (value / self.least).log10() / (self.most / self.least).log10();
        self.from + part * (self.to - self.from)
    }

    /// The powers of ten.
    fn marks(&self) -> Vec<f64> {
        let mut marks = vec![];
        let mut mark = self.least;
        while mark <= self.most * 1.001 {
            marks.push(mark);
            mark *= 10.0;
        }
        marks
    }
}

/// A number with few digits.
pub fn short(value: f64) -> String {
    if value >= 100.0 || value == value.round() {
        format!("{value:.0}")
    } else if value >= 1.0 {
        let text = format!("{value:.1}");
        text.strip_suffix(".0").unwrap_or(&text).into()
    } else {
        format!("{value:.3}")
    }
}

/// Curves over a size, on scales of equal factors; empty if there is nothing to draw.
pub fn curves(told: &str, across: &str, up: &str, curves: &[Curve]) -> String {
    let points = || curves.iter().flat_map(|it| it.points.iter().copied());
    let bottom = HEIGHT - BELOW;
    let sizes = Scale::around(points().map(|it| it.0), LEFT, WIDTH - RIGHT);
    let figures = Scale::around(points().map(|it| it.1), bottom, ABOVE);
    let (Some(sizes), Some(figures)) = (sizes, figures) else {
        return String::new();
    };
    let mut svg = begin(WIDTH, HEIGHT, told);
    for mark in sizes.marks() {
        let x = sizes.place(mark);
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{ABOVE}\" y2=\"{bottom}\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            bottom + 16.0,
            short(mark)
        );
    }
    for mark in figures.marks() {
        let y = figures.place(mark);
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            y + 4.0,
            short(mark)
        );
    }
    for (index, curve) in curves.iter().enumerate() {
        let place = |(size, figure): &(f64, f64)| {
            format!("{:.1},{:.1}", sizes.place(*size), figures.place(*figure))
        };
        let line: Vec<String> = curve.points.iter().map(place).collect();
        let class = class(index, curve.published);
        let _ = writeln!(
            svg,
            "<polyline class=\"line {class}\" points=\"{}\"/>",
            line.join(" ")
        );
        for (size, figure) in &curve.points {
            let _ = writeln!(
                svg,
                "<g class=\"{class}\">{}<title>{}: {} at {}</title></g>",
                mark(index, sizes.place(*size), figures.place(*figure)),
                escape(&curve.name),
                short(*figure),
                short(*size)
            );
        }
    }
    let middle = LEFT.midpoint(WIDTH - RIGHT);
    let _ = writeln!(
        svg,
        "<text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
         <text transform=\"translate(14 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text></svg>",
        HEIGHT - 8.0,
        escape(across),
        ABOVE.midpoint(bottom),
        escape(up)
    );
    let named = curves.iter().map(|it| (it.name.as_str(), it.published));
    svg + &legend(named)
}

/// The look of the series with this number.
fn class(index: usize, published: bool) -> String {
    let dashed = if published { " published" } else { "" };
    format!("s{}{dashed}", index % COLOURS)
}

/// The mark of the series with this number.
fn mark(index: usize, x: f64, y: f64) -> String {
    match index % 4 {
        0 => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\"/>"),
        1 => format!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"6.5\" height=\"6.5\"/>",
            x - 3.25,
            y - 3.25
        ),
        2 => format!("<path d=\"M{x:.1} {:.1}l4 7h-8z\"/>", y - 3.5),
        _ => format!(
            "<path d=\"M{x:.1} {:.1}l4.5 4.5l-4.5 4.5l-4.5 -4.5z\"/>",
            y - 4.5
        ),
    }
}

/// What each look stands for.
fn legend<'a>(names: impl Iterator<Item = (&'a str, bool)>) -> String {
    let mut text = String::from("<ul class=\"legend\">");
    for (index, (name, published)) in names.enumerate() {
        let class = class(index, published);
        let _ = write!(
            text,
            "<li><svg viewBox=\"0 0 34 12\" aria-hidden=\"true\"><polyline class=\"line {class}\" points=\"0,6 34,6\"/>\
             <g class=\"{class}\">{}</g></svg> {}</li>",
            mark(index, 17.0, 6.0),
            escape(name)
        );
    }
    text + "</ul>"
}

/// Bars beside each other, as long as their figures.
pub fn bars(told: &str, bars: &[Bar]) -> String {
    const LINE: f64 = 20.0;
    const GAP: f64 = 12.0;
    const LABELS: f64 = 250.0;
    let values = || bars.iter().flat_map(|bar| &bar.values);
    let most = values().map(|(_, value)| *value).fold(0.0, f64::max);
    if most <= 0.0 {
        return String::new();
    }
    let lines: f64 = values().map(|_| LINE).sum();
    #[allow(clippy::cast_precision_loss, reason = "a handful of bars")]
    let height = lines + GAP * bars.len() as f64 + GAP;
    let room = WIDTH - LABELS - 150.0;
    let mut svg = begin(WIDTH, height, told);
    let mut y = GAP;
    for bar in bars {
        for (index, (whose, value)) in bar.values.iter().enumerate() {
            let length = (value / most * room).max(1.0);
            let label = if index == 0 {
                escape(&bar.label)
            } else {
                String::new()
            };
            let class = match whose {
                Whose::Ours(_) => "ours",
                Whose::Theirs(_) => "theirs",
            };
            let _ = writeln!(
                svg,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{label}</text>\
                 <rect class=\"{class}\" x=\"{LABELS}\" y=\"{:.1}\" width=\"{length:.1}\" height=\"15\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\">{} {}</text>",
                LABELS - 8.0,
                y + 12.0,
                y,
                LABELS + length + 6.0,
                y + 12.0,
                short(*value),
                escape(whose.name())
            );
            y += LINE;
        }
        y += GAP;
    }
    svg + "</svg>"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn curve(name: &str, points: &[(f64, f64)]) -> Curve {
        Curve {
            name: name.into(),
            points: points.into(),
            published: false,
        }
    }

    #[test]
    fn every_point_is_drawn_where_its_figures_say() {
        let svg = curves(
            "told",
            "bytes",
            "cycles",
            &[curve("a", &[(1.0, 10.0), (10.0, 100.0)])],
        );
        assert_eq!(
            svg.matches("<circle").count(),
            2 + 1,
            "two points, and one in the legend"
        );
        // From corner to corner.
        let line = format!(
            "points=\"{LEFT:.1},{:.1} {:.1},{ABOVE:.1}\"",
            HEIGHT - BELOW,
            WIDTH - RIGHT
        );
        assert!(svg.contains(&line), "{svg}");
    }

    #[test]
    fn names_are_no_markup() {
        let svg = curves("<t>", "&", "\"", &[curve("<script>", &[(1.0, 1.0)])]);
        assert!(!svg.contains("<script") && !svg.contains("<t>"), "{svg}");
    }

    #[test]
    fn nothing_is_drawn_of_nothing() {
        assert_eq!(curves("t", "x", "y", &[]), "");
        assert_eq!(bars("t", &[]), "");
    }

    #[test]
    fn figures_as_large_or_small_as_there_are_end_a_scale() {
        for values in [[1.0, 1.5e308], [5e-324, 1.0], [f64::MAX, 5e-324]] {
            let scale = Scale::around(values.into_iter(), 0.0, 100.0);
            assert!(scale.is_none_or(|it| it.marks().len() < 700));
        }
    }

    #[test]
    fn the_longest_bar_is_the_largest_figure() {
        let bar = |label: &str, theirs, ours| Bar {
            label: label.into(),
            values: vec![
                (Whose::Theirs("published".into()), theirs),
                (Whose::Ours("Riposte".into()), ours),
            ],
        };
        let svg = bars("told", &[bar("a", 400.0, 100.0), bar("b", 200.0, 0.0)]);
        let widths: Vec<&str> = svg
            .split("width=\"")
            .skip(1)
            .map(|it| it.split('"').next().unwrap())
            .collect();
        assert_eq!(widths, ["320.0", "80.0", "160.0", "1.0"]);
    }
}
