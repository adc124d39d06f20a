import type { DynamoDBClient } from "@aws-sdk/client-dynamodb";

/** A time as ISO 8601 text: `2026-01-31T12:00:00.000Z`. */
export type IsoTime = string;
/** A time as milliseconds since 1970. */
export type Milliseconds = number;
/** A time as seconds since 1970. */
export type Seconds = number;
/** A day, `YYYY-MM-DD`. */
export type IsoDate = string;
/** A month, `YYYY-MM`. */
export type IsoMonth = string;
/** A number that a double may not hold, as its digits. */
export type Digits = string;

/** A page of a list. */
export interface Page<T> {
  items: T[];
  /** The beginning of the next page; undefined on the last. */
  cursor?: string;
}

/** A list by pages: `await` gives a page, `for await` every item. */
export class Paged<T> implements Promise<Page<T>>, AsyncIterable<T> {
  constructor(fetch: (cursor: string | undefined) => Promise<Page<T>>);
  then<A = Page<T>, B = never>(
    fulfilled?: ((page: Page<T>) => A | PromiseLike<A>) | null,
    rejected?: ((error: unknown) => B | PromiseLike<B>) | null,
  ): Promise<A | B>;
  catch<B = never>(rejected?: ((error: unknown) => B | PromiseLike<B>) | null): Promise<Page<T> | B>;
  finally(settled?: (() => void) | null): Promise<Page<T>>;
  readonly [Symbol.toStringTag]: string;
  [Symbol.asyncIterator](): AsyncGenerator<T, void, void>;
  /** Page after page. */
  pages(): AsyncGenerator<Page<T>, void, void>;
  /** All items, or the first `most` of them. */
  all(most?: number): Promise<T[]>;
}

export interface CallOptions {
  /** Gives the call up. Requests that were sent stay sent. */
  signal?: AbortSignal;
}

export interface VersionOptions extends CallOptions {
  /** The version that the item must have to be changed. */
  version?: number;
}

export interface PageOptions extends CallOptions {
  /** The end of the page before. */
  cursor?: string;
  /** How many items, at most the design's own page. */
  limit?: number;
}

/** The consumption of a call. */
export interface Consumed {
  requests: number;
  rcu: number;
  wcu: number;
}

/** One of several things that are wrong with a call. */
export interface Fault {
  field?: string | null;
  message: string;
}

export interface ErrorDetails {
  field?: string | undefined;
  faults?: Fault[] | undefined;
  call?: string | undefined;
  consumed?: Consumed | undefined;
  cause?: unknown;
}

/** The base of all errors: of this package, and of the design that a client was generated from. */
export abstract class SortkeyError extends Error {
  constructor(message: string, details?: ErrorDetails);
  /** The kind of the error, different for each class. */
  abstract readonly kind: string;
  /** The argument or attribute that is to blame. */
  readonly field: string | undefined;
  /** Everything that is wrong, where it is more than one thing. */
  readonly faults: Fault[];
  /** The call, as the design names it. */
  readonly call: string | undefined;
  /** The consumption of the call. */
  readonly consumed: Consumed | undefined;
}

