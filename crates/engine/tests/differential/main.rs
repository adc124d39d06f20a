//! The engine against a naive model: random requests, the same answers.
//!
//! A run is a seed: tables of random shape are created, written, read and dropped, and every answer is compared
//! with the model's. `SORTKEY_SEED` replays one run, `SORTKEY_REQUESTS` sets how long it is:
//!
//! ```text
//! SORTKEY_SEED=7 SORTKEY_REQUESTS=1000000 cargo test -p sortkey-engine --test differential typed
//! ```

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed unwrap is a failed test")]

mod model;
mod phrases;
mod place;
mod session;
mod shape;
mod steps;
mod subject;
#[path = "../support/mod.rs"]
mod support;
mod values;

use place::Place;
use session::Session;
use subject::Form;
use values::Weight;

fn setting(name: &str) -> Option<u64> {
    std::env::var(name).ok().map(|text| text.parse().expect("a number"))
}

/// Runs the given seeds, or the one that was asked for.
fn run(seeds: std::ops::Range<u64>, requests: usize, form: Form, weight: Weight, place: fn() -> Place) {
    let seeds = setting("SORTKEY_SEED").map_or(seeds, |seed| seed..seed + 1);
    let requests = setting("SORTKEY_REQUESTS").map_or(requests, |requests| requests as usize);
    for seed in seeds {
        Session::new(seed, form, weight, place()).run(requests);
    }
}

#[test]
fn typed_requests() {
    run(0..8, 15_000, Form::Typed, Weight::Light, || Place::Memory);
}

#[test]
fn json_requests() {
    run(100..104, 10_000, Form::Json, Weight::Light, || Place::Memory);
}

#[test]
fn requests_for_heavy_items() {
    run(200..202, 1_000, Form::Typed, Weight::Heavy, || Place::Memory);
}

#[test]
fn requests_to_a_directory() {
    run(300..302, 8_000, Form::Typed, Weight::Light, Place::directory);
}
