//! The functions of webhooks, schedules and sign-ins. They are computed in `sortkey-functions`; here values of the
//! language become its arguments. `compute.rs` decides whether that happens here or in the host.

use sha2::{Digest as _, Sha256};
use sortkey_design::program::Function;
use sortkey_functions::cron::{Cron, Zone};
use sortkey_functions::filter::{Filter, Subject};
use sortkey_functions::password::{self, Limits};
use sortkey_functions::retry::Schedule;
use sortkey_functions::signature::{
    Custom, IdSource, Incoming, Method, OutgoingSecret, Scheme, Verifier, sign_outgoing,
};
use sortkey_functions::totp::{Totp, TotpSecret};
use sortkey_functions::transform::{Transform, Transformed};
use sortkey_functions::{Headers, encoding::Encoding};
use std::sync::Arc;

use crate::values::{Val, untyped};
use crate::{Failure, FailureKind};

/// The header of a signature that no provider's scheme describes.
const CUSTOM_HEADER: &str = "x-signature";

/// Names and values of headers.
type Pairs = Vec<(String, String)>;

/// The inputs of these functions beside their arguments.
#[derive(Clone, Copy)]
pub(super) struct Moment {
    pub(super) now_ms: i64,
    /// A random number, for a function that needs one.
    pub(super) random: u64,
}

impl Moment {
    /// `function(arguments)`; none if it is not one of these.
    pub(super) fn computed(self, function: Function, values: &[Val]) -> Result<Option<Val>, Failure> {
        let at = |place: usize| values.get(place).unwrap_or(&Val::Absent);
        let text = |place: usize| at(place).as_text().unwrap_or_default();
        Ok(Some(match function {
            Function::CronNext => cron_next(at(0), at(1), at(2))?,
            Function::Matches => Val::Bool(matches(&bytes(at(0)), text(1))),
            Function::Totp => Val::Bool(self.totp(text(0), text(1))),
            Function::Verified => Val::Bool(self.verified(text(0), at(1), at(2), at(3), at(4).as_text())),
            Function::DeliveryId => self.delivery_id(text(0), at(1), at(2)),
            Function::StandardWebhook => self.standard_webhook(text(0), at(1), at(2))?,
            Function::Passes => Val::Bool(passes(at(0), at(1), at(2))?),
            Function::Transformed => Val::Bytes(transformed(at(0), at(1), at(2))?.0),
            Function::TransformedHeaders => map(transformed(at(0), at(1), at(2))?.1),
            Function::RetryDelay => self.retry_delay(at(0), at(1), at(2))?,
            Function::RepeatNext | Function::Hour => super::calendar::function(function, values)?,
            _ => return Ok(None),
        }))
    }

    fn totp(self, secret: &str, code: &str) -> bool {
        let Ok(secret) = TotpSecret::parse(secret) else { return false };
        Totp::default().verify(&secret, code, self.now_ms.div_euclid(1_000), None).is_some()
    }

    fn verified(
        self,
        provider: &str,
        secrets: &Val,
        headers: &Val,
        body: &Val,
        method: Option<&str>,
    ) -> bool {
        let secrets = texts(secrets);
        let secrets: Vec<&str> = secrets.iter().map(String::as_str).collect();
        let (headers, body) = (pairs(headers), bytes(body));
        let headers = borrowed(&headers);
        let incoming = self.incoming(&headers, &body);
        let Some(scheme) = scheme(provider, method) else { return false };
        !secrets.is_empty()
            && Verifier::new(&scheme, &secrets).is_ok_and(|verifier| verifier.verify(&incoming).is_ok())
    }