/** An argument is missing, unknown or of the wrong form. */
export class Invalid extends SortkeyError { readonly kind: "Invalid" }
/** There is no such item. */
export class NotFound extends SortkeyError { readonly kind: "NotFound" }
/** There is already such an item. */
export class AlreadyExists extends SortkeyError { readonly kind: "AlreadyExists" }
/** Somebody else changed the item at the same time, again and again. */
export class Conflict extends SortkeyError { readonly kind: "Conflict" }
/** The item does not have the version that the call expects. */
export class VersionDiffers extends SortkeyError { readonly kind: "VersionDiffers" }
/** The caller may not do this. */
export class Forbidden extends SortkeyError { readonly kind: "Forbidden" }
/** Nobody is named as the caller. */
export class Unauthenticated extends SortkeyError { readonly kind: "Unauthenticated" }
/** The item's state does not allow this move. */
export class InvalidTransition extends SortkeyError { readonly kind: "InvalidTransition" }
/** A `check` of the design does not hold. */
export class CheckFailed extends SortkeyError { readonly kind: "CheckFailed" }
/** The item or the transaction would be above DynamoDB's limits. */
export class TooLarge extends SortkeyError { readonly kind: "TooLarge" }
/** A stored item does not fit the design. */
export class Unreadable extends SortkeyError { readonly kind: "Unreadable" }
/** DynamoDB asked to slow down, longer than the SDK was ready to wait. */
export class Throttled extends SortkeyError { readonly kind: "Throttled" }
/** DynamoDB cannot be reached, or an effect could not be carried out. */
export class Unavailable extends SortkeyError { readonly kind: "Unavailable" }
/** Something is wrong with the tables or with this package. */
export class Internal extends SortkeyError { readonly kind: "Internal" }
/** The client was generated from another design than the program to run. */
export class WrongDesign extends SortkeyError { readonly kind: "WrongDesign" }
/** The client was generated for a newer version of this package. */
export class OldCore extends SortkeyError { readonly kind: "OldCore" }
/** The client was generated for an older version of this package. */
export class OldProgram extends SortkeyError { readonly kind: "OldProgram" }
/** There are no credentials, or DynamoDB does not accept them. */
export class WrongCredentials extends SortkeyError { readonly kind: "WrongCredentials" }
/** The credentials are accepted, but their policy does not allow a request of this call. */
export class AccessDenied extends SortkeyError { readonly kind: "AccessDenied" }
/** The network dropped: DynamoDB may or may not have done what it was asked. */
export class ConnectionLost extends SortkeyError {
  readonly kind: "ConnectionLost";
  /** The request without an answer. */
  readonly operation: string;
  /** Whether the request was one that writes. */
  readonly mayHaveHappened: boolean;
}

/** The errors that every call may throw. */
export type CommonError =
  | Invalid
  | NotFound
  | AlreadyExists
  | Conflict
  | VersionDiffers
  | Forbidden
  | Unauthenticated
  | InvalidTransition
  | CheckFailed
  | TooLarge
  | Unreadable
  | Throttled
  | Unavailable
  | Internal
  | WrongDesign
  | OldCore
  | OldProgram
  | WrongCredentials
  | AccessDenied
  | ConnectionLost;

/** Keeps the keys of encrypted attributes: KMS, or something of your own. */
export interface Keyring {
  /** A new data key of 32 bytes for an alias, and its wrapped form, which is stored. */
  newDataKey(alias: string): Promise<{ plain: Uint8Array; wrapped: Uint8Array }>;
  /** The 32 bytes of a data key. */
  openDataKey(alias: string, wrapped: Uint8Array): Promise<Uint8Array>;
}

/** A keyring of one key of 32 bytes, for tests and for machines without a key service. */
export function localKeyring(master: Uint8Array): Keyring;

/** A request to DynamoDB. */
export interface Request {
  /** The call, as the design names it. */
  call: string;
  /** `GetItem`, `TransactWriteItems`, ... */
  operation: string;
  /** DynamoDB's JSON. */
  body: unknown;
}

/** The answer to a request. */
export interface Answer {
  /** The HTTP status; 0 without an answer. */
  status: number;
  durationMs: number;
  error?: unknown;
}

/** A mail that a design sends. */
export interface Mail {
  to: string;
  from?: string | null;
  subject: string;
  text: string;
  html?: string | null;
}

/** The options with which every client is opened. */
export interface OpenOptions {
  /** Sends the requests, with its own credentials, endpoint, retries and middleware. */
  client: DynamoDBClient;
  /** Keeps the keys of encrypted attributes. */
  keyring?: Keyring;
  /** Sees each request before it is sent; what it returns sees the answer. */
  onRequest?: (request: Request) => void | ((answer: Answer) => void);
  /** Seals cursors: 32 bytes. Processes that serve the same clients share it. From SORTKEY_CURSOR_KEY if it is left out. */
  cursorKey?: Uint8Array | string;
  /** Stands before the name of every table. */
  tablePrefix?: string;
  /** The logarithm of the rounds of `bcrypt`; 12 if it is left out. */
  bcryptCost?: number;
  /** The time, in milliseconds since 1970. */
  clock?: () => number;
  /** 32 bytes that decide every id and token: for tests only. */
  seed?: Uint8Array;
  /** The ids of the next call, where a recording of `sortkey test --record` is replayed. */
  recorded?: () => string;
  /** Sends the mails of the design. */
  mail?: (mail: Mail) => Promise<void>;
  /** Carries out HTTP effects; the runtime's own if it is left out. */
  fetch?: typeof globalThis.fetch;
  /** The bytes of memory beyond which the core is replaced by a new one; 64 MB if it is left out. */
  memoryLimit?: number;
  /** Another program to run than the client's own. It must be of the same design. */
  program?: Program;
}

