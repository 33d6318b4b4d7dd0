"""Names that compilers give, or that must be alike, found by use where the stored ones are others.

An obfuscator renames ``__module__``, ``__class__``, ``super`` or ``.type_params`` as it does the author's names, and
gives a free variable another name than the variable that it is. The text needs the compiler's names, and one name for
each variable. ``names_by_use`` finds what each code object must be written with; `recompile` puts back what is stored.
Where the stored names are the compiler's it finds nothing.
"""

from __future__ import annotations

import collections
from typing import Any, Callable, Iterator, Mapping, Sequence

from ..bytecode import Instruction, RawCode, comprehension_variables, operations_of, readable_instructions
from ..bytecode.code.slot_names import CONDITIONAL_ANNOTATIONS
from ..bytecode.instruction import IMPORTS, stack_use
from ..bytecode.kinds import Made, compiled_parameter, is_private, kind_of
from .annotation_keys import Keys
from .shared_variables import Variables

_CLASS, _DICT = "__class__", "__classdict__"
_STORES = frozenset({"STORE_NAME", "STORE_GLOBAL", "STORE_FAST", "STORE_DEREF"})
_GLOBALS = ("LOAD_GLOBAL", "LOAD_NAME")
_VARIABLES = ("LOAD_FAST", "LOAD_DEREF")
_SAVES = "LOAD_FAST_AND_CLEAR"
_KEYED = frozenset({"annotations", "kwdefaults"})


class Renames:
    """What one code object is written with: stored -> written, for variables and other names.

    ``constants``: the offset of the instruction that loads it -> what is written for a constant that has names.
    ``attributes`` are the static attributes of a class, stored and written, ``parameters`` names of type parameters.
    """

    __slots__ = ("slots", "names", "constants", "attributes", "parameters")

    def __init__(self) -> None:
        self.slots: dict[str, str] = {}
        self.names: dict[str, str] = {}
        self.constants: dict[int, Any] = {}
        self.attributes: tuple[tuple[str, ...], tuple[str, ...]] | None = None
        self.parameters: dict[str, str] = {}

    def __bool__(self) -> bool:
        return bool(self.slots or self.names or self.constants)


def names_by_use(
    codes: Sequence[RawCode],
    parents: Mapping[RawCode, RawCode],
    made: Mapping[RawCode, Made],
    fresh: Callable[[str], str],
) -> dict[RawCode, Renames]:
    """The renames of each of ``codes`` (parents first) that needs some. ``fresh`` makes an unused name of another."""
    search = _Search(codes, parents, made)
    for code in codes:
        search.look_at(code)
    search.find_super()
    search.name_attributes()
    for code, slot, text in search.variables.named(fresh):
        search.found[code].slots[slot] = text
    search.keys.write(search.found)
    for code, renames in search.found.items():
        taken = {name for name in code.names if name not in renames.names}
        renames.names = {name: text for name, text in renames.names.items() if name != text and text not in taken}
    return {code: renames for code, renames in search.found.items() if renames}


