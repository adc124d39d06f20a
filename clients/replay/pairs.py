"""Rust, Node and Python on one database: each reads what each wrote, encrypted attributes among it, and goes on with the cursor of each.

    python pairs.py SORTKEY PAIR NODE

PAIR is the program of clients/replay/pair.rs, NODE a folder with pair.mjs beside the npm package. A language that is not there is
left out.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

DESIGN = """design pairs
table Notes "notes" { key (PK | SK) }
caller { userId slug }
entity Note in Notes {
  PK = "USER#{userId}"  SK = "NOTE#{name}"
  userId slug = caller.userId
  name   slug
  secret string(1..99) @encrypted("alias/notes-{userId}")
  tenant userId
}
operation write = create Note
pattern notes = list Note by userId page 2
"""


def python(endpoint, program, fingerprint, what, *rest):
    import boto3
    import sortkey

    settings = {"region_name": "us-east-1", "aws_access_key_id": "test", "aws_secret_access_key": "test"}
    transport = sortkey.botocore(boto3.client("dynamodb", endpoint_url=endpoint, **settings))
    opened = sortkey.Program(Path(program).read_bytes(), transport, fingerprint=fingerprint, keyring=sortkey.KeyFile.from_key(bytes([9]) * 32))
    ada = {"caller": {"userId": "ada"}}
    if what == "write":
        for name in rest:
            opened.call("write", {"name": name, "secret": f"of {name}"}, **ada)
        return None
    page = opened.call("notes", {"userId": "ada"}, cursor=rest[0] if rest else None, **ada)
    if what == "page":
        return {"items": page.items, "cursor": page.cursor}
    items = page.items
    while page.cursor is not None:
        page = opened.call("notes", {"userId": "ada"}, cursor=page.cursor, **ada)
        items += page.items
    return items


def process(*command):
    def run(*arguments):
        done = subprocess.run([*command, *arguments], capture_output=True, text=True)
        assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
        return json.loads(done.stdout)

    return run


def served(sortkey, folder):
    command = [sortkey, "up", str(folder / "pairs.sk"), "--in-memory", "--port", "0", "--parent", str(os.getpid())]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    said = ""
    for line in server.stdout:
        said += line
        if found := re.search(r"http://127\.0\.0\.1:\d+", line):
            return server, found[0]
    raise AssertionError(said)


def main(sortkey, pair, node):
    languages = {"python": python}
    if Path(pair).exists():
        languages["rust"] = process(pair)
    if shutil.which("node") and (Path(node) / "pair.mjs").exists():
        languages["node"] = process("node", str(Path(node) / "pair.mjs"))
    os.environ.update(SORTKEY_CURSOR_KEY="08" * 32, AWS_ACCESS_KEY_ID="test", AWS_SECRET_ACCESS_KEY="test", AWS_REGION="us-east-1")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "pairs.sk").write_text(DESIGN)
        program = str(folder / "program.json")
        subprocess.run([sortkey, "check", "--emit", program, folder / "pairs.sk"], check=True, stdout=subprocess.DEVNULL)
        fingerprint = hashlib.sha256(Path(program).read_bytes()).hexdigest()
        server, endpoint = served(sortkey, folder)
        try:
            run = lambda language, *what: languages[language](endpoint, program, fingerprint, *what)
            expected = []
            for writer in languages:
                names = [f"{writer}-{at}" for at in range(3)]
                run(writer, "write", *names)
                expected += [{"userId": "ada", "name": name, "secret": f"of {name}"} for name in names]
            expected.sort(key=lambda note: note["name"])
            first, second = expected[:2], expected[2:4]
            for reader in languages:
                assert run(reader, "read") == expected, f"{reader} reads what all wrote"
            for maker in languages:
                page = run(maker, "page")
                assert page["items"] == first
                for reader in languages:
                    assert run(reader, "page", page["cursor"])["items"] == second, f"{reader} goes on where {maker} ended"
        finally:
            server.terminate()
            server.wait()
    print(f"{', '.join(languages)}: each reads what each wrote, and goes on with the cursor of each")


main(*sys.argv[1:])
