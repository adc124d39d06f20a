// Tests without servers of their own: one `sortkey` process for all of them, and a fork of its database for each.
//
// The process ends with this one, however this one ends: it is started with the id of its parent.

import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";
import { CreateTableCommand, DynamoDBClient, UpdateTimeToLiveCommand } from "@aws-sdk/client-dynamodb";
import { localKeyring } from "./keyring.js";

const CREDENTIALS = { accessKeyId: "test", secretAccessKey: "test" };

/** The moment at which every test begins. */
const START = Date.UTC(2026, 0, 1);

let server;
let forks = 0;

/** The address of the process, started once. */
async function address() {
  server ??= started();
  return (await server).url;
}

async function started() {
  const binary = found();
  const args = ["serve", "--in-memory", "--port", "0", "--parent", String(process.pid)];
  const child = spawn(binary, args, { stdio: ["ignore", "pipe", "pipe"] });
  let said = "";
  const url = await new Promise((resolve, reject) => {
    child.on("error", (error) => reject(new Error(`cannot start ${binary}: ${error.message}`)));
    child.on("exit", (code) => reject(new Error(`${binary} ended with ${code}: ${said}`)));
    for (const stream of [child.stdout, child.stderr]) {
      createInterface({ input: stream }).on("line", (line) => {
        said += `${line}\n`;
        const address = /http:\/\/[0-9.]+:[0-9]+/.exec(line)?.[0];
        if (address) {
          resolve(address);
        }
      });
    }
  });
  // It does not keep the tests from ending.
  child.unref();
  child.stdout.unref?.();
  child.stderr.unref?.();
  return { url, child, tables: new Map() };
}

/** The binary: SORTKEY_BIN, or the package `sortkey-cli`. */
function found() {
  if (process.env.SORTKEY_BIN) {
    return process.env.SORTKEY_BIN;
  }
  try {
    return createRequire(`${process.cwd()}/x.js`)("sortkey-cli").binary();
  } catch (cause) {
    throw new Error("tests need the binary: `npm install --save-dev sortkey-cli`, or set SORTKEY_BIN", { cause });
  }
}

/**
 * A fresh database for one test, opened with a generated client.
 *
 *   const db = await test(links, tables, { caller: { userId } });
 */
export async function test(open, tables, options = {}) {
  if (tables.length === 0) {
    throw new Error("the client has no tables: a parameter without a value names one; give the parameter a default in the design");
  }
  const url = await address();
  const base = await seeded(url, tables);
  const name = `test-${process.pid}-${forks++}`;
  await ask(url, "/forks", { name, from: base });
  const client = connected(url, name);
  const clock = new Clock(url, name, options.now ?? START);
  await clock.set(options.now ?? START);
  const db = open({
    client,
    keyring: localKeyring(new Uint8Array(32)),
    bcryptCost: 4,
    seed: seedOf(options.seed ?? 1),
    clock: () => clock.now(),
    ...options.open,
    ...(options.caller ? { caller: options.caller } : {}),
  });
  const close = async () => {
    await db.close?.();
    client.destroy();
    await ask(url, `/forks/${name}`, undefined, undefined, "DELETE");
  };
  return { db, clock, client, faults: (fault) => ask(url, "/faults", fault, name), close };
}

/** A fork in which the tables of a design are. Designs with the same tables share it. */
async function seeded(url, tables) {
  const { tables: known } = await server;
  const key = JSON.stringify(tables);
  if (!known.has(key)) {
    const name = `tables-${process.pid}-${known.size}`;
    known.set(key, create(url, name, tables));
  }
  return known.get(key);
}

async function create(url, name, tables) {
  await ask(url, "/forks", { name });
  const client = connected(url, name);
  for (const { create: input, timeToLive } of tables) {
    await client.send(new CreateTableCommand(input));
    if (timeToLive) {
      const specification = { AttributeName: timeToLive, Enabled: true };
      await client.send(new UpdateTimeToLiveCommand({ TableName: input.TableName, TimeToLiveSpecification: specification }));
    }
  }
  client.destroy();
  return name;
}

/** A client whose every request goes to a fork. */
function connected(endpoint, fork) {
  const client = new DynamoDBClient({ endpoint, region: "us-east-1", credentials: CREDENTIALS });
  const addressed = (next) => (args) => {
    args.request.headers["x-sortkey-fork"] = fork;
    return next(args);
  };
  client.middlewareStack.add(addressed, { step: "build", name: "sortkeyFork" });
  return client;
}

/** A clock that the test moves: the database's and the client's. */
class Clock {
  #url;
  #fork;
  #now;

  constructor(url, fork, now) {
    this.#url = url;
    this.#fork = fork;
    this.#now = now;
  }

  now() {
    return this.#now;
  }

  async set(now) {
    this.#now = now;
    await ask(this.#url, "/clock", { stopMs: now }, this.#fork);
  }

  /** Lets time pass, and deletes what expires meanwhile. */
  async advance(milliseconds) {
    await this.set(this.#now + milliseconds);
    await ask(this.#url, "/expire", {}, this.#fork);
  }
}

function seedOf(number) {
  const seed = new Uint8Array(32);
  new DataView(seed.buffer).setUint32(0, number);
  return seed;
}

async function ask(url, path, body, fork, method = "POST") {
  const headers = { "content-type": "application/json", ...(fork ? { "x-sortkey-fork": fork } : {}) };
  const response = await fetch(`${url}/_sortkey${path}`, { method, headers, body: body && JSON.stringify(body) });
  if (!response.ok) {
    throw new Error(`${method} ${path}: ${await response.text()}`);
  }
}

/** Ends the process. The tests' own end does so as well. */
export async function stop() {
  const running = await server;
  server = undefined;
  running?.child.kill();
}
