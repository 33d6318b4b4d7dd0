"""What the page shows, as JSON: a request and files -> what depyf says. Runs in the worker of the page, under Pyodide.

The page draws; whatever has to be known about Python is known here. Nothing of a file is executed.
"""

from __future__ import annotations

import io
import json
import keyword
import os
import re
import tokenize
from itertools import islice
from types import CodeType
from typing import Any, Callable, Iterator, Tuple

from depyf.cli.disassembly import graph, heading, raw_code, rows
from depyf.cli.verdict_lines import summary
from depyf.decompiler.bytecode import RawCode
from depyf.decompiler.driver.result import Result
from depyf.decompiler.driver.stepper import Stepper
from depyf.decompiler.look_alikes import with_warnings
from depyf.decompiler.pipeline import analyze, standalone
from depyf.errors import DecompilationError, DepyfError
from depyf.escapes import printable
from depyf.files.content import Kind, kind_of
from depyf.files.opening import open_inner, open_tree
from depyf.files.trees import Problem, Unreadable
from depyf.targets import code_in, read_file

MOST_ROWS = 20_000
"""Of a disassembly, blocks or steps in one answer: a page with more is no help to read, and slow."""
_MOST_COLOURED = 5_000  # lines
_MOST_MEMBERS = 20_000
_ARCHIVES = re.compile(r".*\.(whl|zip|egg|tar|tgz|gz|bz2|xz|pyz|pkg|exe)\Z", re.IGNORECASE)

Piece = Tuple[str, str]


def answer(request: str) -> str:
    """The answer to a request, both as JSON; ``error`` says why there is none."""
    asked = json.loads(request)
    try:
        found: dict[str, Any] = _ANSWERS[asked["do"]](asked)
    except DepyfError as error:
        found = {"error": _shown(str(error))}
    except RecursionError:
        found = {"error": "nested too deep for this interpreter's stack"}
    except MemoryError:
        found = {"error": "there is not enough memory for it here"}
    except Exception as error:
        found = {"error": f"internal error: {type(error).__name__}: {_shown(str(error))}; please report it"}
    return json.dumps(found)


def _shown(text: str) -> str:
    """Without the folder of the files, and on one line."""
    return printable(re.sub(r"/files/\d/", "", text))[:2000]


def _open(asked: dict[str, Any]) -> dict[str, Any]:
    """What the file is; of an archive, what is in it."""
    path = asked["file"]
    tree = open_tree(path)
    if tree.kind == "folder":  # that of a single file
        return {"archive": None}
    members, unread = [], []
    for one in tree.compiled():
        if isinstance(one, Unreadable):
            unread.append([printable(one.name), printable(one.reason)])
        else:
            members.append(one)
    members += [name for name in tree.others if name.endswith((".py", ".pyw")) or _ARCHIVES.match(name)]
    return {"archive": tree.description, "members": members[:_MOST_MEMBERS], "unread": unread[:100],
            "left": max(len(members) - _MOST_MEMBERS, 0)}  # fmt: skip


def _member(asked: dict[str, Any]) -> dict[str, Any]:
    """Write one file of an archive to ``to``."""
    tree, name = open_tree(asked["file"]), asked["member"]
    for _ in tree.compiled():  # an archive knows its files after that
        pass
    try:
        data = tree.read(name)
    except Problem as error:
        inner = open_inner(tree, name, 1)
        raise DepyfError(inner.reason if isinstance(inner, Unreadable) else f"{name} {error}") from error
    with open(asked["to"], "wb") as file:
        file.write(data)
    return {}


def _code(asked: dict[str, Any]) -> Any:
    """The code of a file; ``python`` is the version of code that does not say it."""
    version = asked.get("python")
    return code_in(read_file(asked["file"]), os.path.basename(asked["file"]), tuple(version) if version else None)


