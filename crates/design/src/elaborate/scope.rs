//! The names that an expression can use, and the meaning of each.

use std::collections::HashSet;
use std::sync::Arc;

use sortkey_diagnostics::Span;

use super::Elaboration;
use crate::model::{self, Design};
use crate::program::{
    Arena, Attribute, AttributeId, Attributes, EntityId, Id, LocalId, ObjectId, Parameter, ParameterId, Ty,
};

/// Names that are defined everywhere.
pub(super) const BUILT_IN: [&str; 9] =
    ["now", "new", "it", "caller", "true", "false", "absent", "null", "all"];

/// The names that are visible to an expression.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope {
    /// Parameters, `let`s and elements; a later one hides an earlier one of its name.
    pub(super) locals: Vec<Local>,
    /// The attributes of the current item.
    pub(super) item: Option<ItemScope>,
    /// Whether there is no caller.
    pub(super) system: bool,
    /// Whether a reference may be followed only to an item that was read.
    pub(super) reads_shown: bool,
    /// Whether effects may happen: in workers and in `system` operations.
    pub(super) acts: bool,
    /// Whether a transaction is being assembled.
    pub(super) in_transaction: bool,
    /// An entity whose attributes are absent if the current item lacks them.
    pub(super) lacking: Option<EntityId>,
}

/// A parameter, a `let` or an element.
#[derive(Clone, Debug)]
pub(super) struct Local {
    pub(super) name: Arc<str>,
    pub(super) id: LocalId,
    pub(super) ty: Ty,
    /// The attribute whose reference it takes over.
    pub(super) attribute: Option<(EntityId, AttributeId)>,
    /// The place of its declaration.
    pub(super) span: Span,
    /// Whether it was read or made, not passed in.
    pub(super) read: bool,
}

/// The item or the object whose attributes bare names mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ItemScope {
    Entity(EntityId),
    Object(ObjectId),
    /// The parts of the caller see each other.
    Caller,
}

impl Scope {
    /// The names of an entity's own expressions.
    pub(super) fn of_entity(entity: EntityId) -> Scope {
        Scope { item: Some(ItemScope::Entity(entity)), ..Scope::default() }
    }

    /// The names of a declaration that is called with parameters.
    pub(super) fn of_parameters(parameters: &Arena<ParameterId, Parameter>, system: bool) -> Scope {
        let local = |parameter: &Parameter| Local {
            name: parameter.name.clone(),
            id: parameter.local,
            ty: Ty::of(&parameter.ty),
            attribute: parameter.attribute,
            span: parameter.span,
            // An item that a worker is given was read for it.
            read: matches!(Ty::of(&parameter.ty), Ty::Item(_)),
        };
        Scope { locals: parameters.iter().map(local).collect(), system, ..Scope::default() }
    }

    /// The parameter, `let` or element of that name.
    pub(super) fn local(&self, name: &str) -> Option<&Local> {
        self.locals.iter().rev().find(|local| *local.name == *name)
    }

    /// Whether there is a current item of an entity.
    pub(super) fn has_read(&self, entity: EntityId) -> bool {
        self.locals.iter().filter(|local| local.read).any(|local| match &local.ty {
            Ty::Item(item) => *item == entity,
            Ty::Unknown => true,
            _ => false,
        })
    }
}

impl Elaboration<'_, '_> {
    /// Binds a `let` or an element.
    pub(super) fn bind(&mut self, name: &model::Name, ty: Ty) -> LocalId {
        let id = LocalId::new(self.locals);
        self.locals += 1;
        let name_text: Arc<str> = name.text.as_str().into();
        let local = Local { name: name_text, id, ty, attribute: None, span: name.span, read: true };
        self.scope.locals.push(local);
        id
    }

    /// The attributes that bare names may mean.
    pub(super) fn attributes_in_view(&self) -> Option<&Attributes> {
        Some(match self.scope.item? {
            ItemScope::Entity(id) => &self.program.entities[id].attributes,
            ItemScope::Object(id) => &self.program.objects[id].attributes,
            ItemScope::Caller => &self.program.caller,
        })
    }

    /// The attribute of that name.
    pub(super) fn attribute_in_view(&self, name: &str) -> Option<(AttributeId, &Attribute)> {
        let attributes = self.attributes_in_view()?;
        attributes.find(name).map(|id| (id, &attributes[id]))
    }

    /// The entity of the current item.
    pub(super) fn entity_in_view(&self) -> Option<EntityId> {
        match self.scope.item {
            Some(ItemScope::Entity(id)) => Some(id),
            _ => None,
        }
    }
}

/// The words of every enum of a design: any of them may occur where the type is unknown.
pub(super) fn words(design: &Design) -> HashSet<&str> {
    let mut words = HashSet::new();
    for each in &design.enums {
        words.extend(each.members.iter().map(|member| member.name.text.as_str()));
    }
    let attributes = design.entities.iter().flat_map(|entity| &entity.attributes);
    let records = design.records.iter().flat_map(|record| &record.attributes);
    for attribute in attributes.chain(records).chain(&design.caller) {
        collect(&attribute.ty, &mut words);
    }
    let params = design.operations.iter().flat_map(|each| &each.params);
    let params = params.chain(design.patterns.iter().flat_map(|each| &each.params));
    let params = params.chain(design.effects.iter().flat_map(|each| &each.params));
    for param in params.chain(design.rules.iter().flat_map(|each| &each.params)) {
        collect(&param.ty, &mut words);
    }
    words
}

/// The parser bounds how deep types nest, so this may recurse.
fn collect<'a>(ty: &'a model::Type, words: &mut HashSet<&'a str>) {
    match ty {
        model::Type::Enum { members, .. } => words.extend(members.iter().map(String::as_str)),
        model::Type::List { of, .. }
        | model::Type::Map { of, .. }
        | model::Type::Set { of, .. }
        | model::Type::Json { of } => collect(of, words),
        model::Type::Object { attributes } => attributes.iter().for_each(|each| collect(&each.ty, words)),
        _ => {}
    }
}
