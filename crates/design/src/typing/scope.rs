//! The names that an expression can use, and what each stands for.

use super::ty::Ty;
use crate::facts::Formal;
use crate::model::*;
use sortkey_diagnostics::Span;
use std::collections::HashSet;

/// Names that mean something everywhere.
pub(super) const BUILT_IN: [&str; 9] =
    ["now", "new", "it", "caller", "true", "false", "absent", "null", "all"];

/// What an expression sees.
#[derive(Clone, Debug, Default)]
pub(super) struct Scope<'a> {
    /// Parameters, `let`s and elements; a later one hides an earlier one of its name.
    pub(super) locals: Vec<Local<'a>>,
    /// The attributes of the item in hand.
    pub(super) item: Option<ItemScope<'a>>,
    /// Whether nobody calls.
    pub(super) system: bool,
    /// Whether a reference may be followed only to an item that was read.
    pub(super) reads_shown: bool,
}

/// A parameter, a `let` or an element.
#[derive(Clone, Debug)]
pub(super) struct Local<'a> {
    pub(super) name: &'a str,
    pub(super) ty: Ty<'a>,
    /// The attribute whose reference it takes over.
    pub(super) attribute: Option<&'a Attribute>,
    /// Where it is declared.
    pub(super) span: Span,
    /// Whether it was read or made, not handed in.
    pub(super) read: bool,
}

/// The attributes of an item or of a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct ItemScope<'a> {
    pub(super) attributes: &'a [Attribute],
    pub(super) entity: Option<&'a Entity>,
}

impl<'a> Scope<'a> {
    /// The names of an entity's own expressions.
    pub(super) fn of_entity(entity: &'a Entity) -> Scope<'a> {
        Scope { item: Some(ItemScope::of(entity)), ..Scope::default() }
    }

    /// The names of something that is called with parameters.
    pub(super) fn of_formals(formals: &[Formal<'a>], system: bool) -> Scope<'a> {
        let local = |formal: &Formal<'a>| Local {
            name: &formal.name.text,
            ty: Ty::of(formal.ty),
            attribute: formal.attribute,
            span: formal.name.span,
            read: false,
        };
        Scope { locals: formals.iter().map(local).collect(), system, ..Scope::default() }
    }

    /// The parameter, `let` or element of that name.
    pub(super) fn local(&self, name: &str) -> Option<&Local<'a>> {
        self.locals.iter().rev().find(|local| local.name == name)
    }

    /// The attribute of that name.
    pub(super) fn attribute(&self, name: &str) -> Option<&'a Attribute> {
        self.item?.attributes.iter().find(|attribute| attribute.name.is(name))
    }

    /// Whether an item of an entity is in hand.
    pub(super) fn has_read(&self, entity: &Entity) -> bool {
        self.locals.iter().filter(|local| local.read).any(|local| match &local.ty {
            Ty::Item(item) => item.name == entity.name,
            Ty::Unknown => true,
            _ => false,
        })
    }

    pub(super) fn bind(&mut self, name: &'a Name, ty: Ty<'a>) {
        self.locals.push(Local { name: &name.text, ty, attribute: None, span: name.span, read: true });
    }
}

impl<'a> ItemScope<'a> {
    pub(super) fn of(entity: &'a Entity) -> ItemScope<'a> {
        ItemScope { attributes: &entity.attributes, entity: Some(entity) }
    }
}

/// The words of every enum of a design: any of them may stand where nothing more is known.
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
    for param in params.chain(design.rules.iter().flat_map(|each| &each.params)) {
        collect(&param.ty, &mut words);
    }
    words
}

/// The parser bounds how deep types nest, so this may recurse.
fn collect<'a>(ty: &'a Type, words: &mut HashSet<&'a str>) {
    match ty {
        Type::Enum { members, .. } => words.extend(members.iter().map(String::as_str)),
        Type::List { of, .. } | Type::Map { of, .. } | Type::Set { of, .. } | Type::Json { of } => {
            collect(of, words);
        }
        Type::Object { attributes } => attributes.iter().for_each(|each| collect(&each.ty, words)),
        _ => {}
    }
}
