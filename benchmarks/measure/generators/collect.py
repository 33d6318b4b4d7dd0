"""Runs a program that makes a library generate code, and keeps every code object that was not compiled from a file.

    python collect.py LIBRARY FOLDER

LIBRARY names a module beside this one. Its ``generate(folder)`` makes the library generate code, ``folder`` being empty
and its own; it may also give code objects. ``rewritten(filename)``, if it has one, says of which files the code is kept
although they exist: the library has rewritten what they say. Code is seen when it is executed (audit events), and is
written to FOLDER as marshal data, each once.
"""

from __future__ import annotations

import hashlib
import importlib
import marshal
import os
import sys
import tempfile
import types


class Collector:
    """An audit hook that keeps the code objects it sees."""

    def __init__(self, rewritten) -> None:
        self.rewritten = rewritten
        self.codes: list[types.CodeType] = []
        self.busy = False

    def __call__(self, event: str, arguments: tuple) -> None:
        if event in ("exec", "function.__new__") and not self.busy and isinstance(arguments[0], types.CodeType):
            self.busy = True
            try:
                if self.is_generated(arguments[0].co_filename):
                    self.codes.append(arguments[0])
            finally:
                self.busy = False

    def is_generated(self, filename: str) -> bool:
        if self.rewritten(filename):
            return True
        return not filename.startswith("<frozen ") and not os.path.exists(filename)


STAND_IN = "an object that marshal can't write"


def writable(code: types.CodeType) -> types.CodeType:
    """``code`` with constants that marshal can write: tools put functions among them."""
    return code.replace(co_consts=tuple(map(_writable, code.co_consts)))


def _writable(constant):
    if isinstance(constant, types.CodeType):
        return writable(constant)
    try:
        marshal.dumps(constant)
    except ValueError:
        return (STAND_IN, type(constant).__name__)
    return constant


def write(codes: list[types.CodeType], folder: str) -> int:
    """Write each code object once; the number of files."""
    names = set()
    for code in codes:
        data = marshal.dumps(writable(code))
        name = hashlib.sha256(data).hexdigest()[:16]
        if name not in names:
            names.add(name)
            with open(os.path.join(folder, name + ".code"), "wb") as file:
                file.write(data)
    return len(names)


def main(library: str, out: str) -> int:
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    sys.dont_write_bytecode = True
    module = importlib.import_module(library)
    collector = Collector(getattr(module, "rewritten", lambda filename: False))
    sys.addaudithook(collector)
    with tempfile.TemporaryDirectory() as folder:
        given = module.generate(folder) or []
        collector.codes += given
        collector.busy = True
        print(write(collector.codes, out), "files of generated code")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
