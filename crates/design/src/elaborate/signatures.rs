//! The parameters of a pattern, an operation or a rule, in order, each with its type.
//!
//! A pattern takes the names that `by` leaves open, in order, then its declared extras. An operation takes its declared
//! parameters; the short form takes the key and the attributes it lists, required ones first. A parameter without a type
//! takes that of the attribute of the same name. A caller may leave out a parameter that `tenant` determines, since the
//! caller's own value is the only one that is accepted.

use std::sync::Arc;

use super::types::{Types, entity_id};
use crate::facts::{actions, calls, is_made_for};
use crate::model::{self, Design, ReadVerb, StmtKind, WriteVerb};
use crate::program::{
    Arena, AttributeId, EntityId, Id, LocalId, Parameter, ParameterId, Program, Signature, Type, Yields,
};

type Parameters = Arena<ParameterId, Parameter>;

/// The signature of a pattern.
pub(super) fn pattern_signature(
    design: &Design,
    program: &Program,
    types: &Types<'_>,
    pattern: &model::Pattern,
) -> Signature {
    let entity = pattern.entities.first().and_then(|name| entity_id(design, &name.text));
    let Some(entity) = entity else { return Signature::default() };
    let mut found = Found { design, program, types, parameters: Arena::default() };
    for bind in pattern.binds.iter().filter(|bind| matches!(bind.value, model::BindValue::Parameter)) {
        match pattern.param(&bind.name.text) {
            Some(param) => found.declared(param, &[entity]),
            None => found.of_attribute(entity, &bind.name, false),
        }
    }
    // A name to which `by` assigns a value does not become a parameter by it.
    let is_bound = |param: &model::Param| {
        let bind = pattern.bind(&param.name.text);
        bind.is_some_and(|bind| matches!(bind.value, model::BindValue::Parameter))
    };
    for param in pattern.params.iter().filter(|param| !is_bound(param)) {
        found.declared(param, &[entity]);
    }
    Signature { parameters: found.finish(pattern.system, &[entity]), yields: yields(design, pattern) }
}

fn yields(design: &Design, pattern: &model::Pattern) -> Yields {
    let id = |name: &model::Name| entity_id(design, &name.text);
    let entities: Vec<EntityId> = match &pattern.then {
        Some(then) => id(then).into_iter().collect(),
        None => pattern.entities.iter().filter_map(id).collect(),
    };
    match pattern.verb {
        ReadVerb::Get => entities.first().map_or(Yields::Nothing, |entity| Yields::Item(*entity)),
        ReadVerb::Count => Yields::Count,
        ReadVerb::Exists => Yields::Exists,
        ReadVerb::Sum => Yields::Sums(pattern.summed.iter().map(|name| name.text.as_str().into()).collect()),
        _ if pattern.page.is_some() => Yields::Page(entities),
        _ => Yields::Items(entities),
    }
}

/// The signature of an operation.
pub(super) fn operation_signature(
    design: &Design,
    program: &Program,
    types: &Types<'_>,
    operation: &model::Operation,
) -> Signature {
    let sites = actions(operation);
    let entities: Vec<EntityId> =
        sites.iter().filter_map(|site| entity_id(design, &site.action.entity.text)).collect();
    let mut found = Found { design, program, types, parameters: Arena::default() };
    for param in &operation.params {
        found.declared(param, &found.givers(operation, param, &entities));
    }
    if let (Some(short), Some(site), Some(entity)) = (&operation.short, sites.first(), entities.first()) {
        found.short_form(operation, short, site.action.verb, *entity);
    }
    let mut parameters = found.finish(operation.system, &entities);
    for name in operation.idempotent.iter().map(|(name, _)| name) {
        if !parameters.iter().any(|each| name.is(&each.name)) {
            let ty = Type::String { format: model::StringFormat::Plain, min: 1, max: Some(256) };
            let local = LocalId::new(parameters.len());
            parameters.push(Parameter { optional: true, ..parameter(name, Arc::new(ty), local) });
        }
    }
    Signature { parameters, yields: operation_yields(design, operation) }
}

