//! A client is opened: its compiled program over a backend, with what the application decides.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Serialize;
use serde_json::Value as Json;
use sha2::{Digest as _, Sha256};
use sortkey_core::{Answer, Backend, Caller, Clock, Core, Effects, Failure, Ids, Keyring, Runtime, Settings};
use sortkey_design::wire;
use sortkey_embedded::{Embedded, ephemeral};

use super::errors::error;
use super::watch::{Hook, Watch};
use super::{CommonError, DesignError, Given, OpenError, Sent};
use crate::Database;

/// The variable that processes share cursors by.
const CURSOR_KEY: &str = "SORTKEY_CURSOR_KEY";

/// The backend of a client, and the settings that the application chooses.
#[derive(Clone)]
#[must_use = "options open a client"]
pub struct Options {
    backend: Arc<dyn Backend>,
    clock: Option<Arc<dyn Clock>>,
    keyring: Option<Arc<dyn Keyring>>,
    effects: Option<Arc<dyn Effects>>,
    hook: Option<Hook>,
    cursor_key: Option<[u8; 32]>,
    seed: Option<[u8; 32]>,
    table_prefix: Option<String>,
    parameters: BTreeMap<String, String>,
    bcrypt_cost: u32,
    program: Option<String>,
}

impl Options {
    /// Requests go to a database in this process, whose clock the client follows.
    pub fn database(database: &Database) -> Options {
        let embedded = Embedded::new(database.engine().clone());
        let options = Options::over(Arc::new(embedded.clone()));
        Options { clock: Some(Arc::new(embedded)), ..options }
    }

    /// Requests go to a backend.
    pub fn over(backend: Arc<dyn Backend>) -> Options {
        Options {
            backend,
            clock: None,
            keyring: None,
            effects: None,
            hook: None,
            cursor_key: None,
            seed: None,
            table_prefix: None,
            parameters: BTreeMap::new(),
            bcrypt_cost: 12,
            program: None,
        }
    }

    /// Requests go to the DynamoDB at an endpoint, with the credentials and the region that every AWS tool finds. Must be
    /// called within a tokio runtime.
    #[cfg(feature = "remote")]
    pub async fn remote(endpoint: &str) -> Result<Options, OpenError> {
        let settings =
            sortkey_remote::Settings::new(endpoint).map_err(|error| OpenError::Invalid(error.to_string()))?;
        Ok(Options::over(Arc::new(sortkey_remote::Remote::new(settings).await)))
    }

    /// Keeps the keys of encrypted attributes.
    pub fn keyring(mut self, keyring: impl Keyring) -> Options {
        self.keyring = Some(Arc::new(keyring));
        self
    }

    /// Carries out what the design does outside of the database.
    pub fn effects(mut self, effects: impl Effects) -> Options {
        self.effects = Some(Arc::new(effects));
        self
    }

    /// Sees each request, once its answer is there.
    pub fn on_request(mut self, hook: impl Fn(&Sent<'_>) + Send + Sync + 'static) -> Options {
        self.hook = Some(Arc::new(hook));
        self
    }

    /// Seals cursors. Processes that serve the same clients share it; from SORTKEY_CURSOR_KEY if it is left out.
    pub fn cursor_key(mut self, key: [u8; 32]) -> Options {
        self.cursor_key = Some(key);
        self
    }

    /// Written before the name of every table.
    pub fn table_prefix(mut self, prefix: impl Into<String>) -> Options {
        self.table_prefix = Some(prefix.into());
        self
    }

    /// Gives a parameter of the design its value.
    pub fn parameter(mut self, name: impl Into<String>, value: impl Into<String>) -> Options {
        self.parameters.insert(name.into(), value.into());
        self
    }

    /// The time.
    pub fn clock(mut self, clock: impl Clock) -> Options {
        self.clock = Some(Arc::new(clock));
        self
    }

    /// Decides every id and token: for tests only.
    pub fn seed(mut self, seed: [u8; 32]) -> Options {
        self.seed = Some(seed);
        self
    }

    /// The logarithm of the rounds of `bcrypt`; 12 if it is left out.
    pub fn bcrypt_cost(mut self, cost: u32) -> Options {
        self.bcrypt_cost = cost;
        self
    }

    /// Another program to run than the client's own. It must be of the same design.
    pub fn program(mut self, program: impl Into<String>) -> Options {
        self.program = Some(program.into());
        self
    }

    fn settings(&self) -> Result<Settings, OpenError> {
        if !(4..=31).contains(&self.bcrypt_cost) {
            return Err(invalid(format!("`bcrypt_cost`: expected 4 to 31, not {}", self.bcrypt_cost)));
        }
        let defaults = ephemeral().map_err(|error| invalid(error.to_string()))?;
        let shared = match std::env::var(CURSOR_KEY) {
            Ok(text) => {
                let key = hex(&text);
                Some(key.ok_or_else(|| invalid(format!("{CURSOR_KEY}: expected 64 hexadecimal digits")))?)
            }
            Err(_) => None,
        };
        Ok(Settings {
            clock: self.clock.clone().unwrap_or(defaults.clock),
            keyring: self.keyring.clone().unwrap_or(defaults.keyring),
            effects: self.effects.clone().unwrap_or(defaults.effects),
            ids: self.seed.map_or(defaults.ids, |seed| Arc::new(Ids::from_seed(seed))),
            cursor_key: self.cursor_key.or(shared).unwrap_or(defaults.cursor_key),
            table_prefix: self.table_prefix.clone(),
            parameters: self.parameters.clone(),
            bcrypt_cost: self.bcrypt_cost,
            ..defaults
        })
    }
}

fn invalid(message: String) -> OpenError {
    OpenError::Invalid(message)
}

/// The bytes of 64 hexadecimal digits.
fn hex(text: &str) -> Option<[u8; 32]> {
    let mut key = [0; 32];
    if text.len() != 64 || !text.is_ascii() {
        return None;
    }
    for (at, byte) in key.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[at * 2..at * 2 + 2], 16).ok()?;
    }
    Some(key)
}

