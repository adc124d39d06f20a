//! Effects, workers, routes and sessions: what they mean, and what is refused.

use sortkey_design::program::{Schedule, Segment, Trigger};
use sortkey_design::{Compilation, NoFiles, compile, wire};

/// A relay in small: everything that acts, once.
const RELAY: &str = r#"
design relay
caller { userId -> User }
parameter home: string = "https://example.com"
table T "relay" {
  key (PK | SK)
  index Due (dueShard | nextAt) project keys sparse
  stream new_and_old_images
}
entity User in T { PK = "U#{userId}"  SK = "U"  userId uuid = new  email email  tenant userId }
entity Key in T { PK = "K#{hash}"  SK = "K"  userId -> User  key token("k_", 24) = new @transient @secret  hash string(64) := sha256(key) }
entity Job in T {
  PK = "J#{jobId}"  SK = "J"
  dueShard = "{shard:pad(2)}" when state = waiting
  jobId uuid = new
  url url(..200)
  state waiting | done | failed = waiting
  tries int(0..8) = 0 @counter
  shard int(0..15) := hash(jobId) % 16
  nextAt time(ms) = now when state = waiting
}
effect post(url: url, headers: map(string(..100)), body: bytes) -> { status int(0..599), error? string(..200) } = http POST url timeout 15s
effect ping(path: string) -> { status int } = http GET home + "/" + path
effect tell(to: email, subject: string, text: string) -> { error? string } = mail
effect render(template: string) -> { text string } = extern timeout 2s
effect answer(topic: string, template: string) -> { text string } = extern live "topics/" + topic timeout 60s
effect notify(userId: uuid, text: string) = live userId
effect whoIs(token: string) -> { sub string, groups? set(string(1..60), max 10) } = jwt home audience "relay"
effect whoBot(token: string, app: string) -> { sub? string } = jwt home audience app keys home + "/keys"

system pattern keyByHash(key: string) = get Key by hash = sha256(key) strong
system operation addJob(url) { create Job { url } }
operation mine(userId) { update User(userId) { email: "a@b.example" } }

worker seen on create, update Job as j when state = waiting { let p = do ping(path: j.jobId) }
worker send due Job as j by nextAt when state = waiting concurrency 200 per url 4 lease 60s attempts 3 {
  let r = do post(url: j.url, headers: { id: run }, body: "x")
  update Job(...j) {
    state: choose { r.status in 200..299: done, j.tries = 7: failed, otherwise: waiting }
    tries += 1
    nextAt: now + 5m
  }
}
on Invalid { update Job(...j) { state: failed, nextAt: absent } }
worker tidy every "0 3 * * *" in "Europe/Berlin" { do tell(to: "a@b.example", subject: "s", text: "t") }
worker tick every 1h { do render(template: "x") }

route POST "/in/{jobId}" = addJob(url: request.query["url"]) answers 202
route "/me" = mine()
route GET "/jobs/{jobId}/live" = topicOf(jobId) live
route GET "/jobs.csv" = table() as "text/csv" limit 10/m
route POST "/small" = addJob(url: "https://a.example") max 4 KB limit 100/s
session "k_" = keyByHash(token) as k { userId: k.userId }
session "eyJ" = do whoIs(token) as c { userId: c.sub }
system pattern allJobs = list Job by jobId all
system operation topicOf(jobId) { let j = get Job(jobId) else NotFound  return concat("topics/", jobId) }
system operation table(jobId: uuid = "00000000-0000-4000-8000-000000000000") { let all = allJobs(jobId)  return csv(all, "jobId", "state") }

test "a job is sent" {
  given post(url: "https://a.example") -> { status: 500 }
  given post(url: "https://b.example") fails Timeout
  let j = addJob("https://a.example")
  work
  advance 5m
  work
  expect did post(url: "https://a.example") 2 times
  expect did post
}
"#;

fn compiled(text: &str) -> Compilation {
    compile("relay.sk", text, &NoFiles)
}

fn titles(text: &str) -> Vec<String> {
    compiled(text).diagnostics.iter().map(|each| each.title.clone()).collect()
}

/// The relay with one line more.
fn with(line: &str) -> Vec<String> {
    titles(&format!("{RELAY}\n{line}\n"))
}

