// A fixture for jest, and for every runner with `beforeEach` and `afterEach`: `const it = sortkeyFixture(links, tables)`, then
// `it.db` and `it.clock` within a test.

import { test as fresh } from "./testing.js";

export function sortkeyFixture(open, tables, options) {
  let database;
  const { beforeEach, afterEach } = globalThis;
  if (typeof beforeEach !== "function" || typeof afterEach !== "function") {
    throw new Error("no `beforeEach` here: call this in a file of tests");
  }
  beforeEach(async () => {
    database = await fresh(open, tables, options);
  });
  afterEach(async () => {
    await database?.close();
    database = undefined;
  });
  return {
    get db() {
      return database.db;
    },
    get clock() {
      return database.clock;
    },
    get database() {
      return database;
    },
  };
}
