//! ListBackup and the Core service: people, accounts below each other, memberships with roles, sessions and keys.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value as Json, json};
use sortkey_testkit::Random;

use super::{Stage, attribute, steps, text_of};

const PEOPLE: usize = 4;
const MAX_ACCOUNTS: usize = 8;

/// One of the two systems.
#[derive(Clone, Copy, PartialEq, Eq)]
enum System {
    ListBackup,
    Core,
}

/// A membership: its role and its state.
type Member = (String, String);

/// A token of somebody for an account, and whether it was revoked.
struct Session {
    person: usize,
    account: usize,
    /// The token that a call shows.
    token: String,
    /// The token that gives the next one; of ListBackup only.
    refresh: String,
    is_key: bool,
    /// Tokens that came of one sign-in end together.
    family: usize,
    is_revoked: bool,
}

/// The role of each person, as it should be.
struct Walk {
    system: System,
    stage: Stage,
    random: Random,
    people: Vec<String>,
    suspended: BTreeSet<usize>,
    accounts: Vec<String>,
    parents: Vec<Option<usize>>,
    is_active: Vec<bool>,
    members: BTreeMap<(usize, usize), Member>,
    sessions: Vec<Session>,
    plans: Vec<String>,
}

#[test]
fn listbackup_keeps_roles_while_people_and_accounts_change() {
    let mut walk = Walk::begin(System::ListBackup);
    walk.run();
    walk.stage.check_that_all_happened(&[
        "invite",
        "accept",
        "set role",
        "suspend member",
        "remove",
        "suspend person",
        "suspend account",
        "move",
        "downgrade",
        "rotate",
        "transfer",
        "sign in",
        "look",
        "change",
    ]);
}

#[test]
fn the_core_service_keeps_roles_while_people_and_accounts_change() {
    let mut walk = Walk::begin(System::Core);
    walk.run();
    walk.stage.check_that_all_happened(&[
        "invite",
        "accept",
        "set role",
        "suspend member",
        "remove",
        "suspend person",
        "suspend account",
        "downgrade",
        "rotate",
        "sign in",
        "look",
        "change",
    ]);
}

impl Walk {
    fn begin(system: System) -> Walk {
        let stage = Stage::of(match system {
            System::ListBackup => "listbackup",
            System::Core => "core-service",
        });
        let plans = match system {
            System::ListBackup => ["free", "starter", "professional", "enterprise"].map(str::to_owned).to_vec(),
            System::Core => [(3, true), (6, false), (60, false)]
                .map(|(users, is_default)| {
                    let limits = json!({
                        "apiCallsPerMonth": 1_000_000, "storageGB": 100, "users": users, "sources": 100, "syncFrequency": "hourly",
                        "dataRetentionDays": 90, "webhooks": 5, "customDomains": 1,
                    });
                    let plan = json!({
                        "planName": format!("For {users}"), "planType": "professional", "price": 1, "currency": "USD", "features": ["all"],
                        "isDefault": is_default, "customizable": false, "limits": limits,
                    });
                    text_of(&stage.operator("/api/plans/create", &plan), "planId")
                })
                .to_vec(),
        };
        let people = (0..PEOPLE).map(|at| {
            let (mail, name) = (format!("p{at}@example.com"), format!("person{at}"));
            let person = match system {
                System::ListBackup => {
                    json!({ "email": mail, "username": name, "name": name, "password": "correct horse" })
                }
                System::Core => {
                    json!({ "email": mail, "firstName": name, "lastName": "L", "password": "correct horse" })
                }
            };
            text_of(&stage.operator("/api/users/create", &person), "userId")
        });
        let people = people.collect();
        let mut walk = Walk {
            system,
            stage,
            random: Random::from_environment(),
            people,
            suspended: BTreeSet::new(),
            accounts: Vec::new(),
            parents: Vec::new(),
            is_active: Vec::new(),
            members: BTreeMap::new(),
            sessions: Vec::new(),
            plans,
        };
        for person in 0..PEOPLE {
            let plan = walk.plans[2].clone();
            let (name, value) = if system == System::Core { ("planId", plan) } else { ("plan", plan) };
            let opened = json!({ "userId": walk.people[person], "accountName": "Root", "accountType": "conglomerate", name: value });
            let account = text_of(&walk.stage.operator("/api/accounts/open", &opened), "accountId");
            walk.open(account, None, person);
            walk.sign_in(person, person);
        }
        for account in 0..PEOPLE {
            walk.join((account + 1) % PEOPLE, account, "admin");
            let reader = walk.reader();
            walk.join((account + 2) % PEOPLE, account, reader);
        }
        walk
    }

