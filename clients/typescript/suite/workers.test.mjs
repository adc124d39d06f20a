// Workers as handlers: of a stream's records, of what is due, of a schedule.

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { ScanCommand } from "@aws-sdk/client-dynamodb";
import { stop, test as database } from "sortkey/testing";
import * as core from "../out/generated/core-service/index.js";
import { ferryhook, tables } from "../out/generated/ferryhook/index.js";

after(stop);

/** A relay with one connection, with a scripted receiver, and a webhook for it. */
async function relayed(status) {
  const posted = [];
  const fetch = async (url, { body }) => {
    posted.push({ url: String(url), body: Buffer.from(body).toString() });
    return new Response("thanks", { status });
  };
  const { db, client, clock, close } = await database(ferryhook, tables, { open: { fetch } });
  const { userId } = await db.users.create({ email: "ada@example.com", name: "Ada", githubId: "1" });
  const me = db.as({ userId, permission: "admin" });
  const { sourceId } = await me.sources.create({ name: "Orders", provider: "custom" });
  const connection = { sourceId, name: "c", destinationUrl: "https://example.com/hook", signingSecret: `whsec_${btoa("0123456789abcdef01234567")}` };
  const { connectionId } = await me.connections.create(connection);
  const body = new TextEncoder().encode("{\"a\":1}");
  const event = await db.events.create({ sourceId, headers: {}, body, sourceIp: "203.0.113.7", method: "POST" });
  return { db, me, client, clock, close, posted, sourceId, connectionId, event };
}

/** Everything in a table as the records of a stream, as if it had been written just now. */
async function records(client, table, eventName) {
  const { Items } = await client.send(new ScanCommand({ TableName: table, ConsistentRead: true }));
  const eventSourceARN = `arn:aws:dynamodb:us-east-1:000000000000:table/${table}/stream/2026`;
  return Items.map((NewImage, at) => ({ eventName, eventSourceARN, dynamodb: { NewImage, SequenceNumber: String(at + 1) } }));
}

test("a webhook is accepted, delivered and counted by workers that a Lambda calls", async () => {
  const { db, me, client, clock, close, posted, sourceId, connectionId, event } = await relayed(200);
  // What is not the worker's starts nothing, and a second delivery of the same records does nothing twice.
  for (let time = 0; time < 2; time += 1) {
    assert.deepEqual(await db.workers.records(await records(client, "ferryhook-events", "INSERT")), { batchItemFailures: [] });
  }
  assert.deepEqual(await db.workers.deliver(), { runs: 1, failed: 0, isDone: true });
  assert.equal(posted.length, 1);
  assert.deepEqual(posted[0], { url: "https://example.com/hook", body: "{\"a\":1}" });
  assert.deepEqual(await db.workers.deliver(), { runs: 0, failed: 0, isDone: true });
  assert.equal((await me.events.getById(event.eventId)).status, "delivered");
  await clock.advance(180_000);
  assert.ok((await db.workers.count()).runs >= 1);
  assert.equal((await me.sources.getById(sourceId)).eventCount, 1);
  assert.equal((await me.connections.listBySource(sourceId)).items.find((each) => each.connectionId === connectionId).deliveryCount, 1);
  await close();
});

test("a delivery that failed is due again later, and none is begun when the time is over", async () => {
  const { db, client, clock, close, posted } = await relayed(503);
  await db.workers.records(await records(client, "ferryhook-events", "INSERT"));
  assert.deepEqual(await db.workers.deliver({ until: Date.now() - 1 }), { runs: 0, failed: 0, isDone: false });
  assert.equal((await db.workers.deliver()).runs, 1);
  assert.equal((await db.workers.deliver()).runs, 0);
  await clock.advance(60_000);
  assert.equal((await db.workers.deliver()).runs, 1);
  assert.equal(posted.length, 2);
  await close();
});

test("the first record whose run fails is named, and none behind it is run", async () => {
  const { db, client, close } = await relayed(200);
  const good = await records(client, "ferryhook-events", "INSERT");
  const event = good.find(({ dynamodb }) => dynamodb.NewImage.status?.S === "received");
  const broken = structuredClone(event);
  Object.assign(broken.dynamodb, { SequenceNumber: "broken", NewImage: { ...broken.dynamodb.NewImage, headers: { S: "none" } } });
  const told = [];
  const options = { onFailure: (error, worker) => told.push([worker, error.kind]) };
  const answer = await db.workers.records([broken, event], options);
  assert.deepEqual(answer, { batchItemFailures: [{ itemIdentifier: "broken" }] });
  assert.deepEqual(told, [["accept", "Invalid"]]);
  assert.equal((await db.workers.deliver()).runs, 0);
  await close();
});

test("a slot of a schedule runs once", async () => {
  const handlers = new Proxy({}, { get: () => async () => ({}) });
  const { db, close } = await database(core.coreService, core.tables, { now: Date.UTC(2026, 0, 2), open: { handlers } });
  assert.equal((await db.workers.gaugeDay("2026-01-01T23:50:00Z")).runs, 1);
  assert.equal((await db.workers.gaugeDay("2026-01-01T23:50:00Z")).runs, 0);
  assert.equal((await db.workers.gaugeDay(new Date("2026-01-02T23:50:00Z"))).runs, 1);
  await close();
});
