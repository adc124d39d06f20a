//! Examines every item that a change concerns, before the first of them is written.

use std::collections::{BTreeSet, HashMap};

use sha2::{Digest, Sha256};
use sortkey_api::operations::ScanInput;
use sortkey_change::{Class, Difference, Task};
use sortkey_design::model::Attribute;
use sortkey_diagnostics::{Diagnostic, Span};
use sortkey_value::{Item, Map};

use super::entity::{Entities, Entity};
use super::is_loss;
use super::refuse::Unfit;
use crate::layout::{complaint, key_text};
use sortkey_core::Failure;
use sortkey_core::internals::{EntityInfo, Scope, broken_check, held, keeps_key, target};

const CHANGE_ITEMS: &str = "Let the design allow what is stored, change the items while the design is as it was, or give the \
                            attribute a new name. Nothing was changed.";
const REQUIRED: &str = "Declare a default or make it optional; where each item needs a value of its own, a `migrate` block gives it. If it had \
                        another name so far, say `@was(...)`. Nothing was changed.";
const CONVERT: &str = "`up` converts no values: keep the type, or give the attribute a new name. Or a `migrate` block converts the items into \
                       another table: `sortkey migrate plan` counts what that takes. Nothing was changed.";
const KEEP: &str = "If it has another name now, say `@was(...)` there. To serve without it, start with `--keep-removed`: the \
                    items keep what they have, and no answer shows it.";
const KEEP_ENTITY: &str = "An entity keeps its name: call it as before, or bring its items over with `migrate`. To serve without it, start with \
                           `--keep-removed`: the items stay, and no answer shows them.";
const MOVE: &str = "`up` rewrites items in place and copies none. Say in a `migrate` block how they become items of the other table: \
                    `sortkey migrate plan` counts what that takes, `sortkey migrate start` begins. Nothing was changed.";
const REKEY: &str = "`up` rewrites items in place and never gives one another key: leave the attribute as it was, change these items \
                     while the design is as it was, or say in a `migrate` block how they become items under another key: \
                     `sortkey migrate plan` counts what that takes. Nothing was changed.";
const UNIQUE: &str =
    "Change or delete one of them under the design as it was, then start again. No item was changed.";

/// The items that prevent a change.
pub(super) struct Survey<'a> {
    entities: &'a Entities<'a>,
    keeps_removed: bool,
    found: Vec<(String, Unfit)>,
    /// The first item of every unique value, by the digest of its guard.
    taken: HashMap<[u8; 16], Map>,
    /// The attributes in which the old and the new form of some item differ.
    changed: BTreeSet<String>,
    items: i64,
}