class _Search:
    def __init__(
        self, codes: Sequence[RawCode], parents: Mapping[RawCode, RawCode], made: Mapping[RawCode, Made]
    ) -> None:
        self.codes, self.parents, self.made = codes, parents, made
        self.found = {code: Renames() for code in codes}
        self.instructions = {code: readable_instructions(code) for code in codes}
        self.variables = Variables(codes)
        self.attributes: list[tuple[RawCode, Instruction]] = []
        self.keys = Keys()

    def look_at(self, code: RawCode) -> None:
        instructions, kind, use = self.instructions[code], kind_of(code), self.made[code].use
        self.join_free_variables(code)
        if code.is_function and not set(code.localsplus).isdisjoint(code.names):
            self.look_at_globals(code, instructions)
        parameter = compiled_parameter(code)
        if parameter:
            self.variables.is_called(code, code.parameters[0], parameter)
        if kind == "class":
            self.look_at_class(code, instructions)
        elif kind == "generic":
            self.look_at_type_parameters(code, instructions)
        elif kind in ("module", "annotations"):
            self.look_at_annotations(code, instructions)
        if kind == "annotations" and use is not None and use.annotated is not None:
            self.keys.add(code, _keys_of(instructions), 0, use.annotated)
        for index, instruction in enumerate([] if operations_of(code).isdisjoint(_LOOKS) else instructions):
            if instruction.op in _LOOKS:
                _LOOKS[instruction.op](self, code, instructions, index)

    def look_at_globals(self, code: RawCode, instructions: list[Instruction]) -> None:
        """Find variables that have the name of a global of the same code, and are not those of a comprehension.

        Those that nothing uses are of comprehensions in dead code.
        """
        names = {i.arg for i in instructions if i.op[-7:] == "_GLOBAL"}
        if not names.isdisjoint(code.localsplus):
            used = {i.arg for i in instructions if i.op.endswith(("_FAST", "_DEREF", "_CLOSURE"))}
            names &= used.union(code.parameters) - comprehension_variables(instructions)
        for slot in code.localsplus:
            if slot in names:
                self.variables.clashing[code, slot] = None

    def join_free_variables(self, code: RawCode) -> None:
        parent, use = self.parents.get(code), self.made[code].use
        closure = use.closure if use is not None else ()
        if parent is None or len(closure) != len(code.freevars):
            return
        for free, outer in zip(code.freevars, closure):
            self.variables.joined[code, free] = (parent, outer)

    # What compilers add

    def look_at_class(self, code: RawCode, instructions: list[Instruction]) -> None:
        names = self.found[code].names
        body = [i for i in instructions if i.op != "NOP"]
        ops = [i.op for i in body]
        if ops[:4] == ["LOAD_NAME", "STORE_NAME", "CONST", "STORE_NAME"]:
            names.update(zip((body[0].arg, body[1].arg, body[3].arg), ("__name__", "__module__", "__qualname__")))
            if code.table.classes_store_their_line and ops[4:6] == ["CONST", "STORE_NAME"]:
                names[body[5].arg] = "__firstlineno__"
        parent = self.parents.get(code)
        in_generic = parent is not None and kind_of(parent) == "generic"
        for index, (one, other) in enumerate(zip(body, body[1:])):
            pair = one.op, other.op
            if pair == ("LOAD_LOCALS", "STORE_DEREF"):
                self.variables.is_called(code, other.arg, _DICT)
            elif pair == ("LOAD_CLASSDEREF", "STORE_NAME") and in_generic and index < 9:
                self.variables.is_called(code, one.arg, ".type_params")
                names.setdefault(other.arg, "__type_params__")
                in_generic = False
            elif pair == ("LOAD_CLOSURE", "STORE_NAME"):
                self.variables.is_called(code, one.arg, _DICT)
                names[other.arg] = "__classdictcell__"
            elif pair == ("LOAD_CLOSURE", "COPY") and ops[index + 2 : index + 4] == ["STORE_NAME", "RETURN_VALUE"]:
                self.variables.is_called(code, one.arg, _CLASS)
                names[body[index + 2].arg] = "__classcell__"
            elif pair == ("BUILD_SET", "STORE_DEREF"):
                self.variables.is_called(code, other.arg, CONDITIONAL_ANNOTATIONS)
            elif pair == ("CONST", "STORE_NAME") and _are_attributes(code, body, index):
                names[other.arg] = "__static_attributes__"
                self.attributes.append((code, one))
        self.look_at_annotations(code, body)
        if code.table.behavior.comprehensions_in_classes_save_all:
            self.look_at_saved(code, body)

    def look_at_saved(self, code: RawCode, body: list[Instruction]) -> None:
        """Find the variables that comprehensions in a class save and restore, and do nothing else with.

        These are the iterator's, and one of the name of each global that they read.
        """
        saved = dict.fromkeys(i.arg for i in body if i.op == _SAVES)
        used = collections.Counter(i.arg for i in body if i.op == "STORE_FAST")
        for_more = {i.arg for i in body if i.op.endswith(("_DEREF", "_CLOSURE")) or i.op in ("LOAD_FAST", "MAKE_CELL")}
        restored = {slot: 2 * sum(i.arg == slot and i.op == _SAVES for i in body) for slot in saved.keys() - for_more}
        idle = [slot for slot in saved if restored.get(slot) == used[slot]]
        names = [".0", *dict.fromkeys(i.arg for i in body if i.op == "LOAD_GLOBAL")]
        if not saved.keys() >= {*names}:  # under their names, whatever dead code mentions besides
            for slot, text in zip(idle, names):
                self.variables.is_called(code, slot, text)

    def look_at_annotations(self, code: RawCode, body: list[Instruction]) -> None:
        """Find the names of the functions and sets that module and class bodies have for annotations."""
        names = self.found[code].names
        for nested in code.nested:
            use = self.made[nested].use
            if kind_of(nested) == "annotations" and use is not None and use.stored and use.annotated is None:
                names[use.stored] = "__annotate__" if kind_of(code) == "module" else "__annotate_func__"
        for one, two, three in zip(body, body[1:], body[2:]):
            if one.op == "BUILD_SET" and two.op == "STORE_NAME" and not one.arg:
                names[two.arg] = CONDITIONAL_ANNOTATIONS
            elif one.op == "CONST" and two.op == "LOAD_GLOBAL" and three.op == "CONTAINS_OP" and _is_number(one.arg):
                names[two.arg] = CONDITIONAL_ANNOTATIONS
        if CONDITIONAL_ANNOTATIONS in names.values():  # a module has a cell for it, too
            for cell in code.cellvars if kind_of(code) == "module" else ():
                if all(one.arg != cell for one in body):
                    self.variables.is_called(code, cell, CONDITIONAL_ANNOTATIONS)
        if "__annotations__" not in code.names and "SETUP_ANNOTATIONS" in operations_of(code):
            names.update(dict.fromkeys(_annotated_mapping(body), "__annotations__"))

    def look_at_type_parameters(self, code: RawCode, instructions: list[Instruction]) -> None:
        name = None
        for before, one, two in zip(instructions, instructions[1:], instructions[2:]):
            if before.op == "CONST" and type(before.arg) is str:
                name = before
            if name is not None and one.op == "COPY" and two.op in _STORES:
                self.keys.later.append((code, name, two.arg))
                name = None
            elif one.op == "BUILD_TUPLE" and two.op == "STORE_DEREF":
                self.variables.is_called(code, two.arg, ".type_params")
            elif one.op == "INTRINSIC" and one.arg[0] == "SUBSCRIPT_GENERIC" and two.op in _STORES:
                self.variables.is_called(code, two.arg, ".generic_base")
        stored = {i.arg for i in instructions if i.op in _STORES}
        for function in (nested for nested in code.nested if nested.kind == "function"):
            for slot, text in zip(code.varnames, (".defaults", ".kwdefaults")[: 1 + bool(function.kwonlyargcount)]):
                if slot not in stored:  # parameters or not, and whatever they are for
                    self.variables.is_called(code, slot, text)

    # What the names in constants must be

    def look_at_import(self, code: RawCode, instructions: list[Instruction], index: int) -> None:
        renames, name = self.found[code], instructions[index].arg
        loaded = instructions[index - 1] if index else instructions[index]
        given = loaded.arg
        names = list(_imported(instructions, index + 1))
        following = instructions[index + 1]
        if type(given) is tuple:
            names = ["*"] if following.op == "IMPORT_STAR" else names
            if any(type(one) is not str for one in given):
                return
            if tuple(names) != given and len(given) == len(names) and not all(map(is_private, names, given)):
                renames.constants[loaded.offset] = tuple(names)
        elif names and "." not in name:
            head = renames.names.get(name, name)
            renames.names[name] = ".".join([head, *names])
        elif following.op in _STORES and names == [] and following.arg != name.split(".")[0]:
            head, _, rest = renames.names.get(name, name).partition(".")
            if rest and not is_private(following.arg, head):
                renames.names[name] = f"{following.arg}.{rest}"

    def look_at_super(self, code: RawCode, instructions: list[Instruction], index: int) -> None:
        starts = operands(instructions, index)
        if len(starts) == 3:
            function, owner = instructions[starts[0]], instructions[starts[1]]
            if function.op in _GLOBALS:
                self.found[code].names[function.arg] = "super"
            if not instructions[index].arg[1] and owner.op == "LOAD_DEREF":
                self.variables.is_called(code, owner.arg, _CLASS)

    def look_at_builtin(self, code: RawCode, instructions: list[Instruction], index: int) -> None:
        if index < 2 or instructions[index - 1].op != "COPY":
            return
        compared, name = instructions[index - 2], instructions[index].arg
        if compared.op in _GLOBALS:
            self.found[code].names[compared.arg] = name
        elif compared.op in _VARIABLES:
            self.variables.is_called(code, compared.arg, name)

    def look_at_alias(self, code: RawCode, instructions: list[Instruction], index: int) -> None:
        if instructions[index].arg[0] != "TYPEALIAS":
            return
        parts = operands(instructions, index - 1)
        made = instructions[parts[-1] - 1].arg if len(parts) == 3 else None
        if isinstance(made, RawCode) and self.made[made].name != instructions[parts[0]].arg:
            self.found[code].constants[instructions[parts[0]].offset] = self.made[made].name

    def look_at_function(self, code: RawCode, instructions: list[Instruction], index: int) -> None:
        function, parts = instructions[index - 1].arg, instructions[index].arg
        if not isinstance(function, RawCode):
            return
        if function.kind == "generic":  # it gets the defaults of the function in it
            before = instructions[index - 2] if "closure" in parts else None
            at = index - 2 - (1 + before.arg if before is not None and before.op == "BUILD_TUPLE" else 0)
            for inner in (nested for nested in function.nested if nested.kind == "function" and nested.kwonlyargcount):
                self.keys.add(code, *_keys_at(instructions, at), inner, only_keywords=True)
        elif not _KEYED.isdisjoint(parts):
            for part, end in zip(parts, operands(instructions, index)):
                if part in _KEYED:
                    self.keys.add(code, *_keys_at(instructions, end), function, only_keywords=part == "kwdefaults")

    # What needs the names of all code

    def find_super(self) -> None:
        """Find calls of ``super()`` in functions that have the cell of their class for nothing else.

        Only where names lie: elsewhere dead code has asked for the cell.
        """
        if not any("__module__" in one.names.values() and "__module__" not in one.names for one in self.found.values()):
            return
        classes = self.variables.called(_CLASS)
        wanted = []
        votes: collections.Counter[str] = collections.Counter()
        for code in self.codes:
            instructions, renames = self.instructions[code], self.found[code]
            votes.update({name: len(self.codes) for name, text in renames.names.items() if text == "super"})
            if "super" in code.names or "super" in renames.names.values():
                continue
            frees = [free for free in code.freevars if self.variables.one(code, free) in classes]
            if frees and _is_unread(instructions, frees[0]):
                wanted.append((renames, list(_called_globals(instructions))))
        for _, names in wanted:
            votes.update(names)
        for renames, names in wanted:
            if names:
                renames.names[max(names, key=votes.__getitem__)] = "super"

    def name_attributes(self) -> None:
        """Call the variable ``self`` to which methods store the attributes that their class lists."""
        for owner, loaded in self.attributes:
            listed = loaded.arg
            stored: dict[str, tuple[set[str], set[Any]]] = {}
            for variable, attribute in self.attributes_of(owner) if listed else ():
                attributes, variables = stored.setdefault(variable[1], (set(), set()))
                attributes.add(attribute)
                variables.add(variable)
            found = [name for name, (attributes, _) in stored.items() if len(attributes) == len(listed)]
            if found and "self" not in stored:
                attributes, variables = stored[found[0]]
                for variable in variables:
                    self.variables.is_called(variable[0], variable[1], "self")
                self.found[owner].attributes = listed, tuple(sorted(attributes))
                self.found[owner].constants[loaded.offset] = tuple(sorted(attributes))

    def attributes_of(self, owner: RawCode) -> Iterator[tuple[Any, str]]:
        """The attributes that code below a class stores to variables, with these."""
        todo = [*owner.nested]
        while todo:
            code = todo.pop(0)
            if kind_of(code) == "class":
                continue
            todo += code.nested
            instructions = self.instructions[code]
            for before, one in zip(instructions, instructions[1:]):
                if one.op == "STORE_ATTR" and before.op in ("LOAD_FAST", "LOAD_DEREF"):
                    yield self.variables.one(code, before.arg), self.found[code].names.get(one.arg, one.arg)


