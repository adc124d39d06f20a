// Clients of the server, and short words for tables.

import {
  BillingMode,
  CreateTableCommand,
  DynamoDBClient,
  KeyType,
  waitUntilTableExists,
} from "@aws-sdk/client-dynamodb";
import { DynamoDBStreamsClient } from "@aws-sdk/client-dynamodb-streams";
import { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { endpoint } from "./server.js";

/** Names of the operations that were called, for the check that none is forgotten. */
export const called = new Set();

const config = {
  endpoint,
  region: "us-east-1",
  credentials: { accessKeyId: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: "secret" },
};

/** DynamoDB as its API has it: every value with its type. */
export const client = remembering(new DynamoDBClient(config));
/** DynamoDB with JavaScript's values. */
export const documents = DynamoDBDocumentClient.from(client);
/** The Streams API, on the same port. */
export const streams = remembering(new DynamoDBStreamsClient(config));

/** A client like `client`, with more settings. */
export function another(more) {
  return new DynamoDBClient({ ...config, ...more });
}

function remembering(client) {
  const remember = (next, context) => (request) => {
    called.add(context.commandName.replace(/Command$/, ""));
    return next(request);
  };
  client.middlewareStack.add(remember, { step: "initialize", name: "remember" });
  return client;
}

let tables = 0;

/** A table name that no other test has. */
export function uniqueName() {
  tables += 1;
  return `js-${process.pid}-${tables}`;
}

/** Creates a table with keys written `"name"` or `"name:N"`, and returns its name once it is active. */
export async function createTable(keys, { indexes = {}, ...more } = {}) {
  const TableName = uniqueName();
  const all = [keys, ...Object.values(indexes)].flat().map((key) => key.split(":"));
  const types = new Map(all.map(([name, type = "S"]) => [name, type]));
  const globals = Object.entries(indexes).map(([IndexName, keys]) => ({
    IndexName,
    KeySchema: keySchema(keys),
    Projection: { ProjectionType: "ALL" },
  }));
  const create = new CreateTableCommand({
    TableName,
    KeySchema: keySchema(keys),
    AttributeDefinitions: [...types].map(([AttributeName, AttributeType]) => ({ AttributeName, AttributeType })),
    BillingMode: BillingMode.PAY_PER_REQUEST,
    ...(globals.length > 0 && { GlobalSecondaryIndexes: globals }),
    ...more,
  });
  await client.send(create);
  await waitUntilTableExists({ client, maxWaitTime: 60, minDelay: 1 }, { TableName });
  return TableName;
}

function keySchema([partition, sort]) {
  const element = (key, KeyType) => ({ AttributeName: key.split(":")[0], KeyType });
  return [element(partition, KeyType.HASH), ...(sort ? [element(sort, KeyType.RANGE)] : [])];
}
