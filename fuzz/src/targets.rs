//! The targets.

use serde_json::Value;
use sortkey_access::{Scope, Signature, SignedRequest, SigningKey, Timestamp, is_session_token};
use sortkey_api::OperationId;
use sortkey_core::Arguments;
use sortkey_expression::{ExpressionKind, KeyCondition, parse_condition, parse_projection, parse_update};
use sortkey_functions::Headers;
use sortkey_functions::cron::{Cron, Zone};
use sortkey_functions::filter::{Filter, Subject};
use sortkey_functions::signature::{Incoming, Scheme, Verifier};
use sortkey_functions::transform::{MAX_OUTPUT_BYTES, Transform};
use sortkey_policy::{Context, Decision, Kind, Policies, Policy, Principal, Values, decide};
use sortkey_value::{AttributeValue, Number, ValueRef, key};

use crate::context;

/// A condition: read, printed, read again, bound, evaluated.
pub fn condition(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(tree) = parse_condition(text, ExpressionKind::Condition) else { return };
    let printed = tree.to_string();
    // Printing may add parentheses, and with them pass the limit of length.
    if let Ok(again) = parse_condition(&printed, ExpressionKind::Condition) {
        assert_eq!(again, tree, "{text:?} printed as {printed:?}");
    }
    let sample = context::sample();
    if let Ok(bound) = tree.bind(ExpressionKind::Condition, &mut sample.placeholders()) {
        let holds = bound.matches(&sample.item);
        assert_eq!(holds, bound.matches(&sample.item.clone()), "{text:?} is decided by the item alone");
        bound.matches(None);
    }
}

/// A key condition: read, bound, and understood as a partition and a range.
pub fn key_condition(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(tree) = parse_condition(text, ExpressionKind::KeyCondition) else { return };
    let sample = context::sample();
    if let Ok(bound) = tree.bind(ExpressionKind::KeyCondition, &mut sample.placeholders()) {
        // Its refusals are as interesting as its answers.
        let _ = KeyCondition::from_condition(&bound).map_err(|error| error.to_string());
    }
}

/// A projection: read, printed, read again, bound, applied.
pub fn projection(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(tree) = parse_projection(text) else { return };
    let printed = tree.to_string();
    if let Ok(again) = parse_projection(&printed) {
        assert_eq!(again, tree, "{text:?} printed as {printed:?}");
    }
    let sample = context::sample();
    if let Ok(bound) = tree.bind(&mut sample.placeholders()) {
        let projected = bound.apply(&sample.item);
        assert!(projected.size_bytes() <= sample.item.size_bytes(), "{text:?} picks what is there");
    }
}

/// An update: read, printed, read again, bound, applied to an item and to nothing.
pub fn update(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(tree) = parse_update(text) else { return };
    let printed = tree.to_string();
    if let Ok(again) = parse_update(&printed) {
        assert_eq!(again.to_string(), printed, "{text:?}");
    }
    let sample = context::sample();
    if let Ok(bound) = tree.bind(&mut sample.placeholders()) {
        for existing in [Some(&sample.item), None] {
            if let Ok(updated) = bound.apply(existing, &sample.key) {
                assert_eq!(
                    updated,
                    sortkey_value::Item::from_map(&updated.to_map()),
                    "{text:?} leaves a canonical item"
                );
            }
        }
    }
}

/// A PartiQL statement: read, and bound to as many parameters as it may have.
pub fn partiql(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(parsed) = sortkey_partiql::parse(text) else { return };
    let parameters = vec![AttributeValue::S("parameter".to_owned()); 4];
    for count in 0..=parameters.len() {
        let _ = parsed.bind(&parameters[..count]).map_err(|error| error.to_string());
    }
}

