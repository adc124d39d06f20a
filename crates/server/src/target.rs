//! From an `X-Amz-Target` header to an operation.

use hyper::header::HeaderValue;
use sortkey_api::{OperationId, Service};

/// The operation that a header such as `DynamoDB_20120810.GetItem` names, if there is one.
pub(crate) fn operation(header: Option<&HeaderValue>) -> Option<OperationId> {
    let (prefix, name) = header?.to_str().ok()?.split_once('.')?;
    let service = [Service::DynamoDb, Service::Streams].into_iter().find(|s| s.target_prefix() == prefix)?;
    OperationId::from_name(name).filter(|operation| operation.service() == service)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_target_is_a_service_and_an_operation_of_it() {
        for (text, expected) in [
            ("DynamoDB_20120810.GetItem", Some(OperationId::GetItem)),
            ("DynamoDBStreams_20120810.GetRecords", Some(OperationId::GetRecords)),
            ("DynamoDB_20120810.GetRecords", None),
            ("DynamoDB_20120810.getitem", None),
            ("DynamoDB_20120810.GetItem.", None),
            ("DynamoDB_20111205.GetItem", None),
            ("GetItem", None),
            (".", None),
            ("", None),
        ] {
            assert_eq!(operation(Some(&HeaderValue::from_static(text))), expected, "{text:?}");
        }
        assert_eq!(operation(None), None);
    }
}
