//! Seller profiles: owners share, invite, take back and delete; others read and write what they were given, and nothing else.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};
use sortkey_testkit::Random;

use super::{Stage, attribute, steps, text_of};

const PEOPLE: usize = 4;

struct Walk {
    stage: Stage,
    random: Random,
    people: Vec<String>,
    /// The profiles and who owns each; those that were deleted stay here.
    profiles: Vec<(String, usize)>,
    deleted: BTreeSet<usize>,
    shares: BTreeMap<(usize, usize), BTreeSet<&'static str>>,
    /// Codes that nobody has used, with the profile and what they give.
    invites: Vec<(String, usize, &'static str)>,
}

#[test]
fn seller_profiles_show_themselves_to_whom_they_are_shared_with() {
    let stage = Stage::of("seller-profiles");
    let people: Vec<String> = (0..PEOPLE)
        .map(|at| {
            let id = format!("ACCOUNT#00000000-0000-4000-8000-00000000000{at}");
            let account = json!({ "accountId": id, "email": format!("p{at}@example.com") });
            text_of(&stage.operator("/api/createAccount", &account), "accountId")
        })
        .collect();
    let mut walk = Walk {
        stage,
        random: Random::from_environment(),
        people,
        profiles: Vec::new(),
        deleted: BTreeSet::new(),
        shares: BTreeMap::new(),
        invites: Vec::new(),
    };
    for person in 0..2 {
        walk.create(person);
    }
    for step in 0..steps() {
        walk.step();
        walk.compare(step);
        for _ in 0..3 {
            walk.look();
        }
    }
    walk.stage.check_that_all_happened(&["share", "revoke", "redeem", "delete", "look", "change"]);
}

impl Walk {
    fn caller(&self, person: usize) -> String {
        json!({ "accountId": self.people[person] }).to_string()
    }

    fn call(&self, person: usize, path: &str, arguments: &Json) -> Result<Json, String> {
        self.stage.call(path, &[("sortkey-caller", &self.caller(person))], arguments)
    }

    fn create(&mut self, person: usize) {
        let input = json!({ "ownerAccountId": self.people[person], "sellerName": "One" });
        let made = self.call(person, "/api/profiles/create", &input).expect("a profile of one's own");
        self.profiles.push((text_of(&made, "profileId"), person));
    }

    fn step(&mut self) {
        let (person, other) = (self.random.below(PEOPLE), self.random.below(PEOPLE));
        let at = self.random.below(self.profiles.len());
        let (id, owner) = self.profiles[at].clone();
        let is_theirs = owner == person && !self.deleted.contains(&at);
        let gives = *self.random.pick(&["READ", "WRITE"]);
        match self.random.below(10) {
            0..=2 => {
                let input = json!({
                    "profileId": id, "ownerAccountId": self.people[person], "targetAccountId": self.people[other], "permissions": [gives],
                });
                let answer = self.call(person, "/api/shares/share", &input);
                assert_eq!(answer.is_ok(), is_theirs && other != person, "share: {answer:?}");
                self.stage.count("share", answer.is_ok());
                if answer.is_ok() {
                    self.shares.insert((at, other), [gives].into());
                }
            }
            3 | 4 => {
                let share = json!({ "profileId": id, "targetAccountId": self.people[other] });
                let answer = self.call(person, "/api/shares/revoke", &share);
                assert!(
                    owner == person || answer.is_err() || !self.shares.contains_key(&(at, other)),
                    "revoke: {answer:?}"
                );
                self.stage.count("revoke", answer.is_ok());
                if answer.is_ok() && owner == person {
                    self.shares.remove(&(at, other));
                }
            }
            5 | 6 => {
                let input =
                    json!({ "profileId": id, "ownerAccountId": self.people[person], "permissions": [gives] });
                let answer = self.call(person, "/api/invites/create", &input);
                assert_eq!(answer.is_ok(), is_theirs, "invite: {answer:?}");
                if let Ok(made) = answer {
                    self.invites.push((text_of(&made, "code"), at, gives));
                }
            }
            7 | 8 => {
                let code = match self.random.below(self.invites.len() + 1) {
                    place if place < self.invites.len() => self.invites[place].clone(),
                    _ => ("00000000-0".to_owned(), at, gives),
                };
                let answer = self.call(person, "/api/invites/redeem", &json!({ "inviteCode": code.0 }));
                let is_good = self.invites.contains(&code) && !self.deleted.contains(&code.1);
                assert_eq!(
                    answer.is_ok(),
                    is_good && self.profiles[code.1].1 != person,
                    "redeem: {answer:?}"
                );
                self.stage.count("redeem", answer.is_ok());
                if answer.is_ok() {
                    self.invites.retain(|each| each.0 != code.0);
                    self.shares.entry((code.1, person)).or_default().insert(code.2);
                }
            }
            _ => {
                let profile = json!({ "profileId": id, "ownerAccountId": self.people[person] });
                let answer = self.call(person, "/api/profiles/delete", &profile);
                assert!(answer.is_err() || owner == person, "delete: {answer:?}");
                self.stage.count("delete", answer.is_ok());
                if answer.is_ok() {
                    self.deleted.insert(at);
                    self.shares.retain(|(of, _), _| *of != at);
                    self.create(person);
                }
            }
        }
    }

