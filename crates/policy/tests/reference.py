"""A naive evaluator of AWS policies, written from AWS's documentation and independent of the crate, and a generator of pairs
of policies and requests. Prints one JSON object per line: the pair, and what the reference decides.

    python3 reference.py COUNT SEED
"""

import datetime
import ipaddress
import json
import random
import re
import sys

ACCOUNT = "111122223333"

# --- evaluation -------------------------------------------------------------------------------------------------------------


def as_list(value):
    return value if isinstance(value, list) else [value]


class NoValue(Exception):
    """A variable has no value here, so that a text with one matches nothing."""


def lookup(request, key):
    """The values of a condition key: a list, "EVERYTHING", None if absent; KeyError if the key is unknown."""
    key = key.lower()
    if key.startswith("unknown:"):
        raise KeyError(key)
    return {name.lower(): value for name, value in request["context"].items()}.get(key)


def pattern_to_regex(text, request, variables, wildcards):
    """A regular expression for a text with wildcards and variables."""
    out, at = "", 0
    while at < len(text):
        if variables and text.startswith("${", at):
            end = text.index("}", at)
            name = text[at + 2 : end]
            at = end + 1
            if name in ("*", "?", "$"):
                out += re.escape(name)
                continue
            default = None
            if "," in name:
                name, default = name.split(",", 1)
                default = default.strip()[1:-1]
            values = lookup(request, name.strip())
            if values is None and default is not None:
                out += re.escape(default)
            elif values is None or values == "EVERYTHING" or len(values) != 1:
                raise NoValue(name)
            else:
                out += re.escape(values[0])
        elif wildcards and text[at] == "*":
            out, at = out + ".*", at + 1
        elif wildcards and text[at] == "?":
            out, at = out + ".", at + 1
        else:
            out, at = out + re.escape(text[at]), at + 1
    return out


def like(text, value, request, variables, wildcards=True, ignore_case=False):
    try:
        regex = pattern_to_regex(text, request, variables, wildcards)
    except (NoValue, KeyError):
        return False
    return re.fullmatch(regex, value, re.DOTALL | (re.IGNORECASE if ignore_case else 0)) is not None


def when(text):
    """Seconds since 1970."""
    if re.fullmatch(r"[0-9.]+", text):
        return float(text)
    form = "%Y-%m-%dT%H:%M:%SZ" if "T" in text else "%Y-%m-%d"
    return datetime.datetime.strptime(text, form).replace(tzinfo=datetime.timezone.utc).timestamp()


def in_network(text, value):
    network, address = ipaddress.ip_network(text, strict=False), ipaddress.ip_address(value)
    return network.version == address.version and address in network


def arn_parts(text):
    """The six parts of an ARN. A colon in a variable belongs to its name."""
    parts, depth = [""], 0
    for at, letter in enumerate(text):
        depth += text.startswith("${", at) - (letter == "}" and depth > 0)
        if letter == ":" and not depth and len(parts) < 6:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def arn_like(text, value, request, variables):
    one, other = arn_parts(text) if variables else text.split(":", 5), value.split(":", 5)
    return len(one) == len(other) and all(like(a, b, request, variables) for a, b in zip(one, other))


ORDERS = {
    "Equals": lambda a, b: a == b,
    "NotEquals": lambda a, b: a == b,
    "LessThan": lambda a, b: a < b,
    "LessThanEquals": lambda a, b: a <= b,
    "GreaterThan": lambda a, b: a > b,
    "GreaterThanEquals": lambda a, b: a >= b,
}


def compare(operator, operand, value, request, variables):
    """Whether one value of the request matches one of the policy, before negation."""
    if operator in ("StringEquals", "StringNotEquals"):
        return like(operand, value, request, variables, wildcards=False)
    if operator in ("StringEqualsIgnoreCase", "StringNotEqualsIgnoreCase"):
        return like(operand, value, request, variables, wildcards=False, ignore_case=True)
    if operator in ("StringLike", "StringNotLike"):
        return like(operand, value, request, variables)
    if operator.startswith("Numeric"):
        return ORDERS[operator[7:]](float(value), float(operand))
    if operator.startswith("Date"):
        return ORDERS[operator[4:]](when(value), when(operand))
    if operator == "Bool":
        return operand.lower() == value.lower()
    if operator in ("IpAddress", "NotIpAddress"):
        return in_network(operand, value)
    if operator.startswith("Arn"):
        return arn_like(operand, value, request, variables)
    raise AssertionError(operator)


