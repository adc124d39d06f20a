//! Update expressions.

use std::sync::Arc;

use sortkey_design::model::{FieldOp, WriteVerb};
use sortkey_design::program::{AttributeId, Template, TemplateId};
use sortkey_value::{AttributeValue, Item, Number, ValueRef};

use super::Plan;
use super::changes::{Change, To};
use super::inside::inside;
use crate::Failure;
use crate::catalog::EntityInfo;
use crate::condition::Placeholders;
use crate::evaluate::Scope;
use crate::values::{Fields, Val, to_stored};
use crate::write::Act;
use crate::write::image::{rendered, stored_value};

/// The clauses of an update expression.
#[derive(Default)]
pub(super) struct Expression {
    set: Vec<String>,
    remove: Vec<String>,
    add: Vec<String>,
    delete: Vec<String>,
    /// Top-level attributes that a clause names; DynamoDB accepts each once.
    named: Vec<Arc<str>>,
}

impl Expression {
    /// One change that is in hand.
    pub(super) fn change(
        &mut self,
        scope: &Scope<'_>,
        info: &EntityInfo,
        change: &Change,
        image: &Fields,
        verb: WriteVerb,
        into: &mut Placeholders,
    ) -> Result<(), Failure> {
        let program = &scope.shared.program;
        let To::Value(value) = &change.to else { return Ok(()) };
        let attribute = &info.of(program).attributes[change.attribute];
        self.named.push(attribute.name.clone());
        if !attribute.is_stored() {
            return Ok(());
        }
        let whole = change.path.len() == 1;
        let stored = match whole && change.op == FieldOp::Set {
            true => stored_value(scope, info, change.attribute, value, image)?,
            false => to_stored(program, &change.ty, value),
        };
        let path = into.path(&change.path);
        match (change.op, stored) {
            (FieldOp::Set, None) => self.remove.push(path),
            (FieldOp::Set, Some(stored)) if attribute.flags.immutable && verb == WriteVerb::Upsert => {
                let value = into.value(stored);
                self.set.push(format!("{path} = if_not_exists({path}, {value})"));
            }
            (FieldOp::Set, Some(stored)) => {
                let value = into.value(stored);
                self.set.push(format!("{path} = {value}"));
            }
            (op, Some(AttributeValue::N(by))) => {
                let start = start(scope, info, change)?;
                let (start, by) = (into.value(AttributeValue::N(start)), into.value(AttributeValue::N(by)));
                let sign = if op == FieldOp::Add { "+" } else { "-" };
                self.set.push(format!("{path} = if_not_exists({path}, {start}) {sign} {by}"));
            }
            (FieldOp::Add, Some(list @ AttributeValue::L(_))) => {
                let begun = to_stored(program, &change.ty, &default_of(scope, info, change)?);
                let begun = begun.unwrap_or(AttributeValue::L(Vec::new()));
                let (empty, list) = (into.value(begun), into.value(list));
                self.set.push(format!("{path} = list_append(if_not_exists({path}, {empty}), {list})"));
            }
            (FieldOp::Add, Some(set)) => {
                let set = into.value(set);
                self.add.push(format!("{path} {set}"));
            }
            (FieldOp::Subtract, Some(set)) => {
                let set = into.value(set);
                self.delete.push(format!("{path} {set}"));
            }
            (_, None) => {}
        }
        Ok(())
    }

    /// Sets an attribute to its value in an image, or removes it if it has none.
    pub(super) fn attribute(
        &mut self,
        scope: &Scope<'_>,
        info: &EntityInfo,
        id: AttributeId,
        image: &Fields,
        into: &mut Placeholders,
    ) -> Result<(), Failure> {
        let name = info.name_of(id);
        // A given value that stays is already set.
        if self.named.contains(name) {
            return Ok(());
        }
        let value = image.get(name).cloned().unwrap_or_default();
        // `when` holds, nothing is derived and nothing was given: the attribute stays as it is.
        if value.is_absent() && !image.contains_key(name) {
            return Ok(());
        }
        self.named.push(name.clone());
        let stored = stored_value(scope, info, id, &value, image)?;
        self.put(name, stored, into);
        Ok(())
    }

    /// Sets an attribute unless the item has it.
    pub(super) fn unless_stored(
        &mut self,
        name: &Arc<str>,
        stored: Option<AttributeValue>,
        into: &mut Placeholders,
    ) {
        let Some(stored) = stored.filter(|_| !self.named.contains(name)) else { return };
        let (alias, value) = (into.name(name), into.value(stored));
        self.named.push(name.clone());
        self.set.push(format!("{alias} = if_not_exists({alias}, {value})"));
    }

