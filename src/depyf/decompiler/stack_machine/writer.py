"""Writes statements and expressions for values in side-effect order.

Invariant: all effects of the bytecode so far have been written to ``out``, or are in ``state.pending``, in order. An
expression may therefore use pending events only if they are the last ones and it evaluates them in that order; earlier
ones are named first, that is, written as statements.
"""

from __future__ import annotations

import contextlib
import itertools
from typing import Any, Iterable, Iterator, Sequence

from ...errors import DecompilationError
from ..bytecode import RawCode
from ..names.spelling import Spelling, is_literal, is_name
from ..syntax import nodes as n
from .state import Const, Container, EventResult, MachineState, Null, Opaque, Pure, Raised, Star, Unbound, Value


class Writer:
    """The current state, the current list of statements, and the methods that write to it."""

    def __init__(self, raw: RawCode, spelling: Spelling, stage: str) -> None:
        self.raw = raw
        self.stage = stage
        self.spelling = spelling
        self.state = MachineState()
        self.out: list[n.Statement] = []
        self.line: int | None = None
        self.temporaries: set[str] = set()
        self.definitions: dict[str, None] = {}  # functions held only by a variable of ours
        self.hints: dict[str, str] = {}  # a suggested name for each temporary
        self.globals_stored: dict[str, None] = {}
        self.nonlocals_stored: dict[str, None] = {}
        self.operands: list[list[Value]] = []  # those of the text being written
        self.handling = False
        """Whether an exception is being handled, whose traceback keeps the variables alive anyway."""
        self.all_uses_known = False
        """Whether a value that is neither on the stack nor in a variable is dead: unused results then get no name, and
        variables of ours that outlive the original's value are deleted."""
        self.preferred: set[str] = set()  # variables of the original that texts mention rather than others
        self.to_delete: set[str] = set()  # variables of ours that are stale at a long-running operation
        self.set_before_loop: set[str] = set()  # variables of ours that a loop body resets, not deletes
        self.parked: frozenset[str] = frozenset()
        self.keeping_alive: frozenset[str] = frozenset()  # parked variables whose values have to be in one of ours
        self.live: frozenset[str] = frozenset()  # parked variables that are still read

    def error(self, reason: str) -> DecompilationError:
        """Return the error to raise for code that no source expresses."""
        return DecompilationError(reason, stage=self.stage, where=self.raw.qualname)

    # Statements

    def emit(self, statement: n.Statement) -> None:
        """Write one statement."""
        if statement.line is None:
            statement.line = self.line
        if is_long_running(statement):
            self.release([statement])
        self.out.append(statement)

    def statement(self, operands: list[Value], build: Any, long: bool = False) -> None:
        """Write the statement that ``build`` returns for the operands' texts, after all pending events.

        ``long``: it may be long-running (see ``name_stale_events``).
        """
        if long:
            self.name_stale_events(operands)
        texts = self.texts(operands)
        with self.using(operands):
            self.flush()
        self.escape(operands)
        self.emit(build(*texts))

    def escape(self, operands: list[Value]) -> None:
        """Forget the items of containers among the operands, which are visible outside now."""
        for value in self.state.held(operands):
            self.state.heap.pop(value, None)

    def flush(self) -> None:
        """Write all pending events, each into a variable."""
        while self.state.pending:
            self.name_first_pending()

    def name_first_pending(self) -> None:
        """Write the oldest pending event, into a variable if it is needed."""
        event = self.state.pending.pop(0)
        if self.all_uses_known and not self.is_needed(event):
            self.emit(n.Expr(event.expression, line=event.line))
            return
        name = self.temporary(event.hint)
        self.emit(n.Assign([n.Name(name)], event.expression, line=event.line))
        self.state.names[event] = [name]

    def temporary(self, hint: str) -> str:
        """Return a new variable of ours."""
        name = self.spelling.fresh(hint if is_name(hint) else "value")
        self.temporaries.add(name)
        self.hints[name] = hint if is_name(hint) else "value"
        return name

    def text_hint(self, value: Value) -> str:
        """Return the name of ``value``, or its suggested name."""
        names = self.state.names.get(value)
        if not names:
            return value.hint
        return self.hints.get(names[0], names[0])

    def discard(self, value: Value) -> None:
        """Write the pending events of a value that was popped or overwritten, unless something else uses them."""
        state = self.state
        for part in list(state.tree([value])):
            if part in state.pending and not self.is_needed(part):
                while state.pending[0] is not part:
                    self.name_first_pending()
                event = state.pending.pop(0)
                self.emit(n.Expr(event.expression, line=event.line))

    # Variables

    def store(self, name: str, value: Value) -> None:
        """``name = value``, for a local variable of the original or one of ours (by its spelling)."""
        state = self.state
        if isinstance(value, (Null, Raised, Unbound)):
            raise self.error("a value that no expression gives is stored to a variable")
        if value in state.pending and state.pending[-1] is value:
            while state.pending[0] is not value:
                self.name_first_pending()
            state.pending.pop()
            text, line = value.expression, value.line
            self.free(name)
        else:
            if value in state.pending:
                with self.using([value]):
                    self.flush()
            [text] = self.texts([value], alone=True)
            line = self.line
            with self.using([value]):
                self.flush()
                self.free(name)
            if state.has_name(value):  # `free` may have renamed it
                text = n.Name(state.names[value][0])
        self.emit(n.Assign([n.Name(name)], text, line=line))
        if not isinstance(value, Const) and not (isinstance(value, Pure) and not value.operands):
            state.names.setdefault(value, []).append(name)

    def held_by(self, name: str, hint: str | None = None) -> Opaque:
        """Return a new value that the variable ``name``, by its spelling, holds from now on."""
        value = Opaque(name if hint is None else hint, self.line)
        self.state.names[value] = [name]
        return value

    def free(self, name: str) -> None:
        """Save the variable's value to another one if it is still needed: the variable is about to be rebound."""
        state = self.state
        for value, names in list(state.names.items()):
            if name in names:
                names.remove(name)
                if not names and self.is_needed(value, but=name):
                    other = self.temporary(value.hint)
                    self.emit(n.Assign([n.Name(other)], n.Name(name), line=self.line))
                    names.append(other)
                if not names:
                    del state.names[value]

    def delete(self, name: str) -> None:
        """``del name``."""
        self.flush()
        self.free(name)
        self.emit(n.Delete([n.Name(name)]))

    def is_needed(self, value: Value, but: str = "") -> bool:
        """Whether the stack, a local variable other than ``but``, or what is being written still needs ``value``."""
        state = self.state
        for name, held in state.locals.items():
            if held is value and (name in self.live if name in self.parked else self.spelling.variable(name) != but):
                return True
        return value in state.all_of([*state.stack, *self.live_parked(), *self.in_use()])

    def in_use(self) -> Iterator[Value]:
        """Return the operands of all texts being written."""
        return itertools.chain.from_iterable(self.operands)

    @contextlib.contextmanager
    def using(self, operands: list[Value]) -> Iterator[None]:
        """Keep ``operands``, which were popped, alive while something is written."""
        self.operands.append(operands)
        yield
        self.operands.pop()

    @contextlib.contextmanager
    def within(self, state: MachineState, out: list[n.Statement]) -> Iterator[None]:
        """Write to the list ``out``, at whose end ``state`` holds."""
        kept = self.state, self.out
        self.state, self.out = state, out
        yield
        self.state, self.out = kept

    def live_parked(self) -> list[Value]:
        """Return the values of the parked variables that are still read."""
        return [self.state.locals[name] for name in sorted(self.live) if name in self.state.locals]

    # Lifetimes

    def stale(self, operands: list[Value]) -> set[str]:
        """Return our variables whose values are dead in the original once it has popped ``operands``."""
        if not self.all_uses_known:
            return set()
        state = self.state
        ours: dict[Value, list[str]] = {}
        for value, names in state.names.items():
            found = [name for name in names if name in self.temporaries or name in self.definitions]
            if found and not (isinstance(value, EventResult) and isinstance(value.expression, n.Name)):
                ours[value] = found  # the value of a global or a cell stays alive anyway
        if ours:
            for value in state.held([*state.stack, *state.locals.values(), *self.in_use(), *operands]):
                ours.pop(value, None)
        return {name for names in ours.values() for name in names}

    def name_stale_events(self, operands: list[Value]) -> None:
        """Name the pending events that mention stale variables, before a long-running operation."""
        stale = self.stale(operands)
        if not stale or self.handling:
            return
        self.to_delete |= stale
        pending = self.state.pending
        last = max((number for number, event in enumerate(pending) if mentioned(event.expression) & stale), default=-1)
        with self.using(operands):
            for _ in range(last + 1):
                self.name_first_pending()

    def release(self, texts: list[n.Node], all_stale: bool = False) -> None:
        """Delete the stale variables in ``to_delete``, or all stale ones; ``texts`` are about to be written."""
        if self.handling or not (self.to_delete or all_stale):
            return
        stale = self.stale([]) if all_stale else self.stale([]) & self.to_delete
        if not stale:
            return
        for node in [*texts, *[event.expression for event in self.state.pending]]:
            stale -= mentioned(node)
        if stale:
            for value, names in list(self.state.names.items()):
                names[:] = [name for name in names if name not in stale]
                if not names:
                    del self.state.names[value]
            order = [*self.hints, *self.definitions]
            reset = [name for name in order if name in stale & self.set_before_loop]
            self.out.extend(n.Assign([n.Name(name)], n.Constant(None), line=self.line) for name in reset)
            deleted: list[n.Expression] = [n.Name(name) for name in order if name in stale - self.set_before_loop]
            if deleted:
                self.out.append(n.Delete(deleted, line=self.line))

    def unfoldable(self, value: Value, others: Sequence[Value] = ()) -> Value:
        """Return ``value``, stored to a variable if it is a literal: the compiler would fold an operation on it.

        ``others`` are the other operands.
        """
        is_folded = isinstance(value, Const) and (is_literal(value.value) or type(value.value) is tuple)
        return self.constant_in_variable(value, others) if is_folded else value

    def constant_in_variable(self, value: Value, others: Sequence[Value]) -> Value:
        """Store a constant to a variable; ``others`` are the other operands of what it is for."""
        name = self.temporary("constant")
        with self.using([*others]):
            self.store(name, value)
        return self.held_by(name)

    # Expressions

    def texts(self, operands: list[Value], alone: bool = False) -> list[n.Expression]:
        """Return the texts of the operands, for one expression that evaluates them in this order.

        Removes the pending events that are used. ``alone``: a container may be written without a name although it is
        used elsewhere, as it is about to get one.
        """
        state = self.state
        with self.using(operands):
            self._name_shared(operands, alone)
            while True:
                used = [value for value in state.tree(operands) if value in state.pending]
                if used == state.pending[len(state.pending) - len(used) :]:
                    break
                self.name_first_pending()
        result = [self.text(operand) for operand in operands]
        if used:
            del state.pending[-len(used) :]
        return result

    def _name_shared(self, operands: list[Value], alone: bool) -> None:
        """Name pending events and containers that the operands use more than once, or that are used elsewhere."""
        state = self.state
        again = any(self.is_unnamed(value) for value in state.tree(operands))
        while again:
            again = False
            elsewhere = state.all_of([*state.stack, *self.live_parked()])
            seen: set[Value] = set()
            for value in list(state.tree(operands)):
                shared = value in elsewhere or value in seen
                if shared and self.is_unnamed(value) and not (alone and value is operands[0]):
                    self.name(value)
                    again = True
                    break
                seen.add(value)

    def is_unnamed(self, value: Value) -> bool:
        """Whether ``value`` is a pending event or a container, and no variable holds it."""
        return value in self.state.pending or isinstance(value, Container) and not self.state.has_name(value)

    def name(self, value: Value) -> str:
        """Return the variable that holds ``value``, after storing it to one if there is none yet."""
        state = self.state
        if not state.has_name(value):
            if value in state.pending:
                with self.using([value]):
                    while not state.has_name(value):
                        self.name_first_pending()
            else:
                self.store(self.temporary(value.hint), value)
        return state.names[value][0]

    def name_if_kept(self, values: list[Value]) -> None:
        """Name containers among ``values`` that a variable of the original keeps, if items are in variables of ours.

        They are about to become visible outside, after which the variables of their items can be deleted.
        """
        state = self.state
        for value in values:
            if isinstance(value, Container) and value in state.heap and not state.has_name(value):
                parts = {name for part in state.tree([value]) for name in state.names.get(part, ())}
                if parts & self.temporaries and any(held is value for held in state.locals.values()):
                    self.name(value)

    def text(self, value: Value) -> n.Expression:
        """Return the expression for one value. The caller ensures the order of events."""
        names = self.state.names.get(value)
        if names:
            return n.Name(next((name for name in names if name in self.preferred), names[0]))
        if isinstance(value, Const):
            return self.constant(value.value)
        if isinstance(value, EventResult):
            return value.expression
        if isinstance(value, Pure):
            return self._pure(value)
        if isinstance(value, Container) and value in self.state.heap:
            return self.display(value.kind, self.state.heap[value])
        if isinstance(value, Star):
            return n.Starred(self.text(value.iterable))
        raise self.error(f"no expression gives this value ({type(value).__name__})")

    def display(self, kind: str, items: Iterable[Value]) -> n.Expression:
        """Return a list, tuple or dictionary display."""
        if kind == "map":
            keys: list[n.Expression | None] = []
            values: list[n.Expression] = []
            rest = list(items)
            while rest:
                first = rest.pop(0)
                star = isinstance(first, Star)
                keys.append(None if star else self.text(first))
                values.append(self.text(first.iterable if isinstance(first, Star) else rest.pop(0)))
            return n.Dict(keys, values)
        texts = [self.text(item) for item in items]
        return n.List(texts) if kind == "list" else n.Tuple(texts)

    def constant(self, value: Any) -> n.Expression:
        """Return the text of a constant."""
        if is_literal(value):
            return n.Constant(value)
        if type(value) is tuple:
            return n.Tuple([self.constant(item) for item in value])
        text = self.spelling.constant(value)
        if text is None:
            raise self.error(f"a constant of type {type(value).__name__} has no text")
        return path_text(text)

    def _pure(self, value: Pure) -> n.Expression:
        if value.kind == "cell":
            parameters = n.arguments()
            closure = n.Attribute(n.Lambda(parameters, n.Name(value.arg)), "__closure__")
            return n.Subscript(closure, n.Constant(0))
        if value.kind == "text":
            return n.Raw(value.arg)
        if value.kind == "AssertionError":
            raise self.error("AssertionError is used where no assertion fails")
        operands = [self.text(operand) for operand in value.operands]
        if value.kind == "slice":
            return n.Call(n.Name("slice"), operands)
        return n.Compare(operands[0], [value.arg], [operands[1]])


def mentioned(tree: n.Node) -> set[str]:
    """Return the names in ``tree``."""
    return {node.id for node in n.walk(tree) if isinstance(node, n.Name)}


_COMPOUND = (n.If, n.Try, n.With, n.For, n.FunctionDef)
_LONG_RUNNING = (n.Call, n.BinOp, n.UnaryOp, n.Compare, n.AugAssign, n.Starred, n.Yield)


def is_long_running(statement: n.Statement) -> bool:
    """Whether the statement may be long-running, or need memory (see proof/symbolic/lifetimes.py)."""
    if isinstance(statement, _COMPOUND):
        return False  # written after their parts
    if any(isinstance(target, n.Subscript) for target in getattr(statement, "targets", ())):
        return True
    return any(
        isinstance(node, _LONG_RUNNING) or isinstance(node, n.Subscript) and not isinstance(node.slice, n.Constant)
        for node in n.walk(statement)
    )


def path_text(path: str) -> n.Expression:
    """Return ``a.b.c`` as an expression."""
    first, *rest = path.split(".")
    node: n.Expression = n.Name(first)
    for attribute in rest:
        node = n.Attribute(node, attribute)
    return node
