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

/// A table with a heading.
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
        let headings = self.columns.iter().map(|(name, _)| name);
        let mut widths: Vec<usize> = headings.map(|name| name.chars().count()).collect();
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
        writeln!(
            f,
            "{}",
            self.line(&widths, self.columns.iter().map(|(name, _)| name))
        )?;
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
