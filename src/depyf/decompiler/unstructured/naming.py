"""Chooses descriptive names for our variables once all statements are written.

A name comes from the use of the value if that is more specific (the parameter of a call, the attribute it is stored
to), else from its origin. Until then the variables have arbitrary names.
"""

from __future__ import annotations

import builtins
from collections import Counter
from typing import Iterable, Mapping, Sequence

from ..bytecode import RawCode
from ..names.naming_hints import NamingHints
from ..names.spelling import Spelling, is_name
from ..stack_machine.hints import is_vague
from ..syntax import nodes as n
from ..syntax.scopes import outside_functions

_NUMBERED = ("result", "item", "value", "constant")
_MAX_DEPTH = 6


def choose_names(
    body: list[n.Statement],
    hints: Mapping[str, str],
    raw: RawCode,
    spelling: Spelling,
    results: Mapping[str, Sequence[str]],
    naming: NamingHints,
) -> dict[str, str]:
    """Rename the variables of ``hints`` in ``body``. Return a mapping from old to new names.

    ``results`` maps global names of functions to the names of the items that they return.
    """
    suggestions = _Suggestions(hints, results, naming)
    every = list(outside_functions(body))
    for node in every:
        suggestions.visit(node)
    taken = _taken(body, hints, raw, spelling)
    new: dict[str, str] = {}
    used: set[str] = set()
    for old, base in suggestions.bases().items():
        if base in taken or not is_name(base):
            base = base.rstrip("_") + "_"
        text, number = base, 0
        while text in used or text in taken:
            number += 1
            text = f"{base.rstrip('_')}_{number}"
        new[old] = text
        used.add(text)
    seen: set[int] = set()  # a node may occur twice in the tree
    for node in every:
        if isinstance(node, n.Name) and id(node) not in seen:
            seen.add(id(node))
            node.id = new.get(node.id, node.id)
        elif isinstance(node, n.MatchAs) and node.name is not None and id(node) not in seen:
            seen.add(id(node))
            node.name = new.get(node.name, node.name)
    return new


