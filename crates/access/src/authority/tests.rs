//! Presigned requests and sessions expire on time, and a session ends with its role.

mod order;

use sortkey_policy::{Context, Values};

use super::*;
use crate::hex;
use crate::identities::OwnerKind;

const START: i64 = 1_794_873_600;
const TRUST: &str = r#"{"Version":"2012-10-17","Statement":{"Effect":"Allow","Action":"sts:AssumeRole",
    "Principal":{"AWS":"arn:aws:iam::000000000000:user/ann"}}}"#;

/// A request of which only the address is known.
struct FromLoopback;

impl Context for FromLoopback {
    fn values(&self, key: &str) -> Option<Values<'_>> {
        (key == "aws:SourceIp").then(|| Values::one("127.0.0.1"))
    }
}

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
        self.assume_as(&ann, "reader", duration_seconds, None).expect("trusted")
    }

    fn assume_as(
        &self,
        caller: &Caller,
        role: &str,
        duration_seconds: i64,
        policy: Option<&str>,
    ) -> Result<Credentials, AssumeError> {
        let role_arn = format!("arn:aws:iam::000000000000:role/{role}");
        let asked = AssumeRole {
            role_arn: &role_arn,
            session_name: "s1",
            duration_seconds: Some(duration_seconds),
            policy,
        };
        self.authority.assume_role(caller, &asked, &FromLoopback, START)
    }

    /// The session that credentials are for.
    fn session(&self, given: &Credentials) -> Caller {
        let query = presigned(&given.access_key, &given.secret, Some(&given.token), START, 60);
        self.verify(&query, START).expect("a session")
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
    let credential = signature.credential().expect("five elements");
    let key = SigningKey::derive(secret, &credential.scope);
    let mut digits = Vec::new();
    hex::append(&signature.expected(&request, &credential, &key).expect("the host is there"), &mut digits);
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

fn trusting(principal: &str, condition: &str) -> String {
    format!(
        r#"{{"Version":"2012-10-17","Statement":{{"Effect":"Allow","Action":"sts:AssumeRole",
        "Principal":{{"AWS":"arn:aws:iam::000000000000:{principal}"}}{condition}}}}}"#
    )
}

fn with_roles(roles: &[(&str, &str)]) -> World {
    let world = World::new();
    let created = IdentityFile::change(&world.folder.path().join("auth.json"), |file| {
        roles.iter().try_for_each(|(name, trust)| file.create_role(name, trust))
    });
    created.expect("written");
    world.authority.refresh();
    world
}

/// A session that was limited by a policy became one that was not, by assuming a role that trusts its own.
#[test]
fn a_session_policy_limits_the_roles_that_its_session_may_assume() {
    let world = with_roles(&[("next", &trusting("role/reader", ""))]);
    let (access_key, secret) = &world.key;
    let ann = world.verify(&presigned(access_key, secret, None, START, 60), START).expect("ann");
    let limited = |policy| world.session(&world.assume_as(&ann, "reader", 900, policy).expect("trusted"));
    let only_reads = r#"{"Statement":{"Effect":"Allow","Action":"dynamodb:GetItem","Resource":"*"}}"#;
    let assumes = r#"{"Statement":{"Effect":"Allow","Action":"sts:AssumeRole","Resource":"*"}}"#;
    for (policy, is_allowed) in [(None, true), (Some(only_reads), false), (Some(assumes), true)] {
        assert_eq!(world.assume_as(&limited(policy), "next", 900, None).is_ok(), is_allowed, "{policy:?}");
    }
}

#[test]
fn a_session_gives_out_sessions_of_an_hour_at_most() {
    let world = with_roles(&[("next", &trusting("role/reader", ""))]);
    let reader = world.session(&world.assume(43_200));
    assert!(world.assume_as(&reader, "next", 3600, None).is_ok());
    let too_long = world.assume_as(&reader, "next", 3601, None).expect_err("role chaining").to_string();
    assert!(too_long.contains("exceeds the 1 hour session limit"), "{too_long}");
}

/// Trust policies with a condition never held, since nothing was known about the request.
#[test]
fn trust_may_depend_on_the_request() {
    let condition = |range: &str| format!(r#","Condition":{{"IpAddress":{{"aws:SourceIp":"{range}"}}}}"#);
    let world = with_roles(&[
        ("here", &trusting("user/ann", &condition("127.0.0.0/8"))),
        ("elsewhere", &trusting("user/ann", &condition("10.0.0.0/8"))),
        ("named", &trusting("user/ann", r#","Condition":{"StringEquals":{"sts:RoleSessionName":"s1"}}"#)),
        ("other", &trusting("user/ann", r#","Condition":{"StringEquals":{"sts:RoleSessionName":"s2"}}"#)),
        ("external", &trusting("user/ann", r#","Condition":{"StringEquals":{"sts:ExternalId":"x"}}"#)),
        ("unknown", &trusting("user/ann", r#","Condition":{"Null":{"sts:Unknown":"true"}}"#)),
    ]);
    let (access_key, secret) = &world.key;
    let ann = world.verify(&presigned(access_key, secret, None, START, 60), START).expect("ann");
    for (role, is_allowed) in [
        ("here", true),
        ("elsewhere", false),
        ("named", true),
        ("other", false),
        ("external", false),
        ("unknown", false),
    ] {
        assert_eq!(world.assume_as(&ann, role, 900, None).is_ok(), is_allowed, "{role}");
    }
}

/// `aws:userid` was the name in upper case, which two users could share.
#[test]
fn nobody_has_the_id_of_another() {
    let world = World::new();
    let path = world.folder.path().join("auth.json");
    for name in ["ann", "ANN", "Ann"] {
        let taken = IdentityFile::change(&path, |file| file.create_user(name, false));
        assert!(matches!(taken, Err(IdentityError::Invalid(_))), "{name}");
    }
    let id = || {
        let user_id = |file: &mut IdentityFile| file.user("ann").map(|user| user.id.clone());
        IdentityFile::change(&path, user_id).expect("ann")
    };
    let before = id();
    assert!(before.starts_with("AIDA") && before.len() == 20, "{before}");
    let again = IdentityFile::change(&path, |file| {
        file.delete(OwnerKind::User, "ann")?;
        file.create_user("ann", false)
    });
    again.expect("written");
    assert_ne!(id(), before);
    let (first, second) = (world.assume(900), with_roles(&[]).assume(900));
    let role_id = |session: &Credentials| session.user_id.split(':').next().map(str::to_owned);
    assert_ne!(role_id(&first), role_id(&second));
}
