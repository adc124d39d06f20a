// T3nets at work: a question on the dashboard, in Slack and in Teams, answered by a model that streams, and remembered.

import { createHmac } from "node:crypto";
import { check, companion, say, send, serve, until } from "../oidc/start.mjs";

const SIGNING_SECRET = "slack-signing-secret";
const issuer = await companion("oidc/issuer.mjs");
const model = await companion("t3nets/model.mjs", "--fail-every", "4", "--pause", "20");
const channels = await companion("t3nets/channels.mjs");
const base = await serve(
  "t3nets",
  ...["--extern", `complete=${model}/complete`, "--extern", `summarise=${model}/summarise`],
  ...["--set", `dashboardIssuer=${issuer}`, "--set", `teamsIssuer=${issuer}`, "--set", `teamsKeys=${issuer}/keys`],
  ...["--set", `teamsLogin=${channels}/login`, "--set", `slackApi=${channels}/slack`],
);
say(`T3nets at ${base}, with an issuer, a model and two channels beside it`);

/** Calls an operation as the product itself. */
async function operate(name, body) {
  const got = await send("POST", `${base}/api/${name}`, body);
  if (got.status >= 300) throw new Error(`${name}: ${got.status} ${got.text}`);
  return got.json;
}

/** A token of the dashboard. */
async function signIn(user, options = {}) {
  const got = await send("POST", `${issuer}/token`, { user, password: "secret", audience: "t3nets", ...options });
  return got.json.id_token;
}

const settings = {
  ai_provider: "local", ai_model: "small", system_prompt_override: "Be brief.", max_tokens_per_message: 64, messages_per_day: 6,
  enabled_channels: ["dashboard", "teams", "slack"], enabled_skills: ["sprint_status"], custom_skills: [],
};
await operate("tenants/create", { tenant_id: "outlocks", name: "Outlocks", settings });
await operate("tenants/create", { tenant_id: "rivals", name: "Rivals", settings });
for (const tenant_id of ["outlocks", "rivals"]) {
  await operate("tenants/setStatus", { tenant_id, status: "active" });
  await operate("tenants/addAdmin", { tenant_id, user_id: "root", email: `root@${tenant_id}.example`, display_name: "Root" });
}
const person = (user, tenant, claims = {}) =>
  send("POST", `${issuer}/people`, { user, password: "secret", claims: { tenant, email: `${user}@${tenant}.example`, email_verified: true, ...claims } });
await person("root", "outlocks");
await person("ada", "outlocks");
await person("root2", "rivals", { email: "root@rivals.example" });
await person("botframework", "-", { serviceurl: `${channels}/teams` });
const root = { authorization: `Bearer ${await signIn("root")}` };

say("People and channels");
const ada = {
  user_id: "ada", email: "ada@outlocks.example", display_name: "Ada", channel_identities: { slack: "U12345", teams: "aad-ada" },
};
check((await send("POST", `${base}/api/users/create`, ada, root)).status === 200, "an administrator adds Ada", ada);
const slack = { type: "slack", id: "T0001", signing_secret: SIGNING_SECRET, bot_token: "xoxb-example" };
const mapped = await send("POST", `${base}/api/channels/map`, slack, root);
check(mapped.status === 200 && !mapped.text.includes("xoxb"), "a Slack workspace is mapped, and its secrets are not shown", mapped);
const teams = { type: "teams", id: "azure-bot-app-id", bot_token: "app-password" };
check((await send("POST", `${base}/api/channels/map`, teams, root)).status === 200, "a Teams bot is mapped", teams);

say("Who may not");
const asAda = { authorization: `Bearer ${await signIn("ada", { key: "ec" })}` };
const refused = async (what, status, promise) => {
  const got = await promise;
  check(got.status === status, `${what}: ${status}`, got);
};
await refused("a member who adds people", 403, send("POST", `${base}/api/users/create`, { ...ada, user_id: "eve" }, asAda));
await refused("nobody", 401, send("POST", `${base}/conversations/conv-1/messages`, { content: "hi" }));
const forged = `${(await signIn("ada")).slice(0, -8)}AAAAAAAA`;
await refused("a forged token", 401, send("POST", `${base}/conversations/conv-1/messages`, { content: "hi" }, { authorization: `Bearer ${forged}` }));
const elsewhere = await signIn("ada", { audience: "bank" });
await refused("a token for another audience", 401, send("POST", `${base}/conversations/conv-1/messages`, { content: "hi" }, { authorization: `Bearer ${elsewhere}` }));
await refused("an administrator of another tenant", 404, send("GET", `${base}/api/conversations/get?tenant_id=outlocks&conversation_id=conv-1`, undefined, { authorization: `Bearer ${await signIn("root2")}` }));

