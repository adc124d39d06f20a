//! A design as bytes: JSON, compressed, with a digest as its name.

use std::io::{Read as _, Write as _};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;
use sha2::{Digest, Sha256};
use sortkey_core::internals::hex;
use sortkey_design::Design;

/// An item holds at most 400 KB, of which keys and names take a little.
const PART_BYTES: usize = 300 * 1024;

/// A design has at most so many bytes of JSON: a bound against content that grows when it is decompressed.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// A version of a design.
pub(crate) struct Version {
    /// Changes with every declaration of the design.
    pub(crate) digest: String,
    content: Vec<u8>,
}

impl Version {
    /// The version that a design is. Its tests, claims and migrations do not affect stored items.
    pub(crate) fn of(design: &Design) -> Result<Version, std::io::Error> {
        let mut design = design.clone();
        design.tests.clear();
        design.claims.clear();
        design.migrations.clear();
        let json = serde_json::to_vec(&design)?;
        let digest = hex(&Sha256::digest(&json)[..16]);
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&json)?;
        Ok(Version { digest, content: encoder.finish()? })
    }

    /// Its content, in parts that fit into items.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &[u8]> {
        self.content.chunks(PART_BYTES)
    }

    /// Its name in a record.
    pub(crate) fn name(&self) -> (String, u32) {
        (self.digest.clone(), u32::try_from(self.parts().count()).unwrap_or(u32::MAX))
    }
}

/// The design of some content; none if it is no design.
pub(super) fn read(content: &[u8]) -> Option<Design> {
    let mut json = Vec::new();
    ZlibDecoder::new(content).take(MAX_BYTES).read_to_end(&mut json).ok()?;
    serde_json::from_slice(&json).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sortkey_design::{NoFiles, Program, compile};
    use std::sync::Arc;

    #[test]
    fn a_design_comes_back_as_it_was() {
        let text = r#"design d
            table T "t" { key (PK | SK) index ByAt (owner | at) billing provisioned 2 rcu 3 wcu }
            entity E in T {
              PK = "E#{id}"  SK = "E"  owner = "O#{name:lower}" when state != gone
              id slug  name string(1..9) @normalize(trim)  state open | gone = open  at time(ms) = now
              unique name when state = open
            }
            system pattern e = get E by id
            system operation make = create E"#;
        let design = compile("d.sk", text, &NoFiles).design;
        let version = Version::of(&design).expect("written");
        let content: Vec<u8> = version.parts().flatten().copied().collect();
        let again = read(&content).expect("read");
        assert_eq!(Version::of(&again).expect("written").digest, version.digest);
        let (old, new) = (Program::of(&Arc::new(again)), Program::of(&design));
        assert_eq!(sortkey_change::diff(&old, &new), []);
        assert_eq!((version.name().1, version.digest.len()), (1, 32));
    }

    #[test]
    fn what_is_no_design_is_none() {
        assert!(read(b"").is_none());
        assert!(read(b"not compressed").is_none());
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(b"{\"name\":3}").expect("written");
        assert!(read(&encoder.finish().expect("written")).is_none());
    }
}
