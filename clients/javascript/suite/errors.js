import assert from "node:assert/strict";
import { test } from "node:test";
import {
  DescribeTableCommand,
  ListContributorInsightsCommand,
  PutItemCommand,
  QueryCommand,
} from "@aws-sdk/client-dynamodb";
import { another, client, createTable } from "../clients.js";

test("a validation error has its text", async () => {
  const TableName = await createTable(["pk"]);
  const query = new QueryCommand({
    TableName,
    KeyConditionExpression: "pk > :p",
    ExpressionAttributeValues: { ":p": { S: "a" } },
  });
  await assert.rejects(client.send(query), {
    name: "ValidationException",
    message: "Query key condition not supported",
  });
});

test("hostile expressions cost only their request", async () => {
  const TableName = await createTable(["pk"]);
  const Item = { pk: { S: "a" } };
  const hostile = new PutItemCommand({ TableName, Item, ConditionExpression: "(".repeat(4096) });
  await assert.rejects(client.send(hostile), { name: "ValidationException" });
  await client.send(new PutItemCommand({ TableName, Item }));
});

test("operations that are not there yet say so", async () => {
  await assert.rejects(client.send(new ListContributorInsightsCommand({})), /ListContributorInsights/);
});

test("tables do not depend on region or key", async () => {
  const TableName = await createTable(["pk"]);
  const elsewhere = another({ region: "ap-south-1", credentials: { accessKeyId: "other", secretAccessKey: "x" } });
  const { Table } = await elsewhere.send(new DescribeTableCommand({ TableName }));
  assert.equal(Table.TableStatus, "ACTIVE");
});

test("hundreds of requests share the connections of one client", async () => {
  const TableName = await createTable(["pk"]);
  const puts = Array.from({ length: 300 }, (_, number) =>
    client.send(new PutItemCommand({ TableName, Item: { pk: { S: `${number}` } } })),
  );
  await Promise.all(puts);
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  assert.equal(Table.ItemCount, 300);
});
