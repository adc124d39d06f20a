//! A design, opened on a database and called.

use std::future::Future;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value as Json};
use sortkey_core::{Answer, Backend, Call, Caller, Clock, Failure, Pending, Settings};
use sortkey_deploy::{Coverage, DeployError, prepare};
use sortkey_design::{Compilation, FileLoader, compile};
use sortkey_diagnostics::{Diagnostic, Style, render};
use sortkey_embedded::{Embedded, KeyFile, block_on, ephemeral, pause};
use thiserror::Error;

use crate::Database;

/// A compiled design.
///
/// ```
/// use serde_json::json;
/// use sortkey::{Database, Design};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let design = Design::from_text(r#"
///     table Notes "notes" { key (userId | noteId) }
///     caller { userId slug }
///     entity Note in Notes { userId slug = caller.userId  noteId ulid = new  words string(1..200)  tenant userId }
///     operation write = create Note
///     pattern notes = list Note by userId page 20
/// "#)?;
/// let notes = design.on(&Database::memory())?;
/// let ada = notes.caller(json!({ "userId": "ada" }))?;
/// notes.call("write", Some(&ada), json!({ "words": "remember the milk" })).wait()?;
/// let all = notes.call("notes", Some(&ada), json!({ "userId": "ada" })).wait()?;
/// assert_eq!(all.items()[0]["words"], "remember the milk");
/// # Ok(())
/// # }
/// ```
pub struct Design {
    compiled: Compilation,
    key_file: Option<PathBuf>,
    parameters: Vec<(String, String)>,
}

/// Why a design cannot be compiled, or cannot run where it is opened.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct DesignError(pub(crate) String);

impl Design {
    /// Reads and compiles the design in a file, with the files it imports.
    pub fn load(path: impl AsRef<Path>) -> Result<Design, DesignError> {
        let path = path.as_ref();
        let text = std::fs::read_to_string(path)
            .map_err(|error| DesignError(format!("{}: {error}", path.display())))?;
        Design::compiled(compile(&path.to_string_lossy(), &text, &FileLoader))
    }

    /// Compiles a design that is in the program itself.
    pub fn from_text(text: &str) -> Result<Design, DesignError> {
        Design::compiled(compile("design.sk", text, &FileLoader))
    }

    fn compiled(compiled: Compilation) -> Result<Design, DesignError> {
        if compiled.has_errors() {
            return Err(shown(&compiled, &compiled.diagnostics));
        }
        Ok(Design { compiled, key_file: None, parameters: Vec::new() })
    }

    /// Keeps the master key of encrypted attributes in a file, which is made if it is not there. Without one the key ends with
    /// the process, and what was encrypted is never read again.
    pub fn keys_in(mut self, path: impl Into<PathBuf>) -> Design {
        self.key_file = Some(path.into());
        self
    }

    /// Gives a deployment parameter of the design its value.
    pub fn set(mut self, parameter: &str, value: &str) -> Design {
        self.parameters.push((parameter.to_owned(), value.to_owned()));
        self
    }

    /// Deploys the design to a database in this process, in memory or on disk, and prepares its calls.
    /// Existing tables must fit the design.
    pub fn on(&self, database: &Database) -> Result<Runtime, DesignError> {
        let embedded = Embedded::new(database.engine().clone());
        let clock = Arc::new(embedded.clone());
        block_on(self.open(Arc::new(embedded), Some(clock)))
    }

    /// Brings the design to a DynamoDB at an endpoint, with the credentials and the region that every AWS tool finds.
    #[cfg(feature = "remote")]
    pub async fn at(&self, endpoint: &str) -> Result<Runtime, DesignError> {
        let settings =
            sortkey_remote::Settings::new(endpoint).map_err(|error| DesignError(error.to_string()))?;
        self.open(Arc::new(sortkey_remote::Remote::new(settings).await), None).await
    }

