"""Installs every package into an empty directory and uses what is installed there.

    python3 packaging/test_packages.py                     packs the debug binary first
    SORTKEY_PACKAGES=target/packages python3 packaging/test_packages.py    tests packages that exist
"""

import gzip
import hashlib
import io
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import textwrap
import time
import unittest
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import checksums  # noqa: E402
import project  # noqa: E402

def packages():
    """The directory of packages: given, or packed here from the debug binary."""
    given = os.environ.get("SORTKEY_PACKAGES")
    if given:
        return Path(given).resolve()
    out = Path(tempfile.mkdtemp(prefix="sortkey-packages-"))
    unittest.addModuleCleanup(shutil.rmtree, out)
    binary = out / "stripped"
    built = os.environ.get("SORTKEY_BIN", project.ROOT / "target/debug/sortkey")
    # A debug binary has a hundred megabytes of symbols, which would only be compressed again and again.
    subprocess.run(["strip", "-o", binary, built], check=True)
    # The tests of the workspace have built the extension module beside the binary.
    library, module = Path(built).resolve().parent / "deps/libsortkey_native.so", out / "module"
    given = []
    if library.exists():
        subprocess.run(["strip", "-o", module, library], check=True)
        given = ["--extension", module]
    subprocess.run([project.ROOT / "release.sh", "--snapshot", "--binary", binary, *given, "--out", out / "packages"], check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    # The installed package must be found where it was installed.
    os.environ.pop("SORTKEY_BIN", None)
    return out / "packages"


def setUpModule():
    global PACKAGES, VERSION
    PACKAGES = packages()
    VERSION = project.read().version


def package(pattern):
    [found] = PACKAGES.glob(pattern)
    return found


def run(*command, **options):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


class Prefix(unittest.TestCase):
    """A directory for one package."""

    def setUp(self):
        self.directory = Path(tempfile.mkdtemp(prefix="sortkey-install-"))
        self.addCleanup(shutil.rmtree, self.directory)

    def use(self, *command):
        """Version, check, and a server that answers, with nothing of this repository but the installed program."""
        self.assertEqual(run(*command, "--version").strip(), f"sortkey {VERSION}")
        run(*command, "init", "links", cwd=self.directory)
        folder = self.directory / "links"
        self.assertIn("1 design: 0 errors", run(*command, "check", cwd=folder))
        process, address = serve(command, folder)
        self.assertEqual(list_tables(address), {"TableNames": []})
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)

    def survives_nothing(self, *command):
        """When the process that was started is killed, no process of it is left."""
        process, address = serve(command, self.directory)
        process.kill()
        process.wait()
        process.stdout.close()
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline:
            try:
                list_tables(address)
            except OSError:
                return
            time.sleep(0.1)
        # The group still exists if anything in it does.
        os.killpg(process.pid, signal.SIGKILL)
        self.fail(f"{command} left a server behind at {address}")


def serve(command, folder):
    process = subprocess.Popen([*map(str, command), "serve", "--in-memory", "--port", "0"], cwd=folder, text=True,
                               stdout=subprocess.PIPE, start_new_session=True)
    line = process.stdout.readline()
    assert line.startswith("sortkey is listening on http://"), line
    return process, line.split()[-1]


def list_tables(address):
    request = urllib.request.Request(address + "/", b"{}", {
        "X-Amz-Target": "DynamoDB_20120810.ListTables",
        "Content-Type": "application/x-amz-json-1.0",
        "Authorization": "AWS4-HMAC-SHA256 Credential=any/20260101/us-east-1/dynamodb/aws4_request, "
                         "SignedHeaders=host, Signature=0",
        "X-Amz-Date": "20260101T000000Z",
    })
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


class Tarball(Prefix):
    def test_unpacked(self):
        with tarfile.open(package("sortkey-*.tar.gz")) as archive:
            archive.extractall(self.directory, filter="data")
        [folder] = self.directory.iterdir()
        self.assertLessEqual({"LICENSE", "NOTICE", "README.md", "completions"}, {file.name for file in folder.iterdir()})
        self.use(folder / "sortkey")
        self.survives_nothing(folder / "sortkey")


