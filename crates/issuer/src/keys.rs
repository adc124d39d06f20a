//! The public keys of an issuer (RFC 7517), and the algorithms that each serves (RFC 7518).

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{
    self, RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey, VerificationAlgorithm,
};
use serde_json::Value as Json;

use crate::Defect;
use crate::token::Token;

/// How many keys of an issuer are looked at.
const MAX_KEYS: usize = 64;

/// An algorithm with a public key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Algorithm {
    Rs256,
    Rs384,
    Rs512,
    Ps256,
    Es256,
    Es384,
    EdDsa,
}

impl Algorithm {
    pub(crate) fn named(name: &str) -> Option<Algorithm> {
        Some(match name {
            "RS256" => Algorithm::Rs256,
            "RS384" => Algorithm::Rs384,
            "RS512" => Algorithm::Rs512,
            "PS256" => Algorithm::Ps256,
            "ES256" => Algorithm::Es256,
            "ES384" => Algorithm::Es384,
            "EdDSA" => Algorithm::EdDsa,
            _ => return None,
        })
    }
}

/// A public key.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Key {
    id: Option<String>,
    /// The one algorithm that the issuer uses it for, if it names one.
    algorithm: Option<Algorithm>,
    material: Material,
}

#[derive(Clone, Debug, PartialEq)]
enum Material {
    Rsa { n: Vec<u8>, e: Vec<u8> },
    P256(Vec<u8>),
    P384(Vec<u8>),
    Ed25519(Vec<u8>),
}

/// The keys of a set that can be used for signatures; others are left out.
pub(crate) fn parse(set: &Json) -> Option<Vec<Key>> {
    let keys = set["keys"].as_array()?;
    Some(keys.iter().take(MAX_KEYS).filter_map(key).collect())
}

fn key(json: &Json) -> Option<Key> {
    if json.get("use").is_some_and(|of| of != "sig") {
        return None;
    }
    let number = |name: &str| URL_SAFE_NO_PAD.decode(json[name].as_str()?).ok();
    // A point of a curve, as it is written without compression.
    let point = |length: usize| {
        let (x, y) = (number("x")?, number("y")?);
        (x.len() == length && y.len() == length).then(|| [&[4], &*x, &*y].concat())
    };
    let material = match (json["kty"].as_str()?, json["crv"].as_str()) {
        ("RSA", None) => Material::Rsa { n: number("n")?, e: number("e")? },
        ("EC", Some("P-256")) => Material::P256(point(32)?),
        ("EC", Some("P-384")) => Material::P384(point(48)?),
        ("OKP", Some("Ed25519")) => Material::Ed25519(number("x")?),
        _ => return None,
    };
    let algorithm = match json.get("alg") {
        None => None,
        Some(name) => Some(Algorithm::named(name.as_str()?)?),
    };
    Some(Key { id: json["kid"].as_str().map(str::to_owned), algorithm, material })
}

/// Verifies the signature of a token with the key that it names. A token that names none is verified with the only key that
/// serves its algorithm.
pub(crate) fn verify(keys: &[Key], token: &Token<'_>) -> Result<(), Defect> {
    let named = |key: &&Key| token.key_id.is_none() || key.id == token.key_id;
    let mut fitting = keys.iter().filter(named).filter(|key| key.serves(token.algorithm));
    let key = fitting.next().ok_or(Defect::Key)?;
    if token.key_id.is_none() && fitting.next().is_some() {
        return Err(Defect::Key);
    }
    key.verify(token).ok_or(Defect::Signature)
}

impl Key {
    fn serves(&self, algorithm: Algorithm) -> bool {
        let is_possible = match self.material {
            Material::Rsa { .. } => {
                matches!(algorithm, Algorithm::Rs256 | Algorithm::Rs384 | Algorithm::Rs512 | Algorithm::Ps256)
            }
            Material::P256(_) => algorithm == Algorithm::Es256,
            Material::P384(_) => algorithm == Algorithm::Es384,
            Material::Ed25519(_) => algorithm == Algorithm::EdDsa,
        };
        is_possible && self.algorithm.is_none_or(|only| only == algorithm)
    }

    fn verify(&self, token: &Token<'_>) -> Option<()> {
        let plain = |algorithm: &'static dyn VerificationAlgorithm, point: &[u8]| {
            UnparsedPublicKey::new(algorithm, point).verify(token.signed, &token.signature).ok()
        };
        match &self.material {
            Material::Rsa { n, e } => {
                let parameters: &RsaParameters = match token.algorithm {
                    Algorithm::Rs256 => &signature::RSA_PKCS1_2048_8192_SHA256,
                    Algorithm::Rs384 => &signature::RSA_PKCS1_2048_8192_SHA384,
                    Algorithm::Rs512 => &signature::RSA_PKCS1_2048_8192_SHA512,
                    Algorithm::Ps256 => &signature::RSA_PSS_2048_8192_SHA256,
                    _ => return None,
                };
                RsaPublicKeyComponents { n, e }.verify(parameters, token.signed, &token.signature).ok()
            }
            Material::P256(point) => plain(&signature::ECDSA_P256_SHA256_FIXED, point),
            Material::P384(point) => plain(&signature::ECDSA_P384_SHA384_FIXED, point),
            Material::Ed25519(point) => plain(&signature::ED25519, point),
        }
    }
}
