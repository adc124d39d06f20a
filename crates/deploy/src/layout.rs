//! The layout of a table's items: the templates of their keys, and the forms of their attributes.
//!
//! DynamoDB stores a table's key and nothing of this. A design that writes `"ORDER#{id}"` where it wrote `"O#{id}"` finds
//! none of the existing items, and one that takes seconds for milliseconds misreads them. So the layout is recorded in an
//! item of the table, under a reserved key, and a design with another layout is refused before it changes anything, unless
//! the table is empty.

mod domain;
mod form;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use sortkey_api::ApiError;
use sortkey_api::operations::{GetItemInput, PutItemInput, ScanInput};
use sortkey_design::TABLE_DIFFERS;
use sortkey_diagnostics::Diagnostic;
use sortkey_value::{AttributeValue, Item, Map, ValueRef};

pub(super) use self::domain::{complaint, key_text};
use self::form::{Form, forms};
use super::apply::DeployError;
use super::{MIGRATE, inspect};
use sortkey_core::internals::{EntityInfo, LAYOUT, is_reserved, reserved_key};
use sortkey_core::{Failure, FailureKind, Requests as _, Runtime};

/// The attribute that holds the forms.
const FORMS: &str = "forms";

/// The attribute that holds the domains of attributes.
const DOMAINS: &str = "domains";

/// The attribute that holds a data key that encrypts nothing: whether it opens shows if the master key is still the same.
const KEY: &str = "key";
const KEY_ALIAS: &str = "alias/sortkey-layout";

/// Enough items to decide whether a table is empty, since reserved items may come first.
const LOOKED_AT: i32 = 100;

/// A table with its recorded layout and that of the design.
pub(super) struct Layout<'a> {
    runtime: &'a Runtime,
    /// Any of its entities: all have the table's keys.
    first: &'a EntityInfo,
    infos: Vec<&'a EntityInfo>,
    wanted: Vec<Form>,
    /// The recorded domains of attributes, by `Entity.attribute`; none if nothing is recorded.
    domains: Option<BTreeMap<String, String>>,
    /// Forms by `Entity.attribute`; none if nothing is recorded.
    remembered: Option<BTreeMap<String, String>>,
    /// The recorded wrapped key.
    wrapped: Option<Vec<u8>>,
}

impl<'a> Layout<'a> {
    /// The layout of a table that may not exist yet; none if its key has no room for reserved items.
    pub(super) async fn of(
        runtime: &'a Runtime,
        infos: &[&'a EntityInfo],
    ) -> Result<Option<Layout<'a>>, DeployError> {
        let Some(first) = infos.first().copied() else { return Ok(None) };
        let wanted = infos.iter().flat_map(|info| forms(&runtime.shared().program, info)).collect();
        let (infos, domains) = (infos.to_vec(), None);
        let mut layout = Layout { runtime, first, infos, wanted, domains, remembered: None, wrapped: None };
        if !matches!(layout.key().get(&*first.partition), Some(AttributeValue::S(_))) {
            return Ok(None);
        }
        let found = layout.stored().await.map_err(layout.failed("GetItem"))?;
        layout.remembered = found.as_ref().and_then(|item| read(item, &first.aside(FORMS)));
        layout.domains = found.as_ref().and_then(|item| read(item, &first.aside(DOMAINS)));
        layout.wrapped = found.as_ref().and_then(|item| match item.get(&first.aside(KEY)) {
            Some(ValueRef::B(wrapped)) => Some(wrapped.to_vec()),
            _ => None,
        });
        Ok(Some(layout))
    }

    /// Whether the table has a recorded layout.
    pub(super) fn is_remembered(&self) -> bool {
        self.remembered.is_some()
    }

    /// The differences that the existing items do not allow. If the previous version is known, items are rewritten in the
    /// forms that can be, and their values are surveyed by what differs.
    pub(super) async fn refusals(&self, is_known: bool) -> Result<Vec<Diagnostic>, DeployError> {
        let is_rewritten = |form: &Form, before: &str| is_known && self.is_rewritten(form, before);
        let differs = |form: &Form| {
            self.before(form).is_some_and(|before| !form.reads(before) && !is_rewritten(form, before))
        };
        let lost = self.unreadable();
        if lost.is_none() && !self.wanted.iter().any(differs) {
            return match is_known {
                true => Ok(Vec::new()),
                false => self.unfit().await.map_err(self.failed("Scan")),
            };
        }
        if self.is_empty().await.map_err(self.failed("Scan"))? {
            return Ok(Vec::new());
        }
        let refused =
            |form: &Form| self.before(form).filter(|_| differs(form)).map(|before| explained(form, before));
        Ok(self.wanted.iter().filter_map(refused).chain(lost.map(unopened)).collect())
    }

    /// Whether a walk brings items from one form to the other: texts that only indexes have, and encryption.
    fn is_rewritten(&self, form: &Form, before: &str) -> bool {
        let is_table_key = self.first.parts().any(|part| **part == *form.attribute);
        form.is_computed_key && !is_table_key || form.is_encrypted() || before == sortkey_change::ENCRYPTED
    }

    /// The first attribute that was encrypted under a master key that is not in the keyring.
    fn unreadable(&self) -> Option<&Form> {
        let keyring = &self.runtime.shared().settings.keyring;
        let wrapped = self.wrapped.as_ref()?;
        let encrypted = self.wanted.iter().find(|form| form.is_encrypted())?;
        keyring.unwrap(KEY_ALIAS, wrapped).is_err().then_some(encrypted)
    }

