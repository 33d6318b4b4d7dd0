"""``depyf verify``, and ``depyf diff`` of compiled files. Imports only the options until it runs."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from typing import Any

__all__ = ["add_command", "diff_files", "verify"]

_DESCRIPTION = """\
Compare compiled files with their sources: compile each source with the CPython that wrote the file, and compare the
codes. Where they differ, print the statements that only one of them has. Nothing of a file is executed.

path:
  FOLDER                 all .pyc files below it
  FILE.pyc               one file; its source is the one that an import would take, or that of --source
  FILE.py                the compiled files of one source
  FILE.whl, .zip, ...    those in a wheel, egg, zip or tar file (sdist), or in a program by PyInstaller, cx_Freeze,
                         py2exe or zipapp, which is not unpacked
"""

_EPILOG = """\
exit status: 0 all fine: identical, identical but for line numbers, or proven to do the same; 1 a file differs;
2 trouble: a file was not checked, has no source, or there is no such path
"""


def add_command(commands: Any) -> None:
    """Add the subcommand to the command line."""
    command = commands.add_parser(
        "verify", help="compare compiled files with their sources", description=_DESCRIPTION, epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    command.add_argument("paths", nargs="+", metavar="PATH", help="what to check, see above")
    command.add_argument(
        "--source", metavar="FILE", help="the source of the one .pyc file, or the folder of all sources"
    )
    command.add_argument(
        "--optimize", type=int, choices=(0, 1, 2), metavar="{0,1,2}",
        help="the level of optimisation (default: as the name says, .opt-1 or .opt-2, else 0)",
    )  # fmt: skip
    command.add_argument("--decompile", action="store_true", help="print the text of files without source")
    command.add_argument("-v", "--verbose", action="store_true", help="print a line for files that are fine, too")
    command.add_argument("-q", "--quiet", action="store_true", help="print nothing: the exit status tells")
    form = command.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print the reports as JSON")
    form.add_argument("--sarif", action="store_true", help="print what is not fine as SARIF")


def verify(options: argparse.Namespace) -> int:
    """``depyf verify``."""
    from .. import __version__
    from ..errors import DepyfError
    from .check import iter_reports, verify_file
    from .printed import json_text, lines_of, sarif, summary
    from .report import TROUBLE, worst

    is_folder = options.source is not None and os.path.isdir(options.source)
    if options.source is not None and not is_folder and len(options.paths) != 1:
        raise DepyfError("--source names the source of one file, or a folder")
    as_text = not (options.json or options.sarif or options.quiet)
    counts: Counter[Any] = Counter()
    reports, statuses, trouble = [], [], False
    for path in options.paths:
        try:
            if options.source is not None and not is_folder:
                found: Any = [
                    verify_file(path, options.source, optimize=options.optimize, decompiled=options.decompile)
                ]
            else:
                found = iter_reports(path, options.source, optimize=options.optimize, decompiled=options.decompile)
            for report in found:
                counts[report.status] += 1
                statuses.append(report.exit_status)
                if options.json or options.sarif:
                    reports.append(report)
                elif as_text and (options.verbose or not report.fine):
                    _print("\n".join(lines_of(report)))
        except DepyfError as error:
            trouble = True
            print(f"depyf verify: {error}".encode("ascii", "backslashreplace").decode(), file=sys.stderr)
    if options.json:
        print(json_text(reports, __version__))
    elif options.sarif:
        print(sarif(reports, os.getcwd(), __version__), end="")
    elif as_text:
        _print(summary(counts))
    return worst([*statuses, *([TROUBLE] if trouble else [])])


def diff_files(before: str, after: str) -> int:
    """``depyf diff`` of two compiled files."""
    from .between import between
    from .printed import change_lines

    found = between(before, after)
    lines = [f"removed  {name}" for name in found.removed] + [f"added    {name}" for name in found.added]
    _print("\n".join(line.encode("unicode_escape").decode() for line in lines), end="\n" if lines else "")
    for change in found.changes:
        _print("\n".join(change_lines(change, (f"in {before}", f"in {after}"))))
    if found.note:
        _print(found.note)
    if not found:
        _print("equal but for line numbers" if found.lines_alone else "equal")
    return 1 if found else 0


def _print(text: str, end: str = "\n") -> None:
    """Print the text, with escapes for characters that the terminal lacks."""
    encoding = sys.stdout.encoding or "ascii"
    print(text.encode(encoding, "backslashreplace").decode(encoding), end=end, flush=True)
