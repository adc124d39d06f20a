//! Corrected designs broken on purpose, one small edit at a time: the rule that is named for the edit must fire on at
//! least nine of ten mutants. (That nothing fires on the unbroken designs is tested beside the systems.)

use sortkey_design::FileLoader;
use sortkey_lints::{Options, check};
use sortkey_testkit::{SYSTEMS, design_file, system_folder};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// An edit: on lines that contain all of `on`, `find` becomes `put`; then the rule must report something.
struct Mutation {
    rule: &'static str,
    on: &'static [&'static str],
    find: &'static str,
    put: &'static str,
}

const fn mutation(
    rule: &'static str,
    on: &'static [&'static str],
    find: &'static str,
    put: &'static str,
) -> Mutation {
    Mutation { rule, on, find, put }
}

const MUTATIONS: &[Mutation] = &[
    // Expiry.
    mutation("ttl-attribute-not-number", &["expiresAt "], "time(s)", "time(ms)"),
    mutation("ttl-attribute-not-number", &["expiresAt "], "time(s)", "time(iso)"),
    mutation("ttl-attribute-is-event-time", &["expiresAt ", "= createdAt +"], "createdAt + ", "now //"),
    mutation("ttl-duration-unspecified", &["expiresAt ", "time(s) = "], "= ", "//"),
    mutation("ttl-missing-on-child", &["expiresAt ", "eventId->expiresAt"], "expiresAt ", "// "),
    mutation("ttl-as-enforcement", &["get Invite by"], "strong", "including expired"),
    mutation("ttl-as-enforcement", &["get OAuthState by state"], "by state", "by state including expired"),
    mutation("ttl-read-filter-missing", &["list Activity"], "page 50", "page 50 including expired"),
    mutation("ttl-read-filter-missing", &["list Notification"], "page 50", "page 50 including expired"),
    mutation("unbounded-table-growth", &["ttl ", "expiresAt"], "ttl ", "//"),
    // Keys and indexes.
    mutation("key-type-not-scalar", &["sourceId ", "uuid = new"], "uuid = new", "bool = true"),
    mutation("key-type-not-scalar", &["accountId ", "uuid = new"], "uuid = new", "bool = true"),
    mutation("delimiter-collision", &[":escape}"], ":escape}", "}"),
    mutation("delimiter-collision", &["user_id ", "slug"], "slug(1..60)", "string(1..60)"),
    mutation("attribute-missing-for-index", &["dueShard = "], "dueShard", "otherShard"),
    mutation("attribute-missing-for-index", &["gsi1sk = "], "gsi1sk", "gsi1other"),
    mutation("projection-unspecified", &["index "], " project all", ""),
    mutation("projection-unspecified", &["index "], " project keys", ""),
    mutation("sparse-index-not-sparse", &["teamId-index"], "project keys", "project keys sparse"),
    mutation("sparse-index-not-sparse", &["orderId-index"], "project all", "project all sparse"),
    mutation("cross-tenant-index", &["index resource-timestamp-index"], "accountId, ", ""),
    mutation("cross-tenant-index", &["index status-startedAt-index"], "accountId, ", ""),
    mutation("cross-tenant-index", &["index eventType-timestamp-index"], "accountId, ", ""),
    mutation("null-in-index-key", &["parentAccountId? "], "@immutable", "@null"),
    mutation(
        "range-condition-on-partition-key",
        &["accountPath-index"],
        "(rootAccountId | accountPath)",
        "(accountPath)",
    ),
    // Reads.
    mutation("unpaginated-list", &["= list "], " page 50", ""),
    mutation("unpaginated-list", &["= list "], " page 100", ""),
    mutation("strong-read-on-global-index", &["= get ", "by teamId"], "by teamId", "by teamId strong"),
    mutation("strong-read-on-global-index", &["= get ", "by eventId"], "by eventId", "by eventId strong"),
    mutation(
        "condition-names-unknown-attribute",
        &["= list ", "by accountId, "],
        "by accountId",
        "by acountId",
    ),
    mutation(
        "lookup-chain-broken",
        &["ownerAccountId", "completes the key of Profile"],
        "ownerAccountId ",
        "keeperAccountId ",
    ),
    mutation("uniqueness-by-gsi", &["unique email"], "unique email", "//"),
    mutation("security-check-on-gsi", &["tokenFamily ", "-> TokenFamily"], "-> TokenFamily", "uuid"),
    // Items.
    mutation("unbounded-list-in-item", &["list(", ", max 100)"], ", max 100)", ")"),
    mutation("unbounded-list-in-item", &["set(", ", max 20)"], ", max 20)", ")"),
    mutation("unbounded-list-in-item", &["set(", ", max 2)"], ", max 2)", ")"),
    mutation("item-size-growth", &["any(max 8 KB)"], "any(max 8 KB)", "any"),
    mutation("binary-payload-in-string", &["body ", "bytes("], "bytes(..256 KB)", "string(..256 KB)"),
    mutation("null-vs-absent-ambiguity", &["usedAt? "], "time(iso)", "time(iso) @null"),
    mutation("enum-open", &["status ", " | failed"], " | failed", " | failed | ..."),
    // Protection.
    mutation("case-sensitive-lookup-key", &["email "], " @normalize(trim, lower)", ""),
    mutation("pii-unmarked", &["email "], " @personal", ""),
    mutation("pii-unmarked", &["customerName "], " @personal", ""),
    mutation("secret-in-plaintext", &["ecret"], "@encrypted(\"alias/ferryhook\") ", ""),
    mutation("secret-in-plaintext", &["credentials "], "@encrypted(\"alias/listbackup-{accountId}\") ", ""),
    mutation("tenant-not-in-key", &["tenant accountId"], "tenant accountId", "//"),
    mutation(
        "id-format-mismatch-across-references",
        &["ownerAccountId ", "-> Account.accountId"],
        "-> ",
        "uuid -> ",
    ),
    mutation("identity-attribute-without-lookup", &["unique githubId"], "unique githubId", "//"),
    mutation("singleton-flag-unenforced", &["unique ", "when isDefault"], "unique ", "// "),
    mutation(
        "encryption-scope-impossible",
        &["defaults {"],
        "encryption aws_owned",
        "encryption customer \"alias/{userId}\"",
    ),
    // Writes.
    mutation("put-without-not-exists", &["= upsert "], "upsert", "put"),
    mutation(
        "write-needs-unknown-key",
        &["update ApiKey(userId, keyId)"],
        "update ApiKey(userId, keyId)",
        "update ApiKey(keyId)",
    ),
    mutation(
        "write-needs-unknown-key",
        &["update Source(accountId, sourceId)"],
        "Source(accountId, sourceId)",
        "Source(sourceId)",
    ),
    mutation(
        "write-needs-unknown-key",
        &["update Job(accountId, jobId)"],
        "update Job(accountId, jobId)",
        "update Job(jobId)",
    ),
    mutation("multi-item-write-not-transactional", &["  transact {"], "transact {", "each once in [1] {"),
    mutation("orphan-on-delete", &["sourceId ", "-> Source on delete cascade"], " on delete cascade", ""),
    mutation("orphan-on-delete", &["profileId ", "-> Profile on delete cascade"], " on delete cascade", ""),
    mutation("state-without-transition", &["  states status {", "}"], "states status", "// states status"),
    mutation("soft-delete-status-missing", &["deleted when status = deleted"], "deleted when", "//"),
    mutation("counter-without-atomic-operation", &["deliveryCount += "], "+= deliveries", ": deliveries"),
    mutation("audit-attribute-missing", &[" updatedAt time(iso)"], "updatedAt time(iso) := now", ""),
    mutation("audit-attribute-missing", &[" updatedAt time(s)"], "updatedAt time(s) := now", ""),
    mutation(
        "migration-without-verification",
        &["migrate \""],
        "\" {",
        "\" steps create, write_both, copy, switch {",
    ),
    mutation("migration-without-cutover", &["migrate \""], "\" {", "\" steps create, copy, verify, switch {"),
    mutation(
        "migration-order",
        &["migrate \""],
        "\" {",
        "\" steps change, write_both, copy, verify, switch {",
    ),
    // Types and names inside operations, patterns, rules and tests.
    mutation("type-mismatch", &["status: active"], "status: active", "status: activ"),
    mutation("type-mismatch", &["status: revoked"], "status: revoked", "status: 5"),
    mutation("type-mismatch", &["lastLoginAt: now"], "lastLoginAt: now", "lastLoginAt: true"),
    mutation("type-mismatch", &["lastUsedAt: now"], "lastUsedAt: now", "lastUsedAt: 30d"),
    mutation("type-mismatch", &["if isRead = false"], "isRead = false", "isRead = 0"),
    mutation("type-mismatch", &["require s.status = active"], "= active", "= activated"),
    mutation("type-mismatch", &["status = active and role"], "role = admin", "role = boss"),
    mutation("type-mismatch", &["filter status = active"], "status = active", "status"),
    mutation("type-mismatch", &["if attempts < 8"], "attempts < 8", "attempts < \"8\""),
    mutation("type-mismatch", &["if nextRunAt = seen"], "nextRunAt = seen", "isActive = seen"),
    mutation("type-mismatch", &["if sourceCount < limit "], "sourceCount < limit", "accountName < limit"),
    mutation("type-mismatch", &["= now + "], "now + ", "now * "),
    mutation("type-mismatch", &["sha256(key)"], "sha256(key)", "sha256(5)"),
    mutation("type-mismatch", &["each ", "in all {"], "in all", "in 5"),
    mutation("type-mismatch", &["createSource(name"], "provider: stripe", "provider: strip"),
    mutation("type-mismatch", &["userId: e.userId"], "userId: e.userId", "userId: e.eventId"),
    mutation("type-mismatch", &["plan ", "Plan = free"], "= free", "= gratis"),
    mutation("type-mismatch", &["states status {", "->"], "-> ", "-> nowhere, "),
    mutation("unknown-name", &["caller.userId"], "caller.userId", "caller.user"),
    mutation("unknown-name", &["caller.accountId"], "caller.accountId", "caller.account"),
    mutation("unknown-name", &["{ ...input"], "...input", "...inputs"),
    mutation("unknown-name", &["if usedAt absent"], "usedAt absent", "used absent"),
    mutation("unknown-name", &["{ status } }"], "{ status }", "{ state }"),
    mutation("unknown-name", &["fails TokenReused"], "fails TokenReused", "fails TokenUsed"),
    mutation("unknown-name", &["date(now)"], "date(now)", "day(now)"),
    mutation("unknown-name", &["on TokenReused"], "on TokenReused", "on TokenReuse"),
    mutation("wrong-argument", &["let s = sourceById(sourceId)"], "(sourceId)", "()"),
    mutation(
        "wrong-argument",
        &["getConversation(caller"],
        "conversation_id)",
        "conversation: conversation_id)",
    ),
    mutation("wrong-argument", &["ingest(sourceId: s.sourceId"], "sourceId: s.sourceId, ", ""),
    mutation(
        "wrong-argument",
        &["getSeasonOf(profileId, seasonId)"],
        "profileId, seasonId",
        "seasonId, profileId",
    ),
    mutation("wrong-argument", &["requires owner(ownerAccountId)"], "owner(ownerAccountId)", "owner()"),
    mutation("wrong-argument", &["requires admin(accountId)"], "admin(accountId)", "admin(accountId, 1)"),
    mutation("wrong-argument", &["Share(profileId, targetAccountId: "], "Share(profileId, ", "Share("),
    mutation("not-settable", &["= update ", "[name,"], "[name,", "[createdAt,"),
    mutation("not-settable", &["lastLoginAt: now"], "lastLoginAt: now", "createdAt: now"),
    mutation("not-settable", &["if isRead = false"], "readAt: now", "createdAt: now"),
    mutation("missing-value", &["create Payload {"], ", body }", " }"),
    mutation("missing-value", &["create Membership {"], "accountId, userId, ", "accountId, "),
    mutation("missing-value", &["familyOwner: userId"], "familyOwner: userId", ""),
    mutation("reference-not-read", &["let owner = get User"], "let owner", "// "),
    mutation("reference-not-read", &["let e = get Event(...event) else"], "let e =", "let e = 1 //"),
    mutation("reference-not-read", &["let parent = get Account"], "let parent", "//"),
    mutation(
        "write-needs-unknown-key",
        &["let e = get Event(...event)"],
        "...event",
        "eventId: event.eventId",
    ),
    mutation("conditional-required-undeclared", &["check scheduleType != custom"], "check ", "// "),
    mutation("cascade-without-path", &["index webhookId-index"], "index ", "// "),
    mutation("capacity-vs-pattern", &["system operation meter(", "idempotent"], "load 5/s", "load 50/s"),
    // Claims and settings.
    mutation("count-mismatch", &["claim ", "tables = "], "tables = ", "tables = 9"),
    mutation("doc-contradicts-model", &["claim ", "lifetime("], "= ", "= 9"),
    mutation("billing-mode-missing", &["defaults {"], "billing on_demand", ""),
    mutation("gsi-capacity-missing", &["index ", "provisioned 5 rcu"], "provisioned 5 rcu", "// 5 rcu"),
];

