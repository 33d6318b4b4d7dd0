"""Inlined comprehensions become calls that do the same, wherever the compiler put what restores their variables."""

from __future__ import annotations

import pytest
from canonical_machine import Machine

from depyf.decompiler.bytecode import Instruction, RawCode, known_instructions, load
from depyf.decompiler.bytecode.disassemble import give_instructions
from depyf.decompiler.bytecode.instruction import Handler
from depyf.decompiler.driver import decompilation
from depyf.decompiler.driver.settings import DEFAULT
from depyf.decompiler.driver.strategies import Strategy
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.stack_machine.outlining import outline_comprehensions

# [g(z, y) for y in w if y], with the iterator on the stack.
START = "LOAD_FAST_AND_CLEAR y, SWAP 2, BUILD_LIST 0 !, SWAP 2 !"
LOOP = (
    "FOR_ITER @END !, STORE_FAST y !, LOAD_FAST y !, POP_JUMP_IF_FALSE @LOOP !, LOAD_GLOBAL g !, NULL !, LOAD_FAST z !,"
    " LOAD_FAST y !, CALL 2 !, LIST_APPEND 2 !, JUMP @LOOP !"
)
RESTORE = "SWAP 2, POP, SWAP 2, STORE_FAST y, RERAISE 0"


def code(text: str, version: tuple[int, int] = (3, 13)) -> RawCode:
    """A function of ``w`` and ``z``. ``LABEL:`` is before an instruction, ``@LABEL`` the target of a jump.

    What ends with ``!`` has HANDLER as its handler, which finds two entries on the stack, or three if there is a label
    BELOW; what ends with ``!!`` has INNER, which finds three more.
    """
    labels: dict[str, int] = {}
    parts = [part.strip() for part in text.split(",")]
    for index, part in enumerate(parts):
        while ":" in part:
            label, _, part = part.partition(":")
            labels[label.strip()] = index
        parts[index] = part.strip()
    found = []
    for part in parts:
        op, *rest = part.split()
        handler = None
        if rest[-1:] in (["!"], ["!!"]):
            mark = rest.pop()
            depth = 2 + ("BELOW" in labels) + 3 * (mark == "!!")
            handler = Handler(labels["HANDLER" if mark == "!" else "INNER"], depth, False)
        arg = next((one for one in rest if not one.startswith("@")), None)
        target = next((labels[one[1:]] for one in rest if one.startswith("@")), -1)
        value = (int(arg), ()) if op == "CALL" else int(arg) if arg is not None and arg.isdigit() else arg
        found.append(Instruction(op, value, target, handler))
    raw = load(_template.__code__)
    raw.version, raw.code = version, None
    raw.varnames = raw.localsplus = ("w", "z", "y", "a", "b")
    give_instructions(raw, found)
    return raw


def _template(w, z):
    """It has the parameters of the codes here."""


class Running(Machine):
    """Runs functions that have no live code, too."""

    def do_MAKE_FUNCTION(self, kinds):
        raw = self.pop()
        closure = self.pop() if kinds else ()

        def function(iterator):
            end = Running(raw, known_instructions(raw), {".0": iterator}, self.globals, closure).go()
            if end.kind == "raise":
                raise end.value
            return end.value

        self.stack.append(function)


def outcome(raw: RawCode, w: list[object]) -> object:
    """What the code gives or raises, its calls of ``g``, and the variables that it leaves."""
    calls: list[object] = []

    def g(*arguments: object) -> object:
        calls.append(arguments)
        if arguments[-1] == "raise":
            raise KeyError(arguments)
        return len(calls)

    machine = Running(raw, known_instructions(raw), {"w": w, "z": 5, "y": "outer"}, {"g": g})
    end = machine.go()
    variables = {**machine.locals, **{name: cell.cell_contents for name, cell in machine.cells.items()}}
    return end.kind, repr(end.value), calls, variables


def check(raw: RawCode, count: int) -> None:
    """``count`` comprehensions are outlined, and the code does what it did."""
    outlined, functions = outline_comprehensions(raw)
    assert len(functions) == count
    operations = [i.op for i in known_instructions(outlined)]
    assert operations.count("CALL_FUNCTION") == count and "LOAD_FAST_AND_CLEAR" not in operations
    for w in ([], [1, 0, 2], [1, "raise", 3]):
        assert outcome(outlined, w) == outcome(raw, w)


SIMPLE = f"LOAD_FAST w, GET_ITER, {START}, LOOP: {LOOP}, END: SWAP 2, STORE_FAST y, RETURN_VALUE, HANDLER: {RESTORE}"


def test_a_comprehension():
    check(code(SIMPLE), 1)


def test_a_comprehension_that_makes_its_iterator():
    check(code(SIMPLE.replace("GET_ITER, ", "").replace("LOOP: ", "GET_ITER !, LOOP: "), (3, 15)), 1)


def test_variables_restored_after_other_stores():
    # b, a = z, [...]
    end = "END: STORE_FAST a, STORE_FAST y, STORE_FAST b, LOAD_FAST b, RETURN_VALUE"
    check(code(f"BELOW: LOAD_FAST z, LOAD_FAST w, GET_ITER, {START}, LOOP: {LOOP}, {end}, HANDLER: {RESTORE}"), 1)


