// A language model, very small: it answers in words of its own vocabulary and of the prompt, one word at a time.
//
//   node model.mjs --port 9200 [--fail-every 3] [--pause 20]
//
// POST /complete streams server-sent events: parts of the answer, then the event `result`. POST /summarise answers with JSON.
// It refuses models that it does not have, stops at `max_tokens`, and is overloaded (503) at every n-th request if asked to be.
// Standard library only.

import { createServer } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import { argument, json, listen, read } from "../oidc/http.mjs";

const port = Number(argument("port", "0"));
const failEvery = Number(argument("fail-every", "0"));
const pauseMs = Number(argument("pause", "5"));
const MODELS = { local: ["small", "large"], bedrock: ["claude-sonnet-4-5-20250929"] };
const SKILLS = {
  sprint_status: (question) => ["The", "sprint", "has", String(question.length), "open", "tickets."],
};
let requests = 0;

/** Four bytes are a token. */
const tokens = (text) => Math.ceil(Buffer.byteLength(text) / 4);

/** The words of an answer. */
function answer({ messages, system, skill, skills }) {
  const question = messages.at(-1).content;
  if (skill) {
    return skills.includes(skill) && SKILLS[skill] ? SKILLS[skill](question) : ["I", "cannot", "do", "that."];
  }
  const before = messages.filter((message) => message.role === "user").length - 1;
  const words = ["You", "said:", ...question.split(/\s+/).filter(Boolean)];
  if (before > 0) words.push(`(and`, String(before), `before)`);
  if (system.trim()) words.push(`[${system.trim()}]`);
  return words;
}

async function complete(body, response) {
  if (!MODELS[body.provider]?.includes(body.model)) {
    return json(response, 400, { error: `no model ${body.model} of ${body.provider}` });
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  let text = "";
  for (const word of answer(body)) {
    const part = text === "" ? word : ` ${word}`;
    if (tokens(text + part) > body.max_tokens) break;
    text += part;
    response.write(`data: ${JSON.stringify({ text: part })}\n\n`);
    await pause(pauseMs);
  }
  response.end(`event: result\ndata: ${JSON.stringify({ text, ...(body.skill ? { skill: body.skill } : {}) })}\n\n`);
}

function summarise({ messages }, response) {
  const said = messages.filter((message) => message.role === "user").map((message) => message.content);
  const facts = said.filter((text) => /\b(I|my)\b/i.test(text)).map((text) => text.slice(0, 500));
  json(response, 200, { summary: `Talked about: ${said.join("; ")}`.slice(0, 8_000), key_facts: facts.slice(0, 50) });
}

const server = createServer(async (request, response) => {
  requests += 1;
  const body = await read(request).catch(() => null);
  if (request.method !== "POST" || body === null) return json(response, 400, { error: "POST JSON" });
  if (failEvery > 0 && requests % failEvery === 0) return json(response, 503, { error: "overloaded" });
  if (request.url === "/complete") return complete(body, response);
  if (request.url === "/summarise") return summarise(body, response);
  json(response, 404, { error: "POST /complete or /summarise" });
});

listen(server, port, "model");
