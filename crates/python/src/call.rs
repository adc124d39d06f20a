//! A call under way.

use std::sync::Mutex;

use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sortkey_core::Ask;
use sortkey_wasm::{StartedCall, write_ask};

/// A call under way: stepped, answered, and dropped when it is over or given up.
#[pyclass(frozen, module = "sortkey._native")]
pub(crate) struct Call {
    calling: Mutex<StartedCall>,
}

/// An ask: its number, the operation if it is a request, and its body or message.
type Asked<'py> = (u32, Option<&'static str>, Bound<'py, PyBytes>);

#[pymethods]
impl Call {
    /// Runs the call until it waits or is over. Returns its asks since the last step, and its result as JSON.
    fn step<'py>(&self, py: Python<'py>) -> PyResult<(Vec<Asked<'py>>, Option<Bound<'py, PyBytes>>)> {
        let (asks, done) = py.detach(|| {
            let (asks, done) = self.lock()?.step();
            let asks: Vec<(u32, Option<&'static str>, Vec<u8>)> = asks
                .iter()
                .map(|(id, ask)| {
                    let mut body = Vec::new();
                    let operation = match ask {
                        Ask::Send(request) => {
                            request.encode(&mut body);
                            Some(request.operation().name())
                        }
                        _ => {
                            write_ask(*id, ask, &mut body);
                            None
                        }
                    };
                    (id.0, operation, body)
                })
                .collect();
            Ok::<_, PyErr>((asks, done))
        })?;
        let asks = asks.into_iter().map(|(id, operation, body)| (id, operation, PyBytes::new(py, &body)));
        Ok((asks.collect(), done.map(|done| PyBytes::new(py, &done))))
    }

    /// Answers an ask; false if it was not asked.
    fn answer(&self, py: Python<'_>, ask: u32, status: u16, body: &[u8]) -> PyResult<bool> {
        py.detach(|| Ok(self.lock()?.answer(ask, status, body)))
    }
}

impl Call {
    pub(crate) fn new(calling: StartedCall) -> Call {
        Call { calling: Mutex::new(calling) }
    }

    fn lock(&self) -> PyResult<std::sync::MutexGuard<'_, StartedCall>> {
        self.calling.lock().map_err(|_| PyRuntimeError::new_err("the call has failed before"))
    }
}

/// The bcrypt hash of a password.
#[pyfunction]
pub(crate) fn hash_password(py: Python<'_>, password: &[u8], cost: u32, salt: [u8; 16]) -> String {
    py.detach(|| sortkey_core::hash_password(password, cost, salt))
}
