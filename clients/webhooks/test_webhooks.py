"""Signatures in both directions, beside the libraries that receivers and providers use: standardwebhooks, svix and stripe."""

import base64
import datetime
import hashlib
import hmac
import json
import time

import pytest
import standardwebhooks
import stripe
import svix
from program import Program

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
NEXT_SECRET = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
BODIES = [
    b'{"test": 2432232314}',
    b'{"object":"event","id":"evt_1","type":"invoice.paid"}',
    '{"object":"event","id":"evt_2","name":"Grüße, 東京 🎉"}'.encode(),
    b'{"object":"event",\n "id":"evt_3" , "spaces":   true}',
]


@pytest.fixture(scope="module")
def program():
    program = Program()
    yield program
    program.close()


def now():
    return int(time.time())


def tampered(body):
    return body[:-1] + b" }"


LIBRARIES = [standardwebhooks.Webhook, svix.Webhook]


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("library", LIBRARIES)
def test_libraries_verify_what_we_sign(program, library, body):
    headers = program.ask(do="sign", id="msg_1", now=now(), body=body, secrets=[NEXT_SECRET, SECRET])["headers"]
    for secret in [SECRET, NEXT_SECRET]:
        library(secret).verify(body, headers)
        with pytest.raises(Exception, match="[Nn]o matching signature"):
            library(secret).verify(tampered(body), headers)
        with pytest.raises(Exception, match="[Nn]o matching signature"):
            library(secret).verify(body, {**headers, "webhook-id": "msg_2"})
    other = library("whsec_" + "QUJD" * 8)
    with pytest.raises(Exception, match="[Nn]o matching signature"):
        other.verify(body, headers)
    old = program.ask(do="sign", id="msg_1", now=now() - 600, body=body, secrets=[SECRET])["headers"]
    with pytest.raises(Exception, match="timestamp too old"):
        library(SECRET).verify(body, old)


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("library", LIBRARIES)
@pytest.mark.parametrize("prefix", ["webhook", "svix"])
def test_we_verify_what_libraries_sign(program, library, body, prefix):
    moment = datetime.datetime.now(tz=datetime.timezone.utc)
    signature = library(SECRET).sign("msg_3", moment, body.decode())
    headers = {
        f"{prefix}-id": "msg_3",
        f"{prefix}-timestamp": str(int(moment.timestamp())),
        f"{prefix}-signature": signature,
    }

    def verify(**changes):
        request = dict(do="verify", scheme="standard", headers=headers, now=now(), body=body, secrets=[NEXT_SECRET, SECRET])
        return program.ask(**{**request, **changes})

    assert verify() == {"verified": True, "deliveryId": "msg_3"}
    assert verify(body=tampered(body))["error"] == "the signature does not match"
    assert verify(secrets=[NEXT_SECRET])["error"] == "the signature does not match"
    assert verify(headers={**headers, f"{prefix}-id": "msg_4"})["error"] == "the signature does not match"
    assert verify(now=now() + 1000)["error"].startswith("the webhook was signed 1")
    assert verify(now=now() - 1000)["error"].startswith("the webhook is dated")


@pytest.mark.parametrize("body", BODIES[1:])
def test_we_verify_what_stripe_signs(program, body):
    secret = "whsec_stripe"
    moment = now()
    signature = stripe.WebhookSignature._compute_signature(f"{moment}.{body.decode()}", secret)
    header = f"t={moment},v1={signature},v0={'0' * 64}"

    def verify(**changes):
        headers = {"Stripe-Signature": changes.pop("header", header)}
        request = dict(do="verify", scheme="stripe", headers=headers, now=moment, body=body, secrets=["whsec_new", secret])
        return program.ask(**{**request, **changes})

    assert verify() == {"verified": True, "deliveryId": json.loads(body)["id"]}
    # The library accepts the same header, and refuses what we refuse.
    assert stripe.Webhook.construct_event(body, header, secret)["id"] == json.loads(body)["id"]
    assert verify(body=tampered(body))["error"] == "the signature does not match"
    with pytest.raises(stripe.SignatureVerificationError):
        stripe.Webhook.construct_event(tampered(body), header, secret)
    for malformed in [header.replace("v1=", "v2="), f"v1={signature}", "nonsense"]:
        assert verify(header=malformed)["error"].startswith("the header `Stripe-Signature` is malformed")
        with pytest.raises(stripe.SignatureVerificationError):
            stripe.Webhook.construct_event(body, malformed, secret)
    assert verify(now=moment + 301)["error"].startswith("the webhook was signed 301 s ago")


def test_shopify_and_github_as_their_documents_say(program):
    body = BODIES[2]
    digest = hmac.new(b"hush", body, hashlib.sha256)
    shopify = {"X-Shopify-Hmac-Sha256": base64.b64encode(digest.digest()).decode(), "X-Shopify-Webhook-Id": "w1"}
    github = {"X-Hub-Signature-256": "sha256=" + digest.hexdigest(), "X-GitHub-Delivery": "g1"}
    for scheme, headers, delivery in [("shopify", shopify, "w1"), ("github", github, "g1")]:
        request = dict(do="verify", scheme=scheme, headers=headers, now=now(), secrets=["hush"])
        assert program.ask(**request, body=body) == {"verified": True, "deliveryId": delivery}
        assert program.ask(**request, body=tampered(body))["error"] == "the signature does not match"
