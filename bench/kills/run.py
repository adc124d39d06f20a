"""bench/kills.sh runs this."""

import argparse
import json
import sys

from core_service import CoreService
from ferryhook import Ferryhook
from harness import run
from listbackup import ListBackup
from seller_profiles import SellerProfiles
from t3nets import T3nets

SCENARIOS = {"core-service": CoreService, "ferryhook": Ferryhook, "listbackup": ListBackup, "seller-profiles": SellerProfiles, "t3nets": T3nets}

parser = argparse.ArgumentParser()
parser.add_argument("systems", nargs="*", choices=[[], *SCENARIOS], default=[])
parser.add_argument("--clients", type=int, default=64)
parser.add_argument("--kills", type=int, default=20)
parser.add_argument("--pause", type=float, default=2.0, help="seconds between two kills, more or less")
options = parser.parse_args()
failed = False
for name in options.systems or SCENARIOS:
    wrong, figures = run(SCENARIOS[name](), options.clients, options.kills, options.pause)
    print(f"{name}: {options.clients} clients, {options.kills} kills: {json.dumps(figures)}", flush=True)
    for each in wrong[:20]:
        print(f"  wrong: {each}", flush=True)
    print(f"  {len(wrong)} promises broken" if wrong else "  nothing was lost, and nothing was done twice", flush=True)
    failed = failed or bool(wrong)
sys.exit(1 if failed else 0)
