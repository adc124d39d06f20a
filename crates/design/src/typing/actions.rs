//! Requests on items: the key, the condition, and every field against its attribute.

use super::names::content;
use super::{Ty, Typing, Wanted};
use crate::facts::{key_attributes, must_be_given, settles};
use crate::model::*;
use crate::problems::{ABSENT, ARGUMENT, MISMATCH, NOT_SETTABLE};
use sortkey_diagnostics::Span;

impl<'a> Typing<'a, '_> {
    /// An action; gives the item.
    pub(super) fn action(&mut self, action: &'a Action) -> Ty<'a> {
        let Some(entity) = self.design.entity(&action.entity.text) else {
            let known = self.design.entities.iter().map(|each| each.name.text.as_str());
            self.unknown("entity", &action.entity.text, action.entity.span, known);
            return Ty::Unknown;
        };
        if let Some(when) = &action.when {
            self.condition(when);
        }
        let known = action.key.as_ref().map(|args| self.key(action, entity, args)).unwrap_or_default();
        if let Some(condition) = &action.condition {
            self.with_item(entity, |typing| typing.condition(condition));
        }
        self.with_item(entity, |typing| typing.fields(action, entity));
        if matches!(action.verb, WriteVerb::Create | WriteVerb::Put | WriteVerb::Upsert) {
            self.complete(action, entity, &known);
        }
        if action.verb.writes() && !matches!(action.verb, WriteVerb::Delete | WriteVerb::Purge) {
            self.followed(action, entity);
        }
        Ty::Item(entity)
    }

    fn key(&mut self, action: &'a Action, entity: &'a Entity, args: &'a Args) -> Vec<&'a str> {
        let known = self.key_values(entity, args);
        args.spreads.iter().for_each(|spread| drop(self.spread(spread)));
        let keys = key_attributes(self.design, entity);
        for (name, value) in &args.values {
            let given = name.as_ref().map_or(value.as_name(), |name| Some(name.text.as_str()));
            let Some(attribute) = given.and_then(|given| entity.attribute(given)) else {
                continue;
            };
            let name = attribute.name.text.as_str();
            // An input of a derived key attribute gives the key as well: `RefreshToken(token)`.
            let gives = |key: &&str| !settles(entity, &[], key) && depends(entity, key, name);
            if !keys.contains(&name) && !keys.iter().any(gives) {
                let title = format!("`{name}` is not part of the key of `{}`", entity.name);
                let problem = ARGUMENT.at(value.span, title).also(attribute.name.span, "declared here");
                let note = match action.verb {
                    WriteVerb::Get => "Only a pattern reads by other attributes.",
                    _ => "A condition on another attribute is written with `if`.",
                };
                self.push(problem.note(format!("The key is `{}`. {note}", keys.join("`, `"))));
            }
        }
        known
    }

    fn fields(&mut self, action: &'a Action, entity: &'a Entity) {
        let fields = &action.fields;
        if !fields.fields.is_empty()
            && matches!(action.verb, WriteVerb::Delete | WriteVerb::Purge | WriteVerb::Check | WriteVerb::Get)
        {
            let title = format!("`{}` writes no attributes", action.verb.as_str());
            self.push(NOT_SETTABLE.at(fields.span, title));
            return;
        }
        fields.spreads.iter().for_each(|spread| drop(self.spread(spread)));
        for field in &fields.fields {
            self.field(action, entity, field);
        }
    }

    fn field(&mut self, action: &Action, entity: &'a Entity, field: &'a Field) {
        let Some(name) = field.path.first() else { return };
        let Some(attribute) = entity.attribute(&name.text) else {
            match entity.template(&name.text) {
                Some(template) => {
                    let title = format!("`{name}` is computed from a template and never given");
                    self.push(NOT_SETTABLE.at(name.span, title).also(template.span, "the template"));
                }
                None => {
                    let known = entity.attributes.iter().map(|each| each.name.text.as_str());
                    self.unknown(&format!("attribute of `{}`", entity.name), &name.text, name.span, known);
                }
            }
            return;
        };
        self.settable(action, entity, attribute, name.span);
        self.written(field, attribute);
    }

    pub(super) fn settable(&mut self, action: &Action, entity: &Entity, attribute: &Attribute, span: Span) {
        let changes = matches!(action.verb, WriteVerb::Update | WriteVerb::Upsert);
        let key = key_attributes(self.design, entity).contains(&attribute.name.text.as_str());
        let (why, note) = if attribute.is_derived() {
            ("is derived and never given", "What `:=` says is always its value.")
        } else if attribute.has("virtual") {
            ("is computed when it is read", "")
        } else if changes && key {
            ("is part of the key and cannot change", "Delete the item and create another, in one `transact`.")
        } else if matches!(action.verb, WriteVerb::Update) && attribute.has("immutable") {
            ("is immutable", "It gets its value when the item is created.")
        } else {
            return;
        };
        let problem = NOT_SETTABLE.at(span, format!("`{}` {why}", attribute.name));
        let problem = problem.also(attribute.span, "declared here");
        self.push(if note.is_empty() { problem } else { problem.note(note) });
    }

    /// What a field writes against the attribute, or the part of it, that the path names.
    fn written(&mut self, field: &'a Field, attribute: &'a Attribute) {
        let design = self.design;
        let mut wanted = Wanted::attribute(design, attribute);
        let mut ty = Ty::of(wanted.ty);
        for name in field.path.iter().skip(1) {
            let optional = may_lack(design, wanted.ty, name);
            ty = self.member(ty, name);
            wanted = match ty {
                Ty::Is(ty) if optional => wanted.element(ty),
                Ty::Is(ty) => wanted.part(ty),
                _ => return drop(self.infer(&field.value, None)),
            };
        }
        if let Some(index) = &field.index {
            self.infer(index, None);
            let of = match ty {
                Ty::Is(Type::Map { of, .. } | Type::List { of, .. }) => of,
                Ty::Unknown => return drop(self.infer(&field.value, None)),
                other => {
                    let title = format!("{} has no elements", other.named());
                    self.push(MISMATCH.at(index.span, title).label("only a map or a list has"));
                    return;
                }
            };
            wanted = wanted.element(of);
        }
        if let Some(name) = bare(field) {
            self.shorthand(name, field.span, &wanted);
            return;
        }
        match field.op {
            FieldOp::Set => self.want(&field.value, &wanted),
            FieldOp::Add | FieldOp::Subtract => self.moved(field, &wanted),
        }
    }

    /// `{ status }` stands for `status: status`, and the second one is a parameter or a `let`.
    fn shorthand(&mut self, name: &'a str, span: Span, wanted: &Wanted<'a>) {
        let Some(local) = self.scope.local(name) else {
            let known: Vec<&str> = self.scope.locals.iter().map(|local| local.name).collect();
            self.unknown("parameter or `let`", name, span, known.into_iter());
            return;
        };
        let (ty, place) = (local.ty.clone(), local.span);
        if !super::ty::fits(wanted.ty, &ty) {
            let before = self.problems.len();
            self.mismatch(&ty, span, wanted);
            if let Some(last) = self.problems.get_mut(before) {
                *last = last.clone().also(place, format!("`{name}` is {}", ty.describe()));
            }
        }
    }

    /// `+=` and `-=` move a number, or add to and take from a list or a set.
    fn moved(&mut self, field: &'a Field, wanted: &Wanted<'a>) {
        match wanted.ty {
            Type::Int { .. } | Type::Decimal { .. } => {
                let ty = self.infer(&field.value, None);
                if !super::ty::fits(wanted.ty, &ty) {
                    self.mismatch(&ty, field.value.span, wanted);
                }
            }
            Type::List { .. } | Type::Set { .. } => self.want(&field.value, wanted),
            Type::Any { .. } | Type::Undeclared => drop(self.infer(&field.value, None)),
            other => {
                let title = format!("{} cannot be counted up or down", super::ty::article(&other.describe()));
                let problem = MISMATCH.at(field.span, title);
                self.push(wanted.show(problem.note("`+=` and `-=` need a number, a list or a set.")));
            }
        }
    }

    /// `...x` copies the attributes of an item or a record. What it holds.
    fn spread(&mut self, name: &'a Name) -> Ty<'a> {
        let Some(local) = self.scope.local(&name.text) else {
            let known: Vec<&str> = self.scope.locals.iter().map(|local| local.name).collect();
            self.unknown("parameter or `let`", &name.text, name.span, known.into_iter());
            return Ty::Unknown;
        };
        let (ty, place) = (local.ty.clone(), local.span);
        if !matches!(ty.kind(), super::ty::Kind::Record | super::ty::Kind::Any) {
            let title = format!("`...` copies the attributes of an item; `{name}` is {}", ty.named());
            self.push(MISMATCH.at(name.span, title).also(place, "declared here"));
            return Ty::Unknown;
        }
        ty
    }

    /// A new item has every attribute that must be there.
    fn complete(&mut self, action: &'a Action, entity: &'a Entity, known: &[&str]) {
        if takes_everything(action) {
            return;
        }
        let mut given: Vec<&str> = known.to_vec();
        given.extend(action.fields.fields.iter().filter_map(|field| Some(field.path.first()?.text.as_str())));
        let key_spreads = action.key.iter().flat_map(|args| &args.spreads);
        for spread in action.fields.spreads.iter().chain(key_spreads) {
            match self.scope.local(&spread.text).map(|local| local.ty.clone()) {
                Some(Ty::Item(other)) => {
                    let there = other.attributes.iter().filter(|each| !each.may_be_absent());
                    given.extend(there.map(|each| each.name.text.as_str()));
                }
                Some(Ty::Is(Type::Input { of: InputKind::Key, entity: other })) => {
                    let other = self.design.entity(other);
                    given.extend(other.map(|other| key_attributes(self.design, other)).unwrap_or_default());
                }
                Some(Ty::Is(Type::Input { of: InputKind::New, entity: other })) => {
                    let other = self.design.entity(other).into_iter().flat_map(|other| &other.attributes);
                    given
                        .extend(other.filter(|each| must_be_given(each)).map(|each| each.name.text.as_str()));
                }
                // What it holds is not known to be too little.
                _ => return,
            }
        }
        let settled = |attribute: &Attribute| {
            !self.scope.system && entity.tenant.as_ref().is_some_and(|tenant| *tenant == attribute.name)
        };
        let missing: Vec<&Attribute> = entity
            .attributes
            .iter()
            .filter(|each| must_be_given(each) && !settled(each) && !given.contains(&each.name.text.as_str()))
            .collect();
        if missing.is_empty() {
            return;
        }
        let names: Vec<&str> = missing.iter().map(|each| each.name.text.as_str()).collect();
        let title = format!("a new `{}` needs `{}`", entity.name, names.join("`, `"));
        let mut problem = ABSENT.at(action.verb_span.to(action.entity.span), title);
        for attribute in missing {
            problem = problem.also(attribute.name.span, "always there, filled by nothing");
        }
        self.push(problem.note("Give it, mark it with `?`, or say what fills it."));
    }

    /// What fills the attributes that are not given may follow references; the items must be in hand.
    fn followed(&mut self, action: &'a Action, entity: &'a Entity) {
        if !self.scope.reads_shown {
            return;
        }
        let fresh = matches!(action.verb, WriteVerb::Create | WriteVerb::Put | WriteVerb::Upsert);
        for attribute in &entity.attributes {
            let Some(fill) = &attribute.value else { continue };
            let given = action.fields.get(&attribute.name.text).is_some();
            if given || (!fill.derived && !fresh) {
                continue;
            }
            let mut needed = Vec::new();
            fill.value.walk(&mut |expr| {
                if let ExprKind::Arrow { base, .. } = &expr.kind {
                    needed.extend(base.as_name().and_then(|name| entity.attribute(name)));
                }
            });
            for reference in needed {
                let inputs = match action.fields.get(&reference.name.text) {
                    Some(_) => true,
                    None => fresh && !stays_absent(action, reference),
                };
                let target =
                    reference.reference.as_ref().and_then(|each| self.design.entity(&each.entity.text));
                if let Some(target) = target.filter(|target| inputs && !self.scope.has_read(target)) {
                    self.unread(target, reference, action.verb_span.to(action.entity.span));
                    if let Some(last) = self.problems.last_mut() {
                        *last = last
                            .clone()
                            .also(fill.value.span, format!("`{}` is filled from it", attribute.name));
                    }
                    return;
                }
            }
        }
    }
}

/// The short form takes everything as parameters.
fn takes_everything(action: &Action) -> bool {
    action.span == action.verb_span.to(action.entity.span) && action.fields.span == Span::default()
}

/// Whether a new item certainly lacks an attribute that its fields do not name: nothing else gives it.
fn stays_absent(action: &Action, attribute: &Attribute) -> bool {
    let spread = action.fields.spreads.iter().chain(action.key.iter().flat_map(|args| &args.spreads));
    attribute.may_be_absent() && attribute.value.is_none() && !takes_everything(action) && spread.count() == 0
}

/// Whether a derived attribute is made from another.
fn depends(entity: &Entity, attribute: &str, input: &str) -> bool {
    // A chain of derivations is at most as long as the list of attributes.
    let mut open = vec![attribute];
    for _ in 0..=entity.attributes.len() {
        let Some(name) = open.pop() else { return false };
        if name == input {
            return true;
        }
        let fill = entity.attribute(name).and_then(|each| each.value.as_ref()).filter(|fill| fill.derived);
        open.extend(fill.map(|fill| fill.value.names()).unwrap_or_default());
    }
    false
}

/// Whether an object may be without one of its parts.
fn may_lack(design: &Design, ty: &Type, name: &Name) -> bool {
    let attributes = match content(ty) {
        Type::Object { attributes } => attributes.as_slice(),
        Type::Record { name } => design.record(name).map_or(&[][..], |record| &record.attributes),
        _ => &[],
    };
    attributes.iter().any(|attribute| attribute.name == *name && attribute.may_be_absent())
}

/// The name of a field that stands for itself.
fn bare(field: &Field) -> Option<&str> {
    field.value.as_name().filter(|_| field.value.span == field.span && field.path.len() == 1)
}
