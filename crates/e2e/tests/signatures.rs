//! Verified signatures of the AWS SDK for Rust: the right secret is accepted, any other one is not.
#![allow(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

use std::path::Path;
use std::sync::Arc;

use aws_sdk_dynamodb::Client;
use aws_sdk_dynamodb::config::{BehaviorVersion, Credentials, Region};
use aws_sdk_dynamodb::error::ProvideErrorMetadata as _;
use aws_sdk_dynamodb::types::{AttributeValue, BillingMode, KeyType};
use sortkey_access::{Authority, IdentityFile, Keyring};
use sortkey_e2e::{definition, key_element, s};
use sortkey_server::{AccessMode, Database, Guard, Server, Settings};

/// Starts a server that verifies signatures of a file of identities; returns its address.
async fn start(identities: &Path, keyring: Keyring) -> String {
    let authority = Some(Arc::new(Authority::open(identities, keyring).unwrap()));
    let guard = Guard { mode: AccessMode::Credentials, authority, ..Guard::default() };
    let settings = Settings { guard, ..Settings::default() };
    let database = Database::memory(sortkey_engine::Settings::default());
    let server = Server::bind(([127, 0, 0, 1], 0).into(), database, settings, Vec::new()).await.unwrap();
    let address = server.local_address().unwrap();
    tokio::spawn(server.run(std::future::pending()));
    format!("http://{address}")
}

fn client(endpoint: &str, region: &'static str, id: &str, secret: &str, token: Option<&str>) -> Client {
    let credentials = Credentials::new(id, secret, token.map(str::to_owned), None, "e2e");
    let config = aws_sdk_dynamodb::Config::builder()
        .behavior_version(BehaviorVersion::latest())
        .endpoint_url(endpoint)
        .region(Region::new(region))
        .credentials_provider(credentials)
        .http_client(aws_smithy_http_client::Builder::new().build_http())
        .build();
    Client::from_conf(config)
}

#[tokio::test]
async fn the_right_secret_is_accepted_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let identities = folder.path().join("auth.json");
    let keyring = Keyring::generate().unwrap();
    let key = IdentityFile::change(&identities, |file| {
        file.create_user("ann", false)?;
        file.create_key("ann", &keyring)
    });
    let key = key.unwrap();
    let endpoint = start(&identities, keyring).await;

    let ann = client(&endpoint, "eu-central-1", &key.id, &key.secret, None);
    ann.create_table()
        .table_name("notes")
        .key_schema(key_element("id", KeyType::Hash))
        .attribute_definitions(definition("id", "S"))
        .billing_mode(BillingMode::PayPerRequest)
        .send()
        .await
        .unwrap();
    for id in ["a", "ä/ß?&=+ %", ""] {
        let text = AttributeValue::S(format!("{id} {}", "x".repeat(100_000)));
        let put =
            ann.put_item().table_name("notes").item("id", s(id)).item("text", text.clone()).send().await;
        if id.is_empty() {
            assert_eq!(put.unwrap_err().code(), Some("ValidationException"));
            continue;
        }
        put.unwrap();
        let read = ann.get_item().table_name("notes").key("id", s(id)).send().await.unwrap();
        assert_eq!(read.item().unwrap()["text"], text);
    }

    for (id, secret, token, expected) in [
        (key.id.as_str(), "another", None, "InvalidSignatureException"),
        ("AKIAIOSFODNN7EXAMPLE", key.secret.as_str(), None, "UnrecognizedClientException"),
        (key.id.as_str(), key.secret.as_str(), Some("a token"), "UnrecognizedClientException"),
    ] {
        let stranger = client(&endpoint, "us-east-1", id, secret, token);
        let read = stranger.get_item().table_name("notes").key("id", s("a")).send().await;
        assert_eq!(read.unwrap_err().code(), Some(expected), "{id}");
    }
}
