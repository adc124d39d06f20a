//! A walk that invites, suspends, removes, demotes, moves, downgrades and rotates at random, beside a model of who is what. After
//! every step the stored memberships are those of the model, trees are trees, limits hold, and what people see and may do is what
//! their roles allow: whoever was suspended or removed a moment ago sees nothing.
//!
//! F-42, F-43: suspension and removal had no effect on sessions, and members made themselves administrators.
//!
//! `SORTKEY_ROLES_STEPS` sets the length of the walk, `SORTKEY_SEED` its seed.
#![expect(clippy::panic, reason = "a test that cannot go on says why")]

mod accounts;
mod sharing;
mod tenants;

use std::collections::BTreeMap;

use serde_json::Value as Json;
use sortkey_api::Requests as _;
use sortkey_api::operations::ScanInput;
use sortkey_core::Runtime;
use sortkey_gateway::Admission;
use sortkey_value::{AttributeValue, Item};

use crate::support::{self, Api};

/// A system, and what happened in it.
struct Stage {
    runtime: Runtime,
    api: Api,
    /// How often each kind of step succeeded, and how often it was refused.
    done: BTreeMap<&'static str, (usize, usize)>,
}

impl Stage {
    fn of(system: &str) -> Stage {
        let runtime = support::runtime(system);
        let api = Api::on(runtime.clone(), Admission::Open);
        Stage { runtime, api, done: BTreeMap::new() }
    }

    /// A call by the operator, which must succeed.
    fn operator(&self, path: &str, arguments: &Json) -> Json {
        let got = self.api.post(path, &[], arguments);
        assert!((200..300).contains(&got.status), "{path} {arguments}: {}", got.text());
        serde_json::from_slice(&got.body).unwrap_or(Json::Null)
    }

    /// A call with some headers: its answer, or the code of the problem.
    fn call(&self, path: &str, headers: &[(&str, &str)], arguments: &Json) -> Result<Json, String> {
        let got = self.api.post(path, headers, arguments);
        if (200..300).contains(&got.status) {
            return Ok(serde_json::from_slice(&got.body).unwrap_or(Json::Null));
        }
        let (status, code, field, detail) = got.problem();
        assert!(status < 500 && code != "Invalid", "{path} {arguments}: {field:?} {detail}");
        Err(code)
    }

    /// A pattern with some headers: its answer, or the code of the problem.
    fn read(&self, path: &str, headers: &[(&str, &str)]) -> Result<Json, String> {
        let got = self.api.get(path, headers);
        if (200..300).contains(&got.status) {
            return Ok(got.json());
        }
        assert!(got.status < 500, "{path}: {}", got.text());
        Err(got.problem().1)
    }

    fn count(&mut self, step: &'static str, succeeded: bool) {
        let (done, refused) = self.done.entry(step).or_default();
        *if succeeded { done } else { refused } += 1;
    }

    /// A walk on which something never happens, or is never refused, shows nothing about it.
    fn check_that_all_happened(&self, steps: &[&str]) {
        for step in steps {
            let (done, refused) = self.done.get(step).copied().unwrap_or_default();
            assert!(
                done > 0 && refused > 0,
                "{step} succeeded {done} times and was refused {refused} times: {:?}",
                self.done
            );
        }
    }

    /// All items of a table of the design.
    fn items(&self, table: &str) -> Vec<Item> {
        let name = self.runtime.design().table(table).and_then(|table| table.deployed.clone());
        let name = name.unwrap_or_else(|| panic!("no table {table}"));
        let (mut items, mut from) = (Vec::new(), None);
        loop {
            let input = ScanInput {
                table_name: name.replace("{stack}", "test").as_str().into(),
                exclusive_start_key: from,
                ..ScanInput::default()
            };
            let output = pollster::block_on(self.runtime.backend().scan(input)).expect("a scan");
            items.extend(output.items.unwrap_or_default());
            match output.last_evaluated_key {
                Some(key) => from = Some(key.into()),
                None => return items,
            }
        }
    }
}

fn text_of(json: &Json, name: &str) -> String {
    json[name].as_str().unwrap_or_else(|| panic!("no {name}: {json}")).to_owned()
}

fn attribute(item: &Item, name: &str) -> String {
    match item.get(name).map(|value| value.to_owned()) {
        Some(AttributeValue::S(text)) => text,
        Some(AttributeValue::N(number)) => number.to_string(),
        _ => String::new(),
    }
}

fn steps() -> usize {
    sortkey_testkit::number_from_environment("SORTKEY_ROLES_STEPS", 200) as usize
}
