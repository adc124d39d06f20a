//! The functions of the language. They treat what is absent as empty.

use std::cmp::Ordering;

use base64::Engine as _;
use bcrypt_function::BASE_64;
use sha2::{Digest, Sha256};
use sortkey_design::model::Op;
use sortkey_design::program::{Expr, Function};
use sortkey_value::{Number, case};

use super::{Scope, View};
use crate::ask::{Ask, Told};
use crate::values::{Val, arithmetic, date, month};
use crate::{Failure, FailureKind};

impl Scope<'_> {
    /// `function(arguments)`
    pub(super) fn function(
        &self,
        function: Function,
        arguments: &[Expr],
        view: Option<View<'_>>,
    ) -> Result<Val, Failure> {
        let mut values = Vec::with_capacity(arguments.len());
        for argument in arguments {
            values.push(self.argument(argument, view)?);
        }
        if let Some(found) = self.webhook_function(function, &values)? {
            return Ok(found);
        }
        match function {
            Function::Coalesce => {
                return Ok(values.into_iter().find(|value| !value.is_absent()).unwrap_or_default());
            }
            Function::Size | Function::Count => return Ok(size(values.first())),
            Function::Max => return Ok(extreme(Ordering::Greater, values)),
            Function::Min => return Ok(extreme(Ordering::Less, values)),
            Function::Concat => return Ok(Val::Text(values.iter().filter_map(text).collect())),
            Function::Random => return self.random(values.first().unwrap_or(&Val::Absent)),
            Function::Csv => {
                return Ok(Val::Text(super::csv::csv(
                    values.first().unwrap_or(&Val::Absent),
                    values.get(1..).unwrap_or_default(),
                )));
            }
            _ => {}
        }
        let mut values = values.into_iter();
        let first = values.next().unwrap_or_default();
        if first.is_absent() {
            return Ok(Val::Absent);
        }
        let second = values.next().unwrap_or_default();
        Ok(match (function, first) {
            (Function::Sha256, value) => Val::Text(hex(&Sha256::digest(bytes(&value)))),
            (Function::Hash, value) => Val::integer(hash(&bytes(&value))),
            (Function::Bcrypt, value) => Val::Text(self.bcrypt(&bytes(&value))?),
            (Function::Hmac, value) => Val::Text(hex(&hmac(&bytes(&second), &bytes(&value)))),
            (Function::First, value) => part(value, whole_from(0, function, &second)?, true),
            (Function::Last, value) => part(value, whole_from(0, function, &second)?, false),
            (Function::Lower, Val::Text(text)) => Val::Text(case::to_lowercase(&text)),
            (Function::Upper, Val::Text(text)) => Val::Text(case::to_uppercase(&text)),
            (Function::Trim, Val::Text(text)) => Val::text(text.trim()),
            (Function::Slug, Val::Text(text)) => Val::Text(slug(&text)),
            (Function::Base32, value) => Val::Text(sortkey_functions::encoding::base32(&bytes(&value))),
            (Function::ToJson, value) => Val::Text(crate::values::untyped(&value).to_string()),
            (Function::Date, Val::Time(time_ms)) => Val::Text(date(time_ms)),
            (Function::Month, Val::Time(time_ms)) => Val::Text(month(time_ms)),
            (Function::Month, Val::Text(day)) => Val::text(day.get(..7).unwrap_or(&day)),
            (Function::Sum, Val::List(members)) => sum(&members)?,
            (Function::ReplacePrefix, Val::Text(whole)) => {
                let third = values.next().unwrap_or_default();
                let (old, new) = (second.as_text().unwrap_or_default(), third.as_text().unwrap_or_default());
                Val::Text(match whole.strip_prefix(old) {
                    Some(rest) => format!("{new}{rest}"),
                    None => whole,
                })
            }
            (Function::Floor, Val::Number(number)) => whole(number, false),
            (Function::Round, Val::Number(number)) => whole(number, true),
            (_, other) => {
                let (name, given) = (function.word(), other.describe());
                return Err(Failure::internal(format!("`{name}` is not defined for {given}")));
            }
        })
    }

    fn random(&self, below: &Val) -> Result<Val, Failure> {
        let below = whole_from(1, Function::Random, below)?.unwrap_or(1);
        let bits = self.ids.next().map_err(|error| Failure::internal(error.to_string()))?;
        Ok(Val::integer((bits % below.unsigned_abs()) as i64))
    }

    pub(super) fn bcrypt(&self, password: &[u8]) -> Result<String, Failure> {
        let salt = self.ids.bytes();
        // bcrypt reads 72 bytes; a longer password is hashed first, so that every character counts.
        let digest = (password.len() > 71).then(|| hex(&Sha256::digest(password)));
        let password = digest.as_ref().map_or(password, String::as_bytes);
        self.hashed(password, self.shared.settings.bcrypt_cost, salt)?.ok_or_else(|| {
            let busy = "too many passwords are being hashed: try again shortly";
            Failure::new(FailureKind::Throttled, busy)
        })
    }

    /// A bcrypt hash; none if the host is too busy.
    fn hashed(&self, password: &[u8], cost: u32, salt: [u8; 16]) -> Result<Option<String>, Failure> {
        let Some(outbox) = self.outbox else { return Ok(self.hashed_here(password, cost, salt)) };
        match outbox.known(Ask::Hash { password: password.to_vec(), cost, salt }) {
            Some(Told::Hash(hash)) => Ok(hash),
            Some(_) => Err(Failure::internal("a hash was asked for, and something else answered")),
            None => Err(Failure::internal("a hash is awaited")),
        }
    }
}

