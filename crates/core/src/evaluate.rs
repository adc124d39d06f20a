//! Expressions evaluated in memory.
//!
//! Nothing here makes a request: calls of patterns, rules and entities are settled before (see `settle.rs`).

mod calendar;
mod compute;
mod csv;
mod functions;
mod scope;
mod view;
mod webhooks;

pub use compute::{Computation, Computed, compute};
pub use functions::{hash_password, hex};
pub use scope::Scope;
pub use view::View;

use std::cmp::Ordering;
use std::sync::Arc;

use sortkey_design::model::Op;
use sortkey_design::program::{AttributeId, EntityId, Enum, Expr, ExprKind, LocalId, Reference, Ty};

use crate::Failure;
use crate::values::{Fields, Val, arithmetic, iso, iso_seconds, parse_time, quotient};

impl Scope<'_> {
    /// The value of an expression. The parser bounds how deep expressions nest.
    pub fn eval(&self, expr: &Expr, view: Option<View<'_>>) -> Result<Val, Failure> {
        let shared = self.shared;
        if expr.is_lazy()
            && let Some(value) = self.settled(expr)
        {
            return Ok(value.clone());
        }
        Ok(match &expr.kind {
            ExprKind::Number(number) => Val::Number(*number),
            ExprKind::Text(text) => Val::text(text),
            ExprKind::Word(word) => Val::text(&**word),
            ExprKind::Bool(value) => Val::Bool(*value),
            ExprKind::Null => Val::Null,
            ExprKind::Now => Val::Time(self.now_ms),
            ExprKind::Setting(id) => Val::text(&shared.parameters[*id]),
            ExprKind::Local(id) => self.get(*id).cloned().unwrap_or_default(),
            ExprKind::Attribute(id) => match view.and_then(|view| view.get(shared, *id)) {
                Some(value) => value.into_owned(),
                None => self.computed_of(*id, view)?,
            },
            ExprKind::Sibling(id) => view.and_then(|view| view.sibling(*id)).cloned().unwrap_or_default(),
            ExprKind::Stored(id) => {
                view.and_then(|view| view.text(shared, *id)).map_or(Val::Absent, Val::Text)
            }
            ExprKind::Item => match view.and_then(|view| Some((view.entity()?, view))) {
                Some((entity, view)) => Val::item(entity, view.fields(shared)),
                None => Val::Absent,
            },
            ExprKind::Caller => {
                self.caller.as_ref().map_or(Val::Absent, |caller| Val::Map((**caller).clone()))
            }
            ExprKind::CallerPart(id) => {
                let caller = self.caller.as_ref();
                caller
                    .and_then(|caller| caller.get(&shared.program.caller[*id].name))
                    .cloned()
                    .unwrap_or_default()
            }
            ExprKind::Not(operand) => Val::Bool(!self.holds(operand, view)?),
            ExprKind::Negative(operand) => match self.eval(operand, view)? {
                Val::Number(number) => Val::Number(number.negated()),
                other => other,
            },
            ExprKind::Exists(operand) => Val::Bool(!self.eval(operand, view)?.is_absent()),
            ExprKind::Absent(operand) => Val::Bool(self.eval(operand, view)?.is_absent()),
            ExprKind::Binary { op, left, right } => self.binary(*op, left, right, view)?,
            ExprKind::Of { item, attribute } => self.of(item, *attribute, view)?,
            ExprKind::Member { base, name } => {
                // A part of something encrypted is a part of what it is when it is opened.
                let base = crate::write::unsealed(self, self.eval(base, view)?)?;
                self.member(&base, name)?
            }
            ExprKind::Constant { word, of, name } => match self.eval(word, view)? {
                Val::Text(word) => self.constant(&shared.program.enums[*of], &word, name)?,
                _ => Val::Absent,
            },
            ExprKind::Arrow { base, from, to, attribute } => {
                self.arrow(&self.eval(base, view)?, from, *to, *attribute)?
            }
            ExprKind::Index { base, index } => {
                let (base, index) = (self.eval(base, view)?, self.eval(index, view)?);
                element(&base, &index)
            }
            ExprKind::List(elements) => {
                Val::List(elements.iter().map(|each| self.eval(each, view)).collect::<Result<_, _>>()?)
            }
            ExprKind::Choose { arms, otherwise } => {
                for (condition, value) in arms {
                    if self.holds(condition, view)? {
                        return self.eval(value, view);
                    }
                }
                match otherwise {
                    Some(value) => self.eval(value, view)?,
                    None => Val::Absent,
                }
            }
            ExprKind::Object { spreads, members } => Val::Map(self.object(spreads, members, view)?),
            ExprKind::Function { function, arguments } => self.function(*function, arguments, view)?,
            ExprKind::Rule { .. }
            | ExprKind::Call { .. }
            | ExprKind::ItemAt(_)
            | ExprKind::With { .. }
            | ExprKind::AsStored(_) => self.settled(expr).cloned().unwrap_or_default(),
            // A range is no value, and `new` needs an attribute.
            ExprKind::Missing | ExprKind::Nothing | ExprKind::New | ExprKind::Range { .. } => Val::Absent,
        })
    }

    /// Whether a condition holds; what is not true is false.
    pub(crate) fn holds(&self, condition: &Expr, view: Option<View<'_>>) -> Result<bool, Failure> {
        Ok(self.eval(condition, view)?.is_true())
    }

    /// The value of an attribute that is computed when its item is read, of an item that was not read whole. Its
    /// expression uses stored attributes, or others that are computed: the compiler refuses those that need each other.
    fn computed_of(&self, id: AttributeId, view: Option<View<'_>>) -> Result<Val, Failure> {
        let Some((entity, view)) = view.and_then(|view| Some((view.entity()?, view))) else {
            return Ok(Val::Absent);
        };
        let info = &self.shared.entities[entity];
        if !info.anatomy.has_virtual {
            return Ok(Val::Absent);
        }
        match view.own(self.shared, id) {
            Some(id) => crate::read::computed(self, info, id, view),
            None => Ok(Val::Absent),
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
        if let (Op::Div, Val::Number(left_value), Val::Number(right_value)) = (op, &value, &other)
            && (left.is_decimal() || right.is_decimal())
        {
            return quotient(*left_value, *right_value).map(Val::Number).ok_or_else(overflow);
        }
        combine(op, value, other)
    }

    /// An attribute of an item in hand.
    fn of(&self, item: &Expr, attribute: AttributeId, view: Option<View<'_>>) -> Result<Val, Failure> {
        let Ty::Item(entity) = item.ty else { return Ok(Val::Absent) };
        let name = &self.shared.program.entities[entity].attributes[attribute].name;
        // A bound item is read in place, not copied.
        if let ExprKind::Local(local) = item.kind {
            let fields = self.get(local).and_then(Val::fields);
            return Ok(fields.and_then(|fields| fields.get(name)).cloned().unwrap_or_default());
        }
        self.member(&self.eval(item, view)?, name)
    }

    fn member(&self, value: &Val, name: &str) -> Result<Val, Failure> {
        Ok(match value {
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
            // Of a word whose enum is not known, the first that has such a constant.
            Val::Text(word) => {
                let enums = self.shared.program.enums.iter();
                let mut constants = enums.map(|each| self.constant(each, word, name));
                let known = |found: &Result<Val, Failure>| !matches!(found, Ok(Val::Absent));
                constants.find(known).unwrap_or(Ok(Val::Absent))?
            }
            _ => Val::Absent,
        })
    }

    /// The constant of an enum's member: `plan.retention`.
    fn constant(&self, of: &Enum, word: &str, name: &str) -> Result<Val, Failure> {
        let member = of.words.iter().find(|each| *each.name == *word);
        let constants = member.into_iter().flat_map(|member| &member.constants);
        match constants.into_iter().find(|(constant, _)| **constant == *name) {
            Some((_, value)) => self.eval(value, None),
            None => Ok(Val::Absent),
        }
    }

    /// An attribute of the item that a reference points to, if that item is in hand.
    fn arrow(&self, value: &Val, from: &str, to: Reference, attribute: AttributeId) -> Result<Val, Failure> {
        if value.is_absent() {
            return Ok(Val::Absent);
        }
        let target = &self.shared.program.entities[to.entity];
        let key = &target.attributes[to.attribute].name;
        let points = |(entity, fields): &(EntityId, &Fields)| {
            *entity == to.entity && fields.get(key).is_some_and(|other| other.same(value))
        };
        let name = &target.attributes[attribute].name;
        match self.items().find(points) {
            Some((_, fields)) => Ok(fields.get(name).cloned().unwrap_or_default()),
            None => Err(Failure::internal(format!(
                "`{from}->{name}` needs the {} in hand: read it with `let` first",
                target.name
            ))),
        }
    }

    /// `{ ...x, a: 1 }` as a value.
    fn object(
        &self,
        spreads: &[LocalId],
        members: &[(Arc<str>, Expr)],
        view: Option<View<'_>>,
    ) -> Result<Fields, Failure> {
        let mut object = Fields::new();
        for spread in spreads {
            object.extend(self.spread(*spread).cloned().unwrap_or_default());
        }
        for (name, value) in members {
            object.insert(name.clone(), self.eval(value, view)?);
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

fn overflow() -> Failure {
    Failure::new(crate::FailureKind::Invalid, "a result is not a number that can be kept")
}

/// Arithmetic: on numbers, on times with durations, on text and lists by joining, element by element on lists.
fn calculate(op: Op, left: Val, right: Val) -> Result<Val, Failure> {
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
