"""Attack the proof with mutants, on the running Python; needs nothing but depyf's sources.

    python benchmarks/attack/attack_proof.py --mutants 2500 --seed 1 --json result.json

Prints how many mutants were tried, how many the proof accepted, and how many of these did something else than the
original on stand-ins (tests/standins.py). The last number must be 0: the command fails otherwise.
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
    from attack.attack import attack  # type: ignore[import-not-found]

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--mutants", type=int, default=2500, help="how many to try at least (default 2500)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=("source", "instructions", "symbolic"), help="one kind of mutants")
    parser.add_argument("--json", help="write the result to this file")
    options = parser.parse_args()
    report = attack(options.mutants, options.seed, options.only or "").as_dict()
    version = sys.version.split()[0]
    report = {"version": version, "seed": options.seed, **report}
    if options.json:
        Path(options.json).write_text(json.dumps(report, indent=1), encoding="utf-8")
    for example in report["examples"]:
        print("HARMFUL", example, "\n")
    print(
        f"{version}: tried {report['tried']}, accepted {report['accepted']}, harmful {report['harmful']}, "
        f"not run {report['not_run']}; of {report['rejected_run']} rejected ones "
        f"{report['rejected_told_apart']} behave differently on stand-ins"
    )
    return 1 if report["harmful"] else 0


if __name__ == "__main__":
    sys.exit(main())
