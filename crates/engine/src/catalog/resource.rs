//! ARNs of tables and streams, as requests name them.

use sortkey_api::{ApiError, ErrorKind};

/// No table has a shorter name.
const MIN_NAME_CHARACTERS: usize = 3;

/// The resource that an ARN names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resource {
    pub(crate) table: String,
    /// The label of one of the table's streams, if it is what is meant.
    pub(crate) stream: Option<String>,
}

impl Resource {
    /// Reads `arn:aws:dynamodb:REGION:ACCOUNT:table/NAME` with an optional `/stream/LABEL`. Region and account
    /// are not compared: there is one namespace of tables.
    pub(crate) fn parse(arn: &str) -> Option<Resource> {
        let mut parts = arn.splitn(6, ':');
        let fixed = [parts.next()?, parts.next()?, parts.next()?];
        let (region, _account, path) = (parts.next()?, parts.next()?, parts.next()?);
        if fixed[0] != "arn" || !fixed[1].starts_with("aws") || fixed[2] != "dynamodb" || region.is_empty() {
            return None;
        }
        let path = path.strip_prefix("table/")?;
        let (table, rest) = path.split_once('/').map_or((path, None), |(table, rest)| (table, Some(rest)));
        let stream = match rest {
            None => None,
            Some(rest) => Some(rest.strip_prefix("stream/")?.to_owned()),
        };
        (!table.is_empty()).then(|| Resource { table: table.to_owned(), stream })
    }
}

/// The resource of a tagging request.
pub(crate) fn tagged_resource(arn: &str) -> Result<Resource, ApiError> {
    if !arn.starts_with("arn:") {
        return Err(ApiError::validation(format!("Invalid TableArn: ARNs must start with 'arn:': {arn}")));
    }
    Resource::parse(arn)
        .filter(|resource| resource.stream.is_none() && resource.table.len() >= MIN_NAME_CHARACTERS)
        .ok_or_else(|| {
            ApiError::validation(format!("Invalid TableArn: Invalid ResourceArn provided as input {arn}"))
        })
}

/// The error for adding tags to a table that does not exist. The spelling is AWS's.
pub(crate) fn tagged_not_found(arn: &str) -> ApiError {
    ApiError::new(
        ErrorKind::ResourceNotFoundException,
        format!("Requested resource not found: ResourcArn: {arn} not found"),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arns() {
        let table = |name: &str, stream: Option<&str>| {
            Some(Resource { table: name.into(), stream: stream.map(str::to_owned) })
        };
        for (arn, expected) in [
            ("arn:aws:dynamodb:us-east-1:000000000000:table/orders", table("orders", None)),
            (
                "arn:aws:dynamodb:eu-west-1:1:table/o/stream/2015-05-11T21:21:33.291",
                table("o", Some("2015-05-11T21:21:33.291")),
            ),
            ("arn:aws:dynamodb:us-east-1:000000000000:table/orders/index/i", None),
            ("arn:aws:s3:us-east-1:000000000000:table/orders", None),
            ("orders", None),
            ("arn:aws:dynamodb:us-east-1:000000000000:table/", None),
        ] {
            assert_eq!(Resource::parse(arn), expected, "{arn}");
        }
    }
}
