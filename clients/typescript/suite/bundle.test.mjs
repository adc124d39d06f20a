// A Lambda-shaped handler, bundled into one file with esbuild and run on its own.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { build } from "esbuild";

const run = promisify(execFile);

for (const format of ["esm", "cjs"]) {
  test(`a handler is one file (${format}), and answers`, async () => {
    const folder = await mkdtemp(join(tmpdir(), "sortkey-"));
    const outfile = join(folder, format === "esm" ? "handler.mjs" : "handler.cjs");
    await build({
      entryPoints: [new URL("handler.mjs", import.meta.url).pathname],
      bundle: true,
      platform: "node",
      minify: true,
      format,
      outfile,
      logLevel: "error",
      ...(format === "esm" ? { banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" } } : {}),
    });
    console.log(`# ${(await stat(outfile)).size} bytes`);
    const script = `
      const { handler } = await import(${JSON.stringify(outfile)});
      const answer = await handler({ pathParameters: { userId: "usr_0000000000000000" } });
      process.stdout.write(JSON.stringify(answer));`;
    const { stdout } = await run(process.execPath, ["--no-warnings", "--input-type=module", "--eval", script], { env: { ...process.env, AWS_REGION: "us-east-1" } });
    const { statusCode, cold } = JSON.parse(stdout);
    assert.equal(statusCode, 404);
    console.log(`# cold start: ${cold.cpuMs} ms of CPU, ${cold.ms} ms`);
    await rm(folder, { recursive: true });
  });
}
