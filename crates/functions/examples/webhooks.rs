//! Signs and verifies webhooks for tests in other languages: one JSON object per line in, one per line out.
//!
//! - `{"do": "sign", "id": …, "now": SECONDS, "body": BASE64, "secrets": […]}` answers `{"headers": {…}}`.
//! - `{"do": "verify", "scheme": "stripe|github|shopify|standard", "headers": {…}, "now": SECONDS, "body": BASE64, "secrets": […]}` answers
//!   `{"verified": true, "deliveryId": …}` or `{"verified": false, "error": …}`.
//!
//! Anything else answers `{"error": …}`.

use std::io::{BufRead as _, Write as _};

use serde_json::{Value, json};
use sortkey_functions::Headers;
use sortkey_functions::encoding::Encoding;
use sortkey_functions::signature::{Incoming, OutgoingSecret, Scheme, Verifier, sign_outgoing};

fn main() -> std::io::Result<()> {
    let mut output = std::io::stdout().lock();
    for line in std::io::stdin().lock().lines() {
        let answer = answer(&line?).unwrap_or_else(|error| json!({ "error": error }));
        writeln!(output, "{answer}")?;
        output.flush()?;
    }
    Ok(())
}

fn answer(line: &str) -> Result<Value, String> {
    let request: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let text = |name: &str| request[name].as_str().ok_or(format!("`{name}` is not a text"));
    let now_seconds = request["now"].as_i64().ok_or("`now` is not a number")?;
    let body = Encoding::Base64.decode(text("body")?).ok_or("`body` is not base64")?;
    let secrets = request["secrets"].as_array().ok_or("`secrets` is not a list")?;
    let secrets: Vec<&str> = secrets.iter().filter_map(Value::as_str).collect();
    match text("do")? {
        "sign" => {
            let secrets: Result<Vec<_>, _> =
                secrets.iter().map(|secret| OutgoingSecret::parse(secret)).collect();
            let secrets = secrets.map_err(|error| error.to_string())?;
            let signed = sign_outgoing(text("id")?, now_seconds, &body, &secrets);
            let signed = signed.map_err(|error| error.to_string())?;
            Ok(json!({"headers": {
                "webhook-id": signed.id, "webhook-timestamp": signed.timestamp, "webhook-signature": signed.signature,
            }}))
        }
        "verify" => {
            let scheme = match text("scheme")? {
                "stripe" => Scheme::Stripe,
                "github" => Scheme::github(),
                "shopify" => Scheme::shopify(),
                "standard" => Scheme::StandardWebhooks,
                other => return Err(format!("there is no scheme `{other}`")),
            };
            let headers = request["headers"].as_object().ok_or("`headers` is not an object")?;
            let headers: Vec<(&str, &str)> =
                headers.iter().filter_map(|(name, value)| Some((name.as_str(), value.as_str()?))).collect();
            let incoming = Incoming { headers: Headers::new(&headers), body: &body, now_seconds };
            let verifier = Verifier::new(&scheme, &secrets).map_err(|error| error.to_string())?;
            let id = scheme.delivery_id(&incoming).map(|found| found.id);
            Ok(match verifier.verify(&incoming) {
                Ok(()) => json!({"verified": true, "deliveryId": id}),
                Err(error) => json!({"verified": false, "error": error.to_string()}),
            })
        }
        other => Err(format!("`{other}` is neither `sign` nor `verify`")),
    }
}
