"""The stepper prints what it is asked for, and nothing is rendered in vain."""

from __future__ import annotations

import io

import pytest

from depyf.decompiler.driver.stepper import Stepper, StopStepping


def never() -> str:
    raise AssertionError("rendered in vain")


def test_stops_after_the_named_stage_and_prints_only_that():
    out = io.StringIO()
    stepper = Stepper(stop_after="lift", out=out)
    stepper.stage("load", never)
    with pytest.raises(StopStepping):
        stepper.stage("lift", lambda: "block 0")
    assert out.getvalue().startswith("---- lift ---")
    assert out.getvalue().endswith("\nblock 0\n")
    assert stepper.seen == ["load", "lift"]


def test_steps_prints_every_stage_in_order():
    out = io.StringIO()
    stepper = Stepper(steps=True, out=out)
    stepper.stage("load", lambda: "raw")
    stepper.stage("polish", lambda: "tree")
    assert [line for line in out.getvalue().splitlines() if not line.startswith("----")] == ["raw", "tree"]


@pytest.mark.parametrize("name", ["lifting", "", "polishing:loops", "lift:loops"])
def test_unknown_stages_are_refused_with_the_known_ones(name):
    with pytest.raises(ValueError, match="disassemble"):
        Stepper(stop_after=name)
    with pytest.raises(ValueError, match="disassemble"):
        Stepper().stage(name, never)
