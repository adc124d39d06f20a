//! The rows of a table of text, each in bounded memory whatever the file contains.
//!
//! A row that no item could be made of, because it is longer or has more fields, is read to its end and left out.

use std::io::{self, BufRead};

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

/// Bytes that a row may have: an item is 400 KB, a binary key in Base64 a third longer.
const ROW_BYTES: usize = 4 * 1024 * 1024;
/// Fields that a row may have: an item with more attributes is larger than 400 KB.
const FIELDS: usize = 200_000;
/// The initial size of the buffers; they grow as needed.
const FIRST_BYTES: usize = 8 * 1024;
const FIRST_FIELDS: usize = 64;

/// The rows of a text.
pub(super) struct Rows<R> {
    text: R,
    reader: Box<Reader>,
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

/// A row: its fields, or that it is longer than any item.
pub(super) enum Row<'a> {
    Fields(Fields<'a>),
    TooLong,
}

/// The fields of a row.
pub(super) struct Fields<'a> {
    bytes: &'a [u8],
    ends: &'a [usize],
}

impl<'a> Fields<'a> {
    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The fields as text; `None` for one that is none.
    pub(super) fn iter(&self) -> impl Iterator<Item = Option<&'a str>> {
        let starts = std::iter::once(0).chain(self.ends.iter().copied());
        let bytes = self.bytes;
        starts.zip(self.ends).map(move |(start, end)| std::str::from_utf8(bytes.get(start..*end)?).ok())
    }
}

impl<R: BufRead> Rows<R> {
    pub(super) fn new(text: R, delimiter: u8) -> Rows<R> {
        let reader = Box::new(ReaderBuilder::new().delimiter(delimiter).build());
        Rows { text, reader, bytes: vec![0; FIRST_BYTES], ends: vec![0; FIRST_FIELDS] }
    }

    /// The next row; `None` at the end.
    pub(super) fn next(&mut self) -> io::Result<Option<Row<'_>>> {
        let (mut length, mut fields, mut is_too_long) = (0, 0, false);
        loop {
            let input = self.text.fill_buf()?;
            let (result, read, written, ended) =
                self.reader.read_record(input, &mut self.bytes[length..], &mut self.ends[fields..]);
            self.text.consume(read);
            length += written;
            fields += ended;
            match result {
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull if self.bytes.len() < ROW_BYTES => {
                    self.bytes.resize((self.bytes.len() * 2).min(ROW_BYTES), 0);
                }
                ReadRecordResult::OutputEndsFull if self.ends.len() < FIELDS => {
                    self.ends.resize((self.ends.len() * 2).min(FIELDS), 0);
                }
                // The row is rejected, so its start is discarded and the rest read over it.
                ReadRecordResult::OutputFull | ReadRecordResult::OutputEndsFull => {
                    is_too_long = true;
                    (length, fields) = (0, 0);
                }
                ReadRecordResult::Record if is_too_long => return Ok(Some(Row::TooLong)),
                ReadRecordResult::Record => {
                    let (bytes, ends) = (&self.bytes[..length], &self.ends[..fields]);
                    return Ok(Some(Row::Fields(Fields { bytes, ends })));
                }
                ReadRecordResult::End => return Ok(None),
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]
mod tests {
    use std::io::{BufReader, Read};

    use super::*;

    fn rows(text: &[u8]) -> Vec<Option<Vec<String>>> {
        // A small buffer, so that fields and quotes are cut anywhere.
        let mut rows = Rows::new(BufReader::with_capacity(3, text), b',');
        let mut found = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            found.push(match row {
                Row::Fields(fields) => {
                    Some(fields.iter().map(|field| field.unwrap_or("?").to_owned()).collect())
                }
                Row::TooLong => None,
            });
        }
        found
    }

    #[test]
    fn fields_are_told_apart() {
        let row = |fields: &[&str]| Some(fields.iter().map(|field| (*field).to_owned()).collect::<Vec<_>>());
        assert_eq!(rows(b""), []);
        assert_eq!(rows(b"a,b\r\n\n\"c,\"\"d\n\",e"), [row(&["a", "b"]), row(&["c,\"d\n", "e"])]);
        assert_eq!(rows(b",\n\xff"), [row(&["", ""]), row(&["?"])]);
    }

    // F-65: a row was kept whole, whatever its size: two gigabytes of zeros took eight.
    #[test]
    fn rows_of_any_size_are_read_in_bounded_memory() {
        let huge = io::repeat(b'x').take(3 * ROW_BYTES as u64);
        let wide = io::repeat(b',').take(3 * FIELDS as u64);
        let text = b"a,b\n".chain(huge).chain(&b"\n"[..]).chain(wide).chain(&b"\nc,d\n"[..]);
        let mut rows = Rows::new(BufReader::new(text), b',');
        let mut shapes = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            shapes.push(match row {
                Row::Fields(fields) => Some(fields.len()),
                Row::TooLong => None,
            });
        }
        assert_eq!(shapes, [Some(2), None, None, Some(2)]);
        assert!(rows.bytes.len() <= ROW_BYTES && rows.ends.len() <= FIELDS);
    }
}