class _Suggestions:
    """The suggested name of each variable."""

    def __init__(self, hints: Mapping[str, str], results: Mapping[str, Sequence[str]], naming: NamingHints) -> None:
        self.hints = hints
        self.results = results
        self.numbered = (*_NUMBERED, naming.numbered)
        self.found: dict[str, str] = {}  # variable -> the name suggested by its use
        self.order: dict[str, None] = {}
        self.values: dict[str, n.Expression] = {}

    def visit(self, node: n.Node) -> None:
        if isinstance(node, n.Name) and node.id in self.hints:
            self.order[node.id] = None
        elif isinstance(node, n.Assign) and len(node.targets) == 1:
            target = node.targets[0]
            if isinstance(target, n.Name):
                self.values.setdefault(target.id, node.value)
            elif isinstance(target, n.Attribute):
                self.suggest(node.value, target.attr)
        elif isinstance(node, n.keyword) and node.arg is not None:
            self.suggest(node.value, node.arg)
        elif isinstance(node, n.Dict):
            for key, value in zip(node.keys, node.values):
                self.suggest_constant(value, key)
        elif isinstance(node, n.For) and isinstance(node.target, n.Tuple) and len(node.target.elts) == 2:
            called = node.iter.func if isinstance(node.iter, n.Call) else None
            if isinstance(called, n.Attribute) and called.attr == "items":
                self.suggest(node.target.elts[0], "key")
                self.suggest(node.target.elts[1], "value")
        elif isinstance(node, n.Call):
            self.visit_call(node)

    def visit_call(self, call: n.Call) -> None:
        callee = call.func
        if len(call.args) == 3 and isinstance(callee, (n.Name, n.Attribute)):
            if "setattr" in (callee.id if isinstance(callee, n.Name) else callee.attr):
                self.suggest_constant(call.args[2], call.args[1])

    def suggest(self, value: n.Expression, name: str) -> None:
        if isinstance(value, n.Name) and value.id in self.hints and is_name(name):
            self.found.setdefault(value.id, name)

    def suggest_constant(self, value: n.Expression, key: n.Expression | None) -> None:
        if isinstance(key, n.Constant) and type(key.value) is str:
            self.suggest(value, key.value)

    def bases(self) -> dict[str, str]:
        """Return the suggested name of each variable that occurs, in order of occurrence."""
        bases = {}
        for variable in self.order:
            hint = self.result_name(variable) or self.hints[variable]
            bases[variable] = self.found.get(variable, hint) if is_vague(hint) else hint
        items = [variable for variable, base in bases.items() if base.startswith("out_") and base[4:].isdigit()]
        if len(items) == 1:
            bases[items[0]] = "out"
        count = Counter(bases.values())
        shared = {variable: base for variable, base in bases.items() if count[base] > 1}
        return {**bases, **{variable: self.qualified(variable, base) for variable, base in shared.items()}}

    def qualified(self, variable: str, base: str) -> str:
        """Return ``base`` qualified by its owner, if known: ``norm1_weight`` of many weights."""
        value = self.values.get(variable)
        owner = self.owner_name(value.value) if isinstance(value, (n.Attribute, n.Subscript)) else None
        if owner is None or base in self.numbered:
            return base
        return f"{base}_{owner}" if owner.isdigit() else f"{owner}_{base}"

    def owner_name(self, owner: n.Expression, depth: int = 0) -> str | None:
        """Return a name for ``owner``: its last public attribute, index or key; None if it has none."""
        if depth > _MAX_DEPTH:
            return None
        name = ""
        if isinstance(owner, n.Attribute):
            name = owner.attr
        elif isinstance(owner, n.Subscript) and isinstance(owner.slice, n.Constant):
            name = str(owner.slice.value)
        if name and (is_name(name) and name[0] != "_" or name.isdigit()):
            return name
        if isinstance(owner, (n.Attribute, n.Subscript)):
            return self.owner_name(owner.value, depth + 1)
        if isinstance(owner, n.Name) and owner.id in self.values and owner.id in self.hints:
            return self.owner_name(self.values[owner.id], depth + 1)
        return None

    def result_name(self, variable: str) -> str | None:
        """Return the name of the item of a call's result that the variable holds, if ``results`` has it."""
        value = self.values.get(variable)
        if not isinstance(value, n.Subscript) or not isinstance(value.slice, n.Constant):
            return None
        index, owner = value.slice.value, value.value
        for _ in range(2):
            if isinstance(owner, n.Name):
                owner = self.values.get(owner.id, owner)
        callee = owner.func if isinstance(owner, n.Call) else None
        if isinstance(callee, n.Name) and callee.id in self.values:
            callee = self.values[callee.id]
        names = self.results.get(callee.id, ()) if isinstance(callee, n.Name) else ()
        return names[index] if type(index) is int and 0 <= index < len(names) and is_name(names[index]) else None


def _taken(body: list[n.Statement], ours: Iterable[str], raw: RawCode, spelling: Spelling) -> set[str]:
    """Return the names that are in use: those in the text, including nested functions, and the builtins."""
    taken: set[str] = set()
    for node in n.walk(body):
        if isinstance(node, n.Name):
            taken.add(node.id)
        elif isinstance(node, (n.Global, n.Nonlocal)):
            taken.update(node.names)
        elif isinstance(node, (n.FunctionDef, n.ClassDef)):
            taken.add(node.name)
    taken.difference_update(ours)
    taken.update(spelling.variables, spelling.names, dir(builtins), ("self",))
    taken.update(text.split(".")[0] for text in spelling.constants)
    for code in raw.nested:
        for inner in code.walk():
            taken.update(inner.names, inner.localsplus, inner.varnames, (inner.name,))
    return taken | {*raw.parameters, *raw.cellvars, *raw.freevars}
