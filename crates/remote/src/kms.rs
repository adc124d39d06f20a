//! AWS KMS: two operations, which encrypt and decrypt the key of a keyring.
//!
//! Credentials, region and endpoint come from the environment, as for every AWS tool. The generated crate of the SDK for KMS
//! would be larger than everything else that is linked of the SDK; two requests in JSON need none of it.

use std::time::Duration;

use aws_smithy_runtime::client::orchestrator::operation::Operation as SdkOperation;
use aws_smithy_runtime_api::client::runtime_plugin::SharedRuntimePlugin;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use sortkey_api::ApiError;

use crate::client::{http_client, prepare};
use crate::identity;
use crate::retry::Retryable;
use crate::settings::{BadEndpoint, Settings};
use crate::trouble;
use crate::wire::{Answered, Asked, JSON_1_1};

/// The region where neither the key nor the environment names one.
const REGION: &str = "us-east-1";

/// The encryption context of every ciphertext: KMS decrypts it with the same context only,
/// and records it in its own log.
const CONTEXT: (&str, &str) = ("sortkey", "keyring");

/// A client of AWS KMS.
#[derive(Debug)]
pub struct Kms {
    endpoint: String,
    operation: SdkOperation<Asked, Answered, ApiError>,
}

impl Kms {
    /// A client for a key: `arn:aws:kms:REGION:ACCOUNT:key/ID`, an id, or an alias in the region of the environment.
    /// `endpoint` replaces AWS's own address, `ca` the certificates of the machine. Nothing is sent yet; must be called
    /// within a tokio runtime.
    pub async fn new(key_id: &str, endpoint: Option<&str>, ca: Option<&[u8]>) -> Result<Kms, BadEndpoint> {
        let http = http_client(true, ca);
        let named = region_of(key_id).map(str::to_owned);
        let (found, provider) = identity::found(&http, named.clone()).await;
        let region = named.or_else(|| found.map(|region| region.to_string())).unwrap_or(REGION.to_owned());
        let endpoint = endpoint.map_or_else(|| address(&region), str::to_owned);
        let region = aws_config::Region::new(region);
        let settings = Settings {
            patience: Duration::from_secs(20),
            attempt: Duration::from_secs(5),
            attempts: 3,
            ..Settings::new(&endpoint)?
        };
        let signing = SharedRuntimePlugin::new(identity::plugin("kms", Some(region), provider));
        let operation = prepare("kms", &settings, &http, &signing, Retryable { harmless: true });
        Ok(Kms { endpoint: settings.endpoint, operation })
    }

    /// Encrypts at most 4,096 bytes. Returns the ARN of the key and what only KMS can decrypt.
    pub async fn encrypt(&self, key_id: &str, secret: &[u8]) -> Result<(String, Vec<u8>), ApiError> {
        let body = json!({
            "KeyId": key_id,
            "Plaintext": STANDARD.encode(secret),
            "EncryptionContext": {CONTEXT.0: CONTEXT.1},
        });
        let answer = self.call("TrentService.Encrypt", &body).await?;
        let encrypted = self.bytes(&answer, "CiphertextBlob", "TrentService.Encrypt")?;
        Ok((answer["KeyId"].as_str().unwrap_or(key_id).to_owned(), encrypted))
    }

    /// Decrypts what [`encrypt`](Kms::encrypt) returned, with this key and no other.
    pub async fn decrypt(&self, key_id: &str, encrypted: &[u8]) -> Result<Vec<u8>, ApiError> {
        let body = json!({
            "KeyId": key_id,
            "CiphertextBlob": STANDARD.encode(encrypted),
            "EncryptionContext": {CONTEXT.0: CONTEXT.1},
        });
        let answer = self.call("TrentService.Decrypt", &body).await?;
        self.bytes(&answer, "Plaintext", "TrentService.Decrypt")
    }

    async fn call(&self, target: &'static str, body: &Value) -> Result<Value, ApiError> {
        let asked = Asked { target, content_type: JSON_1_1, body: body.to_string().into_bytes() };
        let answered = self.operation.invoke(asked).await;
        let answered = answered.map_err(|error| trouble::explain(&self.endpoint, target, error))?;
        serde_json::from_slice(&answered).map_err(|_| self.not_understood(target))
    }

    fn bytes(&self, answer: &Value, member: &str, target: &str) -> Result<Vec<u8>, ApiError> {
        let bytes = answer[member].as_str().and_then(|text| STANDARD.decode(text).ok());
        bytes.ok_or_else(|| self.not_understood(target))
    }

    /// The error for an answer that is not KMS's. It shows nothing of the answer, which may contain a secret.
    fn not_understood(&self, target: &str) -> ApiError {
        let what = format!("{} does not answer {target} as AWS KMS does", self.endpoint);
        ApiError::new(sortkey_api::ErrorKind::ServiceUnavailableException, what)
    }
}

/// `eu-west-1` in `arn:aws:kms:eu-west-1:123456789012:key/ID`.
fn region_of(key_id: &str) -> Option<&str> {
    let mut parts = key_id.split(':');
    let is_kms = parts.next() == Some("arn") && parts.next().is_some() && parts.next() == Some("kms");
    parts.next().filter(|region| is_kms && !region.is_empty())
}

/// AWS's own address of KMS in a region.
fn address(region: &str) -> String {
    let china = if region.starts_with("cn-") { ".cn" } else { "" };
    format!("https://kms.{region}.amazonaws.com{china}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_names_its_region_and_a_region_its_address() {
        for (key_id, region) in [
            ("arn:aws:kms:eu-west-1:123456789012:key/1234", Some("eu-west-1")),
            ("arn:aws-cn:kms:cn-north-1:123456789012:alias/sortkey", Some("cn-north-1")),
            ("arn:aws:s3:::bucket", None),
            ("alias/sortkey", None),
            ("1234abcd-12ab-34cd-56ef-1234567890ab", None),
            ("", None),
        ] {
            assert_eq!(region_of(key_id), region, "{key_id}");
        }
        assert_eq!(address("eu-west-1"), "https://kms.eu-west-1.amazonaws.com");
        assert_eq!(address("cn-north-1"), "https://kms.cn-north-1.amazonaws.com.cn");
    }
}
