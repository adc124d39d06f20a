//! Conditions, updates and projections in the parameters from before expressions, as far as these can express them.

use sortkey_api::shapes::legacy::{
    AttributeValueUpdate, Condition as Test, ConditionalOperator, ExpectedAttributeValue,
};
use sortkey_api::{StringMap, SuppliedValue};
use sortkey_value::{AttributeType, AttributeValue};

use super::condition::{Comparator, Condition, Operand};
use super::path::Path;
use super::update::{Action, Operand as UpdateOperand, SetValue, Update};

/// Tests of attributes, and how they are joined if there are several.
pub(crate) type Tests = (StringMap<Test>, Option<ConditionalOperator>);

/// A condition as a map of tests, one per attribute.
pub(crate) fn tests(condition: &Condition) -> Option<Tests> {
    let (terms, operator) = match condition {
        Condition::And(terms) => (terms.as_slice(), Some(ConditionalOperator::And)),
        Condition::Or(terms) => (terms.as_slice(), Some(ConditionalOperator::Or)),
        other => (std::slice::from_ref(other), None),
    };
    let mut tests = StringMap::new();
    for term in terms {
        let (attribute, test) = test(term)?;
        tests.insert(attribute, test);
    }
    (tests.len() == terms.len()).then_some((tests, operator))
}

/// Like `tests`, for `Expected`.
pub(crate) fn expected(
    condition: &Condition,
) -> Option<(StringMap<ExpectedAttributeValue>, Option<ConditionalOperator>)> {
    let (tests, operator) = tests(condition)?;
    let expect = |test: Test| match test.comparison_operator.as_str() {
        // Equality and absence have a shorter form as well.
        "EQ" => ExpectedAttributeValue {
            value: test.attribute_value_list.and_then(|mut values| values.pop()),
            ..Default::default()
        },
        "NULL" => ExpectedAttributeValue { exists: Some(false), ..Default::default() },
        _ => ExpectedAttributeValue {
            comparison_operator: Some(test.comparison_operator),
            attribute_value_list: test.attribute_value_list,
            ..Default::default()
        },
    };
    Some((tests.into_iter().map(|(name, test)| (name, expect(test))).collect(), operator))
}

fn test(condition: &Condition) -> Option<(String, Test)> {
    let whole = |path: &Path| path.steps.is_empty().then(|| path.attribute.clone());
    let scalar = |value: &AttributeValue| {
        matches!(value.attribute_type(), AttributeType::S | AttributeType::N | AttributeType::B)
    };
    let same = |one: &AttributeValue, two: &AttributeValue| one.attribute_type() == two.attribute_type();
    let (path, operator, values): (&Path, &str, Vec<&AttributeValue>) = match condition {
        Condition::Compare(Operand::Path(path), comparator, Operand::Value(value)) => {
            let operator = match comparator {
                Comparator::Equal => "EQ",
                // Expressions treat a missing attribute in a way that this parameter cannot express.
                Comparator::NotEqual => return None,
                Comparator::Less => "LT",
                Comparator::LessOrEqual => "LE",
                Comparator::Greater => "GT",
                Comparator::GreaterOrEqual => "GE",
            };
            (path, operator, vec![value])
        }
        Condition::Between(path, low, high) => (path, "BETWEEN", vec![low, high]),
        // The members of a list are of one type.
        Condition::In(path, members)
            if members.iter().all(scalar) && members.iter().all(|one| same(one, &members[0])) =>
        {
            (path, "IN", members.iter().collect())
        }
        Condition::Exists(path) => (path, "NOT_NULL", Vec::new()),
        Condition::NotExists(path) => (path, "NULL", Vec::new()),
        Condition::BeginsWith(path, prefix) => (path, "BEGINS_WITH", vec![prefix]),
        Condition::Contains(path, member) if scalar(member) => (path, "CONTAINS", vec![member]),
        _ => return None,
    };
    let values: Vec<SuppliedValue> = values.into_iter().cloned().map(Into::into).collect();
    let test = Test {
        attribute_value_list: (!values.is_empty()).then_some(values),
        comparison_operator: operator.into(),
    };
    Some((whole(path)?, test))
}

/// An update of attributes as a whole, by values.
pub(crate) fn updates(update: &Update) -> Option<StringMap<AttributeValueUpdate>> {
    let mut updates = StringMap::new();
    for action in &update.0 {
        let (name, value) = match action {
            Action::Set(_, SetValue::Operand(UpdateOperand::Value(value))) => ("PUT", Some(value)),
            Action::Remove(_) => ("DELETE", None),
            Action::Add(_, value) => ("ADD", Some(value)),
            Action::Delete(_, value) => ("DELETE", Some(value)),
            Action::Set(..) => return None,
        };
        let value = value.cloned().map(Into::into);
        let path = action.path();
        if !path.steps.is_empty() {
            return None;
        }
        updates.insert(path.attribute.clone(), AttributeValueUpdate { value, action: Some(name.into()) });
    }
    Some(updates)
}

/// A projection on whole attributes.
pub(crate) fn attributes(paths: &[Path]) -> Option<Vec<String>> {
    paths.iter().map(|path| path.steps.is_empty().then(|| path.attribute.clone())).collect()
}
