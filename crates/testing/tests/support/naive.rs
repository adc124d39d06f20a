//! A naive interpreter of patterns: every item is looked at for every question, as the JSON that a scan of its entity gave.
//!
//! It reads the compiler's program and shares nothing with the planner or the runtime. Anything that it does not support (functions,
//! rules, texts of templates, hidden attributes, the time) it leaves alone and reports.

use std::cmp::Ordering;

use serde_json::{Map, Value as Json};
use sortkey_design::Program;
use sortkey_design::model::{Op, ReadVerb};
use sortkey_design::program::{
    AttributeId, BindValue, Bound, Conjunct, EntityId, Expr, ExprKind, LocalId, Pattern,
};

use super::order::order;

/// An item of an entity.
pub(crate) type Item = (EntityId, Map<String, Json>);

/// The arguments of a call of a pattern.
pub(crate) struct Asked<'a> {
    pub(crate) program: &'a Program,
    pub(crate) pattern: &'a Pattern,
    pub(crate) arguments: &'a Map<String, Json>,
    pub(crate) caller: &'a Map<String, Json>,
    pub(crate) now_ms: i64,
}

/// A value, or nothing; none if the interpreter does not understand the expression.
type Value = Option<Option<Json>>;

impl Asked<'_> {
    /// The items that the pattern asks for, in no order; none if it contains something that the interpreter does not support.
    pub(crate) fn expected<'i>(&self, items: &'i [Item]) -> Option<Vec<&'i Item>> {
        let mut found = Vec::new();
        for item in items {
            if let Some(at) = self.pattern.entities.iter().position(|each| *each == item.0)
                && self.is_asked_for(at, item)?
            {
                found.push(item);
            }
        }
        Some(found)
    }

    fn is_asked_for(&self, at: usize, item: &Item) -> Option<bool> {
        let entity = &self.program.entities[item.0];
        if let Some(deleted) = entity.deleted.as_ref().filter(|_| !self.pattern.with_deleted)
            && self.holds(deleted, item)?
        {
            return Some(false);
        }
        if let Some(ttl) = entity.ttl.filter(|_| !self.pattern.with_expired)
            && let Some(until) = self.attribute(item, ttl)?
            && until.as_i64()? * 1_000 <= self.now_ms
        {
            return Some(false);
        }
        if let Some(tenant) = entity.tenant.filter(|_| !self.pattern.system) {
            let own = self.caller.get(&*entity.attributes[tenant.attribute].name);
            if self.attribute(item, tenant.attribute)?.as_ref() != own {
                return Some(false);
            }
        }
        for bind in &self.pattern.binds {
            if !self.is_bound(item, bind.to, &bind.value)? {
                return Some(false);
            }
        }
        for conjunct in self.pattern.sieve.get(at)? {
            if !self.is_left_out(conjunct) && !self.holds(&conjunct.expr, item)? {
                return Some(false);
            }
        }
        Some(true)
    }

    fn is_bound(&self, item: &Item, to: Bound, value: &BindValue) -> Option<bool> {
        let Bound::Attribute(of_first) = to else { return None };
        let first = *self.pattern.entities.first()?;
        let own = self.attribute(item, self.program.same_attribute(first, of_first, item.0)?)?;
        Some(match value {
            // A parameter that is left out asks for nothing.
            BindValue::Parameter(local) => self.local(*local).is_none_or(|value| own == Some(value)),
            BindValue::Expr(expr) => {
                let value = self.value(expr, item)?;
                value.is_none() || own == value
            }
            BindValue::All => own.is_some(),
            BindValue::In(list) => self
                .value(list, item)?
                .and_then(|list| Some(list.as_array()?.contains(&own?)))
                .unwrap_or(false),
        })
    }

    /// A condition is dropped when an optional parameter in it is left out.
    fn is_left_out(&self, conjunct: &Conjunct) -> bool {
        conjunct.drops.iter().any(|local| self.local(*local).is_none())
    }

    fn local(&self, local: LocalId) -> Option<Json> {
        let parameter = self.pattern.signature.parameters.iter().find(|each| each.local == local)?;
        let given = self.arguments.get(&*parameter.name).cloned();
        let own = || self.caller.get(&*self.program.caller[parameter.of_caller?].name).cloned();
        given.or_else(own)
    }

    /// An attribute as clients see it; hidden attributes are not available here.
    fn attribute(&self, item: &Item, id: AttributeId) -> Value {
        let attribute = &self.program.entities[item.0].attributes[id];
        let is_seen = !attribute.is_hidden() && attribute.encrypted.is_none() && !attribute.flags.null;
        is_seen.then(|| item.1.get(&*attribute.name).cloned())
    }

    fn holds(&self, expr: &Expr, item: &Item) -> Option<bool> {
        Some(self.value(expr, item)? == Some(Json::Bool(true)))
    }

    fn value(&self, expr: &Expr, item: &Item) -> Value {
        let of = |expr: &Expr| self.value(expr, item);
        let truth = |expr: &Expr| self.holds(expr, item);
        let told = |holds: bool| Some(Some(Json::Bool(holds)));
        match &expr.kind {
            ExprKind::Number(number) => Some(Some(serde_json::from_str(&number.to_string()).ok()?)),
            ExprKind::Text(text) => Some(Some(text.as_str().into())),
            ExprKind::Word(word) => Some(Some((**word).into())),
            ExprKind::Bool(value) => told(*value),
            ExprKind::Nothing => Some(None),
            ExprKind::Attribute(id) => self.attribute(item, *id),
            ExprKind::Local(local) => {
                let parameter = self.pattern.signature.parameters.iter().find(|each| each.local == *local)?;
                parameter.default.is_none().then(|| self.local(*local))
            }
            ExprKind::CallerPart(part) => Some(self.caller.get(&*self.program.caller[*part].name).cloned()),
            ExprKind::Not(inner) => told(!truth(inner)?),
            ExprKind::Exists(inner) => told(of(inner)?.is_some()),
            ExprKind::Absent(inner) => told(of(inner)?.is_none()),
            ExprKind::List(members) => {
                let members: Vec<Option<Json>> = members.iter().map(of).collect::<Option<_>>()?;
                Some(Some(members.into_iter().flatten().collect()))
            }
            ExprKind::Binary { op: Op::And, left, right } => told(truth(left)? && truth(right)?),
            ExprKind::Binary { op: Op::Or, left, right } => told(truth(left)? || truth(right)?),
            ExprKind::Binary { op: Op::Implies, left, right } => told(!truth(left)? || truth(right)?),
            ExprKind::Binary { op: Op::In, left, right } => match &right.kind {
                ExprKind::Range { low, high } => {
                    let Some(own) = of(left)? else { return told(false) };
                    let mut inside = true;
                    for (bound, wrong) in [(low, Ordering::Less), (high, Ordering::Greater)] {
                        if let Some(bound) = bound.as_deref().map_or(Some(None), of)? {
                            inside &= ordered(&own, &bound)? != wrong;
                        }
                    }
                    told(inside)
                }
                _ => {
                    let (own, list) = (of(left)?, of(right)?);
                    told(own.is_some_and(|own| list.is_some_and(|list| contains(&list, &own))))
                }
            },
            ExprKind::Binary { op, left, right } => {
                let (left, right) = (of(left)?, of(right)?);
                told(compare(*op, left.as_ref(), right.as_ref())?)
            }
            _ => None,
        }
    }
}

