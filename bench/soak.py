#!/usr/bin/env python3
"""An hour of steady load on a server with a directory: memory and descriptors stay flat, disk space comes back.

    bench/soak.py                                   # an hour, target/release/sortkey
    bench/soak.py --minutes 5 --rate 500            # shorter and busier
    bench/soak.py --binary target/debug/sortkey --log soak.csv

The load goes in rounds. Each round fills one table (an index, expiry) with large and small items while it reads, updates,
queries, writes batches and transactions and reads a stream of a second table, then deletes every item again. One
connection in a hundred requests is closed and opened anew, some in the middle of a body. Only the Python standard library is needed.

It fails if memory or descriptors after the last round exceed those at half time by more than a tenth and 16 MB (8
descriptors), if an answer is not 200, or if the directory does not shrink in the end to a fifth of its largest size and the
64 MB that a journal may have.
"""

import argparse
import http.client
import json
import os
import pathlib
import random
import re
import statistics
import subprocess
import sys
import tempfile
import threading
import time

SIGNATURE = (
    "AWS4-HMAC-SHA256 Credential=soak/20260101/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=host;x-amz-date;x-amz-target, Signature=" + "0" * 64
)
ITEMS = "Items"
STREAMED = "Streamed"
JOURNAL_MB = 64


class Client:
    """One connection that is opened anew from time to time."""

    def __init__(self, port):
        self.port = port
        self.connection = None
        self.sent = 0
        self.times_ms = []

    def call(self, operation, body):
        self.sent += 1
        if self.sent % 100 == 0:
            self.leave()
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        service = "DynamoDBStreams" if operation in ("DescribeStream", "GetShardIterator", "GetRecords") else "DynamoDB"
        headers = {
            "Authorization": SIGNATURE,
            "Content-Type": "application/x-amz-json-1.0",
            "X-Amz-Date": "20260101T000000Z",
            "X-Amz-Target": f"{service}_20120810.{operation}",
        }
        began = time.perf_counter()
        self.connection.request("POST", "/", json.dumps(body), headers)
        answer = self.connection.getresponse()
        text = answer.read()
        self.times_ms.append((time.perf_counter() - began) * 1000)
        if answer.status != 200:
            raise SystemExit(f"{operation}: {answer.status} {text[:500]}")
        return json.loads(text)

    def leave(self):
        """Every other time, in the middle of a body that never comes."""
        if self.connection is None:
            return
        if self.sent % 200 == 0:
            self.connection.putrequest("POST", "/")
            self.connection.putheader("Content-Length", "1000000")
            self.connection.endheaders()
            self.connection.send(b"{" * 100_000)
        self.connection.close()
        self.connection = None


class Pace:
    """So many requests per second, over all threads."""

    def __init__(self, rate):
        self.period = 1 / rate
        self.next = time.monotonic()
        self.lock = threading.Lock()

    def wait(self):
        with self.lock:
            self.next = max(self.next + self.period, time.monotonic() - 1)
            delay = self.next - time.monotonic()
        if delay > 0:
            time.sleep(delay)


def create_tables(client):
    for name, extra in [
        (
            ITEMS,
            {
                "AttributeDefinitions": [
                    {"AttributeName": "pk", "AttributeType": "S"},
                    {"AttributeName": "group", "AttributeType": "S"},
                ],
                "GlobalSecondaryIndexes": [
                    {
                        "IndexName": "byGroup",
                        "KeySchema": [{"AttributeName": "group", "KeyType": "HASH"}],
                        "Projection": {"ProjectionType": "ALL"},
                    }
                ],
            },
        ),
        (STREAMED, {"StreamSpecification": {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}}),
    ]:
        body = {
            "TableName": name,
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "BillingMode": "PAY_PER_REQUEST",
        }
        client.call("CreateTable", body | extra)
    expiry = {"AttributeName": "expires", "Enabled": True}
    client.call("UpdateTimeToLive", {"TableName": ITEMS, "TimeToLiveSpecification": expiry})


