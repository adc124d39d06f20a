// Ferryhook's generated client against forks of one database: calls, pages, errors, bytes, functions, time.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { Invalid, NotFound, Throttled, type Request } from "sortkey";
import { stop, test as database } from "sortkey/testing";
import {
  EmailTaken,
  SourceId,
  ferryhook,
  tables,
  type Ferryhook,
  type FerryhookError,
} from "../generated/ferryhook/index.js";

after(stop);

const fresh = (open = {}) => database(ferryhook, tables, { open });

async function withUser(db: Ferryhook) {
  const user = await db.users.create({ email: "ada@example.com", name: "Ada", password: "correct horse" });
  return { user, me: db.as({ userId: user.userId, permission: "admin" }) };
}

test("calls give the design's types", async () => {
  const { db, close } = await fresh();
  const { user, me } = await withUser(db);
  assert.match(user.userId, /^usr_/);
  assert.equal(user.plan, "free");
  assert.deepEqual(await me.users.getById(), user);
  assert.equal(await db.sources.getById(SourceId("src_0000000000000000")), undefined);
  const source = await me.sources.create({ name: "Payments", provider: "stripe", signingSecret: "whsec_1" });
  assert.ok(!("signingSecret" in source));
  assert.equal((await me.sources.update(source.sourceId, { name: "Other" })).name, "Other");
  const key = await me.apiKeys.create({ name: "k", permissions: "read" });
  assert.match(key.key, /^fh_/);
  const found = await db.authenticate(key.key);
  assert.equal(found?.keyId, key.keyId);
  assert.ok(found && !("key" in found));
  await close();
});

test("lists are pages, or every item", async () => {
  const { db, close } = await fresh();
  const { me } = await withUser(db);
  for (const name of ["a", "b", "c", "d", "e"]) {
    await me.sources.create({ name, provider: "custom" });
  }
  const page = await me.sources.listByUser(undefined, { limit: 2 });
  assert.equal(page.items.length, 2);
  assert.ok(page.cursor);
  const next = await me.sources.listByUser(undefined, { limit: 2, cursor: page.cursor });
  assert.notDeepEqual(next.items, page.items);
  const names = [];
  for await (const source of me.sources.listByUser(undefined, { limit: 2 })) {
    names.push(source.name);
  }
  assert.deepEqual(names.sort(), ["a", "b", "c", "d", "e"]);
  assert.equal((await me.sources.listByUser().all(3)).length, 3);
  await close();
});

test("errors are classes of the design and of the package", async () => {
  const { db, close } = await fresh();
  const { me } = await withUser(db);
  const again = db.users.create({ email: " ADA@example.com ", name: "Ada", githubId: "1" });
  await assert.rejects(again, (error: FerryhookError) => error instanceof EmailTaken && error.kind === "EmailTaken");
  const gone = me.sources.update(SourceId("src_0000000000000000"), { name: "x" });
  await assert.rejects(gone, (error) => error instanceof NotFound && error.call === "sources.update");
  const long = me.sources.create({ name: "", provider: "nobody" as never });
  await assert.rejects(long, (error) => error instanceof Invalid && error.faults.length === 2);
  await assert.rejects(db.sources.listByUser(), { kind: "Unauthenticated" });
  await close();
});

test("bytes are bytes, and functions run in a module of their own", async () => {
  const { db, close } = await fresh();
  const { me } = await withUser(db);
  const { sourceId } = await me.sources.create({ name: "Orders", provider: "custom" });
  const body = new TextEncoder().encode("{\"a\":1}");
  const given = { headers: { "content-type": "application/json" }, body, sourceIp: "203.0.113.7", method: "POST" } as const;
  const event = await db.events.create({ sourceId, ...given });
  const payload = await me.payloadOf(event.eventId);
  assert.ok(payload?.body instanceof Uint8Array);
  assert.deepEqual(payload.body, body);
  const signed = await me.sources.create({ name: "Signed", provider: "github", signingSecret: "s3cret" });
  await assert.rejects(db.events.create({ sourceId: signed.sourceId, ...given }), { kind: "Unauthenticated" });
  const hmac = (await import("node:crypto")).createHmac("sha256", "s3cret").update(body).digest("hex");
  const headers = { ...given.headers, "x-hub-signature-256": `sha256=${hmac}` };
  assert.equal((await db.events.create({ sourceId: signed.sourceId, ...given, headers })).status, "received");
  await close();
});

test("a password is hashed beside the event loop", async () => {
  const { db, close } = await fresh({ bcryptCost: 12 });
  let ticks = 0;
  const timer = setInterval(() => (ticks += 1), 5);
  await withUser(db);
  await db.signIn("ada@example.com", "correct horse", "1.2.3.4");
  await assert.rejects(db.signIn("ada@example.com", "wrong", "1.2.3.4"), { kind: "BadCredentials" });
  clearInterval(timer);
  assert.ok(ticks > 5, `the event loop went round ${ticks} times`);
  await close();
});

