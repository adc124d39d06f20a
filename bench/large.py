#!/usr/bin/env python3
"""A large database: how long it takes to open, to answer first, and whether compactions survive `kill -9`.

    bench/large.py                              # 20 GB in target/large, target/release/sortkey; removed afterwards
    bench/large.py --gigabytes 8 --kills 10

Three quarters of the bytes are in items of 350 KB, which the store keeps apart from its tables, and a quarter in items of 12 KB,
which compactions copy. Then the process is killed again and again while small items are overwritten and deleted. After each
start a sample of the answered writes is read. Only the Python standard library is needed.
"""

import argparse
import pathlib
import random
import shutil
import signal
import sys
import threading
import time

from soak import Client, Process

TABLE = "Large"
SIZES = {"large": 350_000, "small": 12_000}


def create(client):
    body = {
        "TableName": TABLE,
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    }
    client.call("CreateTable", body)


class Writer:
    """Knows which version of each key was answered last; `None` is a deleted one."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.padding = {kind: self.random.randbytes(size // 2).hex() for kind, size in SIZES.items()}
        self.answered = {}

    def item(self, key, version):
        # Every item is another piece of the padding, so that nothing is equal to its neighbour.
        padding = self.padding[key.split("-")[0]]
        at = hash((key, version)) % len(padding)
        return {"pk": {"S": key}, "v": {"N": str(version)}, "padding": {"S": padding[at:] + padding[:at]}}

    def put(self, client, keys, version):
        puts = [{"PutRequest": {"Item": self.item(key, version)}} for key in keys]
        self.send(client, puts, {key: version for key in keys})

    def delete(self, client, keys):
        deletes = [{"DeleteRequest": {"Key": {"pk": {"S": key}}}} for key in keys]
        self.send(client, deletes, dict.fromkeys(keys))

    def send(self, client, writes, outcome):
        # A write in progress when the process is killed may or may not have happened.
        for key in outcome:
            self.answered[key] = ...
        client.call("BatchWriteItem", {"RequestItems": {TABLE: writes}})
        self.answered.update(outcome)

    def check(self, client, count):
        """Reads a sample of what was answered."""
        known = [key for key, version in self.answered.items() if version is not ...]
        for key in self.random.sample(known, min(count, len(known))):
            item = client.call("GetItem", {"TableName": TABLE, "Key": {"pk": {"S": key}}}).get("Item")
            version = item and int(item["v"]["N"])
            if version != self.answered[key]:
                raise SystemExit(f"{key}: version {version} instead of {self.answered[key]}")


def fill(client, writer, gigabytes):
    for kind, share in [("large", 0.75), ("small", 0.25)]:
        for number in range(0, int(gigabytes * share * 1e9 / SIZES[kind]), 25):
            writer.put(client, [f"{kind}-{at}" for at in range(number, number + 25)], 1)


def churn(client, writer, version):
    """Overwrites and deletes small items until the server is gone."""
    small = [key for key in writer.answered if key.startswith("small")]
    try:
        while True:
            keys = writer.random.sample(small, 25)
            if writer.random.random() < 0.3:
                writer.delete(client, keys)
            else:
                writer.put(client, keys, version)
    except (OSError, SystemExit, ValueError, Exception) as gone:
        if "BatchWriteItem" in str(gone):
            raise


def run(options, directory):
    writer = Writer(options.seed)
    server = Process(options.binary, directory)
    client = Client(server.port)
    create(client)
    began = time.monotonic()
    fill(client, writer, options.gigabytes)
    print(f"filled: {time.monotonic() - began:.0f} s, {server.sample()}", flush=True)
    for kill in range(options.kills + 1):
        if kill == 0:
            server.process.terminate()
        else:
            thread = threading.Thread(target=churn, args=(client, writer, kill + 1))
            thread.start()
            time.sleep(writer.random.uniform(1, 6))
            server.process.send_signal(signal.SIGKILL)
            thread.join()
        server.process.wait()
        began = time.monotonic()
        server = Process(options.binary, directory)
        listening = time.monotonic() - began
        client = Client(server.port)
        writer.check(client, 1)
        first = time.monotonic() - began
        writer.check(client, 300)
        whole = time.monotonic() - began
        how = "a stop" if kill == 0 else f"kill {kill}"
        print(
            f"after {how}: listening {listening:.2f} s, first answer {first:.2f} s, 300 answers {whole:.2f} s, {server.sample()}",
            flush=True,
        )
    server.process.terminate()
    server.process.wait()


def main():
    home = pathlib.Path(__file__).resolve().parent.parent
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--binary", default=str(home / "target/release/sortkey"))
    parser.add_argument("--directory", default=str(home / "target/large"))
    parser.add_argument("--gigabytes", type=float, default=20)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    directory = pathlib.Path(options.directory)
    if directory.exists():
        sys.exit(f"{directory} exists already")
    try:
        run(options, directory)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


if __name__ == "__main__":
    main()
