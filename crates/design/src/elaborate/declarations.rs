//! The declarations that contain expressions: attributes, entities, rules, operations, tests.

use std::sync::Arc;

use super::bodies::WriteTakes;
use super::scope::{ItemScope, Scope};
use super::{Elaboration, Wanted};
use crate::facts::{self, actions};
use crate::model::{self, Stored};
use crate::problems::{ARGUMENT, MISMATCH};
use crate::program::{
    Attribute, AttributeId, Attributes, Check, Enter, Entity, EntityId, Enum, Expr, Field, Fill, Id,
    Idempotent, Operation, Parameter, ParameterId, Path, Rule, States, Test, Transition, Ty, Type, Word,
};

impl<'a> Elaboration<'a, '_> {
    /// The constants that the words of an enum carry.
    pub(super) fn constants(&mut self, source: &'a model::Enum, declared: &Enum) -> Enum {
        let constant = |(name, value): &'a (model::Name, model::Expr)| (name, value);
        let words = source.members.iter().map(|member| {
            let constants = member.constants.iter().map(constant);
            let constants = constants.map(|(name, value)| {
                let scope = Scope { system: true, ..Scope::default() };
                (Arc::from(name.text.as_str()), self.within(scope, |typing| typing.infer(value, None)))
            });
            Word { name: member.name.text.as_str().into(), constants: constants.collect() }
        });
        Enum { words: words.collect(), ..declared.clone() }
    }

    /// The expressions of some attributes, which see each other.
    pub(super) fn attributes(
        &mut self,
        scope: ItemScope,
        source: &'a [model::Attribute],
        declared: &Attributes,
    ) -> Attributes {
        let mut attributes = declared.clone();
        let scope = Scope { item: Some(scope), ..Scope::default() };
        self.within(scope, |typing| {
            for (at, each) in source.iter().enumerate() {
                let id = AttributeId::new(at);
                let (fill, when) = typing.attribute(each, &declared[id]);
                attributes[id].fill = fill;
                attributes[id].when = when;
            }
        });
        attributes
    }

    fn attribute(
        &mut self,
        source: &'a model::Attribute,
        declared: &Attribute,
    ) -> (Option<Fill>, Option<Expr>) {
        let fill = source.value.as_ref().map(|fill| {
            let mut wanted = Wanted::attribute(self.declaring, declared, source.type_place());
            // Functions of an absent value are absent,
            // so a derived attribute may be absent if it is marked with `?`.
            wanted.allow_absent();
            Fill { derived: fill.derived, value: self.want(&fill.value, &wanted) }
        });
        (fill, source.when.as_ref().map(|when| self.condition(when)))
    }

    /// An entity with its expressions.
    pub(super) fn entity(&mut self, id: EntityId, source: &'a model::Entity, declared: &Entity) -> Entity {
        let mut entity = declared.clone();
        entity.attributes = self.attributes(ItemScope::Entity(id), &source.attributes, &declared.attributes);
        self.within(Scope::of_entity(id), |typing| {
            for (template, each) in declared.templates.ids().zip(&source.templates) {
                entity.templates[template].when = each.when.as_ref().map(|when| typing.condition(when));
            }
            entity.checks = source
                .checks
                .iter()
                .map(|check| Check {
                    condition: typing.condition(&check.condition),
                    error: check.error.as_ref().map(|error| typing.error(error)),
                })
                .collect();
            for unique in declared.uniques.ids() {
                let each = &source.uniques[declared.uniques[unique].place];
                entity.uniques[unique].when = each.when.as_ref().map(|when| typing.condition(when));
                entity.uniques[unique].error = each.error.as_ref().map(|error| typing.error(error));
            }
            entity.deleted = source.deleted.as_ref().map(|deleted| typing.deleted_when(deleted));
            entity.states =
                source.states.iter().filter_map(|states| typing.states(id, source, states)).collect();
        });
        self.uniques(id, source);
        self.can_cascade(id);
        entity
    }

    /// The key of a guard is text, and lies in the entity's own table.
    fn uniques(&mut self, id: EntityId, source: &'a model::Entity) {
        let design = self.design;
        let Some(key) = partition_that_is_no_text(design, source) else { return };
        let name = self.program.entities[id].attributes[key].ty.describe(self.program);
        let place = source.attributes[key.at()].span;
        for unique in &source.uniques {
            let title = format!("nothing of {} can be unique beside its key", source.name);
            let problem = MISMATCH.at(unique.span, title).label("would need a guard, whose key is text");
            let problem = problem.also(place, format!("the partition key is {name}"));
            self.push(
                problem.note(
                    "Make the partition key text: a template of the attribute, as in `PK = \"N#{n}\"`.",
                ),
            );
        }
    }

    fn states(
        &mut self,
        id: EntityId,
        source: &'a model::Entity,
        states: &'a model::States,
    ) -> Option<States> {
        let program = self.program;
        let attributes = &program.entities[id].attributes;
        let attribute = attributes.find(&states.path.first()?.text)?;
        let mut ty = Ty::of(&attributes[attribute].ty);
        let mut inside = Vec::new();
        for name in states.path.iter().skip(1) {
            inside.push(Arc::from(name.text.as_str()));
            ty = self.member_type(&ty, name).unwrap_or_default();
        }
        let words = match &ty {
            Ty::Is(words) if matches!(**words, Type::Enum(_)) => Arc::clone(words),
            Ty::Unknown => return None,
            _ => {
                let title = format!("states are words of an enum, and this is {}", self.named(&ty));
                let place = source.attributes[attribute.at()].type_place();
                self.push(MISMATCH.at(place, title).also(states.span, "the states"));
                return None;
            }
        };
        let moves = states.transitions.iter().flat_map(|each| each.from.iter().chain(&each.to));
        let enters = states.enters.iter().flat_map(|enter| &enter.states);
        moves.chain(enters).for_each(|state| self.state(state, &words));
        let texts = |names: &[model::Name]| names.iter().map(|name| Arc::from(name.text.as_str())).collect();
        for spread in states.enters.iter().flat_map(|enter| &enter.fields.spreads) {
            let title = format!("nothing called `{spread}` is there when a state is entered");
            self.push(ARGUMENT.at(spread.span, title).note("`enter` names each attribute that it writes."));
        }
        let transitions = states
            .transitions
            .iter()
            .map(|each| Transition {
                from: texts(&each.from),
                to: texts(&each.to),
                condition: each.condition.as_ref().map(|condition| self.condition(condition)),
            })
            .collect();
        let enters = states
            .enters
            .iter()
            .map(|enter| Enter {
                states: texts(&enter.states),
                fields: enter.fields.fields.iter().filter_map(|field| self.entered(id, field)).collect(),
            })
            .collect();
        Some(States { path: Path { attribute, inside, ty: words }, transitions, enters })
    }

    /// The fields that are written on entering a state.
    fn entered(&mut self, entity: EntityId, field: &'a model::Field) -> Option<Field> {
        let name = field.path.first()?;
        let Some(id) = self.program.entities[entity].attributes.find(&name.text) else {
            self.unknown_attribute(entity, name);
            return None;
        };
        self.settable(model::WriteVerb::Update, entity, id, name.span);
        self.written(field, entity, id)
    }

    fn state(&mut self, state: &'a model::Name, words: &Type) {
        // A state is a word even where an attribute has its name.
        let item = self.scope.item.take();
        self.name(&state.text, state.span, Some(words));
        self.scope.item = item;
    }

    /// A rule with its condition.
    pub(super) fn rule(&mut self, source: &'a model::Rule, declared: &Rule) -> Rule {
        let scope = Scope::of_parameters(&declared.parameters, false);
        self.locals = declared.parameters.len();
        let condition = self.within(scope, |typing| typing.condition(&source.condition));
        Rule { condition, ..declared.clone() }
    }

    /// The value of a parameter that is left out.
    pub(super) fn parameter_default(
        &mut self,
        params: &'a [model::Param],
        parameter: &Parameter,
    ) -> Option<Expr> {
        let param = params.iter().find(|param| param.name.is(&parameter.name))?;
        let default = param.default.as_ref()?;
        let mut wanted = Wanted::parameter(self.declaring, parameter);
        wanted.forbid_absent();
        // A default cannot refer to other parameters.
        Some(self.within(Scope::default(), |typing| typing.want(default, &wanted)))
    }

    /// An operation with its body.
    pub(super) fn operation(&mut self, source: &'a model::Operation, declared: &'a Operation) -> Operation {
        let mut operation = declared.clone();
        let parameters = &declared.signature.parameters;
        self.receipt(source);
        // An incomplete request to a route is refused when it arrives.
        self.lenient = self.design.routes.iter().any(|route| source.name.is(&route.operation));
        for (id, parameter) in parameters.entries() {
            operation.signature.parameters[id].default = self.parameter_default(&source.params, parameter);
        }
        self.locals = parameters.len();
        let left_out = |(id, each): &(ParameterId, &Parameter)| {
            each.optional && each.of_caller.is_none() && operation.signature.parameters[*id].default.is_none()
        };
        self.optional = parameters.entries().filter(left_out).map(|(_, each)| each.local).collect();
        let items = parameters.iter().filter(|each| matches!(Ty::of(&each.ty), Ty::Item(_)));
        items.for_each(|each| self.asked.local(each.local));
        let mut scope = Scope::of_parameters(parameters, source.system);
        scope.reads_shown = true;
        scope.acts = source.system;
        let first = actions(source).first().map(|site| site.action);
        operation.requires = source.requires.as_ref().map(|requires| {
            let mut scope = scope.clone();
            let entity = first.and_then(|action| super::types::entity_id(self.design, &action.entity.text));
            scope.item = entity.map(ItemScope::Entity);
            self.within(scope, |typing| typing.condition(requires))
        });
        let (mut body, handlers) = self.within(scope, |typing| {
            let body = typing.body(&source.body);
            if let Some(names) = source.short.as_ref().and_then(|short| short.names.as_ref()) {
                typing.short_names(source, names);
                typing.short_is_complete(source, parameters);
            }
            let named = typing.scope.locals.len();
            let handlers = source.handlers.iter().map(|(error, body)| {
                typing.handled_error(source, error);
                let handler = (typing.error(error), typing.body(body));
                // Only one handler runs: it sees the names of the body, and none of another handler.
                typing.scope.locals.truncate(named);
                handler
            });
            (body, handlers.collect())
        });
        if let Some(short) = &source.short {
            body.take_parameters(self.design, self.program, short, parameters);
        }
        operation.body = body;
        operation.handlers = handlers;
        operation.idempotent = source.idempotent.as_ref().map(|(name, period_ms)| Idempotent {
            by: source
                .idempotent_within
                .iter()
                .chain([name])
                .filter_map(|name| declared.signature.find(&name.text))
                .collect(),
            period_ms: *period_ms,
        });
        operation.locals = self.locals;
        self.optional = Vec::new();
        self.unsure = Vec::new();
        self.asked = super::absence::Asked::default();
        self.lenient = false;
        operation
    }

    /// The key of a receipt is text, and lies in the table that is written first.
    fn receipt(&mut self, operation: &'a model::Operation) {
        let design = self.design;
        let Some((by, _)) = &operation.idempotent else { return };
        let sites = actions(operation);
        let first = sites.iter().find(|site| site.action.verb.writes());
        let Some(entity) = first.and_then(|site| design.entity(&site.action.entity.text)) else { return };
        if let Some(key) = partition_that_is_no_text(design, entity) {
            let key = &entity.attributes[key.at()];
            let title = format!("`{}` cannot be idempotent in the table of {}", operation.name, entity.name);
            let problem = MISMATCH.at(by.span, title).label("would need a receipt, whose key is text");
            let said = format!("the partition key is {}", design.type_of(key).describe());
            self.push(problem.also(key.span, said));
        }
    }

    /// A caller must be able to set the attributes that the short form lists.
    fn short_names(&mut self, operation: &'a model::Operation, names: &'a [model::Name]) {
        let sites = actions(operation);
        let Some(site) = sites.first() else { return };
        let Some(entity) = super::types::entity_id(self.design, &site.action.entity.text) else { return };
        for name in names {
            if let Some(id) = self.program.entities[entity].attributes.find(&name.text) {
                self.settable(site.action.verb, entity, id, name.span);
            }
        }
    }

    /// A short form that makes items and lists what it takes must take all that a new item needs.
    fn short_is_complete(
        &mut self,
        operation: &'a model::Operation,
        parameters: &crate::program::Arena<ParameterId, Parameter>,
    ) {
        let sites = actions(operation);
        let Some(action) = sites.first().map(|site| site.action) else { return };
        let Some(entity) = super::types::entity_id(self.design, &action.entity.text) else { return };
        if matches!(action.verb, model::WriteVerb::Create | model::WriteVerb::Put | model::WriteVerb::Upsert)
        {
            let given: Vec<&str> = parameters.iter().map(|each| &*each.name).collect();
            self.needs_more(action, entity, &given);
        }
    }

    /// A test with its body.
    pub(super) fn test(&mut self, test: &'a model::Test) -> Test {
        self.locals = 0;
        let scope = Scope { system: true, ..Scope::default() };
        let body = self.within(scope, |typing| typing.body(&test.body));
        Test { title: test.title.clone(), body, locals: self.locals, span: test.span }
    }
}

/// The partition key of an entity, if it is an attribute that is not stored as text.
fn partition_that_is_no_text(design: &model::Design, entity: &model::Entity) -> Option<AttributeId> {
    let name = design.table_of(entity)?.key.partition.first()?;
    let facts::Source::Natural(key) = facts::source(entity, &name.text)? else { return None };
    let is_text = matches!(design.type_of(key).stored(), Stored::S | Stored::Any);
    let at = entity.attributes.iter().position(|each| each.name == key.name)?;
    (!is_text).then_some(AttributeId::new(at))
}