class Deb(Prefix):
    @unittest.skipUnless(shutil.which("dpkg"), "no dpkg on this machine")
    def test_installed(self):
        deb = package("*.deb")
        fields = run("dpkg-deb", "--field", deb)
        self.assertIn(f"Version: {VERSION}\n", fields)
        root = self.directory / "root"
        (root / "var/lib/dpkg/updates").mkdir(parents=True)
        for name in ["status", "available"]:
            (root / "var/lib/dpkg" / name).touch()
        (root / "var/lib/dpkg/info").mkdir()
        run("dpkg", "--root", root, "--force-not-root", "--log", self.directory / "log", "--install", deb)
        self.assertIn("Status: install ok installed", run("dpkg", "--root", root, "--status", "sortkey"))
        self.assertTrue((root / "usr/share/doc/sortkey/copyright").exists())
        self.use(root / "usr/bin/sortkey")


class Oci(Prefix):
    def test_layout(self):
        blobs = {}
        with tarfile.open(package("*-oci.tar")) as archive:
            for member in archive:
                if member.isfile():
                    blobs[member.name] = archive.extractfile(member).read()
        self.assertEqual(json.loads(blobs["oci-layout"]), {"imageLayoutVersion": "1.0.0"})
        [entry] = json.loads(blobs["index.json"])["manifests"]
        manifest = json.loads(self.blob(blobs, entry))
        config = json.loads(self.blob(blobs, manifest["config"]))
        [layer] = [self.blob(blobs, layer) for layer in manifest["layers"]]
        unpacked = gzip.decompress(layer)
        self.assertEqual(config["rootfs"]["diff_ids"], ["sha256:" + hashlib.sha256(unpacked).hexdigest()])
        with tarfile.open(fileobj=io.BytesIO(unpacked)) as archive:
            self.assertEqual(archive.getmember("data").uid, 65532)
            archive.extractall(self.directory, filter="data")
        [entrypoint] = config["config"]["Entrypoint"]
        self.use(self.directory / entrypoint.lstrip("/"))
        self.in_its_own_root(entrypoint)

    def blob(self, blobs, descriptor):
        contents = blobs["blobs/" + descriptor["digest"].replace(":", "/")]
        self.assertEqual("sha256:" + hashlib.sha256(contents).hexdigest(), descriptor["digest"])
        self.assertEqual(len(contents), descriptor["size"])
        return contents

    def in_its_own_root(self, entrypoint):
        """The image has no C library, so only a static binary runs in it, and only root can enter it."""
        described = subprocess.run(["ldd", self.directory / entrypoint.lstrip("/")], capture_output=True, text=True)
        static = "statically linked" in described.stdout or described.returncode != 0
        if static and os.geteuid() == 0:
            self.assertEqual(run("chroot", self.directory, entrypoint, "--version").strip(), f"sortkey {VERSION}")


