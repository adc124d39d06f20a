//! Calls: of functions, rules, patterns, operations, and the keys of items.

use super::functions::{self, FUNCTIONS, Function, Gives};
use super::{Ty, Typing, Wanted, did_you_mean};
use crate::facts::{
    Formal, key_attributes, known_key, operation_signature, pattern_signature, rule_signature,
};
use crate::model::*;
use crate::problems::{ARGUMENT, MISMATCH, nearest};
use sortkey_diagnostics::Span;

/// How far an operation's result is followed through the operations it calls.
const MAX_CALLS: usize = 8;

impl<'a> Typing<'a, '_> {
    pub(super) fn call(
        &mut self,
        callee: &'a Expr,
        args: &'a Args,
        span: Span,
        wanted: Option<&'a Type>,
    ) -> Ty<'a> {
        let design = self.design;
        let Some(name) = callee.as_name() else {
            self.infer(callee, None);
            self.values(args);
            return Ty::Unknown;
        };
        if let Some(pattern) = design.pattern(name) {
            let formals = pattern_signature(design, pattern);
            self.arguments(name, &formals, args, span, pattern.name.span);
            return pattern_result(design, pattern);
        }
        if let Some(operation) = design.operation(name) {
            let formals = operation_signature(design, operation);
            self.arguments(name, &formals, args, span, operation.name.span);
            return operation_result(design, operation, 0);
        }
        if let Some(rule) = design.rule(name) {
            let formals = rule_signature(design, rule);
            self.arguments(name, &formals, args, span, rule.name.span);
            return Ty::Bool;
        }
        if let Some(entity) = design.entity(name) {
            self.whole_key(entity, args, span);
            return Ty::Bool;
        }
        match functions::named(name) {
            Some(function) => self.function(function, args, span, wanted),
            None => {
                self.values(args);
                let rules = design.rules.iter().map(|rule| rule.name.text.as_str());
                let patterns = design.patterns.iter().map(|each| each.name.text.as_str());
                let operations = design.operations.iter().map(|each| each.name.text.as_str());
                let functions = FUNCTIONS.iter().map(|function| function.name);
                let known = functions.chain(rules).chain(patterns).chain(operations);
                self.unknown("function, rule, pattern, operation or entity", name, callee.span, known);
                Ty::Unknown
            }
        }
    }

    /// `Entity(key) with (condition)`
    pub(super) fn with(&mut self, base: &'a Expr, condition: &'a Expr) -> Ty<'a> {
        self.infer(base, None);
        let entity = match &base.kind {
            ExprKind::Call { callee, .. } => callee.as_name().and_then(|name| self.design.entity(name)),
            _ => None,
        };
        if let Some(entity) = entity {
            self.with_item(entity, |typing| typing.condition(condition));
        }
        Ty::Bool
    }

    fn values(&mut self, args: &'a Args) {
        args.values.iter().for_each(|(_, value)| drop(self.infer(value, None)));
    }

    fn function(
        &mut self,
        function: &Function,
        args: &'a Args,
        span: Span,
        wanted: Option<&'a Type>,
    ) -> Ty<'a> {
        let (least, given) = (function.takes.len(), args.values.len());
        if given < least || (given > least && !function.more) {
            let title = format!("`{}` takes {}, not {given}", function.name, arguments_of(function));
            self.push(ARGUMENT.at(span, title));
        }
        // What `coalesce(a, b)` chooses from must fit where it stands; other functions make something new of it.
        let hint = wanted.filter(|_| matches!(function.gives, Gives::Known));
        let mut types = Vec::new();
        for (at, (_, value)) in args.values.iter().enumerate() {
            let ty = self.infer(value, hint);
            let takes = function.takes.get(at).or(function.takes.last());
            if let Some(takes) = takes.filter(|takes| !takes.accepts(&ty)) {
                let title = format!("`{}` takes {}, not {}", function.name, takes.describe(), ty.named());
                self.push(MISMATCH.at(value.span, title));
            }
            types.push(ty);
        }
        match function.gives {
            Gives::Text => Ty::Text,
            Gives::Number => Ty::Number,
            Gives::Date => Ty::Date,
            Gives::Month => Ty::Month,
            Gives::First => match types.into_iter().next() {
                Some(list @ (Ty::List(_) | Ty::Is(Type::List { .. } | Type::Set { .. }))) => list,
                Some(Ty::Unknown) | None => Ty::Unknown,
                Some(_) => Ty::Text,
            },
            Gives::Known => {
                types.into_iter().find(|ty| !matches!(ty, Ty::Unknown | Ty::Nothing)).unwrap_or(Ty::Unknown)
            }
            Gives::Unknown => Ty::Unknown,
        }
    }

    /// Arguments against parameters: none unknown, none twice, none missing, each of its type.
    pub(super) fn arguments(
        &mut self,
        callee: &str,
        formals: &[Formal<'a>],
        args: &'a Args,
        span: Span,
        declared: Span,
    ) {
        let mut given: Vec<&str> = Vec::new();
        for (at, (name, value)) in args.values.iter().enumerate() {
            let formal = match name {
                Some(name) => match formals.iter().find(|formal| formal.name == name) {
                    Some(formal) => formal,
                    None => {
                        let near =
                            nearest(&name.text, formals.iter().map(|formal| formal.name.text.as_str()));
                        let problem =
                            ARGUMENT.at(name.span, format!("`{callee}` has no parameter called `{name}`"));
                        let problem = did_you_mean(problem, name.span, near);
                        self.push(problem.also(declared, "declared here"));
                        self.infer(value, None);
                        continue;
                    }
                },
                None => match formals.get(at) {
                    Some(formal) => self.meant(formals, formal, value),
                    None => {
                        let title = format!("`{callee}` takes {} arguments, not {}", formals.len(), at + 1);
                        self.push(ARGUMENT.at(value.span, title).also(declared, "declared here"));
                        self.infer(value, None);
                        continue;
                    }
                },
            };
            if given.contains(&formal.name.text.as_str()) {
                let title = format!("`{}` is given twice", formal.name);
                self.push(ARGUMENT.at(value.span, title).also(declared, "declared here"));
            }
            given.push(&formal.name.text);
            self.want(value, &Wanted::parameter(formal.name, formal.ty, formal.optional));
        }
        let missing: Vec<&Formal<'a>> = formals
            .iter()
            .filter(|formal| !formal.optional && !given.contains(&formal.name.text.as_str()))
            .collect();
        if !missing.is_empty() && args.spreads.is_empty() {
            let names: Vec<&str> = missing.iter().map(|formal| formal.name.text.as_str()).collect();
            let title = format!("`{callee}` is not given `{}`", names.join("`, `"));
            let problem = ARGUMENT.at(span, title).also(declared, "declared here");
            self.push(problem.note("Only parameters marked with `?` or given a default may be left out."));
        }
    }

    /// `membership(accountId, userId)` where the parameters stand the other way round: the parameter that was meant.
    fn meant<'f>(
        &mut self,
        formals: &'f [Formal<'a>],
        formal: &'f Formal<'a>,
        value: &Expr,
    ) -> &'f Formal<'a> {
        let Some(bare) = value.as_name().filter(|bare| !formal.name.is(bare)) else {
            return formal;
        };
        let Some(meant) = formals.iter().find(|other| other.name.is(bare)) else {
            return formal;
        };
        let title = format!("`{bare}` stands in the place of `{}`", formal.name);
        let problem = ARGUMENT.at(value.span, title).also(formal.name.span, "this parameter comes here");
        self.push(problem.note(format!("Name it: `{bare}: {bare}`, or change the order.")));
        meant
    }

    /// `E(a, b: x)` in an expression: the arguments make up the whole key.
    fn whole_key(&mut self, entity: &'a Entity, args: &'a Args, span: Span) {
        let known = self.key_values(entity, args);
        let missing = known_key(self.design, entity, &known);
        if !missing.is_empty() && args.spreads.is_empty() {
            let title = format!("the key of `{}` needs `{}`", entity.name, missing.join("`, `"));
            let problem = ARGUMENT.at(span, title).label("not a whole key");
            self.push(problem.also(entity.name.span, "the entity"));
        }
    }

    /// The values of a key, each against its attribute. The attributes that are given.
    pub(super) fn key_values(&mut self, entity: &'a Entity, args: &'a Args) -> Vec<&'a str> {
        let design = self.design;
        let keys = key_attributes(design, entity);
        let (mut known, mut position) = (Vec::new(), 0);
        for (name, value) in &args.values {
            let bare = value.as_name().filter(|bare| entity.attribute(bare).is_some());
            let attribute = match (name, bare) {
                (Some(name), _) => Some(name.text.as_str()),
                (None, Some(bare)) => Some(bare),
                (None, None) => keys.get(position).copied(),
            };
            position += usize::from(name.is_none());
            let Some(attribute) = attribute else {
                let title = format!("the key of `{}` has {} parts", entity.name, keys.len());
                self.push(ARGUMENT.at(value.span, title).also(entity.name.span, "the entity"));
                continue;
            };
            known.push(attribute);
            match entity.attribute(attribute) {
                Some(attribute) => self.want(value, &Wanted::attribute(design, attribute)),
                None => {
                    let place = name.as_ref().map_or(value.span, |name| name.span);
                    let names = entity.attributes.iter().map(|each| each.name.text.as_str());
                    self.unknown(&format!("attribute of `{}`", entity.name), attribute, place, names);
                }
            }
        }
        known
    }
}

