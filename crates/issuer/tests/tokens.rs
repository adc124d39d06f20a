//! Tokens against an issuer that runs: which are accepted, which are refused and why, and how often keys are fetched.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD as BASE64;
use parking_lot::Mutex;
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair as _};
use serde_json::{Value as Json, json};
use sortkey_issuer::{Defect, Error, Expected, Issuers};
use sortkey_outbound::{Client, Policy};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

const NOW_S: i64 = 1_900_000_000;

/// An issuer on loopback.
struct Issuer {
    url: String,
    keys: Arc<Mutex<Vec<Json>>>,
    fetches: Arc<AtomicUsize>,
}

impl Issuer {
    async fn start() -> Issuer {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let (keys, fetches) = (Arc::new(Mutex::new(Vec::new())), Arc::new(AtomicUsize::new(0)));
        let (served, counted, own) = (Arc::clone(&keys), Arc::clone(&fetches), url.clone());
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut request = [0; 4_096];
                let length = stream.read(&mut request).await.unwrap_or(0);
                let is_discovery = String::from_utf8_lossy(&request[..length]).contains("/.well-known/");
                let body = match is_discovery {
                    true => json!({ "issuer": own, "jwks_uri": format!("{own}/keys") }),
                    false => {
                        counted.fetch_add(1, Ordering::Relaxed);
                        json!({ "keys": *served.lock() })
                    }
                };
                let body = body.to_string();
                let head =
                    format!("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n", body.len());
                let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
            }
        });
        Issuer { url, keys, fetches }
    }

    fn expected(&self) -> Expected<'_> {
        Expected { issuer: &self.url, audience: "shop", keys: None, now_s: NOW_S }
    }

    fn claims(&self) -> Json {
        json!({ "iss": self.url, "aud": "shop", "sub": "ada", "exp": NOW_S + 300, "groups": ["admin"] })
    }
}

/// A key that signs tokens with ES256.
struct Signer {
    pair: EcdsaKeyPair,
    id: &'static str,
}

impl Signer {
    fn new(id: &'static str) -> Signer {
        let random = SystemRandom::new();
        let document =
            EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random).expect("a key");
        let pair = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, document.as_ref(), &random);
        Signer { pair: pair.expect("a key"), id }
    }

    fn public(&self) -> Json {
        let point = self.pair.public_key().as_ref();
        let (x, y) = (BASE64.encode(&point[1..33]), BASE64.encode(&point[33..]));
        json!({ "kty": "EC", "crv": "P-256", "kid": self.id, "x": x, "y": y })
    }

    fn token(&self, header: &Json, claims: &Json) -> String {
        let signed = format!("{}.{}", BASE64.encode(header.to_string()), BASE64.encode(claims.to_string()));
        let signature = self.pair.sign(&SystemRandom::new(), signed.as_bytes()).expect("a signature");
        format!("{signed}.{}", BASE64.encode(signature.as_ref()))
    }

    fn sign(&self, claims: &Json) -> String {
        self.token(&json!({ "alg": "ES256", "kid": self.id }), claims)
    }
}

fn issuers() -> Issuers {
    let policy = Policy::public().allow_private(&["127.0.0.0/8"]).expect("a range");
    Issuers::new(Client::new(policy).expect("a client"))
}

