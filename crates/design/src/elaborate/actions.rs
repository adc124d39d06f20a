//! Requests on items: the key, the condition, and every field against its attribute.

use std::sync::Arc;

use sortkey_diagnostics::Span;

use super::absence::makes_true;
use super::types::entity_id;
use super::{Elaboration, Wanted, typed};
use crate::facts::{can_be_given, must_be_given, settles};
use crate::model::{self, FieldOp, InputKind, WriteVerb};
use crate::problems::{ABSENT, ARGUMENT, MISMATCH, NOT_SETTABLE};
use crate::program::ty::article;
use crate::program::{
    Action, AttributeId, EntityId, Expr, ExprKind, Field, Id, ItemKey, Kind, LocalId, Path, Ty, Type,
};

impl<'a> Elaboration<'a, '_> {
    /// An action; none if its entity is unknown.
    pub(super) fn action(&mut self, action: &'a model::Action) -> Option<Action> {
        let Some(entity) = entity_id(self.design, &action.entity.text) else {
            let known = self.design.entities.iter().map(|each| each.name.text.as_str());
            self.unknown("entity", &action.entity.text, action.entity.span, known);
            return None;
        };
        let when = action.when.as_ref().map(|when| self.condition(when));
        let outer = self.asked.clone();
        when.iter().for_each(|when| self.asked.about(when));
        let key = match &action.key {
            Some(args) => Some(self.key(action, entity, args)),
            None if matches!(action.verb, WriteVerb::Create | WriteVerb::Put) => None,
            None => Some(self.key_by_name(entity, action.span)),
        };
        let condition = action
            .condition
            .as_ref()
            .map(|condition| self.with_item(entity, |typing| typing.condition(condition)));
        condition.iter().for_each(|condition| self.asked.about(condition));
        let (spreads, fields) = self.with_item(entity, |typing| typing.fields(action, entity));
        self.asked = outer;
        self.given_once(action, &fields);
        self.can_mark_deleted(action, entity);
        if matches!(action.verb, WriteVerb::Create | WriteVerb::Put | WriteVerb::Upsert) {
            self.complete(action, entity, key.as_ref().filter(|_| action.key.is_some()));
        }
        if action.verb.writes() && !matches!(action.verb, WriteVerb::Delete | WriteVerb::Purge) {
            self.followed(action, entity);
        }
        Some(Action {
            verb: action.verb,
            entity,
            key,
            strong: action.strong,
            condition,
            error: action.error.as_ref().map(|error| self.error(error)),
            spreads,
            takes: Vec::new(),
            fields,
            when,
            span: action.span,
        })
    }

    /// The key of an action that names none: each attribute takes the value of the local with its name.
    fn key_by_name(&mut self, entity: EntityId, span: Span) -> ItemKey {
        let of = &self.program.entities[entity];
        let attributes = &of.attributes;
        for key in &of.key_attributes {
            let Some(local) = self.scope.local(&attributes[*key].name) else { continue };
            let value = typed(ExprKind::Local(local.id), local.ty.clone(), local.span);
            if let Some(wanted) = self.wanted_of(entity, &attributes[*key].name) {
                self.must_be_there(&value, &wanted);
            }
        }
        let given = attributes.entries().filter_map(|(id, attribute)| {
            let local = self.scope.local(&attribute.name)?;
            Some((id, typed(ExprKind::Local(local.id), local.ty.clone(), span)))
        });
        ItemKey { entity, values: given.collect(), spreads: Vec::new() }
    }

    fn key(&mut self, action: &'a model::Action, entity: EntityId, args: &'a model::Args) -> ItemKey {
        let found = self.key_values(entity, args);
        let source = &self.design.entities[entity.at()];
        let of = &self.program.entities[entity];
        let keys: Vec<&str> = of.key_attributes.iter().map(|key| &*of.attributes[*key].name).collect();
        for (id, value) in &found.values {
            let name = &*of.attributes[*id].name;
            // An input of a derived key attribute gives the key as well: `RefreshToken(token)`.
            let gives = |key: &&str| !settles(source, &[], key) && depends(source, key, name);
            if !keys.contains(&name) && !keys.iter().any(gives) {
                let declared = source.attributes[id.at()].name.span;
                let title = format!("`{name}` is not part of the key of `{}`", of.name);
                let problem = ARGUMENT.at(value.span, title).also(declared, "declared here");
                let note = match action.verb {
                    WriteVerb::Get => "Only a pattern reads by other attributes.",
                    _ => "A condition on another attribute is written with `if`.",
                };
                self.push(problem.note(format!("The key is `{}`. {note}", keys.join("`, `"))));
            }
        }
        found
    }

    fn fields(&mut self, action: &'a model::Action, entity: EntityId) -> (Vec<LocalId>, Vec<Field>) {
        let fields = &action.fields;
        if !fields.fields.is_empty()
            && matches!(action.verb, WriteVerb::Delete | WriteVerb::Purge | WriteVerb::Check | WriteVerb::Get)
        {
            let title = format!("`{}` writes no attributes", action.verb.as_str());
            self.push(NOT_SETTABLE.at(fields.span, title));
            return (Vec::new(), Vec::new());
        }
        let spreads = fields.spreads.iter().filter_map(|name| self.spread(name)).map(|(id, _)| id).collect();
        let fields = fields.fields.iter().filter_map(|field| self.field(action, entity, field)).collect();
        (spreads, fields)
    }

    fn field(&mut self, action: &model::Action, entity: EntityId, field: &'a model::Field) -> Option<Field> {
        let name = field.path.first()?;
        let source = &self.design.entities[entity.at()];
        let Some(id) = self.program.entities[entity].attributes.find(&name.text) else {
            match source.template(&name.text) {
                Some(template) => {
                    let title = format!("`{name}` is computed from a template and never given");
                    self.push(NOT_SETTABLE.at(name.span, title).also(template.span, "the template"));
                }
                None => self.unknown_attribute(entity, name),
            }
            return None;
        };
        self.settable(action.verb, entity, id, name.span);
        self.of_a_new_item(action.verb, field);
        let written = self.written(field, entity, id)?;
        self.may_lack_value(action, entity, id, &written);
        Some(written)
    }

    /// `create` and `put` write a whole item: there is nothing to add to, and nothing to write inside of.
    fn of_a_new_item(&mut self, verb: WriteVerb, field: &model::Field) {
        if !matches!(verb, WriteVerb::Create | WriteVerb::Put) {
            return;
        }
        let Some(name) = field.path.first() else { return };
        let (verb, sign) = (verb.as_str(), field.op.sign());
        let (title, note) = if field.op != FieldOp::Set {
            (
                format!("`{sign}` changes what is stored, and `{verb}` stores a new item"),
                format!("Write `{name}: ...`, or count with `update` or `upsert`."),
            )
        } else if field.path.len() > 1 || field.index.is_some() {
            (
                format!("`{verb}` gives `{name}` as a whole"),
                format!(
                    "Write `{name}: {{ ... }}`; only `update` and `upsert` write inside of what is stored."
                ),
            )
        } else {
            return;
        };
        self.push(NOT_SETTABLE.at(field.span, title).note(note));
    }

    pub(super) fn settable(&mut self, verb: WriteVerb, entity: EntityId, id: AttributeId, span: Span) {
        let attribute = &self.design.entities[entity.at()].attributes[id.at()];
        let changes = matches!(verb, WriteVerb::Update | WriteVerb::Upsert);
        let is_key = self.program.entities[entity].key_attributes.contains(&id);
        let (why, note) = if attribute.is_derived() {
            ("is derived and never given", "What `:=` says is always its value.")
        } else if attribute.has("virtual") {
            ("is computed when it is read", "")
        } else if changes && is_key {
            ("is part of the key and cannot change", "Delete the item and create another, in one `transact`.")
        } else if matches!(verb, WriteVerb::Update) && attribute.has("immutable") {
            ("is immutable", "It gets its value when the item is created.")
        } else {
            return;
        };
        let problem = NOT_SETTABLE.at(span, format!("`{}` {why}", attribute.name));
        let problem = problem.also(attribute.span, "declared here");
        self.push(if note.is_empty() { problem } else { problem.note(note) });
    }

    /// Checks the value of a field against the attribute, or the part of it, that the path names.
    pub(super) fn written(
        &mut self,
        field: &'a model::Field,
        entity: EntityId,
        id: AttributeId,
    ) -> Option<Field> {
        let program = self.program;
        let attribute = &program.entities[entity].attributes[id];
        let mut wanted = self.wanted_of(entity, &attribute.name)?;
        let mut inside: Vec<Arc<str>> = Vec::new();
        for name in field.path.iter().skip(1) {
            let optional = self.may_lack(&wanted.ty, name);
            let found = self.member_type(&Ty::of(&wanted.ty), name);
            inside.push(name.text.as_str().into());
            wanted = match found {
                Some(Ty::Is(ty)) if optional => wanted.element(&ty),
                Some(Ty::Is(ty)) => wanted.part(&ty),
                Some(_) => wanted.element(&Arc::new(Type::Unknown)),
                None => {
                    self.infer(&field.value, None);
                    return None;
                }
            };
        }
        let path = Path { attribute: id, inside, ty: Arc::clone(&wanted.ty) };
        let mut element = None;
        if let Some(index) = &field.index {
            element = Some(self.infer(index, None));
            let of = match &*wanted.ty {
                Type::Map { of, .. } | Type::List { of, .. } => Arc::clone(of),
                Type::Unknown | Type::Any { .. } => Arc::new(Type::Unknown),
                _ => {
                    let title = format!("{} has no elements", self.named(&Ty::of(&wanted.ty)));
                    self.push(MISMATCH.at(index.span, title).label("only a map or a list has"));
                    return None;
                }
            };
            wanted = wanted.element(&of);
        }
        let value = match (bare(field), field.op) {
            (Some(name), _) => self.shorthand(name, field.span, &wanted)?,
            // A value that is the only source of an attribute is checked with the whole action (see
            // `may_lack_value`).
            (None, FieldOp::Set) if field.path.len() == 1 => self.want(&field.value, &wanted.leniently()),
            (None, FieldOp::Set) => self.want(&field.value, &wanted),
            (None, FieldOp::Add | FieldOp::Subtract) => self.moved(field, &wanted),
        };
        Some(Field { path, element, op: field.op, value })
    }

    /// `{ status }` is short for `status: status`, where the second one is a parameter or a `let`.
    fn shorthand(&mut self, name: &'a str, span: Span, wanted: &Wanted) -> Option<Expr> {
        let Some(local) = self.scope.local(name).cloned() else {
            let known: Vec<String> = self.scope.locals.iter().map(|local| local.name.to_string()).collect();
            self.unknown("parameter or `let`", name, span, known.iter().map(String::as_str));
            return None;
        };
        if !self.fits(&wanted.ty, &local.ty) {
            let before = self.problems.len();
            self.mismatch(&local.ty, span, wanted);
            let said = format!("`{name}` is {}", local.ty.describe(self.program));
            if let Some(last) = self.problems.get_mut(before) {
                *last = last.clone().also(local.span, said);
            }
        }
        Some(typed(ExprKind::Local(local.id), local.ty, span))
    }

    /// `+=` and `-=` change a number, or add to and take from a list or a set.
    fn moved(&mut self, field: &'a model::Field, wanted: &Wanted) -> Expr {
        match &*wanted.ty {
            Type::Int { .. } | Type::Decimal { .. } => {
                let by = self.infer(&field.value, None);
                if !self.fits(&wanted.ty, &by.ty) {
                    self.mismatch(&by.ty, field.value.span, wanted);
                }
                by
            }
            Type::List { .. } | Type::Set { .. } => self.want(&field.value, wanted),
            Type::Any { .. } | Type::Unknown => self.infer(&field.value, None),
            other => {
                let what = article(&other.describe(self.declaring));
                let problem = MISMATCH.at(field.span, format!("{what} cannot be counted up or down"));
                self.push(wanted.show(problem.note("`+=` and `-=` need a number, a list or a set.")));
                super::missing(field.span)
            }
        }
    }

    /// `...x` copies the attributes of an item or a record. Returns the local and its type.
    pub(super) fn spread(&mut self, name: &'a model::Name) -> Option<(LocalId, Ty)> {
        let Some(local) = self.scope.local(&name.text).cloned() else {
            let known: Vec<String> = self.scope.locals.iter().map(|local| local.name.to_string()).collect();
            self.unknown("parameter or `let`", &name.text, name.span, known.iter().map(String::as_str));
            return None;
        };
        if !matches!(local.ty.kind(), Kind::Record | Kind::Any) {
            let what = self.named(&local.ty);
            let title = format!("`...` copies the attributes of an item; `{name}` is {what}");
            self.push(MISMATCH.at(name.span, title).also(local.span, "declared here"));
            return None;
        }
        Some((local.id, local.ty))
    }

    /// An optional parameter cannot be the only source of a required attribute.
    fn may_lack_value(&mut self, action: &model::Action, entity: EntityId, id: AttributeId, written: &Field) {
        let attribute = &self.design.entities[entity.at()].attributes[id.at()];
        let whole = written.path.inside.is_empty() && written.element.is_none() && written.op == FieldOp::Set;
        if !whole || matches!(written.value.kind, ExprKind::Choose { .. }) && attribute.when.is_none() {
            return;
        }
        let filled = matches!(action.verb, WriteVerb::Create | WriteVerb::Put) && attribute.value.is_some();
        let source = &self.design.entities[entity.at()];
        let conditional = attribute.when.as_ref().is_some_and(|when| !makes_true(source, action, when));
        if attribute.optional || filled || conditional {
            return;
        }
        let parameter = match &written.value.kind {
            ExprKind::Local(local) => self.optional_parameter(*local),
            _ => None,
        };
        let Some(parameter) = parameter else {
            if let Some(wanted) = self.wanted_of(entity, &attribute.name.text) {
                self.must_be_there(&written.value, &wanted);
            }
            return;
        };
        let title = format!("`{}` must always be there, but this may be left out", attribute.name);
        let problem = ABSENT.at(written.value.span, title).label("an optional parameter");
        let problem =
            problem.also(parameter, "may be left out").also(attribute.name.span, "declared without `?`");
        self.push(
            problem
                .note("Take the `?` from the parameter, give it a default, or put a `?` on the attribute."),
        );
    }

    /// Checks that a new item has every required attribute.
    fn complete(&mut self, action: &'a model::Action, entity: EntityId, key: Option<&ItemKey>) {
        if takes_everything(action) {
            return;
        }
        let (program, design) = (self.program, self.design);
        let of = &program.entities[entity];
        let mut given: Vec<&str> = Vec::new();
        given.extend(key.iter().flat_map(|key| &key.values).map(|(id, _)| &*of.attributes[*id].name));
        given.extend(action.fields.fields.iter().filter_map(|field| Some(field.path.first()?.text.as_str())));
        let key_spreads = action.key.iter().flat_map(|args| &args.spreads);
        for spread in action.fields.spreads.iter().chain(key_spreads) {
            let Some(local) = self.scope.local(&spread.text) else { return };
            match (&local.ty, local.ty.declared()) {
                (Ty::Item(other), _) => {
                    let there =
                        program.entities[*other].attributes.iter().filter(|each| !each.may_be_absent());
                    given.extend(there.map(|each| &*each.name));
                }
                (_, Some(Type::Input { of: InputKind::Key, entity: other })) => {
                    let other = &program.entities[*other];
                    given.extend(other.key_attributes.iter().map(|id| &*other.attributes[*id].name));
                }
                (_, Some(Type::Input { of: InputKind::New, entity: other })) => {
                    let other =
                        design.entities[other.at()].attributes.iter().filter(|each| must_be_given(each));
                    given.extend(other.map(|each| each.name.text.as_str()));
                }
                // The contents of the spread are unknown, so nothing is known to be missing.
                _ => return,
            }
        }
        self.needs_more(action, entity, &given);
    }

    /// Reports required attributes that a new item is not given.
    pub(super) fn needs_more(&mut self, action: &'a model::Action, entity: EntityId, given: &[&str]) {
        let source = &self.design.entities[entity.at()];
        let settled = |attribute: &model::Attribute| {
            !self.scope.system && source.tenant.as_ref().is_some_and(|tenant| *tenant == attribute.name)
        };
        // An attribute with `when` is required if the action makes its condition true.
        let is_entered = |each: &model::Attribute| {
            let is_new = matches!(action.verb, WriteVerb::Create | WriteVerb::Put);
            let needed = is_new && !each.optional && each.value.is_none() && can_be_given(each);
            needed && each.when.as_ref().is_some_and(|when| makes_true(source, action, when))
        };
        let lacking: Vec<&model::Attribute> = source
            .attributes
            .iter()
            .filter(|each| must_be_given(each) || is_entered(each))
            .filter(|each| !settled(each) && !given.contains(&each.name.text.as_str()))
            .collect();
        if lacking.is_empty() {
            return;
        }
        let names: Vec<&str> = lacking.iter().map(|each| each.name.text.as_str()).collect();
        let title = format!("a new `{}` needs `{}`", source.name, names.join("`, `"));
        let mut problem = ABSENT.at(action.verb_span.to(action.entity.span), title);
        for attribute in lacking {
            problem = problem.also(attribute.name.span, "always there, filled by nothing");
        }
        self.push(problem.note("Give it, mark it with `?`, or say what fills it."));
    }

    /// Values that fill attributes may follow references; the items referred to must have been read before.
    fn followed(&mut self, action: &'a model::Action, entity: EntityId) {
        if !self.scope.reads_shown {
            return;
        }
        let source = &self.design.entities[entity.at()];
        let fresh = matches!(action.verb, WriteVerb::Create | WriteVerb::Put | WriteVerb::Upsert);
        for attribute in &source.attributes {
            let Some(fill) = &attribute.value else { continue };
            let given = action.fields.get(&attribute.name.text).is_some();
            if given || (!fill.derived && !fresh) {
                continue;
            }
            let mut needed = Vec::new();
            fill.value.walk(&mut |expr| {
                if let model::ExprKind::Arrow { base, .. } = &expr.kind {
                    needed.extend(base.as_name().and_then(|name| source.attribute(name)));
                }
            });
            for reference in needed {
                let inputs = match action.fields.get(&reference.name.text) {
                    Some(_) => true,
                    None => fresh && !stays_absent(action, reference),
                };
                let target = reference.reference.as_ref();
                let target = target.and_then(|each| entity_id(self.design, &each.entity.text));
                if let Some(target) = target.filter(|target| inputs && !self.scope.has_read(*target)) {
                    let span = action.verb_span.to(action.entity.span);
                    self.unread(target, &reference.name.text, reference.span, span);
                    if let Some(last) = self.problems.last_mut() {
                        let said = format!("`{}` is filled from it", attribute.name);
                        *last = last.clone().also(fill.value.span, said);
                    }
                    return;
                }
            }
        }
    }

    /// Whether an object may lack a member.
    fn may_lack(&self, ty: &Type, name: &model::Name) -> bool {
        match ty.content() {
            Type::Object(id) => {
                let attributes = &self.program.objects[*id].attributes;
                attributes.find(&name.text).is_some_and(|part| attributes[part].may_be_absent())
            }
            _ => false,
        }
    }
}

/// The short form takes everything as parameters.
fn takes_everything(action: &model::Action) -> bool {
    action.span == action.verb_span.to(action.entity.span) && action.fields.span == Span::default()
}

/// Whether a new item certainly lacks an attribute that its fields do not name: it has no other source.
fn stays_absent(action: &model::Action, attribute: &model::Attribute) -> bool {
    let spread = action.fields.spreads.iter().chain(action.key.iter().flat_map(|args| &args.spreads));
    attribute.may_be_absent() && attribute.value.is_none() && !takes_everything(action) && spread.count() == 0
}

/// Whether a derived attribute depends on another.
fn depends(entity: &model::Entity, attribute: &str, input: &str) -> bool {
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

/// The name of a field in shorthand form.
fn bare(field: &model::Field) -> Option<&str> {
    field.value.as_name().filter(|_| field.value.span == field.span && field.path.len() == 1)
}
