//! Webhooks as providers sign them, and as attackers change them.

use sortkey_functions::Headers;
use sortkey_functions::encoding::Encoding;
use sortkey_functions::hmac::{self, Algorithm};
use sortkey_functions::pointer::Pointer;
use sortkey_functions::signature::{
    Custom, DeliveryId, IdSource, Incoming, Method, OutgoingError, OutgoingSecret, Part, Scheme, SchemeError,
    SignatureError, TimestampHeader, Verifier, sign_outgoing,
};

const NOW: i64 = 1_614_265_330;

type Pairs<'a> = [(&'a str, &'a str)];

fn check(
    scheme: &Scheme,
    secrets: &[&str],
    headers: &Pairs<'_>,
    body: &str,
    now: i64,
) -> Result<(), SignatureError> {
    let incoming = Incoming { headers: Headers::new(headers), body: body.as_bytes(), now_seconds: now };
    Verifier::new(scheme, secrets).expect("a scheme").verify(&incoming)
}

fn missing(header: &str) -> Result<(), SignatureError> {
    Err(SignatureError::Missing { header: header.to_owned() })
}

fn stripe(time: i64, body: &str, secret: &str) -> String {
    let time = time.to_string();
    let code = hmac::sign(Algorithm::Sha256, secret.as_bytes(), &[time.as_bytes(), b".", body.as_bytes()]);
    format!("t={time},v1={}", Encoding::Hex.encode(&code))
}

// The example of GitHub's documentation.
#[test]
fn github_signs_the_body() {
    let scheme = Scheme::github();
    let secret = "It's a Secret to Everybody";
    let right = "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17";
    let name = "X-Hub-Signature-256";
    let signed = |headers: &Pairs<'_>, body| check(&scheme, &[secret], headers, body, NOW);
    assert_eq!(signed(&[(name, right)], "Hello, World!"), Ok(()));
    assert_eq!(signed(&[("x-hub-signature-256", right)], "Hello, World!"), Ok(()));
    assert_eq!(signed(&[(name, right)], "Hello, World?"), Err(SignatureError::Mismatch));
    assert_eq!(signed(&[(name, right)], ""), Err(SignatureError::Mismatch));
    assert_eq!(signed(&[(name, &right[..right.len() - 2])], "Hello, World!"), Err(SignatureError::Mismatch));
    assert_eq!(signed(&[("X-Hub-Signature", right)], "Hello, World!"), missing(name));
    assert_eq!(
        signed(&[(name, right), (name, right)], "Hello, World!"),
        Err(SignatureError::Repeated { header: name.to_owned() })
    );
    for malformed in ["", "sha256=", "sha256=xyz", "sha1=00", &right[7..], "SHA256=00"] {
        let outcome = signed(&[(name, malformed)], "Hello, World!");
        assert!(matches!(outcome, Err(SignatureError::Malformed { .. })), "{malformed}: {outcome:?}");
    }
    let rotation = ["the next one", secret];
    assert_eq!(check(&scheme, &rotation, &[(name, right)], "Hello, World!", NOW), Ok(()));
    assert_eq!(
        check(&scheme, &["the next one"], &[(name, right)], "Hello, World!", NOW),
        Err(SignatureError::Mismatch)
    );
}

// The example of Slack's documentation, whose secret is masked in print and still the right one.
#[test]
fn slack_signs_the_time_and_the_body() {
    let body = "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&\
                channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&\
                response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F\
                96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
    let headers = [
        ("X-Slack-Request-Timestamp", "1531420618"),
        ("X-Slack-Signature", "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503"),
    ];
    let secret = "8f742231b10e8888abcd99yyyzzz85a5";
    assert_eq!(check(&Scheme::slack(), &[secret], &headers, body, 1_531_420_618), Ok(()));
    assert_eq!(
        check(&Scheme::slack(), &[secret], &headers, body, 1_531_420_618 + 301),
        Err(SignatureError::Expired { age_seconds: 301, tolerance_seconds: 300 })
    );
    let later = [("X-Slack-Request-Timestamp", "1531420919"), headers[1]];
    assert_eq!(
        check(&Scheme::slack(), &[secret], &later, body, 1_531_420_919),
        Err(SignatureError::Mismatch)
    );
    assert_eq!(
        check(&Scheme::slack(), &[secret], &headers[1..], body, 1_531_420_618),
        missing("X-Slack-Request-Timestamp")
    );
}