    /// Somebody is invited by whoever opened an account, accepts, and signs in there.
    fn join(&mut self, person: usize, account: usize, role: &str) {
        let token = |at: usize| format!("Bearer {}", self.sessions[at].token);
        let (host, guest) = (token(account), token(person));
        let invitation =
            json!({ "accountId": self.accounts[account], "userId": self.people[person], "role": role });
        let invited = self.stage.call("/api/members/invite", &[("authorization", &host)], &invitation);
        assert!(invited.is_ok(), "{invited:?}");
        let accepts = json!({ "accountId": self.accounts[account] });
        let accepted = self.stage.call("/api/members/accept", &[("authorization", &guest)], &accepts);
        assert!(accepted.is_ok(), "{accepted:?}");
        self.members.insert((person, account), (role.to_owned(), "active".to_owned()));
        self.sign_in(person, account);
    }

    fn open(&mut self, account: String, parent: Option<usize>, person: usize) {
        let first = if self.system == System::Core { "admin" } else { "owner" };
        self.members.insert((person, self.accounts.len()), (first.to_owned(), "active".to_owned()));
        self.accounts.push(account);
        self.parents.push(parent);
        self.is_active.push(true);
    }

    fn run(&mut self) {
        for step in 0..steps() {
            self.step();
            self.compare(step);
            for _ in 0..3 {
                self.look();
            }
        }
    }

    /// Whether somebody may administer an account.
    fn administers(&self, person: usize, account: usize) -> bool {
        let role = self
            .members
            .get(&(person, account))
            .filter(|(_, status)| status == "active")
            .map(|(role, _)| role.as_str());
        self.is_active[account] && matches!(role, Some("owner" | "admin"))
    }

    /// Whether a token counts: it rests on the person, and on the membership where the system declares that.
    fn counts(&self, session: &Session) -> bool {
        let is_member = self
            .members
            .get(&(session.person, session.account))
            .is_some_and(|(_, status)| status == "active");
        let is_open = !session.is_key || self.is_active[session.account];
        let needs_membership = self.system == System::ListBackup || session.is_key;
        !session.is_revoked
            && !self.suspended.contains(&session.person)
            && is_open
            && (is_member || !needs_membership)
    }

    /// A call with a session that was picked at random, on an account and a person picked at random. `may` decides whether roles
    /// allow it; a call that they do not allow must be refused. Returns whether it succeeded.
    fn attempt(
        &mut self,
        step: &'static str,
        path: &str,
        may: impl Fn(&Walk, &Session, usize, usize) -> bool,
        arguments: impl Fn(&Walk, usize, usize) -> Json,
    ) -> Option<(usize, usize, usize)> {
        let (mut at, mut account, mut person) = (
            self.random.below(self.sessions.len()),
            self.random.below(self.accounts.len()),
            self.random.below(PEOPLE),
        );
        // Half of the attempts are by somebody who may, if there is anybody.
        let fitting = self.fitting(&may);
        if self.random.chance(50) && !fitting.is_empty() {
            (at, account, person) = *self.random.pick(&fitting);
        }
        let session = &self.sessions[at];
        let allowed = self.counts(session) && may(self, session, person, account);
        let token = format!("Bearer {}", session.token);
        let arguments = arguments(self, person, account);
        let answer = self.stage.call(path, &[("authorization", &token)], &arguments);
        let who = session.person;
        assert!(
            allowed || answer.is_err(),
            "{step}: person {who} may not, and did: {arguments} {:?}",
            self.members
        );
        self.stage.count(step, answer.is_ok());
        let made = answer.ok()?;
        if step == "create" {
            self.open(text_of(&made, "accountId"), Some(account), who);
            return None;
        }
        Some((at, person, account))
    }

