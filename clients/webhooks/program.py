"""The example `webhooks` of sortkey-functions as a process: a request per line in, an answer per line out."""

import base64
import json
import os
import subprocess


class Program:
    def __init__(self):
        self.process = subprocess.Popen(
            [os.environ["SORTKEY_WEBHOOKS_BIN"]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def ask(self, **request):
        request["body"] = base64.b64encode(request["body"]).decode()
        print(json.dumps(request), file=self.process.stdin, flush=True)
        answer = json.loads(self.process.stdout.readline())
        assert "error" not in answer or "verified" in answer, answer
        return answer

    def close(self):
        self.process.stdin.close()
        assert self.process.wait(timeout=10) == 0
