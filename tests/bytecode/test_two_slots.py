"""Exit functions and iterators that take two slots of the stack: hand-made code, on every host."""

from __future__ import annotations

import pytest

from depyf.decompiler.bytecode.canonical.two_slots import hide_second_slots
from depyf.decompiler.bytecode.instruction import Handler, Instruction

ENTER = [("COPY", 1), ("LOAD_SPECIAL", "__exit__"), ("SWAP", 2), ("SWAP", 3), ("LOAD_SPECIAL", "__enter__")]
CALL_ENTER = ("CALL", (0, ()))
LEAVE = [("CONST", None), ("CONST", None), ("CONST", None), ("CALL", (3, ()))]


def hidden(steps, iterators=False, targets=None, handlers=None):
    """``steps`` are (operation, operand); ``targets`` and ``handlers`` go by index."""
    code = [Instruction(op, arg) for op, arg in steps]
    for index, target in (targets or {}).items():
        code[index].target = target
    for index, handler in (handlers or {}).items():
        code[index].handler = handler
    return hide_second_slots(code, lambda reason, offset: ValueError(reason), iterators=iterators)


def words(code):
    return [(i.op, i.arg) for i in code]


def test_code_without_pairs_is_left_alone():
    steps = [("LOAD_FAST", "a"), ("BEFORE_WITH", None), ("POP", None), *LEAVE[:3], ("CALL", (2, ())),
             ("RETURN_VALUE", None)]  # fmt: skip
    assert words(hidden(steps)) == steps


def test_a_with_statement_keeps_one_slot():
    steps = [("LOAD_FAST", "a"), *ENTER, CALL_ENTER, ("STORE_FAST", "b"), *LEAVE, ("POP", None), ("LOAD_FAST", "b"),
             ("RETURN_VALUE", None)]  # fmt: skip
    assert words(hidden(steps)) == [
        ("LOAD_FAST", "a"), ("BEFORE_WITH", None), ("STORE_FAST", "b"), *LEAVE[:3], ("CALL", (2, ())), ("POP", None),
        ("LOAD_FAST", "b"), ("RETURN_VALUE", None),
    ]  # fmt: skip


def test_a_value_returned_through_a_with_statement():
    steps = [("LOAD_FAST", "a"), *ENTER, CALL_ENTER, ("SWAP", 3), ("SWAP", 2), *LEAVE, ("POP", None),
             ("RETURN_VALUE", None)]  # fmt: skip
    assert words(hidden(steps))[2:4] == [("SWAP", 2), ("CONST", None)]


def test_the_handler_of_a_with_statement_keeps_one_slot_and_pops_once():
    body = [("LOAD_FAST", "a"), *ENTER, CALL_ENTER, ("RAISE_VARARGS", 1)]
    handler = [("PUSH_EXC_INFO", None), ("WITH_EXCEPT_START", None), ("POP", None), ("POP_EXCEPT", None), ("POP", None),
               ("POP", None), ("POP", None), ("CONST", None), ("RETURN_VALUE", None)]  # fmt: skip
    code = hidden([*body, *handler], handlers={7: Handler(8, 2, True)})
    assert code[2].handler == Handler(3, 1, True)
    assert [i.op for i in code[3:]] == [
        "PUSH_EXC_INFO", "WITH_EXCEPT_START", "POP", "POP_EXCEPT", "POP", "POP", "CONST", "RETURN_VALUE",
    ]  # fmt: skip


def test_an_iterator_is_one_slot_and_what_counts_slots_counts_it_once():
    steps = [("BUILD_LIST", 0), ("LOAD_FAST", "a"), ("GET_ITER", None), ("FOR_ITER", None), ("LIST_APPEND", 3),
             ("JUMP", None), ("END_FOR_THEN_POP", None), ("POP_ITER", None), ("RETURN_VALUE", None)]  # fmt: skip
    code = hidden(steps, iterators=True, targets={3: 6, 5: 3})
    assert words(code) == [*steps[:4], ("LIST_APPEND", 2), *steps[5:]]


