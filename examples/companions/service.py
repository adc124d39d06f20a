"""Shared by the companion programs: an HTTP server on loopback that answers JSON and ends with its parent."""

import contextlib
import json
import os
import threading
import time
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def serve(name, port, answer):
    """Serves `answer(method, path, query, headers, body) -> (status, headers, json)` until the parent process ends."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def handle(self):
            # A client that was killed leaves its connection behind.
            with contextlib.suppress(ConnectionError):
                super().handle()

        def handle_any(self):
            length = int(self.headers.get("content-length") or 0)
            body = self.rfile.read(length)
            address = urllib.parse.urlsplit(self.path)
            query = dict(urllib.parse.parse_qsl(address.query))
            try:
                status, headers, result = answer(self.command, address.path, query, self.headers, body)
            except (KeyError, ValueError, TypeError) as error:
                status, headers, result = 400, {}, {"error": f"{type(error).__name__}: {error}"}
            text = b"" if result is None else json.dumps(result).encode()
            self.send_response(status)
            for header, value in headers.items():
                self.send_header(header, value)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST = do_PUT = do_DELETE = handle_any

        def log_message(self, *arguments):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", port), Handler)
    threading.Thread(target=end_with_parent, args=(os.getppid(),), daemon=True).start()
    print(f"{name} listens on http://127.0.0.1:{server.server_address[1]}", flush=True)
    server.serve_forever()


def end_with_parent(parent):
    """A companion that was left behind would keep its port."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(0)

