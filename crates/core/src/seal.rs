//! Encrypted attributes: envelope encryption with AES-256-GCM.
//!
//! Byte by byte: the version, the length of the wrapped data key (two bytes, big-endian), the wrapped data key, a nonce of
//! twelve bytes, the ciphertext with its tag. The alias, the entity, the attribute and (since version 2) the item's key are
//! authenticated with it, so that a value cannot be moved to another tenant, attribute or item. Values of version 1 stay
//! readable. A data key is made once per alias and process.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use aes_gcm::aead::{Aead, Payload};
use aes_gcm::{Aes256Gcm, KeyInit, Nonce};
use parking_lot::Mutex;
use serde_json::Value as Json;
use sortkey_design::program::{AliasPiece, Attribute};
use sortkey_value::{AttributeValue, Map};

use crate::ask::{Ask, Told};
use crate::catalog::EntityInfo;
use crate::evaluate::Scope;
use crate::interpret::unreadable;
use crate::keyring::KeyError;
use crate::values::{Fields, Val, from_json, to_json};
use crate::{Failure, FailureKind};

/// Bound to the alias, the entity and the attribute.
const UNBOUND: u8 = 1;
/// Bound to the item's key as well.
const VERSION: u8 = 2;

/// A data key, plain and wrapped.
type Key = ([u8; 32], Vec<u8>);

/// The data keys in use.
#[derive(Default)]
pub(crate) struct Seals {
    keys: Mutex<HashMap<String, Key>>,
}

impl Seals {
    /// The stored form of a value of an encrypted attribute.
    pub(crate) fn seal(
        &self,
        scope: &Scope<'_>,
        place: &Place<'_>,
        value: &Val,
        fields: &Fields,
    ) -> Result<Val, Failure> {
        self.seal_as(VERSION, scope, place, value, fields)
    }

    fn seal_as(
        &self,
        version: u8,
        scope: &Scope<'_>,
        place: &Place<'_>,
        value: &Val,
        fields: &Fields,
    ) -> Result<Val, Failure> {
        let alias = place.alias(fields)?;
        let (plain, wrapped) = self.data_key(scope, &alias).map_err(unavailable)?;
        let text = to_json(&scope.shared.program, &place.attribute.ty, value).to_string();
        let nonce: [u8; 12] = scope.ids.bytes();
        let payload = Payload { msg: text.as_bytes(), aad: &place.context(version, &alias) };
        let sealed = Aes256Gcm::new(&plain.into())
            .encrypt(Nonce::from_slice(&nonce), payload)
            .map_err(|_| Failure::internal("a value cannot be encrypted"))?;
        let length =
            u16::try_from(wrapped.len()).map_err(|_| Failure::internal("a wrapped key is too long"))?;
        let mut bytes = vec![version];
        bytes.extend(length.to_be_bytes());
        bytes.extend(wrapped);
        bytes.extend(nonce);
        bytes.extend(sealed);
        Ok(Val::Sealed(bytes))
    }

    /// The value in a stored form.
    pub(crate) fn open(
        &self,
        scope: &Scope<'_>,
        place: &Place<'_>,
        sealed: &[u8],
        fields: &Fields,
    ) -> Result<Val, Failure> {
        let foreign = || place.unreadable("it was changed, or belongs to another item or keyring");
        let alias = place.alias(fields)?;
        let (version, wrapped, nonce, sealed) = parts(sealed).ok_or_else(foreign)?;
        let plain = self.plain_key(scope, &alias, wrapped).map_err(|error| place.unreadable(&error.0))?;
        let payload = Payload { msg: sealed, aad: &place.context(version, &alias) };
        let text = Aes256Gcm::new(&plain.into())
            .decrypt(Nonce::from_slice(nonce), payload)
            .map_err(|_| foreign())?;
        let json: Json = serde_json::from_slice(&text).map_err(|_| foreign())?;
        from_json(json).ok_or_else(foreign)
    }

    /// The data key that values of an alias are sealed with.
    fn data_key(&self, scope: &Scope<'_>, alias: &str) -> Result<Key, KeyError> {
        if let Some(key) = self.keys.lock().get(alias) {
            return Ok(key.clone());
        }
        let made = match scope.outbox {
            None => scope.shared.settings.keyring.new_data_key(alias),
            Some(outbox) => match outbox.known(Ask::NewDataKey { alias: alias.to_owned() }) {
                Some(Told::DataKey(key)) => key,
                other => Err(awaited(other)),
            },
        }?;
        let key = (made.plain, made.wrapped);
        self.keys.lock().insert(alias.to_owned(), key.clone());
        Ok(key)
    }

