//! The log of decisions about requests, with the flags that `serve` and `up` share.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use sortkey_access::{AuditError, AuditLog};
use sortkey_server::Audit;

use crate::failure::Failure;

/// Where decisions about requests are recorded.
#[derive(Args, Debug)]
pub(crate) struct AuditArguments {
    /// Record who asked for what, from where, and why it was allowed or denied; `sortkey audit verify` finds changes of the file
    #[arg(long, value_name = "FILE")]
    audit: Option<PathBuf>,

    /// Begin another file when the audit log has this many megabytes
    #[arg(long, default_value_t = 100, value_name = "MB", requires = "audit", value_parser = clap::value_parser!(u64).range(1..))]
    audit_rotate: u64,

    /// Carry out requests that cannot be recorded, because the disk is full, for example; without it they are refused
    #[arg(long, requires = "audit")]
    audit_fail_open: bool,
}

impl AuditArguments {
    /// The audit log, if there is to be one.
    pub(crate) fn open(&self) -> Result<Option<Arc<Audit>>, Failure> {
        let Some(path) = &self.audit else { return Ok(None) };
        let log = AuditLog::open(path, self.audit_rotate.saturating_mul(1 << 20)).map_err(|error| {
            let hint = match error {
                AuditError::Changed { .. } => {
                    "put the log aside with its .head to begin another one, or name another --audit FILE"
                }
                AuditError::File(..) => "name a file in a directory that this user can write: --audit FILE",
                AuditError::InUse(_) => "name another --audit FILE: every process has a log of its own",
            };
            Failure::new(error).hint(hint)
        })?;
        Ok(Some(Arc::new(Audit::new(log, self.audit_fail_open))))
    }
}