say("The dashboard");
const followed = await fetch(`${base}/conversations/conv-1/live`, { headers: asAda });
check(followed.headers.get("content-type") === "text/event-stream", "Ada follows her conversation", followed.status);
let events = "";
const following = (async () => {
  for await (const chunk of followed.body) {
    events += Buffer.from(chunk).toString();
    if (events.includes("event: done")) return;
  }
})();
const asked = await send("POST", `${base}/conversations/conv-1/messages`, { content: "what do I like?" }, { ...asAda, "idempotency-key": "q1" });
check(asked.status === 202 && asked.json.state === "waiting", "her question is taken", asked);
const repeated = await send("POST", `${base}/conversations/conv-1/messages`, { content: "what do I like?" }, { ...asAda, "idempotency-key": "q1" });
check(repeated.json.turn_id === asked.json.turn_id, "sent again, it is the same question", repeated);
await following;
const parts = [...events.matchAll(/^data: (\{"text".*)$/gm)].map((found) => JSON.parse(found[1]).text);
check(parts.length > 3 && parts.join("") === "You said: what do I like? [Be brief.]", `the answer arrives in ${parts.length} parts`, events);
const conversation = async (id) => (await send("GET", `${base}/api/conversations/get?tenant_id=outlocks&conversation_id=${encodeURIComponent(id)}`, undefined, asAda)).json;
const saved = await until("the conversation", async () => {
  const found = await conversation("conv-1");
  return found?.messages?.length === 2 && found;
});
check(saved.messages[1].content === parts.join(""), "and is kept as it was said", saved);
const status = await send("POST", `${base}/conversations/conv-1/messages`, { content: "how is it going?", skill: "sprint_status" }, asAda);
await until("the skill", async () => (await conversation("conv-1")).messages.at(-1).content.includes("open tickets") && status);
say("  a skill of the tenant answers");
await refused("a skill that is not enabled", 409, send("POST", `${base}/conversations/conv-1/messages`, { content: "x", skill: "poetry" }, asAda));

say("Slack");
const slackEvent = (text, id, secret = SIGNING_SECRET) => {
  const event = { type: "message", user: "U12345", text, channel: "C024BE91L", thread_ts: "1482960137.003543" };
  const body = JSON.stringify({ type: "event_callback", team_id: "T0001", event_id: id, event });
  const at = String(Math.floor(Date.now() / 1000));
  const signature = `v0=${createHmac("sha256", secret).update(`v0:${at}:${body}`).digest("hex")}`;
  return send("POST", `${base}/channels/slack`, body, { "x-slack-request-timestamp": at, "x-slack-signature": signature });
};
const hello = await send("POST", `${base}/channels/slack`, { type: "url_verification", token: "t", challenge: "3eZbrw1a" });
check(hello.status === 200 && hello.json.challenge === "3eZbrw1a", "Slack asks whether the address is ours, and is answered", hello);
await refused("a wrong signature", 401, slackEvent("hello", "Ev0", "guessed"));
const first = await slackEvent("hello from Slack", "Ev1");
check(first.status === 200, "a signed message is taken", first);
check((await slackEvent("hello from Slack", "Ev1")).status === 200, "and its repetition, which is answered once", first);

say("Teams");
const botToken = (options) => signIn("botframework", { audience: "azure-bot-app-id", ...options });
const activity = (id, token, more = {}) =>
  send(
    "POST", `${base}/channels/teams`,
    {
      type: "message", id, text: "hello from Teams", from: { aadObjectId: "aad-ada" }, recipient: { id: "28:azure-bot-app-id" },
      conversation: { id: "19:meeting_x@thread.v2" }, serviceUrl: `${channels}/teams`, ...more,
    },
    { authorization: `Bearer ${token}` },
  );
await refused("a token for another bot", 401, activity("m0", await botToken({ audience: "another-bot" })));
await refused("a token of another service", 401, activity("m0", await botToken(), { serviceUrl: "http://evil.example" }));
const inTeams = await activity("m1", await botToken({ key: "ec" }));
check(inTeams.status === 200, "a message with the Bot Framework's token is taken", inTeams);
await refused("somebody who is not of the tenant", 404, activity("m2", await botToken(), { from: { aadObjectId: "aad-eve" } }));

const delivered = await until("the answers in the channels", async () => {
  const messages = (await send("GET", `${channels}/messages`)).json;
  return ["slack", "teams"].every((channel) => messages.some((each) => each.to === channel)) && messages;
});
check(delivered.filter((each) => each.to === "slack").length === 1, "the answer is in its thread of Slack, once", delivered);
const inTeamsSaid = delivered.find((each) => each.to === "teams");
check(inTeamsSaid.channel === "19:meeting_x@thread.v2" && inTeamsSaid.replyTo === "m1", `and in Teams: "${inTeamsSaid.text}"`, delivered);

say("The day");
const day = new Date().toISOString().slice(0, 10);
const usage = (await send("GET", `${base}/api/tenants/usageOfDay?tenant_id=outlocks&day=${day}`, undefined, root)).json;
check(usage.used >= 3 && usage.input_tokens > 0 && usage.output_tokens > 0, `${usage.used} messages, ${usage.input_tokens} tokens in, ${usage.output_tokens} out`, usage);
let last = { status: 202 };
for (let more = 0; more < 8 && last.status === 202; more++) {
  last = await send("POST", `${base}/conversations/conv-2/messages`, { content: `number ${more}` }, asAda);
}
check(last.status === 409 && last.json.code === "DailyLimitReached", "the day's limit is reached", last);
const all = (await send("GET", `${base}/api/conversations/list?tenant_id=outlocks`, undefined, root)).json.items;
check(all.length >= 2, `conversations: ${all.map((each) => each.conversation_id).join(", ")}`, all);

say("Removal");
check((await send("POST", `${base}/api/users/remove`, { user_id: "ada" }, root)).status < 300, "Ada is removed", {});
await refused("her token", 401, send("POST", `${base}/conversations/conv-1/messages`, { content: "hi" }, asAda));
await until("her conversations to be gone", async () => (await send("GET", `${base}/api/conversations/list?tenant_id=outlocks`, undefined, root)).json.items.length === 0);
say("  and what she said");
await operate("tenants/remove", { tenant_id: "outlocks" });
check((await send("GET", `${base}/api/tenants/list`)).json.items.length === 1, "the tenant is removed", {});
say("done");
process.exit(0);
