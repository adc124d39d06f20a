//! From an `X-Amz-Target` header to an operation of the backend.

use std::collections::HashMap;

use hyper::header::HeaderValue;

use crate::backend::Operation;

/// The targets that exist, such as `DynamoDB_20120810.GetItem`, with the operation each one names.
#[derive(Debug)]
pub(crate) struct Targets(HashMap<Box<[u8]>, usize>);

impl Targets {
    /// The targets of a backend's operations.
    pub(crate) fn new(operations: &[Operation]) -> Targets {
        let target = |operation: &Operation| {
            let text = format!("{}.{}", operation.service.target_prefix(), operation.name);
            text.into_bytes().into_boxed_slice()
        };
        Targets(operations.iter().enumerate().map(|(index, operation)| (target(operation), index)).collect())
    }

    /// The position of the operation that a header names, if there is one.
    pub(crate) fn find(&self, header: Option<&HeaderValue>) -> Option<usize> {
        self.0.get(header?.as_bytes()).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::Service;

    #[test]
    fn a_target_is_a_service_and_an_operation_of_it() {
        let targets = Targets::new(&[
            Operation { service: Service::DynamoDb, name: "GetItem" },
            Operation { service: Service::DynamoDbStreams, name: "GetRecords" },
        ]);
        for (text, expected) in [
            ("DynamoDB_20120810.GetItem", Some(0)),
            ("DynamoDBStreams_20120810.GetRecords", Some(1)),
            ("DynamoDB_20120810.GetRecords", None),
            ("DynamoDB_20120810.getitem", None),
            ("DynamoDB_20111205.GetItem", None),
            ("GetItem", None),
            ("", None),
        ] {
            let header = HeaderValue::from_static(text);
            assert_eq!(targets.find(Some(&header)), expected, "{text:?}");
        }
        assert_eq!(targets.find(None), None);
    }
}