/// A request as it comes from the wire: a line with the operation's name, then the body. It is decoded, and run on a
/// database that has a table with an item, an index and a stream.
pub fn request(data: &[u8]) {
    let line = data.iter().position(|byte| *byte == b'\n').unwrap_or(data.len());
    let Some(operation) = std::str::from_utf8(&data[..line]).ok().and_then(OperationId::from_name) else {
        return;
    };
    let body = data.get(line + 1..).unwrap_or_default();
    let database = context::database();
    let answer = context::wait(database.call(operation, body));
    if let Ok(body) = answer.result {
        // TagResource and UntagResource answer nothing at all, as AWS does.
        let object = body.first() == Some(&b'{') && body.last() == Some(&b'}');
        assert!(object || body.is_empty(), "{operation:?} answers an object");
    }
    // After any request, the database still answers.
    let alive = context::wait(database.call(OperationId::ListTables, b"{}"));
    assert!(alive.result.is_ok());
}

/// The arguments of a call: what is read is an object to others as well, with the same names and texts.
pub fn arguments(data: &[u8]) {
    let Ok(arguments) = Arguments::read(data) else { return };
    let others: Value = serde_json::from_slice(data).expect("JSON");
    let others = others.as_object().expect("an object");
    assert!(arguments.names().eq(others.keys().map(String::as_str)), "{others:?}");
    for name in arguments.names() {
        assert_eq!(arguments.text(name), others[name].as_str(), "{name:?}");
    }
}

/// Two numbers on two lines: read, printed, read again, added, ordered as values and as key bytes.
pub fn number(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let mut lines = text.splitn(2, '\n').map(Number::parse);
    let (Some(Ok(one)), other) = (lines.next(), lines.next()) else { return };
    assert_eq!(Number::parse(&one.to_string()), Ok(one), "{text:?}");
    // A byte, two digits to a byte on either side of the point, and the sign.
    assert!(one.size_bytes() <= 22, "{text:?}");
    let Some(Ok(other)) = other else { return };
    assert_eq!(
        key_bytes(one).cmp(&key_bytes(other)),
        one.cmp(&other),
        "{text:?}: bytes are ordered as numbers"
    );
    assert_eq!(one.checked_add(other), other.checked_add(one), "{text:?}");
    if let Ok(sum) = one.checked_add(other) {
        assert_eq!(Number::parse(&sum.to_string()), Ok(sum), "{text:?}");
    }
    let _ = one.checked_sub(other);
}

fn key_bytes(number: Number) -> Vec<u8> {
    let mut bytes = Vec::new();
    key::put_component(&mut bytes, ValueRef::N(number)).expect("a number can be a key");
    bytes
}

/// A design: the tree holds every byte, laying it out twice changes nothing, and no diagnostic is a panic.
pub fn design(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let parsed = sortkey_syntax::parse(text, sortkey_diagnostics::FileId(0));
    assert_eq!(parsed.syntax().text().to_string(), text, "the tree is lossless");
    if let Some(once) = sortkey_syntax::format(&parsed) {
        let again = sortkey_syntax::parse(&once, sortkey_diagnostics::FileId(0));
        assert_eq!(sortkey_syntax::format(&again).as_ref(), Some(&once), "{text:?}");
    }
}

/// A migration from the text under test to itself; nothing else can be loaded.
struct Itself<'a>(&'a str);

impl sortkey_design::Loader for Itself<'_> {
    fn load(&self, _from: &str, path: &str) -> Result<(String, String), String> {
        match path {
            "before.sk" => Ok((path.to_owned(), self.0.to_owned())),
            _ => Err("this text stands alone".to_owned()),
        }
    }
}

/// The whole of `sortkey check` and `sortkey plan` on a text alone, and on the text followed by itself.
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let options = sortkey_lints::Options::default();
    let compilation = sortkey_lints::check("fuzz.sk", text, &Itself(text), &options);
    for diagnostic in compilation.diagnostics.iter().take(20) {
        let shown =
            sortkey_diagnostics::render(diagnostic, &compilation.sources, sortkey_diagnostics::Style::Plain);
        assert!(!shown.is_empty());
    }
    assert!(!sortkey_plan::lock_file(&compilation.program).is_empty());
    assert!(sortkey_plan::plan_text(&compilation.program).len() < usize::MAX);
    if !compilation.has_errors() {
        let form = sortkey_design::wire::write(&compilation.program);
        let json = serde_json::to_value(&form).expect("a form is JSON");
        let back = sortkey_design::wire::read(&json).expect("what was written can be read");
        assert_eq!(sortkey_design::wire::write(&back), form);
    }
}