    fn delivery_id(self, provider: &str, headers: &Val, body: &Val) -> Val {
        let (headers, body) = (pairs(headers), bytes(body));
        let headers = borrowed(&headers);
        let incoming = self.incoming(&headers, &body);
        // The provider is often known only after the id is: then every provider's own header is looked for.
        let is_stripe = headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("stripe-signature"));
        let providers: &[&str] = match provider {
            "any" if is_stripe => &["stripe"],
            "any" => &["standard", "github", "shopify", "custom"],
            _ => &[provider],
        };
        let found = providers.iter().find_map(|each| recognised(each, provider == "any", &incoming));
        found.map_or(Val::Absent, Val::Text)
    }

    fn incoming<'h>(self, headers: &'h [(&'h str, &'h str)], body: &'h [u8]) -> Incoming<'h> {
        Incoming { headers: Headers::new(headers), body, now_seconds: self.now_ms.div_euclid(1_000) }
    }

    fn standard_webhook(self, id: &str, secrets: &Val, body: &Val) -> Result<Val, Failure> {
        let invalid = |error: String| Failure::new(FailureKind::Invalid, format!("cannot sign: {error}"));
        let secrets: Result<Vec<OutgoingSecret>, Failure> =
            texts(secrets).iter().map(|text| outgoing_secret(text).map_err(&invalid)).collect();
        let signed = sign_outgoing(id, self.now_ms.div_euclid(1_000), &bytes(body), &secrets?);
        let signed = signed.map_err(|error| invalid(error.to_string()))?;
        Ok(map(vec![
            ("webhook-id".to_owned(), signed.id),
            ("webhook-signature".to_owned(), signed.signature),
            ("webhook-timestamp".to_owned(), signed.timestamp),
        ]))
    }

    /// How long to wait before the next attempt; absent after the last.
    fn retry_delay(self, made: &Val, delays: &Val, after_ms: &Val) -> Result<Val, Failure> {
        let delays = delays.members().unwrap_or_default().iter().filter_map(Val::as_integer);
        let delays: Vec<u32> = delays.filter_map(|seconds| u32::try_from(seconds).ok()).collect();
        let schedule = match delays.is_empty() {
            true => Schedule::default(),
            false => Schedule::new(delays)
                .map_err(|error| Failure::new(FailureKind::Invalid, error.to_string()))?,
        };
        let made = made.as_integer().and_then(|made| usize::try_from(made).ok()).unwrap_or(0);
        let delay = schedule.delay_ms(made, self.random);
        let asked = after_ms.as_integer().and_then(|ms| u64::try_from(ms).ok()).unwrap_or(0);
        let delay = delay.map(|delay| delay.max(asked));
        Ok(delay.map_or(Val::Absent, |delay| Val::integer(i64::try_from(delay).unwrap_or(i64::MAX))))
    }
}

/// By what a delivery is recognised when it comes again. An id that the signature covers is enough. Another one can be replaced by
/// whoever recorded a webhook: it counts together with the body. GitHub and Shopify sign the body alone and never send one twice,
/// so there the body decides; one order of a shop may be the body of several topics.
fn recognised(provider: &str, is_any: bool, incoming: &Incoming<'_>) -> Option<String> {
    let found = scheme(provider, None)?.delivery_id(incoming);
    let beside = match (provider, found) {
        // The header of a standard webhook proves nothing where nobody has verified it as one.
        (_, Some(found)) if found.is_signed && (provider, is_any) != ("standard", true) => {
            return Some(found.id);
        }
        (_, None) if is_any => return None,
        ("github", _) => String::new(),
        ("shopify", _) => incoming.headers.all("x-shopify-topic").collect::<Vec<_>>().join(","),
        (_, found) => found?.id,
    };
    Some(
        Encoding::Hex.encode(
            &Sha256::new().chain_update(beside).chain_update([0]).chain_update(incoming.body).finalize(),
        ),
    )
}

fn cron_next(text: &Val, from: &Val, zone: &Val) -> Result<Val, Failure> {
    let (Val::Text(text), Val::Time(from_ms)) = (text, from) else { return Ok(Val::Absent) };
    let invalid = |message: String| Failure::new(FailureKind::Invalid, message);
    let cron = Cron::parse(text)
        .map_err(|error| invalid(format!("\"{text}\" is not a cron expression: {error}")))?;
    let zone = zone.as_text().unwrap_or("UTC");
    let zone = Zone::parse(zone).map_err(|error| invalid(error.to_string()))?;
    let next = cron.next(from_ms.div_euclid(1_000), &zone);
    Ok(next.map_or(Val::Absent, |seconds| Val::Time(seconds.saturating_mul(1_000))))
}

/// Whether a password belongs to a hash.
fn matches(password: &[u8], hash: &str) -> bool {
    // bcrypt reads 72 bytes; longer passwords were hashed before (see `bcrypt`).
    let digest = (password.len() > 71).then(|| super::hex(&<sha2::Sha256 as sha2::Digest>::digest(password)));
    let password = digest.as_ref().map_or(password, |digest| digest.as_bytes());
    password::matches(password, hash, &Limits::default()).unwrap_or(false)
}

/// The first day of the period of a month that contains a time, if periods begin on a day of the month: the 17th, or the last
/// day of a month that is shorter.
pub(super) fn period_start(time: &Val, day: &Val) -> Val {
    let (Val::Time(time_ms), Some(day)) = (time, day.as_integer()) else { return Val::Absent };
    let today = crate::values::date(*time_ms);
    let mut parts = today.splitn(3, '-').map(|part| part.parse::<i64>().unwrap_or(1));
    let (year, month, today) =
        (parts.next().unwrap_or(1970), parts.next().unwrap_or(1), parts.next().unwrap_or(1));
    let first = |year: i64, month: i64| day.clamp(1, days(year, month));
    let (year, month) = match (today >= first(year, month), month) {
        (true, _) => (year, month),
        (false, 1) => (year - 1, 12),
        (false, _) => (year, month - 1),
    };
    Val::Text(format!("{year:04}-{month:02}-{:02}", first(year, month)))
}

