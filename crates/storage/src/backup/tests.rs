//! Backups come back, and what is not a whole one is refused.
#![allow(clippy::unwrap_used)]

use super::*;
use std::ops::Bound;
use std::sync::Arc;

use crate::{
    Change, Commit, DataKey, Entry, MemoryStore, Order, Snapshot, Stamp, StorageError, Store, Value,
};

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
    bytes[11] = 3;
    let seal = checksum(0, [&bytes[..28], &[]]);
    bytes[28..36].copy_from_slice(&seal.to_be_bytes());
    assert!(matches!(read_all(&bytes), Err(ReadError::UnknownFormat(3))));
}

/// A snapshot of an encrypted store.
struct Encrypted(Arc<dyn Snapshot>, DataKey);

impl Snapshot for Encrypted {
    fn get(&self, key: &[u8]) -> Result<Option<Value>, StorageError> {
        self.0.get(key)
    }

    fn range<'a>(
        &'a self,
        low: Bound<&[u8]>,
        high: Bound<&[u8]>,
        order: Order,
    ) -> Box<dyn Iterator<Item = Result<Entry, StorageError>> + 'a> {
        self.0.range(low, high, order)
    }

    fn data_key(&self) -> Option<DataKey> {
        Some(self.1.clone())
    }
}

fn key(byte: u8) -> DataKey {
    DataKey::new([byte; 32], "the sealed key")
}

fn encrypted_pieces(store: &MemoryStore) -> Vec<Vec<u8>> {
    let snapshot = Arc::new(Encrypted(store.snapshot(), key(7)));
    Pieces::new(snapshot, STAMP).map(Result::unwrap).collect()
}

fn unlocked(bytes: &[u8], key: &DataKey) -> Result<Vec<Entry>, ReadError> {
    let mut reading = read(bytes)?;
    reading.unlock(key)?;
    Ok(reading.collect::<Result<Vec<_>, _>>()?.concat())
}

#[test]
fn an_encrypted_backup_comes_back_to_those_who_have_the_key() {
    for (entries, value_bytes) in [(0, 0), (100, 10), (12, 400_000)] {
        let store = store(entries, value_bytes);
        let bytes = encrypted_pieces(&store).concat();
        let plain = read_all(&written(&store)).unwrap();
        assert_eq!(unlocked(&bytes, &key(7)).unwrap(), plain);
        assert_eq!(read(&bytes[..]).unwrap().sealed_key(), Some("the sealed key"));
        assert!(matches!(unlocked(&bytes, &key(8)), Err(ReadError::WrongKey(0))));
        assert!(matches!(read_all(&bytes), Err(ReadError::Locked)), "never an empty restore");
        // A copy can be checked for completeness without the key.
        let checked = read(&bytes[..]).unwrap().check().unwrap();
        let mut reading = read(&bytes[..]).unwrap();
        reading.unlock(&key(7)).unwrap();
        reading.by_ref().for_each(drop);
        assert_eq!(checked, reading.summary());
        assert_eq!(read(&written(&store)[..]).unwrap().check().unwrap().entries, u64::from(entries));
    }
}

#[test]
fn nothing_of_an_encrypted_backup_is_readable_or_repeated() {
    let store = MemoryStore::new();
    let put = |number: u32| Change::Put(number.to_be_bytes().into(), b"a planted value".as_slice().into());
    let changes = (0..100).map(put).collect();
    store.commit(Commit { changes, version: STAMP.version, time_ms: STAMP.time_ms }).unwrap();
    let bytes = encrypted_pieces(&store).concat();
    assert!(!bytes.windows(7).any(|window| window == b"planted"));
    assert_ne!(encrypted_pieces(&store).concat(), bytes, "each backup has a salt of its own");
}

#[test]
fn every_flipped_bit_of_an_encrypted_backup_is_noticed() {
    let bytes = encrypted_pieces(&store(20, 30)).concat();
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(unlocked(&flipped, &key(7)).is_err(), "bit {bit}");
        assert!(read(&flipped[..]).and_then(Reading::check).is_err(), "bit {bit}, without the key");
    }
    for length in 0..bytes.len() {
        assert!(unlocked(&bytes[..length], &key(7)).is_err(), "{length} bytes");
    }
}

#[test]
fn an_encrypted_backup_cannot_be_put_together_anew_without_the_key() {
    let pieces = encrypted_pieces(&store(12, 400_000));
    assert!(pieces.len() >= 6, "a header, a key, several chunks, an end");
    // An attacker with the format, but without the key, computes all checksums again.
    let assembled = |order: &[usize]| {
        let mut bytes = [&pieces[0][..], &pieces[1]].concat();
        let mut sum = u64::from_be_bytes(pieces[0][28..36].try_into().unwrap());
        for at in order {
            let (start, rest) = pieces[*at].split_at(9);
            sum = checksum(sum, [start, &rest[8..]]);
            bytes.extend_from_slice(start);
            bytes.extend_from_slice(&sum.to_be_bytes());
            bytes.extend_from_slice(&rest[8..]);
        }
        let end = pieces.last().unwrap();
        let mut end = end[..end.len() - 8].to_vec();
        end[9..17].copy_from_slice(&(order.len() as u64).to_be_bytes());
        sum = checksum(sum, [&end, &[]]);
        bytes.extend_from_slice(&end);
        bytes.extend_from_slice(&sum.to_be_bytes());
        unlocked(&bytes, &key(7))
    };
    let order: Vec<usize> = (2..pieces.len() - 1).collect();
    assert!(assembled(&order).is_ok());
    let mut swapped = order.clone();
    swapped.swap(0, 1);
    assert!(matches!(assembled(&swapped), Err(ReadError::WrongKey(_))));
    assert!(matches!(assembled(&order[..order.len() - 1]), Err(ReadError::WrongKey(_))));
    assert!(matches!(assembled(&order[1..]), Err(ReadError::WrongKey(_))));
}
