//! T3nets: administrators appoint, demote and remove people of their tenant; each caller has the role in the tenant's item at that moment,
//! as the session of the dashboard reads it.

use std::collections::BTreeMap;

use serde_json::{Value as Json, json};
use sortkey_testkit::Random;

use super::{Stage, attribute, steps};

const TENANTS: [&str; 2] = ["acme", "outlocks"];
const PEOPLE: [&str; 4] = ["ada", "bob", "cleo", "dan"];

struct Walk {
    stage: Stage,
    random: Random,
    /// The role of each person of a tenant.
    roles: BTreeMap<(usize, usize), &'static str>,
}

#[test]
fn t3nets_keeps_roles_while_people_come_and_go() {
    let stage = Stage::of("t3nets");
    let mut walk = Walk { stage, random: Random::from_environment(), roles: BTreeMap::new() };
    for (tenant, name) in TENANTS.iter().enumerate() {
        let settings = json!({
            "ai_provider": "bedrock", "ai_model": "m", "system_prompt_override": "", "max_tokens_per_message": 4096,
            "enabled_channels": ["dashboard"], "enabled_skills": [], "custom_skills": [], "messages_per_day": 1000,
            "max_conversation_history": 20,
        });
        let made = json!({ "tenant_id": name, "name": name, "status": "active", "settings": settings });
        walk.stage.operator("/api/tenants/create", &made);
        let first = json!({ "tenant_id": name, "user_id": "ada", "email": format!("ada@{name}.example"), "display_name": "Ada" });
        walk.stage.operator("/api/tenants/addAdmin", &first);
        walk.roles.insert((tenant, 0), "admin");
    }
    for step in 0..steps() {
        walk.step();
        walk.compare(step);
    }
    walk.stage.check_that_all_happened(&["create", "set role", "remove", "list", "change"]);
}

impl Walk {
    fn call(&self, (tenant, person): (usize, usize), path: &str, arguments: &Json) -> Result<Json, String> {
        let Some(role) = self.roles.get(&(tenant, person)) else { return Err("nobody".to_owned()) };
        let caller =
            json!({ "tenant_id": TENANTS[tenant], "user_id": PEOPLE[person], "role": role }).to_string();
        self.stage.call(path, &[("sortkey-caller", &caller)], arguments)
    }

    fn step(&mut self) {
        let (tenant, person, other) = (self.random.below(2), self.random.below(4), self.random.below(4));
        let (is_admin, is_there) =
            (self.roles.get(&(tenant, person)) == Some(&"admin"), self.roles.contains_key(&(tenant, other)));
        let role = *self.random.pick(&["admin", "member"]);
        let who = json!({ "user_id": PEOPLE[other] });
        let with = |more: Json| {
            let mut who = who.clone();
            for (name, value) in more.as_object().into_iter().flatten() {
                who[name] = value.clone();
            }
            who
        };
        let from = (tenant, person);
        match self.random.below(5) {
            0 | 1 => {
                let made = with(
                    json!({ "tenant_id": TENANTS[tenant], "email": format!("{}@{}.example", PEOPLE[other], TENANTS[tenant]), "display_name": "N", "role": role, "channel_identities": {} }),
                );
                let answer = self.call(from, "/api/users/create", &made);
                assert_eq!(answer.is_ok(), is_admin && !is_there, "create: {answer:?}");
                self.stage.count("create", answer.is_ok());
                if answer.is_ok() {
                    self.roles.insert((tenant, other), role);
                }
            }
            2 => {
                let answer = self.call(from, "/api/users/setRole", &with(json!({ "role": role })));
                assert_eq!(answer.is_ok(), is_admin && is_there && other != person, "set role: {answer:?}");
                self.stage.count("set role", answer.is_ok());
                if answer.is_ok() {
                    self.roles.insert((tenant, other), role);
                }
            }
            3 => {
                let answer = self.call(from, "/api/users/remove", &who);
                assert_eq!(answer.is_ok(), is_admin && is_there && other != person, "remove: {answer:?}");
                self.stage.count("remove", answer.is_ok());
                if answer.is_ok() {
                    self.roles.remove(&(tenant, other));
                }
            }
            _ => {
                // A role of a moment ago counts for nothing: a caller who claims it changes no role.
                let stale =
                    json!({ "tenant_id": TENANTS[tenant], "user_id": PEOPLE[person], "role": "admin" })
                        .to_string();
                let change = with(json!({ "role": "admin" }));
                let answer = self.stage.call("/api/users/setRole", &[("sortkey-caller", &stale)], &change);
                assert!(answer.is_err() || (is_admin && is_there && other != person), "{answer:?}");
                if answer.is_ok() {
                    self.roles.insert((tenant, other), "admin");
                }
            }
        }
        let renamed =
            self.call(from, "/api/tenants/update", &json!({ "tenant_id": TENANTS[tenant], "name": "New" }));
        assert_eq!(renamed.is_ok(), is_admin && self.roles.get(&from) == Some(&"admin"), "{renamed:?}");
        self.stage.count("change", renamed.is_ok());
        if let Some(role) = self.roles.get(&from) {
            let caller =
                json!({ "tenant_id": TENANTS[tenant], "user_id": PEOPLE[person], "role": role }).to_string();
            let path = format!("/api/conversations/list?tenant_id={}", TENANTS[tenant]);
            let listed = self.stage.read(&path, &[("sortkey-caller", &caller)]);
            assert_eq!(listed.is_ok(), *role == "admin", "{listed:?}");
            self.stage.count("list", listed.is_ok());
            let people = self.stage.read(
                &format!("/api/users/list?tenant_id={}", TENANTS[tenant]),
                &[("sortkey-caller", &caller)],
            );
            let people = people.expect("one's own tenant");
            let count = people["items"].as_array().map_or(0, Vec::len);
            assert_eq!(count, self.roles.keys().filter(|(of, _)| *of == tenant).count(), "{people}");
        }
    }

    fn compare(&self, step: usize) {
        let stored: BTreeMap<(usize, usize), String> = self
            .stage
            .items("Tenants")
            .iter()
            .filter_map(|item| {
                let tenant =
                    TENANTS.iter().position(|name| format!("TENANT#{name}") == attribute(item, "pk"))?;
                let person =
                    PEOPLE.iter().position(|name| format!("USER#{name}") == attribute(item, "sk"))?;
                Some(((tenant, person), attribute(item, "role")))
            })
            .collect();
        let wanted: BTreeMap<(usize, usize), String> =
            self.roles.iter().map(|(key, role)| (*key, (*role).to_owned())).collect();
        assert_eq!(stored, wanted, "after step {step}");
        for (tenant, name) in TENANTS.iter().enumerate() {
            let is_admin = |(key, role): (&(usize, usize), &&str)| key.0 == tenant && *role == "admin";
            assert!(self.roles.iter().any(is_admin), "nobody administers {name} after step {step}");
        }
    }
}
