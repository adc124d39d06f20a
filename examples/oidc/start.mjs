// Starts the programs of an example and the design beside them, and ends them with the example.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { setTimeout as pause } from "node:timers/promises";

const examples = dirname(dirname(fileURLToPath(import.meta.url)));
const children = [];
const folder = mkdtempSync(join(tmpdir(), "sortkey-example-"));
process.on("exit", () => {
  children.forEach((child) => child.kill("SIGTERM"));
  rmSync(folder, { recursive: true, force: true });
});
process.on("SIGINT", () => process.exit(130));

/** Starts a program, and waits for the line with its address. */
function started(command, given, pattern) {
  const child = spawn(command, given, { stdio: ["ignore", "pipe", "inherit"] });
  children.push(child);
  return new Promise((resolve, reject) => {
    let said = "";
    child.stdout.on("data", (chunk) => {
      said += chunk;
      const found = said.match(pattern);
      if (found) resolve(found[0]);
    });
    child.on("exit", (code) => reject(new Error(`${command} ${given[0]} ended with ${code}: ${said}`)));
    child.on("error", reject);
  });
}

/** Starts a companion program of the examples. */
export const companion = (script, ...given) =>
  started(process.execPath, [join(examples, script), ...given], /http:\/\/127\.0\.0\.1:\d+/);

/** Serves a system with its data in a folder of its own. */
export const serve = (system, ...given) =>
  started(
    process.env.SORTKEY_BIN ?? "sortkey",
    ["up", join(examples, "..", "systems", system), "--port", "0", "--data", join(folder, "data"), "--allow-private", "127.0.0.0/8", ...given],
    /http:\/\/127\.0\.0\.1:\d+/,
  );

/** Sends JSON and gives the answer, with its status. */
export async function send(method, url, body, headers = {}) {
  const text = typeof body === "string" ? body : body === undefined ? undefined : JSON.stringify(body);
  const response = await fetch(url, { method, headers: { "content-type": "application/json", ...headers }, body: text });
  const answered = await response.text();
  let json;
  try {
    json = JSON.parse(answered);
  } catch {
    json = undefined;
  }
  return { status: response.status, headers: response.headers, text: answered, json };
}

/** Waits until something is so, for at most twenty seconds. */
export async function until(what, look) {
  for (let round = 0; round < 200; round++) {
    const found = await look();
    if (found) return found;
    await pause(100);
  }
  throw new Error(`waited in vain for ${what}`);
}

/** Says what was seen. */
export function say(text) {
  console.log(text);
}

/** Fails unless something holds. */
export function check(holds, what, found) {
  if (!holds) throw new Error(`${what}: ${JSON.stringify(found)}`);
  say(`  ${what}`);
}
