//! Conditions of the design as DynamoDB's condition expressions, names aliased where DynamoDB asks for it.
//!
//! Parts that do not involve the item are evaluated immediately; parts that DynamoDB cannot express (arithmetic,
//! content of JSON text, constants of enums) are reported, so that the caller reads the item and decides in memory.

mod defaults;

use std::collections::BTreeMap;
use std::sync::Arc;

use sortkey_api::SuppliedItem;
use sortkey_design::Program;
use sortkey_design::model::{Op, StringFormat};
use sortkey_design::program::{EntityId, Expr, ExprKind, Function, Type};
use sortkey_expression::is_plain_name;
use sortkey_value::{AttributeValue, Map};

use crate::Failure;
use crate::evaluate::{Scope, View, as_time};
use crate::values::{Fields, Val, to_stored};

/// The placeholders of one request.
#[derive(Clone, Debug, Default)]
pub(crate) struct Placeholders {
    names: BTreeMap<String, String>,
    values: Map,
}

/// A condition, as far as it is known.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Condition {
    /// It holds whatever the item is.
    Always,
    /// It cannot hold.
    Never,
    /// DynamoDB decides.
    Text(String),
}

impl Placeholders {
    /// An attribute's name as expressions have it: the name itself, or an alias where DynamoDB would not take the name.
    pub(crate) fn name(&mut self, attribute: &str) -> String {
        if is_plain_name(attribute) {
            return attribute.to_owned();
        }
        if let Some((alias, _)) = self.names.iter().find(|(_, name)| *name == attribute) {
            return alias.clone();
        }
        let alias = format!("#n{}", self.names.len());
        self.names.insert(alias.clone(), attribute.to_owned());
        alias
    }

    /// The alias of a path into an attribute.
    pub(crate) fn path(&mut self, path: &[Arc<str>]) -> String {
        let aliases: Vec<String> = path.iter().map(|name| self.name(name)).collect();
        aliases.join(".")
    }

    /// The alias of a value.
    pub(crate) fn value(&mut self, value: AttributeValue) -> String {
        let alias = format!(":v{}", self.values.len());
        self.values.insert(alias.clone(), value);
        alias
    }

    /// How many there are, to come back to.
    fn mark(&self) -> (usize, usize) {
        (self.names.len(), self.values.len())
    }

    /// Forgets what was added since a mark: DynamoDB refuses placeholders that no expression uses.
    fn forget_since(&mut self, (names, values): (usize, usize)) {
        let earlier = |alias: &str, count: usize| alias[2..].parse::<usize>().is_ok_and(|at| at < count);
        self.names.retain(|alias, _| earlier(alias, names));
        self.values.retain(|alias, _| earlier(alias, values));
    }

    /// As requests take them: absent where there are none.
    pub(crate) fn into_parts(self) -> (Option<BTreeMap<String, String>>, Option<SuppliedItem>) {
        let values = (!self.values.is_empty()).then(|| SuppliedItem::from(self.values));
        ((!self.names.is_empty()).then_some(self.names), values)
    }
}

impl Condition {
    pub(crate) fn and(self, other: Condition) -> Condition {
        match (self, other) {
            (Condition::Never, _) | (_, Condition::Never) => Condition::Never,
            (Condition::Always, other) | (other, Condition::Always) => other,
            (Condition::Text(left), Condition::Text(right)) => {
                Condition::Text(format!("({left}) AND ({right})"))
            }
        }
    }

    fn or(self, other: Condition) -> Condition {
        match (self, other) {
            (Condition::Always, _) | (_, Condition::Always) => Condition::Always,
            (Condition::Never, other) | (other, Condition::Never) => other,
            (Condition::Text(left), Condition::Text(right)) => {
                Condition::Text(format!("({left}) OR ({right})"))
            }
        }
    }

    fn not(self) -> Condition {
        match self {
            Condition::Always => Condition::Never,
            Condition::Never => Condition::Always,
            Condition::Text(text) => Condition::Text(format!("NOT ({text})")),
        }
    }
}

impl From<bool> for Condition {
    fn from(holds: bool) -> Condition {
        if holds { Condition::Always } else { Condition::Never }
    }
}

/// Compiles conditions on items of one entity.
pub(crate) struct Compiler<'a> {
    pub(crate) scope: &'a Scope<'a>,
    pub(crate) entity: EntityId,
    /// The values of missing attributes,
    /// in addition to the defaults that are the same for every item; only `upsert` has them.
    pub(crate) defaults: Option<&'a Fields>,
    /// Attributes as they will be, whatever the stored item has: what a change puts in.
    pub(crate) after: Option<&'a Fields>,
}

/// One side of a comparison.
enum Operand {
    Path(Vec<Arc<str>>, Arc<Type>),
    Size(Vec<Arc<str>>),
    Value(Val),
}

