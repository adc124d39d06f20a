//! Parts for deployment and for the tests of designs, which read and write items as calls do.
//!
//! Nothing else uses it. It changes whenever the execution of designs does.

mod change;

pub use self::change::{Change, apply};
pub use crate::answer::to_public_json;
pub use crate::catalog::{EntityInfo, GUARD, RECEIPT, WORK, is_reserved, is_reserved_text};
pub use crate::evaluate::{Scope, View, hex};
pub use crate::fence::is_lease;
pub use crate::guard::{DESIGN, LAYOUT, MARKER, held, item as guard_item, owner, reserved_key};
pub use crate::mapped::{id_of_seed, is_pure, key_of, mapped, read_whole};
pub use crate::names::deployed;
pub use crate::notes::notes_home;
pub use crate::operate::{Calls, Flow, Made, Runner, caller};
pub use crate::prepared::Shared;
pub use crate::read::{is_deleted, is_expired, items, reached};
pub use crate::rewrite::{Moved, broken_check, decrypted, keeps_key, replacing, target};
pub use crate::session::Session;
pub use crate::values::{Admit, Fields, Origin, Val, iso, iso_seconds, to_json};
pub use crate::write::{ATTEMPTS, rendered};

/// A value as clients see it: without what is hidden from them.
pub fn public(scope: &Scope<'_>, value: Val) -> Result<Val, crate::Failure> {
    crate::answer::public(scope, value, None)
}
