import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { PutCommand, QueryCommand, ScanCommand, paginateQuery, paginateScan } from "@aws-sdk/lib-dynamodb";
import { createTable, documents } from "../clients.js";

describe("twelve songs", () => {
  let TableName;

  before(async () => {
    TableName = await createTable(["artist", "number:N"], { indexes: { "by-year": ["year:N", "number:N"] } });
    for (let number = 0; number < 12; number += 1) {
      const Item = { artist: "a", number, year: 2000 + (number % 3), title: `song ${number}` };
      await documents.send(new PutCommand({ TableName, Item }));
    }
  });

  test("are queried in pages, backwards", async () => {
    const query = {
      TableName,
      KeyConditionExpression: "artist = :a AND #n BETWEEN :from AND :to",
      ExpressionAttributeNames: { "#n": "number" },
      ExpressionAttributeValues: { ":a": "a", ":from": 2, ":to": 9 },
      ScanIndexForward: false,
    };
    const pages = [];
    for await (const page of paginateQuery({ client: documents, pageSize: 3 }, query)) {
      pages.push(page.Items.map(({ number }) => number));
    }
    assert.deepEqual(pages, [[9, 8, 7], [6, 5, 4], [3, 2]]);
  });

  test("are queried by an index and filtered", async () => {
    const { Items, ScannedCount, ConsumedCapacity } = await documents.send(
      new QueryCommand({
        TableName,
        IndexName: "by-year",
        KeyConditionExpression: "#y = :y",
        FilterExpression: "contains(title, :one)",
        ProjectionExpression: "title",
        ExpressionAttributeNames: { "#y": "year" },
        ExpressionAttributeValues: { ":y": 2001, ":one": "1" },
        ReturnConsumedCapacity: "INDEXES",
      }),
    );
    assert.deepEqual(Items, [{ title: "song 1" }, { title: "song 10" }]);
    assert.equal(ScannedCount, 4);
    assert.equal(ConsumedCapacity.GlobalSecondaryIndexes["by-year"].CapacityUnits, 0.5);
  });

  test("are scanned in segments", async () => {
    const seen = [];
    for (const Segment of [0, 1, 2]) {
      const scan = { TableName, Segment, TotalSegments: 3 };
      for await (const page of paginateScan({ client: documents, pageSize: 2 }, scan)) {
        seen.push(...page.Items.map(({ number }) => number));
      }
    }
    assert.deepEqual(seen.sort((a, b) => a - b), Array.from({ length: 12 }, (_, number) => number));
    const { Count, Items } = await documents.send(new ScanCommand({ TableName, Select: "COUNT" }));
    assert.equal(Count, 12);
    assert.equal(Items, undefined);
  });
});
