//! AWS KMS, for keyrings whose file is encrypted under one of its keys.

use sortkey_access::KeyService;
use sortkey_remote::Kms;

use crate::tls::Trust;

/// Reaches KMS as configured in the environment: credentials, region, AWS_ENDPOINT_URL_KMS, AWS_CA_BUNDLE.
#[derive(Debug)]
pub(crate) struct AwsKms;

impl KeyService for AwsKms {
    fn encrypt(&self, key_id: &str, secret: &[u8]) -> Result<(String, Vec<u8>), String> {
        apart(|| async {
            let encrypted = client(key_id).await?.encrypt(key_id, secret).await;
            encrypted.map_err(|error| error.to_string())
        })
    }

    fn decrypt(&self, key_id: &str, encrypted: &[u8]) -> Result<Vec<u8>, String> {
        apart(|| async {
            let secret = client(key_id).await?.decrypt(key_id, encrypted).await;
            secret.map_err(|error| error.to_string())
        })
    }
}

async fn client(key_id: &str) -> Result<Kms, String> {
    let ca = Trust { ca: std::env::var_os("AWS_CA_BUNDLE").map(Into::into) };
    let ca = ca.pem().map_err(|failure| failure.to_string())?;
    let client = Kms::new(key_id, endpoint().as_deref(), ca.as_deref()).await;
    client.map_err(|error| error.to_string())
}

/// The address that the environment names instead of AWS's, in the order of the AWS SDKs.
fn endpoint() -> Option<String> {
    let named = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let are_ignored =
        named("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS").is_some_and(|value| value.eq_ignore_ascii_case("true"));
    match are_ignored {
        true => None,
        false => named("AWS_ENDPOINT_URL_KMS").or_else(|| named("AWS_ENDPOINT_URL")),
    }
}

/// Waits for a future on a thread of its own: the thread that needs the keyring may already run a server.
fn apart<T, F>(work: impl FnOnce() -> F + Send) -> Result<T, String>
where
    T: Send,
    F: Future<Output = Result<T, String>>,
{
    let run = || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.map_err(|error| error.to_string())?.block_on(work())
    };
    std::thread::scope(|scope| scope.spawn(run).join())
        .unwrap_or_else(|_| Err("the request to AWS KMS ended unexpectedly".to_owned()))
}
