import assert from "node:assert/strict";
import { test } from "node:test";
import { DescribeTableCommand } from "@aws-sdk/client-dynamodb";
import {
  DescribeStreamCommand,
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListStreamsCommand,
  ResourceNotFoundException,
} from "@aws-sdk/client-dynamodb-streams";
import { DeleteCommand, PutCommand } from "@aws-sdk/lib-dynamodb";
import { client, createTable, documents, streams } from "../clients.js";

const StreamSpecification = { StreamEnabled: true, StreamViewType: "NEW_AND_OLD_IMAGES" };

async function consume(StreamArn) {
  const records = [];
  const { StreamDescription } = await streams.send(new DescribeStreamCommand({ StreamArn }));
  for (const { ShardId } of StreamDescription.Shards) {
    const start = new GetShardIteratorCommand({ StreamArn, ShardId, ShardIteratorType: "TRIM_HORIZON" });
    let { ShardIterator } = await streams.send(start);
    while (ShardIterator) {
      const page = await streams.send(new GetRecordsCommand({ ShardIterator }));
      if (page.Records.length === 0) {
        break;
      }
      records.push(...page.Records);
      ShardIterator = page.NextShardIterator;
    }
  }
  return records;
}

test("a consumer sees every change of an item in order", async () => {
  const TableName = await createTable(["pk"], { StreamSpecification });
  for (const version of [1, 2, 3]) {
    await documents.send(new PutCommand({ TableName, Item: { pk: "a", version } }));
  }
  await documents.send(new DeleteCommand({ TableName, Key: { pk: "a" } }));
  const { Streams } = await streams.send(new ListStreamsCommand({ TableName }));
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  assert.deepEqual(Streams.map(({ StreamArn }) => StreamArn), [Table.LatestStreamArn]);
  const records = await consume(Table.LatestStreamArn);
  assert.deepEqual(records.map(({ eventName }) => eventName), ["INSERT", "MODIFY", "MODIFY", "REMOVE"]);
  assert.deepEqual(records[3].dynamodb.OldImage, { pk: { S: "a" }, version: { N: "3" } });
  assert.ok(records[0].dynamodb.ApproximateCreationDateTime instanceof Date);
});

test("a stream that is not there", async () => {
  const StreamArn = "arn:aws:dynamodb:us-east-1:000000000000:table/nothing/stream/2026-01-01T00:00:00.000";
  await assert.rejects(streams.send(new DescribeStreamCommand({ StreamArn })), ResourceNotFoundException);
});
