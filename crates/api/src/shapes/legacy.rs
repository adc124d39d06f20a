//! Conditions and updates as they were written before expressions existed.

use crate::attributes::SuppliedValue;
use crate::shape::{choices, shape};

choices! {
    /// How a legacy condition compares.
    enum ComparisonOperator {
        In = "IN",
        Null = "NULL",
        Between = "BETWEEN",
        Lt = "LT",
        NotContains = "NOT_CONTAINS",
        Eq = "EQ",
        Gt = "GT",
        NotNull = "NOT_NULL",
        Ne = "NE",
        Le = "LE",
        BeginsWith = "BEGINS_WITH",
        Ge = "GE",
        Contains = "CONTAINS",
    }
}

choices! {
    /// How the conditions of a legacy map are joined.
    enum ConditionalOperator {
        Or = "OR",
        And = "AND",
    }
}

choices! {
    /// The action of a legacy update on an attribute.
    enum AttributeAction {
        Add = "ADD",
        Delete = "DELETE",
        Put = "PUT",
    }
}

shape! {
    /// One entry of `KeyConditions`, `QueryFilter` or `ScanFilter`.
    struct Condition {
        attribute_value_list: Option<Vec<SuppliedValue>> = "AttributeValueList";
        comparison_operator: ComparisonOperator = "ComparisonOperator";
    }
}

shape! {
    /// One entry of `Expected`.
    struct ExpectedAttributeValue {
        value: Option<SuppliedValue> = "Value";
        exists: Option<bool> = "Exists";
        comparison_operator: Option<ComparisonOperator> = "ComparisonOperator";
        attribute_value_list: Option<Vec<SuppliedValue>> = "AttributeValueList";
    }
}

shape! {
    /// One entry of `AttributeUpdates`.
    struct AttributeValueUpdate {
        value: Option<SuppliedValue> = "Value";
        action: Option<AttributeAction> = "Action";
    }
}
