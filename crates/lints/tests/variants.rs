//! Findings of a rule beyond the example of its page: each case is a design that raises it, and the smallest change after
//! which it is silent.

use sortkey_design::NoFiles;
use sortkey_diagnostics::Severity;
use sortkey_lints::{Options, check};

/// How often a design raises a rule.
fn raises(design: &str, rule: &str) -> usize {
    let found = check("variant.sk", design, &NoFiles, &Options::default()).diagnostics;
    found.iter().filter(|diagnostic| diagnostic.rule == rule).count()
}

/// The rule reports something about the design, and nothing after `wrong` has become `right`.
fn repaired(rule: &str, design: &str, wrong: &str, right: &str) {
    assert!(design.contains(wrong), "{rule}: there is no {wrong:?}");
    assert_eq!(raises(design, "syntax"), 0, "{design}");
    assert_eq!(raises(design, rule), 1, "{rule} on\n{design}");
    let better = design.replacen(wrong, right, 1);
    assert_eq!(raises(&better, rule), 0, "{rule} on\n{better}");
}

const KEYS: &str = r#"
table Keys { key (keyId)  index byHash (keyHash) project all }
entity ApiKey in Keys { keyId uuid = new  keyHash string(64)  lastUsedAt? time(s)  status on | off = on }
pattern apiKey = get ApiKey by keyHash
operation use(keyId) { update ApiKey(keyId) { lastUsedAt: now } }
operation stop(keyId) { update ApiKey(keyId) { status: off } }
"#;

#[test]
fn keys_and_their_use() {
    repaired("uniqueness-by-gsi", KEYS, "status on", "unique keyHash  status on");
    repaired("hot-counter-item", KEYS, "use(keyId) {", "use(keyId) load 5/s {");
    repaired("hot-counter-item", KEYS, "lastUsedAt: now", "lastUsedAt: now, status: on");
    repaired("audit-attribute-missing", KEYS, "status on", "updatedAt time(s) := now  status on");
    repaired("audit-attribute-missing", KEYS, "operation stop", "system operation stop");
}

const CHANNELS: &str = r#"
caller { tenantId -> Tenant }
table Talks { key (pk | sk) }
table Tenants { key (pk | sk)  index byChannel (channel | owner) project keys }
entity Tenant in Tenants { pk = "TENANT#{tenantId}"  sk = "META"  tenantId string(..40) }
entity User in Tenants { pk = "TENANT#{tenantId}"  sk = "USER#{user}"  tenantId -> Tenant  user string(..40)  email string(..200) }
entity Channel in Tenants {
  pk = "TENANT#{tenantId}"  sk = "CH#{name}"
  channel = "CH#{name}"  owner = "TENANT#{tenantId}"
  tenantId -> Tenant  name string(..40)
}
entity Conversation in Talks {
  pk = "{tenantId}"  sk = "{talk}"
  tenantId string(..40)  talk string(..40)  words json(list(string(..9)))
}
pattern resolve = list Channel by name via byChannel then get Tenant
pattern users(email: string) = list User by tenantId filter it.email = email
operation say(tenantId, talk, words) {
  let c = get Conversation(tenantId, talk)
  put Conversation { ...c, words }
}
claim "cheap" cost(say, 1_000/d) < 2
"#;

#[test]
fn tenants_channels_and_conversations() {
    repaired(
        "uniqueness-by-gsi",
        &CHANNELS.replace("filter it.email = email", ""),
        "name string(..40)\n",
        "name string(..40)  unique name\n",
    );
    repaired(
        "uniqueness-by-gsi",
        &CHANNELS.replace(" then get Tenant", ""),
        "email string(..200) }",
        "email string(..200)  unique tenantId, email }",
    );
    repaired(
        "id-format-mismatch-across-references",
        CHANNELS,
        "tenantId string(..40)  talk",
        "tenantId -> Tenant  talk",
    );
    repaired("gsi-mergeable", CHANNELS, "channel = \"CH#{name}\"", "channel = \"CHANNEL#{name}\"");
    repaired("reference-missing", CHANNELS, "words json", "user? -> User  words json");
    repaired("large-item-update-cost", CHANNELS, "list(string(..9))", "list(string(..9), max 20)");
    repaired("item-size-growth", CHANNELS, "list(string(..9))", "list(string(..9), max 20)");
    repaired("capacity-vs-pattern", CHANNELS, "list(string(..9))", "list(string(..9), max 20)");
    repaired("capacity-vs-pattern", CHANNELS, "< 2", "< 20");
}