/// The parameters of an effect. Those without a type take that of an attribute of the same name.
pub(super) fn effect_signature(
    design: &Design,
    program: &Program,
    types: &Types<'_>,
    effect: &model::Effect,
) -> Signature {
    let mut found = Found { design, program, types, parameters: Arena::default() };
    let entities: Vec<EntityId> = program.entities.ids().collect();
    effect.params.iter().for_each(|param| found.declared(param, &entities));
    Signature { parameters: found.finish(true, &[]), yields: Yields::Value }
}

/// `return` determines the result of an operation; without it, the last statement does. A transaction returns the first
/// item that it makes.
fn operation_yields(design: &Design, operation: &model::Operation) -> Yields {
    let Some(last) = operation.body.last() else { return Yields::Nothing };
    let makes = |action: &&model::Action| {
        matches!(action.verb, WriteVerb::Create | WriteVerb::Put | WriteVerb::Upsert)
    };
    let action = match &last.kind {
        StmtKind::Return { .. } => return Yields::Value,
        StmtKind::Transact { body } => body.iter().filter_map(action_of).find(makes),
        _ => action_of(last).filter(|action| action.verb != WriteVerb::Check),
    };
    let entity = action.and_then(|action| entity_id(design, &action.entity.text));
    entity.map_or(Yields::Nothing, Yields::Item)
}

fn action_of(statement: &model::Stmt) -> Option<&model::Action> {
    match &statement.kind {
        StmtKind::Do { value: model::Value::Action(action) }
        | StmtKind::Let { value: model::Value::Action(action), .. } => Some(action),
        _ => None,
    }
}

/// The parameters of a rule.
pub(super) fn rule_parameters(
    design: &Design,
    program: &Program,
    types: &Types<'_>,
    rule: &model::Rule,
) -> Parameters {
    let mut entities = Vec::new();
    rule.condition.walk(&mut |expr| {
        if let model::ExprKind::Call { callee, .. } = &expr.kind {
            entities.extend(callee.as_name().and_then(|name| entity_id(design, name)));
        }
    });
    let mut found = Found { design, program, types, parameters: Arena::default() };
    for param in &rule.params {
        let mut givers = entities.clone();
        givers.extend(found.agreed(&param.name.text));
        found.declared(param, &givers);
    }
    found.parameters
}

/// The parameters found so far.
struct Found<'a, 't> {
    design: &'a Design,
    program: &'a Program,
    types: &'a Types<'t>,
    parameters: Parameters,
}

impl Found<'_, '_> {
    fn push(&mut self, parameter: Parameter) {
        let known = self.parameters.iter().any(|each| each.name == parameter.name);
        if !known {
            self.parameters.push(parameter);
        }
    }

    /// A declared parameter; one without a type takes that of the first attribute of its name.
    fn declared(&mut self, param: &model::Param, entities: &[EntityId]) {
        let attribute = match param.ty {
            model::Type::Undeclared => self.attribute(entities, &param.name.text),
            _ => None,
        };
        let ty = match attribute {
            Some((entity, id)) => Arc::clone(&self.program.entities[entity].attributes[id].ty),
            None => self.types.of(&param.ty),
        };
        let optional = param.optional || param.default.is_some();
        let local = LocalId::new(self.parameters.len());
        self.push(Parameter { optional, attribute, declared: true, ..parameter(&param.name, ty, local) });
    }

    fn of_attribute(&mut self, entity: EntityId, name: &model::Name, optional: bool) {
        let attributes = &self.program.entities[entity].attributes;
        let id = attributes.find(&name.text);
        let ty = id.map_or_else(|| Arc::new(Type::Unknown), |id| Arc::clone(&attributes[id].ty));
        let local = LocalId::new(self.parameters.len());
        let attribute = id.map(|id| (entity, id));
        self.push(Parameter { optional, attribute, ..parameter(name, ty, local) });
    }

    fn attribute(&self, entities: &[EntityId], name: &str) -> Option<(EntityId, AttributeId)> {
        let of = |entity: &EntityId| Some((*entity, self.program.entities[*entity].attributes.find(name)?));
        entities.iter().find_map(of)
    }

    /// The entities that may give a parameter of an operation its type: those that it writes or reads, those of the
    /// patterns that it is handed on to, then all, if they agree.
    fn givers(
        &self,
        operation: &model::Operation,
        param: &model::Param,
        entities: &[EntityId],
    ) -> Vec<EntityId> {
        let called = calls(operation).into_iter().filter_map(|name| self.design.pattern(name));
        let read = called.filter_map(|pattern| entity_id(self.design, &pattern.entities.first()?.text));
        entities.iter().copied().chain(read).chain(self.agreed(&param.name.text)).collect()
    }

