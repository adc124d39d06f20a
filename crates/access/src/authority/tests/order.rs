//! The order of AWS's errors: of a request with several faults, the first one in this order is answered.
//!
//! The order is the one that others wrote down from DynamoDB's answers (dynalite's server, scratchstack's rules); ScyllaDB's
//! tests, which run against AWS, have a request that has expired, with an unknown key, an invalid scope, and headers that are not
//! signed. What is missing from
//! a header or a query altogether is found before all of this, in the server's `authorization.rs`.

use super::*;

/// Noon, so that a request of an hour ago is of the same day.
const NOON: i64 = START + 43_200;

/// Something that is wrong with a request. In the order of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Algorithm,
    Date,
    Time,
    Coverage,
    Elements,
    Scope,
    Key,
    Digits,
}

use Fault::*;

const IN_ORDER: [(Fault, &str); 8] = [
    (Algorithm, "Unsupported AWS 'algorithm': 'AWS4-HMAC-SHA1'"),
    (Date, "Date must be in ISO-8601 'basic format'. Got '201'. See http://en.wikipedia.org/wiki/ISO_8601"),
    (Time, "Signature expired: 20261117T"),
    (Coverage, "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization."),
    (
        Elements,
        "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got '",
    ),
    (
        Scope,
        "Credential should be scoped to correct service: 'dynamodb'. Credential should be scoped with a valid terminator: \
             'aws4_request', not 'aws5'. Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from \
             HTTP: '20260101' != '20261117', from '20261117T",
    ),
    (Key, "The security token included in the request is invalid."),
    (Digits, "The request signature we calculated does not match the signature you provided."),
];

/// The parts of a request that has these faults.
struct Parts {
    algorithm: &'static str,
    credential: String,
    date: String,
    signed_headers: &'static str,
    digits: String,
}

impl Parts {
    fn new(world: &World, faults: &[Fault], signed_headers: [&'static str; 2]) -> Parts {
        let has = |fault| faults.contains(&fault);
        let seconds = if has(Time) { NOON - 3600 } else { NOON };
        let date = Timestamp { seconds }.to_string();
        let key = if has(Key) { "AKIASTRANGER" } else { &world.key.0 };
        let scope = match (has(Elements), has(Scope)) {
            (true, _) => "us-east-1/dynamodb",
            (false, true) => "20260101/us-east-1/sts/aws5",
            (false, false) => "20261117/us-east-1/dynamodb/aws4_request",
        };
        Parts {
            algorithm: if has(Algorithm) { "AWS4-HMAC-SHA1" } else { "AWS4-HMAC-SHA256" },
            credential: format!("{key}/{scope}"),
            date: if has(Date) { "201".to_owned() } else { date },
            signed_headers: signed_headers[usize::from(has(Coverage))],
            digits: "0".repeat(64),
        }
    }

    fn verify_header(&mut self, world: &World, is_signed: bool) -> Result<Caller, Rejected> {
        let sign = |parts: &Parts| {
            let Parts { algorithm, credential, signed_headers, digits, .. } = parts;
            format!("{algorithm} Credential={credential}, SignedHeaders={signed_headers}, Signature={digits}")
        };
        for is_done in [false, true] {
            let header = sign(self);
            let headers: [(&str, &[u8]); 3] = [
                ("host", b"localhost"),
                ("x-amz-date", self.date.as_bytes()),
                ("authorization", header.as_bytes()),
            ];
            let request = SignedRequest { headers: &headers, ..request("") };
            if is_done {
                return world.authority.verify(&request, &["dynamodb"], NOON);
            }
            let digits = signature(world, &request).filter(|_| is_signed);
            self.digits = digits.unwrap_or_else(|| self.digits.clone());
        }
        unreachable!("the second turn returns")
    }

    fn verify_query(&mut self, world: &World, is_signed: bool) -> Result<Caller, Rejected> {
        for is_done in [false, true] {
            let Parts { algorithm, credential, date, signed_headers, digits } = &*self;
            let credential = credential.replace('/', "%2F");
            let query = format!(
                "X-Amz-Algorithm={algorithm}&X-Amz-Credential={credential}&X-Amz-Date={date}&X-Amz-Expires=60\
                 &X-Amz-SignedHeaders={signed_headers}&X-Amz-Signature={digits}"
            );
            let request = request(&query);
            if is_done {
                return world.verify(&query, NOON);
            }
            let digits = signature(world, &request).filter(|_| is_signed);
            self.digits = digits.unwrap_or_else(|| self.digits.clone());
        }
        unreachable!("the second turn returns")
    }
}

/// The signature that the key of the world makes of a request, if it can be made of it.
fn signature(world: &World, request: &SignedRequest<'_>) -> Option<String> {
    let mut decoded = String::new();
    let read = Signature::read(request, &mut decoded).ok()?;
    let credential = read.credential().ok()?;
    let key = SigningKey::derive(&world.key.1, &credential.scope);
    let mut digits = Vec::new();
    hex::append(&read.expected(request, &credential, &key)?, &mut digits);
    String::from_utf8(digits).ok()
}

// The key was looked up before scope and time, so clients with a wrong clock got the error of an unknown key.
#[test]
fn of_several_faults_the_first_is_answered() {
    let world = World::new();
    for subset in 0..1_u32 << IN_ORDER.len() {
        let is_in = |at: &usize| (subset >> at) & 1 == 1;
        let faults: Vec<Fault> = (0..IN_ORDER.len()).filter(is_in).map(|at| IN_ORDER[at].0).collect();
        let is_signed = !faults.contains(&Fault::Digits);
        let mut by_header = Parts::new(&world, &faults, ["host;x-amz-date", "x-amz-date"]);
        let mut by_query = Parts::new(&world, &faults, ["host", "x-other"]);
        for answer in [by_header.verify_header(&world, is_signed), by_query.verify_query(&world, is_signed)] {
            match IN_ORDER.iter().find(|(fault, _)| faults.contains(fault)) {
                None => assert!(answer.is_ok(), "{answer:?}"),
                Some((_, expected)) => {
                    let rejected = answer.expect_err("a fault").to_string();
                    assert!(rejected.starts_with(expected), "{faults:?}: {rejected}");
                }
            }
        }
    }
}
