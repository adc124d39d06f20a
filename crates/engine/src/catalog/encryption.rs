//! The setting of encryption at rest. It is kept and shown; the bytes of a store are as the store writes them.

use sortkey_api::ApiError;
use sortkey_api::shapes::table::{SSESpecification, SseType};
use xxhash_rust::xxh3::xxh3_128;

use crate::catalog::table::Encryption;
use crate::engine::Shared;

/// The encryption that a request asks for; none means a key of the service, which is not shown.
pub(crate) fn choose(shared: &Shared, asked: &SSESpecification) -> Option<Encryption> {
    if asked.enabled != Some(true) {
        return None;
    }
    let key_arn = match asked.kms_master_key_id.as_deref() {
        Some(arn) if arn.starts_with("arn:") => match arn.split_once(":alias/") {
            Some((_, name)) => key_of_alias(shared, name),
            None => arn.to_owned(),
        },
        Some(id) => match id.strip_prefix("alias/") {
            Some(name) => key_of_alias(shared, name),
            None => key_arn(shared, id),
        },
        None => key_of_alias(shared, "aws/dynamodb"),
    };
    Some(Encryption { key_arn })
}

/// The encryption that a table changes to. AWS rejects a change to what is there.
pub(crate) fn change(
    shared: &Shared,
    current: Option<&Encryption>,
    asked: &SSESpecification,
) -> Result<Option<Encryption>, ApiError> {
    let chosen = choose(shared, asked);
    match (current, &chosen) {
        (None, None) => Err(ApiError::invalid_parameter("Table is already encrypted by default")),
        (Some(current), Some(chosen)) if current == chosen && asked.kms_master_key_id.is_some() => {
            Err(ApiError::invalid_parameter(
                "Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId parameter if you want to \
                 change Master Key",
            ))
        }
        _ => Ok(chosen),
    }
}

/// Rejects what contradicts itself.
pub(crate) fn check(asked: &SSESpecification) -> Result<(), ApiError> {
    if asked.sse_type == Some(SseType::Aes256) {
        return Err(ApiError::invalid_parameter("SSEType AES256 is not supported"));
    }
    let given =
        [("SSEType", asked.sse_type.is_some()), ("KMSMasterKeyId", asked.kms_master_key_id.is_some())];
    match given.iter().find(|(_, given)| *given && asked.enabled != Some(true)) {
        Some((name, _)) => {
            Err(ApiError::invalid_parameter(format_args!("{name} can not be specified if Enabled is false")))
        }
        None => Ok(()),
    }
}

/// AWS shows the key behind an alias. There is no key service here: an alias always gives the same made-up key.
fn key_of_alias(shared: &Shared, name: &str) -> String {
    let hash = xxh3_128(name.as_bytes());
    let id = format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        hash >> 96,
        (hash >> 80) & 0xFFFF,
        (hash >> 64) & 0xFFF,
        0x8000 | ((hash >> 48) & 0x3FFF),
        hash & 0xFFFF_FFFF_FFFF
    );
    key_arn(shared, &id)
}

fn key_arn(shared: &Shared, id: &str) -> String {
    format!("arn:aws:kms:{}:{}:key/{id}", shared.settings.region, shared.settings.account)
}
