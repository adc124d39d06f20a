//! The meaning of names, of members and of references.

use std::sync::Arc;

use sortkey_diagnostics::{Fix, Span};

use super::scope::{BUILT_IN, ItemScope};
use super::{Elaboration, did_you_mean, missing, typed};
use crate::facts::can_be_given;
use crate::model;
use crate::model::InputKind;
use crate::problems::{MISMATCH, UNKNOWN, UNREAD, nearest};
use crate::program::{Attribute, EntityId, EnumId, Expr, ExprKind, Id, Reference, SettingId, Ty, Type};

/// The attribute that an expression carries: its name, what it points to, and where it is declared.
struct Carried {
    name: Arc<str>,
    reference: Option<Reference>,
    span: Span,
}

impl<'a> Elaboration<'a, '_> {
    /// A bare name: a parameter or `let`, else a word of the enum that is wanted, else an attribute of the item.
    pub(super) fn name(&mut self, name: &'a str, span: Span, wanted: Option<&Type>) -> Expr {
        if let Some(local) = self.scope.local(name) {
            return typed(ExprKind::Local(local.id), local.ty.clone(), span);
        }
        if let Some(ty @ Type::Enum(words)) = wanted.map(Type::content)
            && let Some(word) = words.words.iter().find(|word| ***word == *name)
        {
            return typed(ExprKind::Word(word.clone()), Ty::Is(Arc::new(ty.clone())), span);
        }
        if let Some(expr) = self.attribute_or_template(name, span) {
            return expr;
        }
        let (kind, ty) = match name {
            "now" => (ExprKind::Now, Ty::Time),
            "true" => (ExprKind::Bool(true), Ty::Bool),
            "false" => (ExprKind::Bool(false), Ty::Bool),
            "absent" => (ExprKind::Nothing, Ty::Nothing),
            "null" => (ExprKind::Null, Ty::Nothing),
            "new" => (ExprKind::New, Ty::Unknown),
            "all" => (ExprKind::Missing, Ty::Unknown),
            "it" => (ExprKind::Item, self.entity_in_view().map_or(Ty::Unknown, Ty::Item)),
            "caller" => return self.caller(span),
            _ => match self.design.parameters.iter().position(|parameter| parameter.name.is(name)) {
                Some(at) => {
                    let ty = Ty::of(&self.types.of(&self.design.parameters[at].ty));
                    (ExprKind::Setting(SettingId::new(at)), ty)
                }
                None => return self.word(name, span, wanted),
            },
        };
        typed(kind, ty, span)
    }

    fn attribute_or_template(&self, name: &str, span: Span) -> Option<Expr> {
        if let Some((id, attribute)) = self.attribute_in_view(name) {
            let ty = Ty::of(&attribute.ty);
            let kind = match self.scope.item {
                Some(ItemScope::Object(_)) => ExprKind::Sibling(id),
                Some(ItemScope::Caller) => ExprKind::CallerPart(id),
                _ => ExprKind::Attribute(id),
            };
            return Some(typed(kind, ty, span));
        }
        let entity = &self.program.entities[self.entity_in_view()?];
        if let Some((id, _)) = entity.templates.entries().find(|(_, each)| *each.name == *name) {
            return Some(typed(ExprKind::Stored(id), Ty::Text, span));
        }
        // An item of a collection may lack attributes that others have.
        let lacking = &self.program.entities[self.scope.lacking?];
        let is_theirs = lacking.attributes.find(name).is_some()
            || lacking.templates.iter().any(|each| *each.name == *name);
        is_theirs.then(|| typed(ExprKind::Nothing, Ty::Nothing, span))
    }

    fn caller(&mut self, span: Span) -> Expr {
        if self.scope.system {
            self.nobody_calls(span, None);
            return missing(span);
        }
        typed(ExprKind::Caller, Ty::Caller, span)
    }

    /// Reports a reference to the caller where there is none; `through` is the rule or pattern that has it.
    fn nobody_calls(&mut self, span: Span, through: Option<(&str, Span)>) {
        let problem = UNKNOWN.at(span, "a `system` declaration has no caller");
        let problem = match through {
            Some((name, asks)) => problem
                .label(format!("`{name}` asks about the caller"))
                .also(asks, "here, or in what it calls"),
            None => problem.label("nobody calls"),
        };
        self.push(problem.note("Pass what it needs as a parameter."));
    }

    /// A rule about the caller would always be false in a context without one, and its negation true.
    pub(super) fn called_rule(&mut self, rule: &'a model::Rule, span: Span) {
        if self.scope.system && asks_caller(self.design, &rule.name.text, &mut Vec::new()) {
            self.nobody_calls(span, Some((&rule.name.text, rule.condition.span)));
        }
    }

    /// A pattern that refers to the caller finds nothing, or too much, if a `system` operation or a worker uses it.
    pub(super) fn called_pattern(&mut self, pattern: &'a model::Pattern, span: Span) {
        if self.scope.system
            && self.scope.acts
            && asks_caller(self.design, &pattern.name.text, &mut Vec::new())
        {
            self.nobody_calls(span, Some((&pattern.name.text, pattern.name.span)));
        }
    }

    /// Any other name is a word of an enum, or a mistake.
    fn word(&mut self, name: &'a str, span: Span, wanted: Option<&Type>) -> Expr {
        match wanted.map(Type::content) {
            Some(Type::Enum(words)) if words.open => {}
            Some(ty @ Type::Enum(words)) => {
                let near = nearest(name, words.words.iter().map(|word| &**word));
                let title = format!("`{name}` is not one of `{}`", ty.describe(self.declaring));
                let problem = did_you_mean(MISMATCH.at(span, title), span, near);
                self.push(problem.note(format!("The words are `{}`.", words.join("`, `"))));
            }
            Some(ty) if self.words.contains(name) && !matches!(ty, Type::Unknown | Type::Any { .. }) => {
                let ty_name = ty.describe(self.declaring);
                let mut problem =
                    MISMATCH.at(span, format!("`{name}` is a word of an enum, but {ty_name} is wanted"));
                if matches!(ty, Type::String { .. }) {
                    let text = format!("\"{name}\"");
                    problem = problem.fix(Fix::new(format!("write {text}"), span, text));
                }
                self.push(problem);
            }
            _ if self.words.contains(name) => {}
            _ => {
                self.unknown_name(name, span);
                return missing(span);
            }
        }
        typed(ExprKind::Word(name.into()), Ty::Unknown, span)
    }

    fn unknown_name(&mut self, name: &str, span: Span) {
        let mut known: Vec<String> = self.scope.locals.iter().map(|local| local.name.to_string()).collect();
        let attributes = self.attributes_in_view().into_iter().flat_map(|attributes| attributes.iter());
        known.extend(attributes.map(|each| each.name.to_string()));
        known.extend(BUILT_IN.iter().map(|&word| word.to_owned()));
        known.extend(self.words.iter().map(|&word| word.to_owned()));
        self.unknown("attribute, parameter or word", name, span, known.iter().map(String::as_str));
    }

    /// `base.name`
    pub(super) fn member(&mut self, base: Expr, name: &'a model::Name, span: Span) -> Expr {
        let text: Arc<str> = name.text.as_str().into();
        let part = |base: Expr| ExprKind::Member { base: Box::new(base), name: text.clone() };
        match base.ty.clone() {
            Ty::Item(entity) => self.of_item(base, entity, name, span),
            Ty::Caller => match self.program.caller.find(&name.text) {
                Some(id) => {
                    let ty = Ty::of(&self.program.caller[id].ty);
                    typed(ExprKind::CallerPart(id), ty, span)
                }
                None => {
                    let program = self.program;
                    let known = program.caller.iter().map(|each| &*each.name);
                    self.unknown("part of the caller", &name.text, name.span, known);
                    missing(span)
                }
            },
            ty => {
                let ty = self.member_type(&ty, name);
                match (&base.ty, &ty) {
                    (Ty::Is(of), Some(found)) if let Type::Enum(words) = &**of => match words.declared {
                        Some(id) => {
                            let kind =
                                ExprKind::Constant { word: Box::new(base), of: id, name: text.clone() };
                            typed(kind, found.clone(), span)
                        }
                        None => missing(span),
                    },
                    (_, Some(found)) => {
                        let found = found.clone();
                        typed(part(base), found, span)
                    }
                    (_, None) => missing(span),
                }
            }
        }
    }

    fn of_item(&mut self, base: Expr, entity: EntityId, name: &'a model::Name, span: Span) -> Expr {
        let program = self.program;
        let of = &program.entities[entity];
        let in_view = matches!(base.kind, ExprKind::Item);
        if let Some(id) = of.attributes.find(&name.text) {
            let ty = Ty::of(&of.attributes[id].ty);
            let kind = match in_view {
                true => ExprKind::Attribute(id),
                false => ExprKind::Of { item: Box::new(base), attribute: id },
            };
            return typed(kind, ty, span);
        }
        if let Some((id, _)) = of.templates.entries().find(|(_, each)| name.is(&each.name)) {
            let kind = match in_view {
                true => ExprKind::Stored(id),
                false => ExprKind::Member { base: Box::new(base), name: name.text.as_str().into() },
            };
            return typed(kind, Ty::Text, span);
        }
        self.unknown_attribute(entity, name);
        missing(span)
    }

    pub(super) fn unknown_attribute(&mut self, entity: EntityId, name: &model::Name) {
        let of = &self.program.entities[entity];
        let known = of.attributes.iter().map(|each| &*each.name);
        self.unknown(&format!("attribute of `{}`", of.name), &name.text, name.span, known);
    }

    /// The type of a member of a value that is no item; none, and reported, if there is no such member.
    pub(super) fn member_type(&mut self, base: &Ty, name: &model::Name) -> Option<Ty> {
        let program = self.program;
        match base {
            Ty::Unknown | Ty::Nothing | Ty::Map => Some(Ty::Unknown),
            Ty::Item(entity) => {
                let attributes = &program.entities[*entity].attributes;
                match attributes.find(&name.text) {
                    Some(id) => Some(Ty::of(&attributes[id].ty)),
                    None => {
                        self.unknown_attribute(*entity, name);
                        None
                    }
                }
            }
            Ty::List(of) => Some(Ty::List(Arc::new(self.member_type(of, name)?))),
            Ty::Is(ty) => match &**ty {
                Type::List { of, .. } => Some(Ty::List(Arc::new(self.member_type(&Ty::of(of), name)?))),
                Type::Object(id) => {
                    let object = &program.objects[*id];
                    if let Some(attribute) = object.attributes.find(&name.text) {
                        return Some(Ty::of(&object.attributes[attribute].ty));
                    }
                    let what = match &object.name {
                        Some(record) => format!("attribute of `{record}`"),
                        None => "attribute".to_owned(),
                    };
                    let known = object.attributes.iter().map(|each| &*each.name);
                    self.unknown(&what, &name.text, name.span, known);
                    None
                }
                Type::Map { of, .. } => Some(Ty::of(of)),
                Type::Input { of, entity } => self.input_part(*of, *entity, name),
                Type::Enum(words) if words.declared.is_some() => {
                    words.declared.and_then(|id| self.constant(id, name))
                }
                _ => self.no_part(base, name),
            },
            other => self.no_part(other, name),
        }
    }

    fn no_part(&mut self, base: &Ty, name: &model::Name) -> Option<Ty> {
        let title = format!("{} has no part called `{name}`", self.named(base));
        self.push(MISMATCH.at(name.span, title));
        None
    }

    /// A part of `new(E)`, `patch(E)` or `key(E)`.
    fn input_part(&mut self, kind: InputKind, entity: EntityId, name: &model::Name) -> Option<Ty> {
        let of = &self.program.entities[entity];
        let Some(id) = of.attributes.find(&name.text) else {
            if of.templates.iter().any(|each| name.is(&each.name)) {
                return Some(Ty::Text);
            }
            self.unknown_attribute(entity, name);
            return None;
        };
        let source = &self.design.entities[entity.at()].attributes[id.at()];
        let (there, what) = match kind {
            InputKind::Key => (of.key_attributes.contains(&id), "key"),
            InputKind::New => (can_be_given(source), "new"),
            InputKind::Patch => (can_be_given(source), "patch"),
            InputKind::Item => (true, "item"),
        };
        let ty = Ty::of(&of.attributes[id].ty);
        if !there {
            let title = format!("`{what}({})` does not hold `{name}`", of.name);
            let problem = UNKNOWN.at(name.span, title).also(source.name.span, "declared here");
            self.push(match kind {
                InputKind::Key => problem.note(
                    "A key holds the attributes of the table's key and nothing else: read the item first.",
                ),
                _ => problem.note("A derived attribute is never given."),
            });
        }
        Some(ty)
    }

    /// `plan.retention`: a constant that the members of an enum carry.
    fn constant(&mut self, declared: EnumId, name: &model::Name) -> Option<Ty> {
        let design = self.design;
        let each = design.enums.get(declared.at())?;
        let constants = || each.members.iter().flat_map(|member| &member.constants);
        let Some((_, value)) = constants().find(|(constant, _)| constant == name) else {
            let known: Vec<&str> = constants().map(|(constant, _)| constant.text.as_str()).collect();
            self.unknown(&format!("constant of `{}`", each.name), &name.text, name.span, known.into_iter());
            return None;
        };
        if let Some(without) =
            each.members.iter().find(|member| member.constants.iter().all(|(it, _)| it != name))
        {
            let title = format!("`{}` has no `{name}`", without.name);
            let problem = UNKNOWN.at(name.span, title).also(without.name.span, "this member carries none");
            self.push(problem);
        }
        Some(self.silently(|typing| typing.infer(value, None)).ty)
    }

    /// `userId->plan`: an attribute of the item that a reference points to.
    pub(super) fn arrow(&mut self, base: &'a model::Expr, name: &'a model::Name, span: Span) -> Expr {
        let Some(carried) = self.reference_of(base) else {
            self.infer(base, None);
            return missing(span);
        };
        let value = self.infer(base, None);
        let Some(to) = carried.reference else {
            let title = format!("`{}` refers to nothing that `->` could follow", carried.name);
            self.push(MISMATCH.at(base.span, title).also(carried.span, "declared without `->`"));
            return missing(span);
        };
        if self.scope.reads_shown && !self.scope.has_read(to.entity) {
            self.unread(to.entity, &carried.name, carried.span, span);
        }
        let target = &self.program.entities[to.entity];
        let Some(attribute) = target.attributes.find(&name.text) else {
            self.unknown_attribute(to.entity, name);
            return missing(span);
        };
        let ty = Ty::of(&target.attributes[attribute].ty);
        let kind = ExprKind::Arrow { base: Box::new(value), from: carried.name, to, attribute };
        typed(kind, ty, span)
    }

    /// An item that is needed and was not read: a request that the text would hide.
    pub(super) fn unread(&mut self, entity: EntityId, reference: &str, declared: Span, span: Span) {
        let of = &self.program.entities[entity];
        let title = format!("the `{}` that `{reference}` points to has not been read here", of.name);
        let keys = of.key_attributes.iter().map(|key| format!("{}: ...", of.attributes[*key].name));
        let key = keys.collect::<Vec<_>>().join(", ");
        let note = format!(
            "Read it first: `let {} = get {}({key}) else NotFound`.",
            of.name.to_lowercase(),
            of.name
        );
        self.push(
            UNREAD
                .at(span, title)
                .label("`->` never reads by itself")
                .also(declared, "the reference")
                .note(note),
        );
    }

    /// The attribute whose reference an expression carries.
    fn reference_of(&self, base: &model::Expr) -> Option<Carried> {
        let program = self.program;
        let of = |attribute: &Attribute| Carried {
            name: attribute.name.clone(),
            reference: attribute.reference,
            span: attribute.span,
        };
        match &base.kind {
            model::ExprKind::Name { name } => match self.scope.local(name) {
                Some(local) => {
                    local.attribute.map(|(entity, id)| of(&program.entities[entity].attributes[id]))
                }
                None => self.attribute_in_view(name).map(|(_, attribute)| of(attribute)),
            },
            model::ExprKind::Member { base, name } => {
                let owner = base.as_name()?;
                let ty = self.scope.local(owner).map(|local| local.ty.clone());
                let entity = match ty {
                    Some(Ty::Item(entity)) => Some(entity),
                    Some(Ty::Is(ty)) => match &*ty {
                        Type::Input { entity, .. } => Some(*entity),
                        _ => None,
                    },
                    None if owner == "it" => self.entity_in_view(),
                    None if owner == "caller" => {
                        return program.caller.find(&name.text).map(|id| of(&program.caller[id]));
                    }
                    _ => None,
                };
                let attributes = &program.entities[entity?].attributes;
                attributes.find(&name.text).map(|id| of(&attributes[id]))
            }
            _ => None,
        }
    }
}

