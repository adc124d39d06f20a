"""The Core service under kills: sources, runs of schedules, events to webhooks, usage that is metered, and an account that is at the limits of
its plan while it goes from one plan to another."""

import base64
from collections import Counter

from harness import Scenario, compare, scan
from stage import http

RECORDS = 30
# Each source has an event for two webhooks, each schedule a run of three pages and another event.
SOURCES = 400
SECRET = "whsec_" + base64.b64encode(b"a secret of the receiver").decode()
LIMITS = {
    "apiCallsPerMonth": 1_000_000, "storageGB": 100, "users": 100_000, "sources": 100_000, "syncFrequency": "hourly",
    "dataRetentionDays": 90, "webhooks": 10, "customDomains": 1,
}
# The plans of an account that is always at a limit.
NARROW = {
    "Small": {**LIMITS, "sources": 4, "apiCallsPerMonth": 300},
    "Medium": {**LIMITS, "sources": 7, "apiCallsPerMonth": 500},
}
EVENTS = ("source_created", "sync_completed")


class CoreService(Scenario):
    def begin(self, stage):
        platform = stage.companion("platform", "--records", str(RECORDS), "--page", "10", "--per-second", "100000")
        store = stage.companion("store", str(stage.folder / "store"))
        self.receiver = stage.companion("receiver", SECRET)
        stage.system(
            "core-service/core-service.sk", "--extern", f"fetchPage={platform}/fetchPage", "--extern", f"putObject={store}/putObject",
            "--extern", f"deleteObjects={store}/deleteObjects",
        )
        stage.call("/api/plans/create", planName="Pro", planType="professional", price=4900, currency="USD", features=["sync"], limits=LIMITS, isDefault=True)
        self.accounts, self.sources, self.schedules, self.calls, self.unsure = [], [], [], Counter(), Counter()
        self.narrow, self.plans, self.kept, self.most = self.at_the_limit(stage), {}, [], Counter()
        for name, limits in NARROW.items():
            plan = stage.call("/api/plans/create", planName=name, planType="starter", price=900, currency="USD", features=["sync"], limits=limits)
            self.plans[plan["planId"]] = limits
        stage.call("/api/accounts/changePlan", self.narrow.pop("token"), accountId=self.narrow["accountId"], planId=next(iter(self.plans)))
        for number in range(4):
            who = {"email": f"owner{number}@example.com", "password": "correct horse", "firstName": "Ada", "lastName": "L", "accountName": f"Company {number}"}
            login = stage.call("/auth/sign-up", **who)
            self.accounts.append({"userId": login["userId"], "accountId": login["accountId"]})
            for _ in range(2):
                hook = stage.call(
                    "/api/webhooks/create", login["token"], url=f"{self.receiver}/hook", secret=SECRET, retryPolicy={"maxAttempts": 10, "delaySeconds": 1}
                )
                for event in EVENTS:
                    stage.call("/api/webhooks/subscribe", login["token"], webhookId=hook["webhookId"], event=event)

    def at_the_limit(self, stage):
        who = {"email": "narrow@example.com", "password": "correct horse", "firstName": "Nan", "lastName": "N", "accountName": "Narrow"}
        login = stage.call("/auth/sign-up", **who)
        return {name: login[name] for name in ("userId", "accountId", "token")}

    def act(self, client, number):
        if number % 4 == 3:
            return self.press(client)
        caller = self.accounts[number % len(self.accounts)]
        choice = client.random.random()
        if choice < 0.2 and len(self.sources) < SOURCES:
            return self.source(client, caller)
        if choice < 0.3 and len(self.schedules) < SOURCES:
            return self.schedule(client, caller)
        return self.meter(client, caller) if choice < 0.7 else self.admit(client, caller)

    def press(self, client):
        """Makes and deletes sources, calls, and changes the plan; what is more than the plan allows is refused, and nothing else."""
        account, choice = self.narrow["accountId"], client.random.random()
        if choice < 0.4:
            name = f"narrow {client.random.getrandbits(64):x}"
            body = {"platformId": "keap", "sourceName": name, "connectionType": "api_key", "config": {}}
            status, answer = client.post("/api/sources/create", body, self.narrow, key=name)
            if status == 200:
                self.note(self.kept, answer["sourceId"])
            return self.expected("narrow source", status, answer, "SourceLimitReached")
        if choice < 0.6:
            with self.lock:
                source = self.kept.pop(client.random.randrange(len(self.kept))) if self.kept else None
            if source is None:
                return "nothing"
            status, answer = client.post("/api/sources/delete", {"sourceId": source}, self.narrow)
            if status not in (200, 204, None):
                self.note(self.kept, source)
            return self.expected("narrow deletion", status, answer)
        if choice < 0.8:
            plan = client.random.choice(list(self.plans))
            status, answer = client.post("/api/accounts/changePlan", {"accountId": account, "planId": plan}, self.narrow)
            return self.expected("change of plan", status, answer, "PlanTooSmall")
        if choice < 0.95:
            status, answer = client.post("/api/usage/admit", {"accountId": account, "calls": 1})
            return self.expected("narrow admission", status, answer, "ApiCallLimitReached")
        status, item = client.post("/api/accounts/getById", {"accountId": account}, self.narrow)
        if status == 200 and (over := self.over(item)):
            raise AssertionError(over)
        return "looks at the limits"

    def expected(self, what, status, answer, limit=None):
        """Counters of one account are one item: what meets others again and again is a conflict."""
        code = (answer or {}).get("code")
        if status is None or status in (200, 204):
            return f"{what} unknown" if status is None else what
        if code not in (limit, "Conflict"):
            raise AssertionError(f"{what}: {status} {answer}")
        return f"{what} refused ({code})"

    def over(self, account):
        """Counter and plan are attributes of one item, so that every moment can be judged."""
        allowed = self.plans[account["planId"]]["sources"]
        with self.lock:
            self.most["sources"] = max(self.most["sources"], account["sourceCount"])
        return f"{account['sourceCount']} sources where the plan has {allowed}" if account["sourceCount"] > allowed else None

    def source(self, client, caller):
        name = f"source {client.random.getrandbits(64):x}"
        body = {"platformId": "keap", "sourceName": name, "connectionType": "api_key", "config": {}}
        status, source = client.post("/api/sources/create", body, caller, key=name)
        if status != 200:
            # Counters of one account are one item: a transaction that meets others again and again is refused.
            return f"sources refused ({source.get('error')})"
        self.note(self.sources, caller["accountId"], source["sourceId"])
        return "sources"

    def schedule(self, client, caller):
        with self.lock:
            own = [source for account, source in self.sources if account == caller["accountId"]]
        if not own:
            return "nothing"
        body = {"sourceId": client.random.choice(own), "scheduleType": "monthly", "dataTypes": ["contacts"], "nextRunAt": 1}
        status, schedule = client.post("/api/schedules/create", body, caller)
        if status == 200:
            self.note(self.schedules, schedule["scheduleId"])
        return {200: "schedules", None: "schedules unknown"}.get(status) or f"schedules refused ({schedule.get('error')})"

    def meter(self, client, caller):
        account, calls = caller["accountId"], client.random.randrange(1, 5)
        key = f"{client.random.getrandbits(64):x}"
        body = {"accountId": account, "calls": calls, "bytes": 0, "jobs": 0, "errors": 0}
        status, answer = client.post("/api/usage/meter", body, key=key)
        if status not in (200, 204):
            return f"meters refused ({answer.get('error')})"
        with self.lock:
            self.calls[account] += calls
        return "meters"

    def admit(self, client, caller):
        status, answer = client.post("/api/usage/admit", {"accountId": caller["accountId"], "calls": 1})
        if status is not None and status not in (200, 204):
            return f"admissions refused ({answer.get('error')})"
        with self.lock:
            (self.unsure if status is None else self.calls)[caller["accountId"]] += 1
        return "admissions unknown" if status is None else "admissions"

    def unfinished(self, stage):
        runs = [each for each in scan(stage, "sync_history") if each.get("status") in ("pending", "running")]
        schedules = [each for each in scan(stage, "sync_schedules") if "scheduleType" in each and "lastRunAt" not in each]
        waiting = [each for each in scan(stage, "webhook_subscriptions") if each.get("status") in ("pending", "retrying")]
        missing = self.events(stage) - {(each["eventId"], each["webhookId"]) for each in self.deliveries(stage)}
        rest = (len(runs), len(schedules), len(waiting), len(missing))
        return "{} runs, {} schedules, {} deliveries, {} events".format(*rest) if any(rest) else None

    def deliveries(self, stage):
        return [each for each in scan(stage, "webhook_subscriptions") if each["sk"].startswith("DELIVERY#")]

    def events(self, stage):
        """The required deliveries: each event to each webhook of its account."""
        hooks = [each for each in scan(stage, "webhooks") if "url" in each]
        activities = [each for each in scan(stage, "activities") if each.get("eventType") in EVENTS]
        return {(each["eventId"], hook["webhookId"]) for each in activities for hook in hooks if hook["accountId"] == each["accountId"]}

    def wrong(self, stage):
        wrong = []
        accounts = {each["accountId"]: each for each in scan(stage, "accounts") if "accountName" in each}
        sources = [each for each in scan(stage, "sources") if "sourceName" in each]
        runs = [each for each in scan(stage, "sync_history") if "dataTypes" in each]
        names = Counter(each["sourceName"] for each in sources)
        wrong += [f"{name} was made {count} times" for name, count in names.items() if count > 1]
        stored = {each["sourceId"] for each in sources}
        wrong += [f"source {source} is lost" for _, source in self.sources if source not in stored]
        of_source = {each["sourceId"]: each for each in sources}
        for account, item in accounts.items():
            compare(wrong, f"sourceCount of {account}", sum(each["accountId"] == account for each in sources), item["sourceCount"])
            compare(wrong, f"storageBytes of {account}", sum(each["bytes"] for each in runs if each["accountId"] == account), item["storageBytes"])
        narrow = accounts[self.narrow["accountId"]]
        wrong += [over] if (over := self.over(narrow)) else []
        kept = {each["sourceId"] for each in sources if each["accountId"] == narrow["accountId"]}
        wrong += [f"source {source} of the narrow account is lost" for source in set(self.kept) - kept]
        # A schedule that is due once runs once, or lets its slot pass while another run of the source goes on.
        schedules = {each["scheduleId"] for each in scan(stage, "sync_schedules") if "scheduleType" in each}
        wrong += [f"schedule {schedule} is lost" for schedule in self.schedules if schedule not in schedules]
        of_schedule = Counter(each["scheduleId"] for each in runs)
        wrong += [f"schedule {schedule} ran {count} times" for schedule, count in of_schedule.items() if count > 1]
        of_run = Counter(each["sourceId"] for each in runs)
        with_schedule = {each["sourceId"] for each in scan(stage, "sync_schedules") if "scheduleType" in each}
        wrong += [f"source {source} never ran" for source in with_schedule if of_run[source] == 0]
        for source, count in of_run.items():
            compare(wrong, f"runs counted by source {source}", count, of_source[source]["runs"])
        # A run brings everything, or what has changed since an earlier one, which is nothing.
        complete = Counter()
        for run in runs:
            found = run["recordsProcessed"].get("contacts")
            complete[run["sourceId"]] += found == RECORDS
            if run["status"] != "completed" or found not in (0, RECORDS):
                wrong.append(f"run {run['syncId']} is {run['status']} with {found} records")
        wrong += [f"source {source} was never synchronised as a whole" for source in of_run if complete[source] == 0]
        # Events.
        deliveries = self.deliveries(stage)
        compare(wrong, "deliveries", self.events(stage), {(each["eventId"], each["webhookId"]) for each in deliveries})
        wrong += [f"delivery {each['sk']} is {each['status']}" for each in deliveries if each["status"] != "delivered"]
        arrived = Counter(each["id"] for each in http(f"{self.receiver}/log"))
        of_event = Counter(each["eventId"] for each in deliveries)
        wrong += [f"event {event} arrived {arrived[event]} times, not {count}" for event, count in of_event.items() if arrived[event] < count]
        again = sum(arrived[event] - count for event, count in of_event.items())
        self.usage(stage, wrong)
        self.figures = {"most sources of the narrow account": self.most["sources"], "sources stored": len(sources), "runs done": len(runs), "deliveries": len(deliveries), "sent again after a kill": again}
        return wrong

    def usage(self, stage, wrong):
        metrics = scan(stage, "usage_metrics")
        narrow = [each["apiCalls"] for each in metrics if each["accountId"] == self.narrow["accountId"] and each["metricDate"].startswith("MONTH#")]
        most = max(limits["apiCallsPerMonth"] for limits in NARROW.values())
        wrong += [f"{calls} calls in a month of {most}" for calls in narrow if calls > most]
        for caller in self.accounts:
            account = caller["accountId"]
            mine = [each for each in metrics if each["accountId"] == account and "apiCalls" in each]
            months = sum(each["apiCalls"] for each in mine if each["metricDate"].startswith("MONTH#"))
            days = [each for each in mine if not each["metricDate"].startswith("MONTH#")]
            low, high = self.calls[account], self.calls[account] + self.unsure[account]
            if not low <= months <= high:
                wrong.append(f"{months} calls of {account} are counted, not {low} to {high}")
            compare(wrong, f"calls by day of {account}", months, sum(each["apiCalls"] for each in days))
            compare(wrong, f"calls by hour of {account}", months, sum(sum(each["hourlyCounts"].values()) for each in days))
