//! Names that must refer to something: tables, entities, attributes, indexes, rules, module entries.
//!
//! The lints judge the consequences of a resolved name for DynamoDB.

use crate::facts::source;
use crate::model::*;
use crate::problems::{KEY, SHAPE, TYPE, UNKNOWN, nearest};
use sortkey_diagnostics::{Diagnostic, Span};

/// Reports every name that refers to nothing.
pub(crate) fn check(design: &Design, problems: &mut Vec<Diagnostic>) {
    crate::deployed::check(design, problems);
    let mut resolve = Resolve { design, problems };
    design.tables.iter().for_each(|table| resolve.table(table));
    design.entities.iter().for_each(|entity| resolve.entity(entity));
    design.caller.iter().for_each(|attribute| resolve.reference(attribute));
    design.patterns.iter().for_each(|pattern| resolve.pattern(pattern));
    design.operations.iter().for_each(|operation| resolve.operation(operation));
    design.modules.iter().for_each(|module| resolve.module(module));
    design.claims.iter().for_each(|claim| resolve.claim(&claim.fact));
    design.migrations.iter().for_each(|migration| resolve.migration(migration));
}

pub(crate) struct Resolve<'a> {
    design: &'a Design,
    problems: &'a mut Vec<Diagnostic>,
}

impl<'a> Resolve<'a> {
    fn table(&mut self, table: &Table) {
        if table.key.partition.is_empty() {
            let problem = KEY.at(table.name.span, format!("table `{}` has no key", table.name));
            let note = "Write `key (pk)`, or `key (pk | sk)`: the partition key, a bar, the sort key.";
            self.problems.push(problem.note(note));
        } else if table.key.partition.len() > 1 || table.key.sort.len() > 1 {
            let title = format!("the key of table `{}` has more than one attribute of a kind", table.name);
            self.problems.push(KEY.at(table.key.span, title).note(
                "A table has one partition and at most one sort attribute; only a global index takes up to four of each.",
            ));
        }
    }

    fn entity(&mut self, entity: &'a Entity) {
        if self.design.table(&entity.table.text).is_none() {
            self.unknown(
                "table",
                &entity.table,
                self.design.tables.iter().map(|table| table.name.text.as_str()),
            );
        }
        self.fills_key(entity);
        let attributes = || entity.attributes.iter().map(|attribute| attribute.name.text.as_str());
        for template in &entity.templates {
            for slot in template.slots().filter(|slot| !slot.text.is_empty()) {
                if entity.attribute(&slot.text).is_none() {
                    self.unknown(&format!("attribute of `{}`", entity.name), slot, attributes());
                }
            }
        }
        let uniques = entity.uniques.iter().flat_map(|unique| &unique.names);
        let states = entity.states.iter().filter_map(|states| states.path.first());
        let per = entity.volume.iter().flat_map(|volume| volume.per.iter().map(|(name, _, _)| name));
        for name in uniques.chain(&entity.tenant).chain(states).chain(per) {
            if entity.attribute(&name.text).is_none() {
                self.unknown(&format!("attribute of `{}`", entity.name), name, attributes());
            }
        }
        for attribute in &entity.attributes {
            self.reference(attribute);
        }
    }

    /// Every key attribute of the table is filled for every item.
    fn fills_key(&mut self, entity: &Entity) {
        let Some(table) = self.design.table_of(entity) else {
            return;
        };
        for name in table.key.attributes() {
            let Some(source) = source(entity, &name.text) else {
                let title = format!("entity `{}` does not fill the key attribute `{name}`", entity.name);
                let problem =
                    SHAPE.at(entity.name.span, title).label("an item without its key cannot be written");
                self.problems.push(problem.also(name.span, "the key of the table"));
                continue;
            };
            let optional = source.slots().into_iter().find(|slot| {
                entity.attribute(slot).is_some_and(|attribute| attribute.optional || attribute.when.is_some())
            });
            if let Some(attribute) = optional.and_then(|slot| entity.attribute(slot)) {
                let title = format!("`{}` may be absent, but it is part of the table's key", attribute.name);
                let problem = SHAPE.at(attribute.name.span, title).label("must always be there");
                self.problems.push(problem.also(name.span, "the key of the table"));
            }
        }
    }

    fn reference(&mut self, attribute: &Attribute) {
        let Some(reference) = &attribute.reference else {
            return;
        };
        let Some(entity) = self.design.entity(&reference.entity.text) else {
            self.unknown(
                "entity",
                &reference.entity,
                self.design.entities.iter().map(|each| each.name.text.as_str()),
            );
            return;
        };
        let name = reference.attribute.as_ref().unwrap_or(&attribute.name);
        if entity.attribute(&name.text).is_none() {
            let names = entity.attributes.iter().map(|each| each.name.text.as_str());
            let at = Name::new(
                name.text.clone(),
                reference.attribute.as_ref().map_or(reference.span, |each| each.span),
            );
            self.unknown(&format!("attribute of `{}`", entity.name), &at, names);
        }
    }