#[test]
fn everything_that_acts_compiles() {
    assert_eq!(titles(RELAY), [] as [&str; 0]);
    let program = compiled(RELAY).program;
    let workers: Vec<&str> = program.workers.iter().map(|each| &*each.name).collect();
    assert_eq!(workers, ["seen", "send", "tidy", "tick"]);
    let send = program.workers.iter().nth(1).expect("a worker");
    assert_eq!((send.concurrency, send.lease_ms, send.attempts), (200, 60_000, 3));
    let Trigger::Due { pattern, .. } = &send.trigger else { panic!("{:?}", send.trigger) };
    assert_eq!(&*program.patterns[*pattern].name, "due send");
    let tidy = program.workers.iter().nth(2).expect("a worker");
    assert!(
        matches!(&tidy.trigger, Trigger::Every(Schedule::Cron { zone: Some(zone), .. }) if &**zone == "Europe/Berlin")
    );
    let route = program.routes.iter().next().expect("a route");
    assert_eq!(route.status, 202);
    assert!(matches!(route.segments.as_slice(), [Segment::Literal(_), Segment::Parameter(_)]));
    assert!(program.operations[route.operation].system);
    let mine = program.routes.iter().nth(1).expect("a route");
    assert!(!program.operations[mine.operation].system, "what a caller runs has a caller");
}

#[test]
fn nothing_internal_can_be_called() {
    let program = compiled(RELAY).program;
    assert!(program.names.keys().all(|name| !name.contains(' ')), "{:?}", program.names);
    assert_eq!(program.callee("worker send"), None);
}

#[test]
fn a_program_that_acts_survives_the_wire() {
    let program = compiled(RELAY).program;
    let text = serde_json::to_string(&wire::write(&program)).expect("JSON");
    let form: serde_json::Value = serde_json::from_str(&text).expect("a program");
    let read = wire::read(&form).expect("readable");
    assert_eq!(serde_json::to_string(&wire::write(&read)).expect("JSON"), text);
    assert_eq!(read.workers.len(), 4);
}

#[test]
fn an_effect_happens_in_steps_of_its_own() {
    let cases = [
        (
            "operation a(url) { do ping(path: url) }",
            "`ping` can only be done by a worker or a `system` operation",
        ),
        (
            "system operation a(jobId) { transact { do ping(path: \"x\")  delete Job(jobId) } }",
            "`ping` cannot be part of a transaction",
        ),
        (
            "system operation a(jobId) { require (do ping(path: \"x\")).status = 1 else No }",
            "an effect is the whole value of a `let` or a statement",
        ),
        ("system operation a(jobId) { ping(path: \"x\") }", "`ping` is an effect"),
        ("system operation a(jobId) { do pong(path: \"x\") }", "there is no effect called `pong`"),
        ("system operation a(jobId) { do ping(route: \"x\") }", "`ping` has no parameter called `route`"),
    ];
    // Paths are compared part by part: `/a/b` and `/ab` are two.
    let two = "route \"/a/b\" = addJob(url: \"https://a.example\")  route \"/ab\" = addJob(url: \"https://a.example\")";
    assert_eq!(with(two), Vec::<String>::new());
    for (line, title) in cases {
        let found = with(line);
        assert!(found.iter().any(|each| each == title), "{line}: {found:?}");
    }
}

