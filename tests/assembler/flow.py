"""What is on the evaluation stack, and which handlers are in force, before each operation of a program.

This is the check that a program is valid on every version: wherever two ways meet, stack and handlers are the same.
Kinds of entries:

    v value       n the empty slot before a callable     c callable, ready for CALL     m method, ready for CALL
    i iterator    x exit function of a with statement    e the exception that a handler caught
    t copy of an exception, to be matched    p the exception handled before    l place of a with statement's exception
"""

from __future__ import annotations

from typing import Any, Callable, Dict, FrozenSet, List, NamedTuple, Optional, Tuple, Union

from assembler.notation import JUMPS, NO_FALL_THROUGH, SETUPS, Op, Program

Kinds = Tuple[str, ...]


class Invalid(Exception):
    """The program is none that an interpreter could run safely."""


class Block(NamedTuple):
    """What is in force: 'try' or 'with' with its handler and the stack that it keeps, or 'handling' inside one."""

    kind: str
    handler: str
    level: int


class State(NamedTuple):
    stack: Kinds = ()
    blocks: Tuple[Block, ...] = ()

    @property
    def floor(self) -> int:
        """How many entries the innermost block needs untouched."""
        if not self.blocks:
            return 0
        if self.blocks[-1].kind == "handling":
            return len(self.stack) - self.stack[::-1].index("p")
        return self.blocks[-1].level


def _values(pops: int, pushes: int) -> Any:
    return "v" * pops, "v" * pushes


# What operations take from the stack and leave there, by kinds; a callable takes the operand.
EFFECTS: Dict[str, Any] = {
    "NOP": ("", ""), "CONST": ("", "v"), "NULL": ("", "n"), "LOAD_FAST": ("", "v"), "STORE_FAST": ("v", ""),
    "DELETE_FAST": ("", ""), "LOAD_DEREF": ("", "v"), "STORE_DEREF": ("v", ""), "DELETE_DEREF": ("", ""),
    "LOAD_GLOBAL": ("", "v"), "LOAD_GLOBAL_CALLABLE": ("", "c"), "STORE_GLOBAL": ("v", ""), "LOAD_METHOD": ("v", "m"),
    "LOAD_ATTR": ("v", "v"), "STORE_ATTR": ("vv", ""), "DELETE_ATTR": ("v", ""), "BINARY_SUBSCR": ("vv", "v"),
    "STORE_SUBSCR": ("vvv", ""), "DELETE_SUBSCR": ("vv", ""), "UNARY_OP": ("v", "v"), "BINARY_OP": ("vv", "v"),
    "COMPARE_OP": ("vv", "v"), "IS_OP": ("vv", "v"), "CONTAINS_OP": ("vv", "v"), "GET_ITER": ("v", "i"),
    "ITERATOR": ("v", "i"), "YIELD_VALUE": ("v", "v"), "RETURN_VALUE": ("v", ""), "RERAISE": ("e", ""),
    "JUMP": ("", ""), "POP_JUMP_IF_FALSE": ("v", ""), "POP_JUMP_IF_TRUE": ("v", ""), "POP_JUMP_IF_NONE": ("v", ""),
    "POP_JUMP_IF_NOT_NONE": ("v", ""), "JUMP_IF_FALSE_OR_POP": ("v", ""), "JUMP_IF_TRUE_OR_POP": ("v", ""),
    "FOR_ITER": ("i", "iv"), "COPY_EXC": ("e", "et"), "JUMP_IF_NOT_MATCH": ("tv", ""), "EXIT_WITH": ("x", ""),
    "BUILD_TUPLE": lambda n: _values(n, 1), "BUILD_LIST": lambda n: _values(n, 1),
    "BUILD_SET": lambda n: _values(n, 1), "BUILD_MAP": lambda n: _values(2 * n, 1),
    "UNPACK_SEQUENCE": lambda n: _values(1, n), "RAISE_VARARGS": lambda n: _values(n, 0), "MAKE_FUNCTION": ("", "v"),
    "CALL_EX": lambda n: ("c" + "v" * (n + 1), "v"), "MATCH_SEQUENCE": ("v", "vv"), "MATCH_MAPPING": ("v", "vv"),
    "GET_LEN": ("v", "vv"), "MATCH_CLASS": lambda _: ("vv", "v"), "MATCHES_CLASS": lambda _: ("vv", "v"),
    "MATCH_KEYS": lambda _: ("v", "vv"),
}  # fmt: skip
JUMP_EDGE: Dict[str, Any] = {
    "FOR_ITER": ("i", ""), "JUMP_IF_FALSE_OR_POP": ("v", "v"), "JUMP_IF_TRUE_OR_POP": ("v", "v"),
    "MATCH_KEYS": lambda _: ("v", "v"),
}  # fmt: skip
"""The same on the edge that jumps, where it differs."""
SILENT = frozenset({"NOP", "CONST", "NULL", "POP", "COPY", "SWAP", "STORE_FAST", "JUMP", "SETUP_FINALLY", "POP_BLOCK"})
"""Operations that never raise."""


