//! The evaluator against an independent reference: `reference.py`, written in another language from AWS's documentation,
//! generates pairs of policies and requests with its own decision.

#![expect(clippy::panic, reason = "a test that cannot go on says why")]

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::process::Command;

use serde::Deserialize;
use serde_json::Value as Json;
use sortkey_policy::{Context, Decision, Kind, Policies, Policy, Principal, Request, Values, decide};

const PAIRS: usize = 6_000;

#[derive(Deserialize)]
struct Case {
    identity: Vec<Json>,
    resource: Option<Json>,
    boundary: Option<Json>,
    session: Option<Json>,
    request: Asked,
    expected: String,
}

#[derive(Deserialize)]
struct Asked {
    action: String,
    resource: String,
    principal: Who,
    context: BTreeMap<String, Json>,
}

#[derive(Deserialize)]
struct Who {
    account: String,
    arn: String,
    role: Option<String>,
}

struct Facts<'a>(&'a BTreeMap<String, Json>);

impl Context for Facts<'_> {
    fn values(&self, key: &str) -> Option<Values<'_>> {
        if key.to_lowercase().starts_with("unknown:") {
            return None;
        }
        let found = self.0.iter().find(|(name, _)| name.eq_ignore_ascii_case(key)).map(|(_, value)| value);
        Some(match found {
            None => Values::Absent,
            Some(Json::String(_)) => Values::Everything,
            Some(list) => {
                let texts = list.as_array().into_iter().flatten().filter_map(Json::as_str);
                Values::List(texts.map(Cow::Borrowed).collect())
            }
        })
    }
}

fn parse(document: &Json, kind: Kind) -> Policy {
    Policy::parse(&document.to_string(), kind).unwrap_or_else(|error| panic!("{document}: {error}"))
}

#[test]
fn the_reference_decides_the_same() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/reference.py");
    let output = Command::new("python3").args([script, &PAIRS.to_string(), "20261117"]).output();
    let output = output.expect("python3 runs the reference");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut counts = BTreeMap::<String, usize>::new();
    for line in String::from_utf8(output.stdout).expect("text").lines() {
        let case: Case = serde_json::from_str(line).expect("a case");
        let identity: Vec<Policy> = case.identity.iter().map(|it| parse(it, Kind::Identity)).collect();
        let resource = case.resource.as_ref().map(|it| parse(it, Kind::Resource));
        let [boundary, session] =
            [&case.boundary, &case.session].map(|it| it.as_ref().map(|it| parse(it, Kind::Identity)));
        let policies = Policies {
            identity: &identity,
            resource: resource.as_ref(),
            boundary: boundary.as_ref(),
            session: session.as_ref(),
        };
        let Who { account, arn, role } = case.request.principal;
        let principal = Principal { account, arn, role };
        let request = Request {
            action: &case.request.action,
            resource: &case.request.resource,
            principal: &principal,
            context: &Facts(&case.request.context),
        };
        let decided = match decide(&policies, &request) {
            Decision::Allowed(..) => "allowed",
            Decision::Denied(..) => "denied",
            Decision::NotAllowed(_) => "not allowed",
        };
        assert_eq!(decided, case.expected, "{line}");
        *counts.entry(case.expected).or_default() += 1;
    }
    // Pairs that are all decided the same way would show nothing.
    assert_eq!(counts.values().sum::<usize>(), PAIRS);
    assert!(counts.len() == 3 && counts.values().all(|count| *count > PAIRS / 20), "{counts:?}");
}
