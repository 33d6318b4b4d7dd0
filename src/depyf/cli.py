"""The command line: ``depyf decompile``, ``disasm``, ``verify``, ``run``, ``report``, ``diff``, ``doctor``, ..."""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import sys
import threading
from types import FrameType
from typing import TYPE_CHECKING, Any, Iterator, NoReturn

from . import __version__, terminal
from .errors import DecompilationError, DepyfError
from .escapes import printable
from .run.attach import add_command as add_attach
from .run.attach import attach
from .run.command import add_commands, diff, report, run
from .verification.command import add_command, diff_files, verify
from .writing import write_file

if TYPE_CHECKING:
    from .decompiler.driver.result import Result
    from .decompiler.proof import Verdict

PROVEN, PARTLY, FAILED, REFUSED = 0, 1, 2, 3
"""Exit status: all of it proven; some of it unproven or refused; no such target or bad usage; the target refused."""

INTERRUPTED, TERMINATED, CLOSED_PIPE = 130, 143, 141
"""Exit status where a signal has ended it, or nobody reads its output: that of shells."""

DESCRIPTION = """\
Print the source of compiled Python, recompiled and compared with the original.

target:
  FILE.py                the whole file, compiled but not executed
  FILE.py:QUALNAME       one function, class or method: C.method, f.<locals>.g; f@12 picks the one at line 12
  FILE.pyc[:QUALNAME]    compiled code of CPython 3.7 to 3.15, whatever the file is called
  -                      standard input: any of these files
  module[:QUALNAME]      the file of a module on the import path, which is not imported (but see --import)
  FOLDER/, FILE.whl, ... all .pyc files in a folder, wheel, egg, zip or tar file, or in a program by PyInstaller,
                         cx_Freeze, py2exe or zipapp; also several targets: with -o DIR
"""

EPILOG = """\
exit status: 0 all proven; 1 some of it unproven or refused (the text says where); 2 no such target,
or the machine has not enough memory, files or threads; 3 refused
"""


def main(arguments: list[str] | None = None, path: list[str] | None = None) -> int:
    """Run the command line; returns the exit status. Errors of depyf go to standard error, as one sentence.

    ``path`` is the `sys.path` of a program that ``depyf run`` runs, if that is another one.
    """
    with _ended_by_sigterm():
        try:
            options = _parse(arguments)
            if options.command != "run":
                _open_closed_streams()
                return _status(options)
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
def _ended_by_sigterm() -> Iterator[None]:
    """In the block SIGTERM is an exception, so that files in progress are removed, unless the caller handles it."""

    def end(number: int, frame: FrameType | None) -> NoReturn:
        raise _Terminated

    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield
        return
    signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


def _stopped(why: str, status: int) -> int:
    """Say why, in one line; ``status``."""
    with contextlib.suppress(OSError, DepyfError):
        terminal.warn(f"depyf: {why}")
    return status


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        super().error(printable(message))  # it can have the name of a file


