"""A .pyc file that another release of the same CPython made does what its source says; changes in it are still seen."""

from __future__ import annotations

import pytest
from recorded_releases import FOLDER, ReleaseCase

from depyf.decompiler.bytecode import read_code
from depyf.verification.comparison import differences
from depyf.verification.proven import doubts

COMPREHENSIONS = ReleaseCase(FOLDER / "iterators_of_comprehensions.json")


def codes(made_by, compiled_by):
    return [read_code(COMPREHENSIONS.codes[release], COMPREHENSIONS.version) for release in (made_by, compiled_by)]


@pytest.mark.parametrize(("made_by", "compiled_by"), [("3.13.18", "3.13.0"), ("3.13.0", "3.13.18")])
def test_iterators_that_are_made_twice_are_no_doubt(made_by, compiled_by):
    ours, source = codes(made_by, compiled_by)
    found = differences(ours, source)
    assert len(found) > 5
    assert doubts(ours, source, found) == []


def test_the_iterator_of_another_value_is_a_doubt():
    ours, source = codes("3.13.18", "3.13.0")
    f = next(raw for raw in ours.nested if raw.name == "f")
    again = ours.table.number("GET_ITER")
    load = f.bytecode.index(again) - 2  # LOAD_FAST of what is iterated over
    assert f.table.rows[f.bytecode[load]].name == "LOAD_FAST"
    f.bytecode = f.bytecode[: load + 1] + bytes([f.varnames.index("b")]) + f.bytecode[load + 2 :]
    assert any(text.startswith("f: different") for text in doubts(ours, source, differences(ours, source)))
