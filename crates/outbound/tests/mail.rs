//! Mail against a relay that follows a script.

mod support;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use sortkey_outbound::mail::{
    Credentials, Mail, MailAddress, MailError, MailStage, MailText, MailTextError, Mailer, Relay, Security,
};
use sortkey_outbound::{Error, Phase, Policy};
use support::{Scripted, Server, acceptor, client, loopback};
use tokio::io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufStream};

/// A relay that answers commands by their first words, and keeps what it was sent.
#[derive(Clone)]
struct Script {
    greeting: &'static str,
    /// The beginning of a command and the reply to it; the first that fits.
    replies: Vec<(&'static str, &'static str)>,
    security: Security,
    transcript: Arc<Mutex<Vec<String>>>,
}

const REPLIES: [(&str, &str); 8] = [
    ("EHLO", "250-relay.example\r\n250-SIZE 1000000\r\n250-STARTTLS\r\n250 AUTH LOGIN PLAIN\r\n"),
    ("STARTTLS", "220 go\r\n"),
    ("AUTH PLAIN", "235 in\r\n"),
    ("MAIL FROM", "250 ok\r\n"),
    ("RCPT TO", "250 ok\r\n"),
    ("DATA", "354 go on\r\n"),
    (".", "250 queued\r\n"),
    ("QUIT", "221 bye\r\n"),
];

impl Script {
    fn new(security: Security) -> Script {
        Script {
            greeting: "220 relay.example ESMTP\r\n",
            replies: REPLIES.to_vec(),
            security,
            transcript: Arc::default(),
        }
    }

    /// Another reply to a command.
    fn with(mut self, command: &'static str, reply: &'static str) -> Script {
        self.replies.insert(0, (command, reply));
        self
    }

    fn transcript(&self) -> Vec<String> {
        self.transcript.lock().expect("not poisoned").clone()
    }

    async fn serve(&self) -> Server {
        let script = self.clone();
        Server::at("127.0.0.1:0", move |stream, _| {
            let script = script.clone();
            async move {
                if script.security == Security::Implicit {
                    if let Ok(stream) = acceptor().accept(stream).await {
                        script.talk(stream, true).await;
                    }
                } else if let Some(stream) = script.talk(stream, true).await
                    && let Ok(stream) = acceptor().accept(stream).await
                {
                    script.talk(stream, false).await;
                }
            }
        })
        .await
    }

    /// Answers commands; gives the connection back after STARTTLS.
    async fn talk<S: AsyncRead + AsyncWrite + Unpin>(&self, stream: S, greets: bool) -> Option<S> {
        let mut stream = BufStream::new(stream);
        let mut is_data = false;
        if greets {
            stream.write_all(self.greeting.as_bytes()).await.ok()?;
            stream.flush().await.ok()?;
        }
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).await.ok()? == 0 {
                return None;
            }
            let line = line.strip_suffix("\r\n").expect("CR LF").to_owned();
            self.transcript.lock().expect("not poisoned").push(line.clone());
            if is_data && line != "." {
                continue;
            }
            let reply = self.replies.iter().find(|(command, _)| line.starts_with(command));
            let reply = reply.map_or("500 what\r\n", |(_, reply)| reply);
            is_data = line == "DATA" && reply.starts_with('3');
            stream.write_all(reply.as_bytes()).await.ok()?;
            stream.flush().await.ok()?;
            if line == "STARTTLS" && reply.starts_with("220") {
                return Some(stream.into_inner());
            }
        }
    }
}

fn address(text: &str) -> MailAddress {
    MailAddress::parse(text).expect("an address")
}

fn line(text: &str) -> MailText {
    MailText::parse(text).expect("a line")
}

fn mail() -> Mail {
    Mail {
        from: (line("Sortkey"), address("robot@sender.example")),
        to: vec![address("ada@example.com")],
        reply_to: None,
        subject: line("Hello"),
        text: "Hi Ada\n.\nQUIT\n".to_owned(),
        html: None,
        id: "m-1".to_owned(),
    }
}

fn mailer(server: &Server, security: Security, policy: Policy) -> Mailer {
    let credentials = Credentials { user: "robot".to_owned(), password: "secret ü".to_owned() };
    let relay = Relay {
        host: "tls.example".to_owned(),
        port: server.address.port(),
        security,
        credentials: (security != Security::None).then_some(credentials),
        own_name: "app.example".to_owned(),
        timeout: Duration::from_secs(60),
    };
    let client = client(policy, Scripted::new(&[("tls.example", &[&["127.0.0.1"]])]));
    Mailer::new(client, relay).expect("settings")
}

