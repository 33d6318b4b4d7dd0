"""A refused body: its provable parts, in order, and a mark for the rest.

A body is cut where the stack is empty and no statement is open (flowgraph/pieces.py). Consecutive pieces are decompiled
and proven as a separate body, in the same kind of namespace; where that fails, each half of them, down to single
pieces. A refused piece is replaced by a raise with the reason and its instructions as comments. Nested code is
decompiled by itself, and what is shown of it follows the mark in whose place it is made, or the raise that replaces the
body.
"""

from __future__ import annotations

from typing import Any, Callable, Container, NamedTuple, Sequence

from ....errors import DecompilationError
from ...bytecode import Instruction, RawCode, known_instructions, readable_instructions
from ...bytecode.code.flags import future_features
from ...bytecode.kinds import CONDITIONAL_ANNOTATIONS, gives_annotations, kind_of
from ...bytecode.part import END_OFFSET, part_of
from ...definitions.declarations import after_docstring
from ...flowgraph.pieces import Piece, joined, pieces_of
from ...proof.prove import reading_in_doubt
from ...syntax import nodes
from ..result import Result
from ..units import lift_unit
from .marks import definitions_in, placeholder, refused_body, traces

Decompile = Callable[[RawCode], Result]

_WORK = 6
"""How often each instruction, including those of nested code, may be decompiled again on average: in bodies with many
refused pieces, longer ones are marked instead."""
_FINALLY = 9
"""The number of pieces searched for a try statement and the copy of its finally body."""
_PROLOGUE_STORES = ("__module__", "__qualname__", "__classdict__", "__classdictcell__", "__type_params__")
_EPILOGUE = frozenset(
    {"NOP", "STORE_STATIC_ATTRIBUTES", "LOAD_CLOSURE", "COPY", "CONST", "RETURN_VALUE", "STORE_NAME", "JUMP"}
)
_EPILOGUE_STORES = ("__classcell__", "__classdictcell__")


class Partial(NamedTuple):
    """The statements, and the results of all nested code; ``proven`` of ``pieces`` are shown as statements.

    ``stand_in``: what replaces the code of an expression.
    """

    body: list[nodes.Statement]
    nested: tuple[Result, ...] = ()
    proven: int = 0
    pieces: int = 0
    stand_in: nodes.Expression | None = None


