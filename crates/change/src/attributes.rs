//! Attributes: their names, types, values and annotations.

use sortkey_design::Program;
use sortkey_design::model::{self, ExprKind};
use sortkey_design::program::{self, AliasPiece, Attribute, AttributeId, Entity, Expr, Function, Id};

use crate::entities::Pair;
use crate::show::{Renames, Show, type_change};
use crate::types::{Fit, fit};
use crate::{Class, Concern, Difference, Task};

/// Compares the attributes of an entity.
pub(crate) fn compare(pair: &Pair<'_>, found: &mut Vec<Difference>) {
    for (id, attribute) in pair.new.attributes.entries() {
        let one = |class, change, effect| difference(pair, attribute, class, change, effect);
        if let Some(before) = pair.old.attributes.find(&attribute.name) {
            Both { pair, old: &pair.old.attributes[before], old_id: before, new: attribute, new_id: id }
                .compare(found);
            continue;
        }
        let was = pair.renames.iter().find(|(_, to)| **to == *attribute.name);
        let Some(before) = was.and_then(|(from, _)| pair.old.attributes.find(from)) else {
            found.extend(added(pair, attribute));
            continue;
        };
        let old = &pair.old.attributes[before];
        if old.is_stored() {
            let change = format!("was `{}`", old.name);
            let effect =
                "existing items have the value under its old name until they are rewritten".to_owned();
            let renamed =
                one(Class::Rewrite, change, effect).doing(Task::Rename { from: old.name.to_string() });
            found.push(renamed.breaking(format!("answers say `{}`", attribute.name)));
        }
        Both { pair, old, old_id: before, new: attribute, new_id: id }.compare(found);
    }
    for attribute in pair.old.attributes.iter() {
        let is_kept = pair.new.attributes.find(&attribute.name).is_some()
            || pair.renames.contains_key(&*attribute.name)
            || pair.new.templates.iter().any(|template| template.name == attribute.name);
        if !is_kept {
            let class = if attribute.is_stored() { Class::Remove } else { Class::Nothing };
            let effect = "existing items keep the value, and no answer shows it".to_owned();
            let subject = format!("{}.{}", pair.new.name, attribute.name);
            found.push(
                Difference::new(class, subject, "is gone", effect)
                    .breaking("answers lack it")
                    .of(concern(pair, attribute))
                    .at(attribute.span),
            );
        }
    }
}

/// New names by old names: the attributes marked with `@was(old)` where the old version has `old`.
pub(crate) fn renames(pair: &Pair<'_>) -> Renames {
    let mut found = Renames::new();
    let entity = pair.new_program.design.entities.get(pair.new_id.at());
    for attribute in entity.into_iter().flat_map(|entity| &entity.attributes) {
        let is_new = pair.old.attributes.find(&attribute.name.text).is_none();
        let was = was(attribute).filter(|was| pair.old.attributes.find(was).is_some());
        if let Some(was) = was.filter(|_| is_new) {
            found.insert(was.to_owned(), attribute.name.text.clone());
        }
    }
    found
}

fn was(attribute: &model::Attribute) -> Option<&str> {
    let (_, value) = attribute.annotation("was")?.args.first()?;
    match &value.kind {
        ExprKind::Name { name } => Some(name),
        _ => None,
    }
}

fn difference(
    pair: &Pair<'_>,
    attribute: &Attribute,
    class: Class,
    change: String,
    effect: String,
) -> Difference {
    let subject = format!("{}.{}", pair.new.name, attribute.name);
    let difference = Difference::new(class, subject, change, effect).of(concern(pair, attribute));
    pair.priced(difference.at(attribute.span))
}

fn concern(pair: &Pair<'_>, attribute: &Attribute) -> Concern {
    let (entity, attribute) = (pair.new.name.to_string(), attribute.name.to_string());
    Concern { table: None, entity: Some(entity), attribute: Some(attribute) }
}

/// Whether an index of the entity's table has the attribute itself as a part of its key.
fn is_indexed(program: &Program, entity: &Entity, attribute: &Attribute) -> bool {
    let is_template = entity.templates.iter().any(|template| template.name == attribute.name);
    let table = entity.table.map(|table| &program.tables[table]).filter(|_| !is_template);
    table.is_some_and(|table| table.indexes.iter().any(|index| index.key.contains(&attribute.name)))
}

