// Writes dist/: the two WebAssembly modules as JavaScript modules, which every bundler takes and no path can break.
//
//   node build.mjs              compiles them first
//   node build.mjs FOLDER       the folder has sortkey_wasm.wasm and sortkey_wasm_functions.wasm
//
// If wasm-opt (binaryen) is in node_modules or on the PATH, it makes them smaller; SORTKEY_WASM_OPT=0 leaves it out.

import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { withoutNames, withoutPanics } from "./panics.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const folder = process.argv[2] ?? compiled();
const OPTIONS = [
  // Nothing of Rust's is in the first kilobyte of memory: the stack ends there.
  "--low-memory-unused",
  "--flatten",
  "--rereloop",
  "-Oz",
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

/** Compiles each module by itself. Together with a library of Rust, it would be a sixth larger: that is not optimised as a whole. */
function compiled() {
  const [root, target] = [join(here, "../.."), "wasm32-unknown-unknown"];
  for (const name of ["sortkey-wasm", "sortkey-wasm-functions"]) {
    const options = ["--quiet", "--locked", "--profile", "wasm", "--target", target, "--package", name, "--crate-type", "cdylib"];
    execFileSync("cargo", ["rustc", ...options], { cwd: root, stdio: ["ignore", "inherit", "inherit"] });
  }
  return join(resolve(root, process.env.CARGO_TARGET_DIR ?? "target"), target, "wasm");
}

function optimised(file) {
  const bytes = withoutPanics(readFileSync(file));
  const command = optimiser();
  if (!command) {
    return withoutNames(bytes);
  }
  const work = mkdtempSync(join(tmpdir(), "sortkey-"));
  try {
    const [before, after] = [join(work, "in.wasm"), join(work, "out.wasm")];
    writeFileSync(before, bytes);
    execFileSync(command[0], [...command.slice(1), ...OPTIONS, before, "-o", after], { stdio: ["ignore", "ignore", "inherit"] });
    return withoutNames(readFileSync(after));
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
