//! The sources of keys: a table's key decides where an item is, an index key whether a pattern finds it.

use sortkey_design::facts::Known;
use sortkey_design::model;
use sortkey_design::program::{FilledKey, Id, KeyPart, Source, Template};

use crate::entities::Pair;
use crate::show::Show;
use crate::{Class, Difference, Task};

/// Compares the keys that an entity fills.
pub(crate) fn compare(pair: &Pair<'_>, found: &mut Vec<Difference>) {
    let (before, after) = (
        key_text(&pair.old.key, &pair.show_old(), pair.old),
        key_text(&pair.new.key, &pair.show_new(), pair.new),
    );
    if before != after {
        let effect = "no item is found under its new key until it has been copied there";
        found.push(pair.difference(Class::Rekey, format!("key {after} instead of {before}"), effect));
    }
    for template in pair.new.templates.iter().filter(|each| !is_table_key(&pair.new.key, &each.name)) {
        match pair.old.templates.iter().find(|each| each.name == template.name) {
            Some(before) => changed(pair, before, template, found),
            None => {
                let what = format!("{} = {} is new", template.name, pair.show_new().template(template));
                let effect = "existing items are not in the index until they have the attribute";
                found.push(pair.difference(Class::Rewrite, what, effect).doing(Task::Recompute));
            }
        }
    }
    for template in pair.old.templates.iter().filter(|each| !is_table_key(&pair.old.key, &each.name)) {
        let is_still_stored = pair.new.templates.iter().any(|each| each.name == template.name)
            || pair.new.attributes.find(&template.name).is_some();
        if !is_still_stored {
            let change = format!("{} is gone", template.name);
            let effect = "existing items keep the attribute, and their place in indexes that use it";
            found.push(pair.difference(Class::Remove, change, effect));
        }
    }
}

fn changed(pair: &Pair<'_>, old: &Template, new: &Template, found: &mut Vec<Difference>) {
    let (before, after) = (pair.show_old().template(old), pair.show_new().template(new));
    if before != after {
        let change = format!("{} = {after} instead of {before}", new.name);
        let effect = "existing items are found under the old text until they are rewritten";
        found.push(pair.difference(Class::Rewrite, change, effect).doing(Task::Recompute));
    }
    let (before, after) =
        (pair.show_old().optional(old.when.as_ref()), pair.show_new().optional(new.when.as_ref()));
    if before != after && !means_the_same(pair, &new.name) {
        let text = |when: Option<String>| when.unwrap_or_else(|| "always".to_owned());
        let change = format!("{} when {} instead of {}", new.name, text(after), text(before));
        let effect = "existing items enter or leave the index when they are rewritten";
        found.push(pair.difference(Class::Rewrite, change, effect).doing(Task::Recompute));
    }
}

/// Whether the conditions of a template admit the same items in both versions, however they are spelled.
fn means_the_same(pair: &Pair<'_>, template: &str) -> bool {
    if !pair.renames.is_empty() {
        return false;
    }
    let design = &pair.new_program.design;
    let old = pair.old_program.design.entities.get(pair.old_id.at());
    let new = design.entities.get(pair.new_id.at());
    let when = |entity: Option<&model::Entity>| {
        entity.and_then(|entity| entity.template(template)).and_then(|template| template.when.clone())
    };
    let (Some(entity), Some(before), Some(after)) = (new, when(old), when(new)) else { return false };
    let implies = |known: &model::Expr, wanted: &model::Expr| {
        let conditions = known.conjuncts();
        Known { design, entity, conditions, present: Vec::new(), parameters: Vec::new() }.implies(wanted)
    };
    implies(&before, &after) && implies(&after, &before)
}

fn is_table_key(key: &FilledKey, stored: &str) -> bool {
    key.parts().any(|part| *part.stored == *stored)
}

fn key_text(key: &FilledKey, show: &Show<'_>, entity: &sortkey_design::program::Entity) -> String {
    let part = |part: &KeyPart| match part.source {
        Some(Source::Template(id)) => format!("{} = {}", part.stored, show.template(&entity.templates[id])),
        Some(Source::Attribute(id)) => show.attribute(id),
        None => part.stored.to_string(),
    };
    key.parts().map(part).collect::<Vec<_>>().join(", ")
}