/// A program that is open, for one caller. Clones are handles of the same one.
#[derive(Clone)]
pub struct Client {
    core: Core,
    backend: Arc<dyn Backend>,
    hook: Option<Hook>,
    /// The caller; the failure if nobody of this design can be that.
    caller: Option<Result<Caller, Failure>>,
}

impl Client {
    /// Opens the program of a generated client.
    pub fn open(program: &str, fingerprint: &str, options: Options) -> Result<Client, OpenError> {
        let text = options.program.as_deref().unwrap_or(program);
        let read = read(text)?;
        let found: String =
            Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect();
        if found != fingerprint {
            return Err(OpenError::WrongDesign { expected: short(fingerprint), found: short(&found) });
        }
        let core = Core::new(Arc::new(read), options.settings()?).map_err(|problems| {
            invalid(problems.into_iter().map(|problem| problem.message).collect::<Vec<_>>().join("; "))
        })?;
        Ok(Client { core, backend: options.backend, hook: options.hook, caller: None })
    }

    /// This client's program and backend, for a caller.
    pub fn acting_as(&self, caller: &impl Serialize) -> Client {
        let attributes = match serde_json::to_value(caller) {
            Ok(Json::Object(attributes)) => attributes,
            _ => serde_json::Map::new(),
        };
        Client { caller: Some(self.core.caller(attributes, self.now_ms())), ..self.clone() }
    }

    pub(super) fn core(&self) -> &Core {
        &self.core
    }

    pub(super) fn now_ms(&self) -> i64 {
        self.core.now_ms()
    }

    /// Runs a call.
    pub(super) async fn run<E: DesignError>(
        &self,
        path: &str,
        given: Given,
        cursor: Option<&str>,
        limit: Option<u32>,
        version: Option<i64>,
    ) -> Result<Answer, E> {
        let watch = Arc::new(Watch::new(path, Arc::clone(&self.backend), self.hook.clone()));
        let run = async {
            let arguments = given.0.try_into()?;
            let caller = self.caller.clone().transpose()?;
            let call =
                sortkey_core::Call { name: path, caller: caller.as_ref(), arguments, cursor, limit, version };
            let backend: Arc<dyn Backend> = watch.clone();
            Runtime::of_core(self.core.clone(), backend).call(call).await
        };
        run.await.map_err(|failure| {
            let is_of_requests =
                matches!(failure.kind.name(), "Unavailable" | "Internal" | "Throttled" | "Forbidden");
            match watch.trouble().filter(|_| is_of_requests) {
                Some(trouble) => E::common(trouble),
                None => error(failure),
            }
        })
    }
}

/// A program of the version that this crate runs.
fn read(text: &str) -> Result<sortkey_design::Program, OpenError> {
    let json: Json =
        serde_json::from_str(text).map_err(|error| invalid(format!("the program is not JSON: {error}")))?;
    let version = json["version"].as_u64().filter(|_| json["format"] == wire::FORMAT);
    if let Some(version) = version.filter(|version| *version != u64::from(wire::VERSION)) {
        let message =
            format!("the program has version {version} of its format, and this crate runs {}", wire::VERSION);
        return Err(match version > u64::from(wire::VERSION) {
            true => OpenError::OldCore(message),
            false => OpenError::OldProgram(message),
        });
    }
    wire::read(&json).map_err(|error| invalid(error.to_string()))
}

fn short(fingerprint: &str) -> String {
    fingerprint.chars().take(12).collect()
}

/// Errors of calls that are not those of a design.
impl DesignError for CommonError {
    fn declared(name: &str, mut refused: super::Refused) -> Result<CommonError, super::Refused> {
        refused.message = format!("{name}: {}", refused.message);
        Err(refused)
    }

    fn common(error: CommonError) -> CommonError {
        error
    }
}
