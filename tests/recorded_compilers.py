"""What compilers of other versions made of a few texts, for machines that do not have them.

    python tests/recorded_compilers.py                               compile all of them again
    python tests/recorded_compilers.py --add NAME FILE.py 3.14 3.15  record one more

A file of tests/cases/compiled has a text and, for each version, the marshalled code of its module.
"""

from __future__ import annotations

import argparse
import base64
import json
import zlib
from pathlib import Path
from typing import Any, Iterator, Tuple

from depyf.decompiler.bytecode import RawCode, read_code
from depyf.decompiler.bytecode.interpreters import find_interpreter
from depyf.decompiler.proof.compiler_pool import POOL

FOLDER = Path(__file__).parent / "cases" / "compiled"
FILENAME = "file"
"""Of what is recorded; ask for this one."""

Version = Tuple[int, int]


class RecordedCompilers:
    """In the place of `scaffold.POOL`: answers what was recorded, and nothing else."""

    def __init__(self) -> None:
        self.codes = {
            (case["source"], version): code
            for path in FOLDER.glob("*.json")
            for case in [json.loads(path.read_text(encoding="utf-8"))]
            for version, code in case["codes"].items()
        }

    def compile(self, request: dict[str, Any], version: Version) -> tuple[str, Any]:
        assert request["unit"] is None, "only modules are recorded"
        code = self.codes.get((request["source"], _dotted(version)))
        if code is None:
            return "error", "CPython {} of this text is not recorded:\n{}".format(_dotted(version), request["source"])
        return "code", unpacked(code)


def recorded_source(name: str) -> str:
    """The text of a case."""
    return _read(name)["source"]  # type: ignore[no-any-return]


def recorded_code(name: str, version: Version) -> RawCode:
    """What ``version`` made of it."""
    return read_code(unpacked(_read(name)["codes"][_dotted(version)]), version)


def found_or_recorded(versions: list[Version]) -> Iterator[tuple[Version, bool]]:
    """Each version with True, for its compiler's recorded answers, and those of this machine with False too."""
    for version in versions:
        yield version, True
        if find_interpreter(version) is not None:
            yield version, False


def _read(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def unpacked(code: str) -> bytes:
    """The marshalled code."""
    return zlib.decompress(base64.b85decode(code))


def packed(code: bytes) -> str:
    """The reverse of `unpacked`."""
    return base64.b85encode(zlib.compress(code, 9)).decode("ascii")


def _dotted(version: Version) -> str:
    return "{}.{}".format(*version)


def compiled(source: str, version: str) -> str:
    """What the compiler of ``version`` makes of a module now, for `unpacked`. Exits if there is none."""
    major, minor = map(int, version.split("."))
    request = {"source": source, "filename": FILENAME, "flags": 0, "optimize": 0, "unit": None}
    kind, answer = POOL.compile(request, (major, minor))
    if kind != "code":
        raise SystemExit(f"CPython {version}: {answer}\n{source}")
    return packed(answer)


def _record(name: str, source: str, versions: list[str]) -> None:
    codes = {}
    for version in versions:
        codes[version] = compiled(source, version)
    FOLDER.mkdir(exist_ok=True)
    text = json.dumps({"source": source, "codes": codes}, indent=1)
    (FOLDER / f"{name}.json").write_text(text + "\n", encoding="utf-8")


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--add", nargs="+", metavar=("NAME", "FILE.py"))
    options = parser.parse_args()
    if options.add:
        name, path, *versions = options.add
        _record(name, Path(path).read_text(encoding="utf-8"), versions)
        return
    for path in sorted(FOLDER.glob("*.json")):
        case = _read(path.stem)
        _record(path.stem, case["source"], list(case["codes"]))


if __name__ == "__main__":
    _main()