@pytest.mark.parametrize(
    "end",
    [
        "SWAP 3, STORE_FAST a, STORE_FAST y, STORE_FAST b",
        "SWAP 2, STORE_FAST y, SWAP 2, STORE_FAST a, STORE_FAST b",
        "COPY 1, STORE_FAST b, STORE_FAST a, STORE_FAST y, POP",
        "COPY 3, STORE_FAST b, STORE_FAST a, STORE_FAST y, POP",
        "POP, STORE_FAST y, COPY 1, STORE_FAST b, STORE_FAST a",
    ],
)
def test_other_values_change_places_with_what_is_restored(end: str):
    text = f"BELOW: LOAD_FAST z, LOAD_FAST w, GET_ITER, {START}, LOOP: {LOOP}, END: {end}, LOAD_FAST b, RETURN_VALUE"
    check(code(f"{text}, HANDLER: {RESTORE}"), 1)


def test_the_restoring_is_past_the_handler():
    check(code(SIMPLE.replace("END: ", f"END: JUMP @AFTER, HANDLER: {RESTORE}, AFTER: ").rsplit(", HANDLER", 1)[0]), 1)


def test_two_hidden_variables():
    text = SIMPLE.replace("LOAD_FAST_AND_CLEAR y, SWAP 2", "LOAD_FAST_AND_CLEAR y, LOAD_FAST_AND_CLEAR a, SWAP 3")
    text = text.replace("SWAP 2, STORE_FAST y", "SWAP 3, STORE_FAST a, STORE_FAST y")
    check(code("BELOW: " + text), 1)


def test_one_in_another():
    # [[g(z, y) for y in w if y] for a in w]
    inner = f"{START}, INSIDE: {LOOP}".replace("!", "!!").replace("@LOOP", "@INSIDE").replace("@END", "@ENDED")
    text = (
        "BELOW: LOAD_FAST w, GET_ITER, LOAD_FAST_AND_CLEAR a, LOAD_FAST_AND_CLEAR y, SWAP 3, BUILD_LIST 0 !, SWAP 2 !, "
        f"LOOP: FOR_ITER @END !, STORE_FAST a !, LOAD_FAST w !, GET_ITER !, {inner}, "
        "ENDED: SWAP 2 !, STORE_FAST y !, LIST_APPEND 2 !, JUMP @LOOP !, "
        "END: SWAP 3, STORE_FAST y, STORE_FAST a, RETURN_VALUE, "
        f"INNER: {RESTORE.replace(',', ' !,')} !, "
        "HANDLER: SWAP 2, POP, SWAP 3, STORE_FAST y, STORE_FAST a, RERAISE 0"
    )
    check(code(text), 1)
    [function] = outline_comprehensions(code(text)).functions
    depths = {i.handler.depth for i in known_instructions(function) if i.handler is not None}
    assert depths == {4}  # the container, the iterator, and the two entries that the handler takes


def test_what_the_compiler_makes_of_one_in_another():
    raw = load(_nested.__code__)
    outlined, functions = outline_comprehensions(raw)
    inlined = sum(i.op == "LOAD_FAST_AND_CLEAR" for i in known_instructions(raw))
    assert len(functions) == bool(inlined)
    assert not any(i.op == "LOAD_FAST_AND_CLEAR" for i in known_instructions(outlined))


def _nested(w, q):
    return [[x + y for y in x if q(y)] for x in w]


@pytest.mark.parametrize(
    "changed",
    [
        SIMPLE.replace("LIST_APPEND 2 !", "LIST_APPEND 2 !, LOAD_FAST y !, YIELD_VALUE !, POP !"),
        SIMPLE.replace("LOAD_FAST_AND_CLEAR y,", "LOAD_FAST_AND_CLEAR y, MAKE_CELL y,"),
        SIMPLE.replace("HANDLER: SWAP 2, POP", "HANDLER: SWAP 2, NOP, POP"),
        SIMPLE.replace("LOAD_FAST w", "LOAD_FAST z, POP_JUMP_IF_FALSE @LOOP, LOAD_FAST w", 1),
        SIMPLE.replace("END: SWAP 2, STORE_FAST y", "END: SWAP 2, STORE_FAST a"),
        "BELOW: LOAD_FAST z, LOAD_FAST z, "
        + SIMPLE.replace("END: SWAP 2,", "END: SWAP 2, SWAP 4, STORE_FAST a, SWAP 3,"),  # moved past two others
        SIMPLE.replace("POP_JUMP_IF_FALSE @LOOP !", "POP_JUMP_IF_FALSE @AWAY !") + ", AWAY: POP, RETURN_VALUE",
    ],
)
def test_what_has_another_shape_stays(changed: str):
    raw = code(changed)
    outlined, functions = outline_comprehensions(raw)
    assert functions == [] and outlined is raw


def f1(w, g):
    z = 1
    r = [g(z, y) for y in w if y]
    return r, z


def f2(w, g):
    return {k: [v + k for v in vs] for k, vs in w.items()}, {x or 1 for x in w}


def f3(w, g):
    return [(last := g(y)) for y in w], last


def f4(w):
    return [lambda k=y: k for y in w]


@pytest.mark.parametrize("engine", ["events", "dispatch"])
@pytest.mark.parametrize("function", [f1, f2, f3, f4])
def test_the_other_ways_write_comprehensions(monkeypatch, engine, function):
    monkeypatch.setattr(decompilation, "strategies_of", _only(engine))
    result = analyze(function, settings=DEFAULT._replace(checks=True))
    assert result.verdict.proven and result.form != "structured"
    assert sum(line.count(" for ") for line in result.source.splitlines()) == {f2: 3}.get(function, 1)


def _only(engine):
    usual = decompilation.strategies_of

    def strategies_of(raw, *rest):
        named = not raw.name.startswith("<")
        return (Strategy(engine=engine),) if named else usual(raw, *rest)

    return strategies_of
