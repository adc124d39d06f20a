//! The client: two prepared operations of the SDK that every request goes through, one for those that may happen twice.

use std::sync::Arc;
use std::time::Duration;

use aws_smithy_async::rt::sleep::TokioSleep;
use aws_smithy_async::time::SystemTimeSource;
use aws_smithy_http_client::{Builder, tls};
use aws_smithy_runtime::client::orchestrator::operation::Operation as SdkOperation;
use aws_smithy_runtime_api::client::behavior_version::BehaviorVersion;
use aws_smithy_runtime_api::client::http::SharedHttpClient;
use aws_smithy_runtime_api::client::runtime_plugin::SharedRuntimePlugin;
use aws_smithy_types::retry::RetryConfig;
use aws_smithy_types::timeout::TimeoutConfig;
use sortkey_api::operations::Operation;
use sortkey_api::shape::{Decode, Encode};
use sortkey_api::{ApiError, decode_output, encode};

use crate::identity;
use crate::retry::{self, Retryable};
use crate::settings::{Credentials, Settings};
use crate::trouble;
use crate::wire::{self, Answered, Asked, JSON_1_0};

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(3);

/// Before the second attempt, at most; DynamoDB answers in milliseconds, and its throttling passes within a second.
const FIRST_BACKOFF: Duration = Duration::from_millis(50);
const LONGEST_BACKOFF: Duration = Duration::from_secs(5);

/// A DynamoDB elsewhere. Clones share their connections.
#[derive(Clone, Debug)]
pub struct Remote {
    endpoint: Arc<str>,
    freely: SdkOperation<Asked, Answered, ApiError>,
    carefully: SdkOperation<Asked, Answered, ApiError>,
}

impl Remote {
    /// A client. Nothing is sent yet; must be called within a tokio runtime.
    pub async fn new(settings: Settings) -> Remote {
        // Credentials may have to be fetched over TLS, wherever the DynamoDB is.
        let https = settings.is_https() || settings.credentials == Credentials::FromEnvironment;
        let http = http_client(https, settings.ca.as_deref());
        let signing = SharedRuntimePlugin::new(identity::signing("dynamodb", &settings, &http).await);
        let operation = |harmless| prepare("dynamodb", &settings, &http, &signing, Retryable { harmless });
        let (freely, carefully) = (operation(true), operation(false));
        Remote { endpoint: settings.endpoint.into(), freely, carefully }
    }

    /// Its address.
    pub fn endpoint(&self) -> &str {
        &self.endpoint
    }

    /// Sends a request and waits for its answer.
    pub async fn call<O: Operation>(&self, input: O::Input) -> Result<O::Output, ApiError>
    where
        O::Input: Encode,
        O::Output: Decode,
    {
        let mut body = Vec::new();
        encode(&input, &mut body);
        let asked = Asked { target: O::ID.target(), content_type: JSON_1_0, body };
        let operation = if retry::is_harmless(asked.target) { &self.freely } else { &self.carefully };
        let answered = operation.invoke(asked).await;
        let answered = answered.map_err(|error| trouble::explain(&self.endpoint, O::ID.target(), error))?;
        // Some operations answer with no body at all.
        let body = if answered.is_empty() { b"{}" } else { answered.as_slice() };
        decode_output(body).map_err(|_| trouble::not_understood(&self.endpoint, O::ID.target(), body))
    }
}

/// An operation of the SDK that every request to a service goes through.
pub(crate) fn prepare(
    service: &'static str,
    settings: &Settings,
    http: &SharedHttpClient,
    signing: &SharedRuntimePlugin,
    retryable: Retryable,
) -> SdkOperation<Asked, Answered, ApiError> {
    let timeouts = TimeoutConfig::builder()
        .connect_timeout(CONNECT)
        .operation_attempt_timeout(settings.attempt)
        .operation_timeout(settings.patience)
        .build();
    let retries = RetryConfig::standard()
        .with_max_attempts(settings.attempts.max(1))
        .with_initial_backoff(FIRST_BACKOFF)
        .with_max_backoff(LONGEST_BACKOFF);
    SdkOperation::builder()
        .service_name(service)
        // The name only labels the SDK's own logs; the operation is named in the request.
        .operation_name("any")
        .behavior_version(BehaviorVersion::latest())
        .http_client(http.clone())
        .endpoint_url(&settings.endpoint)
        .retry_classifier(retryable)
        .standard_retry(&retries)
        .timeout_config(timeouts)
        .sleep_impl(TokioSleep::new())
        .time_source(SystemTimeSource::new())
        .with_connection_poisoning()
        .runtime_plugin(signing.clone())
        .serializer(wire::serialize)
        .deserializer(wire::deserialize)
        .build()
}

/// The SDK's connections; `ca` replaces the certificates of the machine.
pub(crate) fn http_client(https: bool, ca: Option<&[u8]>) -> SharedHttpClient {
    match https {
        true => {
            let builder =
                Builder::new().tls_provider(tls::Provider::Rustls(tls::rustls_provider::CryptoMode::Ring));
            let trust = ca.map(|pem| tls::TrustStore::empty().with_pem_certificate(pem));
            let context =
                trust.and_then(|trust| tls::TlsContext::builder().with_trust_store(trust).build().ok());
            match context {
                Some(context) => builder.tls_context(context).build_https(),
                None => builder.build_https(),
            }
        }
        // Reading the machine's certificates takes time that a local server does not need.
        false => Builder::new().build_http(),
    }
}
