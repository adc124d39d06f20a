// Seller profiles at work: people of an identity provider, profiles that are shared, invites, a season with orders, its report, and
// how long the three lists take that the document names.
//
//   run.mjs [--records 300] [--calls 100]

import { argument } from "../oidc/http.mjs";
import { check, companion, say, send, serve, until } from "../oidc/start.mjs";

const records = Number(argument("records", "300"));
const calls = Number(argument("calls", "100"));
const issuer = await companion("oidc/issuer.mjs", "--lifetime", "3600");
const base = await serve("seller-profiles", "--set", `issuer=${issuer}`, "--set", "audience=sellers");
say(`Seller profiles at ${base}, with an identity provider beside it`);

const ids = { ann: "1", bob: "2", cyd: "3" };
const subject = (name) => `${ids[name].repeat(8)}-1111-4111-8111-111111111111`;

/** Somebody who signed in, with an account. */
async function person(name, groups = []) {
  const claims = { email: `${name}@sellers.example`, email_verified: true, "cognito:groups": groups };
  await send("POST", `${issuer}/people`, { user: subject(name), password: "secret", claims });
  const got = await send("POST", `${issuer}/token`, { user: subject(name), password: "secret", audience: "sellers", key: name === "bob" ? "ec" : "rsa" });
  const headers = { authorization: `Bearer ${got.json.id_token}` };
  const made = await send("POST", `${base}/accounts`, {}, headers);
  check(made.status === 201, `${name} signs in for the first time`, made);
  return { accountId: made.json.accountId, headers };
}

/** Calls an operation or a pattern as somebody. */
async function call(who, name, body, status = 200) {
  const got = await send("POST", `${base}/api/${name}`, body, who.headers);
  if (got.status !== status) throw new Error(`${name} ${JSON.stringify(body)}: ${got.status} ${got.text}`);
  return got.json;
}

const ann = await person("ann");
const bob = await person("bob");
const cyd = await person("cyd", ["admin"]);

say("Profiles, shares and invites");
const profile = await call(ann, "profiles/create", { ownerAccountId: ann.accountId, sellerName: "Troop 7" });
const key = { ownerAccountId: ann.accountId, profileId: profile.profileId };
await call(bob, "profiles/get", { profileId: profile.profileId }, 403);
say("  Bob does not see Ann's profile: 403");
const lost = await call(ann, "invites/create", { ...key, permissions: ["READ"] });
const invite = await call(ann, "invites/create", { ...key, permissions: ["WRITE"] });
const listed = await until("the invites", async () => {
  const { items } = await call(ann, "invites/list", { profileId: profile.profileId });
  return items.length === 2 && items;
});
check(!JSON.stringify(listed).includes(invite.code), "a list of invites shows no codes", listed);
await call(ann, "invites/revokeListed", { profileId: profile.profileId, inviteId: lost.inviteId }, 204);
await call(bob, "invites/redeem", { inviteCode: lost.code }, 404);
say("  an invite is revoked from the list");
await call(bob, "invites/redeem", { inviteCode: invite.code });
await call(bob, "invites/redeem", { inviteCode: invite.code }, 409);
say("  Bob redeems the other one, once");
const shared = (await call(bob, "profiles/listShared", { targetAccountId: bob.accountId })).items;
check(shared[0].isOwner === false && shared[0].permissions.join() === "WRITE", "his list says: not the owner, may write", shared);
const seen = await call(cyd, "profiles/get", { profileId: profile.profileId });
check(seen.isOwner === false, "Cyd, an administrator by the group of the identity provider, sees it too", seen);

say("A season");
const catalog = await call(ann, "catalogs/create", { ownerAccountId: ann.accountId, catalogName: "Popcorn" });
const season = await call(bob, "seasons/create", { input: { ...key, seasonName: "Spring", startDate: "2026-03-01", catalogId: catalog.catalogId } });
const order = (number) => ({
  ...key, seasonId: season.seasonId, customerName: `Customer ${number}`, paymentMethod: "cash", orderDate: "2026-03-02",
  lineItems: [{ sku: "mix", title: "Mix", quantity: 1 + (number % 3), price: 19.99 }],
});
const inBatches = async (count, make) => {
  for (let at = 0; at < count; at += 20) {
    await Promise.all(Array.from({ length: Math.min(20, count - at) }, (_, more) => make(at + more)));
  }
};
await inBatches(records, (number) => call(bob, "orders/create", { input: order(number) }));
await inBatches(Math.min(records, 45), (number) => call(ann, "profiles/create", { ownerAccountId: ann.accountId, sellerName: `Troop ${number}` }));
await inBatches(Math.min(records, 45), (number) => call(ann, "seasons/create", { input: { ...key, seasonName: `Season ${number}`, startDate: "2026-03-01" } }));
say(`  ${records} orders, and as many profiles and seasons as a page has`);
const path = [ann.accountId, profile.profileId, season.seasonId].map(encodeURIComponent).join("/");
const report = await send("GET", `${base}/reports/${path}`, undefined, ann.headers);
const lines = report.text.trim().split("\r\n");
check(report.headers.get("content-type").startsWith("text/csv") && lines.length === records + 1, `the report has a head and ${records} lines`, lines[0]);
say(`    ${lines[0]}`);
say(`    ${lines[1]}`);
const refused = await send("GET", `${base}/reports/${path}`);
check(refused.status === 401, "without a token there is none: 401", refused);
await call(ann, "catalogs/delete", { catalogId: catalog.catalogId }, 409);
say("  the catalog of a season is not deleted");

say(`The three lists, ${calls} times each, one after the other`);
for (const [name, body] of [
  ["profiles/listMine", { ownerAccountId: ann.accountId }],
  ["seasons/list", { profileId: profile.profileId }],
  ["orders/listBySeason", { seasonId: season.seasonId }],
]) {
  const took = [];
  let items = 0;
  for (let number = 0; number < calls; number++) {
    const begin = performance.now();
    items = (await call(ann, name, body)).items.length;
    took.push(performance.now() - begin);
  }
  took.sort((left, right) => left - right);
  const at = (share) => took[Math.min(took.length - 1, Math.floor(took.length * share))].toFixed(1);
  say(`  ${name.padEnd(22)} ${String(items).padStart(3)} items, median ${at(0.5)} ms, 99 of 100 below ${at(0.99)} ms`);
}

say("Removal");
await call(ann, "profiles/delete", key);
await until("the share to be gone", async () => (await call(bob, "profiles/listShared", { targetAccountId: bob.accountId })).items.length === 0);
say("  with the profile go its shares, invites, seasons and orders");
say("done");
process.exit(0);
