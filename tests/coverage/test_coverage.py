"""``depyf coverage``: measured, so breaking the decompiler must show in it."""

from __future__ import annotations

import json

import pytest

from depyf.cli import main
from depyf.coverage import measure as measuring
from depyf.coverage.report import table
from depyf.decompiler.bytecode.reading.load import HOST_VERSION
from depyf.decompiler.bytecode.versions import TABLES
from depyf.decompiler.lift.handlers import HANDLERS
from depyf.errors import DecompilationError

HOST = f"{HOST_VERSION[0]}.{HOST_VERSION[1]}"


@pytest.fixture(scope="module")
def measured():
    return measuring.measure()


def test_every_opcode_of_the_table_has_a_stage(measured):
    assert set(measured) == {row.name for row in TABLES[HOST_VERSION].rows.values()}
    assert set(measured.values()) <= set(measuring.STAGES)


def test_common_opcodes_are_proven(measured):
    proven = {name for name, stage in measured.items() if stage == "proven"}
    assert {"LOAD_FAST", "RETURN_VALUE", "CALL", "FOR_ITER", "POP_EXCEPT"} & set(measured) <= proven
    assert len(proven) > 80


def test_what_the_lifter_can_not_do_is_read_only(monkeypatch):
    def refuse(stack, instruction):
        raise DecompilationError("planted", stage="lift")

    monkeypatch.setitem(HANDLERS, "IMPORT_STAR", refuse)
    assert measuring.measure()["IMPORT_STAR"] == "read"


def test_the_table_has_a_line_for_each_opcode_and_says_what_is_missing(measured):
    lines = table({HOST: measured, "3.7": "a reason"})
    assert any(line.split() == ["LOAD_FAST", "P"] for line in lines)
    assert "3.7: a reason" in lines
    lacking = sorted(name for name, stage in measured.items() if stage == "not met")
    assert ", ".join(lacking) in lines[-2]


def test_the_command(capsys):
    assert main(["coverage", HOST, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)[HOST]["POP_TOP"] == "proven"
    assert main(["coverage", "2.7"]) == 2
    assert "no opcode table for '2.7', only for 3.7, 3.8" in capsys.readouterr().err
