// A server that verifies signatures, asked by what the SDK signs with: presigned requests, and sessions of a role.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash, createHmac } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { DynamoDBClient, ListTablesCommand } from "@aws-sdk/client-dynamodb";
import { SignatureV4 } from "@smithy/signature-v4";
import { binary, serve } from "../server.js";

const elsewhere = Boolean(process.env.SORTKEY_E2E_ENDPOINT);
const region = "us-east-1";
const role = "arn:aws:iam::000000000000:role/reader";
let folder, server, ann;

/** The hash that the signer asks for, keyed or not. */
class Sha256 {
  constructor(secret) {
    this.hash = secret ? createHmac("sha256", secret) : createHash("sha256");
  }

  update(data) {
    this.hash.update(data);
  }

  async digest() {
    return this.hash.digest();
  }
}

before(async () => {
  if (elsewhere) return;
  folder = mkdtempSync(join(tmpdir(), "sortkey-auth-"));
  for (const name of ["keys", "home"]) mkdirSync(join(folder, name));
  const file = join(folder, "home", "auth.json");
  const env = { ...process.env, SORTKEY_KEYRING: join(folder, "keys", "keyring.json") };
  const auth = (...words) => execFileSync(binary(), ["auth", ...words, "--file", file], { env, encoding: "utf8" });
  const printed = auth("user", "create", "ann");
  const value = (name) => printed.match(new RegExp(`^${name}=(.*)$`, "m"))[1];
  ann = { accessKeyId: value("AWS_ACCESS_KEY_ID"), secretAccessKey: value("AWS_SECRET_ACCESS_KEY") };
  const Principal = { AWS: "arn:aws:iam::000000000000:user/ann" };
  const Statement = { Effect: "Allow", Principal, Action: "sts:AssumeRole" };
  auth("role", "create", "reader", "--trust", JSON.stringify({ Version: "2012-10-17", Statement }));
  server = await serve(["--auth", file], env);
});

after(async () => {
  await server?.stop();
  if (folder) rmSync(folder, { recursive: true });
});

function signer(credentials, service = "dynamodb") {
  return new SignatureV4({ credentials, region, service, sha256: Sha256, applyChecksum: true });
}

function request(body, headers) {
  const { hostname, port } = new URL(server.endpoint);
  const host = `${hostname}:${port}`;
  return { method: "POST", protocol: "http:", hostname, port: Number(port), path: "/", headers: { host, ...headers }, body };
}

function listTables() {
  const headers = { "content-type": "application/x-amz-json-1.0", "x-amz-target": "DynamoDB_20120810.ListTables" };
  return request("{}", headers);
}

/** Sends what was signed, whose parameters may be in the query. */
async function send({ path, query = {}, headers, body }) {
  const { host, ...rest } = headers;
  const answer = await fetch(`${server.endpoint}${path}?${new URLSearchParams(query)}`, { method: "POST", headers: rest, body });
  return { status: answer.status, text: await answer.text() };
}

/** Signs a request in its query. Its headers are signed, too: a header of AWS that is not is rejected. */
function presign(credentials, options = {}) {
  const unhoistableHeaders = new Set(["x-amz-target"]);
  return signer(credentials).presign(listTables(), { expiresIn: 60, unhoistableHeaders, ...options });
}

async function assumeRole() {
  const form = new URLSearchParams({ Action: "AssumeRole", Version: "2011-06-15", RoleArn: role, RoleSessionName: "s1" });
  const headers = { "content-type": "application/x-www-form-urlencoded" };
  const answer = await send(await signer(ann, "sts").sign(request(form.toString(), headers)));
  assert.equal(answer.status, 200, answer.text);
  const value = (name) => answer.text.match(new RegExp(`<${name}>([^<]*)</${name}>`))[1];
  return {
    accessKeyId: value("AccessKeyId"),
    secretAccessKey: value("SecretAccessKey"),
    sessionToken: value("SessionToken"),
  };
}

test("presigned requests", { skip: elsewhere }, async () => {
  assert.equal((await send(await presign(ann))).status, 200);
  const wrong = await send(await presign({ ...ann, secretAccessKey: "wrong" }));
  assert.match(wrong.text, /InvalidSignatureException/);
  const longer = await presign(ann);
  longer.query["X-Amz-Expires"] = "600";
  assert.match((await send(longer)).text, /InvalidSignatureException/);
  const late = await send(await presign(ann, { signingDate: new Date(Date.now() - 120_000) }));
  assert.match(late.text, /Signature expired/);
});

test("sessions of a role", { skip: elsewhere }, async () => {
  const session = await assumeRole();
  const list = async (credentials) => {
    const client = new DynamoDBClient({ endpoint: server.endpoint, region, credentials, maxAttempts: 1 });
    return client.send(new ListTablesCommand({}));
  };
  assert.deepEqual((await list(session)).TableNames, []);
  const { sessionToken, ...withoutToken } = session;
  await assert.rejects(list(withoutToken), { name: "UnrecognizedClientException" });
  await assert.rejects(list({ ...ann, sessionToken }), { name: "UnrecognizedClientException" });
  await assert.rejects(list({ ...session, secretAccessKey: "wrong" }), { name: "InvalidSignatureException" });
});

test("presigned requests of a session", { skip: elsewhere }, async () => {
  const session = await assumeRole();
  const signed = await presign(session);
  assert.equal(signed.query["X-Amz-Security-Token"], session.sessionToken);
  assert.equal((await send(signed)).status, 200);
  const other = await presign(session);
  other.query["X-Amz-Security-Token"] = (await assumeRole()).sessionToken;
  assert.match((await send(other)).text, /UnrecognizedClientException/);
});
