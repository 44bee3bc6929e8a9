//! How the page looks: kept as the brightness of so many places across, and down.

/// How it is looked at: a screen of so many pixels, or paper (A4, at 96 dots an inch).
pub const LOOKS: [(&str, usize, &str); 4] = [
    ("telephone", 390, "screen"),
    ("tablet", 800, "screen"),
    ("desktop", 1200, "screen"),
    ("paper", 794, "print"),
];
/// How much of its height is looked at, in pixels.
pub const HEIGHT: usize = 1600;
/// Places across, and down.
pub const GRID: [usize; 2] = [24, 40];
/// Fonts differ from machine to machine, so that text is a little longer or shorter: so much may the places differ in the
/// mean, of 255, and so much all but one of twenty.
const MEAN: f64 = 8.0;
const FAR: u8 = 64;

/// The brightness of each place of a picture in PNG.
pub fn places(picture: &[u8]) -> Vec<u8> {
    let mut reader = png::Decoder::new(std::io::Cursor::new(picture))
        .read_info()
        .unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().expect("it fits")];
    let info = reader.next_frame(&mut bytes).unwrap();
    let (samples, width) = (info.color_type.samples(), info.width as usize);
    assert_eq!(info.height as usize, HEIGHT);
    let light = |x: usize, y: usize| -> u64 {
        let at = y * info.line_size + x * samples;
        bytes[at..at + 3].iter().map(|it| u64::from(*it)).sum()
    };
    let [columns, rows] = GRID;
    let mut places = vec![];
    for row in 0..rows {
        for column in 0..columns {
            let down = row * HEIGHT / rows..(row + 1) * HEIGHT / rows;
            let across = column * width / columns..(column + 1) * width / columns;
            let pixels = (down.len() * across.len()) as u64;
            let sum: u64 = down
                .flat_map(|y| across.clone().map(move |x| (x, y)))
                .map(|(x, y)| light(x, y))
                .sum();
            places.push(u8::try_from(sum / (3 * pixels)).unwrap());
        }
    }
    places
}

/// As it is kept: a line of numbers in hexadecimal for each row of places.
pub fn kept(looks: &[(&str, Vec<u8>)]) -> String {
    let mut text = String::new();
    for (name, places) in looks {
        text += &format!("{name}\n");
        for row in places.chunks(GRID[0]) {
            let row: Vec<String> = row.iter().map(|it| format!("{it:02x}")).collect();
            text += &format!("{}\n", row.join(" "));
        }
    }
    text
}

/// What differs between a look and the one that is kept; nothing, if that is little.
pub fn difference(places: &[u8], kept: &[u8]) -> Option<String> {
    if places.len() != kept.len() {
        return Some(format!("{} places, {} are kept", places.len(), kept.len()));
    }
    let each = places
        .iter()
        .zip(kept)
        .map(|(one, other)| one.abs_diff(*other));
    let mean = each.clone().map(f64::from).sum::<f64>() / places.len() as f64;
    let far = each.filter(|it| *it > FAR).count();
    let differs = mean > MEAN || far * 20 > places.len();
    differs.then(|| format!("{mean:.1} in the mean, and more than {FAR} at {far} places"))
}

#[test]
fn a_missing_section_is_no_small_difference() {
    let [white, text] = [255, 225];
    let page = [vec![text; 480], vec![white; 480]].concat();
    assert_eq!(difference(&page, &page), None);
    let shifted: Vec<u8> = page.iter().map(|it| it.saturating_sub(4)).collect();
    assert_eq!(difference(&shifted, &page), None);
    let missing = [vec![white; 480], vec![white; 480]].concat();
    assert!(difference(&missing, &page).is_some());
}
