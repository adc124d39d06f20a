"""Ferryhook at work: a customer signs up, relays the webhooks of a repository to two receivers, and looks at what happened."""

import base64
import datetime
import hashlib
import hmac
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "companions"))
from stage import Stage, ensure, http, show, until  # noqa: E402

SOURCE_SECRET = "a secret of the repository"
SECRET = "whsec_" + base64.b64encode(b"a secret of the receiver").decode()


def main():
    with Stage() as stage:
        slow = stage.companion("receiver", SECRET, "--fail", "2")
        fast = stage.companion("receiver", SECRET)
        stage.system("ferryhook")

        show("A customer signs up, and connects a repository with two receivers.")
        login = stage.call("/auth/sign-up", email="ada@example.com", name="Ada", password="correct horse")
        token = login["token"]
        source = stage.call("/api/sources/create", token, name="acme/shop", provider="github", signingSecret=SOURCE_SECRET)["sourceId"]
        to_slow = {"sourceId": source, "name": "slow", "destinationUrl": f"{slow}/hook", "signingSecret": SECRET, "retryConfig": {"delays": [1, 1, 1]}}
        first = stage.call("/api/connections/create", token, input=to_slow)["connectionId"]
        only_main = [{"path": "/ref", "op": "eq", "value": "refs/heads/main"}]
        to_fast = {"sourceId": source, "name": "main", "destinationUrl": f"{fast}/hook", "signingSecret": SECRET, "filters": only_main}
        second = stage.call("/api/connections/create", token, input=to_fast)["connectionId"]
        key = stage.call("/api/apiKeys/create", token, name="reader", permissions="read")["key"]
        ensure(len(stage.ask("/api/connections/listBySource", key, sourceId=source)["items"]) == 2, "a key that reads lists both connections")
        stage.call("/api/sources/create", key, expect="Forbidden", name="x", provider="custom")
        ensure(True, "and creates nothing")

        show("Webhooks arrive, signed by the repository.")
        push = webhook(stage, source, "d-1", {"type": "push", "ref": "refs/heads/main"})
        again = webhook(stage, source, "d-1", {"type": "push", "ref": "refs/heads/main"})
        ensure(again["eventId"] == push["eventId"], "the same delivery sent twice is one event")
        other = webhook(stage, source, "d-2", {"type": "push", "ref": "refs/heads/dev"})
        webhook(stage, source, "d-3", {"type": "push"}, secret="wrong", expect="Unauthenticated")
        ensure(True, "a wrong signature is refused")

        show("They are delivered, also to a receiver that is busy at first.")
        state = lambda event: stage.ask("/api/events/getById", token, eventId=event["eventId"])["status"]  # noqa: E731
        until("the deliveries", lambda: state(push) == "delivered" and state(other) == "delivered", 60)
        attempts = lambda event: stage.ask("/api/attempts/listByEvent", token, eventId=event["eventId"])["items"]  # noqa: E731
        every = [*attempts(push), *attempts(other)]
        codes = sorted(each["statusCode"] for each in every if each["connectionId"] == first)
        ensure(codes == [200, 200, 503, 503], "two attempts were answered with 503, and came again")
        ensure([each["statusCode"] for each in every if each["connectionId"] == second] == [200], "the filter let one of two events pass")
        log = [*http(f"{slow}/log"), *http(f"{fast}/log")]
        ensure(all(each["verified"] for each in log) and len(log) == 5, "every arrival is signed as the receiver expects")

        show("What failed or was lost elsewhere is sent again; a secret is exchanged without a gap.")
        replayed = stage.call("/api/replayEvent", token, sourceId=source, receivedAt=push["receivedAt"], eventId=push["eventId"])
        until("the replay", lambda: state(replayed) == "delivered", 60)
        ensure(len(http(f"{fast}/log")) == 2, "a replay is delivered like the event")
        stage.call("/api/rotateSource", token, sourceId=source, secret="a new secret of the repository")
        webhook(stage, source, "d-4", {"type": "push", "ref": "refs/heads/old"})
        webhook(stage, source, "d-5", {"type": "push", "ref": "refs/heads/new"}, secret="a new secret of the repository")
        ensure(True, "the old secret and the new one are accepted meanwhile")
        used = lambda: stage.ask("/api/usageOfPeriod", token, userId=login["userId"], period=period(push))  # noqa: E731
        ensure(until("the usage", lambda: used() == 5, 30), "and the month has five events")
    show("done")


def webhook(stage, source, delivery, content, secret=SOURCE_SECRET, expect=None):
    body = json.dumps(content).encode()
    signature = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    headers = {"content-type": "application/json", "x-github-delivery": delivery, "x-github-event": "push", "x-hub-signature-256": signature}
    return http(f"{stage.url}/in/{source}", headers, body, expect)


def period(event):
    """The first day of the month of an event: usage is counted by month, from the first day on."""
    return datetime.datetime.fromtimestamp(event["receivedAt"] / 1_000, datetime.timezone.utc).strftime("%Y-%m-01")


main()
