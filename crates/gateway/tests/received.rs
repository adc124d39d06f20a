//! Webhooks as their providers send them, to Ferryhook's own address: signed by each provider's scheme, sent again, and sent by somebody
//! who has recorded one.

use std::time::{SystemTime, UNIX_EPOCH};

use crate::support::{Api, Got};
use serde_json::{Value as Json, json};
use sortkey_functions::encoding::Encoding;
use sortkey_functions::hmac::{self, Algorithm};
use sortkey_gateway::Admission;

const SECRET: &str = "a secret of the provider";
const BODY: &str = r#"{"id":"evt_1"}"#;
/// The key whose private half has the bytes 0 to 31, and its signature of `BODY`.
const PUBLIC_KEY: &str = "03a107bff3ce10be1d70dd18e74bc09967e4d6309ba50d5f1ddc8664125531b8";

/// A system with one user.
struct Place {
    api: Api,
    user: String,
    caller: String,
}

impl Place {
    fn new() -> Place {
        let api = Api::of("ferryhook", Admission::Open);
        let account = json!({ "email": "ada@x.com", "name": "Ada", "password": "correct horse" });
        let user = text(&api.post("/api/users/create", &[], &account).json(), "userId");
        let caller = json!({ "userId": user, "permission": "admin" }).to_string();
        Place { api, user, caller }
    }

    fn source(&self, provider: &str, secret: &str, algorithm: Option<&str>) -> String {
        let mut input = json!({ "name": provider, "provider": provider, "signingSecret": secret });
        if let Some(algorithm) = algorithm {
            input["signingAlgorithm"] = json!(algorithm);
        }
        let made = self.api.post("/api/sources/create", &[("sortkey-caller", &self.caller)], &input);
        text(&made.json(), "sourceId")
    }

    fn send(&self, source: &str, headers: &[(&str, &str)], body: &str) -> Got {
        self.api.send("POST", &format!("/in/{source}"), headers, body)
    }

    /// The id of the event that a request has become.
    fn event(&self, source: &str, headers: &[(&str, &str)], body: &str) -> String {
        let got = self.send(source, headers, body);
        assert_eq!(got.status, 202, "{headers:?}: {}", got.text());
        text(&got.json(), "eventId")
    }

    fn refused(&self, source: &str, headers: &[(&str, &str)], body: &str) {
        let got = self.send(source, headers, body);
        assert_eq!(got.problem().1, "Unauthenticated", "{headers:?}");
    }

    fn stripe(&self, signature: &str, event: &Json) -> Got {
        let headers = [("content-type", "application/json"), ("stripe-signature", signature)];
        self.api.send("POST", "/billing/stripe", &headers, &event.to_string())
    }

    /// The account's plan after an event that Stripe has signed.
    fn plan_after(&self, event: &Json) -> String {
        // Parameters of designs are `test` in these tests.
        let got = self.stripe(&stripe("test", now(), &event.to_string()), event);
        assert_eq!(got.status, 200, "{event}: {}", got.text());
        self.plan()
    }

    fn plan(&self) -> String {
        let path = format!("/api/users/getById?userId={}", self.user);
        text(&self.api.get(&path, &[("sortkey-caller", &self.caller)]).json(), "plan")
    }
}

fn text(json: &Json, name: &str) -> String {
    let text = json[name].as_str();
    assert!(text.is_some(), "no {name}: {json}");
    text.unwrap_or_default().to_owned()
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs()
}

fn code(algorithm: Algorithm, encoding: Encoding, secret: &str, content: &str) -> String {
    encoding.encode(&hmac::sign(algorithm, secret.as_bytes(), &[content.as_bytes()]))
}

fn hex(content: &str) -> String {
    code(Algorithm::Sha256, Encoding::Hex, SECRET, content)
}

fn stripe(secret: &str, at: u64, body: &str) -> String {
    let code = code(Algorithm::Sha256, Encoding::Hex, secret, &format!("{at}.{body}"));
    format!("t={at},v1={code}")
}

