//! Inputs of calls: `new(E)`, `patch(E)`, `key(E)`, and the parameters of a call as the fields of one record.

use std::collections::BTreeSet;

use sortkey_design::Program;
use sortkey_design::model::{FieldOp, InputKind, WriteVerb};
use sortkey_design::program::{
    Action, Arguments, Attribute, AttributeId, Callee, EntityId, ExprKind, LocalId, Operation, Statement,
    StatementKind, Type as Declared, Value,
};

use super::calls::Builder;
use super::names::pascal;
use super::types::Direction;
use super::{Field, Grouping, Parameter, Record, RecordId, Role, Type};

/// How far an input is followed through the operations that it is handed on to.
const MAX_CALLS: usize = 8;

/// More parameters than these are the fields of one record.
const MOST_POSITIONS: usize = 4;

impl Builder<'_> {
    /// The parameters of a call.
    pub(super) fn parameters(&mut self, callee: Callee) -> Vec<Parameter> {
        let program = self.program;
        let own = program.name(callee);
        let operation = operation(program, callee);
        let parameters = program.signature(callee).parameters.iter();
        let build = |each: &sortkey_design::program::Parameter| {
            let hint = format!("{own} {}", each.name);
            let ty = match (&*each.ty, operation) {
                (Declared::Input { of: kind @ InputKind::New, entity }, Some(operation)) => {
                    let filled = self.filled_by(operation, each.local, *entity);
                    Type::Record(self.entity_input(*kind, *entity, &filled, &hint))
                }
                (ty, _) => {
                    let brand =
                        each.attribute.and_then(|(entity, id)| self.brands.of_attribute(program, entity, id));
                    self.ty(ty, brand, Direction::Given, &hint)
                }
            };
            let stands_for = each.attribute.map(|(entity, id)| &program.entities[entity].attributes[id]);
            let changes = operation.is_some_and(|operation| {
                short_form(program, operation).is_some_and(|action| action.verb == WriteVerb::Update)
            });
            Parameter {
                name: each.name.to_string(),
                ty,
                optional: each.optional || each.default.is_some(),
                of_caller: each.of_caller.is_some(),
                nullable: changes && each.optional && stands_for.is_some_and(Attribute::may_be_absent),
            }
        };
        parameters.map(build).collect()
    }

    /// How the parameters of a call are grouped.
    pub(super) fn grouping(&mut self, callee: Callee, parameters: &[Parameter]) -> Grouping {
        let own = self.program.name(callee).to_string();
        let program = self.program;
        let short = operation(program, callee).and_then(|operation| short_form(program, operation));
        let entity = short.map(|action| pascal(&self.program.entities[action.entity].name));
        let field = |each: &Parameter| Field {
            name: each.name.clone(),
            ty: each.ty.clone(),
            optional: each.optional,
            nullable: each.nullable,
        };
        match (short.map(|action| action.verb), entity) {
            (Some(WriteVerb::Create | WriteVerb::Put), Some(entity)) => {
                let fields = parameters.iter().map(field).collect();
                Grouping::Input(
                    self.input([format!("New{entity}"), format!("{}Input", pascal(&own))], fields),
                )
            }
            (Some(WriteVerb::Update | WriteVerb::Upsert), Some(entity)) => {
                let keys = self.keys_of(short, parameters);
                let places: Vec<usize> = (0..parameters.len()).collect();
                let is_key = |at: &usize| keys.contains(at);
                let fields =
                    places.iter().filter(|at| !is_key(at)).map(|at| field(&parameters[*at])).collect();
                let changes =
                    self.input([format!("{entity}Changes"), format!("{}Changes", pascal(&own))], fields);
                let (after, before) =
                    places.into_iter().filter(is_key).partition(|at| parameters[*at].optional);
                Grouping::Changes { before, changes, after }
            }
            _ if parameters.len() > MOST_POSITIONS => {
                let fields = parameters.iter().map(field).collect();
                let name = pascal(&own);
                Grouping::Input(self.input([format!("{name}Input"), format!("{name}Arguments")], fields))
            }
            _ => {
                let (optional, mut places): (Vec<usize>, Vec<usize>) =
                    (0..parameters.len()).partition(|at| parameters[*at].optional);
                places.extend(optional);
                Grouping::Positions(places)
            }
        }
    }

    /// The places of the parameters that are the key of a changed item: neither a change nor a way to make it.
    fn keys_of(&self, action: Option<&Action>, parameters: &[Parameter]) -> BTreeSet<usize> {
        let Some(action) = action else { return BTreeSet::new() };
        let entity = &self.program.entities[action.entity];
        let taken: Vec<&str> = action.takes.iter().map(|(id, _)| &*entity.attributes[*id].name).collect();
        let is_key = |name: &str| {
            entity.key_attributes.iter().any(|id| *entity.attributes[*id].name == *name)
                || !taken.contains(&name)
        };
        parameters.iter().enumerate().filter(|(_, each)| is_key(&each.name)).map(|(at, _)| at).collect()
    }

    /// `new(E)`, `patch(E)` or `key(E)`; `filled` is what the operation gives itself.
    pub(super) fn entity_input(
        &mut self,
        kind: InputKind,
        entity: EntityId,
        filled: &[AttributeId],
        hint: &str,
    ) -> RecordId {
        let program = self.program;
        let of = &program.entities[entity];
        let has_callers = !program.caller.is_empty();
        let mut fields = Vec::new();
        for (id, attribute) in of.attributes.entries() {
            let is_key = of.key_attributes.contains(&id);
            let is_open = match kind {
                InputKind::Key => is_key,
                InputKind::Item => true,
                InputKind::New => attribute.can_be_given() && !(has_callers && attribute.is_made()),
                InputKind::Patch => attribute.can_be_given() && !attribute.flags.immutable && !is_key,
            };
            if !is_open {
                continue;
            }
            let brand = self.brands.of_attribute(program, entity, id);
            let hint = format!("{} {}", of.name, attribute.name);
            let ty = self.ty(&attribute.ty, brand, Direction::Given, &hint);
            let optional = match kind {
                InputKind::Key | InputKind::Item => false,
                InputKind::New => !attribute.must_be_given() || filled.contains(&id),
                InputKind::Patch => true,
            };
            let nullable = kind == InputKind::Patch && attribute.may_be_absent();
            fields.push(Field { name: attribute.name.to_string(), ty, optional, nullable });
        }
        let name = pascal(&of.name);
        let name = match kind {
            InputKind::New => format!("New{name}"),
            InputKind::Patch => format!("{name}Patch"),
            InputKind::Key => format!("{name}Key"),
            InputKind::Item => name,
        };
        self.input([name, pascal(hint)], fields)
    }

    /// A record of a call's input: one that is there already, if it has the same fields and one of the names.
    pub(super) fn input(&mut self, names: [String; 2], fields: Vec<Field>) -> RecordId {
        let same =
            |each: &Record| each.role == Role::Input && each.fields == fields && names.contains(&each.name);
        if let Some(at) = self.records.iter().position(same) {
            return RecordId(at);
        }
        let name = self.taken.first_free(names);
        self.push(Record { name, role: Role::Input, extends: None, fields, docs: None })
    }

    /// The attributes of a `new(E)` that an operation gives itself, wherever it makes an item of it.
    fn filled_by(&self, operation: &Operation, local: LocalId, entity: EntityId) -> Vec<AttributeId> {
        let mut filled: Option<BTreeSet<AttributeId>> = None;
        self.each_filling(operation, local, entity, 0, &mut |sets| {
            filled = Some(match filled.take() {
                Some(before) => before.intersection(&sets).copied().collect(),
                None => sets,
            });
        });
        let tenant = self.program.entities[entity].tenant.filter(|_| !operation.system);
        let of_caller = tenant.filter(|tenant| tenant.of_caller.is_some()).map(|tenant| tenant.attribute);
        filled.into_iter().flatten().chain(of_caller).collect()
    }

    /// Calls `visit` with what is given beside a `new(E)` where an item is made of it, here or in an operation that it is
    /// handed on to.
    fn each_filling(
        &self,
        operation: &Operation,
        local: LocalId,
        entity: EntityId,
        depth: usize,
        visit: &mut dyn FnMut(BTreeSet<AttributeId>),
    ) {
        each_action(&operation.body, &mut |action| {
            if action.entity == entity && action.spreads.contains(&local) {
                let sets = action.fields.iter();
                let sets = sets.filter(|field| field.op == FieldOp::Set && field.path.inside.is_empty());
                visit(sets.map(|field| field.path.attribute).collect());
            }
        });
        if depth == MAX_CALLS {
            return;
        }
        each_call(&operation.body, &mut |callee, arguments| {
            let Some(called) = self::operation(self.program, callee) else { return };
            let handed = arguments.values.iter().filter(|(_, value)| value.kind == ExprKind::Local(local));
            for (id, _) in handed {
                let parameter = &called.signature.parameters[*id];
                self.each_filling(called, parameter.local, entity, depth + 1, visit);
            }
        });
    }
}

