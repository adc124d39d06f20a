//! Parsed expressions by their text.
//!
//! Programs send the same few texts over and over with other values, and a parsed tree depends on its text
//! alone. Errors are not kept: they are rare, and a hostile client could fill the cache with them.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use parking_lot::RwLock;

use crate::error::{ExpressionError, ExpressionKind, Problem};
use crate::syntax::{SyntaxCondition, SyntaxProjection, SyntaxUpdate};

/// Parsed expressions, shared by all requests. The memory it can take is bounded: a part of the cache that is
/// full starts over, which costs little where the texts are few and protects where they are not.
#[derive(Debug)]
pub struct ExpressionCache {
    conditions: TextCache<SyntaxCondition>,
    projections: TextCache<SyntaxProjection>,
    updates: TextCache<SyntaxUpdate>,
}

impl ExpressionCache {
    /// A cache that keeps about this many expressions of each sort.
    pub fn new(capacity: usize) -> ExpressionCache {
        ExpressionCache {
            conditions: TextCache::new(capacity),
            projections: TextCache::new(capacity),
            updates: TextCache::new(capacity),
        }
    }

    /// As [`crate::parse_condition`].
    pub fn condition(
        &self,
        text: &str,
        kind: ExpressionKind,
    ) -> Result<Arc<SyntaxCondition>, ExpressionError> {
        let parsed = self.conditions.get_or_read(text, SyntaxCondition::read);
        parsed.map_err(|problem| kind.error(problem))
    }

    /// As [`crate::parse_projection`].
    pub fn projection(&self, text: &str) -> Result<Arc<SyntaxProjection>, ExpressionError> {
        let parsed = self.projections.get_or_read(text, SyntaxProjection::read);
        parsed.map_err(|problem| ExpressionKind::Projection.error(problem))
    }

    /// As [`crate::parse_update`].
    pub fn update(&self, text: &str) -> Result<Arc<SyntaxUpdate>, ExpressionError> {
        let parsed = self.updates.get_or_read(text, SyntaxUpdate::read);
        parsed.map_err(|problem| ExpressionKind::Update.error(problem))
    }
}

/// Trees of one sort, in parts that are locked one by one.
#[derive(Debug)]
struct TextCache<T> {
    shards: [RwLock<HashMap<Box<str>, Arc<T>>>; SHARDS],
    hasher: RandomState,
    shard_capacity: usize,
}

const SHARDS: usize = 16;

impl<T> TextCache<T> {
    fn new(capacity: usize) -> TextCache<T> {
        TextCache {
            shards: Default::default(),
            hasher: RandomState::new(),
            shard_capacity: capacity.div_ceil(SHARDS),
        }
    }

    fn get_or_read(
        &self,
        text: &str,
        read: impl FnOnce(&str) -> Result<T, Problem>,
    ) -> Result<Arc<T>, Problem> {
        let hash = self.hasher.hash_one(text) as usize;
        let shard = &self.shards[hash % SHARDS];
        if let Some(known) = shard.read().get(text) {
            return Ok(known.clone());
        }
        let parsed = Arc::new(read(text)?);
        let mut entries = shard.write();
        if entries.len() >= self.shard_capacity {
            entries.clear();
        }
        entries.insert(text.into(), parsed.clone());
        Ok(parsed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_text_is_read_once() {
        let cache = ExpressionCache::new(100);
        let first = cache.condition("a = :b", ExpressionKind::Condition).unwrap();
        let second = cache.condition("a = :b", ExpressionKind::Filter).unwrap();
        assert!(Arc::ptr_eq(&first, &second));
        let error = cache.condition("a =", ExpressionKind::Filter).unwrap_err();
        assert_eq!(
            error.to_string(),
            "Invalid FilterExpression: Syntax error; token: \"<EOF>\", near: \"=\""
        );
    }

    #[test]
    fn the_number_of_texts_is_bounded() {
        let cache = ExpressionCache::new(32);
        for number in 0..1000 {
            cache.projection(&format!("a{number}")).unwrap();
        }
        let kept: usize = cache.projections.shards.iter().map(|shard| shard.read().len()).sum();
        assert!(kept <= 32, "{kept}");
    }
}
