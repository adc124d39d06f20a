#!/usr/bin/env node
"use strict";
// Becomes the binary where Node can replace itself (22.15 and newer), so that no second process exists. Otherwise starts it,
// passes signals on, and asks the binary to stop when this process ends, even if it is killed.

const { spawn } = require("node:child_process");
const { binary } = require("./index.js");

let program;
try {
  program = binary();
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exit(1);
}

const given = process.argv.slice(2);
if (typeof process.execve === "function") {
  process.execve(program, [program, ...given], process.env);
}

const child = spawn(program, given, {
  stdio: "inherit",
  env: { ...process.env, SORTKEY_PARENT: String(process.pid) },
});
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => child.kill(signal));
}
child.on("error", (error) => {
  console.error(`error: cannot start ${program}: ${error.message}`);
  process.exit(1);
});
child.on("exit", (code, signal) => {
  if (signal) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  } else {
    process.exit(code);
  }
});
