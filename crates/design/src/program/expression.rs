//! Expressions with their names resolved and their types known.

use std::sync::Arc;

use sortkey_diagnostics::Span;
use sortkey_value::Number;

use super::{
    AttributeId, EffectId, EntityId, EnumId, LocalId, OperationId, ParameterId, PatternId, Reference, RuleId,
    SettingId, TemplateId, Ty, Type,
};
use crate::model::Op;

/// An expression, its type, and its place in the text.
#[derive(Clone, Debug, Default)]
pub struct Expr {
    /// Its kind.
    pub kind: ExprKind,
    /// The type of its value.
    pub ty: Ty,
    /// Its place in the text.
    pub span: Span,
}

/// Two expressions are equal if they are composed alike; their places do not matter.
impl PartialEq for Expr {
    fn eq(&self, other: &Expr) -> bool {
        self.kind == other.kind
    }
}

/// The kinds of expressions.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ExprKind {
    /// An expression without a meaning; the compiler has reported why.
    #[default]
    Missing,
    /// A number in its base unit: milliseconds for durations, bytes for sizes.
    Number(Number),
    /// Text.
    Text(String),
    /// A word of an enum.
    Word(Arc<str>),
    /// `true` or `false`.
    Bool(bool),
    /// `null`.
    Null,
    /// `absent`.
    Nothing,
    /// `now`.
    Now,
    /// `new`: a fresh id of the type that is wanted.
    New,
    /// A deployment parameter of the design.
    Setting(SettingId),
    /// A parameter, a `let` or an element of `each`.
    Local(LocalId),
    /// An attribute of the item in view.
    Attribute(AttributeId),
    /// An attribute of the object that contains the expression.
    Sibling(AttributeId),
    /// The stored text of a template of the item in view.
    Stored(TemplateId),
    /// `it`: the item in view.
    Item,
    /// The caller.
    Caller,
    /// An attribute of the caller.
    CallerPart(AttributeId),
    /// `left op right`
    Binary {
        /// The operator.
        op: Op,
        /// The left side.
        left: Box<Expr>,
        /// The right side.
        right: Box<Expr>,
    },
    /// `not a`
    Not(Box<Expr>),
    /// `-a`
    Negative(Box<Expr>),
    /// `a exists`
    Exists(Box<Expr>),
    /// `a absent`
    Absent(Box<Expr>),
    /// `low..high`
    Range {
        /// The lower bound.
        low: Option<Box<Expr>>,
        /// The upper bound.
        high: Option<Box<Expr>>,
    },
    /// An attribute of an item whose entity is known.
    Of {
        /// The item.
        item: Box<Expr>,
        /// The attribute.
        attribute: AttributeId,
    },
    /// A member of a map or an object, or of every element of a list; names of members are data.
    Member {
        /// Its source.
        base: Box<Expr>,
        /// Its name.
        name: Arc<str>,
    },
    /// A constant that the words of an enum carry: `plan.retention`.
    Constant {
        /// The word.
        word: Box<Expr>,
        /// The enum.
        of: EnumId,
        /// The constant's name.
        name: Arc<str>,
    },
    /// `userId->plan`: an attribute of the item that a reference points to, which must have been read.
    Arrow {
        /// The value of the reference.
        base: Box<Expr>,
        /// The name of the referring attribute, for messages.
        from: Arc<str>,
        /// Its target.
        to: Reference,
        /// The attribute of that item.
        attribute: AttributeId,
    },
    /// A function of the language.
    Function {
        /// The function.
        function: Function,
        /// Its arguments.
        arguments: Vec<Expr>,
    },
    /// A rule.
    Rule {
        /// The rule.
        rule: RuleId,
        /// Its arguments, by its parameters.
        arguments: Vec<(ParameterId, Expr)>,
    },
    /// A call of a pattern or an operation.
    Call {
        /// The pattern or operation.
        callee: Callee,
        /// Its arguments.
        arguments: Arguments,
    },
    /// `Entity(key)`: the live item with that key.
    ItemAt(ItemKey),
    /// `Entity(key) with (condition)`
    With {
        /// The item.
        item: Box<Expr>,
        /// The condition on it, in its own names.
        condition: Box<Expr>,
    },
    /// `stored(x)` in a test: the item as it lies in the table.
    AsStored(Box<Expr>),
    /// `a[b]`
    Index {
        /// Its source.
        base: Box<Expr>,
        /// The element.
        index: Box<Expr>,
    },
    /// `choose { condition: value, otherwise: value }`
    Choose {
        /// Conditions and what is chosen if they hold, in order.
        arms: Vec<(Expr, Expr)>,
        /// The value if no condition holds.
        otherwise: Option<Box<Expr>>,
    },
    /// `[a, b]`
    List(Vec<Expr>),
    /// `{ ...x, a: 1 }`
    Object {
        /// The locals whose members are copied first.
        spreads: Vec<LocalId>,
        /// The members.
        members: Vec<(Arc<str>, Expr)>,
    },
}

