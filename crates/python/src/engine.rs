//! The database in this process, for tests.

use std::time::Duration;

use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sortkey_api::OperationId;
use sortkey_embedded::block_on;
use sortkey_engine::Settings;

/// A DynamoDB in memory.
#[pyclass(frozen, module = "sortkey._native")]
pub(crate) struct Engine(pub(crate) sortkey_engine::Engine);

#[pymethods]
impl Engine {
    /// An empty database. Expired items stay until `expire` is called.
    #[new]
    #[pyo3(signature = (*, seed=1))]
    fn new(seed: u64) -> Engine {
        let settings = Settings { seed, expiry_interval: None, ..Settings::default() };
        Engine(sortkey_engine::Engine::memory(settings))
    }

    /// A second database with everything that this one contains; from then on neither sees the other.
    fn fork(&self) -> PyResult<Engine> {
        let forked = self.0.fork().map(Engine);
        forked.ok_or_else(|| PyRuntimeError::new_err("the database cannot be forked"))
    }

    /// Answers an operation of DynamoDB: a status, and a body as AWS would send it.
    fn send<'py>(
        &self,
        py: Python<'py>,
        operation: &str,
        body: &[u8],
    ) -> PyResult<(u16, Bound<'py, PyBytes>)> {
        let id = OperationId::from_name(operation)
            .ok_or_else(|| PyValueError::new_err(format!("{operation:?} is not an operation of DynamoDB")))?;
        let (status, body) = py.detach(|| match block_on(self.0.call(id, body)).result {
            Ok(output) => (200, output),
            Err(error) => {
                let mut json = Vec::new();
                error.write_json(&mut json);
                (error.status(), json)
            }
        });
        Ok((status, PyBytes::new(py, &body)))
    }

    /// The time of this database, in milliseconds since 1970.
    fn now_ms(&self) -> u64 {
        self.0.now_ms()
    }

    /// Moves the clock.
    fn advance(&self, by_ms: i64) {
        self.0.advance_clock(by_ms);
    }

    /// Stops the clock at a time.
    fn stop_clock_at(&self, time_ms: u64) {
        self.0.stop_clock_at(time_ms);
    }

    /// Removes what has expired; returns how many items there were.
    fn expire(&self, py: Python<'_>) -> PyResult<usize> {
        py.detach(|| self.0.expire_now()).map_err(|error| PyRuntimeError::new_err(error.message))
    }

    /// Lets global indexes lag behind their tables from now on.
    fn set_gsi_delay(&self, delay_ms: u64) {
        self.0.set_gsi_delay(Duration::from_millis(delay_ms));
    }
}
