"""T3nets under kills: questions that are asked with a request's id and answered once, and turns that programs save themselves."""

from collections import Counter

from harness import Scenario, compare, node, scan

SETTINGS = {
    "ai_provider": "local", "ai_model": "small", "max_tokens_per_message": 64, "messages_per_day": 1_000_000, "enabled_channels": ["dashboard"],
    "enabled_skills": [], "custom_skills": [],
}
TURNS = 5


class T3nets(Scenario):
    def begin(self, stage):
        model = node(stage, "t3nets/model.mjs", "--pause", "0", "--fail-every", "50")
        stage.system("t3nets", "--extern", f"complete={model}/complete", "--extern", f"summarise={model}/summarise")
        self.asked, self.saved, self.count = [], [], Counter()
        for tenant in ("one", "two", "three", "four"):
            stage.call("/api/tenants/create", tenant_id=tenant, name=tenant, settings=SETTINGS)
            stage.call("/api/tenants/setStatus", tenant_id=tenant, status="active")
            stage.call("/api/tenants/addAdmin", tenant_id=tenant, user_id="root", email="root@example.com", display_name="Root")

    def act(self, client, number):
        """A conversation of a few turns, so that its history holds all of them."""
        tenant = ("one", "two", "three", "four")[number % 4]
        caller = {"tenant_id": tenant, "user_id": "root", "role": "admin"}
        conversation = f"conv-{number}-{client.random.getrandbits(48):x}"
        saves = client.random.random() < 0.5
        for turn in range(TURNS):
            key = f"{conversation}-{turn}"
            if saves:
                turns = [{"role": "user", "content": key}, {"role": "assistant", "content": "noted"}]
                status, answer = client.post("/api/conversations/save", {"conversation_id": conversation, "turn": turns}, caller, key=key)
            else:
                # `requestId` is an argument of `say`, which passes it on: the client repeats the call with the same one.
                body = {"conversation_id": conversation, "content": key, "requestId": key}
                status, answer = None, None
                while status is None:
                    status, answer = client.post("/api/conversations/say", body, caller)
            if status != 200:
                raise AssertionError(f"{key} was answered with {status} {answer}")
            self.note(self.saved if saves else self.asked, tenant, conversation, key)
        return "conversations saved" if saves else "conversations asked"

    def unfinished(self, stage):
        waiting = [each for each in scan(stage, "conversations") if each.get("state") in ("waiting", "answered")]
        return f"{len(waiting)} questions" if waiting else None

    def wrong(self, stage):
        import json  # noqa: PLC0415
        wrong = []
        items = scan(stage, "conversations")
        turns = [each for each in items if "turn_id" in each]
        conversations = {(each["tenant_id"], each["conversation_id"]): json.loads(each["messages"]) for each in items if "messages" in each}
        usage = {each["tenant_id"]: each for each in items if "used" in each}
        asked = Counter((each["tenant_id"], each["content"]) for each in turns)
        wrong += [f"question {key} was taken {asked[tenant, key]} times" for tenant, _, key in self.asked if asked[tenant, key] != 1]
        wrong += [f"question {each['content']} is {each['state']}: {each.get('error')}" for each in turns if each["state"] != "done"]
        for tenant, conversation, key in [*self.asked, *self.saved]:
            said = [each["content"] for each in conversations.get((tenant, conversation), []) if each["role"] == "user"]
            compare(wrong, f"times that {key} is in its conversation", 1, said.count(key))
        for place, messages in conversations.items():
            roles = [each["role"] for each in messages]
            compare(wrong, f"roles in {place}", ["user", "assistant"] * (len(messages) // 2), roles)
        saved = Counter(tenant for tenant, _, _ in self.saved)
        for tenant, day in usage.items():
            # A turn that was saved without its answer reaching anybody counts as well: clients repeat until it does.
            mine = sum(each["tenant_id"] == tenant for each in turns)
            compare(wrong, f"messages of {tenant} that day", saved[tenant] + mine, day["used"])
        self.figures = {"questions answered": len(turns), "turns saved": len(self.saved), "conversations": len(conversations)}
        return wrong