def holds(name, key, operands, effect, request, variables):
    quantifier, _, rest = name.rpartition(":")
    if_exists = rest.endswith("IfExists")
    operator = rest[: -len("IfExists")] if if_exists else rest
    negated = "Not" in operator
    operands = [str(operand).lower() if isinstance(operand, bool) else str(operand) for operand in as_list(operands)]
    try:
        values = lookup(request, key)
    except KeyError:
        return effect == "Deny"
    if operator == "Null":
        absent = values is None or values == "EVERYTHING"
        return any((operand.lower() == "true") == absent for operand in operands)
    matches = lambda value: any(compare(operator, operand, value, request, variables) for operand in operands)
    if values == "EVERYTHING":
        return effect == "Deny"
    if values is None:
        if quantifier == "ForAllValues":
            return True
        return if_exists or (negated and quantifier == "")
    if quantifier == "ForAllValues":
        return all(matches(value) != negated for value in values)
    if quantifier == "ForAnyValue":
        return any(matches(value) != negated for value in values)
    return any(matches(value) for value in values) != negated


def principal_naming(statement, request):
    """`itself`, `role` or `account`; None if the statement names somebody else."""
    who = request["principal"]

    def naming(element):
        if element == "*":
            return {"role"}
        found = set()
        for text in as_list(element.get("AWS", [])):
            if text == "*":
                found.add("role")
            elif text == who["arn"]:
                found.add("itself")
            elif text == who.get("role"):
                found.add("role")
            elif text in (who["account"], f"arn:aws:iam::{who['account']}:root"):
                found.add("account")
        return found

    if "Principal" in statement:
        found = naming(statement["Principal"])
        return next((name for name in ("itself", "role", "account") if name in found), None)
    if "NotPrincipal" in statement:
        # "The principal, its account and, for sessions, the role": all of them must be named to escape the statement.
        element = statement["NotPrincipal"]
        found = naming(element)
        everybody = element == "*" or "*" in as_list(element.get("AWS", []))
        needed = {"itself", "account"} | ({"role"} if who.get("role") else set())
        return None if everybody or needed <= found else "role"
    return "itself"


def applies(statement, request, variables):
    """How closely a statement that applies names who asks; None if it does not apply."""
    anyone = lambda texts, value, **kind: any(like(text, value, request, **kind) for text in as_list(texts))
    if "Action" in statement:
        if not anyone(statement["Action"], request["action"], variables=False, ignore_case=True):
            return None
    elif anyone(statement["NotAction"], request["action"], variables=False, ignore_case=True):
        return None
    if "Resource" in statement:
        if not anyone(statement["Resource"], request["resource"], variables=variables):
            return None
    elif anyone(statement["NotResource"], request["resource"], variables=variables):
        return None
    naming = principal_naming(statement, request)
    if naming is None:
        return None
    for operator, keys in statement.get("Condition", {}).items():
        for key, operands in keys.items():
            if not holds(operator, key, operands, statement["Effect"], request, variables):
                return None
    return naming


def namings(policy, effect, request):
    variables = policy.get("Version") == "2012-10-17"
    found = (applies(one, request, variables) for one in as_list(policy["Statement"]) if one["Effect"] == effect)
    return {naming for naming in found if naming}


