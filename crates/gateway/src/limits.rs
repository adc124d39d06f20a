//! The rate limit of a route for one address: `limit 100/m`.
//!
//! Each address and route has a moment up to which its requests are paid for. A request moves it on by its share of the
//! period; one that would move it further than a period ahead is refused. A burst of the whole limit is allowed, and after
//! that as much as time gives back.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use sortkey_design::program::RouteId;

/// The number of addresses that are remembered. Beyond it, the counts begin anew.
const MAX_ADDRESSES: usize = 100_000;

/// The limit of a route that declares none, in requests and milliseconds: more than one client needs, and few enough that one
/// cannot keep the server busy.
const DEFAULT: (u64, u64) = (6_000, 60_000);

/// How often an address may call a route. Without a limit of its own, clients of this machine may as often as they like: a proxy
/// here brings those of everybody.
pub(crate) fn of(declared: Option<(u64, u64)>, address: IpAddr) -> Option<(u64, u64)> {
    declared.or_else(|| (!address.to_canonical().is_loopback()).then_some(DEFAULT))
}

/// The requests of addresses to routes.
#[derive(Debug, Default)]
pub(crate) struct Limits {
    paid_until: Mutex<HashMap<(RouteId, IpAddr), Instant>>,
}

impl Limits {
    /// Counts a request; if it is one too many, how long to wait for the next.
    pub(crate) fn count(
        &self,
        route: RouteId,
        address: IpAddr,
        (requests, period_ms): (u64, u64),
        now: Instant,
    ) -> Result<(), Duration> {
        let period = Duration::from_millis(period_ms);
        let share = Duration::from_nanos(period_ms.saturating_mul(1_000_000) / requests.max(1));
        let mut paid_until = self.paid_until.lock();
        if paid_until.len() >= MAX_ADDRESSES {
            paid_until.retain(|_, until| *until > now);
        }
        if paid_until.len() >= MAX_ADDRESSES {
            paid_until.clear();
        }
        let until = paid_until.entry((route, network(address))).or_insert(now);
        let next = (*until).max(now) + share;
        let ahead = next.saturating_duration_since(now);
        if ahead > period {
            return Err(ahead - period);
        }
        *until = next;
        Ok(())
    }
}

/// A client has one IPv4 address, and a whole network of IPv6 addresses.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() >> 64 << 64)),
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use sortkey_design::program::Id as _;

    use super::*;

    // A route without a limit could be called without end by anybody who reached it.
    #[test]
    fn a_route_without_a_limit_has_one_for_other_machines() {
        let of = |declared, address: &str| of(declared, address.parse().expect("an address"));
        assert_eq!(of(None, "192.0.2.1"), Some(DEFAULT));
        assert_eq!(of(None, "2001:db8::1"), Some(DEFAULT));
        assert_eq!(of(Some((3, 1000)), "192.0.2.1"), Some((3, 1000)));
        for here in ["127.0.0.1", "127.8.8.8", "::1", "::ffff:127.0.0.1"] {
            assert_eq!(of(None, here), None, "{here}");
            assert_eq!(of(Some((3, 1000)), here), Some((3, 1000)), "{here}");
        }
    }

    #[test]
    fn an_address_may_ask_as_often_as_the_limit_says() {
        let limits = Limits::default();
        let begin = Instant::now();
        let ask = |second: u64, route: usize, address: &str| {
            let address = address.parse().expect("an address");
            limits.count(RouteId::new(route), address, (3, 60_000), begin + Duration::from_secs(second))
        };
        for _ in 0..3 {
            assert_eq!(ask(0, 0, "192.0.2.1"), Ok(()));
        }
        assert_eq!(ask(0, 0, "192.0.2.1"), Err(Duration::from_secs(20)));
        assert_eq!(ask(0, 0, "192.0.2.2"), Ok(()), "another address");
        assert_eq!(ask(0, 1, "192.0.2.1"), Ok(()), "another route");
        assert_eq!(ask(20, 0, "192.0.2.1"), Ok(()), "time gives one back");
        assert!(ask(20, 0, "192.0.2.1").is_err());
        for suffix in 1..=3 {
            assert_eq!(ask(0, 0, &format!("2001:db8::{suffix}")), Ok(()));
        }
        assert!(ask(0, 0, "2001:db8::99").is_err(), "one network is one client");
    }
}
