"""Operations of patterns outside of the compiler's shapes: each one a ``match`` statement that stores what it gives.

MATCH_KEYS can only be written together with the tests before it.
"""

from __future__ import annotations

from typing import Any, Callable

from ..bytecode import Instruction
from ..bytecode.edit import referred
from ..names.spelling import is_literal, is_name
from ..stack_machine.machine import Handlers, Machine
from ..stack_machine.state import Const, Pure
from ..syntax import nodes as n

_BEFORE_KEYS = (
    "MATCH_MAPPING", "POP_JUMP_IF_FALSE", "GET_LEN", "CONST", "COMPARE_OP", "POP_JUMP_IF_FALSE", "CONST"
)  # fmt: skip


def join_mapping_patterns(instructions: list[Instruction]) -> list[Instruction]:
    """Make one operation of the parts of a mapping pattern: the tests for a mapping and its length, and MATCH_KEYS.

    This MATCH_KEYS has the keys as its argument. As the pattern in the text, it fails in one way: if the original goes
    elsewhere when a test fails, the proof fails.
    """
    result = list(instructions)
    count = len(_BEFORE_KEYS)
    for index, ins in enumerate(instructions):
        if ins.op not in ("MATCH_KEYS", "MATCH_KEYS_AND_TEST"):
            continue
        before = instructions[max(index - count, 0) : index]
        if tuple(one.op for one in before) != _BEFORE_KEYS or any(one.handler != ins.handler for one in before):
            continue
        length, compared, keys = before[3].arg, before[4].arg, before[-1].arg
        if type(keys) is not tuple or not all(map(is_literal, keys)) or (compared, length) != (">=", len(keys)):
            continue
        if referred(instructions).isdisjoint(range(index - count + 1, index + 1)):
            result[index - count : index - 1] = [one.as_nop() for one in before[:-1]]
            result[index] = Instruction(ins.op, keys, -1, ins.handler, ins.offset, ins.line, ins.position)
    return result


def _choice(
    subject: n.Expression, pattern: n.pattern, matched: list[n.Statement], other: list[n.Statement]
) -> n.Statement:
    """Return ``match subject: case pattern: matched``, with ``other`` for everything else."""
    return n.Match(subject, [n.match_case(pattern, None, matched), n.match_case(n.MatchAs(), None, other)])


def _assign(name: str, value: n.Expression) -> n.Statement:
    return n.Assign([n.Name(name)], value)


def _truth(machine: Machine, pattern: n.pattern) -> None:
    """Push whether the value on the stack, which stays there, matches a pattern without names."""
    name = machine.temporary("matches")
    yes, no = (_assign(name, n.Constant(truth)) for truth in (True, False))
    machine.statement(machine.state.stack[-1:], lambda subject: _choice(subject, pattern, [yes], [no]))
    machine.push(machine.held_by(name))


def _match_sequence(machine: Machine, arg: Any) -> None:
    _truth(machine, n.MatchSequence([n.MatchStar()]))


def _match_mapping(machine: Machine, arg: Any) -> None:
    _truth(machine, n.MatchMapping())


def _get_len(machine: Machine, arg: Any) -> None:
    if "len" in machine.raw.localsplus:
        raise machine.error("a length is taken where len is a variable")
    machine.event(machine.state.stack[-1:], lambda value: n.Call(n.Name("len"), [value]), "length")


def _match_class(machine: Machine, count: int) -> None:
    """Push the attributes as a tuple, or None."""
    machine.push(machine.held_by(_attributes(machine, count, lambda subject: n.Constant(None), [])))


def _match_class_and_test(machine: Machine, count: int) -> None:
    """3.10: push the attributes as a tuple, or the subject again; and whether it matched."""
    if not isinstance(machine.state.stack[-3], Const):
        machine.name(machine.state.stack[-3])
    test = machine.temporary("matches")
    found = _attributes(machine, count, lambda subject: subject, [test])
    machine.push(machine.held_by(found))
    machine.push(machine.held_by(test))


def _attributes(
    machine: Machine, count: int, otherwise: Callable[[n.Expression], n.Expression], tests: list[str]
) -> str:
    """Write a class pattern. Return the variable of the attributes; ``tests`` are those of whether it matched."""
    subject, kind, names = machine.pop_many(3)
    known = names.value if isinstance(names, Const) else None
    if type(known) is not tuple or not all(type(name) is str and is_name(name) for name in known):
        raise machine.error("the names of a class pattern are none that a source can have")
    if len(set(known)) < len(known):
        raise machine.error("a class pattern has a name twice")
    if isinstance(kind, Const):
        kind = machine.constant_in_variable(kind, [subject])
    with machine.using([subject, kind]):
        machine.name(kind)
    hints = [*[f"attribute_{number}" for number in range(count)], *known]
    captures = [machine.temporary(hint) for hint in hints]
    found = machine.temporary("attributes")

    def build(subject: n.Expression, kind: n.Expression) -> n.Statement:
        parts: list[n.pattern] = [n.MatchAs(None, name) for name in captures]
        pattern = n.MatchClass(kind, parts[:count], list(known), parts[count:])
        values: list[n.Expression] = [n.Name(name) for name in captures]
        yes = [_assign(found, n.Tuple(values)), *[_assign(name, n.Constant(True)) for name in tests]]
        no = [_assign(found, otherwise(subject)), *[_assign(name, n.Constant(False)) for name in tests]]
        return _choice(subject, pattern, yes, no)

    machine.statement([subject, kind], build)
    return found


def _match_keys(machine: Machine, keys: tuple[Any, ...] | None) -> None:
    """Push the values as a tuple, or None."""
    if keys is None:
        raise machine.error("the values of a mapping are looked up without the tests of a mapping pattern before")
    captures = [machine.temporary("item") for _ in keys]
    found = machine.temporary("items")
    pattern = n.MatchMapping([machine.constant(key) for key in keys], [n.MatchAs(None, name) for name in captures])
    yes = _assign(found, n.Tuple([n.Name(name) for name in captures]))
    no = _assign(found, n.Constant(None))
    machine.statement(machine.state.stack[-2:-1], lambda subject: _choice(subject, pattern, [yes], [no]))
    machine.push(machine.held_by(found))


def _match_keys_and_test(machine: Machine, keys: tuple[Any, ...] | None) -> None:
    """3.10: push also whether there are values."""
    _match_keys(machine, keys)
    machine.push(Pure("is", (machine.state.stack[-1], Const(None)), "is not"))


HANDLERS: Handlers = {
    "GET_LEN": _get_len,
    "MATCH_CLASS": _match_class,
    "MATCH_CLASS_AND_TEST": _match_class_and_test,
    "MATCH_KEYS": _match_keys,
    "MATCH_KEYS_AND_TEST": _match_keys_and_test,
    "MATCH_MAPPING": _match_mapping,
    "MATCH_SEQUENCE": _match_sequence,
}