const SERVICE: &str = r#"
caller { accountId -> Account }
table Accounts  { key (accountId) }
table Sources   { key (sourceId) }
table Runs      { key (sourceId | runId)  index byStatus (status | startedAt) project all }
table Schedules { key (sourceId | scheduleId)  index due (shard | nextRunAt) project keys  billing provisioned 5 rcu 5 wcu }
table Plans     { key (planId) }
table Notes     { key (userId | noteId)  index unread (userId | `isRead#sentAt`) project all }
table Users     { key (userId) }
table Members   { key (userId | accountId) }
entity Account in Accounts { accountId uuid = new  status active | terminated = active }
entity Source in Sources { sourceId uuid = new  accountId -> Account  runStatus? ok | failed }
entity Run in Runs {
  sourceId -> Source  runId ulid = new  status pending | failed = pending
  startedAt time(s)  completedAt? time(s)  duration? int
}
entity Schedule in Schedules { sourceId -> Source  scheduleId uuid = new  shard int(0..9)  nextRunAt time(s)  isActive bool }
entity Plan in Plans { planId uuid = new  price int }
entity User in Users { userId uuid = new }
entity Member in Members { userId -> User  accountId -> Account }
entity Note in Notes { userId -> User  noteId ulid = new  isRead bool  sentAt int }
pattern failed = list Run by status page 50
operation all(due: list(key(Schedule), max 9)) { each s in due { update Schedule(...s) { isActive: true } } }
"#;

#[test]
fn a_service_of_many_tables() {
    repaired("cross-tenant-index", SERVICE, "byStatus (status", "byStatus (sourceId, status");
    repaired("enum-mismatch", SERVICE, "runStatus? ok | failed", "runStatus? pending | failed");
    repaired("derived-attribute-unchecked", SERVICE, "duration? int", "duration? int := 5");
    repaired("sparse-index-not-sparse", SERVICE, "nextRunAt time(s)", "nextRunAt? time(s)");
    repaired("capacity-vs-pattern", SERVICE, "billing provisioned 5 rcu 5 wcu", "billing on_demand");
    repaired(
        "reference-missing",
        SERVICE,
        "accountId uuid = new  status",
        "accountId uuid = new  planId -> Plan  status",
    );
    repaired(
        "entity-unreachable",
        SERVICE,
        "accountId uuid = new  status",
        "accountId uuid = new  planId -> Plan  status",
    );
    repaired(
        "orphan-on-delete",
        SERVICE,
        "| terminated = active }",
        "| terminated = active  deleted when status = terminated }",
    );
    repaired("attribute-name-needs-placeholder", SERVICE, "`isRead#sentAt`", "unreadAt");
    repaired("derived-key-drift", SERVICE, "`isRead#sentAt`", "unreadAt");
    repaired("numeric-in-sort-template-unpadded", SERVICE, "sentAt int", "sentAt time(s)");
}

#[test]
fn sentences_about_entities() {
    let promised = format!("{SERVICE}claim \"soft deletes\" soft_deletes(Account)\n");
    repaired("soft-delete-status-missing", &promised, "soft_deletes(Account)", "not soft_deletes(Account)");
    let named = format!("{SERVICE}claim \"accounts and billing\" holds(Accounts, Billing)\n");
    repaired("entity-mentioned-not-defined", &named, "Billing)", "Account)");
    let elsewhere = format!("{SERVICE}claim \"plans beside accounts\" holds(Accounts, Plan)\n");
    repaired("doc-contradicts-model", &elsewhere, "holds(Accounts", "holds(Plans");
    let expiring = format!("{SERVICE}claim \"runs expire\" expires(Run)\n");
    repaired("ttl-undeclared", &expiring, "expires(Run)", "not expires(Run)");
}

/// One sentence lists the tables that leave something open, or two where their gaps differ.
#[test]
fn what_tables_leave_open() {
    let silent = "table A { key (a) }\ntable B { key (b) }\n";
    assert_eq!(raises(silent, "billing-mode-missing"), 1);
    let mixed = "table A { key (a)  billing on_demand }\ntable B { key (b) }\n";
    assert_eq!(raises(mixed, "billing-mode-missing"), 2);
}