impl Scope<'_> {
    #[cfg(not(target_arch = "wasm32"))]
    fn hashed_here(&self, password: &[u8], cost: u32, salt: [u8; 16]) -> Option<String> {
        let mut hash = None;
        (self.shared.settings.aside)(&mut || hash = Some(hash_password(password, cost, salt)));
        hash
    }

    /// On WebAssembly every call is a task, whose host is asked.
    #[cfg(target_arch = "wasm32")]
    fn hashed_here(&self, _: &[u8], _: u32, _: [u8; 16]) -> Option<String> {
        None
    }
}

/// The hash of a password of at most 71 bytes, in the form that other libraries verify.
pub fn hash_password(password: &[u8], cost: u32, salt: [u8; 16]) -> String {
    let hash = bcrypt_function::bcrypt(cost, salt, &[password, &[0]].concat());
    let (salt, hash) = (BASE_64.encode(salt), BASE_64.encode(&hash[..23]));
    format!("$2b${cost:02}${salt}{hash}")
}

fn bytes(value: &Val) -> Vec<u8> {
    match value {
        Val::Bytes(bytes) => bytes.clone(),
        other => text(other).unwrap_or_default().into_bytes(),
    }
}

fn text(value: &Val) -> Option<String> {
    crate::template::canonical(None, value)
}

/// Bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A stable number of 53 bits, so that every client computes the same shard.
fn hash(bytes: &[u8]) -> i64 {
    let digest = Sha256::digest(bytes);
    let high = digest.iter().take(8).fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
    (high >> 11) as i64
}

/// HMAC-SHA-256.
fn hmac(key: &[u8], message: &[u8]) -> [u8; 32] {
    let mut block = [0; 64];
    if key.len() > 64 {
        block[..32].copy_from_slice(&Sha256::digest(key));
    } else {
        block[..key.len()].copy_from_slice(key);
    }
    let inner = Sha256::new().chain_update(block.map(|byte| byte ^ 0x36)).chain_update(message).finalize();
    Sha256::new().chain_update(block.map(|byte| byte ^ 0x5C)).chain_update(inner).finalize().into()
}

fn size(value: Option<&Val>) -> Val {
    let size = match value {
        Some(Val::Text(text)) => text.chars().count(),
        Some(Val::Bytes(bytes)) => bytes.len(),
        Some(Val::List(members) | Val::Set(members)) => members.len(),
        Some(Val::Map(fields)) => fields.len(),
        _ => 0,
    };
    Val::integer(i64::try_from(size).unwrap_or(i64::MAX))
}