/// The target of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Callee {
    /// A pattern.
    Pattern(PatternId),
    /// An operation.
    Operation(OperationId),
    /// An effect.
    Effect(EffectId),
}

/// The arguments of a call, by the callee's parameters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Arguments {
    /// The arguments given one by one.
    pub values: Vec<(ParameterId, Expr)>,
    /// The locals whose members are copied by name first.
    pub spreads: Vec<LocalId>,
    /// The names that the callee does not take: only a test gives them, to check that they are refused.
    pub unknown: Vec<Arc<str>>,
}

/// The values that determine the key of an item.
#[derive(Clone, Debug, PartialEq)]
pub struct ItemKey {
    /// The entity.
    pub entity: EntityId,
    /// The attributes that are given one by one.
    pub values: Vec<(AttributeId, Expr)>,
    /// The locals whose members are copied by name first.
    pub spreads: Vec<LocalId>,
}

macro_rules! functions {
    ($($name:ident $word:literal)+) => {
        /// A function of the language.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs)]
        pub enum Function { $($name,)+ }

        impl Function {
            /// All of them.
            pub const ALL: &[Function] = &[$(Function::$name,)+];

            /// How it is written.
            pub fn word(self) -> &'static str {
                match self { $(Function::$name => $word,)+ }
            }
        }
    };
}

functions! {
    Sha256 "sha256"
    Bcrypt "bcrypt"
    Hmac "hmac"
    Hash "hash"
    Random "random"
    First "first"
    Last "last"
    Lower "lower"
    Upper "upper"
    Trim "trim"
    Slug "slug"
    Concat "concat"
    ReplacePrefix "replace_prefix"
    Size "size"
    Count "count"
    Sum "sum"
    Max "max"
    Min "min"
    Floor "floor"
    Round "round"
    Coalesce "coalesce"
    Date "date"
    Month "month"
    CronNext "cron_next"
    Matches "matches"
    Totp "totp"
    Same "same"
    Verified "verified"
    DeliveryId "delivery_id"
    StandardWebhook "standard_webhook"
    Passes "passes"
    Transformed "transformed"
    TransformedHeaders "transformed_headers"
    RetryDelay "retry_delay"
    PeriodStart "period_start"
    Csv "csv"
    RepeatNext "repeat_next"
    Hour "hour"
    Base32 "base32"
    ToJson "to_json"
}

