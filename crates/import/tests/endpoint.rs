//! Tables described by a running server; here one that knows a few answers by heart.

use serde_json::{Value, json};
use sortkey_import::{ImportError, import_endpoint};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};

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

#[test]
fn all_tables_of_a_server() {
    let design = import_endpoint("shop", &serve(two_tables), &[]).unwrap();
    for wanted in ["\"orders\"", "\"users\"", "expiresAt", "billing on_demand"] {
        assert!(design.contains(wanted), "{wanted} is not in\n{design}");
    }
    let compilation = sortkey_design::compile("shop.sk", &design, &sortkey_design::NoFiles);
    assert!(!compilation.has_errors(), "{design}\n{:?}", compilation.diagnostics);
}

#[test]
fn one_table_by_name() {
    let design = import_endpoint("shop", &serve(two_tables), &["users".to_owned()]).unwrap();
    assert!(design.contains("\"users\"") && !design.contains("\"orders\""), "{design}");
}

#[test]
fn refusals_say_what_the_server_said() {
    fn refusing(_: &str, _: &Value) -> (u16, Value) {
        (400, json!({ "message": "Requested resource not found" }))
    }
    let error = import_endpoint("shop", &serve(refusing), &["users".to_owned()]).unwrap_err();
    assert!(
        matches!(&error, ImportError::Endpoint(text) if text.contains("Requested resource not found")),
        "{error}"
    );
    let error = import_endpoint("shop", "https://dynamodb.us-east-1.amazonaws.com", &[]).unwrap_err();
    assert!(error.to_string().contains("only http://"), "{error}");
}
