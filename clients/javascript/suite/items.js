import assert from "node:assert/strict";
import { test } from "node:test";
import { ConditionalCheckFailedException, GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { DeleteCommand, GetCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { client, createTable, documents } from "../clients.js";

test("values keep their types", async () => {
  const TableName = await createTable(["pk"]);
  const Item = {
    pk: "ключ",
    number: -1.5,
    large: 12345678901234567890n,
    bytes: new Uint8Array([0, 255]),
    yes: true,
    nothing: null,
    list: ["a", 1, { deep: [] }],
    map: { "": "empty name", nested: {} },
    strings: new Set(["a", "b"]),
    numbers: new Set([1, 2.5]),
  };
  await documents.send(new PutCommand({ TableName, Item }));
  const got = await documents.send(new GetCommand({ TableName, Key: { pk: "ключ" }, ConsistentRead: true }));
  assert.deepEqual(got.Item, Item);
  const absent = await documents.send(new GetCommand({ TableName, Key: { pk: "nobody" } }));
  assert.equal(absent.Item, undefined);
});

test("typed values go through the plain client", async () => {
  const TableName = await createTable(["pk"]);
  const Item = { pk: { S: "a" }, n: { N: "1.10" }, b: { B: new Uint8Array([1]) } };
  await client.send(new PutItemCommand({ TableName, Item }));
  const got = await client.send(new GetItemCommand({ TableName, Key: { pk: { S: "a" } } }));
  assert.deepEqual(got.Item, { ...Item, n: { N: "1.1" } });
});

test("an update changes what it names", async () => {
  const TableName = await createTable(["pk"]);
  await documents.send(new PutCommand({ TableName, Item: { pk: "a", hits: 1, log: ["x"], gone: true } }));
  const { Attributes } = await documents.send(
    new UpdateCommand({
      TableName,
      Key: { pk: "a" },
      UpdateExpression: "SET hits = hits + :one, #l = list_append(#l, :more) REMOVE gone ADD tags :tags",
      ConditionExpression: "hits < :ten AND attribute_exists(gone)",
      ExpressionAttributeNames: { "#l": "log" },
      ExpressionAttributeValues: { ":one": 1, ":more": ["y"], ":tags": new Set(["t"]), ":ten": 10 },
      ReturnValues: "ALL_NEW",
    }),
  );
  assert.deepEqual(Attributes, { pk: "a", hits: 2, log: ["x", "y"], tags: new Set(["t"]) });
});

test("a failed condition is an error with the item", async () => {
  const TableName = await createTable(["pk"]);
  await documents.send(new PutCommand({ TableName, Item: { pk: "a", v: 1 } }));
  const put = new PutCommand({
    TableName,
    Item: { pk: "a", v: 2 },
    ConditionExpression: "attribute_not_exists(pk)",
    ReturnValuesOnConditionCheckFailure: "ALL_OLD",
  });
  await assert.rejects(documents.send(put), (error) => {
    assert.ok(error instanceof ConditionalCheckFailedException);
    assert.equal(error.message, "The conditional request failed");
    assert.equal(error.$metadata.httpStatusCode, 400);
    assert.deepEqual(error.Item, { pk: { S: "a" }, v: { N: "1" } });
    return true;
  });
  const { Attributes } = await documents.send(
    new DeleteCommand({ TableName, Key: { pk: "a" }, ReturnValues: "ALL_OLD" }),
  );
  assert.deepEqual(Attributes, { pk: "a", v: 1 });
});
