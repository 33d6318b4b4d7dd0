"""The block stacks of 3.7 to 3.10: what their canonical instructions do is what the same source does here.

These versions have compiled functions made by a dice; the canonical machine runs what depyf reads from their files,
beside this interpreter's own run of its own code. Some are recorded; the compilers that the machine has make more.
"""

from __future__ import annotations

import random
import subprocess

import pytest
import standins
from recorded_compilers import FILENAME, found_or_recorded, recorded_code, recorded_source

from attack import nested_statements
from attack.machine_runs import machine_run
from depyf.decompiler.bytecode import disassemble, load
from depyf.decompiler.bytecode.interpreters import find_interpreter
from depyf.decompiler.bytecode.reading.pyc import read_pyc
from depyf.errors import DecompilationError

VERSIONS = list(found_or_recorded([(3, 7), (3, 8), (3, 9), (3, 10)]))
COUNT, SEEDS = 30, 3
PLAN = standins.Plan(frozenset({"E"}))
COMPILE = "import py_compile, sys; py_compile.compile(sys.argv[1], sys.argv[2], sys.argv[1], True)"


def functions():
    """Texts that this Python can compile: it has its own limit for nested blocks."""
    dice, found = random.Random(5), []
    while len(found) < COUNT:
        text = nested_statements.function(dice, f"f{len(found)}")
        try:
            compile(text, "<text>", "exec", dont_inherit=True)
        except SyntaxError:
            continue
        found.append(text)
    return "\n".join(found)


def compiled_there(text, version, folder):
    source, compiled = folder / "source.py", folder / "source.pyc"
    source.write_text(text, encoding="utf-8")
    subprocess.run([find_interpreter(version), "-c", COMPILE, str(source), str(compiled)], check=True)
    return read_pyc(str(compiled))


@pytest.mark.parametrize(("version", "recorded"), VERSIONS)
def test_functions_of_older_versions_do_what_this_one_does(version, recorded, tmp_path):
    text = recorded_source("nested_statements") if recorded else functions()
    foreign = recorded_code("nested_statements", version) if recorded else compiled_there(text, version, tmp_path)
    theirs, ours = foreign.nested, load(compile(text, FILENAME, "exec", dont_inherit=True)).nested
    assert len(theirs) == len(ours) == text.count("\ndef ") + 1
    refused = 0
    for foreign, native in zip(theirs, ours):
        foreign.code = native.code
        try:
            instructions = disassemble(foreign)
        except DecompilationError as error:
            assert "copies of finally bodies are too many" in str(error)
            refused += 1
            continue
        for seed in range(SEEDS):
            assert machine_run(foreign, instructions, seed, PLAN) == standins.run(native.code, seed, PLAN)
    assert refused < len(ours) / 10
