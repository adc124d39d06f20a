//! Encrypted attributes: only the application can read them, so they cannot be part of keys or conditions, and the name of
//! their key must never change.

use crate::model::{self, Design, FieldOp, InputKind, WriteVerb};
use crate::problems::{NOT_SETTABLE, SEALED, UNKNOWN, nearest};
use crate::program::{
    Action, AliasPiece, AttributeId, BindValue, Bound, Entity, Expr, ExprKind, LocalId, Operation, Program,
    Source, Statement, StatementKind, Type, Value,
};
use sortkey_diagnostics::{Diagnostic, Span};

/// Reports encrypted attributes where the database would have to read them, and key names that may change.
pub(crate) fn check(design: &Design, program: &Program, problems: &mut Vec<Diagnostic>) {
    for (entity, source) in program.entities.iter().zip(&design.entities) {
        if entity.attributes.iter().all(|each| each.encrypted.is_none()) {
            continue;
        }
        let mut sealed = Sealed { entity, problems };
        sealed.names(source);
        sealed.keys(design, source);
        sealed.own_conditions();
    }
    for pattern in &program.patterns {
        let Some(first) = pattern.entities.first() else { continue };
        let mut sealed = Sealed { entity: &program.entities[*first], problems };
        for bind in &pattern.binds {
            if let (Bound::Attribute(id), BindValue::Expr(expr) | BindValue::In(expr)) =
                (bind.to, &bind.value)
            {
                sealed.attribute(id, expr.span, "cannot be looked for");
            }
        }
        pattern.conditions.iter().chain(&pattern.filters).for_each(|each| sealed.condition(&each.expr));
    }
    for operation in &program.operations {
        let bodies = std::iter::once(&operation.body).chain(operation.handlers.iter().map(|(_, body)| body));
        bodies.for_each(|body| actions(program, operation, body, problems));
    }
}

/// The parser bounds how deep blocks nest, so this may recurse.
fn actions(program: &Program, operation: &Operation, body: &[Statement], problems: &mut Vec<Diagnostic>) {
    for statement in body {
        match &statement.kind {
            StatementKind::Do(Value::Action(action))
            | StatementKind::Let { value: Value::Action(action), .. } => {
                let mut sealed = Sealed { entity: &program.entities[action.entity], problems };
                sealed.changes(operation, action);
                action.condition.iter().for_each(|condition| sealed.condition(condition));
                for field in action.fields.iter().filter(|field| field.op != FieldOp::Set) {
                    sealed.attribute(field.path.attribute, field.value.span, "cannot be counted or added to");
                }
                for field in action.fields.iter().filter(|field| !field.path.inside.is_empty()) {
                    sealed.attribute(field.path.attribute, field.value.span, "is written as a whole");
                }
            }
            StatementKind::Transact(body) | StatementKind::Each { body, .. } => {
                actions(program, operation, body, problems);
            }
            _ => {}
        }
    }
}

struct Sealed<'a, 'p> {
    entity: &'a Entity,
    problems: &'p mut Vec<Diagnostic>,
}

impl Sealed<'_, '_> {
    /// The name of a key must be made of attributes that are present and do not change.
    fn names(&mut self, source: &model::Entity) {
        for attribute in &source.attributes {
            let Some(annotation) = attribute.annotation("encrypted") else { continue };
            let Some((_, model::Expr { kind: model::ExprKind::Text { value }, span })) =
                annotation.args.first()
            else {
                continue;
            };
            for name in value.split('{').skip(1).filter_map(|rest| rest.split('}').next()) {
                self.input(name, *span, attribute);
            }
        }
    }

    fn input(&mut self, name: &str, span: Span, of: &model::Attribute) {
        let Some(id) = self.entity.attributes.find(name) else {
            let title = format!("there is no attribute of `{}` called `{name}`", self.entity.name);
            let near = nearest(name, self.entity.attributes.iter().map(|each| &*each.name));
            let problem = UNKNOWN.at(span, title);
            self.problems.push(match near {
                Some(near) => problem.label(format!("did you mean `{near}`?")),
                None => problem,
            });
            return;
        };
        let input = &self.entity.attributes[id];
        let why = if input.encrypted.is_some() {
            "is encrypted itself"
        } else if input.may_be_absent() {
            "may be absent"
        } else if !input.is_stored() {
            "is not stored"
        } else {
            return;
        };
        let problem = NOT_SETTABLE.at(span, format!("`{name}` {why}"));
        let problem = problem.label(format!("the key of `{}`", of.name)).also(input.span, "declared here");
        self.problems.push(problem.note("Name attributes that every item has."));
    }

