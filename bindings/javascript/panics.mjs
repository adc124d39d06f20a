// Takes the words of panics out of a WebAssembly module of Rust. A panic ends the instance, and no host of it sees a message: its
// formatting, and the places in the source that it would name, are a thirtieth of the module.
//
// The functions that panics go through are found by their names, and each becomes the one instruction that panics end with. Code
// that leads to nothing else is then removed by wasm-opt. The module must have its section of names.

const PANICS = /9panicking|13unwrap_failed|13expect_failed|slice_error_fail|slice_index_fail|len_mismatch_fail|17capacity_overflow|7raw_vec12handle_error|18handle_alloc_error/;

/** Places in the source, as panics name them. */
const PLACES = /(?:\/[\w.@+-]+)+\.rs|\bcrates\/[\w./-]+\.rs/g;

/** No locals, `unreachable`, end. */
const UNREACHABLE = [3, 0, 0, 11];

const [CUSTOM, IMPORTS, CODE, DATA] = [0, 2, 10, 11];

export function withoutPanics(bytes) {
  const sections = read(bytes);
  const names = functionNames(bytes, sections);
  const first = importedFunctions(bytes, sections);
  const parts = [bytes.subarray(0, 8)];
  for (const { id, from, to, whole } of sections) {
    if (id === CODE) {
      const body = withoutBodies(bytes, from, (at) => PANICS.test(names.get(first + at) ?? ""));
      parts.push(Buffer.from([id, ...number(body.length)]), body);
    } else if (id === DATA) {
      parts.push(bytes.subarray(whole, from), withoutPlaces(bytes.subarray(from, to)));
    } else {
      parts.push(bytes.subarray(whole, to));
    }
  }
  return Buffer.concat(parts);
}

/** The module without its custom sections: names, and who made it. */
export function withoutNames(bytes) {
  const kept = read(bytes).filter(({ id }) => id !== CUSTOM);
  return Buffer.concat([bytes.subarray(0, 8), ...kept.map(({ whole, to }) => bytes.subarray(whole, to))]);
}

function read(bytes) {
  const sections = [];
  for (let at = 8; at < bytes.length; ) {
    const [length, from] = leb(bytes, at + 1);
    sections.push({ id: bytes[at], whole: at, from, to: from + length });
    at = from + length;
  }
  return sections;
}

function functionNames(bytes, sections) {
  const names = new Map();
  for (const { id, from, to } of sections) {
    const [length, begin] = id === CUSTOM ? leb(bytes, from) : [0, from];
    if (bytes.toString("latin1", begin, begin + length) !== "name" || id !== CUSTOM) {
      continue;
    }
    for (let at = begin + length; at < to; ) {
      const [size, inside] = leb(bytes, at + 1);
      if (bytes[at] === 1) {
        let [count, place] = leb(bytes, inside);
        for (; count > 0; count -= 1) {
          const [index, behind] = leb(bytes, place);
          const [length, text] = leb(bytes, behind);
          names.set(index, bytes.toString("utf8", text, text + length));
          place = text + length;
        }
      }
      at = inside + size;
    }
  }
  if (names.size === 0) {
    throw new Error("the module has no names: build it with the profile `wasm`");
  }
  return names;
}

/** Our modules import nothing but functions, if anything. */
function importedFunctions(bytes, sections) {
  const section = sections.find(({ id }) => id === IMPORTS);
  return section ? leb(bytes, section.from)[0] : 0;
}

function withoutBodies(bytes, from, isGone) {
  let [count, at] = leb(bytes, from);
  const parts = [Buffer.from(number(count))];
  for (let index = 0; index < count; index += 1) {
    const [length, body] = leb(bytes, at);
    parts.push(isGone(index) ? Buffer.from(UNREACHABLE) : bytes.subarray(at, body + length));
    at = body + length;
  }
  return Buffer.concat(parts);
}

/** Zeros in place of the paths: wasm-opt leaves zeros out. */
function withoutPlaces(data) {
  const text = data.toString("latin1").replace(PLACES, (path) => "\0".repeat(path.length));
  return Buffer.from(text, "latin1");
}

function leb(bytes, at) {
  for (let value = 0, shift = 0; ; shift += 7) {
    const byte = bytes[at];
    at += 1;
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) {
      return [value, at];
    }
  }
}

function number(value) {
  const bytes = [];
  for (; value > 127; value >>>= 7) {
    bytes.push((value & 127) | 128);
  }
  return [...bytes, value];
}
