"""MAKE_FUNCTION as a definition: a statement of its own, or a lambda where the code has that name."""

from __future__ import annotations
import __future__

from typing import TYPE_CHECKING, Any, Callable, Union

from ..bytecode import RawCode, known_instructions
from ..names.spelling import is_name
from ..syntax import nodes as n
from .state import Comprehension, Const, Opaque, Pure, Star, Value

if TYPE_CHECKING:
    from .control import Control

Definition = Union[n.FunctionDef, n.AsyncFunctionDef]
Nested = Callable[[RawCode], Definition]
"""Gives the definition of nested code; raises DecompilationError if it has none."""

_TEXT_ANNOTATIONS = __future__.annotations.compiler_flag
COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
_STORES = ("STORE_FAST", "STORE_DEREF", "STORE_GLOBAL")


def make_function(control: Control, pc: int) -> int:
    """Write the definition for the MAKE_FUNCTION at ``pc``; where to go on (behind a store to its name)."""
    kinds: tuple[str, ...] = control.instructions[pc].arg
    code = control.pop()
    raw = code.value if isinstance(code, Const) else None
    if not isinstance(raw, RawCode):
        raise control.error("a function is made of something that is no code")
    parts = dict(zip(kinds, control.pop_many(len(kinds))))
    _check_closure(control, raw, parts.get("closure"))
    definition = control.nested(raw)
    if raw.name in COMPREHENSIONS:
        first = [ins.op for ins in known_instructions(raw)[:2]]
        control.push(Comprehension(definition, iterates=first == ["LOAD_FAST", "GET_ITER"]))
        return pc + 1
    operands: list[Value] = []
    places: list[Callable[[n.Expression], None]] = []
    arguments = definition.args
    arguments.kw_defaults = [None] * len(arguments.kwonlyargs)
    if "defaults" in parts:
        values = _items(control, parts["defaults"])
        arguments.defaults = [n.Constant(None)] * len(values)
        for place, value in enumerate(values):
            operands.append(value)
            places.append(lambda text, place=place: arguments.defaults.__setitem__(place, text))  # type: ignore[misc]
    if "kwdefaults" in parts:
        names = [argument.arg for argument in arguments.kwonlyargs]
        for name, value in _named(control, parts["kwdefaults"]):
            operands.append(value)
            place = names.index(control.spelling.variable(name))
            places.append(lambda text, place=place: arguments.kw_defaults.__setitem__(place, text))  # type: ignore[misc]
    if "annotations" in parts:
        by_name = {argument.arg: argument for argument in _all_arguments(arguments)}
        items = _items(control, parts["annotations"])
        for key, value in zip(items[::2], items[1::2]):
            if raw.flags & _TEXT_ANNOTATIONS and isinstance(value, Const) and type(value.value) is str:
                value = Pure("text", (), value.value)  # the compiler keeps the text of the annotation
            operands.append(value)
            name = key.value if isinstance(key, Const) else ""
            holder, field = (definition, "returns") if name == "return" else (by_name[name], "annotation")
            places.append(lambda text, h=holder, f=field: setattr(h, f, text))  # type: ignore[misc]
    texts = control.texts(operands)
    for put, text in zip(places, texts):
        put(text)
    if raw.name == "<lambda>" and len(definition.body) == 1 and isinstance(definition.body[0], n.Return):
        return _lambda(control, definition, pc)
    return _statement(control, definition, raw, pc)


def _statement(control: Control, definition: Definition, raw: RawCode, pc: int) -> int:
    control.flush()
    name = raw.name
    after = control.instructions[pc + 1]
    stored = after.op in _STORES and after.arg == name and control.handler_of(after) == control.handler
    if not stored or not is_name(name) or control.spelling.variable(name) != name:
        stored, name = False, control.spelling.function(name)
        control.definitions[name] = None
    definition.name = name
    control.free(name)
    control.emit(definition)
    if stored and after.op == "STORE_DEREF":
        if name in control.raw.freevars:
            control.nonlocals_stored[name] = None
        return pc + 2
    if stored and after.op == "STORE_GLOBAL":
        control.globals_stored[name] = None
        return pc + 2
    value = Opaque(name, control.line)
    control.state.names[value] = [name]
    if stored:
        control.state.locals[name] = value
        return pc + 2
    control.push(value)
    return pc + 1


def _lambda(control: Control, definition: Definition, pc: int) -> int:
    [statement] = definition.body
    assert isinstance(statement, n.Return)
    value = statement.value or n.Constant(None)
    # The texts of the defaults are in place; making the function is one more event, which uses them.
    control.event([], lambda: n.Lambda(definition.args, value), "function")
    return pc + 1


def _check_closure(control: Control, raw: RawCode, closure: Value | None) -> None:
    cells = control.state.private(closure) if closure is not None else []
    names = [cell.arg for cell in cells or [] if isinstance(cell, Pure) and cell.kind == "cell"]
    if cells is None or len(names) != len(cells) or names != [control.spelling.variable(free) for free in raw.freevars]:
        raise control.error(f"the function {raw.name} gets cells of other names than its own")


def _items(control: Control, value: Value) -> list[Value]:
    if isinstance(value, Const) and type(value.value) is tuple:
        return [Const(item) for item in value.value]
    items = control.state.private(value)
    if items is None or any(isinstance(item, Star) for item in items):
        raise control.error("defaults or annotations of a function are not known one by one")
    return items


def _named(control: Control, value: Value) -> list[tuple[Any, Value]]:
    items = _items(control, value)
    if not all(isinstance(key, Const) for key in items[::2]):
        raise control.error("defaults of a function are not known one by one")
    return [(key.value, item) for key, item in zip(items[::2], items[1::2]) if isinstance(key, Const)]


def _all_arguments(arguments: n.arguments) -> list[n.arg]:
    found = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    return found + [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