def _parse(arguments: list[str] | None) -> argparse.Namespace:
    parser = _Parser(prog="depyf", description="A decompiler for Python bytecode and torch.compile.")
    parser.add_argument("--version", action="version", version=f"depyf {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    commands.required = True
    command = commands.add_parser(
        "decompile",
        help="print the source of compiled Python",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    words = sys.argv[1:] if arguments is None else arguments
    if words[:1] == ["decompile"]:  # the other commands begin without the decompiler
        _add_decompile(command)
    command = commands.add_parser(
        "disasm", help="print instructions as stored and as the decompiler sees them",
        description="Print the instructions of a target of `depyf decompile`, as stored and canonical, with lines, "
        "basic blocks (>) and handlers. A file is compiled, not run.",
    )  # fmt: skip
    command.add_argument("target", help="a file, FILE:QUALNAME or module:QUALNAME")
    _add_import(command)
    graph = command.add_mutually_exclusive_group()
    graph.add_argument("--cfg", action="store_true", help="print the control flow graph for Graphviz instead")
    graph.add_argument("--svg", action="store_true", help="print it as SVG: needs the program dot of Graphviz")
    command.add_argument("--python", type=_version, metavar="3.X", help="the CPython that made code without a header")
    add_command(commands)
    command = commands.add_parser(
        "coverage",
        help="show how far each opcode of each Python is decompiled",
        description="Decompile test programs on every CPython of this machine and print how far each opcode comes.",
    )
    command.add_argument("versions", nargs="*", metavar="3.X", help="versions of Python (default: all it reads)")
    command.add_argument("--json", action="store_true", help="print it as JSON")
    add_commands(commands)
    add_attach(commands)
    commands.add_parser(
        "doctor", help="print versions and interpreters, for bug reports",
        description="Print what a bug report needs: versions, the interpreters that are found, the platform.",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    if options.command == "decompile" and options.stop_after is not None:
        from .decompiler.driver.passes import is_name
        from .decompiler.driver.stepper import NAMES

        if not is_name(options.stop_after):
            parser.error(f"no stage {options.stop_after!r}; the stages are: {', '.join(NAMES)}")
    return options


def _add_decompile(command: argparse.ArgumentParser) -> None:
    from .decompiler.driver.stepper import NAMES

    command.add_argument("targets", nargs="+", metavar="target", help="what to decompile, see above")
    command.add_argument(
        "-o", "--output", metavar="FILE",
        help="write the source to FILE instead of standard output; with several files, the folder to write to",
    )  # fmt: skip
    command.add_argument("--list", action="store_true", help="only list the compiled files in the targets")
    command.add_argument(
        "--again", action="store_true", help="with several files, write those again too that an earlier run has written"
    )
    command.add_argument(
        "-j", "--jobs", type=_processes, default=1, metavar="N", help="decompile N files at a time (default: 1)"
    )
    command.add_argument(
        "--python", type=_version, metavar="3.X",
        help="the CPython that made code without a header, or with a magic number that depyf does not know",
    )  # fmt: skip
    command.add_argument(
        "--json", action="store_true",
        help="print verdicts, version and name of each file as JSON; the source too, unless -o says where to write it",
    )  # fmt: skip
    _add_import(command)
    command.add_argument("--linemap", action="store_true", help="add comments that map lines to original lines")
    header = command.add_mutually_exclusive_group()
    header.add_argument(
        "--header", action="store_true", default=None,
        help="start with comments: version, file name, verdict (the default with several files)",
    )  # fmt: skip
    header.add_argument("--no-header", dest="header", action="store_false", help="leave these comments out")
    command.add_argument("--verdicts", action="store_true", help="list the verdict of every code object")
    strict = command.add_mutually_exclusive_group()
    strict.add_argument(
        "--strict", action="store_true", default=True, help="a refused target is an error (the default)"
    )
    strict.add_argument(
        "--no-strict",
        dest="strict",
        action="store_false",
        help="print the instructions of a refused target as comments",
    )
    command.add_argument(
        "--budget",
        type=_whole,
        metavar="STEPS",
        help="stop after this much work, in steps of about ten microseconds, and refuse the rest (default: 200000)",
    )
    command.add_argument(
        "--layout",
        choices=("compact", "author"),
        help="author: put the source on the lines and in the columns that the line table tells, the default of whole"
        " files; compact: the default of a part of one",
    )
    command.add_argument("--rewritten-asserts", action="store_true", help="print asserts as pytest rewrote them")
    command.add_argument("--steps", action="store_true", help="show the representation after each stage")
    command.add_argument(
        "--stop-after",
        metavar="STAGE[:PASS]",
        help=f"show the representation after one stage or pass and stop; the stages are {', '.join(NAMES)}",
    )
    command.add_argument(
        "--check", action="store_true", help="check the invariants after each pass; a broken one is an error"
    )


def _add_import(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--import", action="store_true", dest="imports",
        help="import the module, which runs it, and take what QUALNAME is then: for what exists only at run time",
    )  # fmt: skip


def _processes(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError(text)
    return number


_processes.__name__ = "number of processes"  # as argparse calls it in its message


def _version(text: str) -> tuple[int, int]:
    from .decompiler.bytecode.code.formats import FORMATS

    known = {"{}.{}".format(*version): version for version in FORMATS}
    if text not in known:
        raise argparse.ArgumentTypeError(f"depyf reads code of {', '.join(known)}, not of {text!r}")
    return known[text]


def _whole(text: str) -> int:
    number = int(text)
    if number < 0:
        raise ValueError(text)
    return number


_whole.__name__ = "number of steps"  # as argparse calls it in its message


def _decompile(options: argparse.Namespace) -> int:
    from types import CodeType

    from .batch.tasks import is_batch
    from .decompiler.bytecode import RawCode
    from .decompiler.definition import Definition, analyze_definition
    from .decompiler.driver.settings import DEFAULT
    from .decompiler.driver.stepper import Stepper, StopStepping
    from .decompiler.pipeline import analyze
    from .targets import find_definition, imported

    if options.imports and (options.list or len(options.targets) > 1):
        raise DepyfError("--import takes a single target")
    if not options.imports and (options.list or is_batch(options.targets, options.output)):
        return _decompile_many(options)
    one = options.targets[0]
    found = imported(one) if options.imports else find_definition(one, options.python)
    target = found.code if isinstance(found, Definition) else found
    stepper = Stepper(
        stop_after=options.stop_after, steps=options.steps, checks=options.check, out=terminal.Lines()
    )
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
        from .decompiler import decompile

        # Raises, with the reason and the instructions.
        decompile(target, budget=options.budget, rewritten_asserts=options.rewritten_asserts)
    _write_result(result, options)
    terminal.warn(*summary(result))
    if result.form == "refused":
        return REFUSED
    return PROVEN if result.proven else PARTLY


def _decompile_many(options: argparse.Namespace) -> int:
    from .batch.command import list_files, run_batch
    from .batch.work import Options

    if options.list:
        return list_files(options.targets)

    if options.output is None and not options.json:
        raise DepyfError("several files need a folder to write to: name it with -o DIR")
    if options.steps or options.verdicts or options.check or options.stop_after:
        raise DepyfError("--steps, --stop-after, --check and --verdicts take a single target")
    how = Options(
        options.layout or "author", options.rewritten_asserts, options.budget, options.python,
        options.header is not False, options.linemap,
    )  # fmt: skip
    return run_batch(options.targets, options.output, how, as_json=options.json, again=options.again, jobs=options.jobs)


def _write_result(result: Result, options: argparse.Namespace) -> None:
    """Print or write one text, or print its record."""
    from .decompiler.look_alikes import with_warnings

    if not (options.header or options.linemap or options.json):
        _write(with_warnings(_text(result)), options.output)
        return
    from .batch.command import json_text
    from .batch.outcome import outcome_of, warned, with_header, with_line_map

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

    from .coverage.report import all_versions, coverage, table

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
    if options.after is not None and os.path.isfile(options.before) and os.path.isfile(options.after):
        return diff_files(options.before, options.after)
    return diff(options)


def _disasm(options: argparse.Namespace) -> int:
    from .disassembly import dot, listing, raw_code, svg
    from .targets import find_target, imported

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
    from .decompiler.pipeline import standalone

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


def verdicts(result: Result) -> list[str]:
    """One line for each code object of the result: verdict, place, and the reasons if it is not proven."""
    lines = []
    for unit in result.walk():
        lines.append(f"{unit.verdict.level.value:10} {_place(unit)}")
        lines += [f"{'':10}   {reason}" for reason in unit.verdict.reasons]
    return lines


def summary(result: Result) -> list[str]:
    """The verdict of the whole in one sentence, and what is not proven, as comments."""
    units = list(result.walk())
    open_ones = [unit for unit in units if not unit.verdict.proven]
    if not open_ones:
        levels = [unit.verdict.level.value for unit in units]
        counts = ", ".join(f"{levels.count(level)} {level}" for level in dict.fromkeys(levels))
        several = f"all {len(units)} code objects are proven: {counts}"
        lines = [f"{result.qualname}: {several if len(units) > 1 else result.verdict.describe()}"]
    else:
        lines = [f"{result.qualname}: {len(open_ones)} of {len(units)} code objects not proven:"]
        for unit in open_ones[:10]:
            reason = unit.verdict.reasons[0] if unit.verdict.reasons else "no reason given"
            lines.append(f"  {unit.verdict.level.value} {_place(unit)}: {reason}")
        if len(open_ones) > 10:
            lines.append(f"  and {len(open_ones) - 10} more: see --verdicts")
    if any(unit.verdict.lines is not None for unit in units):
        lines.append(_identical_places([unit.verdict for unit in units]))
    return ["# " + line for line in lines]


def _identical_places(verdicts: list[Verdict]) -> str:
    """For how many code objects the text compiles to the lines and columns of the original too."""
    words = "lines" if all(verdict.columns is None for verdict in verdicts) else "lines and columns"
    same = sum(bool(verdict.lines if words == "lines" else verdict.columns) for verdict in verdicts)
    return f"the {words} of {same} of {len(verdicts)} are those of the original"


def _place(unit: Any) -> str:
    return f"{unit.qualname} (line {unit.raw.firstlineno})"
