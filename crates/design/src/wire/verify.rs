//! Checks that every place in a program that was read is within its list, since the program comes from outside.

mod expressions;
mod live;

use super::form::Unreadable;
use crate::program::{
    Action, AliasPiece, AttributeId, Attributes, BindValue, Bound, Entity, EntityId, Field, FilledKey, Id,
    ItemKey, Parameter, Path, Pattern, Piece, Program, Reference, Rule, Signature, Source, Statement,
    StatementKind, Value,
};

type Checked = Result<(), Unreadable>;

/// Checks every place of attributes, templates, parameters and locals.
pub(super) fn places(program: &Program) -> Checked {
    let all = Places { program };
    all.attributes(&program.caller, Scope::default())?;
    for object in &program.objects {
        let scope = Scope { siblings: Some(&object.attributes), ..Scope::default() };
        all.attributes(&object.attributes, scope)?;
    }
    for table in &program.tables {
        for entity in &table.entities {
            let own = &program.entities[*entity];
            within(own.indexes.len(), table.indexes.len() + 1, "index")?;
            if own.indexes.len() != table.indexes.len() {
                return Err(Unreadable(format!("{} does not fill every index of {}", own.name, table.name)));
            }
        }
    }
    program.entities.iter().try_for_each(|entity| all.entity(entity))?;
    program.rules.iter().try_for_each(|rule| all.rule(rule))?;
    program.patterns.iter().try_for_each(|pattern| all.pattern(pattern))?;
    for operation in &program.operations {
        let first = first_entity(&operation.body);
        let scope = Scope { locals: operation.locals, ..Scope::default() };
        all.signature(&operation.signature, scope)?;
        let of_item = first.map_or(scope, |entity| scope.of(&program.entities[entity]));
        operation.requires.iter().try_for_each(|requires| all.expr(requires, of_item))?;
        all.body(&operation.body, scope)?;
        operation.handlers.iter().try_for_each(|(_, body)| all.body(body, scope))?;
        for parameter in operation.idempotent.iter().flat_map(|each| &each.by) {
            within(parameter.at(), operation.signature.parameters.len(), "parameter")?;
        }
    }
    live::places(&all)?;
    for test in &program.tests {
        all.body(&test.body, Scope { locals: test.locals, ..Scope::default() })?;
    }
    Ok(())
}

/// The names that an expression may use.
#[derive(Clone, Copy, Default)]
struct Scope<'a> {
    item: Option<&'a Entity>,
    siblings: Option<&'a Attributes>,
    locals: usize,
}

impl<'a> Scope<'a> {
    fn of(self, entity: &'a Entity) -> Scope<'a> {
        Scope { item: Some(entity), ..self }
    }
}

struct Places<'p> {
    program: &'p Program,
}

