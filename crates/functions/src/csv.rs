//! Tables as comma-separated values (RFC 4180), safe to open in a spreadsheet.

/// A cell of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cell {
    /// Empty.
    Nothing,
    /// A number as it is written.
    Number(String),
    /// Text from an untrusted source.
    Text(String),
}

/// A table with a line of names. Lines end with CR LF, as RFC 4180 requires.
pub fn table(names: &[String], rows: impl Iterator<Item = Vec<Cell>>) -> String {
    let mut text = String::new();
    line(&mut text, names.iter().map(|name| quoted(name)));
    for row in rows {
        line(&mut text, row.iter().map(written));
    }
    text
}

fn line(text: &mut String, cells: impl Iterator<Item = String>) {
    for (at, cell) in cells.enumerate() {
        if at > 0 {
            text.push(',');
        }
        text.push_str(&cell);
    }
    text.push_str("\r\n");
}

fn written(cell: &Cell) -> String {
    match cell {
        Cell::Nothing => String::new(),
        Cell::Number(number) => number.clone(),
        // A spreadsheet would compute what begins so.
        Cell::Text(text) if text.starts_with(['=', '+', '-', '@', '\t', '\r']) => quoted(&format!("'{text}")),
        Cell::Text(text) => quoted(text),
    }
}

fn quoted(text: &str) -> String {
    match text.contains([',', '"', '\r', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_quoted_where_they_must_be_and_compute_nothing() {
        let text = |text: &str| Cell::Text(text.to_owned());
        let cases = [
            (Cell::Nothing, ""),
            (Cell::Number("-1.50".to_owned()), "-1.50"),
            (text("plain"), "plain"),
            (text("a,b"), "\"a,b\""),
            (text("say \"hi\"\nthere"), "\"say \"\"hi\"\"\nthere\""),
            (text("=1+1"), "'=1+1"),
            (text("@a,b"), "\"'@a,b\""),
        ];
        for (cell, expected) in cases {
            let table = table(&["x".to_owned()], std::iter::once(vec![cell]));
            assert_eq!(table, format!("x\r\n{expected}\r\n"));
        }
    }
}