    fn pattern(&mut self, pattern: &'a Pattern) {
        for name in pattern.entities.iter().chain(&pattern.then) {
            self.known_entity(name);
        }
        let Some(entity) = pattern.entities.first().and_then(|name| self.design.entity(&name.text)) else {
            return;
        };
        if let (Some(via), Some(table)) = (&pattern.via, self.design.table_of(entity))
            && table.index(&via.text).is_none()
        {
            let names = table.indexes.iter().map(|index| index.name.text.as_str());
            self.unknown(&format!("index of `{}`", table.name), via, names);
        }
        let order = pattern.order.iter().filter_map(|order| order.by.as_ref());
        for name in pattern.summed.iter().chain(pattern.select.iter().flatten()).chain(order) {
            if entity.attribute(&name.text).is_none() && entity.template(&name.text).is_none() {
                let names = entity.attributes.iter().map(|each| each.name.text.as_str());
                self.unknown(&format!("attribute of `{}`", entity.name), name, names);
            }
        }
    }

    fn operation(&mut self, operation: &'a Operation) {
        if let Some(names) = operation.short.as_ref().and_then(|short| short.names.as_ref())
            && let Some(site) = crate::facts::actions(operation).first()
            && let Some(entity) = self.design.entity(&site.action.entity.text)
        {
            for name in names.iter().filter(|name| entity.attribute(&name.text).is_none()) {
                let known = entity.attributes.iter().map(|each| each.name.text.as_str());
                self.unknown(&format!("attribute of `{}`", entity.name), name, known);
            }
        }
    }

    fn module(&mut self, module: &Module) {
        let design = self.design;
        for (_, target) in &module.entries {
            if design.pattern(&target.text).is_none() && design.operation(&target.text).is_none() {
                let patterns = design.patterns.iter().map(|each| each.name.text.as_str());
                let known = patterns.chain(design.operations.iter().map(|each| each.name.text.as_str()));
                self.unknown("pattern or operation", target, known);
            }
        }
    }

    /// A sentence that names an entity of a table names one that is defined.
    fn claim(&mut self, fact: &'a Expr) {
        fact.walk(&mut |expr| {
            let ExprKind::Call { callee, args } = &expr.kind else {
                return;
            };
            let Some((_, named)) = args.values.get(1).filter(|_| callee.is_name("holds")) else {
                return;
            };
            let known = named.as_name().is_some_and(|name| self.design.entity(name).is_some());
            if !known {
                let name = named.as_name().unwrap_or_default();
                let title = format!("the text names `{name}`, and no entity is called so");
                self.problems.push(TYPE.at(named.span, title).label("not defined"));
            }
        });
    }

    fn migration(&mut self, migration: &'a Migration) {
        for step in &migration.steps {
            if !STEPS.iter().any(|(word, _)| step.is(word)) {
                self.unknown("step of a migration", step, STEPS.iter().map(|(word, _)| *word));
            }
        }
        for mapping in &migration.mappings {
            self.known_entity(&mapping.new);
            let Some(old) = &migration.old else { continue };
            let Some(entity) = old.entity(&mapping.old.text) else {
                self.unknown(
                    "entity of the old design",
                    &mapping.old,
                    old.entities.iter().map(|each| each.name.text.as_str()),
                );
                continue;
            };
            let new = self.design.entity(&mapping.new.text);
            for name in mapping.merge.iter().filter(|_| new.is_some()) {
                if new.is_some_and(|new| new.attribute(&name.text).is_none()) {
                    let names = new.into_iter().flat_map(|new| &new.attributes);
                    self.unknown(
                        &format!("attribute of `{}`", mapping.new),
                        name,
                        names.map(|each| each.name.text.as_str()),
                    );
                }
            }
            for name in &mapping.dropped {
                if entity.attribute(&name.text).is_none() {
                    let names = entity.attributes.iter().map(|each| each.name.text.as_str());
                    self.unknown(&format!("attribute of the old `{}`", entity.name), name, names);
                }
            }
        }
    }

    fn known_entity(&mut self, name: &Name) {
        if !name.text.is_empty() && self.design.entity(&name.text).is_none() {
            self.unknown("entity", name, self.design.entities.iter().map(|entity| entity.name.text.as_str()));
        }
    }

    fn unknown<'n>(&mut self, what: &str, name: &Name, known: impl Iterator<Item = &'n str>) {
        if name.text.is_empty() {
            return;
        }
        let near = nearest(&name.text, known).map(str::to_owned);
        self.unknown_at(what, &name.text, name.span, near.as_deref());
    }

    fn unknown_at(&mut self, what: &str, text: &str, span: Span, near: Option<&str>) {
        let mut problem = UNKNOWN.at(span, format!("there is no {what} called `{text}`"));
        if let Some(near) = near {
            let fix = sortkey_diagnostics::Fix::new(format!("write `{near}`"), span, near);
            problem = problem.label(format!("did you mean `{near}`?")).fix(fix);
        }
        self.problems.push(problem);
    }
}
