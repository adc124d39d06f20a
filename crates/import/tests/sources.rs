//! The design made from a source compiles, and contains everything that the source does.

use sortkey_design::{NoFiles, compile};
use sortkey_import::{ImportError, import};

fn check(text: &str, expected: &[&str]) {
    let design = import("shop", text);
    assert!(design.is_ok(), "{design:?}");
    let design = design.unwrap_or_default();
    let compilation = compile("shop.sk", &design, &NoFiles);
    assert_eq!(compilation.diagnostics, [], "{design}");
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for line in expected {
        assert!(words(&design).contains(line), "{line:?} is missing from\n{design}");
    }
}

#[test]
fn describe_table() {
    check(
        r##"{ "Table": {
          "TableName": "music-library",
          "AttributeDefinitions": [
            { "AttributeName": "Artist", "AttributeType": "S" },
            { "AttributeName": "Song#Title", "AttributeType": "S" },
            { "AttributeName": "Year", "AttributeType": "N" }
          ],
          "KeySchema": [ { "AttributeName": "Artist", "KeyType": "HASH" }, { "AttributeName": "Song#Title", "KeyType": "RANGE" } ],
          "BillingModeSummary": { "BillingMode": "PAY_PER_REQUEST" },
          "GlobalSecondaryIndexes": [ {
            "IndexName": "year-index",
            "KeySchema": [ { "AttributeName": "Year", "KeyType": "HASH" } ],
            "Projection": { "ProjectionType": "INCLUDE", "NonKeyAttributes": ["Genre"] },
            "ProvisionedThroughput": { "ReadCapacityUnits": 0, "WriteCapacityUnits": 0 }
          } ]
        } }"##,
        &[
            "table MusicLibrary \"music-library\" {",
            "(Artist | `Song#Title`)",
            "index year-index (Year) project [Genre]",
            "billing on_demand",
            "pattern getMusicLibraryItem = get MusicLibraryItem by Artist, `Song#Title`",
            "// TODO",
        ],
    );
}

#[test]
fn cloudformation_in_yaml() {
    check(
        r##"
AWSTemplateFormatVersion: "2010-09-09"
Resources:
  EventsTable:
    Type: AWS::DynamoDB::Table
    Properties:
      TableName: !Sub "${AWS::StackName}-events"
      BillingMode: PROVISIONED
      ProvisionedThroughput: { ReadCapacityUnits: 5, WriteCapacityUnits: 10 }
      AttributeDefinitions:
        - { AttributeName: pk, AttributeType: S }
        - { AttributeName: sk, AttributeType: S }
      KeySchema:
        - { AttributeName: pk, KeyType: HASH }
        - { AttributeName: sk, KeyType: RANGE }
      TimeToLiveSpecification: { AttributeName: expiresAt, Enabled: true }
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true }
      SSESpecification: { SSEEnabled: true }
  Bucket:
    Type: AWS::S3::Bucket
  Simple:
    Type: AWS::Serverless::SimpleTable
"##,
        &[
            "table Events \"{stack}-events\" {",
            "billing provisioned 5 rcu 10 wcu",
            "ttl expiresAt",
            "recovery 35d",
            "encryption aws_managed",
            "table Simple {",
            "parameter stack: string(1..40)",
        ],
    );
}

#[test]
fn what_has_no_tables_is_said_so() {
    assert_eq!(import("x", "{}"), Err(ImportError::NoTables));
    assert_eq!(import("x", "Resources: {}\n"), Err(ImportError::NoTables));
    assert!(matches!(import("x", "{ \"a\": "), Err(ImportError::Unreadable(_))));
}