def after(state: State, op: Op, *, jump: bool = False) -> State:
    """The state behind ``op``, on the edge that falls through or on the one that jumps. Raises Invalid."""
    stack, blocks = state
    name = op.op
    special = _SPECIAL.get(name)
    if special is not None:
        return special(state, op)
    if name == "CALL":
        count, _ = call_operand(op)
        if len(stack) <= count or stack[-count - 1] not in ("c", "m"):
            raise Invalid(f"{name} without something callable: {stack}")
        takes, gives = stack[-count - 1] + "v" * count, "v"
    else:
        effect = JUMP_EDGE[name] if jump and name in JUMP_EDGE else EFFECTS[name]
        takes, gives = effect(op.arg) if callable(effect) else effect
    if name == "STORE_FAST" and stack[-1:] == ("e",):
        takes = "e"
    return State(_taken(state, takes, name) + tuple(gives), blocks)


def call_operand(op: Op) -> Tuple[int, Tuple[str, ...]]:
    """How many arguments a CALL has, and the names of the last ones."""
    return op.arg if isinstance(op.arg, tuple) else (op.arg, ())


def _taken(state: State, takes: str, name: str) -> Kinds:
    count = len(takes)
    if count > len(state.stack) or state.stack[len(state.stack) - count :] != tuple(takes):
        raise Invalid(f"{name} needs {takes} on the stack, there is {''.join(state.stack)}")
    rest = state.stack[: len(state.stack) - count]
    if len(rest) < state.floor:
        raise Invalid(f"{name} takes what a handler needs")
    return rest


def _pop(state: State, op: Op) -> State:
    if state.stack[-1:] not in (("v",), ("i",), ("x",), ("e",)):
        raise Invalid(f"POP of {state.stack[-1:]}")
    return State(_taken(state, state.stack[-1], "POP"), state.blocks)


def _copy(state: State, op: Op) -> State:
    if not 0 < op.arg <= len(state.stack) or state.stack[-op.arg] != "v":
        raise Invalid(f"COPY {op.arg} of {''.join(state.stack)}")
    return State((*state.stack, "v"), state.blocks)


def _swap(state: State, op: Op) -> State:
    stack = list(state.stack)
    if not 1 < op.arg <= len(stack) or stack[-1] != "v":
        raise Invalid(f"SWAP {op.arg} of {''.join(stack)}")
    if stack[-op.arg] != "v" and (op.arg != 2 or stack[-2] != "p"):
        raise Invalid(f"SWAP {op.arg} of {''.join(stack)}")
    stack[-1], stack[-op.arg] = stack[-op.arg], stack[-1]
    return State(tuple(stack), state.blocks)


def _callable(state: State, op: Op) -> State:
    takes = "nv" if state.stack[-2:] == ("n", "v") else "v"
    return State((*_taken(state, takes, "CALLABLE"), "c"), state.blocks)


def _setup_finally(state: State, op: Op) -> State:
    level = len(state.stack) if op.arg is None else op.arg
    if not state.floor <= level <= len(state.stack):
        raise Invalid("SETUP_FINALLY below the handler around")
    return State(state.stack, (*state.blocks, Block("try", op.target, level)))


def _setup_with(state: State, op: Op) -> State:
    stack = (*_taken(state, "v", "SETUP_WITH"), "x")
    return State((*stack, "v"), (*state.blocks, Block("with", op.target, len(stack))))


def _pop_block(state: State, op: Op) -> State:
    if not state.blocks or state.blocks[-1].kind == "handling":
        raise Invalid("POP_BLOCK where none is")
    return State(state.stack, state.blocks[:-1])


