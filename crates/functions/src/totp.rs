//! One-time codes of authenticator apps (RFC 6238, on RFC 4226).
//!
//! A code is valid in its step of time and in the ones beside it, since clocks differ. The caller stores the accepted step that
//! it belongs to and passes it on next time, so that every code is accepted once.

use thiserror::Error;

use crate::encoding::{base32, base32_decode};
use crate::hmac::{self, Algorithm, is_equal};

/// The longest secret in base32. RFC 4226 recommends 20 bytes, which are 32 characters.
const MAX_SECRET_CHARACTERS: usize = 256;

/// How codes are made. The default is what every app supports: SHA-1, six digits, thirty seconds, one step to either side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Totp {
    /// The hash function.
    pub algorithm: Algorithm,
    /// How many digits a code has, from 6 to 8.
    pub digits: u32,
    /// How long a step is.
    pub period_seconds: u32,
    /// How many steps before and after the present one are accepted.
    pub window_steps: u32,
}

impl Default for Totp {
    fn default() -> Totp {
        Totp { algorithm: Algorithm::Sha1, digits: 6, period_seconds: 30, window_steps: 1 }
    }
}

/// A secret that both sides have.
#[derive(Clone)]
pub struct TotpSecret(Vec<u8>);

/// A secret that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a TOTP secret is base32 of at least 10 bytes")]
pub struct TotpSecretError;

impl TotpSecret {
    /// Reads base32 as apps show it: in either case, grouped or not, padded or not.
    pub fn parse(text: &str) -> Result<TotpSecret, TotpSecretError> {
        let bytes = if text.len() > MAX_SECRET_CHARACTERS { None } else { base32_decode(text) };
        bytes.map_or(Err(TotpSecretError), TotpSecret::from_bytes)
    }

    /// A secret of bytes, for a new one.
    pub fn from_bytes(bytes: Vec<u8>) -> Result<TotpSecret, TotpSecretError> {
        // An empty or a short secret can be guessed from one code.
        if bytes.len() < 10 { Err(TotpSecretError) } else { Ok(TotpSecret(bytes)) }
    }
}

impl Totp {
    /// The step of time that a moment belongs to.
    pub fn step(&self, now_seconds: i64) -> u64 {
        u64::try_from(now_seconds).unwrap_or(0) / u64::from(self.period_seconds.max(1))
    }

    /// The code of a step.
    pub fn code(&self, secret: &TotpSecret, step: u64) -> String {
        let digits = self.digits.clamp(6, 8);
        let mac = hmac::sign(self.algorithm, &secret.0, &[&step.to_be_bytes()]);
        // RFC 4226, section 5.3: the last four bits are the offset of the 31 bits of the code.
        let offset = usize::from(mac.last().copied().unwrap_or(0) & 15);
        let bytes = mac.get(offset..offset + 4).and_then(|bytes| bytes.try_into().ok()).unwrap_or([0; 4]);
        let number = (u32::from_be_bytes(bytes) & 0x7FFF_FFFF) % 10_u32.pow(digits);
        format!("{number:0width$}", width = digits as usize)
    }

    /// The step that a code belongs to, if it is valid now and its step is later than the one that was used last.
    ///
    /// Every step of the window is compared, in constant time,
    /// so that neither the time nor the answer reveals how near a guess was.
    pub fn verify(
        &self,
        secret: &TotpSecret,
        code: &str,
        now_seconds: i64,
        last_used: Option<u64>,
    ) -> Option<u64> {
        let present = self.step(now_seconds);
        let window = u64::from(self.window_steps.min(10));
        let mut matched = None;
        for step in present.saturating_sub(window)..=present.saturating_add(window) {
            let is_right = is_equal(self.code(secret, step).as_bytes(), code.as_bytes());
            let is_unused = last_used.is_none_or(|last| step > last);
            if is_right & is_unused & matched.is_none() {
                matched = Some(step);
            }
        }
        matched
    }

