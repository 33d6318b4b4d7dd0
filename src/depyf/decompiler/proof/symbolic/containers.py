"""Silent steps on private containers, built by one side and not yet visible elsewhere: edits of the symbolic heap."""

from __future__ import annotations

from typing import Any

from ...bytecode import Instruction, RawCode
from .state import Constants, Heap, NotUnderstood, Numbers, ProofEvent, Side, Term

_MOST_ITEMS = 10_000
SHARED_CLOSURE = "no code asks whether the closures of two functions are one tuple"


class Containers:
    """Operations on containers: they return None for a silent step, else the event."""

    constants: Constants
    numbers: Numbers
    instructions: list[Instruction]
    assumptions: dict[str, None]

    def do_BUILD_LIST(self, side: Side, heap: Heap, count: int) -> None:
        self.build(side, heap, "list", count)

    def do_BUILD_TUPLE(self, side: Side, heap: Heap, count: int) -> None:
        items = tuple(side.stack[len(side.stack) - count :])
        del side.stack[len(side.stack) - count :]
        side.stack.append(self.new_tuple(heap, items))

    def build(self, side: Side, heap: Heap, kind: Any, count: int) -> None:
        items = side.stack[len(side.stack) - count :]
        del side.stack[len(side.stack) - count :]
        side.stack.append(self.numbers.container(heap, kind, items))

    def do_BUILD_MAP(self, side: Side, heap: Heap, count: int) -> ProofEvent | None:
        items = side.stack[len(side.stack) - 2 * count :]
        if not all(self.constants.is_plain_key(key) for key in items[::2]):
            return ProofEvent("BUILD_MAP", count, tuple(items), 1)
        self.build(side, heap, "map", 2 * count)
        return None

    def do_BUILD_CONST_KEY_MAP(self, side: Side, heap: Heap, count: int) -> ProofEvent | None:
        names = side.stack[-1]
        if names[0] != "k" or type(self.constants.value[names]) is not tuple:
            return ProofEvent("BUILD_CONST_KEY_MAP", count, tuple(side.stack[len(side.stack) - count - 1 :]), 1)
        keys = [self.constants.term(key) for key in self.constants.value[names]]
        items = [part for pair in zip(keys, side.stack[len(side.stack) - count - 1 : -1]) for part in pair]
        if not all(map(self.constants.is_plain_key, keys)):
            return ProofEvent("BUILD_MAP", count, tuple(items), 1)
        del side.stack[len(side.stack) - count - 1 :]
        side.stack.append(self.numbers.container(heap, "map", items))
        return None

    def do_BUILD_SLICE(self, side: Side, heap: Heap, count: int) -> None:
        parts = side.stack[len(side.stack) - count :]
        del side.stack[len(side.stack) - count :]
        side.stack.append(self.slice(parts))

    def slice(self, parts: list[Term]) -> Term:
        """The term for a slice, always with three parts."""
        none = self.constants.term(None)
        return ("slice", *parts, *[none] * (3 - len(parts)))

    def items(self, heap: Heap, term: Term, stars: bool = False) -> tuple[Term, ...] | None:
        """The items of a private list or tuple, or a constant tuple; None if unknown."""
        if term[0] == "k" and type(self.constants.value[term]) is tuple:
            return tuple(self.constants.term(item) for item in self.constants.value[term])
        if term not in heap or heap[term][0] not in ("list", "tuple"):
            return None
        items = heap[term][1]
        return None if not stars and any(item[0] == "star" for item in items) else items

    def known_index(self, key: Term, length: int) -> Any:
        """A constant index within the range, or a constant slice, else None."""
        if key[0] == "k":
            index = self.constants.value[key]
            return index if type(index) is int and -length <= index < length else None
        if key[0] == "slice" and all(part[0] == "k" for part in key[1:]):
            bounds = [self.constants.value[part] for part in key[1:]]
            if all(bound is None or type(bound) is int for bound in bounds) and bounds[2] is None:
                return slice(*bounds)
        return None

    def do_BINARY_SUBSCR(self, side: Side, heap: Heap, arg: Any) -> ProofEvent | None:
        owner, key = side.stack[-2:]
        items = self.items(heap, owner)
        known_index = self.known_index(key, len(items)) if items is not None else None
        if items is None or known_index is None:
            return ProofEvent("BINARY_SUBSCR", None, (owner, key), 1)
        del side.stack[-2:]
        if type(known_index) is int:
            side.stack.append(items[known_index])
        elif owner[0] == "k":
            side.stack.append(self.constants.term(self.constants.value[owner][known_index]))
        elif heap[owner][0] == "tuple":
            # A slice of the whole tuple is the tuple itself, and there is only one empty tuple.
            part = items[known_index]
            side.stack.append(owner if len(part) == len(items) else self.new_tuple(heap, part))
        else:
            side.stack.append(self.numbers.container(heap, "list", items[known_index]))
        return None

    def new_tuple(self, heap: Heap, items: tuple[Term, ...]) -> Term:
        """A tuple of these items; a constant if all of them are."""
        if all(item[0] == "k" for item in items):
            return self.constants.term(tuple(self.constants.value[item] for item in items))
        return self.numbers.container(heap, "tuple", items)

    def edit(self, side: Side, heap: Heap, owner: Term, key: Term, new: tuple[Term, ...] | None) -> bool:
        """Replace (or with no ``new`` delete) items of a private list; return whether that was possible."""
        if owner not in heap or heap[owner][0] != "list":
            return False
        known = self.items(heap, owner)
        known_index = self.known_index(key, len(known)) if known is not None else None
        if known is None or known_index is None:
            return False
        items = list(known)
        if new is None:
            del items[known_index]
        elif type(known_index) is int:
            items[known_index] = new[0]
        else:
            more = self.items(heap, new[0])
            if more is None:
                return False
            items[known_index] = more
        self.set_list(heap, owner, tuple(items))
        return True

    def do_STORE_SUBSCR(self, side: Side, heap: Heap, arg: Any) -> ProofEvent | None:
        value, owner, key = side.stack[-3:]
        if not self.edit(side, heap, owner, key, (value,)):
            if self.numbers.tags.get(owner) == "map":
                return ProofEvent("MAP_ADD", None, (owner, key, value), 0)  # a plain dictionary: both do the same
            return ProofEvent("STORE_SUBSCR", None, (value, owner, key), 0)
        del side.stack[-3:]
        return None

    def do_DELETE_SUBSCR(self, side: Side, heap: Heap, arg: Any) -> ProofEvent | None:
        owner, key = side.stack[-2:]
        if not self.edit(side, heap, owner, key, None):
            return ProofEvent("DELETE_SUBSCR", None, (owner, key), 0)
        del side.stack[-2:]
        return None

    def do_LIST_EXTEND(self, side: Side, heap: Heap, depth: int) -> ProofEvent | None:
        more, owner = side.stack[-1], side.stack[-1 - depth]
        items = self.items(heap, more, stars=True)
        if owner not in heap:
            # The operand of LIST_EXTEND is a list: for lists, += does the same.
            return self.append(owner, items) or ProofEvent("EXTEND", None, (owner, more), 1, "extend")
        kind, old = heap[owner]
        if kind != "list":
            raise NotUnderstood("LIST_EXTEND of what is no list")
        if items is None:
            return ProofEvent("ITEMS", None, (more,), 1, "items")
        side.stack.pop()
        self.set_list(heap, owner, old + items)
        return None

    def append(self, owner: Term, items: tuple[Term, ...] | None) -> ProofEvent | None:
        """The event of appending one known item to a list that the code has built, but is no longer private."""
        if items is None or len(items) != 1 or items[0][0] == "star" or self.numbers.tags.get(owner) != "list":
            return None
        return ProofEvent("LIST_APPEND", None, (owner, items[0]), 1, "extend")

    def set_list(self, heap: Heap, owner: Term, items: tuple[Term, ...]) -> None:
        if len(items) > _MOST_ITEMS:
            raise NotUnderstood("a list grows without end")
        heap[owner] = ("list", items)

    def do_LIST_APPEND(self, side: Side, heap: Heap, depth: int) -> ProofEvent | None:
        value, owner = side.stack[-1], side.stack[-1 - depth]
        if owner not in heap or heap[owner][0] != "list":
            return ProofEvent("LIST_APPEND", None, (owner, value), 0, "extend")
        side.stack.pop()
        self.set_list(heap, owner, (*heap[owner][1], value))
        return None

    def do_LIST_TO_TUPLE(self, side: Side, heap: Heap, arg: Any) -> ProofEvent | None:
        value = side.stack[-1]
        if value not in heap:
            return ProofEvent("LIST_TO_TUPLE", None, (value,), 1)
        if heap[value][0] != "list":
            raise NotUnderstood("LIST_TO_TUPLE of what is no list")
        side.stack[-1] = self.new_tuple(heap, heap[value][1])
        return None

    def do_BINARY_OP(self, side: Side, heap: Heap, operator: str) -> ProofEvent | None:
        left, right = side.stack[-2:]
        if operator in ("+", "+=") and left in heap and right in heap and heap[left][0] == heap[right][0]:
            a, b = self.items(heap, left), self.items(heap, right)
            if a is not None and b is not None:
                del side.stack[-2:]
                if operator == "+=" and heap[left][0] == "list":
                    self.set_list(heap, left, a + b)
                    side.stack.append(left)
                else:
                    side.stack.append(self.numbers.container(heap, heap[left][0], a + b))
                return None
        if operator == "+=" and right in heap and heap[right][0] == "list":
            event = self.append(left, heap[right][1])
            if event is not None:
                return event
        return ProofEvent("BINARY_OP", operator, (left, right), 1)

    def do_UNPACK_SEQUENCE(self, side: Side, heap: Heap, count: int) -> ProofEvent | None:
        value = side.stack[-1]
        items = self.items(heap, value)
        if items is None or len(items) != count:
            return ProofEvent("UNPACK_SEQUENCE", count, (value,), count)
        side.stack[-1:] = reversed(items)
        return None

    def do_BUILD_LIST_UNPACK(self, side: Side, heap: Heap, count: int) -> ProofEvent | None:
        return self.unpacked(side, heap, "list", count, "BUILD_LIST_UNPACK")

    def do_BUILD_TUPLE_UNPACK(self, side: Side, heap: Heap, count: int) -> ProofEvent | None:
        return self.unpacked(side, heap, "tuple", count, "BUILD_TUPLE_UNPACK")

    def do_BUILD_TUPLE_UNPACK_WITH_CALL(self, side: Side, heap: Heap, count: int) -> ProofEvent | None:
        # It differs only in the error message for a non-iterable.
        return self.unpacked(side, heap, "tuple", count, "BUILD_TUPLE_UNPACK")

    def unpacked(self, side: Side, heap: Heap, kind: str, count: int, op: str) -> ProofEvent | None:
        """3.8: one container of the items of several iterables."""
        parts = side.stack[len(side.stack) - count :]
        known = [self.items(heap, part, stars=True) for part in parts]
        items: list[Term] = []
        for more in known:
            if more is None:
                return ProofEvent(op, None, tuple(parts), 1)
            items += more
        del side.stack[len(side.stack) - count :]
        if kind == "tuple":
            side.stack.append(self.new_tuple(heap, tuple(items)))
        else:
            side.stack.append(self.numbers.container(heap, kind, items))
        return None

    def do_BUILD_MAP_UNPACK(self, side: Side, heap: Heap, count: int) -> ProofEvent | None:
        return self.merged(side, heap, count, "BUILD_MAP_UNPACK")

    def do_BUILD_MAP_UNPACK_WITH_CALL(self, side: Side, heap: Heap, count: int) -> ProofEvent | None:
        return self.merged(side, heap, count, "BUILD_MAP_UNPACK_WITH_CALL")

    def merged(self, side: Side, heap: Heap, count: int, op: str) -> ProofEvent | None:
        """3.8: one dictionary of several mappings."""
        parts = side.stack[len(side.stack) - count :]
        items: tuple[Term, ...] = ()
        for part in parts:
            if part not in heap or heap[part][0] != "map":
                return ProofEvent(op, None, tuple(parts), 1)
            items += heap[part][1]
        if not self.distinct(items):
            return ProofEvent(op, None, tuple(parts), 1)
        del side.stack[len(side.stack) - count :]
        side.stack.append(self.numbers.container(heap, "map", items))
        return None

    def do_DICT_MERGE(self, side: Side, heap: Heap, depth: int) -> ProofEvent | None:
        more, owner = side.stack[-1], side.stack[-1 - depth]
        if owner not in heap or heap[owner][0] != "map":
            return ProofEvent("DICT_MERGE", None, (owner, more), 0)
        items = heap[owner][1]
        this, following = (self.instructions[side.pc : side.pc + 2] * 2)[:2]
        if more in heap and heap[more][0] == "map" and self.distinct(items + heap[more][1]):
            items += heap[more][1]
        elif not items and more not in heap and following.op == "CALL_EX" and following.handler == this.handler:
            items = (("star", more),)  # a copy of a mapping, made only for this call
        else:
            return ProofEvent("DICT_MERGE", None, (owner, more), 0)
        side.stack.pop()
        heap[owner] = ("map", items)
        return None

    def distinct(self, items: tuple[Term, ...]) -> bool:
        """Whether the keys of a private dictionary are known and distinct strings, so that merging can't fail."""
        if any(key[0] != "k" for key in items[::2]):
            return False
        names = [self.constants.value[key] for key in items[::2]]
        return all(type(name) is str for name in names) and len(set(names)) == len(names)

    def do_MAP_ADD(self, side: Side, heap: Heap, depth: int) -> ProofEvent | None:
        key, value = side.stack[-2:]
        owner = side.stack[-2 - depth]
        if owner not in heap or heap[owner][0] != "map" or not self.constants.is_plain_key(key):
            return ProofEvent("MAP_ADD", None, (owner, key, value), 0)
        del side.stack[-2:]
        if len(heap[owner][1]) > _MOST_ITEMS:
            raise NotUnderstood("a dictionary grows without end")
        heap[owner] = ("map", (*heap[owner][1], key, value))
        return None

    def do_DICT_UPDATE(self, side: Side, heap: Heap, depth: int) -> ProofEvent | None:
        more, owner = side.stack[-1], side.stack[-1 - depth]
        if owner in heap and more in heap and heap[owner][0] == "map" and heap[more][0] == "map":
            if not any(item[0] == "star" for item in heap[owner][1] + heap[more][1]):
                side.stack.pop()
                heap[owner] = ("map", heap[owner][1] + heap[more][1])
                return None
        return ProofEvent("DICT_UPDATE", None, (owner, more), 0)

    def do_MAKE_FUNCTION(self, side: Side, heap: Heap, kinds: tuple[str, ...]) -> None:
        code = side.stack.pop()
        value = self.constants.value.get(code)
        if not isinstance(value, RawCode):
            raise NotUnderstood("a function is made of something that is no code")
        count = len(kinds)
        items = side.stack[len(side.stack) - count :]
        for kind, item in zip(kinds, items):
            known = heap[item][0] if item in heap else ""
            if kind in ("closure", "defaults") and known not in ("", "tuple"):
                raise NotUnderstood(f"the {kind} of a function are no tuple")
        if "closure" in kinds:
            index = kinds.index("closure")
            items[index] = self.closure(heap, items[index])
        del side.stack[len(side.stack) - count :]
        side.stack.append(self.numbers.container(heap, ("function", kinds, code), items))

    def closure(self, heap: Heap, cells: Term) -> Term:
        """The closure of a new function. A tuple that other code has too is like a new one of the same cells."""
        if cells not in self.numbers.cells:
            return cells
        self.assumptions[SHARED_CLOSURE] = None
        return self.numbers.container(heap, "tuple", self.numbers.cells[cells])
