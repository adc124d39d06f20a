//! Every parameter of every control-plane operation, with values that keep and that break the rules of the service
//! model: each request is accepted, or refused by an error that AWS documents for it. None is a fault of the server, and no
//! member is silently ignored, since a value of the wrong type is noticed in each.
//!
//! A request that keeps the rules may be refused all the same: its table is not there, or members exclude each other. The files in
//! `refused/` list these with their messages, so that no valid request is refused unnoticed; `SORTKEY_BLESS=1` writes them anew.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed unwrap is a failed test")]

mod exclusions;
mod model;
mod refused;
mod samples;
#[path = "../support/mod.rs"]
mod support;
mod variants;

use std::collections::BTreeSet;

use model::Model;
use refused::Refused;
use samples::Prepared;
use variants::Expected;

/// Places at which the service is documented to differ from its model, with the reason.
const EXCEPTIONS: &[(&str, &str, &str)] = &[];

#[test]
fn every_sample_is_accepted() {
    for operation in Model::read().operations.keys() {
        let prepared = Prepared::new();
        let answer = prepared.database.call(operation, &prepared.sample(operation));
        assert!(answer.is_ok(), "{operation}: {answer:?}");
    }
}

// F-87: the control plane accepted what AWS rejects. F-90: members of the model were ignored.
#[test]
fn every_parameter_is_accepted_or_rejected_as_the_model_says() {
    let model = Model::read();
    let mut wrong = Vec::new();
    let mut unused: BTreeSet<_> = EXCEPTIONS.iter().collect();
    let mut tried = 0;
    let mut refused = Refused::default();
    for (operation, (input, declared)) in &model.operations {
        let mut prepared = Prepared::new();
        let sample = prepared.sample(operation);
        for mut variant in variants::of(&model, input, &sample) {
            tried += 1;
            samples::make_room(operation, &mut variant.request);
            samples::pay_for_throughput(&mut variant.request);
            samples::sort_for_local_indexes(&mut variant.request);
            let answer = prepared.database.call(operation, &variant.request);
            let outcome = answer.as_ref().err().map(|error| error.kind);
            if answer.is_ok() {
                // It may have changed what the others need.
                prepared = Prepared::new();
            }
            if variant.expected == Expected::Any {
                refused.note(&format!("{operation} {}", variant.what), &answer);
            }
            let exception = EXCEPTIONS.iter().find(|(on, what, _)| on == operation && variant.what == *what);
            if let Some(exception) = exception {
                unused.remove(exception);
            } else if !variant.expected.is_met(outcome, declared) {
                let answer = answer.map_or_else(|error| error.to_string(), |_| "accepted".to_owned());
                wrong
                    .push(format!("{operation} {}: expected {:?}, {answer}", variant.what, variant.expected));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {tried}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(unused.is_empty(), "not an exception: {unused:?}");
    refused.compare("members");
    assert!(tried > 1_000, "only {tried} requests were tried");
}
