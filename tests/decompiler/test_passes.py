"""The list of passes is what runs, what the stepper knows, and what docs/passes.md shows."""

from __future__ import annotations

import io
import itertools
from pathlib import Path

import pass_list
import pytest
import recorded_dynamo
from assembler.assemble import assemble
from assembler.generate import generate

from depyf.decompiler.driver import passes
from depyf.decompiler.driver.passes import STAGES, names
from depyf.decompiler.driver.settings import DEFAULT, Origin
from depyf.decompiler.driver.stepper import Stepper, StopStepping
from depyf.decompiler.pipeline import analyze
from depyf.explain.transformed.origin import DYNAMO

ROOMS = Path(passes.__file__).parent.parent
CASES = sorted((Path(__file__).parent.parent / "cases" / "pretty").glob("*.py"))

SOURCE = """
class Stack:
    size: int = 0

    def drain(self, path):
        try:
            with open(path) as file:
                for line in file:
                    if line and self.size or path:
                        continue
                    yield line
        finally:
            self.size = [x for x in self.size if x]
"""


class Listener(Stepper):
    """Notes all passes that ran, with their stages."""

    def __init__(self) -> None:
        super().__init__(checks=True)
        self.passed: list[str] = []

    def observer(self, stage):
        check = super().observer(stage)

        def after(one, work):
            self.passed.append(f"{stage.name}:{one.name}")
            check(one, work)

        return after


def test_every_pass_has_a_name_of_its_own_a_reason_and_a_room_that_exists():
    assert len(set(names())) == len(list(names())) > 60
    for stage in STAGES:
        assert all((ROOMS / room).is_dir() for room in stage.room.split(", ")), stage.room
        assert stage.gives
        for one in stage.passes:
            assert one.why.endswith(".") and "\n" not in one.why, one.name


def test_passes_run_in_the_order_of_the_list():
    order = {name: place for place, name in enumerate(names())}
    listener = Listener()
    analyze(compile(SOURCE, "stack.py", "exec").co_consts[0], stepper=listener)
    assert len(listener.passed) > 20
    places = [order[name] for name in listener.passed]
    # Each new way begins again.
    runs = [[]]
    for place in places:
        if runs[-1] and place <= runs[-1][-1]:
            assert place == order["disassemble:decode"]
            runs.append([])
        runs[-1].append(place)
    assert runs[0][0] == order["disassemble:decode"]
    assert {"undo_optimiser:regions", "lift:fold", "structure:structure", "polish:bodies"} <= set(listener.passed)


def assembled(form: str):
    """The first code of the generator that comes back as ``form``."""
    codes = (assemble(generate(seed)) for seed in itertools.count(1000000))
    return next(code for code in codes if analyze(code).form == form)


def test_code_that_no_compiler_made_is_shown_between_its_stages_too():
    out = io.StringIO()
    stepper = Stepper(steps=True, out=out)
    a_tools = DEFAULT._replace(origin=Origin(lambda name: True))  # so that these shapes come first
    analyze(assembled("events"), settings=a_tools, stepper=stepper)
    assert stepper.seen == ["load", "disassemble", "events", "polish", "print", "prove"]
    assert "---- events ---" in out.getvalue() and "Return(" in out.getvalue()


@pytest.mark.parametrize("place", ["dispatch", "dispatch:write", "dispatch:structure"])
def test_the_last_rung_is_a_place_to_stop(place):
    out = io.StringIO()
    with pytest.raises(StopStepping):
        analyze(assembled("dispatch loop"), stepper=Stepper(stop_after=place, out=out))
    assert out.getvalue().startswith(f"---- {place} ---")


@pytest.mark.parametrize("place", ["disassemble:decode", "undo_optimiser:regions", "lift:fold", "polish:end"])
def test_a_pass_is_a_place_to_stop(place):
    out = io.StringIO()
    with pytest.raises(StopStepping):
        analyze(compile("def f(a):\n    return a", "f.py", "exec"), stepper=Stepper(stop_after=place, out=out))
    assert out.getvalue().startswith(f"---- {place} ---")
    assert len(out.getvalue().splitlines()) > 1


def test_the_instructions_are_shown_as_a_pass_has_left_them():
    """The first pass leaves what only the version has; at the end it is gone."""
    texts = []
    for place in ("disassemble:decode", "disassemble"):
        out = io.StringIO()
        with pytest.raises(StopStepping):
            code = compile("async def f(a):\n    await a", "f.py", "exec").co_consts[0]
            analyze(code, stepper=Stepper(stop_after=place, out=out))
        texts.append(out.getvalue())
    assert "YIELD_FROM" in texts[1]
    assert texts[0] != texts[1]


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_every_invariant_holds_in_what_a_compiler_made(path):
    code = compile(path.read_text(), path.name, "exec", dont_inherit=True)
    checked = analyze(code, settings=DEFAULT._replace(checks=True))
    assert checked.source == analyze(code).source


def test_every_invariant_holds_in_dynamos_code():
    for case in recorded_dynamo.cases()[::25]:
        settings = DEFAULT._replace(origin=DYNAMO, checks=True)
        assert analyze(case.code, settings=settings).source == recorded_dynamo.analyze(case.code).source, case.label


def test_every_invariant_holds_in_code_that_nobody_compiled():
    for seed in range(1000000, 1000040):
        code = assemble(generate(seed))
        assert analyze(code, settings=DEFAULT._replace(checks=True)).source == analyze(code).source, seed


def test_the_page_shows_the_list():
    """``python tests/pass_list.py --write`` writes it anew."""
    page = pass_list.PAGE.read_text(encoding="utf-8")
    assert f"<!-- passes -->\n{pass_list.table()}<!-- /passes -->" in page
