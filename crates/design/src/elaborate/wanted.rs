//! Checks an expression against a declared type.

use std::sync::Arc;

use sortkey_diagnostics::{Diagnostic, Span};

use super::{Elaboration, did_you_mean, typed};
use crate::facts::is_time_name;
use crate::model::{self, InputKind};
use crate::problems::{ABSENT, MISMATCH, UNKNOWN, nearest};
use crate::program::ty::{article, fits};
use crate::program::{
    Attribute, EntityId, Expr, ExprKind, Id, Kind, Normalize, ObjectId, Parameter, Program, Ty, Type,
};

/// The requirements of a position on its value.
#[derive(Clone, Debug)]
pub(super) struct Wanted {
    pub(super) ty: Arc<Type>,
    /// The declaration that requires it: its place, and a label for messages.
    place: Option<(Span, String)>,
    /// Whether the value may be absent.
    optional: bool,
    /// Whether a value is refused if it turns out to be absent.
    strict: bool,
    /// Whether it is a time by its name, declared as a bare number or text.
    time_by_name: bool,
    /// Whether it is the argument of a call.
    pub(super) is_argument: bool,
    /// The normalisation of text before it is checked.
    pub(super) normalize: Vec<Normalize>,
}

impl Wanted {
    /// The value of an attribute.
    pub(super) fn attribute(program: &Program, attribute: &Attribute, place: Span) -> Wanted {
        let said = format!("`{}` is declared {}", attribute.name, attribute.ty.describe(program));
        Wanted {
            ty: Arc::clone(&attribute.ty),
            place: Some((place, said)),
            optional: attribute.may_be_absent(),
            strict: attribute.fill.is_none(),
            time_by_name: is_time_name(&attribute.name),
            is_argument: false,
            normalize: attribute.normalize.clone(),
        }
    }

    /// The value of a parameter.
    pub(super) fn parameter(program: &Program, parameter: &Parameter) -> Wanted {
        let said = format!("`{}` is {}", parameter.name, parameter.ty.describe(program));
        let normalize = match parameter.attribute {
            Some((entity, id)) => program.entities[entity].attributes[id].normalize.clone(),
            None => Vec::new(),
        };
        Wanted {
            ty: Arc::clone(&parameter.ty),
            place: Some((parameter.span, said)),
            optional: parameter.optional,
            strict: true,
            time_by_name: is_time_name(&parameter.name),
            is_argument: true,
            normalize,
        }
    }

    /// The other side of a comparison.
    pub(super) fn compared(program: &Program, ty: &Arc<Type>, place: Span) -> Wanted {
        Wanted {
            ty: Arc::clone(ty),
            place: Some((place, format!("this is {}", ty.describe(program)))),
            optional: true,
            strict: false,
            time_by_name: false,
            is_argument: false,
            normalize: Vec::new(),
        }
    }

    /// Adds normalisation before text is checked.
    pub(super) fn normalized(self, steps: &[Normalize]) -> Wanted {
        Wanted { normalize: steps.to_vec(), ..self }
    }

    /// The requirements on the result of an effect.
    pub(super) fn result(program: &Program, ty: &Arc<Type>, place: Span) -> Wanted {
        Wanted { optional: false, ..Wanted::compared(program, ty, place) }
    }

    /// Whether the value may be absent.
    pub(super) fn is_optional(&self) -> bool {
        self.optional
    }

    /// The requirements on a part of the value.
    pub(super) fn part(&self, ty: &Arc<Type>) -> Wanted {
        Wanted {
            ty: Arc::clone(ty),
            place: self.place.clone(),
            optional: false,
            strict: true,
            time_by_name: false,
            is_argument: false,
            normalize: Vec::new(),
        }
    }

    /// The requirements on an element of the value, which may be removed again.
    pub(super) fn element(&self, ty: &Arc<Type>) -> Wanted {
        Wanted { optional: true, ..self.part(ty) }
    }

    /// Refuses a value that turns out to be absent, whatever fills the attribute otherwise.
    pub(super) fn strictly(self) -> Wanted {
        Wanted { strict: true, ..self }
    }

    /// Accepts a value that turns out to be absent: it is left out, or reported elsewhere.
    pub(super) fn leniently(self) -> Wanted {
        Wanted { strict: false, ..self }
    }

    /// Allows an absent value.
    pub(super) fn allow_absent(&mut self) {
        self.optional = true;
    }