    /// A template as an image renders it.
    pub(super) fn template(
        &mut self,
        scope: &Scope<'_>,
        info: &EntityInfo,
        template: &Template,
        image: &Fields,
        into: &mut Placeholders,
    ) -> Result<(), Failure> {
        let name = &template.name;
        let text = rendered(scope, info, template, image)?;
        if *name == info.partition || info.sort.as_ref() == Some(name) {
            return Ok(());
        }
        self.named.push(name.clone());
        self.put(name, text.map(AttributeValue::S), into);
        Ok(())
    }

    /// Sets the other attributes of a new item, where the item has none yet.
    pub(super) fn defaults(
        &mut self,
        scope: &Scope<'_>,
        info: &EntityInfo,
        fresh: &Fields,
        into: &mut Placeholders,
    ) -> Result<(), Failure> {
        for (name, value) in crate::write::image::stored(scope, info, fresh)?.to_map() {
            let is_part = info.parts().any(|part| **part == *name);
            if is_part || self.named.iter().any(|each| **each == *name) {
                continue;
            }
            let (alias, value) = (into.name(&name), into.value(value));
            self.set.push(format!("{alias} = if_not_exists({alias}, {value})"));
        }
        Ok(())
    }

    /// Everything in which two images differ. Numbers that are counted stay counted, and objects that are there keep
    /// what others write into them.
    pub(super) fn difference(
        &mut self,
        scope: &Scope<'_>,
        info: &EntityInfo,
        plan: &Plan<'_>,
        (stored, old, new): (&Item, &Fields, &Fields),
        touched: &[TemplateId],
        into: &mut Placeholders,
    ) -> Result<(), Failure> {
        let entity = info.of(&scope.shared.program);
        let raw = info.decode(&scope.shared.program, stored);
        let counts = |change: &&Change| change.op != FieldOp::Set && change.path.len() == 1;
        for change in plan.changes.iter().filter(|change| counts(change) || plan.is_in_place(change, &raw)) {
            self.change(scope, info, change, new, WriteVerb::Update, into)?;
        }
        for (id, attribute) in entity.attributes.entries().filter(|(_, each)| each.is_stored()) {
            let name = &attribute.name;
            let key = *name == info.partition || info.sort.as_ref() == Some(name);
            if key || self.named.contains(name) || old.get(name) == new.get(name) {
                continue;
            }
            let value = new.get(name).cloned().unwrap_or_default();
            let stored = stored_value(scope, info, id, &value, new)?;
            self.put(name, stored, into);
        }
        for (id, template) in entity.templates.entries() {
            // A text that follows from something that changes is compared with what is there: an item that is older than the
            // template, or than an attribute in it, has none.
            let before = match (touched.contains(&id), stored.get(&template.name)) {
                (true, Some(ValueRef::S(text))) => Some(text.to_owned()),
                (true, _) => None,
                (false, _) => rendered(scope, info, template, old)?,
            };
            if before != rendered(scope, info, template, new)? {
                self.template(scope, info, template, new, into)?;
            }
        }
        Ok(())
    }

    fn put(&mut self, name: &str, stored: Option<AttributeValue>, into: &mut Placeholders) {
        let alias = into.name(name);
        match stored {
            Some(stored) => {
                let value = into.value(stored);
                self.set.push(format!("{alias} = {value}"));
            }
            None => self.remove.push(alias),
        }
    }

    /// The whole expression; a change of nothing is a check.
    pub(super) fn finish(self) -> Act {
        let clauses =
            [("SET", self.set), ("REMOVE", self.remove), ("ADD", self.add), ("DELETE", self.delete)];
        let clauses = clauses.into_iter().filter(|(_, parts)| !parts.is_empty());
        let text: Vec<String> = clauses.map(|(word, parts)| format!("{word} {}", parts.join(", "))).collect();
        if text.is_empty() { Act::Check } else { Act::Update(text.join(" ")) }
    }
}

/// The start of counting if there is nothing yet: the default of the attribute, or of the member of an object.
pub(super) fn start(scope: &Scope<'_>, info: &EntityInfo, change: &Change) -> Result<Number, Failure> {
    Ok(match default_of(scope, info, change)? {
        Val::Number(number) => number,
        _ => Number::ZERO,
    })
}

/// The value by `=` of what a change is about, if it follows from nothing else.
pub(super) fn default_of(scope: &Scope<'_>, info: &EntityInfo, change: &Change) -> Result<Val, Failure> {
    let program = &scope.shared.program;
    let attribute = &info.of(program).attributes[change.attribute];
    let declared = inside(program, attribute, &change.path[1..]).and_then(|(_, declared)| declared);
    let fill = declared.and_then(|declared| declared.fill.as_ref()).filter(|fill| !fill.derived);
    fill.map_or(Ok(Val::Absent), |fill| scope.eval(&fill.value, None))
}
