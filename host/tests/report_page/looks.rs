//! How the page looks: of each of its sections and plots is kept how bright so many places are, across and down.

/// How it is looked at: a screen of so many pixels, or paper (A4, at 96 dots an inch), in a scheme of colours.
pub const LOOKS: [(&str, usize, &str, &str); 5] = [
    ("telephone", 390, "screen", "light"),
    ("tablet", 800, "screen", "light"),
    ("desktop", 1200, "screen", "light"),
    ("dark", 1200, "screen", "dark"),
    ("paper", 794, "print", "light"),
];
/// The parts of the page that are on it, each with its name, its kind and its place.
pub const PARTS: &str =
    "[...document.querySelectorAll('header, nav, main > section, svg.chart')].map((it) => {
    const plot = it.matches('svg'), section = it.closest('section');
    const number = plot && [...section.querySelectorAll('svg.chart')].indexOf(it) + 1;
    const at = it.getBoundingClientRect(), x = at.x + scrollX, y = at.y + scrollY;
    return { name: plot ? `${section.id}/${number}` : it.id || it.localName, plot,
        at: [x, y, Math.min(at.width, innerWidth - x), at.height].map(Math.round) };
}).filter((it) => it.at[2] > 0 && it.at[3] > 0)";
/// Letters differ from machine to machine; with none in them, plots do not.
pub const BARE: &str = "{ const it = document.createElement('style');
    it.textContent = 'svg.chart text { visibility: hidden; }'; document.head.append(it); }";
pub const DRESSED: &str = "document.head.lastElementChild.remove()";

/// What is looked at, and how closely.
struct Kind {
    /// Places across, and down.
    grid: [usize; 2],
    /// How much the places may differ in the mean, of 255, and
    mean: f64,
    /// how much all but one of twenty.
    far: u8,
    /// How much its height may, in hundredths.
    height: usize,
}
/// Fonts differ from machine to machine, so that text is a little longer or shorter.
const SECTION: Kind = Kind {
    grid: [8, 12],
    mean: 8.0,
    far: 48,
    height: 12,
};
/// A plot without its letters is lines.
const PLOT: Kind = Kind {
    grid: [16, 8],
    mean: 0.3,
    far: 4,
    height: 1,
};

fn kind(plot: bool) -> &'static Kind {
    if plot { &PLOT } else { &SECTION }
}

/// A picture's pixels, by how bright they are.
pub struct Picture {
    width: usize,
    light: Vec<u8>,
}

impl Picture {
    /// Of a PNG.
    pub fn read(png: &[u8]) -> Picture {
        let mut reader = png::Decoder::new(std::io::Cursor::new(png))
            .read_info()
            .unwrap();
        let mut bytes = vec![0; reader.output_buffer_size().expect("it fits")];
        let info = reader.next_frame(&mut bytes).unwrap();
        let pixels = bytes.chunks_exact(info.color_type.samples());
        let light = pixels.map(|it| {
            let sum = u16::from(it[0]) + u16::from(it[1]) + u16::from(it[2]);
            (sum / 3) as u8
        });
        Picture {
            width: info.width as usize,
            light: light.collect(),
        }
    }

    /// The brightness of each place of a part.
    fn places(&self, [x, y, width, height]: [usize; 4], [columns, rows]: [usize; 2]) -> Vec<u8> {
        let mut places = vec![];
        for row in 0..rows {
            for column in 0..columns {
                let down = y + row * height / rows..y + (row + 1) * height / rows;
                let across = x + column * width / columns..x + (column + 1) * width / columns;
                let pixels = (down.len() * across.len()).max(1) as u64;
                let lines = down.map(|y| &self.light[y * self.width..][across.start..across.end]);
                let sum: u64 = lines.flatten().map(|it| u64::from(*it)).sum();
                places.push(u8::try_from(sum / pixels).unwrap());
            }
        }
        places
    }
}

/// How a part looks.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// How it is looked at, and its name.
    pub name: String,
    plot: bool,
    height: usize,
    places: Vec<u8>,
}

impl Part {
    /// That of a picture, in that place.
    pub fn of(name: String, plot: bool, at: [usize; 4], picture: &Picture) -> Part {
        Part {
            name,
            plot,
            height: at[3],
            places: picture.places(at, kind(plot).grid),
        }
    }

    /// As it is kept, in a line.
    pub fn kept(&self) -> String {
        let places = self.places.iter().map(|it| format!("{it:02x}"));
        let kind = if self.plot { "plot" } else { "part" };
        format!(
            "{} {kind} {} {}\n",
            self.name,
            self.height,
            places.collect::<String>()
        )
    }

    /// As it was kept.
    pub fn read(line: &str) -> Option<Part> {
        let words: Vec<&str> = line.split(' ').collect();
        let [name, kind, height, places] = words.try_into().ok()?;
        let places = (0..places.len() / 2).map(|at| u8::from_str_radix(&places[2 * at..][..2], 16));
        Some(Part {
            name: name.into(),
            plot: kind == "plot",
            height: height.parse().ok()?,
            places: places.collect::<Result<_, _>>().ok()?,
        })
    }

    /// What differs from what is kept; nothing, if that is little.
    pub fn difference(&self, kept: &Part) -> Option<String> {
        let kind = kind(self.plot);
        if self.places.len() != kept.places.len() {
            return Some(format!(
                "{} places, {} are kept",
                self.places.len(),
                kept.places.len()
            ));
        }
        if self.height.abs_diff(kept.height) * 100 > kept.height * kind.height {
            return Some(format!(
                "{} pixels high, {} are kept",
                self.height, kept.height
            ));
        }
        let both = self.places.iter().zip(&kept.places);
        let each = both.map(|(one, other)| one.abs_diff(*other));
        let mean = each.clone().map(f64::from).sum::<f64>() / self.places.len() as f64;
        let far = each.filter(|it| *it > kind.far).count();
        let differs = mean > kind.mean || far * 20 > self.places.len();
        differs.then(|| {
            format!(
                "{mean:.1} in the mean, and more than {} at {far} places",
                kind.far
            )
        })
    }
}

#[test]
fn a_missing_part_is_no_small_difference() {
    let [white, text] = [255, 225];
    let part = |places: Vec<u8>| Part {
        name: "telephone/claims".into(),
        plot: false,
        height: 500,
        places,
    };
    let whole = part([vec![text; 48], vec![white; 48]].concat());
    assert_eq!(Part::read(whole.kept().trim_end()), Some(whole.clone()));
    assert_eq!(whole.difference(&whole), None);
    let shifted = part(whole.places.iter().map(|it| it.saturating_sub(4)).collect());
    assert_eq!(shifted.difference(&whole), None);
    let missing = part(vec![white; 96]);
    assert!(missing.difference(&whole).is_some());
    let shorter = Part {
        height: 400,
        ..whole.clone()
    };
    assert!(shorter.difference(&whole).is_some());
}
