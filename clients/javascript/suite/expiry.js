import assert from "node:assert/strict";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import { DescribeTimeToLiveCommand, UpdateTimeToLiveCommand } from "@aws-sdk/client-dynamodb";
import { PutCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { client, createTable, documents } from "../clients.js";

test("items leave when their time has come", async () => {
  const TableName = await createTable(["pk"]);
  const TimeToLiveSpecification = { AttributeName: "expires", Enabled: true };
  await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
  const { TimeToLiveDescription } = await client.send(new DescribeTimeToLiveCommand({ TableName }));
  assert.equal(TimeToLiveDescription.AttributeName, "expires");
  const now = Math.floor(Date.now() / 1000);
  for (const Item of [{ pk: "past", expires: now - 5 }, { pk: "future", expires: now + 3600 }]) {
    await documents.send(new PutCommand({ TableName, Item }));
  }
  let items;
  for (let attempt = 0; attempt < 100; attempt += 1) {
    items = (await documents.send(new ScanCommand({ TableName }))).Items;
    if (items.length === 1) {
      break;
    }
    await setTimeout(200);
  }
  assert.deepEqual(items.map(({ pk }) => pk), ["future"]);
});
