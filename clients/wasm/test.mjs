// The core as WebAssembly: the messages of the native build, byte for byte, and Ferryhook's calls against a running server.
//
//   node clients/wasm/test.mjs core.wasm program.json ENDPOINT

import assert from "node:assert/strict";
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { performance } from "node:perf_hooks";
import { test } from "node:test";
import { Core } from "./core.mjs";

const [file, emitted, endpoint] = process.argv.slice(2);
// The module as it is packed, before compression. Without the optimiser, which released packages go through, it is larger.
// The goal is 1,200,000 bytes, which it exceeds by a third of a percent since filters and pages were added; the ceiling may only go down.
const isOptimised = existsSync(new URL("../typescript/node_modules/binaryen", import.meta.url));
const MOST_BYTES = isOptimised ? 1_204_000 : 1_500_000;

test("the module is small", async () => {
  const { size } = await stat(file);
  console.log(`# ${size} bytes`);
  assert.ok(size <= MOST_BYTES, `${size} bytes are more than ${MOST_BYTES}`);
});

test("one seed and one clock make the bytes of the native build", async () => {
  const core = await Core.load(file);
  const lines = (await readFile(new URL("transcript.jsonl", import.meta.url), "utf8")).trim().split("\n");
  const program = JSON.parse(await readFile(emitted, "utf8"));
  let [task, steps] = [0, 0];
  for (const message of lines.map((line) => JSON.parse(line))) {
    if (message.open) {
      assert.equal(core.open(JSON.stringify({ ...message.open, program })), 0);
    } else if (message.start) {
      task = core.start(message.start);
      assert.equal(task, message.task);
    } else if (message.step) {
      assert.equal(core.step(task), message.step);
      steps += 1;
    } else {
      assert.ok(core.answer(task, message.answer, message.status, Buffer.from(message.body, "hex")));
    }
  }
  assert.ok(steps > 20);
});

test("Ferryhook runs against a server", async () => {
  const core = await Core.load(file);
  const program = JSON.parse(await readFile(emitted, "utf8"));
  const random = () => randomBytes(32).toString("hex");
  const begin = performance.now();
  core.open(JSON.stringify({ program, seed: random(), cursorKey: random(), bcryptCost: 4 }));
  console.log(`# opened in ${(performance.now() - begin).toFixed(1)} ms`);
  const call = (name, args, caller) => run(core, name, args, caller);

  const email = `ada-${Date.now()}@example.com`;
  // Signing in with GitHub, so that no password has to be hashed.
  const made = await call("createUser", { email, name: "Ada", githubId: `${Date.now()}` });
  const user = made.value;
  assert.match(user?.userId ?? JSON.stringify(made), /^usr_/);
  const again = await call("createUser", { email, name: "Ada", githubId: "other" });
  assert.equal(again.failure.kind, "EmailTaken");
  assert.equal((await call("userByEmail", { email })).value.userId, user.userId);

  const caller = { userId: user.userId, permission: "admin" };
  const source = { userId: user.userId, name: "Payments", provider: "stripe", signingSecret: "whsec_1" };
  const { sourceId } = (await call("createSource", source, caller)).value;
  const { items, consumed } = await call("listSources", { userId: user.userId }, caller);
  assert.deepEqual(items.map((each) => each.sourceId), [sourceId]);
  assert.equal(consumed.requests, 1);
  const stranger = { userId: "usr_0000000000000000", permission: "admin" };
  assert.ok((await call("listSources", { userId: user.userId }, stranger)).failure);

  const side = await Promise.all([1, 2, 3, 4].map(() => call("getUser", { userId: user.userId }, caller)));
  assert.ok(side.every((each) => each.value.email === email));
  await call("deleteSource", { userId: user.userId, sourceId }, caller);
});

/** A call from its start to its end. */
async function run(core, name, args, caller) {
  const task = core.start(JSON.stringify({ name, arguments: args, caller, now: Date.now() }));
  const underWay = new Set();
  for (;;) {
    const { asks, done } = JSON.parse(core.step(task));
    if (done) {
      return done;
    }
    for (const ask of asks) {
      const answered = reply(ask).then(([status, body]) => {
        core.answer(task, ask.id, status, body);
        underWay.delete(answered);
      });
      underWay.add(answered);
    }
    await Promise.race(underWay);
  }
}

const master = randomBytes(32);

/** The host's part for the core: a status and a body. */
async function reply(ask) {
  if (ask.send) {
    const headers = { "content-type": "application/x-amz-json-1.0", "x-amz-target": `DynamoDB_20120810.${ask.send}` };
    // A server on this machine looks at the form of a signature only; an SDK would sign here.
    const date = new Date().toISOString().replace(/[-:]|\.\d+/g, "");
    const scope = `${date.slice(0, 8)}/us-east-1/dynamodb/aws4_request`;
    const signed = "SignedHeaders=content-type;host;x-amz-date;x-amz-target";
    headers["x-amz-date"] = date;
    headers.authorization = `AWS4-HMAC-SHA256 Credential=test/${scope}, ${signed}, Signature=${"0".repeat(64)}`;
    const response = await fetch(endpoint, {
      method: "POST",
      headers,
      body: JSON.stringify(ask.body),
    });
    return [response.status, new Uint8Array(await response.arrayBuffer())];
  }
  if (ask.pauseMs) {
    await new Promise((resolve) => setTimeout(resolve, ask.pauseMs));
    return [200, ""];
  }
  if (ask.newDataKey) {
    const plain = randomBytes(32);
    return [200, Buffer.concat([plain, wrap(plain, ask.newDataKey.alias)])];
  }
  if (ask.openDataKey) {
    return [200, unwrap(Buffer.from(ask.openDataKey.wrapped, "base64"), ask.openDataKey.alias)];
  }
  return [501, "this host hashes no passwords"];
}

function wrap(plain, alias) {
  const nonce = randomBytes(12);
  const cipher = createCipheriv("aes-256-gcm", master, nonce).setAAD(Buffer.from(alias));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

function unwrap(wrapped, alias) {
  const decipher = createDecipheriv("aes-256-gcm", master, wrapped.subarray(0, 12));
  decipher.setAAD(Buffer.from(alias)).setAuthTag(wrapped.subarray(-16));
  return Buffer.concat([decipher.update(wrapped.subarray(12, -16)), decipher.final()]);
}
