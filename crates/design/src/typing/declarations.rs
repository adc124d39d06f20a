//! Where expressions stand: entities, patterns, rules, operations, tests.

use super::scope::{ItemScope, Scope};
use super::ty::Ty;
use super::{Typing, Wanted};
use crate::facts::{
    Source, actions, condition, operation_signature, pattern_signature, rule_signature, source,
};
use crate::model::*;
use crate::problems::MISMATCH;

impl<'a> Typing<'a, '_> {
    pub(super) fn entity(&mut self, entity: &'a Entity) {
        self.within(Scope::of_entity(entity), |typing| {
            entity.attributes.iter().for_each(|attribute| typing.attribute(attribute));
            let templates = entity.templates.iter().filter_map(|template| template.when.as_ref());
            let checks = entity.checks.iter().map(|check| &check.condition);
            let uniques = entity.uniques.iter().filter_map(|unique| unique.when.as_ref());
            templates
                .chain(checks)
                .chain(uniques)
                .chain(&entity.deleted)
                .for_each(|expr| typing.condition(expr));
            entity.states.iter().for_each(|states| typing.states(entity, states));
        });
        self.uniques(entity);
    }

    /// The key of a guard is text, and lies in the entity's own table.
    fn uniques(&mut self, entity: &'a Entity) {
        let design = self.design;
        let Some(key) = partition_that_is_no_text(design, entity) else { return };
        for unique in &entity.uniques {
            let title = format!("nothing of {} can be unique beside its key", entity.name);
            let problem = MISMATCH.at(unique.span, title).label("would need a guard, whose key is text");
            let problem =
                problem.also(key.span, format!("the partition key is {}", design.type_of(key).describe()));
            self.push(
                problem.note(
                    "Make the partition key text: a template of the attribute, as in `PK = \"N#{n}\"`.",
                ),
            );
        }
    }

    /// The attributes of a record or an object see each other.
    pub(super) fn attributes(&mut self, attributes: &'a [Attribute]) {
        let scope = Scope { item: Some(ItemScope { attributes, entity: None }), ..Scope::default() };
        self.within(scope, |typing| attributes.iter().for_each(|attribute| typing.attribute(attribute)));
    }

    fn attribute(&mut self, attribute: &'a Attribute) {
        let design = self.design;
        if let Some(fill) = &attribute.value {
            let mut wanted = Wanted::attribute(design, attribute);
            // Functions of something absent are absent: a derived attribute may be, and says so with `?`.
            wanted.allow_absent();
            self.want(&fill.value, &wanted);
        }
        if let Some(when) = &attribute.when {
            self.condition(when);
        }
        if let Some(attributes) = inner(&attribute.ty) {
            self.attributes(attributes);
        }
    }

    fn states(&mut self, entity: &'a Entity, states: &'a States) {
        let Some(first) = states.path.first().and_then(|name| entity.attribute(&name.text)) else {
            return;
        };
        let mut ty = Ty::of(self.design.type_of(first));
        for name in states.path.iter().skip(1) {
            ty = self.member(ty, name);
        }
        let Ty::Is(words @ Type::Enum { .. }) = ty else {
            if !matches!(ty, Ty::Unknown) {
                let title = format!("states are words of an enum, and this is {}", ty.named());
                self.push(MISMATCH.at(first.type_place(), title).also(states.span, "the states"));
            }
            return;
        };
        let transitions = states.transitions.iter().flat_map(|each| each.from.iter().chain(&each.to));
        let enters = states.enters.iter().flat_map(|enter| &enter.states);
        for state in transitions.chain(enters) {
            self.state(state, words);
        }
        states
            .transitions
            .iter()
            .filter_map(|each| each.condition.as_ref())
            .for_each(|expr| self.condition(expr));
        for field in states.enters.iter().flat_map(|enter| &enter.fields.fields) {
            let attribute = field.path.first().and_then(|name| entity.attribute(&name.text));
            match (attribute, field.path.first()) {
                (Some(attribute), _) if field.path.len() == 1 => {
                    self.want(&field.value, &Wanted::attribute(self.design, attribute));
                }
                (None, Some(name)) => drop(self.attribute_of(entity, name)),
                _ => {}
            }
        }
    }

    fn state(&mut self, state: &'a Name, words: &'a Type) {
        // A state is a word even where an attribute has its name.
        let item = self.scope.item.take();
        self.name(&state.text, state.span, Some(words));
        self.scope.item = item;
    }

    pub(super) fn pattern(&mut self, pattern: &'a Pattern) {
        let design = self.design;
        let Some(entity) = pattern.entities.first().and_then(|name| design.entity(&name.text)) else {
            return;
        };
        let mut scope = Scope::of_formals(&pattern_signature(design, pattern), pattern.system);
        self.within(scope.clone(), |typing| pattern.binds.iter().for_each(|bind| typing.bind(entity, bind)));
        // In a condition a bare name is the item's attribute, unless a declared parameter hides it.
        scope.locals.retain(|local| pattern.param(local.name).is_some());
        scope.item = Some(ItemScope::of(entity));
        self.within(scope, |typing| {
            for expr in pattern.conditions() {
                // An attribute that does not exist has a rule of its own.
                let strange = condition(expr)
                    .attribute()
                    .is_some_and(|name| !entity.stores(name) && entity.attribute(name).is_none());
                if !strange {
                    typing.condition(expr);
                }
            }
            pattern.filter.iter().for_each(|expr| typing.condition(expr));
        });
        if let Some(requires) = &pattern.requires {
            let mut scope = Scope::of_formals(&pattern_signature(design, pattern), pattern.system);
            scope.item = Some(ItemScope::of(entity));
            self.within(scope, |typing| typing.condition(requires));
        }
    }

    fn bind(&mut self, entity: &'a Entity, bind: &'a Bind) {
        let Some(attribute) = entity.attribute(&bind.name.text) else {
            return;
        };
        let wanted = Wanted::attribute(self.design, attribute);
        match &bind.value {
            BindValue::Parameter | BindValue::All => {}
            BindValue::Expr(expr) => self.want(expr, &wanted),
            BindValue::In(list) => {
                let ty = self.infer(list, None);
                match ty.element() {
                    Some(element) if super::ty::fits(wanted.ty, &element) => {}
                    Some(element) => self.mismatch(&element, list.span, &wanted),
                    None => {
                        let title = format!("`in` needs a list or a set, not {}", ty.named());
                        self.push(MISMATCH.at(list.span, title));
                    }
                }
            }
        }
    }

    pub(super) fn rule(&mut self, rule: &'a Rule) {
        let scope = Scope::of_formals(&rule_signature(self.design, rule), false);
        self.within(scope, |typing| typing.condition(&rule.condition));
    }

    /// The key of a receipt is text, and lies in the table that is written first.
    fn receipt(&mut self, operation: &'a Operation) {
        let design = self.design;
        let Some((by, _)) = &operation.idempotent else { return };
        let sites = actions(operation);
        let first = sites.iter().find(|site| site.action.verb.writes());
        let entity = first.and_then(|site| design.entity(&site.action.entity.text));
        if let Some((entity, key)) =
            entity.and_then(|entity| Some((entity, partition_that_is_no_text(design, entity)?)))
        {
            let title = format!("`{}` cannot be idempotent in the table of {}", operation.name, entity.name);
            let problem = MISMATCH.at(by.span, title).label("would need a receipt, whose key is text");
            self.push(
                problem.also(key.span, format!("the partition key is {}", design.type_of(key).describe())),
            );
        }
    }

    pub(super) fn operation(&mut self, operation: &'a Operation) {
        let design = self.design;
        self.receipt(operation);
        let formals = operation_signature(design, operation);
        for formal in &formals {
            if let Some(default) = formal.default {
                self.want(default, &Wanted::parameter(formal.name, formal.ty, false));
            }
        }
        let mut scope = Scope::of_formals(&formals, operation.system);
        scope.reads_shown = true;
        if let Some(requires) = &operation.requires {
            let mut scope = scope.clone();
            let first = actions(operation).first().map(|site| site.action.entity.text.clone());
            scope.item = first.and_then(|name| design.entity(&name)).map(ItemScope::of);
            self.within(scope, |typing| typing.condition(requires));
        }
        self.within(scope, |typing| {
            typing.body(&operation.body);
            if let Some(names) = operation.short.as_ref().and_then(|short| short.names.as_ref()) {
                typing.short_names(operation, names);
            }
            for (error, body) in &operation.handlers {
                typing.handled_error(operation, error);
                typing.body(body);
            }
        });
    }

    /// What the short form lists must be something that a caller can give.
    fn short_names(&mut self, operation: &'a Operation, names: &'a [Name]) {
        let sites = actions(operation);
        let Some(site) = sites.first() else { return };
        let Some(entity) = self.design.entity(&site.action.entity.text) else {
            return;
        };
        for name in names {
            if let Some(attribute) = entity.attribute(&name.text) {
                self.settable(site.action, entity, attribute, name.span);
            }
        }
    }

    pub(super) fn test(&mut self, test: &'a Test) {
        self.within(Scope { system: true, ..Scope::default() }, |typing| typing.body(&test.body));
    }
}

/// The partition key of an entity, if it is an attribute that is not stored as text.
fn partition_that_is_no_text<'a>(design: &Design, entity: &'a Entity) -> Option<&'a Attribute> {
    let name = design.table_of(entity)?.key.partition.first()?;
    let Source::Natural(key) = source(entity, &name.text)? else { return None };
    (!matches!(design.type_of(key).stored(), Stored::S | Stored::Any)).then_some(key)
}

/// The attributes that a type declares in place.
fn inner(ty: &Type) -> Option<&[Attribute]> {
    let mut ty = ty;
    loop {
        match ty {
            Type::Object { attributes } => return Some(attributes),
            Type::List { of, .. } | Type::Map { of, .. } | Type::Set { of, .. } | Type::Json { of } => {
                ty = of
            }
            _ => return None,
        }
    }
}
