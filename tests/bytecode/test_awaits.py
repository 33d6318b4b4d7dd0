"""Awaits with a clean-up, the handler of StopIteration, what the compiler says about classes: shapes of 3.12 on."""

from __future__ import annotations

import pytest

from depyf.decompiler.bytecode.canonical.class_facts import fold_class_facts
from depyf.decompiler.bytecode.canonical.fold_awaits import fold_awaits
from depyf.decompiler.bytecode.canonical.stop_iteration import drop_stop_iteration_handler
from depyf.decompiler.bytecode.code.raw_code import RawCode
from depyf.decompiler.bytecode.instruction import Handler, Instruction
from depyf.errors import DecompilationError


def error(reason, offset):
    return DecompilationError(reason, stage="disassemble", where=f"offset {offset}")


def code(*rows):
    """Instructions from (op, arg, target, handler's target) with trailing parts left out; depth 1 for handlers."""
    result = []
    for row in rows:
        op, arg, target, handler = (*row, *(None, None, None)[len(row) - 1 :])
        target = -1 if target is None else target
        result.append(Instruction(op, arg, target, None if handler is None else Handler(handler, 1, False)))
    return result


def awaiting(*behind_cleanup, cleanup=None):
    return code(
        ("LOAD_FAST", "x"),
        ("GET_AWAITABLE", 0),
        ("CONST", None),
        ("SEND", None, 6),
        ("YIELD_VALUE", None, None, 8),
        ("JUMP", None, 3),
        ("END_SEND",),
        ("RETURN_VALUE",),
        ("CLEANUP_THROW", None, None, cleanup),
        *behind_cleanup,
    )


PLAIN = ["LOAD_FAST", "GET_AWAITABLE", "CONST", "YIELD_FROM", "RETURN_VALUE"]


def test_a_clean_up_that_goes_on_where_its_loop_ends_is_part_of_the_await():
    assert [i.op for i in fold_awaits(awaiting(("JUMP", None, 6)), error)] == PLAIN


def test_so_is_one_that_goes_on_with_a_copy_of_the_end():
    assert [i.op for i in fold_awaits(awaiting(("END_SEND",), ("RETURN_VALUE",)), error)] == PLAIN


@pytest.mark.parametrize(
    "instructions",
    [
        awaiting(("END_SEND",), ("POP",), ("CONST", None), ("RETURN_VALUE",)),
        awaiting(("JUMP", None, 7)),
        awaiting(("JUMP", None, 6), cleanup=7),
        awaiting(("END_SEND",)),
        awaiting(),
    ],
    ids=["another end", "behind the end", "another handler", "runs off the end", "nothing behind"],
)
def test_other_clean_ups_are_refused(instructions):
    with pytest.raises(DecompilationError):
        fold_awaits(instructions, error)


def generator(*rows, ends=("STOPITERATION_ERROR", "RERAISE")):
    made = code(*rows, *[(op,) for op in ends])
    for i in made:
        if i.handler is not None:
            i.handler = Handler(i.handler.target, 0, True)
    return made


def test_the_handler_of_stop_iteration_is_dropped():
    made = generator(("LOAD_FAST", "x", None, 2), ("RETURN_VALUE",))
    left = drop_stop_iteration_handler(made, error, expected=True)
    assert [(i.op, i.handler) for i in left] == [("LOAD_FAST", None), ("RETURN_VALUE", None)]


@pytest.mark.parametrize(
    "made",
    [
        generator(("LOAD_FAST", "x"), ("RETURN_VALUE",)),
        generator(("LOAD_FAST", "x", None, 1)),
        generator(("JUMP", None, 1)),
        generator(("LOAD_FAST", "x", None, 2), ("RETURN_VALUE",), ends=("STOPITERATION_ERROR", "POP")),
    ],
    ids=["an exception passes it", "control falls in", "control jumps in", "another end"],
)
def test_a_handler_that_does_more_or_less_is_refused(made):
    with pytest.raises(DecompilationError):
        drop_stop_iteration_handler(made, error, expected=True)


def test_code_without_the_handler_says_so_and_its_jumps_still_arrive():
    made = drop_stop_iteration_handler(code(("LOAD_FAST", "x"), ("POP",), ("JUMP", None, 0)), error, expected=True)
    assert made[0].op == "LETS_STOP_ITERATION_PASS"
    assert made[made[3].target].op == "LOAD_FAST"
    assert drop_stop_iteration_handler(code(("LOAD_FAST", "x")), error, expected=False)[0].op == "LOAD_FAST"


def facts(line, value, name="__firstlineno__"):
    raw = RawCode()
    raw.flags, raw.firstlineno = 0, line
    folded = fold_class_facts(code(("CONST", value), ("STORE_NAME", name)), raw)
    return [(i.op, i.arg) for i in folded]


def test_what_the_compiler_says_about_a_class():
    assert facts(7, 7) == [("STORE_FIRST_LINE", None)]
    assert facts(7, 8) == [("CONST", 8), ("STORE_NAME", "__firstlineno__")]
    assert facts(1, True) == [("CONST", True), ("STORE_NAME", "__firstlineno__")]
    assert facts(7, ("b", "a"), "__static_attributes__") == [("STORE_STATIC_ATTRIBUTES", ("a", "b"))]
    assert len(facts(7, ("b", 1), "__static_attributes__")) == 2
