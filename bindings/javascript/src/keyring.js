// A keyring of one key that the application keeps, for tests and for machines without a key service.

import { random } from "./bytes.js";

/** Wraps data keys with AES-256-GCM under a key of 32 bytes. The alias is bound to what it wraps. */
export function localKeyring(master) {
  if (!(master instanceof Uint8Array) || master.length !== 32) {
    throw new TypeError("a local keyring needs a key of 32 bytes");
  }
  const { subtle } = globalThis.crypto;
  const key = subtle.importKey("raw", master, "AES-GCM", false, ["encrypt", "decrypt"]);
  const cipher = (alias, iv) => ({ name: "AES-GCM", iv, additionalData: new TextEncoder().encode(alias) });
  return {
    async newDataKey(alias) {
      const [plain, iv] = [random(32), random(12)];
      const sealed = new Uint8Array(await subtle.encrypt(cipher(alias, iv), await key, plain));
      const wrapped = new Uint8Array(12 + sealed.length);
      wrapped.set(iv);
      wrapped.set(sealed, 12);
      return { plain, wrapped };
    },
    async openDataKey(alias, wrapped) {
      const opened = subtle.decrypt(cipher(alias, wrapped.slice(0, 12)), await key, wrapped.slice(12));
      return new Uint8Array(await opened);
    },
  };
}
