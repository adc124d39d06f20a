// Base64 without dependencies, in every runtime.

export function toBase64(bytes) {
  if (typeof Buffer !== "undefined") {
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  }
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(text);
}

export function fromBase64(text) {
  if (typeof Buffer !== "undefined") {
    const buffer = Buffer.from(text, "base64");
    return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength);
  }
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

export function toHex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

export function random(length) {
  return globalThis.crypto.getRandomValues(new Uint8Array(length));
}
