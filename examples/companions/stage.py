"""Starts a system with its companions, each a process of its own, and calls it the way its customers would."""

import contextlib
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
BINARY = os.environ.get("SORTKEY_BIN", "sortkey")


class Stage:
    """Processes that end with this one, and a folder that goes with them."""

    def __init__(self):
        self.processes = contextlib.ExitStack()
        self.folder = Path(self.processes.enter_context(tempfile.TemporaryDirectory()))
        self.url = ""
        self.server = None
        self.command = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.processes.close()

    def start(self, command, ready, **environment):
        """Starts a process and waits for the line that it prints when it is ready."""
        process = subprocess.Popen(
            [str(each) for each in command], stdout=subprocess.PIPE, text=True, env={**os.environ, **environment}
        )
        self.processes.callback(process.wait)
        self.processes.callback(process.kill)
        for line in process.stdout:
            if ready in line:
                return process
        sys.exit(f"{command[0]} ended before it was ready")

    def companion(self, name, *arguments):
        """Starts a companion on a free port; its address."""
        port = free_port()
        self.start([sys.executable, HERE / f"{name}.py", port, *arguments], "listens on")
        return f"http://127.0.0.1:{port}"

    def mailbox(self):
        """The relay for mails, and where they can be read."""
        smtp, port = free_port(), free_port()
        self.start([sys.executable, HERE / "mailbox.py", smtp, port], "listens on")
        return f"127.0.0.1:{smtp}", f"http://127.0.0.1:{port}/mails"

    def system(self, name, *arguments):
        """Starts a system, or the design at a path, on a free port, on disk."""
        port = free_port()
        self.url = f"http://127.0.0.1:{port}"
        command = [BINARY, "up", ROOT / "systems" / name, "--port", port, "--data", self.folder / "data"]
        self.command = [*command, "--allow-private", "127.0.0.0/8", *arguments]
        return self.start_server()

    def start_server(self):
        config = {"XDG_CONFIG_HOME": str(self.folder / "config"), "SORTKEY_LOG": "error"}
        self.server = self.start(self.command, "Ctrl-C stops it.", **config)
        return self.server

    def kill_and_restart(self):
        """Ends the system as a power failure would, and starts it again."""
        self.server.kill()
        self.server.wait()
        self.start_server()

    def call(self, path, bearer=None, expect=None, **arguments):
        """Calls an operation or a route; patterns are asked with GET by `ask`."""
        headers = {"content-type": "application/json"} | ({"authorization": f"Bearer {bearer}"} if bearer else {})
        return http(self.url + path, headers, json.dumps(arguments).encode(), expect)

    def billing(self, table):
        """How a table is billed, as any client of DynamoDB sees it."""
        scope = "Credential=example/20260101/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0"
        headers = {
            "x-amz-target": "DynamoDB_20120810.DescribeTable", "content-type": "application/x-amz-json-1.0",
            "x-amz-date": "20260101T000000Z", "authorization": f"AWS4-HMAC-SHA256 {scope}",
        }
        described = http(self.url, headers, json.dumps({"TableName": table}).encode())["Table"]
        units = described.get("ProvisionedThroughput", {})
        return units.get("ReadCapacityUnits", 0), units.get("WriteCapacityUnits", 0)

    def ask(self, path, bearer=None, expect=None, **query):
        headers = {"authorization": f"Bearer {bearer}"} if bearer else {}
        return http(f"{self.url}{path}?{urllib.parse.urlencode(query)}", headers, None, expect)


def http(url, headers=None, body=None, expect=None):
    """The JSON of an answer. A status of 400 and above ends the program, unless it is expected: then it is the answer."""
    request = urllib.request.Request(url, body, headers or {})
    opener = urllib.request.build_opener(Still)
    try:
        with opener.open(request, timeout=30) as answer:
            text = answer.read()
            location = answer.headers.get("location")
            if expect:
                sys.exit(f"{url} was answered with {answer.status}, not with {expect}")
            return {"location": location} if location else json.loads(text or b"null")
    except urllib.error.HTTPError as error:
        text = error.read().decode()
        if error.code in (301, 302):
            return {"location": error.headers["location"]}
        if expect and expect in text:
            return text
        sys.exit(f"{url} was answered with {error.code}: {text}")


class Still(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: where a browser is sent is what is looked at."""

    def redirect_request(self, *_):
        return None


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def until(what, look, seconds=60):
    """Looks again and again until something is there."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := look():
            return found
        time.sleep(0.1)
    sys.exit(f"{what} did not happen within {seconds} seconds")


def show(text):
    print(text, flush=True)


def ensure(holds, text):
    """Says what was seen, or ends the program."""
    if not holds:
        sys.exit(f"not so: {text}")
    show(f"  {text}")