/// Whether a rule or a pattern refers to the caller, itself or in the rules and patterns that it calls.
/// `seen` are those already visited.
fn asks_caller<'a>(design: &'a model::Design, name: &'a str, seen: &mut Vec<&'a str>) -> bool {
    if seen.contains(&name) {
        return false;
    }
    seen.push(name);
    let rule = design.rules.iter().find(|rule| rule.name.is(name));
    let pattern = design.pattern(name);
    let mut asks = false;
    let mut called: Vec<&'a str> = Vec::new();
    let mut look = |expr: &'a model::Expr, params: &[model::Param]| {
        expr.walk(&mut |each| match &each.kind {
            model::ExprKind::Name { name } if name == "caller" => {
                asks |= !params.iter().any(|param| param.name.is("caller"));
            }
            model::ExprKind::Call { callee, .. } => called.extend(callee.as_name()),
            _ => {}
        });
    };
    if let Some(rule) = rule {
        look(&rule.condition, &rule.params);
    }
    if let Some(pattern) = pattern {
        let binds = pattern.binds.iter().filter_map(|bind| match &bind.value {
            model::BindValue::Expr(expr) | model::BindValue::In(expr) => Some(expr),
            _ => None,
        });
        let conditions = pattern.conditions().into_iter().chain(pattern.filters());
        // `requires` is only checked for calls from outside.
        binds.chain(conditions).for_each(|expr| look(expr, &pattern.params));
    }
    asks || called.into_iter().any(|name| asks_caller(design, name, seen))
}
