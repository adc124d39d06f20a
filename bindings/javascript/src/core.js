// The core: one compiled module for the process, and an instance that is replaced when its memory has grown.

import { fromBase64, random, toHex } from "./bytes.js";
import { Internal, OldCore, OldProgram, WrongDesign } from "./errors.js";
import { Module } from "./wasm.js";

/** The protocol of this package. Code of a newer generator requires a greater number. */
export const PROTOCOL = 1;

/** The memory of WebAssembly never shrinks: an instance with more than this takes no further calls. */
const MOST_BYTES = 64 * 1024 * 1024;

let compiled;

/** The compiled module, loaded once. */
async function module() {
  compiled ??= import("../dist/core.js").then(({ default: text }) => WebAssembly.compile(fromBase64(text)));
  return compiled;
}

export class Core {
  #program;
  #settings;
  #module;
  #current;
  #generation = 0;

  constructor(program, settings) {
    this.#program = program;
    this.#settings = settings;
  }

  async load() {
    checkProgram(this.#program, this.#settings.program);
    this.#module ??= await module();
    this.instance();
  }

  /** The instance that takes a new call. */
  instance() {
    if (this.#current?.isUsable(this.#settings.memoryLimit ?? MOST_BYTES)) {
      return this.#current;
    }
    const instance = new Instance(this.#module);
    instance.open(this.#message());
    this.#current = instance;
    return instance;
  }

  /** How many instances there have been. */
  get generation() {
    return this.#generation;
  }

  // Every instance has a seed of its own: with the same one it would make the same ids again.
  #message() {
    const { seed, cursorKey, tablePrefix, parameters, bcryptCost, program } = this.#settings;
    const bytes = seed ? Uint8Array.from(seed) : random(32);
    bytes[0] ^= this.#generation & 255;
    bytes[1] ^= (this.#generation >> 8) & 255;
    this.#generation += 1;
    const rest = JSON.stringify({ seed: toHex(bytes), cursorKey, tablePrefix, parameters, bcryptCost });
    return `{"program":${(program ?? this.#program).text},${rest.slice(1)}`;
  }
}

/** Whether the program is one that this package can run, and the one that the client was generated from. */
function checkProgram(own, other) {
  const version = (program) => (program.version === undefined ? "" : ` version ${program.version}`);
  const words = (program) => `"${program.name}"${version(program)} (${program.fingerprint.slice(0, 16)})`;
  for (const program of [own, other].filter(Boolean)) {
    if (program.protocol > PROTOCOL) {
      throw new OldCore(
        `the client of ${words(program)} needs protocol ${program.protocol}, and this package has ${PROTOCOL}: update the package \`sortkey\``,
      );
    }
  }
  if (other && other.fingerprint !== own.fingerprint) {
    throw new WrongDesign(
      `the client was generated from the design ${words(own)}, and the program to run is ${words(other)}: generate the client again`,
    );
  }
}

/** Why a program cannot be opened. */
function unopened(reason) {
  const versions = /^this is version (\d+); only (\d+) can be read/.exec(reason)?.slice(1).map(Number);
  if (versions === undefined) {
    return new Internal(`the program cannot be opened: ${reason}`);
  }
  const [its, own] = versions;
  return its > own
    ? new OldCore(`the package \`sortkey\` cannot read the program: ${reason}; update the package`)
    : new OldProgram(`the package \`sortkey\` cannot read the program any more: ${reason}; generate the client again`);
}

class Instance extends Module {
  #isBroken = false;

  isUsable(most) {
    return !this.#isBroken && this.bytes <= most;
  }

  open(message) {
    this.write(message);
    if (this.guarded(() => this.exports.open()) < 0) {
      throw unopened(this.text());
    }
  }

  /** Starts a call: the number of its task, or its failure. */
  start(message) {
    this.write(message);
    const task = this.guarded(() => this.exports.start());
    return task < 0 ? { failure: JSON.parse(this.text()) } : { task };
  }

  step(task) {
    this.guarded(() => this.exports.step(task));
    return JSON.parse(this.text());
  }

  answer(task, ask, status, body) {
    this.write(body);
    this.guarded(() => this.exports.answer(task, ask, status));
  }

  cancel(task) {
    if (!this.#isBroken) {
      this.guarded(() => this.exports.cancel(task));
    }
  }

  change(message) {
    this.write(message);
    const result = this.guarded(() => this.exports.change());
    const answer = JSON.parse(this.text());
    return result < 0 ? { failure: answer } : answer;
  }

  // After a trap nothing in the instance can be relied on.
  guarded(run) {
    if (this.#isBroken) {
      throw new Internal("the core has failed before; the next call starts a new one");
    }
    try {
      return run();
    } catch (cause) {
      this.#isBroken = true;
      throw new Internal("the core has failed", { cause });
    }
  }
}
