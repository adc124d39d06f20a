"""Least privilege in both directions: the policies of `sortkey generate iam`, enforced by `sortkey serve --iam enforce`.

    python policies.py SORTKEY DESIGN RECORDING

Every test of the recording is carried out on a fork of its own: each call's requests are sent with the policy of a module that the call
belongs to, none may be denied, and the items at the end must be the recorded ones. Then one action, table, index or partition key
after the other is taken out of each policy, and some request of the module's tests must be denied.
Permissions that no test of the design needs are counted, and the count may not grow: most of them are for changes that are refused and
tried again, which a recording in the order of its text does not meet.
"""

import copy
import http.client
import json
import re
import subprocess
import sys
import tempfile
import time
from decimal import Decimal
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

    def send(self, operation: str, body: str, credentials: Credentials, fork: str = "base") -> str:
        """The answer to a request."""
        target = f"DynamoDB_20120810.{operation}"
        headers = {"Content-Type": "application/x-amz-json-1.0", "X-Amz-Target": target, **({"x-sortkey-fork": fork} if fork else {})}
        return self.post("dynamodb", headers, body, credentials)[1]

    def allows(self, operation: str, body: str, credentials: Credentials, fork: str = "base") -> bool:
        return "AccessDenied" not in self.send(operation, body, credentials, fork)

    def administer(self, path: str, body: Any, fork: str = "") -> None:
        """An act of the administrator, on a fork."""
        headers = {"Content-Type": "application/json", **({"x-sortkey-fork": fork} if fork else {})}
        url, text = f"http://127.0.0.1:{self.port}/_sortkey{path}", json.dumps(body)
        request = AWSRequest("POST", url, headers=headers, data=text.encode())
        SigV4Auth(self.admin, "dynamodb", REGION).add_auth(request)
        self.connection.request("POST", f"/_sortkey{path}", text.encode(), dict(request.headers))
        response = self.connection.getresponse()
        answer = response.read()
        assert response.status == 200, f"{path}: {answer!r}"

    def items(self, table: str, fork: str) -> list[str]:
        found: list[str] = []
        start: dict[str, Any] = {}
        while True:
            body = {"TableName": table, "ConsistentRead": True, **start}
            page = json.loads(self.send("Scan", json.dumps(body), self.admin, fork), parse_float=Decimal)
            found += [text(item) for item in page["Items"]]
            if "LastEvaluatedKey" not in page:
                return sorted(found)
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}

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


def text(item: Any) -> str:
    return json.dumps(item, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def shape(body: str) -> str:
    """A request without the part of its values that follows the first separator: kinds of keys, not items."""
    return re.sub(r'"S":"([^"#]{0,24}#?)[^"]*"', r'"S":"\1"', re.sub(r"[0-9a-zA-Z_-]{12,}", "x", body))


def reduced(policy: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The policy without one action, statement or partition key, by what is missing."""
    found = {}
    for at, statement in enumerate(policy["Statement"]):
        if not statement["Action"][0].startswith("dynamodb:"):
            continue
        resource = statement["Resource"].rsplit("table/")[-1]
        for action in statement["Action"]:
            found[f"{action} on {resource}"] = without(policy, at, "Action", action)
        condition = statement.get("Condition", {}).get("ForAllValues:StringLike", {}).get("dynamodb:LeadingKeys", [])
        for key in condition:
            changed = copy.deepcopy(policy)
            keys = changed["Statement"][at]["Condition"]["ForAllValues:StringLike"]["dynamodb:LeadingKeys"]
            keys[keys.index(key)] = "a key that nothing has"
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
            server.administer("/forks", {"name": "base"})
            server.administer("/clock", {"stopMs": setup["now"]}, "base")
            for operation, body in setup["tables"]:
                assert server.allows(operation, body, server.admin)
            made = run_tests(server, lines, members)
            untested = check(server, calls(lines), members, missing)
        finally:
            server.process.terminate()
            server.process.wait()
    system = Path(design).stem
    print(f"{system}: {made} calls with the policies of their modules; {len(policies)} policies, {len(missing)} parts of them, {len(untested)} of which no test needs")
    if len(untested) > UNTESTED.get(system, 0):
        raise SystemExit("\n".join(["parts of policies that no test needs:", *untested]))


def check(server: Server, recorded: Any, members: Any, missing: Any) -> list[str]:
    """What can be taken out of a policy without that any test of its module fails."""
    requests = {
        module: [(op, body) for name in names for (_, op, _), body in recorded.get(name, {}).items()]
        for module, names in members.items()
    }
    untested = []
    for role, (module, what) in missing.items():
        table = what.rsplit(" on ", 1)[1].split("/", 1)[0]
        concerned = [(operation, body) for operation, body in requests[module] if table.strip("*") in body]
        if all(server.allows(operation, body, server.session(role)) for operation, body in concerned):
            untested.append(f"{module}: {what}")
    return untested


def run_tests(server: Server, lines: list[dict[str, Any]], members: dict[str, list[str]]) -> int:
    """Carries out the recorded tests, each call with the policy of its module; how many calls belong to one."""
    made, number = 0, -1
    fork = title = ""
    for line in lines[1:]:
        if "test" in line:
            number, title = number + 1, line["test"]
            fork = f"test-{number}"
            server.administer("/forks", {"name": fork, "from": "base"})
            server.administer("/clock", {"stopMs": lines[0]["setup"]["now"]}, fork)
        elif "now" in line:
            server.administer("/clock", {"stopMs": line["now"]}, fork)
        elif "expire" in line:
            server.administer("/expire", {}, fork)
        elif "send" in line:
            server.send(*line["send"], server.admin, fork)
        elif "call" in line:
            name = line["call"]["start"]["name"]
            owners = [module for module, names in members.items() if name in names]
            # A call of several modules is made with the policy of each in turn.
            module = owners[made % len(owners)] if owners else None
            made += bool(owners)
            for operation, body in line["call"]["sent"]:
                credentials = server.session(module) if module else server.admin
                is_allowed = server.allows(operation, body, credentials, fork)
                assert is_allowed, f"{title}: {module} may not, in {name}: {operation} {body}"
        else:
            for table, items in line["items"].items():
                recorded = sorted(text(json.loads(item, parse_float=Decimal)) if isinstance(item, str) else text(item) for item in items)
                assert server.items(table, fork) == recorded, f"{title}: other items in {table}"
    return made

if __name__ == "__main__":
    main(*sys.argv[1:])
