// Functions that the core leaves to its host: password hashes, signatures, cron in time zones. They are a module of their own,
// loaded when a call first asks for one. Slow ones run in a thread, so that the event loop goes on.

import { fromBase64 } from "./bytes.js";
import { Module } from "./wasm.js";

const SLOW = new Set(["matches"]);

/** The code of the thread, which imports nothing, so that bundlers need no setting for it. */
const THREAD = `
import("node:worker_threads").then(({ parentPort, workerData }) => {
  let module;
  const load = async () => (await WebAssembly.instantiate(workerData, {})).instance.exports;
  parentPort.on("message", async ({ id, message }) => {
    try {
      const it = (module ??= await load());
      const bytes = new TextEncoder().encode(message);
      const at = it.input(bytes.length);
      new Uint8Array(it.memory.buffer, at, bytes.length).set(bytes);
      const result = it.answer();
      const body = new Uint8Array(it.memory.buffer, it.output(), it.output_length()).slice();
      parentPort.postMessage({ id, status: result < 0 ? 400 : 200, body });
    } catch (error) {
      module = undefined;
      parentPort.postMessage({ id, status: 500, body: String(error) });
    }
  });
});`;

let bytes;
const load = async () => (bytes ??= import("../dist/functions.js").then(({ default: text }) => fromBase64(text)));

export class Functions {
  #module;
  #thread;
  #waiting = new Map();
  #next = 0;

  /** The answer to a `hash` or a `compute`: a status and a body. */
  async answer(ask) {
    const message = JSON.stringify(ask.hash ? { hash: ask.hash } : { compute: ask.compute });
    const isSlow = ask.hash !== undefined || SLOW.has(ask.compute.function);
    if (isSlow) {
      const thread = await this.#started();
      const answered = thread && (await this.#send(thread, message));
      if (answered) {
        return answered;
      }
    }
    this.#module ??= new Module(await WebAssembly.compile(await load()));
    this.#module.write(message);
    const result = this.#module.exports.answer();
    return [result < 0 ? 400 : 200, this.#module.read()];
  }

  #send(thread, message) {
    const id = this.#next++;
    return new Promise((resolve) => {
      this.#waiting.set(id, resolve);
      thread.ref?.();
      thread.postMessage({ id, message });
    });
  }

  // Where there are no threads of Node, as in a browser, or where they do not start, the hash is computed in place.
  async #started() {
    this.#thread ??= (async () => {
      try {
        const { Worker } = await import("node:worker_threads");
        const thread = new Worker(THREAD, { eval: true, workerData: await load() });
        thread.unref();
        const settle = (id, answer) => {
          this.#waiting.get(id)?.(answer);
          this.#waiting.delete(id);
          if (this.#waiting.size === 0) {
            thread.unref();
          }
        };
        thread.on("message", ({ id, status, body }) => settle(id, [status, body]));
        thread.on("error", () => {
          this.#thread = Promise.resolve(undefined);
          for (const id of [...this.#waiting.keys()]) {
            settle(id, undefined);
          }
        });
        return thread;
      } catch {
        return undefined;
      }
    })();
    return this.#thread;
  }

  async close() {
    const thread = await this.#thread;
    this.#thread = undefined;
    await thread?.terminate();
  }
}
