// F-60: a page of another origin read and wrote every table through `POST /`, and DNS rebinding worked.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { chromium } from "playwright-core";
import { dynamodb, site, sortkey } from "./server.js";

let browser, evil, server;
const TABLE = {
  TableName: "secrets",
  AttributeDefinitions: [{ AttributeName: "id", AttributeType: "S" }],
  KeySchema: [{ AttributeName: "id", KeyType: "HASH" }],
  BillingMode: "PAY_PER_REQUEST",
};

before(async () => {
  server = await sortkey("serve", "--in-memory");
  evil = await site();
  browser = await chromium.launch({
    executablePath: process.env.CHROMIUM,
    // `rebound.example` is a name that its owner points at this machine. The two features only exist in newer versions,
    // and would hide what the server itself does.
    args: [
      "--no-sandbox",
      "--host-resolver-rules=MAP rebound.example 127.0.0.1, MAP evil.example 127.0.0.1",
      "--disable-features=BlockInsecurePrivateNetworkRequests,LocalNetworkAccessChecks",
    ],
  });
  await program("CreateTable", TABLE);
  await program("PutItem", { TableName: "secrets", Item: { id: { S: "planted" } } });
});

after(async () => {
  await browser?.close();
  await evil?.stop();
  await server?.stop();
});

/** A program on this machine, which is let in. */
async function program(operation, body) {
  const answer = await fetch(`http://127.0.0.1:${server.port}/`, dynamodb(operation, body));
  assert.equal(answer.status, 200, operation);
  return answer.json();
}

/** The text that a page of some address gets when it fetches; `null` if none. */
async function fetched(page, url, options) {
  const read = async ([url, options]) => {
    try {
      const answer = await fetch(url, options);
      return { status: answer.status, type: answer.type, text: await answer.text() };
    } catch {
      return null;
    }
  };
  return page.evaluate(read, [url, options]);
}

async function pageOf(address) {
  const page = await browser.newPage();
  await page.goto(address);
  return page;
}

test("a page of another site reads nothing", async () => {
  for (const host of ["evil.example", "127.0.0.1", "localhost"]) {
    const page = await pageOf(`http://${host}:${evil.port}/`);
    for (const target of ["127.0.0.1", "localhost"]) {
      const base = `http://${target}:${server.port}`;
      assert.equal(await fetched(page, `${base}/`, dynamodb("Scan", { TableName: "secrets" })), null, `${host} POST /`);
      for (const path of ["/", "/ready", "/metrics", "/_sortkey", "/_sortkey/backup"]) {
        assert.equal(await fetched(page, `${base}${path}`), null, `${host} ${path}`);
        const blind = await fetched(page, `${base}${path}`, { mode: "no-cors" });
        assert.ok(blind === null || blind.text === "", `${host} ${path} without CORS`);
      }
    }
    await page.close();
  }
});

test("a page of another site writes nothing", async () => {
  const page = await pageOf(`http://evil.example:${evil.port}/`);
  const base = `http://127.0.0.1:${server.port}`;
  const put = { TableName: "secrets", Item: { id: { S: "forged" } } };
  await fetched(page, `${base}/`, dynamodb("PutItem", put));
  // Simple requests need no preflight: a text as the body, a presigned query instead of headers, a form.
  const query =
    "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=a&X-Amz-Signature=b&X-Amz-SignedHeaders=host&X-Amz-Date=d";
  const simple = { method: "POST", mode: "no-cors", body: JSON.stringify(put) };
  await fetched(page, `${base}/?${query}`, simple);
  await fetched(page, `${base}/_sortkey/reset`, { method: "POST", mode: "no-cors" });
  await fetched(page, `${base}/_sortkey/clock`, { method: "POST", mode: "no-cors", body: '{"advanceMs": 86400000}' });
  await page.evaluate((address) => {
    document.body.innerHTML = `<form method="post" action="${address}/_sortkey/reset"></form>`;
    document.forms[0].submit();
  }, base);
  await page.waitForLoadState();
  await page.close();

  const found = await program("Scan", { TableName: "secrets" });
  assert.deepEqual(found.Items, [{ id: { S: "planted" } }]);
  const clock = await (await fetch(`${base}/_sortkey/clock`)).json();
  assert.ok(Math.abs(clock.nowMs - Date.now()) < 3_600_000, "the clock was moved");
});

test("a name that is pointed at this machine reads nothing", async () => {
  const page = await pageOf(`http://rebound.example:${evil.port}/`);
  await page.goto(`http://rebound.example:${server.port}/ready`);
  const answer = await fetched(page, "/", dynamodb("Scan", { TableName: "secrets" }));
  assert.equal(answer?.status, 403);
  assert.ok(!answer.text.includes("planted"));
  for (const path of ["/metrics", "/_sortkey", "/_sortkey/backup"]) {
    assert.equal((await fetched(page, path))?.status, 403, path);
  }
  await page.close();
});

test("the server's own pages work, and so do links to them", async () => {
  const page = await pageOf(`http://evil.example:${evil.port}/`);
  const base = `http://127.0.0.1:${server.port}`;
  await page.evaluate((address) => {
    document.body.innerHTML = `<a href="${address}">a link</a>`;
  }, `${base}/ready`);
  await Promise.all([page.waitForURL(`${base}/ready`), page.click("a")]);
  assert.equal(await page.textContent("body"), "ready\n");
  assert.equal((await fetched(page, "/_sortkey"))?.status, 200);
  assert.equal((await fetched(page, "/", dynamodb("ListTables", {})))?.status, 200);
  await page.close();
});

test("--cors lets the pages of one origin in, and no others", async () => {
  const friend = await site();
  const origin = `http://localhost:${friend.port}`;
  const open = await sortkey("serve", "--in-memory", "--cors", origin);
  const base = `http://127.0.0.1:${open.port}`;
  const page = await pageOf(`${origin}/`);
  assert.equal((await fetched(page, `${base}/`, dynamodb("ListTables", {})))?.text, '{"TableNames":[]}');
  const other = await pageOf(`http://localhost:${evil.port}/`);
  assert.equal(await fetched(other, `${base}/`, dynamodb("ListTables", {})), null);
  await Promise.all([page.close(), other.close(), friend.stop(), open.stop()]);
});