/** A compiled design, in a generated client. */
export interface Program {
  protocol: number;
  name: string;
  version: number | undefined;
  fingerprint: string;
  text: string;
}

/** A table that a test creates. */
export interface TableRequest {
  /** The input of `CreateTable`. */
  create: object;
  /** The attribute that holds an item's expiry. */
  timeToLive: string | undefined;
}

/** The part of an answer's type that its JSON does not show. */
export type Shape =
  | "bytes"
  | "digits"
  | { each: Shape }
  | { values: Shape }
  | { kinds: { [entity: string]: Shape } }
  | { fields?: { [name: string]: Shape }; sets?: string[] };

export type Shapes = { [record: string]: Shape };

/** A record of a DynamoDB stream, as Lambda and the SDK give it. */
export interface StreamRecord {
  eventName?: "INSERT" | "MODIFY" | "REMOVE" | undefined;
  eventSourceARN?: string | undefined;
  tableName?: string | undefined;
  userIdentity?: unknown;
  dynamodb?: { NewImage?: unknown; OldImage?: unknown; SequenceNumber?: string | undefined } | undefined;
}

/** What a Lambda answers for a batch of records: the first that has to be sent again, if any. */
export interface BatchAnswer {
  batchItemFailures: { itemIdentifier: string }[];
}

/** What a worker did. */
export interface WorkReport {
  /** Runs that began. */
  runs: number;
  /** Runs that failed. They are due again later, or put aside after the last attempt. */
  failed: number;
  /** Whether nothing was left that was due. */
  isDone: boolean;
}

export interface WorkOptions {
  /** Told of every run that failed; `console.error` if it is left out. */
  onFailure?: (error: unknown, worker: string) => void;
}

export interface DueOptions extends WorkOptions {
  /** The moment after which no run is begun, in milliseconds since 1970. */
  until?: number;
  /** How many runs there are at a time: 16, or fewer where the design says so. */
  concurrency?: number;
}

/** A change of an item. */
export interface Change<Entity extends string, Item> {
  entity: Entity;
  change: "create" | "update" | "delete" | "expire";
  /** The item after the change, if the stream has it. */
  item?: Item;
  /** The item before the change, if the stream has it. */
  before?: Item;
}

/** The methods that generated code calls. */
export interface Client {
  one(path: string, args: object, options: CallOptions | undefined, shape?: Shape): Promise<any>;
  all(path: string, args: object, options: CallOptions | undefined, shape?: Shape): Promise<any[]>;
  paged(path: string, args: object, options: PageOptions | undefined, shape?: Shape): Paged<any>;
  as(caller: object): Client;
  changes(records: readonly StreamRecord[]): Promise<Change<string, unknown>[]>;
  turn(worker: string, turn: object): Promise<any>;
  ready(): Promise<void>;
  close(): Promise<void>;
}

/** What generated code gives workers their turns with. */
export const work: {
  records(client: Client, workers: readonly string[], records: readonly StreamRecord[], options?: WorkOptions): Promise<BatchAnswer>;
  due(client: Client, worker: string, bounds: { concurrency: number; per?: number }, options?: DueOptions): Promise<WorkReport>;
  slot(client: Client, worker: string, at?: Date | number | string): Promise<WorkReport>;
};

/** Opens the program of a generated client. */
export function open(
  program: Program,
  errors: { [kind: string]: new (message: string, details?: ErrorDetails) => SortkeyError },
  options: OpenOptions & { caller?: object; parameters?: object; handlers?: object },
): Client;

/** The protocol between generated clients and this package. */
export const PROTOCOL: number;
