//! Old words for new things: conditions and refusals in the terms from before expressions.

use sortkey_api::StringMap;
use sortkey_api::shapes::legacy::{ConditionalOperator, ExpectedAttributeValue};

use crate::model::condition::Condition;
use crate::model::failure::Failure;
use crate::model::legacy;
use crate::model::placeholders::Placeholders;
use crate::model::update;
use crate::session::Session;

/// `AttributeUpdates` has its own text for an attribute of the wrong type.
pub(super) fn in_legacy_words(failure: Failure) -> Failure {
    match failure {
        Failure::Invalid(messages) => {
            let reword = |message: String| match message.as_str() {
                update::WRONG_TYPE => "Type mismatch for attribute to update".to_owned(),
                _ => message,
            };
            Failure::Invalid(messages.into_iter().map(reword).collect())
        }
        other => other,
    }
}

/// A condition, in an expression or in the parameters from before.
#[derive(Default)]
pub(super) struct Phrase {
    pub(super) expression: Option<String>,
    pub(super) expected: Option<StringMap<ExpectedAttributeValue>>,
    pub(super) operator: Option<ConditionalOperator>,
}

impl Phrase {
    pub(super) fn random(
        session: &mut Session,
        condition: Option<&Condition>,
        placeholders: &mut Placeholders,
    ) -> Phrase {
        let Some(condition) = condition else { return Phrase::default() };
        match legacy::expected(condition).filter(|_| session.dice.chance(50)) {
            Some((expected, operator)) => Phrase { expected: Some(expected), operator, expression: None },
            None => Phrase { expression: Some(condition.text(placeholders)), ..Default::default() },
        }
    }
}
