//! The memory of a server, measured from outside: imports of small files that unpack to gigabytes, and connections.
#![cfg(target_os = "linux")]
#![allow(clippy::print_stdout, reason = "says what was taken")]

mod support;

use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use sortkey_testkit::Client;
use support::{Serving, serve};

const MB: u64 = 1 << 20;

/// A line of `/proc/<pid>/status`, in bytes.
fn memory(server: &Serving, line: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", server.process.id())).expect("it runs");
    let value = status.lines().find_map(|each| each.strip_prefix(line)).expect("the line");
    value.trim_matches([':', '\t', ' ', 'k', 'B']).parse::<u64>().expect("a number") * 1024
}

/// The status of an import of everything in a bucket, when it has ended.
fn import(server: &Serving, bucket: &str, format: &str, compression: &str) -> String {
    let body = format!(
        r#"{{"S3BucketSource":{{"S3Bucket":"{bucket}"}},"InputFormat":"{format}","InputCompressionType":"{compression}",
        "TableCreationParameters":{{"TableName":"{bucket}","BillingMode":"PAY_PER_REQUEST",
        "AttributeDefinitions":[{{"AttributeName":"pk","AttributeType":"S"}}],
        "KeySchema":[{{"AttributeName":"pk","KeyType":"HASH"}}]}}}}"#
    );
    let (status, begun) = server.call("ImportTable", "", &body);
    assert_eq!(status, 200, "{begun}");
    let begun: serde_json::Value = serde_json::from_str(&begun).expect("JSON");
    let arn = begun["ImportTableDescription"]["ImportArn"].as_str().expect("an ARN").to_owned();
    loop {
        let (_, shown) = server.call("DescribeImport", "", &format!(r#"{{"ImportArn":"{arn}"}}"#));
        let shown: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
        let status = shown["ImportTableDescription"]["ImportStatus"].as_str().expect("a status");
        if status != "IN_PROGRESS" {
            return status.to_owned();
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// A header of `columns` columns, and a row of as many.
fn columns(columns: usize) -> Vec<u8> {
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    for _ in 0..2 {
        packed.write_all(b"pk").expect("memory");
        for _ in 0..columns / 1000 {
            packed.write_all(&[b','; 1000]).expect("memory");
        }
        packed.write_all(b"\n").expect("memory");
    }
    packed.finish().expect("memory")
}

/// A zstd frame of as many zeros: blocks that repeat one byte, of the largest size.
fn zeros(bytes: usize) -> Vec<u8> {
    const BLOCK_BYTES: usize = 128 * 1024;
    const REPEATED: u32 = 1;
    let blocks = bytes / BLOCK_BYTES;
    // The magic number, no options, a window of 128 KB.
    let mut frame = vec![0x28, 0xB5, 0x2F, 0xFD, 0, 7 << 3];
    for block in 1..=blocks {
        let header = ((BLOCK_BYTES as u32) << 3) | (REPEATED << 1) | u32::from(block == blocks);
        frame.extend_from_slice(&header.to_le_bytes()[..3]);
        frame.push(b'0');
    }
    frame
}

fn put(buckets: &Path, bucket: &str, file: &str, content: &[u8]) {
    std::fs::create_dir_all(buckets.join(bucket)).expect("a directory");
    std::fs::write(buckets.join(bucket).join(file), content).expect("written");
}

// F-65: imports kept a record whole. 24 KB of gzip with 8 million columns took 1.2 GB, 66 KB of zstd with 2 GB of zeros 8.2 GB.
#[test]
fn small_files_that_unpack_to_gigabytes_are_imported_in_little_memory() {
    let directory = tempfile::tempdir().expect("a directory");
    let buckets = directory.path().join("buckets");
    let (wide, long) = (columns(8_000_000), zeros(2_000_000_000));
    assert!(wide.len() < 64 * 1024 && long.len() < 70 * 1024, "{} and {} bytes", wide.len(), long.len());
    put(&buckets, "wide", "rows.csv.gz", &wide);
    put(&buckets, "long", "rows.csv.zst", &long);
    put(&buckets, "lines", "lines.json.zst", &zeros(200_000_000));
    let server = serve(&["--in-memory", "--export-dir", buckets.to_str().expect("Unicode")]);
    let before = memory(&server, "VmHWM");
    for (bucket, format, compression) in
        [("wide", "CSV", "GZIP"), ("long", "CSV", "ZSTD"), ("lines", "DYNAMODB_JSON", "ZSTD")]
    {
        let status = import(&server, bucket, format, compression);
        let taken = memory(&server, "VmHWM") - before;
        println!("{bucket}: {status}, {} MB", taken / MB);
        assert!(taken < 150 * MB, "{bucket}: {} MB", taken / MB);
        assert_eq!(server.call("ListTables", "", "{}").0, 200);
    }
}

// A connection kept the largest buffer that it had read with, some 98 KB in all. What is left when connections close is used by the
// next ones.
#[test]
fn connections_give_their_memory_back() {
    const CONNECTIONS: usize = 200;
    let server = serve(&["--in-memory"]);
    let body = r#"{"TableName":"large","BillingMode":"PAY_PER_REQUEST","AttributeDefinitions":[
        {"AttributeName":"pk","AttributeType":"S"}],"KeySchema":[{"AttributeName":"pk","KeyType":"HASH"}]}"#;
    assert_eq!(server.call("CreateTable", "", body).0, 200);
    let item = format!(r#"{{"pk":{{"S":"p"}},"text":{{"S":"{}"}}}}"#, "x".repeat(300_000));
    let put = format!(r#"{{"TableName":"large","Item":{item},"ReturnValues":"ALL_OLD"}}"#);
    let request = format!(
        "POST / HTTP/1.1\r\nHost: {}\r\nX-Amz-Target: DynamoDB_20120810.PutItem\r\nX-Amz-Date: 20261115T123600Z\r\n\
         Content-Type: application/x-amz-json-1.0\r\nAuthorization: AWS4-HMAC-SHA256 \
         Credential=AKID/20261115/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=abc\r\n\
         Content-Length: {}\r\n\r\n{put}",
        server.address,
        put.len()
    );
    let ask = |client: &mut Client| {
        client.send(request.as_bytes());
        assert_eq!(client.receive().expect("an answer").status, 200);
    };
    // The first connection is not counted: it leaves memory behind in the process.
    ask(&mut Client::connect(&server.address));
    let before = memory(&server, "VmRSS");
    let mut left = Vec::new();
    for round in 1..=3 {
        let mut clients: Vec<Client> = (0..CONNECTIONS).map(|_| Client::connect(&server.address)).collect();
        for _ in 0..2 {
            clients.iter_mut().for_each(ask);
        }
        std::thread::sleep(Duration::from_secs(1));
        let idle = memory(&server, "VmRSS").saturating_sub(before);
        drop(clients);
        std::thread::sleep(Duration::from_secs(1));
        left.push(memory(&server, "VmRSS").saturating_sub(before));
        let each = idle / CONNECTIONS as u64 / 1024;
        println!(
            "round {round}: {each} KB for each idle connection, {} KB after all",
            left[round - 1] / 1024
        );
        assert!(each < 80, "{each} KB for each idle connection");
    }
    assert!(left[2] < left[0] + 8 * MB, "{left:?} bytes are left after each round");
}