class Npm(Prefix):
    @unittest.skipUnless(shutil.which("npm"), "no npm on this machine")
    def test_installed(self):
        run("npm", "init", "--yes", cwd=self.directory)
        run("npm", "install", "--offline", "--no-audit", "--no-fund", package("sortkey-cli-linux-x64-*.tgz"),
            package("sortkey-cli-[0-9]*.tgz"), cwd=self.directory)
        launcher = self.directory / "node_modules/.bin/sortkey"
        self.use(launcher)
        self.survives_nothing(launcher)
        self.assertEqual(run("npx", "--offline", "sortkey", "--version", cwd=self.directory).strip(), f"sortkey {VERSION}")
        path = run("node", "-p", "require('sortkey-cli').binary()", cwd=self.directory).strip()
        self.assertEqual(run(path, "--version").strip(), f"sortkey {VERSION}")

    @unittest.skipUnless(shutil.which("npm"), "no npm on this machine")
    def test_client(self):
        run("npm", "init", "--yes", cwd=self.directory)
        run("npm", "install", "--offline", "--legacy-peer-deps", "--no-audit", "--no-fund", package("sortkey-[0-9]*.tgz"),
            cwd=self.directory)
        # Stands for the AWS SDK, which every application has.
        sdk = self.directory / "node_modules/@aws-sdk/client-dynamodb"
        sdk.mkdir(parents=True)
        names = ["BatchGetItem", "BatchWriteItem", "DeleteItem", "GetItem", "PutItem", "Query", "Scan", "TransactGetItems",
                 "TransactWriteItems", "UpdateItem"]
        (sdk / "package.json").write_text('{"name": "@aws-sdk/client-dynamodb", "type": "module", "main": "index.js"}')
        (sdk / "index.js").write_text("".join(f"export class {name}Command {{}}\n" for name in names))
        script = """
            import { OldProgram, open } from "sortkey";
            const program = { protocol: 1, name: "x", fingerprint: "0".repeat(64), text: '{"format":"sortkey-program","version":0}' };
            await open(program, {}, { client: { send() {} } }).ready().catch((error) => console.log(error instanceof OldProgram));"""
        self.assertEqual(run("node", "--input-type=module", "--eval", script, cwd=self.directory).strip(), "true")

    @unittest.skipUnless(shutil.which("npm"), "no npm on this machine")
    def test_without_the_binary(self):
        run("npm", "init", "--yes", cwd=self.directory)
        run("npm", "install", "--offline", "--omit=optional", "--no-audit", "--no-fund", package("sortkey-cli-[0-9]*.tgz"),
            cwd=self.directory)
        done = subprocess.run([self.directory / "node_modules/.bin/sortkey", "--version"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "error: the package sortkey-cli-linux-x64 is missing; "
                                      "install sortkey-cli without --omit=optional\n")


class Wheel(Prefix):
    def test_installed(self):
        run(sys.executable, "-m", "venv", "--without-pip", self.directory / "venv")
        python = self.directory / "venv/bin/python"
        run(sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "--disable-pip-version-check",
            package("sortkey_cli-*.whl"))
        self.use(self.directory / "venv/bin/sortkey")
        self.assertEqual(run(python, "-m", "sortkey_cli", "--version").strip(), f"sortkey {VERSION}")
        self.survives_nothing(python, "-m", "sortkey_cli")
        self.assertEqual(run(python, "-c", "import sortkey_cli; print(sortkey_cli.binary())").strip(),
                         str(self.directory / "venv/bin/sortkey"))


DESIGN = """design notes
table Notes "notes" { key (userId | noteId) }
caller { userId slug }
entity Note in Notes { userId slug = caller.userId  noteId ulid = new  words string(1..200)  tenant userId }
operation write = create Note
pattern notes = list Note by userId page 20
"""


class WheelClient(Prefix):
    """The generated client of a design on what pip installed, without boto3 and without a `sortkey` process."""

    def test_installed(self):
        run(sys.executable, "-m", "venv", "--without-pip", self.directory / "venv")
        python = self.directory / "venv/bin/python"
        run(sys.executable, "-m", "pip", "--python", python, "install", "--no-index", "--disable-pip-version-check",
            package("sortkey_cli-*.whl"), package("sortkey-*.whl"))
        (self.directory / "notes.sk").write_text(DESIGN)
        run(self.directory / "venv/bin/sortkey", "generate", "python", "notes.sk", "--out", "notes", cwd=self.directory)
        script = """
            from sortkey.testing import Database
            from notes import Notes
            with Database.of("notes.sk").fork() as database:
                notes = database.client(Notes, caller={"userId": "ada"})
                notes.write(words="milk")
                print([each.words for each in notes.notes(user_id="ada")])"""
        said = run(python, "-c", textwrap.dedent(script), cwd=self.directory)
        self.assertEqual(said.strip(), "['milk']")
        described = run(sys.executable, "-m", "pip", "--python", python, "show", "--verbose", "sortkey")
        self.assertIn(f"Version: {VERSION}\n", described)
        self.assertIn("sortkey = sortkey.pytest_plugin", described)


class Lists(unittest.TestCase):
    def test_checksums_cover_every_package(self):
        lines = (PACKAGES / "SHA256SUMS").read_text().splitlines()
        listed = {name: digest for digest, name in (line.split("  ") for line in lines)}
        present = {file.name for file in PACKAGES.iterdir()} - {"SHA256SUMS", "SHA256SUMS.sig"}
        self.assertEqual(set(listed), present)
        for name, digest in listed.items():
            self.assertEqual(hashlib.sha256((PACKAGES / name).read_bytes()).hexdigest(), digest, name)

    def test_the_sbom_lists_what_notice_lists(self):
        bill = json.loads(package("*.cdx.json").read_bytes())
        components = bill["components"]
        third_party = {component["name"] for component in components if not component["name"].startswith("sortkey")}
        notice = (project.ROOT / "NOTICE").read_text()
        noticed = {word for line in notice.splitlines() if line.startswith("  ") for word in line.split()}
        # NOTICE also lists macros, whose output is in the binary.
        self.assertLessEqual(third_party, noticed)
        self.assertGreater(len(third_party), 100)
        for component in components:
            if component["name"] in third_party:
                self.assertRegex(component["hashes"][0]["content"], "^[0-9a-f]{64}$", component["name"])
        references = {component["bom-ref"] for component in components} | {bill["metadata"]["component"]["bom-ref"]}
        for entry in bill["dependencies"]:
            self.assertLessEqual({entry["ref"], *entry["dependsOn"]}, references)

    def test_packing_twice_gives_the_same_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            again = Path(folder) / "again"
            with tarfile.open(package("sortkey-*.tar.gz")) as archive:
                archive.extractall(folder, filter="data")
            [binary] = Path(folder).glob("*/sortkey")
            run(project.ROOT / "release.sh", "--snapshot", "--binary", binary, "--out", again, "--formats", "npm", "wheel")
            if os.environ.get("SORTKEY_PACKAGES"):
                self.skipTest("packages of a release are compressed harder than a snapshot's")
            for file in again.glob("*.[tw][gh]*"):
                self.assertEqual(file.read_bytes(), (PACKAGES / file.name).read_bytes(), file.name)


@unittest.skipUnless(shutil.which("ssh-keygen"), "no ssh-keygen on this machine")
class Signature(Prefix):
    def test_checksums_are_signed_and_the_signature_is_of_them(self):
        key, signers = self.directory / "key", self.directory / "signers"
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "release", "-f", key)
        signers.write_text(f"releases@sortkey {(self.directory / 'key.pub').read_text()}")
        package = self.directory / "sortkey-1.0.0.tar.gz"
        package.write_bytes(b"packed")
        os.environ["SORTKEY_SIGNING_KEY"] = str(key)
        self.addCleanup(os.environ.pop, "SORTKEY_SIGNING_KEY")
        sums, signature = checksums.write(self.directory, [package])
        verify = ["ssh-keygen", "-Y", "verify", "-f", signers, "-I", "releases@sortkey", "-n", "sortkey-release", "-s", signature]
        self.assertIn("Good", run(*verify, input=sums.read_text()))
        run("sha256sum", "--check", "--quiet", "SHA256SUMS", cwd=self.directory)
        refused = subprocess.run([str(word) for word in verify], input="0" * 64 + "  other\n", capture_output=True, text=True)
        self.assertNotEqual(refused.returncode, 0)


