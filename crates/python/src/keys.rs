//! Keys of encrypted attributes, in a file as `sortkey up` keeps them.

use std::path::PathBuf;

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sortkey_core::Keyring as _;

/// A keyring whose master key is 32 bytes, in a file or in memory.
#[pyclass(frozen, module = "sortkey._native")]
pub(crate) struct KeyFile(sortkey_embedded::KeyFile);

#[pymethods]
impl KeyFile {
    /// The keyring whose master key a file holds as 64 hexadecimal digits; the file is made if it is not there.
    #[staticmethod]
    fn open(path: PathBuf) -> PyResult<KeyFile> {
        let opened = sortkey_embedded::KeyFile::open_or_create(&path);
        opened.map(KeyFile).map_err(|error| PyOSError::new_err(error.to_string()))
    }

    /// The keyring with this master key.
    #[staticmethod]
    fn from_key(key: [u8; 32]) -> KeyFile {
        KeyFile(sortkey_embedded::KeyFile::from_key(key))
    }

    /// A data key for an alias: plain and wrapped.
    fn new_data_key<'py>(
        &self,
        py: Python<'py>,
        alias: &str,
    ) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
        let key = self.0.new_data_key(alias).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok((PyBytes::new(py, &key.plain), PyBytes::new(py, &key.wrapped)))
    }

    /// The plain data key that was wrapped for an alias.
    fn unwrap<'py>(&self, py: Python<'py>, alias: &str, wrapped: &[u8]) -> PyResult<Bound<'py, PyBytes>> {
        let plain =
            self.0.unwrap(alias, wrapped).map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(PyBytes::new(py, &plain))
    }
}
