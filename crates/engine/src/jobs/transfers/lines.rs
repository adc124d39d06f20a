//! The items in a file, one after the other: decompressed, decoded, and each for itself right or wrong.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::rc::Rc;

use flate2::read::MultiGzDecoder;
use sortkey_api::json::decode_base64;
use sortkey_api::shapes::transfer::ItemLine;
use sortkey_storage::{KeySealer, LockedFile, is_encrypted_file};
use sortkey_value::{AttributeType, AttributeValue, Item, Map, Number};

use super::import::{Compression, Format, Request};
use super::objects::{Object, Objects};
use super::rows::{Row, Rows};
use super::zstd::Frames;
use crate::catalog::table::Table;

/// The item of an object or a row, unless it is none.
pub(super) type Line = Result<Item, NotAnItem>;

/// An object or a row that is counted and left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NotAnItem;

/// A file of items.
pub(super) struct Source {
    lines: Lines,
    read: Rc<Cell<i64>>,
}

enum Lines {
    Json(Objects<BufReader<Counted>>),
    Csv { rows: Rows<BufReader<Counted>>, columns: Vec<(String, AttributeType)> },
}

impl Source {
    /// The items of a file, which has this key in its bucket; an encrypted one is decrypted while it is read.
    pub(super) fn open(
        path: &Path,
        key: &str,
        sealer: Option<&dyn KeySealer>,
        request: &Request,
        table: &Table,
    ) -> io::Result<Source> {
        let mut file = BufReader::new(File::open(path)?);
        let file: Box<dyn BufRead> = match is_encrypted_file(&mut file)? {
            true => Box::new(BufReader::new(decrypted(file, key, sealer)?)),
            false => Box::new(file),
        };
        let plain: Box<dyn Read> = match request.compression {
            Compression::None => Box::new(file),
            Compression::Gzip => Box::new(MultiGzDecoder::new(file)),
            Compression::Zstd => Box::new(Frames::new(file)),
        };
        let read = Rc::new(Cell::new(0));
        let counted = Counted { plain, read: Rc::clone(&read) };
        let lines = match &request.format {
            Format::DynamodbJson => Lines::Json(Objects::new(BufReader::new(counted))),
            Format::Csv { delimiter, header } => {
                csv_lines(counted, delimiter.unwrap_or(','), header.as_deref(), table)?
            }
        };
        Ok(Source { lines, read })
    }

    /// The next object or row; an error if the file itself cannot be read.
    pub(super) fn next(&mut self) -> io::Result<Option<Line>> {
        match &mut self.lines {
            Lines::Json(objects) => next_object(objects),
            Lines::Csv { rows, columns } => next_row(rows, columns),
        }
    }

    /// Bytes that were read so far, without compression.
    pub(super) fn bytes_read(&self) -> i64 {
        self.read.get()
    }
}

/// The content of an encrypted file.
fn decrypted(
    file: BufReader<File>,
    key: &str,
    sealer: Option<&dyn KeySealer>,
) -> io::Result<impl Read + use<>> {
    let locked = LockedFile::open(file).map_err(io::Error::other)?;
    locked.check_place(key).map_err(io::Error::other)?;
    let sealer = sealer.ok_or_else(|| {
        io::Error::other(
            "the file is encrypted: start the server with the keyring of the server that exported it",
        )
    })?;
    let data_key = sealer.open(locked.sealed_key()).map_err(io::Error::other)?;
    locked.unlock(&data_key).map_err(io::Error::other)
}

fn next_object(objects: &mut Objects<BufReader<Counted>>) -> io::Result<Option<Line>> {
    Ok(objects.next()?.map(|object| match object {
        Object::Text(text) => item_of(&text),
        Object::Broken => Err(NotAnItem),
    }))
}

fn item_of(object: &[u8]) -> Line {
    let line: ItemLine = sortkey_api::decode(object).map_err(|_| NotAnItem)?;
    line.item.checked().cloned().map_err(|_| NotAnItem)
}

/// The columns are named by the request or by the first row; those of keys have the type of the key, all others are
/// strings.
fn csv_lines(plain: Counted, delimiter: char, header: Option<&[String]>, table: &Table) -> io::Result<Lines> {
    // A delimiter is one of six ASCII characters.
    let delimiter = u8::try_from(delimiter).unwrap_or(b',');
    let mut rows = Rows::new(BufReader::new(plain), delimiter);
    let names: Vec<String> = match header {
        Some(names) => names.to_vec(),
        None => {
            let first: Option<Vec<String>> = match rows.next()? {
                Some(Row::Fields(fields)) => {
                    fields.iter().map(|name| Some(name?.trim_start_matches('\u{feff}').to_owned())).collect()
                }
                Some(Row::TooLong) => None,
                None => Some(Vec::new()),
            };
            first.ok_or_else(|| io::Error::other("the header is not text, or longer than any item"))?
        }
    };
    let mut sorted = names.clone();
    sorted.sort();
    sorted.dedup();
    if sorted.len() < names.len() || names.iter().any(String::is_empty) {
        return Err(io::Error::other("the header has a column without a name, or two of one name"));
    }
    let typed = |name: String| {
        let key = table.attributes.iter().find(|attribute| attribute.name == name);
        let kind = key.map_or(AttributeType::S, |attribute| attribute.kind);
        (name, kind)
    };
    Ok(Lines::Csv { rows, columns: names.into_iter().map(typed).collect() })
}

fn next_row(
    rows: &mut Rows<BufReader<Counted>>,
    columns: &[(String, AttributeType)],
) -> io::Result<Option<Line>> {
    let row = match rows.next()? {
        None => return Ok(None),
        Some(Row::Fields(row)) if row.len() == columns.len() => row,
        Some(_) => return Ok(Some(Err(NotAnItem))),
    };
    let mut item = Map::new();
    for ((name, kind), field) in columns.iter().zip(row.iter()) {
        let Some(field) = field else { return Ok(Some(Err(NotAnItem))) };
        let value = match kind {
            AttributeType::N => Number::parse(field).ok().map(AttributeValue::N),
            AttributeType::B => decode_base64(field).ok().map(AttributeValue::B),
            _ => Some(AttributeValue::S(field.to_owned())),
        };
        let Some(value) = value else { return Ok(Some(Err(NotAnItem))) };
        item.insert(name.clone(), value);
    }
    Ok(Some(Ok(Item::from_map(&item))))
}

/// Counts what is read.
struct Counted {
    plain: Box<dyn Read>,
    read: Rc<Cell<i64>>,
}

impl Read for Counted {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.plain.read(out)?;
        self.read.set(self.read.get() + i64::try_from(count).unwrap_or(0));
        Ok(count)
    }
}