fn arguments_of(function: &Function) -> String {
    match (function.takes.len(), function.more) {
        (1, false) => "one argument".to_owned(),
        (count, false) => format!("{count} arguments"),
        (count, true) => format!("at least {count}"),
    }
}

/// What a call of a pattern gives.
pub(super) fn pattern_result<'a>(design: &'a Design, pattern: &'a Pattern) -> Ty<'a> {
    let last = pattern.then.as_ref().or(pattern.entities.first());
    let item = last.and_then(|name| design.entity(&name.text)).map_or(Ty::Unknown, Ty::Item);
    match pattern.verb {
        ReadVerb::Get => item,
        ReadVerb::List | ReadVerb::Scan => Ty::List(Box::new(item)),
        ReadVerb::Collect => Ty::List(Box::new(Ty::Unknown)),
        ReadVerb::Count => Ty::Number,
        ReadVerb::Exists => Ty::Bool,
        ReadVerb::Sum if pattern.summed.len() == 1 => Ty::Number,
        ReadVerb::Sum => Ty::Unknown,
    }
}

/// What a call of an operation gives.
fn operation_result<'a>(design: &'a Design, operation: &'a Operation, depth: usize) -> Ty<'a> {
    if operation.short.is_some() {
        return match operation.body.first().map(|stmt| &stmt.kind) {
            Some(StmtKind::Do { value }) => value_result(design, value, depth),
            _ => Ty::Unknown,
        };
    }
    let mut found = Ty::Unknown;
    let mut open: Vec<&Stmt> = operation.body.iter().rev().collect();
    let mut lets: Vec<(&Name, &Value)> = Vec::new();
    while let Some(statement) = open.pop() {
        match &statement.kind {
            StmtKind::Let { name, value, .. } => lets.push((name, value)),
            StmtKind::Transact { body } => open.extend(body.iter().rev()),
            StmtKind::Return { value } => {
                let bound =
                    value.as_name().and_then(|name| lets.iter().rev().find(|(bound, _)| bound.is(name)));
                if let Some((_, value)) = bound {
                    found = value_result(design, value, depth);
                }
            }
            _ => {}
        }
    }
    found
}

fn value_result<'a>(design: &'a Design, value: &'a Value, depth: usize) -> Ty<'a> {
    match value {
        Value::Action(action) => design.entity(&action.entity.text).map_or(Ty::Unknown, Ty::Item),
        Value::Expr(Expr { kind: ExprKind::Call { callee, .. }, .. }) if depth < MAX_CALLS => {
            let name = callee.as_name().unwrap_or_default();
            match (design.pattern(name), design.operation(name)) {
                (Some(pattern), _) => pattern_result(design, pattern),
                (_, Some(operation)) => operation_result(design, operation, depth + 1),
                _ => Ty::Unknown,
            }
        }
        Value::Expr(_) => Ty::Unknown,
    }
}