_LOOKS = {
    **dict.fromkeys(IMPORTS, _Search.look_at_import),
    "LOAD_SUPER_ATTR": _Search.look_at_super,
    "INTRINSIC": _Search.look_at_alias,
    "MAKE_FUNCTION": _Search.look_at_function,
    "LOAD_COMMON_CONSTANT": _Search.look_at_builtin,
}
"""What is looked at by its operation; anything else says nothing about names."""


def operands(instructions: list[Instruction], index: int) -> list[int]:
    """The instructions that push what the one at ``index`` pops, lowest first; [] if other code comes between."""
    found: list[int] = []
    end = index
    for _ in range(stack_use(instructions[index])[0]):
        end -= 1
        found.append(end)
        needed = 1
        while end >= 0:
            pops, pushes = stack_use(instructions[end])
            needed += pops - pushes + (instructions[end].op == "FOR_ITER")  # after its loop the iterator is gone
            if needed <= 0:
                break
            end -= 1
        if end < 0:
            return []
    return found[::-1]


def _imported(instructions: list[Instruction], index: int) -> Iterator[str]:
    """The names after an import at ``index - 1``: of ``from x import a, b``, or the path of ``import x.a.b as c``."""
    while index < len(instructions) and instructions[index].op == "IMPORT_FROM":
        yield instructions[index].arg
        index += 3 if instructions[index + 1].op == "SWAP" else 2


