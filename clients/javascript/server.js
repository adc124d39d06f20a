// The server under test, ended by the process that started it.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

const buckets = mkdtempSync(join(tmpdir(), "sortkey-buckets-"));
const server = process.env.SORTKEY_E2E_ENDPOINT ? null : start(["--export-dir", buckets]);

/** The address that requests go to. */
export const endpoint = process.env.SORTKEY_E2E_ENDPOINT ?? (await address(server));

/** Ends the server, if it is ours. */
export async function stop() {
  if (server) await end(server);
  rmSync(buckets, { recursive: true });
}

/** A server with settings of its own. */
export async function serve(settings, env) {
  const server = start(settings, env);
  return { endpoint: await address(server), stop: () => end(server) };
}

function start(settings, env = process.env) {
  const all = ["serve", "--port", "0", "--in-memory", ...settings];
  return spawn(binary(), all, { stdio: ["ignore", "pipe", "inherit"], env });
}

async function end(server) {
  const ended = once(server, "exit");
  server.kill("SIGTERM");
  await ended;
}

/** The address that the server prints. Later output is read too, so that the server never blocks on a full pipe. */
async function address(server) {
  const lines = createInterface({ input: server.stdout });
  for (;;) {
    const [line] = await once(lines, "line");
    const found = line.match(/http:\/\/[0-9.]+:[0-9]+/);
    if (found) {
      return found[0];
    }
  }
}

/** The binary that is tested. */
export function binary() {
  if (process.env.SORTKEY_BIN) {
    return process.env.SORTKEY_BIN;
  }
  const built = ["debug", "release"]
    .map((profile) => fileURLToPath(new URL(`../../target/${profile}/sortkey`, import.meta.url)))
    .filter(existsSync)
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  if (built.length === 0) {
    throw new Error("build the binary first: cargo build");
  }
  return built[0];
}
