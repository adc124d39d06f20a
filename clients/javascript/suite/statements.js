import assert from "node:assert/strict";
import { test } from "node:test";
import { DuplicateItemException, TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { BatchExecuteStatementCommand, ExecuteStatementCommand, ExecuteTransactionCommand } from "@aws-sdk/lib-dynamodb";
import { createTable, documents } from "../clients.js";

test("insert, select, update, delete", async () => {
  const table = await createTable(["pk", "sk:N"]);
  const run = (Statement, Parameters) => documents.send(new ExecuteStatementCommand({ Statement, Parameters }));
  for (const number of [1, 2, 3]) {
    await run(`INSERT INTO "${table}" VALUE {'pk': ?, 'sk': ?, 'tags': <<'x'>>}`, ["a", number]);
  }
  await assert.rejects(run(`INSERT INTO "${table}" VALUE {'pk': 'a', 'sk': 1}`), DuplicateItemException);
  const { Items } = await run(`SELECT sk FROM "${table}" WHERE pk = ? AND sk >= 2 ORDER BY sk DESC`, ["a"]);
  assert.deepEqual(Items, [{ sk: 3 }, { sk: 2 }]);
  const updated = await run(
    `UPDATE "${table}" SET tags = set_add(tags, <<'y'>>) WHERE pk = 'a' AND sk = 1 RETURNING ALL NEW *`,
  );
  assert.deepEqual(updated.Items, [{ pk: "a", sk: 1, tags: new Set(["x", "y"]) }]);
  await run(`DELETE FROM "${table}" WHERE pk = 'a' AND sk = 1`);
  const first = await documents.send(new ExecuteStatementCommand({ Statement: `SELECT * FROM "${table}"`, Limit: 1 }));
  assert.equal(first.Items.length, 1);
  assert.ok(first.NextToken);
});

test("batches and transactions of statements", async () => {
  const table = await createTable(["pk"]);
  const insert = (key) => ({ Statement: `INSERT INTO "${table}" VALUE {'pk': ?}`, Parameters: [key] });
  const select = (key) => ({ Statement: `SELECT * FROM "${table}" WHERE pk = ?`, Parameters: [key] });
  const batch = (Statements) => documents.send(new BatchExecuteStatementCommand({ Statements }));
  const transaction = (TransactStatements) => documents.send(new ExecuteTransactionCommand({ TransactStatements }));

  const { Responses } = await batch([insert("a"), insert("a"), insert("b")]);
  assert.deepEqual(Responses.map(({ Error }) => Error?.Code), [undefined, "DuplicateItem", undefined]);
  await assert.rejects(transaction([insert("c"), insert("a")]), TransactionCanceledException);
  const read = await transaction([select("a"), select("c")]);
  assert.deepEqual(read.Responses.map(({ Item }) => Item), [{ pk: "a" }, undefined]);
});
