"""A provider of text messages and pushes: it takes what has a telephone number or the address of an app.

    messenger.py PORT [--fail N]

POST /message  {kind, to, subject, text} -> {error?}: the extern effect of the designs. The first N messages are refused.
GET  /messages answers what was taken.
"""

import argparse
import json
import re
import threading

from service import serve


class Messenger:
    def __init__(self, options):
        self.left_to_fail = options.fail
        self.taken = []
        self.lock = threading.Lock()

    def answer(self, method, path, query, headers, body):
        if (method, path) == ("GET", "/messages"):
            return 200, {}, self.taken
        if (method, path) != ("POST", "/message"):
            return 404, {}, {"error": "there is nothing here"}
        message = json.loads(body)
        with self.lock:
            if self.left_to_fail > 0:
                self.left_to_fail -= 1
                return 200, {}, {"error": "the network is busy"}
            if message["kind"] == "sms" and not re.fullmatch(r"\+[1-9][0-9]{6,14}", message["to"]):
                return 200, {}, {"error": f"{message['to']!r} is not a telephone number"}
            self.taken.append(message)
        return 200, {}, {}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("port", type=int)
    parser.add_argument("--fail", type=int, default=0)
    options = parser.parse_args()
    serve("the messenger", options.port, Messenger(options).answer)
