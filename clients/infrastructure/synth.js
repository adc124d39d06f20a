// Synthesises a generated construct and prints its template: node synth.js FILE.ts CLASS [REGION]
//
// The file is compiled with `strict`, and every complaint of the compiler is a failure.

const path = require("node:path");
const ts = require("typescript");
const cdk = require("aws-cdk-lib");

const [file, className, region] = process.argv.slice(2);

const options = {
  strict: true,
  noUnusedLocals: true,
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.CommonJS,
  moduleResolution: ts.ModuleResolutionKind.Node10,
  ignoreDeprecations: "5.0",
  skipLibCheck: true,
  types: [],
  baseUrl: __dirname,
  paths: { "*": ["node_modules/*"] },
};
const program = ts.createProgram([file], options);
const complaints = ts.getPreEmitDiagnostics(program);
if (complaints.length > 0) {
  const host = { getCanonicalFileName: (name) => name, getCurrentDirectory: () => "", getNewLine: () => "\n" };
  console.error(ts.formatDiagnostics(complaints, host));
  process.exit(1);
}

let text = "";
program.emit(program.getSourceFile(file), (_, emitted) => (text = emitted));
const compiled = { exports: {} };
new Function("module", "exports", "require", text)(compiled, compiled.exports, require);

const app = new cdk.App({ analyticsReporting: false });
const stack = new cdk.Stack(app, "Stack", region ? { env: { region } } : {});
new compiled.exports[className](stack, "Tables");
process.stdout.write(JSON.stringify(app.synth().getStackByName("Stack").template));