/// A line with something, and a body behind it.
fn line_and_body(data: &[u8]) -> Option<(&str, &[u8])> {
    let line = data.iter().position(|byte| *byte == b'\n').unwrap_or(data.len());
    let text = std::str::from_utf8(&data[..line]).ok()?;
    Some((text, data.get(line + 1..).unwrap_or_default()))
}

/// A filter in one line and a body behind it: a filter decides, and its opposite decides the opposite.
pub fn filter(data: &[u8]) {
    let Some((text, body)) = line_and_body(data) else { return };
    let Ok(filter) = Filter::parse(text) else { return };
    let opposite = format!("{{\"not\":{text}}}");
    let body: Option<Value> = serde_json::from_slice(body).ok();
    let headers = [("x-kind", "push")];
    let subject = Subject { body: body.as_ref(), headers: Headers::new(&headers) };
    // The opposite is one level deeper, and may pass the limit.
    if let Ok(opposite) = Filter::parse(&opposite) {
        assert_ne!(filter.holds(subject), opposite.holds(subject), "{text}");
    }
}

/// A transform in one line and a body behind it: what it makes is JSON within the limits, and the same every time.
pub fn transform(data: &[u8]) {
    let Some((text, body)) = line_and_body(data) else { return };
    let Ok(transform) = Transform::parse(text) else { return };
    let headers = [("x-kind", "push\r\nx: y")];
    let made = transform.apply(body, Headers::new(&headers));
    assert_eq!(made, transform.apply(body, Headers::new(&headers)), "{text}");
    let Ok(made) = made else { return };
    assert!(made.body.len() <= MAX_OUTPUT_BYTES, "{text}");
    assert!(made.body == body || serde_json::from_slice::<Value>(&made.body).is_ok(), "{text}");
    for (name, value) in made.headers {
        let visible = |byte: u8| (b' '..=b'~').contains(&byte);
        assert!(value.is_none_or(|value| value.bytes().all(visible)), "{text}: {name}");
    }
}

/// A schedule: the next time is later, and nothing is between.
pub fn cron(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let Ok(cron) = Cron::parse(text) else { return };
    let berlin = Zone::parse("Europe/Berlin").expect("a zone");
    // New year, and a day before clocks change in spring and in autumn.
    for after in [1_767_225_600, 1_774_659_600, 1_792_803_600] {
        for zone in [&Zone::UTC, &berlin] {
            let Some(next) = cron.next(after, zone) else { continue };
            assert!(next > after, "{text:?}");
            assert_eq!(cron.next(next - 1, zone), Some(next), "{text:?}");
        }
    }
}