impl<'a> Compiler<'a> {
    /// A compiler of conditions on the item as it is stored.
    pub(crate) fn new(scope: &'a Scope<'a>, entity: EntityId) -> Compiler<'a> {
        Compiler { scope, entity, defaults: None, after: None }
    }

    /// The value of what does not concern the stored item.
    fn value(&self, expr: &Expr) -> Result<Val, Failure> {
        self.scope.eval(expr, self.after.map(|after| View::of(self.entity, after)))
    }

    /// The condition, or none if DynamoDB cannot express it.
    pub(crate) fn compile(&self, expr: &Expr, into: &mut Placeholders) -> Result<Option<Condition>, Failure> {
        if !self.concerns_item(expr) {
            return Ok(Some(self.value(expr)?.is_true().into()));
        }
        let both = |left: &Expr, right: &Expr, into: &mut Placeholders| -> Result<_, Failure> {
            Ok(self.compile(left, into)?.zip(self.compile(right, into)?))
        };
        let mark = into.mark();
        let compiled = match &expr.kind {
            ExprKind::Binary { op: Op::And, left, right } => both(left, right, into)?.map(|(a, b)| a.and(b)),
            ExprKind::Binary { op: Op::Or, left, right } => both(left, right, into)?.map(|(a, b)| a.or(b)),
            ExprKind::Binary { op: Op::Implies, left, right } => {
                both(left, right, into)?.map(|(a, b)| a.not().or(b))
            }
            ExprKind::Not(operand) => self.compile(operand, into)?.map(Condition::not),
            ExprKind::Exists(operand) => self.presence("attribute_exists", operand, into)?,
            ExprKind::Absent(operand) => self.presence("attribute_not_exists", operand, into)?,
            ExprKind::Binary { op, left, right } => {
                let compiled = self.comparison(*op, left, right, into)?;
                self.with_defaults(expr, compiled, into)?
            }
            _ => match self.operand(expr)? {
                Some(Operand::Path(path, ty)) if *ty == Type::Bool => {
                    let (path, value) = (into.path(&path), into.value(AttributeValue::Bool(true)));
                    Some(Condition::Text(format!("{path} = {value}")))
                }
                _ => None,
            },
        };
        if !matches!(compiled, Some(Condition::Text(_))) {
            into.forget_since(mark);
        }
        Ok(compiled)
    }

    /// Whether an expression refers to the stored item, so that it cannot be decided before the request.
    pub(crate) fn concerns_item(&self, expr: &Expr) -> bool {
        let Some(after) = self.after else { return expr.concerns_item() };
        let attributes = &self.scope.shared.program.entities[self.entity].attributes;
        let mut concerns = false;
        expr.walk(&mut |each| {
            concerns |= match &each.kind {
                ExprKind::Attribute(id) => !after.contains_key(&attributes[*id].name),
                ExprKind::Stored(_) | ExprKind::Item => true,
                _ => false,
            };
        });
        concerns
    }

    fn presence(
        &self,
        function: &str,
        operand: &Expr,
        into: &mut Placeholders,
    ) -> Result<Option<Condition>, Failure> {
        Ok(match self.operand(operand)? {
            // An item that lacks what has a default reads as having it.
            Some(Operand::Path(path, _)) if self.assumed(&path) => {
                Some(Condition::from(function == "attribute_exists"))
            }
            Some(Operand::Path(path, _)) => {
                let path = into.path(&path);
                Some(Condition::Text(format!("{function}({path})")))
            }
            _ => None,
        })
    }

    fn comparison(
        &self,
        op: Op,
        left: &Expr,
        right: &Expr,
        into: &mut Placeholders,
    ) -> Result<Option<Condition>, Failure> {
        if let (Op::In, ExprKind::Range { low, high }) = (op, &right.kind) {
            let mut whole = Condition::Always;
            for (op, bound) in [(Op::GtEq, low), (Op::LtEq, high)] {
                let Some(bound) = bound else { continue };
                if !self.concerns_item(bound) && self.value(bound)?.is_absent() {
                    continue;
                }
                match self.comparison(op, left, bound, into)? {
                    Some(part) => whole = whole.and(part),
                    None => return Ok(None),
                }
            }
            return Ok(Some(whole));
        }
        let (Some(left), Some(right)) = (self.operand(left)?, self.operand(right)?) else {
            return Ok(None);
        };
        Ok(self.compare(op, left, right, into))
    }

    fn compare(&self, op: Op, left: Operand, right: Operand, into: &mut Placeholders) -> Option<Condition> {
        let program = &self.scope.shared.program;
        match (left, right) {
            (Operand::Path(path, ty), Operand::Value(value)) => {
                let path = into.path(&path);
                path_and_value(program, op, &path, &ty, &value, into)
            }
            (Operand::Size(path), Operand::Value(value)) => {
                let path = format!("size({})", into.path(&path));
                path_and_value(program, op, &path, &Type::Int { min: None, max: None }, &value, into)
            }
            (Operand::Value(value), Operand::Path(path, ty)) => {
                let path = into.path(&path);
                path_and_value(program, flipped(op)?, &path, &ty, &value, into)
            }
            (Operand::Path(left, left_type), Operand::Path(right, right_type)) => {
                if left_type.stored() != right_type.stored() {
                    return None;
                }
                let (left, right) = (into.path(&left), into.path(&right));
                Some(Condition::Text(format!("{left} {} {right}", sign(op)?)))
            }
            _ => None,
        }
    }

    fn operand(&self, expr: &Expr) -> Result<Option<Operand>, Failure> {
        if !self.concerns_item(expr) {
            return Ok(Some(Operand::Value(self.value(expr)?)));
        }
        if let ExprKind::Function { function: Function::Size, arguments } = &expr.kind
            && let [argument] = arguments.as_slice()
        {
            return Ok(self.path(argument)?.map(|(path, _)| Operand::Size(path)));
        }
        Ok(self.path(expr)?.map(|(path, ty)| Operand::Path(path, ty)))
    }

    /// The path that an expression names inside the item, with its type.
    fn path(&self, expr: &Expr) -> Result<Option<Way>, Failure> {
        let program = &self.scope.shared.program;
        let entity = &program.entities[self.entity];
        Ok(match &expr.kind {
            ExprKind::Attribute(id) => {
                let attribute = &entity.attributes[*id];
                attribute.is_stored().then(|| (vec![attribute.name.clone()], Arc::clone(&attribute.ty)))
            }
            ExprKind::Stored(id) => {
                let text = Type::String { format: StringFormat::Plain, min: 0, max: None };
                Some((vec![entity.templates[*id].name.clone()], Arc::new(text)))
            }
            ExprKind::Member { base, name } => match self.path(base)? {
                Some((path, ty)) => nested(program, &ty, name).map(|ty| (joined(path, name.clone()), ty)),
                None => None,
            },
            ExprKind::Index { base, index } if !self.concerns_item(index) => {
                let index = self.value(index)?;
                match (self.path(base)?, index.as_text()) {
                    (Some((path, ty)), Some(key)) => match &*ty {
                        Type::Map { of, .. } => Some((joined(path, key.into()), Arc::clone(of))),
                        _ => None,
                    },
                    _ => None,
                }
            }
            _ => None,
        })
    }
}

