import type { OpenOptions, TableRequest } from "./index.js";
import type { Clock, TestDatabase, TestOptions } from "./testing.js";

/** A fresh database before each test of the file, for jest and every runner with `beforeEach`. */
export function sortkeyFixture<Options extends OpenOptions, Db extends { close(): Promise<void> }>(
  open: (options: Options) => Db,
  tables: readonly TableRequest[],
  options?: TestOptions,
): { readonly db: Db; readonly clock: Clock; readonly database: TestDatabase<Db> };
