"""Least privilege in both directions: the policies of `sortkey generate iam`, enforced by `sortkey serve --iam enforce`.

    python policies.py SORTKEY DESIGN RECORDING

Each request of the recording is sent with the policy of a module that the call belongs to, and none may be denied. Then one action,
statement or partition key after the other is taken out of each policy, and some request of the module must be denied.
Permissions that no test of the design needs are counted: nothing can show that they are necessary, and the count may not grow.
"""

import copy
import http.client
import json
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

REGION = "us-east-1"
TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"AWS": "*"}, "Action": "sts:AssumeRole"}],
}
# Parts of policies that no test of a system needs, as counted when this test was written.
UNTESTED = json.loads(Path(__file__).with_name("untested.json").read_text())


class Server:
    """A server that enforces policies, with roles whose policies are given."""

    def __init__(self, sortkey: str, roles: dict[str, Any], folder: Path) -> None:
        made = subprocess.run(
            [sortkey, "auth", "user", "create", "admin", "--admin"], cwd=folder, check=True, capture_output=True, text=True
        ).stdout
        self.admin = Credentials(*re.findall(r"=(\S+)", made)[:2])
        file = folder / "auth.json"
        identities = json.loads(file.read_text())
        identities["roles"] = [
            {"name": name, "trust": TRUST, "id": f"AROA{at:016d}", "policies": [{"name": "own", "document": policy}]}
            for at, (name, policy) in enumerate(roles.items())
        ]
        file.write_text(json.dumps(identities))
        self.log = open(folder / "log", "w+")
        command = [sortkey, "serve", "--in-memory", "--port", "0", "--auth", str(file), "--iam", "enforce"]
        self.process = subprocess.Popen(command, cwd=folder, stdout=self.log, stderr=subprocess.STDOUT)
        self.sessions: dict[str, Credentials] = {}
        self.port = self.listening(folder / "log")
        self.connection = http.client.HTTPConnection("127.0.0.1", self.port)

    def listening(self, log: Path) -> int:
        for _ in range(200):
            found = re.search(r"http://127\.0\.0\.1:(\d+)", log.read_text())
            if found:
                return int(found[1])
            time.sleep(0.05)
        raise RuntimeError(log.read_text())

    def post(self, service: str, headers: dict[str, str], body: str, credentials: Credentials) -> tuple[int, str]:
        request = AWSRequest("POST", f"http://127.0.0.1:{self.port}/", headers=headers, data=body.encode())
        SigV4Auth(credentials, service, REGION).add_auth(request)
        self.connection.request("POST", "/", body.encode(), dict(request.headers))
        response = self.connection.getresponse()
        return response.status, response.read().decode()

    def send(self, operation: str, body: str, credentials: Credentials) -> bool:
        """Sends a request; true unless a policy denies it."""
        headers = {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": f"DynamoDB_20120810.{operation}"}
        _, answer = self.post("dynamodb", headers, body, credentials)
        return "AccessDenied" not in answer

    def session(self, role: str) -> Credentials:
        if role not in self.sessions:
            arn = f"arn:aws:iam::000000000000:role/{role}"
            body = f"Action=AssumeRole&Version=2011-06-15&RoleSessionName=test&RoleArn={arn}"
            headers = {"Content-Type": "application/x-www-form-urlencoded"}
            status, answer = self.post("sts", headers, body, self.admin)
            assert status == 200, answer
            part = lambda name: re.search(f"<{name}>(.*?)</{name}>", answer)[1]
            self.sessions[role] = Credentials(part("AccessKeyId"), part("SecretAccessKey"), part("SessionToken"))
        return self.sessions[role]


def calls(lines: list[dict[str, Any]]) -> dict[str, dict[tuple[int, str], str]]:
    """The requests of each pattern and operation: one of each kind at each place."""
    found: dict[str, dict[Any, str]] = {}
    for line in lines:
        if "call" in line:
            of = found.setdefault(line["call"]["start"]["name"], {})
            for at, (operation, body) in enumerate(line["call"]["sent"]):
                of.setdefault((at, operation, shape(body)), body)
    return found


def shape(body: str) -> str:
    """A request without the part of its values that follows the first separator: kinds of keys, not items."""
    return re.sub(r'"S":"([^"#]{0,24}#?)[^"]*"', r'"S":"\1"', re.sub(r"[0-9a-zA-Z_-]{12,}", "x", body))


def reduced(policy: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The policy without one action, statement or partition key, by what is missing."""
    found = {}
    for at, statement in enumerate(policy["Statement"]):
        if not statement["Action"][0].startswith("dynamodb:"):
            continue
        resource = statement["Resource"].rsplit("table/")[1]
        for action in statement["Action"]:
            found[f"{action} on {resource}"] = without(policy, at, "Action", action)
        condition = statement.get("Condition", {}).get("ForAllValues:StringLike", {}).get("dynamodb:LeadingKeys", [])
        for key in condition if len(condition) > 1 else []:
            changed = copy.deepcopy(policy)
            changed["Statement"][at]["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"].remove(key)
            actions = ", ".join(statement["Action"])
            found[f"{key} for {actions} on {resource}"] = changed
    return found


def without(policy: dict[str, Any], at: int, member: str, value: str) -> dict[str, Any]:
    changed = copy.deepcopy(policy)
    changed["Statement"][at][member].remove(value)
    if not changed["Statement"][at][member]:
        del changed["Statement"][at]
    return changed


def main(sortkey: str, design: str, recording: str) -> None:
    lines = [json.loads(line) for line in Path(recording).read_text().splitlines()]
    setup = lines[0]["setup"]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run([sortkey, "generate", "iam", design, "--out", name], check=True, stdout=subprocess.DEVNULL)
        generated = json.loads((folder / "iam.json").read_text())
        policies, members = generated["Policies"], generated["Calls"]
        roles, missing = {}, {}
        for module, policy in policies.items():
            roles[module] = policy
            for what, smaller in reduced(policy).items():
                role = f"{module}-{len(missing)}"
                roles[role], missing[role] = smaller, (module, what)
        server = Server(sortkey, roles, folder)
        try:
            untested = check(server, setup, calls(lines), members, missing)
        finally:
            server.process.terminate()
            server.process.wait()
    system = Path(design).stem
    print(f"{system}: {len(policies)} policies, {len(missing)} parts of them, {len(untested)} of which no test needs")
    if len(untested) > UNTESTED.get(system, 0):
        raise SystemExit("\n".join(["parts of policies that no test needs:", *untested]))


def check(server: Server, setup: Any, recorded: Any, members: Any, missing: Any) -> list[str]:
    for operation, body in setup["tables"]:
        assert server.send(operation, body, server.admin)
    requests = {
        module: [(op, body) for name in names for (_, op, _), body in recorded.get(name, {}).items()]
        for module, names in members.items()
    }
    for module, sent in requests.items():
        for operation, body in sent:
            assert server.send(operation, body, server.session(module)), f"{module} may not: {operation} {body}"
    untested = []
    for role, (module, what) in missing.items():
        if all(server.send(operation, body, server.session(role)) for operation, body in requests[module]):
            untested.append(f"{module}: {what}")
    return untested


main(*sys.argv[1:])
