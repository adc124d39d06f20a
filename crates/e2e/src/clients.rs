//! Clients of the AWS SDK for Rust, configured as a user of a local DynamoDB would.

use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_smithy_http_client::Builder;

use crate::target;

/// A client of the DynamoDB API. Each test takes its own, since connections belong to the test's runtime.
pub fn dynamodb() -> aws_sdk_dynamodb::Client {
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .endpoint_url(target::endpoint())
        .region(Region::new("us-east-1"))
        .credentials_provider(credentials())
        .http_client(Builder::new().build_http())
        .build();
    aws_sdk_dynamodb::Client::from_conf(config)
}

/// A client of the Streams API, which the same port serves.
pub fn streams() -> aws_sdk_dynamodbstreams::Client {
    let config = aws_sdk_dynamodbstreams::Config::builder()
        .behavior_version(aws_sdk_dynamodbstreams::config::BehaviorVersion::latest())
        .endpoint_url(target::endpoint())
        .region(Region::new("us-east-1"))
        .credentials_provider(credentials())
        .http_client(Builder::new().build_http())
        .build();
    aws_sdk_dynamodbstreams::Client::from_conf(config)
}

/// Any well-formed credentials will do.
fn credentials() -> Credentials {
    Credentials::new("AKIAIOSFODNN7EXAMPLE", "secret", None, None, "e2e")
}