    /// The address that apps read from a QR code.
    pub fn uri(&self, issuer: &str, account: &str, secret: &TotpSecret) -> String {
        let algorithm = match self.algorithm {
            Algorithm::Sha1 => "SHA1",
            Algorithm::Sha256 => "SHA256",
            Algorithm::Sha512 => "SHA512",
        };
        let (issuer, account) = (escaped(issuer), escaped(account));
        let (secret, digits, period) = (base32(&secret.0), self.digits.clamp(6, 8), self.period_seconds);
        format!(
            "otpauth://totp/{issuer}:{account}?secret={secret}&issuer={issuer}&algorithm={algorithm}\
             &digits={digits}&period={period}"
        )
    }
}

/// A text as a part of an address: everything but letters, digits, `-`, `.`, `_` and `~` is escaped.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                escaped.push(char::from(byte))
            }
            other => escaped.push_str(&format!("%{other:02X}")),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(length: usize) -> TotpSecret {
        TotpSecret::from_bytes(b"1234567890".iter().copied().cycle().take(length).collect()).unwrap()
    }

    // RFC 6238, appendix B.
    #[test]
    fn codes_are_those_of_the_rfc() {
        for (time, sha1, sha256, sha512) in [
            (59, "94287082", "46119246", "90693936"),
            (1_111_111_109, "07081804", "68084774", "25091201"),
            (1_111_111_111, "14050471", "67062674", "99943326"),
            (1_234_567_890, "89005924", "91819424", "93441116"),
            (2_000_000_000, "69279037", "90698825", "38618901"),
            (20_000_000_000, "65353130", "77737706", "47863826"),
        ] {
            for (algorithm, length, expected) in [
                (Algorithm::Sha1, 20, sha1),
                (Algorithm::Sha256, 32, sha256),
                (Algorithm::Sha512, 64, sha512),
            ] {
                let totp = Totp { algorithm, digits: 8, ..Totp::default() };
                assert_eq!(totp.code(&secret(length), totp.step(time)), expected, "{time}");
            }
        }
    }

    // RFC 4226, appendix D: the codes of the first ten counters.
    #[test]
    fn short_codes_are_those_of_the_rfc() {
        let expected = [
            "755224", "287082", "359152", "969429", "338314", "254676", "287922", "162583", "399871",
            "520489",
        ];
        for (step, expected) in (0..).zip(expected) {
            assert_eq!(Totp::default().code(&secret(20), step), expected);
        }
    }

    #[test]
    fn a_code_is_valid_in_its_step_and_beside_it_and_once() {
        let totp = Totp::default();
        let verify = |now, last| totp.verify(&secret(20), "338314", now, last);
        for now in [90, 119, 120, 149, 150, 179] {
            assert_eq!(verify(now, None), Some(4), "{now}");
        }
        for now in [-1, 0, 89, 180, i64::MAX, i64::MIN] {
            assert_eq!(verify(now, None), None, "{now}");
        }
        assert_eq!(verify(120, Some(3)), Some(4));
        assert_eq!(verify(120, Some(4)), None);
        assert_eq!(verify(120, Some(5)), None);
        for wrong in ["", "33831", "3383140", "338315", " 338314", "３３８３１４"] {
            assert_eq!(totp.verify(&secret(20), wrong, 120, None), None, "{wrong}");
        }
    }

    #[test]
    fn secrets_are_base32_and_long_enough() {
        let parsed = TotpSecret::parse("gezd gnbv-GY3TQOJQ").unwrap();
        assert_eq!(parsed.0, b"1234567890");
        for wrong in ["", "GEZDGNBV", "GEZDGNBVGY3TQOJ1", &"A".repeat(264)] {
            assert_eq!(TotpSecret::parse(wrong).err(), Some(TotpSecretError), "{wrong}");
        }
    }

    #[test]
    fn apps_read_the_address() {
        let uri = Totp::default().uri("Big & Co", "ada@example.com", &secret(10));
        assert_eq!(
            uri,
            "otpauth://totp/Big%20%26%20Co:ada%40example.com?secret=GEZDGNBVGY3TQOJQ&issuer=Big%20%26%20Co\
             &algorithm=SHA1&digits=6&period=30"
        );
    }
}
