"""Every answer beside the service model that botocore brings along: members, types, values and errors that it does not have.

SDKs drop unknown members, so that nothing else would notice one.
"""

import gzip
import json
import zlib

import botocore.endpoint

# Errors that every operation may answer, although its model does not list them.
COMMON_ERRORS = {
    "AccessDeniedException",
    "ExpiredTokenException",
    "IncompleteSignatureException",
    "InternalServerError",
    "InvalidSignatureException",
    "MissingAuthenticationTokenException",
    "RequestEntityTooLargeException",
    "SerializationException",
    "ServiceUnavailableException",
    "ThrottlingException",
    "UnknownOperationException",
    "UnrecognizedClientException",
    "ValidationException",
}
TYPES = {
    "string": str,
    "blob": str,
    "integer": int,
    "long": int,
    "double": (int, float),
    "float": (int, float),
    "timestamp": (int, float),
    "boolean": bool,
    "structure": dict,
    "map": dict,
    "list": list,
}


def watch(problems):
    """From now on, every answer of DynamoDB is compared; what is wrong is added to the list."""
    send = botocore.endpoint.Endpoint.make_request

    def make_request(self, operation, request):
        http, parsed = send(self, operation, request)
        if operation.service_model.service_name in ("dynamodb", "dynamodbstreams"):
            body = json.loads(decompressed(http) or b"{}")
            if http.status_code == 200 and operation.output_shape is None:
                problems.extend(f"{operation.name}: {name}" for name in body)
            elif http.status_code == 200:
                problems.extend(compared(operation.output_shape, body, operation.name))
            else:
                problems.extend(refused(operation, parsed["Error"]["Code"], body))
        return http, parsed

    botocore.endpoint.Endpoint.make_request = make_request


def decompressed(http):
    """The body of an answer: botocore leaves compressed ones to programs."""
    encoding = http.headers.get("content-encoding")
    content = http.content
    if encoding == "gzip" and content[:2] == b"\x1f\x8b":
        return gzip.decompress(content)
    if encoding == "deflate" and content[:1] == b"x":
        return zlib.decompress(content)
    return content


def refused(operation, code, body):
    """The faults of an error according to the model."""
    known = {shape.name: shape for shape in operation.error_shapes}
    if code not in known:
        return [] if code in COMMON_ERRORS else [f"{operation.name}: error {code}"]
    told = set(body) - {"__type", "message", "Message"} - set(known[code].members)
    return [f"{operation.name}: {code}.{member}" for member in sorted(told)]


def compared(shape, value, path):
    """The faults of a value according to the model."""
    kind = TYPES[shape.type_name]
    if not isinstance(value, kind) or (isinstance(value, bool) and kind is not bool):
        return [f"{path}: {value!r} is not a {shape.type_name}"]
    if getattr(shape, "enum", None) and value not in shape.enum:
        return [f"{path}: {value!r} is not in {shape.enum}"]
    problems = []
    if shape.type_name == "structure":
        problems += [f"{path}.{name} is missing" for name in shape.required_members if name not in value]
        problems += [f"{path}.{name} is unknown" for name in value if name not in shape.members]
        inner = [(shape.members[name], value[name], name) for name in value if name in shape.members]
    elif shape.type_name == "map":
        inner = [(shape.value, entry, "{}") for entry in value.values()]
    elif shape.type_name == "list":
        inner = [(shape.member, entry, "[]") for entry in value]
    else:
        inner = []
    for member, entry, name in inner:
        problems += compared(member, entry, f"{path}.{name}")
    return problems
