"""The command line: ``depyf decompile``, ``disasm``, ``verify``, ``run``, ``report``, ``diff``, ``doctor``, ..."""

from __future__ import annotations

import _thread
import argparse
import contextlib
import os
import signal
import sys
import threading
import time
from types import FrameType
from typing import TYPE_CHECKING, Any, Iterator, NoReturn

from .. import terminal
from ..errors import DecompilationError, DepyfError
from ..run.attach import attach
from ..run.command import diff, report, run
from ..verification.command import diff_files, verify
from ..writing import write_file
from .options import parse
from .verdict_lines import summary, verdicts

if TYPE_CHECKING:
    from ..decompiler.driver.result import Result

PROVEN, PARTLY, FAILED, REFUSED = 0, 1, 2, 3
"""Exit status: all of it proven; some of it unproven or refused; no such target or bad usage; the target refused."""

INTERRUPTED, TERMINATED, CLOSED_PIPE = 130, 143, 141
"""Exit status where a signal has ended it, or nobody reads its output: that of shells."""


def main(arguments: list[str] | None = None, path: list[str] | None = None) -> int:
    """Run the command line; returns the exit status. Errors of depyf go to standard error, as one sentence.

    ``path`` is the `sys.path` of a program that ``depyf run`` runs, if that is another one.
    """
    try:
        with _ended_by_signals() as lost:
            options = parse(arguments)
            if options.command != "run":
                _open_closed_streams()
                status = _status(options)
                if lost:
                    raise lost.pop()
                return status
    except BrokenPipeError:  # of `| head`: nobody reads on
        return CLOSED_PIPE
    except KeyboardInterrupt:
        # An interrupt inside `exec` of a text makes CPython end by the signal, until another text has run
        # (`run_eval_code_obj` in Python/pythonrun.c).
        exec("")
        return _stopped("interrupted", INTERRUPTED)
    except _Terminated:
        return _stopped("terminated", TERMINATED)
    except Exception as error:
        return _failed(error)
    finally:
        terminal.close()
    return run(options, path)  # its errors and signals are the program's


def _status(options: argparse.Namespace) -> int:
    """The exit status of a command; errors of depyf are printed."""
    try:
        return _COMMANDS[options.command](options)
    except DecompilationError as error:
        terminal.warn(f"depyf: {error}", *(error.instructions.split("\n") if error.instructions else ()))
        return REFUSED
    except DepyfError as error:
        terminal.warn(f"depyf: {error}")
        return FAILED


def _failed(error: Exception) -> int:
    """One line for what no code here expects: a limit of the machine, or a mistake of ours."""
    if os.environ.get("DEPYF_TRACEBACK"):
        raise error
    if isinstance(error, MemoryError):
        text = "there is not enough memory"
    elif isinstance(error, OSError):
        text = " ".join(filter(None, (error.strerror or str(error), os.fsdecode(error.filename or ""))))
    elif isinstance(error, RuntimeError) and "new thread" in str(error):
        text = "the system starts no more threads"
    else:
        what = " ".join(f"{type(error).__name__}: {error}".split())
        text = f"internal error: {what[:500]}; please report it, with what DEPYF_TRACEBACK=1 shows"
    with contextlib.suppress(OSError, DepyfError):
        terminal.warn(f"depyf: {text}")
    return FAILED


