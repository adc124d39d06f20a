"""Many clients of a system while its server is killed again and again; afterwards the database is held against what was promised.

A client repeats a call that was not answered only if the call is idempotent; otherwise it counts as unknown. The server ends as by a
power failure of the process (SIGKILL), on disk, and begins again with the same data.
"""

import http.client
import json
import random
import sys
import threading
import time
import urllib.parse
from collections import Counter
from pathlib import Path

# At the end: a companion is called like a module of Python's own.
sys.path.append(str(Path(__file__).parent.parent.parent / "examples" / "companions"))
from stage import Stage, free_port, http as ask_once  # noqa: E402

HERE = Path(__file__).parent
# How long nothing may be finished before the rest counts as lost: longer than any lease, and than most waits between attempts.
PATIENCE_SECONDS = 180
SCOPE = "AWS4-HMAC-SHA256 Credential=example/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0"


class Client:
    """One thread with a connection of its own."""

    def __init__(self, stage, seed):
        self.port = urllib.parse.urlsplit(stage.url).port
        self.random = random.Random(seed)
        self.wire = None

    def post(self, path, body, caller=None, key=None, headers=None):
        """A status and an answer. A call that was not answered is repeated if it has a key, and is (None, None) otherwise."""
        sent = {"content-type": "application/json", **(headers or {})}
        if caller:
            sent["sortkey-caller"] = json.dumps(caller)
        if key:
            sent["idempotency-key"] = key
        text = body if isinstance(body, bytes) else json.dumps(body).encode()
        while True:
            answer = self.once(path, text, sent)
            if answer and answer[0] < 500:
                return answer
            if answer and answer[0] != 503:
                raise AssertionError(f"{path} was answered with {answer}")
            time.sleep(0.05)
            if key is None:
                return None, None

    def once(self, path, text, headers):
        try:
            if self.wire is None:
                self.wire = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
            self.wire.request("POST", path, text, headers)
            answer = self.wire.getresponse()
            body = answer.read()
            return answer.status, json.loads(body) if body else None
        except (OSError, http.client.HTTPException):
            if self.wire:
                self.wire.close()
            self.wire = None
            return None


def run(scenario, clients, kills, pause):
    """Runs a scenario; a list of what is wrong, and figures."""
    begin = time.monotonic()
    with Stage() as stage:
        scenario.begin(stage)
        stop, acts, errors = threading.Event(), Counter(), []

        def work(number):
            client = Client(stage, number)
            while not stop.is_set() and not errors:
                try:
                    acts[scenario.act(client, number)] += 1
                except Exception as error:  # noqa: BLE001 (whatever it is, the run has failed)
                    errors.append(f"client {number}: {type(error).__name__}: {error}")

        threads = [threading.Thread(target=work, args=(number,), daemon=True) for number in range(clients)]
        for thread in threads:
            thread.start()
        chance = random.Random(1)
        for _ in range(kills):
            time.sleep(pause * (0.5 + chance.random()))
            stage.kill_and_restart()
        time.sleep(pause)
        stop.set()
        for thread in threads:
            thread.join()
        load = time.monotonic() - begin
        left = errors and "everything"
        since, before = time.monotonic(), None
        while not errors and (left := scenario.unfinished(stage)) and time.monotonic() - since < PATIENCE_SECONDS:
            if left != before:
                since, before = time.monotonic(), left
            time.sleep(2)
        wrong = [*errors, *([f"nothing went on for {PATIENCE_SECONDS} s: {left}"] if left and not errors else [])]
        wrong += [] if errors else scenario.wrong(stage)
        figures = {"load": round(load), "whole": round(time.monotonic() - begin), **dict(sorted(acts.items())), **scenario.figures}
    return wrong, figures


class Scenario:
    """The actions of a system's clients, and the conditions that must be true in the end."""

    def __init__(self):
        self.lock = threading.Lock()
        self.figures = {}

    def note(self, into, *what):
        with self.lock:
            into.append(what if len(what) > 1 else what[0])

    def unfinished(self, stage):
        """The pending work; nothing if all is done."""
        return None


def scan(stage, table):
    """Every item of a table, as plain values: as any client of DynamoDB sees it."""
    items, start = [], {}
    while True:
        headers = {
            "x-amz-target": "DynamoDB_20120810.Scan", "content-type": "application/x-amz-json-1.0", "x-amz-date": "20260101T000000Z",
            "authorization": SCOPE,
        }
        body = json.dumps({"TableName": table, "ConsistentRead": True, **start}).encode()
        page = ask_once(stage.url, headers, body)
        items += [{name: plain(value) for name, value in item.items()} for item in page["Items"]]
        if "LastEvaluatedKey" not in page:
            return items
        start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}


def plain(value):
    ((kind, content),) = value.items()
    match kind:
        case "N":
            return int(content) if content.lstrip("-").isdigit() else float(content)
        case "M":
            return {name: plain(each) for name, each in content.items()}
        case "L":
            return [plain(each) for each in content]
        case "NULL":
            return None
        case "SS" | "NS":
            return sorted(content)
        case _:
            return content


def compare(wrong, what, expected, found):
    if expected != found:
        wrong.append(f"{what}: expected {expected}, found {found}")


def node(stage, script, *arguments):
    """Starts a companion in JavaScript; its address."""
    port = free_port()
    stage.start(["node", HERE.parent.parent / "examples" / script, "--port", port, *arguments], "127.0.0.1")
    return f"http://127.0.0.1:{port}"