fn contains(list: &Json, member: &Json) -> bool {
    list.as_array().is_some_and(|list| list.contains(member))
}

/// The order of two values; none where one is a number and the other text, as times of two units are.
fn ordered(left: &Json, right: &Json) -> Option<Ordering> {
    (left.is_number() == right.is_number()).then(|| order(left, right))
}

/// An absent value equals only absent ones, and has no order.
fn compare(op: Op, left: Option<&Json>, right: Option<&Json>) -> Option<bool> {
    let is_same = match (left, right) {
        (Some(left), Some(right)) if left.is_number() && right.is_number() => order(left, right).is_eq(),
        (left, right) => left == right,
    };
    let ordered = |wanted: fn(Ordering) -> bool| match (left, right) {
        (Some(left), Some(right)) => ordered(left, right).map(wanted),
        _ => Some(false),
    };
    Some(match op {
        Op::Eq => is_same,
        Op::NotEq => !is_same,
        Op::Lt => ordered(Ordering::is_lt)?,
        Op::LtEq => ordered(Ordering::is_le)?,
        Op::Gt => ordered(Ordering::is_gt)?,
        Op::GtEq => ordered(Ordering::is_ge)?,
        Op::StartsWith => left?.as_str()?.starts_with(right?.as_str()?),
        Op::Contains => contains(left?, right?),
        _ => return None,
    })
}

/// The part of an item that an answer has: the attributes that the pattern selects, if it selects some.
pub(crate) fn shown(program: &Program, pattern: &Pattern, item: &Item) -> Json {
    let Some(select) = &pattern.select else { return Json::Object(item.1.clone()) };
    let attributes = &program.entities[item.0].attributes;
    let names = select.iter().map(|id| attributes[*id].name.to_string());
    Json::Object(names.filter_map(|name| Some((name.clone(), item.1.get(&name)?.clone()))).collect())
}

/// Whether the interpreter can answer a pattern, as far as its clauses go.
pub(crate) fn is_understood(program: &Program, pattern: &Pattern) -> bool {
    let selects_hidden = pattern.select.iter().flatten().any(|id| {
        let first = pattern.entities.first().map(|entity| &program.entities[*entity]);
        first.is_none_or(|entity| entity.attributes[*id].is_hidden())
    });
    let one = pattern.entities.len() == 1;
    one && pattern.then.is_none()
        && pattern.requires.is_none()
        && !selects_hidden
        && pattern.verb != ReadVerb::Sum
}