def evaluate(case):
    request = case["request"]
    every = [*case["identity"], *(case[kind] for kind in ("resource", "boundary", "session") if case[kind])]
    if any(namings(policy, "Deny", request) for policy in every):
        return "denied"
    by_resource = namings(case["resource"], "Allow", request) if case["resource"] else set()
    if "itself" in by_resource:
        return "allowed"
    by_identity = any(namings(policy, "Allow", request) for policy in case["identity"])
    if not by_identity and "role" not in by_resource:
        return "not allowed"
    for kind in ("boundary", "session"):
        if case[kind] and not namings(case[kind], "Allow", request):
            return "not allowed"
    return "allowed"


# --- generation -------------------------------------------------------------------------------------------------------------

ACTIONS = ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:Query", "dynamodb:Scan", "sts:AssumeRole"]
ACTION_PATTERNS = [*ACTIONS, "dynamodb:*", "*", "DYNAMODB:get*", "dynamodb:?et*", "dynamodb:*Item", "s3:*"]
TABLES = ["orders", "users", "users-ann", "a*b"]
TABLE = f"arn:aws:dynamodb:us-east-1:{ACCOUNT}:table/"
RESOURCES = [TABLE + name for name in TABLES] + [TABLE + "orders/index/by-date"]
RESOURCE_PATTERNS = [
    *RESOURCES, "*", TABLE + "*", TABLE + "users-${aws:username}", TABLE + "user?", "arn:aws:dynamodb:*:*:table/orders*",
    TABLE + "${aws:username, 'orders'}", TABLE + "a${*}b", TABLE + "${aws:missing}",
]
ANN, BOB = f"arn:aws:iam::{ACCOUNT}:user/ann", f"arn:aws:iam::{ACCOUNT}:user/bob"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/reader"
SESSION = f"arn:aws:sts::{ACCOUNT}:assumed-role/reader/s1"
PRINCIPALS = [
    {"account": ACCOUNT, "arn": ANN, "role": None},
    {"account": ACCOUNT, "arn": BOB, "role": None},
    {"account": ACCOUNT, "arn": SESSION, "role": ROLE},
]
NAMED = ["*", {"AWS": "*"}, {"AWS": ANN}, {"AWS": [BOB, ROLE]}, {"AWS": SESSION}, {"AWS": ACCOUNT},
         {"AWS": f"arn:aws:iam::{ACCOUNT}:root"}, {"Service": "dynamodb.amazonaws.com"}, {"AWS": "444455556666"},
         {"AWS": [ANN, ACCOUNT]}, {"AWS": [SESSION, ROLE, f"arn:aws:iam::{ACCOUNT}:root"]}]
TEXTS = ["ann", "bob", "tenant1", "tenant2", "a*", "A", "a", ""]
CONDITIONS = {
    "String": (["dynamodb:LeadingKeys", "dynamodb:Attributes", "aws:username", "dynamodb:Select", "unknown:key"],
               ["StringEquals", "StringNotEquals", "StringEqualsIgnoreCase", "StringNotEqualsIgnoreCase", "StringLike",
                "StringNotLike"],
               [*TEXTS, "t*", "tenant?", "${aws:username}", "${*}", "x${aws:missing, ''}"]),
    "Number": (["aws:Number", "unknown:number"],
               ["Numeric" + order for order in ORDERS], ["1", "2", "2.0", "10", "-3"]),
    "Date": (["aws:CurrentTime"], ["Date" + order for order in ORDERS],
             ["2026-11-17T00:00:00Z", "2026-11-18", "1700000000"]),
    "Bool": (["aws:SecureTransport"], ["Bool"], ["true", "false", "True", True]),
    "Ip": (["aws:SourceIp"], ["IpAddress", "NotIpAddress"], ["10.0.0.0/8", "10.1.2.3", "::/0", "2001:db8::/32", "0.0.0.0/0"]),
    "Arn": (["aws:PrincipalArn"], ["ArnEquals", "ArnLike", "ArnNotEquals", "ArnNotLike"],
            [ANN, "arn:aws:iam::*:user/*", "arn:aws:*", f"arn:aws:iam::{ACCOUNT}:user/${{aws:username}}",
             "arn:aws:iam::${aws:PrincipalAccount}:user/*"]),
    "Null": (["dynamodb:Attributes", "aws:username", "dynamodb:Select"], ["Null"], ["true", "false"]),
}


