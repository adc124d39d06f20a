//! Issuers and their keys, as long as they are held.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use parking_lot::Mutex;
use serde_json::Value as Json;
use sortkey_outbound::{Client, Method, Request};

use crate::claims::Expected;
use crate::keys::{self, Key};
use crate::token::Token;
use crate::{Defect, Error};

/// For how long keys are used before they are fetched anew.
const FRESH_FOR: Duration = Duration::from_secs(600);

/// For how long keys are used if the issuer cannot be reached.
const HELD_FOR: Duration = Duration::from_secs(24 * 60 * 60);

/// How long after a fetch the next one may begin, whatever tokens arrive.
pub const REFETCH_AFTER: Duration = Duration::from_secs(30);

/// How many issuers are held.
const MAX_ISSUERS: usize = 64;

/// How long a fetch may take.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Verifies tokens of issuers.
pub struct Issuers {
    client: Client,
    held: Mutex<HashMap<Place, Arc<Held>>>,
}

/// An issuer, and the address of its keys if it is configured instead of discovered.
type Place = (String, Option<String>);

/// The keys of an issuer.
#[derive(Default)]
struct Held {
    state: Mutex<Fetched>,
    /// Held by the one fetch at a time.
    fetching: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct Fetched {
    keys: Arc<Vec<Key>>,
    /// When they were fetched.
    at: Option<Instant>,
    /// When a fetch was last tried, and why it failed.
    tried: Option<(Instant, Option<String>)>,
}

impl Fetched {
    fn needs_fetch(&self, is_missing_one: bool) -> bool {
        let is_fresh = self.at.is_some_and(|at| at.elapsed() < FRESH_FOR) && !is_missing_one;
        !is_fresh && self.tried.as_ref().is_none_or(|(at, _)| at.elapsed() >= REFETCH_AFTER)
    }

    fn fetched(&mut self, outcome: Result<Vec<Key>, String>) {
        let now = Instant::now();
        match outcome {
            Ok(keys) => *self = Fetched { keys: Arc::new(keys), at: Some(now), tried: Some((now, None)) },
            Err(why) => self.tried = Some((now, Some(why))),
        }
    }

    fn is_usable(&self) -> bool {
        self.at.is_some_and(|at| at.elapsed() < HELD_FOR)
    }

    fn usable(&self) -> Result<Arc<Vec<Key>>, String> {
        match self.is_usable() {
            true => Ok(Arc::clone(&self.keys)),
            false => Err(self.tried.as_ref().and_then(|(_, why)| why.clone()).unwrap_or_default()),
        }
    }
}

impl Issuers {
    /// Issuers that are reached by a client.
    pub fn new(client: Client) -> Issuers {
        Issuers { client, held: Mutex::default() }
    }

    /// The claims of a token, if it is as expected.
    pub async fn verify(&self, expected: &Expected<'_>, token: &str) -> Result<Json, Error> {
        let token = Token::parse(token)?;
        // Comparing claims costs nothing, and spares the issuer requests for most wrong tokens.
        expected.check(&token.claims)?;
        let keys = self.keys(expected, false).await?;
        match keys::verify(&keys, &token) {
            // The issuer may have a new key.
            Err(Defect::Key) => keys::verify(&self.keys(expected, true).await?, &token)?,
            verified => verified?,
        }
        Ok(token.claims)
    }

    /// The keys of an issuer: those that are held, or what a fetch brings.
    async fn keys(&self, expected: &Expected<'_>, is_missing_one: bool) -> Result<Arc<Vec<Key>>, Error> {
        let held = self.held(expected);
        if held.state.lock().needs_fetch(is_missing_one) {
            // A caller with usable keys does not wait for a fetch that another one began.
            let has_keys = held.state.lock().is_usable();
            let guard = match held.fetching.try_lock() {
                Ok(guard) => Some(guard),
                Err(_) if has_keys && !is_missing_one => None,
                Err(_) => Some(held.fetching.lock().await),
            };
            if guard.is_some() && held.state.lock().needs_fetch(is_missing_one) {
                let outcome = self.fetch(expected).await;
                held.state.lock().fetched(outcome);
            }
        }
        held.state
            .lock()
            .usable()
            .map_err(|why| Error::Unavailable { issuer: expected.issuer.to_owned(), why })
    }

    fn held(&self, expected: &Expected<'_>) -> Arc<Held> {
        let place = (expected.issuer.to_owned(), expected.keys.map(str::to_owned));
        let mut held = self.held.lock();
        // A design names few issuers. One that computes them from requests must not fill the memory.
        if held.len() >= MAX_ISSUERS && !held.contains_key(&place) {
            held.clear();
        }
        Arc::clone(held.entry(place).or_default())
    }

    async fn fetch(&self, expected: &Expected<'_>) -> Result<Vec<Key>, String> {
        let address = match expected.keys {
            Some(address) => address.to_owned(),
            None => {
                let issuer = expected.issuer.trim_end_matches('/');
                let found = self.get(&format!("{issuer}/.well-known/openid-configuration")).await?;
                if found["issuer"].as_str() != Some(expected.issuer) {
                    return Err("its configuration is that of another issuer".to_owned());
                }
                found["jwks_uri"].as_str().ok_or("its configuration names no keys")?.to_owned()
            }
        };
        let set = self.get(&address).await?;
        keys::parse(&set).ok_or_else(|| format!("{address} is not a set of keys"))
    }

    async fn get(&self, url: &str) -> Result<Json, String> {
        let request = Request {
            method: Method::GET,
            url: url.to_owned(),
            headers: vec![("accept".to_owned(), "application/json".to_owned())],
            body: Bytes::new(),
            timeout: TIMEOUT,
        };
        let response = self.client.send(request).await.map_err(|error| format!("{url}: {error}"))?;
        if response.status != 200 || response.is_truncated {
            return Err(format!("{url} answered {} with {} bytes", response.status, response.body.len()));
        }
        serde_json::from_slice(&response.body).map_err(|_| format!("{url} did not answer with JSON"))
    }
}
