// Replays a recording of `sortkey test --record` with the npm package: each call through its client, on databases of `sortkey/testing`.
// Requests, answers and the items of every table must be those of the recording.
//
//   node replay.mjs PROGRAM RECORDING [TURN OF]
//
// With a turn, only every so many-th call is made here. Of the others the recorded writes are sent, which are those of another
// language: what one language wrote, this one reads.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { localKeyring, open } from "sortkey";
import { stop, test } from "sortkey/testing";

const { overSdk } = await import(new URL("aws.js", import.meta.resolve("sortkey")));
const [programFile, recordingFile, turn = "0", of = "1"] = process.argv.slice(2);
const program = { protocol: 1, name: programFile, fingerprint: "0".repeat(64), text: readFileSync(programFile, "utf8") };
const lines = readFileSync(recordingFile, "utf8").trim().split("\n").map((line) => JSON.parse(line));
const { setup } = lines.shift();
const READS = /^(Get|BatchGet|TransactGet|Query|Scan)/;
const bytes = (text) => new Uint8Array(Buffer.from(text, "base64"));

/** The tables as `sortkey/testing` makes them. */
const requests = (operation) => setup.tables.filter(([name]) => name === operation).map(([, body]) => JSON.parse(body));
const expiring = new Map(requests("UpdateTimeToLive").map((it) => [it.TableName, it.TimeToLiveSpecification.AttributeName]));
const tables = requests("CreateTable").map((create) => ({ create, timeToLive: expiring.get(create.TableName) }));

/** The call that is being replayed: the outcomes of its effects, and what it sends. */
let current;
/** The data keys of the test, by alias. */
let keys = {};
const master = localKeyring(Uint8Array.from(Buffer.from(setup.masterKey, "hex")));
const options = {
  cursorKey: setup.cursorKey,
  parameters: setup.parameters,
  bcryptCost: setup.bcryptCost,
  recorded: () => current.start.recorded,
  keyring: {
    newDataKey: async (alias) => {
      const [plain, wrapped] = keys[alias].map(bytes);
      return { plain, wrapped };
    },
    openDataKey: (alias, wrapped) => master.openDataKey(alias, wrapped),
  },
  handlers: new Proxy({}, {
    get: (_, name) => async () => {
      const [effect, status, body] = current.effects.shift();
      assert.equal(effect, name);
      if (status !== 200) {
        throw new Error(body);
      }
      return JSON.parse(body);
    },
  }),
  onRequest: ({ operation, body }) => {
    current.sent.push([operation, JSON.stringify(body)]);
  },
};

async function called({ start, done }, db) {
  const as = db.as(start.caller);
  const page = { cursor: start.cursor };
  try {
    if (done.items) {
      const { items, cursor = null } = await as.paged(start.name, start.arguments, page);
      return { items, cursor };
    }
    return { value: (await as.one(start.name, start.arguments, page)) ?? null };
  } catch (error) {
    if (!done.failure) {
      throw error;
    }
    return { failure: { kind: error.kind, message: error.message, field: error.field ?? null } };
  }
}

async function replayCall(call, db) {
  current = { effects: [], ...structuredClone(call), sent: [] };
  const answer = await called(call, db);
  const { consumed, ...done } = call.done;
  if (done.failure) {
    delete done.failure.faults;
  }
  assert.deepEqual(current.sent, call.sent);
  assert.deepEqual(answer, done);
}

const sorted = (value) => {
  if (Array.isArray(value)) {
    return value.map(sorted);
  }
  const names = value !== null && typeof value === "object" ? Object.keys(value).sort() : undefined;
  return names ? Object.fromEntries(names.map((name) => [name, sorted(value[name])])) : value;
};

/** Every item of a table, as sorted texts. */
async function scanned(send, table) {
  const items = [];
  let from;
  do {
    const { body } = await send("Scan", { TableName: table, ConsistentRead: true, ExclusiveStartKey: from });
    const page = JSON.parse(Buffer.from(body).toString());
    items.push(...page.Items.map((item) => JSON.stringify(sorted(item))));
    from = page.LastEvaluatedKey;
  } while (from);
  return items.sort((left, right) => Buffer.compare(Buffer.from(left), Buffer.from(right)));
}

const declared = new Proxy({}, {
  get: (_, kind) => class extends Error {
    kind = kind;
    constructor(message, { field }) {
      super(message);
      this.field = field;
    }
  },
});

let [tests, calls, made] = [0, 0, 0];
let title, fork, send;
for (const line of lines) {
  try {
    if (line.test !== undefined) {
      title = line.test;
      keys = {};
      fork = await test((settings) => open(program, declared, settings), tables, { open: options });
      send = overSdk(fork.client);
    } else if (line.now !== undefined) {
      await fork.clock.set(line.now);
    } else if (line.expire) {
      await fork.clock.advance(0);
    } else if (line.send) {
      await send(line.send[0], JSON.parse(line.send[1]));
    } else if (line.call) {
      const isMine = calls % Number(of) === Number(turn);
      calls += 1;
      Object.assign(keys, line.call.keys);
      if (isMine) {
        made += 1;
        await replayCall(line.call, fork.db);
      } else {
        for (const [operation, body] of line.call.sent.filter(([name]) => !READS.test(name))) {
          await send(operation, JSON.parse(body));
        }
      }
    } else {
      for (const [table, items] of Object.entries(line.items)) {
        assert.deepEqual(await scanned(send, table), items, table);
      }
      tests += 1;
      await fork.close();
    }
  } catch (error) {
    console.error(`${title}: ${current?.start.name}`);
    throw error;
  }
}
await stop();
console.log(`node: ${tests} tests, ${made} of ${calls} calls replayed`);
