"""The table of passes in docs/passes.md, from the list that runs.

    python tests/pass_list.py            the table
    python tests/pass_list.py --write    put it into the page
"""

from __future__ import annotations

import sys
from pathlib import Path

from depyf.decompiler.driver.passes import STAGES

PAGE = Path(__file__).resolve().parent.parent / "docs" / "passes.md"


def table() -> str:
    """A heading and a table for each stage."""
    lines = []
    for stage in STAGES:
        rooms = " and ".join(f"`{room}/`" for room in stage.room.split(", "))
        lines += [f"## {stage.name}", "", f"In {rooms}. Gives {stage.gives}.", ""]
        if stage.passes:
            lines += ["| pass | what it does, and why here | holds afterwards |", "|---|---|---|"]
            for one in stage.passes:
                holds = "; ".join(invariant.name for invariant in one.holds)
                lines.append(f"| `{stage.name}:{one.name}` | {one.why} | {holds} |".replace("  |", " |"))
            lines.append("")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if "--write" in sys.argv:
        sys.path.insert(0, str(PAGE.parent.parent / "benchmarks" / "lib"))
        from marked_page import put

        put(PAGE, "passes", table())
    else:
        print(table(), end="")
