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
        self._statements: list[ast.stmt] = []
        self._look(self.function)
        self._statements.sort(key=lambda node: (node.lineno, node.col_offset))
        self._removed: set[int] = set()

    def _look(self, function: ast.FunctionDef) -> None:
        todo: list[tuple[ast.AST, ast.stmt]] = [(function, function)]
        for node, owner in todo:  # it grows: breadth first, as `ast.walk`
            if isinstance(node, ast.Name):
                self.mentions.setdefault(node.id, []).append(node)
                self._owners[id(node)] = owner
            elif isinstance(node, ast.stmt) and node is not function:
                self._statements.append(node)
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

    @property
    def parameters(self) -> list[str]:
        """Names of all parameters, in order."""
        args = self.function.args
        found = [a.arg for a in list(getattr(args, "posonlyargs", [])) + args.args]
        found += [args.vararg.arg] if args.vararg else []
        found += [a.arg for a in args.kwonlyargs]
        return found + ([args.kwarg.arg] if args.kwarg else [])

    def statements(self) -> Iterator[ast.stmt]:
        """Every statement inside the function, in order of text."""
        return iter(self._statements)

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

    def remove(self, statements: Iterable[ast.stmt]) -> None:
        """Removes whole statements; a block which would be left empty gets a `pass`."""
        for statement in statements:
            self._removed.add(id(statement))

    def undelete(self, names: set[str]) -> int:
        """Takes `names` out of `del` statements. Returns how many statements went away."""
        gone = 0
        for statement in self.statements():
            if not isinstance(statement, ast.Delete) or id(statement) in self._removed:
                continue
            kept = [t for t in statement.targets if not (isinstance(t, ast.Name) and t.id in names)]
            if not kept:
                self.remove([statement])
                gone += 1
            elif len(kept) < len(statement.targets):
                self.replace(statement, "del " + ", ".join(self.text(t) for t in kept))
        return gone

    @property
    def is_edited(self) -> bool:
        """Whether `apply` would give another text."""
        return bool(self._edits or self._removed)

    def apply(self) -> str:
        """The text with all edits made."""
        edits = list(self._edits)
        for statement in self.statements():
            if id(statement) not in self._removed:
                continue
            block = self.block_of(statement)
            if statement is block[0] and all(id(one) in self._removed for one in block):
                start, end = self._span(statement)
                edits.append((start, end, b"pass"))
            else:
                edits.append((self._starts[statement.lineno - 1], self._starts[statement.end_lineno or 1], b""))
        edits.sort()
        out: list[bytes] = []
        data, at = self._bytes, 0
        for start, end, text in edits:
            if start < at:
                continue  # inside a statement which has gone already
            out.append(data[at:start])
            out.append(text)
            at = end
        out.append(data[at:])
        return b"".join(out).decode()

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
