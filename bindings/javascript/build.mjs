// Writes dist/: the two WebAssembly modules as JavaScript modules, which every bundler takes and no path can break.
//
//   node build.mjs FOLDER     the folder has sortkey_wasm.wasm and sortkey_wasm_functions.wasm
//
// Where wasm-opt (binaryen) is found, in node_modules or on the PATH, it makes them smaller; SORTKEY_WASM_OPT=0 leaves it out.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2] ?? join(here, "../../target/wasm32-unknown-unknown/wasm");
const OPTIONS = [
  "-Oz",
  "--enable-bulk-memory",
  "--enable-sign-ext",
  "--enable-mutable-globals",
  "--enable-nontrapping-float-to-int",
  "--enable-reference-types",
  "--enable-multivalue",
  "--strip-debug",
  "--strip-producers",
];

mkdirSync(join(here, "dist"), { recursive: true });
for (const [file, name] of [
  ["sortkey_wasm", "core"],
  ["sortkey_wasm_functions", "functions"],
]) {
  const bytes = optimised(join(folder, `${file}.wasm`));
  const text = `// Built from crates/${file.replaceAll("_", "-").replace("sortkey-", "")}.\nexport default "${bytes.toString("base64")}";\n`;
  writeFileSync(join(here, "dist", `${name}.js`), text);
  writeFileSync(join(here, "dist", `${name}.wasm`), bytes);
  console.log(`${name}: ${bytes.length} bytes`);
}

function optimised(file) {
  const command = optimiser();
  if (!command) {
    return readFileSync(file);
  }
  const work = mkdtempSync(join(tmpdir(), "sortkey-"));
  try {
    const out = join(work, "out.wasm");
    execFileSync(command[0], [...command.slice(1), ...OPTIONS, file, "-o", out], { stdio: ["ignore", "ignore", "inherit"] });
    return readFileSync(out);
  } finally {
    rmSync(work, { recursive: true });
  }
}

function optimiser() {
  if (process.env.SORTKEY_WASM_OPT === "0") {
    return undefined;
  }
  for (const from of [process.cwd(), here]) {
    try {
      const file = join(dirname(createRequire(join(from, "x.js")).resolve("binaryen/package.json")), "bin/wasm-opt");
      return existsSync(file) ? [process.execPath, file] : undefined;
    } catch {
      // It is not installed there.
    }
  }
  try {
    execFileSync("wasm-opt", ["--version"], { stdio: "ignore" });
    return ["wasm-opt"];
  } catch {
    return undefined;
  }
}
