//! The claims of a token: issuer, audience and time.

use serde_json::Value as Json;

use crate::Defect;

/// How far clocks of two machines may differ.
const LEEWAY_S: i64 = 60;

/// The claims that a token must have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expected<'a> {
    /// The issuer: `iss`.
    pub issuer: &'a str,
    /// The audience: one of `aud`.
    pub audience: &'a str,
    /// The address of the issuer's keys; none asks the issuer's configuration.
    pub keys: Option<&'a str>,
    /// The moment at which it must be valid, in seconds since 1970.
    pub now_s: i64,
}

impl Expected<'_> {
    /// Whether claims are as expected.
    pub(crate) fn check(&self, claims: &Json) -> Result<(), Defect> {
        if claims["iss"].as_str() != Some(self.issuer) {
            return Err(Defect::Issuer);
        }
        let is_meant = |audience: &Json| audience.as_str() == Some(self.audience);
        let is_for_us = match &claims["aud"] {
            Json::Array(audiences) => audiences.iter().any(is_meant),
            audience => is_meant(audience),
        };
        if self.audience.is_empty() || !is_for_us {
            return Err(Defect::Audience);
        }
        let expires = seconds(&claims["exp"]).ok_or(Defect::Expired)?;
        if expires.saturating_add(LEEWAY_S) <= self.now_s {
            return Err(Defect::Expired);
        }
        for name in ["nbf", "iat"] {
            let Some(begin) = claims.get(name) else { continue };
            let begin = seconds(begin).ok_or(Defect::Early)?;
            if begin.saturating_sub(LEEWAY_S) > self.now_s {
                return Err(Defect::Early);
            }
        }
        Ok(())
    }
}

/// A time of a claim, which may have a fraction.
fn seconds(json: &Json) -> Option<i64> {
    json.as_i64()
        .or_else(|| json.as_f64().filter(|seconds| seconds.is_finite()).map(|seconds| seconds as i64))
}
