//! The expressions of a request: which go together, and what they become.

use std::collections::BTreeMap;

use sortkey_api::{ApiError, SuppliedItem};
use sortkey_expression::legacy::check_not_mixed;
use sortkey_expression::{
    Condition, ExpressionCache, ExpressionKind, KeyCondition, Placeholders, Projection, Update,
    check_placeholders_have_expressions,
};

/// The order in which AWS reads the expressions of a request, whatever the order in its texts.
const READING_ORDER: [ExpressionKind; 5] = [
    ExpressionKind::Update,
    ExpressionKind::Condition,
    ExpressionKind::KeyCondition,
    ExpressionKind::Filter,
    ExpressionKind::Projection,
];

/// The expressions of a request. Operations fill in the parameters they have; `None` for one that was not
/// given.
#[derive(Default)]
pub(crate) struct Expressions<'a> {
    pub(crate) names: Option<&'a BTreeMap<String, String>>,
    pub(crate) values: Option<&'a SuppliedItem>,
    /// The expressions that the operation takes, in the order of AWS's texts.
    pub(crate) expressions: Vec<(ExpressionKind, Option<&'a str>)>,
    /// The parameters from before expressions that the operation takes, and whether each was given.
    pub(crate) legacy: Vec<(&'static str, bool)>,
}

/// The parsed expressions of a request.
#[derive(Default)]
pub(crate) struct Bound {
    pub(crate) condition: Option<Condition>,
    pub(crate) filter: Option<Condition>,
    pub(crate) key_condition: Option<KeyCondition>,
    pub(crate) projection: Option<Projection>,
    pub(crate) update: Option<Update>,
}

impl Expressions<'_> {
    /// Checks that precede parsing: old and new parameters do not mix, and placeholders come with
    /// expressions.
    pub(crate) fn check(&self) -> Result<(), ApiError> {
        let given =
            self.expressions.iter().filter(|(_, text)| text.is_some()).map(|(kind, _)| kind.parameter());
        let legacy = self.legacy.iter().filter(|(_, given)| *given).map(|(name, _)| *name);
        check_not_mixed(legacy.collect(), given.collect()).map_err(invalid)?;
        let kinds: Vec<_> = self.expressions.iter().map(|(kind, text)| (*kind, text.is_some())).collect();
        check_placeholders_have_expressions(&kinds, self.names.is_some(), self.values.is_some())
            .map_err(invalid)
    }

    /// Parses all expressions and replaces their placeholders. The names of placeholders are checked before
    /// their values, and key conditions only after every expression has been parsed.
    pub(crate) fn bind(&self, cache: &ExpressionCache) -> Result<Bound, ApiError> {
        let values = self.values.map(SuppliedItem::unchecked);
        let mut placeholders = Placeholders::new(self.names, values).map_err(invalid)?;
        self.values.map(SuppliedItem::checked_expression_values).transpose()?;
        let mut read = Read::default();
        for kind in READING_ORDER {
            let given = self.expressions.iter().find(|(given, _)| *given == kind);
            if let Some((_, Some(text))) = given {
                read.take(kind, text, &mut placeholders, cache)?;
            }
        }
        placeholders.finish().map_err(invalid)?;
        let Read { condition, filter, key_condition, projection, update } = read;
        let key_condition =
            key_condition.as_ref().map(KeyCondition::from_condition).transpose().map_err(invalid)?;
        Ok(Bound { condition, filter, key_condition, projection, update })
    }
}

/// The expressions that have been read so far.
#[derive(Default)]
struct Read {
    condition: Option<Condition>,
    filter: Option<Condition>,
    key_condition: Option<Condition>,
    projection: Option<Projection>,
    update: Option<Update>,
}

impl Read {
    fn take(
        &mut self,
        kind: ExpressionKind,
        text: &str,
        placeholders: &mut Placeholders<'_>,
        cache: &ExpressionCache,
    ) -> Result<(), ApiError> {
        let condition = |placeholders: &mut Placeholders<'_>| {
            cache.condition(text, kind).and_then(|parsed| parsed.bind(kind, placeholders)).map_err(invalid)
        };
        match kind {
            ExpressionKind::Condition => self.condition = Some(condition(placeholders)?),
            ExpressionKind::Filter => self.filter = Some(condition(placeholders)?),
            ExpressionKind::KeyCondition => self.key_condition = Some(condition(placeholders)?),
            ExpressionKind::Projection => {
                let parsed = cache.projection(text).map_err(invalid)?;
                self.projection = Some(parsed.bind(placeholders).map_err(invalid)?);
            }
            ExpressionKind::Update => {
                let parsed = cache.update(text).map_err(invalid)?;
                self.update = Some(parsed.bind(placeholders).map_err(invalid)?);
            }
        }
        Ok(())
    }
}

/// Every error of an expression is a ValidationException with its own text.
pub(crate) fn invalid(error: impl std::fmt::Display) -> ApiError {
    ApiError::validation(error.to_string())
}
