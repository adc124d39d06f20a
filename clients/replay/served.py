"""Rust, Node and Python replay one recording, each on forks of one server. For every test, the server has the same requests from each
of them, in the same order, byte for byte, and three databases that are the same: scans of every table and of every index answer the same
bytes, and the streams have the same records. Then each makes every third call on what the others wrote, with the same end.

    python served.py SORTKEY PROGRAM RECORDING LANGUAGE=COMMAND...

The server's clock stands still in every fork, so that nothing expires but where the recording says so.
"""

import hashlib
import http.client
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path


# Operations of DynamoDB Streams.
STREAMS = ("DescribeStream", "GetShardIterator", "GetRecords")


class Server:
    def __init__(self, sortkey):
        command = [sortkey, "serve", "--in-memory", "--port", "0", "--parent", str(os.getpid())]
        self.folder = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen(command, cwd=self.folder.name, stdout=subprocess.PIPE, text=True)
        self.endpoint = re.search(r"http://127\.0\.0\.1:\d+", self.process.stdout.readline())[0]
        self.connection = http.client.HTTPConnection(self.endpoint.removeprefix("http://"))

    def ask(self, method, path, body=None, **headers):
        self.connection.request(method, path, body, headers)
        response = self.connection.getresponse()
        answer = response.read()
        assert response.status == 200, f"{method} {path}: {answer}"
        return answer

    def send(self, fork, operation, body):
        credential = "AWS4-HMAC-SHA256 Credential=test/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0"
        service = "DynamoDBStreams_20120810" if operation in STREAMS else "DynamoDB_20120810"
        return self.ask("POST", "/", body, **{
            "content-type": "application/x-amz-json-1.0", "x-amz-target": f"{service}.{operation}", "x-sortkey-fork": fork,
            "authorization": credential, "x-amz-date": "20260101T000000Z",
        })  # fmt: skip

    def administer(self, method, path, body=None, fork=""):
        headers = {"x-sortkey-fork": fork} if fork else {}
        return self.ask(method, f"/_sortkey{path}", json.dumps(body), **{"content-type": "application/json"}, **headers)

    def base(self, setup):
        """A fork with the tables of the recording and nothing else."""
        self.administer("POST", "/forks", {"name": "base"})
        self.administer("POST", "/clock", {"stopMs": setup["now"]}, "base")
        for operation, body in setup["tables"]:
            self.send("base", operation, body)

    def requests(self, fork):
        requests = json.loads(self.administer("GET", "/requests", fork=fork))["requests"]
        return [[each["operation"], each["body"]] for each in requests]

    def state(self, fork):
        """What is stored, as the server answers it. A backup would have the work of the background as well, which has a time of its own."""
        state = hashlib.sha256()
        for table in self.asked(fork, "ListTables", {})["TableNames"]:
            described = self.asked(fork, "DescribeTable", {"TableName": table})["Table"]
            indexes = [index["IndexName"] for kind in ("Global", "Local") for index in described.get(f"{kind}SecondaryIndexes", [])]
            for index in [None, *indexes]:
                body = {"TableName": table, **({"IndexName": index} if index else {})}
                while body:
                    page = self.send(fork, "Scan", json.dumps(body))
                    state.update(page)
                    after = json.loads(page).get("LastEvaluatedKey")
                    body = {**body, "ExclusiveStartKey": after} if after else None
            if arn := described.get("LatestStreamArn"):
                state.update(json.dumps(self.records(fork, arn)).encode())
        return state.hexdigest()

    def records(self, fork, arn):
        """What each record of a stream says: its place in the stream counts the commits of the background too."""
        found = []
        for shard in self.asked(fork, "DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]:
            of = {"StreamArn": arn, "ShardId": shard["ShardId"], "ShardIteratorType": "TRIM_HORIZON"}
            iterator = self.asked(fork, "GetShardIterator", of)["ShardIterator"]
            while iterator:
                page = self.asked(fork, "GetRecords", {"ShardIterator": iterator})
                iterator = page.get("NextShardIterator") if page["Records"] else None
                for each in page["Records"]:
                    images = each["dynamodb"]
                    found.append([each["eventName"], images["Keys"], images.get("OldImage"), images.get("NewImage")])
        return found

    def asked(self, fork, operation, body):
        return json.loads(self.send(fork, operation, json.dumps(body)))


def tests_of(recording):
    """The setup, and for each test its title and what must be sent, in order."""
    setup, tests = None, []
    for line in map(json.loads, Path(recording).read_text().splitlines()):
        if "setup" in line:
            setup = line["setup"]
        elif "test" in line:
            tests.append((line["test"], []))
        elif "send" in line:
            tests[-1][1].append(line["send"])
        elif "call" in line:
            tests[-1][1].extend(line["call"]["sent"])
    return setup, tests


def replay(command, *arguments):
    done = subprocess.run([*shlex.split(command), *map(str, arguments)], capture_output=True, text=True)
    assert done.returncode == 0, f"{command}\n{done.stdout[-4000:]}{done.stderr[-4000:]}"


def main(sortkey, program, recording, *commands):
    languages = dict(command.split("=", 1) for command in commands)
    setup, tests = tests_of(recording)
    server = Server(sortkey)
    try:
        server.base(setup)
        for command in languages.values():
            replay(command, program, recording, server.endpoint)
        states = []
        for at, (title, sent) in enumerate(tests):
            for language in languages:
                found = server.requests(f"{language}-{at}")
                differs = next((pair for pair in zip(found + [None], sent + [None]) if pair[0] != pair[1]), None)
                assert differs is None, f"{language}: {title}\nfound:    {differs[0]}\nrecorded: {differs[1]}"
            found = {language: server.state(f"{language}-{at}") for language in languages}
            assert len(set(found.values())) == 1, f"{title}: the databases differ: {found}"
            states.append(next(iter(found.values())))
        for turn, (language, command) in enumerate(languages.items()):
            replay(command, program, recording, server.endpoint, turn, len(languages))
            for at, (title, _) in enumerate(tests):
                if len(languages) > 1:
                    assert server.state(f"{language}-turn-{at}") == states[at], f"{title}: {language} on what others wrote"
    finally:
        server.process.terminate()
        server.process.wait()
        server.folder.cleanup()
    requests = sum(len(sent) for _, sent in tests)
    print(f"{', '.join(languages)}: {len(tests)} tests with the same {requests} requests, answers and databases")


main(*sys.argv[1:])
