"""Opcodes and inline caches that no compiler stores: refused in a file; a live code object shows none.

Every CPython of this machine tries each of the 256 opcodes, in a file and in a live code object. The live ones are in
processes of their own: CPython does not survive some of them.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

import depyf
from depyf.decompiler.bytecode.interpreters import find_interpreter
from depyf.decompiler.bytecode.versions import TABLES

CHILD = """
import json, marshal, opcode, os, sys
from depyf.decompiler.bytecode import known_instructions, load, read_code
from depyf.decompiler.bytecode.reading.load import HOST_VERSION
from depyf.decompiler.bytecode.versions import TABLES
from depyf.errors import DepyfError

TABLE = TABLES[HOST_VERSION]
NOP = bytes([opcode.opmap["NOP"], 0])
ROOM = 14  # NOPs, in the place of which an instruction with its caches is put
START = 2 + 2 * TABLE.rows[TABLE.opcodes["RESUME"]].caches if TABLE.has_resume else 0
made = compile("def f(a, b): return a", "f", "exec").co_consts[0]
made = made.replace(co_code=made.co_code[:START] + NOP * ROOM + made.co_code[START:])


def with_units(number, caches):
    units = bytes([number, 0]) + caches
    return made.co_code[:START] + units + NOP * (ROOM - len(units) // 2) + made.co_code[START + 2 * ROOM :]


def read(raw):
    try:
        return [repr(one) for one in known_instructions(raw)]
    except DepyfError as error:
        return error.reason


def in_file(code):
    data = marshal.dumps(made)
    assert data.count(made.co_code) == 1
    return read(read_code(data.replace(made.co_code, code), HOST_VERSION))


def live(code):
    ends, other = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.close(2)
            found = made.replace(co_code=code)
            os.write(other, json.dumps([list(found.co_code), read(load(found))]).encode())
        finally:
            os._exit(0)
    os.close(other)
    with open(ends, "rb") as file:
        answer = file.read()
    os.waitpid(child, 0)
    return json.loads(answer) if answer else None


rows = []
for number in range(256):
    row = TABLE.rows.get(number)
    caches = row.caches if row is not None else 0
    if row is None:
        shown = live(with_units(number, bytes(24)))
        base = TABLE.rows.get(shown[0][START]) if shown is not None else None
        caches = base.caches if base is not None else 0
    for content in {bytes(2 * caches), b"\\1" * 2 * caches}:
        code = with_units(number, content)
        name = row.name if row is not None else ""
        kind = "unknown" if row is None else "internal" if row.rule == "internal" else "known"
        rows.append([number, name, kind, any(content), list(code), in_file(code), live(code)])
print(json.dumps(rows))
"""


@pytest.mark.parametrize("version", TABLES, ids=lambda version: ".".join(map(str, version)))
def test_a_file_and_a_live_code_object_are_read_alike(version):
    interpreter = find_interpreter(version)
    if interpreter is None or version < (3, 8):  # depyf itself runs there
        return
    path = str(Path(depyf.__file__).parents[1])
    environment = {**os.environ, "PYTHONPATH": path, "PYTHONMALLOC": "debug"}
    done = subprocess.run([interpreter, "-c", CHILD], capture_output=True, text=True, env=environment)
    assert done.returncode == 0, done.stderr
    replaced = 0
    for number, name, kind, has_caches, stored, in_file, live in json.loads(done.stdout):
        place = (number, name)
        if live is None:  # CPython did not survive it
            assert kind != "known" and "use" in in_file or "unknown" in in_file, place
        elif live[0] == stored:
            assert live[1] == in_file, place
        else:  # CPython shows others in their place
            replaced += 1
            assert isinstance(in_file, str), place
            assert kind != "known" or has_caches, place
        if kind != "known" or has_caches:
            assert isinstance(in_file, str), place
    assert (replaced > 40) == TABLES[version].has_caches
