//! Bodies that are not the JSON of a request.

use sortkey_api::{ErrorKind, OperationId};

use crate::support::{Database, call};

/// An answer for whatever is sent: `Some` kind of error, or that it works.
fn answer(database: &Database, operation: OperationId, body: &[u8]) -> Option<ErrorKind> {
    call(&database.engine, operation.name(), body).err().map(|error| error.kind)
}

#[test]
fn what_is_no_json_object_is_refused_by_every_operation() {
    let database = crate::database();
    let deep = |open: &str, count: usize| open.repeat(count).into_bytes();
    let closed = |open: &str, close: &str, count: usize| [open.repeat(count), close.repeat(count)].concat();
    let mut bodies: Vec<Vec<u8>> = [
        "",
        " ",
        "{",
        "}",
        "[",
        "null",
        "true",
        "1",
        "\"text\"",
        "[]",
        "[{}]",
        "{}{}",
        "{} x",
        "{'a': 1}",
        "{\"a\" 1}",
        "{\"a\": }",
        "{\"a\": 1,}",
        "{\"a\": 01}",
        "{\"a\": \"\u{1}\"}",
        "{\"a\": \"\\x\"}",
        "{\"a\": \"\\u12\"}",
        "{\"a\": nul}",
        "{\"a\": 1e}",
        "{\"a\": NaN}",
        "{a: 1}",
        "\u{feff}{",
    ]
    .map(|body| body.as_bytes().to_vec())
    .to_vec();
    bodies.push(b"{\"a\": \"\xff\"}".to_vec());
    bodies.push(vec![0xff; 64]);
    bodies.push(deep("{\"a\":", 10_000));
    bodies.push(deep("[", 100_000));
    bodies.push(closed("[", "]", 100_000).into_bytes());
    for operation in OperationId::SUPPORTED {
        for body in &bodies {
            let shown = String::from_utf8_lossy(&body[..body.len().min(40)]).into_owned();
            let answer = answer(&database, *operation, body);
            assert_eq!(answer, Some(ErrorKind::SerializationException), "{} {shown:?}", operation.name());
        }
    }
}

/// Unknown members are skipped, however deep they go, up to a depth that no honest request has.
#[test]
fn deep_json_is_skipped_or_refused() {
    let database = crate::database();
    for depth in [10, 100, 10_000, 200_000] {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let inner = if open == "[" { "" } else { "1" };
            let value = [&open.repeat(depth), inner, &close.repeat(depth)].concat();
            for operation in OperationId::SUPPORTED {
                let body = format!("{{\"Unknown\": {value}}}");
                let refused = answer(&database, *operation, body.as_bytes());
                let kinds =
                    [None, Some(ErrorKind::SerializationException), Some(ErrorKind::ValidationException)];
                assert!(kinds.contains(&refused), "{} {depth}: {refused:?}", operation.name());
            }
        }
    }
}

#[test]
fn wrong_types_are_refused_by_every_operation() {
    let database = crate::database();
    for (operation, body) in crate::requests::working(&database) {
        for (member, value) in body.as_object().unwrap() {
            // A structure for a scalar, and a scalar for a structure.
            let wrong = if value.is_object() || value.is_array() { "17" } else { "{\"a\": []}" };
            let mut changed = body.clone();
            changed[member] = serde_json::from_str(wrong).unwrap();
            let (kind, message) = database.refused(operation, changed);
            assert_eq!(kind, "SerializationException", "{operation} {member}: {message}");
        }
    }
}

#[test]
fn missing_members_are_told() {
    let database = crate::database();
    for operation in OperationId::SUPPORTED {
        let needs_nothing = matches!(
            operation,
            OperationId::ListTables
                | OperationId::DescribeLimits
                | OperationId::DescribeEndpoints
                | OperationId::ListStreams
                | OperationId::ListBackups
                | OperationId::ListExports
                | OperationId::ListImports
        );
        let answer = answer(&database, *operation, b"{}");
        let expected = (!needs_nothing).then_some(ErrorKind::ValidationException);
        assert_eq!(answer, expected, "{}", operation.name());
    }
}

#[test]
fn other_operations_are_refused_by_name() {
    let database = crate::database();
    for operation in OperationId::ALL.iter().filter(|operation| !operation.is_supported()) {
        let error = call(&database.engine, operation.name(), b"{}").unwrap_err();
        assert_eq!(error.kind, ErrorKind::UnknownOperationException);
        assert!(error.message.contains(operation.name()), "{error}");
    }
}
