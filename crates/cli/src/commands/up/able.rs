//! Whether a DynamoDB elsewhere can do what a design needs.

use sortkey_design::Program;
use sortkey_design::program::Callee;
use sortkey_plan::{operation_script, pattern_script};
use sortkey_remote::Remote;

use crate::failure::Failure;

/// So many names are shown.
const MOST_NAMES: usize = 12;

/// Fails if the design sends transactions and the endpoint has none.
pub(in crate::commands) async fn check(remote: &Remote, program: &Program) -> Result<(), Failure> {
    let needing = transacting(program);
    if needing.is_empty() || remote.capabilities().await.transactions {
        return Ok(());
    }
    let shown = needing.iter().take(MOST_NAMES).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = match needing.len().saturating_sub(MOST_NAMES) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let what =
        format_args!("{} has no transactions, which the design needs for: {shown}{more}", remote.endpoint());
    Err(Failure::new(what).hint("every `unique`, `transact` and `idempotent` is one; use another DynamoDB"))
}

/// The patterns and operations that may send a transaction.
fn transacting(program: &Program) -> Vec<String> {
    let patterns = program.patterns.ids().map(Callee::Pattern);
    let all = patterns.chain(program.operations.ids().map(Callee::Operation));
    let transacts = |callee: &Callee| {
        let script = match callee {
            Callee::Pattern(id) => pattern_script(program, *id),
            Callee::Operation(id) => Some(operation_script(program, *id)),
            Callee::Effect(_) => None,
        };
        let mut found = false;
        if let Some(script) = script {
            script.possible(&mut |request| found |= request.name() == "TransactWriteItems");
        }
        found
    };
    all.filter(transacts).map(|callee| program.name(callee).to_string()).collect()
}
