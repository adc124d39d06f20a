// Tests of a program that keeps notes in DynamoDB.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { fork, start } from "./database.js";

let server;
before(async () => { server = await start(); });
after(() => server.stop());

const write = (db, user, at, words) =>
  db.send(new PutCommand({
    TableName: "notes",
    Item: { user, at, words },
    ConditionExpression: "attribute_not_exists(#user)",
    ExpressionAttributeNames: { "#user": "user" },
  }));

const notes = async (db, user) => {
  const answer = await db.send(new QueryCommand({
    TableName: "notes",
    KeyConditionExpression: "#user = :user",
    ExpressionAttributeNames: { "#user": "user" },
    ExpressionAttributeValues: { ":user": user },
  }));
  return answer.Items.map((item) => item.words);
};

test("notes are in order", async () => {
  const db = await fork(server.address, "in-order");
  await write(db, "ada", 2, "second");
  await write(db, "ada", 1, "first");
  assert.deepEqual(await notes(db, "ada"), ["first", "second"]);
});

test("each test begins with an empty table", async () => {
  assert.deepEqual(await notes(await fork(server.address, "empty"), "ada"), []);
});

test("a note is never overwritten", async () => {
  const db = await fork(server.address, "overwrite");
  await write(db, "ada", 1, "first");
  await assert.rejects(write(db, "ada", 1, "again"), { name: "ConditionalCheckFailedException" });
});
