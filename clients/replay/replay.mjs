// Node among the three languages of served.py: replays a recording of `sortkey test --record` with the npm package, each call through
// its client, on forks of a server, each of which keeps its requests. Requests and answers must be those of the recording.
//
//   node replay.mjs PROGRAM RECORDING ENDPOINT [TURN OF]
//
// With a turn, only every so many-th call is made here. Of the others the recorded writes are sent, which are those of another
// language: what one language wrote, this one reads.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { localKeyring, open } from "sortkey";

const { overSdk } = await import(new URL("aws.js", import.meta.resolve("sortkey")));
const [programFile, recordingFile, endpoint, turn = "0", of = "1"] = process.argv.slice(2);
const program = { protocol: 1, name: programFile, fingerprint: "0".repeat(64), text: readFileSync(programFile, "utf8") };
const lines = readFileSync(recordingFile, "utf8").trim().split("\n").map((line) => JSON.parse(line));
const { setup } = lines.shift();
const READS = /^(Get|BatchGet|TransactGet|Query|Scan)/;
const bytes = (text) => new Uint8Array(Buffer.from(text, "base64"));

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

/** A test on a fork of its own. */
class Player {
  #fork;
  #client;
  db;
  send;

  constructor(fork) {
    this.#fork = fork;
    const credentials = { accessKeyId: "test", secretAccessKey: "test" };
    this.#client = new DynamoDBClient({ endpoint, region: "us-east-1", credentials });
    const addressed = (next) => (args) => {
      args.request.headers["x-sortkey-fork"] = fork;
      return next(args);
    };
    this.#client.middlewareStack.add(addressed, { step: "build", name: "replayFork" });
    // Requests side by side arrive in any order. One after the other, those of all languages can be compared.
    const send = this.#client.send.bind(this.#client);
    let last = Promise.resolve();
    this.#client.send = (command, more) => {
      const sent = last.then(() => send(command, more));
      last = sent.catch(() => undefined);
      return sent;
    };
    this.send = overSdk(this.#client);
  }

  async begin() {
    await administer("/forks", { name: this.#fork, from: "base", record: true });
    const now = () => this.now;
    this.db = open(program, declared, { client: this.#client, seed: new Uint8Array(32), clock: now, ...options });
  }

  async at(now) {
    this.now = now;
    await administer("/clock", { stopMs: now }, this.#fork);
  }

  expire() {
    return administer("/expire", {}, this.#fork);
  }

  async close() {
    await this.db.close();
    this.#client.destroy();
  }
}

async function administer(path, body, fork) {
  const headers = { "content-type": "application/json", ...(fork ? { "x-sortkey-fork": fork } : {}) };
  const response = await fetch(`${endpoint}/_sortkey${path}`, { method: "POST", headers, body: JSON.stringify(body) });
  assert.ok(response.ok, await response.text());
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
let title, player;
for (const line of lines) {
  try {
    if (line.test !== undefined) {
      title = line.test;
      keys = {};
      player = new Player(`node-${of === "1" ? "" : "turn-"}${tests}`);
      await player.begin();
      await player.at(setup.now);
    } else if (line.now !== undefined) {
      await player.at(line.now);
    } else if (line.expire) {
      await player.expire();
    } else if (line.send) {
      await player.send(line.send[0], JSON.parse(line.send[1]));
    } else if (line.call) {
      const isMine = calls % Number(of) === Number(turn);
      calls += 1;
      Object.assign(keys, line.call.keys);
      if (isMine) {
        made += 1;
        await replayCall(line.call, player.db);
      } else {
        for (const [operation, body] of line.call.sent.filter(([name]) => !READS.test(name))) {
          await player.send(operation, JSON.parse(body));
        }
      }
    } else {
      tests += 1;
      await player.close();
    }
  } catch (error) {
    console.error(`${title}: ${current?.start.name}`);
    throw error;
  }
}
console.log(`node: ${tests} tests, ${made} of ${calls} calls replayed`);
