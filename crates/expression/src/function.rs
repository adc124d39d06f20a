//! The functions that expressions can call.

/// A function by its name, which is case-sensitive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Function {
    AttributeExists,
    AttributeNotExists,
    AttributeType,
    BeginsWith,
    Contains,
    Size,
    IfNotExists,
    ListAppend,
}

impl Function {
    pub(crate) fn from_name(name: &str) -> Option<Function> {
        Some(match name {
            "attribute_exists" => Function::AttributeExists,
            "attribute_not_exists" => Function::AttributeNotExists,
            "attribute_type" => Function::AttributeType,
            "begins_with" => Function::BeginsWith,
            "contains" => Function::Contains,
            "size" => Function::Size,
            "if_not_exists" => Function::IfNotExists,
            "list_append" => Function::ListAppend,
            _ => return None,
        })
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Function::AttributeExists => "attribute_exists",
            Function::AttributeNotExists => "attribute_not_exists",
            Function::AttributeType => "attribute_type",
            Function::BeginsWith => "begins_with",
            Function::Contains => "contains",
            Function::Size => "size",
            Function::IfNotExists => "if_not_exists",
            Function::ListAppend => "list_append",
        }
    }

    /// How many operands the function takes.
    pub(crate) fn arity(self) -> usize {
        match self {
            Function::AttributeExists | Function::AttributeNotExists | Function::Size => 1,
            Function::AttributeType
            | Function::BeginsWith
            | Function::Contains
            | Function::IfNotExists
            | Function::ListAppend => 2,
        }
    }

    /// Whether the function belongs to update expressions alone.
    pub(crate) fn is_for_updates(self) -> bool {
        matches!(self, Function::IfNotExists | Function::ListAppend)
    }
}
