"""The program `sortkey` as a Python package: `sortkey_cli.binary()` is its path."""

import os
import shutil
import sysconfig
from pathlib import Path

__all__ = ["binary"]


def binary() -> str:
    """The path of the binary: from SORTKEY_BIN, of the one that pip installed, or on the PATH."""
    given = os.environ.get("SORTKEY_BIN")
    if given:
        return given
    for scheme in (sysconfig.get_default_scheme(), sysconfig.get_preferred_scheme("user")) if hasattr(
        sysconfig, "get_default_scheme"
    ) else (None,):
        scripts = sysconfig.get_path("scripts", scheme) if scheme else sysconfig.get_path("scripts")
        installed = Path(scripts) / "sortkey"
        if installed.exists():
            return str(installed)
    # `pip install --target DIR` puts scripts into DIR/bin, beside this package.
    beside = Path(__file__).resolve().parent.parent / "bin" / "sortkey"
    if beside.exists():
        return str(beside)
    found = shutil.which("sortkey")
    if found is None:
        raise FileNotFoundError("the binary `sortkey` is missing; reinstall sortkey-cli or set SORTKEY_BIN")
    return found
