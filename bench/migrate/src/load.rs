//! Writers and readers of both designs through all phases.

use std::path::Path;

pub fn run(_: &Path, _: usize) {}
