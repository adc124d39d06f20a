//! Access patterns.

use super::Lower;
use crate::model::*;
use sortkey_syntax::ast::{self, AstNode, PatternClause, docs};

impl Lower<'_> {
    pub(super) fn pattern(&mut self, pattern: &ast::Pattern, allows: &mut Vec<Allow>) -> Pattern {
        let verb = self.name(pattern.verb());
        let mut lowered = Pattern {
            name: self.name(pattern.name()),
            system: pattern.is_system(),
            params: self.params(pattern.params().as_ref()),
            verb: read_verb(&verb.text),
            verb_span: verb.span,
            entities: self.names(pattern.entities().as_ref()),
            summed: self.names(pattern.summed().as_ref()),
            span: self.span(pattern.range()),
            docs: docs(pattern.syntax()),
            ..Pattern::default()
        };
        for clause in pattern.clauses() {
            self.pattern_clause(&clause, &mut lowered, allows);
        }
        lowered
    }

    fn pattern_clause(&mut self, clause: &PatternClause, pattern: &mut Pattern, allows: &mut Vec<Allow>) {
        match clause {
            PatternClause::By(by) => pattern.binds.extend(by.binds().map(|bind| self.bind(&bind))),
            PatternClause::Where(each) => {
                let expr = each.condition().map(|expr| self.expr(&expr));
                pattern.condition = both(pattern.condition.take(), expr);
            }
            PatternClause::Filter(each) => {
                let expr = each.condition().map(|expr| self.expr(&expr));
                pattern.filter = both(pattern.filter.take(), expr);
            }
            PatternClause::Order(order) => {
                pattern.order = Some(Order {
                    by: order.attribute().map(|name| self.name(Some(name))),
                    descending: order.is_descending(),
                    span: self.span(order.range()),
                });
            }
            PatternClause::Page(page) => pattern.page = page.size().map(|number| self.some(&number)),
            PatternClause::Limit(limit) => pattern.limit = limit.size().map(|number| self.some(&number)),
            PatternClause::All(_) => pattern.all = true,
            PatternClause::Strong(strong) => {
                pattern.strong = true;
                pattern.strong_span = Some(self.span(strong.range()));
            }
            PatternClause::Via(via) => pattern.via = Some(self.name(via.index())),
            PatternClause::Select(select) => pattern.select = Some(self.names(select.names().as_ref())),
            PatternClause::Then(then) => pattern.then = Some(self.name(then.entity())),
            PatternClause::Including(including) => {
                let place = Some(Including { span: self.span(including.range()) });
                match including.what().as_ref().map(ast::Name::text) {
                    Some("deleted") => pattern.including_deleted = place,
                    _ => pattern.including_expired = place,
                }
            }
            PatternClause::Requires(each) => {
                let expr = each.condition().map(|expr| self.expr(&expr));
                pattern.requires = both(pattern.requires.take(), expr);
            }
            PatternClause::Load(load) => pattern.load = Some(self.load(load)),
            PatternClause::Allow(allow) => {
                let allow = self.allow(allow, pattern.span);
                allows.push(allow);
            }
        }
    }

    fn bind(&mut self, bind: &ast::Bind) -> Bind {
        let value = bind.value().map(|value| self.expr(&value));
        let value = match (bind.is_in_all(), bind.is_in(), value) {
            (true, _, _) => BindValue::All,
            (_, true, Some(list)) => BindValue::In(list),
            (_, _, Some(value)) => BindValue::Expr(value),
            _ => BindValue::Parameter,
        };
        Bind { name: self.name(bind.name()), value }
    }

    pub(super) fn params(&mut self, params: Option<&ast::Params>) -> Vec<Param> {
        let params = params.into_iter().flat_map(ast::Params::params);
        params
            .map(|param| Param {
                name: self.name(param.name()),
                optional: param.is_optional(),
                ty: self.ty(param.ty().as_ref()),
                default: param.default().map(|value| self.expr(&value)),
            })
            .collect()
    }
}

/// Two conditions that must both hold.
pub(super) fn both(first: Option<Expr>, second: Option<Expr>) -> Option<Expr> {
    match (first, second) {
        (Some(left), Some(right)) => {
            let span = left.span.to(right.span);
            let kind = ExprKind::Binary { op: Op::And, left: Box::new(left), right: Box::new(right) };
            Some(Expr { kind, span })
        }
        (first, second) => first.or(second),
    }
}

fn read_verb(word: &str) -> ReadVerb {
    match word {
        "list" => ReadVerb::List,
        "count" => ReadVerb::Count,
        "exists" => ReadVerb::Exists,
        "sum" => ReadVerb::Sum,
        "collect" => ReadVerb::Collect,
        "scan" => ReadVerb::Scan,
        _ => ReadVerb::Get,
    }
}
