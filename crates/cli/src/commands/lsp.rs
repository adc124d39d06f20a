//! `sortkey lsp`: the language server, for editors.

use clap::Args;

use super::Run;
use crate::failure::Failure;

/// Serve an editor: diagnostics while typing, hover, definitions, formatting, quick fixes
///
/// Speaks the language server protocol on standard input and output.
#[derive(Args, Debug)]
#[command(after_help = "Example:
  sortkey lsp    # editors start it: docs/editors.md")]
pub(super) struct Lsp {}

impl Run for Lsp {
    const NAME: &'static str = "lsp";

    fn run(self) -> Result<(), Failure> {
        sortkey_lsp::run_stdio().map_err(Failure::new)
    }
}
