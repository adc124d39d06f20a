"""Seller profiles under kills: profiles with seasons and orders that come and go, and invites that two accounts redeem at once."""

import uuid
from collections import Counter

from harness import Scenario, compare, scan


class SellerProfiles(Scenario):
    def begin(self, stage):
        stage.system("seller-profiles/seller-profiles.sk")
        self.accounts, self.profiles, self.orders, self.removed, self.redeemed = [], [], [], set(), []
        self.catalogs = {}
        for number in range(16):
            account = f"ACCOUNT#{uuid.UUID(int=number + 1, version=4)}"
            stage.call("/api/createAccount", accountId=account, email=f"seller{number}@example.com")
            self.accounts.append(account)

    def act(self, client, number):
        owner = self.accounts[number % len(self.accounts)]
        caller = {"accountId": owner}
        choice = client.random.random()
        with self.lock:
            own = [profile for account, profile in self.profiles if account == owner and profile not in self.removed]
        if choice < 0.2 or not own:
            return self.profile(client, caller)
        profile = client.random.choice(own)
        if choice < 0.6:
            return self.season(client, caller, profile)
        if choice < 0.9:
            return self.invite(client, caller, profile)
        return self.remove(client, caller, profile)

    def profile(self, client, caller):
        status, made = client.post("/api/profiles/create", {"ownerAccountId": caller["accountId"], "sellerName": "Kim"}, caller)
        if status == 200:
            self.note(self.profiles, caller["accountId"], made["profileId"])
        return {200: "profiles", None: "profiles unknown"}.get(status) or self.unexpected(status, made)

    def season(self, client, caller, profile):
        """A season with a catalog and three orders."""
        owner = caller["accountId"]
        if owner not in self.catalogs:
            status, catalog = client.post("/api/catalogs/create", {"ownerAccountId": owner, "catalogName": "Cookies"}, caller)
            if status != 200:
                return "catalogs unknown"
            with self.lock:
                self.catalogs.setdefault(owner, catalog["catalogId"])
        body = {"ownerAccountId": owner, "profileId": profile, "catalogId": self.catalogs[owner], "seasonName": "Spring", "startDate": "2026-01-01"}
        status, season = client.post("/api/seasons/create", {"input": body}, caller)
        if status != 200:
            return {None: "seasons unknown"}.get(status) or f"seasons refused ({season.get('error')})"
        for at in range(3):
            line = {"sku": "a", "title": "A", "quantity": 2, "price": "1.50"}
            body = {
                "ownerAccountId": owner, "profileId": profile, "seasonId": season["seasonId"], "customerName": f"Customer {at}", "lineItems": [line], "paymentMethod": "cash",
                "orderDate": "2026-01-02",
            }
            status, order = client.post("/api/orders/create", {"input": body}, caller)
            if status == 200:
                self.note(self.orders, profile, season["seasonId"], order["orderId"])
            elif status is not None and order.get("code") != "SeasonNotFound":
                self.unexpected(status, order)
        if client.random.random() < 0.3:
            where = {"ownerAccountId": owner, "profileId": profile, "seasonId": season["seasonId"]}
            with self.lock:
                self.removed.add(season["seasonId"])
            client.post("/api/seasons/delete", where, caller)
            return "seasons removed"
        return "seasons"

    def invite(self, client, caller, profile):
        body = {"ownerAccountId": caller["accountId"], "profileId": profile, "permissions": ["READ"]}
        status, invite = client.post("/api/invites/create", body, caller)
        if status != 200:
            return {None: "invites unknown"}.get(status) or f"invites refused ({invite.get('error')})"
        others = client.random.sample([each for each in self.accounts if each != caller["accountId"]], 2)
        won = []
        for other in others:
            status, _ = client.post("/api/invites/redeem", {"inviteCode": invite["code"]}, {"accountId": other})
            if status == 200:
                won.append(other)
        if len(won) > 1:
            raise AssertionError(f"an invite was redeemed by {won}")
        for other in won:
            self.note(self.redeemed, profile, other)
        return "invites redeemed" if won else "invites unknown"

    def remove(self, client, caller, profile):
        with self.lock:
            self.removed.add(profile)
        client.post("/api/profiles/delete", {"ownerAccountId": caller["accountId"], "profileId": profile}, caller)
        return "profiles removed"

    def unexpected(self, status, answer):
        raise AssertionError(f"{status} {answer}")

    def orphans(self, stage):
        """The rest of deleted profiles and seasons: a cascade that was interrupted is finished by the server itself."""
        profiles = {each["profileId"] for each in scan(stage, "profiles-v2") if "sellerName" in each}
        seasons = {each["seasonId"]: each for each in scan(stage, "seasons-v2") if "seasonName" in each}
        orders = [each for each in scan(stage, "orders-v2") if "customerName" in each]
        shares = [each for each in scan(stage, "shares") if "permissions" in each]
        invites = [each for each in scan(stage, "invites") if "permissions" in each]
        lost = [f"season {each}" for each, season in seasons.items() if season["profileId"] not in profiles]
        lost += [f"order {each['orderId']}" for each in orders if each["seasonId"] not in seasons]
        lost += [f"share of {each['profileId']}" for each in shares if each["profileId"] not in profiles]
        lost += [f"invite of {each['profileId']}" for each in invites if each["profileId"] not in profiles]
        return lost

    def unfinished(self, stage):
        orphans = self.orphans(stage)
        return f"{len(orphans)} orphans, such as {orphans[0]}" if orphans else None

    def wrong(self, stage):
        wrong = []
        profiles = {each["profileId"] for each in scan(stage, "profiles-v2") if "sellerName" in each}
        seasons = [each for each in scan(stage, "seasons-v2") if "seasonName" in each]
        orders = {each["orderId"]: each for each in scan(stage, "orders-v2") if "customerName" in each}
        shares = {(each["profileId"], each["targetAccountId"]) for each in scan(stage, "shares") if "permissions" in each}
        used = Counter(each["inviteCode"] for each in scan(stage, "invites") if "usedAt" in each)
        wrong += [f"profile {profile} is lost" for _, profile in self.profiles if profile not in profiles and profile not in self.removed]
        for profile, season, order in self.orders:
            if order not in orders and profile not in self.removed and season not in self.removed:
                wrong.append(f"order {order} is lost")
        wrong += [f"the share of {share} is lost" for share in self.redeemed if share not in shares and share[0] not in self.removed]
        in_use = Counter(each.get("catalogId") for each in seasons)
        for catalog in [each for each in scan(stage, "catalogs-v2") if "catalogName" in each]:
            compare(wrong, f"seasons of {catalog['catalogId']}", in_use[catalog["catalogId"]], catalog["seasons"])
        totals = {float(each["totalAmount"]) for each in orders.values()}
        compare(wrong, "totals", {3.0} if orders else set(), totals)
        self.figures = {"profiles stored": len(profiles), "seasons stored": len(seasons), "orders stored": len(orders), "invites used": len(used)}
        return wrong