    /// An entity that has an attribute of a name, if all that have one agree about its type.
    fn agreed(&self, name: &str) -> Option<EntityId> {
        let ty = |entity: EntityId| {
            let attributes = &self.program.entities[entity].attributes;
            attributes.find(name).map(|id| &attributes[id].ty)
        };
        let mut having = self.program.entities.ids().filter(|entity| ty(*entity).is_some());
        let first = having.next()?;
        having.all(|entity| ty(entity) == ty(first)).then_some(first)
    }

    /// `create E` takes everything that can be given; the others take the key and what they list.
    fn short_form(
        &mut self,
        operation: &model::Operation,
        short: &model::ShortForm,
        verb: WriteVerb,
        entity: EntityId,
    ) {
        let declared = self.parameters.len();
        let source = &self.design.entities[entity.at()];
        let makes = matches!(verb, WriteVerb::Create | WriteVerb::Put);
        if !makes {
            for name in key_inputs(self.program, source, entity) {
                self.of_attribute(entity, name, false);
            }
        }
        let given: Vec<&model::Name> = match &short.names {
            Some(names) => names.iter().collect(),
            None if matches!(
                verb,
                WriteVerb::Delete | WriteVerb::Purge | WriteVerb::Get | WriteVerb::Check
            ) =>
            {
                Vec::new()
            }
            None => {
                let open = |each: &&model::Attribute| {
                    crate::facts::can_be_given(each)
                        && !(makes && is_made_for(self.design, operation, each))
                        && !(verb == WriteVerb::Update && each.has("immutable"))
                };
                source.attributes.iter().filter(open).map(|each| &each.name).collect()
            }
        };
        for name in given {
            let filled = source.attribute(&name.text).is_none_or(|each| !crate::facts::must_be_given(each));
            self.of_attribute(entity, name, verb == WriteVerb::Update || filled);
        }
        // Required parameters come first, so that they can be given by position.
        let mut all: Vec<Parameter> = std::mem::take(&mut self.parameters).iter().cloned().collect();
        all[declared..].sort_by_key(|parameter| parameter.optional);
        for (at, parameter) in all.iter_mut().enumerate() {
            parameter.local = LocalId::new(at);
        }
        self.parameters = all.into_iter().collect();
    }

    /// Makes the parameters optional that the caller's tenant determines.
    fn finish(mut self, system: bool, entities: &[EntityId]) -> Parameters {
        if system {
            return self.parameters;
        }
        for id in self.parameters.ids() {
            let name = &self.parameters[id].name;
            let tenants = entities.iter().filter_map(|entity| {
                let entity = &self.program.entities[*entity];
                entity.tenant.map(|tenant| &entity.attributes[tenant.attribute].name)
            });
            let part = self.program.caller.find(name);
            if let Some(part) = part.filter(|_| tenants.into_iter().any(|tenant| tenant == name)) {
                let parameter = &mut self.parameters[id];
                parameter.optional = true;
                parameter.of_caller = parameter.default.is_none().then_some(part);
            }
        }
        self.parameters
    }
}

/// The attributes that a caller gives for the key: those that it is made of, and the inputs of derived ones.
fn key_inputs<'a>(program: &Program, source: &'a model::Entity, entity: EntityId) -> Vec<&'a model::Name> {
    let mut found: Vec<&model::Name> = Vec::new();
    for key in &program.entities[entity].key_attributes {
        let attribute = &source.attributes[key.at()];
        let inputs: Vec<&model::Name> = match &attribute.value {
            Some(model::Fill { derived: true, value }) => {
                let names = value.names().into_iter();
                names.filter_map(|name| source.attribute(name)).map(|each| &each.name).collect()
            }
            _ => vec![&attribute.name],
        };
        for input in inputs {
            if !found.contains(&input) {
                found.push(input);
            }
        }
    }
    found
}

fn parameter(name: &model::Name, ty: Arc<Type>, local: LocalId) -> Parameter {
    Parameter {
        name: name.text.as_str().into(),
        ty,
        optional: false,
        of_caller: None,
        attribute: None,
        default: None,
        local,
        declared: false,
        span: name.span,
    }
}
