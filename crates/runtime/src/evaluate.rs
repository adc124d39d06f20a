//! Expressions evaluated in memory.
//!
//! A bare name is a parameter or a `let` if there is one, else an attribute of the item in view, else a word of an enum.
//! Nothing here makes a request: calls of patterns, rules and entities are settled before (see `settle.rs`).

mod functions;
mod scope;
mod view;

pub(crate) use functions::hex;
pub(crate) use scope::Scope;
pub(crate) use view::View;

use std::borrow::Cow;
use std::cmp::Ordering;

use sortkey_design::model::*;
use sortkey_value::Number;

use crate::Failure;
use crate::values::{Val, arithmetic, iso, iso_seconds, parse_time};

impl Scope<'_> {
    /// The value of an expression. The parser bounds how deep expressions nest.
    pub(crate) fn eval(&self, expr: &Expr, view: Option<View<'_>>) -> Result<Val, Failure> {
        Ok(match &expr.kind {
            ExprKind::Missing => Val::Absent,
            ExprKind::Number { digits, unit } => number(digits, unit)?,
            ExprKind::Text { value } => Val::text(value),
            ExprKind::Name { name } => self.name(name, view),
            ExprKind::Not { operand } => Val::Bool(!self.holds(operand, view)?),
            ExprKind::Negative { operand } => match self.eval(operand, view)? {
                Val::Number(number) => Val::Number(number.negated()),
                other => other,
            },
            ExprKind::Exists { operand } => Val::Bool(!self.eval(operand, view)?.is_absent()),
            ExprKind::Absent { operand } => Val::Bool(self.eval(operand, view)?.is_absent()),
            ExprKind::Range { .. } => Val::Absent,
            ExprKind::Binary { op, left, right } => self.binary(*op, left, right, view)?,
            ExprKind::Member { base, name } => self.member(base, &name.text, view)?,
            ExprKind::Arrow { base, name } => self.arrow(base, &name.text, view)?,
            ExprKind::Index { base, index } => {
                let (base, index) = (self.eval(base, view)?, self.eval(index, view)?);
                element(&base, &index)
            }
            ExprKind::List { elements } => {
                Val::List(elements.iter().map(|each| self.eval(each, view)).collect::<Result<_, _>>()?)
            }
            ExprKind::Object { fields } => Val::Map(self.object(fields, view)?),
            ExprKind::Call { callee, args } => match callee.as_name() {
                Some(function) => self.function(function, args, view)?,
                None => Val::Absent,
            },
            ExprKind::With { base, .. } => self.eval(base, view)?,
        })
    }

    /// Whether a condition holds; what is not true is false.
    pub(crate) fn holds(&self, condition: &Expr, view: Option<View<'_>>) -> Result<bool, Failure> {
        Ok(self.eval(condition, view)?.is_true())
    }

    fn name(&self, name: &str, view: Option<View<'_>>) -> Val {
        match name {
            "now" => return Val::Time(self.now_ms),
            "true" => return Val::Bool(true),
            "false" => return Val::Bool(false),
            "absent" => return Val::Absent,
            "null" => return Val::Null,
            "caller" => {
                return self.caller.as_ref().map_or(Val::Absent, |caller| Val::Map((**caller).clone()));
            }
            "it" => return view.map_or(Val::Absent, |view| Val::item(view.entity, view.fields(self.shared))),
            _ => {}
        }
        if let Some(value) = self.get(name) {
            return value.clone();
        }
        if let Some(view) = view
            && self.shared.design.entities[view.entity].stores_or_computes(name)
        {
            return view.get(self.shared, name).map(Cow::into_owned).unwrap_or_default();
        }
        match self.shared.settings.parameters.get(name) {
            Some(value) if self.shared.design.parameters.iter().any(|each| each.name.is(name)) => {
                Val::text(value)
            }
            // A word of an enum.
            _ => Val::text(name),
        }
    }

    fn binary(&self, op: Op, left: &Expr, right: &Expr, view: Option<View<'_>>) -> Result<Val, Failure> {
        match op {
            Op::And => return Ok(Val::Bool(self.holds(left, view)? && self.holds(right, view)?)),
            Op::Or => return Ok(Val::Bool(self.holds(left, view)? || self.holds(right, view)?)),
            Op::Implies => return Ok(Val::Bool(!self.holds(left, view)? || self.holds(right, view)?)),
            _ => {}
        }
        let value = self.eval(left, view)?;
        if let (Op::In, ExprKind::Range { low, high }) = (op, &right.kind) {
            let inside = |bound: &Option<Box<Expr>>, wrong: Ordering| -> Result<bool, Failure> {
                let Some(bound) = bound else { return Ok(true) };
                let bound = self.eval(bound, view)?;
                let bound = if matches!(value, Val::Time(_)) { as_time(bound) } else { bound };
                Ok(bound.is_absent() || value.order(&bound).is_some_and(|order| order != wrong))
            };
            return Ok(Val::Bool(inside(low, Ordering::Less)? && inside(high, Ordering::Greater)?));
        }
        let other = self.eval(right, view)?;
        combine(op, value, other)
    }

    fn member(&self, base: &Expr, name: &str, view: Option<View<'_>>) -> Result<Val, Failure> {
        let value = self.eval(base, view)?;
        Ok(match &value {
            Val::Map(fields) => fields.get(name).cloned().unwrap_or_default(),
            Val::Item(record) => record.fields.get(name).cloned().unwrap_or_default(),
            // A member of every element: `lineItems.price`.
            Val::List(elements) => Val::List(
                elements
                    .iter()
                    .map(|each| {
                        each.fields().and_then(|fields| fields.get(name)).cloned().unwrap_or_default()
                    })
                    .collect(),
            ),
            Val::Text(word) => self.constant(word, name)?,
            _ => Val::Absent,
        })
    }

    /// The constant of an enum's member: `plan.retention`.
    fn constant(&self, word: &str, name: &str) -> Result<Val, Failure> {
        let members = self.shared.design.enums.iter().flat_map(|each| &each.members);
        let constants = members.filter(|member| member.name.is(word)).flat_map(|member| &member.constants);
        match constants.into_iter().find(|(constant, _)| constant.is(name)) {
            Some((_, value)) => self.eval(value, None),
            None => Ok(Val::Absent),
        }
    }

    /// An attribute of the item that a reference points to, if that item is in hand.
    fn arrow(&self, base: &Expr, name: &str, view: Option<View<'_>>) -> Result<Val, Failure> {
        let value = self.eval(base, view)?;
        if value.is_absent() {
            return Ok(Val::Absent);
        }
        let attribute = match (&base.kind, view) {
            (ExprKind::Name { name }, Some(view)) => self.shared.design.entities[view.entity].attribute(name),
            _ => None,
        };
        let reference =
            attribute.and_then(|attribute| attribute.reference.as_ref().map(|each| (attribute, each)));
        let Some((attribute, reference)) = reference else { return Ok(Val::Absent) };
        let target = reference.attribute.as_ref().unwrap_or(&attribute.name);
        let found = self.items().find(|(entity, fields)| {
            self.shared.design.entities[*entity].name == reference.entity
                && fields.get(&target.text).is_some_and(|other| other.same(&value))
        });
        match found {
            Some((_, fields)) => Ok(fields.get(name).cloned().unwrap_or_default()),
            None => Err(Failure::internal(format!(
                "`{}->{name}` needs the {} in hand: read it with `let` first",
                attribute.name, reference.entity
            ))),
        }
    }

    /// `{ ...x, a: 1 }` as a value.
    pub(crate) fn object(
        &self,
        fields: &Fields,
        view: Option<View<'_>>,
    ) -> Result<crate::values::Fields, Failure> {
        let mut object = crate::values::Fields::new();
        for spread in &fields.spreads {
            if let Some(copied) = self.get(&spread.text).and_then(Val::fields) {
                object.extend(copied.clone());
            }
        }
        for field in &fields.fields {
            let Some(name) = field.path.first() else { continue };
            let value = self.eval(&field.value, view)?;
            object.insert(name.text.clone(), value);
        }
        Ok(object)
    }
}

