//! A DynamoDB without transactions, as ScyllaDB Alternator is: a design that needs them is not served there.

use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::process::Command;

const UNIQUE: &str = r#"
design people
defaults { billing on_demand  recovery 35d  protect deletion  encryption aws_owned }
table People "people" { key (personId) }
entity Person in People {
  personId ulid = new
  email    email
  name     string(1..40)
  unique email
}
system operation join = create Person
system pattern person = get Person by personId
"#;

/// Answers every request as an unknown operation, until the process ends.
fn unknowing() -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a free port");
    let address = listener.local_addr().expect("an address");
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut asked = [0; 4096];
            let _ = stream.read(&mut asked);
            let body = r#"{"__type":"com.amazonaws.dynamodb.v20120810#UnknownOperationException","message":"Unsupported operation"}"#;
            let head =
                "HTTP/1.1 400 Bad Request\r\nContent-Type: application/x-amz-json-1.0\r\nConnection: close";
            let _ = write!(stream, "{head}\r\nContent-Length: {}\r\n\r\n{body}", body.len());
        }
    });
    format!("http://{address}")
}

#[test]
fn what_needs_transactions_is_refused_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let design = folder.path().join("people.sk");
    std::fs::write(&design, UNIQUE).expect("written");
    let endpoint = unknowing();
    let output = Command::new(env!("CARGO_BIN_EXE_sortkey"))
        .args(["up", "--port", "0", "--endpoint", &endpoint])
        .arg(&design)
        .current_dir(folder.path())
        .envs([("AWS_ACCESS_KEY_ID", "test"), ("AWS_SECRET_ACCESS_KEY", "test"), ("AWS_REGION", "us-east-1")])
        .output()
        .expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success());
    assert!(said.contains("has no transactions, which the design needs for: join"), "{said}");
}
