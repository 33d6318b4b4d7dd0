"""The table of passes in docs/passes.md, from the list that runs.

    python tests/pass_list.py            the table
    python tests/pass_list.py --write    put it into the page
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Sequence

from depyf.decompiler.driver.passes import STAGES
from depyf.decompiler.passes import Pass

PAGE = Path(__file__).resolve().parent.parent / "docs" / "passes.md"


def table() -> str:
    """A heading and a table for each stage."""
    lines = []
    for stage in STAGES:
        rooms = " and ".join(f"`{room}/`" for room in stage.room.split(", "))
        lines += [f"### {stage.name}", "", f"In {rooms}. Gives {stage.gives}.", ""]
        first = next(one for one in STAGES if one.passes == stage.passes)
        if stage.passes and first is not stage:
            lines += [f"Its passes are those of `{first.name}`.", ""]
        elif stage.passes:
            lines += ["| pass | what it does, and why here |", "|---|---|"]
            lines += [f"| `{stage.name}:{one.name}` | {one.why} |" for one in stage.passes]
            lines += ["", *_invariants(stage.passes), ""]
    return "\n".join(lines).replace("\n\n\n", "\n\n") + "\n"


def _invariants(passes: Sequence[Pass]) -> list[str]:
    """What holds after which of the passes."""
    found: dict[str, list[str]] = {}
    for name in dict.fromkeys(invariant.name for one in passes for invariant in one.holds):
        holds = [name in [invariant.name for invariant in one.holds] for one in passes]
        first = holds.index(True)
        if all(holds[first:]):
            where = f"from `{passes[first].name}` on" if first else "after each pass"
        elif sum(holds) > len(passes) / 2:
            where = "after each but " + ", ".join(f"`{one.name}`" for one, held in zip(passes, holds) if not held)
        else:
            where = "after " + ", ".join(f"`{one.name}`" for one, held in zip(passes, holds) if held)
        found.setdefault(where, []).append(name)
    return [f"* Holds {where}: {'; '.join(names)}." for where, names in found.items()]


if __name__ == "__main__":
    if "--write" in sys.argv:
        sys.path.insert(0, str(PAGE.parent.parent / "benchmarks" / "lib"))
        from marked_page import put

        put(PAGE, "passes", table())
    else:
        print(table(), end="")