impl Places<'_> {
    fn attributes(&self, attributes: &Attributes, scope: Scope<'_>) -> Checked {
        for attribute in attributes.iter() {
            for expr in attribute.fill.iter().map(|fill| &fill.value).chain(&attribute.when) {
                self.expr(expr, scope)?;
            }
            attribute.reference.iter().try_for_each(|reference| self.reference(reference))?;
            for piece in attribute.encrypted.iter().flatten() {
                if let AliasPiece::Slot(slot) = piece {
                    one_of(*slot, attributes)?;
                }
            }
        }
        Ok(())
    }

    fn entity(&self, entity: &Entity) -> Checked {
        let scope = Scope::default().of(entity);
        let own = |id: &AttributeId| one_of(*id, &entity.attributes);
        self.attributes(&entity.attributes, scope)?;
        for template in &entity.templates {
            template.when.iter().try_for_each(|when| self.expr(when, scope))?;
            for piece in &template.pieces {
                if let Piece::Slot { attribute, .. } = piece {
                    own(attribute)?;
                }
            }
        }
        std::iter::once(&entity.key).chain(&entity.indexes).try_for_each(|key| filled(key, entity))?;
        entity.key_attributes.iter().chain(&entity.ttl).try_for_each(own)?;
        for unique in &entity.uniques {
            unique.attributes.iter().try_for_each(own)?;
            unique.when.iter().try_for_each(|when| self.expr(when, scope))?;
        }
        for expr in entity.checks.iter().map(|check| &check.condition).chain(&entity.deleted) {
            self.expr(expr, scope)?;
        }
        if let Some(tenant) = &entity.tenant {
            own(&tenant.attribute)?;
            tenant.of_caller.iter().try_for_each(|part| one_of(*part, &self.program.caller))?;
        }
        entity.volume.per.iter().try_for_each(|share| own(&share.attribute))?;
        for states in &entity.states {
            path(&states.path, entity)?;
            for transition in &states.transitions {
                transition.condition.iter().try_for_each(|condition| self.expr(condition, scope))?;
            }
            states.enters.iter().try_for_each(|enter| self.fields(&enter.fields, entity, scope))?;
        }
        Ok(())
    }

    fn rule(&self, rule: &Rule) -> Checked {
        let scope = Scope { locals: rule.parameters.len(), ..Scope::default() };
        rule.parameters.iter().try_for_each(|each| self.parameter(each, scope))?;
        self.expr(&rule.condition, scope)
    }

    fn signature(&self, signature: &Signature, scope: Scope<'_>) -> Checked {
        signature.parameters.iter().try_for_each(|each| self.parameter(each, scope))
    }

    fn parameter(&self, parameter: &Parameter, scope: Scope<'_>) -> Checked {
        within(parameter.local.at(), scope.locals, "local")?;
        parameter.of_caller.iter().try_for_each(|part| one_of(*part, &self.program.caller))?;
        if let Some((entity, attribute)) = parameter.attribute {
            one_of(attribute, &self.program.entities[entity].attributes)?;
        }
        parameter.default.iter().try_for_each(|default| self.expr(default, scope))
    }

    fn pattern(&self, pattern: &Pattern) -> Checked {
        let scope = Scope { locals: pattern.locals, ..Scope::default() };
        self.signature(&pattern.signature, scope)?;
        let Some(first) = pattern.entities.first().map(|id| &self.program.entities[*id]) else {
            return if pattern.binds.is_empty() { Ok(()) } else { Err(nothing("entity")) };
        };
        let of_first = scope.of(first);
        let selected = pattern.select.iter().flatten();
        let named = pattern.summed.iter().chain(selected).chain(pattern.order.iter().flat_map(|it| &it.by));
        named.into_iter().try_for_each(|id| one_of(*id, &first.attributes))?;
        for bind in &pattern.binds {
            bound(bind.to, first)?;
            match &bind.value {
                BindValue::Parameter(local) => within(local.at(), pattern.locals, "local")?,
                BindValue::Expr(expr) | BindValue::In(expr) => self.expr(expr, scope)?,
                BindValue::All => {}
            }
        }
        let sieves = pattern.entities.iter().map(|id| &self.program.entities[*id]).zip(&pattern.sieve);
        let own = [(first, &pattern.conditions), (first, &pattern.filters)];
        for (entity, conjuncts) in own.into_iter().chain(sieves) {
            for conjunct in conjuncts {
                self.expr(&conjunct.expr, scope.of(entity))?;
                conjunct.says.about().into_iter().try_for_each(|about| bound(about, entity))?;
            }
        }
        if let (Some(via), Some(table)) = (pattern.via, first.table) {
            within(via.at(), self.program.tables[table].indexes.len(), "index")?;
        }
        pattern.requires.iter().try_for_each(|requires| self.expr(requires, of_first))
    }

    /// Blocks nest as deep as the JSON that was read, which its reader bounds.
    fn body(&self, body: &[Statement], scope: Scope<'_>) -> Checked {
        for statement in body {
            match &statement.kind {
                StatementKind::Let { local, value, .. } => {
                    within(local.at(), scope.locals, "local")?;
                    self.value(value, scope)?;
                }
                StatementKind::Do(value) | StatementKind::Expect { value, .. } => self.value(value, scope)?,
                StatementKind::Transact(body) => self.body(body, scope)?,
                StatementKind::Each { local, list, body } => {
                    within(local.at(), scope.locals, "local")?;
                    self.expr(list, scope)?;
                    self.body(body, scope)?;
                }
                StatementKind::Require { condition: expr, .. } | StatementKind::Return(expr) => {
                    self.expr(expr, scope)?;
                }
                StatementKind::As { caller, body } => {
                    for (part, value) in caller {
                        one_of(*part, &self.program.caller)?;
                        self.expr(value, scope)?;
                    }
                    self.body(body, scope)?;
                }
                StatementKind::Race { bodies, .. } => {
                    bodies.iter().try_for_each(|body| self.body(body, scope))?;
                }
                StatementKind::Given { effect, arguments, result, .. } => {
                    self.effect_arguments(*effect, arguments, scope)?;
                    result.iter().try_for_each(|result| self.expr(result, scope))?;
                }
                StatementKind::Did { effect, arguments, .. } => {
                    self.effect_arguments(*effect, arguments, scope)?;
                }
                StatementKind::Advance { .. } | StatementKind::Work => {}
            }
        }
        Ok(())
    }

    fn value(&self, value: &Value, scope: Scope<'_>) -> Checked {
        match value {
            Value::Expr(expr) => self.expr(expr, scope),
            Value::Action(action) => self.action(action, scope),
        }
    }

    fn action(&self, action: &Action, scope: Scope<'_>) -> Checked {
        let entity = &self.program.entities[action.entity];
        let of_item = scope.of(entity);
        action.key.iter().try_for_each(|key| self.key(key, scope))?;
        action.condition.iter().try_for_each(|condition| self.expr(condition, of_item))?;
        action.when.iter().try_for_each(|when| self.expr(when, scope))?;
        action.spreads.iter().try_for_each(|local| within(local.at(), scope.locals, "local"))?;
        for (attribute, local) in &action.takes {
            one_of(*attribute, &entity.attributes)?;
            within(local.at(), scope.locals, "local")?;
        }
        self.fields(&action.fields, entity, of_item)
    }

    fn fields(&self, fields: &[Field], entity: &Entity, scope: Scope<'_>) -> Checked {
        for field in fields {
            path(&field.path, entity)?;
            field.element.iter().chain([&field.value]).try_for_each(|expr| self.expr(expr, scope))?;
        }
        Ok(())
    }

    fn key(&self, key: &ItemKey, scope: Scope<'_>) -> Checked {
        key.spreads.iter().try_for_each(|local| within(local.at(), scope.locals, "local"))?;
        for (attribute, value) in &key.values {
            one_of(*attribute, &self.program.entities[key.entity].attributes)?;
            self.expr(value, scope)?;
        }
        Ok(())
    }

    fn reference(&self, reference: &Reference) -> Checked {
        one_of(reference.attribute, &self.program.entities[reference.entity].attributes)
    }
}

