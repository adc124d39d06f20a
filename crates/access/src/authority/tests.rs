//! Presigned requests and sessions expire on time, and a session ends with its role.

use super::*;
use crate::hex;
use crate::identities::OwnerKind;

const START: i64 = 1_794_873_600;
const TRUST: &str = r#"{"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"sts:AssumeRole",
    "Principal":{"AWS":"arn:aws:iam::000000000000:user/ann"}}}"#;

/// An authority with a user `ann` and a role `reader` that trusts her.
struct World {
    folder: tempfile::TempDir,
    authority: Authority,
    key: (String, String),
}

impl World {
    fn new() -> World {
        let folder = tempfile::tempdir().expect("a folder");
        let keyring = Keyring::generate().expect("random");
        let key = IdentityFile::change(&folder.path().join("auth.json"), |file| {
            file.create_user("ann", false)?;
            file.create_role("reader", TRUST)?;
            file.create_key("ann", &keyring)
        });
        let key = key.expect("written");
        let authority = Authority::open(&folder.path().join("auth.json"), keyring).expect("opened");
        World { folder, authority, key: (key.id, key.secret) }
    }

    fn assume(&self, duration_seconds: i64) -> Credentials {
        let (access_key, secret) = &self.key;
        let ann = self.verify(&presigned(access_key, secret, None, START, 60), START).expect("ann");
        let asked = AssumeRole {
            role_arn: "arn:aws:iam::000000000000:role/reader",
            session_name: "s1",
            duration_seconds: Some(duration_seconds),
            policy: None,
        };
        self.authority.assume_role(&ann, &asked, START).expect("trusted")
    }

    fn verify(&self, query: &str, now_seconds: i64) -> Result<Caller, Rejected> {
        self.authority.verify(&request(query), &["dynamodb"], now_seconds)
    }
}

fn request(query: &str) -> SignedRequest<'_> {
    SignedRequest { method: "POST", path: "/", query, headers: &[("host", b"localhost")], body: b"{}" }
}

/// The query of a request that was signed at a time, for so many seconds.
fn presigned(
    access_key: &str,
    secret: &str,
    token: Option<&str>,
    seconds: i64,
    expires_seconds: i64,
) -> String {
    let time = Timestamp { seconds }.to_string();
    let encoded = |text: &str| text.replace('+', "%2B").replace('/', "%2F").replace('=', "%3D");
    let credential = encoded(&format!("{access_key}/{}/us-east-1/dynamodb/aws4_request", &time[..8]));
    let token = token.map_or(String::new(), |token| format!("&X-Amz-Security-Token={}", encoded(token)));
    let unsigned = format!(
        "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential={credential}&X-Amz-Date={time}&X-Amz-Expires={expires_seconds}\
         &X-Amz-SignedHeaders=host{token}&X-Amz-Signature="
    );
    let mut credential = String::new();
    let request = request(&unsigned);
    let signature = Signature::read(&request, &mut credential).expect("complete");
    let key = SigningKey::derive(secret, &signature.scope);
    let mut digits = Vec::new();
    hex::append(&signature.expected(&request, &key).expect("the host is there"), &mut digits);
    unsigned.clone() + std::str::from_utf8(&digits).expect("digits")
}

#[test]
fn a_presigned_request_is_good_until_it_says_and_may_be_repeated_until_then() {
    let world = World::new();
    let (access_key, secret) = &world.key;
    for expires_seconds in [1, 300, 3600, 604_800] {
        let query = presigned(access_key, secret, None, START, expires_seconds);
        for later in [0, expires_seconds - 1, expires_seconds] {
            assert!(world.verify(&query, START + later).is_ok(), "{expires_seconds} after {later}");
            assert!(world.verify(&query, START + later).is_ok(), "again, as on AWS");
        }
        for (moved, why) in [(expires_seconds + 1, "Signature expired"), (-901, "Signature not yet current")]
        {
            let rejected = world.verify(&query, START + moved).expect_err("out of its time").to_string();
            assert!(rejected.starts_with(why), "{expires_seconds}: {rejected}");
        }
        // Nobody can prolong it.
        let longer = query.replace(&format!("X-Amz-Expires={expires_seconds}"), "X-Amz-Expires=604799");
        assert!(world.verify(&longer, START).is_err());
    }
    for too_long in ["X-Amz-Expires=604801", "X-Amz-Expires=0", "X-Amz-Expires=-1", "X-Amz-Expires=x"] {
        let query = presigned(access_key, secret, None, START, 300).replace("X-Amz-Expires=300", too_long);
        let rejected = world.verify(&query, START).expect_err("not an expiry").to_string();
        assert!(rejected.contains("between 1 and 604800"), "{rejected}");
    }
}

#[test]
fn a_session_ends_when_it_says_however_long_its_requests_are_presigned() {
    let world = World::new();
    let session = world.assume(900);
    let sign = |seconds, expires_seconds| {
        presigned(&session.access_key, &session.secret, Some(&session.token), seconds, expires_seconds)
    };
    let caller = world.verify(&sign(START, 60), START).expect("a session");
    assert_eq!(caller.identity.principal.arn, "arn:aws:sts::000000000000:assumed-role/reader/s1");
    assert!(world.verify(&sign(START + 899, 60), START + 899).is_ok());
    for now_seconds in [START + 900, START + 901, START + 604_000] {
        let fresh = world.verify(&sign(now_seconds, 60), now_seconds);
        assert_eq!(fresh.expect_err("the session is over"), Rejected::Expired);
    }
    let early = sign(START, 604_800);
    assert_eq!(world.verify(&early, START + 900).expect_err("the session is over"), Rejected::Expired);
    // A wrong signature gets the same answer whether or not the session has expired.
    let forged = presigned(&session.access_key, "guessed", Some(&session.token), START + 901, 60);
    assert!(matches!(world.verify(&forged, START + 901), Err(Rejected::Signature(_))));
}

#[test]
fn a_session_ends_with_its_role() {
    let world = World::new();
    let session = world.assume(3600);
    let query = presigned(&session.access_key, &session.secret, Some(&session.token), START, 60);
    assert!(world.verify(&query, START).is_ok());
    let deleted = IdentityFile::change(&world.folder.path().join("auth.json"), |file| {
        file.delete(OwnerKind::Role, "reader")
    });
    deleted.expect("written");
    world.authority.refresh();
    assert_eq!(world.verify(&query, START).expect_err("no role"), Rejected::UnknownKey);
    // Another role of the same name revived the session.
    let recreated = IdentityFile::change(&world.folder.path().join("auth.json"), |file| {
        file.create_role("reader", TRUST)
    });
    recreated.expect("written");
    world.authority.refresh();
    assert_eq!(world.verify(&query, START).expect_err("another role"), Rejected::UnknownKey);
}

/// A key that another keyring sealed locked out everybody: no server could open the file any more.
#[test]
fn a_file_is_sealed_by_one_keyring() {
    let world = World::new();
    let path = world.folder.path().join("auth.json");
    let before = std::fs::read(&path).expect("read");
    let other = Keyring::generate().expect("random");
    let added = IdentityFile::change(&path, |file| {
        file.create_user("zed", false)?;
        file.create_key("zed", &other)
    });
    assert!(matches!(added, Err(IdentityError::Keyring(_))), "{added:?}");
    let session_key = IdentityFile::change(&path, |file| file.ensure_session_key(&other));
    assert!(session_key.is_err());
    assert_eq!(std::fs::read(&path).expect("read"), before);
}
