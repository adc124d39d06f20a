"use strict";
// The path of the binary, for programs that start it themselves: `require("sortkey-cli").binary()`.

const PLATFORMS = { "linux x64": "sortkey-cli-linux-x64" };

function binary() {
  if (process.env.SORTKEY_BIN) return process.env.SORTKEY_BIN;
  const platform = `${process.platform} ${process.arch}`;
  const name = PLATFORMS[platform];
  if (!name) throw new Error(`sortkey-cli has no binary for ${platform}; build it from source and set SORTKEY_BIN`);
  try {
    return require.resolve(`${name}/bin/sortkey`);
  } catch {
    throw new Error(`the package ${name} is missing; install sortkey-cli without --omit=optional`);
  }
}

module.exports = { binary };