impl<'a> Survey<'a> {
    pub(super) fn new(entities: &'a Entities<'a>, keeps_removed: bool) -> Survey<'a> {
        Survey {
            entities,
            keeps_removed,
            found: Vec::new(),
            taken: HashMap::new(),
            changed: BTreeSet::new(),
            items: 0,
        }
    }

    /// Whether any item could prevent it.
    pub(super) fn is_due(&self) -> bool {
        let mut old = self.entities.all.iter().filter(|each| each.old.is_some());
        old.any(|entity| {
            let is_gone = entity.new.is_none() && (!self.keeps_removed || is_moved(entity).is_some());
            let is_lossy = !self.keeps_removed && entity.differences.iter().any(|each| is_loss(each));
            is_gone || is_lossy || entity.tasks().any(|(task, _)| is_looked_at(task))
        })
    }

    /// Examines every item of the table.
    pub(super) async fn walk(&mut self) -> Result<(), Failure> {
        let runtime = self.entities.runtime;
        let session = runtime.session();
        let mut after = None;
        loop {
            let page = session.scan(ScanInput {
                table_name: self.entities.first.table.clone(),
                exclusive_start_key: after,
                consistent_read: Some(true),
                ..ScanInput::default()
            });
            let page = page.await?;
            let (old, new) = (self.entities.old_runtime.scope(None), runtime.scope(None));
            for item in page.items.iter().flatten() {
                self.items += 1;
                if let Some(entity) = self.entities.owner(item) {
                    self.look_at(entity, (&old, &new), item)?;
                }
            }
            match page.last_evaluated_key {
                Some(key) => after = Some(key.into()),
                None => return Ok(()),
            }
        }
    }

    /// The attributes in which the old and the new form of some item differ, and the number of items.
    pub(super) fn into_changed(self) -> (BTreeSet<String>, i64) {
        (self.changed, self.items)
    }

    /// The refusals, one for each reason.
    pub(super) fn refusals(&self) -> Vec<Diagnostic> {
        self.found.iter().map(|(_, unfit)| unfit.explained()).collect()
    }

    fn look_at(
        &mut self,
        entity: &Entity<'a>,
        scopes: (&Scope<'_>, &Scope<'_>),
        item: &Item,
    ) -> Result<(), Failure> {
        let Some(info) = entity.new else {
            self.homeless(entity, item);
            return Ok(());
        };
        let losses = entity.differences.iter().filter(|each| is_loss(each) && !self.keeps_removed);
        for difference in losses.copied().collect::<Vec<&Difference>>() {
            let Some(name) = &difference.concern.attribute else { continue };
            if item.get(name).is_some() {
                let title = format!("`{}` is gone from the design, and items have it", difference.subject);
                self.add(info, &difference.subject, (title, "takes it away", KEEP), self.key(item));
            }
        }
        if !entity.tasks().any(|(task, _)| is_looked_at(task)) {
            return Ok(());
        }
        if self.converts(entity, info, item) {
            return Ok(());
        }
        let made = entity.moved(scopes, item).and_then(|moved| target(scopes.1, info, &moved));
        match made {
            Ok(target) => {
                let before = item.to_map();
                let names = before.keys().chain(target.keys());
                let changed = names.filter(|name| before.get(*name) != target.get(*name));
                self.changed.extend(changed.cloned());
                self.judge(entity, info, scopes.1, item, &Item::from(target))
            }
            Err(failure) => {
                let name = failure.field.clone().unwrap_or_default();
                self.unfit(info, &name, format!("{}: {}", self.key(item), failure.message));
                Ok(())
            }
        }
    }

    /// Refuses an item with a value that would be misread: a number of seconds is also one of milliseconds.
    fn converts(&mut self, entity: &Entity<'a>, info: &EntityInfo, item: &Item) -> bool {
        let tasks = entity.tasks().filter(|(task, _)| **task == Task::Convert);
        let is_there = |name: &&str| item.get(name).is_some() || item.get(entity.name_before(name)).is_some();
        let names: Vec<&str> = tasks.map(|(_, name)| name).filter(is_there).collect();
        for name in &names {
            let title = format!("`{}.{name}` is stored in another form", info.name);
            let why = self.key(item);
            self.add(info, name, (title, "would be misread", CONVERT), why);
        }
        !names.is_empty()
    }

    /// Checks an item in its new form against the design.
    fn judge(
        &mut self,
        entity: &Entity<'a>,
        info: &EntityInfo,
        scope: &Scope<'_>,
        item: &Item,
        target: &Item,
    ) -> Result<(), Failure> {
        let looked_at = entity.tasks().filter(|(task, _)| is_looked_at(task)).map(|(_, name)| name);
        let mut names: Vec<&str> = looked_at.filter(|name| info.stores(name)).collect();
        names.sort_unstable();
        names.dedup();
        for name in names {
            let attribute = info.source(self.entities.runtime.design()).attribute(name);
            // A value that depends on the time of a write is filled by the next one.
            let attribute = attribute.filter(|each| target.get(name).is_some() || each.value.is_none());
            let Some(why) = attribute.and_then(|each| complaint(scope, info, each, target)) else { continue };
            match target.get(name) {
                Some(_) => self.unfit(info, name, why),
                None => {
                    let title = format!("items that are there have no `{}.{name}`", info.name);
                    self.add(info, name, (title, "required from now on", REQUIRED), why);
                }
            }
        }
        if entity.tasks().any(|(task, _)| *task == Task::VerifyChecks)
            && let Some(failure) = broken_check(scope, info, target)?
        {
            let title = format!("items that are there break a check of `{}`", info.name);
            let why = format!("{}: {}", self.key(item), failure.message);
            self.add(info, "check", (title, "checks more than it did", CHANGE_ITEMS), why);
        }
        let is_rekeyed = entity.differences.iter().any(|each| each.class == Class::Rekey);
        if is_rekeyed && !keeps_key(scope, info, target)? {
            let title = format!("items of `{}` would have another key", info.name);
            let why = self.key(item);
            self.add(info, "key", (title, "makes the key of other text", REKEY), why);
        }
        self.unique(info, scope, item, target)
    }

    /// Finds items that have one unique value in their new form.
    fn unique(
        &mut self,
        info: &EntityInfo,
        scope: &Scope<'_>,
        item: &Item,
        target: &Item,
    ) -> Result<(), Failure> {
        let program = &scope.shared.program;
        let fields = info.decode_leniently(scope, target);
        for (id, _) in info.of(program).uniques.entries() {
            let Some(guard) = held(scope, info, id, &fields)? else { continue };
            let mut digest = [0; 16];
            digest.copy_from_slice(&Sha256::digest(format!("{guard:?}").as_bytes())[..16]);
            let own = info.key_of(item);
            let Some(other) = self.taken.get(&digest).filter(|other| **other != own) else {
                self.taken.insert(digest, own);
                continue;
            };
            let title = format!("two items of {} have one value that only one may have", info.name);
            let why = format!("One is {}, the other {}.", key_text(other), key_text(&own));
            self.add(info, "unique", (title, "only one may have it from now on", UNIQUE), why);
        }
        Ok(())
    }

    /// An item whose entity is gone, or lives in another table.
    fn homeless(&mut self, entity: &Entity<'a>, item: &Item) {
        let Some(old) = entity.old else { return };
        let (title, label, way) = match is_moved(entity) {
            Some(difference) => {
                (format!("`{}` {}", old.name, difference.change), "items are in the old table", MOVE)
            }
            None if self.keeps_removed => return,
            None => (
                format!("`{}` is gone from the design, and there are items of it", old.name),
                "takes it away",
                KEEP_ENTITY,
            ),
        };
        let why = self.key(item);
        self.add(self.entities.first, &old.name, (title, label, way), why);
    }

    fn unfit(&mut self, info: &EntityInfo, attribute: &str, why: String) {
        let what = match attribute {
            "" => format!("`{}`", info.name),
            name => format!("`{}.{name}`", info.name),
        };
        let title = format!("items that are there do not fit {what} any more");
        self.add(info, attribute, (title, "allows less than it did", CHANGE_ITEMS), why);
    }

    fn add(
        &mut self,
        info: &EntityInfo,
        about: &str,
        (title, label, way): (String, &str, &'static str),
        why: String,
    ) {
        let key = format!("{}.{about}.{title}", info.name);
        let at = self.found.iter().position(|(each, _)| *each == key).unwrap_or_else(|| {
            let (span, label) = (self.span(info, about), label.to_owned());
            self.found.push((key, Unfit { title, label, way, span, items: Vec::new(), count: 0 }));
            self.found.len() - 1
        });
        self.found[at].1.add(why);
    }

    /// The place of an attribute in the design, or that of its entity.
    fn span(&self, info: &EntityInfo, attribute: &str) -> Span {
        let entity = info.source(self.entities.runtime.design());
        entity.attribute(attribute).map_or(entity.name.span, Attribute::type_place)
    }

    fn key(&self, item: &Item) -> String {
        key_text(&self.entities.first.key_of(item))
    }
}

/// Whether a task depends on the contents of items.
fn is_looked_at(task: &Task) -> bool {
    !matches!(task, Task::None | Task::Guard)
}

/// The difference that takes an entity to another table.
fn is_moved<'a>(entity: &Entity<'a>) -> Option<&'a Difference> {
    entity.differences.iter().copied().find(|each| each.class == Class::Move)
}