/// A path inside an item, and the type of what is at its end.
type Way = (Vec<Arc<str>>, Arc<Type>);

fn joined(mut path: Vec<Arc<str>>, name: Arc<str>) -> Vec<Arc<str>> {
    path.push(name);
    path
}

/// The type of a member of an object; none where DynamoDB sees no object.
fn nested(program: &Program, ty: &Type, name: &str) -> Option<Arc<Type>> {
    match ty {
        Type::Object(id) => {
            let attributes = &program.objects[*id].attributes;
            attributes.find(name).map(|id| Arc::clone(&attributes[id].ty))
        }
        Type::Map { of, .. } => Some(Arc::clone(of)),
        _ => None,
    }
}

fn path_and_value(
    program: &Program,
    op: Op,
    path: &str,
    ty: &Type,
    value: &Val,
    into: &mut Placeholders,
) -> Option<Condition> {
    let written = matches!(ty, Type::Time { .. }).then(|| as_time(value.clone()));
    let value = written.as_ref().unwrap_or(value);
    if value.is_absent() {
        return Some(match op {
            Op::Eq => Condition::Text(format!("attribute_not_exists({path})")),
            Op::NotEq => Condition::Text(format!("attribute_exists({path})")),
            _ => Condition::Never,
        });
    }
    let element = match ty {
        Type::Set { of, .. } | Type::List { of, .. } => &**of,
        ty => ty,
    };
    Some(match (op, value) {
        (Op::In, Val::List(members) | Val::Set(members)) => {
            let stored = members.iter().filter_map(|each| to_stored(program, ty, each));
            let aliases: Vec<String> = stored.map(|each| into.value(each)).collect();
            match aliases.is_empty() {
                true => Condition::Never,
                false => Condition::Text(format!("{path} IN ({})", aliases.join(", "))),
            }
        }
        (Op::Contains, value) => {
            let alias = into.value(to_stored(program, element, value)?);
            Condition::Text(format!("contains({path}, {alias})"))
        }
        (Op::StartsWith, value) => {
            let alias = into.value(to_stored(program, ty, value)?);
            Condition::Text(format!("begins_with({path}, {alias})"))
        }
        (op, value) => {
            let sign = sign(op)?;
            let alias = into.value(to_stored(program, ty, value)?);
            Condition::Text(format!("{path} {sign} {alias}"))
        }
    })
}

fn sign(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::Eq => "=",
        Op::NotEq => "<>",
        Op::Lt => "<",
        Op::LtEq => "<=",
        Op::Gt => ">",
        Op::GtEq => ">=",
        _ => return None,
    })
}

/// The operator when the sides change places.
fn flipped(op: Op) -> Option<Op> {
    Some(match op {
        Op::Lt => Op::Gt,
        Op::LtEq => Op::GtEq,
        Op::Gt => Op::Lt,
        Op::GtEq => Op::LtEq,
        Op::Eq | Op::NotEq => op,
        // `x in it.list` asks what `it.list contains x` asks.
        Op::In => Op::Contains,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
