// The core of Sortkey as WebAssembly, with the host's own fetch for requests. No dependencies.

import { readFile } from "node:fs/promises";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The module's functions, with messages in place of buffers. */
export class Core {
  static async load(file) {
    const { instance } = await WebAssembly.instantiate(await readFile(file), {});
    return new Core(instance.exports);
  }

  constructor(exports) {
    this.exports = exports;
  }

  /** Opens a program; returns its number. */
  open(message) {
    this.write(message);
    return this.number(this.exports.open());
  }

  /** Starts a call; returns the number of its task. */
  start(message) {
    this.write(message);
    return this.number(this.exports.start());
  }

  /** Runs a task; returns its message as text. */
  step(task) {
    if (this.exports.step(task) < 0) {
      throw new Error(`there is no task ${task}`);
    }
    return this.output();
  }

  /** Answers an ask of a task. */
  answer(task, ask, status, body) {
    this.write(body);
    return this.exports.answer(task, ask, status) === 1;
  }

  /** Gives a task up. */
  cancel(task) {
    return this.exports.cancel(task) === 1;
  }

  write(message) {
    const bytes = typeof message === "string" ? encoder.encode(message) : message;
    const at = this.exports.input(bytes.length);
    // The memory may have grown, so that an older view of it is detached.
    new Uint8Array(this.exports.memory.buffer, at, bytes.length).set(bytes);
  }

  output() {
    const { memory, output, output_length } = this.exports;
    return decoder.decode(new Uint8Array(memory.buffer, output(), output_length()));
  }

  number(result) {
    if (result < 0) {
      throw new Error(this.output());
    }
    return result;
  }
}
