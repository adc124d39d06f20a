//! The key of a request as data: where every value comes from, and how each key attribute is made of the values.

use std::sync::Arc;

use sortkey_design::model::Op;
use sortkey_design::program::{AttributeId, Bound, Expr, ExprKind, Pattern, Source, TemplateId};

/// Something that is known before anything is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Given {
    /// The attribute, or the stored text of a template, that is known.
    pub to: Bound,
    /// The origin of its value.
    pub by: GivenBy,
    /// Whether a call may leave it out. The key is then used only as far as it is known.
    pub optional: bool,
}

/// The origin of a known value. Places are those of the pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GivenBy {
    /// The bind at this place, with one value: a parameter (or the part of the caller that replaces it), or an
    /// expression.
    Bind(usize),
    /// The bind at this place, once for every value of its bounded type.
    Every(usize),
    /// The bind at this place, once for each element of its list.
    Each(usize),
    /// The equality of `where` at this place.
    Condition(usize),
}

/// The conditions on a key: partition attributes first, each equal to something; then sort attributes, of which only the
/// last may be open.
///
/// A value that a call leaves out ends the sort key there. A template of which only the first pieces are known becomes the
/// beginning of its text, and an attribute without a bound is not asked at all. A partition attribute whose value is left
/// out is that of no item: the branch finds nothing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recipe {
    /// The partition attributes.
    pub partition: Vec<KeyPart>,
    /// The sort attributes, as far as they are used.
    pub sort: Vec<KeyPart>,
}

/// One key attribute of a request.
#[derive(Clone, Debug, PartialEq)]
pub struct KeyPart {
    /// Its stored name.
    pub stored: Arc<str>,
    /// Its kind.
    pub is: KeyIs,
}

/// The condition on a key attribute.
#[derive(Clone, Debug, PartialEq)]
pub enum KeyIs {
    /// The text itself, which a call gives.
    Text(TemplateId),
    /// The value of an attribute, or the whole text of a template.
    Equal(Source),
    /// Text that begins with the first pieces of a template.
    Begins {
        /// The template.
        template: TemplateId,
        /// How many of its pieces are known.
        pieces: usize,
    },
    /// Within the bounds that conditions of `where` set.
    Bounded {
        /// The source of the attribute. The pieces of a template before the bounded one are fixed.
        source: Source,
        /// How many pieces are known before it; none for an attribute, and for text that is bounded as a whole.
        pieces: usize,
        /// The attribute that is bounded; none for text that is bounded as a whole.
        attribute: Option<AttributeId>,
        /// The places of the conditions.
        by: Vec<usize>,
    },
}

/// One limit of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Nothing below; whether the limit itself is in the range.
    Low(bool),
    /// Nothing above; whether the limit itself is in the range.
    High(bool),
    /// Only text that begins like this.
    Prefix,
}

/// The limits that the conditions of `where` at some places set, in their order. One that a call leaves out limits nothing,
/// and of two of a kind the later counts.
pub fn limits<'p>(pattern: &'p Pattern, by: &[usize]) -> Vec<(Limit, &'p Expr)> {
    let mut limits = Vec::new();
    for condition in by.iter().filter_map(|at| pattern.conditions.get(*at)) {
        let ExprKind::Binary { op, right, .. } = &condition.expr.kind else { continue };
        match (op, &right.kind) {
            (Op::In, ExprKind::Range { low, high }) => {
                limits.extend(low.as_deref().map(|low| (Limit::Low(true), low)));
                limits.extend(high.as_deref().map(|high| (Limit::High(true), high)));
            }
            (Op::GtEq | Op::Gt, _) => limits.push((Limit::Low(*op == Op::GtEq), &**right)),
            (Op::LtEq | Op::Lt, _) => limits.push((Limit::High(*op == Op::LtEq), &**right)),
            (Op::StartsWith, _) => limits.push((Limit::Prefix, &**right)),
            _ => {}
        }
    }
    limits
}

/// How a sort key is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SortUse {
    /// There is none, or the whole partition is wanted.
    Whole,
    /// Fixed up to and including its last piece.
    Equal,
    /// A fixed beginning.
    Prefix,
    /// A range of the attribute behind the fixed beginning.
    Range,
}
