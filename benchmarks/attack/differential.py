"""Run functions of the standard library beside what was made of them, on objects that log all that is done to them.

    python benchmarks/attack/differential.py --count 300              decompiled and compiled again
    python benchmarks/attack/differential.py --count 300 --machine    instructions, on tests/canonical_machine.py

Needs nothing but depyf's sources. No proof takes part: a difference in the first is a wrong decompilation that was
called proven, in the second it is bytecode that was misread. Exit code 1 if anything differs.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
for folder in ("src", "tests"):
    sys.path.insert(0, str(ROOT / folder))


def main() -> int:
    from attack import differential, machine_runs  # type: ignore[import-not-found]

    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--count", type=int, default=200, help="how many definitions of the library (default 200)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--machine", action="store_true", help="run the canonical instructions instead")
    parser.add_argument("--json", help="write the result to this file")
    options = parser.parse_args()
    result = (machine_runs if options.machine else differential).check(options.count, options.seed)
    version = sys.version.split()[0]
    if options.json:
        Path(options.json).write_text(json.dumps({"version": version, **result}, indent=1), encoding="utf-8")
    for difference in result["different"]:
        print("DIFFERENT", difference, "\n")
    for reason, count in list(result["reasons"].items())[:8]:
        print(f"not run ({count}): {reason}")
    print(f"{version}: {result['same']} the same, {len(result['different'])} different, {result['not_run']} not run")
    return 1 if result["different"] else 0


if __name__ == "__main__":
    sys.exit(main())