fn extreme(wanted: Ordering, values: Vec<Val>) -> Val {
    let values = match <[Val; 1]>::try_from(values) {
        Ok([Val::List(members) | Val::Set(members)]) => members,
        Ok(one) => one.into(),
        Err(values) => values,
    };
    let present = values.into_iter().filter(|value| !value.is_absent());
    present
        .reduce(|best, each| if each.order(&best) == Some(wanted) { each } else { best })
        .unwrap_or_default()
}

/// The whole number that a function takes, at least the smallest that means something to it; none if it is absent.
fn whole_from(least: i64, function: Function, given: &Val) -> Result<Option<i64>, Failure> {
    let Val::Number(number) = given else { return Ok(None) };
    let whole = number.to_i64().filter(|whole| *whole >= least);
    whole.map(Some).ok_or_else(|| {
        let word = function.word();
        let why = format!("`{word}`: {number} is not a whole number from {least} to {}", i64::MAX);
        Failure::new(FailureKind::Invalid, why)
    })
}

/// The first or last characters of text, or elements of a list.
fn part(value: Val, count: Option<i64>, from_start: bool) -> Val {
    let count = count.map_or(1, |count| usize::try_from(count).unwrap_or(usize::MAX));
    match value {
        Val::Text(text) => {
            let length = text.chars().count();
            let skipped = if from_start { 0 } else { length.saturating_sub(count) };
            Val::Text(text.chars().skip(skipped).take(count).collect())
        }
        Val::List(members) => {
            let skipped = if from_start { 0 } else { members.len().saturating_sub(count) };
            Val::List(members.into_iter().skip(skipped).take(count).collect())
        }
        other => other,
    }
}

fn sum(members: &[Val]) -> Result<Val, Failure> {
    let mut total = Number::ZERO;
    for member in members {
        let Val::Number(number) = member else { continue };
        total = arithmetic(Op::Add, total, *number).ok_or_else(|| {
            Failure::new(crate::FailureKind::Invalid, "a sum is not a number that can be kept")
        })?;
    }
    Ok(Val::Number(total))
}

fn slug(text: &str) -> String {
    let mut slug = String::new();
    for character in case::to_lowercase(text).chars() {
        if character.is_ascii_alphanumeric() {
            slug.push(character);
        } else if !slug.is_empty() && !slug.ends_with('-') {
            slug.push('-');
        }
    }
    slug.trim_end_matches('-').to_owned()
}

fn whole(number: Number, nearest: bool) -> Val {
    let half = if nearest && !number.is_negative() {
        Number::parse("0.5").unwrap_or_default()
    } else {
        Number::ZERO
    };
    let shifted = number.checked_add(half).unwrap_or(number);
    let text = shifted.to_string();
    let integer = text.split('.').next().and_then(|whole| Number::parse(whole).ok()).unwrap_or(shifted);
    let below_zero = shifted.is_negative() && integer != shifted;
    let integer = if below_zero { integer.checked_sub(Number::from(1)).unwrap_or(integer) } else { integer };
    Val::Number(integer)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shard_of_an_id_never_changes() {
        // Stored shards depend on it: a change would lose every item that is due.
        assert_eq!(hash(b"evt_1") % 16, hash(b"evt_1") % 16);
        assert_eq!(hash(b""), 0xe3b0_c442_98fc_1c14_u64.wrapping_shr(11) as i64);
    }

    #[test]
    fn hmac_is_that_of_rfc_4231() {
        assert_eq!(
            hex(&hmac(b"Jefe", b"what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
        );
    }

    #[test]
    fn parts_of_text_and_lists() {
        assert_eq!(part(Val::text("abcdef"), Some(2), true), Val::text("ab"));
        assert_eq!(part(Val::text("abcdef"), Some(2), false), Val::text("ef"));
        assert_eq!(part(Val::text("a"), Some(9), false), Val::text("a"));
    }
}
