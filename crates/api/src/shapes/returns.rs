//! The optional parts of an answer that a request can ask for.

use crate::shape::choices;

choices! {
    /// How much of the consumed capacity is reported.
    enum ReturnConsumedCapacity {
        Indexes = "INDEXES",
        Total = "TOTAL",
        None = "NONE",
    }
}

choices! {
    /// Whether the size of the touched item collection is reported.
    enum ReturnItemCollectionMetrics {
        Size = "SIZE",
        None = "NONE",
    }
}

choices! {
    /// The image of the item that a write returns.
    enum ReturnValue {
        AllNew = "ALL_NEW",
        UpdatedOld = "UPDATED_OLD",
        AllOld = "ALL_OLD",
        None = "NONE",
        UpdatedNew = "UPDATED_NEW",
    }
}

choices! {
    /// Whether a failed condition returns the item it found.
    enum ReturnValuesOnConditionCheckFailure {
        AllOld = "ALL_OLD",
        None = "NONE",
    }
}

choices! {
    /// The parts of the found items that a query or scan returns.
    enum Select {
        SpecificAttributes = "SPECIFIC_ATTRIBUTES",
        Count = "COUNT",
        AllAttributes = "ALL_ATTRIBUTES",
        AllProjectedAttributes = "ALL_PROJECTED_ATTRIBUTES",
    }
}
