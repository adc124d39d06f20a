//! The `x-amzn-requestid` of every response: 52 digits and capital letters, as AWS prints them.
//!
//! An id is a pure function of the server's seed, the connection and the request's place on it, so it costs
//! no shared counter and a seeded run prints the same ids again. The first half identifies the request; the
//! second half is the server's, as on AWS.

use hyper::header::HeaderValue;

/// RFC 4648's base32 alphabet with extended hex digits, which AWS's ids are written in.
const DIGITS: &[u8; 32] = b"0123456789ABCDEFGHIJKLMNOPQRSTUV";

/// Characters that 128 bits take, at five bits each.
const HALF: usize = 26;

/// Makes the ids of one connection.
#[derive(Clone, Debug)]
pub(crate) struct RequestIds {
    connection: u64,
    suffix: [u8; HALF],
}

impl RequestIds {
    /// The ids of the connection with this number, on the server with this seed.
    pub(crate) fn new(seed: u64, connection: u64) -> RequestIds {
        let suffix = base32(mix(seed), mix(!seed));
        RequestIds { connection: mix(seed ^ mix(connection)), suffix }
    }

    /// The id of the connection's request with this number.
    pub(crate) fn id(&self, request: u64) -> HeaderValue {
        let mut text = [0; 2 * HALF];
        let low = mix(self.connection.wrapping_add(request));
        text[..HALF].copy_from_slice(&base32(self.connection ^ low, low));
        text[HALF..].copy_from_slice(&self.suffix);
        HeaderValue::from_bytes(&text).expect("digits and capital letters are valid in a header")
    }
}

fn base32(high: u64, low: u64) -> [u8; HALF] {
    let mut bits = (u128::from(high) << 64) | u128::from(low);
    std::array::from_fn(|_| {
        let digit = DIGITS[(bits & 31) as usize];
        bits >>= 5;
        digit
    })
}

/// SplitMix64's finalizer: a bijection in which every input bit stirs every output bit.
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn ids_have_the_form_of_aws_and_differ() {
        let mut seen = HashSet::new();
        for connection in 0..40 {
            let ids = RequestIds::new(7, connection);
            for request in 0..250 {
                let id = ids.id(request);
                assert_eq!(id.len(), 52);
                assert!(id.as_bytes().iter().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase()));
                seen.insert(id);
            }
        }
        assert_eq!(seen.len(), 40 * 250);
    }

    #[test]
    fn a_seed_repeats_its_ids() {
        assert_eq!(RequestIds::new(1, 2).id(3), RequestIds::new(1, 2).id(3));
        assert_ne!(RequestIds::new(1, 2).id(3), RequestIds::new(2, 2).id(3));
    }
}