test("time is what the test says", async () => {
  const { db, clock, close } = await fresh();
  const state = await db.beginSignIn("github");
  assert.equal(state.expiresAt, clock.now() / 1000 + 600);
  const { user } = await withUser(db);
  assert.equal(user.createdAt, new Date(clock.now()).toISOString());
  await clock.advance(3600_000);
  await assert.rejects(db.githubSignIn("code", state.state), { kind: "BadCredentials" });
  await close();
});

test("tests see nothing of each other", async () => {
  const [one, other] = [await fresh(), await fresh()];
  const [a, b] = [await withUser(one.db), await withUser(other.db)];
  // One seed makes one id: the databases are equal and two.
  assert.equal(a.user.userId, b.user.userId);
  await one.close();
  assert.equal((await b.me.users.getById())?.name, "Ada");
  await other.close();
});

test("every request is seen, and the SDK's middleware sees it too", async () => {
  const requests: Request[] = [];
  const statuses: number[] = [];
  const onRequest = (request: Request) => {
    requests.push(request);
    return ({ status }: { status: number }) => void statuses.push(status);
  };
  const { db, client, close } = await fresh({ onRequest });
  const commands: string[] = [];
  client.middlewareStack.add((next, context) => (args) => (commands.push(context.commandName ?? ""), next(args)), { step: "initialize" });
  await withUser(db);
  assert.deepEqual(requests.map(({ operation }) => operation), ["TransactWriteItems"]);
  assert.deepEqual(statuses, [200]);
  assert.deepEqual(commands, ["TransactWriteItemsCommand"]);
  await close();
});

test("throttling is the SDK's to wait for, and an error in the end", async () => {
  const { db, faults, close } = await fresh();
  const { me } = await withUser(db);
  await faults({ throttle: 2 });
  assert.equal((await me.users.getById())?.name, "Ada");
  await faults({ throttle: 100 });
  await assert.rejects(me.users.getById(), (error) => error instanceof Throttled);
  await close();
});

test("changes of a stream have the design's types", async () => {
  const { db, clock, close } = await fresh();
  const arn = "arn:aws:dynamodb:us-east-1:123456789012:table/ferryhook-events/stream/2026";
  const image = (status: string) => ({
    PK: { S: "SRC#src_aaaaaaaaaaaaaaaa" }, SK: { S: `EVT#${clock.now()}#evt_aaaaaaaaaaaaaaaa` },
    sourceId: { S: "src_aaaaaaaaaaaaaaaa" }, eventId: { S: "evt_aaaaaaaaaaaaaaaa" }, userId: { S: "usr_aaaaaaaaaaaaaaaa" },
    status: { S: status }, headers: { S: "{\"a\":\"b\"}" }, sourceIp: { S: "1.1.1.1" }, method: { S: "POST" },
    receivedAt: { N: String(clock.now()) }, expiresAt: { N: "1800000000" },
  });
  const changes = await db.changes([
    { eventName: "MODIFY", eventSourceARN: arn, dynamodb: { NewImage: image("processing"), OldImage: image("received") } },
    { eventName: "INSERT", eventSourceARN: arn, dynamodb: { NewImage: { PK: { S: "receipt#x" }, SK: { S: "x" } } } },
  ]);
  assert.equal(changes.length, 1);
  const [change] = changes;
  assert.ok(change?.entity === "Event" && change.change === "update");
  assert.deepEqual([change.before?.status, change.item?.status], ["received", "processing"]);
  assert.deepEqual(change.item?.headers, { a: "b" });
  await close();
});

test("a call can be given up", async () => {
  const { db, close } = await fresh();
  const { me } = await withUser(db);
  const controller = new AbortController();
  controller.abort();
  await assert.rejects(me.users.getById(undefined, { signal: controller.signal }), { name: "AbortError" });
  await close();
});

test("a core whose memory has grown is replaced, and makes other ids", async () => {
  const { db, close } = await fresh({ memoryLimit: 1 });
  const { me } = await withUser(db);
  const made = [];
  for (let at = 0; at < 5; at += 1) {
    made.push((await me.sources.create({ name: "x", provider: "custom" })).sourceId);
  }
  assert.equal(new Set(made).size, 5);
  await close();
});

test("calls run side by side", async () => {
  const { db, close } = await fresh();
  const { me } = await withUser(db);
  const names = Array.from({ length: 50 }, (_, at) => `s${at}`);
  const sources = await Promise.all(names.map((name) => me.sources.create({ name, provider: "custom" })));
  assert.deepEqual(sources.map(({ name }) => name), names);
  await pause(0);
  await close();
});

