"""Follows the guides of the typed clients in empty directories, as a new user would, with what the packages install.

    SORTKEY_PACKAGES=target/packages python3 packaging/test_guides.py

Commands and files are those of the documents: a block of code behind a line that names a file in backticks is that file, and blocks of
`sh` are run. Requests go to `sortkey up` of the same design, which the environment names to the AWS SDKs.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = Path(os.environ.get("SORTKEY_PACKAGES", ROOT / "target/packages")).resolve()


# The workers that the guides give their turns.
RELAY = """design relay
defaults { billing on_demand  recovery 35d  encryption aws_owned }
table Parcels "parcels" { key (PK | SK)  index Due (lane | nextAt) project keys sparse  stream new_and_old_images }
entity Parcel in Parcels {
  PK = "PARCEL#{parcelId}"  SK = "PARCEL"  parcelId ulid = new
  phase  waiting | taken = waiting
  nextAt time(ms) = now when phase = waiting
  lane   int(0..3) := hash(parcelId) % 4 when phase = waiting
  states phase { waiting -> taken }
}
entity Day in Parcels { PK = "DAY"  SK = "DAY"  days int(0..) @counter }
pattern parcel = get Parcel by parcelId
system operation put = create Parcel
worker accept on create Parcel as p { upsert Day { days += 1 } }
worker deliver due Parcel as p by nextAt when phase = waiting lease 30s { update Parcel(...p) { phase: taken, nextAt: absent } }
worker tidy every "0 3 * * *" { upsert Day { days += 1 } }
"""


def blocks(document):
    """The blocks of code of a document: language, the file that the line before names, text."""
    text = (ROOT / "docs" / document).read_text()
    for found in re.finditer(r"(?P<before>[^\n]*)\n\n?```(?P<language>\w+)\n(?P<code>.*?)```", text, re.DOTALL):
        named = re.findall(r"`([\w./]+\.(?:sk|ts|py|rs))`", found["before"])
        yield found["language"], named[-1] if named else None, found["code"]


def files(document):
    return {name: code for _, name, code in blocks(document) if name}


def commands(document):
    return [code for language, _, code in blocks(document) if language == "sh"]


class Guide(unittest.TestCase):
    """An empty directory, and a server of the guide's design once it is there."""

    def setUp(self):
        self.folder = Path(tempfile.mkdtemp(prefix="sortkey-guide-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "SORTKEY_"))}
        self.environment["PACKAGES"] = str(PACKAGES)

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def run_shell(self, script, **more):
        done = subprocess.run(["bash", "-euc", script], cwd=self.folder, env={**self.environment, **more}, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, f"{script}\n{done.stdout}{done.stderr}")
        return done.stdout

    def serve(self, sortkey, design):
        server = subprocess.Popen([sortkey, "up", "--in-memory", "--port", "0", design], cwd=self.folder, env=self.environment,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.addCleanup(server.stdout.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.send_signal, signal.SIGTERM)
        said = ""
        for line in server.stdout:
            said += line
            if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                self.environment |= {
                    "AWS_ENDPOINT_URL": found[0], "AWS_REGION": "us-east-1", "AWS_DEFAULT_REGION": "us-east-1",
                    "AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local",
                }
                return
        self.fail(said)


@unittest.skipUnless(shutil.which("npm"), "no npm on this machine")
class TypeScript(Guide):
    def test_five_minutes_and_lambda(self):
        for name, text in files("typescript.md").items():
            self.write(name, text)
        self.run_shell(commands("typescript.md")[0])
        self.run_shell("npx sortkey generate typescript links.sk --out src/links --check")
        self.serve(self.folder / "node_modules/.bin/sortkey", "links.sk")
        compiler = "npx tsc --strict --target es2022 --module nodenext --types node --skipLibCheck"
        self.run_shell(f"{compiler} --outDir out src/main.ts")
        said = self.run_shell("node --no-warnings out/main.js").splitlines()
        self.assertRegex(said[0], r"^lnk_[\w-]{12} An example$")
        self.assertEqual(said[1:], ["1 undefined", "undefined"])
        self.run_shell("npm install --no-audit --no-fund --save-dev vitest@3")
        self.assertIn("1 passed", self.run_shell("npx vitest run --reporter=dot 2>&1"))
        handler, change, workers = [code for language, _, code in blocks("lambda.md") if language == "ts"]
        self.write("src/handler.ts", handler)
        self.run_shell(commands("lambda.md")[0])
        script = """
            const { handler } = require("./dist/handler.js");
            handler({ requestContext: { authorizer: { userId: "ada" } } }).then(({ statusCode, body }) =>
              console.log(statusCode, JSON.parse(body).items.length));"""
        self.write("call.cjs", script)
        # The folder is one of ES modules, and a function's is not.
        self.write("dist/package.json", "{}")
        self.assertEqual(self.run_shell("node --no-warnings call.cjs").strip(), "200 1")
        self.streams(change, compiler)
        self.write("relay.sk", RELAY)
        self.run_shell("npx sortkey generate typescript relay.sk --out src/relay")
        opened = 'import { DynamoDBClient } from "@aws-sdk/client-dynamodb";\nimport { relay } from "./relay/index.js";\n'
        self.write("src/workers.ts", f"{opened}const db = relay({{ client: new DynamoDBClient({{}}) }});\n{workers}")
        self.run_shell(f"{compiler} --outDir out src/workers.ts")

    def streams(self, change, compiler):
        """The handler of changes, of a design with the stream that the guide asks for."""
        design = (self.folder / "links.sk").read_text().replace("key (PK | SK)", "key (PK | SK)  stream new_and_old_images")
        self.write("links.sk", design)
        self.run_shell("npx sortkey generate typescript links.sk --out src/links")
        opened = 'import { DynamoDBClient } from "@aws-sdk/client-dynamodb";\nimport { linksClient } from "./links/index.js";\n'
        self.write("src/change.ts", f"{opened}const db = linksClient({{ client: new DynamoDBClient({{}}) }});\n{change}")
        self.run_shell("npm install --no-audit --no-fund --save-dev @types/aws-lambda")
        self.run_shell(f"{compiler} --outDir out src/change.ts")


class Python(Guide):
    def test_five_minutes(self):
        self.write("notes.sk", files("python.md")["notes.sk"])
        install, generate = commands("python.md")[:2]
        self.run_shell(install.replace("python3 -m venv", f"{sys.executable} -m venv"))
        self.environment["PATH"] = f"{self.folder / 'venv/bin'}:{self.environment['PATH']}"
        self.run_shell(generate)
        self.run_shell(generate.strip() + " --check")
        self.serve(self.folder / "venv/bin/sortkey", "notes.sk")
        calls, workers, test, by_name = [code for language, _, code in blocks("python.md") if language == "python"]
        self.write("calls.py", calls)
        said = self.run_shell("python calls.py").splitlines()
        self.assertRegex(said[0], r"^\w{26} remember the milk$")
        self.assertEqual(said[1:], ["remember the milk"])
        self.write("test_notes.py", test)
        self.assertIn("1 passed", self.run_shell("python -m pytest -q"))
        self.write("relay.sk", RELAY)
        self.run_shell("sortkey generate python relay.sk --out app/relay")
        opened = "import time\nimport boto3\nfrom app.relay import Relay\nlinks = Relay(boto3.client('dynamodb'))\n"
        self.write("workers.py", f"{opened}\n{workers}\nprint(on_records({{'Records': []}}, None))\n")
        self.assertEqual(self.run_shell("python workers.py").strip(), "{'batchItemFailures': []}")
        self.run_shell("sortkey check --emit notes.json notes.sk")
        self.write("by_name.py", f"import boto3\nimport sortkey\n{by_name}")
        self.run_shell("python by_name.py")


class Deploying(Guide):
    def test_every_target_has_the_same_folder(self):
        with tarfile.open(next(PACKAGES.glob("sortkey-*.tar.gz"))) as archive:
            archive.extractall(self.folder, filter="data")
        self.environment["PATH"] = f"{next(self.folder.glob('sortkey-*/sortkey')).parent}:{self.environment['PATH']}"
        self.write("links.sk", files("typescript.md")["links.sk"])
        languages = {}
        for language, _, code in blocks("deploying.md"):
            languages.setdefault(language, []).append(code)
        self.write("deploy.toml", languages["toml"][0])
        commands = [line.removeprefix("$ ") for line in languages["console"][0].splitlines()]
        generate = [command for command in commands if "generate" in command]
        self.assertEqual(len(generate), 4)
        for command in generate:
            self.run_shell(command)
        for command in generate:
            self.run_shell(f"{command} --check")
        found = sorted(str(path.relative_to(self.folder)) for name in ["infra", "lib"] for path in (self.folder / name).iterdir())
        self.assertEqual(found, ["infra/iam.json", "infra/sortkey.tf", "infra/template.json", "lib/links-tables.ts"])
        self.serve("sortkey", "links.sk")
        drift = commands[-1].replace("https://dynamodb.eu-west-1.amazonaws.com", self.environment["AWS_ENDPOINT_URL"])
        done = subprocess.run(["bash", "-c", drift], cwd=self.folder, env=self.environment, capture_output=True, text=True)
        # The server has the tables of no stage.
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("prod-links", done.stdout)


if __name__ == "__main__":
    unittest.main()