def _pop_except(state: State, op: Op) -> State:
    if not state.blocks or state.blocks[-1].kind != "handling" or state.stack[-1:] != ("p",):
        raise Invalid("POP_EXCEPT where no exception is handled")
    return State(state.stack[:-1], state.blocks[:-1])


def _with_except(state: State, op: Op) -> State:
    if state.stack[-4:] != ("x", "l", "p", "e") or state.blocks[-1].level != len(state.stack) - 3:
        raise Invalid("WITH_EXCEPT elsewhere than in its handler")
    return State(state.stack[:-4], state.blocks[:-1])


_SPECIAL: Dict[str, Callable[[State, Op], State]] = {
    "POP": _pop, "COPY": _copy, "SWAP": _swap, "CALLABLE": _callable, "SETUP_FINALLY": _setup_finally,
    "SETUP_WITH": _setup_with, "POP_BLOCK": _pop_block, "POP_EXCEPT": _pop_except, "WITH_EXCEPT": _with_except,
}  # fmt: skip


def caught(state: State, block: Block) -> State:
    """The state in which the handler of ``block``, the innermost one of ``state`` that catches, begins."""
    place = ("l",) if block.kind == "with" else ()
    outer = state.blocks[: max(place for place, other in enumerate(state.blocks) if other == block)]
    return State((*state.stack[: block.level], *place, "p", "e"), (*outer, Block("handling", *block[1:])))


def check_end(state: State, op: Op) -> None:
    """Raises Invalid if ``op`` must not leave the function in ``state``."""
    if op.op == "RETURN_VALUE" and any(block.kind == "handling" for block in state.blocks):
        raise Invalid("RETURN_VALUE while an exception is handled")
    if op.op == "RERAISE" and (len(state.stack) < 2 or state.stack[-2] != "p"):
        raise Invalid("RERAISE of an exception that does not stand above the one before")


def states(program: Program) -> List[Optional[State]]:
    """The state before each operation, None for one that is never reached. Raises Invalid."""
    ops, labels = program.ops, program.labels
    found: List[Optional[State]] = [None] * len(ops)
    todo: List[Tuple[int, State]] = [(0, State())]
    while todo:
        index, state = todo.pop()
        if index >= len(ops):
            raise Invalid("control runs off the end")
        before = found[index]
        if before is not None:
            if before != state:
                raise Invalid(f"{ops[index]} is reached with {before} and with {state}")
            continue
        found[index] = state
        op = ops[index]
        check_end(state, op)
        covering = next((b for b in reversed(state.blocks) if b.kind != "handling"), None)
        if covering is not None and (op.op not in SILENT):
            todo.append((labels[covering.handler], caught(state, covering)))
        if op.op in JUMPS:
            todo.append((labels[op.target], after(state, op, jump=True)))
        following = after(state, op)
        if op.op not in NO_FALL_THROUGH:
            todo.append((index + 1, following))
    return found


Bound = FrozenSet[str]


def bound_locals(program: Program) -> List[Bound]:
    """The locals that have a value before each operation, whatever way was taken."""
    ops, labels = program.ops, program.labels
    before = states(program)
    everything = frozenset(program.parameters) | frozenset(program.locals)
    found: List[Bound] = [everything] * len(ops)
    todo: List[Tuple[int, Bound]] = [(0, frozenset(program.parameters))]
    seen = set()
    while todo:
        index, bound = todo.pop()
        if index in seen and found[index] <= bound:
            continue
        seen.add(index)
        bound = found[index] = found[index] & bound
        op, state = ops[index], before[index]
        assert state is not None
        gone = bound - {op.arg} if op.op == "DELETE_FAST" else bound
        for block in reversed(state.blocks):
            if block.kind != "handling" and op.op not in SILENT:
                todo.append((labels[block.handler], gone))
                break
        if op.op in ("STORE_FAST", "LOAD_FAST"):
            gone = gone | {op.arg}
        if op.op in JUMPS:
            todo.append((labels[op.target], gone))
        if op.op not in NO_FALL_THROUGH:
            todo.append((index + 1, gone))
    return found


def covered(state: State) -> Union[Block, None]:
    """The block that an exception in ``state`` unwinds first."""
    return state.blocks[-1] if state.blocks else None


__all__ = ["SETUPS", "Block", "Invalid", "State", "after", "bound_locals", "call_operand", "covered", "states"]
