"""Names and attributes."""

from __future__ import annotations

from ...syntax import nodes as n
from ..hints import attribute_hint, global_hint
from ..machine import Machine
from ..state import Pure, Unbound
from .registry import handles


@handles("LOAD_FAST")
def _load_fast(machine: Machine, name: str) -> None:
    value = machine.state.locals.get(name)
    text = machine.spelling.variable(name)
    if value is None or isinstance(value, Unbound):
        # The read may raise, so it is an event.
        machine.event([], lambda: n.Name(text), text, long=False)
    else:
        machine.push(value)


@handles("STORE_FAST")
def _store_fast(machine: Machine, name: str) -> None:
    value = machine.pop()
    if name not in machine.parked:
        machine.store(machine.spelling.variable(name), value)
    elif name in machine.keeping_alive and machine.is_unnamed(value):
        with machine.using([value]):
            machine.name(value)
    machine.state.locals[name] = value


@handles("DELETE_FAST")
def _delete_fast(machine: Machine, name: str) -> None:
    if name not in machine.parked:
        machine.delete(machine.spelling.variable(name))
    machine.state.locals.pop(name, None)


@handles("LOAD_CLOSURE")
def _load_closure(machine: Machine, name: str) -> None:
    machine.push(Pure("cell", (), machine.spelling.variable(name)))


@handles("LOAD_DEREF")
def _load_deref(machine: Machine, name: str) -> None:
    text = machine.spelling.variable(name)
    machine.event([], lambda: n.Name(text), text, long=False)


@handles("STORE_DEREF")
def _store_deref(machine: Machine, name: str) -> None:
    text = machine.spelling.variable(name)
    if name in machine.raw.freevars:
        machine.nonlocals_stored[text] = None
    machine.statement([machine.pop()], lambda value: n.Assign([n.Name(text)], value))


@handles("DELETE_DEREF")
def _delete_deref(machine: Machine, name: str) -> None:
    text = machine.spelling.variable(name)
    if name in machine.raw.freevars:
        machine.nonlocals_stored[text] = None
    machine.statement([], lambda: n.Delete([n.Name(text)]))


@handles("LOAD_GLOBAL")
def _load_global(machine: Machine, name: str) -> None:
    text = machine.spelling.name(name)
    machine.event([], lambda: n.Name(text), global_hint(machine.naming, text), long=False)


@handles("STORE_GLOBAL")
def _store_global(machine: Machine, name: str) -> None:
    text = machine.spelling.name(name)
    machine.globals_stored[text] = None
    machine.statement([machine.pop()], lambda value: n.Assign([n.Name(text)], value))


@handles("DELETE_GLOBAL")
def _delete_global(machine: Machine, name: str) -> None:
    text = machine.spelling.name(name)
    machine.globals_stored[text] = None
    machine.statement([], lambda: n.Delete([n.Name(text)]))


@handles("LOAD_ATTR")
def _load_attr(machine: Machine, name: str) -> None:
    text = machine.spelling.name(name)
    machine.name_if_kept(machine.state.stack[-1:])
    hint = attribute_hint(machine.naming, text)
    machine.event([machine.pop()], lambda owner: n.Attribute(owner, text), hint, long=False)


@handles("STORE_ATTR")
def _store_attr(machine: Machine, name: str) -> None:
    text = machine.spelling.name(name)
    machine.statement(machine.pop_many(2), lambda value, owner: n.Assign([n.Attribute(owner, text)], value))


@handles("DELETE_ATTR")
def _delete_attr(machine: Machine, name: str) -> None:
    text = machine.spelling.name(name)
    machine.statement([machine.pop()], lambda owner: n.Delete([n.Attribute(owner, text)]))
