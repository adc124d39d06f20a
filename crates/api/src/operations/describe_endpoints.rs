//! DescribeEndpoints: where to send requests.

use crate::shape::shape;

shape! {
    /// Nothing to say.
    struct DescribeEndpointsInput {}
}

shape! {
    /// The endpoints.
    struct DescribeEndpointsOutput {
        endpoints: Vec<Endpoint> = "Endpoints";
    }
}

shape! {
    /// Where to send requests, and for how long.
    struct Endpoint {
        address: String = "Address";
        cache_period_in_minutes: i64 = "CachePeriodInMinutes";
    }
}
