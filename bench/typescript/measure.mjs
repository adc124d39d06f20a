// Size, opening, and the cost of a call. Requests are answered at once, in the process: what is measured is the client's own work.

import { statSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { DynamoDBClient, GetItemCommand, QueryCommand } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { Entity } from "electrodb";
import { people } from "./out/people/index.js";

const bytes = (name) => statSync(`node_modules/sortkey/dist/${name}.wasm`).size;
console.log(`core.wasm ${bytes("core")} bytes, functions.wasm ${bytes("functions")} bytes`);

const script = `
  import { ferryhook } from "./out/ferryhook/index.js";
  const cpu = process.cpuUsage();
  const db = ferryhook({ client: { send() {} }, send: async () => ({ status: 200, body: "{}" }) });
  await db.ready();
  const { user, system } = process.cpuUsage(cpu);
  console.log((user + system) / 1000);`;
const opening = Array.from({ length: 5 }, () =>
  Number(execFileSync(process.execPath, ["--no-warnings", "--input-type=module", "--eval", script], { encoding: "utf8" })),
);
console.log(`opening Ferryhook: ${Math.min(...opening).toFixed(0)} ms of CPU at best, ${Math.max(...opening).toFixed(0)} at worst of ${opening.length}`);

const item = (id) => ({
  PK: { S: "TEAM#a" }, SK: { S: `PERSON#${id}` }, team: { S: "a" }, personId: { S: id }, name: { S: "Ada Lovelace" },
  email: { S: "ada@example.com" }, age: { N: "36" }, createdAt: { S: "2026-01-01T00:00:00.000Z" },
  __edb_e__: { S: "person" }, __edb_v__: { S: "1" },
});
const id = "per_0123456789abcdef";
const one = Buffer.from(JSON.stringify({ Item: item(id) }));
const Items = Array.from({ length: 50 }, (_, at) => item(`per_0123456789abcd${String(at).padStart(2, "0")}`));
const fifty = Buffer.from(JSON.stringify({ Items, Count: 50, ScannedCount: 50 }));

/** Answers at once, with the body that fits the request. */
const requestHandler = {
  async handle(request) {
    const body = request.headers["x-amz-target"].endsWith("GetItem") ? one : fifty;
    return { response: { statusCode: 200, headers: { "content-type": "application/x-amz-json-1.0" }, body: (async function* () { yield body; })() } };
  },
  updateHttpClientConfig() {},
  httpHandlerConfigs: () => ({}),
};
const collecting = { streamCollector: async (stream) => { for await (const chunk of stream) return new Uint8Array(chunk); } };
const client = new DynamoDBClient({ region: "us-east-1", credentials: { accessKeyId: "a", secretAccessKey: "b" }, requestHandler, ...collecting });
const db = people({ client });
const person = new Entity(
  {
    model: { entity: "person", version: "1", service: "people" },
    attributes: {
      team: { type: "string", required: true },
      personId: { type: "string", required: true },
      name: { type: "string", required: true },
      email: { type: "string", required: true },
      age: { type: "number", required: true },
      createdAt: { type: "string", required: true },
    },
    indexes: { primary: { pk: { field: "PK", composite: ["team"] }, sk: { field: "SK", composite: ["personId"] } } },
  },
  { client: DynamoDBDocumentClient.from(client), table: "people" },
);

const Key = { PK: { S: "TEAM#a" }, SK: { S: `PERSON#${id}` } };
const query = { TableName: "people", KeyConditionExpression: "PK = :p", ExpressionAttributeValues: { ":p": { S: "TEAM#a" } } };
const calls = {
  "get, bare SDK": () => client.send(new GetItemCommand({ TableName: "people", Key })),
  "get, sortkey": () => db.getPerson("a", id),
  "get, ElectroDB": () => person.get({ team: "a", personId: id }).go(),
  "list of 50, bare SDK": () => client.send(new QueryCommand(query)),
  "list of 50, sortkey": () => db.listPeople("a"),
  "list of 50, ElectroDB": () => person.query.primary({ team: "a" }).go(),
};
const microseconds = {};
for (const round of ["warm", "measured", "measured", "measured"]) {
  for (const [name, call] of Object.entries(calls)) {
    const times = name.startsWith("get") ? 3000 : 600;
    globalThis.gc?.();
    const cpu = process.cpuUsage();
    for (let at = 0; at < times; at += 1) {
      await call();
    }
    const { user, system } = process.cpuUsage(cpu);
    if (round === "measured") {
      microseconds[name] = Math.min(microseconds[name] ?? Infinity, (user + system) / times);
    }
  }
}
for (const [name, each] of Object.entries(microseconds)) {
  console.log(`${name.padEnd(24)} ${each.toFixed(0).padStart(6)} µs of CPU`);
}
console.log(`above the bare SDK: get ${(microseconds["get, sortkey"] - microseconds["get, bare SDK"]).toFixed(0)} µs`);
