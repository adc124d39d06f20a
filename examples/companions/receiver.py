"""A receiver of webhooks that checks their signatures.

    receiver.py PORT SECRET [--fail N]

POST /hook  verifies webhook-id, webhook-timestamp and webhook-signature (Standard Webhooks, HMAC-SHA-256). The first N requests
            are answered with 503 and Retry-After.
GET  /log   answers what came: {id, type, verified, status}.
"""

import argparse
import base64
import hashlib
import hmac
import json
import threading
import time

from service import serve


class Receiver:
    def __init__(self, options):
        self.key = base64.b64decode(options.secret.removeprefix("whsec_"))
        self.left_to_fail = options.fail
        self.log = []
        self.lock = threading.Lock()

    def is_signed(self, headers, body):
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        expected = "v1," + base64.b64encode(hmac.new(self.key, signed, hashlib.sha256).digest()).decode()
        given = (headers["webhook-signature"] or "").split()
        is_recent = abs(time.time() - int(headers["webhook-timestamp"])) < 300
        return is_recent and any(hmac.compare_digest(expected, each) for each in given)

    def answer(self, method, path, query, headers, body):
        if method == "GET" and path == "/log":
            return 200, {}, self.log
        with self.lock:
            is_verified = self.is_signed(headers, body)
            status = 401 if not is_verified else 503 if self.left_to_fail > 0 else 200
            self.left_to_fail -= 1
            self.log.append({"id": headers["webhook-id"], "type": json.loads(body)["type"], "verified": is_verified, "status": status})
        return status, {"retry-after": "1"} if status == 503 else {}, {}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("port", type=int)
    parser.add_argument("secret")
    parser.add_argument("--fail", type=int, default=0)
    options = parser.parse_args()
    serve("the receiver", options.port, Receiver(options).answer)
