// Sortkey's additions for tests: forks, faults and a clock that can be moved. Everything happens in forks, so that the other
// tests notice nothing.

import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { DescribeTimeToLiveCommand, UpdateTimeToLiveCommand } from "@aws-sdk/client-dynamodb";
import { BatchWriteCommand, DynamoDBDocumentClient, GetCommand, PutCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { another, createTable, documents } from "../clients.js";
import { endpoint } from "../server.js";

const ask = (path, body, headers = {}) =>
  fetch(`${endpoint}/_sortkey${path}`, body && { method: "POST", body: JSON.stringify(body), headers });

const skip = !(await ask("")).ok && "not a Sortkey";

/** A client whose every request goes to a fork. */
function inFork(fork) {
  const client = another({ maxAttempts: 1 });
  const address = (next) => (call) => {
    call.request.headers["x-sortkey-fork"] = fork;
    return next(call);
  };
  client.middlewareStack.add(address, { step: "build", name: "fork" });
  return DynamoDBDocumentClient.from(client);
}

describe("in a fork", { skip }, () => {
  const name = `js-${process.pid}`;
  const header = { "x-sortkey-fork": name };
  const fork = inFork(name);
  let TableName;

  before(async () => {
    TableName = await createTable(["pk"]);
    await documents.send(new PutCommand({ TableName, Item: { pk: "shared" } }));
    assert.ok((await ask("/forks", { name })).ok);
  });

  test("writes stay there", async () => {
    await fork.send(new PutCommand({ TableName, Item: { pk: "mine" } }));
    const keys = async (client) => {
      const { Items } = await client.send(new ScanCommand({ TableName }));
      return Items.map(({ pk }) => pk).sort();
    };
    assert.deepEqual(await keys(fork), ["mine", "shared"]);
    assert.deepEqual(await keys(documents), ["shared"]);
  });

  test("the next requests fail as told", async () => {
    await ask("/faults", { throttle: 2, operation: "GetItem" }, header);
    const get = () => fork.send(new GetCommand({ TableName, Key: { pk: "shared" } }));
    await assert.rejects(get(), { name: "ProvisionedThroughputExceededException" });
    await assert.rejects(get(), { name: "ProvisionedThroughputExceededException" });
    assert.deepEqual((await get()).Item, { pk: "shared" });

    await ask("/faults", { unprocessed: 1 }, header);
    const puts = ["x", "y", "z"].map((pk) => ({ PutRequest: { Item: { pk } } }));
    const { UnprocessedItems } = await fork.send(new BatchWriteCommand({ RequestItems: { [TableName]: puts } }));
    assert.equal(UnprocessedItems[TableName].length, 2);
  });

  test("time passes as told", async () => {
    await fork.send(
      new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification: { AttributeName: "expires", Enabled: true } }),
    );
    const expires = Math.floor(Date.now() / 1000) + 86_400;
    await fork.send(new PutCommand({ TableName, Item: { pk: "a day", expires } }));
    await ask("/clock", { advanceMs: 25 * 3600 * 1000 }, header);
    await ask("/expire", {}, header);
    const { Item } = await fork.send(new GetCommand({ TableName, Key: { pk: "a day" } }));
    assert.equal(Item, undefined);
    const { TimeToLiveDescription } = await fork.send(new DescribeTimeToLiveCommand({ TableName }));
    assert.equal(TimeToLiveDescription.AttributeName, "expires");
  });
});
