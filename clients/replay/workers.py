"""Least privilege of workers in both directions: the policies of `sortkey generate iam` under `Workers`, enforced by `sortkey serve`.

    python workers.py SORTKEY

Each worker of a relay runs as a function on Lambda would, with its policy: it reads the stream, takes the lease of what is due, puts
aside what keeps failing, keeps its schedule. Then one action, table, index or partition key after the other is taken out of the
policy, and some request must be denied. `sortkey work` does everything with the policy `Work`.
"""

import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import boto3
from botocore.exceptions import ClientError

from policies import REGION, Server, reduced

DESIGN = """design relay
defaults { billing on_demand  recovery 35d  encryption aws_owned }
table Parcels "parcels" { key (PK | SK)  index Due (lane | nextAt) project keys sparse  stream new_and_old_images }
table Days "days" { key (day)  ttl gone }
entity Parcel in Parcels {
  PK = "PARCEL#{parcelId}"  SK = "PARCEL"
  parcelId ulid = new
  content  string(..100)
  phase    waiting | taken = waiting
  nextAt   time(ms) = now when phase = waiting
  lane     int(0..0) := 0 when phase = waiting
  states phase { waiting -> taken }
}
entity Note in Parcels { PK = "NOTE#{parcelId}"  SK = "NOTE"  parcelId ulid  words string(..100) }
entity Day in Days { day slug  days int(0..) @counter  gone time(s) = now + 30s }
pattern parcel = get Parcel by parcelId strong
operation accept(content) { create Parcel { content } }
effect post(body: string(..100)) -> { status int(0..599) } = extern timeout 5s
worker noted on create Parcel as p { put Note { parcelId: p.parcelId, words: p.content } }
allow multi-item-write-not-transactional because "the note is written again by the next attempt"
worker send due Parcel as p by nextAt when phase = waiting lease 30s attempts 2 {
  let r = do post(body: p.content)
  require r.status != 400 else Refused
  put Note { parcelId: p.parcelId, words: "sent" }
  update Parcel(...p) { phase: taken, nextAt: absent }
}
worker nightly every "0 3 * * *" { upsert Day(day: "all") { days += 1 } }
worker often every 1m { upsert Day(day: "often") { days += 1 } }
"""


class World:
    """A fork of the server in which a client acts with one role."""

    def __init__(self, server, relay, fork, credentials):
        self.server, self.fork, self.denied, self.now = server, fork, [], 1_767_225_600_000
        server.administer("/forks", {"name": fork, "from": "base"})
        effects = {"post": lambda given: {"status": 400 if given["body"] == "bad" else 200}}
        options = {"effects": effects, "clock": lambda: self.now}
        self.admin = relay.Relay(self.client("dynamodb", server.admin), **options)
        self.db = relay.Relay(self.client("dynamodb", credentials), **options)
        self.streams = self.client("dynamodbstreams", credentials)

    def client(self, service, credentials):
        keys = {
            "aws_access_key_id": credentials.access_key, "aws_secret_access_key": credentials.secret_key,
            "aws_session_token": credentials.token,
        }  # fmt: skip
        client = boto3.client(service, endpoint_url=f"http://127.0.0.1:{self.server.port}", region_name=REGION, **keys)
        client.meta.events.register("before-sign", lambda request, **_: request.headers.add_header("x-sortkey-fork", self.fork))
        client.meta.events.register("after-call", self.see)
        return client

    def see(self, parsed, **_):
        error = parsed.get("Error", {})
        if "AccessDenied" in str(error.get("Code", "")):
            self.denied.append(error.get("Message") or error)

    def accept(self, *contents):
        for content in contents:
            self.admin.accept(content=content)

    def quiet(self, act):
        """Something that may be denied, which is noticed elsewhere."""
        try:
            return act()
        except (ClientError, Exception):  # noqa: B014
            return None

    def records(self):
        """The records of the stream, read as Lambda reads them with the role of a function."""
        found = []
        for stream in (self.quiet(lambda: self.streams.list_streams(TableName="parcels")) or {}).get("Streams", []):
            arn = stream["StreamArn"]
            described = self.quiet(lambda: self.streams.describe_stream(StreamArn=arn)) or {"StreamDescription": {"Shards": []}}
            for shard in described["StreamDescription"]["Shards"]:
                of = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
                iterator = self.quiet(lambda: self.streams.get_shard_iterator(**of))
                if iterator:
                    read = self.quiet(lambda: self.streams.get_records(ShardIterator=iterator["ShardIterator"]))
                    found += [{**each, "eventSourceARN": arn} for each in (read or {"Records": []})["Records"]]
        return found


def noted(world):
    world.accept("hello")
    records = world.records()
    world.quiet(lambda: world.db.workers.records(records, on_failure=lambda *_: None))
    return bool(records)


def send(world):
    run = lambda: world.quiet(lambda: world.db.workers.send(on_failure=lambda *_: None))
    world.accept("one")
    first = run()
    world.accept("two", "three", "bad")
    run()
    world.now += 60_000
    run()
    return first is not None and first.runs == 1


def nightly(world):
    return twice(world, lambda at: world.db.workers.nightly(at))


def often(world):
    return twice(world, lambda at: world.db.workers.often(at))


