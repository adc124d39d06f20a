//! An expression against a declared type.

use super::names::content;
use super::ty::{Kind, Ty, article, fits};
use super::{Typing, did_you_mean};
use crate::facts::{can_be_given, is_time_name, key_attributes, must_be_given};
use crate::model::*;
use crate::problems::{ABSENT, MISMATCH, UNKNOWN, nearest};
use sortkey_diagnostics::{Diagnostic, Span};

/// What a place needs.
#[derive(Clone, Debug)]
pub(super) struct Wanted<'a> {
    pub(super) ty: &'a Type,
    /// Where that is declared, and what is said there.
    place: Option<(Span, String)>,
    /// Whether nothing will do as well.
    optional: bool,
    /// Whether it is a time by its name, declared as a bare number or text.
    time_by_name: bool,
}

impl<'a> Wanted<'a> {
    /// The value of an attribute.
    pub(super) fn attribute(design: &'a Design, attribute: &'a Attribute) -> Wanted<'a> {
        let ty = design.type_of(attribute);
        let said = format!("`{}` is declared {}", attribute.name, ty.describe());
        Wanted {
            ty,
            place: Some((attribute.type_place(), said)),
            optional: attribute.may_be_absent(),
            time_by_name: is_time_name(&attribute.name.text),
        }
    }

    /// The value of a parameter.
    pub(super) fn parameter(name: &Name, ty: &'a Type, optional: bool) -> Wanted<'a> {
        let said = format!("`{name}` is {}", ty.describe());
        Wanted { ty, place: Some((name.span, said)), optional, time_by_name: is_time_name(&name.text) }
    }

    /// The other side of a comparison.
    pub(super) fn compared(ty: &'a Type, place: Span) -> Wanted<'a> {
        Wanted {
            ty,
            place: Some((place, format!("this is {}", ty.describe()))),
            optional: true,
            time_by_name: false,
        }
    }

    /// A part of what is wanted.
    pub(super) fn part(&self, ty: &'a Type) -> Wanted<'a> {
        Wanted { ty, place: self.place.clone(), optional: false, time_by_name: false }
    }

    /// An element of what is wanted, which may be taken out again.
    pub(super) fn element(&self, ty: &'a Type) -> Wanted<'a> {
        Wanted { optional: true, ..self.part(ty) }
    }

    /// Nothing will do as well.
    pub(super) fn allow_absent(&mut self) {
        self.optional = true;
    }

    /// Points at the declaration.
    pub(super) fn show(&self, problem: Diagnostic) -> Diagnostic {
        match &self.place {
            Some((span, said)) => problem.also(*span, said.clone()),
            None => problem,
        }
    }
}

impl<'a> Typing<'a, '_> {
    /// Checks an expression against what its place needs.
    pub(super) fn want(&mut self, expr: &'a Expr, wanted: &Wanted<'a>) {
        match (&expr.kind, content(wanted.ty)) {
            (ExprKind::List { elements }, Type::List { of, max } | Type::Set { of, max }) => {
                elements.iter().for_each(|element| self.want(element, &wanted.part(of)));
                let count = elements.len() as u64;
                if let Some(max) = max.filter(|max| count > *max) {
                    let title = format!("{count} elements where at most {max} are allowed");
                    self.push(wanted.show(MISMATCH.at(expr.span, title)));
                }
            }
            (ExprKind::Object { fields }, ty) => self.object(fields, expr.span, ty, wanted),
            (ExprKind::Text { value }, _) => self.text_literal(value, expr.span, wanted),
            (ExprKind::Number { digits, unit }, _) => self.number_literal(digits, unit, false, expr, wanted),
            (ExprKind::Negative { operand }, _) => match &operand.kind {
                ExprKind::Number { digits, unit } => self.number_literal(digits, unit, true, expr, wanted),
                _ => self.want_inferred(expr, wanted),
            },
            _ => self.want_inferred(expr, wanted),
        }
    }

    fn want_inferred(&mut self, expr: &'a Expr, wanted: &Wanted<'a>) {
        let ty = self.infer(expr, Some(wanted.ty));
        if matches!(ty, Ty::Nothing) && !wanted.optional {
            let problem = ABSENT.at(expr.span, "this must always be there").label("cannot be removed");
            self.push(wanted.show(problem));
        } else if !(fits(wanted.ty, &ty) || wanted.time_by_name && is_bare_time(wanted.ty, &ty)) {
            self.mismatch(&ty, expr.span, wanted);
        }
    }

    pub(super) fn mismatch(&mut self, given: &Ty<'a>, span: Span, wanted: &Wanted<'a>) {
        let title = format!("{} is wanted, not {}", article(&wanted.ty.describe()), given.named());
        let mut problem = wanted.show(MISMATCH.at(span, title).label(given.named()));
        if let (Type::Enum { members, .. }, Ty::Is(Type::Enum { members: others, .. })) =
            (content(wanted.ty), given)
        {
            let strange: Vec<&str> =
                others.iter().filter(|word| !members.contains(word)).map(String::as_str).collect();
            problem = problem.note(format!("It has no `{}`.", strange.join("`, `")));
        }
        self.push(problem);
    }

    /// A map written in place.
    fn object(&mut self, fields: &'a Fields, span: Span, ty: &'a Type, wanted: &Wanted<'a>) {
        let design = self.declaring;
        match ty {
            Type::Object { attributes } => self.record(fields, span, attributes, wanted),
            Type::Record { name } => {
                if let Some(record) = design.record(name) {
                    self.record(fields, span, &record.attributes, wanted);
                }
            }
            Type::Map { of, .. } => {
                fields.fields.iter().for_each(|field| self.want(&field.value, &wanted.part(of)));
            }
            Type::Input { of, entity } => {
                if let Some(entity) = design.entity(entity) {
                    self.input(*of, fields, span, entity);
                }
            }
            Type::Any { .. } | Type::Undeclared => {
                fields.fields.iter().for_each(|field| drop(self.infer(&field.value, None)));
            }
            _ => self.mismatch(&Ty::Map, span, wanted),
        }
    }

    fn record(&mut self, fields: &'a Fields, span: Span, attributes: &'a [Attribute], wanted: &Wanted<'a>) {
        let design = self.declaring;
        for field in &fields.fields {
            let Some(name) = field.path.first() else { continue };
            match attributes.iter().find(|attribute| attribute.name == *name) {
                Some(attribute) => self.want(&field.value, &Wanted::attribute(design, attribute)),
                None => self.unknown_part("attribute", name, attributes, wanted),
            }
        }
        let missing =
            attributes.iter().filter(|each| must_be_given(each) && fields.get(&each.name.text).is_none());
        let missing: Vec<&Name> = missing.map(|each| &each.name).collect();
        self.missing_parts(&missing, fields, span);
    }

    /// An object where `new(E)`, `patch(E)` or `key(E)` is wanted.
    fn input(&mut self, kind: InputKind, fields: &'a Fields, span: Span, entity: &'a Entity) {
        let design = self.declaring;
        let keys = key_attributes(design, entity);
        for field in &fields.fields {
            let Some(name) = field.path.first() else { continue };
            match entity.attribute(&name.text) {
                Some(attribute) => self.want(&field.value, &Wanted::attribute(design, attribute)),
                None => {
                    let known = entity.attributes.iter().map(|each| each.name.text.as_str());
                    self.unknown(&format!("attribute of `{}`", entity.name), &name.text, name.span, known);
                }
            }
        }
        let needed = |attribute: &&Attribute| match kind {
            InputKind::Key => keys.contains(&attribute.name.text.as_str()) && can_be_given(attribute),
            // What a new item lacks, the operation may add beside the spread.
            InputKind::New | InputKind::Patch => false,
        };
        let missing = entity.attributes.iter().filter(needed);
        let missing: Vec<&Name> =
            missing.map(|each| &each.name).filter(|name| fields.get(&name.text).is_none()).collect();
        self.missing_parts(&missing, fields, span);
    }

    fn unknown_part(&mut self, what: &str, name: &Name, attributes: &[Attribute], wanted: &Wanted<'a>) {
        let near = nearest(&name.text, attributes.iter().map(|each| each.name.text.as_str()));
        let problem = UNKNOWN.at(name.span, format!("there is no {what} called `{name}`"));
        let problem = did_you_mean(problem, name.span, near);
        self.push(wanted.show(problem));
    }

    fn missing_parts(&mut self, missing: &[&Name], fields: &Fields, span: Span) {
        if missing.is_empty() || !fields.spreads.is_empty() {
            return;
        }
        let names: Vec<&str> = missing.iter().map(|name| name.text.as_str()).collect();
        let mut problem = ABSENT.at(span, format!("`{}` is missing", names.join("`, `")));
        for name in missing {
            problem = problem.also(name.span, "always there");
        }
        self.push(problem);
    }
}

/// A time stored in what is declared as a number or as text: legal, though nothing says in which form (rules of their
/// own ask for it).
fn is_bare_time(declared: &Type, given: &Ty<'_>) -> bool {
    matches!(declared, Type::Int { .. } | Type::String { .. }) && given.kind() == Kind::Time
}
