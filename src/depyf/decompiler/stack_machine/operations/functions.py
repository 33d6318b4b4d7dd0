"""MAKE_FUNCTION as a definition: a statement, or a lambda if the code has that name."""

from __future__ import annotations
import __future__

from functools import partial
from typing import Any, Callable, Iterator, Tuple

from ...bytecode import RawCode, known_instructions
from ...bytecode.kinds import is_comprehension, kind_of
from ...names.spelling import is_name
from ...syntax import nodes as n
from ..machine import Definition, Machine
from ..state import ComprehensionFunction, Const, Pure, Star, Value
from .registry import handles

_TEXT_ANNOTATIONS = __future__.annotations.compiler_flag
_STORES = ("STORE_FAST", "STORE_DEREF", "STORE_GLOBAL")


@handles("MAKE_FUNCTION")
def _make_function(machine: Machine, kinds: tuple[str, ...]) -> None:
    """Write the definition, including a following store to the function's own name."""
    code = machine.pop()
    raw = code.value if isinstance(code, Const) else None
    if not isinstance(raw, RawCode):
        raise machine.error("a function is made of something that is no code")
    parts = dict(zip(kinds, machine.pop_many(len(kinds))))
    _check_closure(machine, raw, parts.get("closure"))
    if machine.nested is None:
        raise machine.error(f"it makes a function of the code {raw.name}")
    definition = machine.nested(raw)
    if is_comprehension(raw):
        first = [ins.op for ins in known_instructions(raw)[:2]]
        machine.push(ComprehensionFunction(definition, iterates=first == ["LOAD_FAST", "GET_ITER"]))
        return
    setters = [
        *_defaults(machine, definition.args, parts.get("defaults")),
        *_keyword_defaults(machine, definition.args, parts.get("kwdefaults")),
        *_annotations(machine, definition, raw, parts.get("annotations")),
    ]
    texts = machine.texts([value for value, _ in setters])
    for (_, set_text), text in zip(setters, texts):
        set_text(text)
    if kind_of(raw) == "lambda" and len(definition.body) == 1 and isinstance(definition.body[0], n.Return):
        result = definition.body[0].value or n.Constant(None)
        # The defaults have their texts; making the function is another event, which uses them.
        machine.event([], lambda: n.Lambda(definition.args, result), "function")
    else:
        _statement(machine, definition, raw)


Setters = Iterator[Tuple[Value, Callable[[n.Expression], None]]]
"""Values that are parts of a definition, each with the function that inserts its text."""


def _defaults(machine: Machine, arguments: n.arguments, defaults: Value | None) -> Setters:
    values = [] if defaults is None else _items(machine, defaults)
    if defaults is not None:
        arguments.defaults = [n.Constant(None)] * len(values)
    for index, value in enumerate(values):
        yield value, partial(arguments.defaults.__setitem__, index)


def _keyword_defaults(machine: Machine, arguments: n.arguments, defaults: Value | None) -> Setters:
    arguments.kw_defaults = [None] * len(arguments.kwonlyargs)
    names = [argument.arg for argument in arguments.kwonlyargs]
    for name, value in [] if defaults is None else _named(machine, defaults):
        yield value, partial(arguments.kw_defaults.__setitem__, names.index(machine.spelling.variable(name)))


def _annotations(machine: Machine, definition: Definition, raw: RawCode, annotations: Value | None) -> Setters:
    by_name = {argument.arg: argument for argument in _all_arguments(definition.args)}
    items = [] if annotations is None else _items(machine, annotations)
    for key, value in zip(items[::2], items[1::2]):
        if raw.flags & _TEXT_ANNOTATIONS and isinstance(value, Const) and type(value.value) is str:
            value = Pure("text", (), value.value)  # the compiler keeps the text of the annotation
        name = key.value if isinstance(key, Const) else ""
        holder, field = (definition, "returns") if name == "return" else (by_name[name], "annotation")
        yield value, partial(setattr, holder, field)


def _statement(machine: Machine, definition: Definition, raw: RawCode) -> None:
    machine.flush()
    name = raw.name
    after = machine.upcoming(1)
    stored = after[0].op if after and after[0].op in _STORES and after[0].arg == name else ""
    if not stored or not is_name(name) or machine.spelling.variable(name) != name:
        stored, name = "", machine.spelling.function(name)
        machine.definitions[name] = None
    definition.name = name
    machine.free(name)
    machine.emit(definition)
    machine.next_index += bool(stored)
    if stored == "STORE_DEREF":
        if name in machine.raw.freevars:
            machine.nonlocals_stored[name] = None
    elif stored == "STORE_GLOBAL":
        machine.globals_stored[name] = None
    elif stored:
        machine.state.locals[name] = machine.held_by(name)
    else:
        machine.push(machine.held_by(name))


def _check_closure(machine: Machine, raw: RawCode, closure: Value | None) -> None:
    cells = machine.state.private(closure) if closure is not None else []
    names = [cell.arg for cell in cells or [] if isinstance(cell, Pure) and cell.kind == "cell"]
    if cells is None or len(names) != len(cells):  # Dynamo's, with nested graph breaks: inner.__closure__[0]
        raise machine.error(f"the function {raw.name} gets cells of another function, which no text can give it")
    if names != [machine.spelling.variable(free) for free in raw.freevars]:
        raise machine.error(f"the function {raw.name} gets cells of other names than its own")


def _items(machine: Machine, value: Value) -> list[Value]:
    if isinstance(value, Const) and type(value.value) is tuple:
        return [Const(item) for item in value.value]
    items = machine.state.private(value)
    if items is None or any(isinstance(item, Star) for item in items):
        raise machine.error("defaults or annotations of a function are not known one by one")
    return items


def _named(machine: Machine, value: Value) -> list[tuple[Any, Value]]:
    items = _items(machine, value)
    if not all(isinstance(key, Const) for key in items[::2]):
        raise machine.error("defaults of a function are not known one by one")
    return [(key.value, item) for key, item in zip(items[::2], items[1::2]) if isinstance(key, Const)]


def _all_arguments(arguments: n.arguments) -> list[n.arg]:
    found = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return found + [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
