"""The commands ``depyf run``, ``depyf report`` and ``depyf diff``."""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import signal
import sys
import time
from typing import Any

from ..errors import ReportError, RunError
from ..escapes import printable
from ..sarif import COMMAND_MARK, plain_json
from ..terminal import say, say_coloured, warn, write_text
from .program import load_program
from .recording import record

__all__ = ["FOLDER", "add_commands", "diff", "report", "run", "where_to_read", "without_commands"]

FOLDER = "depyf_report"
_PAGE = "report.html"
_MOST_FILES = 12
_NO_PROGRAM = (".html", ".htm", ".json", ".txt", ".log")

# What GitHub's runners take for a command at the beginning of a line.
_COMMAND = re.compile(r"^( *):(?=:)")

_RUN = """\
Run a program as python would, and record what torch.compile makes of it. The program needs no change. At its end,
standard error says what broke, what was compiled again and what runs uncompiled; the folder has the rest.
"""
_REPORT = """\
Print what torch.compile did to each line of the program, from the folder of `depyf run` or of
depyf.prepare_debug, or from the log of a run with TORCH_TRACE=DIR. Needs no torch.
"""
_DIFF = """\
Compare two recordings: breaks, recompilations, graphs, kernels and guards that are new, gone or changed, line by line.
With one folder, the ranks in it are compared with rank 0.

Or compare two files, .pyc, .py, ARCHIVE:MEMBER or with :QUALNAME: functions that were added, removed and changed,
in statements. Or two archives, such as wheels: the Python files by what they compile to, others by their bytes; files
that only one has; and what the RECORD of each says otherwise.
"""


