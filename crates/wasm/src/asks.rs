//! Asks of a task, as messages.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value as Json, json};
use sortkey_core::{Ask, AskId, Deed, Outgoing};

/// Writes an ask. The body of a request is what DynamoDB is sent, byte for byte.
pub fn write_ask(id: AskId, ask: &Ask, out: &mut Vec<u8>) {
    let AskId(id) = id;
    let message = match ask {
        Ask::Send(request) => {
            let name = request.operation().name();
            out.extend(format!("{{\"id\":{id},\"send\":\"{name}\",\"body\":").into_bytes());
            request.encode(out);
            out.push(b'}');
            return;
        }
        Ask::Pause(length) => json!({ "id": id, "pauseMs": length.as_millis() as u64 }),
        Ask::NewDataKey { alias } => json!({ "id": id, "newDataKey": { "alias": alias } }),
        Ask::OpenDataKey { alias, wrapped } => {
            json!({ "id": id, "openDataKey": { "alias": alias, "wrapped": STANDARD.encode(wrapped) } })
        }
        Ask::Hash { password, cost, salt } => json!({
            "id": id,
            "hash": { "password": STANDARD.encode(password), "cost": cost, "salt": STANDARD.encode(salt) },
        }),
        Ask::Perform(effect) => json!({ "id": id, "perform": performing(effect) }),
        Ask::Compute(computation) => json!({
            "id": id,
            "compute": {
                "function": computation.function.word(),
                "arguments": computation.arguments,
                "now": computation.now_ms,
                "random": computation.random.to_string(),
            },
        }),
    };
    out.extend(message.to_string().into_bytes());
}

/// An effect: what is to be done, and for how long at most.
fn performing(effect: &Outgoing) -> Json {
    let mut message = match &effect.deed {
        Deed::Http { method, url, headers, body } => {
            json!({ "http": { "method": method, "url": url, "headers": headers, "body": STANDARD.encode(body) } })
        }
        Deed::Mail { to, from, subject, text, html } => {
            json!({ "mail": { "to": to, "from": from, "subject": subject, "text": text, "html": html } })
        }
        Deed::Jwt { token, issuer, audience, keys, now_ms } => json!({
            "jwt": { "token": token, "issuer": issuer, "audience": audience, "keys": keys, "nowMs": now_ms },
            "extern": effect.arguments,
        }),
        Deed::Live { channel } => json!({ "live": { "channel": channel }, "extern": effect.arguments }),
        Deed::Extern => json!({ "extern": effect.arguments }),
        Deed::Streamed { channel } => json!({ "extern": effect.arguments, "channel": channel }),
    };
    message["name"] = effect.name.as_str().into();
    message["timeoutMs"] = effect.timeout_ms.into();
    message
}
