//! A program that is open, on which calls are started.

use std::collections::BTreeMap;
use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde_json::Value as Json;
use sha2::{Digest, Sha256};
use sortkey_core::Settings;
use sortkey_design::wire;
use sortkey_wasm::{StartedCall, failed};

use crate::call::Call;
use crate::{CallError, OpenError};

/// A compiled program, ready to be called.
#[pyclass(frozen, module = "sortkey._native")]
pub(crate) struct Core {
    core: sortkey_core::Core,
    fingerprint: String,
}

#[pymethods]
impl Core {
    /// Opens a program, as `sortkey check --emit` writes it. The seed decides every id and token.
    #[new]
    #[pyo3(signature = (program, *, seed, cursor_key, table_prefix=None, parameters=None, bcrypt_cost=12))]
    fn new(
        py: Python<'_>,
        program: &[u8],
        seed: [u8; 32],
        cursor_key: [u8; 32],
        table_prefix: Option<String>,
        parameters: Option<BTreeMap<String, String>>,
        bcrypt_cost: u32,
    ) -> PyResult<Core> {
        let settings = Settings {
            table_prefix,
            parameters: parameters.unwrap_or_default(),
            bcrypt_cost,
            ..Settings::asking(seed, cursor_key)
        };
        py.detach(|| open(program, settings)).map_err(|(kind, message)| OpenError::new_err((kind, message)))
    }

    /// SHA-256 of the program, in hexadecimal digits.
    #[getter]
    fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Starts the call of a message.
    fn start(&self, py: Python<'_>, message: &[u8]) -> PyResult<Call> {
        let started = py.detach(|| StartedCall::start(&self.core, message));
        started.map(Call::new).map_err(|failure| CallError::new_err(failed(&failure).to_string()))
    }

    /// The change of a stream record, as JSON: its entity, the item and what it was before.
    fn change<'py>(&self, py: Python<'py>, message: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
        let changed = py.detach(|| {
            let message: Json = serde_json::from_slice(message)
                .map_err(|_| sortkey_core::Failure::invalid("records", "`records`: a record is not JSON"))?;
            sortkey_wasm::change(&self.core, &message, false)
        });
        let changed = changed.map_err(|failure| CallError::new_err(failed(&failure).to_string()))?;
        Ok(PyBytes::new(py, changed.to_string().as_bytes()))
    }
}

/// A program with its settings, or the kind of its problem and a sentence.
fn open(program: &[u8], settings: Settings) -> Result<Core, (&'static str, String)> {
    if !(4..=31).contains(&settings.bcrypt_cost) {
        return Err(("invalid", format!("bcrypt_cost: expected 4 to 31, not {}", settings.bcrypt_cost)));
    }
    let json: Json = serde_json::from_slice(program)
        .map_err(|error| ("invalid", format!("the program is not JSON: {error}")))?;
    let version = json["version"].as_u64().filter(|_| json["format"] == wire::FORMAT);
    if let Some(version) = version.filter(|version| *version != u64::from(wire::VERSION)) {
        let message = format!(
            "the program has version {version} of its format, and this core ({}) runs version {}",
            env!("CARGO_PKG_VERSION"),
            wire::VERSION
        );
        return Err((if version > u64::from(wire::VERSION) { "old core" } else { "old program" }, message));
    }
    let read = wire::read(&json).map_err(|error| ("invalid", error.to_string()))?;
    let core = sortkey_core::Core::new(Arc::new(read), settings).map_err(|problems| {
        let problems: Vec<String> = problems.into_iter().map(|problem| problem.message).collect();
        ("invalid", problems.join("; "))
    })?;
    let digest = Sha256::digest(program);
    Ok(Core { core, fingerprint: digest.iter().map(|byte| format!("{byte:02x}")).collect() })
}
