//! Globally routable addresses. Everything that a registry of IANA sets apart is not, and neither are addresses that contain another one.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Why an address is not globally routable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Range {
    /// The credentials and settings that a cloud gives to its machines.
    Metadata,
    /// The machine itself.
    Loopback,
    /// No address, which many systems read as the machine itself.
    Unspecified,
    /// A private network.
    Private,
    /// The local link, where routers and metadata services are.
    LinkLocal,
    /// Between a provider and its customers.
    CarrierGrade,
    /// A group of machines.
    Multicast,
    /// All machines of a network.
    Broadcast,
    /// Examples in documents.
    Documentation,
    /// Measurements of networks.
    Benchmarking,
    /// An IPv4 address inside an IPv6 one: mapped, translated or tunnelled.
    Embedded,
    /// Set apart for something else, or for nothing yet.
    Reserved,
    /// Refused by name in the policy.
    Refused,
}

impl Range {
    /// Whether no policy can allow it.
    pub(crate) fn is_forbidden(self) -> bool {
        use Range::{Broadcast, LinkLocal, Metadata, Multicast, Refused, Unspecified};
        matches!(self, Metadata | LinkLocal | Multicast | Broadcast | Unspecified | Refused)
    }
}

impl fmt::Display for Range {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Range::Metadata => "a cloud metadata address",
            Range::Loopback => "a loopback address",
            Range::Unspecified => "an unspecified address",
            Range::Private => "a private address",
            Range::LinkLocal => "a link-local address",
            Range::CarrierGrade => "a carrier-grade NAT address",
            Range::Multicast => "a multicast address",
            Range::Broadcast => "a broadcast address",
            Range::Documentation => "a documentation address",
            Range::Benchmarking => "a benchmarking address",
            Range::Embedded => "an IPv6 address with an IPv4 address inside",
            Range::Reserved => "a reserved address",
            Range::Refused => "an address that the policy refuses",
        })
    }
}

/// The range that sets an address apart; nothing if it is globally routable.
pub fn special(address: IpAddr) -> Option<Range> {
    match address {
        IpAddr::V4(address) => special_v4(address),
        IpAddr::V6(address) => special_v6(address),
    }
}

/// Ranges of IPv4. The first that contains an address decides.
const V4: &[([u8; 4], u32, Range)] = &[
    // Amazon, Google, Microsoft and most others; the credentials of Amazon's containers; Scaleway; Tencent.
    ([169, 254, 169, 254], 32, Range::Metadata),
    ([169, 254, 170, 2], 32, Range::Metadata),
    ([169, 254, 170, 23], 32, Range::Metadata),
    ([169, 254, 42, 42], 32, Range::Metadata),
    ([169, 254, 0, 23], 32, Range::Metadata),
    // Alibaba, Oracle, and the host of every machine of Azure, which looks like any other address.
    ([100, 100, 100, 200], 32, Range::Metadata),
    ([192, 0, 0, 192], 32, Range::Metadata),
    ([168, 63, 129, 16], 32, Range::Metadata),
    ([0, 0, 0, 0], 32, Range::Unspecified),
    ([0, 0, 0, 0], 8, Range::Reserved),
    ([10, 0, 0, 0], 8, Range::Private),
    ([100, 64, 0, 0], 10, Range::CarrierGrade),
    ([127, 0, 0, 0], 8, Range::Loopback),
    ([169, 254, 0, 0], 16, Range::LinkLocal),
    ([172, 16, 0, 0], 12, Range::Private),
    ([192, 0, 0, 0], 24, Range::Reserved),
    ([192, 0, 2, 0], 24, Range::Documentation),
    ([192, 88, 99, 0], 24, Range::Reserved),
    ([192, 168, 0, 0], 16, Range::Private),
    ([198, 18, 0, 0], 15, Range::Benchmarking),
    ([198, 51, 100, 0], 24, Range::Documentation),
    ([203, 0, 113, 0], 24, Range::Documentation),
    ([224, 0, 0, 0], 4, Range::Multicast),
    ([255, 255, 255, 255], 32, Range::Broadcast),
    ([240, 0, 0, 0], 4, Range::Reserved),
];

