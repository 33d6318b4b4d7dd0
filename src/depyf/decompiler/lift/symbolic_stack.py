"""The symbolic evaluation stack of one basic block, and the statements made from it."""

from __future__ import annotations

from copy import copy
from operator import itemgetter
from typing import NoReturn

from ...errors import DecompilationError
from ..bytecode import CONDITIONAL_JUMPS, Instruction, RawCode
from ..bytecode.kinds import is_private, kind_of
from ..bytecode.versions.table import OpcodeTable
from ..syntax import nodes
from ..syntax.transforms.folded_tests import not_yet_folded
from .columns import column_of_del, column_of_first, first_column, follows_in_list
from .lifted_block import LiftedBlock
from .values import (
    Class,
    Function,
    Given,
    ImportedModule,
    InPlace,
    Marker,
    Member,
    Null,
    Saved,
    Slot,
    Stored,
    Unpacked,
    UnpackGroup,
    is_marker,
    is_namespace,
    resolved,
)

_DROPPED = frozenset({Marker, Null, Member})
"""What a statement has kept on the stack."""
_NOT_PART = {"POP", *(op for op in CONDITIONAL_JUMPS if op.startswith("POP_JUMP_IF"))}
"""What ends a statement, but is not part of it: on 3.11 a jump has the position of the whole `if`."""


