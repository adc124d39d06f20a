//! The layout of the store: the first byte of a key names its space.
//!
//! ```text
//! 01 table name                                            table descriptor
//! 02 table:u32 partition sort?                             item
//! 03 table:u32 index:u16 partition sort* partition sort?   index entry: the index's key, the item's key
//! 04 stream:u32 shard:u16 version:u64 ordinal:u16          stream record
//! 05 table:u32 time:u64 partition sort?                    item that expires at a second
//! 06 token                                                 idempotency token
//! 07 time:u64 token                                        token that is forgotten at a millisecond
//! 08 table:u32 index:u16                                   totals (index 0: the table itself)
//! 09 name                                                  counters that give out ids
//! 0A stream:u32                                            stream descriptor
//! 0B table:u32 index:u16?                                  dropped table or index whose entries are being removed
//! 0C table:u32 version:u64 ordinal:u16                     log of changes: time, which item
//! 0D table:u32 partition sort? version:u64 ordinal:u16     history: an item as it was before a change
//! 0E time:14 digits - 8 hexadecimal digits                 backup; its items lie as a table's do, under an id of its own
//! 0F time:14 digits - 8 hexadecimal digits                 export
//! 10 time:14 digits - 8 hexadecimal digits                 import
//! ```
//!
//! Integers are big-endian. Ids are never used twice, so nothing of a dropped table or index can be mistaken
//! for something of its successor. `partition` and `sort` are those of [`sortkey_value::key`].

use std::ops::Bound;

use sortkey_storage::Key;
use sortkey_value::key;

const TABLE: u8 = 0x01;
const ITEM: u8 = 0x02;
const INDEX_ENTRY: u8 = 0x03;
const STREAM_RECORD: u8 = 0x04;
const EXPIRY: u8 = 0x05;
const TOKEN: u8 = 0x06;
const TOKEN_EXPIRY: u8 = 0x07;
const TOTALS: u8 = 0x08;
const IDS: u8 = 0x09;
const STREAM: u8 = 0x0A;
const DROPPED: u8 = 0x0B;
const HISTORY_LOG: u8 = 0x0C;
const HISTORY: u8 = 0x0D;
const BACKUP: u8 = 0x0E;
const EXPORT: u8 = 0x0F;
const IMPORT: u8 = 0x10;

/// In the place of an index: the totals of a table's history.
pub(crate) const HISTORY_TOTALS: u16 = u16::MAX;
/// In the place of an index: all that a table has besides items, totals and indexes.
pub(crate) const SURROUNDINGS: u16 = 0;

/// How many bytes of an item's key come before its partition.
pub(crate) const ITEM_PREFIX_BYTES: usize = 5;

pub(crate) fn table(name: &str) -> Key {
    [&[TABLE], name.as_bytes()].concat().into()
}

/// The prefix of all table descriptors.
pub(crate) const TABLES: &[u8] = &[TABLE];

/// The prefix of all items of a table.
pub(crate) fn items(table: u32) -> Vec<u8> {
    prefix(ITEM, table, &[])
}

/// The prefix of all entries of an index.
pub(crate) fn index_entries(table: u32, index: u16) -> Vec<u8> {
    prefix(INDEX_ENTRY, table, &index.to_be_bytes())
}

/// The prefix of all entries of all indexes of a table.
pub(crate) fn all_index_entries(table: u32) -> Vec<u8> {
    prefix(INDEX_ENTRY, table, &[])
}

/// The prefix of all records of a shard.
pub(crate) fn shard_records(stream: u32, shard: u16) -> Vec<u8> {
    prefix(STREAM_RECORD, stream, &shard.to_be_bytes())
}

/// The prefix of all expiry entries of a table.
pub(crate) fn expiries(table: u32) -> Vec<u8> {
    prefix(EXPIRY, table, &[])
}

/// The expiry entry of an item, given its key.
pub(crate) fn expiry(table: u32, second: u64, item_key: &[u8]) -> Key {
    let mut key = prefix(EXPIRY, table, &second.to_be_bytes());
    key.extend_from_slice(&item_key[ITEM_PREFIX_BYTES..]);
    key.into()
}

/// The item's key and its second out of an expiry entry's key.
pub(crate) fn expiring_item(table: u32, expiry_key: &[u8]) -> Option<(u64, Key)> {
    let second = u64::from_be_bytes(expiry_key.get(5..13)?.try_into().ok()?);
    let mut key = items(table);
    key.extend_from_slice(expiry_key.get(13..)?);
    Some((second, key.into()))
}

pub(crate) fn token(token: &str) -> Key {
    [&[TOKEN], token.as_bytes()].concat().into()
}

/// The spaces of what outlives its table: tokens, streams, exports and imports.
pub(crate) const RECORDS: [&[u8]; 6] =
    [&[TOKEN], &[TOKEN_EXPIRY], &[STREAM], &[STREAM_RECORD], &[EXPORT], &[IMPORT]];

/// The prefix of all tokens.
pub(crate) const TOKENS: &[u8] = &[TOKEN];

pub(crate) fn token_expiry(time_ms: u64, token: &str) -> Key {
    [&[TOKEN_EXPIRY], time_ms.to_be_bytes().as_slice(), token.as_bytes()].concat().into()
}

/// All tokens to be forgotten before a time.
pub(crate) fn tokens_before(time_ms: u64) -> (Vec<u8>, Vec<u8>) {
    (vec![TOKEN_EXPIRY], [&[TOKEN_EXPIRY], time_ms.to_be_bytes().as_slice()].concat())
}