    /// Requires a value.
    pub(super) fn forbid_absent(&mut self) {
        self.optional = false;
    }

    /// Adds the declaration to a diagnostic.
    pub(super) fn show(&self, problem: Diagnostic) -> Diagnostic {
        match &self.place {
            Some((span, said)) => problem.also(*span, said.clone()),
            None => problem,
        }
    }
}

impl<'a> Elaboration<'a, '_> {
    /// The requirements of an attribute of an entity.
    pub(super) fn wanted_of(&self, entity: EntityId, name: &str) -> Option<Wanted> {
        let attributes = &self.declaring.entities[entity].attributes;
        let id = attributes.find(name)?;
        let place = self.declaring.design.entities[entity.at()].attributes[id.at()].type_place();
        Some(Wanted::attribute(self.declaring, &attributes[id], place))
    }

    /// Checks an expression against the requirements of its position.
    pub(super) fn want(&mut self, expr: &'a model::Expr, wanted: &Wanted) -> Expr {
        let span = expr.span;
        let ty = Arc::clone(&wanted.ty);
        match (&expr.kind, ty.content()) {
            (model::ExprKind::List { elements }, Type::List { of, max } | Type::Set { of, max }) => {
                let part = wanted.part(of).leniently();
                let list = elements.iter().map(|element| self.want(element, &part)).collect();
                let count = elements.len() as u64;
                if let Some(max) = max.filter(|max| count > *max) {
                    let title = format!("{count} elements where at most {max} are allowed");
                    self.push(wanted.show(MISMATCH.at(span, title)));
                }
                typed(ExprKind::List(list), Ty::of(&ty), span)
            }
            (model::ExprKind::Choose { arms, otherwise }, _) => {
                self.choose_wanted(arms, otherwise.as_deref(), wanted, span)
            }
            (model::ExprKind::Object { fields }, content) => self.object(fields, span, content, wanted),
            (model::ExprKind::Text { value }, _) => self.text_literal(value, span, wanted),
            (model::ExprKind::Number { digits, unit }, _) => {
                self.number_literal(digits, unit, false, expr, wanted)
            }
            (model::ExprKind::Negative { operand }, _) => match &operand.kind {
                model::ExprKind::Number { digits, unit } => {
                    self.number_literal(digits, unit, true, expr, wanted)
                }
                _ => self.want_inferred(expr, wanted),
            },
            _ => self.want_inferred(expr, wanted),
        }
    }

    fn want_inferred(&mut self, expr: &'a model::Expr, wanted: &Wanted) -> Expr {
        let found = self.infer(expr, Some(&wanted.ty));
        if matches!(found.ty, Ty::Nothing) && !wanted.optional {
            let problem = ABSENT.at(expr.span, "this must always be there").label("cannot be removed");
            self.push(wanted.show(problem));
        } else if !(self.fits(&wanted.ty, &found.ty)
            || wanted.time_by_name && is_bare_time(&wanted.ty, &found.ty))
        {
            self.mismatch(&found.ty, expr.span, wanted);
        } else if wanted.strict && !wanted.optional {
            self.must_be_there(&found, wanted);
        }
        found
    }

    /// Whether a value can be stored as a declared type. Objects of two designs are compared by name.
    pub(super) fn fits(&self, target: &Type, given: &Ty) -> bool {
        if let (Type::Object(wanted), Some(Type::Object(found))) = (target, given.declared())
            && !std::ptr::eq(self.program, self.declaring)
        {
            return self.declaring.objects[*wanted].name == self.program.objects[*found].name;
        }
        fits(target, given)
    }

    pub(super) fn mismatch(&mut self, given: &Ty, span: Span, wanted: &Wanted) {
        let (what, named) = (wanted.ty.describe(self.declaring), self.named(given));
        let title = format!("{} is wanted, not {named}", article(&what));
        let mut problem = wanted.show(MISMATCH.at(span, title).label(named));
        if let (Type::Enum(words), Some(Type::Enum(others))) = (wanted.ty.content(), given.declared()) {
            let strange: Vec<&str> =
                others.words.iter().filter(|word| !words.has(word)).map(|word| &**word).collect();
            problem = problem.note(format!("It has no `{}`.", strange.join("`, `")));
        }
        self.push(problem);
    }

    /// A map written in place.
    fn object(&mut self, fields: &'a model::Fields, span: Span, ty: &Type, wanted: &Wanted) -> Expr {
        let members = match ty {
            Type::Object(id) => self.record(fields, span, *id, wanted),
            Type::Map { of, .. } => {
                let part = wanted.part(of).leniently();
                fields.fields.iter().map(|field| (field, self.want(&field.value, &part))).collect()
            }
            Type::Input { of, entity } => self.input(*of, fields, span, *entity),
            Type::Any { .. } | Type::Unknown => {
                fields.fields.iter().map(|field| (field, self.infer(&field.value, None))).collect()
            }
            _ => {
                self.mismatch(&Ty::Map, span, wanted);
                Vec::new()
            }
        };
        let name = |field: &model::Field| field.path.first().map(|name| Arc::from(name.text.as_str()));
        let members: Vec<(&model::Field, Expr)> = members;
        let members = members.into_iter().filter_map(|(field, value)| Some((name(field)?, value))).collect();
        let spreads = fields.spreads.iter().filter_map(|name| self.spread(name)).map(|(id, _)| id).collect();
        typed(ExprKind::Object { spreads, members }, Ty::Map, span)
    }

    fn record(
        &mut self,
        fields: &'a model::Fields,
        span: Span,
        object: ObjectId,
        wanted: &Wanted,
    ) -> Vec<(&'a model::Field, Expr)> {
        let program = self.declaring;
        let attributes = &program.objects[object].attributes;
        let mut members = Vec::new();
        for field in &fields.fields {
            let Some(name) = field.path.first() else { continue };
            match attributes.find(&name.text) {
                Some(id) => {
                    let part = Wanted::attribute(program, &attributes[id], attributes[id].span);
                    members.push((field, self.want(&field.value, &part)));
                }
                None => {
                    let near = nearest(&name.text, attributes.iter().map(|each| &*each.name));
                    let problem = UNKNOWN.at(name.span, format!("there is no attribute called `{name}`"));
                    let problem = did_you_mean(problem, name.span, near);
                    self.push(wanted.show(problem));
                }
            }
        }
        let lacking =
            attributes.iter().filter(|each| each.must_be_given() && fields.get(&each.name).is_none());
        let lacking: Vec<(&str, Span)> = lacking.map(|each| (&*each.name, each.span)).collect();
        self.missing_parts(&lacking, fields, span);
        members
    }

    /// An object where `new(E)`, `patch(E)` or `key(E)` is wanted.
    fn input(
        &mut self,
        kind: InputKind,
        fields: &'a model::Fields,
        span: Span,
        entity: EntityId,
    ) -> Vec<(&'a model::Field, Expr)> {
        let mut members = Vec::new();
        for field in &fields.fields {
            let Some(name) = field.path.first() else { continue };
            match self.wanted_of(entity, &name.text) {
                Some(wanted) if kind == InputKind::Key => {
                    members.push((field, self.want(&field.value, &wanted)));
                }
                Some(wanted) => members.push((field, self.want(&field.value, &wanted.leniently()))),
                None => self.unknown_attribute(entity, name),
            }
        }
        // Attributes that a new item lacks may be added by the operation, next to the spread.
        if kind == InputKind::Key {
            let of = &self.declaring.entities[entity];
            let keys = of.key_attributes.iter().map(|key| &of.attributes[*key]);
            let lacking = keys.filter(|each| each.can_be_given() && fields.get(&each.name).is_none());
            let lacking: Vec<(&str, Span)> = lacking.map(|each| (&*each.name, each.span)).collect();
            self.missing_parts(&lacking, fields, span);
        }
        members
    }

    fn missing_parts(&mut self, missing: &[(&str, Span)], fields: &model::Fields, span: Span) {
        if missing.is_empty() || !fields.spreads.is_empty() {
            return;
        }
        let names: Vec<&str> = missing.iter().map(|(name, _)| *name).collect();
        let mut problem = ABSENT.at(span, format!("`{}` is missing", names.join("`, `")));
        for (_, place) in missing {
            problem = problem.also(*place, "always there");
        }
        self.push(problem);
    }
}

/// A time stored as a plain number or text: legal, though nothing declares its form (lints ask for it).
fn is_bare_time(declared: &Type, given: &Ty) -> bool {
    matches!(declared, Type::Int { .. } | Type::String { .. }) && given.kind() == Kind::Time
}