fn trusting() -> Policy {
    loopback().trust(include_bytes!("tls/authority.der").to_vec())
}

async fn send(script: &Script, mail: &Mail) -> Result<(), MailError> {
    let server = script.serve().await;
    mailer(&server, script.security, trusting()).send(mail, 784_111_777).await
}

const PLAIN: &str = "AUTH PLAIN AHJvYm90AHNlY3JldCDDvA==";

#[tokio::test]
async fn a_mail_is_handed_over_in_order() {
    let script = Script::new(Security::Implicit);
    assert_eq!(send(&script, &mail()).await, Ok(()));
    let expected = [
        "EHLO app.example",
        PLAIN,
        "MAIL FROM:<robot@sender.example>",
        "RCPT TO:<ada@example.com>",
        "DATA",
        "Date: Sun, 06 Nov 1994 08:49:37 +0000",
        "Message-ID: <m-1@sender.example>",
        "From: Sortkey <robot@sender.example>",
        "To: ada@example.com",
        "Subject: Hello",
        "MIME-Version: 1.0",
        "Content-Type: text/plain; charset=utf-8",
        "Content-Transfer-Encoding: base64",
        "",
        "SGkgQWRhCi4KUVVJVAo=",
        ".",
        "QUIT",
    ];
    assert_eq!(script.transcript(), expected);
}

#[tokio::test]
async fn starttls_comes_before_credentials() {
    let script = Script::new(Security::StartTls);
    assert_eq!(send(&script, &mail()).await, Ok(()));
    let transcript = script.transcript();
    assert_eq!(transcript[..4], ["EHLO app.example", "STARTTLS", "EHLO app.example", PLAIN]);
}

#[tokio::test]
async fn login_is_used_where_plain_is_not_offered() {
    let script = Script::new(Security::Implicit)
        .with("EHLO", "250-relay\r\n250 AUTH=LOGIN\r\n")
        .with("AUTH LOGIN", "334 VXNlcm5hbWU6\r\n")
        .with("cm9ib3Q=", "334 UGFzc3dvcmQ6\r\n")
        .with("c2VjcmV0IMO8", "235 in\r\n");
    assert_eq!(send(&script, &mail()).await, Ok(()));
    assert_eq!(script.transcript()[1..4], ["AUTH LOGIN", "cm9ib3Q=", "c2VjcmV0IMO8"]);
    let none = Script::new(Security::Implicit).with("EHLO", "250 relay\r\n");
    assert_eq!(send(&none, &mail()).await, Err(MailError::Missing("AUTH PLAIN or AUTH LOGIN")));
}

#[tokio::test]
async fn relays_without_tls_get_no_credentials() {
    // Somebody in between has removed the offer.
    let stripped = Script::new(Security::StartTls).with("EHLO", "250-relay\r\n250 AUTH PLAIN\r\n");
    assert_eq!(send(&stripped, &mail()).await, Err(MailError::Missing("STARTTLS")));
    assert_eq!(stripped.transcript(), ["EHLO app.example"]);
    let refused = Script::new(Security::StartTls).with("STARTTLS", "454 not now\r\n");
    let expected = MailError::Rejected { stage: MailStage::StartTls, code: 454, text: "not now".to_owned() };
    assert_eq!(send(&refused, &mail()).await, Err(expected));
    // Replies that were injected before TLS would be read after it (CVE-2011-0411).
    let injected =
        Script::new(Security::StartTls).with("STARTTLS", "220 go\r\n250-evil\r\n250 AUTH PLAIN\r\n");
    let outcome = send(&injected, &mail()).await;
    assert!(
        matches!(outcome, Err(MailError::Protocol(_) | MailError::Connection(Error::Tls { .. }))),
        "{outcome:?}"
    );
    assert!(!injected.transcript().iter().any(|line| line.starts_with("AUTH")));
    let server = Script::new(Security::StartTls).serve().await;
    let outcome = mailer(&server, Security::StartTls, loopback()).send(&mail(), 0).await;
    assert!(matches!(outcome, Err(MailError::Connection(Error::Tls { .. }))), "{outcome:?}");
}

