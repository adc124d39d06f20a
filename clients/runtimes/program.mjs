// Ferryhook's generated client over the AWS SDK, as a program in any JavaScript runtime. ENDPOINT names the DynamoDB.

import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { NotFound } from "sortkey";
import { EmailTaken, SourceId, ferryhook } from "./out/generated/ferryhook/index.js";

const same = (found, expected) => {
  if (found !== expected) {
    throw new Error(`${found} is not ${expected}`);
  }
};
const credentials = { accessKeyId: "local", secretAccessKey: "local" };
const client = new DynamoDBClient({ endpoint: process.env.ENDPOINT, region: "us-east-1", credentials });
const requests = [];
const db = ferryhook({ client, bcryptCost: 6, onRequest: ({ operation }) => void requests.push(operation) });
// Every runtime has the same database.
const email = `${process.argv[2]}@example.com`;

const user = await db.users.create({ email, name: "Ada", password: "correct horse" });
const me = db.as({ userId: user.userId, permission: "admin" });
same((await me.users.getById()).email, email);
const again = await db.users.create({ email, name: "Ada", password: "correct horse" }).catch((error) => error);
same(again instanceof EmailTaken, true);
const gone = await me.sources.update(SourceId("src_0000000000000000"), { name: "x" }).catch((error) => error);
same(gone instanceof NotFound, true);
for (const name of ["a", "b", "c"]) {
  await me.sources.create({ name, provider: "custom" });
}
const names = [];
for await (const source of me.sources.listByUser(undefined, { limit: 2 })) {
  names.push(source.name);
}
same(names.sort().join(), "a,b,c");
const [{ sourceId }] = (await me.sources.listByUser()).items;
const body = new TextEncoder().encode("{\"a\":1}");
const { eventId } = await db.events.create({ sourceId, headers: {}, body, sourceIp: "203.0.113.7", method: "POST" });
same(new TextDecoder().decode((await me.payloadOf(eventId)).body), "{\"a\":1}");
await db.signIn(email, "correct horse", "203.0.113.7");
const wrong = await db.signIn(email, "wrong", "203.0.113.7").catch((error) => error);
same(wrong.kind, "BadCredentials");
same(requests[0], "TransactWriteItems");
await db.close();
client.destroy();
console.log(`${process.argv[2]}: ${requests.length} requests`);