/// The operation, if it is one.
pub(super) fn operation(program: &Program, callee: Callee) -> Option<&Operation> {
    match callee {
        Callee::Operation(id) => Some(&program.operations[id]),
        Callee::Pattern(_) | Callee::Effect(_) => None,
    }
}

/// The one action of an operation in the short form.
pub(super) fn short_form<'p>(program: &Program, operation: &'p Operation) -> Option<&'p Action> {
    let is_short = program.design.operation(&operation.name).is_some_and(|each| each.short.is_some());
    match operation.body.first().map(|statement| &statement.kind) {
        Some(StatementKind::Do(Value::Action(action))) if is_short => Some(action),
        _ => None,
    }
}

/// Calls `visit` with every action; the parser bounds how deep statements nest.
pub(super) fn each_action<'p>(body: &'p [Statement], visit: &mut dyn FnMut(&'p Action)) {
    let mut open: Vec<&Statement> = body.iter().rev().collect();
    while let Some(statement) = open.pop() {
        match &statement.kind {
            StatementKind::Let { value: Value::Action(action), .. }
            | StatementKind::Do(Value::Action(action)) => {
                visit(action);
            }
            StatementKind::Transact(body) | StatementKind::Each { body, .. } => {
                open.extend(body.iter().rev())
            }
            _ => {}
        }
    }
}

/// Calls `visit` with every call that is a statement of its own, the value of a `let` or what is returned.
fn each_call<'p>(body: &'p [Statement], visit: &mut dyn FnMut(Callee, &'p Arguments)) {
    let mut open: Vec<&Statement> = body.iter().rev().collect();
    while let Some(statement) = open.pop() {
        let expr = match &statement.kind {
            StatementKind::Let { value: Value::Expr(expr), .. }
            | StatementKind::Do(Value::Expr(expr))
            | StatementKind::Return(expr) => expr,
            StatementKind::Transact(body) | StatementKind::Each { body, .. } => {
                open.extend(body.iter().rev());
                continue;
            }
            _ => continue,
        };
        if let ExprKind::Call { callee, arguments, .. } = &expr.kind {
            visit(*callee, arguments);
        }
    }
}