class SymbolicStack:
    """Expressions on the stack and the statements made so far.

    A stored value of which COPY left a copy on the stack is part of a chained assignment if another store pops the
    copy, and an assignment expression if anything else does: ``copies`` keeps the statement until then.
    """

    def __init__(self, entry: list[nodes.Expression], table: OpcodeTable) -> None:
        self.table = table
        self.stack = list(entry)
        self.statements: list[nodes.Statement] = []
        self.copies: dict[int, nodes.Assign] = {}
        self.exchange: list[tuple[int, nodes.Expression, nodes.Expression]] = []  # a, b = b, a, not yet complete
        self.dropped: list[Unpacked] = []
        self.instruction: Instruction = Instruction("NOP")
        self.instructions: list[Instruction] = []
        self.position = 0  # of ``instruction`` among them
        self.start = 0  # of the current statement among them
        self.entry = entry
        self.display: nodes.Expression | None = None  # the last one with unpacked mappings (3.8)
        self.numbers: dict[int, tuple[int, int, nodes.Expression]] = {}  # see `number`; by identity
        self.push = self.stack.append
        self.take = self.stack.pop
        """Pop an entry as it is. Whoever lifts an instruction catches the IndexError of an empty stack."""

    def refuse(self, reason: str) -> NoReturn:
        """Give up on this code object."""
        raise DecompilationError(reason, stage="lift", where=f"offset {self.instruction.offset}")

    def number(self) -> None:
        """Number the entries before one is moved: so far they are in evaluation order."""
        first = len(self.stack)
        while first and self.numbers.get(id(self.stack[first - 1]), (0, 0))[1] != first:  # else those below have theirs
            first -= 1
        for height, value in enumerate(self.stack[first:], first + 1):
            self.numbers.setdefault(id(value), (len(self.numbers), height, value))

    def evaluated(self, value: nodes.Expression) -> int:
        """The number of ``value``, just taken from the stack, in evaluation order."""
        self.number()
        return self.numbers.setdefault(id(value), (len(self.numbers), 0, value))[0]

    def own(self, depth: int) -> nodes.Expression:
        """The entry ``depth`` from the top, to be mutated: copied if another block may have the same object."""
        value = self.stack[-depth]
        if any(value is one for one in self.entry):
            copied: nodes.Expression = value
            if isinstance(value, nodes.Dict):
                copied = nodes.Dict(value.keys[:], value.values[:])
            elif isinstance(value, (nodes.List, nodes.Set)):
                copied = type(value)(copy(value.elts))
            self.number()
            self.numbers[id(copied)] = (*self.numbers[id(value)][:2], copied)
            self.stack[-depth] = value = copied
        return value

    def pop(self) -> nodes.Expression:
        """Pop a value that an expression uses."""
        value = self.stack.pop()
        return self.as_expression(value) if self.copies else value

    def pop_tested(self) -> nodes.Expression:
        """Pop what a jump or a ``not`` tests: a constant was an expression before the compiler folded it."""
        test = self.pop()
        if isinstance(test, nodes.Constant) and self.table.behavior.folded_tests_stay:
            return not_yet_folded(test)
        return test

    def pop_many(self, count: int) -> list[nodes.Expression]:
        """Pop ``count`` values, in the order in which they were pushed."""
        values = self.take_many(count) if count else []
        return [self.as_expression(value) for value in values] if self.copies else values

    def take_many(self, count: int) -> list[nodes.Expression]:
        """Pop ``count`` entries, at least one, as they are, in the order in which they were pushed."""
        values = self.stack[-count:]
        if not values[count - 1 :]:
            self.refuse("the stack is too short")
        del self.stack[-count:]
        return values

    def as_expression(self, value: nodes.Expression) -> nodes.Expression:
        """``value``, as an assignment expression if it was stored and is also used."""
        statement = self.copies.pop(id(value), None)
        if statement is None:
            return value
        if not all(isinstance(target, nodes.Name) for target in statement.targets):
            self.refuse("a value that is stored and used in one expression")
        stored = self._stored(value, statement)
        self._replace(value, stored)  # `(name := value).attribute += 1` uses it twice
        return stored

    def _stored(self, value: nodes.Expression, statement: nodes.Assign) -> nodes.Expression:
        """``value`` with the targets of ``statement``, which is removed."""
        if not any(existing is statement for existing in self.statements):
            self.refuse("a stored value that is used after a branch")
        self.statements = [existing for existing in self.statements if existing is not statement]
        for target in statement.targets:
            value = Stored(target, value)
        return value

    def settle_copies(self, depth: int) -> None:
        """Settle the value ``depth`` from the top, moved or copied again: if it was stored, that was by `:=`."""
        value = self.stack[-depth]
        if id(value) in self.copies:
            self.as_expression(value)

    def finish(self, lifted: LiftedBlock) -> None:
        """End the block: stored values still on the stack belong to a `:=`, or to a chain with later targets."""
        if self.exchange:
            self.refuse("an exchange of values across blocks")
        if self.dropped:
            self.refuse("an unpacked value is dropped")
        for entry in list(self.stack) if self.copies else ():
            value = entry.group.value if isinstance(entry, Unpacked) else entry
            statement = self.copies.pop(id(value), None)
            if statement is not None:
                self._replace(value, self._stored(value, statement))
        lifted.statements, lifted.exit = self.statements, self.stack

    def _replace(self, value: nodes.Expression, by: nodes.Expression) -> None:
        for index, entry in enumerate(self.stack):
            if entry is value:
                self.stack[index] = by
            elif isinstance(entry, Unpacked) and entry.group.value is value:
                entry.group.value = by

    def emit(self, statement: nodes.Statement) -> None:
        """Add a statement."""
        statement.line = self.instruction.line
        statement.column = self.column()
        self.start = self.position + 1
        self.statements.append(statement)

    def restored(self) -> None:
        """The current instruction has restored a variable that a comprehension hides: after a statement, it is part of
        that.
        """
        if self.start == self.position:
            self.start += 1

    def delete(self, target: nodes.Expression) -> None:
        """Add a ``del`` statement, or a target to the one before."""
        last = self.statements[-1] if self.statements else None
        if isinstance(last, nodes.Delete) and follows_in_list(self.instructions[self.start - 1], self.instruction):
            last.targets.append(target)
            self.start = self.position + 1
        else:
            self.emit(nodes.Delete([target]))
            self.statements[-1].column = column_of_del(self.instruction)

    def column(self) -> int | None:
        """The start column of the statement that ends with the current instruction."""
        own = self.instructions[self.start : self.position]
        if self.instruction.op in _NOT_PART:
            return first_column(own)
        return first_column([*own, self.instruction])

    # Stores

    def store(self, target: nodes.Expression, value: nodes.Expression) -> None:
        """Store ``value``, just taken from the stack, to ``target``."""
        if type(value) is Unpacked:
            dropped, self.dropped = self.dropped, []
            if self.instruction.op == "STORE_FAST" and self.table.behavior.drops_overwritten_stores and not dropped:
                value.group.spread = value.group.spread or value.group.was_stored_to(target, value.index)
            for one in (*dropped, value):
                self._fill(one, target)
        elif type(value) is Member or type(value) is ImportedModule:
            self._import(target, value)
        elif type(value) is Marker and value.kind == "exception" and isinstance(target, nodes.Name):
            value.owner.names.add(target.id)
            self.emit(nodes.Assign([target], value))
        elif type(value) is InPlace:
            self._augment(target, value)
        elif not self.stack and not self.copies and not self.exchange:
            self.emit(nodes.Assign([target], value))
        elif id(value) in self.copies and (self._on_top(value) or not (self.exchange or self._has_pending_value())):
            statement = self.copies[id(value)]
            statement.targets.append(target)
            if not self._on_top(value):
                del self.copies[id(value)]
                self.start = self.position + 1
        elif self._on_top(value):
            statement = nodes.Assign([target], value)
            self.emit(statement)
            self.copies[id(value)] = statement
        elif self.exchange or self._has_pending_value():
            self._exchange(self.evaluated(value), target, self.as_expression(value))
        else:
            self.emit(nodes.Assign([target], value))

    def _on_top(self, value: nodes.Expression) -> bool:
        return bool(self.stack) and self.stack[-1] is value and not is_marker(value)

    def _has_pending_value(self) -> bool:
        """Whether the stack has a value that no enclosing statement keeps."""
        waiting = next((value for value in reversed(self.stack) if not isinstance(value, Saved)), None)
        return waiting is not None and not isinstance(resolved(waiting), (Marker, ImportedModule))

    def _exchange(self, order: int, target: nodes.Expression, value: nodes.Expression) -> None:
        if isinstance(value, (Given, Null)) or is_marker(value):
            self.refuse("a store that is not part of an assignment")
        self.exchange.append((order, target, value))
        if not self._has_pending_value():
            # The compiler chooses the order of stores that needs the fewest moves.
            stores = sorted(self.exchange, key=itemgetter(0))
            self.exchange = []
            targets = nodes.Tuple([target for _, target, _ in stores])
            self.emit(nodes.Assign([targets], nodes.Tuple([value for _, _, value in stores])))
            before = self.instructions[self.position - 1]
            if before.offset == self.instruction.offset:  # one of two stores in an instruction, which has the other's
                self.statements[-1].column = column_of_first(stores[0][1], before)

    def _fill(self, value: Unpacked, target: nodes.Expression) -> None:
        group = value.group
        group.targets[value.index] = nodes.Starred(target) if value.index == group.star else target
        targets = [target for target in group.targets if target is not None]
        if len(targets) == len(group.targets):
            self.store(nodes.Tuple(targets, spread=group.spread), group.value)

    def unpack(self, count: int, star: int | None) -> None:
        """UNPACK_SEQUENCE or UNPACK_EX of the value on top into ``count`` targets."""
        group = UnpackGroup(self.take(), count, star)
        for index in reversed(range(count)):
            self.push(Unpacked(group, index))
        if count == 0:
            self.store(nodes.List([]), group.value)

    def _augment(self, target: nodes.Expression, value: InPlace) -> None:
        left = resolved(value.left)
        if type(left) is type(target) and isinstance(left, (nodes.Attribute, nodes.Subscript)):
            same = left.value is target.value and (  # type: ignore[attr-defined]
                left.attr == target.attr  # type: ignore[attr-defined]
                if isinstance(left, nodes.Attribute)
                else _same_index(left.slice, target.slice)  # type: ignore[attr-defined]
            )
        else:
            same = isinstance(left, nodes.Name) and left == target
        if not same:
            self.refuse("an in-place operation that is not stored where it came from")
        self.emit(nodes.AugAssign(target, value.op[:-1], value.right))

    def _import(self, target: nodes.Expression, value: nodes.Expression) -> None:
        if not isinstance(target, nodes.Name):
            self.refuse("an import into something that is no name")
        if isinstance(value, Member):
            module = value.module
            if module.fromlist is None:  # import a.b.c as target
                self.emit(nodes.Import([nodes.alias(module.name, target.id)], module.is_lazy))
            else:
                module.aliases.append(nodes.alias(value.name, None if target.id == value.name else target.id))
            return
        assert isinstance(value, ImportedModule)
        if value.fromlist is not None:
            self.refuse("the module of a from-import is stored")
        first = value.name.partition(".")[0]
        if value.level:
            self.refuse("a relative import without names")
        if target.id == first or "." in value.name and is_private(target.id, first):
            self.emit(nodes.Import([nodes.alias(value.name)], value.is_lazy))
        elif "." in value.name:
            self.refuse("a dotted import stored under another name")
        else:
            self.emit(nodes.Import([nodes.alias(value.name, target.id)], value.is_lazy))

    def discard(self, value: nodes.Expression) -> None:
        """POP: an expression statement, or the end of what a statement kept on the stack."""
        if type(value) in _DROPPED:
            return
        if type(value) is ImportedModule:
            if value.fromlist is not None:
                self.emit(nodes.ImportFrom(value.name or None, value.aliases, value.level, value.is_lazy))
            return
        if type(value) is Given:
            if value.kind == "item":
                self.refuse("the item of a loop is dropped")
            return
        if type(value) is Unpacked:
            self.dropped.append(value)  # a store to the name of the next store: the compiler drops it
            return
        last = self.exchange[-1][1] if self.exchange else None
        if type(last) is nodes.Name:  # a store to the name of the previous store, dropped for the same reason
            self._exchange(self.evaluated(value), nodes.Name(last.id), self.as_expression(value))
            return
        if type(value) is Class or type(value) is Function and kind_of(value.raw) != "lambda":
            self.refuse("a definition is dropped")
        self.emit(nodes.Expr(self.as_expression(value)))


def _same_index(left: nodes.Expression, right: nodes.Expression) -> bool:
    """Whether two indices are the same object, or slices of the same objects."""
    if isinstance(left, nodes.Slice) and isinstance(right, nodes.Slice):
        return left.lower is right.lower and left.upper is right.upper and left.step is right.step
    return left is right


class AfterTest(SymbolicStack):
    """The stack of a block that both ways lead to from a test in an expression: the first value may be chosen by it."""

    def __init__(self, entry: list[nodes.Expression], table: OpcodeTable) -> None:
        super().__init__(entry, table)
        self.first: Slot | None = None
        self.push = self._push

    def _push(self, value: nodes.Expression) -> None:
        is_code = isinstance(value, nodes.Constant) and type(value.value) is RawCode
        if self.first is None and not is_code and not isinstance(value, (Marker, Null)) and not is_namespace(value):
            self.first = Slot(len(self.stack))
            self.first.value = value
            value = self.first
        self.stack.append(value)

    def finish(self, lifted: LiftedBlock) -> None:
        super().finish(lifted)
        lifted.first = self.first