class Body:
    def __init__(
        self,
        raw: RawCode,
        error: DecompilationError,
        decompile: Decompile,
        refused: Container[RawCode],
        attributes: Sequence[str] = (),
    ) -> None:
        self.attributes = attributes
        self.raw, self.error, self.decompile, self.refused = raw, error, decompile, refused
        self.kind = kind_of(raw)
        self.instructions: list[Instruction] = []
        self.prologue: list[Piece] = []
        self.epilogue: list[Piece] = []
        self.results: dict[RawCode, Result] = {}  # of nested code
        self.shown: set[RawCode] = set()  # nested code
        self.body: list[nodes.Statement] = []
        self.proven = 0
        self.work = 0

    def read(self) -> Partial:
        pieces = self.cut()
        runs: list[list[Piece]] = [[]]
        number = 0
        while number < len(pieces):
            piece = pieces[number]
            if len(pieces) > 1 and self.is_hopeless(piece):
                whole = self.with_finally(pieces, number)
                if whole is not None:
                    inside = set(whole.members)
                    pieces[number:] = [whole, *(other for other in pieces[number:] if other.start not in inside)]
                    runs[-1].append(whole)
                else:
                    runs += [[piece], []]
            else:
                runs[-1].append(piece)
            number += 1
        for run in runs:
            self.show(run, whole=len(run) == len(pieces))
        nested = tuple(self.result_of(child) for child in self.raw.nested)
        body = self.body
        if not self.proven:
            body = refused_body(self.raw, self.error, self.attributes, self.definitions(self.raw.nested))
        else:
            body += self.definitions([child for child in self.raw.nested if child not in self.shown])
            notice = f"depyf could not decompile this body as a whole: {self.error.reason}"
            body[0].comments = [notice, *body[0].comments]
            body = _hoisted(body)
            mentions = self.mentions(body)
            if mentions:
                body.append(nodes.If(nodes.Constant(False), mentions))
        return Partial(_with_features(body, self.raw), nested, self.proven, len(pieces))

    def mentions(self, body: list[nodes.Statement]) -> list[nodes.Statement]:
        """What dead code after ``body`` has to mention."""
        return traces(self.raw, self.attributes)

    def cut(self) -> list[Piece]:
        """The pieces between the compiler's prologue and epilogue of a body; none if it can't be read."""
        try:
            if reading_in_doubt(self.raw):
                return []
            self.instructions = known_instructions(self.raw)
            pieces = pieces_of(self.instructions, may_return=self.kind == "function")
        except (DecompilationError, LookupError, AssertionError):
            return []
        while pieces and self.is_prologue(pieces[0]):
            self.prologue.append(pieces.pop(0))
        while pieces and self.is_epilogue(pieces[-1]):
            self.epilogue.insert(0, pieces.pop())
        return pieces

    def with_finally(self, pieces: list[Piece], number: int) -> Piece | None:
        """A try statement and the copy of its finally body after it, joined to one piece."""
        whole = pieces[number]
        if all(instruction.handler is None for instruction in self.of(whole)):
            return None
        for piece in pieces[number + 1 : number + _FINALLY]:
            whole = Piece(whole.start, piece.end, sorted(whole.members + piece.members))
            if not self.is_hopeless(whole):
                return whole
        return None

    def of(self, piece: Piece) -> list[Instruction]:
        return [self.instructions[index] for index in piece.members]

    def is_prologue(self, piece: Piece) -> bool:
        inside = self.of(piece)
        if {"SETUP_ANNOTATIONS", CONDITIONAL_ANNOTATIONS} & _facts(inside) or all(i.op == "NOP" for i in inside):
            return True
        if self.kind != "class":
            return False
        last = inside[-1]
        stores = last.op in ("STORE_NAME", "STORE_DEREF") and last.arg in _PROLOGUE_STORES
        return stores or all(i.op in ("STORE_FIRST_LINE", "NOP") for i in inside)

    def is_epilogue(self, piece: Piece) -> bool:
        inside = self.of(piece)
        if piece.end is None and inside[-1].op != "RETURN_VALUE":
            return False
        return all(
            i.op in _EPILOGUE and (i.op != "STORE_NAME" or i.arg in _EPILOGUE_STORES) for i in inside
        ) and not any(isinstance(i.arg, RawCode) for i in inside)

    def part(self, run: Sequence[Piece], has_class_dict: bool = False) -> RawCode:
        """``run`` between prologue and epilogue as separate code.

        ``has_class_dict``: with the cell for the names of the class, though no code in it reads it: since 3.14 every
        function makes it exist, as it might have annotations.
        """
        inside = [instruction for piece in run for instruction in self.of(piece)]
        nested = [i.arg for i in inside if isinstance(i.arg, RawCode)]
        free = {name for child in nested for name in child.freevars}
        unneeded = {"__class__", "__classdict__"} - free
        if has_class_dict:
            unneeded.discard("__classdict__")
        annotated = any(i.op in ("LOAD_NAME", "LOAD_DEREF") and i.arg == "__annotations__" for i in inside)
        if not annotated:
            unneeded.add("SETUP_ANNOTATIONS")
        if not annotated and not any(map(gives_annotations, nested)):
            unneeded.add(CONDITIONAL_ANNOTATIONS)
        kept = [piece for piece in self.prologue if unneeded.isdisjoint(_facts(self.of(piece)))]
        end: list[Instruction] = []
        for piece in self.epilogue:
            if unneeded.isdisjoint(_facts(self.of(piece))):
                end += [self.restricted(instruction, nested) for instruction in self.of(piece)]
        if not end or end[-1].op != "RETURN_VALUE":
            end.append(Instruction("CONST", None, offset=END_OFFSET - 2))
            end.append(Instruction("RETURN_VALUE", offset=END_OFFSET))
        return part_of(self.raw, joined(self.instructions, [*kept, *run], end))

    def restricted(self, instruction: Instruction, nested: list[RawCode]) -> Instruction:
        """``instruction`` of the epilogue, for a class that has only these methods."""
        if instruction.op != "STORE_STATIC_ATTRIBUTES":
            return instruction
        codes = [one for child in nested for one in child.walk()]
        stores = (i.arg for one in codes for i in readable_instructions(one) if i.op == "STORE_ATTR")
        attributes = set(stores)
        stored = tuple(name for name in instruction.arg if self.is_stored(name, attributes))
        return Instruction(instruction.op, stored, line=instruction.line)

    def is_stored(self, name: str, attributes: set[str]) -> bool:
        return name in attributes or f"_{self.raw.name.lstrip('_')}{name}" in attributes

    def is_hopeless(self, piece: Piece) -> bool:
        """Whether the piece alone is refused, without looking at nested code."""
        for instruction in self.of(piece):
            part = instruction.arg
            if isinstance(part, RawCode) and part in self.refused and kind_of(part) == "generic":
                return True  # a definition without a text
        try:
            return lift_unit(self.part([piece])).error is not None
        except (DecompilationError, LookupError, AssertionError):
            return True

    def show(self, run: Sequence[Piece], whole: bool = False) -> None:
        """Add the statements of ``run``; of its halves if it is not proven. ``whole``: it is the whole body."""
        if not run:
            return
        reason = self.error.reason if whole else self.prove(run)
        if not reason:
            return
        if len(run) > 1:
            half = len(run) // 2
            self.show(run[:half])
            self.show(run[half:])
        else:
            self.mark(run[0], reason)

    def prove(self, run: Sequence[Piece]) -> str:
        """Add the statements of ``run`` and return ''; if they are not proven, return the reason."""
        reason = "too much around it is refused; it was not tried"
        try:
            without = self.part(run)
            parts = [without]
            if "__classdict__" in self.raw.cellvars and "__classdict__" not in without.cellvars:
                parts.insert(not any(kind_of(child) == "function" for child in without.nested), self.part(run, True))
            for part in parts:
                self.work += _size(part)
                if self.work > _WORK * _size(self.raw) + 1000:
                    break
                result = self.decompile(part)
                statements = self.statements_of(result, run)
                if result.verdict.proven and statements is not None:
                    self.body += statements
                    self.results.update(zip(part.nested, result.nested))
                    self.shown.update(part.nested)
                    self.proven += len(run)
                    return ""
                reasons = result.verdict.reasons if not result.verdict.proven else ("it is no statement by itself",)
                reason = reasons[0] if reasons else reason
        except DecompilationError as error:
            reason = error.reason
        return reason

    def statements_of(self, result: Result, run: Sequence[Piece]) -> list[nodes.Statement] | None:
        return result.tree.body if isinstance(result.tree, (nodes.Module, nodes.ClassDef)) else None

    def mark(self, piece: Piece, reason: str) -> None:
        """Add the replacement of ``piece``, and what is shown of the code in it."""
        inside = self.of(piece)
        self.body.append(placeholder(self.raw, reason, inside, piece.members))
        self.body += self.definitions([i.arg for i in inside if isinstance(i.arg, RawCode)])

    def definitions(self, nested: Sequence[RawCode]) -> list[nodes.Statement]:
        self.shown.update(nested)
        return definitions_in(self.raw, [(child, self.result_of(child)) for child in nested], binds=not self.proven)

    def result_of(self, child: RawCode) -> Result:
        if child not in self.results:
            self.results[child] = self.decompile(child)
        return self.results[child]


