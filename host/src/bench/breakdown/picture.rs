//! A call as a text picture: a row for each process and one for the kernel, time from left to right.

use std::fmt::Write as _;

use super::{Call, Names, Stretch, who};
use crate::table::{Align, Table};

/// Columns of time.
const COLUMNS: usize = 60;
/// How a row looks that ran for none, up to a third, up to two thirds, and more of a column.
const SHADES: [char; 4] = [' ', '░', '▒', '█'];

/// The picture of `call`, and below it every stretch: since when, how long, who, from where to where.
#[must_use]
pub fn picture(call: &Call, names: &dyn Names) -> String {
    let total = call.cycles();
    let rows = rows(call, names);
    let width = rows
        .iter()
        .map(|row| row.name.chars().count())
        .max()
        .unwrap_or_default();
    let per_column = total as f64 / COLUMNS as f64;
    let mut text = format!(
        "call {}: {total} cycles, a column is {per_column:.1}\n",
        call.number
    );
    for row in &rows {
        let Row { name, stretches } = row;
        let cycles: u64 = stretches.iter().map(|it| it.cycles()).sum();
        let line: String = (0..COLUMNS).map(|column| row.shade(call, column)).collect();
        let share = cycles as f64 * 100.0 / total as f64;
        let _ = writeln!(text, "{name:<width$} |{line}| {cycles:>5} {share:>3.0} %");
    }
    let _ = write!(text, "\n{}", table(call, names));
    text
}

/// Whoever ran, in the order in which they first did.
struct Row<'a> {
    name: String,
    stretches: Vec<&'a Stretch>,
}

fn rows<'a>(call: &'a Call, names: &dyn Names) -> Vec<Row<'a>> {
    let mut rows: Vec<Row<'a>> = Vec::new();
    for stretch in &call.stretches {
        let name = who(stretch, names);
        match rows.iter_mut().find(|row| row.name == name) {
            Some(row) => row.stretches.push(stretch),
            None => rows.push(Row {
                name,
                stretches: vec![stretch],
            }),
        }
    }
    rows
}

impl Row<'_> {
    /// What stands for the row in a column of `call`: darker, the longer it ran there.
    fn shade(&self, call: &Call, column: usize) -> char {
        let start = call.stretches.first().map_or(0, |it| it.begin);
        let total = call.cycles() as f64;
        let at = |column: usize| total * column as f64 / COLUMNS as f64;
        let (from, to) = (at(column), at(column + 1));
        let ran: f64 = self
            .stretches
            .iter()
            .map(|it| {
                let (begin, end) = ((it.begin - start) as f64, (it.end - start) as f64);
                (end.min(to) - begin.max(from)).max(0.0)
            })
            .sum();
        SHADES[(ran / (to - from) * 3.0).ceil().clamp(0.0, 3.0) as usize]
    }
}

fn table(call: &Call, names: &dyn Names) -> Table {
    let mut table = Table::new(&[
        ("at", Align::Right),
        ("cycles", Align::Right),
        ("who", Align::Left),
        ("satp", Align::Left),
        ("from", Align::Left),
        ("to", Align::Left),
    ]);
    let start = call.stretches.first().map_or(0, |it| it.begin);
    for stretch in &call.stretches {
        let function = |address: Option<u32>| {
            address.map_or("...".into(), |address| {
                names.function(stretch.privilege, stretch.space, address)
            })
        };
        table.row(vec![
            (stretch.begin - start).to_string(),
            stretch.cycles().to_string(),
            who(stretch, names),
            format!("{:#010x}", stretch.space),
            function(stretch.entered),
            function(stretch.left),
        ]);
    }
    table
}

#[cfg(test)]
mod tests {
    use super::super::tests::{Fake, recorded};
    use super::*;

    #[test]
    fn each_row_is_dark_where_it_ran_and_says_how_long() {
        let text = picture(&recorded()[0], &Fake);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "call 0: 300 cycles, a column is 5.0");
        let bar = |pieces: &[(usize, char)]| -> String {
            pieces
                .iter()
                .map(|(count, shade)| shade.to_string().repeat(*count))
                .collect()
        };
        let client = bar(&[(4, '█'), (50, ' '), (6, '█')]);
        let kernel = bar(&[(4, ' '), (20, '█'), (8, ' '), (22, '█'), (6, ' ')]);
        let server = bar(&[(24, ' '), (8, '█'), (28, ' ')]);
        assert_eq!(lines[1], format!("client, user |{client}|    50  17 %"));
        assert_eq!(lines[2], format!("kernel       |{kernel}|   210  70 %"));
        assert_eq!(lines[3], format!("server, user |{server}|    40  13 %"));
    }

    #[test]
    fn a_part_of_a_column_is_lighter_and_never_left_out() {
        let mut call = recorded()[0].clone();
        // 3 of a column's 5 cycles, then 1.
        call.stretches[0].end -= 2;
        call.stretches[1].begin -= 2;
        let row = |call: &Call, name: &str| -> String {
            let rows = rows(call, &Fake);
            let row = rows.iter().find(|row| row.name == name).unwrap();
            (0..COLUMNS).map(|column| row.shade(call, column)).collect()
        };
        assert!(row(&call, "client, user").starts_with("███▒ "));
        assert!(row(&call, "kernel").starts_with("   ▒█"));
        call.stretches[0].end -= 2;
        call.stretches[1].begin -= 2;
        assert!(row(&call, "client, user").starts_with("███░ "));
    }

    #[test]
    fn every_stretch_says_from_where_to_where() {
        let text = picture(&recorded()[0], &Fake);
        let row = |who: &str, cycles: &str| -> Vec<String> {
            let line = text
                .lines()
                .skip(5)
                .find(|it| it.contains(who) && it.contains(cycles));
            line.unwrap()
                .split_whitespace()
                .map(str::to_owned)
                .collect()
        };
        assert_eq!(
            row("server", "40"),
            [
                "120",
                "40",
                "server,",
                "user",
                "0x80000002",
                "f10800",
                "f10820"
            ]
        );
        assert_eq!(
            row("client", "20"),
            ["0", "20", "client,", "user", "0x80000001", "...", "f10024"]
        );
    }
}
