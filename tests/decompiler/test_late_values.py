"""The value of a type parameter or a type alias, which 3.14 and later evaluate in a function with a parameter that has
no name in Python: alone it says what it is compiled with, and in a file its part has a text that is Python."""

from __future__ import annotations

import pytest
from recorded_compilers import RecordedCompilers, found_or_recorded, recorded_code

from depyf.decompiler.pipeline import analyze
from depyf.decompiler.proof import scaffold


@pytest.mark.parametrize("version, recorded", list(found_or_recorded([(3, 14), (3, 15)])))
def test_value_of_a_type_parameter(version, recorded, monkeypatch):
    if recorded:
        monkeypatch.setattr(scaffold, "POOL", RecordedCompilers())
    parts = analyze(recorded_code("late_value", version)).walk()
    (value,) = [part for part in parts if part.qualname == "T"]
    assert value.verdict.proven
    assert value.source.splitlines() == ["def T():", "    return int, str"]
    alone = analyze(value.raw)
    assert not alone.verdict.proven
    assert alone.verdict.reasons[0] == "compiled only with the type parameter or type alias that has this value"
