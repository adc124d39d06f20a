//! Sign-in with accounts elsewhere, against a provider on this machine.

use std::net::TcpListener;

use serde_json::{Value as Json, json};

use crate::http::{Message, Wire};
use crate::relay::{Relay, attempt, call, text};

/// A provider of OAuth 2 with one code, one client and one person.
fn provider() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = listener.local_addr().expect("an address").port();
    std::thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            std::thread::spawn(move || {
                let mut wire = Wire::new(stream);
                while let Some(message) = wire.read() {
                    let (status, body) = answer(&message);
                    let body = body.to_string();
                    let head = format!("HTTP/1.1 {status} X\r\ncontent-type: application/json\r\n");
                    let text = format!("{head}content-length: {}\r\n\r\n{body}", body.len());
                    if wire.write(text.as_bytes()).is_none() {
                        return;
                    }
                }
            });
        }
    });
    port
}

fn answer(message: &Message) -> (u16, Json) {
    let body = String::from_utf8_lossy(&message.body).into_owned();
    let form: Vec<&str> = body.split('&').collect();
    let is_client = form.contains(&"client_id=ours") && form.contains(&"client_secret=a%20secret");
    let is_person = message.header("authorization") == Some("Bearer access-1");
    match message.second() {
        "/login/oauth/access_token" | "/token" if is_client && form.contains(&"code=good") => {
            (200, json!({ "access_token": "access-1", "token_type": "bearer", "scope": "user" }))
        }
        "/login/oauth/access_token" | "/token" => (400, json!({ "error": "bad_verification_code" })),
        "/user" if is_person => {
            // An address that a person keeps private is in the list alone.
            (200, json!({ "id": 42, "email": null, "name": null, "login": "ada" }))
        }
        "/user/emails" if is_person => {
            let address =
                |email: &str, primary| json!({ "email": email, "primary": primary, "verified": true });
            (200, json!([address("ada@work.example", false), address("ada@example.com", true)]))
        }
        "/v1/userinfo" if is_person => (
            200,
            json!({ "sub": "g-7", "email": "grace@example.com", "email_verified": true, "name": "Grace" }),
        ),
        _ => (401, json!({ "message": "Bad credentials" })),
    }
}

#[test]
fn people_sign_in_with_github_and_google_and_the_state_is_checked() {
    let folder = tempfile::tempdir().expect("a folder");
    let mut place = crate::place(&folder);
    let url = format!("http://127.0.0.1:{}", provider());
    for (name, value) in [("Url", url.as_str()), ("Api", &url), ("Client", "ours"), ("Secret", "a secret")] {
        place.arguments.extend(["github", "google"].map(|who| format!("--set={who}{name}={value}")));
    }
    let _relay = Relay::start(&place);
    let port = place.port;
    let state = |who: &str| text(&call(port, "", "POST", &format!("/auth/{who}"), &json!({})), "state");
    let refused = |path: &str| {
        let (status, answer) = attempt(port, "", "GET", path, b"").expect("an answer");
        assert!((400..500).contains(&status), "{path}: {status} {}", String::from_utf8_lossy(&answer));
    };
    for who in ["github", "google"] {
        let own = state(who);
        let login = call(port, "", "GET", &format!("/auth/{who}?code=good&state={own}"), &Json::Null);
        let (token, user) = (text(&login, "token"), text(&login, "userId"));
        // The session is a caller like any other.
        let found = call(port, &token, "GET", &format!("/api/users/getById?userId={user}"), &Json::Null);
        assert_eq!(found["userId"], json!(user));
        let again =
            call(port, "", "GET", &format!("/auth/{who}?code=good&state={}", state(who)), &Json::Null);
        assert_eq!(text(&again, "userId"), user, "the same person");

        refused(&format!("/auth/{who}?code=good&state={own}"));
        refused(&format!("/auth/{who}?code=good&state=st_invented"));
        refused(&format!("/auth/{who}?code=good"));
        refused(&format!("/auth/{who}?code=wrong&state={}", state(who)));
        let other = if who == "github" { "google" } else { "github" };
        refused(&format!("/auth/{who}?code=good&state={}", state(other)));
    }
}