def add_commands(commands: Any) -> None:
    """Adds them to the command line."""
    command = commands.add_parser(
        "run", help="run a program and record what torch.compile does", description=_RUN,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        usage="depyf run [-o DIR] [--html] [--compare] [--every N] [--no-repros] [--time] [-q] [--json] "
        "[--own PACKAGE] (SCRIPT | -m MODULE | -c CODE) [ARGUMENT ...]",
    )  # fmt: skip
    command.add_argument("-o", "--output", metavar="DIR", default=FOLDER,
                         help=f"the folder to write (default: {FOLDER})")  # fmt: skip
    command.add_argument("--html", action="store_true", help=f"write the report as {_PAGE} too")
    command.add_argument("--compare", action="store_true",
                         help="name the first lines that compute something else once they are compiled")  # fmt: skip
    command.add_argument("--every", type=_calls, default=0, metavar="N",
                         help="with --compare: compare every Nth of the later calls as well")  # fmt: skip
    command.add_argument("--no-repros", dest="repros", action="store_false",
                         help="with --compare: keep no inputs of what is wrong")  # fmt: skip
    command.add_argument("--time", action="store_true",
                         help="time each kernel on the CPU, at all lines of the program that are in it")  # fmt: skip
    command.add_argument("-q", "--quiet", action="store_true", help="print no summary at the end")
    command.add_argument("--own", action="append", default=[], metavar="PACKAGE",
                         help="an installed package that is yours, as the program's files are; repeatable")  # fmt: skip
    command.add_argument("--json", action="store_true", help="print the report as JSON, to standard error")
    command.add_argument("-m", dest="module", nargs=argparse.REMAINDER, metavar="MODULE",
                         help="run a module, with the arguments that follow")  # fmt: skip
    command.add_argument("-c", dest="code", nargs=argparse.REMAINDER, metavar="CODE",
                         help="run a text, with the arguments that follow")  # fmt: skip
    command.add_argument("program", nargs=argparse.REMAINDER, metavar="SCRIPT", help="run a script, with its arguments")
    command = commands.add_parser(
        "report", help="print what torch.compile did to each line of a program", description=_REPORT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    command.add_argument("folder", metavar="DIR", help="the folder of a recording or of TORCH_TRACE, or one log of it")
    command.add_argument("file", nargs="?", metavar="FILE[:LINE]", help="one source file, or one line of it")
    command.add_argument("--own", action="append", default=[], metavar="PACKAGE",
                         help="an installed package that is yours, for logs of TORCH_TRACE; repeatable")  # fmt: skip
    command.add_argument("--all", action="store_true", help="show lines without remarks too")
    command.add_argument("--format", choices=["text", "html", "json", "sarif", "github"], default="text",
                         help="text (default), one HTML file, JSON, SARIF, or annotations for GitHub")  # fmt: skip
    command.add_argument("--source", action="append", default=[], metavar="DIR",
                         help="read source files below DIR; without it, those below the recording alone")  # fmt: skip
    command = commands.add_parser(
        "diff", help="compare what torch.compile did in two runs, two files, or two wheels", description=_DIFF,
        epilog="exit status: 0 equal; 1 different; 2 trouble", formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    command.add_argument("before", metavar="DIR", help="the folder of a recording, a file or an archive")
    command.add_argument(
        "after", nargs="?", metavar="DIR", help="the other one (default: compare the ranks in the first)"
    )  # fmt: skip


def _calls(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of calls: it must be 1 or more")
    return int(text)


def run(options: argparse.Namespace, path: list[str] | None = None) -> int:
    """``depyf run``: returns when the program has ended well. ``path`` is the `sys.path` that Python started with."""
    from ..owners import own

    try:
        kind, words = _program(options)
        program = load_program(kind, words[0], words[1:], path)
    except RunError as error:
        warn(f"depyf run: {error}")
        return 2
    except SyntaxError as error:  # of the program: shown as by the interpreter
        sys.excepthook(type(error), error.with_traceback(None), None)
        return 1
    base = os.getcwd()
    own([*options.own, *(["<string>"] if kind == "code" else [])])

    def at_end(session: Any, failure: Exception | None) -> None:
        from ..explain.report.remarks.stored import Report, report_of

        found = report_of(session) if session is not None else Report(counts={"functions": 0})
        if failure is not None:
            warn(f"depyf run: no recording: {type(failure).__name__}: {failure}", stream=sys.__stderr__)
        elif not options.quiet:
            _say(session, found, options, base, started)
        if interrupted:
            _end_by_interrupt()

    record(os.path.abspath(options.output), at_end, options.html, shows_progress=not options.quiet,
           comparing={"every": options.every, "repros": options.repros} if options.compare or options.every else None,
           times=options.time)  # fmt: skip
    interrupted = False
    started = time.time()
    try:
        program()
    except KeyboardInterrupt:
        interrupted = True
        raise
    return 0


def _end_by_interrupt() -> None:
    """Ends the process as the interpreter does after a KeyboardInterrupt of a script: by the signal."""
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.kill(os.getpid(), signal.SIGINT)


def _formatted(found: Any, form: str, base: str) -> str:
    from .. import __version__
    from ..explain.report.remarks.for_ci import github, sarif

    if form == "html":
        from ..explain.report.html.report_page import report_page

        return COMMAND_MARK.sub("#&#35;", report_page(found, base))
    remarks = found.printable().remarks
    if form == "github":
        return COMMAND_MARK.sub("#\\\\x23", "\n".join(github(remarks, base)))
    text = plain_json(found.to_json()) if form == "json" else sarif(remarks, base, __version__)
    return text.rstrip("\n")


def where_to_read(directory: str, base: str, html: bool) -> str:
    """The last line about a report that was written: the file to open first, and the command that prints it."""
    from ..explain.report.remarks.answer import short

    folder = short(directory, base)
    return f"{os.path.join(folder, _PAGE if html else 'README.md')}    depyf report {folder}"


def without_commands(text: str) -> str:
    """A line for people that is no command to a CI runner that reads the output."""
    return COMMAND_MARK.sub("#\\\\x23", _COMMAND.sub(r"\1\\x3a", text))


def _program(options: argparse.Namespace) -> tuple[str, list[str]]:
    """The kind of the program, and its name with its arguments. Raises RunError."""
    kind, words = "script", options.program[options.program[:1] == ["--"] :]
    if options.module is not None or options.code is not None:
        kind, words = ("code", options.code) if options.module is None else ("module", options.module)
    if not words:
        raise RunError("what to run? A script, -m MODULE or -c CODE")
    given = ("--html", options.html), ("--json", options.json), ("-q", options.quiet)
    flags = [flag for flag, is_given in given if is_given]
    if kind == "script" and flags and words[0].lower().endswith(_NO_PROGRAM):
        where = f"; the page will be {os.path.join(options.output, _PAGE)}" if options.html else ""
        raise RunError(f"{words[0]} is no program: {flags[0]} takes no value{where}")
    return kind, words


def _of_children(session: Any, directory: str, started: float, base: str) -> list[str]:
    """A line for each process of the program that has a recording of its own, this one left out."""
    from ..explain.report.remarks.answer import short
    from ..explain.report.remarks.counts import count_words
    from ..explain.report.remarks.stored import FILE, Report

    own = session.directory if session is not None else ""
    above = os.path.dirname(own) if os.path.basename(own).startswith("process_") else own or os.path.abspath(directory)
    names = [name for name in os.listdir(above) if name.startswith("process_")] if os.path.isdir(above) else []
    lines = []
    for folder in [above, *(os.path.join(above, name) for name in sorted(names))]:
        path = os.path.join(folder, FILE)
        if folder != own and os.path.exists(path) and os.path.getmtime(path) >= started:
            with contextlib.suppress(ReportError):
                found = Report.read(folder)
                if found.counts["functions"] or found.remarks:
                    words = ", ".join(count_words(found.counts))
                    lines.append(f"another process: {words}    depyf report {short(folder, base)}")
    return lines


def _say(session: Any, found: Any, options: argparse.Namespace, base: str, started: float) -> None:
    from ..explain.report.remarks.answer import answer_lines

    if options.json:
        lines = [_formatted(found, "json", base)]
    else:
        own = os.path.basename(session.directory) if session is not None else ""
        lines = answer_lines(found.printable(), base, own.replace("_", " ") if own.startswith("rank_") else "")
        if session is not None:
            lines.append(where_to_read(session.directory, base, options.html))
        children = _of_children(session, options.output, started, base)
        if children and session is None:
            lines = [lines[0] + " in this process"]
        lines += children
    with contextlib.suppress(Exception):  # closed, or no file at all
        sys.stdout.flush()  # what the program has said comes first, where both are one pipe
    stream = sys.__stderr__ or sys.stderr
    if options.json:
        write_text(lines[0] + "\n", stream)
    else:
        warn(*map(without_commands, lines), stream=stream)


def report(options: argparse.Namespace) -> int:
    """``depyf report``."""
    from ..explain.report.remarks.ranks import first_divergence
    from ..owners import own
    from .reports import in_one_text, read_reports, text_of

    wanted, _, line = (options.file or "").partition(":")
    own(options.own)
    found = read_reports(options.folder, options.source, wanted)
    base = os.getcwd()
    if options.format != "text":
        text = in_one_text(found, options.format, options.folder, lambda one: _formatted(one, options.format, base))
        write_text(text + "\n")
        return 0
    colours = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    found = {name: one.printable() for name, one in found.items()}
    texts = {name: text_of(one, base, wanted, line, colours, options.all) for name, one in found.items()}
    if not any(texts.values()):
        warn(f"depyf report: no remarks on {wanted}")
        return 1
    apart = first_divergence(found, base) if len(found) > 1 and not wanted else ""
    parts = [[apart]] * bool(apart) + [[name] * bool(name) + lines for name, lines in texts.items() if lines]
    lines = [line for number, part in enumerate(parts) for line in [""] * bool(number) + part]
    say_coloured(*map(without_commands, lines))
    return 0


def diff(options: argparse.Namespace) -> int:
    """``depyf diff``."""
    from ..explain.report.remarks.difference import ranks_in

    before, after = options.before, options.after
    for one in filter(None, (before, after)):
        if not os.path.lexists(one):
            raise ReportError(f"there is no file or folder {one}")
        if not os.path.isdir(one):
            raise ReportError(f"{one} is no folder of a recording: two folders are compared, or two files")
    ranks = ranks_in(before)
    if after is not None:
        others = ranks_in(after)
        pairs = list(zip(ranks, others)) if ranks and len(ranks) == len(others) else [(before, after)]
    elif len(ranks) > 1:
        pairs = [(ranks[0], other) for other in ranks[1:]]
    else:
        raise ReportError(f"{before} has no folders of ranks to compare: name a second folder")
    said: list[str] = []
    if after is None:
        from ..explain.report.remarks.ranks import first_divergence
        from .reports import read_reports

        apart = first_divergence({name: one.printable() for name, one in read_reports(before).items()}, os.getcwd())
        said += [apart] * bool(apart)
    found = [_differences(*pair) for pair in pairs]
    for (_, right), (lines, _) in zip(pairs, found):
        if len(pairs) > 1:
            said.append("{}: {}".format(os.path.basename(right), "different" if lines else "equal"))
        said += lines
    if not any(lines for lines, _ in found) and len(pairs) == 1:
        said.append("equal")
    said += dict.fromkeys("not compared, as one is no recording: " + note for _, notes in found for note in notes)
    say(*map(without_commands, said))
    return 1 if any(lines for lines, _ in found) else 0


def _differences(before: str, after: str) -> tuple[list[str], list[str]]:
    """Lines on what differs, and notes on what one of the two does not hold."""
    from ..explain.from_trace.log import logs_in
    from ..explain.report.remarks.difference import changes, count_changes, files_that_differ, not_compared
    from .reports import read_report

    reports = read_report(before).printable(), read_report(after).printable()
    found = changes(*reports, bases=(os.getcwd(), os.getcwd()))
    rows = [(one.function, one.what, one.place, one.words) for one in found]
    widths = [max(map(len, column)) for column in list(zip(*rows))[:3]] if rows else []
    lines = ["  ".join([*map(str.ljust, row, widths), row[3]]).rstrip() for row in rows]
    counts = count_changes(*reports)
    lines += ["counts: " + ", ".join(counts)] if counts else []
    files = [] if logs_in(before) or logs_in(after) else [printable(one) for one in files_that_differ(before, after)]
    if len(files) > _MOST_FILES:
        lines.append(f"files that differ: {len(files)}")
    elif files:
        lines.append("files that differ: " + ", ".join(files))
    return lines, not_compared(*reports)
