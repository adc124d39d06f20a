// A WebAssembly module behind messages. Both modules exchange them through one buffer for each direction.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export class Module {
  constructor(module) {
    this.exports = new WebAssembly.Instance(module, {}).exports;
  }

  get bytes() {
    return this.exports.memory.buffer.byteLength;
  }

  write(message) {
    const bytes = typeof message === "string" ? encoder.encode(message) : message;
    const at = this.exports.input(bytes.length);
    // The memory may have grown, so that an older view of it is detached.
    new Uint8Array(this.exports.memory.buffer, at, bytes.length).set(bytes);
  }

  read() {
    return this.view().slice();
  }

  text() {
    return decoder.decode(this.view());
  }

  view() {
    const { memory, output, output_length } = this.exports;
    return new Uint8Array(memory.buffer, output(), output_length());
  }
}