/// The token's own key out of its expiry entry's key.
pub(crate) fn expiring_token(expiry_key: &[u8]) -> Option<Key> {
    Some([&[TOKEN], expiry_key.get(9..)?].concat().into())
}

/// Totals of a table (index 0) or of an index.
pub(crate) fn totals(table: u32, index: u16) -> Key {
    prefix(TOTALS, table, &index.to_be_bytes()).into()
}

/// The prefix of all totals of a table.
pub(crate) fn all_totals(table: u32) -> Vec<u8> {
    prefix(TOTALS, table, &[])
}

/// The counter that gives out ids of a kind.
pub(crate) fn ids(kind: &str) -> Key {
    [&[IDS], kind.as_bytes()].concat().into()
}

pub(crate) fn stream(stream: u32) -> Key {
    prefix(STREAM, stream, &[]).into()
}

/// The prefix of all stream descriptors.
pub(crate) const STREAMS: &[u8] = &[STREAM];

pub(crate) fn dropped(table: u32) -> Key {
    prefix(DROPPED, table, &[]).into()
}

pub(crate) fn dropped_index(table: u32, index: u16) -> Key {
    prefix(DROPPED, table, &index.to_be_bytes()).into()
}

/// The table and, unless all of it is dropped, the index that a mark names.
pub(crate) fn dropped_ids(mark: &[u8]) -> Option<(u32, Option<u16>)> {
    let table = u32::from_be_bytes(mark.get(1..5)?.try_into().ok()?);
    let index = mark.get(5..7).and_then(|bytes| bytes.try_into().ok()).map(u16::from_be_bytes);
    Some((table, index))
}

/// The prefix of all marks of dropped tables and indexes.
pub(crate) const DROPPED_TABLES: &[u8] = &[DROPPED];

/// The prefix of the log of a table's changes.
pub(crate) fn history_log(table: u32) -> Vec<u8> {
    prefix(HISTORY_LOG, table, &[])
}

/// The prefix of the earlier states of all items of a table.
pub(crate) fn history(table: u32) -> Vec<u8> {
    prefix(HISTORY, table, &[])
}

/// The prefix of the earlier states of one item, given its key.
pub(crate) fn item_history(table: u32, item_key: &[u8]) -> Vec<u8> {
    prefix(HISTORY, table, &item_key[ITEM_PREFIX_BYTES..])
}

pub(crate) fn backup(label: &str) -> Key {
    [&[BACKUP], label.as_bytes()].concat().into()
}

/// The prefix of all backups.
pub(crate) const BACKUPS: &[u8] = &[BACKUP];

pub(crate) fn export(label: &str) -> Key {
    [&[EXPORT], label.as_bytes()].concat().into()
}

/// The prefix of all exports.
pub(crate) const EXPORTS: &[u8] = &[EXPORT];

pub(crate) fn import(label: &str) -> Key {
    [&[IMPORT], label.as_bytes()].concat().into()
}

/// The prefix of all imports.
pub(crate) const IMPORTS: &[u8] = &[IMPORT];

/// The range of all keys that start with a prefix.
pub(crate) fn starting_with(prefix: &[u8]) -> (Bound<Vec<u8>>, Bound<Vec<u8>>) {
    let high = key::after_prefix(prefix).map_or(Bound::Unbounded, Bound::Excluded);
    (Bound::Included(prefix.to_vec()), high)
}

/// The part of a space whose partitions hash into segment `segment` of `total` equal ones.
pub(crate) fn segment(space: &[u8], segment: u32, total: u32) -> (Bound<Vec<u8>>, Bound<Vec<u8>>) {
    let edge = |segment: u32| {
        let hash = (u128::from(segment) << 64).div_ceil(u128::from(total.max(1)));
        u64::try_from(hash).ok().map(|hash| [space, &hash.to_be_bytes()].concat())
    };
    let (all_low, all_high) = starting_with(space);
    let low = edge(segment).map_or(all_low, Bound::Included);
    let high = edge(segment + 1).map_or(all_high, Bound::Excluded);
    (low, high)
}

/// The hash of the partition inside an item's key.
pub(crate) fn partition_hash(item_key: &[u8]) -> u64 {
    let bytes = item_key.get(ITEM_PREFIX_BYTES..ITEM_PREFIX_BYTES + 8);
    bytes.and_then(|bytes| bytes.try_into().ok()).map_or(0, u64::from_be_bytes)
}

fn prefix(space: u8, id: u32, rest: &[u8]) -> Vec<u8> {
    let mut key = Vec::with_capacity(64);
    key.push(space);
    key.extend_from_slice(&id.to_be_bytes());
    key.extend_from_slice(rest);
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_tile_the_space() {
        for total in [1, 2, 3, 7, 1_000_000] {
            let space = items(7);
            let edges: Vec<_> = (0..total.min(50)).map(|number| segment(&space, number, total)).collect();
            for pair in edges.windows(2) {
                let (Bound::Excluded(end), Bound::Included(start)) = (&pair[0].1, &pair[1].0) else {
                    panic!("segments are half open")
                };
                assert_eq!(end, start);
            }
            assert!(matches!(&edges[0].0, Bound::Included(low) if low.starts_with(&space)));
            assert_eq!(segment(&space, total - 1, total).1, starting_with(&space).1);
        }
    }

    #[test]
    fn an_expiry_entry_leads_to_its_item() {
        let item: Key = [items(3), b"12345678\x00\x01kk".to_vec()].concat().into();
        let entry = expiry(3, 99, &item);
        assert_eq!(expiring_item(3, &entry), Some((99, item)));
    }
}
