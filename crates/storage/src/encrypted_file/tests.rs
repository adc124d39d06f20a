#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::io::{self, Read, Write};

use super::*;
use crate::encryption::DataKey;

const NAME: &str = "0123-abc/data/x.json.gz";

fn key() -> DataKey {
    DataKey::new([7; 32], "id:sealed")
}

fn encrypted(content: &[u8], name: &str) -> Vec<u8> {
    let mut writer = EncryptedWriter::new(Vec::new(), &key(), name).unwrap();
    writer.write_all(content).unwrap();
    writer.finish().unwrap()
}

fn decrypted(bytes: &[u8], key: &DataKey, place: &str) -> Result<Vec<u8>, String> {
    let locked = LockedFile::open(bytes).map_err(|error| error.to_string())?;
    locked.check_place(place).map_err(|error| error.to_string())?;
    let mut content = Vec::new();
    let mut reader = locked.unlock(key).map_err(|error| error.to_string())?;
    reader.read_to_end(&mut content).map_err(|error| error.to_string())?;
    Ok(content)
}

#[test]
fn contents_of_every_length_come_back() {
    for length in [0, 1, 5000, PIECE_BYTES - 1, PIECE_BYTES, PIECE_BYTES + 1, 3 * PIECE_BYTES] {
        let content: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
        let bytes = encrypted(&content, NAME);
        assert_eq!(decrypted(&bytes, &key(), NAME).unwrap(), content, "{length} bytes");
        assert_ne!(bytes, encrypted(&content, NAME), "no two files are alike");
    }
}

#[test]
fn every_flipped_bit_and_every_cut_is_rejected() {
    let content = b"one line\nanother line\n";
    let bytes = encrypted(content, NAME);
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        let sealed_at = 34 + NAME.len();
        let is_in_sealed_key = (sealed_at..sealed_at + "id:sealed".len()).contains(&(bit / 8));
        // The keyring authenticates the sealed key.
        assert_eq!(
            decrypted(&flipped, &key(), NAME).is_err(),
            !is_in_sealed_key || bit % 8 == 7,
            "bit {bit}"
        );
    }
    for length in 0..bytes.len() {
        assert!(decrypted(&bytes[..length], &key(), NAME).is_err(), "{length} bytes");
    }
    assert!(decrypted(&[&bytes[..], b"x"].concat(), &key(), NAME).unwrap_err().contains("follows"));
}

#[test]
fn pieces_and_files_cannot_be_swapped() {
    let content: Vec<u8> = (0..3 * PIECE_BYTES).map(|at| (at % 251) as u8).collect();
    let bytes = encrypted(&content, NAME);
    let head = 34 + NAME.len() + "id:sealed".len();
    let piece = 4 + PIECE_BYTES + 16;
    let (first, second) = (head..head + piece, head + piece..head + 2 * piece);
    let mut swapped = bytes.clone();
    swapped.copy_within(second.clone(), first.start);
    swapped[second.clone()].copy_from_slice(&bytes[first.clone()]);
    assert!(decrypted(&swapped, &key(), NAME).is_err());
    let left_out = [&bytes[..first.start], &bytes[second.start..]].concat();
    assert!(decrypted(&left_out, &key(), NAME).is_err());
    let other = encrypted(&content, NAME);
    let mut mixed = bytes.clone();
    mixed[second.clone()].copy_from_slice(&other[second]);
    assert!(decrypted(&mixed, &key(), NAME).is_err(), "a piece of another file");

    assert!(decrypted(&bytes, &key(), "elsewhere/AWSDynamoDB/0123-abc/data/x.json.gz").is_ok());
    for place in ["0123-abd/data/x.json.gz", "x.json.gz", "x0123-abc/data/x.json.gz", ""] {
        assert!(decrypted(&bytes, &key(), place).unwrap_err().contains("renamed"), "{place}");
    }
    // A name that was changed in the file does not help: it is authenticated.
    let renamed = [&bytes[..30], &b"0123-abd"[..], &bytes[38..]].concat();
    assert!(decrypted(&renamed, &key(), "0123-abd/data/x.json.gz").unwrap_err().contains("changed"));
}

#[test]
fn another_key_and_other_files_are_rejected() {
    let bytes = encrypted(b"text", NAME);
    assert!(decrypted(&bytes, &DataKey::new([8; 32], "id:sealed"), NAME).unwrap_err().contains("key"));
    for other in [&b""[..], b"SKCIPHE", b"\x1f\x8b\x08gzip file", &[0; 4096]] {
        assert!(decrypted(other, &key(), NAME).unwrap_err().contains("not a file that sortkey encrypted"));
        assert!(!is_encrypted_file(&mut io::BufReader::new(other)).unwrap());
    }
    assert!(is_encrypted_file(&mut io::BufReader::new(&bytes[..])).unwrap());
    let mut newer = bytes;
    newer[11] = 2;
    assert!(decrypted(&newer, &key(), NAME).unwrap_err().contains("format 2"));
}
