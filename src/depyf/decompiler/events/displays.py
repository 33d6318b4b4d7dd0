"""Operations that build, extend and take apart containers."""

from __future__ import annotations

from typing import Any

from ..names.spelling import is_literal
from ..syntax import nodes as n
from . import containers
from .hints import item_hint
from .machine import Machine
from .state import Const, Container, Opaque, Pure, Star, Value


class Displays(Machine):
    """Containers: private ones are only known, not written, until somebody else sees them."""

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
        if all(isinstance(key, Const) and is_literal(key.value) for key in items[::2]):
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
            items[-1] = self.unfoldable(items[-1], items[:-1])  # the compiler would make a constant of all of them
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
        self.statement([value], lambda text: n.AugAssign(n.Name(name), "+", text), long=True)

    def asked_now(self, iterable: Value) -> Value:
        """A tuple of what ``iterable`` gives, made now."""
        self.settle([iterable])
        texts = self.texts([iterable])
        name = self.temporary("items")
        with self.using([iterable]):
            self.flush()
        self.emit(n.Assign([n.Name(name)], n.List([n.Starred(texts[0])])))
        result = Opaque(name, self.line)
        self.state.names[result] = [name]
        return result

    def op_LIST_APPEND(self, depth: int) -> None:
        value = self.pop()
        target = self.state.stack[-depth]
        if not containers.append(self, target, value):
            name = self.name(target)
            self.statement([value], lambda text: n.AugAssign(n.Name(name), "+", n.List([text])))

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
        else:
            items.append(Star(value))

    # 3.8: one container of the items of several iterables

    def op_BUILD_LIST_UNPACK(self, count: int) -> None:
        self.build("list", self.joined(count))

    def op_BUILD_TUPLE_UNPACK(self, count: int) -> None:
        self.build("tuple", self.joined(count))

    def op_BUILD_TUPLE_UNPACK_WITH_CALL(self, count: int) -> None:
        self.build("tuple", self.joined(count))

    def op_BUILD_MAP_UNPACK_WITH_CALL(self, count: int) -> None:
        self.build("map", self.joined(count))

    def joined(self, count: int) -> list[Value]:
        """The items of so many containers on top of the stack; all of one that is not known as one item."""
        found: list[Value] = []
        for value in self.pop_many(count):
            if isinstance(value, Const) and type(value.value) is tuple:
                found += [Const(item) for item in value.value]
            else:
                items = self.state.private(value)
                found += [Star(value)] if items is None else items
        return found

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
        names = [self.temporary(item_hint(self.text_hint(value), number)) for number in range(count)]
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