/// An attribute that the old version did not have.
fn added(pair: &Pair<'_>, attribute: &Attribute) -> Option<Difference> {
    let one =
        |class, effect: &str| difference(pair, attribute, class, "is new".to_owned(), effect.to_owned());
    let show = pair.show_new();
    Some(match &attribute.fill {
        _ if !attribute.is_stored() => one(Class::Nothing, "it is not stored"),
        Some(fill) if fill.derived => one(
            Class::Rewrite,
            &format!("existing items lack `{}` until they are rewritten", show.expr(&fill.value)),
        )
        .doing(Task::Recompute),
        Some(fill) if is_fixed(&fill.value) && is_indexed(pair.new_program, pair.new, attribute) => one(
            Class::Rewrite,
            &format!("existing items get {}, so that the index finds them", show.expr(&fill.value)),
        )
        .doing(Task::Fill),
        Some(fill) if !is_fixed(&fill.value) => {
            one(Class::ReadAsBefore, "existing items lack it until they are written again")
        }
        Some(fill) => {
            one(Class::ReadAsBefore, &format!("existing items read as having {}", show.expr(&fill.value)))
        }
        None if attribute.may_be_absent() => one(Class::ReadAsBefore, "existing items lack it"),
        // Operations that take it have a difference of their own.
        None => one(
            Class::Move,
            "every existing item lacks it: declare a default or make it optional, or let a migration give each a value",
        )
        .doing(Task::VerifyValue),
    })
}

/// Whether a default is the same for every item and at every time.
fn is_fixed(value: &Expr) -> bool {
    let mut fixed = true;
    value.walk(&mut |expr| {
        fixed &= !matches!(
            expr.kind,
            program::ExprKind::Now
                | program::ExprKind::New
                | program::ExprKind::Attribute(_)
                | program::ExprKind::Stored(_)
                | program::ExprKind::CallerPart(_)
                | program::ExprKind::Function { function: Function::Random, .. }
        );
    });
    fixed
}

/// An attribute in both versions.
struct Both<'a> {
    pair: &'a Pair<'a>,
    old: &'a Attribute,
    old_id: AttributeId,
    new: &'a Attribute,
    new_id: AttributeId,
}

