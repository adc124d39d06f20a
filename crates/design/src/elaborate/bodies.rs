//! Every expression of a design, and the program with all of them put in.

use std::sync::Arc;

use super::Elaboration;
use super::scope::ItemScope;
use crate::model::{self, Design, WriteVerb};
use crate::program::{
    Arena, AttributeId, Attributes, Effect, Entity, Enum, Id, Object, ObjectId, Operation, Parameter,
    ParameterId, Pattern, Program, Route, Rule, Session, Statement, StatementKind, Test, Ty, Value, Worker,
    Yields,
};

/// All declarations that have expressions in them.
pub(super) struct Bodies {
    enums: Vec<Enum>,
    objects: Vec<Object>,
    caller: Attributes,
    entities: Vec<Entity>,
    rules: Vec<Rule>,
    patterns: Vec<Pattern>,
    operations: Vec<Operation>,
    effects: Vec<Effect>,
    workers: Vec<Worker>,
    routes: Vec<Route>,
    sessions: Vec<Session>,
    tests: Vec<Test>,
}

impl<'a> Elaboration<'a, '_> {
    /// Elaborates every expression of the design, in the order in which mistakes are best reported.
    pub(super) fn bodies(&mut self) -> Bodies {
        let (design, program): (&'a Design, &'a Program) = (self.design, self.program);
        let enums = design.enums.iter().zip(&program.enums);
        let enums =
            enums.map(|(source, declared)| self.silently(|typing| typing.constants(source, declared)));
        let enums = enums.collect();
        let objects = program.objects.entries().map(|(id, object)| self.object_type(id, object)).collect();
        let caller = self.attributes(ItemScope::Caller, &design.caller, &program.caller);
        let entities = program.entities.entries();
        let entities = entities.map(|(id, each)| self.entity(id, &design.entities[id.at()], each)).collect();
        let patterns = design.patterns.iter().zip(&program.patterns);
        let patterns = patterns.map(|(source, declared)| self.pattern(source, declared)).collect();
        let rules = design.rules.iter().zip(&program.rules);
        let rules = rules.map(|(source, declared)| self.rule(source, declared)).collect();
        let operations = design.operations.iter().zip(&program.operations);
        let operations = operations.map(|(source, declared)| self.operation(source, declared)).collect();
        let effects = design.effects.iter().zip(&program.effects);
        let effects = effects.map(|(source, declared)| self.effect(source, declared)).collect();
        let (workers, routes, sessions) = (self.workers(), self.routes(), self.sessions());
        let tests = design.tests.iter().map(|test| self.test(test)).collect();
        Bodies {
            enums,
            objects,
            caller,
            entities,
            rules,
            patterns,
            operations,
            effects,
            workers,
            routes,
            sessions,
            tests,
        }
    }

    fn object_type(&mut self, id: ObjectId, object: &Object) -> Object {
        let source = self.types.sources.get(id.at()).copied().unwrap_or_default();
        let attributes = self.attributes(ItemScope::Object(id), source, &object.attributes);
        Object { attributes, ..object.clone() }
    }
}

impl Bodies {
    /// The program with all expressions put in.
    pub(super) fn complete(self, mut program: Program, errors: Vec<Arc<str>>) -> Program {
        program.enums = self.enums.into_iter().collect();
        program.objects = self.objects.into_iter().collect();
        program.caller = self.caller;
        program.entities = self.entities.into_iter().collect();
        program.rules = self.rules.into_iter().collect();
        program.patterns = self.patterns.into_iter().collect();
        program.operations = self.operations.into_iter().map(yielding).collect();
        program.effects = self.effects.into_iter().collect();
        program.workers = self.workers.into_iter().collect();
        program.routes = self.routes.into_iter().collect();
        program.sessions = self.sessions.into_iter().collect();
        program.tests = self.tests;
        program.errors = errors.into_iter().collect();
        program
    }
}

/// `return x` yields an item where `x` is one.
fn yielding(mut operation: Operation) -> Operation {
    if let (Yields::Value, Some(StatementKind::Return(value))) =
        (&operation.signature.yields, operation.body.last().map(|last| &last.kind))
        && let Ty::Item(entity) = value.ty
    {
        operation.signature.yields = Yields::Item(entity);
    }
    operation
}

/// The short form: its one action takes the key and its attributes from parameters.
pub(super) trait WriteTakes {
    /// Assigns parameters to the key and to the attributes.
    fn take_parameters(
        &mut self,
        design: &Design,
        program: &Program,
        short: &model::ShortForm,
        parameters: &Arena<ParameterId, Parameter>,
    );
}

impl WriteTakes for Vec<Statement> {
    fn take_parameters(
        &mut self,
        design: &Design,
        program: &Program,
        short: &model::ShortForm,
        parameters: &Arena<ParameterId, Parameter>,
    ) {
        let Some(StatementKind::Do(Value::Action(action))) = self.first_mut().map(|first| &mut first.kind)
        else {
            return;
        };
        let of = &program.entities[action.entity];
        let source = &design.entities[action.entity.at()].attributes;
        let given = |parameter: &Parameter| Some((of.attributes.find(&parameter.name)?, parameter.local));
        let all: Vec<(AttributeId, _)> = parameters.iter().filter_map(given).collect();
        let named = |id: AttributeId| match &short.names {
            Some(names) => names.iter().any(|name| name.is(&of.attributes[id].name)),
            None => true,
        };
        let takes_all = matches!(action.verb, WriteVerb::Create | WriteVerb::Put | WriteVerb::Upsert);
        let takes = all.iter().copied().filter(|(id, _)| !source[id.at()].is_derived());
        action.takes = takes.filter(|(id, _)| takes_all || named(*id)).collect();
    }
}