fn corrected() -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = SYSTEMS.iter().map(|name| design_file(name)).collect();
    found.push(system_folder("seller-profiles").join("seller-profiles-before.sk"));
    found
}

/// The text with the edit made on one line, for every line where it can be made.
fn mutants(text: &str, mutation: &Mutation) -> Vec<(usize, String)> {
    let lines: Vec<&str> = text.lines().collect();
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let code = line.split("//").next().unwrap_or_default();
        let fits = mutation.on.iter().all(|word| line.contains(word)) && code.contains(mutation.find);
        // A definition of the attribute, not a mention of it in a template or a condition.
        let declares = mutation.on.first().is_none_or(|word| {
            !word.ends_with(' ') || word.starts_with(' ') || line.trim_start().starts_with(word.trim_start())
        });
        if fits && declares {
            let mut edited = lines.clone();
            let changed = code.replacen(mutation.find, mutation.put, 1);
            edited[at] = &changed;
            found.push((at + 1, edited.join("\n")));
        }
    }
    found
}

/// The results for the mutants of one rule in one design.
#[derive(Clone, Copy, Default)]
struct Score {
    made: usize,
    caught: usize,
}

#[test]
fn the_named_rule_fires_on_nine_of_ten_mutants() {
    let mut survivors = Vec::new();
    let mut by_rule: BTreeMap<&str, Score> = BTreeMap::new();
    let mut by_design: BTreeMap<String, Score> = BTreeMap::new();
    for path in corrected() {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let name = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
        let unbroken = check(&path.to_string_lossy(), &text, &FileLoader, &Options::default());
        assert_eq!(unbroken.diagnostics.len(), 0, "{name} is not without a flaw before it is broken");
        for mutation in MUTATIONS {
            for (line, mutant) in mutants(&text, mutation) {
                let found = check(&path.to_string_lossy(), &mutant, &FileLoader, &Options::default());
                let caught = found.diagnostics.iter().any(|diagnostic| diagnostic.rule == mutation.rule);
                for score in
                    [by_rule.entry(mutation.rule).or_default(), by_design.entry(name.clone()).or_default()]
                {
                    score.made += 1;
                    score.caught += usize::from(caught);
                }
                if !caught {
                    survivors.push(format!("{name}:{line} {} ({})", mutation.rule, mutation.find));
                }
            }
        }
    }
    show("rule", by_rule.iter().map(|(rule, score)| (*rule, *score)));
    show("design", by_design.iter().map(|(design, score)| (design.as_str(), *score)));
    let total = sum(by_design.values());
    assert!(by_rule.len() >= 15, "only {} kinds of mutants were made", by_rule.len());
    assert!(total.made >= 100, "only {} mutants were made", total.made);
    let survivors = survivors.join("\n");
    said(&format!("not noticed:\n{survivors}"));
    for (name, score) in &by_design {
        assert!(score.made > 0, "{name} was never broken");
    }
    assert!(
        total.caught * 10 >= total.made * 9,
        "{} of {} caught; survivors:\n{survivors}",
        total.caught,
        total.made
    );
}

fn sum<'a>(scores: impl Iterator<Item = &'a Score>) -> Score {
    scores.fold(Score::default(), |all, each| Score {
        made: all.made + each.made,
        caught: all.caught + each.caught,
    })
}

/// The tables, for who asks: `cargo test -p sortkey-lints --test all mutants -- --nocapture`.
#[allow(clippy::print_stdout)]
fn show<'a>(what: &str, scores: impl Iterator<Item = (&'a str, Score)>) {
    let scores: Vec<_> = scores.collect();
    println!("{what:40} {:>7} {:>7}", "mutants", "caught");
    for (name, score) in &scores {
        println!("{name:40} {:7} {:7}", score.made, score.caught);
    }
    let all = sum(scores.iter().map(|(_, score)| score));
    println!("{:40} {:7} {:7}\n", "all", all.made, all.caught);
}

#[allow(clippy::print_stdout)]
fn said(text: &str) {
    println!("{text}");
}