fn with(mut claims: Json, name: &str, value: Json) -> Json {
    claims[name] = value;
    claims
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_accepted_or_refused_for_one_reason() {
    let issuer = Issuer::start().await;
    let (own, stranger) = (Signer::new("one"), Signer::new("one"));
    issuer.keys.lock().push(own.public());
    let claims = issuer.claims();
    let header = |alg: &str| json!({ "alg": alg, "kid": "one" });
    let good = own.sign(&claims);
    let (head, tail) = good.rsplit_once('.').expect("parts");
    let tampered = good.replacen(
        &BASE64.encode(claims.to_string()),
        &BASE64.encode(with(claims.clone(), "sub", json!("eve")).to_string()),
        1,
    );
    // A token that is signed with the public key as if that were a shared secret.
    let shared = format!(
        "{}.{}.{tail}",
        BASE64.encode(header("HS256").to_string()),
        BASE64.encode(claims.to_string())
    );
    let cases: Vec<(&str, String, Result<(), Defect>)> = vec![
        ("as it should be", good.clone(), Ok(())),
        ("for several", own.sign(&with(claims.clone(), "aud", json!(["other", "shop"]))), Ok(())),
        ("a moment too old", own.sign(&with(claims.clone(), "exp", json!(NOW_S - 30))), Ok(())),
        ("without a key id, of a single key", own.token(&json!({ "alg": "ES256" }), &claims), Ok(())),
        (
            "algorithm none",
            format!("{}.{}.", BASE64.encode(r#"{"alg":"none"}"#), BASE64.encode(claims.to_string())),
            Err(Defect::Algorithm),
        ),
        ("algorithm None", own.token(&header("None"), &claims), Err(Defect::Algorithm)),
        ("a shared secret", shared, Err(Defect::Algorithm)),
        ("an algorithm of another key", own.token(&header("RS256"), &claims), Err(Defect::Key)),
        ("an unknown key", own.token(&json!({ "alg": "ES256", "kid": "two" }), &claims), Err(Defect::Key)),
        ("another's key of this id", stranger.sign(&claims), Err(Defect::Signature)),
        ("tampered with", tampered, Err(Defect::Signature)),
        ("a signature cut short", format!("{head}.{}", &tail[..40]), Err(Defect::Signature)),
        ("no signature", format!("{head}."), Err(Defect::Signature)),
        (
            "critical extensions",
            own.token(&json!({ "alg": "ES256", "kid": "one", "crit": ["b64"] }), &claims),
            Err(Defect::Algorithm),
        ),
        ("expired", own.sign(&with(claims.clone(), "exp", json!(NOW_S - 61))), Err(Defect::Expired)),
        ("without an end", own.sign(&with(claims.clone(), "exp", Json::Null)), Err(Defect::Expired)),
        ("an end that is text", own.sign(&with(claims.clone(), "exp", json!("2100"))), Err(Defect::Expired)),
        ("not valid yet", own.sign(&with(claims.clone(), "nbf", json!(NOW_S + 100))), Err(Defect::Early)),
        ("from the future", own.sign(&with(claims.clone(), "iat", json!(NOW_S + 100))), Err(Defect::Early)),
        ("another audience", own.sign(&with(claims.clone(), "aud", json!("bank"))), Err(Defect::Audience)),
        ("no audience", own.sign(&with(claims.clone(), "aud", Json::Null)), Err(Defect::Audience)),
        (
            "another issuer",
            own.sign(&with(claims.clone(), "iss", json!("https://evil.example"))),
            Err(Defect::Issuer),
        ),
        (
            "the issuer with a slash",
            own.sign(&with(claims.clone(), "iss", json!(format!("{}/", issuer.url)))),
            Err(Defect::Issuer),
        ),
        ("two parts", "a.b".to_owned(), Err(Defect::Malformed)),
        ("four parts", format!("{good}.x"), Err(Defect::Malformed)),
        ("padding", format!("{good}="), Err(Defect::Malformed)),
        ("nothing", String::new(), Err(Defect::Malformed)),
        ("claims that are a list", own.sign(&json!([])), Err(Defect::Malformed)),
        (
            "too long",
            own.sign(&with(claims.clone(), "groups", json!("x".repeat(9_000)))),
            Err(Defect::Malformed),
        ),
    ];
    let issuers = issuers();
    for (what, token, expected) in cases {
        let found = issuers.verify(&issuer.expected(), &token).await.map(drop);
        assert_eq!(found, expected.map_err(Error::Refused), "{what}");
    }
    let found = issuers.verify(&issuer.expected(), &good).await.expect("valid");
    assert_eq!(found, claims);
}

#[tokio::test(flavor = "multi_thread")]
async fn algorithms_of_all_kinds_of_keys_are_verified() {
    let issuer = Issuer::start().await;
    let vectors: Json = serde_json::from_str(include_str!("vectors/rsa.json")).expect("JSON");
    let document = Ed25519KeyPair::generate_pkcs8(&SystemRandom::new()).expect("a key");
    let edwards = Ed25519KeyPair::from_pkcs8(document.as_ref()).expect("a key");
    let public = BASE64.encode(edwards.public_key().as_ref());
    let elliptic = Signer::new("ec");
    *issuer.keys.lock() = vec![
        vectors["key"].clone(),
        json!({ "kty": "OKP", "crv": "Ed25519", "kid": "ed", "x": public }),
        elliptic.public(),
        // Keys that are of no use are left out, and do no harm.
        json!({ "kty": "oct", "kid": "secret", "k": "AAAA" }),
        json!({ "kty": "RSA", "kid": "enc", "use": "enc", "n": "AAAA", "e": "AQAB" }),
        json!("nonsense"),
    ];
    let keys = format!("{}/keys", issuer.url);
    let expected =
        Expected { issuer: "https://issuer.example", audience: "shop", keys: Some(&keys), now_s: NOW_S };
    let issuers = issuers();
    for (algorithm, token) in vectors["tokens"].as_object().expect("tokens") {
        let token = token.as_str().expect("text");
        let claims =
            issuers.verify(&expected, token).await.unwrap_or_else(|error| panic!("{algorithm}: {error}"));
        assert_eq!(claims["sub"], "ada", "{algorithm}");
        let broken = format!("{}A", &token[..token.len() - 1]);
        let broken = if broken == token { format!("{}Q", &token[..token.len() - 1]) } else { broken };
        assert!(issuers.verify(&expected, &broken).await.is_err(), "{algorithm}");
    }
    let claims = with(issuer.claims(), "iss", json!("https://issuer.example"));
    let signed =
        format!("{}.{}", BASE64.encode(r#"{"alg":"EdDSA","kid":"ed"}"#), BASE64.encode(claims.to_string()));
    let token = format!("{signed}.{}", BASE64.encode(edwards.sign(signed.as_bytes()).as_ref()));
    assert_eq!(issuers.verify(&expected, &token).await, Ok(claims.clone()));
    assert_eq!(issuers.verify(&expected, &elliptic.sign(&claims)).await, Ok(claims));
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_are_fetched_once_and_for_an_unknown_key_rarely() {
    let issuer = Issuer::start().await;
    let (old, new) = (Signer::new("old"), Signer::new("new"));
    issuer.keys.lock().push(old.public());
    let (issuers, claims) = (Arc::new(issuers()), issuer.claims());
    let verify = |token: String| {
        let (issuers, url) = (Arc::clone(&issuers), issuer.url.clone());
        async move {
            let expected = Expected { issuer: &url, audience: "shop", keys: None, now_s: NOW_S };
            issuers.verify(&expected, &token).await
        }
    };
    let together: Vec<_> = (0..20).map(|_| tokio::spawn(verify(old.sign(&claims)))).collect();
    for each in together {
        assert!(each.await.expect("a task").is_ok());
    }
    assert_eq!(issuer.fetches.load(Ordering::Relaxed), 1, "whoever comes first fetches for all");
    // A stranger with a hundred keys causes no further request within the pause.
    for number in 0..100 {
        let header = json!({ "alg": "ES256", "kid": format!("k{number}") });
        assert_eq!(verify(new.token(&header, &claims)).await, Err(Error::Refused(Defect::Key)));
    }
    assert_eq!(issuer.fetches.load(Ordering::Relaxed), 1);
    assert!(verify(old.sign(&claims)).await.is_ok());
}

#[tokio::test(flavor = "multi_thread")]
async fn an_issuer_that_cannot_be_reached_is_no_refusal() {
    let claims = json!({ "iss": "http://127.0.0.1:9", "aud": "shop", "exp": NOW_S + 1 });
    let expected = Expected { issuer: "http://127.0.0.1:9", audience: "shop", keys: None, now_s: NOW_S };
    let token = Signer::new("one").sign(&claims);
    let found = issuers().verify(&expected, &token).await;
    assert!(matches!(found, Err(Error::Unavailable { .. })), "{found:?}");
    // Without `--allow-private`, an issuer on this machine is not asked at all.
    let public = Issuers::new(Client::new(Policy::public()).expect("a client"));
    let found = public.verify(&expected, &token).await;
    assert!(matches!(&found, Err(Error::Unavailable { why, .. }) if why.contains("127.0.0.1")), "{found:?}");
}
