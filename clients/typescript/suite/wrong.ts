// Programs that must not compile, one each: `tsc` fails where a line below `@ts-expect-error` is accepted.

import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { FerryhookError } from "../generated/ferryhook/index.js";
import { EmailTaken, EventId, SourceId, UserId, ferryhook } from "../generated/ferryhook/index.js";
import type { Ferryhook, Source } from "../generated/ferryhook/index.js";
import { coreService } from "../generated/core-service/index.js";
import { listbackup } from "../generated/listbackup/index.js";

declare const client: DynamoDBClient;
declare const db: Ferryhook;
declare const error: FerryhookError;
declare const source: Source;
const [userId, sourceId, eventId] = [UserId("usr_1"), SourceId("src_1"), EventId("evt_1")];

export async function wrong(): Promise<void> {
  // ---- ids
  // @ts-expect-error a user's id is no source's
  await db.sources.getById(userId);
  // @ts-expect-error text is no id
  await db.sources.getById("src_1");
  // @ts-expect-error a source's id is no event's
  await db.events.getById(sourceId);
  // @ts-expect-error an event's id is no user's
  await db.users.incrementUsage(eventId);
  // @ts-expect-error the two ids in the wrong order
  await db.connections.delete(source.userId, sourceId);
  // @ts-expect-error an id is no number
  await db.events.getById(1);
  // @ts-expect-error ids of two kinds are never equal
  if (source.userId === source.sourceId) return;

  // ---- what must be given
  // @ts-expect-error no arguments
  await db.sources.create();
  // @ts-expect-error no provider
  await db.sources.create({ name: "a" });
  // @ts-expect-error no name
  await db.sources.create({ provider: "stripe" });
  // @ts-expect-error no id
  await db.sources.getById();
  // @ts-expect-error no changes
  await db.sources.update(sourceId);
  // @ts-expect-error a new connection needs a signing secret
  await db.connections.create({ sourceId, name: "a", destinationUrl: "https://example.com" });
  // @ts-expect-error a key has all its parts
  await db.events.updateStatus({ sourceId, eventId }, "processing");
  // @ts-expect-error a client needs a connection
  ferryhook({});

  // ---- what there is
  // @ts-expect-error no such attribute
  await db.sources.create({ name: "a", provider: "stripe", colour: "red" });
  // @ts-expect-error no such change
  await db.sources.update(sourceId, { eventCount: 1 });
  // @ts-expect-error a key does not change
  await db.sources.update(sourceId, { sourceId });
  // @ts-expect-error no such call
  await db.sources.list();
  // @ts-expect-error no such module
  await db.invoices.create({});
  // @ts-expect-error what serves a worker has no name
  await db.accept({});
  // @ts-expect-error no such option
  ferryhook({ client, region: "us-east-1" });
  // @ts-expect-error no such parameter of the design
  ferryhook({ client, parameters: { githubAddress: "x" } });

  // ---- types of values
  // @ts-expect-error a name is text
  await db.sources.create({ name: 1, provider: "stripe" });
  // @ts-expect-error bytes are bytes
  await db.events.create({ sourceId, headers: {}, body: "e30=", sourceIp: "1.1.1.1", method: "POST" });
  // @ts-expect-error headers are text
  await db.events.create({ sourceId, headers: { a: 1 }, body: new Uint8Array(), sourceIp: "1.1.1.1", method: "POST" });
  // @ts-expect-error milliseconds are a number
  await db.events.updateStatus({ sourceId, eventId, receivedAt: "2026-01-01" }, "processing");
  // @ts-expect-error a count is a number
  await db.users.incrementUsage(userId, "1");
  // @ts-expect-error never null
  await db.sources.create({ name: "a", provider: "stripe", signingSecret: null });
  // @ts-expect-error what an item always has cannot be removed
  await db.sources.update(sourceId, { name: null });
  // @ts-expect-error a list of rules
  await db.connections.update(sourceId, "conn_1" as never, { filters: { path: "a", op: "eq" } });
  // @ts-expect-error no such member of a rule
  await db.connections.update(sourceId, "conn_1" as never, { filters: [{ path: "a", op: "eq", negated: true }] });

  // ---- words
  // @ts-expect-error no such provider
  await db.sources.create({ name: "a", provider: "paypal" });
  // @ts-expect-error no such state
  await db.events.updateStatus({ sourceId, eventId, receivedAt: 1 }, "lost");
  // @ts-expect-error no such permission
  ferryhook({ client, caller: { userId, permission: "owner" } });
  // @ts-expect-error no such method
  await db.events.create({ sourceId, headers: {}, body: new Uint8Array(), sourceIp: "1.1.1.1", method: "HEAD" });

  // ---- answers
  // @ts-expect-error there may be none
  (await db.sources.getById(sourceId)).name;
  // @ts-expect-error a page is no list
  (await db.sources.listByUser()).length;
  // @ts-expect-error secrets are in no answer
  source.signingSecret;
  // @ts-expect-error a password is in no answer
  (await db.users.create({ email: "a@example.com", name: "A" })).passwordHash;
  // @ts-expect-error what is returned once is not in what is read later
  (await db.apiKeys.getByHash("x"))?.key;
  // @ts-expect-error may be absent
  source.lastEventAt.slice(0, 10);
  // @ts-expect-error an item of another kind has no body
  for await (const each of db.eventInFull(eventId)) if (each.$entity === "Attempt") each.body;
  // @ts-expect-error a sum is a number
  (await db.usageOfPeriod("2026-01-01")).length;
  // @ts-expect-error a call gives a promise
  db.sources.create({ name: "a", provider: "stripe" }).name;
  // @ts-expect-error pages have a limit, which is a number
  await db.sources.listByUser(userId, { limit: "10" });

  // ---- errors
  // @ts-expect-error no such kind
  if (error.kind === "EmailGone") return;
  // @ts-expect-error a design's error is one of its own
  const taken: EmailTaken = new Error("x");
  void taken;

  // ---- other designs
  // @ts-expect-error a caller of another design
  coreService({ client, caller: { userId, permission: "admin" } });
  // @ts-expect-error a module of another design
  listbackup({ client }).users;
}
