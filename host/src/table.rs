//! Plain text in columns.

use std::fmt;

/// On which side of its column a cell stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Words.
    Left,
    /// Numbers.
    Right,
}

/// A table with a heading, which may have several lines.
pub struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// An empty table.
    #[must_use]
    pub fn new(columns: &[(&str, Align)]) -> Table {
        let columns = columns
            .iter()
            .map(|(name, align)| ((*name).to_owned(), *align))
            .collect();
        Table {
            columns,
            rows: Vec::new(),
        }
    }

    /// Adds a row, with a cell for each column.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }

    fn widths(&self) -> Vec<usize> {
        let headings = self.columns.iter().map(|(name, _)| name.lines());
        let widest = headings.map(|lines| lines.map(|line| line.chars().count()).max());
        let mut widths: Vec<usize> = widest.map(Option::unwrap_or_default).collect();
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = cell.chars().count().max(*width);
            }
        }
        widths
    }

    fn line<'a>(&self, widths: &[usize], cells: impl Iterator<Item = &'a String>) -> String {
        let aligned = cells
            .zip(widths)
            .zip(&self.columns)
            .map(|((cell, width), (_, align))| {
                let width = *width;
                match align {
                    Align::Left => format!("{cell:<width$}"),
                    Align::Right => format!("{cell:>width$}"),
                }
            });
        aligned.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths = self.widths();
        let lines = |(name, _): &(String, Align)| name.lines().count();
        for number in 0..self.columns.iter().map(lines).max().unwrap_or_default() {
            let names = self.columns.iter().map(|(name, _)| name.lines());
            let names = names.map(|mut lines| lines.nth(number).unwrap_or_default());
            let names: Vec<String> = names.map(str::to_owned).collect();
            writeln!(f, "{}", self.line(&widths, names.iter()))?;
        }
        let rules: Vec<String> = widths.iter().map(|width| "-".repeat(*width)).collect();
        writeln!(f, "{}", rules.join("  "))?;
        self.rows
            .iter()
            .try_for_each(|row| writeln!(f, "{}", self.line(&widths, row.iter())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_heading_may_have_several_lines() {
        let mut table = Table::new(&[("case", Align::Left), ("long\nname", Align::Right)]);
        table.row(vec!["a".into(), "1".into()]);
        assert_eq!(
            table.to_string(),
            "case  long\n      name\n----  ----\na        1\n"
        );
    }

    #[test]
    fn numbers_stand_under_each_other() {
        let mut table = Table::new(&[("case", Align::Left), ("n", Align::Right)]);
        table.row(vec!["a".into(), "1".into()]);
        table.row(vec!["long".into(), "≤ 30".into()]);
        assert_eq!(
            table.to_string(),
            "case     n\n----  ----\na        1\nlong  ≤ 30\n"
        );
    }
}
