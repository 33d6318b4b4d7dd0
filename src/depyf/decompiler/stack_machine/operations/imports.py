"""Imports: each is one statement together with the stores after it."""

from __future__ import annotations

from ...bytecode import Instruction
from ...syntax import nodes as n
from ..machine import Machine
from ..state import Const, Value
from .registry import handles

_STORES = ("STORE_FAST", "STORE_DEREF", "STORE_GLOBAL")


@handles("IMPORT_NAME", "EAGER_IMPORT_NAME")
def _import_name(machine: Machine, name: str) -> None:
    level, names = machine.pop_many(2)
    if not isinstance(level, Const) or not isinstance(names, Const):
        raise machine.error("an import whose names are computed")
    machine.flush()
    if names.value is None:
        _import_module(machine, ("." * level.value + name) if level.value else name)
    else:
        _import_from(machine, name, level.value)


def _import_module(machine: Machine, module: str) -> None:
    *path, _ = module.split(".")[1:] or [""]
    steps = [op for _ in path for op in ("IMPORT_FROM", "SWAP", "POP")] + ["IMPORT_FROM"]
    if "." in module and machine.next_are(*steps, "SWAP", "POP"):
        machine.next_index += len(steps) + 2
    elif "." in module and machine.next_are(*steps, "STORE_FAST", "POP"):
        machine.push(_imported(machine, module))
        machine.execute(machine.upcoming(len(steps) + 1)[-1])
        machine.next_index += len(steps) + 2
        return
    elif "." in module:
        after = machine.upcoming(1)
        if not after or after[0].op not in _STORES or after[0].arg != module.split(".")[0]:
            raise machine.error("an import of a module in a package whose package is not stored")
        machine.emit(n.Import([n.alias(module)]))
        machine.next_index += 1
        _stored(machine, after[0])
        return
    machine.push(_imported(machine, module))


def _imported(machine: Machine, module: str) -> Value:
    name = machine.spelling.fresh(module.split(".")[-1])
    machine.emit(n.Import([n.alias(module, name)]))
    return machine.held_by(name)


def _stored(machine: Machine, ins: Instruction) -> None:
    """Record that a statement bound the variable that ``ins`` stores to."""
    if ins.op == "STORE_FAST":
        machine.state.locals[ins.arg] = machine.held_by(machine.spelling.variable(ins.arg), ins.arg)
    elif ins.op == "STORE_GLOBAL":
        machine.globals_stored[ins.arg] = None
    elif ins.arg in machine.raw.freevars:
        machine.nonlocals_stored[ins.arg] = None


def _import_from(machine: Machine, module: str, level: int) -> None:
    aliases: list[n.alias] = []
    stores: list[Instruction] = []
    while True:
        source, store = [*machine.upcoming(2), None, None][:2]
        if source is None or store is None or source.op != "IMPORT_FROM" or store.op not in _STORES:
            break
        machine.next_index += 2
        spelling = machine.spelling
        text = spelling.variable(store.arg) if store.op != "STORE_GLOBAL" else spelling.name(store.arg)
        if store.op == "STORE_FAST":
            machine.free(text)
        aliases.append(n.alias(source.arg, text if text != source.arg else None))
        stores.append(store)
    if not aliases or not machine.next_are("POP"):
        raise machine.error("names are imported and kept on the stack")
    machine.next_index += 1
    machine.emit(n.ImportFrom(module or None, aliases, level))
    for store in stores:
        _stored(machine, store)