def _are_attributes(code: RawCode, body: list[Instruction], index: int) -> bool:
    """Whether the constant at ``index`` is stored as the static attributes, the last store before the cells."""
    value = body[index].arg
    if not code.table.classes_store_their_line or type(value) is not tuple or not all(type(x) is str for x in value):
        return False
    after = [i.op for i in body[index + 2 : index + 4]]
    return after in (["LOAD_CLOSURE", "STORE_NAME"], ["LOAD_CLOSURE", "COPY"], ["CONST", "RETURN_VALUE"])


def _is_number(value: Any) -> bool:
    return type(value) is int


def _annotated_mapping(body: list[Instruction]) -> list[str]:
    """The name of what annotations are stored to; [] if that is not clear."""
    votes: collections.Counter[str] = collections.Counter()
    others: set[str] = set()
    for one, two, three in zip(body, body[1:], body[2:]):
        if one.op == "LOAD_NAME" and two.op == "CONST" and type(two.arg) is str and three.op == "STORE_SUBSCR":
            votes[one.arg] += 1
        elif one.op.endswith("_NAME"):
            others.add(one.arg)
    return [name for name, _ in votes.most_common() if name not in others][:1]


def _is_unread(instructions: list[Instruction], variable: str) -> bool:
    return all(i.arg != variable or i.op == "CONST" for i in instructions)


