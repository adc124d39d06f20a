export { open } from "./client.js";
export { PROTOCOL } from "./core.js";
export * from "./errors.js";
export { localKeyring } from "./keyring.js";
export { Paged } from "./paged.js";
export * as work from "./workers.js";
