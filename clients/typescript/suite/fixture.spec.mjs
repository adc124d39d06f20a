// The fixtures for vitest and for runners with `beforeEach`, as a project uses them.

import { afterEach, beforeEach, describe, expect } from "vitest";
import { sortkeyFixture } from "sortkey/jest";
import { sortkeyTest } from "sortkey/vitest";
import { ferryhook, tables } from "../out/generated/ferryhook/index.js";

const test = sortkeyTest(ferryhook, tables);
const user = { email: "ada@example.com", name: "Ada", githubId: "1" };

for (const time of ["first", "second"]) {
  test(`a test has a database of its own, the ${time} time`, async ({ db, clock }) => {
    expect(await db.users.getByEmail(user.email)).toBe(undefined);
    const made = await db.users.create(user);
    expect(made.createdAt).toBe(new Date(clock.now()).toISOString());
  });
}

describe("where a runner has beforeEach and afterEach", () => {
  Object.assign(globalThis, { beforeEach, afterEach });
  const it = sortkeyFixture(ferryhook, tables);
  for (const time of ["first", "second"]) {
    test(`a test has a database of its own, the ${time} time`, async () => {
      expect(await it.db.users.getByEmail(user.email)).toBe(undefined);
      await it.db.users.create(user);
    });
  }
});
