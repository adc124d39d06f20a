import assert from "node:assert/strict";
import { test } from "node:test";
import { BatchGetCommand, BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import { createTable, documents } from "../clients.js";

test("a batch writes and reads two tables", async () => {
  const [first, second] = [await createTable(["pk:N"]), await createTable(["pk:N"])];
  const numbers = Array.from({ length: 10 }, (_, number) => number);
  const puts = numbers.map((pk) => ({ PutRequest: { Item: { pk, body: "x" } } }));
  const { UnprocessedItems } = await documents.send(
    new BatchWriteCommand({ RequestItems: { [first]: puts, [second]: puts } }),
  );
  assert.deepEqual(UnprocessedItems, {});
  await documents.send(new BatchWriteCommand({ RequestItems: { [first]: [{ DeleteRequest: { Key: { pk: 3 } } }] } }));
  const { Responses, UnprocessedKeys } = await documents.send(
    new BatchGetCommand({
      RequestItems: {
        [first]: { Keys: numbers.map((pk) => ({ pk })), ProjectionExpression: "pk" },
        [second]: { Keys: [{ pk: 7 }, { pk: 70 }], ConsistentRead: true },
      },
    }),
  );
  assert.deepEqual(UnprocessedKeys, {});
  assert.deepEqual(Responses[first].map(({ pk }) => pk).sort(), [0, 1, 2, 4, 5, 6, 7, 8, 9]);
  assert.deepEqual(Responses[second], [{ pk: 7, body: "x" }]);
});