#[test]
fn a_declaration_that_means_nothing_is_refused() {
    let cases = [
        (
            "effect a(url: url) -> { code int } = http POST url",
            "there is no result of an HTTP request called `code`",
        ),
        ("effect a(url: url, text: string) = http POST url", "`text` is not part of the request"),
        ("effect a(url: url) = http SEND url", "there is no HTTP method called `SEND`"),
        ("effect a(url: url) -> { status string } = http POST url", "`status` is a number, not string"),
        ("effect a(to: email) = mail", "a mail needs `subject`, `text`"),
        ("worker a on remove Job as j { }", "`remove` is not a change of an item"),
        ("worker a on create Jobs as j { }", "there is no entity called `Jobs`"),
        ("worker a due Job as j by later { }", "there is no attribute of `Job` called `later`"),
        ("worker a due Job as j by tries { }", "`tries` is int, and something is due at a time"),
        ("worker a every \"61 * * * *\" { }", "\"61 * * * *\" is not a cron expression"),
        ("worker a every \"0 * * * *\" in \"Mars/Base\" { }", "\"Mars/Base\" is not a time zone"),
        ("worker a every 0s { }", "a worker runs at most every millisecond"),
        ("worker a every 1h concurrency 0 { }", "this must be at least 1"),
        ("worker send every 1h { }", "two workers are called `send`"),
        (
            "route POST \"/in/{other}\" = addJob(url: \"https://a.example\")",
            "there are two routes of this path",
        ),
        ("route \"in\" = addJob(url: \"https://a.example\")", "the path \"in\" does not begin with `/`"),
        (
            "route \"/x\" = addJob(url: \"https://a.example\") answers 404",
            "404 is not the status of a success",
        ),
        ("route \"/{id}\" = addJob(url: \"https://a.example\")", "no route can begin with `/{id}`"),
        ("route \"/api/jobs\" = addJob(url: \"https://a.example\")", "no route can begin with `/api`"),
        ("route \"/\" = addJob(url: \"https://a.example\")", "no route can begin with `/`"),
        ("route HEAD \"/x\" = addJob(url: \"https://a.example\")", "there is no HTTP method called `HEAD`"),
        (
            "session = keyByHash(token) as k { user: k.userId }",
            "there is no part of the caller called `user`",
        ),
        ("session = keyByHash(token) as k { }", "this session does not say what `userId` of the caller is"),
        (
            "test \"t\" { given post(url: \"https://a.example\") -> { status: \"no\" } }",
            "an int is wanted, not text",
        ),
        ("test \"t\" { expect did pots 3 times }", "there is no effect called `pots`"),
    ];
    for (line, title) in cases {
        let found = with(line);
        assert!(found.iter().any(|each| each.starts_with(title)), "{line}: {found:?}");
    }
}

#[test]
fn choices_are_checked_one_by_one() {
    let cases = [
        (
            "system operation a(jobId, n: int) { update Job(jobId) { state: choose { n = 1: done, otherwise: gone } } }",
            "`gone` is not one of `waiting | done | failed`",
        ),
        (
            "system operation a(jobId, n: int) { update Job(jobId) { state: choose { n = 1: done } } }",
            "there may be no choice, but this must always be there",
        ),
        (
            "system operation a(jobId, n: int) { update Job(jobId) { state: choose { n: done, otherwise: done } } }",
            "a condition is true or false, not an int",
        ),
        (
            "system operation a(n: int) { let x = choose { n = 1: 1, otherwise: \"a\" }  return x }",
            "this is text, and an earlier choice is a number",
        ),
    ];
    for (line, title) in cases {
        let found = with(line);
        assert!(found.iter().any(|each| each == title), "{line}: {found:?}");
    }
}

#[test]
fn tokens_channels_and_clauses_of_routes_are_checked() {
    let cases = [
        ("effect a(token: string) -> { sub string } = jwt home", "expected `audience`"),
        (
            "effect a(name: string) -> { sub string } = jwt home audience \"x\"",
            "verifying a token needs `token`",
        ),
        ("effect a(token: string) -> { sub string } = jwt 7 audience \"x\"", "an issuer is text"),
        ("effect a(n: int) = live n", "a channel is text"),
        ("effect a(n: int) -> { t string } = extern live n", "a channel is text"),
        ("route POST \"/x\" = topicOf(jobId: request.id) live", "a channel is followed with GET"),
        ("route GET \"/x\" = topicOf(jobId: request.id) live answers 201", "events are `text/event-stream`"),
        ("route GET \"/x\" = table() as \"csv\"", "\"csv\" is not a content type"),
        ("route GET \"/x\" = table() max 1 MB", "a body has at most 256 KB"),
        ("route GET \"/x\" = table() limit 0/s", "this must be at least 1"),
        ("route GET \"/x\" = table() limit 10/year", "`year` is not a unit of time"),
        (
            "system operation b() { let all = allJobs(jobId: new)  return csv(all, \"nothing\") }",
            "there is no attribute called `nothing`",
        ),
    ];
    for (line, title) in cases {
        let found = with(line);
        assert!(found.iter().any(|each| each.contains(title)), "{line}: {found:?}");
    }
    let program = compiled(RELAY).program;
    let routes: Vec<_> = program.routes.iter().map(|each| (each.live, each.max_body, each.limit)).collect();
    let whole = 256 * 1024;
    let expected = [
        (false, whole, None),
        (false, whole, None),
        (true, whole, None),
        (false, whole, Some((10, 60_000))),
        (false, 4_096, Some((100, 1_000))),
    ];
    assert_eq!(routes, expected);
}