def some(rng, values, most=3):
    chosen = [rng.choice(values) for _ in range(rng.randint(1, most))]
    return chosen[0] if len(chosen) == 1 and rng.random() < 0.7 else chosen


def condition(rng):
    block = {}
    for _ in range(rng.choice([1, 1, 1, 2])):
        kind = rng.choice(list(CONDITIONS))
        keys, operators, operands = CONDITIONS[kind]
        operator = rng.choice(operators)
        if kind != "Null":
            operator = rng.choice(["", "", "ForAllValues:", "ForAnyValue:"]) + operator + rng.choice(["", "", "IfExists"])
        key = rng.choice(keys)
        block.setdefault(operator, {})[rng.choice([key, key, key.upper()])] = some(rng, operands)
    return block


def statement(rng, with_principal, deny):
    one = {"Effect": "Deny" if rng.random() < deny else "Allow"}
    if with_principal:
        negated = one["Effect"] == "Deny" and rng.random() < 0.2
        one["NotPrincipal" if negated else "Principal"] = rng.choice(NAMED)
    one["NotAction" if rng.random() < 0.12 else "Action"] = some(rng, ACTION_PATTERNS)
    one["NotResource" if rng.random() < 0.12 else "Resource"] = some(rng, RESOURCE_PATTERNS)
    if rng.random() < 0.5:
        one["Condition"] = condition(rng)
    return one


def policy(rng, with_principal=False, deny=0.2):
    statements = [statement(rng, with_principal, deny) for _ in range(rng.randint(1, 3))]
    document = {"Statement": statements[0] if len(statements) == 1 and rng.random() < 0.3 else statements}
    if rng.random() < 0.85:
        document = {"Version": rng.choice(["2012-10-17"] * 5 + ["2008-10-17"]), **document}
    return document


def request(rng):
    principal = rng.choice(PRINCIPALS)
    context = {"aws:PrincipalArn": [principal["role"] or principal["arn"]], "aws:PrincipalAccount": [ACCOUNT]}
    if principal["role"] is None:
        context["aws:username"] = [principal["arn"].rsplit("/")[-1]]
    values = lambda pool, most: [rng.choice(pool) for _ in range(rng.randint(0, most))]
    for key in ("dynamodb:LeadingKeys", "dynamodb:Attributes"):
        draw = rng.random()
        if draw < 0.6:
            context[key] = values(TEXTS, 3)
        elif draw < 0.75:
            context[key] = "EVERYTHING"
    if rng.random() < 0.5:
        context["dynamodb:Select"] = [rng.choice(["ALL_ATTRIBUTES", "a", "A"])]
    if rng.random() < 0.7:
        context["aws:Number"] = [rng.choice(["1", "2", "9.5", "10"])]
    if rng.random() < 0.7:
        context["aws:CurrentTime"] = [rng.choice(["2026-11-17T00:00:00Z", "2026-11-17T12:00:00Z", "1700000000"])]
    if rng.random() < 0.8:
        context["aws:SecureTransport"] = [rng.choice(["true", "false"])]
    if rng.random() < 0.8:
        context["aws:SourceIp"] = [rng.choice(["10.1.2.3", "203.0.113.7", "2001:db8::1"])]
    return {"action": rng.choice(ACTIONS), "resource": rng.choice(RESOURCES), "principal": principal, "context": context}


def main():
    count, seed = int(sys.argv[1]), int(sys.argv[2])
    rng = random.Random(seed)
    for _ in range(count):
        case = {
            "identity": [policy(rng) for _ in range(rng.choice([0, 1, 1, 2]))],
            "resource": policy(rng, True) if rng.random() < 0.35 else None,
            "boundary": policy(rng, deny=0.1) if rng.random() < 0.25 else None,
            "session": policy(rng, deny=0.1) if rng.random() < 0.2 else None,
            "request": request(rng),
        }
        case["expected"] = evaluate(case)
        print(json.dumps(case))


if __name__ == "__main__":
    main()
