"""A provider of OAuth 2 with one client.

    oauth.py PORT [--client ID] [--secret SECRET] [--lifetime SECONDS]

GET  /authorize  consents for everybody, and sends the browser back with a code.
POST /token      gives tokens for a code (once, within a minute, for the same redirect_uri) or a refresh token (once: it rotates).
POST /revoke     ends a token and what came with it.
POST /introspect returns whether an access token is live.
"""

import argparse
import hmac
import secrets
import threading
import time
import urllib.parse

from service import serve


class Provider:
    def __init__(self, options):
        self.options = options
        self.lock = threading.Lock()
        self.codes = {}
        self.refresh = {}
        self.access = {}

    def authorize(self, query):
        if query["response_type"] != "code" or query["client_id"] != self.options.client:
            return 400, {}, {"error": "unauthorized_client"}
        code = secrets.token_urlsafe(16)
        self.codes[code] = (query["redirect_uri"], time.time() + 60)
        back = urllib.parse.urlencode({"code": code, "state": query["state"]})
        return 302, {"location": f"{query['redirect_uri']}?{back}"}, None

    def token(self, form):
        if form.get("client_id") != self.options.client or not hmac.compare_digest(form.get("client_secret", ""), self.options.secret):
            return 401, {}, {"error": "invalid_client"}
        refused = (400, {}, {"error": "invalid_grant"})
        if form["grant_type"] == "authorization_code":
            redirect, until = self.codes.pop(form["code"], (None, 0))
            if redirect is None or redirect != form["redirect_uri"] or time.time() > until:
                return refused
            family = secrets.token_hex(8)
        elif form["grant_type"] == "refresh_token":
            family = self.refresh.pop(form["refresh_token"], None)
            if family is None:
                return refused
        else:
            return 400, {}, {"error": "unsupported_grant_type"}
        access, refresh = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
        self.access[access] = (family, time.time() + self.options.lifetime)
        self.refresh[refresh] = family
        return 200, {}, {
            "access_token": access, "refresh_token": refresh, "token_type": "Bearer",
            "expires_in": self.options.lifetime, "scope": "read",
        }

    def revoke(self, form):
        family = self.access.get(form["token"], (self.refresh.get(form["token"]), 0))[0]
        self.access = {token: entry for token, entry in self.access.items() if entry[0] != family}
        self.refresh = {token: each for token, each in self.refresh.items() if each != family}
        return 200, {}, {}

    def introspect(self, form):
        family, until = self.access.get(form.get("token"), (None, 0))
        return 200, {}, {"active": family is not None and time.time() < until}

    def answer(self, method, path, query, headers, body):
        form = dict(urllib.parse.parse_qsl(body.decode()))
        with self.lock:
            if (method, path) == ("GET", "/authorize"):
                return self.authorize(query)
            if (method, path) == ("POST", "/token"):
                return self.token(form)
            if (method, path) == ("POST", "/revoke"):
                return self.revoke(form)
            if (method, path) == ("POST", "/introspect"):
                return self.introspect(form)
        return 404, {}, {"error": "there is nothing here"}


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("port", type=int)
    parser.add_argument("--client", default="example")
    parser.add_argument("--secret", default="example-secret")
    parser.add_argument("--lifetime", type=int, default=3_600)
    options = parser.parse_args()
    serve("the provider", options.port, Provider(options).answer)
