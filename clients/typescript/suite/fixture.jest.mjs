// The fixture for jest, as a project with ES modules uses it.

import { expect, test } from "@jest/globals";
import { sortkeyFixture } from "sortkey/jest";
import { ferryhook, tables } from "../out/generated/ferryhook/index.js";

const it = sortkeyFixture(ferryhook, tables);
const user = { email: "ada@example.com", name: "Ada", githubId: "1" };

test.each(["first", "second"])("a test has a database of its own, the %s time", async () => {
  expect(await it.db.users.getByEmail(user.email)).toBe(undefined);
  const made = await it.db.users.create(user);
  expect(made.createdAt).toBe(new Date(it.clock.now()).toISOString());
  expect((await it.db.users.getByEmail(user.email)).userId).toBe(made.userId);
});

test("the clock moves when it is told to", async () => {
  const before = it.clock.now();
  const state = await it.db.beginSignIn("github");
  expect(state.expiresAt).toBe(before / 1000 + 600);
  await it.clock.advance(3600_000);
  await expect(it.db.githubSignIn("code", state.state)).rejects.toMatchObject({ kind: "BadCredentials" });
});
