// Signatures in both directions, beside the libraries that receivers and providers use: standardwebhooks, svix, stripe and GitHub's.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { after, before, test } from "node:test";

import { sign as githubSign, verify as githubVerify } from "@octokit/webhooks-methods";
import { Webhook as StandardWebhook } from "standardwebhooks";
import Stripe from "stripe";
import { Webhook as SvixWebhook } from "svix";

const SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
const NEXT_SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD";
const BODIES = ['{"test": 2432232314}', '{"object":"event","id":"evt_1"}', '{"object":"event","id":"evt_2","name":"Grüße, 東京 🎉"}'];
const MISMATCH = { verified: false, error: "the signature does not match" };

let program, answers;
const now = () => Math.floor(Date.now() / 1000);
const tampered = (body) => body.slice(0, -1) + " }";

// The example `webhooks` of sortkey-functions: a request per line in, an answer per line out.
async function ask(request) {
  program.stdin.write(JSON.stringify({ ...request, body: Buffer.from(request.body).toString("base64") }) + "\n");
  return JSON.parse((await answers.next()).value);
}

before(() => {
  program = spawn(process.env.SORTKEY_WEBHOOKS_BIN, { stdio: ["pipe", "pipe", "inherit"] });
  answers = createInterface({ input: program.stdout })[Symbol.asyncIterator]();
});
after(() => program.stdin.end());

for (const [name, Webhook] of Object.entries({ standardwebhooks: StandardWebhook, svix: SvixWebhook })) {
  test(`${name} verifies what we sign`, async () => {
    for (const body of BODIES) {
      const { headers } = await ask({ do: "sign", id: "msg_1", now: now(), body, secrets: [NEXT_SECRET, SECRET] });
      for (const secret of [SECRET, NEXT_SECRET]) {
        new Webhook(secret).verify(body, headers);
        assert.throws(() => new Webhook(secret).verify(tampered(body), headers), /No matching signature/);
        assert.throws(() => new Webhook(secret).verify(body, { ...headers, "webhook-id": "msg_2" }), /No matching signature/);
      }
      assert.throws(() => new Webhook("whsec_" + "QUJD".repeat(8)).verify(body, headers), /No matching signature/);
      const old = await ask({ do: "sign", id: "msg_1", now: now() - 600, body, secrets: [SECRET] });
      assert.throws(() => new Webhook(SECRET).verify(body, old.headers), /timestamp too old/);
    }
  });

  test(`we verify what ${name} signs`, async () => {
    for (const body of BODIES) {
      const moment = new Date();
      const headers = {
        "webhook-id": "msg_3",
        "webhook-timestamp": String(Math.floor(moment.getTime() / 1000)),
        "webhook-signature": new Webhook(SECRET).sign("msg_3", moment, body),
      };
      const request = { do: "verify", scheme: "standard", headers, now: now(), body, secrets: [NEXT_SECRET, SECRET] };
      assert.deepEqual(await ask(request), { verified: true, deliveryId: "msg_3" });
      assert.deepEqual(await ask({ ...request, body: tampered(body) }), MISMATCH);
      assert.deepEqual(await ask({ ...request, secrets: [NEXT_SECRET] }), MISMATCH);
      assert.equal((await ask({ ...request, now: now() + 1000 })).verified, false);
    }
  });
}

test("we verify what stripe signs", async () => {
  const secret = "whsec_stripe";
  const stripe = new Stripe("sk_test_none");
  for (const body of BODIES.slice(1)) {
    const header = stripe.webhooks.generateTestHeaderString({ payload: body, secret, timestamp: now() });
    const request = {
      do: "verify", scheme: "stripe", headers: { "Stripe-Signature": header }, now: now(), body, secrets: ["whsec_new", secret],
    };
    assert.deepEqual(await ask(request), { verified: true, deliveryId: JSON.parse(body).id });
    assert.equal(stripe.webhooks.constructEvent(body, header, secret).id, JSON.parse(body).id);
    assert.deepEqual(await ask({ ...request, body: tampered(body) }), MISMATCH);
    assert.throws(() => stripe.webhooks.constructEvent(tampered(body), header, secret));
    assert.deepEqual(await ask({ ...request, secrets: ["whsec_new"] }), MISMATCH);
    assert.equal((await ask({ ...request, now: now() + 1000 })).verified, false);
  }
});

test("we verify what GitHub's library signs, and it refuses what we refuse", async () => {
  for (const body of BODIES) {
    const signature = await githubSign("It's a Secret to Everybody", body);
    assert.equal(await githubVerify("It's a Secret to Everybody", body, signature), true);
    const headers = { "X-Hub-Signature-256": signature, "X-GitHub-Delivery": "72d3162e" };
    const request = { do: "verify", scheme: "github", headers, now: now(), body, secrets: ["It's a Secret to Everybody"] };
    assert.deepEqual(await ask(request), { verified: true, deliveryId: "72d3162e" });
    assert.deepEqual(await ask({ ...request, body: tampered(body) }), MISMATCH);
    assert.equal(await githubVerify("It's a Secret to Everybody", tampered(body), signature), false);
    assert.deepEqual(await ask({ ...request, secrets: ["another"] }), MISMATCH);
  }
});
