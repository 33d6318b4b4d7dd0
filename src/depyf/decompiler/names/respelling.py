"""Replaces names that no source can have by identifiers, before all other stages.

Examples: a global called `@pytest_ar`, an attribute `a b`, a keyword, a name that the parser would normalise or that a
class would mangle, and the second of two variables with one name. The result is a copy of the code in which every name
can be written and each identifier means one name, as recorded in ``meant``. A proof of the copy holds for the original
once the names are restored (recompile.py), so the stages in between are unaffected. A constant is changed only if it
is used purely as a name: otherwise its text must not change, and the code is refused later, when it can't be printed.
"""

from __future__ import annotations

import builtins
import copy
import re
import unicodedata
from typing import Any, Callable, Iterable, Iterator, Mapping, NamedTuple

from ...errors import DecompilationError
from ..bytecode import Instruction, RawCode, known_instructions
from ..bytecode.kinds import is_late, kind_of
from .spelling import identifier, is_name

OF_COMPILERS = frozenset({".0", ".defaults", ".kwdefaults", ".type_params", ".generic_base", ".format"})
"""Names that compilers give to variables without a name in the source."""
_NAMED = frozenset(
    {"LOAD_NAME", "STORE_NAME", "DELETE_NAME", "LOAD_GLOBAL", "STORE_GLOBAL", "DELETE_GLOBAL", "LOAD_ATTR",
     "STORE_ATTR", "DELETE_ATTR", "IMPORT_FROM", "LOAD_FROM_DICT_OR_GLOBALS", "LOAD_SUPER_ATTR"}
)  # fmt: skip
_READS_ATTRIBUTE = frozenset({"LOAD_ATTR", "LOAD_SUPER_ATTR"})
_MATCHES = frozenset({"MATCH_CLASS", "MATCH_CLASS_AND_TEST"})


class Respelling(NamedTuple):
    """``raw`` can be written; ``original`` maps each of its code objects to the code it is a copy of.

    ``meant``: identifiers in ``raw`` -> the names in the original.
    """

    raw: RawCode
    original: Mapping[RawCode, RawCode]
    meant: Mapping[str, str]

    def of(self, raw: RawCode) -> dict[str, str]:
        """``meant`` for one code object of the copy, without those nested in it."""
        if not self.meant:
            return {}
        found = {raw.name, *raw.parameters, *raw.freevars}
        try:
            instructions = known_instructions(raw)
        except DecompilationError:
            instructions = []
        for index, ins in enumerate(instructions):
            if type(ins.arg) is str and ins.op != "CONST":
                found.update((ins.arg, *ins.arg.split(".")))
            elif ins.op == "LOAD_SUPER_ATTR":
                found.add(ins.arg[0])
            else:
                found.update(_names_given(instructions, index))
        return {text: self.meant[text] for text in sorted(found) if text in self.meant}

    def put_back(self, code: RawCode) -> None:
        """Restore the variable names in code that was compiled from text."""
        for part in code.walk() if self.meant else ():
            part.renamed = {name: self.meant[name] for name in part.localsplus if name in self.meant}


def respell(
    root: RawCode, *, own_name: bool = True, kept: Callable[[str], bool] = lambda name: False
) -> Respelling:
    """``root`` with names that can be written, or ``root`` itself if all can. ``own_name``: also the name of ``root``.

    ``kept``: names that will not appear in text, so they need no replacement.
    """
    codes = list(root.walk())
    parents = {nested: code for code in codes for nested in code.nested}
    wanted: dict[str, None] = {}
    for code in codes:
        wanted.update(dict.fromkeys(_unspellable(code, _mangles(code, parents))))
        if (own_name or code is not root) and kind_of(code) in ("function", "class") and not is_name(code.name):
            wanted[code.name] = None
    for name in [*filter(kept, wanted)]:
        del wanted[name]
    if not wanted and not any(code.renamed for code in codes):
        return Respelling(root, {}, {})
    choice = _Choice(codes)
    text_of = {name: choice.of(name, name) for name in wanted}
    return _copied(codes, parents, text_of, choice)


def _mangles(code: RawCode, parents: Mapping[RawCode, RawCode]) -> bool:
    """Whether the compiler mangles private names in ``code``, by the nearest enclosing class."""
    at: RawCode | None = code
    while at is not None and kind_of(at) != "class":
        at = parents.get(at)
    return at is not None and bool(at.name.lstrip("_"))


def _unspellable(raw: RawCode, mangles: bool) -> Iterator[str]:
    made = kind_of(raw) not in ("function", "lambda", "module") or is_late(raw)

    def fits(name: str, constant: bool = False) -> bool:
        if name == "__debug__":
            return constant
        if mangles and name.startswith("__") and not name.endswith("__"):
            return False
        return is_name(name) or made and name in OF_COMPILERS

    yield from (name for name in raw.localsplus if name not in raw.renamed and not fits(name))
    try:
        instructions = known_instructions(raw)
    except DecompilationError:
        return  # it is refused
    for index, ins in enumerate(instructions):
        if ins.op in _NAMED:
            name = ins.arg[0] if ins.op == "LOAD_SUPER_ATTR" else ins.arg
            if not fits(name, ins.op in _READS_ATTRIBUTE):
                yield name
        elif ins.op.endswith("IMPORT_NAME"):
            yield from (part for part in ins.arg.split(".") if ins.arg and not fits(part))
        else:
            yield from (name for name in _names_given(instructions, index) if not is_name(name) or name == "__debug__")


