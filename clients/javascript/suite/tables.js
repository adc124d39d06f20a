import assert from "node:assert/strict";
import { test } from "node:test";
import {
  CreateTableCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  ResourceInUseException,
  ResourceNotFoundException,
  UpdateTableCommand,
  paginateListTables,
  waitUntilTableExists,
  waitUntilTableNotExists,
} from "@aws-sdk/client-dynamodb";
import { PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { client, createTable, documents, uniqueName } from "../clients.js";

const waiting = { client, maxWaitTime: 60, minDelay: 1 };

test("a table lives from create to delete", async () => {
  const TableName = uniqueName();
  const create = new CreateTableCommand({
    TableName,
    KeySchema: [{ AttributeName: "pk", KeyType: "HASH" }],
    AttributeDefinitions: [{ AttributeName: "pk", AttributeType: "B" }],
    ProvisionedThroughput: { ReadCapacityUnits: 1, WriteCapacityUnits: 1 },
    Tags: [{ Key: "made-by", Value: "test" }],
  });
  const { TableDescription } = await client.send(create);
  assert.match(TableDescription.TableArn, new RegExp(`:table/${TableName}$`));
  assert.ok(TableDescription.CreationDateTime instanceof Date);
  await waitUntilTableExists(waiting, { TableName });
  const { Table } = await client.send(new DescribeTableCommand({ TableName }));
  assert.equal(Table.TableStatus, "ACTIVE");
  await assert.rejects(client.send(create), ResourceInUseException);
  await client.send(new DeleteTableCommand({ TableName }));
  await waitUntilTableNotExists(waiting, { TableName });
  await assert.rejects(client.send(new DescribeTableCommand({ TableName })), ResourceNotFoundException);
});

test("tables are listed in pages", async () => {
  const made = [];
  for (let number = 0; number < 5; number += 1) {
    made.push(await createTable(["pk"]));
  }
  const listed = [];
  for await (const page of paginateListTables({ client, pageSize: 2 }, {})) {
    assert.ok(page.TableNames.length <= 2);
    listed.push(...page.TableNames);
  }
  assert.deepEqual(listed.filter((name) => made.includes(name)), [...made].sort());
});

test("an index is added to a table that has items", async () => {
  const TableName = await createTable(["pk"]);
  for (let number = 0; number < 20; number += 1) {
    await documents.send(new PutCommand({ TableName, Item: { pk: `${number}`, parity: number % 2 } }));
  }
  await client.send(
    new UpdateTableCommand({
      TableName,
      AttributeDefinitions: [
        { AttributeName: "pk", AttributeType: "S" },
        { AttributeName: "parity", AttributeType: "N" },
      ],
      GlobalSecondaryIndexUpdates: [
        {
          Create: {
            IndexName: "by-parity",
            KeySchema: [{ AttributeName: "parity", KeyType: "HASH" }],
            Projection: { ProjectionType: "ALL" },
          },
        },
      ],
    }),
  );
  let status;
  do {
    const { Table } = await client.send(new DescribeTableCommand({ TableName }));
    status = Table.GlobalSecondaryIndexes[0].IndexStatus;
  } while (status !== "ACTIVE");
  const { Count } = await documents.send(
    new QueryCommand({
      TableName,
      IndexName: "by-parity",
      KeyConditionExpression: "parity = :odd",
      ExpressionAttributeValues: { ":odd": 1 },
    }),
  );
  assert.equal(Count, 10);
});

test("a protected table cannot be deleted", async () => {
  const TableName = await createTable(["pk"], { DeletionProtectionEnabled: true });
  await assert.rejects(client.send(new DeleteTableCommand({ TableName })), { name: "ValidationException" });
});
