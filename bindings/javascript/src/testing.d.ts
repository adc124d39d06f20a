import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import type { OpenOptions, TableRequest } from "./index.js";

/** A clock that the test moves: the database's and the client's. */
export interface Clock {
  /** Milliseconds since 1970. */
  now(): number;
  set(now: number): Promise<void>;
  /** Lets time pass, and deletes what expires meanwhile. */
  advance(milliseconds: number): Promise<void>;
}

/** Requests that fail: `{ throttle: 3 }`, `{ conflict: 1 }`, `{ unprocessed: 1 }`. */
export interface FaultRequest {
  throttle?: number;
  conflict?: number;
  unprocessed?: number;
  table?: string;
  operation?: string;
}

export interface TestOptions {
  /** The caller. */
  caller?: object;
  /** When the test begins; 2026-01-01 if it is left out. */
  now?: number;
  /** Decides every id; 1 if it is left out. */
  seed?: number;
  /** Further options of the client. */
  open?: Partial<OpenOptions> & { [name: string]: unknown };
}

export interface TestDatabase<Db> {
  db: Db;
  clock: Clock;
  /** The client of the fork, for what the design has no call for. */
  client: DynamoDBClient;
  faults(fault: FaultRequest): Promise<void>;
  close(): Promise<void>;
}

/** A fresh database for one test, opened with a generated client. */
export function test<Options extends OpenOptions, Db extends { close(): Promise<void> }>(
  open: (options: Options) => Db,
  tables: readonly TableRequest[],
  options?: TestOptions,
): Promise<TestDatabase<Db>>;

/** Ends the process that serves the tests; their own end does so as well. */
export function stop(): Promise<void>;
