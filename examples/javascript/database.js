// A DynamoDB for the tests of a JavaScript program: one server for the process, a fork of its database for each test.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { CreateTableCommand, DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";

const credentials = { accessKeyId: "any", secretAccessKey: "any" };

/** Starts a server in memory. It stops with this process, even if this process is killed. */
export async function start() {
  const program = process.env.SORTKEY_BIN ?? "sortkey";
  const given = ["serve", "--in-memory", "--port", "0", "--parent", String(process.pid)];
  const server = spawn(program, given, { stdio: ["ignore", "pipe", "inherit"] });
  // The first line always has this form: "sortkey is listening on http://127.0.0.1:40123".
  const [line] = await once(createInterface(server.stdout), "line");
  const address = line.split(" ").at(-1);
  const client = new DynamoDBClient({ endpoint: address, region: "us-east-1", credentials });
  await client.send(new CreateTableCommand({
    TableName: "notes",
    AttributeDefinitions: [{ AttributeName: "user", AttributeType: "S" }, { AttributeName: "at", AttributeType: "N" }],
    KeySchema: [{ AttributeName: "user", KeyType: "HASH" }, { AttributeName: "at", KeyType: "RANGE" }],
    BillingMode: "PAY_PER_REQUEST",
  }));
  return { address, stop: () => { client.destroy(); server.kill(); } };
}

/** A client of a database that nobody else sees: a fork of the one with the empty table. */
export async function fork(address, name) {
  const answer = await fetch(`${address}/_sortkey/forks`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ name }),
  });
  if (!answer.ok) throw new Error(await answer.text());
  const client = new DynamoDBClient({ endpoint: address, region: "us-east-1", credentials });
  const onFork = (next) => async (args) => {
    args.request.headers["x-sortkey-fork"] = name;
    return next(args);
  };
  client.middlewareStack.add(onFork, { step: "build" });
  return DynamoDBDocumentClient.from(client);
}
