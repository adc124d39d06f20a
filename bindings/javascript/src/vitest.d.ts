import type { TestAPI } from "vitest";
import type { OpenOptions, TableRequest } from "./index.js";
import type { Clock, TestDatabase, TestOptions } from "./testing.js";

/** A `test` of vitest whose tests each have a fresh database. */
export function sortkeyTest<Options extends OpenOptions, Db extends { close(): Promise<void> }>(
  open: (options: Options) => Db,
  tables: readonly TableRequest[],
  options?: TestOptions,
): TestAPI<{ database: TestDatabase<Db>; db: Db; clock: Clock }>;
