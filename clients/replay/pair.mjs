// Node among the three languages of pairs.py: writes notes, reads what others wrote, goes on with a cursor of another.
//
//   node pair.mjs ENDPOINT PROGRAM FINGERPRINT write NAME...
//   node pair.mjs ENDPOINT PROGRAM FINGERPRINT read
//   node pair.mjs ENDPOINT PROGRAM FINGERPRINT page [CURSOR]

import { readFileSync } from "node:fs";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { localKeyring, open } from "sortkey";

const [endpoint, file, fingerprint, what, ...rest] = process.argv.slice(2);
const program = { protocol: 1, name: "pairs", fingerprint, text: readFileSync(file, "utf8") };
const client = new DynamoDBClient({ endpoint, region: "us-east-1", credentials: { accessKeyId: "test", secretAccessKey: "test" } });
const keyring = localKeyring(new Uint8Array(32).fill(9));
const ada = open(program, {}, { client, keyring, caller: { userId: "ada" } });
const list = (cursor) => ada.paged("notes", { userId: "ada" }, { cursor });

if (what === "write") {
  for (const name of rest) {
    await ada.one("write", { name, secret: `of ${name}` });
  }
  console.log("null");
} else if (what === "read") {
  console.log(JSON.stringify(await list().all()));
} else {
  const { items, cursor = null } = await list(rest[0]);
  console.log(JSON.stringify({ items, cursor }));
}
