import assert from "node:assert/strict";
import { test } from "node:test";
import { IdempotentParameterMismatchException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { PutCommand, TransactGetCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { createTable, documents } from "../clients.js";

async function accounts() {
  const TableName = await createTable(["id"]);
  for (const Item of [{ id: "a", balance: 100 }, { id: "b", balance: 0 }]) {
    await documents.send(new PutCommand({ TableName, Item }));
  }
  return TableName;
}

function transfer(TableName, amount, more = {}) {
  const pay = (id, amount) => ({
    Update: {
      TableName,
      Key: { id },
      UpdateExpression: "SET balance = balance + :amount",
      ConditionExpression: "balance >= :least",
      ExpressionAttributeValues: { ":amount": amount, ":least": -amount },
    },
  });
  return documents.send(new TransactWriteCommand({ TransactItems: [pay("b", amount), pay("a", -amount)], ...more }));
}

async function balances(TableName) {
  const TransactItems = ["a", "b"].map((id) => ({ Get: { TableName, Key: { id } } }));
  const { Responses } = await documents.send(new TransactGetCommand({ TransactItems }));
  return Responses.map(({ Item }) => Item.balance);
}

test("money moves, or does not", async () => {
  const TableName = await accounts();
  await transfer(TableName, 60);
  assert.deepEqual(await balances(TableName), [40, 60]);
  await assert.rejects(transfer(TableName, 60), (error) => {
    assert.ok(error instanceof TransactionCanceledException);
    assert.deepEqual(error.CancellationReasons.map(({ Code }) => Code), ["None", "ConditionalCheckFailed"]);
    return true;
  });
  assert.deepEqual(await balances(TableName), [40, 60]);
});

test("a token makes it happen once", async () => {
  const TableName = await accounts();
  const token = { ClientRequestToken: `token-${TableName}` };
  await transfer(TableName, 10, token);
  await transfer(TableName, 10, token);
  assert.deepEqual(await balances(TableName), [90, 10]);
  await assert.rejects(transfer(TableName, 20, token), IdempotentParameterMismatchException);
});