/// Entities that all go with each other were followed along every path between them.
#[test]
fn a_knot_of_cascades_is_looked_at_once() {
    let mut design =
        "table T { key (pk | sk) }\nentity E0 in T { pk = \"E0#{own}\"  sk = \"X\"  own uuid = new }\n"
            .to_owned();
    for at in 1..14 {
        let others: String = (1..14)
            .filter(|other| *other != at)
            .map(|other| format!("  r{other} -> E{other}.own on delete cascade\n"))
            .collect();
        design += &format!(
            "entity E{at} in T {{\n  pk = \"E{at}#{{own}}\"  sk = \"X\"\n  own uuid = new\n  r0 -> E0.own\n{others}}}\n"
        );
    }
    design += "operation drop = delete E0\n";
    assert_eq!(raises(&design, "orphan-on-delete"), 13);
}

/// The diagnostics that a design raises: severity and rule.
fn levels(design: &str) -> Vec<(Severity, &'static str)> {
    let found = check("variant.sk", design, &NoFiles, &Options::default()).diagnostics;
    found.iter().map(|diagnostic| (diagnostic.severity, diagnostic.rule)).collect()
}

/// A published single-table design in small: sessions expire, users, settings and orders do not; a sparse index lists
/// the orders that were shipped; a settings item is replaced as a whole.
const STORE: &str = r#"
defaults { billing on_demand  recovery 35d  protect deletion  encryption aws_owned }
table Store { key (PK | SK)  index shipped (customerId | shippedAt) project all  ttl expiresAt }
entity Customer in Store { PK = "C#{customerId}"  SK = "CUSTOMER"  customerId uuid = new  name string(1..80) }
entity Settings in Store {
  PK = "C#{customerId}"  SK = "SETTINGS"
  customerId uuid
  theme light | dark
}
entity Session in Store {
  PK = "C#{customerId}"  SK = "SESSION"
  customerId uuid
  expiresAt time(s) = now + 30d
}
entity Order in Store {
  PK = "C#{customerId}"  SK = "O#{orderId}"
  customerId uuid
  orderId    ulid = new
  shippedAt? time(iso)
}
pattern shippedOrders = list Order by customerId newest first via shipped page 50
operation saveSettings = put Settings
operation importSettings = put Settings
"#;

// F-72: opinions about a published design were errors that kept `up` from starting.
#[test]
fn a_design_that_works_has_no_errors() {
    let found = levels(STORE);
    assert!(found.iter().all(|(severity, _)| *severity != Severity::Error), "{found:?}");
    for (rule, times) in
        [("ttl-missing-on-child", 0), ("put-without-not-exists", 1), ("sparse-index-omits-items", 1)]
    {
        assert_eq!(found.iter().filter(|(_, each)| *each == rule).count(), times, "{rule}");
    }
    assert_eq!(raises(STORE, "pattern-without-index"), 0);
    repaired(
        "sparse-index-omits-items",
        STORE,
        "by customerId newest",
        "by customerId where shippedAt exists newest",
    );
}

// F-72: an `allow` at the first `put` leaves the second to be reported.
#[test]
fn a_hint_is_reported_once_and_says_how_to_silence_it() {
    let found = check("variant.sk", STORE, &NoFiles, &Options::default());
    let put = found.diagnostics.iter().find(|each| each.rule == "put-without-not-exists");
    let notes = put.map(|put| put.notes.join("\n")).unwrap_or_default();
    assert!(notes.contains("allow put-without-not-exists because"), "{notes}");
    let allow = "put Settings allow put-without-not-exists because \"saved as a whole\"";
    let once = STORE.replacen("put Settings", allow, 1);
    assert_eq!(raises(&once, "put-without-not-exists"), 1);
    assert_eq!(raises(&STORE.replace("put Settings", allow), "put-without-not-exists"), 0);
}

// F-72: items whose parent expires are still reported, whether the key or a reference names the parent.
#[test]
fn children_of_an_expiring_parent_are_reported() {
    let events = r#"
table Events { key (PK | SK)  ttl expiresAt }
entity Event in Events { PK = "E#{eventId}"  SK = "EVENT"  eventId uuid = new  expiresAt time(s) = now + 7d }
entity Attempt in Events { PK = "E#{eventId}"  SK = "A#{number:pad(2)}"  eventId uuid  number int(0..99) }
"#;
    let expiry = "eventId uuid  expiresAt time(s) = now + 7d  number";
    repaired("ttl-missing-on-child", events, "eventId uuid  number", expiry);
    let referring = events
        .replace("PK = \"E#{eventId}\"  SK = \"A#", "PK = \"A#{eventId}\"  SK = \"A#")
        .replace("eventId uuid  number", "eventId -> Event  number");
    repaired("ttl-missing-on-child", &referring, "eventId -> Event  number", "eventId uuid  number");
}