#[test]
fn shopify_signs_in_base64() {
    let code = hmac::sign(Algorithm::Sha256, b"hush", &[b"{}"]);
    let text = Encoding::Base64.encode(&code);
    let headers = [("X-Shopify-Hmac-Sha256", text.as_str())];
    assert_eq!(check(&Scheme::shopify(), &["hush"], &headers, "{}", NOW), Ok(()));
    assert_eq!(check(&Scheme::shopify(), &["hush"], &headers, "{ }", NOW), Err(SignatureError::Mismatch));
    let hex = Encoding::Hex.encode(&code);
    // Sixty-four hexadecimal digits are base64, too, of other bytes.
    let headers = [("X-Shopify-Hmac-Sha256", hex.as_str())];
    assert_eq!(check(&Scheme::shopify(), &["hush"], &headers, "{}", NOW), Err(SignatureError::Mismatch));
}

#[test]
fn stripe_signs_the_time_and_accepts_several() {
    let (secret, body) = ("whsec_test", r#"{"id":"evt_1","object":"event"}"#);
    let signed = |header: &str, now| {
        check(&Scheme::Stripe, &["whsec_next", secret], &[("Stripe-Signature", header)], body, now)
    };
    let header = stripe(NOW, body, secret);
    for now in [NOW, NOW - 300, NOW + 300] {
        assert_eq!(signed(&header, now), Ok(()), "{now}");
    }
    assert_eq!(
        signed(&header, NOW + 301),
        Err(SignatureError::Expired { age_seconds: 301, tolerance_seconds: 300 })
    );
    assert_eq!(
        signed(&header, NOW - 301),
        Err(SignatureError::Early { ahead_seconds: 301, tolerance_seconds: 300 })
    );
    let zeros = "0".repeat(64);
    let code = header.split_once("v1=").map(|(_, code)| code).expect("a signature");
    assert_eq!(signed(&format!("t={NOW},v1={zeros},v1={code},v0=6ffb"), NOW), Ok(()));
    assert_eq!(signed(&format!("v1={code}, t={NOW}"), NOW), Ok(()));
    assert_eq!(signed(&format!("t={},v1={code}", NOW + 1), NOW), Err(SignatureError::Mismatch));
    assert_eq!(signed(&format!("t={NOW},v1={zeros}"), NOW), Err(SignatureError::Mismatch));
    // Only v1 counts: a weaker version must not be chosen by the sender.
    let malformed = [
        format!("t={NOW},v0={code}"),
        format!("v1={code}"),
        format!("t={NOW},t={NOW},v1={code}"),
        format!("t=+{NOW},v1={code}"),
        format!("t={NOW}.0,v1={code}"),
        format!("t=,v1={code}"),
        format!("t={NOW},v1=xyz"),
        format!("t={NOW}{}", format!(",v1={zeros}").repeat(17)),
        String::new(),
        ",".to_owned(),
    ];
    for header in malformed {
        assert!(matches!(signed(&header, NOW), Err(SignatureError::Malformed { .. })), "{header}");
    }
}

// The example in the tests of every Standard Webhooks library.
const STANDARD_SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const STANDARD_BODY: &str = r#"{"test": 2432232314}"#;
const STANDARD: [(&str, &str); 3] = [
    ("webhook-id", "msg_p5jXN8AQM9LWM0D4loKWxJek"),
    ("webhook-timestamp", "1614265330"),
    ("webhook-signature", "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="),
];

#[test]
fn standard_webhooks_are_verified_under_both_names() {
    let scheme = Scheme::StandardWebhooks;
    let signed = |headers: &Pairs<'_>, body, now| check(&scheme, &[STANDARD_SECRET], headers, body, now);
    assert_eq!(signed(&STANDARD, STANDARD_BODY, NOW), Ok(()));
    let svix =
        [("svix-id", STANDARD[0].1), ("svix-timestamp", STANDARD[1].1), ("Svix-Signature", STANDARD[2].1)];
    assert_eq!(signed(&svix, STANDARD_BODY, NOW + 300), Ok(()));
    assert_eq!(
        check(&scheme, &[&STANDARD_SECRET[6..]], &STANDARD, STANDARD_BODY, NOW),
        Ok(()),
        "the prefix may be missing"
    );
    assert_eq!(signed(&STANDARD, r#"{"test": 2432232315}"#, NOW), Err(SignatureError::Mismatch));
    assert_eq!(
        signed(&STANDARD, STANDARD_BODY, NOW + 301),
        Err(SignatureError::Expired { age_seconds: 301, tolerance_seconds: 300 })
    );
    assert_eq!(
        signed(&STANDARD, STANDARD_BODY, NOW - 301),
        Err(SignatureError::Early { ahead_seconds: 301, tolerance_seconds: 300 })
    );
    for (at, other_family) in svix.into_iter().enumerate() {
        let mut headers = STANDARD.to_vec();
        let (name, _) = headers.remove(at);
        assert_eq!(signed(&headers, STANDARD_BODY, NOW), missing(name));
        // A header of the other family does not fill the gap.
        headers.push(other_family);
        assert_eq!(signed(&headers, STANDARD_BODY, NOW), missing(name));
    }
    let with = |signature: &str| {
        signed(&[STANDARD[0], STANDARD[1], ("webhook-signature", signature)], STANDARD_BODY, NOW)
    };
    let right = STANDARD[2].1;
    let other = "v1,Ceo5qEr07ixe2NLpvHk3FH9bwy/WavXrAFQ/9tdO6mc=";
    assert_eq!(with(&format!("{other} v2,??? {right}")), Ok(()));
    assert_eq!(with(other), Err(SignatureError::Mismatch));
    assert_eq!(with(&right.replace("v1,", "v1a,")), Err(SignatureError::Mismatch));
    for malformed in ["", "v1", "v1,", "v1,!", "v2,abcd", &format!("{other} ").repeat(33)] {
        let outcome = with(malformed);
        // `v1,` is an empty signature, which is of the form and matches nothing.
        let expected = matches!(outcome, Err(SignatureError::Malformed { .. }))
            || (malformed == "v1," && outcome == Err(SignatureError::Mismatch));
        assert!(expected, "{malformed}: {outcome:?}");
    }
}

#[test]
fn outgoing_webhooks_are_signed_with_every_secret() {
    let next = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
    let private = format!("whsk_{}", Encoding::Base64.encode(&[7; 32]));
    let secrets =
        [STANDARD_SECRET, next, &private].map(|text| OutgoingSecret::parse(text).expect("a secret"));
    let headers = sign_outgoing(STANDARD[0].1, NOW, STANDARD_BODY.as_bytes(), &secrets).expect("headers");
    assert_eq!((headers.id.as_str(), headers.timestamp.as_str()), (STANDARD[0].1, STANDARD[1].1));
    let signatures: Vec<&str> = headers.signature.split(' ').collect();
    assert_eq!((signatures.len(), signatures[0]), (3, STANDARD[2].1));
    let sent = [
        ("webhook-id", headers.id.as_str()),
        ("webhook-timestamp", headers.timestamp.as_str()),
        ("webhook-signature", headers.signature.as_str()),
    ];
    for secret in &secrets {
        let text = secret.verifying_text();
        let scheme = Scheme::StandardWebhooks;
        assert_eq!(check(&scheme, &[&text], &sent, STANDARD_BODY, NOW), Ok(()), "{text}");
        assert_eq!(check(&scheme, &[&text], &sent, "tampered", NOW), Err(SignatureError::Mismatch), "{text}");
    }
    assert_eq!(format!("{:?}", secrets[0]), "OutgoingSecret(..)");
}

#[test]
fn what_cannot_be_signed_is_refused() {
    let secret = [OutgoingSecret::parse(STANDARD_SECRET).expect("a secret")];
    for id in ["", "msg.1", "msg 1", "msg\r\n1", "ü", &"a".repeat(257)] {
        assert_eq!(sign_outgoing(id, NOW, b"", &secret), Err(OutgoingError::Id), "{id:?}");
    }
    assert_eq!(sign_outgoing("a", -1, b"", &secret), Err(OutgoingError::Time));
    assert_eq!(sign_outgoing("a", NOW, b"", &[]), Err(OutgoingError::SecretCount));
    for text in ["", "whsec_", "whsec_!", "whsk_AAAA", "whpk_AAAA"] {
        assert_eq!(OutgoingSecret::parse(text).err(), Some(OutgoingError::Secret), "{text}");
    }
    // A public half that belongs to another private key.
    let mixed = format!("whsk_{}", Encoding::Base64.encode(&[7; 64]));
    assert_eq!(OutgoingSecret::parse(&mixed).err(), Some(OutgoingError::Secret));
}

// RFC 8032, section 7.1, test 3: the message is the two bytes af 82.
#[test]
fn ed25519_is_that_of_the_rfc() {
    let public = "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025";
    let signature = "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac\
                     18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a";
    let custom = Custom { method: Method::Ed25519, ..Custom::new("X-Sig") };
    let scheme = Scheme::Custom(custom);
    let headers = [("x-sig", signature)];
    let verified = |key: &str, body: &[u8]| {
        let incoming = Incoming { headers: Headers::new(&headers), body, now_seconds: NOW };
        Verifier::new(&scheme, &[key]).map(|verifier| verifier.verify(&incoming))
    };
    assert_eq!(verified(public, &[0xaf, 0x82]), Ok(Ok(())));
    assert_eq!(verified(public, &[0xaf, 0x83]), Ok(Err(SignatureError::Mismatch)));
    let base64 = Encoding::Base64.encode(&Encoding::Hex.decode(public).expect("hex"));
    assert_eq!(verified(&base64, &[0xaf, 0x82]), Ok(Ok(())));
    // The neutral point, for which anybody can sign.
    let weak = format!("01{}", "00".repeat(31));
    for key in [weak.as_str(), "", "00", "zz"] {
        assert!(matches!(verified(key, b""), Err(SchemeError::Secret { number: 1, .. })), "{key}");
    }
}

#[test]
fn discord_signs_the_time() {
    let private =
        OutgoingSecret::parse(&format!("whsk_{}", Encoding::Base64.encode(&[9; 32]))).expect("a key");
    let public = private.verifying_text().replace("whpk_", "");
    // A Standard Webhooks signature over `id.time.body` is one of Discord's over a time and a body that begins with a full stop.
    let id = NOW.to_string();
    let signed = sign_outgoing(&id, 5, b"{}", &[private]).expect("headers");
    let bytes = Encoding::Base64.decode(&signed.signature["v1a,".len()..]).expect("base64");
    let hex = Encoding::Hex.encode(&bytes);
    let headers = [("X-Signature-Ed25519", hex.as_str()), ("X-Signature-Timestamp", id.as_str())];
    assert_eq!(check(&Scheme::discord(), &[&public], &headers, ".5.{}", NOW), Ok(()));
    assert_eq!(check(&Scheme::discord(), &[&public], &headers, ".6.{}", NOW), Err(SignatureError::Mismatch));
    assert_eq!(
        check(&Scheme::discord(), &[&public], &headers, ".5.{}", NOW + 1000),
        Err(SignatureError::Expired { age_seconds: 1000, tolerance_seconds: 300 })
    );
}

#[test]
fn custom_schemes_choose_everything() {
    let custom = Custom {
        prefix: "SIG ".to_owned(),
        encoding: Encoding::Base64Url,
        method: Method::Hmac(Algorithm::Sha512),
        content: vec![
            Part::Header("X-Time".to_owned()),
            Part::Text("|".to_owned()),
            Part::Body,
            Part::Text("|end".to_owned()),
        ],
        timestamp: Some(TimestampHeader { header: "x-time".to_owned(), tolerance_seconds: 10 }),
        ..Custom::new("Authorization")
    };
    let code = hmac::sign(Algorithm::Sha512, b"key", &[b"1614265330|body|end"]);
    let value = format!("SIG {}", Encoding::Base64Url.encode(&code));
    let headers = [("authorization", value.as_str()), ("x-time", "1614265330")];
    let scheme = Scheme::Custom(custom);
    assert_eq!(check(&scheme, &["key"], &headers, "body", NOW + 10), Ok(()));
    assert_eq!(
        check(&scheme, &["key"], &headers, "body", NOW + 11),
        Err(SignatureError::Expired { age_seconds: 11, tolerance_seconds: 10 })
    );
    assert_eq!(check(&scheme, &["key"], &headers, "body|end", NOW), Err(SignatureError::Mismatch));
}

#[test]
fn unsafe_schemes_are_refused() {
    let refused = |custom: Custom, secrets: &[&str]| Verifier::new(&Scheme::Custom(custom), secrets).err();
    let good = Custom::new("X-Sig");
    let count = |given| Some(SchemeError::SecretCount { given, most: 16 });
    assert_eq!(refused(good.clone(), &[]), count(0));
    assert_eq!(refused(good.clone(), &["a"; 17]), count(17));
    // A setting that was forgotten is an empty secret, and everybody can sign with it.
    for secret in ["", " "] {
        for scheme in [Scheme::Stripe, Scheme::StandardWebhooks, Scheme::github()] {
            let outcome = Verifier::new(&scheme, &["c2VjcmV0", secret]).err();
            assert!(matches!(outcome, Some(SchemeError::Secret { number: 2, .. })), "{scheme:?}");
        }
    }
    let nothing_signed = Custom { content: vec![Part::Text("x".to_owned())], ..good.clone() };
    assert_eq!(refused(nothing_signed, &["a"]), Some(SchemeError::Content { expected: "the body, once" }));
    let time = Some(TimestampHeader { header: "X-Time".to_owned(), tolerance_seconds: 1 });
    let unsigned_time = Custom { timestamp: time, ..good.clone() };
    assert_eq!(
        refused(unsigned_time, &["a"]),
        Some(SchemeError::Content { expected: "the header with the time" })
    );
    for name in ["", "X Sig", "X:Sig", "X-Sïg"] {
        let outcome = refused(Custom { header: name.to_owned(), ..good.clone() }, &["a"]);
        assert_eq!(outcome, Some(SchemeError::HeaderName { name: name.to_owned() }));
    }
}

#[test]
fn deliveries_have_the_ids_of_their_providers() {
    let body = br#"{"id":"evt_1","number":7,"float":1.5,"deep":{"id":"d"}}"#;
    let id = |scheme: &Scheme, headers: &Pairs<'_>, body: &[u8]| {
        scheme.delivery_id(&Incoming { headers: Headers::new(headers), body, now_seconds: NOW })
    };
    let found = |id: &str, is_signed| Some(DeliveryId { id: id.to_owned(), is_signed });
    assert_eq!(id(&Scheme::Stripe, &[], body), found("evt_1", true));
    assert_eq!(id(&Scheme::Stripe, &[], b"not json"), None);
    assert_eq!(id(&Scheme::Stripe, &[], br#"{"id":""}"#), None);
    assert_eq!(id(&Scheme::github(), &[("x-github-delivery", "72d3162e")], body), found("72d3162e", false));
    assert_eq!(id(&Scheme::github(), &[], body), None);
    let both = [("X-Shopify-Event-Id", "e"), ("X-Shopify-Webhook-Id", "w")];
    assert_eq!(id(&Scheme::shopify(), &both, body), found("w", false));
    assert_eq!(id(&Scheme::shopify(), &both[..1], body), found("e", false));
    assert_eq!(id(&Scheme::shopify(), &[both[1], ("x-shopify-webhook-id", "v")], body), None);
    assert_eq!(id(&Scheme::StandardWebhooks, &STANDARD, body), found(STANDARD[0].1, true));
    let svix = [("svix-id", "msg_2"), ("svix-signature", "v1,AAAA")];
    assert_eq!(id(&Scheme::StandardWebhooks, &svix, body), found("msg_2", true));
    let custom = |source| Scheme::Custom(Custom { delivery_id: Some(source), ..Custom::new("X-Sig") });
    let at = |path: &str| custom(IdSource::Body(Pointer::parse(path).expect("a path")));
    assert_eq!(id(&at("/deep/id"), &[], body), found("d", true));
    assert_eq!(id(&at("/number"), &[], body), found("7", true));
    for path in ["/float", "/deep", "/none", ""] {
        assert_eq!(id(&at(path), &[], body), None, "{path}");
    }
    let header = custom(IdSource::headers(["X-Id"]));
    assert_eq!(id(&header, &[("X-Id", &"x".repeat(257))], body), None);
    assert_eq!(id(&header, &[("X-Id", "a\tb")], body), None);
}
