//! The parts of a signature, and the checks that need no secret.

use sha2::{Digest, Sha256};

use super::{
    MAX_EXPIRES_SECONDS, SKEW_SECONDS, SignatureError, SignedRequest, SigningKey, Timestamp, canonical,
};
use crate::{hex, hmac};

const ALGORITHM: &str = "AWS4-HMAC-SHA256";

/// The end of every scope.
const TERMINATOR: &str = "aws4_request";

/// The parameter of a presigned request that carries the signature.
const SIGNATURE: &str = "X-Amz-Signature";

/// The credential and its scope: `AKIA.../20261117/us-east-1/dynamodb/aws4_request`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credential<'a> {
    /// The access key that signed.
    pub access_key: &'a str,
    /// The scope of the signing key.
    pub scope: Scope<'a>,
    /// The scope as it was sent, without the access key.
    pub(crate) scope_text: &'a str,
    /// `aws4_request`.
    terminator: &'a str,
}

/// The scope that a signing key is derived for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scope<'a> {
    /// The day: `20261117`.
    pub date: &'a str,
    /// Any; a server on this machine is in all regions.
    pub region: &'a str,
    /// `dynamodb`, `sts`.
    pub service: &'a str,
}

/// The parts of a request's signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature<'a> {
    /// The session token, for temporary credentials.
    pub token: Option<String>,
    credential: &'a str,
    signed_headers: std::borrow::Cow<'a, str>,
    digits: &'a str,
    time: Timestamp,
    /// The time as every part of a signature spells it.
    time_text: std::borrow::Cow<'a, str>,
    /// How long a presigned request is valid.
    expires_seconds: Option<i64>,
}

