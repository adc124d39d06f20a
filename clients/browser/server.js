// A sortkey server as a process, and a site of somebody else.
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { createInterface } from "node:readline";

/** Starts the server on a free port; resolves to its port and a function that stops it. */
export async function sortkey(...args) {
  const child = spawn(process.env.SORTKEY_BIN, [...args, "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  // All lines are read, so that the server never waits for us.
  const lines = createInterface({ input: child.stdout });
  const port = await new Promise((found, failed) => {
    lines.on("line", (line) => found(line.match(/listening on http:\/\/127\.0\.0\.1:(\d+)/)?.[1]));
    lines.on("close", () => failed(new Error("the server did not start")));
  });
  const stop = () => new Promise((done) => { child.once("exit", done); child.kill(); });
  return { port: Number(port), stop };
}

/** A site that serves one empty page, on a port of its own. */
export async function site() {
  const server = createServer((_, answer) => {
    answer.setHeader("content-type", "text/html");
    answer.end("<!doctype html><title>a site</title>");
  });
  await new Promise((ready) => server.listen(0, "127.0.0.1", ready));
  return { port: server.address().port, stop: () => new Promise((done) => server.close(done)) };
}

/** A request of the DynamoDB API, with a signature that nobody checks on an open server. */
export function dynamodb(operation, body) {
  return {
    method: "POST",
    headers: {
      "content-type": "application/x-amz-json-1.0",
      "x-amz-target": `DynamoDB_20120810.${operation}`,
      "x-amz-date": "20261115T123600Z",
      authorization:
        "AWS4-HMAC-SHA256 Credential=AKID/20261115/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=abc",
    },
    body: JSON.stringify(body),
  };
}
