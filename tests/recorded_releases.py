"""What releases of one version of CPython made of a text of which they make different code.

    PYTHONPATH=src python3.13 tests/recorded_releases.py    compile the texts of 3.13 by this release, too

A file of tests/cases/releases has the version, a text, and the marshalled code of its module by each release.
"""

from __future__ import annotations

import json
import marshal
import platform
import sys
from pathlib import Path
from typing import Any, Dict, Tuple

from recorded_compilers import FILENAME, packed, unpacked

FOLDER = Path(__file__).parent / "cases" / "releases"


class ReleaseCase:
    """A text, and the code that each release made of it."""

    def __init__(self, path: Path) -> None:
        content = json.loads(path.read_text(encoding="utf-8"))
        self.path = path
        self.version: Tuple[int, int] = tuple(map(int, content["version"].split(".")))  # type: ignore[assignment]
        self.source: str = content["source"]
        self.codes: Dict[str, bytes] = {release: unpacked(code) for release, code in content["codes"].items()}

    def record(self) -> None:
        """Add the code of the running release."""
        code = compile(self.source, FILENAME, "exec", dont_inherit=True)
        self.codes[platform.python_version()] = marshal.dumps(code)
        codes = {release: packed(self.codes[release]) for release in sorted(self.codes, key=_numbers)}
        content = {"version": "{}.{}".format(*self.version), "source": self.source, "codes": codes}
        self.path.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


class OneRelease:
    """In the place of `scaffold.POOL`: answers what one release made of the text of a case, and nothing else."""

    def __init__(self, case: ReleaseCase, release: str) -> None:
        self.case, self.release = case, release

    def compile(self, request: Dict[str, Any], version: Tuple[int, int]) -> Tuple[str, Any]:
        if (request["source"], version) != (self.case.source, self.case.version):
            return "error", "not recorded:\n" + request["source"]
        return "code", self.case.codes[self.release]


def _numbers(release: str) -> Tuple[int, ...]:
    return tuple(map(int, release.split(".")))


if __name__ == "__main__":
    for case in map(ReleaseCase, sorted(FOLDER.glob("*.json"))):
        if case.version == sys.version_info[:2]:
            case.record()