    /// The wrapped key to record: the recorded one, or a new one if something is encrypted and none is recorded.
    fn wrapped(&self) -> Result<Option<Vec<u8>>, DeployError> {
        let is_used = self.wanted.iter().any(Form::is_encrypted);
        if !is_used || self.wrapped.is_some() && self.unreadable().is_none() {
            return Ok(self.wrapped.clone());
        }
        let key = self.runtime.shared().settings.keyring.new_data_key(KEY_ALIAS);
        let table = self.first.table.name().to_owned();
        key.map(|key| Some(key.wrapped)).map_err(|error| {
            let failure = Failure::new(FailureKind::Unavailable, error.to_string());
            DeployError::Stopped { table, failure }
        })
    }

    /// Records the layout of the design in the table, beside the former one. Returns which items an index will lack, if the
    /// previous version is unknown and nothing was rewritten.
    pub(super) async fn remember(&self, is_known: bool) -> Result<Vec<String>, DeployError> {
        let wanted = self.wanted.iter().map(|form| (form.label(), form.text.clone()));
        let mut all = self.remembered.clone().unwrap_or_default();
        all.extend(wanted);
        let wrapped = self.wrapped()?;
        let mut domains = self.domains.clone().unwrap_or_default();
        domains.extend(domain::domains(self.runtime.design(), &self.infos));
        let is_same = self.remembered.as_ref() == Some(&all) && self.domains.as_ref() == Some(&domains);
        if is_same && self.wrapped == wrapped {
            return Ok(Vec::new());
        }
        let late: Vec<&Form> = self.wanted.iter().filter(|form| !is_known && self.is_late(form)).collect();
        let late = if late.is_empty() || self.is_empty().await.map_err(self.failed("Scan"))? {
            Vec::new()
        } else {
            late
        };
        let mut item = self.key();
        let forms = all.into_iter().map(|(label, text)| (label, AttributeValue::S(text)));
        item.insert(self.first.aside(FORMS), AttributeValue::M(forms.collect()));
        let domains = domains.into_iter().map(|(label, text)| (label, AttributeValue::S(text)));
        item.insert(self.first.aside(DOMAINS), AttributeValue::M(domains.collect()));
        item.extend(wrapped.map(|wrapped| (self.first.aside(KEY), AttributeValue::B(wrapped))));
        let input = PutItemInput {
            table_name: self.first.table.clone(),
            item: item.into(),
            ..PutItemInput::default()
        };
        self.runtime.backend().put_item(input).await.map_err(self.failed("PutItem"))?;
        Ok(late.into_iter().map(Form::late).collect())
    }

    fn before(&self, form: &Form) -> Option<&str> {
        self.remembered.as_ref()?.get(&form.label()).map(String::as_str)
    }

    /// Whether items of the entity are older than this part of an index's key.
    fn is_late(&self, form: &Form) -> bool {
        let entity = format!("{}.", form.entity);
        let known = self.remembered.iter().flatten().any(|(label, _)| label.starts_with(&entity));
        form.is_computed_key && known && self.before(form).is_none()
    }

    fn key(&self) -> Map {
        reserved_key(&self.runtime.scope(None), self.first, LAYOUT)
    }

    async fn stored(&self) -> Result<Option<Item>, ApiError> {
        let input = GetItemInput {
            table_name: self.first.table.clone(),
            key: self.key().into(),
            consistent_read: Some(true),
            ..GetItemInput::default()
        };
        match self.runtime.backend().get_item(input).await {
            Ok(output) => Ok(output.item),
            // The table is not there, or has another key: the comparison of tables reports it.
            Err(error) if inspect::is_elsewhere(&error) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether the table holds nothing but reserved items.
    async fn is_empty(&self) -> Result<bool, ApiError> {
        let input = ScanInput {
            table_name: self.first.table.clone(),
            limit: Some(LOOKED_AT),
            consistent_read: Some(true),
            ..ScanInput::default()
        };
        let output = self.runtime.backend().scan(input).await?;
        let mut items = output.items.iter().flatten();
        Ok(output.last_evaluated_key.is_none() && items.all(|item| is_reserved(item, &self.first.partition)))
    }

    fn failed(&self, doing: &'static str) -> impl FnOnce(ApiError) -> DeployError {
        DeployError::failed(self.first.table.name(), doing)
    }
}

fn read(item: &Item, name: &str) -> Option<BTreeMap<String, String>> {
    let Some(ValueRef::M(entries)) = item.get(name) else { return None };
    let text = |(name, value): (&str, ValueRef<'_>)| match value {
        ValueRef::S(text) => Some((name.to_owned(), text.to_owned())),
        _ => None,
    };
    Some(entries.iter().filter_map(text).collect())
}

fn explained(form: &Form, before: &str) -> Diagnostic {
    let (title, way) = match form.is_computed_key {
        true => (
            format!("the {} items that are there have another `{}`", form.entity, form.attribute),
            format!(
                "They would not be found any more: keep the template, or migrate the items to the new keys. {MIGRATE}"
            ),
        ),
        false => (
            format!("`{}` is stored in another form", form.label()),
            format!(
                "What is there would be misread: keep the type, give the attribute a new name, or migrate the items. {MIGRATE}"
            ),
        ),
    };
    TABLE_DIFFERS
        .at(form.span, title)
        .label(format!("the design says {}", form.text))
        .note(format!("The items that are there: {before}."))
        .note(way)
}

fn unopened(form: &Form) -> Diagnostic {
    TABLE_DIFFERS
        .at(form.span, format!("the encrypted `{}` of the items that are there does not open", form.label()))
        .label("encrypted under another master key")
        .note(
            "Put the key back that they were encrypted under (`keyring.key`, in the folder that `up` names).",
        )
}
