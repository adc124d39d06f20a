"""The keys of encrypted attributes. A keyring wraps data keys; it never sees a value."""

from __future__ import annotations

from os import PathLike
from typing import Any, Protocol

from . import _native
from .errors import KeyringError

__all__ = ["KeyFile", "Keyring", "KmsKeyring"]


class Keyring(Protocol):
    """Makes and opens data keys of 32 bytes."""

    def new_data_key(self, alias: str) -> tuple[bytes, bytes]:
        """A new data key for an alias: plain, and wrapped as it is stored."""
        ...

    def unwrap(self, alias: str, wrapped: bytes) -> bytes:
        """The plain data key that was wrapped for an alias."""
        ...


class KeyFile:
    """A master key in a file, in the form of `sortkey up`: 64 hexadecimal digits. The file is made if it is not there."""

    def __init__(self, path: str | PathLike[str]) -> None:
        try:
            self._native = _native.KeyFile.open(path)
        except OSError as error:
            raise KeyringError(str(error)) from error

    @classmethod
    def from_key(cls, key: bytes) -> KeyFile:
        """A master key of 32 bytes from elsewhere, an environment variable for example."""
        if len(key) != 32:
            raise KeyringError(f"a master key has 32 bytes, not {len(key)}")
        made = cls.__new__(cls)
        made._native = _native.KeyFile.from_key(key)
        return made

    def new_data_key(self, alias: str) -> tuple[bytes, bytes]:
        return self._native.new_data_key(alias)

    def unwrap(self, alias: str, wrapped: bytes) -> bytes:
        try:
            return self._native.unwrap(alias, wrapped)
        except ValueError as error:
            raise KeyringError(str(error)) from error


class KmsKeyring:
    """Data keys of AWS KMS, by the user's own boto3 client of `kms`. The alias is the encryption context."""

    def __init__(self, client: Any, key_id: str) -> None:
        self._client = client
        self._key_id = key_id

    def new_data_key(self, alias: str) -> tuple[bytes, bytes]:
        made = self._client.generate_data_key(
            KeyId=self._key_id, KeySpec="AES_256", EncryptionContext={"sortkey:alias": alias}
        )
        return made["Plaintext"], made["CiphertextBlob"]

    def unwrap(self, alias: str, wrapped: bytes) -> bytes:
        opened = self._client.decrypt(
            KeyId=self._key_id, CiphertextBlob=wrapped, EncryptionContext={"sortkey:alias": alias}
        )
        plain: bytes = opened["Plaintext"]
        return plain
