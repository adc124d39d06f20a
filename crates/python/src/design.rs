//! A design that is compiled in this process: for tests and scripts that have the source at hand.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use pyo3::prelude::*;
use pyo3::types::PyBytes;
use sortkey_core::{Pending, Runtime, Settings};
use sortkey_deploy::{Coverage, DeployError, prepare};
use sortkey_design::{Compilation, FileLoader, compile, wire};
use sortkey_diagnostics::{Diagnostic, Style, render};
use sortkey_embedded::{Embedded, block_on, ephemeral};

use crate::DesignError;
use crate::engine::Engine;

/// A compiled design.
#[pyclass(frozen, module = "sortkey._native")]
pub(crate) struct Design(Compilation);

#[pymethods]
impl Design {
    /// Compiles the design in a file, with the files that it imports.
    #[staticmethod]
    fn load(py: Python<'_>, path: PathBuf) -> PyResult<Design> {
        let text = std::fs::read_to_string(&path)
            .map_err(|error| DesignError::new_err(format!("{}: {error}", path.display())))?;
        py.detach(|| compiled(&path.to_string_lossy(), &text))
    }

    /// Compiles a design from text.
    #[staticmethod]
    fn from_text(py: Python<'_>, text: &str) -> PyResult<Design> {
        py.detach(|| compiled("design.sk", text))
    }

    /// The compiled program as JSON, without its tests, which a `Core` opens.
    fn program<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let json = py.detach(|| {
            let mut program = wire::write(&self.0.program);
            program.tests.clear();
            serde_json::to_vec(&program)
        });
        let json = json.map_err(|error| DesignError::new_err(error.to_string()))?;
        Ok(PyBytes::new(py, &json))
    }

    /// Brings the tables of the design to a database, as `sortkey up` does.
    #[pyo3(signature = (engine, *, table_prefix=None, parameters=None))]
    fn deploy(
        &self,
        py: Python<'_>,
        engine: &Engine,
        table_prefix: Option<String>,
        parameters: Option<BTreeMap<String, String>>,
    ) -> PyResult<()> {
        let deployed = py.detach(|| self.bring(engine, table_prefix, parameters.unwrap_or_default()));
        deployed.map_err(DesignError::new_err)
    }
}

impl Design {
    fn bring(
        &self,
        engine: &Engine,
        table_prefix: Option<String>,
        parameters: BTreeMap<String, String>,
    ) -> Result<(), String> {
        let backend = Embedded::new(engine.0.clone());
        let settings = Settings {
            clock: Arc::new(backend.clone()),
            table_prefix,
            parameters,
            ..ephemeral().map_err(|error| error.to_string())?
        };
        let program = Arc::clone(&self.0.program);
        let runtime = Runtime::of_program(program, Arc::new(backend), settings)
            .map_err(|problems| problems.into_iter().map(|each| each.message + "\n").collect::<String>())?;
        let wait = |_: Duration| -> Pending<'_, ()> { Box::pin(async { Ok(()) }) };
        match block_on(prepare(&runtime, Coverage::AsMarked, &wait, &mut |_| {})) {
            Ok(_) => Ok(()),
            Err(DeployError::Refused(refusals) | DeployError::NotUnique(refusals)) => {
                Err(shown(&self.0, &refusals))
            }
            Err(DeployError::Failed { table, doing, error }) => Err(format!("{table}: {doing}: {error}")),
            Err(DeployError::Stopped { table, failure }) => Err(format!("{table}: {failure}")),
        }
    }
}

fn compiled(name: &str, text: &str) -> PyResult<Design> {
    let compiled = compile(name, text, &FileLoader);
    match compiled.has_errors() {
        true => Err(DesignError::new_err(shown(&compiled, &compiled.diagnostics))),
        false => Ok(Design(compiled)),
    }
}

/// Diagnostics as `sortkey check` shows them.
fn shown(compiled: &Compilation, diagnostics: &[Diagnostic]) -> String {
    let shown = diagnostics.iter().map(|each| render(each, &compiled.sources, Style::Plain));
    shown.collect::<Vec<_>>().join("\n")
}