fn first_entity(body: &[Statement]) -> Option<EntityId> {
    body.iter().find_map(|statement| match &statement.kind {
        StatementKind::Let { value: Value::Action(action), .. }
        | StatementKind::Do(Value::Action(action)) => Some(action.entity),
        StatementKind::Transact(body) | StatementKind::Each { body, .. } => first_entity(body),
        _ => None,
    })
}

fn filled(key: &FilledKey, entity: &Entity) -> Checked {
    let sources = key.parts().filter_map(|part| part.source).chain(key.copies.iter().flatten().copied());
    sources.into_iter().try_for_each(|source| match source {
        Source::Attribute(id) => one_of(id, &entity.attributes),
        Source::Template(id) => within(id.at(), entity.templates.len(), "template"),
    })
}

fn path(path: &Path, entity: &Entity) -> Checked {
    one_of(path.attribute, &entity.attributes)
}

fn bound(bound: Bound, entity: &Entity) -> Checked {
    match bound {
        Bound::Attribute(id) => one_of(id, &entity.attributes),
        Bound::Stored(id) => within(id.at(), entity.templates.len(), "template"),
    }
}

fn one_of(id: AttributeId, attributes: &Attributes) -> Checked {
    within(id.at(), attributes.len(), "attribute")
}

fn within(at: usize, length: usize, what: &str) -> Checked {
    match at < length {
        true => Ok(()),
        false => Err(Unreadable(format!("there is no {what} {at}"))),
    }
}

fn nothing(what: &str) -> Unreadable {
    Unreadable(format!("there is no {what}"))
}