def twice(world, run):
    """Two slots of a schedule. The item that the second one counts in has expired by then, so it is read and stored anew."""
    first = world.quiet(lambda: run("2026-01-01T03:00:00Z"))
    world.now += 60_000
    second = world.quiet(lambda: run("2026-01-02T03:00:00Z"))
    return all(report is not None and report.runs == 1 for report in (first, second))


EXERCISES = [noted, send, nightly, often]


def works(sortkey, folder, server, relay):
    """A process of `sortkey work` with the policy `Work` does what the workers of all kinds do. A fork is out of its reach."""
    server.administer("/clock", {"setMs": round(time.time() * 1000)}, "")
    client = relay.Relay(boto3_of(server), effects={})
    made = client.accept(content="hello")
    credentials = server.session("Work")
    environment = {
        **os.environ, "AWS_ACCESS_KEY_ID": credentials.access_key, "AWS_SECRET_ACCESS_KEY": credentials.secret_key,
        "AWS_SESSION_TOKEN": credentials.token, "AWS_REGION": REGION, "SORTKEY_KEYRING": str(folder / "keyring.json"),
    }  # fmt: skip
    endpoint = f"http://127.0.0.1:{server.port}"
    extern = Extern()
    command = [sortkey, "work", "relay.sk", "--endpoint", endpoint, "--extern", f"post={extern.url}", "--allow-private", "127.0.0.0/8"]
    with open(folder / "work.log", "w+") as log:
        process = subprocess.Popen(command, cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT)
        try:
            deadline = time.monotonic() + 40
            while client.parcel(parcel_id=made.parcel_id).phase != "taken" or not noted_words(server):
                assert time.monotonic() < deadline and process.poll() is None, (folder / "work.log").read_text()
                time.sleep(0.2)
        finally:
            process.terminate()
            process.wait()
            extern.close()
        said = (folder / "work.log").read_text()
        assert "AccessDenied" not in said and "not authorized" not in said, said


def boto3_of(server):
    keys = {"aws_access_key_id": server.admin.access_key, "aws_secret_access_key": server.admin.secret_key}
    return boto3.client("dynamodb", endpoint_url=f"http://127.0.0.1:{server.port}", region_name=REGION, **keys)


def noted_words(server):
    """Whether the stream was followed and the schedule kept."""
    scan = lambda table: json.loads(server.send("Scan", json.dumps({"TableName": table}), server.admin, ""))["Items"]
    return any(item["PK"]["S"].startswith("NOTE#") for item in scan("parcels")) and any(item["day"]["S"] == "often" for item in scan("days"))


class Extern:
    """A program that carries out the effect `post`."""

    def __init__(self):
        import http.server
        import threading

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers.get("content-length", 0)))
                body = b'{"status": 200}'
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()


def main(sortkey):
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "relay.sk").write_text(DESIGN)
        for what in ("iam", "python"):
            out = folder if what == "iam" else folder / "relay"
            subprocess.run([sortkey, "generate", what, folder / "relay.sk", "--out", out], check=True, stdout=subprocess.DEVNULL)
        sys.path.insert(0, name)
        relay = importlib.import_module("relay")
        generated = json.loads((folder / "iam.json").read_text())
        policies = generated["Workers"]
        missing = {f"{worker}-{at}": (worker, what, smaller) for worker, policy in policies.items()
                   for at, (what, smaller) in enumerate(reduced(policy).items())}  # fmt: skip
        roles = {**policies, "Work": generated["Work"], **{role: smaller for role, (_, _, smaller) in missing.items()}}
        server = Server(sortkey, roles, folder)
        try:
            tables(sortkey, folder, server)
            needless = []
            for exercise in EXERCISES:
                worker = exercise.__name__
                world = World(server, relay, worker, server.session(worker))
                assert exercise(world) and not world.denied, f"{worker}: {world.denied}"
                for role, (_, what, _) in ((role, each) for role, each in missing.items() if each[0] == worker):
                    world = World(server, relay, role, server.session(role))
                    exercise(world)
                    if not world.denied:
                        needless.append(f"{worker}: {what}")
            assert not needless, "\n".join(["parts of policies that no worker needs:", *needless])
            works(sortkey, folder, server, relay)
        finally:
            server.process.terminate()
            server.process.wait()
    print(f"{len(policies)} policies of workers, {len(missing)} parts of them, each of which is needed; `sortkey work` with one of its own")


def tables(sortkey, folder, server):
    """The tables of the design, in the main database and in the fork that others are made from."""
    subprocess.run([sortkey, "generate", "cloudformation", folder / "relay.sk", "--out", folder], check=True, stdout=subprocess.DEVNULL)
    resources = json.loads((folder / "template.json").read_text())["Resources"]
    for resource in resources.values():
        asked = resource["Properties"]
        if resource["Type"] != "AWS::DynamoDB::Table":
            continue
        create = {key: asked[key] for key in ("TableName", "KeySchema", "AttributeDefinitions", "GlobalSecondaryIndexes") if key in asked}
        create["BillingMode"] = "PAY_PER_REQUEST"
        if "StreamSpecification" in asked:
            create["StreamSpecification"] = {**asked["StreamSpecification"], "StreamEnabled": True}
        answer = server.send("CreateTable", json.dumps(create), server.admin, "")
        assert "TableDescription" in answer, answer
    server.administer("/forks", {"name": "base"})


if __name__ == "__main__":
    main(*sys.argv[1:])
