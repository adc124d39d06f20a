// Two clients with different versions of a design on one database, as it is while one is replaced by the other: each says what it
// cannot read, and spoils nothing.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { Unreadable, WrongDesign, open } from "sortkey";
import { stop, test as database } from "sortkey/testing";

after(stop);

const ONE = `design notes version 1
table Notes "notes" { key (userId | noteId) }
caller { userId slug }
entity Note in Notes {
  userId slug = caller.userId  noteId slug
  words string(1..200)
  kind plain | list = plain
  size? int
  tenant userId
}
operation write = create Note
operation reword = update Note [words]
pattern note = get Note by userId, noteId
pattern notes = list Note by userId page 20
`;
// A word and an attribute more, and an attribute of another type.
const TWO = ONE.replace("version 1", "version 2")
  .replace("plain | list", "plain | list | drawing")
  .replace("size? int", "size? slug")
  .replace("words string(1..200)", "words string(1..200)  colour? slug");
const key = (name) => ({ AttributeName: name, AttributeType: "S" });
const TABLES = [
  {
    create: {
      TableName: "notes",
      BillingMode: "PAY_PER_REQUEST",
      KeySchema: [{ AttributeName: "userId", KeyType: "HASH" }, { AttributeName: "noteId", KeyType: "RANGE" }],
      AttributeDefinitions: [key("userId"), key("noteId")],
    },
  },
];

/** A program as `sortkey generate typescript` would put it into a client. */
function compiled(design) {
  const folder = mkdtempSync(join(tmpdir(), "sortkey-versions-"));
  try {
    writeFileSync(join(folder, "notes.sk"), design);
    execFileSync(process.env.SORTKEY_BIN, ["check", "--emit", join(folder, "program.json"), join(folder, "notes.sk")], { stdio: "ignore" });
    const text = readFileSync(join(folder, "program.json"), "utf8").trim();
    return { protocol: 1, name: "notes", fingerprint: createHash("sha256").update(text).digest("hex"), text };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

const [one, two] = [ONE, TWO].map(compiled);

/** The older and the newer client of one database. */
async function clients() {
  const { db: older, client, clock, close } = await database((options) => open(one, {}, options), TABLES, { caller: { userId: "ada" } });
  const newer = open(two, {}, { client, clock: () => clock.now(), caller: { userId: "ada" } });
  const read = (db) => db.one("note", { userId: "ada", noteId: "a" });
  const write = (db, more) => db.one("write", { noteId: "a", words: "milk", ...more });
  return { older, newer, read, write, close };
}

test("an item that only the newer one understands is unreadable and stays", async () => {
  const { older, newer, read, write, close } = await clients();
  const large = await write(newer, { size: "large" });
  const says = /`size` is stored as S, and is int in the design/;
  await assert.rejects(read(older), (error) => error instanceof Unreadable && says.test(error.message));
  await assert.rejects(older.paged("notes", { userId: "ada" }).all(), (error) => error instanceof Unreadable && says.test(error.message));
  assert.deepEqual(await read(newer), large);
  await close();
});

test("a word that only the newer one has is shown as it is", async () => {
  const { older, newer, read, write, close } = await clients();
  await write(newer, { kind: "drawing" });
  assert.equal((await read(older)).kind, "drawing");
  await close();
});

test("a change of the older one keeps what it does not know", async () => {
  const { older, newer, read, write, close } = await clients();
  await write(newer, { colour: "red" });
  const changed = await older.one("reword", { noteId: "a", words: "honey" });
  assert.equal(changed.words, "honey");
  assert.ok(!("colour" in changed));
  assert.equal((await read(newer)).colour, "red");
  await close();
});

test("the newer one reads what the older one wrote", async () => {
  const { older, newer, read, write, close } = await clients();
  const written = await write(older, {});
  assert.deepEqual(await read(newer), written);
  await close();
});

test("a client of the other version is refused", async () => {
  const db = open(one, {}, { client: { send() {} }, program: two });
  await assert.rejects(db.ready(), WrongDesign);
});
