// A client of a design: calls run in the core, requests go through the AWS SDK.

import { overSdk } from "./aws.js";
import { fromBase64, random, toHex } from "./bytes.js";
import { Core } from "./core.js";
import { performed } from "./effects.js";
import { ConnectionLost, Internal, Invalid, SortkeyError, failureToError } from "./errors.js";
import { Functions } from "./functions.js";
import { Paged } from "./paged.js";
import { answered, checkWide, given } from "./values.js";

const WRITES = new Set(["BatchWriteItem", "DeleteItem", "PutItem", "TransactWriteItems", "UpdateItem"]);

/** Opens the program of a generated client. `declared` are the classes of the design's own errors. */
export function open(program, declared, options) {
  if (typeof options?.client?.send !== "function" && typeof options?.send !== "function") {
    throw new Invalid("`client`: expected a DynamoDBClient of the AWS SDK", { field: "client" });
  }
  const settings = {
    seed: options.seed,
    cursorKey: hex("cursorKey", options.cursorKey ?? env("SORTKEY_CURSOR_KEY")) ?? toHex(random(32)),
    tablePrefix: options.tablePrefix,
    parameters: options.parameters,
    bcryptCost: options.bcryptCost,
    memoryLimit: options.memoryLimit,
    program: options.program,
  };
  const shared = {
    core: new Core(program, settings),
    functions: new Functions(),
    send: options.send ?? overSdk(options.client),
    declared,
    options,
    loading: undefined,
    isLoaded: false,
  };
  return new Client(shared, options.caller);
}

const env = (name) => (typeof process === "undefined" ? undefined : process.env?.[name]);

function hex(field, value) {
  const text = value instanceof Uint8Array ? toHex(value) : value;
  if (text !== undefined && !/^[0-9a-f]{64}$/i.test(text)) {
    throw new Invalid(`\`${field}\`: expected 32 bytes, or 64 hexadecimal digits`, { field });
  }
  return text;
}

export class Client {
  #shared;
  #caller;

  constructor(shared, caller) {
    this.#shared = shared;
    this.#caller = caller;
  }

  /** This client's program and connection, for another caller. */
  as(caller) {
    return new Client(this.#shared, caller);
  }

  async ready() {
    const shared = this.#shared;
    shared.loading ??= shared.core.load().then(
      () => {
        shared.isLoaded = true;
      },
      (error) => {
        shared.loading = undefined;
        throw error;
      },
    );
    return shared.loading;
  }

  async close() {
    await this.#shared.functions.close();
  }

  /** A call that gives one value, or nothing. */
  async one(path, args, options, shape) {
    const { value } = await this.#run(path, args, options, shape);
    const result = value === null ? undefined : value;
    return shape && result !== undefined ? answered(result, shape) : result;
  }

  /** A call that gives all items at once. */
  async all(path, args, options, shape) {
    const { items, value } = await this.#run(path, args, options, shape);
    const found = items ?? value ?? [];
    return shape ? found.map((item) => answered(item, shape)) : found;
  }

  /** A call that gives items by pages. */
  paged(path, args, options, shape) {
    return new Paged(async (cursor) => {
      const { items, cursor: next } = await this.#run(path, args, { ...options, cursor: cursor ?? options?.cursor }, shape);
      return { items: shape ? items.map((item) => answered(item, shape)) : items, cursor: next ?? undefined };
    });
  }

  /** Stream records as changes of the design's items. */
  async changes(records) {
    await this.ready();
    const instance = this.#shared.core.instance();
    const found = [];
    for (const record of records) {
      const { NewImage, OldImage } = record.dynamodb ?? {};
      const message = { table: tableOf(record), new: plain(NewImage), old: plain(OldImage), now: this.#now() };
      const { failure, entity, item, before } = instance.change(JSON.stringify(message));
      if (failure) {
        throw failureToError(failure, this.#shared.declared, { call: "changes" });
      }
      if (entity !== undefined) {
        found.push({ entity, change: kindOf(record), item, before });
      }
    }
    return found;
  }

  #now() {
    return this.#shared.options.clock?.() ?? Date.now();
  }

  /** A turn of a worker, and what came of it. */
  async turn(worker, turn) {
    const { value } = await this.#task({ worker, turn }, worker);
    return value;
  }

  async #run(path, args, options, shape) {
    const { cursor, limit, version, signal } = options ?? {};
    const message = { name: path, caller: this.#caller, arguments: given(args), cursor, limit, version };
    return this.#task(message, path, signal, shape);
  }

  async #task(message, path, signal, shape) {
    const shared = this.#shared;
    if (!shared.isLoaded) {
      await this.ready();
    }
    signal?.throwIfAborted();
    const instance = shared.core.instance();
    Object.assign(message, { now: this.#now(), repeats: true });
    if (shared.options.recorded) {
      message.recorded = shared.options.recorded();
    }
    const { task, failure } = instance.start(JSON.stringify(message));
    if (failure) {
      throw failureToError(failure, shared.declared, { call: path });
    }
    const call = { path, signal, lost: undefined };
    try {
      const done = await this.#finish(instance, task, call);
      if (done.failure) {
        throw this.#error(done, call);
      }
      if (done.wide) {
        checkWide(done.wide, shape, path);
      }
      return done;
    } catch (error) {
      instance.cancel(task);
      throw error;
    }
  }

  async #finish(instance, task, call) {
    const underWay = new Set();
    for (;;) {
      const { asks, done } = instance.step(task);
      if (done) {
        return done;
      }
      for (const ask of asks) {
        const answer = this.#reply(ask, call).then(([status, body]) => {
          underWay.delete(answer);
          instance.answer(task, ask.id, status, body);
        });
        underWay.add(answer);
      }
      if (underWay.size === 0) {
        throw new Internal("the core waits for nothing", { call: call.path });
      }
      await Promise.race(underWay);
    }
  }

