// A Lambda-shaped handler, bundled into one file with esbuild, webpack and Vite, and run on its own.

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { build } from "esbuild";
import { build as vite } from "vite";
import webpack from "webpack";

const run = promisify(execFile);
const entry = new URL("handler.mjs", import.meta.url).pathname;
const root = new URL("..", import.meta.url).pathname;

/** The CommonJS that is around an ES module which bundles CommonJS. */
const banner = "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
const esbuild = (format, outfile) =>
  build({
    entryPoints: [entry],
    bundle: true,
    platform: "node",
    minify: true,
    format,
    outfile,
    logLevel: "error",
    ...(format === "esm" ? { banner: { js: banner } } : {}),
  });

const BUNDLERS = {
  "esbuild, esm": async (folder) => {
    await esbuild("esm", join(folder, "handler.mjs"));
    return "handler.mjs";
  },
  "esbuild, cjs": async (folder) => {
    await esbuild("cjs", join(folder, "handler.cjs"));
    return "handler.cjs";
  },
  webpack: async (folder) => {
    const output = { path: folder, filename: "handler.cjs", library: { type: "commonjs2" } };
    const compiler = webpack({ mode: "production", target: "node18", context: root, entry, output });
    const stats = await promisify(compiler.run.bind(compiler))();
    assert.ok(!stats.hasErrors() && !stats.hasWarnings(), stats.toString({ all: false, errors: true, warnings: true }));
    await promisify(compiler.close.bind(compiler))();
    return "handler.cjs";
  },
  vite: async (folder) => {
    const output = { entryFileNames: "handler.mjs", inlineDynamicImports: true };
    const made = { ssr: entry, outDir: folder, emptyOutDir: false, minify: true, rollupOptions: { output } };
    await vite({ root, configFile: false, logLevel: "error", ssr: { noExternal: true }, build: made });
    return "handler.mjs";
  },
};

for (const [name, bundle] of Object.entries(BUNDLERS)) {
  test(`a handler is one file (${name}), and answers`, async () => {
    const folder = await mkdtemp(join(tmpdir(), "sortkey-"));
    const file = await bundle(folder);
    // Nothing but the file is there: no node_modules, and no package that sets the kind of module.
    await writeFile(join(folder, "package.json"), "{}");
    console.log(`# ${name}: ${(await stat(join(folder, file))).size} bytes`);
    const script = `
      const loaded = await import(${JSON.stringify(join(folder, file))});
      // Node finds no names in CommonJS that is minified.
      const { handler } = loaded.handler ? loaded : loaded.default;
      const answer = await handler({ pathParameters: { userId: "usr_0000000000000000" } });
      process.stdout.write(JSON.stringify(answer));`;
    const env = { ...process.env, AWS_REGION: "us-east-1" };
    const { stdout } = await run(process.execPath, ["--no-warnings", "--input-type=module", "--eval", script], { cwd: folder, env });
    const { statusCode, cold } = JSON.parse(stdout);
    assert.equal(statusCode, 404);
    console.log(`# ${name}: cold start: ${cold.cpuMs} ms of CPU, ${cold.ms} ms`);
    await rm(folder, { recursive: true });
  });
}