def test_a_value_returned_from_a_loop():
    steps = [("LOAD_FAST", "a"), ("GET_ITER", None), ("FOR_ITER", None), ("SWAP", 3), ("POP", None), ("POP", None),
             ("RETURN_VALUE", None), ("END_FOR_THEN_POP", None), ("POP_ITER", None), ("CONST", None),
             ("RETURN_VALUE", None)]  # fmt: skip
    code = hidden(steps, iterators=True, targets={2: 7})
    assert words(code)[3:6] == [("SWAP", 2), ("POP", None), ("RETURN_VALUE", None)]


@pytest.mark.parametrize(
    "taken_apart",
    [
        [("COPY", 1)],
        [("SWAP", 2), ("STORE_FAST", "b")],
        [("LOAD_FAST", "a"), ("SWAP", 2), ("RETURN_VALUE", None)],
        [("BUILD_TUPLE", 1)],
        [("RETURN_VALUE", None)],
    ],
)
def test_half_a_pair_is_no_value(taken_apart):
    with pytest.raises(ValueError):
        hidden(
            [("LOAD_FAST", "a"), ("GET_ITER", None), *taken_apart, ("POP", None), ("RETURN_VALUE", None)],
            iterators=True,
        )


def test_an_exit_function_is_only_called_with_nones():
    arguments = [("CONST", None), ("CONST", 1), ("CONST", None), ("CALL", (3, ()))]
    steps = [("LOAD_FAST", "a"), *ENTER, CALL_ENTER, ("POP", None), *arguments, ("RETURN_VALUE", None)]
    with pytest.raises(ValueError):
        hidden(steps)


def test_a_handler_that_keeps_half_a_pair_is_refused():
    steps = [("LOAD_FAST", "a"), *ENTER, CALL_ENTER, ("RAISE_VARARGS", 1), ("PUSH_EXC_INFO", None), ("RERAISE", 0)]
    with pytest.raises(ValueError):
        hidden(steps, handlers={7: Handler(8, 1, False)})


WITH_HANDLER = [
    ("PUSH_EXC_INFO", None), ("WITH_EXCEPT_START", None), ("POP_JUMP_IF_TRUE", None), ("RERAISE", 2), ("POP", None),
    ("POP_EXCEPT", None), ("POP", None), ("POP", None), ("POP", None), ("CONST", None), ("RETURN_VALUE", None),
    ("COPY", 3), ("POP_EXCEPT", None), ("RERAISE", 1),
]  # fmt: skip
"""Of a context manager at depth 0; the clean-up handler is the last three."""


def entered_again(body, depth, clean_up):
    """A with statement with ``body``, whose handlers have these depths."""
    start = [("LOAD_FAST", "a"), *ENTER, CALL_ENTER, ("POP", None), *body, *LEAVE, ("POP", None), ("CONST", None),
             ("RETURN_VALUE", None)]  # fmt: skip
    first = len(start)
    handlers = {index: Handler(first, depth, True) for index in range(7, 8 + len(body))}
    handlers.update({index: Handler(first + 11, clean_up, True) for index in range(first, first + 4)})
    code = hidden([*start, *WITH_HANDLER], targets={first + 2: first + 4}, handlers=handlers)
    return code, [ins.handler for ins in code if ins.handler is not None]


def test_right_depths():
    code, handlers = entered_again([("LOAD_GLOBAL", "x"), ("POP", None)], 2, 4)
    assert {handler.depth for handler in handlers} == {1, 3}
    assert code[0].op == "LOAD_FAST"


def test_one_slot_too_many_where_only_an_exit_function_can_fail():
    code, handlers = entered_again([("LOAD_GLOBAL", "x"), ("POP", None)], 3, 5)
    assert {handler.depth for handler in handlers} == {1, 3}
    assert code[0].op == "NOP" and "exit function" in code[0].arg


def test_one_slot_too_many_where_a_value_would_be_called_as_the_exit_function():
    with pytest.raises(ValueError, match="in the place of the exit function"):
        entered_again([("LOAD_GLOBAL", "x"), ("LOAD_GLOBAL", "y"), ("POP", None), ("POP", None)], 3, 4)


@pytest.mark.parametrize("depth, clean_up", [(2, 5), (3, 6), (2, 6)])
def test_one_slot_too_many_as_nobody_counts(depth, clean_up):
    """Dynamo counts one too many in both rows of a with statement."""
    with pytest.raises(ValueError, match="another exception being handled"):
        entered_again([("LOAD_GLOBAL", "x"), ("POP", None)], depth, clean_up)
