// The little that the example programs need of HTTP.

/** The value of `--name value`. */
export function argument(name, otherwise) {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? otherwise : process.argv[at + 1];
}

/** Answers with JSON. */
export function json(response, status, body, headers = {}) {
  response.writeHead(status, { "content-type": "application/json", ...headers });
  response.end(JSON.stringify(body));
}

/** The body of a request as JSON or as a form, of at most a megabyte. */
export async function read(request) {
  let text = "";
  for await (const chunk of request) {
    text += chunk;
    if (text.length > 1 << 20) throw new Error("too large");
  }
  if ((request.headers["content-type"] ?? "").includes("x-www-form-urlencoded")) {
    return Object.fromEntries(new URLSearchParams(text));
  }
  return text === "" ? {} : JSON.parse(text);
}

/** Listens on loopback, and prints the address on one line. */
export function listen(server, port, name) {
  server.listen(port, "127.0.0.1", () => console.log(`${name} http://127.0.0.1:${server.address().port}`));
  process.on("SIGTERM", () => process.exit(0));
}
