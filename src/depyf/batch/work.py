"""One file -> its outcome. Runs in any process: what it takes and gives can be pickled."""

from __future__ import annotations

from typing import NamedTuple, Tuple

from ..decompiler.definition import analyze_definition
from ..decompiler.driver.settings import DEFAULT
from ..decompiler.limits.deep_stack import with_room
from ..decompiler.pipeline import standalone
from ..errors import DepyfError
from ..files.content import read_compiled
from ..targets import TargetError, find_definition
from .outcome import Outcome, outcome_of, warned, with_header, with_line_map

Version = Tuple[int, int]


class Task(NamedTuple):
    """One file to decompile: its name and its content, or the ``target`` for `find_definition`.

    ``output`` is the file to write, '' if none is.
    """

    path: str
    data: bytes | None = None
    target: str = ""
    output: str = ""


class Options(NamedTuple):
    """How to decompile all files; can be pickled, unlike settings.

    ``layout``, ``rewritten_asserts`` and ``budget`` are as for `depyf.decompile`, ``version`` is the CPython of code
    without a header; ``header`` and ``line_map`` put comments into each text.
    """

    layout: str = "compact"
    rewritten_asserts: bool = False
    budget: int | None = None
    version: Version | None = None
    header: bool = True
    line_map: bool = False


DEFAULT_OPTIONS = Options()


def work(task: Task, options: Options) -> Outcome:
    """Decompile one file; whatever is wrong with it is the outcome's ``error``."""
    try:
        if task.target:
            found = find_definition(task.target, options.version, task.data)
        else:
            found = read_compiled(task.data or b"", "it", options.version)
        settings = DEFAULT._replace(layout=options.layout, rewritten_asserts=options.rewritten_asserts)
        result = with_room(lambda: analyze_definition(found, settings=settings, budget=options.budget))
        outcome = outcome_of(task.path, result, standalone(result))
        if options.header:
            outcome = with_header(outcome, at_the_end=options.layout == "author")
        outcome = warned(outcome)
        return with_line_map(outcome) if options.line_map else outcome
    except TargetError as error:
        return Outcome(task.path, error=str(error).replace(f"{task.path} ", "it ", 1))
    except DepyfError as error:
        return Outcome(task.path, error=str(error))
    except (RecursionError, MemoryError) as error:
        return Outcome(task.path, error=f"too deep or too large: {type(error).__name__}")