    /// The sessions, accounts and people for which an attempt is allowed.
    fn fitting(&self, may: &impl Fn(&Walk, &Session, usize, usize) -> bool) -> Vec<(usize, usize, usize)> {
        let live = self.sessions.iter().enumerate().filter(|(_, session)| self.counts(session));
        let places =
            (0..self.accounts.len()).flat_map(|account| (0..PEOPLE).map(move |person| (account, person)));
        let all = live.flat_map(|(at, session)| {
            places.clone().map(move |(account, person)| (at, session, account, person))
        });
        let fit = all.filter(|(_, session, account, person)| may(self, session, *person, *account));
        fit.map(|(at, _, account, person)| (at, account, person)).collect()
    }

    fn step(&mut self) {
        let flip = self.random.chance(30);
        match self.random.below(16) {
            0 | 1 => {
                let (person, account) = (self.random.below(PEOPLE), self.random.below(self.accounts.len()));
                self.sign_in(person, account);
            }
            2 | 3 => {
                let role = *self.random.pick(&["admin", "member", self.reader()]);
                let done = self.attempt(
                    "invite",
                    "/api/members/invite",
                    |walk, session, person, account| {
                        walk.administers(session.person, account) && !walk.members.contains_key(&(person, account))
                    },
                    |walk, person, account| {
                        json!({ "accountId": walk.accounts[account], "userId": walk.people[person], "role": role })
                    },
                );
                if let Some((_, person, account)) = done {
                    self.members.insert((person, account), (role.to_owned(), "pending".to_owned()));
                }
            }
            4 | 5 => {
                let done = self.attempt(
                    "accept",
                    "/api/members/accept",
                    |walk, session, _, account| {
                        walk.members
                            .get(&(session.person, account))
                            .is_some_and(|(_, status)| status == "pending")
                    },
                    |walk, _, account| json!({ "accountId": walk.accounts[account] }),
                );
                if let Some((at, _, account)) = done {
                    let who = self.sessions[at].person;
                    self.members.entry((who, account)).and_modify(|member| member.1 = "active".to_owned());
                }
            }
            6 | 7 => {
                let role = *self.random.pick(&["admin", "member", self.reader()]);
                let done = self.attempt(
                    "set role",
                    "/api/members/setRole",
                    |walk, session, person, account| {
                        walk.administers(session.person, account)
                            && walk.members.contains_key(&(person, account))
                            && !walk.is_last(person, account, role != "admin")
                    },
                    |walk, person, account| {
                        json!({ "accountId": walk.accounts[account], "userId": walk.people[person], "role": role })
                    },
                );
                if let Some((_, person, account)) = done {
                    self.members.entry((person, account)).and_modify(|member| member.0 = role.to_owned());
                }
            }
            8 => {
                let status = if self.random.chance(60) { "suspended" } else { "active" };
                let done = self.attempt(
                    "suspend member",
                    "/api/members/setStatus",
                    |walk, session, person, account| {
                        walk.administers(session.person, account)
                            && walk.members.get(&(person, account)).is_some_and(|(_, now)| now != "pending")
                            && !walk.is_last(person, account, status == "suspended")
                    },
                    |walk, person, account| {
                        json!({ "accountId": walk.accounts[account], "userId": walk.people[person], "status": status })
                    },
                );
                if let Some((_, person, account)) = done {
                    self.members.entry((person, account)).and_modify(|member| member.1 = status.to_owned());
                }
            }
            9 => {
                let done = self.attempt(
                    "remove",
                    "/api/members/remove",
                    |walk, session, person, account| {
                        walk.administers(session.person, account)
                            && walk.members.contains_key(&(person, account))
                            && !walk.is_last(person, account, true)
                    },
                    |walk, person, account| json!({ "accountId": walk.accounts[account], "userId": walk.people[person] }),
                );
                if let Some((_, person, account)) = done {
                    self.members.remove(&(person, account));
                }
            }
            10 => self.suspend_person(flip),
            11 => self.suspend_account(flip),
            12 => self.downgrade(),
            13 => self.rotate(),
            14 if self.accounts.len() < MAX_ACCOUNTS => {
                self.attempt(
                    "create",
                    "/api/accounts/create",
                    |walk, session, _, account| walk.administers(session.person, account),
                    |walk, _, account| {
                        json!({ "parentAccountId": walk.accounts[account], "accountName": "Below", "accountType": "division" })
                    },
                );
            }
            _ if self.system == System::ListBackup => {
                let moves = self.random.chance(60);
                self.move_or_transfer(moves);
            }
            _ => self.make_key(),
        }
    }

