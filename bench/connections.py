"""Memory of connections: what idle ones hold, what they hold after large requests and answers, and what is left when they close.

    bench/connections.py BINARY [CONNECTIONS] [ROUNDS]

Every connection stays open. In each round, all of them send a request of 300 KB and receive an answer of 1 MB, then rest.
"""

import json
import re
import socket
import subprocess
import sys
import time

TARGET = "DynamoDB_20120810."
LARGE = "x" * 300_000


def main():
    binary = sys.argv[1]
    connections = int(sys.argv[2]) if len(sys.argv) > 2 else 500
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 3
    server = subprocess.Popen(
        [binary, "serve", "--in-memory", "--port", "0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        address = re.search(r"http://([0-9.]+):([0-9]+)", server.stdout.readline())
        measure(server.pid, (address.group(1), int(address.group(2))), connections, rounds)
    finally:
        server.terminate()
        server.wait(timeout=30)


def measure(pid, address, count, rounds):
    setting_up = Client(address)
    setting_up.call(
        "CreateTable",
        {
            "TableName": "large",
            "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
            "AttributeDefinitions": [
                {"AttributeName": "pk", "AttributeType": "S"},
                {"AttributeName": "sk", "AttributeType": "N"},
            ],
        },
    )
    for number in range(4):
        put(setting_up, number)
    report("no connections", pid)
    clients = [Client(address) for _ in range(count)]
    for client in clients:
        client.call("ListTables", {})
    report(f"{count} idle connections", pid, count)
    for number in range(1, rounds + 1):
        for client in clients:
            put(client, 0)
            query(client)
        report(f"after round {number} of large requests", pid, count)
    time.sleep(5)
    report("5 s later", pid, count)
    for client in clients:
        client.close()
    time.sleep(2)
    report("all closed", pid)


def put(client, number):
    item = {"pk": {"S": "p"}, "sk": {"N": str(number)}, "text": {"S": LARGE}}
    client.call("PutItem", {"TableName": "large", "Item": item})


def query(client):
    values = {":p": {"S": "p"}}
    client.call(
        "Query", {"TableName": "large", "KeyConditionExpression": "pk = :p", "ExpressionAttributeValues": values}
    )


baseline = None


def report(what, pid, connections=None):
    global baseline
    with open(f"/proc/{pid}/status") as status:
        kilobytes = int(re.search(r"VmRSS:\s+([0-9]+)", status.read()).group(1))
    baseline = baseline or kilobytes
    each = f", {(kilobytes - baseline) / connections:.1f} KB per connection" if connections else ""
    print(f"{what}: {kilobytes / 1024:.1f} MB{each}", flush=True)


class Client:
    """One connection, without a library that would share or close it."""

    def __init__(self, address):
        self.host = f"{address[0]}:{address[1]}"
        self.socket = socket.create_connection(address)

    def call(self, operation, body):
        body = json.dumps(body).encode()
        head = (
            f"POST / HTTP/1.1\r\nHost: {self.host}\r\nX-Amz-Target: {TARGET}{operation}\r\n"
            "Content-Type: application/x-amz-json-1.0\r\nX-Amz-Date: 20261115T123600Z\r\n"
            "Authorization: AWS4-HMAC-SHA256 Credential=AKID/20261115/us-east-1/dynamodb/aws4_request, "
            f"SignedHeaders=host, Signature=abc\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        self.socket.sendall(head.encode() + body)
        answer = b""
        while b"\r\n\r\n" not in answer:
            answer += self.receive()
        head, _, rest = answer.partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 200"), head + rest[:500]
        missing = int(re.search(rb"(?i)content-length: ([0-9]+)", head).group(1)) - len(rest)
        while missing > 0:
            missing -= len(self.receive())

    def receive(self):
        received = self.socket.recv(1 << 16)
        assert received, "the server closed the connection"
        return received

    def close(self):
        self.socket.close()


if __name__ == "__main__":
    main()