    /// The attributes that a key's name is made of must not change: values encrypted before could never be read again.
    fn changes(&mut self, operation: &Operation, action: &Action) {
        if !matches!(action.verb, WriteVerb::Update | WriteVerb::Upsert) {
            return;
        }
        let changed = changed(self.entity, operation, action);
        for (id, attribute) in self.entity.attributes.entries() {
            let is_input = |piece: &AliasPiece| matches!(piece, AliasPiece::Slot(id) if changed.contains(id));
            let named = attribute.encrypted.iter().flatten().find(|piece| is_input(piece));
            let Some(AliasPiece::Slot(input)) = named else { continue };
            // The new value is encrypted under the new name.
            if action.fields.iter().any(|field| field.path.attribute == id) {
                continue;
            }
            let name = &self.entity.attributes[*input].name;
            let title = format!("`{name}` cannot change: the key of `{}` is named after it", attribute.name);
            let problem =
                NOT_SETTABLE.at(action.span, title).label("what was encrypted could never be read again");
            let problem = problem
                .also(attribute.span, "encrypted here")
                .also(self.entity.attributes[*input].span, "part of the name");
            self.problems.push(problem.note("Write both together, or mark the attribute with `@immutable`."));
        }
    }

    fn keys(&mut self, design: &Design, source: &model::Entity) {
        let Some(table) = design.table_of(source) else { return };
        let keys = std::iter::once((&self.entity.key, table.key.span));
        let indexes = self.entity.indexes.iter().zip(table.indexes.iter().map(|index| index.key.span));
        for (key, span) in keys.chain(indexes) {
            for source in key.parts().filter_map(|part| part.source) {
                match source {
                    Source::Attribute(id) => self.attribute(id, span, "cannot be part of a key"),
                    Source::Template(id) => {
                        for slot in self.entity.templates[id].slots() {
                            self.attribute(slot, span, "cannot be part of a key");
                        }
                    }
                }
            }
        }
        for unique in &self.entity.uniques {
            let span = source.uniques.get(unique.place).map_or(source.name.span, |each| each.span);
            unique.attributes.iter().for_each(|id| self.attribute(*id, span, "cannot be unique"));
        }
        if let Some(tenant) = self.entity.tenant {
            self.attribute(tenant.attribute, source.name.span, "cannot name the owner");
        }
    }

    fn own_conditions(&mut self) {
        let entity = self.entity;
        let whens = entity.templates.iter().filter_map(|each| each.when.as_ref());
        let whens = whens.chain(entity.uniques.iter().filter_map(|each| each.when.as_ref()));
        let checks = entity.checks.iter().map(|check| &check.condition);
        let moves = entity.states.iter().flat_map(|states| &states.transitions);
        let moves = moves.filter_map(|each| each.condition.as_ref());
        whens.chain(checks).chain(&entity.deleted).chain(moves).for_each(|each| self.condition(each));
    }

    /// Reports encrypted attributes that a condition compares. Their presence may be tested.
    fn condition(&mut self, condition: &Expr) {
        let mut open = vec![condition];
        while let Some(expr) = open.pop() {
            match &expr.kind {
                ExprKind::Exists(_) | ExprKind::Absent(_) | ExprKind::With { .. } => {}
                ExprKind::Attribute(id) => self.attribute(*id, expr.span, "cannot be compared"),
                _ => expr.children(&mut |child| open.push(child)),
            }
        }
    }

    fn attribute(&mut self, id: AttributeId, span: Span, why: &str) {
        let Some(attribute) = self.entity.attributes.get(id).filter(|each| each.encrypted.is_some()) else {
            return;
        };
        let problem = SEALED.at(span, format!("`{}` is encrypted and {why}", attribute.name));
        let problem = problem.label("the database cannot read it").also(attribute.span, "declared here");
        self.problems.push(problem.note(
            "Store what is looked for beside it: `emailHash string(64) := sha256(email)`, or take `@encrypted` away.",
        ));
    }
}

/// The attributes that an action changes in an existing item.
fn changed(entity: &Entity, operation: &Operation, action: &Action) -> Vec<AttributeId> {
    let mut found: Vec<AttributeId> = action.fields.iter().map(|field| field.path.attribute).collect();
    found.extend(action.takes.iter().map(|(id, _)| *id));
    let is_patch = |local: &LocalId| {
        let given = operation.signature.parameters.iter().find(|each| each.local == *local);
        given
            .is_some_and(|each| matches!(*each.ty, Type::Input { of: InputKind::Patch | InputKind::New, .. }))
    };
    if action.spreads.iter().any(is_patch) {
        found.extend(entity.attributes.entries().filter(|(_, each)| each.can_be_given()).map(|(id, _)| id));
    }
    // The owner is always the caller's own tenant, so it does not change.
    let tenant = entity.tenant.filter(|tenant| !operation.system && tenant.of_caller.is_some());
    found.retain(|id| {
        let stays = entity.attributes[*id].flags.immutable || entity.key_attributes.contains(id);
        !stays && tenant.is_none_or(|tenant| tenant.attribute != *id)
    });
    found
}