def _decompile(asked: dict[str, Any]) -> dict[str, Any]:
    """The source with its colours, the code objects with their verdicts and where they are in it, the line map."""
    result = analyze(_code(asked), layout=asked["layout"])
    text = with_warnings(standalone(result))
    is_whole = text.startswith(result.source.rstrip())  # otherwise `standalone` has put a function around it
    lines = result.line_map if is_whole else {}
    starts = _starts(result, text, lines)
    units = []
    for one in result.walk():
        line = one.raw.firstlineno if one.raw is not None else 0
        units.append({
            "name": printable(one.qualname), "level": one.verdict.level.value, "proven": one.verdict.proven,
            "words": printable(one.verdict.describe()), "line": line, "row": starts[id(one)],
        })  # fmt: skip
    raw = result.raw
    version = ".".join(map(str, raw.version)) if raw is not None else ""
    return {
        "python": version, "filename": printable(raw.filename) if raw is not None else "", "text": text,
        "source": list(islice(_coloured(text), MOST_ROWS)), "left": max(text.count("\n") - MOST_ROWS, 0),
        "units": units, "lines": lines, "proven": result.proven,
        "summary": [line[2:] for line in map(printable, summary(result))],
    }  # fmt: skip


def _starts(result: Result, text: str, lines: dict[int, int]) -> dict[int, int]:
    """The line of the text where each code object of the result begins: `id` of its result -> line.

    The text is compiled by the running Python, whose code objects are paired by name; a newer one may have inlined
    some. Those, and all if it does not compile here, begin where the first line of theirs is, or around them.
    """
    try:
        code: CodeType | None = compile(text, "text", "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        code = None
    first: dict[int, int] = {}
    for row, line in sorted(lines.items(), reverse=True):
        first[line] = row
    found = {id(result): 1}
    todo: list[tuple[Result, CodeType | None]] = [(result, code)]
    if result.raw is not None and result.raw.name != "<module>" and code is not None:  # a function alone
        todo = [(result, next((one for one in code.co_consts if isinstance(one, CodeType)), None))]
    while todo:
        outer, code = todo.pop()
        inner = [one for one in code.co_consts if isinstance(one, CodeType)] if code is not None else []
        for one in outer.nested:
            here = next((other for other in inner if other.co_name == one.name), None)
            if here is not None:
                inner.remove(here)
                found[id(one)] = here.co_firstlineno
            else:
                line = one.raw.firstlineno if one.raw is not None else 0
                found[id(one)] = first.get(line, found[id(outer)])
            todo.append((one, here))
    return found


def _coloured(text: str) -> Iterator[list[Piece]]:
    """The pieces of each line with the CSS class of each."""
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    spans: dict[int, list[tuple[int, int, str]]] = {}
    if len(lines) <= _MOST_COLOURED:
        try:
            for one in tokenize.generate_tokens(io.StringIO(text).readline):
                css = _class(one)
                for row in range(one.start[0], one.end[0] + 1) if css else ():
                    begin = one.start[1] if row == one.start[0] else 0
                    end = one.end[1] if row == one.end[0] else 1 << 30
                    spans.setdefault(row, []).append((begin, end, css))
        except (tokenize.TokenError, SyntaxError):
            pass  # of a newer Python: what follows has one colour
    for row, line in enumerate(lines, 1):
        pieces: list[Piece] = []
        at = 0
        for begin, end, css in spans.get(row, ()):
            pieces += [(line[at:begin], ""), (line[begin:end], css)]
            at = min(end, len(line))
        yield [piece for piece in (*pieces, (line[at:], "")) if piece[0]]


_STRINGS = {number for number, name in tokenize.tok_name.items() if "STRING" in name}


def _class(token: tokenize.TokenInfo) -> str:
    if token.type in _STRINGS:
        return "s"
    if token.type == tokenize.COMMENT:
        return "c"
    if token.type == tokenize.NUMBER:
        return "n"
    return "k" if token.type == tokenize.NAME and keyword.iskeyword(token.string) else ""


def _of_each(asked: dict[str, Any], show: Callable[[RawCode], tuple[int, dict[str, Any]]]) -> dict[str, Any]:
    """What ``show`` says of each code object, until that is too long."""
    codes = list(raw_code(_code(asked)).walk())
    left = MOST_ROWS
    found = []
    for raw in codes:
        if left <= 0:
            break
        size, shown = show(raw)
        left -= size
        found.append({"name": printable(raw.qualname), **shown})
    return {"codes": found, "left": len(codes) - len(found)}


def _disassemble(asked: dict[str, Any]) -> dict[str, Any]:
    def show(raw: RawCode) -> tuple[int, dict[str, Any]]:
        found, failure = rows(raw)
        shown = [(one.line, one.offset, printable(one.stored), printable(one.canonical)) for one in found[:MOST_ROWS]]
        notes = [failure] if failure else []
        if len(found) > MOST_ROWS:
            notes.append(f"{len(found) - MOST_ROWS} more are left out: `depyf disasm` prints all")
        return len(found), {"heading": list(map(printable, heading(raw))), "rows": shown, "notes": notes}

    return _of_each(asked, show)


def _graph(asked: dict[str, Any]) -> dict[str, Any]:
    def show(raw: RawCode) -> tuple[int, dict[str, Any]]:
        try:
            blocks = graph(raw)
        except DecompilationError as error:
            return 1, {"blocks": [], "failure": printable(error.reason)}
        size = sum(len(block.instructions) for block in blocks)
        if size > MOST_ROWS // 10:
            return 1, {"blocks": [], "failure": f"{size} instructions are too many to draw: `depyf disasm --cfg`"}
        shown = [(one.start, list(map(printable, one.instructions)), one.edges) for one in blocks]
        return size, {"blocks": shown, "failure": ""}

    return _of_each(asked, show)


class _Stages(list):  # type: ignore[type-arg]
    """A stream for a `Stepper`: the stages with what each has left."""

    def write(self, text: str) -> None:
        if text.startswith("---- ") and len(text.split("\n")) == 2:
            self.append([text.split(" ", 2)[1], []])
        elif len(self) <= MOST_ROWS:
            self[-1][1] += map(printable, text.rstrip("\n").split("\n"))


def _steps(asked: dict[str, Any]) -> dict[str, Any]:
    stages = _Stages()
    analyze(_code(asked), layout="compact", stepper=Stepper(steps=True, out=stages))
    left = MOST_ROWS
    shown = []
    for name, lines in stages:
        if left > 0:
            shown.append([name, lines[:left]])
        left -= len(lines)
    return {"stages": shown, "left": len(stages) - len(shown)}


def _compare(asked: dict[str, Any]) -> dict[str, Any]:
    """A compiled file with its source as `depyf verify` does, any other two files as `depyf diff` does."""
    from depyf.verification.between import between
    from depyf.verification.check import verify_file
    from depyf.verification.printed import change_lines, lines_of

    before, after = asked["file"], asked["other"]
    kinds = [kind_of(read_file(path)) for path in (before, after)]
    names = [os.path.basename(path) for path in (before, after)]
    if kinds == [Kind.TEXT, Kind.COMPILED]:
        before, after, kinds = after, before, kinds[::-1]
    if kinds == [Kind.COMPILED, Kind.TEXT]:
        report = verify_file(before, after)
        lines = list(map(_shown, lines_of(report)))
        return {"equal": report.fine, "how": "verified against its source", "lines": lines}
    found = between(before, after)
    lines = [f"removed  {name}" for name in found.removed] + [f"added    {name}" for name in found.added]
    for change in found.changes:
        lines += change_lines(change, (f"in {names[0]}", f"in {names[1]}"))
    lines += [found.note] if found.note else []
    if not found:
        lines.append("equal but for line numbers" if found.lines_alone else "equal")
    return {"equal": not found, "how": "compared in statements", "lines": list(map(_shown, lines))}


def _report(asked: dict[str, Any]) -> dict[str, Any]:
    """The reports of torch.compile that a folder or a log holds, as HTML; by process."""
    from depyf.explain.report.html.report_page import report_page
    from depyf.run.reports import read_reports

    found = read_reports(asked["file"])
    return {"pages": [[name, report_page(report, os.path.dirname(asked["file"]))] for name, report in found.items()]}


_ANSWERS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "open": _open, "member": _member, "decompile": _decompile, "disassemble": _disassemble, "graph": _graph,
    "steps": _steps, "compare": _compare, "report": _report,
}  # fmt: skip
