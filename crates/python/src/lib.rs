//! The extension module `sortkey._native`: the core without I/O, and the engine for tests.
//!
//! The requests of a call leave this module as bytes; the package around it (`crates/python/python`) sends them with the
//! user's own AWS SDK. The interpreter's lock is released wherever Rust computes.

mod call;
mod core;
mod design;
mod engine;
mod keys;

use pyo3::create_exception;
use pyo3::exceptions::PyException;
use pyo3::prelude::*;

create_exception!(_native, OpenError, PyException, "A program cannot be opened: a kind, and a sentence.");
create_exception!(_native, CallError, PyException, "A call cannot be started: its failure as JSON.");
create_exception!(_native, DesignError, PyException, "A design cannot be compiled, or not be deployed.");

/// The extension module.
#[pymodule]
mod _native {
    #[pymodule_export]
    use crate::call::{Call, hash_password};
    #[pymodule_export]
    use crate::core::Core;
    #[pymodule_export]
    use crate::design::Design;
    #[pymodule_export]
    use crate::engine::Engine;
    #[pymodule_export]
    use crate::keys::KeyFile;
    #[pymodule_export]
    use crate::{CallError, DesignError, OpenError};

    /// The version of this module, which is the package's.
    #[pymodule_export]
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    /// The version of compiled programs that this core runs.
    #[pymodule_export]
    const PROGRAM_VERSION: u32 = sortkey_design::wire::VERSION;
}
