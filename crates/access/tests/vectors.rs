//! AWS's published test vectors of Signature Version 4. Each line of `aws_vectors.json` is a signed request: the secret is
//! AWS's documented example, the time 2015-08-30T12:36:00Z, the service `service`.

use serde::Deserialize;
use sortkey_access::{Signature, SignedRequest, SigningKey};

const SECRET: &str = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Vector {
    name: String,
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: String,
    /// The token was added after signing, which services other than the one of the vectors reject.
    omits_token: bool,
}

impl Vector {
    /// Whether the request's signature is good after `change` was made to its parts.
    fn is_good(&self, change: impl FnOnce(&mut Parts)) -> bool {
        let (path, query) = self.target.split_once('?').unwrap_or((&self.target, ""));
        let mut parts = Parts {
            method: self.method.clone(),
            path: path.to_owned(),
            query: query.to_owned(),
            headers: self.headers.clone(),
            body: self.body.clone().into_bytes(),
        };
        if self.omits_token {
            parts.headers.retain(|(name, _)| name != "x-amz-security-token");
            let pairs = parts.query.split('&').filter(|pair| !pair.starts_with("X-Amz-Security-Token="));
            parts.query = pairs.collect::<Vec<_>>().join("&");
        }
        change(&mut parts);
        let headers: Vec<(&str, &[u8])> =
            parts.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
        let request = SignedRequest {
            method: &parts.method,
            path: &parts.path,
            query: &parts.query,
            headers: &headers,
            body: &parts.body,
        };
        let mut credential = String::new();
        let Ok(signature) = Signature::read(&request, &mut credential) else { return false };
        let Ok(credential) = signature.credential() else { return false };
        let key = SigningKey::derive(SECRET, &credential.scope);
        signature.check_scope(&credential, &["service"]).is_ok()
            && signature.matches(&request, &credential, &key).is_ok()
    }
}

struct Parts {
    method: String,
    path: String,
    query: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

fn vectors() -> Vec<Vector> {
    serde_json::from_str(include_str!("aws_vectors.json")).expect("the vectors are JSON")
}

#[test]
fn aws_test_vectors_pass() {
    let vectors = vectors();
    assert!(vectors.len() >= 60, "{}", vectors.len());
    for vector in vectors {
        assert!(vector.is_good(|_| {}), "{}", vector.name);
    }
}

#[test]
fn changed_vectors_fail() {
    for vector in vectors() {
        let name = &vector.name;
        assert!(!vector.is_good(|parts| parts.method.push('X')), "{name}: method");
        assert!(!vector.is_good(|parts| parts.path.push('x')), "{name}: path");
        assert!(!vector.is_good(|parts| parts.query.push_str("&extra=1")), "{name}: query");
        assert!(!vector.is_good(|parts| parts.body.push(b'x')), "{name}: body");
        assert!(!vector.is_good(|parts| parts.headers[0].1.push('x')), "{name}: host");
    }
}
