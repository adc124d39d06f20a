//! One line of a `Condition` block: an operator, a key, and the values of the policy.
//!
//! The result of an operator if the request has no such key:
//!
//! | operator | absent | the request concerns everything |
//! |---|---|---|
//! | plain | false, negated true | whatever does not allow |
//! | `...IfExists` | true | whatever does not allow |
//! | `ForAllValues:` | true | whatever does not allow |
//! | `ForAnyValue:` | false | whatever does not allow |
//! | `Null` | equals `true` | equals `true` |

use crate::context::{Context, Values};
use crate::operator::{Comparison, Operand, Operator, Quantifier};
use crate::statement::Effect;

/// A condition.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Condition {
    operator: Operator,
    key: String,
    operands: Vec<Operand>,
}

impl Condition {
    pub(crate) fn read(
        operator: Operator,
        key: &str,
        values: &[String],
        variables: bool,
    ) -> Result<Condition, String> {
        if !key.contains(':') {
            return Err(format!("`{key}` is not a condition key"));
        }
        let operands: Result<Vec<Operand>, String> =
            values.iter().map(|value| Operand::read(operator.comparison, value, variables)).collect();
        Ok(Condition {
            operator,
            key: key.to_owned(),
            operands: operands.map_err(|why| format!("`{key}`: {why}"))?,
        })
    }

    /// Whether it holds. For a key that the context does not support, the result is the one that never
    /// allows.
    pub(crate) fn holds(&self, effect: Effect, context: &dyn Context) -> bool {
        let cautious = effect == Effect::Deny;
        let Some(values) = context.values(&self.key) else { return cautious };
        if self.operator.comparison == Comparison::Null {
            let absent = !matches!(values, Values::List(_));
            return self.operands.contains(&Operand::Bool(absent));
        }
        let negated = self.operator.negated;
        let matches_any = |value: &str| self.operands.iter().any(|operand| operand.accepts(value, context));
        let satisfied = |value: &str| matches_any(value) != negated;
        match (values, self.operator.quantifier) {
            (Values::Everything, _) => cautious,
            (Values::Absent, Quantifier::All) => true,
            (Values::Absent, Quantifier::Any) => self.operator.if_exists,
            (Values::Absent, Quantifier::None) => self.operator.if_exists || negated,
            (Values::List(values), Quantifier::All) => values.iter().all(|value| satisfied(value)),
            (Values::List(values), Quantifier::Any) => values.iter().any(|value| satisfied(value)),
            // Without a quantifier, several values match if one does, and fail to match if none does.
            (Values::List(values), Quantifier::None) => {
                values.iter().any(|value| matches_any(value)) != negated
            }
        }
    }
}
