//! The answer of a call before it is decoded.
//!
//! Items that only pass through stay in the form in which they are stored, and cost nothing until they are decoded.

use crate::Failure;
use crate::evaluate::Scope;
use crate::operate::Outcome;
use crate::read::{Came, Read};
use crate::shown::Shown;

/// The answer of a call, as it came back.
pub struct Reply<'r> {
    scope: Scope<'r>,
    of: Of<'r>,
}

enum Of<'r> {
    Operation(Outcome, bool),
    Pattern(Came, &'r Read),
}

impl<'r> Reply<'r> {
    /// The reply of an operation; `is_repeat` is set if its idempotency key was used before, and nothing was done now.
    pub(crate) fn of_outcome(scope: Scope<'r>, outcome: Outcome, is_repeat: bool) -> Reply<'r> {
        Reply { scope, of: Of::Operation(outcome, is_repeat) }
    }

    /// The reply of a pattern.
    pub(crate) fn of_pattern(scope: Scope<'r>, came: Came, read: &'r Read) -> Reply<'r> {
        Reply { scope, of: Of::Pattern(came, read) }
    }

    /// The answer as clients may see it. An item that the design cannot read is an error that names it.
    pub fn look(self) -> Result<Shown<'r>, Failure> {
        match self.of {
            Of::Operation(outcome, is_repeat) => Shown::of_outcome(self.scope, outcome, is_repeat),
            Of::Pattern(came, read) => {
                let found = read.look(&self.scope, came)?;
                Shown::of_found(self.scope, found, read)
            }
        }
    }
}
