#!/usr/bin/env python3
"""The cost of access control: the processor time of the server per request, in seven modes that take turns in one run, so that
they share the machine's mood.

    bench/access.py path/to/sortkey [requests per turn] [turns]
    bench/access.py path/to/sortkey --throughput [seconds per turn] [turns]

In memory: `open` without credentials, `signed` with verified signatures, `enforced` with 20 statements of policies besides,
`audited` with the audit log besides, `tls` without credentials over TLS. On disk: `plain` and `encrypted`, GetItem and PutItem.
With the release binary, the defaults take about three minutes. Start times and idle memory are printed, too.
`--throughput` measures requests per second of GetItem in memory with `wrk` (Debian's package) on 32 connections, the load
generator on the same machine.

Needs botocore (`target/clients-python/bin/python`). Requests are signed once and sent many times, as AWS allows within a quarter
of an hour.
"""

import json
import os
import pathlib
import re
import socket
import ssl
import statistics
import subprocess
import sys
import tempfile
import time

import botocore.auth
import botocore.awsrequest
import botocore.credentials

CONNECTIONS = 8
OWN = ("content-length", "host")  # headers that wrk sends by itself
TABLE = "arn:aws:dynamodb:us-east-1:000000000000:table"
ITEM = {"pk": {"S": "a" * 20}, "text": {"S": "x" * 200}}
REQUESTS = {
    "GetItem": {"TableName": "bench", "Key": {"pk": ITEM["pk"]}},
    "PutItem": {"TableName": "bench", "Item": ITEM},
}


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
    """A server in one mode, with connections that stay open."""

    def __init__(self, binary, folder, name, operations, *arguments):
        self.name = name
        self.operations = operations
        self.microseconds = {operation: [] for operation in operations}
        environment = os.environ | {"SORTKEY_KEYRING": f"{folder}/keys/keyring.json"}
        began = time.monotonic()
        self.process = subprocess.Popen(
            [binary, "serve", "--port", "0", *arguments], stdout=subprocess.PIPE, text=True, env=environment
        )
        scheme, host, port = re.search(r"(https?)://([0-9.]+):([0-9]+)", self.process.stdout.readline()).groups()
        self.start_milliseconds = (time.monotonic() - began) * 1000
        self.idle_megabytes = self.resident_megabytes()
        self.endpoint = f"{scheme}://{host}:{port}"
        self.connections = [self.connect(scheme, host, int(port)) for _ in range(CONNECTIONS)]

    def connect(self, scheme, host, port):
        plain = socket.create_connection((host, port))
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if scheme == "http":
            return plain
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        return context.wrap_socket(plain)

    def signed(self, credentials, operation, body):
        """A request as it is sent."""
        body = json.dumps(body).encode()
        headers = {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": f"DynamoDB_20120810.{operation}"}
        request = botocore.awsrequest.AWSRequest("POST", self.endpoint + "/", headers=headers, data=body)
        botocore.auth.SigV4Auth(credentials, "dynamodb", "us-east-1").add_auth(request)
        text = lambda value: value.decode() if isinstance(value, bytes) else value
        sent = {name.lower(): text(value) for name, value in request.prepare().headers.items()}
        sent |= {"host": self.endpoint.split("//")[1], "content-length": str(len(body))}
        head = "".join(f"{name}: {value}\r\n" for name, value in sent.items())
        return f"POST / HTTP/1.1\r\n{head}\r\n".encode() + body

    def load(self, request, count):
        """Sends a request so often, on all connections in turn; every answer is received whole."""
        while count > 0:
            used = self.connections[:count]
            for connection in used:
                connection.sendall(request)
            for connection in used:
                receive(connection)
            count -= len(used)

    def throughput(self, request, seconds, folder):
        """Requests per second that wrk is answered."""
        head, _, body = request.decode().partition("\r\n\r\n")
        lines = [line.split(": ", 1) for line in head.split("\r\n")[1:]]
        headers = ", ".join(f"[{json.dumps(name)}] = {json.dumps(value)}" for name, value in lines if name not in OWN)
        script = pathlib.Path(folder, f"{self.name}.lua")
        script.write_text(f'wrk.method = "POST"\nwrk.headers = {{ {headers} }}\nwrk.body = {json.dumps(body)}\n')
        command = ["wrk", "-t1", "-c32", f"-d{seconds}s", "-s", str(script), f"{self.endpoint}/"]
        answered = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout
        assert "Non-2xx" not in answered, answered
        return float(re.search(r"Requests/sec:\s+([0-9.]+)", answered)[1])

    def busy_seconds(self):
        """Processor time of all threads. `stat` counts in hundredths of a second, which is too coarse here."""
        threads = pathlib.Path(f"/proc/{self.process.pid}/task").glob("*/schedstat")
        return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e9

    def resident_megabytes(self):
        status = pathlib.Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+([0-9]+)", status)[1]) / 1024

    def stop(self):
        self.process.terminate()
        self.process.wait()


def receive(connection):
    answer = connection.recv(1 << 16)
    while b"\r\n\r\n" not in answer:
        answer += connection.recv(1 << 16)
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200"), answer
    length = int(re.search(rb"(?i)content-length: ([0-9]+)", head)[1])
    while len(body) < length:
        body += connection.recv(1 << 16)


def main():
    binary = sys.argv[1]
    if "--throughput" in sys.argv:
        throughputs(binary, *(int(each) for each in sys.argv[3:]))
        return
    requests = int(sys.argv[2]) if len(sys.argv) > 2 else 10_000
    turns = int(sys.argv[3]) if len(sys.argv) > 3 else 7
    with tempfile.TemporaryDirectory() as folder:
        for name in ("home", "keys", "log"):
            pathlib.Path(folder, name).mkdir()
        credentials = identities(binary, folder)
        auth = ["--auth", f"{folder}/home/auth.json"]
        memory, disk = ["GetItem"], ["GetItem", "PutItem"]
        servers = []
        try:
            for name, operations, arguments in [
                ("open", memory, ["--in-memory"]),
                ("signed", memory, ["--in-memory", *auth]),
                ("enforced", memory, ["--in-memory", *auth, "--iam", "enforce"]),
                ("audited", memory, ["--in-memory", *auth, "--iam", "enforce", "--audit", f"{folder}/log/audit"]),
                ("tls", memory, ["--in-memory", "--tls-self-signed"]),
                ("plain", disk, ["--data", f"{folder}/plain"]),
                ("encrypted", disk, ["--data", f"{folder}/encrypted", "--encrypt"]),
            ]:
                servers.append(Server(binary, folder, name, operations, *arguments))
            measure(servers, credentials, requests, turns)
        finally:
            for server in servers:
                server.stop()
    report({server.name: server for server in servers})


def throughputs(binary, seconds=3, turns=7):
    with tempfile.TemporaryDirectory() as folder:
        for name in ("home", "keys"):
            pathlib.Path(folder, name).mkdir()
        credentials = identities(binary, folder)
        auth = ["--in-memory", "--auth", f"{folder}/home/auth.json"]
        modes = {"open": ["--in-memory"], "signed": auth, "enforced": [*auth, "--iam", "enforce"]}
        servers = []
        try:
            for name, arguments in modes.items():
                servers.append(Server(binary, folder, name, ["GetItem"], *arguments))
            signed = fill(servers, credentials)
            rates = {server.name: [] for server in servers}
            for turn in range(turns + 1):
                for server in servers:
                    rate = server.throughput(signed[server.name, "GetItem"], seconds, folder)
                    if turn > 0:
                        rates[server.name].append(rate)
        finally:
            for server in servers:
                server.stop()
    middle = {name: statistics.median(each) for name, each in rates.items()}
    for name, each in rates.items():
        print(f"{name:>9}: {middle[name]:8.0f} requests/s (turns {min(each):.0f} to {max(each):.0f})")
    for what, name, base, bound in [
        ("verified signatures", "signed", "open", 0.08),
        ("20 statements enforced, besides", "enforced", "signed", 0.05),
    ]:
        print(f"{what}: {1 - middle[name] / middle[base]:+.1%} of the throughput of GetItem (at most {bound:.0%})")


def identities(binary, folder):
    """A user with a policy of 20 statements."""

    def run(*arguments):
        command = [binary, "auth", *arguments, "--file", f"{folder}/home/auth.json"]
        environment = os.environ | {"SORTKEY_KEYRING": f"{folder}/keys/keyring.json"}
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout

    made = dict(line.split("=", 1) for line in run("user", "create", "ann").splitlines())
    run("user", "policy", "ann", "twenty", policy())
    return botocore.credentials.Credentials(made["AWS_ACCESS_KEY_ID"], made["AWS_SECRET_ACCESS_KEY"])


def fill(servers, credentials):
    """An item for every server; the requests to send, by server and operation."""
    schema = {
        "TableName": "bench",
        "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
        "BillingMode": "PAY_PER_REQUEST",
    }
    signed = {}
    for server in servers:
        for operation, body in [("CreateTable", schema), ("PutItem", REQUESTS["PutItem"])]:
            server.load(server.signed(credentials, operation, body), 1)
        for operation in server.operations:
            signed[server.name, operation] = server.signed(credentials, operation, REQUESTS[operation])
    return signed


def measure(servers, credentials, requests, turns):
    signed = fill(servers, credentials)
    for server in servers:
        for operation in server.operations:
            server.load(signed[server.name, operation], requests // 4)
    for _ in range(turns):
        for server in servers:
            for operation in server.operations:
                before = server.busy_seconds()
                server.load(signed[server.name, operation], requests)
                spent = server.busy_seconds() - before
                server.microseconds[operation].append(spent / requests * 1e6)


def report(servers):
    for server in servers.values():
        started = f"start {server.start_milliseconds:.1f} ms, idle {server.idle_megabytes:.1f} MB"
        for operation, turns in server.microseconds.items():
            middle = statistics.median(turns)
            print(f"{server.name:>9} {operation}: {middle:6.2f} us (turns {min(turns):.1f} to {max(turns):.1f}); {started}")
    for what, name, base, operation, bound in [
        ("verified signatures", "signed", "open", "GetItem", 0.08),
        ("20 statements enforced, besides", "enforced", "signed", "GetItem", 0.05),
        ("audit log, besides", "audited", "enforced", "GetItem", None),
        ("TLS", "tls", "open", "GetItem", None),
        ("encryption at rest", "encrypted", "plain", "GetItem", None),
        ("encryption at rest", "encrypted", "plain", "PutItem", None),
    ]:
        found, usual = (statistics.median(servers[server].microseconds[operation]) for server in (name, base))
        # The share of throughput that is lost when the processor is what limits it.
        lost = 1 - usual / found if found > 0 else 0
        limit = f" (at most {bound:.0%})" if bound else ""
        print(f"{what}: {lost:+.1%} of the throughput of {operation}{limit}")


if __name__ == "__main__":
    main()
