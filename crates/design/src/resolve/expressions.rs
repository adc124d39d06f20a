//! Bare names in expressions: attributes, parameters, words of enums, functions.

use super::Resolve;
use crate::model::*;
use crate::problems::nearest;
use std::collections::HashSet;

/// Names that mean something everywhere.
const BUILT_IN: [&str; 9] = ["now", "new", "it", "caller", "true", "false", "absent", "null", "all"];

/// Functions of the language.
const FUNCTIONS: [&str; 24] = [
    "sha256",
    "bcrypt",
    "hash",
    "first",
    "last",
    "lower",
    "upper",
    "trim",
    "size",
    "coalesce",
    "random",
    "date",
    "month",
    "max",
    "min",
    "sum",
    "count",
    "replace_prefix",
    "concat",
    "floor",
    "round",
    "stored",
    "hmac",
    "slug",
];

/// The names that an expression may use.
pub(super) struct Scope<'a> {
    names: HashSet<&'a str>,
    /// Words of enums: any of them may stand where a value is compared.
    words: HashSet<&'a str>,
}

impl<'a> Scope<'a> {
    fn new(design: &'a Design) -> Scope<'a> {
        let mut words = HashSet::new();
        for each in &design.enums {
            words.extend(each.members.iter().map(|member| member.name.text.as_str()));
        }
        let attributes = design.entities.iter().flat_map(|entity| &entity.attributes);
        let records = design.records.iter().flat_map(|record| &record.attributes);
        for attribute in attributes.chain(records).chain(&design.caller) {
            collect_words(&attribute.ty, &mut words);
        }
        let params = design.operations.iter().flat_map(|each| &each.params);
        for param in params.chain(design.patterns.iter().flat_map(|each| &each.params)) {
            collect_words(&param.ty, &mut words);
        }
        let mut names: HashSet<&str> = BUILT_IN.into_iter().collect();
        names.extend(design.parameters.iter().map(|parameter| parameter.name.text.as_str()));
        Scope { names, words }
    }

    pub(super) fn of_entity(design: &'a Design, entity: &'a Entity) -> Scope<'a> {
        let mut scope = Scope::new(design);
        scope.attributes(entity);
        scope
    }

    pub(super) fn of_pattern(design: &'a Design, pattern: &'a Pattern, entity: &'a Entity) -> Scope<'a> {
        let mut scope = Scope::of_entity(design, entity);
        scope.names.extend(pattern.params.iter().map(|param| param.name.text.as_str()));
        scope
    }

    pub(super) fn of_operation(design: &'a Design, operation: &'a Operation) -> Scope<'a> {
        let mut scope = Scope::new(design);
        scope.names.extend(operation.params.iter().map(|param| param.name.text.as_str()));
        for site in crate::facts::actions(operation) {
            if let Some(entity) = design.entity(&site.action.entity.text) {
                scope.attributes(entity);
            }
        }
        scope
    }

    pub(super) fn of_rule(design: &'a Design, rule: &'a Rule) -> Scope<'a> {
        let mut scope = Scope::new(design);
        scope.names.extend(rule.params.iter().map(|param| param.name.text.as_str()));
        rule.condition.walk(&mut |expr| {
            if let ExprKind::With { base, .. } = &expr.kind
                && let ExprKind::Call { callee, .. } = &base.kind
                && let Some(entity) = callee.as_name().and_then(|name| design.entity(name))
            {
                scope.attributes(entity);
            }
        });
        scope
    }

    fn attributes(&mut self, entity: &'a Entity) {
        self.names.extend(entity.attributes.iter().map(|each| each.name.text.as_str()));
        self.names.extend(entity.templates.iter().map(|each| each.name.text.as_str()));
    }
}

fn collect_words<'a>(ty: &'a Type, words: &mut HashSet<&'a str>) {
    match ty {
        Type::Enum { members, .. } => words.extend(members.iter().map(String::as_str)),
        Type::List { of, .. } | Type::Map { of, .. } | Type::Set { of, .. } | Type::Json { of } => {
            collect_words(of, words);
        }
        Type::Object { attributes } => attributes.iter().for_each(|each| collect_words(&each.ty, words)),
        _ => {}
    }
}

impl Resolve<'_> {
    pub(super) fn expression(&mut self, expr: &Expr, scope: &Scope<'_>) {
        let mut callees = Vec::new();
        let mut unknown = Vec::new();
        expr.walk(&mut |inner| {
            if let ExprKind::Call { callee, .. } = &inner.kind
                && let Some(name) = callee.as_name()
            {
                callees.push((name.to_owned(), callee.span));
            }
        });
        expr.walk(&mut |inner| {
            let Some(name) = inner.as_name() else { return };
            let called = callees.iter().any(|(_, span)| *span == inner.span);
            if !called && !scope.names.contains(name) && !scope.words.contains(name) {
                unknown.push((name.to_owned(), inner.span));
            }
        });
        for (name, span) in unknown {
            let near = nearest(&name, scope.names.iter().chain(&scope.words).copied()).map(str::to_owned);
            self.unknown_at("attribute, parameter or word", &name, span, near.as_deref());
        }
        for (name, span) in callees {
            let design = self.design;
            let declared = design.rule(&name).is_some()
                || design.entity(&name).is_some()
                || design.pattern(&name).is_some()
                || design.operation(&name).is_some();
            if !declared && !FUNCTIONS.contains(&name.as_str()) {
                let rules = design.rules.iter().map(|rule| rule.name.text.as_str());
                let near = nearest(&name, FUNCTIONS.into_iter().chain(rules)).map(str::to_owned);
                self.unknown_at("function, rule or entity", &name, span, near.as_deref());
            }
        }
    }
}