def _facts(instructions: list[Instruction]) -> set[str]:
    """The operations, and the names in their operands."""
    return {text for i in instructions for text in (i.op, i.arg) if isinstance(text, str) and i.op != "CONST"}


def _size(raw: RawCode) -> int:
    total = 0
    for one in raw.walk():
        try:
            total += len(known_instructions(one))
        except DecompilationError:
            total += len(one.bytecode) // 2
    return total


def _with_features(body: list[nodes.Statement], raw: RawCode) -> list[nodes.Statement]:
    """``body`` with an import of the future features of ``raw``, on which nested code depends, if it has none."""
    imports = [one for one in body if isinstance(one, nodes.ImportFrom) and one.module == "__future__"]
    if kind_of(raw) != "module" or "annotations" not in future_features(raw.flags, raw.version) or imports:
        return body
    made = nodes.ImportFrom("__future__", [nodes.alias("annotations")], 0)
    at = after_docstring(body)
    return [*body[:at], made, *body[at:]]


def _hoisted(body: list[nodes.Statement]) -> list[nodes.Statement]:
    """``body`` with its global and nonlocal declarations merged at its beginning, after a docstring."""
    found: dict[Any, dict[str, None]] = {nodes.Global: {}, nodes.Nonlocal: {}}
    rest: list[nodes.Statement] = []
    for statement in body:
        if isinstance(statement, (nodes.Global, nodes.Nonlocal)):
            found[type(statement)].update(dict.fromkeys(statement.names))
        else:
            rest.append(statement)
    at = after_docstring(rest)
    while at < len(rest) and getattr(rest[at], "module", None) == "__future__":
        at += 1
    rest[at:at] = [kind(list(names)) for kind, names in found.items() if names]
    return rest