/// How many days a month has.
fn days(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// A secret as the scheme writes it; any other text is taken for the bytes of one.
fn outgoing_secret(text: &str) -> Result<OutgoingSecret, String> {
    if text.starts_with("whsec_") || text.starts_with("whsk_") {
        return OutgoingSecret::parse(text).map_err(|error| error.to_string());
    }
    let encoded = format!("whsec_{}", Encoding::Base64.encode(text.as_bytes()));
    OutgoingSecret::parse(&encoded).map_err(|error| error.to_string())
}

fn scheme(provider: &str, method: Option<&str>) -> Option<Scheme> {
    Some(match provider {
        "stripe" => Scheme::Stripe,
        "github" => Scheme::github(),
        "shopify" => Scheme::shopify(),
        "slack" => Scheme::slack(),
        "discord" => Scheme::discord(),
        "standard" => Scheme::StandardWebhooks,
        "custom" => {
            let method = match method {
                None | Some("hmac-sha256") => Method::Hmac(sortkey_functions::hmac::Algorithm::Sha256),
                Some("hmac-sha1") => Method::Hmac(sortkey_functions::hmac::Algorithm::Sha1),
                Some("ed25519") => Method::Ed25519,
                Some(_) => return None,
            };
            let delivery_id = Some(IdSource::headers(["webhook-id", "idempotency-key", "x-request-id"]));
            Scheme::Custom(Custom { method, delivery_id, ..Custom::new(CUSTOM_HEADER) })
        }
        _ => return None,
    })
}

fn passes(filter: &Val, headers: &Val, body: &Val) -> Result<bool, Failure> {
    if filter.is_absent() {
        return Ok(true);
    }
    let filter = Filter::read(&untyped(filter));
    let filter =
        filter.map_err(|error| Failure::new(FailureKind::Invalid, format!("the filter: {error}")))?;
    let headers = pairs(headers);
    let headers = borrowed(&headers);
    let body = serde_json::from_slice(&bytes(body)).ok();
    Ok(filter.holds(Subject { body: body.as_ref(), headers: Headers::new(&headers) }))
}

/// The body and the headers that a transform makes; without one, the body as it is.
fn transformed(transform: &Val, headers: &Val, body: &Val) -> Result<(Vec<u8>, Pairs), Failure> {
    let body = bytes(body);
    if transform.is_absent() {
        return Ok((body, Vec::new()));
    }
    let invalid = |error: String| Failure::new(FailureKind::Invalid, format!("the transform: {error}"));
    let transform = Transform::read(&untyped(transform)).map_err(|error| invalid(error.to_string()))?;
    let headers = pairs(headers);
    let headers = borrowed(&headers);
    let made = transform.apply(&body, Headers::new(&headers)).map_err(|error| invalid(error.to_string()))?;
    let Transformed { body, headers, .. } = made;
    let set = headers.into_iter().filter_map(|(name, value)| Some((name.to_ascii_lowercase(), value?)));
    Ok((body, set.collect()))
}

fn texts(value: &Val) -> Vec<String> {
    match value.members() {
        Some(members) => members.iter().filter_map(Val::as_text).map(str::to_owned).collect(),
        None => value.as_text().map(str::to_owned).into_iter().collect(),
    }
}

fn pairs(map: &Val) -> Vec<(String, String)> {
    let fields = map.fields().into_iter().flatten();
    fields.filter_map(|(name, value)| Some((name.to_string(), value.as_text()?.to_owned()))).collect()
}

fn borrowed(pairs: &[(String, String)]) -> Vec<(&str, &str)> {
    pairs.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

fn map(pairs: Vec<(String, String)>) -> Val {
    Val::Map(
        pairs.into_iter().map(|(name, value)| (Arc::<str>::from(name.as_str()), Val::Text(value))).collect(),
    )
}

pub(super) fn bytes(value: &Val) -> Vec<u8> {
    match value {
        Val::Bytes(bytes) => bytes.clone(),
        other => crate::template::canonical(None, other).unwrap_or_default().into_bytes(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// F-46: a billing period that starts on the 17th could not be expressed.
    #[test]
    fn a_period_begins_on_its_day_of_the_month() {
        let day = 86_400_000;
        // 2026-01-01T00:00:00Z
        let start = 1_767_225_600_000;
        for (after_days, on, expected) in [
            (0, 1, "2026-01-01"),
            (0, 17, "2025-12-17"),
            (15, 17, "2025-12-17"),
            (16, 17, "2026-01-17"),
            (58, 31, "2026-02-28"),
            (57, 31, "2026-01-31"),
            (59, 31, "2026-02-28"),
        ] {
            let found = period_start(&Val::Time(start + after_days * day), &Val::integer(on));
            assert_eq!(found, Val::text(expected), "{after_days} days after, on the {on}");
        }
    }
}