impl Both<'_> {
    fn compare(&self, found: &mut Vec<Difference>) {
        if self.old.is_stored() != self.new.is_stored() {
            let (class, change) = match self.new.is_stored() {
                true if self.new.fill.is_none() && !self.new.may_be_absent() => {
                    (Class::Move, "is stored now")
                }
                true => (Class::Rewrite, "is stored now"),
                false => (Class::Remove, "is no longer stored"),
            };
            let effect = "existing items keep what they have until they are rewritten";
            found.push(self.one(class, change, effect).doing(Task::VerifyValue));
            return;
        }
        self.ty(found);
        self.presence(found);
        self.fill(found);
        if self.new.is_stored() {
            self.form(found);
            self.indexed(found);
        }
        self.visibility(found);
    }

    fn one(&self, class: Class, change: impl Into<String>, effect: impl Into<String>) -> Difference {
        difference(self.pair, self.new, class, change.into(), effect.into())
    }

    fn ty(&self, found: &mut Vec<Difference>) {
        let (old, new) = (self.pair.old_program, self.pair.new_program);
        let change = || type_change((old, &self.old.ty), (new, &self.new.ty));
        match fit((old, &self.old.ty), (new, &self.new.ty)) {
            Fit::Same => {}
            Fit::Wider if !self.new.is_stored() => {
                found.push(self.one(Class::Nothing, change(), "it is not stored"))
            }
            Fit::Wider => found.push(self.one(Class::ReadAsBefore, change(), "every existing value fits")),
            Fit::Narrower(why) | Fit::OtherForm(why) if !self.new.is_stored() => {
                let breaks = format!("calls are refused: {}", why.join("; "));
                found.push(self.one(Class::Nothing, change(), "it is not stored").breaking(breaks));
            }
            Fit::Narrower(why) => {
                let why = why.join("; ");
                let effect = format!("existing values that do not fit have to be changed first ({why})");
                let narrower = self.one(Class::Rewrite, change(), effect).doing(Task::VerifyValue);
                found.push(narrower.breaking(format!("calls are refused: {why}")));
            }
            Fit::OtherForm(why) => {
                // The text of a key is made of the stored form.
                let class = if self.is_key() { Class::Rekey } else { Class::Move };
                let effect = format!(
                    "existing values would be misread ({}): a migration converts them, or the attribute gets another name",
                    why.join("; ")
                );
                let converted = self.one(class, change(), effect).doing(Task::Convert);
                found.push(converted.breaking("answers and arguments have the new form"));
            }
        }
    }

    fn presence(&self, found: &mut Vec<Difference>) {
        let (old, new) = (self.old, self.new);
        if old.optional && !new.optional && new.fill.is_none() && new.when.is_none() {
            let effect = "existing items without it have to get a value first";
            found.push(self.one(Class::Rewrite, "is required", effect).doing(Task::VerifyValue));
        } else if !old.optional && new.optional {
            found.push(
                self.one(Class::ReadAsBefore, "is optional", "existing items stay as they are")
                    .breaking("answers may lack it"),
            );
        }
        let when = |attribute: &Attribute, show: &Show<'_>| show.optional(attribute.when.as_ref());
        let (before, after) = (when(old, &self.pair.show_old()), when(new, &self.pair.show_new()));
        if before != after && new.is_stored() {
            let text = |when: Option<String>| when.unwrap_or_else(|| "always".to_owned());
            let change = format!("when {} instead of {}", text(after), text(before));
            let effect = "existing items gain or lose the attribute when they are rewritten";
            found.push(self.one(Class::Rewrite, change, effect).doing(Task::Recompute));
        }
    }

    fn fill(&self, found: &mut Vec<Difference>) {
        let text = |attribute: &Attribute, show: &Show<'_>| {
            attribute
                .fill
                .as_ref()
                .map(|fill| format!("{} {}", if fill.derived { ":=" } else { "=" }, show.expr(&fill.value)))
        };
        let (before, after) = (text(self.old, &self.pair.show_old()), text(self.new, &self.pair.show_new()));
        if before == after || !self.new.is_stored() {
            return;
        }
        let none = || "no value".to_owned();
        let change = format!(
            "{} instead of {}",
            after.clone().unwrap_or_else(none),
            before.clone().unwrap_or_else(none)
        );
        let derived = self.new.is_derived() || self.old.is_derived();
        found.push(match (derived, before) {
            (true, _) => {
                let class = if self.is_key() { Class::Rekey } else { Class::Rewrite };
                let effect = "existing items keep the value that was stored until they are rewritten";
                self.one(class, change, effect).doing(Task::Recompute)
            }
            // Items that are older than the attribute read as having its default.
            (false, Some(_)) => self
                .one(
                    Class::Rewrite,
                    change,
                    "existing items without the attribute would read as having the new default: they get the old one first",
                )
                .doing(Task::Freeze),
            (false, None) => self.one(Class::ReadAsBefore, change, "existing items stay as they are"),
        });
    }

    /// How a value is written into the item.
    fn form(&self, found: &mut Vec<Difference>) {
        if self.old.normalize != self.new.normalize {
            let text = |attribute: &Attribute| match attribute.normalize.as_slice() {
                [] => "none".to_owned(),
                steps => format!("{steps:?}").to_lowercase().trim_matches(['[', ']']).to_owned(),
            };
            let change = format!("normalize {} instead of {}", text(self.new), text(self.old));
            let class = if self.is_key() { Class::Rekey } else { Class::Rewrite };
            let effect = "existing values are not found by their normalised text until they are rewritten";
            found.push(self.one(class, change, effect).doing(Task::Recompute));
        }
        let alias = |attribute: &Attribute, show: &Show<'_>| {
            attribute
                .encrypted
                .as_ref()
                .map(|pieces| pieces.iter().map(|piece| alias_text(piece, show)).collect::<String>())
        };
        let (before, after) =
            (alias(self.old, &self.pair.show_old()), alias(self.new, &self.pair.show_new()));
        if before != after {
            let task = if before.is_none() { Task::Seal } else { Task::Unseal };
            let text = |alias: Option<String>| {
                alias.map_or_else(|| "plain".to_owned(), |alias| format!("encrypted with \"{alias}\""))
            };
            let change = format!("{} instead of {}", text(after), text(before));
            let effect = "existing values are encrypted, or decrypted, when they are rewritten";
            found.push(self.one(Class::Rewrite, change, effect).doing(task));
        }
    }

    /// An index that is new to the attribute finds only items that store it, while others may read as having a default.
    fn indexed(&self, found: &mut Vec<Difference>) {
        let pair = self.pair;
        let fixed = self.new.fill.as_ref().filter(|fill| !fill.derived && is_fixed(&fill.value));
        let is_newly_indexed = is_indexed(pair.new_program, pair.new, self.new)
            && !is_indexed(pair.old_program, pair.old, self.old);
        if let Some(fill) = fixed.filter(|_| is_newly_indexed && !self.new.may_be_absent()) {
            let value = pair.show_new().expr(&fill.value);
            let effect = format!("existing items without it get {value}, so that the index finds them");
            found.push(self.one(Class::Rewrite, "is in the key of an index", effect).doing(Task::Fill));
        }
    }

    fn visibility(&self, found: &mut Vec<Difference>) {
        match (self.old.flags.secret, self.new.flags.secret) {
            (false, true) => found.push(
                self.one(Class::Nothing, "is secret", "existing items stay as they are")
                    .breaking("answers lack it"),
            ),
            (true, false) => found.push(
                self.one(Class::Nothing, "is no longer secret", "existing items stay as they are")
                    .breaking("answers show it"),
            ),
            _ => {}
        }
    }

    /// Whether the attribute determines where its item is.
    fn is_key(&self) -> bool {
        self.pair.new.key_attributes.contains(&self.new_id)
            || self.pair.old.key_attributes.contains(&self.old_id)
    }
}

fn alias_text(piece: &AliasPiece, show: &Show<'_>) -> String {
    match piece {
        AliasPiece::Literal(text) => text.clone(),
        AliasPiece::Slot(attribute) => format!("{{{}}}", show.attribute(*attribute)),
    }
}