    fn reader(&self) -> &'static str {
        if self.system == System::Core { "viewer" } else { "readonly" }
    }

    /// Whether a change would leave an account without somebody who can administer it.
    fn is_last(&self, person: usize, account: usize, takes_away: bool) -> bool {
        let Some((role, status)) = self.members.get(&(person, account)) else { return false };
        if self.system == System::ListBackup {
            return role == "owner";
        }
        let admins = self
            .members
            .iter()
            .filter(|((_, of), (role, status))| *of == account && role == "admin" && status == "active");
        takes_away && role == "admin" && status == "active" && admins.count() == 1
    }

    fn sign_in(&mut self, person: usize, account: usize) {
        let is_member = self.members.get(&(person, account)).is_some_and(|(_, status)| status == "active");
        let needs_account = self.system == System::ListBackup;
        let allowed =
            !self.suspended.contains(&person) && is_member && (self.is_active[account] || !needs_account);
        let who = json!({ "email": format!("p{person}@example.com"), "password": "correct horse", "accountId": self.accounts[account], "ip": "203.0.113.9" });
        let path =
            if self.system == System::ListBackup { "/api/auth-service/signIn" } else { "/api/auth/signIn" };
        let answer = self.stage.call(path, &[], &who);
        assert_eq!(answer.is_ok(), allowed, "sign in: {answer:?}");
        self.stage.count("sign in", allowed);
        let Ok(answer) = answer else { return };
        let refresh = text_of(&answer, "token");
        let token = match self.system {
            System::Core => refresh.clone(),
            System::ListBackup => text_of(
                &self.stage.operator("/api/auth-service/access", &json!({ "token": refresh })),
                "access",
            ),
        };
        let family = self.sessions.len();
        self.sessions.push(Session {
            person,
            account,
            token,
            refresh,
            is_key: false,
            family,
            is_revoked: false,
        });
    }

    fn suspend_person(&mut self, suspends: bool) {
        let person = self.random.below(PEOPLE);
        let status = if suspends { "suspended" } else { "active" };
        let answer = self.stage.call(
            "/api/users/setStatus",
            &[],
            &json!({ "userId": self.people[person], "status": status }),
        );
        self.stage.count("suspend person", answer.is_ok());
        if answer.is_ok() {
            let _ = if suspends { self.suspended.insert(person) } else { self.suspended.remove(&person) };
        }
    }

    fn suspend_account(&mut self, suspends: bool) {
        let account = self.random.below(self.accounts.len());
        let status = if suspends { "suspended" } else { "active" };
        let change = json!({ "accountId": self.accounts[account], "status": status });
        let answer = self.stage.call("/api/accounts/setStatus", &[], &change);
        self.stage.count("suspend account", answer.is_ok());
        if answer.is_ok() {
            self.is_active[account] = !suspends;
        }
    }

    /// A plan that is too small for what there is, is refused; `compare` looks at the limits.
    fn downgrade(&mut self) {
        let plan = self.random.pick(&self.plans).clone();
        match self.system {
            System::ListBackup => {
                let account = self.random.below(self.accounts.len());
                let change = json!({ "accountId": self.accounts[account], "plan": plan });
                let answer = self.stage.call("/api/accounts/changePlan", &[], &change);
                assert!(self.parents[account].is_none() || answer.is_err(), "a plan is a root's");
                self.stage.count("downgrade", answer.is_ok());
            }
            System::Core => {
                // The payer may do so for an account that is suspended.
                self.attempt(
                    "downgrade",
                    "/api/accounts/changePlan",
                    |walk, session, _, account| {
                        let member = walk.members.get(&(session.person, account));
                        walk.parents[account].is_none()
                            && member.is_some_and(|(role, status)| role == "admin" && status == "active")
                    },
                    |walk, _, account| json!({ "accountId": walk.accounts[account], "planId": plan }),
                );
            }
        }
    }

    /// ListBackup: a refresh token is used, and what was used is used again now and then. Core: a key ends.
    fn rotate(&mut self) {
        let at = self.random.below(self.sessions.len());
        let session = &self.sessions[at];
        if self.system == System::Core {
            return self.revoke_key();
        }
        let allowed = self.counts(session) && self.is_active[session.account];
        let (account, person, family, used) =
            (session.account, session.person, session.family, session.refresh.clone());
        let answer = self.stage.call("/api/auth-service/rotate", &[], &json!({ "token": used }));
        assert_eq!(answer.is_ok(), allowed, "rotate: {answer:?}");
        self.stage.count("rotate", allowed);
        let Ok(answer) = answer else { return };
        let refresh = text_of(&answer, "token");
        let access = self.stage.operator("/api/auth-service/access", &json!({ "token": refresh }));
        let token = text_of(&access, "access");
        let ours = self.sessions.iter_mut().filter(|each| each.family == family);
        ours.for_each(|each| each.refresh = refresh.clone());
        self.sessions.push(Session {
            person,
            account,
            token,
            refresh,
            is_key: false,
            family,
            is_revoked: false,
        });
        if self.random.once_in(3) {
            // A token that is used twice was stolen by somebody: all of its family end.
            let again = self.stage.call("/api/auth-service/rotate", &[], &json!({ "token": used }));
            assert_eq!(again, Err("TokenReused".to_owned()));
            self.sessions
                .iter_mut()
                .filter(|each| each.family == family)
                .for_each(|each| each.is_revoked = true);
        }
    }

    fn revoke_key(&mut self) {
        let keys: Vec<usize> = (0..self.sessions.len()).filter(|at| self.sessions[*at].is_key).collect();
        let Some(at) = keys.first().map(|_| *self.random.pick(&keys)) else { return };
        let (account, key) = (self.sessions[at].account, self.sessions[at].refresh.clone());
        let done = self.attempt(
            "rotate",
            "/api/apiKeys/revoke",
            |walk, session, _, _| {
                session.account == account && !session.is_key && walk.administers(session.person, account)
            },
            |_, _, _| json!({ "apiKeyId": key }),
        );
        if done.is_some() {
            self.sessions[at].is_revoked = true;
        }
    }

    fn make_key(&mut self) {
        let at = self.random.below(self.sessions.len());
        let (person, account) = (self.sessions[at].person, self.sessions[at].account);
        let allowed =
            self.counts(&self.sessions[at]) && !self.sessions[at].is_key && self.administers(person, account);
        let token = format!("Bearer {}", self.sessions[at].token);
        let key = json!({ "name": "key", "permissions": ["read"] });
        let answer = self.stage.call("/api/apiKeys/create", &[("authorization", &token)], &key);
        assert_eq!(answer.is_ok(), allowed, "key: {answer:?}");
        if let Ok(made) = answer {
            let (token, refresh) = (text_of(&made, "key"), text_of(&made, "apiKeyId"));
            let family = self.sessions.len();
            self.sessions.push(Session {
                person,
                account,
                token,
                refresh,
                is_key: true,
                family,
                is_revoked: false,
            });
        }
    }

    fn move_or_transfer(&mut self, moves: bool) {
        if !moves {
            let done = self.attempt(
                "transfer",
                "/api/accounts/transferOwnership",
                |walk, session, person, account| {
                    let is = |who: usize, role: Option<&str>| {
                        let member = walk.members.get(&(who, account));
                        member.is_some_and(|(of, status)| status == "active" && role.is_none_or(|role| role == of))
                    };
                    walk.is_active[account] && is(session.person, Some("owner")) && is(person, None)
                },
                |walk, person, account| json!({ "accountId": walk.accounts[account], "to": walk.people[person] }),
            );
            if let Some((at, person, account)) = done {
                let who = self.sessions[at].person;
                self.members.entry((who, account)).and_modify(|member| member.0 = "admin".to_owned());
                self.members.entry((person, account)).and_modify(|member| member.0 = "owner".to_owned());
            }
            return;
        }
        let below = self.random.below(self.accounts.len());
        let done = self.attempt(
            "move",
            "/api/accounts/move",
            |walk, session, _, account| {
                walk.administers(session.person, account)
                    && walk.administers(session.person, below)
                    && !walk.line_of(account).contains(&below)
            },
            |walk, _, account| json!({ "accountId": walk.accounts[below], "newParentId": walk.accounts[account] }),
        );
        if let Some((_, _, account)) = done {
            self.parents[below] = Some(account);
        }
    }

    /// An account and all above it.
    fn line_of(&self, account: usize) -> Vec<usize> {
        let mut line = vec![account];
        while let Some(parent) = self.parents[line[line.len() - 1]] {
            line.push(parent);
            assert!(line.len() <= self.accounts.len(), "accounts go round in a circle");
        }
        line
    }

    /// Holds what is stored against the model.
    fn compare(&self, step: usize) {
        let stored: BTreeMap<(usize, usize), Member> = self
            .stage
            .items("UsersAccounts")
            .iter()
            .filter_map(|item| {
                let person = self.people.iter().position(|id| *id == attribute(item, "userId"))?;
                let account = self.accounts.iter().position(|id| *id == attribute(item, "accountId"))?;
                Some(((person, account), (attribute(item, "role"), attribute(item, "status"))))
            })
            .collect();
        assert_eq!(stored, self.members, "after step {step}");
        for item in self.stage.items("Accounts") {
            let id = attribute(&item, "accountId");
            let Some(account) = self.accounts.iter().position(|each| *each == id) else { continue };
            let path: String = self
                .line_of(account)
                .iter()
                .rev()
                .fold("/".to_owned(), |path, at| path + &self.accounts[*at] + "/");
            assert_eq!(attribute(&item, "accountPath"), path, "after step {step}");
            let of = self.members.keys().filter(|(_, of)| *of == account).count();
            let admins = self.members.iter().filter(|((_, of), (role, status))| {
                *of == account && status == "active" && matches!(role.as_str(), "owner" | "admin")
            });
            assert!(
                admins.count() > 0 || self.system == System::ListBackup,
                "nobody administers {id} after step {step}"
            );
            if self.system == System::ListBackup {
                let owners =
                    self.members.iter().filter(|((_, of), (role, _))| *of == account && role == "owner");
                assert_eq!(owners.count(), 1, "owners of {id} after step {step}");
                assert_eq!(attribute(&item, "userCount"), of.to_string(), "after step {step}");
            }
        }
    }

    /// Somebody looks at an account and tries to change something in it, with any token of his.
    fn look(&mut self) {
        let at = self.random.below(self.sessions.len());
        let session = &self.sessions[at];
        let account =
            if self.random.chance(70) { session.account } else { self.random.below(self.accounts.len()) };
        let is_member =
            self.members.get(&(session.person, account)).is_some_and(|(_, status)| status == "active");
        let sees = self.counts(session) && is_member;
        let changes = self.counts(session) && !session.is_key && self.administers(session.person, account);
        let token = format!("Bearer {}", session.token);
        let headers = [("authorization", token.as_str())];
        let id = &self.accounts[account];
        let shown = self.stage.read(&format!("/api/members/listByAccount?accountId={id}"), &headers);
        assert_eq!(
            shown.is_ok(),
            sees,
            "person {} looks at {account}: {shown:?} {:?}",
            session.person,
            self.members
        );
        if let Ok(shown) = &shown {
            let all = shown["items"].as_array().expect("items");
            assert!(all.iter().all(|item| item["accountId"] == json!(id)), "{shown}");
            let of = self.members.keys().filter(|(_, of)| *of == account).count();
            assert_eq!(all.len(), of, "{shown}");
        }
        let change = json!({ "accountId": id, "accountName": "Renamed" });
        let changed = self.stage.call("/api/accounts/update", &headers, &change);
        assert_eq!(
            changed.is_ok(),
            changes,
            "person {} changes {account}: {changed:?} {:?}",
            session.person,
            self.members
        );
        self.stage.count("look", sees);
        self.stage.count("change", changes);
    }
}
