import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { called } from "../clients.js";

// The page is generated from the one list of operations, in crates/api/src/operations.rs.
const page = readFileSync(new URL("../../../docs/COMPATIBILITY.md", import.meta.url), "utf8");
const OPERATIONS = [...page.matchAll(/^\| (\w+) \| yes \|$/gm)].map(([, name]) => name);

test("every operation was called", () => {
  assert.ok(OPERATIONS.length > 0);
  assert.deepEqual(OPERATIONS.filter((name) => !called.has(name)), []);
});