// F-31: `replicas` compiled and was ignored without a word.
#[test]
fn replicas_are_said_to_have_no_effect() {
    let notes =
        "table Notes { key (id)  replicas eu-west-1, us-east-1 }\nentity Note in Notes { id uuid = new }\n";
    repaired("replicas-not-created", notes, "  replicas eu-west-1, us-east-1", "");
    let by_default = "defaults { replicas eu-west-1 }\ntable Ones { key (id) }\ntable Twos { key (id) }\n";
    assert_eq!(raises(by_default, "replicas-not-created"), 1);
}

/// A tenant wrote into another tenant's item: `{t}-{box}` of two slugs makes one key of ("a-b", "c") and ("a", "b-c"). The alphabet
/// of a type decides whether its texts may contain the delimiter.
#[test]
fn delimiters_that_a_piece_may_contain() {
    let design = |template: &str, ty: &str| {
        format!(
            "table T {{ key (PK) }}  entity E in T {{ PK = \"{template}\"  a {ty}  b slug  n int(0..9) }}"
        )
    };
    for (template, ty, collides) in [
        ("{a}-{b}", "slug", true),
        ("{a}_{b}", "slug", true),
        ("{a}.{b}", "slug", true),
        ("{a}#{b}", "slug", false),
        ("{a}-#{b}", "slug", false),
        ("{a:lower}-{b}", "slug", true),
        ("{a:escape}-{b}", "slug", false),
        ("x-{b}-{a}", "string(1..9)", true),
        ("x-{a}", "string(1..9)", false),
        ("{a}#x", "string(1..9)", false),
        ("{a}#{b}", "email", true),
        ("{a:escape}#{b}", "email", false),
        ("{a}#{b}", "string(1..9)", true),
        ("{a:lower}#{b}", "string(1..9)", true),
        ("{a}#{b}", "string(5..5)", false),
        ("{a}#{b}", "url", true),
        ("{a}_{b}", "matching(\"[a-z_]+\")", true),
        ("{a}_{b}", "matching(\"[a-z]+\")", false),
        ("{a}-{b}", "uuid", false),
        ("{a}-{b}", "date", false),
        ("{a}.{b}", "decimal(6, 2)", true),
        ("{a}-{b}", "int", false),
        ("{a}-{b}", "on | off-line", false),
        ("{a}-{b}", "on | on-line", true),
        ("{a}{b}", "slug", true),
        ("{a}{b}", "ulid", false),
        ("{a}{n}", "matching(\"[a-z]+\")", false),
        ("{a:escape}A{b}", "slug", true),
    ] {
        let raised = raises(&design(template, ty), "delimiter-collision");
        assert_eq!(raised > 0, collides, "{template} {ty}");
    }
}

/// A default that chance makes passed the check of a migration, which then got stuck.
#[test]
fn defaults_of_new_attributes_are_functions_of_the_old_item() {
    struct Before;
    impl sortkey_design::Loader for Before {
        fn load(&self, _from: &str, path: &str) -> Result<(String, String), String> {
            let text = "table Notes { key (id) } entity Note in Notes { id slug  code uuid = new }";
            Ok((path.to_owned(), text.to_owned()))
        }
    }
    for (attribute, mapping, is_chance) in [
        ("z int(0..9) = random(10)", "", true),
        ("z uuid = new", "", true),
        ("z uuid = new", "z: code", false),
        ("z int(0..9) = 5", "", false),
        ("z time(s) = now", "", false),
        ("code uuid = new", "", false),
    ] {
        let text = format!(
            "table Notes \"v2\" {{ key (id) }} entity Note in Notes {{ id slug  {attribute} }} \
             migrate \"before.sk\" {{ Note from Note {{ {mapping} }} drop {} }}",
            if attribute.starts_with("code") { "" } else { "code" },
        );
        let text = text.replace(" drop  }", " }");
        let found = check("new.sk", &text, &Before, &Options::default()).diagnostics;
        let raised = found.iter().any(|each| each.rule == "mapping-not-a-function");
        assert_eq!(raised, is_chance, "{text}: {found:?}");
    }
}