/// `left op right` for operators that need both sides. A time may be written as text.
fn combine(op: Op, left: Val, right: Val) -> Result<Val, Failure> {
    let (left, right) = match (left, right) {
        (left @ Val::Time(_), right) if op.compares() => (left, as_time(right)),
        (left, right @ Val::Time(_)) if op.compares() => (as_time(left), right),
        other => other,
    };
    let ordered =
        |wanted: &[Ordering]| Val::Bool(left.order(&right).is_some_and(|order| wanted.contains(&order)));
    Ok(match op {
        Op::Eq => Val::Bool(left.same(&right)),
        Op::NotEq => Val::Bool(!left.same(&right)),
        Op::Lt => ordered(&[Ordering::Less]),
        Op::LtEq => ordered(&[Ordering::Less, Ordering::Equal]),
        Op::Gt => ordered(&[Ordering::Greater]),
        Op::GtEq => ordered(&[Ordering::Greater, Ordering::Equal]),
        Op::Contains => Val::Bool(contains(&left, &right)),
        Op::StartsWith => Val::Bool(match (&left, &right) {
            (Val::Text(text), Val::Text(prefix)) => text.starts_with(prefix.as_str()),
            // Times of both forms that are stored as text begin with their day.
            (Val::Time(time_ms), Val::Text(prefix)) => {
                iso(*time_ms).starts_with(prefix.as_str())
                    || iso_seconds(*time_ms).starts_with(prefix.as_str())
            }
            (Val::Bytes(bytes), Val::Bytes(prefix)) => bytes.starts_with(prefix),
            _ => false,
        }),
        Op::In => Val::Bool(contains(&right, &left)),
        _ => calculate(op, left, right)?,
    })
}