    /// The plain form of the data key beside a value.
    fn plain_key(&self, scope: &Scope<'_>, alias: &str, wrapped: &[u8]) -> Result<[u8; 32], KeyError> {
        let Some(outbox) = scope.outbox else {
            return scope.shared.settings.keyring.unwrap(alias, wrapped);
        };
        if let Some((plain, own)) = self.keys.lock().get(alias)
            && own == wrapped
        {
            return Ok(*plain);
        }
        match outbox.known(Ask::OpenDataKey { alias: alias.to_owned(), wrapped: wrapped.to_vec() }) {
            Some(Told::PlainKey(key)) => key,
            other => Err(awaited(other)),
        }
    }
}

/// A key that the host has not answered yet, or answered with something else.
fn awaited(told: Option<Told>) -> KeyError {
    let what = match told {
        None => "a key is awaited",
        Some(_) => "a key was asked for, and something else answered",
    };
    KeyError(what.to_owned())
}

/// An attribute of an item.
#[derive(Clone)]
pub(crate) struct Place<'a> {
    info: &'a EntityInfo,
    attribute: &'a Attribute,
    key: Map,
}

impl<'a> Place<'a> {
    /// The place of an attribute in an item, whose key its attributes make.
    pub(crate) fn of(
        scope: &Scope<'_>,
        info: &'a EntityInfo,
        attribute: &'a Attribute,
        fields: &Fields,
    ) -> Result<Place<'a>, Failure> {
        let key = crate::read::key_of(scope, info, fields).ok_or_else(|| {
            let (name, entity) = (&attribute.name, &info.name);
            Failure::internal(format!("`{name}` is encrypted, and the key of its {entity} is not in hand"))
        })?;
        Ok(Place { info, attribute, key })
    }

    /// `alias/k-{accountId}` with the item's own account.
    fn alias(&self, fields: &Fields) -> Result<String, Failure> {
        let mut alias = String::new();
        for piece in self.attribute.encrypted.iter().flatten() {
            match piece {
                AliasPiece::Literal(text) => alias.push_str(text),
                AliasPiece::Slot(id) => {
                    let name = self.info.name_of(*id);
                    let value = fields.get(name).and_then(|value| crate::template::canonical(None, value));
                    alias.push_str(&value.ok_or_else(|| {
                        let own = &self.attribute.name;
                        Failure::internal(format!("the key of `{own}` needs `{name}` in hand"))
                    })?);
                }
            }
        }
        Ok(alias)
    }

    fn context(&self, version: u8, alias: &str) -> Vec<u8> {
        let mut context = format!("{alias}\0{}\0{}", self.info.name, self.attribute.name).into_bytes();
        if version != UNBOUND {
            for name in self.info.parts() {
                let (kind, bytes) = match self.key.get(&**name) {
                    Some(AttributeValue::S(text)) => (b'S', text.clone().into_bytes()),
                    Some(AttributeValue::N(number)) => (b'N', number.to_string().into_bytes()),
                    Some(AttributeValue::B(bytes)) => (b'B', bytes.clone()),
                    _ => (b'-', Vec::new()),
                };
                context.extend([0, kind]);
                context.extend((bytes.len() as u64).to_be_bytes());
                context.extend(bytes);
            }
        }
        context
    }

    fn unreadable(&self, why: &str) -> Failure {
        let name = &self.attribute.name;
        unreadable(self.info, &self.key.clone().into(), &format!("`{name}` does not decrypt: {why}"))
            .at(&**name)
    }
}

/// A stored form: its version, the wrapped data key, the nonce, the ciphertext.
type Parts<'a> = (u8, &'a [u8], &'a [u8], &'a [u8]);

fn parts(sealed: &[u8]) -> Option<Parts<'_>> {
    let (version, rest) = sealed.split_first()?;
    let (length, rest) = rest.split_at_checked(2)?;
    let length = usize::from(u16::from_be_bytes(length.try_into().ok()?));
    let (wrapped, rest) = rest.split_at_checked(length)?;
    let (nonce, sealed) = rest.split_at_checked(12)?;
    matches!(*version, UNBOUND | VERSION).then_some((*version, wrapped, nonce, sealed))
}

fn unavailable(error: KeyError) -> Failure {
    Failure::new(FailureKind::Unavailable, error.to_string())
}