def _open_closed_streams() -> None:
    """Those that the caller has closed: a file that is opened here must not get the number of one."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))


class _Terminated(BaseException):
    """SIGTERM has come."""


@contextlib.contextmanager
def _ended_by_signals() -> Iterator[list[type[BaseException]]]:
    """In the block SIGTERM is an exception, so that files in progress are removed, unless the caller handles it.

    An exception in a finalizer is only reported: there, SIGTERM and SIGINT are sent again a moment later. What a block
    that ends before that moment must raise is in the list.
    """
    lost: list[type[BaseException]] = []

    def end(number: int, frame: FrameType | None) -> NoReturn:
        raise _Terminated

    def send_again(number: int) -> None:
        time.sleep(0.01)
        if lost:
            lost.clear()
            signal.raise_signal(number)

    def heard(report: Any) -> None:
        number = {_Terminated: signal.SIGTERM, KeyboardInterrupt: signal.SIGINT}.get(report.exc_type)
        if number is None:
            before(report)
        else:
            lost.append(report.exc_type)
            _thread.start_new_thread(send_again, (number,))

    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield lost
        return
    before = sys.unraisablehook
    try:
        sys.unraisablehook = heard
        signal.signal(signal.SIGTERM, end)
        yield lost
    finally:
        lost.clear()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        sys.unraisablehook = before


def _stopped(why: str, status: int) -> int:
    """Say why, in one line; ``status``."""
    with contextlib.suppress(OSError, DepyfError):
        terminal.warn(f"depyf: {why}")
    return status


def _decompile(options: argparse.Namespace) -> int:
    from types import CodeType

    from ..batch.tasks import is_batch
    from ..decompiler.bytecode import RawCode
    from ..decompiler.definition import Definition, analyze_definition
    from ..decompiler.driver.settings import DEFAULT
    from ..decompiler.driver.stepper import Stepper, StopStepping
    from ..decompiler.pipeline import analyze
    from ..targets import find_definition, imported

    if options.imports and (options.list or len(options.targets) > 1):
        raise DepyfError("--import takes a single target")
    if not options.imports and (
        options.list or options.results or options.scheduler or is_batch(options.targets, options.output)
    ):
        return _decompile_many(options)
    one = options.targets[0]
    found = imported(one) if options.imports else find_definition(one, options.python)
    target = found.code if isinstance(found, Definition) else found
    stepper = Stepper(stop_after=options.stop_after, steps=options.steps, checks=options.check, out=terminal.Lines())
    if options.layout is None:
        whole = isinstance(found, (RawCode, CodeType))
        options.layout = "author" if whole and not stepper.listens else "compact"
    try:
        settings = DEFAULT._replace(
            rewritten_asserts=options.rewritten_asserts, checks=options.check, layout=options.layout
        )
        if stepper.listens:
            result = analyze(target, settings=settings, stepper=stepper, budget=options.budget)
        else:
            result = analyze_definition(found, settings=settings, budget=options.budget)
    except StopStepping:
        return PROVEN
    if options.stop_after is not None:
        seen = ", ".join(stepper.seen) or "none"
        raise DepyfError(f"the decompiler never reached {options.stop_after!r}; stages it passed: {seen}")
    if options.verdicts:
        terminal.warn(*verdicts(result))
    if result.form == "refused" and options.strict and not options.json:
        from ..decompiler import decompile

        # Raises, with the reason and the instructions.
        decompile(target, budget=options.budget, rewritten_asserts=options.rewritten_asserts)
    _write_result(result, options)
    terminal.warn(*summary(result))
    if result.form == "refused":
        return REFUSED
    return PROVEN if result.proven else PARTLY


def _decompile_many(options: argparse.Namespace) -> int:
    from ..batch.command import list_files, run_batch
    from ..batch.tasks import is_tree
    from ..batch.work import Options

    if options.list:
        return list_files(options.targets, options.only)
    if options.output is None and not options.json and any(map(is_tree, options.targets)):
        raise DepyfError("the files of a folder or an archive need a folder to write to: name it with -o DIR")
    if options.steps or options.verdicts or options.check or options.stop_after:
        raise DepyfError("--steps, --stop-after, --check and --verdicts take a single target")
    how = Options(
        options.layout or "author", options.rewritten_asserts, options.budget, options.python,
        options.header is not False, options.linemap,
    )  # fmt: skip
    return run_batch(options.targets, options.output, how, as_json=options.json, again=options.again, jobs=options.jobs,
                     only=options.only, results=options.results, address=options.scheduler)  # fmt: skip


def _write_result(result: Result, options: argparse.Namespace) -> None:
    """Print or write one text, or print its record."""
    from ..decompiler.look_alikes import with_warnings

    if not (options.header or options.linemap or options.json):
        _write(with_warnings(_text(result)), options.output)
        return
    from ..batch.command import json_text
    from ..batch.outcome import outcome_of, warned, with_header, with_line_map

    outcome = outcome_of(options.targets[0], result, _text(result))
    if options.header:
        outcome = with_header(outcome, at_the_end=options.layout == "author")
    outcome = warned(outcome)
    if options.linemap and not options.json:
        outcome = with_line_map(outcome)
    if options.output is not None or not options.json:
        _write(outcome.text or "", options.output)
    if options.json:
        record = outcome._replace(written=options.output or "").to_dict(options.linemap)
        terminal.write_text(json_text([record]) + "\n")


def _coverage(options: argparse.Namespace) -> int:
    import json

    from ..coverage.report import all_versions, coverage, table

    known = {f"{major}.{minor}": (major, minor) for major, minor in all_versions()}
    for version in options.versions:
        if version not in known:
            raise DepyfError(f"depyf has no opcode table for {version!r}, only for {', '.join(known)}")
    measured = coverage([known[version] for version in options.versions or known])
    if options.json:
        terminal.write_text(json.dumps(measured, indent=1) + "\n")
    else:
        terminal.say(*table(measured))
    return PROVEN


def _diff(options: argparse.Namespace) -> int:
    if options.after is not None and not os.path.isdir(options.before) and not os.path.isdir(options.after):
        return diff_files(options.before, options.after)
    return diff(options)


def _disasm(options: argparse.Namespace) -> int:
    from ..targets import find_target, imported
    from .disassembly import dot, listing, raw_code, svg

    raw = raw_code(imported(options.target) if options.imports else find_target(options.target, options.python))
    if options.svg:
        terminal.write_text(svg(raw))
    elif options.cfg:
        terminal.write_text("\n".join(dot(raw)) + "\n")
    else:
        terminal.say(*listing(raw))
    return PROVEN


def _doctor(options: argparse.Namespace) -> int:
    from .doctor import lines

    terminal.say(*lines())
    return PROVEN


_COMMANDS = {
    "attach": attach, "coverage": _coverage, "decompile": _decompile, "diff": _diff, "disasm": _disasm,
    "doctor": _doctor, "report": report, "verify": verify,
}  # fmt: skip


def _text(result: Result) -> str:
    from ..decompiler.pipeline import standalone

    text: str = standalone(result)
    return text if text.endswith("\n") else text + "\n"


def _write(text: str, path: str | None) -> None:
    if path is None:
        terminal.write_text(text)
        return
    try:
        write_file(path, text)
    except OSError as error:
        raise DepyfError(f"can't write {path}: {error.strerror}") from error
