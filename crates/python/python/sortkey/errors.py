"""The errors of calls: one class for each cause."""

from __future__ import annotations

from typing import Any, ClassVar


class SortkeyError(Exception):
    """The base of everything that this package raises on purpose."""


class InvalidProgram(SortkeyError):
    """The compiled design cannot be opened: it is damaged, or a parameter of it is missing."""


class OldCore(SortkeyError):
    """The compiled design is newer than this package. Upgrade the package `sortkey`."""


class OldProgram(SortkeyError):
    """The compiled design is older than this package. Run `sortkey generate python` again."""


class WrongDesign(SortkeyError):
    """The typed client was generated from another design than the one that the core holds."""

    def __init__(self, expected: str, found: str) -> None:
        super().__init__(
            f"this client was generated from the design {expected[:12]}, but the core holds {found[:12]}; "
            "run `sortkey generate python` again"
        )
        self.expected = expected
        self.found = found


class InvalidDesign(SortkeyError):
    """A design does not compile, or its tables cannot be made. The text shows where."""


class KeyringError(SortkeyError):
    """A keyring cannot make or open a data key."""


class Failure(SortkeyError):
    """A call that did not succeed. Nothing is half done, unless the design declares a statement as not atomic."""

    kind: ClassVar[str] = ""

    def __init__(self, message: str, *, kind: str | None = None, field: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.name = kind or type(self).kind
        # The argument or attribute that is to blame.
        self.field = field

    def __str__(self) -> str:
        return f"{self.name}: {self.message}"


class Declared(Failure):
    """An error that the design declares with `else`; generated clients have a class for each."""


class Invalid(Failure):
    """An argument is missing, unknown or of the wrong form."""

    kind = "Invalid"


class NotFound(Failure):
    """There is no such item, or no such pattern or operation."""

    kind = "NotFound"


class AlreadyExists(Failure):
    """There is already such an item."""

    kind = "AlreadyExists"


class Conflict(Failure):
    """Somebody else changed the item at the same time, again and again."""

    kind = "Conflict"


class VersionDiffers(Failure):
    """The item does not have the version that the call expects."""

    kind = "VersionDiffers"


class Forbidden(Failure):
    """The caller may not do this."""

    kind = "Forbidden"


class Unauthenticated(Failure):
    """The call needs a caller, and none was given."""

    kind = "Unauthenticated"


class InvalidTransition(Failure):
    """The item's state does not allow this move."""

    kind = "InvalidTransition"


class CheckFailed(Failure):
    """A `check` of the design or the condition of a statement does not hold."""

    kind = "CheckFailed"


class TooLarge(Failure):
    """The item or the transaction would be above DynamoDB's limits."""

    kind = "TooLarge"


class Unreadable(Failure):
    """A stored item does not fit the design: another version of the design may have written it. It is left as it is."""

    kind = "Unreadable"


class Throttled(Failure):
    """DynamoDB asked to slow down, longer than the client was ready to wait."""

    kind = "Throttled"


class Unavailable(Failure):
    """DynamoDB cannot be reached, or does not answer."""

    kind = "Unavailable"


class ConnectionLost(Unavailable):
    """The network failed. `may_have_happened` is true if a write was sent and its answer is missing: read before you write again."""

    kind = "ConnectionLost"

    def __init__(self, message: str, *, operation: str, may_have_happened: bool) -> None:
        super().__init__(message)
        self.operation = operation
        self.may_have_happened = may_have_happened


class Internal(Failure):
    """Something is wrong with the tables or with Sortkey."""

    kind = "Internal"


class WrongCredentials(Internal):
    """There are no credentials, or DynamoDB does not accept them. Nothing was done."""

    kind = "WrongCredentials"


class AccessDenied(Internal):
    """The credentials are accepted, but their policy does not allow a request of this call."""

    kind = "AccessDenied"


_KINDS: dict[str, type[Failure]] = {
    each.kind: each
    for each in (
        Invalid, NotFound, AlreadyExists, Conflict, VersionDiffers, Forbidden, Unauthenticated, InvalidTransition,
        CheckFailed, TooLarge, Unreadable, Throttled, Unavailable, Internal,
    )
}  # fmt: skip


def failure(message: dict[str, Any], declared: dict[str, type[Declared]]) -> Failure:
    """The failure of a message: of the runtime's own kinds, or one that the design declares."""
    kind = message["kind"]
    made = declared.get(kind) or _KINDS.get(kind) or Declared
    return made(message["message"], kind=kind, field=message.get("field"))
