// Slack and Teams as a bot meets them: they take answers with the right token, ask for patience now and then, and show what they got.
//
//   node channels.mjs --port 9300
//
// POST /slack/chat.postMessage and POST /teams/v3/conversations/ID/activities take answers, POST /login gives the token that Teams
// requires. Every third answer is refused with 429 at first. GET /messages lists what
// was taken. Standard library only.

import { createServer } from "node:http";
import { argument, json, listen, read } from "../oidc/http.mjs";

const port = Number(argument("port", "0"));
const BOT = argument("slack-token", "xoxb-example");
const PASSWORD = argument("teams-password", "app-password");
const taken = [];
let asked = 0;

/** Whether a channel asks for patience: at every third answer, once. */
const isBusy = () => ++asked % 3 === 2;

const server = createServer(async (request, response) => {
  const path = new URL(request.url, "http://localhost").pathname;
  if (path === "/messages") return json(response, 200, taken);
  const body = await read(request).catch(() => null);
  if (request.method !== "POST" || body === null) return json(response, 400, { error: "POST JSON" });
  if (path === "/login") {
    const isRight = body.grant_type === "client_credentials" && body.client_secret === PASSWORD;
    return isRight ? json(response, 200, { access_token: `for-${body.client_id}` }) : json(response, 401, { error: "invalid_client" });
  }
  const bearer = (request.headers.authorization ?? "").replace("Bearer ", "");
  if (path === "/slack/chat.postMessage") {
    if (bearer !== BOT) return json(response, 200, { ok: false, error: "invalid_auth" });
    if (isBusy()) return json(response, 429, { ok: false, error: "ratelimited" }, { "retry-after": "1" });
    taken.push({ to: "slack", channel: body.channel, thread: body.thread_ts, text: body.text });
    return json(response, 200, { ok: true });
  }
  const conversation = path.match(/^\/teams\/v3\/conversations\/(.+)\/activities$/);
  if (conversation) {
    if (!bearer.startsWith("for-")) return json(response, 401, { error: "unauthorized" });
    if (isBusy()) return json(response, 429, { error: "busy" }, { "retry-after": "1" });
    taken.push({ to: "teams", channel: decodeURIComponent(conversation[1]), text: body.text, replyTo: body.replyToId });
    return json(response, 201, { id: `a${taken.length}` });
  }
  json(response, 404, { error: "not_found" });
});

listen(server, port, "channels");