  #error({ failure, consumed }, call) {
    const details = { call: call.path, consumed };
    if (call.lost && failure.kind === "Unavailable") {
      const { operation, cause } = call.lost;
      const mayHaveHappened = WRITES.has(operation);
      const after = mayHaveHappened ? "; it may have been carried out" : "";
      const message = `no answer to ${operation}: ${cause?.message ?? cause}${after}`;
      return new ConnectionLost(message, { ...details, cause, operation, mayHaveHappened });
    }
    return failureToError(failure, this.#shared.declared, details);
  }

  /** The host's part for the core: a status and a body. */
  async #reply(ask, call) {
    const { options, functions } = this.#shared;
    if (ask.send) {
      return this.#send(ask, call);
    }
    if (ask.pauseMs !== undefined) {
      await new Promise((resolve) => setTimeout(resolve, ask.pauseMs));
      return [200, ""];
    }
    if (ask.hash || ask.compute) {
      return functions.answer(ask);
    }
    if (ask.perform) {
      return performed(ask.perform, options).catch((error) => [500, String(error?.message ?? error)]);
    }
    return keyed(ask, options.keyring).catch((error) => [500, String(error?.message ?? error)]);
  }

  async #send({ send: operation, body }, call) {
    const { options, send } = this.#shared;
    const begin = Date.now();
    const ended = options.onRequest?.({ call: call.path, operation, body });
    try {
      const { status, body: answer } = await send(operation, body, call.signal);
      ended?.({ status, durationMs: Date.now() - begin });
      return [status, answer];
    } catch (cause) {
      ended?.({ status: 0, durationMs: Date.now() - begin, error: cause });
      if (cause instanceof SortkeyError || call.signal?.aborted) {
        throw cause;
      }
      call.lost ??= { operation, cause };
      return [0, String(cause?.message ?? cause)];
    }
  }
}

async function keyed({ newDataKey, openDataKey }, keyring) {
  if (!keyring) {
    return [501, "the design encrypts attributes: name a keyring when the client is opened"];
  }
  if (newDataKey) {
    const { plain: key, wrapped } = await keyring.newDataKey(newDataKey.alias);
    const both = new Uint8Array(key.length + wrapped.length);
    both.set(key);
    both.set(wrapped, key.length);
    return [200, both];
  }
  return [200, await keyring.openDataKey(openDataKey.alias, fromBase64(openDataKey.wrapped))];
}

/** The name of the table that a stream record is of. */
export const tableOf = (record) => /:table\/([^/]+)\//.exec(record.eventSourceARN ?? "")?.[1] ?? record.tableName;

/** An image as DynamoDB's JSON; SDKs give bytes as such. */
export const plain = (image) => (image === undefined ? undefined : given(image));

export function kindOf(record) {
  if (record.eventName === "INSERT") {
    return "create";
  }
  if (record.eventName === "MODIFY") {
    return "update";
  }
  return record.userIdentity?.principalId === "dynamodb.amazonaws.com" ? "expire" : "delete";
}
