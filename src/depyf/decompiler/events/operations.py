"""What each canonical operation without control flow does to the state: one method per operation."""

from __future__ import annotations

from typing import Any, Callable

from ..bytecode import CONDITIONAL_JUMPS, Instruction, RawCode, stack_use
from ..syntax import nodes as n
from . import containers
from .spelling import identifier, is_literal, is_name
from .state import Const, Container, Event, Null, Opaque, Pure, Raised, Star, Unbound, Value
from .writer import Writer

_SILENT_SLICE_PARTS = (2, 3)


class Operations(Writer):
    """Executes instructions one by one."""

    def execute(self, ins: Instruction) -> None:
        """One instruction that neither jumps nor leaves."""
        if ins.line is not None:
            self.line = ins.line
        method = getattr(self, "op_" + ins.op, None)
        if method is None:
            raise self.error(f"{ins.op} is not understood outside the shapes that a compiler makes")
        method(ins.arg)

    # Helpers

    def push(self, value: Value) -> None:
        self.state.stack.append(value)

    def pop(self) -> Value:
        if not self.state.stack:
            raise self.error("the evaluation stack is empty")
        return self.state.stack.pop()

    def pop_many(self, count: int) -> list[Value]:
        stack = self.state.stack
        if count > len(stack):
            raise self.error("the evaluation stack is empty")
        values = stack[len(stack) - count :]
        del stack[len(stack) - count :]
        return values

    def event(self, operands: list[Value], build: Callable[..., n.Expression], hint: str) -> None:
        """Something that happens now and has a result: pushed, and pending until it is written."""
        texts = self.texts(operands)
        value = Event(build(*texts), identifier(hint, "value"), self.line)
        self.state.pending.append(value)
        self.push(value)

    # The stack

    def op_NOP(self, arg: Any) -> None:
        pass

    def op_CONST(self, arg: Any) -> None:
        self.push(Const(arg))

    def op_NULL(self, arg: Any) -> None:
        self.push(Null())

    def op_POP(self, arg: Any) -> None:
        self.discard(self.pop())

    def op_COPY(self, arg: int) -> None:
        self.push(self.state.stack[-arg])

    def op_SWAP(self, arg: int) -> None:
        stack = self.state.stack
        stack[-1], stack[-arg] = stack[-arg], stack[-1]

    # Names

    def op_LOAD_FAST(self, name: str) -> None:
        value = self.state.locals.get(name)
        text = self.spelling.variable(name)
        if value is None or isinstance(value, Unbound):
            # Reading it raises, or not: that happens now.
            self.event([], lambda: n.Name(text), text)
        else:
            self.push(value)

    def op_STORE_FAST(self, name: str) -> None:
        value = self.pop()
        self.store(self.spelling.variable(name), value)
        self.state.locals[name] = value

    def op_DELETE_FAST(self, name: str) -> None:
        self.delete(self.spelling.variable(name))
        self.state.locals.pop(name, None)

    def op_LOAD_CLOSURE(self, name: str) -> None:
        self.push(Pure("cell", (), self.spelling.variable(name)))

    def op_LOAD_DEREF(self, name: str) -> None:
        text = self.spelling.variable(name)
        self.event([], lambda: n.Name(text), text)

    def op_STORE_DEREF(self, name: str) -> None:
        text = self.spelling.variable(name)
        if name in self.raw.freevars:
            self.nonlocals_stored[text] = None
        self.statement([self.pop()], lambda value: n.Assign([n.Name(text)], value))

    def op_DELETE_DEREF(self, name: str) -> None:
        text = self.spelling.variable(name)
        if name in self.raw.freevars:
            self.nonlocals_stored[text] = None
        self.statement([], lambda: n.Delete([n.Name(text)]))

    def op_LOAD_GLOBAL(self, name: str) -> None:
        text = self.spelling.name(name)
        self.event([], lambda: n.Name(text), _global_hint(text))

    def op_STORE_GLOBAL(self, name: str) -> None:
        text = self.spelling.name(name)
        self.globals_stored[text] = None
        self.statement([self.pop()], lambda value: n.Assign([n.Name(text)], value))

    def op_DELETE_GLOBAL(self, name: str) -> None:
        text = self.spelling.name(name)
        self.globals_stored[text] = None
        self.statement([], lambda: n.Delete([n.Name(text)]))

    def op_LOAD_ATTR(self, name: str) -> None:
        text = self.spelling.name(name)
        self.event([self.pop()], lambda owner: n.Attribute(owner, text), _short(text))

    def op_STORE_ATTR(self, name: str) -> None:
        text = self.spelling.name(name)
        self.statement(self.pop_many(2), lambda value, owner: n.Assign([n.Attribute(owner, text)], value))

    def op_DELETE_ATTR(self, name: str) -> None:
        text = self.spelling.name(name)
        self.statement([self.pop()], lambda owner: n.Delete([n.Attribute(owner, text)]))

    # Operators

    def op_BINARY_SUBSCR(self, arg: Any) -> None:
        owner, key = self.pop_many(2)
        item = containers.read(self, owner, key)
        if item is not None:
            self.folded += 1
            self.push(item)
            return
        hint = "item"
        owner = self.unfoldable(owner)
        if isinstance(key, Const) and type(key.value) is int and key.value >= 0 and self.state.has_name(owner):
            hint = f"{_item_of(self.state.names[owner][0])}_{key.value}"
        self.event([owner, *_parts(key)], _subscript(key), hint)

    def op_STORE_SUBSCR(self, arg: Any) -> None:
        value, owner, key = self.pop_many(3)
        if containers.write(self, owner, key, value):
            self.folded += 1
            return
        build = _subscript(key)
        self.statement([value, owner, *_parts(key)], lambda v, o, *k: n.Assign([build(o, *k)], v))

    def op_DELETE_SUBSCR(self, arg: Any) -> None:
        owner, key = self.pop_many(2)
        if containers.delete(self, owner, key):
            self.folded += 1
            return
        build = _subscript(key)
        self.statement([owner, *_parts(key)], lambda o, *k: n.Delete([build(o, *k)]))

    def op_UNARY_OP(self, operator: str) -> None:
        [operand] = self.pop_many(1)
        self.event([self.unfoldable(operand)], lambda value: n.UnaryOp(operator, value), "value")

    def op_BINARY_OP(self, operator: str) -> None:
        left, right = self.pop_many(2)
        if containers.concatenate(self, operator, left, right):
            self.folded += 1
            return
        if not operator.endswith("="):
            left = self.unfoldable(left)
            self.event([left, right], lambda a, b: n.BinOp(a, operator, b), "value")
            return
        # An operation in place has no expression: it is a statement on a variable that holds the left operand.
        if self.is_used(left) and not isinstance(left, (Const, Pure)):
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

    def unfoldable(self, value: Value) -> Value:
        """``value``, held by a variable if it is a constant: the compiler would compute with constants itself."""
        if not isinstance(value, Const):
            return value
        name = self.temporary("constant")
        self.store(name, value)
        held = Opaque(name, self.line)
        self.state.names[held] = [name]
        return held

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

    # Containers

    def op_BUILD_LIST(self, count: int) -> None:
        self.build("list", self.pop_many(count))

    def op_BUILD_TUPLE(self, count: int) -> None:
        items = self.pop_many(count)
        if all(isinstance(item, Const) for item in items):
            self.push(Const(tuple(item.value for item in items if isinstance(item, Const))))
        else:
            self.build("tuple", items)

    def build(self, kind: str, items: list[Value]) -> None:
        """Push a new private container."""
        container = Container(kind, self.line)
        container.hint = {"list": "items", "tuple": "pair", "map": "mapping"}[kind]
        self.state.heap[container] = items
        self.push(container)

    def op_BUILD_MAP(self, count: int) -> None:
        items = self.pop_many(2 * count)
        if all(isinstance(key, Const) for key in items[::2]):
            self.build("map", items)
        else:
            self.event(items, lambda *texts: n.Dict(list(texts[::2]), list(texts[1::2])), "mapping")

    def op_BUILD_CONST_KEY_MAP(self, count: int) -> None:
        *values, keys = self.pop_many(count + 1)
        if not isinstance(keys, Const):
            raise self.error("the keys of a dictionary display are no constant")
        items: list[Value] = []
        for key, value in zip(keys.value, values):
            items += [Const(key), value]
        self.build("map", items)

    def op_BUILD_SET(self, count: int) -> None:
        items = self.pop_many(count)
        if count > 2 and all(isinstance(item, Const) for item in items):
            raise self.error("a set of constants is built item by item")
        self.event(items, lambda *texts: n.Set(list(texts)), "members")

    def op_BUILD_STRING(self, count: int) -> None:
        values = self.pop_many(count)

        def build(*texts: n.Expression) -> n.Expression:
            parts: list[n.Expression] = []
            for text in texts:
                if isinstance(text, n.JoinedStr):
                    parts += text.values
                elif isinstance(text, n.Constant):
                    parts.append(text)
                else:
                    raise self.error("a string is joined from parts that are no formatted strings")
            return n.JoinedStr(parts)

        self.event(values, build, "text")

    def op_FORMAT_VALUE(self, arg: Any) -> None:
        conversion, has_spec = arg
        values = self.pop_many(2 if has_spec else 1)

        def build(value: n.Expression, spec: n.Expression | None = None) -> n.Expression:
            if spec is not None and not isinstance(spec, n.JoinedStr):
                spec = n.JoinedStr([spec if isinstance(spec, n.Constant) else n.FormattedValue(spec)])
            return n.JoinedStr([n.FormattedValue(value, ord(conversion) if conversion else -1, spec)])

        self.event(values, build, "text")

    def op_BUILD_SLICE(self, count: int) -> None:
        self.push(Pure("slice", tuple(self.pop_many(count))))

    def op_LIST_TO_TUPLE(self, arg: Any) -> None:
        [value] = self.pop_many(1)
        items = self.state.private(value)
        if items is None:
            self.event([value], lambda text: n.Tuple([n.Starred(text)]), "items")
        else:
            self.build("tuple", items[:])

    def op_LIST_EXTEND(self, depth: int) -> None:
        value = self.pop()
        target = self.state.stack[-depth]
        if containers.extend(self, target, value):
            self.folded += 1
            return
        if self.state.private(target) is not None:
            # What comes out of the iterable is unknown, but it is asked for now.
            self.state.heap[target].append(Star(self.asked_now(value)))
            return
        name = self.name(target)
        self.statement([value], lambda text: n.AugAssign(n.Name(name), "+", text))

    def asked_now(self, iterable: Value) -> Value:
        """A tuple of what ``iterable`` gives, made now."""
        texts = self.texts([iterable])
        name = self.temporary("items")
        self.flush()
        self.emit(n.Assign([n.Name(name)], n.List([n.Starred(texts[0])])))
        result = Opaque(name, self.line)
        self.state.names[result] = [name]
        return result

    def op_LIST_APPEND(self, depth: int) -> None:
        value = self.pop()
        target = self.state.stack[-depth]
        items = self.state.private(target)
        if items is None:
            raise self.error("an item is appended to a list that others can see")
        items.append(value)

    def op_DICT_UPDATE(self, depth: int) -> None:
        self.merge(depth)

    def op_DICT_MERGE(self, depth: int) -> None:
        self.merge(depth)

    def merge(self, depth: int) -> None:
        value = self.pop()
        target = self.state.stack[-depth]
        items, more = self.state.private(target), self.state.private(value)
        if items is None:
            raise self.error("a dictionary that others can see is extended")
        if more is not None and isinstance(value, Container) and value.kind == "map":
            items += more
        elif not items:
            items.append(Star(value))
        else:
            raise self.error("a dictionary is extended by a mapping")

    def op_UNPACK_SEQUENCE(self, count: int) -> None:
        value = self.pop()
        items = self.state.private(value)
        if isinstance(value, Const) and type(value.value) is tuple and len(value.value) == count:
            items = [Const(item) for item in value.value]
        if items is not None and len(items) == count and not any(isinstance(item, Star) for item in items):
            self.folded += 1
            self.state.stack.extend(reversed(items))
            return
        self.unpack(value, count, -1)

    def op_UNPACK_EX(self, arg: Any) -> None:
        self.unpack(self.pop(), arg[0] + 1 + arg[1], arg[0])

    def unpack(self, value: Value, count: int, star: int) -> None:
        """Unpack into new variables, one of them (if ``star`` >= 0) with a star."""
        names = [self.temporary(f"{_item_of(value.hint)}_{number}") for number in range(count)]
        targets: list[n.Expression] = [n.Name(name) for name in names]
        if star >= 0:
            targets[star] = n.Starred(targets[star])
        target: n.Expression = n.Tuple(targets) if targets else n.List([])
        self.statement([value], lambda text: n.Assign([target], text))
        parts = []
        for name in names:
            part = Opaque(name, self.line)
            self.state.names[part] = [name]
            parts.append(part)
        self.state.stack.extend(reversed(parts))

    # Calls

    def op_CALL(self, arg: Any) -> None:
        count, names = arg
        values = self.pop_many(count + 2)
        lower, upper = values[0], values[1]
        arguments = values[2:]
        if isinstance(lower, Null):
            function = upper
        elif isinstance(upper, Null):
            function = lower
        else:
            function, arguments = lower, [upper, *arguments]
        positional = len(arguments) - len(names)
        self.call(function, arguments[:positional], list(zip(names, arguments[positional:])))

    def call(self, function: Value, arguments: list[Value], named: list[tuple[str, Value]]) -> None:
        """A call with these arguments; a ``Star`` may be among them."""
        operands = [function, *arguments, *[value for _, value in named]]

        def build(callee: n.Expression, *texts: n.Expression) -> n.Expression:
            plain = list(texts[: len(arguments)])
            keywords = []
            for (name, _), text in zip(named, texts[len(arguments) :]):
                if name is None:
                    keywords.append(n.keyword(None, text))
                elif is_name(name):
                    keywords.append(n.keyword(name, text))
                else:
                    keywords.append(n.keyword(None, n.Dict([n.Constant(name)], [text])))
            return n.Call(callee, plain, keywords)

        self.event(operands, build, _call_hint(self.text_hint(function)))

    def text_hint(self, function: Value) -> str:
        names = self.state.names.get(function)
        return names[0] if names else function.hint

    def op_CALL_EX(self, has_mapping: bool) -> None:
        values = self.pop_many(4 if has_mapping else 3)
        function, iterable = (values[1], values[2]) if isinstance(values[0], Null) else (values[0], values[2])
        named: list[tuple[Any, Value]] = []
        if has_mapping:
            mapping = values[3]
            items = self.state.private(mapping)
            if items is not None:
                named = self.keywords(items)
            else:
                self.hold(mapping)
                named = [(None, mapping)]
        items = self.state.private(iterable)
        if isinstance(iterable, Const) and type(iterable.value) is tuple:
            arguments: list[Value] = [Const(item) for item in iterable.value]
        elif items is not None:
            arguments = items
        else:
            arguments = [Star(iterable)]
        self.folded += items is not None
        self.call(function, arguments, named)

    def hold(self, value: Value) -> None:
        """See to it that a variable holds ``value``."""
        if not isinstance(value, Const):
            self.name(value)

    def keywords(self, items: list[Value]) -> list[tuple[Any, Value]]:
        """The items of a private dictionary as keywords of a call."""
        named: list[tuple[Any, Value]] = []
        rest = items[:]
        while rest:
            first = rest.pop(0)
            if isinstance(first, Star):
                named.append((None, first.iterable))
            elif isinstance(first, Const) and type(first.value) is str:
                named.append((first.value, rest.pop(0)))
            else:
                raise self.error("a keyword of a call is no string")
        if len({name for name, _ in named}) < len(named):
            raise self.error("a call has a keyword twice")
        return named

    # Others

    def op_GET_ITER(self, arg: Any) -> None:
        raise self.error("an iterator on the stack has no expression")

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


def _short(name: str) -> str:
    """A variable's name for what an attribute gives."""
    for word in ("enter", "exit"):
        if name.endswith("_" + word):
            return "exit_" if word == "exit" else word
    return name.strip("_") if is_name(name.strip("_")) else name + "_"


def _global_hint(name: str) -> str:
    for start, hint in (("__compiled_fn", "compiled_fn"), ("__resume_at", "resume"), ("__import_", "module")):
        if name.startswith(start):
            return hint
    return name.strip("_") or "value"


def _call_hint(callee: str) -> str:
    for start, hint in (("compiled_fn", "graph_out"), ("__compiled_fn", "graph_out"), ("enter", "probe")):
        if callee.startswith(start):
            return hint
    return "result"


def _item_of(name: str) -> str:
    return "out" if name.startswith("graph_out") else name


__all__ = ["CONDITIONAL_JUMPS", "Operations", "RawCode", "stack_use"]
