//! Expiry of items.

use crate::shape::{choices, shape};

choices! {
    /// The status of the expiry setting.
    enum TimeToLiveStatus {
        Enabling = "ENABLING",
        Disabling = "DISABLING",
        Enabled = "ENABLED",
        Disabled = "DISABLED",
    }
}

shape! {
    /// Whether items expire, and by which attribute.
    struct TimeToLiveSpecification {
        enabled: bool = "Enabled";
        attribute_name: String = "AttributeName", &[MaxLength(255), MinLength(1)];
    }
}

shape! {
    /// The expiry setting as it is.
    struct TimeToLiveDescription {
        time_to_live_status: Option<TimeToLiveStatus> = "TimeToLiveStatus";
        attribute_name: Option<String> = "AttributeName";
    }
}
