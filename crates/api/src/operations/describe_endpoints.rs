//! DescribeEndpoints: where to send requests.

use crate::shape::shape;

shape! {
    /// No parameters.
    struct DescribeEndpointsInput {}
}

shape! {
    /// The endpoints.
    struct DescribeEndpointsOutput {
        endpoints: Vec<Endpoint> = "Endpoints";
    }
}

shape! {
    /// An endpoint, and how long to cache it.
    struct Endpoint {
        address: String = "Address";
        cache_period_in_minutes: i64 = "CachePeriodInMinutes";
    }
}