#[test]
fn each_providers_signature_is_verified_and_a_wrong_one_refused() {
    let place = Place::new();
    let github = format!("sha256={}", hex(BODY));
    let shopify = code(Algorithm::Sha256, Encoding::Base64, SECRET, BODY);
    let sha1 = code(Algorithm::Sha1, Encoding::Hex, SECRET, BODY);
    let ed25519 = concat!(
        "6cca256d72ae10fb11f25cb357906a68d6c8756ca4cdd0b088bd23893c862722",
        "57664079ff5e91ff4301dccb638466adcff2a914c6e057cd5de93a4e58485807"
    );
    let timely = stripe(SECRET, now(), BODY);
    for (provider, secret, algorithm, header, signature) in [
        ("stripe", SECRET, None, "stripe-signature", timely.as_str()),
        ("github", SECRET, None, "x-hub-signature-256", &github),
        ("shopify", SECRET, None, "x-shopify-hmac-sha256", &shopify),
        ("custom", SECRET, None, "x-signature", &hex(BODY)),
        ("custom", SECRET, Some("hmac-sha1"), "x-signature", &sha1),
        ("custom", PUBLIC_KEY, Some("ed25519"), "x-signature", ed25519),
    ] {
        let source = place.source(provider, secret, algorithm);
        place.event(&source, &[(header, signature)], BODY);
        place.refused(&source, &[(header, signature)], r#"{"id":"evt_2"}"#);
        place.refused(&source, &[], BODY);
        let middle = signature.len() - 8;
        let other = if signature[middle..].starts_with('0') { '1' } else { '0' };
        let mut wrong = signature.to_owned();
        wrong.replace_range(middle..=middle, &other.to_string());
        place.refused(&source, &[(header, &wrong)], BODY);
    }
    let source = place.source("stripe", SECRET, None);
    place.refused(&source, &[("stripe-signature", &stripe(SECRET, now() - 600, BODY))], BODY);
    place.refused(&source, &[("stripe-signature", &stripe("another secret", now(), BODY))], BODY);
}

// A delivery that its provider sent again, signed anew, was refused because its headers were others.
#[test]
fn a_delivery_that_is_sent_again_is_one_event() {
    let place = Place::new();
    let source = place.source("stripe", SECRET, None);
    let first = place.event(&source, &[("stripe-signature", &stripe(SECRET, now() - 60, BODY))], BODY);
    // Stripe writes into an event how many addresses have not taken it yet.
    let later = r#"{"id":"evt_1","pending_webhooks":1}"#;
    let again = [("stripe-signature", &*stripe(SECRET, now(), later)), ("x-forwarded-for", "203.0.113.9")];
    assert_eq!(place.event(&source, &again, later), first);

    let source = place.source("github", SECRET, None);
    let signature = format!("sha256={}", hex(BODY));
    let signed = [("x-hub-signature-256", signature.as_str()), ("x-github-delivery", "d-1")];
    let first = place.event(&source, &signed, BODY);
    let again = [signed[0], signed[1], ("x-request-id", "another")];
    assert_eq!(place.event(&source, &again, BODY), first);
}

// A webhook that somebody had recorded became a new event under another id, which GitHub's and Shopify's signatures do not cover.
#[test]
fn a_recorded_webhook_under_another_id_is_no_new_event() {
    let place = Place::new();
    let github = format!("sha256={}", hex(BODY));
    let signed = ("x-hub-signature-256", github.as_str());
    let source = place.source("github", SECRET, None);
    let first = place.event(&source, &[signed, ("x-github-delivery", "d-1")], BODY);
    for other in [
        &[signed, ("x-github-delivery", "d-2")][..],
        &[signed],
        &[signed, ("webhook-id", "msg_1")],
        &[signed, ("stripe-signature", "t=1,v1=00"), ("x-github-delivery", "d-3")],
        &[signed, ("x-github-delivery", "d-1"), ("x-github-delivery", "d-4")],
        &[signed, ("x-github-event", "invented")],
    ] {
        assert_eq!(place.event(&source, other, BODY), first, "{other:?}");
    }
    // Another body under an id that was used is another event.
    let body = r#"{"id":"evt_2"}"#;
    let github = format!("sha256={}", hex(body));
    let other = place.event(&source, &[("x-hub-signature-256", &github), ("x-github-delivery", "d-1")], body);
    assert_ne!(other, first);

    let shopify = code(Algorithm::Sha256, Encoding::Base64, SECRET, BODY);
    let paid = [("x-shopify-hmac-sha256", shopify.as_str()), ("x-shopify-topic", "orders/paid")];
    let source = place.source("shopify", SECRET, None);
    let first = place.event(&source, &[paid[0], paid[1], ("x-shopify-webhook-id", "w-1")], BODY);
    assert_eq!(place.event(&source, &[paid[0], paid[1], ("x-shopify-webhook-id", "w-2")], BODY), first);
    // An order that is created and paid at once is the body of two events.
    let created = [paid[0], ("x-shopify-topic", "orders/create"), ("x-shopify-webhook-id", "w-3")];
    assert_ne!(place.event(&source, &created, BODY), first);

    // Whose scheme is the customer's own says by an id that two bodies that are alike are two events.
    let source = place.source("custom", SECRET, None);
    let signature = hex(BODY);
    let signed = ("x-signature", signature.as_str());
    let first = place.event(&source, &[signed, ("idempotency-key", "k-1")], BODY);
    assert_eq!(place.event(&source, &[signed, ("idempotency-key", "k-1")], BODY), first);
    assert_ne!(place.event(&source, &[signed, ("idempotency-key", "k-2")], BODY), first);
}

// Every event of Stripe set the plan, or failed: whatever its type, in whatever order, and again and again.
#[test]
fn the_plan_follows_the_events_that_stripe_has_signed() {
    let place = Place::new();
    let at = now();
    let event = |id: &str, kind: &str, at: u64, object: Json| json!({ "id": id, "object": "event", "livemode": false, "type": kind, "created": at, "data": { "object": object } });
    let checkout = |user: &str| {
        json!({
            "id": "cs_1", "object": "checkout.session", "client_reference_id": user, "customer": "cus_1", "subscription": "sub_1",
            "payment_status": "paid", "metadata": { "plan": "starter" },
        })
    };
    let subscription = |status: &str, plan: Option<&str>| {
        let mut object = json!({
            "id": "sub_1", "object": "subscription", "customer": "cus_1", "status": status, "metadata": {},
            "items": { "object": "list", "data": [{ "id": "si_1", "price": { "id": "price_1", "metadata": {} } }] },
        });
        if let Some(plan) = plan {
            object["items"]["data"][0]["price"]["metadata"]["plan"] = json!(plan);
        }
        object
    };
    let begun = event("evt_1", "checkout.session.completed", at, checkout(&place.user));
    for (signature, expected) in [("t=1,v1=00", 403), (&*stripe("another", at, &begun.to_string()), 403)] {
        assert_eq!(place.stripe(signature, &begun).status, expected, "{signature}");
    }
    let unknown = event("evt_0", "customer.subscription.created", at, subscription("active", Some("pro")));
    let got = place.stripe(&stripe("test", at, &unknown.to_string()), &unknown);
    assert_eq!(got.problem().1, "UserNotFound", "Stripe comes again: the checkout may be late");
    assert_eq!(place.plan_after(&begun), "starter");
    // An event of the same id, made before the checkout was known and signed anew.
    let earlier =
        event("evt_0", "customer.subscription.created", at - 1, subscription("active", Some("pro")));
    assert_eq!(place.plan_after(&earlier), "starter", "an event that is older than what is known");
    let changed = "customer.subscription.updated";
    assert_eq!(
        place.plan_after(&event("evt_2", changed, at + 1, subscription("active", Some("pro")))),
        "pro"
    );
    assert_eq!(place.plan_after(&event("evt_3", changed, at + 2, subscription("past_due", None))), "pro");
    assert_eq!(
        place.plan_after(&event("evt_4", changed, at + 3, subscription("incomplete", Some("team")))),
        "pro"
    );
    let invoice =
        json!({ "id": "in_1", "object": "invoice", "customer": "cus_9", "metadata": { "plan": "team" } });
    for kind in ["invoice.paid", "invoice.payment_failed", "customer.created", "a.type.of.next.year"] {
        assert_eq!(place.plan_after(&event("evt_5", kind, at + 4, invoice.clone())), "pro", "{kind}");
    }
    let strange = event("evt_6", changed, at + 5, subscription("active", Some("gold")));
    let got = place.stripe(&stripe("test", now(), &strange.to_string()), &strange);
    assert_eq!(got.problem().0, 400, "a plan that there is none of is a mistake of ours: {}", got.text());
    let ended = event("evt_8", "customer.subscription.deleted", at + 8, subscription("canceled", None));
    assert_eq!(place.plan_after(&ended), "free");
    assert_eq!(
        place.plan_after(&event("evt_7", changed, at + 7, subscription("active", Some("pro")))),
        "free"
    );
    assert_eq!(place.plan_after(&begun), "free", "an event that comes again");
}
