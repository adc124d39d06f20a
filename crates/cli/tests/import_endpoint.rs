//! `sortkey import --endpoint`: tables described by a running server; here one with a few answers.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::Command;

use serde_json::{Value, json};

/// A server on loopback that answers until the test ends.
fn serve(answer: fn(&str, &Value) -> (u16, Value)) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let endpoint = format!("http://{}", listener.local_addr().expect("a bound socket has an address"));
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || converse(stream, answer));
        }
    });
    endpoint
}

fn converse(stream: TcpStream, answer: fn(&str, &Value) -> (u16, Value)) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut writer = stream;
    loop {
        let (mut length, mut target) = (0, String::new());
        loop {
            let mut line = String::new();
            if reader.read_line(&mut line).ok()? == 0 {
                return None;
            }
            let Some((name, value)) = line.trim_end().split_once(':') else {
                if line.trim_end().is_empty() {
                    break;
                }
                continue;
            };
            match name.to_lowercase().as_str() {
                "content-length" => length = value.trim().parse().ok()?,
                "x-amz-target" => target = value.rsplit('.').next()?.to_owned(),
                _ => {}
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let (status, value) = answer(&target, &serde_json::from_slice(&body).ok()?);
        let text = value.to_string();
        write!(writer, "HTTP/1.1 {status} OK\r\ncontent-length: {}\r\n\r\n{text}", text.len()).ok()?;
    }
}

fn two_tables(operation: &str, input: &Value) -> (u16, Value) {
    match operation {
        "ListTables" if input["ExclusiveStartTableName"].is_null() => {
            (200, json!({ "TableNames": ["orders"], "LastEvaluatedTableName": "orders" }))
        }
        "ListTables" => (200, json!({ "TableNames": ["users"] })),
        "DescribeTable" => (
            200,
            json!({ "Table": {
                "TableName": input["TableName"],
                "AttributeDefinitions": [{ "AttributeName": "id", "AttributeType": "S" }],
                "KeySchema": [{ "AttributeName": "id", "KeyType": "HASH" }],
                "BillingModeSummary": { "BillingMode": "PAY_PER_REQUEST" },
            } }),
        ),
        "DescribeTimeToLive" => (
            200,
            json!({ "TimeToLiveDescription": { "TimeToLiveStatus": "ENABLED", "AttributeName": "expiresAt" } }),
        ),
        _ => (400, json!({ "__type": "UnknownOperationException" })),
    }
}

fn import(endpoint: &str, tables: &[&str]) -> (bool, String, String) {
    let tables = tables.iter().flat_map(|table| ["--table", table]);
    let mut command = Command::new(env!("CARGO_BIN_EXE_sortkey"));
    command.args(["import", "--endpoint", endpoint]).args(tables);
    // Those of the machine that runs the tests are nobody's business.
    for name in ["AWS_ACCESS_KEY_ID", "AWS_PROFILE", "AWS_CA_BUNDLE"] {
        command.env_remove(name);
    }
    let output = command.output().expect("the binary runs");
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    (output.status.success(), text(output.stdout), text(output.stderr))
}

#[test]
fn all_tables_of_a_server() {
    let (succeeded, design, errors) = import(&serve(two_tables), &[]);
    assert!(succeeded, "{errors}");
    for wanted in ["\"orders\"", "\"users\"", "expiresAt", "billing on_demand"] {
        assert!(design.contains(wanted), "{wanted} is not in\n{design}");
    }
    let compilation = sortkey_design::compile("shop.sk", &design, &sortkey_design::NoFiles);
    assert!(!compilation.has_errors(), "{design}\n{:?}", compilation.diagnostics);
}

#[test]
fn one_table_by_name() {
    let (succeeded, design, errors) = import(&serve(two_tables), &["users"]);
    assert!(succeeded, "{errors}");
    assert!(design.contains("\"users\"") && !design.contains("\"orders\""), "{design}");
}

#[test]
fn refusals_say_what_the_server_said() {
    fn refusing(_: &str, _: &Value) -> (u16, Value) {
        (400, json!({ "__type": "ResourceNotFoundException", "message": "Requested resource not found" }))
    }
    let (succeeded, _, errors) = import(&serve(refusing), &["users"]);
    assert!(!succeeded && errors.contains("cannot import: Requested resource not found"), "{errors}");
    let (succeeded, _, errors) = import("dynamodb.us-east-1.amazonaws.com", &[]);
    assert!(!succeeded && errors.contains("write http:// or https://"), "{errors}");
}
