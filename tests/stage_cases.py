"""What the decompiler holds after one of its passes, for a piece of code: prose, code and text in one file.

    python tests/stage_cases.py --write                          every file of tests/*/cases
    python tests/stage_cases.py --write tests/lift/cases/and.md  one of them

A file is about one construct. Each section of it has a piece of code, and what is held after passes that it names:

    ## A test of two conditions

    Why it is so, in a sentence or two.

    ```python
    def f(a, b):
        return a and b
    ```

    ```text lift:fold 3.11
    block 0 ...
    ```

The text is that of ``python -m depyf decompile FILE.py:f --stop-after lift:fold``; the version is the CPython whose
compiler made the code, which is kept in ``compiled.json`` beside the file, so that every CPython runs every case.
Code that no compiler makes is written in the notation of tests/assembler, in a block marked ``assembler``; it is
assembled for the CPython that runs the test, and its text has no version.

``--write`` compiles what is new, which needs the CPython that is named, and puts the text there that comes out. Read
the difference before you commit it.
"""

from __future__ import annotations

import argparse
import io
import json
import re
from pathlib import Path
from typing import Any, Dict, Iterator, List, NamedTuple

from assembler.assemble import assemble
from assembler.notation import program
from recorded_compilers import compiled, unpacked

from depyf.decompiler.bytecode import RawCode, read_code
from depyf.decompiler.driver.stepper import Stepper, StopStepping
from depyf.decompiler.pipeline import analyze

FOLDER = Path(__file__).parent
KEPT = "compiled.json"
_BLOCK = re.compile(r"^```(?P<kind>\S+) *(?P<words>[^\n]*)\n(?P<text>.*?)^```$", re.M | re.S)
_HEADING = re.compile(r"^## (.*)$", re.M)


class StageCase(NamedTuple):
    """A piece of code, and what is held after ``stage``: ``text``, which is the part of the file at ``span``."""

    path: Path
    title: str
    kind: str
    source: str
    stage: str
    version: str
    text: str
    span: slice

    @property
    def name(self) -> str:
        """For the test's id."""
        where = f"{self.path.parent.parent.name}/{self.path.stem}: {self.title}"
        return f"{where}: {self.stage} {self.version}".rstrip()


def files() -> List[Path]:
    """All files of cases."""
    return sorted(FOLDER.glob("*/cases/*.md"))


def cases_of(path: Path) -> Iterator[StageCase]:
    """The cases in one file. Raises ValueError for what is none."""
    page = path.read_text(encoding="utf-8")
    headings = [(found.start(), found[1]) for found in _HEADING.finditer(page)]
    code: Any = None
    for block in _BLOCK.finditer(page):
        if block["kind"] in ("python", "assembler"):
            code = block
        elif block["kind"] != "text" or code is None:
            raise ValueError(f"{path}: what is ```{block['kind']}?")
        else:
            title = [text for start, text in headings if start < code.start()][-1]
            stage, _, version = block["words"].partition(" ")
            if bool(version) is not (code["kind"] == "python"):
                raise ValueError(f"{path}: {title}: a compiler's version goes with Python")
            span = slice(block.start("text"), block.end("text"))
            yield StageCase(path, title, code["kind"], code["text"], stage, version, block["text"], span)


def held(case: StageCase, code: Any) -> str:
    """The text of what is held after the stage of ``case``. Raises ValueError if ``code`` does not get there."""
    out = io.StringIO()
    try:
        analyze(code, stepper=Stepper(stop_after=case.stage, out=out))
    except StopStepping:
        return "".join(line.rstrip() + "\n" for line in out.getvalue().splitlines()[1:])
    raise ValueError(f"{case.name}: the decompiler never comes there")


def code_of(case: StageCase) -> Any:
    """The code of a case. Raises KeyError if it is not kept."""
    if case.kind == "assembler":
        return assemble(program(case.source))
    return function_in(kept(case.path)[case.version][case.source], case.version)


def function_in(code: str, version: str) -> RawCode:
    """The first function of a module."""
    major, minor = map(int, version.split("."))
    return read_code(unpacked(code), (major, minor)).nested[0]


def kept(path: Path) -> Dict[str, Dict[str, str]]:
    """Version -> text -> code, for the files in the folder of ``path``."""
    file = path.parent / KEPT
    return json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def _compile(paths: List[Path]) -> None:
    """Keep the code of all cases in the folders of ``paths``, and no other."""
    for folder in sorted({path.parent for path in paths}):
        known, wanted = kept(folder / KEPT), {}
        for case in (case for path in sorted(folder.glob("*.md")) for case in cases_of(path)):
            if case.kind == "python":
                code = known.get(case.version, {}).get(case.source) or compiled(case.source, case.version)
                wanted.setdefault(case.version, {})[case.source] = code
        if wanted:
            text = json.dumps(wanted, indent=1, sort_keys=True)
            (folder / KEPT).write_text(text + "\n", encoding="utf-8")


def _write(path: Path) -> None:
    page = path.read_text(encoding="utf-8")
    for case in reversed(list(cases_of(path))):
        text = held(case, code_of(case))
        if not text.strip():
            raise SystemExit(f"{case.name}: there is no text")
        page = page[: case.span.start] + text + page[case.span.stop :]
    path.write_text(page, encoding="utf-8")


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", nargs="*", type=Path, metavar="FILE.md", required=True)
    paths = [path.resolve() for path in parser.parse_args().write] or files()
    _compile(paths)
    for path in paths:
        _write(path)


if __name__ == "__main__":
    _main()