class Load:
    def __init__(self, port, pace, seed):
        self.client = Client(port)
        self.pace = pace
        self.random = random.Random(seed)
        self.prefix = f"t{seed}-"
        self.keys = []
        self.iterator = None

    def item(self, key):
        size = 60_000 if self.random.random() < 0.02 else self.random.randrange(200, 2_000)
        return {
            "pk": {"S": key},
            "group": {"S": f"g{self.random.randrange(50)}"},
            "padding": {"S": self.random.randbytes(size // 2).hex()},
            "expires": {"N": str(int(time.time()) + self.random.randrange(30, 100_000))},
        }

    def fill_until(self, end):
        """Each step is one request; keys that are there are remembered for the deletes."""
        while time.monotonic() < end:
            self.pace.wait()
            self.step(self.random.random())

    def step(self, dice):
        call, key = self.client.call, f"{self.prefix}{len(self.keys)}"
        if dice < 0.25:
            call("PutItem", {"TableName": ITEMS, "Item": self.item(key)})
            self.keys.append(key)
        elif dice < 0.30:
            keys = [f"{key}-{number}" for number in range(5)]
            puts = [{"PutRequest": {"Item": self.item(key)}} for key in keys]
            call("BatchWriteItem", {"RequestItems": {ITEMS: puts}})
            self.keys.extend(keys)
        elif dice < 0.35:
            puts = [{"Put": {"TableName": ITEMS, "Item": self.item(f"{key}-{number}")}} for number in range(2)]
            call("TransactWriteItems", {"TransactItems": puts, "ClientRequestToken": f"{self.random.random()}"})
            self.keys.extend(f"{key}-{number}" for number in range(2))
        elif dice < 0.45:
            streamed = {"pk": {"S": f"{self.prefix}{self.random.randrange(500)}"}, "at": {"N": str(time.time())}}
            call("PutItem", {"TableName": STREAMED, "Item": streamed})
        elif dice < 0.50:
            self.read_stream()
        elif dice < 0.55:
            group = {":g": {"S": f"g{self.random.randrange(50)}"}}
            query = {"TableName": ITEMS, "IndexName": "byGroup", "KeyConditionExpression": "#g = :g", "Limit": 20}
            call("Query", query | {"ExpressionAttributeNames": {"#g": "group"}, "ExpressionAttributeValues": group})
        elif self.keys and dice < 0.75:
            key = {"pk": {"S": self.random.choice(self.keys)}}
            update = {"TableName": ITEMS, "Key": key, "UpdateExpression": "ADD n :one"}
            call("UpdateItem", update | {"ExpressionAttributeValues": {":one": {"N": "1"}}})
        elif self.keys:
            call("GetItem", {"TableName": ITEMS, "Key": {"pk": {"S": self.random.choice(self.keys)}}})

    def read_stream(self):
        if self.iterator is None:
            arn = self.client.call("DescribeTable", {"TableName": STREAMED})["Table"]["LatestStreamArn"]
            shard = self.client.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"][0]["ShardId"]
            start = {"StreamArn": arn, "ShardId": shard, "ShardIteratorType": "LATEST"}
            self.iterator = self.client.call("GetShardIterator", start)["ShardIterator"]
        page = self.client.call("GetRecords", {"ShardIterator": self.iterator, "Limit": 100})
        self.iterator = page.get("NextShardIterator")

    def delete_everything(self):
        for start in range(0, len(self.keys), 25):
            self.pace.wait()
            deletes = [{"DeleteRequest": {"Key": {"pk": {"S": key}}}} for key in self.keys[start : start + 25]]
            self.client.call("BatchWriteItem", {"RequestItems": {ITEMS: deletes}})
        self.keys = []
        # An iterator lives for fifteen minutes.
        self.iterator = None


class Process:
    def __init__(self, binary, directory):
        self.directory = directory
        command = [binary, "serve", "--port", "0", "--data", str(directory), "--scrub", "1", "--cache", "64", "--log", "warn"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=sys.stderr, text=True)
        for line in self.process.stdout:
            found = re.search(r"http://[^:]+:(\d+)", line)
            if found:
                self.port = int(found.group(1))
                break
        else:
            raise SystemExit("the server did not start")
        threading.Thread(target=self.process.stdout.read, daemon=True).start()

    def sample(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        number = lambda name: int(re.search(rf"{name}:\s+(\d+)", status).group(1))
        return {
            "memory_mb": round(number("VmRSS") / 1024, 1),
            "descriptors": len(os.listdir(f"/proc/{self.process.pid}/fd")),
            "threads": number("Threads"),
            "disk_mb": self.disk_mb(),
        }

    def disk_mb(self):
        size = 0
        for file in self.directory.rglob("*"):
            try:
                size += file.stat().st_blocks * 512
            except FileNotFoundError:
                # Compactions remove files at any time.
                pass
        return round(size / 1e6, 1)


def show(log, what, values):
    line = {"time": time.strftime("%H:%M:%S"), "what": what} | values
    print(json.dumps(line), file=log, flush=True)


def in_parallel(loads, action):
    threads = [threading.Thread(target=action, args=(load,)) for load in loads]
    failures = []
    threading.excepthook = lambda failure: failures.append(failure.exc_value)
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failures:
        raise SystemExit(f"{failures[0]!r}")


def soak(options, log):
    with tempfile.TemporaryDirectory(dir=options.directory, prefix="soak-") as directory:
        server = Process(options.binary, pathlib.Path(directory) / "data")
        try:
            run(options, log, server)
        finally:
            server.process.terminate()
            server.process.wait(60)


def run(options, log, server):
    pace = Pace(options.rate)
    loads = [Load(server.port, pace, seed) for seed in range(4)]
    create_tables(loads[0].client)
    begin = time.monotonic()
    rounds, largest_mb = [], 0.0
    length = options.minutes * 60 / options.rounds
    for number in range(1, options.rounds + 1):
        end = begin + length * (number - 0.2)
        in_parallel(loads, lambda load: load.fill_until(end))
        filled = server.sample()
        largest_mb = max(largest_mb, filled["disk_mb"])
        times = sorted(time for load in loads for time in load.client.times_ms)
        latency = {"p50_ms": round(statistics.median(times), 2), "p99_ms": round(times[len(times) * 99 // 100], 2)}
        for load in loads:
            load.client.times_ms = []
        show(log, f"round {number} filled", filled | {"items": sum(len(load.keys) for load in loads)} | latency)
        in_parallel(loads, Load.delete_everything)
        time.sleep(max(0, begin + length * number - time.monotonic()))
        rounds.append(server.sample())
        show(log, f"round {number} deleted", rounds[-1])
    loads[0].client.call("DeleteTable", {"TableName": STREAMED})
    patience = time.monotonic() + 120
    bound_mb = largest_mb / 5 + JOURNAL_MB
    while (left := server.sample())["disk_mb"] > bound_mb and time.monotonic() < patience:
        # Files go when later commits have replaced the snapshots that still need them.
        loads[0].client.call("PutItem", {"TableName": ITEMS, "Item": {"pk": {"S": "last"}}})
        time.sleep(1)
    show(log, "everything deleted", left | {"requests": sum(load.client.sent for load in loads)})
    judge(rounds, left, bound_mb)


def judge(rounds, left, bound_mb):
    early, late = rounds[len(rounds) // 2], rounds[-1]
    problems = []
    for name, slack in [("memory_mb", 16), ("descriptors", 8)]:
        if late[name] > early[name] * 1.1 + slack:
            problems.append(f"{name} grew from {early[name]} to {late[name]}")
    if left["disk_mb"] > bound_mb:
        problems.append(f"{left['disk_mb']} MB are still taken after everything was deleted, more than {bound_mb}")
    if problems:
        raise SystemExit("; ".join(problems))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    home = pathlib.Path(__file__).resolve().parent.parent
    parser.add_argument("--binary", default=str(home / "target/release/sortkey"))
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--rate", type=float, default=300, help="requests per second")
    parser.add_argument("--directory", help="where the data lies meanwhile")
    parser.add_argument("--log", help="a file for the samples, instead of standard output")
    options = parser.parse_args()
    with open(options.log, "w") if options.log else open(1, "w", closefd=False) as log:
        soak(options, log)


if __name__ == "__main__":
    main()
