//! The database of a design: the engine in this process, or a DynamoDB elsewhere; and the location of its keys.

use std::path::PathBuf;
use std::sync::Arc;

use sortkey_core::{Backend, Clock, Settings};
use sortkey_deploy::Naming;
use sortkey_design::Program;
use sortkey_embedded::{Embedded, KeyFile, SystemClock, ephemeral};
use sortkey_engine::{Engine, Settings as EngineSettings};
use sortkey_remote::{Remote, Settings as RemoteSettings};
use sortkey_server::{Database, Stage};

use super::able;
use super::hashing::Hashing;
use crate::failure::Failure;
use crate::keep::Keep;
use crate::keyring::KeyringArguments;
use crate::{sealed_key, secret_file};

/// The database of a design.
pub(in crate::commands) struct Place {
    /// The backend of the runtime.
    pub(in crate::commands) backend: Arc<dyn Backend>,
    /// The DynamoDB API that the server offers beside it.
    pub(in crate::commands) stage: Stage,
    /// A sentence for the person who started it.
    pub(in crate::commands) kept: String,
    clock: Arc<dyn Clock>,
    /// The folder of the secrets; none if they end with the process.
    pub(in crate::commands) secrets: Option<PathBuf>,
}

impl Place {
    pub(in crate::commands) fn inside(
        region: &str,
        keep: &Keep,
        keyring: &KeyringArguments,
        name: &str,
    ) -> Result<Place, Failure> {
        let settings = EngineSettings { region: region.to_owned(), ..EngineSettings::default() };
        let folder = (!keep.in_memory).then(|| keep.folder(name));
        let engine = match &folder {
            Some(folder) => keep.open(folder, settings, keyring)?,
            None => Engine::memory(keep.in_memory(settings, keyring)?),
        };
        let kept = match &folder {
            Some(folder) => format!("Everything is kept in {}", folder.display()),
            None => "Everything is kept in memory and gone when it stops".to_owned(),
        };
        let embedded = Embedded::new(engine.clone());
        Ok(Place {
            // A test that moves the database's clock moves the design's with it.
            clock: Arc::new(embedded.clone()),
            backend: Arc::new(embedded),
            stage: Stage::Inside(Database::durable(engine)),
            kept,
            secrets: folder,
        })
    }

    /// A DynamoDB elsewhere. The secrets are in the folder that [`keys`] names.
    pub(in crate::commands) async fn elsewhere(
        endpoint: &str,
        ca: Option<Vec<u8>>,
        region: &str,
        secrets: PathBuf,
        program: &Program,
    ) -> Result<Place, Failure> {
        let settings = RemoteSettings::new(endpoint).map_err(Failure::new)?;
        let region = settings.region.clone().or_else(|| Some(region.to_owned()));
        let remote = Remote::new(RemoteSettings { region, ca, ..settings }).await;
        able::check(&remote, program).await?;
        let endpoint = remote.endpoint().to_owned();
        Ok(Place {
            clock: Arc::new(SystemClock),
            kept: format!("Items are kept at {endpoint}, keys in {}", secrets.display()),
            backend: Arc::new(remote),
            stage: Stage::Elsewhere(endpoint),
            secrets: Some(secrets),
        })
    }

    /// The runtime's settings: the clock of this database, and keys that last as long as its items.
    pub(in crate::commands) fn runtime_settings(
        &self,
        naming: Naming,
        keyring: &KeyringArguments,
    ) -> Result<Settings, Failure> {
        let secret = |name: &str| match &self.secrets {
            Some(folder) => secret_file::open_or_create(&folder.join(name)),
            None => secret_file::random(),
        };
        let attributes_key = match &self.secrets {
            Some(folder) => {
                let protected = folder.join("data");
                let keyring = match sealed_key::exists(folder) {
                    true => keyring.open_existing(&protected)?,
                    false => keyring.open(&protected)?,
                };
                sealed_key::open_or_create(folder, &keyring)?
            }
            None => secret_file::random()?,
        };
        let defaults = ephemeral().map_err(Failure::new)?;
        Ok(Settings {
            clock: self.clock.clone(),
            keyring: Arc::new(KeyFile::from_key(attributes_key)),
            cursor_key: secret("cursor.key")?,
            table_prefix: naming.prefix,
            parameters: naming.parameters,
            aside: Hashing::new().into_aside(),
            ..defaults
        })
    }
}

/// The folder of the keys of a design whose items are elsewhere. Not that of its data, which may be there from before and has
/// other keys.
pub(in crate::commands) fn keys(name: &str) -> String {
    format!("{name}-keys")
}
