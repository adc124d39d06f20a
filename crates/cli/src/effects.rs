//! Effects of a design: HTTP and mail through a client that reaches no internal address, tokens of issuers, events, and calls of
//! the application.

mod parts;

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use clap::Args;
use serde_json::{Map, Value as Json};
use sortkey_core::{Deed, Effects, Failure as CoreFailure, FailureKind, Outgoing, Performed, Performing};
use sortkey_gateway::Live;
use sortkey_issuer::{Error as IssuerError, Expected, Issuers};
use sortkey_outbound::mail::{Mail, MailAddress, MailText, Mailer, Relay, Security};
use sortkey_outbound::{Client, Method, Policy, Request};

use self::parts::Parts;
use crate::failure::Failure;

/// The longest answer of the application.
const MAX_RESULT_BYTES: usize = 4 * 1024 * 1024;

/// The networks where the operator's own programs may run.
const OWN_NETWORKS: [&str; 6] =
    ["127.0.0.0/8", "::1/128", "10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "fc00::/7"];

/// How effects of a design reach the world.
#[derive(Args, Debug, Default)]
pub(crate) struct Outside {
    /// Let effects reach private addresses, for development: 127.0.0.0/8; may be given several times
    #[arg(long, value_name = "CIDR")]
    allow_private: Vec<String>,

    /// Carry out an extern effect by a POST of its arguments to a URL; may be given several times
    #[arg(long = "extern", value_name = "NAME=URL", value_parser = assignment)]
    externs: Vec<(String, String)>,

    /// Hand mails to the relay at HOST:PORT: with TLS on port 465, with STARTTLS on others, without on this machine
    #[arg(long, value_name = "HOST:PORT", requires = "mail_from")]
    mail_relay: Option<String>,

    /// The sender of mails that name none
    #[arg(long, value_name = "ADDRESS")]
    mail_from: Option<String>,
}

fn assignment(text: &str) -> Result<(String, String), String> {
    let (name, url) = text.split_once('=').ok_or("write NAME=URL")?;
    Ok((name.trim().to_owned(), url.to_owned()))
}

/// Carries out effects.
struct World {
    client: Client,
    /// The operator's own addresses may be anywhere.
    trusted: Client,
    externs: BTreeMap<String, String>,
    mailer: Option<Mailer>,
    mail_from: Option<String>,
    issuers: Issuers,
    live: Arc<Live>,
}

impl Outside {
    /// Opens the clients that carry out effects. Events go to those who follow `live`.
    pub(crate) fn open(&self, live: &Arc<Live>) -> Result<Arc<dyn Effects>, Failure> {
        let ranges: Vec<&str> = self.allow_private.iter().map(String::as_str).collect();
        let policy = Policy::public().allow_private(&ranges).map_err(Failure::new)?;
        let client = Client::new(policy).map_err(Failure::new)?;
        let own = Policy::public().allow_private(&OWN_NETWORKS).map_err(Failure::new)?;
        let trusted = Client::new(own).map_err(Failure::new)?;
        let mailer = self.mail_relay.as_deref().map(|relay| mailer(relay, &trusted)).transpose()?;
        let externs = self.externs.iter().cloned().collect();
        Ok(Arc::new(World {
            issuers: Issuers::new(client.clone()),
            live: Arc::clone(live),
            client,
            trusted,
            externs,
            mailer,
            mail_from: self.mail_from.clone(),
        }))
    }
}

fn mailer(relay: &str, client: &Client) -> Result<Mailer, Failure> {
    let bad = || {
        Failure::new(format_args!("--mail-relay \"{relay}\": write HOST:PORT, such as mail.example.com:587"))
    };
    let (host, port) = relay.rsplit_once(':').ok_or_else(bad)?;
    let port: u16 = port.parse().map_err(|_| bad())?;
    let security = match (port, host) {
        (_, "localhost" | "127.0.0.1" | "[::1]") => Security::None,
        (465, _) => Security::Implicit,
        _ => Security::StartTls,
    };
    let relay = Relay {
        host: host.to_owned(),
        port,
        security,
        credentials: None,
        own_name: "sortkey.localhost".to_owned(),
        timeout: Duration::from_secs(30),
    };
    Mailer::new(client.clone(), relay).map_err(Failure::new)
}

impl Effects for World {
    fn reads_arguments(&self) -> bool {
        false
    }

    fn perform(&self, effect: Outgoing) -> Performing<'_> {
        Box::pin(async move {
            let timeout = Duration::from_millis(effect.timeout_ms);
            match effect.deed {
                Deed::Http { method, url, headers, body } => {
                    let method = Method::from_bytes(method.as_bytes()).unwrap_or(Method::POST);
                    let request = Request { method, url, headers, body: body.into(), timeout };
                    Ok(self.http(request).await)
                }
                Deed::Mail { to, from, subject, text, html } => {
                    let begin = Instant::now();
                    let error = self.mail(to, from, subject, text, html, timeout).await.err();
                    Ok(Performed::Mail { latency_ms: ms(begin.elapsed()), error })
                }
                Deed::Jwt { token, issuer, audience, keys, now_ms } => {
                    let (keys, now_s) = (keys.as_deref(), now_ms.div_euclid(1_000));
                    let expected = Expected { issuer: &issuer, audience: &audience, keys, now_s };
                    self.claims(&expected, &token).await
                }
                Deed::Live { channel } => {
                    self.live.publish(&channel, None, &effect.arguments);
                    Ok(Performed::Result(Json::Object(Map::new())))
                }
                Deed::Extern => self.application(&effect.name, &effect.arguments, timeout, None).await,
                Deed::Streamed { channel } => {
                    self.streamed(&channel, &effect.name, &effect.arguments, timeout).await
                }
            }
        })
    }
}

