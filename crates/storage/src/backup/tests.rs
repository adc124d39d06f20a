//! Backups come back, and what is not a whole one is refused.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::{Change, Commit, Entry, MemoryStore, Stamp, Store};

const STAMP: Stamp = Stamp { version: 9, time_ms: 1_767_225_600_000 };

fn store(entries: u32, value_bytes: usize) -> MemoryStore {
    let store = MemoryStore::new();
    let put = |number: u32| Change::Put(number.to_be_bytes().into(), vec![number as u8; value_bytes].into());
    let changes = (0..entries).map(put).collect();
    store.commit(Commit { changes, version: STAMP.version, time_ms: STAMP.time_ms }).unwrap();
    store
}

fn written(store: &MemoryStore) -> Vec<u8> {
    Pieces::new(store.snapshot(), STAMP).map(Result::unwrap).collect::<Vec<_>>().concat()
}

fn read_all(bytes: &[u8]) -> Result<Vec<Entry>, ReadError> {
    Ok(read(bytes)?.collect::<Result<Vec<_>, _>>()?.concat())
}

#[test]
fn what_was_written_comes_back() {
    for (entries, value_bytes) in [(0, 0), (1, 0), (100, 10), (50, 400_000), (200_000, 8)] {
        let store = store(entries, value_bytes);
        let bytes = written(&store);
        let found = read_all(&bytes).unwrap();
        assert_eq!(found.len() as u32, entries);
        for (number, (key, value)) in found.iter().enumerate() {
            assert_eq!(key[..], (number as u32).to_be_bytes());
            assert!(value.len() == value_bytes && value.iter().all(|byte| *byte == number as u8));
        }
        assert_eq!(read(&bytes[..]).unwrap().stamp(), STAMP);
    }
}

#[test]
fn every_flipped_bit_is_noticed() {
    let bytes = written(&store(20, 30));
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(read_all(&flipped).is_err(), "bit {bit}");
    }
}

#[test]
fn every_missing_end_is_noticed_and_so_is_a_second_one() {
    let bytes = written(&store(20, 30));
    for length in 0..bytes.len() {
        assert!(read_all(&bytes[..length]).is_err(), "{length} bytes");
    }
    let error = read_all(&bytes[..bytes.len() - 1]).unwrap_err();
    assert_eq!(error.to_string(), "the backup is cut off after 20 entries");
    let error = read_all(&[&bytes[..], &bytes[..1]].concat()).unwrap_err();
    assert_eq!(error.to_string(), "the backup is damaged after 20 entries: something follows its end");
}

#[test]
fn a_chunk_that_is_missing_or_at_another_place_is_noticed() {
    let pieces: Vec<Vec<u8>> =
        Pieces::new(store(12, 400_000).snapshot(), STAMP).map(Result::unwrap).collect();
    assert!(pieces.len() >= 5, "a header, several chunks, an end");
    let assembled =
        |order: &[usize]| read_all(&order.iter().flat_map(|at| pieces[*at].clone()).collect::<Vec<_>>());
    let order: Vec<usize> = (0..pieces.len()).collect();
    assert!(assembled(&order).is_ok());
    for (left, right) in [(1, 2), (2, 3)] {
        let mut swapped = order.clone();
        swapped.swap(left, right);
        assert!(assembled(&swapped).is_err());
        let mut without = order.clone();
        without.remove(left);
        assert!(assembled(&without).is_err());
    }
}

#[test]
fn other_files_and_later_formats_are_told_apart() {
    assert!(matches!(
        read_all(b"PK\x03\x04 and much more than thirty-six bytes"),
        Err(ReadError::NotABackup)
    ));
    let mut bytes = written(&store(1, 1));
    bytes[11] = 2;
    let seal = checksum(0, [&bytes[..28], &[]]);
    bytes[28..36].copy_from_slice(&seal.to_be_bytes());
    assert!(matches!(read_all(&bytes), Err(ReadError::UnknownFormat(2))));
}