#[tokio::test]
async fn refusals_say_what_was_refused() {
    for (command, reply, stage, code) in [
        ("EHLO", "502 no\r\n", MailStage::Hello, 502),
        ("AUTH PLAIN", "535-5.7.8 wrong\r\n535 password\r\n", MailStage::Authentication, 535),
        ("MAIL FROM", "550 no\r\n", MailStage::Sender, 550),
        ("RCPT TO", "450 busy\r\n", MailStage::Recipient, 450),
        ("DATA", "552 full\r\n", MailStage::Message, 552),
        (".", "554 spam\r\n", MailStage::Message, 554),
    ] {
        let script = Script::new(Security::Implicit).with(command, reply);
        let error = send(&script, &mail()).await.expect_err("refused");
        let MailError::Rejected { stage: found, code: given, .. } = &error else { unreachable!("{error}") };
        assert_eq!((*found, *given), (stage, code));
        assert_eq!(error.is_transient(), code < 500);
    }
    let script = Script { greeting: "554 go away\x1b[2J\r\n", ..Script::new(Security::Implicit) };
    let expected =
        MailError::Rejected { stage: MailStage::Greeting, code: 554, text: "go away[2J".to_owned() };
    assert_eq!(send(&script, &mail()).await, Err(expected));
}

#[tokio::test]
async fn relays_that_do_not_speak_smtp_are_left() {
    let long: &'static str = Box::leak(format!("220 {}\r\n", "x".repeat(5000)).into_boxed_str());
    let endless: &'static str = Box::leak("220-more\r\n".repeat(1000).into_boxed_str());
    for greeting in
        [long, endless, "HTTP/1.1 400 Bad\r\n\r\n", "22\r\n", "99 x\r\n", "999 x\r\n", "220x\r\n", "\r\n"]
    {
        let script = Script { greeting, ..Script::new(Security::Implicit) };
        let outcome = send(&script, &mail()).await;
        assert!(matches!(outcome, Err(MailError::Protocol(_))), "{greeting:.20}: {outcome:?}");
    }
    let silent = Server::new(vec![support::Act::Hang]).await;
    let mut waiting = mailer(&silent, Security::Implicit, trusting());
    waiting = waiting.with_timeout(Duration::from_secs(1));
    let outcome = waiting.send(&mail(), 0).await;
    let expected = Error::Timeout { during: Phase::Securing, status: None };
    assert_eq!(outcome, Err(MailError::Connection(expected)));
}