def _names_given(instructions: list[Instruction], index: int) -> Iterable[str]:
    """The names in a constant tuple: of keyword arguments, an import or a class pattern."""
    ins = instructions[index]
    if ins.op in ("CALL", "CALL_FUNCTION"):
        names: tuple[str, ...] = ins.arg[1]
        return names
    if _takes_names(ins) and index and instructions[index - 1].op == "CONST":
        given = instructions[index - 1].arg
        return given if type(given) is tuple and all(type(name) is str for name in given) else ()
    return ()


def _takes_names(ins: Instruction) -> bool:
    return ins.op in _MATCHES or ins.op.endswith("IMPORT_NAME")


class _Choice:
    """Chooses identifiers without another meaning: no name, no builtin, no text of a constant."""

    def __init__(self, codes: Iterable[RawCode]) -> None:
        self.taken = set(dir(builtins))
        self.slots: set[str] = set()
        for code in codes:
            self.taken.update(code.names, code.cellvars, code.freevars, code.name.split("."))
            self.taken.update(name for name in (*code.varnames, *code.localsplus) if name not in code.renamed)
            for constant in code.consts:
                for item in constant if type(constant) is tuple else (constant,):
                    if type(item) is str:
                        self.taken.update(re.findall(r"\w+", item))
        self.meant: dict[str, str] = {}

    def of(self, wanted: str, real: str) -> str:
        """An identifier for the name ``real``, similar to ``wanted``."""
        base = identifier(unicodedata.normalize("NFKC", wanted), "name") if not is_name(wanted) else wanted
        if base.startswith("__") or base in ("None_", "True_", "False_"):
            base = base.strip("_").lower()  # no class mangles it
        text, number = base, 1
        while text in self.taken or not is_name(text):
            number += 1
            text = f"{base}_{number}"
        self.taken.add(text)
        self.meant[text] = real
        return text


def _copied(
    codes: list[RawCode], parents: Mapping[RawCode, RawCode], text_of: Mapping[str, str], choice: _Choice
) -> Respelling:
    qualnames: dict[RawCode, str] = {}
    for code in codes:  # parents first
        own = text_of.get(code.name, code.name) if kind_of(code) in ("function", "class") else code.name
        before = code.qualname[: -len(code.name)] if code.name and code.qualname.endswith(code.name) else ""
        parent = parents.get(code)
        if parent is not None and before.startswith(parent.qualname + "."):
            before = qualnames[parent] + before[len(parent.qualname) :]
        qualnames[code] = before + own if before or code.qualname == code.name else code.qualname
    copies: dict[RawCode, RawCode] = {}
    for code in reversed(codes):  # what is nested first
        if code in copies:
            continue
        made = copies[code] = copy.copy(code)
        made.disassembled = None
        slot_of = {
            name: choice.of(name, code.renamed[name]) if name in code.renamed else text_of.get(name, name)
            for name in dict.fromkeys((*code.localsplus, *code.varnames, *code.cellvars))
        }
        made.renamed = {slot_of[name]: code.renamed.get(name, name) for name in slot_of if slot_of[name] != name}
        made.renamed.update({name: real for name, real in code.renamed.items() if slot_of.get(name) == name})
        for field in ("varnames", "cellvars", "freevars", "localsplus"):
            setattr(made, field, tuple(slot_of.get(name, name) for name in getattr(code, field)))
        made.names = tuple(_respelled(name, text_of) for name in code.names)
        made.qualname = qualnames[code]
        if kind_of(code) in ("function", "class"):
            made.name = text_of.get(code.name, code.name)
        made.consts = _constants(code, copies, text_of, made.qualname)
    return Respelling(copies[codes[0]], {made: code for code, made in copies.items()}, choice.meant)


def _respelled(name: str, text_of: Mapping[str, str]) -> str:
    """``name``, or the path of a module, as it is written."""
    if name in text_of or "." not in name:
        return text_of.get(name, name)
    return ".".join(text_of.get(part, part) for part in name.split("."))


def _constants(
    code: RawCode, copies: Mapping[RawCode, RawCode], text_of: Mapping[str, str], qualname: str
) -> tuple[Any, ...]:
    """The constants of the copy: nested code, names in tuples and strings that are purely names."""
    try:
        instructions = known_instructions(code)
    except DecompilationError:
        instructions = []
    names: dict[Any, Any] = {}
    plain: list[Any] = []
    for index, ins in enumerate(instructions):
        given = tuple(_names_given(instructions, index))
        if any(name in text_of for name in given):
            names[given] = tuple(text_of.get(name, name) for name in given)
        if ins.op != "CONST" or type(ins.arg) not in (str, tuple):
            continue
        if type(ins.arg) is str and _names_a_class(instructions, index):
            names[ins.arg] = text_of.get(ins.arg, ins.arg)
        elif ins.arg == code.qualname and _is_stored_as(instructions, index, "__qualname__"):
            names[ins.arg] = qualname
        elif not (index + 1 < len(instructions) and _takes_names(instructions[index + 1])):
            plain.append(ins.arg)

    def copied(constant: Any) -> Any:
        if isinstance(constant, RawCode):
            return copies[constant]
        if type(constant) is str or type(constant) is tuple and all(type(item) is str for item in constant):
            return names[constant] if constant in names and constant not in plain else constant
        return constant  # possibly unhashable: files can be damaged

    return tuple([copied(constant) for constant in code.consts])


def _names_a_class(instructions: list[Instruction], index: int) -> bool:
    """Whether the constant is the name of a class, loaded right after the function of the class body."""
    if index < 2 or instructions[index - 1].op != "MAKE_FUNCTION":
        return False
    made = instructions[index - 2].arg
    return isinstance(made, RawCode) and kind_of(made) == "class"


def _is_stored_as(instructions: list[Instruction], index: int, name: str) -> bool:
    following = instructions[index + 1] if index + 1 < len(instructions) else None
    return following is not None and following.op == "STORE_NAME" and following.arg == name
