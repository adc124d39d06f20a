// An OIDC issuer: its configuration, its public keys, and signed tokens for the people in its list.
//
//   node issuer.mjs --port 9100 [--people people.json]
//
// POST /token {"user": "ada", "audience": "shop"} gives {"id_token": ...} to a caller with the person's password, POST /people
// adds a person, POST /rotate makes a new key and keeps the old one for verification. Standard library only.

import { createServer } from "node:http";
import { generateKeyPairSync, sign, timingSafeEqual, createHash } from "node:crypto";
import { argument, json, listen, read } from "./http.mjs";

const port = Number(argument("port", "0"));
const lifetimeSeconds = Number(argument("lifetime", "300"));
const people = new Map();
const keys = [];

function addKey(kind) {
  const id = `${kind}-${keys.length + 1}`;
  const pair =
    kind === "rsa"
      ? generateKeyPairSync("rsa", { modulusLength: 2048 })
      : generateKeyPairSync("ec", { namedCurve: "P-256" });
  keys.push({ id, kind, ...pair });
}
addKey("rsa");
addKey("ec");

const encoded = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** A token, signed by the newest key of a kind. */
function token(claims, kind) {
  const key = keys.findLast((each) => each.kind === kind);
  const algorithm = kind === "rsa" ? "RS256" : "ES256";
  const signed = `${encoded({ alg: algorithm, kid: key.id, typ: "JWT" })}.${encoded(claims)}`;
  const options = kind === "rsa" ? key.privateKey : { key: key.privateKey, dsaEncoding: "ieee-p1363" };
  return `${signed}.${sign("sha256", Buffer.from(signed), options).toString("base64url")}`;
}

const digest = (text) => createHash("sha256").update(String(text)).digest();

const server = createServer(async (request, response) => {
  const issuer = `http://127.0.0.1:${server.address().port}`;
  const path = new URL(request.url, issuer).pathname;
  if (path === "/.well-known/openid-configuration") {
    return json(response, 200, { issuer, jwks_uri: `${issuer}/keys`, token_endpoint: `${issuer}/token` });
  }
  if (path === "/keys") {
    const published = keys.map((key) => ({ ...key.publicKey.export({ format: "jwk" }), kid: key.id, use: "sig" }));
    return json(response, 200, { keys: published });
  }
  if (request.method !== "POST") return json(response, 404, { error: "not_found" });
  const body = await read(request).catch(() => null);
  if (body === null) return json(response, 400, { error: "invalid_request" });
  if (path === "/people") {
    people.set(body.user, { password: digest(body.password), claims: body.claims ?? {} });
    return json(response, 201, { user: body.user });
  }
  if (path === "/rotate") {
    addKey("rsa");
    addKey("ec");
    return json(response, 200, { keys: keys.map((key) => key.id) });
  }
  if (path === "/token") {
    const person = people.get(body.user);
    if (!person || !timingSafeEqual(person.password, digest(body.password))) {
      return json(response, 401, { error: "invalid_grant" });
    }
    const now = Math.floor(Date.now() / 1000);
    const claims = { iss: issuer, aud: body.audience, sub: body.user, iat: now, exp: now + lifetimeSeconds, ...person.claims };
    return json(response, 200, { id_token: token(claims, body.key === "ec" ? "ec" : "rsa"), token_type: "Bearer" });
  }
  json(response, 404, { error: "not_found" });
});

listen(server, port, "issuer");
