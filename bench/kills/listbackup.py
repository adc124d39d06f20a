"""ListBackup under kills: sources that are backed up at once, tags, sessions that rotate, and a tree of accounts that moves."""

from collections import Counter

from harness import Scenario, compare, scan

RECORDS = 30
# Each is a job of three pages: enough of them are always under way.
SOURCES = 400


class ListBackup(Scenario):
    def begin(self, stage):
        platform = stage.companion("platform", "--records", str(RECORDS), "--page", "10", "--per-second", "100000")
        store = stage.companion("store", str(stage.folder / "store"))
        relay, _ = stage.mailbox()
        stage.system(
            "listbackup", "--extern", f"fetchPage={platform}/fetchPage", "--extern", f"putObject={store}/putObject",
            "--extern", f"deleteObjects={store}/deleteObjects", "--mail-relay", relay, "--mail-from", "hello@listbackup.example",
        )
        self.accounts, self.sources, self.tags, self.families, self.moving = [], [], [], [], []
        for number in range(4):
            who = {"email": f"owner{number}@example.com", "username": f"owner{number}", "name": "Owner", "password": "correct horse"}
            user = stage.call("/auth/sign-up", **who)["userId"]
            root = stage.call("/api/accounts/open", userId=user, accountName=f"Root {number}", accountType="conglomerate", plan="enterprise")["accountId"]
            self.accounts.append({"caller": {"userId": user, "accountId": root}, "root": root, "below": []})

    def act(self, client, number):
        account = self.accounts[number % len(self.accounts)]
        choice = client.random.random()
        if choice < 0.25 and len(self.sources) < SOURCES:
            return self.source(client, account)
        if choice < 0.6:
            return self.tag(client, account)
        if choice < 0.85:
            return self.session(client, account)
        return self.child(client, account) if choice < 0.93 else self.move(client, account)

    def source(self, client, account):
        name = f"source {client.random.getrandbits(64):x}"
        body = {"sourceName": name, "platform": "keap", "connectionType": "apikey", "config": {"syncInterval": "daily", "dataTypes": ["contacts"]}}
        status, source = client.post("/api/sources/create", body, account["caller"], key=name)
        if status == 200:
            self.note(self.sources, account["root"], source["sourceId"], name)
            return "sources"
        return "sources refused" if source["code"] == "SourceLimitReached" else self.unexpected(source)

    def tag(self, client, account):
        value = f"{client.random.getrandbits(64):x}"
        body = {"resourceType": "source", "tagKey": "k", "tagValue": value}
        status, _ = client.post("/api/tags/create", body, account["caller"])
        if status == 200:
            self.note(self.tags, account["root"], value)
        return "tags" if status == 200 else "tags unknown"

    def session(self, client, account):
        """A session that rotates a few times: an answer that was lost makes the next attempt a reuse, which ends the family."""
        caller = account["caller"]
        status, login = client.post("/api/auth-service/login", {"userId": caller["userId"], "accountId": caller["accountId"]})
        for _ in range(3):
            if status != 200:
                return "sessions interrupted"
            status, login = client.post("/auth/refresh", {"token": login["token"]})
        if status != 200:
            return "sessions interrupted"
        self.note(self.families, login["tokenFamily"])
        return "sessions"

    def child(self, client, account):
        with self.lock:
            parent = client.random.choice([account["root"], *account["below"]])
        status, made = client.post(
            "/api/accounts/create", {"parentAccountId": parent, "accountName": "Below", "accountType": "division", "share": {"sources": 0, "users": 1, "storageBytes": 0}},
            account["caller"],
        )
        if status == 200:
            self.note(account["below"], made["accountId"])
            return "accounts"
        return "accounts unknown" if status is None else "accounts refused"

    def move(self, client, account):
        with self.lock:
            if len(account["below"]) < 2:
                return "moves refused"
            moved, parent = client.random.sample(account["below"], 2)
        status, _ = client.post("/api/accounts/move", {"accountId": moved, "newParentId": parent}, account["caller"])
        if status is None:
            self.note(self.moving, moved, parent)
        return {200: "moves", None: "moves unknown"}.get(status, "moves refused")

    def unexpected(self, answer):
        raise AssertionError(answer)

    def unfinished(self, stage):
        jobs = scan(stage, "listbackup-jobs")
        open_jobs = [job for job in jobs if job.get("status") in ("pending", "running")]
        due = [source for source in scan(stage, "listbackup-sources") if "lastSyncAt" not in source and "sourceName" in source]
        # A move that was interrupted is finished by repeating it, as its caller would.
        for root in [each for each in scan(stage, "listbackup-accounts") if "moving" in each]:
            owner = next(each for each in self.accounts if each["root"] == root["rootAccountId"])
            moving = root["moving"]
            self.again(stage, owner, moving["account"], moving["newParent"])
            return f"a move in {root['accountId']}"
        return f"{len(open_jobs)} jobs, {len(due)} sources" if open_jobs or due else None

    def again(self, stage, owner, account, parent):
        from harness import Client  # noqa: PLC0415
        Client(stage, 0).post("/api/accounts/move", {"accountId": account, "newParentId": parent}, owner["caller"])

    def wrong(self, stage):
        wrong = []
        accounts = {each["accountId"]: each for each in scan(stage, "listbackup-accounts") if "accountPath" in each}
        sources = [each for each in scan(stage, "listbackup-sources") if "sourceName" in each]
        jobs = [each for each in scan(stage, "listbackup-jobs") if "jobType" in each]
        activities = [each for each in scan(stage, "listbackup-activities") if "eventType" in each]
        # Sources: each promised one is there, none twice, counted once, and backed up once.
        names = Counter(each["sourceName"] for each in sources)
        wrong += [f"{name} was made {count} times" for name, count in names.items() if count > 1]
        stored = {each["sourceId"] for each in sources}
        wrong += [f"source {source} is lost" for _, source, _ in self.sources if source not in stored]
        of_source = Counter(job["sourceId"] for job in jobs)
        wrong += [f"source {source} was backed up {of_source[source]} times" for source in stored if of_source[source] != 1]
        for job in jobs:
            compare(wrong, f"job {job['jobId']}", ("completed", RECORDS), (job["status"], job["progress"]["processed"]))
        for root in self.accounts:
            mine = [each for each in sources if each["accountId"] == root["root"]]
            compare(wrong, f"sourceCount of {root['root']}", len(mine), accounts[root["root"]]["sourceCount"])
            stored_bytes = sum(job["bytes"] for job in jobs if job["accountId"] == root["root"])
            compare(wrong, f"storageBytes of {root['root']}", stored_bytes, accounts[root["root"]]["storageBytes"])
        made = Counter(each["resourceId"] for each in activities if each["eventType"] == "source.created")
        wrong += [f"source {source} has {made[source]} records of its creation" for source in stored if made[source] != 1]
        ended = Counter(each["details"]["metadata"]["jobId"] for each in activities if each["eventType"] == "sync.completed")
        wrong += [f"job {job['jobId']} ended {ended[job['jobId']]} times" for job in jobs if ended[job["jobId"]] != 1]
        # Tags.
        tags = {(each["accountId"], each["tagValue"]) for each in scan(stage, "listbackup-tags") if "tagValue" in each}
        wrong += [f"tag {tag} is lost" for tag in self.tags if tag not in tags]
        # Sessions: a family has at most one token that lives, and one that was promised has exactly one.
        tokens = [each for each in scan(stage, "listbackup-refresh-tokens") if "revoked" in each]
        live = Counter(each["tokenFamily"] for each in tokens if not each["revoked"])
        wrong += [f"family {family} has {count} live tokens" for family, count in live.items() if count > 1]
        wrong += [f"family {family} has no live token" for family in self.families if live[family] != 1]
        self.tree(wrong, accounts)
        self.figures = {"sources stored": len(sources), "jobs done": len(jobs), "accounts stored": len(accounts), "activities": len(activities)}
        return wrong

    def tree(self, wrong, accounts):
        """Paths, levels and roots follow from the parents; roots count their trees; shares add up to the plan."""
        for one in accounts.values():
            way, at = [], one
            while at is not None and len(way) < 25:
                way.append(at["accountId"])
                at = accounts.get(at.get("parentAccountId"))
            path = "/" + "".join(f"{each}/" for each in reversed(way))
            compare(wrong, f"path of {one['accountId']}", (path, len(way) - 1, way[-1]), (one["accountPath"], one["level"], one["rootAccountId"]))
        for root in self.accounts:
            tree = [each for each in accounts.values() if each["rootAccountId"] == root["root"]]
            compare(wrong, f"accounts of {root['root']}", len(tree), accounts[root["root"]]["accounts"])
            wrong += [f"account {below} is lost" for below in root["below"] if below not in accounts]
            compare(wrong, f"users shared in {root['root']}", 10_000, sum(each["limits"]["users"] for each in tree))