#[tokio::test]
async fn relays_inside_are_refused_as_other_destinations_are() {
    let script = Script::new(Security::Implicit);
    let server = script.serve().await;
    let outcome = mailer(&server, Security::Implicit, Policy::public()).send(&mail(), 0).await;
    assert!(matches!(outcome, Err(MailError::Connection(Error::Refused { .. }))), "{outcome:?}");
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn texts_in_other_scripts_are_encoded() {
    let script = Script::new(Security::None);
    let subject = "Grüße aus Köln, 東京 und anderswo: ".to_owned() + &"ö".repeat(60);
    let mail = Mail {
        from: (line("Jürgen \"J\" <x>, Ltd."), address("robot@sender.example")),
        to: vec![address("ada@example.com"), address("bob@example.com")],
        reply_to: Some(address("desk+1@sender.example")),
        subject: line(&subject),
        html: Some("<p>Hi</p>".repeat(20)),
        ..mail()
    };
    assert_eq!(send(&script, &mail).await, Ok(()));
    let transcript = script.transcript();
    let text = transcript.join("\r\n");
    // Lines that begin with a space continue the one before.
    let unfolded = text.replace("\r\n ", " ");
    let header = |name: &str| {
        let found = unfolded.split("\r\n").find_map(|line| line.strip_prefix(name));
        found.expect("a header").to_owned()
    };
    let decoded = |value: &str| -> String {
        let words = value.split(' ').filter_map(|word| word.strip_prefix("=?utf-8?B?")?.strip_suffix("?="));
        words.map(|word| String::from_utf8(STANDARD.decode(word).expect("base64")).expect("text")).collect()
    };
    assert_eq!(decoded(&header("Subject: ")), subject);
    assert_eq!(decoded(&header("From: ")), "Jürgen \"J\" <x>, Ltd.");
    assert!(header("From: ").ends_with(" <robot@sender.example>"));
    assert_eq!(header("To: "), "ada@example.com, bob@example.com");
    assert_eq!(header("Reply-To: "), "desk+1@sender.example");
    assert!(transcript.iter().all(|line| line.is_ascii() && line.len() <= 100), "{transcript:#?}");
    assert_eq!(transcript.iter().filter(|line| line.starts_with("RCPT TO")).count(), 2);
    assert_eq!(transcript.iter().filter(|line| line.starts_with("--=-m-1-=")).count(), 3);
}

#[test]
fn lines_cannot_be_injected() {
    for wrong in [
        "",
        "ada",
        "@example.com",
        "ada@",
        "ada@example.com\r\nRCPT TO:<eve@example.com>",
        "ada@example.com\n",
        "ada\0@example.com",
        "ada@example.com>",
        "<ada@example.com>",
        "ada @example.com",
        "ada..b@example.com",
        ".ada@example.com",
        "ada@exa mple.com",
        "ada@-example.com",
        "ada@example..com",
        "\"a b\"@example.com",
        "ada@[127.0.0.1]",
        "ada,eve@example.com",
        "ädä@example.com",
        "ada@exämple.com",
        &format!("{}@example.com", "a".repeat(65)),
        &format!("a@{}.com", "a.".repeat(130)),
    ] {
        assert_eq!(MailAddress::parse(wrong), Err(MailTextError::Address), "{wrong:?}");
    }
    for wrong in
        ["a\r\nBcc: eve@example.com", "a\nb", "a\rb", "a\0b", "a\u{85}b", "a\u{2028}b", &"x".repeat(501)]
    {
        assert_eq!(MailText::parse(wrong), Err(MailTextError::Line), "{wrong:?}");
    }
    for good in ["ada@example.com", "a.b+c=d_e@sub.example.co", "o'hara@localhost", "x@xn--exmple-cua.com"] {
        assert_eq!(address(good).as_str(), good);
    }
}

#[tokio::test]
async fn settings_that_contradict_each_other_are_refused() {
    let relay = Relay {
        host: "relay.example".to_owned(),
        port: 587,
        security: Security::StartTls,
        credentials: None,
        own_name: "app.example".to_owned(),
        timeout: Duration::from_secs(1),
    };
    let refused = |relay: Relay| {
        let client = client(Policy::public(), Scripted::new(&[]));
        matches!(Mailer::new(client, relay).err(), Some(MailError::Settings(_)))
    };
    assert!(!refused(relay.clone()));
    assert!(refused(Relay { host: "a b".to_owned(), ..relay.clone() }));
    assert!(refused(Relay { host: "0x7f.1".to_owned(), ..relay.clone() }));
    assert!(refused(Relay { own_name: "app\r\nMAIL".to_owned(), ..relay.clone() }));
    let credentials = Some(Credentials { user: "u".to_owned(), password: "p".to_owned() });
    assert!(refused(Relay { security: Security::None, credentials, ..relay }));
    let shown = format!("{:?}", Credentials { user: "u".to_owned(), password: "p-secret".to_owned() });
    assert_eq!(shown, "Credentials(\"u\")");
}

#[tokio::test]
async fn mails_that_cannot_be_sent_are_refused_before_anybody_is_asked() {
    let script = Script::new(Security::None);
    for wrong in [
        Mail { to: Vec::new(), ..mail() },
        Mail { to: vec![address("a@b.c"); 51], ..mail() },
        Mail { id: "a@b>".to_owned(), ..mail() },
        Mail { id: String::new(), ..mail() },
        Mail { text: "x".repeat(1024 * 1024 + 1), ..mail() },
    ] {
        assert!(matches!(send(&script, &wrong).await, Err(MailError::Mail(_))));
    }
    assert_eq!(script.transcript(), Vec::<String>::new());
}

proptest! {
    /// For every subject, its header is lines of visible ASCII, of which all but the first begin with a space.
    #[test]
    fn subjects_stay_in_their_header(text in "\\PC{0,120}") {
        if let Ok(text) = MailText::parse(&text) {
            let header = text.to_string();
            for (at, line) in header.split("\r\n").enumerate() {
                prop_assert!(line.len() <= 76);
                prop_assert!(line.bytes().all(|byte| matches!(byte, b' '..=b'~')));
                prop_assert!(at == 0 || line.starts_with(' '));
            }
        }
    }
}
