"""Ferryhook under kills: signed webhooks, each sent again until it is accepted, as providers do, and delivered to two receivers."""

import base64
import hashlib
import hmac
import json
from collections import Counter

from harness import Scenario, compare, scan
from stage import http

SOURCE_SECRET = b"a secret of the source"
SECRET = "whsec_" + base64.b64encode(b"a secret of the receiver").decode()


class Ferryhook(Scenario):
    def begin(self, stage):
        self.receiver = stage.companion("receiver", SECRET)
        stage.system("ferryhook")
        self.sources, self.accepted = [], []
        for number in range(4):
            login = stage.call("/auth/sign-up", email=f"owner{number}@example.com", name="Owner", password="correct horse")
            stage.call("/api/changePlan", userId=login["userId"], plan="team")
            for at in range(4):
                source = stage.call("/api/sources/create", login["token"], name=f"source {at}", provider="github", signingSecret=SOURCE_SECRET.decode())
                for to in range(2):
                    connection = {"sourceId": source["sourceId"], "name": f"to {to}", "destinationUrl": f"{self.receiver}/hook", "signingSecret": SECRET}
                    stage.call("/api/connections/create", login["token"], input=connection)
                self.sources.append(source["sourceId"])

    def act(self, client, number):
        body = json.dumps({"type": "push", "number": f"{client.random.getrandbits(64):x}", "text": "x" * 200}).encode()
        headers = {
            "x-github-delivery": f"{client.random.getrandbits(64):x}", "x-github-event": "push",
            "x-hub-signature-256": "sha256=" + hmac.new(SOURCE_SECRET, body, hashlib.sha256).hexdigest(),
        }
        source = self.sources[number % len(self.sources)]
        # The provider's own id of the delivery makes the repeat harmless.
        status = None
        while status is None:
            status, answer = client.post(f"/in/{source}", body, headers=headers)
        if status != 202:
            raise AssertionError(f"{status} {answer}")
        self.note(self.accepted, source, answer["eventId"])
        return "webhooks"

    def stored(self, stage):
        """Events, deliveries, attempts and counts that wait to be moved."""
        items = scan(stage, "ferryhook-events")
        kinds = {"events": "sourceIp", "tallies": "moveAt"}
        found = {name: [each for each in items if attribute in each] for name, attribute in kinds.items()}
        for name, prefix in {"deliveries": "DLV#", "attempts": "ATT#", "payloads": "BODY"}.items():
            found[name] = [each for each in items if each["SK"].startswith(prefix)]
        found["usage"] = [each for each in items if each["PK"].startswith("USAGE#")]
        return found

    def unfinished(self, stage):
        stored = self.stored(stage)
        waiting = [each for each in stored["events"] if each["status"] != "delivered"]
        rest = (len(waiting), len(stored["tallies"]))
        return "{} events, {} tallies".format(*rest) if any(rest) else None

    def wrong(self, stage):
        wrong = []
        stored = self.stored(stage)
        events = {each["eventId"] for each in stored["events"]}
        # Every client repeats its webhook until it is accepted: one event for each.
        compare(wrong, "events", {event for _, event in self.accepted}, events)
        compare(wrong, "events that were accepted", len(self.accepted), len(events))
        compare(wrong, "payloads", events, {each["eventId"] for each in stored["payloads"]})
        of_event = Counter(each["eventId"] for each in stored["deliveries"])
        wrong += [f"event {event} has {of_event[event]} deliveries" for event in events if of_event[event] != 2]
        wrong += [f"a delivery of {each['eventId']} is {each['status']}" for each in stored["deliveries"] if each["status"] != "delivered"]
        good = Counter((each["eventId"], each["connectionId"]) for each in stored["attempts"] if each["statusCode"] == 200)
        wrong += [f"{place} was delivered {count} times" for place, count in good.items() if count != 1]
        arrived = Counter(each["id"] for each in http(f"{self.receiver}/log") if each["verified"])
        compare(wrong, "usage", len(events), sum(each["events"] for each in stored["usage"]))
        sources = {each["sourceId"]: each for each in scan(stage, "ferryhook-main") if "eventCount" in each}
        of_source = Counter(each["sourceId"] for each in stored["events"])
        for source, item in sources.items():
            compare(wrong, f"events counted by source {source}", of_source[source], item["eventCount"])
        arrivals, promised = sum(arrived.values()), 2 * len(events)
        if arrivals < promised:
            wrong.append(f"{arrivals} arrivals of {promised} deliveries")
        self.figures = {"events": len(events), "deliveries": len(stored["deliveries"]), "sent again after a kill": arrivals - promised}
        return wrong