/// The value of a header in one line and a body behind it: nobody who lacks the secret is believed.
pub fn signature(data: &[u8]) {
    let Some((value, body)) = line_and_body(data) else { return };
    let key = "whpk_11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=";
    let schemes = [
        (Scheme::Stripe, "secret"),
        (Scheme::StandardWebhooks, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"),
        (Scheme::StandardWebhooks, key),
        (Scheme::github(), "secret"),
        (Scheme::shopify(), "secret"),
        (Scheme::slack(), "secret"),
        (Scheme::discord(), &key[5..]),
    ];
    for (scheme, secret) in schemes {
        let names = [
            "Stripe-Signature",
            "webhook-signature",
            "X-Hub-Signature-256",
            "X-Shopify-Hmac-Sha256",
            "X-Slack-Signature",
            "X-Signature-Ed25519",
        ];
        let times = ["webhook-timestamp", "X-Slack-Request-Timestamp", "X-Signature-Timestamp"];
        let headers: Vec<(&str, &str)> = names
            .map(|name| (name, value))
            .into_iter()
            .chain(times.map(|name| (name, "1700000000")))
            .chain([("webhook-id", value)])
            .collect();
        let incoming = Incoming { headers: Headers::new(&headers), body, now_seconds: 1_700_000_000 };
        let verifier = Verifier::new(&scheme, &[secret]).expect("a scheme");
        assert!(verifier.verify(&incoming).is_err(), "{scheme:?} believes {value:?}");
        let id = scheme.delivery_id(&incoming);
        assert!(id.is_none_or(|id| (1..=256).contains(&id.id.len())), "{value:?}");
    }
}

/// A policy document: read as a policy of every kind, and asked about a request. A deny beside it always wins, and
/// repeating it changes nothing.
pub fn policy(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let principal = Principal {
        account: "000000000000".to_owned(),
        arn: "arn:aws:iam::000000000000:user/ann".to_owned(),
        role: None,
    };
    let request = sortkey_policy::Request {
        action: "dynamodb:GetItem",
        resource: "arn:aws:dynamodb:us-east-1:000000000000:table/users",
        principal: &principal,
        context: &Facts,
    };
    for kind in [Kind::Identity, Kind::Resource, Kind::Trust] {
        let Ok(policy) = Policy::parse(text, kind) else { continue };
        assert_eq!(Policy::parse(text, kind).as_ref(), Ok(&policy), "{text:?} is read the same way twice");
        let alone = [policy.clone()];
        let decided = decide(&Policies { identity: &alone, ..Policies::default() }, &request);
        let twice = [policy.clone(), policy.clone()];
        assert_eq!(decide(&Policies { identity: &twice, ..Policies::default() }, &request), decided);
        let denied = [policy.clone(), Policy::deny_all()];
        let denied = decide(&Policies { identity: &denied, ..Policies::default() }, &request);
        assert!(matches!(denied, Decision::Denied(..)), "{text:?} overrides a deny");
        let limited = Policies {
            identity: &alone,
            boundary: Some(&alone[0]),
            session: Some(&alone[0]),
            ..Policies::default()
        };
        assert_eq!(decide(&limited, &request), decided, "{text:?} limits itself");
    }
}

/// The facts about a request of a fuzz target: some keys are there, some are not, and some are unknown.
struct Facts;

impl Context for Facts {
    fn values(&self, key: &str) -> Option<Values<'_>> {
        match key.to_ascii_lowercase().as_str() {
            "dynamodb:leadingkeys" => Some(Values::one("ann")),
            "dynamodb:attributes" => Some(Values::Everything),
            "aws:username" => Some(Values::one("ann")),
            "aws:sourceip" => Some(Values::one("203.0.113.7")),
            "aws:currenttime" => Some(Values::one("2026-11-17T01:38:52Z")),
            "aws:securetransport" => Some(Values::one("false")),
            "aws:referer" => Some(Values::Absent),
            _ => None,
        }
    }
}

/// A signature: an Authorization header, a date and a query, one per line. No key that the text does not name makes one that
/// is accepted.
pub fn authorization(data: &[u8]) {
    let mut lines = data.splitn(3, |byte| *byte == b'\n');
    let mut next = || lines.next().unwrap_or_default();
    let (header, date, query) = (next(), next(), next());
    let query = String::from_utf8_lossy(query).into_owned();
    let mut headers: Vec<(&str, &[u8])> = vec![("host", b"localhost"), ("x-amz-date", date)];
    if !header.is_empty() {
        headers.push(("authorization", header));
    }
    let request = SignedRequest { method: "POST", path: "/", query: &query, headers: &headers, body: b"{}" };
    let mut credential = String::new();
    let Ok(signature) = Signature::read(&request, &mut credential) else { return };
    let _ = signature.check_coverage(&request);
    let _ = signature.check_time(Timestamp { seconds: 1_794_879_532 });
    let Ok(credential) = signature.credential() else { return };
    let _ = signature.check_scope(&credential, &["dynamodb"]);
    let scope = Scope { date: "20261117", region: "us-east-1", service: "dynamodb" };
    let key = SigningKey::derive("a secret that no input contains", &scope);
    assert!(signature.matches(&request, &credential, &key).is_err(), "a forged signature");
}

/// A session token. None of them was made with this key.
pub fn session_token(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    assert!(!is_session_token(text, &[7; 32]), "a forged token");
}
