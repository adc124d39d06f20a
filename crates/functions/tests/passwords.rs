//! Hashes as other libraries wrote them, and hashes that ask for too much.

use sortkey_functions::password::{HashError, Limits, MAX_PASSWORD_BYTES, matches};

fn check(password: &str, hash: &str) -> Result<bool, HashError> {
    matches(password.as_bytes(), hash, &Limits::default())
}

const PASSWORD: &str = "correct horse ü";

// bcrypt and argon2-cffi of Python, bcryptjs and hash-wasm of JavaScript.
const WRITTEN_ELSEWHERE: [&str; 4] = [
    "$2b$04$VUc9ugtE7V0o/6seBddck./XTHdMrQz/Jc02YctSFX026FcRDhXUO",
    "$2b$04$b3jgKQNrlR9SQF8mVAQz7Oi6j9RxOSiRzXaBlWK8XsmO62JEb55ji",
    "$argon2id$v=19$m=64,t=2,p=2$BgN+gyvJZHshECZSsxxHzg$WM1FdoM7DkSHVclcwBiTw9giJvQb+utNb8Tg/Juh1qI",
    "$argon2id$v=19$m=512,t=3,p=1$BwcHBwcHBwcHBwcHBwcHBw$EmsDTKquRRcJIfkDhRqT61aqlKWv4UQOJknr4mrJHcE",
];

#[test]
fn hashes_of_other_libraries_match_their_passwords_only() {
    for hash in WRITTEN_ELSEWHERE {
        assert_eq!(check(PASSWORD, hash), Ok(true), "{hash}");
        for wrong in ["", "correct horse u", "correct horse ü ", "Correct horse ü", "correct horse ü\0"] {
            assert_eq!(check(wrong, hash), Ok(false), "{wrong:?} {hash}");
        }
        assert_eq!(check(&"x".repeat(MAX_PASSWORD_BYTES + 1), hash), Ok(false));
    }
    for (password, hash) in [
        ("", "$2a$05$5nkjiNNZA3L0KK/O6yZm1eXccO5JjRrtlEkY8xVGrtcE3LzrMuGim"),
        ("pw", "$argon2id$v=19$m=19456,t=1,p=1$pRts+LPmx2c0RCbkhqi1+Q$+sLew5wjCZFPHYwD+BK6qA"),
        ("pw", "$argon2id$v=16$m=64,t=1,p=1$c29tZXNhbHQ$KoP+L6RVhdful6CfLPkCDC5Eb0QPbnHP0c4tCYAz7bk"),
        ("pw", "$argon2id$m=64,t=1,p=1$c29tZXNhbHQ$KoP+L6RVhdful6CfLPkCDC5Eb0QPbnHP0c4tCYAz7bk"),
    ] {
        assert_eq!(check(password, hash), Ok(true), "{hash}");
    }
    for version in ["2a", "2b", "2y"] {
        assert_eq!(check(PASSWORD, &WRITTEN_ELSEWHERE[0].replace("2b", version)), Ok(true), "{version}");
    }
}

#[test]
fn long_passwords_are_compared_digested_and_cut() {
    let long = "x".repeat(100);
    // bcryptjs cuts after 72 bytes, and so does every hash of exactly 72.
    let cut = "$2b$04$fUPhzW6b.oeBOsR16rp3AuGC6r2JPcmQZEuluPf8U7jlK.E2krZ7y";
    assert_eq!(check(&long, cut), Ok(true));
    assert_eq!(check(&long[..72], "$2b$04$jfcjvvmEDzahz2v5c5wKcOyu1gVCWkjXAeawDl.mpOM7w/mrZFt3a"), Ok(true));
    assert_eq!(check(&long[..71], cut), Ok(false));
    // The function `bcrypt` of designs digests what is longer than 71 bytes, so that every character counts.
    let digested = "$2b$04$EJDQpr4S5WOrSlLKLZb/l.jVM1a6lK6TnXHNew8XxDyGmMW8Qz9.C";
    assert_eq!(check(&long, digested), Ok(true));
    assert_eq!(check(&long[..99], digested), Ok(false));
}

