"""Operators and subscripts, and what has no text here: the last layer of operations without control flow."""

from __future__ import annotations

from typing import Any, Callable

from ..names.spelling import is_literal
from ..syntax import nodes as n
from . import containers
from .calls import Calls
from .hints import item_hint
from .state import Const, Container, Opaque, Pure, Raised, Value


class Operations(Calls):
    """Executes every instruction that neither jumps nor leaves."""

    def op_BINARY_SUBSCR(self, arg: Any) -> None:
        owner, key = self.pop_many(2)
        item = containers.read(self, owner, key)
        if item is not None:
            self.folded += 1
            self.push(item)
            return
        owner, key = self.unfoldable(owner, [key]), _built(key)
        hint = item_hint(self.text_hint(owner), key.value if isinstance(key, Const) else None)
        self.event([owner, *_parts(key)], _subscript(key), hint, long=not isinstance(key, Const))

    def op_STORE_SUBSCR(self, arg: Any) -> None:
        value, owner, key = self.pop_many(3)
        if containers.write(self, owner, key, value):
            self.folded += 1
            return
        key = _built(key)
        build = _subscript(key)
        self.statement([value, owner, *_parts(key)], lambda v, o, *k: n.Assign([build(o, *k)], v), long=True)

    def op_DELETE_SUBSCR(self, arg: Any) -> None:
        owner, key = self.pop_many(2)
        if containers.delete(self, owner, key):
            self.folded += 1
            return
        key = _built(key)
        build = _subscript(key)
        self.statement([owner, *_parts(key)], lambda o, *k: n.Delete([build(o, *k)]), long=True)

    def op_UNARY_OP(self, operator: str) -> None:
        [operand] = self.pop_many(1)
        self.event([self.unfoldable(operand)], lambda value: n.UnaryOp(operator, value), "value")

    def op_BINARY_OP(self, operator: str) -> None:
        left, right = self.pop_many(2)
        if containers.concatenate(self, operator, left, right):
            self.folded += 1
            return
        if not operator.endswith("="):
            formats = operator == "%" and isinstance(right, Container)
            if isinstance(right, Const) or formats:
                left = self.unfoldable(left, [right])
            self.event([left, right], lambda a, b: n.BinOp(a, operator, b), "value")
            return
        self.settle([left, right])
        # An operation in place has no expression: it is a statement on a variable that holds the left operand.
        with self.using([right]):
            if self.is_needed(left) and not isinstance(left, (Const, Pure)):
                self.name(left)
            name = self.temporary("value")
            self.store(name, left)
            texts = self.texts([right])
            self.flush()
        if left in self.state.names:
            self.state.names[left].remove(name)
        self.emit(n.AugAssign(n.Name(name), operator[:-1], texts[0]))
        result = Opaque(name, self.line)
        self.state.names[result] = [name]
        self.push(result)

    def op_COMPARE_OP(self, operator: str) -> None:
        self.event(self.pop_many(2), lambda a, b: n.Compare(a, [operator], [b]), "value")

    def op_CONTAINS_OP(self, operator: str) -> None:
        left, right = self.pop_many(2)
        if isinstance(right, Const) and type(right.value) is frozenset and right.value:
            members = sorted(right.value, key=repr)
            if all(is_literal(member) for member in members):
                display = n.Set([n.Constant(member) for member in members])
                self.event([left], lambda a: n.Compare(a, [operator], [display]), "value")
                return
        self.event([left, right], lambda a, b: n.Compare(a, [operator], [b]), "value")

    def op_IS_OP(self, operator: str) -> None:
        left, right = self.pop_many(2)
        if isinstance(left, Const) and isinstance(right, Const) and left.value is right.value:
            self.push(Const(operator == "is"))
            return
        self.push(Pure("is", (left, right), operator))

    # Others

    def op_GET_ITER(self, arg: Any) -> None:
        if "iter" in self.raw.localsplus:
            raise self.error("an iterator is made where iter is a variable")

        def build(iterable: n.Expression) -> n.Expression:
            self.iterators.append(n.Call(n.Name("iter"), [iterable], []))
            return self.iterators[-1]

        self.event([self.pop()], build, "iterator")

    def op_LOAD_ASSERTION_ERROR(self, arg: Any) -> None:
        raise self.error("an assertion in code with other stack shapes")

    def op_IMPORT_NAME(self, name: str) -> None:
        raise self.error("an import in code with other stack shapes")

    def op_YIELD_VALUE(self, arg: Any) -> None:
        self.event([self.pop()], lambda value: n.Yield(value), "sent")

    def op_POP_EXCEPT(self, arg: Any) -> None:
        self.flush()
        if not isinstance(self.pop(), Raised):
            raise self.error("POP_EXCEPT stands on no exception")

    def op_PUSH_EXC_INFO(self, arg: Any) -> None:
        exception = self.pop()
        self.push(Raised("handled before"))
        self.push(exception)


def _built(key: Value) -> Value:
    """A key that is a constant slice, as if it were built here: between brackets it is written by its parts."""
    if isinstance(key, Const) and type(key.value) is slice:
        parts = [key.value.start, key.value.stop, *([] if key.value.step is None else [key.value.step])]
        if all(map(is_literal, parts)):
            return Pure("slice", tuple(map(Const, parts)))
    return key


def _parts(key: Value) -> tuple[Value, ...]:
    return key.operands if isinstance(key, Pure) and key.kind == "slice" else (key,)


def _subscript(key: Value) -> Callable[..., n.Expression]:
    """How to write ``owner[key]`` given the texts of both; a slice comes as its parts."""
    if not (isinstance(key, Pure) and key.kind == "slice"):
        return lambda owner, text: n.Subscript(owner, text)
    missing = [isinstance(part, Const) and part.value is None for part in key.operands]

    def build(owner: n.Expression, *parts: n.Expression) -> n.Expression:
        bounds = [None if absent and place < 2 else part for place, (part, absent) in enumerate(zip(parts, missing))]
        return n.Subscript(owner, n.Slice(*bounds))

    return build
