"""The Core service at work: a company signs up, connects a platform, and is backed up by a schedule."""

import base64
import hashlib
import hmac
import re
import struct
import sys
import time
import urllib.parse
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "companions"))
from stage import ROOT, Stage, ensure, http, show, until  # noqa: E402

SECRET = "whsec_" + base64.b64encode(b"a secret of the receiver").decode()
LIMITS = {
    "apiCallsPerMonth": 10, "storageGB": 1, "users": 3, "sources": 2, "syncFrequency": "hourly",
    "dataRetentionDays": 90, "webhooks": 1, "customDomains": 1,
}


def totp(secret, now):
    digest = hmac.new(base64.b32decode(secret), struct.pack(">Q", int(now) // 30), hashlib.sha1).digest()
    place = digest[-1] & 15
    return f"{(struct.unpack('>I', digest[place:place + 4])[0] & 0x7FFFFFFF) % 1_000_000:06}"


def main():
    with Stage() as stage:
        provider = stage.companion("oauth", "--client", "core-service", "--secret", "s3cret", "--lifetime", "6")
        platform = stage.companion(
            "platform", "--records", "120", "--page", "50", "--per-second", "3", "--fail-page", "1", "--introspect", f"{provider}/introspect"
        )
        store = stage.companion("store", str(stage.folder / "store"))
        receiver = stage.companion("receiver", SECRET, "--fail", "1")
        outside = [
            "--set", f"oauthUrl={provider}", "--set", "oauthSecret=s3cret", "--extern", f"fetchPage={platform}/fetchPage",
            "--extern", f"putObject={store}/putObject", "--extern", f"deleteObjects={store}/deleteObjects",
        ]
        show("Tables begin on demand and are switched to provisioned units when the load is known.")
        design = (ROOT / "systems/core-service/core-service.sk").read_text()
        on_demand = stage.folder / "core-service.sk"
        on_demand.write_text(re.sub(r"provisioned \d+ rcu \d+ wcu", "on_demand", re.sub(r"(index .*) provisioned \d+ rcu \d+ wcu", r"\1", design)))
        before = stage.system(on_demand, *outside)
        ensure(stage.billing("sync_schedules") == (0, 0), "schedules are billed by request")
        before.terminate()
        before.wait()
        stage.system("core-service/core-service.sk", *outside)
        ensure(stage.billing("sync_schedules") == (5, 5) and stage.billing("usage_metrics") == (10, 20), "schedules have 5 and 5 units, usage 10 and 20")

        show("A company signs up, on the default plan.")
        plan = stage.call("/api/plans/create", planName="Pro", planType="professional", price=4900, currency="USD", features=["sync"], limits=LIMITS, isDefault=True)
        who = {"email": "ada@example.com", "password": "correct horse"}
        login = stage.call("/auth/sign-up", **who, firstName="Ada", lastName="L", accountName="Acme")
        token, account = login["token"], login["accountId"]
        ensure(stage.ask("/api/plans/list", token)["items"][0]["planId"] == plan["planId"], "the plan is listed for customers")

        show("A webhook is subscribed, and a source connected through OAuth.")
        hook = stage.call("/api/webhooks/create", token, url=f"{receiver}/hook", secret=SECRET, retryPolicy={"maxAttempts": 3, "delaySeconds": 1})
        for event in ("sync_completed", "source_connected"):
            stage.call("/api/webhooks/subscribe", token, webhookId=hook["webhookId"], event=event)
        source = stage.call("/api/sources/create", token, platformId="keap", sourceName="Keap", connectionType="oauth", config={})["sourceId"]
        back = f"{stage.url}/oauth/callback"
        state = stage.call("/api/oauth/begin", token, platformId="keap", redirectUri=back, sourceId=source)["state"]
        asked = {"response_type": "code", "client_id": "core-service", "redirect_uri": back, "state": state}
        sent_back = http(f"{provider}/authorize?{urllib.parse.urlencode(asked)}")["location"]
        http(sent_back)
        http(sent_back, expect="StateInvalid")
        ensure(True, "the code became tokens, and its state works once")
        first = stage.ask("/api/sources/tokensOf", sourceId=source)["credentials"]["accessToken"]

        show("A schedule runs: pages, a rate limit, a failure, and the end.")
        plan_of = {"scheduleType": "hourly", "dataTypes": ["contacts", "orders"], "timeZone": "Europe/Berlin", "retryPolicy": {"maxAttempts": 2, "delaySeconds": 5}}
        stage.call("/api/schedules/create", token, sourceId=source, **plan_of)
        stage.call("/api/schedules/create", token, expect="TooFrequent", sourceId=source, scheduleType="custom", cronExpression="* * * * *", dataTypes=["orders"])
        history = lambda: stage.ask("/api/syncs/listBySource", token, sourceId=source)["items"]  # noqa: E731
        run = until("the run", lambda: next((each for each in history() if each["status"] == "completed"), None), 90)
        ensure(run["recordsProcessed"] == {"contacts": 120, "orders": 120}, "every record of both kinds was stored, although a page of each failed once")
        ensure(run["pages"] == 6 and run["s3Location"].startswith("s3://backup/"), "in six pages, in the object store")
        files = [each for each in (stage.folder / "store").rglob("*.json")]
        ensure(sum(each.stat().st_size for each in files) == run["bytes"], "which has as many bytes as the run says")

        show("Events arrive signed, also after the receiver was away.")
        log = until("the delivery", lambda: [each for each in http(f"{receiver}/log") if each["type"] == "sync_completed" and each["status"] == 200])
        everything = http(f"{receiver}/log")
        ensure(all(each["verified"] for each in everything), "every signature is right")
        ensure(any(each["status"] == 503 for each in everything) and len(log) == 1, "what was answered with 503 came again, the rest once")
        webhook = until("the count", lambda: (found := stage.ask("/api/webhooks/getById", token, webhookId=hook["webhookId"]))["failureCount"] == 0 and found)
        ensure(webhook["lastResponseCode"] == 200, "the webhook counts no failures any more")
        renewed = lambda: stage.ask("/api/sources/tokensOf", sourceId=source)["credentials"]["accessToken"] != first  # noqa: E731
        until("the renewal", renewed, 30)
        ensure(True, "the token of the source was renewed before it expired")

        show("A key calls the API as far as its scopes and the plan go.")
        key = stage.call("/api/apiKeys/create", token, name="CI", permissions=["read"])["key"]
        ensure(stage.ask("/api/sources/getById", key, sourceId=source)["sourceName"] == "Keap", "it reads")
        stage.call("/api/sources/create", key, expect="Forbidden", platformId="keap", sourceName="x", connectionType="oauth", config={})
        day = time.strftime("%Y-%m-%d", time.gmtime())
        used = stage.ask("/api/usage/getDay", token, accountId=account, metricDate=day)
        ensure(used["apiCalls"] == 2 and sum(used["hourlyCounts"].values()) == 2, "both calls are counted, by day and by hour")
        for _ in range(8):
            stage.ask("/api/sources/getById", key, sourceId=source)
        stage.ask("/api/sources/getById", key, expect="ApiCallLimitReached", sourceId=source)
        ensure(True, "the eleventh is refused")
        report = stage.ask("/api/usage/report", month=day[:7])["items"]
        ensure([each["apiCalls"] for each in report] == [10] and report[0]["syncJobs"] == 1, "and the report of the month has them")

        show("A second factor, and a suspension that has an effect.")
        secret = stage.call("/api/auth/beginTwoFactor", token)["secret"]
        stage.call("/api/auth/enableTwoFactor", token, code=totp(secret, time.time() - 30))
        stage.call("/auth/sign-in", expect="CodeNeeded", **who)
        stage.call("/auth/sign-in", **who, code=totp(secret, time.time()))
        ensure(True, "a code is needed, and good")
        stage.call("/api/accounts/setStatus", accountId=account, status="suspended")
        stage.ask("/api/sources/getById", key, expect="KeyRefused", sourceId=source)
        stage.call("/api/sources/create", token, expect="Forbidden", platformId="keap", sourceName="x", connectionType="oauth", config={})
        ensure(True, "keys and changes are refused while the account is suspended")
        events = {each["eventType"] for each in stage.ask("/api/activities/listByAccount", token, accountId=account)["items"]}
        ensure({"account_created", "source_created", "sync_completed", "key_created", "login"} <= events, "and the audit log has all of it")
    show("done")


main()
