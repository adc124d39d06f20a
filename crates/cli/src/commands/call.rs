//! `sortkey call`: one pattern or operation of a running design.

use clap::Args;
use hyper::Method;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderName};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Map, Value as Json};

use super::Run;
use crate::failure::Failure;
use crate::tls::Trust;
use crate::{designs, http};

const CALLER: HeaderName = HeaderName::from_static("sortkey-caller");

/// The characters that a name or a value in a form escapes, and those that a path escapes.
const IN_FORMS: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');
const IN_PATHS: &AsciiSet = &IN_FORMS.remove(b'/');

/// Call a pattern or an operation of a design that runs
///
/// Arguments are written as NAME=VALUE, where the design's type decides whether a value is text, a number or JSON; or all
/// together as --json. The answer is printed as JSON. Exits with an error if the call fails.
#[derive(Args, Debug)]
#[command(after_help = "Examples:
  sortkey call createLink slug=docs target=https://example.com --caller '{\"userId\":\"ada\"}'
  sortkey call newestLinks --json '{\"userId\":\"ada\"}' --endpoint http://127.0.0.1:8001")]
pub(super) struct CallCommand {
    /// The call: its own name, or MODULE.NAME; without one, lists what can be called
    name: Option<String>,

    /// Arguments, as NAME=VALUE
    #[arg(value_name = "NAME=VALUE", conflicts_with = "json")]
    arguments: Vec<String>,

    /// All arguments as one JSON object
    #[arg(long, value_name = "JSON")]
    json: Option<String>,

    /// The caller, as a JSON object: '{"userId": "ada"}'
    #[arg(long, value_name = "JSON", env = "SORTKEY_CALLER", hide_env_values = true)]
    caller: Option<String>,

    /// An API key, where the design runs with keys
    #[arg(long, value_name = "KEY", env = "SORTKEY_API_KEY", hide_env_values = true)]
    key: Option<String>,

    /// The address of the running design
    #[arg(
        long,
        default_value = "http://127.0.0.1:8000",
        value_name = "URL",
        env = "SORTKEY_ENDPOINT",
        hide_env_values = true
    )]
    endpoint: String,

    #[command(flatten)]
    trust: Trust,
}

impl Run for CallCommand {
    const NAME: &'static str = "call";

    fn run(self) -> Result<(), Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Failure::new(format_args!("cannot start: {error}")))?;
        let answer = runtime.block_on(async {
            match &self.name {
                Some(name) => self.send(name).await,
                None => self.list().await,
            }
        })?;
        let json: Option<Json> = serde_json::from_slice(&answer.body).ok();
        match (answer.status, json, &self.name) {
            (200..300, Some(json), Some(_)) => designs::say(&format!("{json:#}\n")),
            (200..300, Some(json), None) => designs::say(&directory(&json)),
            (200..300, None, _) => {}
            (status, json, name) => {
                return Err(problem(name.as_deref().unwrap_or("/api"), status, json.as_ref()));
            }
        }
        Ok(())
    }
}

impl CallCommand {
    /// Asks for a short description of everything that can be called.
    async fn list(&self) -> Result<http::Answer, Failure> {
        let headers: Vec<_> = self.credential().into_iter().collect();
        let endpoint = http::Endpoint::new(&self.endpoint, &self.trust)?;
        endpoint.send(Method::GET, "/api", &headers, String::new()).await
    }

    fn credential(&self) -> Option<(HeaderName, String)> {
        self.key.as_ref().map(|key| (AUTHORIZATION, format!("Bearer {key}")))
    }

    async fn send(&self, name: &str) -> Result<http::Answer, Failure> {
        let path = format!("/api/{}", utf8_percent_encode(&name.replace('.', "/"), IN_PATHS));
        let mut headers = Vec::new();
        if let Some(caller) = &self.caller {
            let _: Map<String, Json> = serde_json::from_str(caller).map_err(|error| {
                Failure::new(format_args!("--caller {caller:?} is not a JSON object: {error}"))
                    .hint(r#"write it like '{"userId": "usr_1"}'"#)
            })?;
            headers.push((CALLER, caller.clone()));
        }
        headers.extend(self.credential());
        let (content_type, body) = match &self.json {
            Some(json) => ("application/json", json.clone()),
            None => ("application/x-www-form-urlencoded", self.form()?),
        };
        headers.push((CONTENT_TYPE, content_type.to_owned()));
        let endpoint = http::Endpoint::new(&self.endpoint, &self.trust)?;
        endpoint.send(Method::POST, &path, &headers, body).await
    }

    /// The arguments as a form; the server reads each by its type.
    fn form(&self) -> Result<String, Failure> {
        let pairs = self.arguments.iter().map(|argument| {
            let (name, value) = argument.split_once('=').ok_or_else(|| {
                Failure::new(format_args!("{argument:?} has no `=`")).hint("write arguments as NAME=VALUE")
            })?;
            Ok(format!("{}={}", encoded(name), encoded(value)))
        });
        Ok(pairs.collect::<Result<Vec<String>, Failure>>()?.join("&"))
    }
}

/// The calls of a running design and their parameters, one call per line: `createLink slug target [expiresAt]`.
fn directory(json: &Json) -> String {
    let mut text = String::new();
    for call in json["endpoints"].as_array().into_iter().flatten() {
        let mut line = call["name"].as_str().unwrap_or_default().to_owned();
        for parameter in call["parameters"].as_array().into_iter().flatten().filter_map(Json::as_str) {
            match parameter.strip_suffix('?') {
                Some(optional) => line += &format!(" [{optional}]"),
                None => line += &format!(" {parameter}"),
            }
        }
        if call["system"] == true {
            line += "    (system)";
        }
        text += &(line + "\n");
    }
    text
}

/// A failed call in a sentence, with the field that is to blame.
fn problem(name: &str, status: u16, problem: Option<&Json>) -> Failure {
    let text = |member: &str| problem.and_then(|problem| problem[member].as_str());
    let (Some(code), Some(detail)) = (text("code"), text("detail")) else {
        return Failure::new(format_args!("{name}: HTTP status {status}"));
    };
    // The answer names the header, which this command writes by an option.
    if let Some((who, example)) = detail.split_once(" Send the header Sortkey-Caller: ") {
        return Failure::new(format_args!("{code}: {who}"))
            .hint(format_args!("say it with --caller '{example}', or export SORTKEY_CALLER='{example}'"));
    }
    match text("field").filter(|field| !detail.contains(*field)) {
        Some(field) => Failure::new(format_args!("{code} ({field}): {detail}")),
        None => Failure::new(format_args!("{code}: {detail}")),
    }
}

/// A name or a value as a form carries it.
fn encoded(text: &str) -> String {
    utf8_percent_encode(text, IN_FORMS).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_encoded() {
        for (text, expected) in [
            ("a@x.com", "a%40x.com"),
            ("two words & more", "two%20words%20%26%20more"),
            ("ü", "%C3%BC"),
            ("a/b-c_d.e~f", "a%2Fb-c_d.e~f"),
        ] {
            assert_eq!(encoded(text), expected);
        }
    }
}
