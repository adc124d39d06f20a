//! Mistakes that the engine once made. Each test begins with the story.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed unwrap is a failed test")]

mod backfill;
mod delay;
mod expiry;
mod index_keys;
mod pages;
mod scalar_keys;
mod streams;
#[path = "../support/mod.rs"]
mod support;
