"""What ``dis.stack_effect`` says on every version, for machines that do not have them.

    python tests/recorded_stack_effects.py      ask all interpreters of this machine again

tests/cases/stack_effects.json has, for each version and opcode, the effects for ARGUMENTS without a jump and, where
they are others, with one; None where the operand is refused.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any, Dict, Tuple

from depyf.decompiler.bytecode.interpreters import find_interpreter
from depyf.decompiler.bytecode.versions import TABLES

PATH = Path(__file__).parent / "cases" / "stack_effects.json"
ARGUMENTS = (0, 1, 2, 3, 4, 5, 8, 15, 257)
Version = Tuple[int, int]

_ASK = """
import dis, json, opcode, sys
def effect(name, number, argument, **jump):
    try:
        return dis.stack_effect(number, argument if number >= opcode.HAVE_ARGUMENT else None, **jump)
    except ValueError:
        return None
found = {}
for name, number in sorted(opcode.opmap.items()):
    if not name.startswith("INSTRUMENTED_"):
        ways = [{"jump": False}, {"jump": True}] if sys.version_info >= (3, 8) else [{}]
        lists = [[effect(name, number, argument, **way) for argument in json.loads(sys.argv[1])] for way in ways]
        if any(value is not None for value in lists[0]):
            found[name] = lists[:1] if lists[0] == lists[-1] else lists
print(json.dumps(found))
"""


def asked(python: str) -> Dict[str, Any]:
    """The effects that an interpreter tells, by opcode."""
    done = subprocess.run([python, "-c", _ASK, json.dumps(ARGUMENTS)], stdout=subprocess.PIPE, check=True, timeout=60)
    return json.loads(done.stdout)  # type: ignore[no-any-return]


def recorded(version: Version) -> Dict[str, Any]:
    """The same, as they were recorded."""
    return json.loads(PATH.read_text(encoding="utf-8"))["{}.{}".format(*version)]  # type: ignore[no-any-return]


def main() -> int:
    pythons = {version: find_interpreter(version) for version in TABLES}
    if None in pythons.values():
        print("not found:", [version for version in pythons if pythons[version] is None])
        return 1
    rows = []
    for version, python in pythons.items():
        effects = ["  {}: {}".format(json.dumps(name), json.dumps(found)) for name, found in asked(python).items()]
        rows.append('"{}.{}": {{\n{}\n}}'.format(*version, ",\n".join(effects)))
    PATH.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
