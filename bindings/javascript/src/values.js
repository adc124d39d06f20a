// Values on their way to the core and back: JSON cannot express bytes, long numbers and sets.

import { Unreadable } from "./errors.js";
import { fromBase64, toBase64 } from "./bytes.js";

/** Arguments as JSON has them: bytes as Base64, big integers as digits. Values that need no change are not copied. */
export function given(value) {
  if (typeof value === "bigint") {
    return value.toString();
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  if (value instanceof Uint8Array) {
    return toBase64(value);
  }
  if (Array.isArray(value)) {
    return value.some(changes) ? value.map(given) : value;
  }
  if (value instanceof Date) {
    return value.toISOString();
  }
  let copy;
  for (const name of Object.keys(value)) {
    if (changes(value[name])) {
      copy ??= { ...value };
      copy[name] = given(value[name]);
    }
  }
  return copy ?? value;
}

const changes = (value) => typeof value === "bigint" || (typeof value === "object" && value !== null);

/** An answer in its types, changed in place. */
export function answered(value, shape) {
  if (value === undefined || value === null) {
    return value;
  }
  if (shape === "bytes") {
    return fromBase64(value);
  }
  if (shape === "digits") {
    return typeof value === "number" ? digits(value) : value;
  }
  if (shape.each) {
    value.forEach((each, at) => {
      value[at] = answered(each, shape.each);
    });
    return value;
  }
  if (shape.values) {
    for (const name of Object.keys(value)) {
      value[name] = answered(value[name], shape.values);
    }
    return value;
  }
  const { fields, sets } = shape.kinds ? (shape.kinds[value.$entity] ?? {}) : shape;
  for (const name in fields) {
    if (value[name] !== undefined) {
      value[name] = answered(value[name], fields[name]);
    }
  }
  for (const name of sets ?? []) {
    value[name] ??= [];
  }
  return value;
}

/** The core gives integers beyond 2^53 as text, with their places. The types must allow them there. */
export function checkWide(places, shape, call) {
  for (const place of places) {
    const path = place.split(".");
    let at = path[0] === "items" ? { each: shape } : shape;
    for (const name of path.slice(1)) {
      at = at?.kinds ? undefined : (at?.each ?? at?.values ?? at?.fields?.[name]);
    }
    if (at !== "digits") {
      const message = `${place} is an integer that a number of JavaScript cannot hold; declare its bounds in the design`;
      throw new Unreadable(message, { call, field: path.at(-1) });
    }
  }
}

/** All digits of a number that a double holds exactly. */
function digits(number) {
  const text = String(number);
  const [, sign, whole, fraction = "", exponent] = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]\d+))?$/.exec(text) ?? [];
  if (exponent === undefined) {
    return text;
  }
  const shift = Number(exponent);
  if (shift < 0) {
    return `${sign}0.${"0".repeat(-shift - 1)}${whole}${fraction}`;
  }
  return `${sign}${whole}${fraction.padEnd(shift, "0")}`;
}