#[test]
fn hashes_that_ask_for_too_much_are_refused_before_work_begins() {
    let (salt, hash) = ("c29tZXNhbHQ", "KoP+L6RVhdful6CfLPkCDC5Eb0QPbnHP0c4tCYAz7bk");
    for costs in [
        "m=4294967295,t=1,p=1",
        "m=262145,t=1,p=1",
        "m=64,t=4294967295,p=1",
        "m=64,t=17,p=1",
        "m=4096,t=1,p=17",
        "m=262144,t=5,p=1",
    ] {
        let stored = format!("$argon2id$v=19${costs}${salt}${hash}");
        assert_eq!(check("pw", &stored), Err(HashError::TooExpensive), "{costs}");
    }
    for cost in 15..32 {
        let stored = WRITTEN_ELSEWHERE[0].replace("$04$", &format!("${cost}$"));
        assert_eq!(check(PASSWORD, &stored), Err(HashError::TooExpensive), "{cost}");
    }
    let cheap = Limits { bcrypt_cost: 3, ..Limits::default() };
    assert_eq!(matches(PASSWORD.as_bytes(), WRITTEN_ELSEWHERE[0], &cheap), Err(HashError::TooExpensive));
}

#[test]
fn damaged_hashes_are_malformed_and_other_kinds_unsupported() {
    for kind in [
        "",
        "secret",
        "$1$salt$hash",
        "$2x$04$VUc9ugtE7V0o/6seBddck./XTHdMrQz/Jc02YctSFX026FcRDhXUO",
        "$argon2i$v=19$m=64,t=1,p=1$c29tZXNhbHQ$neCXL25nGwaxqxjp+fXijln57CpJDv4WarQ2eQ5CHJY",
        "$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD",
    ] {
        assert_eq!(check("pw", kind), Err(HashError::Unsupported), "{kind}");
    }
    for damaged in [
        "$2b$",
        "$2b$4$VUc9ugtE7V0o/6seBddck./XTHdMrQz/Jc02YctSFX026FcRDhXUO",
        "$2b$03$VUc9ugtE7V0o/6seBddck./XTHdMrQz/Jc02YctSFX026FcRDhXUO",
        "$2b$99$VUc9ugtE7V0o/6seBddck./XTHdMrQz/Jc02YctSFX026FcRDhXUO",
        "$2b$04$VUc9ugtE7V0o/6seBddck./XTHdMrQz/Jc02YctSFX026FcRDhXU",
        "$2b$04$üüüüüüüüüüü./XTHdMrQz/Jc02YctSFX026FcRDhXUO",
        "$argon2id$",
        "$argon2id$v=20$m=64,t=1,p=1$c29tZXNhbHQ$KoP+L6RVhdful6CfLPkCDC5Eb0QPbnHP0c4tCYAz7bk",
        "$argon2id$v=19$m=64,t=1$c29tZXNhbHQ$KoP+L6RVhdful6CfLPkCDC5Eb0QPbnHP0c4tCYAz7bk",
        "$argon2id$v=19$m=064,t=1,p=1$c29tZXNhbHQ$KoP+L6RVhdful6CfLPkCDC5Eb0QPbnHP0c4tCYAz7bk",
        "$argon2id$v=19$m=+64,t=1,p=1$c29tZXNhbHQ$KoP+L6RVhdful6CfLPkCDC5Eb0QPbnHP0c4tCYAz7bk",
        "$argon2id$v=19$m=64,t=0,p=1$c29tZXNhbHQ$KoP+L6RVhdful6CfLPkCDC5Eb0QPbnHP0c4tCYAz7bk",
        "$argon2id$v=19$m=1,t=1,p=1$c29tZXNhbHQ$KoP+L6RVhdful6CfLPkCDC5Eb0QPbnHP0c4tCYAz7bk",
        "$argon2id$v=19$m=64,t=1,p=1$c29t$KoP+L6RVhdful6CfLPkCDC5Eb0QPbnHP0c4tCYAz7bk",
        // Three bytes of hash, which one password in sixteen million matches.
        "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$KoP+",
        "$argon2id$v=19$m=64,t=1,p=1$c29tZXNhbHQ$",
    ] {
        assert!(matches!(check("pw", damaged), Err(HashError::Malformed(_))), "{damaged}");
    }
    assert!(matches!(check("pw", &"$2b$".repeat(200)), Err(HashError::Malformed(_))));
}