/// Ranges of IPv6. The first that contains an address decides, and what is in none is reserved.
const V6: &[([u16; 8], u32, Range)] = &[
    // Amazon, its containers, Google, Scaleway, and OpenStack.
    ([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254], 128, Range::Metadata),
    ([0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x23], 128, Range::Metadata),
    ([0xfd20, 0xce, 0, 0, 0, 0, 0, 0x254], 128, Range::Metadata),
    ([0xfd00, 0x42, 0, 0, 0, 0, 0, 0x42], 128, Range::Metadata),
    ([0xfe80, 0, 0, 0, 0, 0, 0xa9fe, 0xa9fe], 128, Range::Metadata),
    ([0, 0, 0, 0, 0, 0, 0, 0], 128, Range::Unspecified),
    ([0, 0, 0, 0, 0, 0, 0, 1], 128, Range::Loopback),
    // Compatible, mapped and translated IPv4; NAT64 for everybody and for one network; Teredo; 6to4.
    ([0, 0, 0, 0, 0, 0, 0, 0], 96, Range::Embedded),
    ([0, 0, 0, 0, 0, 0xffff, 0, 0], 96, Range::Embedded),
    ([0, 0, 0, 0, 0xffff, 0, 0, 0], 96, Range::Embedded),
    ([0x64, 0xff9b, 0, 0, 0, 0, 0, 0], 96, Range::Embedded),
    ([0x64, 0xff9b, 1, 0, 0, 0, 0, 0], 48, Range::Embedded),
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 32, Range::Embedded),
    ([0x2002, 0, 0, 0, 0, 0, 0, 0], 16, Range::Embedded),
    ([0x2001, 2, 0, 0, 0, 0, 0, 0], 48, Range::Benchmarking),
    ([0x2001, 0, 0, 0, 0, 0, 0, 0], 23, Range::Reserved),
    ([0x2001, 0xdb8, 0, 0, 0, 0, 0, 0], 32, Range::Documentation),
    ([0x3fff, 0, 0, 0, 0, 0, 0, 0], 20, Range::Documentation),
    ([0xfc00, 0, 0, 0, 0, 0, 0, 0], 7, Range::Private),
    ([0xfe80, 0, 0, 0, 0, 0, 0, 0], 10, Range::LinkLocal),
    ([0xfec0, 0, 0, 0, 0, 0, 0, 0], 10, Range::Private),
    ([0xff00, 0, 0, 0, 0, 0, 0, 0], 8, Range::Multicast),
];

fn special_v4(address: Ipv4Addr) -> Option<Range> {
    let bits = address.to_bits();
    let contains = |base: [u8; 4], prefix: u32| {
        let mask = u32::MAX.checked_shl(32 - prefix).unwrap_or(0);
        bits & mask == u32::from_be_bytes(base)
    };
    V4.iter().find(|(base, prefix, _)| contains(*base, *prefix)).map(|(_, _, range)| *range)
}

fn special_v6(address: Ipv6Addr) -> Option<Range> {
    // The target of an embedded address is refused for the same reason, so that no policy can allow the metadata of a cloud by another notation.
    let inside = embedded(address).and_then(special_v4);
    if let Some(range) = inside.filter(|range| range.is_forbidden()) {
        return Some(range);
    }
    let bits = address.to_bits();
    let contains = |base: [u16; 8], prefix: u32| {
        let mask = u128::MAX.checked_shl(128 - prefix).unwrap_or(0);
        bits & mask == Ipv6Addr::from(base).to_bits()
    };
    if let Some((_, _, range)) = V6.iter().find(|(base, prefix, _)| contains(*base, *prefix)) {
        return Some(*range);
    }
    // Global unicast is one eighth of all addresses; nothing outside of it is routed.
    if bits >> 125 != 1 {
        return Some(Range::Reserved);
    }
    inside.map(|_| Range::Embedded)
}

/// The IPv4 address inside an IPv6 one.
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let pair = |high: u16, low: u16| Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low));
    let parts = address.segments();
    let [.., high, low] = parts;
    match parts {
        // Loopback and unspecified are of this form, and have ranges of their own.
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => None,
        [0, 0, 0, 0, 0, 0 | 0xffff, ..] | [0, 0, 0, 0, 0xffff, 0, ..] => Some(pair(high, low)),
        [0x64, 0xff9b, 0, 0, 0, 0, ..] => Some(pair(high, low)),
        // RFC 6052 puts the address around the 64th bit where the prefix has 48.
        [0x64, 0xff9b, 1, first, middle, ..] if middle >> 8 == 0 => {
            Some(pair(first, (middle & 0xff) << 8 | parts[5] >> 8))
        }
        [0x2002, high, low, ..] => Some(pair(high, low)),
        // Teredo writes the client's address with all bits inverted.
        [0x2001, 0, ..] => Some(pair(!high, !low)),
        // ISATAP.
        [_, _, _, _, 0 | 0x200, 0x5efe, high, low] => Some(pair(high, low)),
        _ => None,
    }
}
