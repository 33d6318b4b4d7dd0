"""What is read from the files of every CPython on this machine, against what that CPython says itself."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from foreign_dump import SEPARATOR, read_fields, same

from depyf.decompiler.bytecode import RawCode, read_code, read_pyc
from depyf.decompiler.bytecode.code.formats import FORMATS
from depyf.decompiler.bytecode.interpreters import HOST_VERSION, find_interpreter
from depyf.decompiler.bytecode.reading.pyc import HEADER

SNIPPETS = Path(__file__).parent / "snippets_3_7.txt"
DUMP = Path(__file__).parent.parent / "foreign_dump.py"
FOUND = [version for version in FORMATS if find_interpreter(version) is not None]
BEYOND_3_7 = {(3, 7): 0, (3, 8): 1, (3, 9): 1, (3, 10): 2, (3, 11): 3, (3, 12): 4, (3, 13): 4, (3, 14): 6, (3, 15): 7}
"""How many of the snippets with newer syntax each version knows."""


@pytest.fixture(scope="module", params=FOUND, ids=lambda version: ".".join(map(str, version)))
def foreign(request, tmp_path_factory):
    """(version, the .pyc file, what the interpreter says of it)"""
    pyc = tmp_path_factory.mktemp("foreign") / "snippets.pyc"
    command = [find_interpreter(request.param), str(DUMP), str(SNIPPETS), str(pyc)]
    answer = subprocess.run(command, capture_output=True, check=True, timeout=120)
    return request.param, pyc, json.loads(answer.stdout)


def test_this_python_is_among_those_compared():
    assert HOST_VERSION in FOUND


def test_code_objects_field_by_field(foreign):
    _version, pyc, said = foreign
    same(read_fields(read_pyc(str(pyc))), said["code"])


def test_all_snippets_of_the_version_were_compiled(foreign):
    version, _pyc, said = foreign
    known = list(SNIPPETS.read_text(encoding="utf-8").split(SEPARATOR))
    newer = max(BEYOND_3_7.values())
    assert said["accepted"] == len(known) - newer + BEYOND_3_7[version]


def test_plain_data_knows_its_version_and_has_no_live_code(foreign):
    version, pyc, _said = foreign
    for raw in read_pyc(str(pyc)).walk():
        assert isinstance(raw, RawCode) and raw.version == version and raw.code is None and not raw.notes


def test_marshalled_code_without_a_header(foreign):
    version, pyc, said = foreign
    same(read_fields(read_code(pyc.read_bytes()[HEADER:], version)), said["code"])


def test_qualified_names(foreign):
    _version, pyc, _said = foreign
    names = [raw.qualname for raw in read_pyc(str(pyc)).walk()]
    inside = "outer.<locals>.inner.<locals>.Made_in_function"
    wanted = [
        "<module>",
        "outer",
        "outer.<locals>.inner",
        "made_global",
        "made_global.<locals>.<lambda>",
        inside,
        f"{inside}.method",
        f"{inside}.Inner_class.method",
        "outer.<locals>.made_global_class_holder",
        "Global_class",
        "Global_class.method",
        "outer.<locals>.<genexpr>",
    ]
    assert [name for name in wanted if name not in names] == []
