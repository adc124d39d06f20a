//! What a task asks, as messages.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use sortkey_core::{Ask, AskId};

/// Writes an ask. The body of a request is what DynamoDB is sent, byte for byte.
pub(crate) fn write_ask(id: AskId, ask: &Ask, out: &mut Vec<u8>) {
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
    };
    out.extend(message.to_string().into_bytes());
}
