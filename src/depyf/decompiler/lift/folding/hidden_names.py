"""The names that an inlined comprehension hides, and the dead code that makes the compiler hide them again.

The compiler saves the variables of an inlined comprehension: the names that it binds, in the order in which they are
first mentioned, then those of the comprehensions in it, unless it mentions them itself (`inline_comprehension` in
CPython's symtable.c). In a class it saves the names that are only read as well. Dead code takes part in that, and
leaves no other trace.
"""

from __future__ import annotations

from typing import Sequence

from ...syntax import nodes
from ...syntax.scopes import bound_by
from ...syntax.transforms.kept_constants import apart
from ..values import Comprehension, Function, Placeholder, Saved

_INLINED = (nodes.ListComp, nodes.SetComp, nodes.DictComp)


class Symbols:
    """The names of a comprehension's scope: ``own`` are mentioned by itself, ``merged`` by comprehensions in it alone.

    Both are in the compiler's order, and tell whether the name is bound there.
    """

    def __init__(self, generators: Sequence[nodes.comprehension], element: Sequence[nodes.Expression]) -> None:
        self.own: dict[str, bool] = {}
        self.merged: dict[str, bool] = {}
        self.captured: set[str] = set()
        """Names that functions share, of this scope or another."""
        self.not_captured: set[str] = set()
        """Names that functions mention and do not share."""
        self._inner: list[nodes.Expression] = []
        for number, one in enumerate(generators):
            bound = bound_by([one.target])
            for node in nodes.walk([one.target]):
                if isinstance(node, nodes.Name):
                    self.own[node.id] = node.id in bound or self.own.get(node.id, False)
            self._read([*([one.iter] if number else []), *one.ifs])
        self._read(element)
        for inner in self._inner:
            symbols = Symbols(inner.generators, _element_of(inner))  # type: ignore[attr-defined]
            self.captured |= symbols.captured
            self.not_captured |= symbols.not_captured
            for name, is_bound in [*symbols.own.items(), *symbols.merged.items()]:
                if name not in self.own:
                    self.merged.setdefault(name, is_bound)

    def _read(self, expressions: Sequence[nodes.Expression]) -> None:
        todo: list[nodes.Node | None] = [*reversed(expressions)]
        while todo:
            node = todo.pop()
            if isinstance(node, Function):
                self.captured.update(node.raw.freevars)
                self.not_captured.update(name for code in node.raw.walk() for name in code.names)
                todo += node.parts.values()
            elif isinstance(node, (Placeholder, Comprehension)):
                parts = [getattr(node, slot, None) for slot in node.attributes]
                todo += [part for part in parts if isinstance(part, nodes.Node)]
            elif isinstance(node, nodes.Lambda):
                self.captured.update(one.id for one in nodes.walk([node.body]) if isinstance(one, nodes.Name))
            elif isinstance(node, _INLINED):
                self._inner.append(node)
                todo.append(node.generators[0].iter)
            elif isinstance(node, nodes.NamedExpr) and isinstance(node.target, nodes.Name):
                self.own[node.target.id] = True
                todo.append(node.value)
            elif isinstance(node, nodes.Name):
                self.own.setdefault(node.id, False)
            elif node is not None:
                todo += reversed([*nodes.children(node)])


def _element_of(comprehension: nodes.Expression) -> list[nodes.Expression]:
    if isinstance(comprehension, nodes.DictComp):
        return [one for one in (comprehension.value, comprehension.key) if one is not None]
    return [comprehension.elt]  # type: ignore[attr-defined]


def bind_in_dead_clause(generators: list[nodes.comprehension], names: Sequence[str]) -> None:
    """Bind ``names``, if there are any, in a clause after a condition that is a false constant."""
    if names:
        generators.append(nodes.comprehension(_one_or_tuple([*map(nodes.Name, names)]), nodes.Tuple([]), [], 0))


def hide_the_same(
    generators: list[nodes.comprehension], value: nodes.Expression, key: nodes.Expression | None, saved: list[Saved]
) -> tuple[nodes.Expression, nodes.Expression | None]:
    """Add dead code to a comprehension that makes the compiler save the variables ``saved``, in that order.

    Return its value and key, one of which may be replaced.
    """
    found = _Missing(Symbols(generators, [one for one in (value, key) if one is not None]), saved)
    never = generators[-1].ifs[-1:] == [nodes.Constant(False)]
    dead = found.of_dead_element(generators) if never else found.of_element(generators)
    if not dead:
        return value, key
    unused = _one_or_tuple(dead)
    if never:  # no element is made, whatever it is
        return unused, key and unused
    if key is not None:
        return value, apart(key, unused)
    if isinstance(value, nodes.Starred):
        return nodes.Starred(apart(value.value, unused)), None
    return apart(value, unused), None


