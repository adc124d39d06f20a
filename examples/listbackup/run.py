"""ListBackup at work: a company signs up, connects a platform, invites somebody by mail, and is backed up.

With a number as its argument, the server is killed as often while it syncs: every record is counted once all the same.
"""

import json
import sys
import time
import urllib.parse
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "companions"))
from stage import Stage, ensure, http, show, until  # noqa: E402

KILLS = int(sys.argv[1]) if len(sys.argv) > 1 else 0


def main():
    with Stage() as stage:
        provider = stage.companion("oauth", "--client", "listbackup", "--secret", "s3cret", "--lifetime", "6" if KILLS == 0 else "600")
        platform = stage.companion(
            "platform", "--records", "120", "--page", "50", "--per-second", "3", "--fail-page", "1", "--introspect", f"{provider}/introspect"
        )
        store = stage.companion("store", str(stage.folder / "store"))
        relay, mails = stage.mailbox()
        messenger = stage.companion("messenger")
        stage.system(
            "listbackup", "--set", f"oauthUrl={provider}", "--set", "oauthSecret=s3cret", "--extern", f"fetchPage={platform}/fetchPage",
            "--extern", f"putObject={store}/putObject", "--extern", f"deleteObjects={store}/deleteObjects",
            "--extern", f"message={messenger}/message", "--mail-relay", relay, "--mail-from", "hello@listbackup.example",
        )

        show("A company signs up, and its owner signs in.")
        ada = member(stage, "ada")
        account = stage.call("/api/accounts/open", userId=ada, accountName="Acme", accountType="conglomerate", plan="starter")["accountId"]
        token = sign_in(stage, "ada")
        ensure(stage.ask("/api/accounts/getById", token, accountId=account)["plan"] == "starter", "the account is open")

        show("A platform is connected through OAuth, and backed up when it is due.")
        config = {"syncInterval": "hourly", "dataTypes": ["contacts", "orders"]}
        later = "2030-01-01T00:00:00.000Z"
        source = stage.call("/api/sources/create", token, sourceName="Keap", platform="keap", connectionType="oauth", config=config, nextSyncAt=later)["sourceId"]
        back = f"{stage.url}/oauth/callback"
        state = stage.call("/api/oauth/begin", token, platform="keap", redirectUri=back, metadata={"sourceId": source})["state"]
        asked = {"response_type": "code", "client_id": "listbackup", "redirect_uri": back, "state": state}
        sent_back = http(f"{provider}/authorize?{urllib.parse.urlencode(asked)}")["location"]
        http(sent_back)
        http(sent_back, expect="StateInvalid")
        first = stage.ask("/api/oauth/tokensOfSource", sourceId=source)["tokens"]["accessToken"]
        stage.call("/api/sources/update", token, sourceId=source, nextSyncAt="2026-01-01T00:00:00.000Z")
        jobs = lambda: stage.ask("/api/jobs/listBySource", token, sourceId=source)["items"]  # noqa: E731
        for number in range(KILLS):
            time.sleep(2)
            stage.kill_and_restart()
            show(f"  killed and started again ({number + 1} of {KILLS})")
        # A run that was killed is taken over when its lease is over, after a minute.
        job = until("the job", lambda: next((each for each in jobs() if each["status"] == "completed"), None), 90 + 70 * KILLS)
        ensure(len(jobs()) == 1, "the sync is one job")
        ensure(job["progress"]["processed"] == 240 and job["progress"]["percentage"] == 100, "240 records in pages, although the platform failed and was busy")
        files = [each for each in (stage.folder / "store").rglob("*.json")]
        ensure(sum(each.stat().st_size for each in files) == job["bytes"], "every byte is in the object store")
        shown = stage.ask("/api/sources/getById", token, sourceId=source)
        ensure(shown["syncStatus"]["state"] == "idle" and shown["nextSyncAt"] < later, "the source is idle until it is due again")
        if KILLS == 0:
            until("the renewal", lambda: stage.ask("/api/oauth/tokensOfSource", sourceId=source)["tokens"]["accessToken"] != first, 30)
            ensure(True, "its tokens were renewed before they expired")

        show("Somebody is invited by mail.")
        stage.call("/api/members/inviteByMail", token, accountId=account, email="bob@example.com", role="member", permissions={"sources": ["create"], "users": ["create"]})
        mail = until("the mail", lambda: next((each for each in http(mails) if each["to"] == ["bob@example.com"]), None))
        ensure(mail["subject"] == "You are invited to Acme", "the mail has arrived")
        link = mail["text"].split("token=")[1].split()[0]
        made = {"token": link, "username": "bob", "name": "Bob", "password": "correct horse"}
        bob = stage.call("/join", **made)["userId"]
        stage.call("/join", expect="InvitationUnknown", **made)
        ensure(True, "its link makes an account and a member, once")
        his = sign_in(stage, "bob", account)
        stage.ask("/api/sources/getById", his, expect="Forbidden", sourceId=source)
        stage.call("/api/members/invite", his, expect="OnlyAdminsGrant", accountId=account, userId=bob, role="admin")
        ensure(True, "who joined may do what was granted, and grants nothing")

        show("A platform that fails for good sends a mail; what is revoked is revoked everywhere.")
        http(f"{provider}/revoke", body=urllib.parse.urlencode({"token": stage.ask("/api/oauth/tokensOfSource", sourceId=source)["tokens"]["accessToken"]}).encode())
        broken = stage.call("/api/jobs/create", token, jobType="backup", sourceId=source, priority="critical", config={"dataTypes": ["contacts"]}, maxRetries=0)
        until("the failure", lambda: stage.ask("/api/jobs/getById", token, jobId=broken["jobId"])["status"] == "failed")
        until("the mail", lambda: any(each["to"] == ["ada@example.com"] and each["subject"] == "A job failed" for each in http(mails)))
        ensure(True, "the owner got a mail about the job")
        if KILLS == 0:
            until("the error", lambda: stage.ask("/api/sources/getById", token, sourceId=source)["status"] == "error", 30)
            ensure(True, "and the source has to be connected again")

        show("Notifications reach an open page, a telephone and an app.")
        with follow(stage, token) as page:
            notify(stage, ada, account, "in-app", "Backed up")
            event = next_event(page)
            ensure(event["subject"] == "Backed up", "the page shows it as it happens")
            notify(stage, bob, account, "in-app", "Not for Ada")
            notify(stage, ada, account, "in-app", "Again")
            ensure(next_event(page)["subject"] == "Again", "and nothing that is for somebody else")
        stage.call("/api/users/update", token, userId=ada, phone="+4930123456", device="app-1")
        for kind in ("sms", "push"):
            notify(stage, ada, account, kind, f"By {kind}")
        sent = until("the messages", lambda: (found := http(f"{messenger}/messages")) and len(found) == 2 and found)
        ensure({each["to"] for each in sent} == {"+4930123456", "app-1"}, "a text message and a push are sent, once each")

        show("A suspension has an effect.")
        stage.call("/api/members/setStatus", token, userId=bob, accountId=account, status="suspended")
        stage.ask("/api/accounts/getById", his, expect="Unauthenticated", accountId=account)
        changes = stage.ask("/api/activities/listByAccount", token, accountId=account)["items"]
        ensure(any(each["eventType"] == "member.status_changed" for each in changes), "and a record")
    show("done")


def notify(stage, user, account, kind, subject):
    stage.call("/api/notifications/send", userId=user, accountId=account, type=kind, category="job", priority="low", subject=subject, message="m")


def follow(stage, token):
    """The events of a page that is open, as they happen."""
    request = urllib.request.Request(f"{stage.url}/notifications/live", headers={"authorization": f"Bearer {token}"})
    return urllib.request.urlopen(request, timeout=30)


def next_event(page):
    for line in page:
        if line.startswith(b"data: "):
            return json.loads(line.removeprefix(b"data: "))
    return {}


def member(stage, name):
    made = stage.call("/auth/sign-up", email=f"{name}@example.com", username=name, name=name.title(), password="correct horse")
    return made["userId"]


def sign_in(stage, name, account=None):
    """A refresh token, and the access token that it gives."""
    where = {"accountId": account} if account else {}
    refresh = stage.call("/auth/sign-in", email=f"{name}@example.com", password="correct horse", **where)["token"]
    return stage.call("/auth/access", token=refresh)["access"]


main()
