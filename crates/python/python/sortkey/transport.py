"""How requests are sent: through the user's own boto3 or aiobotocore client, with its signer, credentials, retries and endpoint.

A request leaves the core as the JSON that DynamoDB is sent. It goes through the client's own pipeline, so that its events,
settings and instrumentation apply; only the conversion to and from Python values is left out.
"""

from __future__ import annotations

import copy
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import Any, Protocol

from .errors import AccessDenied, ConnectionLost, Failure, WrongCredentials

__all__ = ["AsyncTransport", "Request", "Transport", "aio", "botocore"]


@dataclass(frozen=True)
class Request:
    """A request as it was sent, and its answer."""

    operation: str
    body: bytes
    # The HTTP status; 0 if there was no answer.
    status: int
    answer: bytes


class Transport(Protocol):
    """Sends a request of DynamoDB, and returns its status and body."""

    # Whether it sends requests again itself where that may help, as AWS SDKs do.
    repeats: bool

    def send(self, operation: str, body: bytes) -> tuple[int, bytes]: ...


class AsyncTransport(Protocol):
    """Like `Transport`, without blocking."""

    repeats: bool

    def send(self, operation: str, body: bytes) -> Awaitable[tuple[int, bytes]]: ...


def botocore(client: Any) -> Transport:
    """Sends through a boto3 or botocore client of `dynamodb`."""
    return _Botocore(_raw(client, _RawBody))


def aio(client: Any) -> AsyncTransport:
    """Sends through an aiobotocore or aioboto3 client of `dynamodb`."""
    return _Aiobotocore(_raw(client, _AsyncRawBody))


class _Botocore:
    repeats = True

    def __init__(self, client: Any) -> None:
        self._client = client

    def send(self, operation: str, body: bytes) -> tuple[int, bytes]:
        try:
            answer = self._client._make_api_call(operation, _carried(body))
        except Exception as error:
            return _answer_of(error, operation)
        return 200, answer[_BODY]


class _Aiobotocore:
    repeats = True

    def __init__(self, client: Any) -> None:
        self._client = client

    async def send(self, operation: str, body: bytes) -> tuple[int, bytes]:
        try:
            answer = await self._client._make_api_call(operation, _carried(body))
        except Exception as error:
            return _answer_of(error, operation)
        return 200, answer[_BODY]


# The member under which a body travels through the client's pipeline.
_BODY = "SortkeyBody"


def _carried(body: bytes) -> dict[str, Any]:
    """A body as the input of an operation. The rules for endpoints read the tables of batches and transactions from the input."""
    return {_BODY: body, "RequestItems": {}, "TransactItems": []}


class _RawBody:
    """Puts a body into the request that the client has prepared, and keeps the body of the answer."""

    def _convert_to_request_dict(self, api_params: Any, *args: Any, **kwargs: Any) -> Any:
        request = super()._convert_to_request_dict({}, *args, **kwargs)  # type: ignore[misc]
        request["body"] = api_params[_BODY]
        return request

    def _make_request(self, *args: Any, **kwargs: Any) -> Any:
        http, parsed = super()._make_request(*args, **kwargs)  # type: ignore[misc]
        parsed[_BODY] = http.content
        return http, parsed


class _AsyncRawBody:
    """Like `_RawBody`, for clients of aiobotocore."""

    async def _convert_to_request_dict(self, api_params: Any, *args: Any, **kwargs: Any) -> Any:
        request = await super()._convert_to_request_dict({}, *args, **kwargs)  # type: ignore[misc]
        request["body"] = api_params[_BODY]
        return request

    async def _make_request(self, *args: Any, **kwargs: Any) -> Any:
        http, parsed = await super()._make_request(*args, **kwargs)  # type: ignore[misc]
        parsed[_BODY] = await http.content
        return http, parsed


def _raw(client: Any, mixin: type) -> Any:
    """A second handle of a client, whose operations have no shapes: nothing is converted or validated."""
    client = getattr(getattr(client, "meta", None), "client", client)  # a resource has a client
    service = getattr(getattr(client, "meta", None), "service_model", None)
    if getattr(service, "service_name", None) != "dynamodb":
        raise TypeError(f"expected a boto3 or aiobotocore client of dynamodb, not {client!r}")
    kind = type(f"Raw{type(client).__name__}", (mixin, type(client)), {})
    raw: Any = object.__new__(kind)
    raw.__dict__.update(client.__dict__)
    raw.meta = copy.copy(client.meta)
    raw.meta._service_model = _RawModel(service)
    return raw


class _RawModel:
    """A service model whose operations have no shapes."""

    def __init__(self, model: Any) -> None:
        self._model = model
        self._operations: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def operation_model(self, name: str) -> Any:
        from botocore.model import StructureShape  # type: ignore[import-untyped,unused-ignore]

        if name not in self._operations:
            operation = copy.copy(self._model.operation_model(name))
            # Handlers of resources look at the shape of the input, so there must be one.
            operation.input_shape = StructureShape("Empty", {"type": "structure", "members": {}})
            operation.output_shape = None
            operation.idempotent_members = []
            self._operations[name] = operation
        return self._operations[name]


# Errors for credentials that belong to nobody. Every AWS service has them.
_UNKNOWN_CREDENTIALS = {
    "ExpiredTokenException", "ExpiredToken", "IncompleteSignature", "IncompleteSignatureException", "InvalidClientTokenId",
    "InvalidSignatureException", "MissingAuthenticationToken", "MissingAuthenticationTokenException",
    "SignatureDoesNotMatch", "UnrecognizedClientException", "InvalidAccessKeyId",
}  # fmt: skip


# Requests that change nothing.
_READS = {"BatchGetItem", "GetItem", "Query", "Scan", "TransactGetItems"}


class TransportFailure(Exception):
    """Carries the failure that ends a call through the core, which only gets the fact that there is no answer."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(str(failure))
        self.failure = failure


def _answer_of(error: Exception, operation: str) -> tuple[int, bytes]:
    """The answer in an exception of botocore; a failure if there was none."""
    from botocore import exceptions  # type: ignore[import-untyped,unused-ignore]

    if isinstance(error, exceptions.ClientError):
        response: Any = error.response
        code = str(response.get("Error", {}).get("Code", "")).rsplit("#", 1)[-1]
        message = str(response.get("Error", {}).get("Message", "")) or code
        if code in _UNKNOWN_CREDENTIALS:
            raise TransportFailure(WrongCredentials(message)) from error
        if code in ("AccessDeniedException", "AccessDenied"):
            raise TransportFailure(AccessDenied(message)) from error
        if _BODY in response:
            return response["ResponseMetadata"]["HTTPStatusCode"], response[_BODY]
        raise error
    credentials = (
        exceptions.NoCredentialsError, exceptions.PartialCredentialsError, exceptions.CredentialRetrievalError,
        exceptions.TokenRetrievalError, exceptions.NoAuthTokenError,
    )  # fmt: skip
    if isinstance(error, credentials):
        raise TransportFailure(WrongCredentials(str(error))) from error
    if isinstance(error, (exceptions.HTTPClientError, exceptions.ConnectionError)):
        never_sent = (
            exceptions.EndpointConnectionError, exceptions.ConnectTimeoutError, exceptions.ProxyConnectionError,
            exceptions.SSLError,
        )  # fmt: skip
        # What was only read did not change anything.
        has_written = not isinstance(error, never_sent) and operation not in _READS
        raise TransportFailure(ConnectionLost(str(error), operation=operation, may_have_happened=has_written)) from error
    raise error