/// Text that is a time, and the texts of a list that are, as times.
pub(crate) fn as_time(value: Val) -> Val {
    match value {
        Val::Text(text) => parse_time(&text).map_or(Val::Text(text), Val::Time),
        Val::List(members) => Val::List(members.into_iter().map(as_time).collect()),
        other => other,
    }
}

/// Arithmetic: on numbers, on times with durations, on text and lists by joining, element by element on lists.
fn calculate(op: Op, left: Val, right: Val) -> Result<Val, Failure> {
    let overflow = || Failure::new(crate::FailureKind::Invalid, "a result is not a number that can be kept");
    Ok(match (op, left, right) {
        (Op::Add, Val::List(mut left), Val::List(right)) => {
            left.extend(right);
            Val::List(left)
        }
        (_, Val::Absent, _) | (_, _, Val::Absent) => Val::Absent,
        (_, Val::Number(left), Val::Number(right)) => {
            Val::Number(arithmetic(op, left, right).ok_or_else(overflow)?)
        }
        (Op::Add, Val::Time(time), Val::Number(duration))
        | (Op::Add, Val::Number(duration), Val::Time(time)) => {
            Val::Time(duration.to_i64().and_then(|each| time.checked_add(each)).ok_or_else(overflow)?)
        }
        (Op::Sub, Val::Time(time), Val::Number(duration)) => {
            Val::Time(duration.to_i64().and_then(|each| time.checked_sub(each)).ok_or_else(overflow)?)
        }
        (Op::Sub, Val::Time(left), Val::Time(right)) => {
            Val::integer(left.checked_sub(right).ok_or_else(overflow)?)
        }
        (Op::Add, Val::Text(left), right) => match crate::template::canonical(None, &right) {
            Some(right) => Val::Text(left + &right),
            None => Val::Absent,
        },
        (_, Val::List(left), Val::List(right)) => Val::List(
            left.into_iter()
                .zip(right)
                .map(|(left, right)| calculate(op, left, right))
                .collect::<Result<_, _>>()?,
        ),
        _ => Val::Absent,
    })
}

fn contains(whole: &Val, part: &Val) -> bool {
    match whole {
        Val::List(members) | Val::Set(members) => members.iter().any(|each| each.same(part)),
        Val::Text(text) => part.as_text().is_some_and(|part| text.contains(part)),
        Val::Map(fields) => part.as_text().is_some_and(|part| fields.contains_key(part)),
        _ => false,
    }
}

fn element(base: &Val, index: &Val) -> Val {
    match (base, index) {
        (Val::List(members) | Val::Set(members), Val::Number(at)) => {
            let at = at.to_i64().and_then(|at| usize::try_from(at).ok());
            at.and_then(|at| members.get(at)).cloned().unwrap_or_default()
        }
        (Val::Map(fields), Val::Text(name)) => fields.get(name).cloned().unwrap_or_default(),
        _ => Val::Absent,
    }
}

/// A literal in its base unit: milliseconds for durations, bytes for sizes.
fn number(digits: &str, unit: &str) -> Result<Val, Failure> {
    let factor = match unit {
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        "w" => 604_800_000,
        "KB" => 1 << 10,
        "MB" => 1 << 20,
        "GB" => 1 << 30,
        _ => 1,
    };
    let parsed = Number::parse(digits).ok();
    let scaled = parsed.and_then(|number| arithmetic(Op::Mul, number, Number::from(factor)));
    scaled.map(Val::Number).ok_or_else(|| Failure::internal(format!("`{digits}` is no number")))
}

/// What names of the design an item may have.
trait Named {
    fn stores_or_computes(&self, name: &str) -> bool;
}

impl Named for Entity {
    fn stores_or_computes(&self, name: &str) -> bool {
        self.attribute(name).is_some() || self.template(name).is_some()
    }
}
