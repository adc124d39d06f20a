//! Expressions on the wire.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value as Json;
use sortkey_value::Number;

use super::form::{Unreadable, Wire, cases, record};
use super::json::{member, object, text};
use super::pool::{Reading, Writing};
use super::types::Ty;
use crate::model::Op;
use crate::program::{
    self, AttributeId, EffectId, EntityId, EnumId, LocalId, OperationId, ParameterId, PatternId, RuleId,
    SettingId, TemplateId,
};

type Inner = Box<program::Expr>;

/// An expression and its type. Its subexpressions come before it in the list, and each is used exactly once.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Expr {
    /// Its kind.
    pub kind: ExprKind,
    /// The type of its value.
    pub ty: Ty,
}

impl Expr {
    pub(super) fn read(json: &Json, from: &Reading) -> Result<program::Expr, Unreadable> {
        let members = object(json, "an expression", &["kind", "ty"])?;
        let kind = program::ExprKind::read(member(members, "kind"), from)?;
        let ty = program::Ty::read(member(members, "ty"), from)?;
        Ok(program::Expr { kind, ty, ..program::Expr::default() })
    }
}

cases! {
    /// The kinds of expressions.
    ExprKind {
        /// Something that has no meaning.
        Missing,
        /// A number in its base unit: milliseconds for durations, bytes for sizes.
        Number(value: Number),
        /// Text.
        Text(value: String),
        /// A word of an enum.
        Word(word: Arc<str>),
        /// `true` or `false`.
        Bool(value: bool),
        /// `null`.
        Null,
        /// `absent`.
        Nothing,
        /// `now`.
        Now,
        /// `new`: a fresh id of the type that is wanted.
        New,
        /// A deployment parameter of the design.
        Setting(id: SettingId),
        /// A parameter, a `let` or an element of `each`.
        Local(id: LocalId),
        /// An attribute of the item in view.
        Attribute(id: AttributeId),
        /// An attribute of the object that contains the expression.
        Sibling(id: AttributeId),
        /// The stored text of a template of the item in view.
        Stored(id: TemplateId),
        /// `it`: the item in view.
        Item,
        /// The caller.
        Caller,
        /// An attribute of the caller.
        CallerPart(id: AttributeId),
        /// `left op right`
        Binary {
            /// The operator.
            op: Op,
            /// The left side.
            left: Inner,
            /// The right side.
            right: Inner,
        },
        /// `not a`
        Not(of: Inner),
        /// `-a`
        Negative(of: Inner),
        /// `a exists`
        Exists(of: Inner),
        /// `a absent`
        Absent(of: Inner),
        /// `low..high`
        Range {
            /// The lower bound.
            low: Option<Inner>,
            /// The upper bound.
            high: Option<Inner>,
        },
        /// An attribute of an item.
        Of {
            /// The item.
            item: Inner,
            /// The attribute.
            attribute: AttributeId,
        },
        /// A member of a map or an object, or of every element of a list.
        Member {
            /// Its source.
            base: Inner,
            /// Its name.
            name: Arc<str>,
        },
        /// A constant that the words of an enum carry.
        Constant {
            /// The word.
            word: Inner,
            /// The enum.
            of: EnumId,
            /// The constant's name.
            name: Arc<str>,
        },
        /// An attribute of the item that a reference points to.
        Arrow {
            /// The value of the reference.
            base: Inner,
            /// The name of the referring attribute.
            from: Arc<str>,
            /// Its target.
            to: program::Reference,
            /// The attribute of that item.
            attribute: AttributeId,
        },
        /// A function of the language.
        Function {
            /// The function.
            function: program::Function,
            /// Its arguments.
            arguments: Vec<program::Expr>,
        },
        /// A rule.
        Rule {
            /// The rule.
            rule: RuleId,
            /// Its arguments, by its parameters.
            arguments: Vec<(ParameterId, program::Expr)>,
        },
        /// A call of a pattern or an operation.
        Call {
            /// The pattern or operation.
            callee: program::Callee,
            /// Its arguments.
            arguments: program::Arguments,
        },
        /// `Entity(key)`: the live item with that key.
        ItemAt(key: program::ItemKey),
        /// `Entity(key) with (condition)`
        With {
            /// The item.
            item: Inner,
            /// The condition on it, in its own names.
            condition: Inner,
        },
        /// `stored(x)` in a test: the item as it lies in the table.
        AsStored(of: Inner),
        /// `a[b]`
        Index {
            /// Its source.
            base: Inner,
            /// The element.
            index: Inner,
        },
        /// `choose { condition: value, otherwise: value }`
        Choose {
            /// Conditions and what is chosen if they hold, in order.
            arms: Vec<(program::Expr, program::Expr)>,
            /// The value if no condition holds.
            otherwise: Option<Inner>,
        },
        /// `[a, b]`
        List(of: Vec<program::Expr>),
        /// `{ ...x, a: 1 }`
        Object {
            /// The locals whose members are copied first.
            spreads: Vec<LocalId>,
            /// The members.
            members: Vec<(Arc<str>, program::Expr)>,
        },
    }
}

cases! {
    /// The target of a call.
    Callee {
        /// A pattern.
        Pattern(id: PatternId),
        /// An operation.
        Operation(id: OperationId),
        /// An effect.
        Effect(id: EffectId),
    }
}

record! {
    /// The arguments of a call, by the callee's parameters.
    Arguments {
        /// The arguments given one by one.
        values: Vec<(ParameterId, program::Expr)>,
        /// The locals whose members are copied by name first.
        spreads: Vec<LocalId>,
        /// The names that the callee does not take: only a test gives them.
        unknown: Vec<Arc<str>>,
    }
}

record! {
    /// The values that determine the key of an item.
    ItemKey {
        /// The entity.
        entity: EntityId,
        /// The attributes that are given one by one.
        values: Vec<(AttributeId, program::Expr)>,
        /// The locals whose members are copied by name first.
        spreads: Vec<LocalId>,
    }
}

/// A function is written as its word.
impl Wire for program::Function {
    type Form = String;

    fn write(&self, _: &mut Writing) -> String {
        self.word().to_owned()
    }

    fn read(json: &Json, _: &Reading) -> Result<Self, Unreadable> {
        let word = text(json)?;
        let function = Self::ALL.iter().find(|each| each.word() == word);
        function.copied().ok_or_else(|| Unreadable(format!("there is no function `{word}`")))
    }
}
