"""DynamoDB designs of Sortkey, called from Python: no server in between, requests through your own boto3 client."""

from . import errors
from ._native import PROGRAM_VERSION, VERSION as __version__
from .calls import Answer, AsyncProgram, Consumed, Program
from .errors import (
    AccessDenied, AlreadyExists, CheckFailed, Conflict, ConnectionLost, Declared, Failure, Forbidden, Internal, Invalid,
    InvalidDesign, InvalidProgram, InvalidTransition, KeyringError, NotFound, OldCore, OldProgram, SortkeyError,
    Throttled, TooLarge, Unauthenticated, Unavailable, Unreadable, VersionDiffers, WrongCredentials, WrongDesign,
)  # fmt: skip
from .keyring import KeyFile, Keyring, KmsKeyring
from .transport import AsyncTransport, Request, Transport, aio, botocore

__all__ = [
    "AccessDenied", "AlreadyExists", "Answer", "AsyncProgram", "AsyncTransport", "CheckFailed", "Conflict",
    "ConnectionLost", "Consumed", "Declared", "Failure", "Forbidden", "Internal", "Invalid", "InvalidDesign",
    "InvalidProgram", "InvalidTransition", "KeyFile", "Keyring", "KeyringError", "KmsKeyring", "NotFound", "OldCore",
    "OldProgram", "PROGRAM_VERSION", "Program", "Request", "SortkeyError", "Throttled", "TooLarge", "Transport",
    "Unauthenticated", "Unavailable", "Unreadable", "VersionDiffers", "WrongCredentials", "WrongDesign", "__version__",
    "aio", "botocore", "errors",
]  # fmt: skip
