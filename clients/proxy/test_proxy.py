"""F-61: `up --api-keys` on loopback left the DynamoDB API and `/_sortkey` open, so that behind a reverse proxy on the same
machine a stranger downloaded a backup of all tenants."""

import contextlib
import http.client
import os
import pathlib
import re
import socket
import subprocess
import tempfile
import time
import unittest

DESIGN = """
design notes
caller { userId string(1..20) }
table Notes "notes" { key (userId | noteId) }
entity Note in Notes {
  userId string(1..20)
  noteId id("note_", nanoid 8) = new
  text   string(1..100)
  tenant userId
}
pattern listNotes = list Note by userId page 10
operation createNote = create Note
"""

SIGNED = {
    "Content-Type": "application/x-amz-json-1.0",
    "X-Amz-Target": "DynamoDB_20120810.ListTables",
    "X-Amz-Date": "20261115T123600Z",
    "Authorization": "AWS4-HMAC-SHA256 Credential=AKID/20261115/us-east-1/dynamodb/aws4_request, "
    "SignedHeaders=host, Signature=abc",
}

NGINX = """
daemon off; master_process off; pid {folder}/nginx.pid; error_log {folder}/error.log;
events {{ worker_connections 64; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body; proxy_temp_path {folder}/proxy; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  server {{ listen 127.0.0.1:{bare};
            location / {{ proxy_pass http://127.0.0.1:{target}; }} }}
  server {{ listen 127.0.0.1:{forwarding};
            location / {{ proxy_pass http://127.0.0.1:{target}; proxy_set_header Host $host; }} }}
  server {{ listen 127.0.0.1:{naming};
            location / {{ proxy_pass http://127.0.0.1:{target};
                          proxy_set_header X-Forwarded-For 203.0.113.7; }} }}
}}
"""


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def ask(port, method, path, headers=None, body=None):
    """The answers to a stranger who uses the public name."""
    with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        connection.request(method, path, body, {"Host": "shop.example", **(headers or {})})
        answer = connection.getresponse()
        return answer.status, answer.read()


class Behind:
    """A server, and an nginx in front of it that publishes it in three ways."""

    def __init__(self, folder, *arguments):
        self.server = subprocess.Popen(
            [os.environ["SORTKEY_BIN"], *arguments, "--port", "0"], stdout=subprocess.PIPE, text=True, cwd=folder
        )
        # The line is preceded by what was done to the tables.
        found = (re.search(r"listening on http://.*:(\d+)$", line.strip()) for line in self.server.stdout)
        self.target = int(next(filter(None, found))[1])
        ports = {"bare": free_port(), "forwarding": free_port(), "naming": free_port()}
        self.ports = ports
        configuration = pathlib.Path(folder, "nginx.conf")
        configuration.write_text(NGINX.format(folder=folder, target=self.target, **ports))
        self.nginx = subprocess.Popen(["/usr/sbin/nginx", "-c", str(configuration), "-p", folder])
        for port in ports.values():
            for _ in range(200):
                with socket.socket() as probe:
                    if probe.connect_ex(("127.0.0.1", port)) == 0:
                        break
                time.sleep(0.05)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process in (self.nginx, self.server):
            process.terminate()
            process.wait()
        self.server.stdout.close()


class Proxy(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    def key(self, name, *arguments):
        command = [os.environ["SORTKEY_BIN"], "keys", "create", name, "--file", "keys.json", *arguments]
        made = subprocess.run(command, cwd=self.folder, check=True, capture_output=True, text=True)
        return {"Authorization": f"Bearer {made.stdout.strip()}"}

    def test_keys_close_every_entry_point(self):
        pathlib.Path(self.folder, "notes.sk").write_text(DESIGN)
        admin = self.key("admin", "--admin")
        bound = self.key("ann", "--caller", '{"userId": "ann"}')
        with Behind(self.folder, "up", "notes.sk", "--api-keys", "keys.json") as behind:
            for way, port in [*behind.ports.items(), ("direct", behind.target)]:
                for path in ["/_sortkey", "/_sortkey/backup", "/_sortkey/clock", "/metrics", "/docs", "/openapi.json"]:
                    for credential in ({}, bound, {"Authorization": "Bearer sortkey_guess"}):
                        status, _ = ask(port, "GET", path, credential)
                        self.assertIn(status, (401, 403), f"{way} {path} {credential}")
                status, body = ask(port, "POST", "/", SIGNED, "{}")
                self.assertEqual(status, 400, f"{way} {body}")
                self.assertIn(b"AccessDeniedException", body)
                self.assertEqual(ask(port, "POST", "/api/createNote", {}, '{"text": "x"}')[0], 401, way)
                self.assertEqual(ask(port, "GET", "/ready"), (200, b"ready\n"), way)
                self.assertEqual(ask(port, "GET", "/metrics", admin)[0], 200, way)
            # A proxy that names its client is not this machine, even for an administrator.
            self.assertEqual(ask(behind.ports["bare"], "GET", "/_sortkey/clock", admin)[0], 200)
            self.assertEqual(ask(behind.ports["naming"], "GET", "/_sortkey/clock", admin)[0], 403)

    def test_a_server_without_credentials_notices_the_proxies_it_can(self):
        with Behind(self.folder, "serve", "--in-memory") as behind:
            for way, refused in [("forwarding", 403), ("naming", 403), ("bare", None)]:
                port = behind.ports[way]
                for path in ["/_sortkey", "/metrics"]:
                    if refused:
                        self.assertEqual(ask(port, "GET", path)[0], refused, f"{way} {path}")
                if refused:
                    self.assertEqual(ask(port, "POST", "/", SIGNED, "{}")[0], refused, way)
            self.assertEqual(ask(behind.target, "POST", "/", {**SIGNED, "Host": "localhost"}, "{}")[0], 200)


if __name__ == "__main__":
    unittest.main()