impl Expr {
    /// Calls `visit` with the expression and everything inside it.
    pub fn walk<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        let mut open = vec![self];
        while let Some(expr) = open.pop() {
            visit(expr);
            expr.children(&mut |child| open.push(child));
        }
    }

    /// Calls `visit` with its direct subexpressions, in order.
    pub fn children<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        match &self.kind {
            ExprKind::Missing
            | ExprKind::Number(_)
            | ExprKind::Text(_)
            | ExprKind::Word(_)
            | ExprKind::Bool(_)
            | ExprKind::Null
            | ExprKind::Nothing
            | ExprKind::Now
            | ExprKind::New
            | ExprKind::Setting(_)
            | ExprKind::Local(_)
            | ExprKind::Attribute(_)
            | ExprKind::Sibling(_)
            | ExprKind::Stored(_)
            | ExprKind::Item
            | ExprKind::Caller
            | ExprKind::CallerPart(_) => {}
            ExprKind::Binary { left, right, .. } => {
                visit(left);
                visit(right);
            }
            ExprKind::Not(operand)
            | ExprKind::Negative(operand)
            | ExprKind::Exists(operand)
            | ExprKind::Absent(operand)
            | ExprKind::AsStored(operand) => visit(operand),
            ExprKind::Range { low, high } => low.iter().chain(high).for_each(|each| visit(each)),
            ExprKind::Of { item: base, .. }
            | ExprKind::Member { base, .. }
            | ExprKind::Constant { word: base, .. }
            | ExprKind::Arrow { base, .. } => visit(base),
            ExprKind::Function { arguments, .. } | ExprKind::List(arguments) => {
                arguments.iter().for_each(visit);
            }
            ExprKind::Rule { arguments, .. } => arguments.iter().for_each(|(_, each)| visit(each)),
            ExprKind::Call { arguments, .. } => arguments.values.iter().for_each(|(_, each)| visit(each)),
            ExprKind::ItemAt(key) => key.values.iter().for_each(|(_, each)| visit(each)),
            ExprKind::With { item, condition } => {
                visit(item);
                visit(condition);
            }
            ExprKind::Index { base, index } => {
                visit(base);
                visit(index);
            }
            ExprKind::Choose { arms, otherwise } => {
                for (condition, value) in arms {
                    visit(condition);
                    visit(value);
                }
                otherwise.iter().for_each(|value| visit(value));
            }
            ExprKind::Object { members, .. } => members.iter().for_each(|(_, each)| visit(each)),
        }
    }

    /// Like `children`, but the direct subexpressions may be changed.
    pub fn children_mut(&mut self, visit: &mut dyn FnMut(&mut Expr)) {
        match &mut self.kind {
            ExprKind::Missing
            | ExprKind::Number(_)
            | ExprKind::Text(_)
            | ExprKind::Word(_)
            | ExprKind::Bool(_)
            | ExprKind::Null
            | ExprKind::Nothing
            | ExprKind::Now
            | ExprKind::New
            | ExprKind::Setting(_)
            | ExprKind::Local(_)
            | ExprKind::Attribute(_)
            | ExprKind::Sibling(_)
            | ExprKind::Stored(_)
            | ExprKind::Item
            | ExprKind::Caller
            | ExprKind::CallerPart(_) => {}
            ExprKind::Binary { left, right, .. } => {
                visit(left);
                visit(right);
            }
            ExprKind::Not(operand)
            | ExprKind::Negative(operand)
            | ExprKind::Exists(operand)
            | ExprKind::Absent(operand)
            | ExprKind::AsStored(operand) => visit(operand),
            ExprKind::Range { low, high } => low.iter_mut().chain(high).for_each(|each| visit(each)),
            ExprKind::Of { item: base, .. }
            | ExprKind::Member { base, .. }
            | ExprKind::Constant { word: base, .. }
            | ExprKind::Arrow { base, .. } => visit(base),
            ExprKind::Function { arguments, .. } | ExprKind::List(arguments) => {
                arguments.iter_mut().for_each(visit);
            }
            ExprKind::Rule { arguments, .. } => arguments.iter_mut().for_each(|(_, each)| visit(each)),
            ExprKind::Call { arguments, .. } => arguments.values.iter_mut().for_each(|(_, each)| visit(each)),
            ExprKind::ItemAt(key) => key.values.iter_mut().for_each(|(_, each)| visit(each)),
            ExprKind::With { item, condition } => {
                visit(item);
                visit(condition);
            }
            ExprKind::Index { base, index } => {
                visit(base);
                visit(index);
            }
            ExprKind::Choose { arms, otherwise } => {
                for (condition, value) in arms {
                    visit(condition);
                    visit(value);
                }
                otherwise.iter_mut().for_each(|value| visit(value));
            }
            ExprKind::Object { members, .. } => members.iter_mut().for_each(|(_, each)| visit(each)),
        }
    }

    /// The conjuncts of `a and b and c`.
    pub fn conjuncts(&self) -> Vec<&Expr> {
        let mut found = Vec::new();
        let mut open = vec![self];
        while let Some(expr) = open.pop() {
            match &expr.kind {
                ExprKind::Binary { op: Op::And, left, right } => {
                    open.push(right);
                    open.push(left);
                }
                _ => found.push(expr),
            }
        }
        found
    }

    /// The attributes of the item in view that it uses, each once. `it` alone uses all of them.
    pub fn attributes(&self) -> Vec<AttributeId> {
        let mut found = Vec::new();
        self.of_view(&mut |expr| match &expr.kind {
            ExprKind::Attribute(id) if !found.contains(id) => found.push(*id),
            _ => {}
        });
        found
    }

    /// Whether it refers to the item in view, so that it cannot be decided without one.
    pub fn concerns_item(&self) -> bool {
        let mut found = false;
        self.of_view(&mut |expr| {
            found |= matches!(expr.kind, ExprKind::Attribute(_) | ExprKind::Stored(_) | ExprKind::Item);
        });
        found
    }

    /// Whether it is a decimal number, so that it is divided as one: an attribute or a parameter of such a type, or computed
    /// from one.
    pub fn is_decimal(&self) -> bool {
        match &self.kind {
            _ if matches!(self.ty.declared(), Some(Type::Decimal { .. })) => true,
            ExprKind::Number(number) => number.to_i64().is_none(),
            ExprKind::Binary { op: Op::Add | Op::Sub | Op::Mul | Op::Div, left, right } => {
                left.is_decimal() || right.is_decimal()
            }
            ExprKind::Negative(operand) => operand.is_decimal(),
            ExprKind::Function {
                function: Function::Max | Function::Min | Function::Coalesce,
                arguments,
            } => arguments.iter().any(Expr::is_decimal),
            _ => false,
        }
    }

    /// Whether it evaluates only the parts that it must.
    pub fn is_lazy(&self) -> bool {
        matches!(
            self.kind,
            ExprKind::Choose { .. } | ExprKind::Binary { op: Op::And | Op::Or | Op::Implies, .. }
        )
    }

    /// Whether deciding it takes requests.
    pub fn makes_requests(&self) -> bool {
        let mut found = false;
        self.walk(&mut |expr| {
            found |= matches!(
                expr.kind,
                ExprKind::Call { .. }
                    | ExprKind::ItemAt(_)
                    | ExprKind::With { .. }
                    | ExprKind::AsStored(_)
                    | ExprKind::Rule { .. }
            );
        });
        found
    }

    /// Whether `now` decides it.
    pub fn depends_on_time(&self) -> bool {
        let mut found = false;
        self.walk(&mut |expr| found |= matches!(expr.kind, ExprKind::Now));
        found
    }

    /// Visits the subexpressions about the item in view; the condition of `with` is about another item.
    fn of_view<'a>(&'a self, visit: &mut dyn FnMut(&'a Expr)) {
        let mut open = vec![self];
        while let Some(expr) = open.pop() {
            visit(expr);
            match &expr.kind {
                ExprKind::With { item, .. } => open.push(item),
                _ => expr.children(&mut |child| open.push(child)),
            }
        }
    }
}
