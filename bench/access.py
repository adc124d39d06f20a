"""What verified signatures and policies cost: the processor time of the server per GetItem, without credentials, with
verified signatures, and with 20 statements enforced. All three in one run, in turns, so that they share the machine's mood.

    python3 bench/access.py path/to/sortkey [requests per turn] [turns]

Needs botocore, and `ab` of Debian's apache2-utils. The requests are signed once and sent many times, as AWS allows within a
quarter of an hour.
"""

import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile

import botocore.auth
import botocore.awsrequest
import botocore.credentials

BINARY = sys.argv[1]
REQUESTS = int(sys.argv[2]) if len(sys.argv) > 2 else 20_000
TURNS = int(sys.argv[3]) if len(sys.argv) > 3 else 7
TICKS = os.sysconf("SC_CLK_TCK")
TABLE = "arn:aws:dynamodb:us-east-1:000000000000:table"


def policy():
    """20 statements; the last one allows."""
    statements = [
        {
            "Effect": "Deny" if at % 5 == 0 else "Allow",
            "Action": [f"dynamodb:{name}" for name in ("GetItem", "Query", "PutItem")],
            "Resource": [f"{TABLE}/other-{at}", f"{TABLE}/other-{at}/index/*"],
            "Condition": {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": ["${aws:username}"]}},
        }
        for at in range(19)
    ]
    statements.append({"Effect": "Allow", "Action": "dynamodb:*", "Resource": f"{TABLE}/bench"})
    return json.dumps({"Version": "2012-10-17", "Statement": statements})


class Server:
    def __init__(self, folder, name, *arguments):
        self.name = name
        self.folder = pathlib.Path(folder)
        environment = os.environ | {"SORTKEY_KEYRING": f"{folder}/keys/keyring.json"}
        self.process = subprocess.Popen(
            [BINARY, "serve", "--in-memory", "--port", "0", *arguments],
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
        self.endpoint = re.search(r"http://[0-9.:]+", self.process.stdout.readline())[0]

    def call(self, credentials, operation, body):
        """Signs a request; the headers and the body, as `ab` takes them."""
        body = json.dumps(body)
        headers = {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": f"DynamoDB_20120810.{operation}"}
        request = botocore.awsrequest.AWSRequest("POST", self.endpoint + "/", headers=headers, data=body)
        botocore.auth.SigV4Auth(credentials, "dynamodb", "us-east-1").add_auth(request)
        prepared = request.prepare()
        path = self.folder / f"{self.name}.json"
        path.write_text(body)
        text = lambda value: value.decode() if isinstance(value, bytes) else value
        sent = [f"{name}: {text(value)}" for name, value in prepared.headers.items() if name.lower() != "content-length"]
        flags = [flag for header in sent if not header.lower().startswith("content-type") for flag in ("-H", header)]
        return ["-p", str(path), "-T", "application/x-amz-json-1.0", *flags]

    def load(self, flags, count):
        done = subprocess.run(
            ["ab", "-q", "-k", "-c", str(min(8, count)), "-n", str(count), *flags, self.endpoint + "/"],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        assert "Non-2xx" not in done and re.search(r"Failed requests:\s+0", done), done

    def busy_seconds(self):
        fields = pathlib.Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS


def main():
    with tempfile.TemporaryDirectory() as folder:
        run = lambda *arguments: subprocess.run(
            [BINARY, "auth", *arguments, "--file", f"{folder}/home/auth.json"],
            env=os.environ | {"SORTKEY_KEYRING": f"{folder}/keys/keyring.json"},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        pathlib.Path(folder, "home").mkdir()
        pathlib.Path(folder, "keys").mkdir()
        made = dict(line.split("=", 1) for line in run("user", "create", "ann").splitlines())
        run("user", "policy", "ann", "twenty", policy())
        credentials = botocore.credentials.Credentials(made["AWS_ACCESS_KEY_ID"], made["AWS_SECRET_ACCESS_KEY"])
        auth = ["--auth", f"{folder}/home/auth.json"]
        servers = [
            Server(folder, "open"),
            Server(folder, "signed", *auth),
            Server(folder, "enforced", *auth, "--iam", "enforce"),
        ]
        try:
            measure(servers, credentials)
        finally:
            for server in servers:
                server.process.terminate()
                server.process.wait()


def measure(servers, credentials):
    item = {"pk": {"S": "a" * 20}, "text": {"S": "x" * 200}}
    flags = {}
    for server in servers:
        schema = {
            "TableName": "bench",
            "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
            "BillingMode": "PAY_PER_REQUEST",
        }
        server.load(server.call(credentials, "CreateTable", schema), 1)
        server.load(server.call(credentials, "PutItem", {"TableName": "bench", "Item": item}), 1)
        flags[server.name] = server.call(credentials, "GetItem", {"TableName": "bench", "Key": {"pk": item["pk"]}})
        server.load(flags[server.name], REQUESTS // 4)
    microseconds = {server.name: [] for server in servers}
    for _ in range(TURNS):
        for server in servers:
            before = server.busy_seconds()
            server.load(flags[server.name], REQUESTS)
            microseconds[server.name].append((server.busy_seconds() - before) / REQUESTS * 1e6)
    base = statistics.median(microseconds["open"])
    for name, turns in microseconds.items():
        middle = statistics.median(turns)
        print(f"{name:>9}: {middle:6.2f} us per GetItem, {middle / base - 1:+.1%} against open, turns {min(turns):.1f} to {max(turns):.1f}")
    signed, enforced = (statistics.median(microseconds[name]) for name in ("signed", "enforced"))
    print(f"enforced against signed: {enforced / signed - 1:+.1%}")


main()
