//! Tables of text: names to the left, numbers to the right.

/// One row.
pub fn row<T: AsRef<str>>(cells: &[T]) -> Vec<String> {
    cells.iter().map(|cell| cell.as_ref().to_owned()).collect()
}

/// Rows under each other, with an empty line before them. Every row has as many cells as the first.
pub fn columns(rows: &[Vec<String>]) -> String {
    let count = rows.first().map_or(0, Vec::len);
    let width = |at: usize| {
        rows.iter().filter_map(|row| row.get(at)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..count).map(width).collect();
    let mut text = String::from("\n");
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(at, (cell, width))| match at {
            0 => format!("{cell:width$}"),
            _ => format!("{cell:>width$}"),
        });
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_left_numbers_right() {
        let rows = [row(&["call", "RCU"]), row(&["get", "0.5"]), row(&["listAll", "12"])];
        assert_eq!(columns(&rows), "\ncall     RCU\nget      0.5\nlistAll   12\n");
    }
}
