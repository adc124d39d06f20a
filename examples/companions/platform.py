"""A platform to back up: contacts, orders and products, page by page.

    platform.py PORT [--records N] [--page N] [--per-second N] [--fail-page N] [--introspect URL]

GET /v1/{type}?cursor=&updated_since= answers a page of records. Above the rate it answers 429 with Retry-After; the page that
--fail-page names fails once for each kind of data; with --introspect, a token counts if that provider confirms it.

POST /fetchPage is the extern effect of the designs: the same pages, one kind of data after the other.
"""

import argparse
import json
import threading
import time
import urllib.parse
import urllib.request

from service import serve

KINDS = ("contacts", "orders", "products")


class Platform:
    def __init__(self, options):
        self.options = options
        self.lock = threading.Lock()
        self.window = [0, 0]
        self.failed = set()
        self.start = int(time.time())

    def records(self, kind):
        """Equal ones every time; one in ten has changed since the platform started."""
        for number in range(self.options.records):
            yield {
                "id": f"{kind}-{number}",
                "name": f"{kind[:-1].title()} {number}",
                "updatedAt": self.start if number % 10 == 0 else self.start - 86_400,
            }

    def is_over_rate(self):
        with self.lock:
            second = int(time.time())
            if self.window[0] != second:
                self.window = [second, 0]
            self.window[1] += 1
            return self.window[1] > self.options.per_second

    def is_known(self, token):
        if not self.options.introspect:
            return True
        form = urllib.parse.urlencode({"token": token or ""}).encode()
        with urllib.request.urlopen(self.options.introspect, form, timeout=5) as answer:
            return json.load(answer)["active"]

    def page(self, kind, cursor, since, token):
        """A status, headers and a page."""
        if kind not in KINDS:
            return 404, {}, {"error": f"there are no {kind}"}
        if not self.is_known(token):
            return 401, {}, {"error": "the token is not valid"}
        if self.is_over_rate():
            return 429, {"retry-after": "1"}, {"error": "too many requests"}
        begin = int(cursor or 0)
        number = begin // self.options.page
        with self.lock:
            if number == self.options.fail_page and kind not in self.failed:
                self.failed.add(kind)
                return 500, {}, {"error": "the platform is out of order"}
        wanted = [each for each in self.records(kind) if each["updatedAt"] >= since]
        items = wanted[begin : begin + self.options.page]
        after = begin + len(items)
        return 200, {}, {"items": items, "total": len(wanted), "next": str(after) if after < len(wanted) else None}

    def fetch_page(self, arguments):
        """One page of the first kind of data that is not done: a cursor is `kind:place`."""
        kinds = sorted(arguments["dataTypes"])
        kind, _, place = (arguments.get("cursor") or f"{kinds[0]}:0").partition(":")
        since = seconds(arguments.get("since") or (arguments.get("filters") or {}).get("since"))
        status, headers, page = self.page(kind, place, since, arguments.get("token"))
        if status != 200:
            wait = {"retryAfterMs": int(headers["retry-after"]) * 1_000} if "retry-after" in headers else {}
            return {"status": status, "error": page["error"], **wait}
        rest = kinds[kinds.index(kind) + 1 :]
        following = f"{kind}:{page['next']}" if page["next"] else (f"{rest[0]}:0" if rest else None)
        result = {"status": 200, "dataType": kind, "records": len(page["items"]), "body": json.dumps(page["items"])}
        result["total"] = page["total"] * len(kinds)
        return {**result, "next": following} if following else result

    def answer(self, method, path, query, headers, body):
        if path == "/fetchPage" and method == "POST":
            return 200, {}, self.fetch_page(json.loads(body))
        if path.startswith("/v1/") and method == "GET":
            token = (headers.get("authorization") or "").removeprefix("Bearer ")
            return self.page(path.removeprefix("/v1/"), query.get("cursor"), seconds(query.get("updated_since")), token)
        return 404, {}, {"error": "there is nothing here"}


def seconds(text):
    """A time in seconds, or as ISO 8601."""
    if text is None:
        return 0
    if isinstance(text, (int, float)) or text.isdigit():
        return int(text)
    return int(time.mktime(time.strptime(text[:19] + "UTC", "%Y-%m-%dT%H:%M:%SUTC")) - time.timezone)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("port", type=int)
    parser.add_argument("--records", type=int, default=120)
    parser.add_argument("--page", type=int, default=50)
    parser.add_argument("--per-second", type=int, default=1_000)
    parser.add_argument("--fail-page", type=int, default=-1)
    parser.add_argument("--introspect")
    options = parser.parse_args()
    serve("the platform", options.port, Platform(options).answer)
