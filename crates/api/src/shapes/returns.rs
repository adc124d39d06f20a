//! What a request wants to be told beside the result.

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
    /// Which image of the item a write returns.
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
    /// What a query or scan returns of the items it finds.
    enum Select {
        SpecificAttributes = "SPECIFIC_ATTRIBUTES",
        Count = "COUNT",
        AllAttributes = "ALL_ATTRIBUTES",
        AllProjectedAttributes = "ALL_PROJECTED_ATTRIBUTES",
    }
}