impl<'a> Signature<'a> {
    /// Finds the signature of a request. `credential` is where its owner keeps the decoded credential of a query.
    pub fn read(
        request: &SignedRequest<'a>,
        credential: &'a mut String,
    ) -> Result<Signature<'a>, SignatureError> {
        match request.header("authorization") {
            Some(header) => Signature::from_header(request, header),
            None => Signature::from_query(request, credential),
        }
    }

    fn from_header(request: &SignedRequest<'a>, header: &'a [u8]) -> Result<Signature<'a>, SignatureError> {
        let header = std::str::from_utf8(header).map_err(|_| SignatureError::Missing)?;
        let rest = header.strip_prefix(ALGORITHM).and_then(|rest| rest.strip_prefix(' '));
        let Some(rest) = rest else {
            return match header.starts_with("AWS4-") {
                true => Err(SignatureError::Incomplete(format!(
                    "Unsupported AWS 'algorithm': '{}'",
                    first_word(header)
                ))),
                false => Err(SignatureError::Missing),
            };
        };
        let mut parts: [Option<&str>; 3] = [None; 3];
        for part in rest.split([',', ' ']).filter(|part| !part.is_empty()) {
            let (name, value) = part.split_once('=').unwrap_or((part, ""));
            let at = ["Credential", "SignedHeaders", "Signature"].iter().position(|known| *known == name);
            let repeated = at.map(|at| parts[at].replace(value).is_some());
            if repeated != Some(false) {
                return Err(SignatureError::Incomplete(format!(
                    "'{part}' not a valid key=value pair (missing equal-sign) in Authorization header: '{header}'."
                )));
            }
        }
        let [Some(credential), Some(signed_headers), Some(digits)] = parts else {
            return Err(SignatureError::Incomplete(format!(
                "Authorization header is incomplete: '{header}'."
            )));
        };
        let date = request.header("x-amz-date").or_else(|| request.header("date")).unwrap_or_default();
        let date = std::str::from_utf8(date).unwrap_or_default().trim();
        let basic = Timestamp::basic(date.as_bytes()).map(|time| (time, std::borrow::Cow::Borrowed(date)));
        let http = || Timestamp::http(date).map(|time| (time, std::borrow::Cow::Owned(time.to_string())));
        let (time, time_text) = basic.or_else(http).ok_or_else(|| bad_date(date))?;
        let token = request.header("x-amz-security-token");
        let token = token.map(|token| String::from_utf8_lossy(token).trim().to_owned());
        Ok(Signature {
            token,
            credential,
            signed_headers: signed_headers.into(),
            digits,
            time,
            time_text,
            expires_seconds: None,
        })
    }

    fn from_query(
        request: &SignedRequest<'a>,
        decoded: &'a mut String,
    ) -> Result<Signature<'a>, SignatureError> {
        let find = |name: &str| {
            let mut found = request.query.split('&').filter_map(|pair| {
                let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
                (key == name).then_some(value)
            });
            match (found.next(), found.next()) {
                (value, None) => Ok(value),
                _ => Err(SignatureError::Incomplete(format!(
                    "The query-string parameter '{name}' is repeated."
                ))),
            }
        };
        let algorithm = find("X-Amz-Algorithm")?.ok_or(SignatureError::Missing)?;
        if algorithm != ALGORITHM {
            return Err(SignatureError::Incomplete(format!("Unsupported AWS 'algorithm': '{algorithm}'")));
        }
        let need = |name: &str| {
            find(name)?.ok_or_else(|| {
                let why = format!("AWS query-string parameters must include '{name}'. Re-examine the query-string parameters.");
                SignatureError::Incomplete(why)
            })
        };
        let text = |value: &str| String::from_utf8_lossy(&canonical::decode(value)).into_owned();
        *decoded = text(need("X-Amz-Credential")?);
        let digits = need(SIGNATURE)?;
        let signed_headers = text(need("X-Amz-SignedHeaders")?);
        let time_text = need("X-Amz-Date")?;
        let time = Timestamp::basic(time_text.as_bytes()).ok_or_else(|| bad_date(time_text))?;
        let expires = find("X-Amz-Expires")?.map(|seconds| {
            let seconds =
                seconds.parse::<i64>().ok().filter(|seconds| (1..=MAX_EXPIRES_SECONDS).contains(seconds));
            seconds.ok_or_else(|| {
                SignatureError::Incomplete("X-Amz-Expires must be between 1 and 604800 seconds".to_owned())
            })
        });
        let expires_seconds = expires.transpose()?.unwrap_or(SKEW_SECONDS);
        let token = find("X-Amz-Security-Token")?.map(text);
        Ok(Signature {
            token,
            credential: decoded,
            signed_headers: signed_headers.into(),
            digits,
            time,
            time_text: time_text.into(),
            expires_seconds: Some(expires_seconds),
        })
    }

    /// Checks that the signature's time is within 15 minutes of now, or that a presigned request has not expired.
    pub fn check_time(&self, now: Timestamp) -> Result<(), SignatureError> {
        let moved = |by: i64| Timestamp { seconds: now.seconds.saturating_add(by) };
        let latest = moved(SKEW_SECONDS);
        if self.time > latest {
            return Err(SignatureError::Invalid(format!(
                "Signature not yet current: {} is still later than {latest} ({now} + 15 min.)",
                self.time
            )));
        }
        let allowed_seconds = self.expires_seconds.unwrap_or(SKEW_SECONDS);
        let earliest = moved(-allowed_seconds);
        if self.time < earliest {
            let minutes = allowed_seconds / 60;
            return Err(SignatureError::Invalid(format!(
                "Signature expired: {} is now earlier than {earliest} ({now} - {minutes} min.)",
                self.time
            )));
        }
        Ok(())
    }

    /// The credential and its scope.
    pub fn credential(&self) -> Result<Credential<'a>, SignatureError> {
        let mut parts = self.credential.splitn(5, '/');
        let scope_text = self.credential.split_once('/').map_or("", |(_, scope)| scope);
        let mut read = || {
            let access_key = parts.next().filter(|key| !key.is_empty())?;
            let scope = Scope { date: parts.next()?, region: parts.next()?, service: parts.next()? };
            let terminator = parts.next().filter(|last| !last.contains('/'))?;
            Some(Credential { access_key, scope, scope_text, terminator })
        };
        read().ok_or_else(|| {
            SignatureError::Incomplete(format!(
                "Credential must have exactly 5 slash-delimited elements, e.g. keyid/date/region/service/term, got '{}'",
                self.credential
            ))
        })
    }

    /// Whether a credential is for one of these services and of the day of the signature. All that is wrong is said together, as
    /// on AWS.
    pub fn check_scope(&self, credential: &Credential<'_>, services: &[&str]) -> Result<(), SignatureError> {
        let mut wrong = String::new();
        let Credential { scope, terminator, .. } = credential;
        if scope.region.is_empty() {
            wrong += "Credential should be scoped to a valid region. ";
        }
        if !services.contains(&scope.service) {
            let service = services.first().copied().unwrap_or_default();
            wrong += &format!("Credential should be scoped to correct service: '{service}'. ");
        }
        if *terminator != TERMINATOR {
            wrong += &format!(
                "Credential should be scoped with a valid terminator: '{TERMINATOR}', not '{terminator}'. "
            );
        }
        let day = self.time_text.get(..8).unwrap_or_default();
        if scope.date != day {
            wrong += &format!(
                "Date in Credential scope does not match YYYYMMDD from ISO-8601 version of date from HTTP: '{}' != '{day}', \
                 from '{}'.",
                scope.date, self.time
            );
        }
        match wrong.is_empty() {
            true => Ok(()),
            false => Err(SignatureError::Invalid(wrong)),
        }
    }

    /// Whether everything is signed that must be: the host, and every header that AWS or we give a meaning to.
    pub fn check_coverage(&self, request: &SignedRequest<'_>) -> Result<(), SignatureError> {
        let is_signed = |name: &str| self.signed_headers.split(';').any(|signed| signed == name);
        if !is_signed("host") {
            let why = "'Host' or ':authority' must be a 'SignedHeader' in the AWS Authorization.";
            return Err(SignatureError::Invalid(why.to_owned()));
        }
        // A query is signed as a whole; headers are signed by name.
        let must_be = |name: &str| name.starts_with("x-amz-") || name.starts_with("x-sortkey-");
        let missing = request.headers.iter().find(|(name, _)| must_be(name) && !is_signed(name));
        match missing {
            Some((name, _)) => Err(SignatureError::Invalid(format!(
                "'{name}' must be a 'SignedHeader' in the AWS Authorization."
            ))),
            None => Ok(()),
        }
    }

    /// Whether the signature is the one that the key makes of the request.
    pub fn matches(
        &self,
        request: &SignedRequest<'_>,
        credential: &Credential<'_>,
        key: &SigningKey,
    ) -> Result<(), SignatureError> {
        let expected = self.expected(request, credential, key).ok_or_else(SignatureError::mismatch)?;
        let given = hex::decode(self.digits.as_bytes()).ok_or_else(SignatureError::mismatch)?;
        match hmac::is_equal(&given, &expected) {
            true => Ok(()),
            false => Err(SignatureError::mismatch()),
        }
    }

    /// The signature that the key makes of the request; none if a signed header is missing or out of order.
    pub(crate) fn expected(
        &self,
        request: &SignedRequest<'_>,
        credential: &Credential<'_>,
        key: &SigningKey,
    ) -> Option<[u8; 32]> {
        if !is_sorted(&self.signed_headers) {
            return None;
        }
        let mut payload_hash = Vec::with_capacity(64);
        hex::append(&Sha256::digest(request.body).into(), &mut payload_hash);
        // In the query of a request that is signed in its header, the parameter is one like all others.
        let unsigned = self.expires_seconds.is_some().then_some(SIGNATURE);
        let canonical = canonical::request(request, &self.signed_headers, &payload_hash, unsigned)?;
        let mut hash = Vec::with_capacity(64);
        hex::append(&Sha256::digest(&canonical).into(), &mut hash);
        let pieces = [ALGORITHM, "\n", &self.time_text, "\n", credential.scope_text, "\n"].map(str::as_bytes);
        Some(key.sign(&[pieces[0], pieces[1], pieces[2], pieces[3], pieces[4], pieces[5], &hash]))
    }
}

/// Whether the names are in order, each once, in lower case.
fn is_sorted(names: &str) -> bool {
    let mut last = "";
    names.split(';').all(|name| {
        let follows = last < name && !name.bytes().any(|byte| byte.is_ascii_uppercase());
        last = name;
        follows
    })
}

fn bad_date(date: &str) -> SignatureError {
    SignatureError::Incomplete(format!(
        "Date must be in ISO-8601 'basic format'. Got '{date}'. See http://en.wikipedia.org/wiki/ISO_8601"
    ))
}

fn first_word(text: &str) -> &str {
    text.split(' ').next().unwrap_or_default()
}
