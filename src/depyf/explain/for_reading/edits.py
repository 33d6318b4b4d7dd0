"""Edits on the text of one function, by the positions of its syntax tree: comments and spelling stay as they are."""

from __future__ import annotations

import ast
from typing import Iterable, Iterator

from ...decompiler.proof.compile_worker import syntax_tree

__all__ = ["FunctionText", "plain_target"]


class FunctionText:
    """A function's source with its tree, and the edits collected so far.

    Nothing changes until `apply`, so every position in the tree stays true while edits are made.

    Args:
        source: text whose first function definition is looked at.

    Raises:
        SyntaxError: `source` is not Python.
        ValueError: it defines no function.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.tree = syntax_tree(source)
        found = next((node for node in ast.walk(self.tree) if isinstance(node, ast.FunctionDef)), None)
        if found is None:
            raise ValueError("no function in the text")
        self.function = found
        self._bytes = source.encode()
        self._starts = [0]
        for line in self._bytes.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self._edits: list[tuple[int, int, bytes]] = []
        self.mentions: dict[str, list[ast.Name]] = {}
        self._blocks: dict[int, list[ast.stmt]] = {}
        self._places: dict[int, int] = {}  # of a statement in its block
        self._owners: dict[int, ast.stmt] = {}  # of names and statements: the statement around
        self.statements: list[ast.stmt] = []
        self.nodes = self._look(self.function)
        self.statements.sort(key=lambda node: (node.lineno, node.col_offset))
        scopes = [one for one in self.statements if isinstance(one, (ast.Global, ast.Nonlocal))]
        self.declared = {name for one in scopes for name in one.names}
        self._removed: set[int] = set()
        self._deleted: set[str] = set()  # names that go from `del` statements

    def _look(self, function: ast.FunctionDef) -> list[ast.AST]:
        todo: list[tuple[ast.AST, ast.stmt]] = [(function, function)]
        for node, owner in todo:  # it grows: breadth first, as `ast.walk`
            if isinstance(node, ast.Name):
                self.mentions.setdefault(node.id, []).append(node)
                self._owners[id(node)] = owner
            elif isinstance(node, ast.stmt) and node is not function:
                self.statements.append(node)
                self._owners[id(node)] = owner
                owner = node
            for _, child in ast.iter_fields(node):
                if isinstance(child, ast.AST):
                    todo.append((child, owner))
                elif isinstance(child, list) and child and isinstance(child[0], ast.AST):
                    todo.extend((one, owner) for one in child if isinstance(one, ast.AST))
                    if isinstance(child[0], ast.stmt):
                        self._blocks.update((id(one), child) for one in child)
                        self._places.update((id(one), place) for place, one in enumerate(child))
        return [node for node, _ in todo]

    @property
    def parameters(self) -> list[str]:
        """Names of all parameters, in order."""
        return [one.arg for one in ast.iter_child_nodes(self.function.args) if isinstance(one, ast.arg)]

    def bound_once(self) -> Iterator[tuple[str, ast.Assign]]:
        """The function's own variables with the one statement that assigns to each, `name = value`."""
        others = {*self.parameters, *self.declared}
        for statement in self.statements:
            target = plain_target(statement)
            if target is not None and target.id not in others and self.stores(target.id) == 1:
                assert isinstance(statement, ast.Assign)
                yield target.id, statement

    def loads(self, name: str) -> list[ast.Name]:
        """Where `name` is read."""
        return [one for one in self.mentions.get(name, []) if isinstance(one.ctx, ast.Load)]

    def block_of(self, statement: ast.stmt) -> list[ast.stmt]:
        """The statement list that holds `statement`."""
        return self._blocks[id(statement)]

    def place_of(self, statement: ast.stmt) -> int:
        """The index of `statement` in its block."""
        return self._places[id(statement)]

    def in_block(self, node: ast.Name, block: list[ast.stmt]) -> ast.stmt | None:
        """The statement of `block` that holds `node`, None if it is not in one of them."""
        found = self._owners[id(node)]
        while found is not self.function:
            if self._blocks[id(found)] is block:
                return found
            found = self._owners[id(found)]
        return None

    def stores(self, name: str) -> int:
        """How often `name` is assigned (not deleted) in the function."""
        return sum(1 for node in self.mentions.get(name, []) if isinstance(node.ctx, ast.Store))

    def text(self, node: ast.AST) -> str:
        """The source text of an expression or statement."""
        start, end = self._span(node)
        return self._bytes[start:end].decode()

    def replace(self, node: ast.AST, text: str) -> None:
        """Puts `text` in the place of `node`."""
        start, end = self._span(node)
        self._edits.append((start, end, text.encode()))

    def cut_first(self, nodes: list[ast.expr], count: int) -> None:
        """Removes the first `count` of the comma separated `nodes`."""
        start, end = self._span(nodes[0])[0], self._span(nodes[count - 1])[1]
        if len(nodes) > count:
            end = self._span(nodes[count])[0]
        self._edits.append((start, end, b""))

    def remove(self, statements: Iterable[ast.stmt]) -> int:
        """Removes whole statements; a block which would be left empty gets a `pass`. Returns how many."""
        before = len(self._removed)
        self._removed.update(map(id, statements))
        return len(self._removed) - before

    def inline(self, name: str, statement: ast.Assign, value: str) -> None:
        """Writes `value` wherever `name` is read, in the place of the statement which binds it."""
        for mention in self.loads(name):
            self.replace(mention, value)
        self.remove([statement])
        self.undelete([name])

    def undelete(self, names: Iterable[str]) -> None:
        """Takes `names` out of `del` statements."""
        self._deleted.update(names)

    def apply(self) -> str:
        """The text with all edits made."""
        for statement in self.statements:
            if isinstance(statement, ast.Delete):
                kept = [one for one in statement.targets if getattr(one, "id", "") not in self._deleted]
                if not kept:
                    self.remove([statement])
                elif len(kept) < len(statement.targets):
                    self.replace(statement, "del " + ", ".join(map(self.text, kept)))
        edits = list(self._edits)
        for statement in self.statements:
            if id(statement) not in self._removed:
                continue
            block = self.block_of(statement)
            if statement is block[0] and all(id(one) in self._removed for one in block):
                edits.append((*self._span(statement), b"pass"))
            else:
                edits.append((self._starts[statement.lineno - 1], self._starts[statement.end_lineno or 1], b""))
        out: list[bytes] = []
        at = 0
        for start, end, text in sorted(edits):
            if start >= at:  # else it is inside a statement which has gone already
                out += [self._bytes[at:start], text]
                at = end
        return b"".join([*out, self._bytes[at:]]).decode()

    def _span(self, node: ast.AST) -> tuple[int, int]:
        line: int = node.lineno  # type: ignore[attr-defined]
        end_line: int | None = node.end_lineno  # type: ignore[attr-defined]
        column: int = node.col_offset  # type: ignore[attr-defined]
        end_column: int | None = node.end_col_offset  # type: ignore[attr-defined]
        return self._starts[line - 1] + column, self._starts[(end_line or line) - 1] + (end_column or column)


def plain_target(statement: ast.stmt) -> ast.Name | None:
    """The one plain name that an assignment statement binds."""
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        if isinstance(target, ast.Name):
            return target
    return None
