"""The command line's options: one parser, from which completion and the manual page are made too (completion.py)."""

from __future__ import annotations

import argparse
import difflib
import os
import re
import sys
from typing import Any, Callable, NoReturn

from .. import __version__, terminal
from ..run.attach import add_command as add_attach
from ..run.command import add_commands
from ..verification.command import add_command

__all__ = ["parse"]

DESCRIPTION = """\
Print the source of compiled Python, recompiled and compared with the original.

target:
  FILE.py                the whole file, compiled but not executed
  FILE.py:QUALNAME       one function, class or method: C.method, f.<locals>.g; f@12 picks the one at line 12
  FILE.pyc[:QUALNAME]    compiled code of CPython 3.7 to 3.15, whatever the file is called
  -                      standard input: any of these files
  module[:QUALNAME]      the file of a module on the import path, which is not imported (but see --import)
  FOLDER/, FILE.whl, ... all .pyc files in a folder, wheel, egg, zip or tar file, or in a program by PyInstaller,
                         cx_Freeze, py2exe or zipapp: with -o DIR
  ARCHIVE:MEMBER[:QUALNAME]
                         one file of an archive, as --list names it
"""

EPILOG = """\
exit status: 0 all proven; 1 some of it unproven or refused (the text says where); 2 no such target,
or the machine has not enough memory, files or threads; 3 refused
"""


class _Parser(argparse.ArgumentParser):
    """Wrong usage is two lines: the command's usage in short; what is wrong, and where all of it is told."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """What is unknown to a command is its error, not that of the program around it."""
        found, unknown = super().parse_known_args(args, namespace)
        if unknown:
            words = [word.partition("=")[0] for word in unknown if word.startswith("-")]
            known = [name for name in self._option_string_actions if name.startswith("--")]
            close = [one for word in words for one in difflib.get_close_matches(word, known, 1)]
            hint = f"; did you mean {', '.join(close)}?" if close else ""
            self.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
        return found, unknown

    def error(self, message: str) -> NoReturn:
        """Ends the program."""
        message = re.sub(
            r"argument (\S+): ignored explicit argument (.*)", r"argument \1 takes no value, but \2 was given", message
        )
        terminal.warn(f"usage: {self.in_short()}", f"{self.prog}: error: {message} (see `{self.prog} --help`)")
        self.exit(2)

    def in_short(self) -> str:
        """The usage without the options, on one line."""
        if self.usage is not None:
            return self.usage
        shown = [self.prog, "[OPTION ...]"]
        for action in self._get_positional_actions():
            name = str(action.metavar or action.dest)
            shown.append(
                {"?": "[{0}]", "*": "[{0} ...]", "+": "{0} [{0} ...]"}.get(str(action.nargs), "{0}").format(name)
            )
        return " ".join([*shown, *["..."] * (self._subparsers is not None)])


def parse(arguments: list[str] | None) -> argparse.Namespace:
    """The options of a command. Raises SystemExit for wrong usage, and where only help was asked for."""
    words = sys.argv[1:] if arguments is None else arguments
    parser = _parser(with_decompile=words[:1] == ["decompile"])  # the other commands begin without the decompiler
    if words[:1] in (["--print-completion"], ["--print-man"]):
        _print_parser(words)
    names = list(_commands_of(parser))
    if words and not words[0].startswith("-") and words[0] not in names:
        close = difflib.get_close_matches(words[0], names, 1)
        hint = f"; did you mean {close[0]}?" if close else f"; the commands are: {', '.join(names)}"
        hint = f"; did you mean `depyf decompile {words[0]}`?" if os.path.exists(words[0]) else hint
        parser.error(f"there is no command {words[0]!r}{hint}")
    options = parser.parse_args(arguments)
    if options.command is None:
        parser.error(f"name a command: {', '.join(names)}")
    if options.command == "decompile" and options.stop_after is not None:
        from ..decompiler.driver.passes import is_name
        from ..decompiler.driver.stepper import NAMES

        if not is_name(options.stop_after):
            command = _commands_of(parser)["decompile"]
            command.error(f"no stage {options.stop_after!r}; the stages are: {', '.join(NAMES)}")
    return options


def _print_parser(words: list[str]) -> NoReturn:
    """Print a script for a shell, or the manual page."""
    from .completion import SHELLS, completion, manual

    parser = _parser(with_decompile=True)
    if words[0] == "--print-man":
        terminal.write_text(manual(parser, _commands_of(parser)))
    elif words[1:] and words[1] in SHELLS:
        terminal.write_text(completion(words[1], parser, _commands_of(parser)))
    else:
        parser.error(f"--print-completion takes one of {', '.join(SHELLS)}")
    raise SystemExit(0)


def _commands_of(parser: argparse.ArgumentParser) -> dict[str, Any]:
    [commands] = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return dict(commands.choices)


def _parser(with_decompile: bool) -> _Parser:
    parser = _Parser(prog="depyf", description="A decompiler for Python bytecode and torch.compile.")
    parser.add_argument("--version", action="version", version=f"depyf {__version__}")
    parser.add_argument("--print-completion", metavar="SHELL", help="print a script for bash, zsh or fish")
    parser.add_argument("--print-man", action="store_true", help="print the manual page")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    command = commands.add_parser(
        "decompile",
        help="print the source of compiled Python",
        description=DESCRIPTION,
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    if with_decompile:
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
    return parser


def _add_decompile(command: argparse.ArgumentParser) -> None:
    from ..decompiler.driver.stepper import NAMES

    command.add_argument("targets", nargs="+", metavar="target", help="what to decompile, see above")
    command.add_argument(
        "-o", "--output", metavar="FILE",
        help="write the source to FILE instead of standard output; with several files, the folder to write to",
    )  # fmt: skip
    command.add_argument("--list", action="store_true", help="only list the compiled files in the targets")
    command.add_argument(
        "--only", action="append", default=[], metavar="GLOB",
        help="of folders and archives, only files whose names match, such as 'shop/*'; repeatable",
    )  # fmt: skip
    command.add_argument(
        "--results", metavar="FILE", help="write the verdicts of all files to FILE: .jsonl, or .parquet with pyarrow"
    )
    command.add_argument(
        "--scheduler", metavar="ADDRESS", help="with -o DIR, have a running Dask cluster do it: depyf-proven[dask]"
    )
    command.add_argument(
        "--again", action="store_true", help="with several files, write those again too that an earlier run has written"
    )
    command.add_argument(
        "-j", "--jobs", type=_at_least(1, "number of processes"), default=1, metavar="N",
        help="decompile N files at a time (default: 1)",
    )  # fmt: skip
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
        type=_at_least(0, "number of steps"),
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


def _at_least(least: int, what: str) -> Callable[[str], int]:
    """The type of a number; ``what`` is how argparse calls it in its message."""

    def number(text: str) -> int:
        found = int(text)
        if found < least:
            raise ValueError(text)
        return found

    number.__name__ = what
    return number


def _version(text: str) -> tuple[int, int]:
    from ..decompiler.bytecode.code.formats import FORMATS

    known = {"{}.{}".format(*version): version for version in FORMATS}
    if text not in known:
        raise argparse.ArgumentTypeError(f"depyf reads code of {', '.join(known)}, not of {text!r}")
    return known[text]
