// Faults around a client: another design, an old package, wrong credentials, a network that drops, a parent that dies.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { after, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { AccessDenied, ConnectionLost, Invalid, OldCore, OldProgram, WrongCredentials, WrongDesign, open } from "sortkey";
import { stop, test as database } from "sortkey/testing";
import { ferryhook, program, tables } from "../out/generated/ferryhook/index.js";
import { program as another } from "../out/generated/t3nets/index.js";

after(stop);

const region = "us-east-1";
const credentials = { accessKeyId: "a", secretAccessKey: "b" };
const user = { email: "ada@example.com", name: "Ada", githubId: "1" };

/** A server that answers every request with `answer`. */
async function served(answer) {
  const server = createServer((request, response) => {
    request.resume().on("end", () => answer(request, response));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const client = new DynamoDBClient({ endpoint: `http://127.0.0.1:${server.address().port}`, region, credentials, maxAttempts: 2 });
  return { client, close: () => (client.destroy(), server.closeAllConnections(), server.close()) };
}

test("a client of another design says which it was", async () => {
  const client = new DynamoDBClient({ region, credentials });
  const db = ferryhook({ client, program: another });
  await assert.rejects(db.users.getByEmail("a@example.com"), (error) => {
    assert.ok(error instanceof WrongDesign);
    assert.match(error.message, /"ferryhook" version 1 \(.*"t3nets"/);
    return true;
  });
});

test("a program that is newer than the package is an old core", async () => {
  const client = new DynamoDBClient({ region, credentials });
  const newer = open({ ...program, protocol: 99 }, {}, { client });
  await assert.rejects(newer.ready(), (error) => error instanceof OldCore && /protocol 99/.test(error.message));
  const text = program.text.replace("\"version\":2", "\"version\":3");
  const other = open({ ...program, text }, {}, { client });
  await assert.rejects(other.ready(), (error) => error instanceof OldCore && /version 3/.test(error.message));
  const older = open({ ...program, text: program.text.replace("\"version\":2", "\"version\":1") }, {}, { client });
  await assert.rejects(older.ready(), (error) => error instanceof OldProgram && /generate the client again/.test(error.message));
});

test("credentials that are refused are told apart from everything else", async () => {
  const message = "The security token included in the request is invalid.";
  const { client, close } = await served((_, response) => {
    response.writeHead(400, { "content-type": "application/x-amz-json-1.0" });
    response.end(JSON.stringify({ __type: "com.amazon.coral.service#UnrecognizedClientException", message }));
  });
  await assert.rejects(ferryhook({ client }).users.create(user), (error) => error instanceof WrongCredentials && error.message.includes(message));
  close();
  const nobody = new DynamoDBClient({ region, credentials: async () => Promise.reject(Object.assign(new Error("none"), { name: "CredentialsProviderError" })) });
  await assert.rejects(ferryhook({ client: nobody }).users.create(user), WrongCredentials);
});

test("credentials whose policy does not allow a request are not wrong credentials", async () => {
  const { client, close } = await served((_, response) => {
    response.writeHead(400, { "content-type": "application/x-amz-json-1.0" });
    response.end(JSON.stringify({ __type: "com.amazon.coral.service#AccessDeniedException", message: "not authorized" }));
  });
  await assert.rejects(ferryhook({ client }).users.create(user), (error) => error instanceof AccessDenied && error.kind === "AccessDenied");
  close();
});

test("a network that drops in a transaction says that it may have happened", async () => {
  let requests = 0;
  const { client, close } = await served((request) => {
    requests += 1;
    request.socket.destroy();
  });
  await assert.rejects(ferryhook({ client }).users.create(user), (error) => {
    assert.ok(error instanceof ConnectionLost);
    assert.equal(error.operation, "TransactWriteItems");
    assert.ok(error.mayHaveHappened && error.cause);
    return true;
  });
  assert.equal(requests, 2, "the SDK tries again, as often as it is told to");
  await assert.rejects(ferryhook({ client }).users.getByEmail("a@example.com"), (error) => error.kind === "ConnectionLost" && !error.mayHaveHappened);
  close();
});

test("a repeat of the SDK after a lost answer does nothing twice", async () => {
  const { db, client, close } = await database(ferryhook, tables);
  let isFirst = true;
  const lose = (next) => async (args) => {
    const result = await next(args);
    if (isFirst) {
      isFirst = false;
      throw Object.assign(new Error("socket hang up"), { code: "ECONNRESET", $retryable: {} });
    }
    return result;
  };
  client.middlewareStack.add(lose, { step: "finalizeRequest", priority: "low" });
  const made = await db.users.create(user);
  assert.equal((await db.users.getByEmail(user.email)).userId, made.userId);
  await close();
});

test("what is not a client or a key is refused at once", () => {
  assert.throws(() => ferryhook({}), (error) => error instanceof Invalid && error.field === "client");
  const client = new DynamoDBClient({ region, credentials });
  assert.throws(() => ferryhook({ client, cursorKey: "short" }), (error) => error instanceof Invalid && error.field === "cursorKey");
});

test("at least 40 wrong programs are refused by tsc", async () => {
  const text = await readFile(new URL("wrong.ts", import.meta.url), "utf8");
  const count = text.match(/@ts-expect-error/g).length;
  console.log(`# ${count} wrong programs`);
  assert.ok(count >= 40);
});

test("no process is left when the tests are killed", async () => {
  const script = `
    import { test } from "sortkey/testing";
    import { ferryhook, tables } from ${JSON.stringify(new URL("../out/generated/ferryhook/index.js", import.meta.url).href)};
    await test(ferryhook, tables);
    console.log("running");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], { stdio: ["ignore", "pipe", "inherit"], cwd: new URL(".", import.meta.url) });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  const children = async () => {
    const list = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").catch(() => "");
    return list.trim().split(/\s+/).filter(Boolean);
  };
  const [server] = await children();
  assert.ok(server, "there is a server");
  child.kill("SIGKILL");
  const isThere = () => readFile(`/proc/${server}/stat`, "utf8").then((stat) => !/\) Z /.test(stat), () => false);
  for (let wait = 0; wait < 100 && (await isThere()); wait += 1) {
    await pause(50);
  }
  assert.ok(!(await isThere()));
});
