//! What a name, a part of something or a reference stands for.

use super::scope::BUILT_IN;
use super::{Ty, Typing, did_you_mean};
use crate::facts::{can_be_given, key_attributes};
use crate::model::*;
use crate::problems::{MISMATCH, UNKNOWN, UNREAD, nearest};
use sortkey_diagnostics::{Fix, Span};

impl<'a> Typing<'a, '_> {
    /// A bare name: a parameter or `let`, else a word of the enum that is wanted, else an attribute of the item.
    pub(super) fn name(&mut self, name: &'a str, span: Span, wanted: Option<&'a Type>) -> Ty<'a> {
        if let Some(local) = self.scope.local(name) {
            return local.ty.clone();
        }
        if let Some(ty @ Type::Enum { members, .. }) = wanted.map(content)
            && members.iter().any(|member| member == name)
        {
            return Ty::Is(ty);
        }
        if let Some(attribute) = self.scope.attribute(name) {
            return Ty::of(self.design.type_of(attribute));
        }
        let entity = self.scope.item.and_then(|item| item.entity);
        if entity.is_some_and(|entity| entity.template(name).is_some()) {
            return Ty::Text;
        }
        match name {
            "now" => Ty::Time,
            "true" | "false" => Ty::Bool,
            "absent" | "null" => Ty::Nothing,
            "new" | "all" => Ty::Unknown,
            "it" => entity.map_or(Ty::Unknown, Ty::Item),
            "caller" => self.caller(span),
            _ => match self.design.parameters.iter().find(|parameter| parameter.name.is(name)) {
                Some(parameter) => Ty::of(&parameter.ty),
                None => self.word(name, span, wanted),
            },
        }
    }

    fn caller(&mut self, span: Span) -> Ty<'a> {
        if self.scope.system {
            let problem = UNKNOWN.at(span, "a `system` declaration has no caller");
            self.push(problem.label("nobody calls").note("Pass what it needs as a parameter."));
            return Ty::Unknown;
        }
        Ty::Caller
    }

    /// A name that is nothing else is a word of an enum, or a mistake.
    fn word(&mut self, name: &'a str, span: Span, wanted: Option<&'a Type>) -> Ty<'a> {
        match wanted.map(content) {
            Some(Type::Enum { open: true, .. }) => {}
            Some(ty @ Type::Enum { members, .. }) => {
                let near = nearest(name, members.iter().map(String::as_str));
                let problem = MISMATCH.at(span, format!("`{name}` is not one of `{}`", ty.describe()));
                let problem = did_you_mean(problem, span, near);
                self.push(problem.note(format!("The words are `{}`.", members.join("`, `"))));
            }
            Some(ty) if self.words.contains(name) && !is_open(ty) => {
                let title = format!("`{name}` is a word of an enum, but {} is wanted", ty.describe());
                let mut problem = MISMATCH.at(span, title);
                if matches!(ty, Type::String { .. }) {
                    let text = format!("\"{name}\"");
                    problem = problem.fix(Fix::new(format!("write {text}"), span, text));
                }
                self.push(problem);
            }
            _ if self.words.contains(name) => {}
            _ => self.unknown_name(name, span),
        }
        Ty::Unknown
    }

    fn unknown_name(&mut self, name: &str, span: Span) {
        let locals = self.scope.locals.iter().map(|local| local.name);
        let attributes =
            self.scope.item.iter().flat_map(|item| item.attributes).map(|each| each.name.text.as_str());
        let known: Vec<&str> =
            locals.chain(attributes).chain(BUILT_IN).chain(self.words.iter().copied()).collect();
        self.unknown("attribute, parameter or word", name, span, known.into_iter());
    }

    /// `base.name`
    pub(super) fn member(&mut self, base: Ty<'a>, name: &'a Name) -> Ty<'a> {
        match base {
            Ty::Unknown | Ty::Nothing | Ty::Map => Ty::Unknown,
            Ty::Item(entity) => self.attribute_of(entity, name),
            Ty::Caller => {
                let design = self.design;
                self.part("part of the caller", &design.caller, name)
            }
            Ty::List(of) => Ty::List(Box::new(self.member(*of, name))),
            Ty::Is(Type::List { of, .. }) => Ty::List(Box::new(self.member(Ty::of(of), name))),
            Ty::Is(Type::Object { attributes }) => self.part("attribute", attributes, name),
            Ty::Is(Type::Record { name: record }) => match self.design.record(record) {
                Some(record) => {
                    self.part(&format!("attribute of `{}`", record.name), &record.attributes, name)
                }
                None => Ty::Unknown,
            },
            Ty::Is(Type::Map { of, .. }) => Ty::of(of),
            Ty::Is(Type::Input { of, entity }) => match self.design.entity(entity) {
                Some(entity) => self.input_part(*of, entity, name),
                None => Ty::Unknown,
            },
            Ty::Is(Type::Enum { name: Some(declared), .. }) => self.constant(declared, name),
            other => {
                let title = format!("{} has no part called `{name}`", other.named());
                self.push(MISMATCH.at(name.span, title));
                Ty::Unknown
            }
        }
    }

    fn part(&mut self, what: &str, attributes: &'a [Attribute], name: &Name) -> Ty<'a> {
        if let Some(attribute) = attributes.iter().find(|attribute| attribute.name == *name) {
            return Ty::of(self.design.type_of(attribute));
        }
        self.unknown(what, &name.text, name.span, attributes.iter().map(|each| each.name.text.as_str()));
        Ty::Unknown
    }

    pub(super) fn attribute_of(&mut self, entity: &'a Entity, name: &Name) -> Ty<'a> {
        if entity.template(&name.text).is_some() && entity.attribute(&name.text).is_none() {
            return Ty::Text;
        }
        self.part(&format!("attribute of `{}`", entity.name), &entity.attributes, name)
    }

    /// A part of `new(E)`, `patch(E)` or `key(E)`.
    fn input_part(&mut self, kind: InputKind, entity: &'a Entity, name: &Name) -> Ty<'a> {
        let ty = self.attribute_of(entity, name);
        let Some(attribute) = entity.attribute(&name.text) else {
            return ty;
        };
        let (there, what) = match kind {
            InputKind::Key => (key_attributes(self.design, entity).contains(&name.text.as_str()), "key"),
            InputKind::New => (can_be_given(attribute), "new"),
            InputKind::Patch => (can_be_given(attribute), "patch"),
        };
        if !there {
            let title = format!("`{what}({})` does not hold `{name}`", entity.name);
            let problem = UNKNOWN.at(name.span, title).also(attribute.name.span, "declared here");
            self.push(match kind {
                InputKind::Key => problem.note(
                    "A key holds the attributes of the table's key and nothing else: read the item first.",
                ),
                _ => problem.note("A derived attribute is never given."),
            });
        }
        ty
    }

    /// `plan.retention`: a constant that the members of an enum carry.
    fn constant(&mut self, declared: &str, name: &Name) -> Ty<'a> {
        let Some(each) = self.design.enumeration(declared) else {
            return Ty::Unknown;
        };
        let constants = || each.members.iter().flat_map(|member| &member.constants);
        let Some((_, value)) = constants().find(|(constant, _)| constant == name) else {
            let known: Vec<&str> = constants().map(|(constant, _)| constant.text.as_str()).collect();
            self.unknown(&format!("constant of `{declared}`"), &name.text, name.span, known.into_iter());
            return Ty::Unknown;
        };
        if let Some(without) =
            each.members.iter().find(|member| member.constants.iter().all(|(it, _)| it != name))
        {
            let title = format!("`{}` has no `{name}`", without.name);
            let problem = UNKNOWN.at(name.span, title).also(without.name.span, "this member carries none");
            self.push(problem);
        }
        self.infer(value, None)
    }

    /// `userId->plan`: an attribute of the item that a reference points to.
    pub(super) fn arrow(&mut self, base: &'a Expr, name: &'a Name, span: Span) -> Ty<'a> {
        let Some(attribute) = self.reference_of(base) else {
            self.infer(base, None);
            return Ty::Unknown;
        };
        let Some(reference) = &attribute.reference else {
            let title = format!("`{}` refers to nothing that `->` could follow", attribute.name);
            let problem = MISMATCH.at(base.span, title).also(attribute.span, "declared without `->`");
            self.push(problem);
            return Ty::Unknown;
        };
        let Some(entity) = self.design.entity(&reference.entity.text) else {
            return Ty::Unknown;
        };
        if self.scope.reads_shown && !self.scope.has_read(entity) {
            self.unread(entity, attribute, span);
        }
        self.attribute_of(entity, name)
    }

    /// An item that is needed and was not read: a request that the text would hide.
    pub(super) fn unread(&mut self, entity: &Entity, reference: &Attribute, span: Span) {
        let title =
            format!("the `{}` that `{}` points to has not been read here", entity.name, reference.name);
        let keys = key_attributes(self.design, entity).into_iter().map(|key| format!("{key}: ..."));
        let key = keys.collect::<Vec<_>>().join(", ");
        let lower = entity.name.text.to_lowercase();
        self.push(
            UNREAD
                .at(span, title)
                .label("`->` never reads by itself")
                .also(reference.span, "the reference")
                .note(format!("Read it first: `let {lower} = get {}({key}) else NotFound`.", entity.name)),
        );
    }

    /// The attribute whose reference an expression carries.
    fn reference_of(&self, base: &'a Expr) -> Option<&'a Attribute> {
        match &base.kind {
            ExprKind::Name { name } => match self.scope.local(name) {
                Some(local) => local.attribute,
                None => self.scope.attribute(name),
            },
            ExprKind::Member { base, name } => {
                let ExprKind::Name { name: owner } = &base.kind else {
                    return None;
                };
                let ty = self.scope.local(owner).map(|local| local.ty.clone());
                let entity = match ty {
                    Some(Ty::Item(entity)) => Some(entity),
                    Some(Ty::Is(Type::Input { entity, .. })) => self.design.entity(entity),
                    None if owner == "it" => self.scope.item.and_then(|item| item.entity),
                    None if owner == "caller" => {
                        return self.design.caller.iter().find(|each| each.name == *name);
                    }
                    _ => None,
                };
                entity?.attribute(&name.text)
            }
            _ => None,
        }
    }
}

/// JSON text is written as what it holds.
pub(super) fn content(ty: &Type) -> &Type {
    let mut ty = ty;
    while let Type::Json { of } = ty {
        ty = of;
    }
    ty
}

fn is_open(ty: &Type) -> bool {
    matches!(ty, Type::Undeclared | Type::Any { .. })
}