    fn compare(&self, step: usize) {
        let shares: BTreeMap<(usize, usize), BTreeSet<String>> = self
            .stage
            .items("Shares")
            .iter()
            .filter_map(|item| {
                let at = self.profiles.iter().position(|(id, _)| *id == attribute(item, "profileId"))?;
                let person = self.people.iter().position(|id| *id == attribute(item, "targetAccountId"))?;
                let permissions = format!("{:?}", item.get("permissions"));
                let all = ["READ", "WRITE"].into_iter().filter(|each| permissions.contains(each));
                Some(((at, person), all.map(str::to_owned).collect()))
            })
            .collect();
        let wanted: BTreeMap<(usize, usize), BTreeSet<String>> = self
            .shares
            .iter()
            .map(|(key, all)| (*key, all.iter().map(|each| (*each).to_owned()).collect()))
            .collect();
        assert_eq!(shares, wanted, "after step {step}");
    }

    fn look(&mut self) {
        let person = self.random.below(PEOPLE);
        let at = self.random.below(self.profiles.len());
        let (id, owner) = self.profiles[at].clone();
        let is_there = !self.deleted.contains(&at);
        let shared = self.shares.get(&(at, person));
        let sees = is_there && (owner == person || shared.is_some_and(|all| !all.is_empty()));
        let writes = is_there && (owner == person || shared.is_some_and(|all| all.contains("WRITE")));
        let (id, owner) = (id.replace('#', "%23"), self.people[owner].clone());
        let path = format!("/api/profiles/getOf?ownerAccountId={}&profileId={id}", owner.replace('#', "%23"));
        let shown = self.stage.read(&path, &[("sortkey-caller", &self.caller(person))]);
        assert_eq!(shown.is_ok(), sees, "person {person} looks at {at}: {shown:?} {:?}", self.shares);
        let change =
            json!({ "ownerAccountId": owner, "profileId": self.profiles[at].0, "sellerName": "Two" });
        let changed = self.call(person, "/api/profiles/update", &change);
        assert_eq!(changed.is_ok(), writes, "person {person} changes {at}: {changed:?} {:?}", self.shares);
        self.stage.count("look", sees);
        self.stage.count("change", writes);
        let mine =
            format!("/api/profiles/listShared?targetAccountId={}", self.people[person].replace('#', "%23"));
        let mine =
            self.stage.read(&mine, &[("sortkey-caller", &self.caller(person))]).expect("one's own list");
        let listed = mine["items"].as_array().map_or(0, Vec::len);
        assert_eq!(listed, self.shares.keys().filter(|(_, of)| *of == person).count(), "{mine}");
    }
}