    async fn open(
        &self,
        backend: Arc<dyn Backend>,
        clock: Option<Arc<dyn Clock>>,
    ) -> Result<Runtime, DesignError> {
        let keys = |error: sortkey_core::KeyError| DesignError(error.to_string());
        let defaults = ephemeral().map_err(keys)?;
        let settings = Settings {
            clock: clock.unwrap_or_else(|| Arc::clone(&defaults.clock)),
            keyring: match &self.key_file {
                Some(path) => Arc::new(KeyFile::open_or_create(path).map_err(keys)?),
                None => Arc::clone(&defaults.keyring),
            },
            parameters: self.parameters.iter().cloned().collect(),
            ..defaults
        };
        let program = Arc::clone(&self.compiled.program);
        let runtime = sortkey_core::Runtime::of_program(program, backend, settings).map_err(|problems| {
            DesignError(problems.into_iter().map(|each| each.message + "\n").collect())
        })?;
        let wait = |length: Duration| -> Pending<'_, ()> {
            Box::pin(async move {
                pause(length).await;
                Ok(())
            })
        };
        match prepare(&runtime, Coverage::AsMarked, &wait, &mut |_| {}).await {
            Ok(_) => Ok(Runtime(runtime)),
            Err(DeployError::Refused(refusals) | DeployError::NotUnique(refusals)) => {
                Err(shown(&self.compiled, &refusals))
            }
            Err(DeployError::Failed { table, doing, error }) => {
                Err(DesignError(format!("{table}: {doing}: {error}")))
            }
            Err(DeployError::Stopped { table, failure }) => Err(DesignError(format!("{table}: {failure}"))),
        }
    }
}

/// Diagnostics as `sortkey check` shows them.
fn shown(compiled: &Compilation, diagnostics: &[Diagnostic]) -> DesignError {
    let shown = diagnostics.iter().map(|each| render(each, &compiled.sources, Style::Plain));
    DesignError(shown.collect::<Vec<_>>().join("\n"))
}

/// A design at work: its patterns and operations can be called. Clones are handles of the same runtime.
#[derive(Clone)]
pub struct Runtime(sortkey_core::Runtime);

impl Runtime {
    /// Checks who calls against what the design's `caller` declares: an object.
    pub fn caller(&self, attributes: Json) -> Result<Caller, Failure> {
        self.0.caller(object(attributes, "caller")?)
    }

    /// Calls a pattern or an operation with arguments by name: an object in the design's own types.
    pub fn call<'a>(&'a self, name: &'a str, caller: Option<&'a Caller>, arguments: Json) -> Calling<'a> {
        Calling(Box::pin(async move {
            let arguments = object(arguments, "arguments")?.try_into()?;
            self.0.call(Call { name, caller, arguments, ..Call::default() }).await
        }))
    }

    /// The runtime of the crate `sortkey-core`, for cursors, limits and what a call consumed.
    pub fn inner(&self) -> &sortkey_core::Runtime {
        &self.0
    }
}

fn object(json: Json, what: &str) -> Result<Map<String, Json>, Failure> {
    match json {
        Json::Object(members) => Ok(members),
        Json::Null => Ok(Map::new()),
        other => Err(Failure::invalid(what, format!("`{what}`: expected an object, not {other}"))),
    }
}

/// A call under way: a future to `.await`, or to [`wait`](Calling::wait) for where there is no async runtime.
pub struct Calling<'a>(Pin<Box<dyn Future<Output = Result<Answer, Failure>> + Send + 'a>>);

impl Calling<'_> {
    /// Blocks this thread until the answer is there.
    pub fn wait(self) -> Result<Answer, Failure> {
        block_on(self)
    }
}

impl Future for Calling<'_> {
    type Output = Result<Answer, Failure>;

    fn poll(mut self: Pin<&mut Self>, context: &mut std::task::Context<'_>) -> std::task::Poll<Self::Output> {
        self.0.as_mut().poll(context)
    }
}