class Versions(unittest.TestCase):
    """Commits that `./release.sh --check` refuses, and the notes that `--notes` prints."""

    def test_notes(self):
        changelog = "# Changelog\n\n## Unreleased\n\n- Soon\n\n## 0.2.0 - 2027-01-15\n\n### Added\n\n- This\n\n## 0.1.0 - 2026-12-01\n\n- That\n"
        self.assertEqual(project.notes(changelog, "0.2.0"), "### Added\n\n- This\n")
        self.assertEqual(project.notes(changelog, "0.1.0"), "- That\n")
        self.assertEqual(project.notes(changelog, "0.3.0"), "- Soon\n")

    def test_changelog(self):
        release = project.Release("0.2.0", 1_800_000_000, "commit")
        self.assertEqual(release.date, "2027-01-15")
        accepted = "# Changelog\n\n## Unreleased\n\n## 0.2.0 - 2027-01-15\n\n- Added\n\n## 0.1.0 - 2026-12-01\n"
        self.assertEqual(project.changelog_problems(accepted, release), [])
        refused = {
            "# Changelog\n\n## Unreleased\n\n- Added\n":
                "CHANGELOG.md has changes under Unreleased; move them to '## 0.2.0 - 2027-01-15'",
            "# Changelog\n\n## 0.1.0 - 2026-12-01\n":
                "the newest section of CHANGELOG.md is 0.1.0, but Cargo.toml has 0.2.0",
            "# Changelog\n\n## 0.2.0\n":
                "the newest section of CHANGELOG.md is not '## 0.2.0 - 2027-01-15'",
            "# Changelog\n\n## 0.2.0 - 2027-01-16\n":
                "CHANGELOG.md dates 0.2.0 2027-01-16, after its commit of 2027-01-15",
            "# Changelog\n\n## 0.2.0 - 2027-13-16\n":
                "CHANGELOG.md: 2027-13-16 is not a date",
        }
        for changelog, problem in refused.items():
            self.assertEqual(project.changelog_problems(changelog, release), [problem])


if __name__ == "__main__":
    unittest.main()
