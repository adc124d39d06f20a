//! The files that describe an export's contents, and the checksums of all its files.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use md5::{Digest, Md5};
use serde_json::json;

use super::bucket::Bucket;
use super::export::Export;
use crate::engine::Shared;
use crate::stream::streaming::label;

/// The version of the layout, as AWS numbers it.
const VERSION: &str = "2020-06-30";

/// A file of items.
pub(super) struct DataFile {
    pub(super) key: String,
    pub(super) items: u64,
    pub(super) md5: [u8; 16],
}

/// Writes both manifests, the summary last: whoever finds it finds everything.
pub(super) fn write(
    shared: &Shared,
    export: &Export,
    directory: &Path,
    files: &[DataFile],
) -> io::Result<()> {
    let mut lines = Vec::new();
    for file in files {
        let line = json!({
            "itemCount": file.items,
            "md5Checksum": BASE64_STANDARD.encode(file.md5),
            "etag": format!("{}-1", hex(&file.md5)),
            "dataFileS3Key": file.key,
        });
        writeln!(lines, "{line}")?;
    }
    with_checksum(directory, "manifest-files", &lines)?;
    let summary = json!({
        "version": VERSION,
        "exportArn": export.arn(shared),
        "startTime": time(export.started_ms),
        "endTime": time(export.ended_ms.unwrap_or(export.started_ms)),
        "tableArn": shared.table_arn(&export.table_name),
        "tableId": export.table_uuid,
        "exportTime": time(export.moment.time_ms),
        "s3Bucket": export.request.bucket,
        "s3Prefix": export.request.prefix,
        "s3SseAlgorithm": export.encryption(),
        "s3SseKmsKeyId": export.request.encryption_key,
        "manifestFilesS3Key": export.key("manifest-files.json"),
        "billedSizeBytes": export.size_bytes,
        "itemCount": export.item_count,
        "outputFormat": "DYNAMODB_JSON",
        "exportType": "FULL_EXPORT",
    });
    with_checksum(directory, "manifest-summary", summary.to_string().as_bytes())
}

/// A file, and its checksum in a file beside it.
fn with_checksum(directory: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    let mut file = Md5Writer::new(Bucket::create(directory, &format!("{name}.json"))?);
    file.write_all(bytes)?;
    let md5 = file.finish()?;
    let mut checksum = Bucket::create(directory, &format!("{name}.md5"))?;
    checksum.write_all(BASE64_STANDARD.encode(md5).as_bytes())?;
    checksum.sync_all()
}

/// `2020-11-04T07:28:34.028Z`.
fn time(time_ms: u64) -> String {
    format!("{}Z", label(time_ms))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A file that is summed up while it is written.
pub(super) struct Md5Writer {
    file: File,
    md5: Md5,
}

impl Md5Writer {
    pub(super) fn new(file: File) -> Md5Writer {
        Md5Writer { file, md5: Md5::new() }
    }

    /// Makes the file durable and gives its checksum.
    pub(super) fn finish(self) -> io::Result<[u8; 16]> {
        self.file.sync_all()?;
        Ok(self.md5.finalize().into())
    }
}

impl Write for Md5Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.file.write(bytes)?;
        self.md5.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}
