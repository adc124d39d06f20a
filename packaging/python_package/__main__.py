"""`python -m sortkey_cli` becomes the binary: the process is replaced, so that no second one is left behind."""

import os
import sys

from . import binary

try:
    program = binary()
except FileNotFoundError as error:
    sys.exit(f"error: {error}")
os.execv(program, [program, *sys.argv[1:]])
