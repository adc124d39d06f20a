//! The results of calls.

use sortkey_design::model::{ReadVerb, WriteVerb};
use sortkey_design::program::{
    Action, Attribute, AttributeId, Callee, EntityId, Expr, ExprKind, Id as _, LocalId, Operation, Pattern,
    Statement, StatementKind, Ty, Type as Declared, Value, Yields,
};

use super::calls::Builder;
use super::inputs::each_action;
use super::names::pascal;
use super::types::Direction;
use super::{Field, Output, Record, RecordId, Role, Type};

/// How far a result is followed through the operations that are called.
const MAX_CALLS: usize = 8;

impl Builder<'_> {
    /// The item of every entity, as calls return it. Secrets are in no answer, transient values only in that of `create`.
    pub(super) fn add_items(&mut self) {
        let program = self.program;
        for entity in &program.entities {
            let plain = pascal(&entity.name);
            let name = self.taken.first_free([plain.clone(), format!("{plain}Item")]);
            let docs = program.design.entity(&entity.name).and_then(|source| source.docs.clone());
            let at = self.push(Record { name, role: Role::Item, extends: None, fields: Vec::new(), docs });
            self.items.push(at);
        }
        for id in program.entities.ids() {
            let attributes = program.entities[id].attributes.entries();
            let seen = attributes.filter(|(_, each)| !each.is_hidden() && !each.flags.transient);
            let fields = seen.map(|(attribute, each)| self.attribute(id, attribute, each)).collect();
            let at = self.items[id.at()];
            self.records[at.0].fields = fields;
        }
    }

    fn attribute(&mut self, entity: EntityId, id: AttributeId, attribute: &Attribute) -> Field {
        let program = self.program;
        let brand = self.brands.of_attribute(program, entity, id);
        let hint = format!("{} {}", program.entities[entity].name, attribute.name);
        Field {
            name: attribute.name.to_string(),
            ty: self.ty(&attribute.ty, brand, Direction::Answered, &hint),
            optional: attribute.may_be_absent() || attribute.may_misfit(),
            nullable: attribute.flags.null,
        }
    }

    /// An item as what made it returns it: with the secrets that were generated, and with what was given and is not stored.
    fn created(&mut self, entity: EntityId) -> RecordId {
        if let Some(known) = self.created.get(&entity.at()) {
            return *known;
        }
        let program = self.program;
        let is_generated = |each: &Attribute| {
            each.is_hidden() && each.fill.as_ref().is_some_and(|fill| fill.value.kind == ExprKind::New)
        };
        let is_given = |each: &Attribute| each.flags.transient && !each.is_hidden();
        let attributes = program.entities[entity].attributes.entries();
        let once = attributes.filter(|(_, each)| is_generated(each) || is_given(each));
        let fields: Vec<Field> = once.map(|(id, each)| self.attribute(entity, id, each)).collect();
        let item = self.items[entity.at()];
        let at = match fields.is_empty() {
            true => item,
            false => {
                let name = self.records[item.0].name.clone();
                let name = self.taken.first_free([format!("Created{name}"), format!("{name}Created")]);
                self.push(Record { name, role: Role::Created, extends: Some(item), fields, docs: None })
            }
        };
        self.created.insert(entity.at(), at);
        at
    }

    /// An item among several kinds.
    fn collected(&mut self, entity: EntityId, base: RecordId) -> RecordId {
        let name = format!("Collected{}", self.records[base.0].name);
        let known = |each: &Record| each.role == Role::Collected && each.extends == Some(base);
        if let Some(at) = self.records.iter().position(known) {
            return RecordId(at);
        }
        let kind = Type::Literal(self.program.entities[entity].name.to_string());
        let tag = Field { name: "$entity".to_owned(), ty: kind, optional: false, nullable: false };
        let name = self.taken.first_free([name.clone(), format!("{name}Item")]);
        self.push(Record { name, role: Role::Collected, extends: Some(base), fields: vec![tag], docs: None })
    }

    /// The result of a call.
    pub(super) fn output(&mut self, callee: Callee, depth: usize) -> Output {
        let program = self.program;
        let whole = |ty| Output::One { ty, optional: false };
        match (&program.signature(callee).yields, callee) {
            (Yields::Nothing, _) => Output::Nothing,
            (Yields::Item(entity), Callee::Pattern(id)) => {
                let record = self.selected(&program.patterns[id], *entity);
                Output::One { ty: Type::Record(record), optional: true }
            }
            (Yields::Item(entity), Callee::Operation(id)) => self.last_item(&program.operations[id], *entity),
            (Yields::Page(entities), Callee::Pattern(id)) => {
                Output::Page(self.element(&program.patterns[id], entities))
            }
            (Yields::Items(entities), Callee::Pattern(id)) => {
                Output::All(self.element(&program.patterns[id], entities))
            }
            (Yields::Count, _) => whole(Type::Integer),
            (Yields::Exists, _) => whole(Type::Bool),
            (Yields::Sums(names), Callee::Pattern(id)) => whole(self.sums(&program.patterns[id], names)),
            (Yields::Value, Callee::Operation(id)) => self.returned(&program.operations[id], depth),
            _ => whole(Type::Any),
        }
    }

    fn element(&mut self, pattern: &Pattern, entities: &[EntityId]) -> Type {
        if pattern.verb == ReadVerb::Collect {
            let kinds = entities.iter().map(|entity| {
                let base = self.selected(pattern, *entity);
                self.collected(*entity, base)
            });
            return Type::OneOf(kinds.collect());
        }
        entities.first().map_or(Type::Any, |entity| Type::Record(self.selected(pattern, *entity)))
    }

    /// An item of a pattern: whole, or what it selects.
    fn selected(&mut self, pattern: &Pattern, entity: EntityId) -> RecordId {
        let program = self.program;
        let Some(names) = &pattern.select_names else { return self.items[entity.at()] };
        let attributes = &program.entities[entity].attributes;
        let fields = names.iter().filter_map(|name| {
            let id = attributes.find(name)?;
            Some(self.attribute(entity, id, &attributes[id]))
        });
        let fields: Vec<Field> = fields.collect();
        let plain = format!("{}Item", pascal(&pattern.name));
        let name = format!("{}{}", pascal(&pattern.name), pascal(&program.entities[entity].name));
        let known =
            |each: &Record| each.role == Role::Selected && each.fields == fields && each.name == plain;
        if let Some(at) = self.records.iter().position(known) {
            return RecordId(at);
        }
        let name = self.taken.first_free([plain, name]);
        self.push(Record { name, role: Role::Selected, extends: None, fields, docs: None })
    }

    fn sums(&mut self, pattern: &Pattern, names: &[std::sync::Arc<str>]) -> Type {
        let program = self.program;
        let entity = pattern.entities.first().map(|entity| &program.entities[*entity]);
        let of = |name: &str| match entity
            .and_then(|entity| Some(&*entity.attributes[entity.attributes.find(name)?].ty))
        {
            Some(Declared::Decimal { digits, .. }) if *digits > 15 => Type::Digits,
            _ => Type::Number,
        };
        if let [name] = names {
            return of(name);
        }
        let field = |name: &std::sync::Arc<str>| Field {
            name: name.to_string(),
            ty: of(name),
            optional: false,
            nullable: false,
        };
        let fields = names.iter().map(field).collect();
        let name = self.taken.first_free([format!("{}Sums", pascal(&pattern.name))]);
        Type::Record(self.push(Record { name, role: Role::Selected, extends: None, fields, docs: None }))
    }

    /// The item of the last statement.
    fn last_item(&mut self, operation: &Operation, entity: EntityId) -> Output {
        let mut last = None;
        let mut first_made = None;
        each_action(&operation.body, &mut |action| {
            if action.entity == entity {
                last = Some(action);
                if makes(action.verb) {
                    first_made.get_or_insert(action);
                }
            }
        });
        let ends = operation.body.last().map(|statement| &statement.kind);
        let action = if matches!(ends, Some(StatementKind::Transact(_))) { first_made } else { last };
        match action {
            Some(action) => self.acted(action, false),
            None => Output::One { ty: Type::Record(self.items[entity.at()]), optional: true },
        }
    }

    /// The result of an action; with `sure`, an absent one is an error.
    fn acted(&mut self, action: &Action, sure: bool) -> Output {
        let record = match action.verb {
            WriteVerb::Create | WriteVerb::Put => self.created(action.entity),
            _ => self.items[action.entity.at()],
        };
        let may_miss = action.when.is_some() || (action.verb == WriteVerb::Get && action.error.is_none());
        Output::One { ty: Type::Record(record), optional: may_miss && !sure }
    }

    /// The result of `return`.
    fn returned(&mut self, operation: &Operation, depth: usize) -> Output {
        let returned = operation.body.iter().find_map(|statement| match &statement.kind {
            StatementKind::Return(value) => Some(value),
            _ => None,
        });
        let Some(value) = returned else { return Output::One { ty: Type::Any, optional: false } };
        if let ExprKind::Local(local) = value.kind
            && let Some((bound, sure)) = bound(&operation.body, local)
        {
            match bound {
                Value::Action(action) => return self.acted(action, sure),
                Value::Expr(Expr { kind: ExprKind::Call { callee, .. }, .. }) if depth < MAX_CALLS => {
                    return match self.output(*callee, depth + 1) {
                        Output::One { ty, optional } => Output::One { ty, optional: optional && !sure },
                        // Within an operation a pattern is followed to its end.
                        Output::Page(ty) | Output::All(ty) => {
                            Output::One { ty: Type::List(Box::new(ty)), optional: false }
                        }
                        Output::Nothing => Output::Nothing,
                    };
                }
                Value::Expr(_) => {}
            }
        }
        let ty = self.known(&value.ty, &operation.name);
        let optional = matches!(value.ty, Ty::Is(_) | Ty::Item(_)) && ty != Type::Any;
        Output::One { ty, optional }
    }

    /// The client's type for the type of an expression.
    fn known(&mut self, ty: &Ty, hint: &str) -> Type {
        match ty {
            Ty::Unknown | Ty::Map | Ty::Caller | Ty::Nothing => Type::Any,
            Ty::Is(ty) => self.ty(ty, None, Direction::Answered, &format!("{hint} result")),
            Ty::Literal | Ty::Text => Type::Text,
            Ty::Number | Ty::Duration => Type::Number,
            Ty::Bool => Type::Bool,
            Ty::Time => Type::IsoTime,
            Ty::Date => Type::Date,
            Ty::Month => Type::Month,
            Ty::Item(entity) => Type::Record(self.items[entity.at()]),
            Ty::List(of) => Type::List(Box::new(self.known(of, hint))),
        }
    }
}

fn makes(verb: WriteVerb) -> bool {
    matches!(verb, WriteVerb::Create | WriteVerb::Put | WriteVerb::Upsert)
}

/// The value of a `let`, and whether an error is raised where there is none.
fn bound(body: &[Statement], wanted: LocalId) -> Option<(&Value, bool)> {
    let mut open: Vec<&Statement> = body.iter().collect();
    while let Some(statement) = open.pop() {
        match &statement.kind {
            StatementKind::Let { local, value, error, .. } if *local == wanted => {
                return Some((value, error.is_some()));
            }
            StatementKind::Transact(body) => open.extend(body),
            _ => {}
        }
    }
    None
}
