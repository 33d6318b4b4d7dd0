"""Operations that acyclic code of Dynamo's does not need: iterators, imports, exceptions, awaits, calls on one slot."""

from __future__ import annotations

from typing import Any

from ..bytecode import Instruction, RawCode
from ..events.state import Const, Container, Event, Opaque, Pure, Value
from ..names.spelling import Spelling
from ..syntax import nodes as n
from .analysis import Node
from .levels import handled_part
from .unpacking import Unpacking

_STORES = ("STORE_FAST", "STORE_DEREF", "STORE_GLOBAL")


class MoreOperations(Unpacking):
    """Executes what can be written as an expression or a statement."""

    node: Node
    place: int
    exceptions: dict[Value, object]

    def upcoming(self, count: int) -> list[Instruction]:
        """The next instructions of the node."""
        raise NotImplementedError

    def __init__(self, raw: RawCode, spelling: Spelling) -> None:
        super().__init__(raw, spelling)
        self.kinds: dict[Value, str] = {}  # containers of a known type: "items", "members" or "mapping"
        self.asynchronous: list[n.Name] = []  # the functions of calls that must become part of an ``async for``

    def opaque(self, name: str) -> Opaque:
        """A value that the variable of ours holds."""
        value = Opaque(name, self.line)
        self.state.names[value] = [name]
        return value

    def ops_are(self, *operations: str) -> bool:
        return [ins.op for ins in self.upcoming(len(operations))] == list(operations)

    # Iterators and awaits

    def op_GET_AITER(self, arg: Any) -> None:
        # Only ``async for`` does this everywhere; polish.py puts the operand there.
        function = n.Name("aiter")
        self.asynchronous.append(function)
        self.event([self.pop()], lambda value: n.Call(function, [value]), "iterator")

    def op_GET_YIELD_FROM_ITER(self, arg: Any) -> None:
        self.delegate(n.YieldFrom)

    def op_GET_AWAITABLE(self, arg: Any) -> None:
        self.delegate(n.Await)

    def delegate(self, make: Any) -> None:
        """``yield from`` and ``await``."""
        if not self.ops_are("CONST", "YIELD_FROM") or self.upcoming(1)[0].arg is not None:
            raise self.error("an awaitable or a generator that is delegated to lives on")
        self.place += 2
        self.event([self.pop()], make, "result")

    # Texts and super()

    def op_CONVERT_VALUE(self, conversion: str) -> None:
        # Only part of a formatted string: FORMAT_VALUE puts it there, and elsewhere it can't be printed.
        self.event([self.pop()], lambda value: n.FormattedValue(value, ord(conversion)), "text")

    def op_FORMAT_VALUE(self, arg: Any) -> None:
        has_spec = arg[1]
        value = self.state.stack[-1 - has_spec]
        if not isinstance(value, Event) or not isinstance(value.expression, n.FormattedValue):
            super().op_FORMAT_VALUE(arg)
            return

        def build(part: n.Expression, spec: n.Expression | None = None) -> n.Expression:
            if not isinstance(part, n.FormattedValue):
                raise self.error("a converted value is used before it is formatted")
            if spec is not None and not isinstance(spec, n.JoinedStr):
                spec = n.JoinedStr([spec if isinstance(spec, n.Constant) else n.FormattedValue(spec)])
            return n.JoinedStr([n.FormattedValue(part.value, part.conversion, spec)])

        self.event(self.pop_many(1 + has_spec), build, "text")

    def op_LOAD_SUPER_ATTR(self, arg: Any) -> None:
        name, written = arg
        text = self.spelling.name(name)

        def build(function: n.Expression, owner: n.Expression, instance: n.Expression) -> n.Expression:
            if written:
                return n.Attribute(n.Call(function, [owner, instance]), text)
            first = self.raw.parameters[:1]
            if owner != n.Name("__class__") or not first or instance != n.Name(self.spelling.variable(first[0])):
                raise self.error("super() of something else than the first parameter")
            return n.Attribute(n.Call(function), text)

        self.event(self.pop_many(3), build, name)

    # Exceptions

    def op_CHECK_EXC_MATCH(self, arg: Any) -> None:
        kind = self.pop()
        if self.exceptions.get(self.state.stack[-1]) != handled_part(self.node.levels):
            raise self.error("an exception is matched outside of its handler")
        [text] = self.texts([kind])
        self.flush()
        name = self.temporary("matches")
        yes, no = (n.Assign([n.Name(name)], n.Constant(truth)) for truth in (True, False))
        self.emit(n.Try([n.Raise()], [n.ExceptHandler(text, None, [yes]), n.ExceptHandler(None, None, [no])], [], []))
        self.push(self.opaque(name))

    def op_LOAD_ASSERTION_ERROR(self, arg: Any) -> None:
        self.push(Pure("AssertionError", ()))

    def call(self, function: Value, arguments: list[Value], named: list[tuple[str, Value]]) -> None:
        if not isinstance(function, Pure) or function.kind != "AssertionError":
            super().call(function, arguments, named)
            return
        if named or len(arguments) != 1 or not self.ops_are("RAISE_VARARGS") or self.upcoming(1)[0].arg != 1:
            raise self.error("AssertionError is called where no assertion fails")
        self.push(Pure("AssertionError", tuple(arguments)))

    def _pure(self, value: Pure) -> n.Expression:
        if value.kind == "AssertionError":
            raise self.error("AssertionError is used where no assertion fails")
        return super()._pure(value)

    # Truth values

    def op_TO_BOOL(self, arg: Any) -> None:
        self.event([self.pop()], lambda value: n.UnaryOp("not", n.UnaryOp("not", value)), "truth")

    # Containers that are in variables

    def exact(self, value: Value) -> str:
        """The hint for containers of the type of ``value``, if that is known exactly."""
        if isinstance(value, Container):
            return {"list": "items", "map": "mapping"}.get(value.kind, "")
        return self.kinds.get(value, "")

    def op_BUILD_SET(self, count: int) -> None:
        super().op_BUILD_SET(count)
        self.kinds[self.state.stack[-1]] = "members"

    def op_BUILD_MAP(self, count: int) -> None:
        super().op_BUILD_MAP(count)
        self.kinds[self.state.stack[-1]] = "mapping"

    def into(self, depth: int, kind: str) -> str | None:
        """The variable of the container that is added to; None if it is private."""
        target = self.state.stack[-depth]
        if self.state.private(target) is not None:
            return None
        if self.exact(target) != kind:
            raise self.error("a container is added to that others may have made")
        return self.name(target)

    def op_LIST_APPEND(self, depth: int) -> None:
        value = self.pop()
        name = self.into(depth, "items")
        if name is None:
            self.push(value)
            super().op_LIST_APPEND(depth)
        else:
            self.statement([value], lambda text: n.AugAssign(n.Name(name), "+", n.List([text])))

    def op_SET_ADD(self, depth: int) -> None:
        value = self.pop()
        name = self.into(depth, "members")
        assert name is not None
        self.statement([value], lambda text: n.AugAssign(n.Name(name), "|", n.Set([text])))

    def op_SET_UPDATE(self, depth: int) -> None:
        value = self.pop()
        target = self.state.stack[-depth]
        if (
            depth == 1
            and target in self.state.pending
            and isinstance(target, Event)
            and isinstance(target.expression, n.Set)
        ):
            self.pop()
            if not self.is_needed(target):
                self.event([target, value], _with_all, "members")
                self.kinds[self.state.stack[-1]] = "members"
                return
            self.push(target)
        name = self.into(depth, "members")
        assert name is not None
        self.statement([value], lambda text: n.AugAssign(n.Name(name), "|", n.Set([n.Starred(text)])))

    def op_MAP_ADD(self, depth: int) -> None:
        key, value = self.pop_many(2)
        target = self.state.stack[-depth]
        if self.exact(target) != "mapping":
            raise self.error("a container is added to that others may have made")
        name = self.name(target)
        self.statement([value, key], lambda v, k: n.Assign([n.Subscript(n.Name(name), k)], v))

    # Imports

    def op_IMPORT_NAME(self, name: str) -> None:
        level, names = self.pop_many(2)
        if not isinstance(level, Const) or not isinstance(names, Const):
            raise self.error("an import whose names are computed")
        self.flush()
        module = ("." * level.value + name) if level.value else name
        if names.value is None:
            self.import_module(module)
        else:
            self.import_from(name, level.value)

    def op_EAGER_IMPORT_NAME(self, name: str) -> None:
        self.op_IMPORT_NAME(name)

    def import_module(self, module: str) -> None:
        *path, _ = module.split(".")[1:] or [""]
        steps = [op for _ in path for op in ("IMPORT_FROM", "SWAP", "POP")] + ["IMPORT_FROM"]
        if "." in module and self.ops_are(*steps, "SWAP", "POP"):
            self.place += len(steps) + 2
        elif "." in module and self.ops_are(*steps, "STORE_FAST", "POP"):
            self.push(self.imported(module))
            self.execute(self.upcoming(len(steps) + 1)[-1])
            self.place += len(steps) + 2
            return
        elif "." in module:
            after = self.upcoming(1)
            if not after or after[0].op not in _STORES or after[0].arg != module.split(".")[0]:
                raise self.error("an import of a module in a package whose package is not stored")
            self.emit(n.Import([n.alias(module)]))
            self.place += 1
            self.stored(after[0])
            return
        self.push(self.imported(module))

    def imported(self, module: str) -> Value:
        name = self.spelling.fresh(module.split(".")[-1])
        self.emit(n.Import([n.alias(module, name)]))
        return self.opaque(name)

    def stored(self, ins: Instruction) -> None:
        """A statement has stored a value to the variable that ``ins`` stores to."""
        if ins.op == "STORE_FAST":
            value = Opaque(ins.arg, self.line)
            text = self.spelling.variable(ins.arg)
            self.state.locals[ins.arg] = value
            self.state.names[value] = [text]
        elif ins.op == "STORE_GLOBAL":
            self.globals_stored[ins.arg] = None
        elif ins.arg in self.raw.freevars:
            self.nonlocals_stored[ins.arg] = None

    def import_from(self, module: str, level: int) -> None:
        aliases: list[n.alias] = []
        stores: list[tuple[Instruction, str]] = []
        while self.ops_are("IMPORT_FROM", self.upcoming(2)[-1].op) and self.upcoming(2)[-1].op in _STORES:
            source, store = self.upcoming(2)
            self.place += 2
            text = self.spelling.variable(store.arg) if store.op != "STORE_GLOBAL" else self.spelling.name(store.arg)
            if store.op == "STORE_FAST":
                self.free(text)
            aliases.append(n.alias(source.arg, text if text != source.arg else None))
            stores.append((store, text))
        if not aliases or not self.ops_are("POP"):
            raise self.error("names are imported and kept on the stack")
        self.place += 1
        self.emit(n.ImportFrom(module or None, aliases, level))
        for store, _ in stores:
            self.stored(store)


def _with_all(members: n.Expression, more: n.Expression) -> n.Expression:
    """The display ``members`` with all items of ``more``."""
    return n.Set([*getattr(members, "elts", [n.Starred(members)]), n.Starred(more)])