class _Missing:
    """The names that a comprehension saves, and would not save without dead code, or the other way round.

    ``bound`` are bound by itself, ``before`` and ``behind`` by comprehensions in it: before and behind those in its
    text. ``extra`` would be saved, as those bind them: it mentions them itself.
    """

    def __init__(self, symbols: Symbols, saved: list[Saved]) -> None:
        self.symbols = symbols
        self.is_class = any(one.name == ".0" for one in saved)
        self.loads = {one.name: one.load for one in saved if one.name != ".0"}
        self.cells = {one.name for one in saved if one.is_cell}
        self.unshared = self.cells - symbols.captured
        names = [*self.loads]
        saves = [name for name, is_bound in symbols.merged.items() if is_bound or self.is_class]
        merged = [name for name in saves if name not in self.unshared]
        self.extra = [nodes.Name(name) for name in merged if name not in names]
        self.has_merged = any(name in self.loads for name in merged)
        last = max((number for number, name in enumerate(names) if name in symbols.own), default=-1)
        self.read = [name for name in names if symbols.own.get(name) is False]
        self.bound = [name for name in names[: max(last, 0)] if name not in symbols.own]
        self.before, self.behind = _around(merged, names[last + 1 :])
        if self.is_class and self.behind:  # they are read, so what is before them is as well
            self.before, self.behind = [], names[last + 1 :]

    def of_element(self, generators: list[nodes.comprehension]) -> list[nodes.Expression]:
        """What the element of ``generators`` mentions; some of it is put into their first condition."""
        bound, before = self.bound, self.before
        if self.is_class:  # reading them is enough
            bound, before = [], bound + before
        else:
            bound = bound + self.read
        if before:
            hidden = _one_or_tuple([self.hiding(name) for name in before])
            generators[0].ifs.insert(0, apart(nodes.Constant(True), hidden))
        return [*self.extra, *map(_assigned, bound), *map(self.hiding, self.behind), *self.shared(bound)]

    def of_dead_element(self, generators: list[nodes.comprehension]) -> list[nodes.Expression]:
        """What the element of ``generators``, which is never made, mentions; a last clause is added to them."""
        # An assignment expression in a module makes its target a global.
        assigned = [name for name in self.read if not self.is_class and self.loads[name] == "LOAD_GLOBAL"]
        local = {name for name in self.read if self.loads[name] == "LOAD_FAST"} | self.cells
        read = [name for name in self.read if not self.is_class or name in local]
        own = [*self.bound, *(name for name in read if name not in assigned), *self.before]
        if not self.has_merged:
            own += self.behind
        # A function would share what is bound here, and not what a comprehension in here binds.
        bound = [name for name in own if name not in self.symbols.not_captured or name in self.cells]
        hidden = [name for name in [*own, *self.behind] if name not in bound]
        bind_in_dead_clause(generators, bound)
        hiding = map(self.hiding, dict.fromkeys(hidden))
        return [*self.extra, *map(_assigned, assigned), *hiding, *self.shared(bound)]

    def shared(self, bound: list[str]) -> list[nodes.Expression]:
        """A function that shares the variables which are cells, and which no function in the text shares."""
        own = {*self.symbols.own, *bound}
        shared = [nodes.Name(name) for name in self.loads if name in self.unshared and name in own]
        return [nodes.Lambda(nodes.arguments([], []), _one_or_tuple(shared))] if shared else []

    def hiding(self, name: str) -> nodes.Expression:
        """What makes a comprehension around it save ``name``, after the names that it mentions itself."""
        read = nodes.Name(name)
        if self.is_class and name not in self.cells:
            return read
        element = nodes.Lambda(nodes.arguments([], []), read) if name in self.cells else read
        return nodes.ListComp(element, [nodes.comprehension(read, nodes.Tuple([]), [], 0)])


def _around(merged: list[str], names: list[str]) -> tuple[list[str], list[str]]:
    """Split ``names`` at the longest run that ``merged`` has in the same order: what comes before, and what after."""
    before = [*names]
    behind: list[str] = []
    while before and before[-1] not in merged:
        behind.insert(0, before.pop())
    while before and before[-1] in merged:
        del merged[merged.index(before.pop()) :]
    return before, behind


def _assigned(name: str) -> nodes.Expression:
    return nodes.NamedExpr(nodes.Name(name), nodes.Constant(None))


def _one_or_tuple(values: Sequence[nodes.Expression]) -> nodes.Expression:
    return values[0] if len(values) == 1 else nodes.Tuple([*values])