def _called_globals(instructions: list[Instruction]) -> Iterator[str]:
    """The globals that are called without arguments."""
    for index, one in enumerate(instructions):
        if one.op in ("CALL", "CALL_FUNCTION") and not one.arg[0]:
            before = next((i for i in reversed(instructions[:index]) if i.op != "NULL"), one)
            if before.op == "LOAD_GLOBAL":
                yield before.arg


def _keys_of(instructions: list[Instruction]) -> list[Instruction]:
    """What loads the keys of the dictionary that code for annotations returns."""
    for index in range(len(instructions) - 1, 0, -1):  # a call in an annotation may make dictionaries before
        if instructions[index].op == "RETURN_VALUE" and instructions[index - 1].op == "BUILD_MAP":
            return _keys_at(instructions, index - 1)[0]
    return []


def _keys_at(instructions: list[Instruction], index: int) -> tuple[list[Instruction], int]:
    """What loads the keys that the instruction at ``index`` pushes, with values.

    If that is one constant, the number is the distance between two keys in it, otherwise 0.
    """
    made = instructions[max(0, index)]
    if made.op == "BUILD_CONST_KEY_MAP":
        return [instructions[index - 1]], 1
    if made.op == "CONST" and type(made.arg) is tuple:
        return [made], 2
    ends = operands(instructions, index) if made.op in ("BUILD_TUPLE", "BUILD_MAP") else []
    return [instructions[end] for end in ends[::2]], 0
