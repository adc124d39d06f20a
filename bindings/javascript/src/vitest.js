// A fixture for vitest: `const test = sortkeyTest(links, tables)`, then `test("...", async ({ db, clock }) => { ... })`.

import { test as base } from "vitest";
import { test as fresh } from "./testing.js";

export function sortkeyTest(open, tables, options) {
  return base.extend({
    // biome-ignore lint: vitest reads the names of the fixtures from this pattern
    database: async ({}, use) => {
      const database = await fresh(open, tables, options);
      await use(database);
      await database.close();
    },
    db: async ({ database }, use) => use(database.db),
    clock: async ({ database }, use) => use(database.clock),
  });
}
