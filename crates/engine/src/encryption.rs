//! The setting of encryption at rest. It is kept and shown; the bytes of a store are as the store writes them.

use sortkey_api::shapes::table::SSESpecification;

use crate::engine::Shared;
use crate::table::Encryption;

/// The encryption that a request asks for; none means a key of the service, which is not shown.
pub(crate) fn choose(shared: &Shared, asked: &SSESpecification) -> Option<Encryption> {
    if asked.enabled != Some(true) {
        return None;
    }
    let key_arn = match &asked.kms_master_key_id {
        Some(arn) if arn.starts_with("arn:") => arn.clone(),
        Some(name) if name.starts_with("alias/") => key_arn(shared, name),
        Some(id) => key_arn(shared, &format!("key/{id}")),
        None => key_arn(shared, "alias/aws/dynamodb"),
    };
    Some(Encryption { key_arn })
}

fn key_arn(shared: &Shared, resource: &str) -> String {
    format!("arn:aws:kms:{}:{}:{resource}", shared.settings.region, shared.settings.account)
}