impl World {
    async fn http(&self, request: Request) -> Performed {
        let begin = Instant::now();
        match self.client.send(request).await {
            Ok(response) => Performed::Http {
                status: response.status,
                headers: response.headers,
                body: response.body,
                latency_ms: ms(response.latency),
                error: None,
            },
            Err(error) => Performed::Http {
                status: 0,
                headers: Vec::new(),
                body: Vec::new(),
                latency_ms: ms(begin.elapsed()),
                error: Some(error.to_string()),
            },
        }
    }

    async fn mail(
        &self,
        to: String,
        from: Option<String>,
        subject: String,
        text: String,
        html: Option<String>,
        timeout: Duration,
    ) -> Result<(), String> {
        let mailer = self.mailer.as_ref().ok_or("no mail relay is set: start with --mail-relay HOST:PORT")?;
        let from = from
            .or_else(|| self.mail_from.clone())
            .ok_or("the mail names no sender, and there is no --mail-from")?;
        let address = |text: &str| MailAddress::parse(text).map_err(|error| error.to_string());
        let line = |text: &str| MailText::parse(text).map_err(|error| error.to_string());
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(0, |since| since.as_secs());
        let id: [u8; 16] = sortkey_embedded::random().map_err(|error| error.to_string())?;
        let mail = Mail {
            from: (line("")?, address(&from)?),
            to: vec![address(&to)?],
            reply_to: None,
            subject: line(&subject)?,
            text,
            html,
            id: id.iter().map(|byte| format!("{byte:02x}")).collect(),
        };
        let mailer = mailer.clone().with_timeout(timeout);
        mailer.send(&mail, i64::try_from(now).unwrap_or(i64::MAX)).await.map_err(|error| error.to_string())
    }

    /// The claims of a token about its owner.
    async fn claims(&self, expected: &Expected<'_>, token: &str) -> Result<Performed, CoreFailure> {
        self.issuers.verify(expected, token).await.map(Performed::Claims).map_err(|error| {
            let kind = match error {
                IssuerError::Refused(_) => FailureKind::Unauthenticated,
                IssuerError::Unavailable { .. } => FailureKind::Unavailable,
            };
            CoreFailure::new(kind, error.to_string())
        })
    }

    /// An effect of the application whose parts go to a channel, between an event that it began and one that it ended.
    async fn streamed(
        &self,
        channel: &str,
        name: &str,
        arguments: &Json,
        timeout: Duration,
    ) -> Result<Performed, CoreFailure> {
        let nothing = Json::Object(Map::new());
        self.live.publish(channel, Some("start"), &nothing);
        let outcome = self.application(name, arguments, timeout, Some(channel)).await;
        let end = if outcome.is_ok() { "done" } else { "failed" };
        self.live.publish(channel, Some(end), &nothing);
        outcome
    }

    /// The application's own effects: arguments in, result out, both JSON. An answer of events has the result in the event
    /// `result`; all others are parts of it.
    async fn application(
        &self,
        name: &str,
        arguments: &Json,
        timeout: Duration,
        channel: Option<&str>,
    ) -> Result<Performed, CoreFailure> {
        let unavailable =
            |why: String| CoreFailure::new(FailureKind::Unavailable, format!("the effect `{name}`: {why}"));
        let url =
            self.externs.get(name).ok_or_else(|| unavailable(format!("start with --extern {name}=URL")))?;
        let request = Request {
            method: Method::POST,
            url: url.clone(),
            headers: vec![("content-type".to_owned(), "application/json".to_owned())],
            body: arguments.to_string().into_bytes().into(),
            timeout,
        };
        let mut parts = Parts::new(|part| {
            if let Some(channel) = channel {
                self.live.publish(channel, None, &part);
            }
        });
        let response = self.trusted.stream(request, MAX_RESULT_BYTES, &mut |bytes| parts.take(bytes)).await;
        let response = response.map_err(|error| unavailable(error.to_string()))?;
        if !(200..300).contains(&response.status) {
            return Err(unavailable(format!("the application answered {}", response.status)));
        }
        if response.is_truncated {
            return Err(unavailable(format!("the answer has more than {MAX_RESULT_BYTES} bytes")));
        }
        parts.result().map(Performed::Result).map_err(unavailable)
    }
}

fn ms(length: Duration) -> u64 {
    u64::try_from(length.as_millis()).unwrap_or(u64::MAX)
}
