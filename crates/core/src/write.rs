//! Actions: what a statement writes, as requests that either happen whole or fail with a reason.
//!
//! An action is prepared (values filled and checked, keys, guards and conditions computed, read first where that cannot
//! be avoided), then sent alone or in a transaction. A failed condition is explained by the item it returns.

mod belongs;
mod create;
mod demand;
mod given;
mod guards;
mod holds;
mod image;
#[cfg(test)]
pub(crate) mod oracle;
mod refer;
mod refusal;
mod remove;
mod secrets;
mod send;
mod update;

pub(crate) use create::{new_item, store_new};
pub(crate) use demand::{Act, Test, Write};
pub(crate) use given::{key_fields, unsealed};
pub use image::rendered;
pub(crate) use image::{check_failed, checked, complete, stored, stored_value};
pub(crate) use refusal::Refusal;
pub(crate) use secrets::Secrets;
pub(crate) use send::send;

use sortkey_design::Program;
use sortkey_design::model::WriteVerb;
use sortkey_design::program::{Action, EntityId, ErrorId};

use crate::evaluate::Scope;
use crate::session::Session;
use crate::values::{Fields, Val};
use crate::{Failure, FailureKind};

/// How often an action is prepared again when what it read has changed.
pub const ATTEMPTS: usize = 3;

/// An action that is ready to be sent.
pub(crate) struct Prepared {
    /// The item's own write first, then its guards.
    pub(crate) writes: Vec<Write>,
    /// The result of the statement, as far as it is known before sending.
    pub(crate) yields: Val,
    /// The image that is requested of a single write, since it holds more than is known.
    pub(crate) answers: Answers,
    /// Whether `yields` is the item as it will be stored.
    pub(crate) is_exact: bool,
    /// The item whose children go with it.
    pub(crate) cascades: Option<Parent>,
    /// Secrets that were made for the item, if the write makes one.
    pub(crate) secrets: Option<Secrets>,
}

/// An item whose children go with it.
#[derive(Clone, Debug)]
pub(crate) struct Parent {
    pub(crate) entity: EntityId,
    /// The attributes that its key determines.
    pub(crate) known: Fields,
    /// The whole item before its deletion, if its key does not determine the attributes that its children refer to.
    pub(crate) whole: Option<Fields>,
}

impl Parent {
    /// Its known attributes.
    pub(crate) fn fields(&self) -> &Fields {
        self.whole.as_ref().unwrap_or(&self.known)
    }
}

/// The image that a single write returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answers {
    /// Nothing that is not known.
    Nothing,
    /// The new image.
    New,
    /// The old image.
    Old,
}

/// Prepares an action that writes or checks.
pub(crate) async fn prepare(
    session: &Session<'_>,
    scope: &mut Scope<'_>,
    action: &Action,
) -> Result<Prepared, Failure> {
    match action.verb {
        WriteVerb::Create | WriteVerb::Put => create::prepare(session, scope, action).await,
        WriteVerb::Update | WriteVerb::Upsert => update::prepare(session, scope, action).await,
        WriteVerb::Delete | WriteVerb::Purge => remove::prepare(session, scope, action).await,
        WriteVerb::Check | WriteVerb::Get => remove::prepare_check(session, scope, action).await,
    }
}

/// The error that a statement's own condition has.
pub(crate) fn declared(program: &Program, error: Option<ErrorId>, otherwise: Failure) -> Failure {
    match error {
        Some(error) => Failure::new(FailureKind::of_name(&program.errors[error]), otherwise.message),
        None => otherwise,
    }
}
