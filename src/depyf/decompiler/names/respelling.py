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
from functools import partial
from typing import Any, Callable, Iterable, Iterator, Mapping, NamedTuple

from ..bytecode import Instruction, RawCode, operations_of, readable_instructions
from ..bytecode.instruction import IMPORTS
from ..bytecode.kinds import GENERIC, Made, decide_kinds, is_late, kind_of
from ..syntax.grammar import cleaned, cleans_docstrings
from .by_use import Renames, names_by_use
from .qualified_names import qualified_names
from .spelling import identifier, is_name

OF_COMPILERS = frozenset({".0", ".defaults", ".kwdefaults", ".type_params", ".generic_base", ".format"})
"""Names that compilers give to variables without a name in the source."""
_NAMED = frozenset(
    {"LOAD_NAME", "STORE_NAME", "DELETE_NAME", "LOAD_GLOBAL", "STORE_GLOBAL", "DELETE_GLOBAL", "LOAD_ATTR",
     "STORE_ATTR", "DELETE_ATTR", "IMPORT_FROM", "LOAD_FROM_DICT_OR_GLOBALS", "LOAD_SUPER_ATTR"}
)  # fmt: skip
_READS_ATTRIBUTE = frozenset({"LOAD_ATTR", "LOAD_SUPER_ATTR"})
_MATCHES = frozenset({"MATCH_CLASS", "MATCH_CLASS_AND_TEST"})
_GIVES_NAMES = _MATCHES | IMPORTS | {"CALL", "CALL_FUNCTION"}


class Respelling(NamedTuple):
    """``raw`` can be written; ``original`` maps each of its code objects to the code it is a copy of.

    ``meant``: identifiers in ``raw`` -> the names in the original, the same in all code; ``renames`` are others, by the
    code object of the original.
    """

    raw: RawCode
    original: Mapping[RawCode, RawCode]
    meant: Mapping[str, str]
    renames: Mapping[RawCode, Renames] = {}

    def of(self, raw: RawCode) -> dict[str, str]:
        """``meant`` for one code object of the copy, without those nested in it."""
        if not self.meant:
            return {}
        found = {raw.name, *raw.parameters, *raw.freevars}
        instructions = readable_instructions(raw)
        for index, ins in enumerate(instructions):
            if type(ins.arg) is str and ins.op != "CONST":
                found.update((ins.arg, *ins.arg.split(".")))
            elif ins.op == "LOAD_SUPER_ATTR":
                found.add(ins.arg[0])
            else:
                found.update(_names_given(instructions, index))
        return {text: self.meant[text] for text in sorted(found) if text in self.meant}

    def own_names(self, raw: RawCode) -> list[tuple[str, Any]]:
        """The names of one code object of the copy that the text does not give it, each after what it is."""
        original = self.original.get(raw)
        if original is None:
            return []
        names: list[tuple[str, Any]] = [
            (what, name)
            for what, name, text in (
                ("name", original.name, raw.name), ("qualified name", original.qualname, raw.qualname)
            )
            if self._meaning(text) != name
        ]  # fmt: skip
        own = {**self.own_variables(raw), **self.own_globals(raw), **self.own_constants(raw)}
        attributes, cells = self.own_attributes(raw), original.other_cells
        names += [("static attributes", attributes[1])] if attributes else []
        names += [("cells", cells)] if cells else []
        docstring = own.pop(raw.docstring, None)
        names += [("docstring", docstring)] if docstring is not None else []
        return [*names, *((f"name for {text}", name) for text, name in own.items())]

    def own_variables(self, raw: RawCode) -> dict[str, str]:
        """The variables of one code object of the copy that it alone calls otherwise, and what it calls them."""
        renames = self.renames.get(self.original.get(raw, raw))
        return {text: name for name, text in renames.slots.items()} if renames is not None else {}

    def own_globals(self, raw: RawCode) -> dict[str, str]:
        """The same for globals, attributes and imports."""
        renames = self.renames.get(self.original.get(raw, raw))
        return {self._meaning(text): name for name, text in renames.names.items()} if renames is not None else {}

    def own_constants(self, raw: RawCode) -> dict[Any, Any]:
        """What names among the constants of one code object of the copy are in the original."""
        original = self.original.get(raw)
        if original is None:
            return {}
        pairs = [(text, name) for text, name in zip(raw.consts, original.consts) if _may_be_names(name)]
        if raw.written:
            pairs += [(raw.written[i.offset], i.arg) for i in readable_instructions(original)
                      if i.op == "CONST" and i.offset in raw.written]  # fmt: skip
        found = {self._meaning(text): name for text, name in pairs}
        return {text: name for text, name in found.items() if text != name}

    def own_attributes(self, raw: RawCode) -> tuple[frozenset[str], tuple[str, ...]] | None:
        """The static attributes that the text gives to one class of the copy, and what they are in the original."""
        renames = self.renames.get(self.original.get(raw, raw))
        if renames is None or renames.attributes is None:
            return None
        return frozenset(renames.attributes[1]), renames.attributes[0]

    def _meaning(self, text: Any) -> Any:
        if not self.meant:
            return text
        if type(text) is tuple:
            return tuple([self.meant.get(item, item) for item in text])
        return ".".join(self.meant.get(part, part) for part in text.split("."))


def respell(
    root: RawCode, *, own_name: bool = True, kept: Callable[[str], bool] = lambda name: False
) -> Respelling:
    """``root`` with names that can be written, or ``root`` itself if all can. ``own_name``: also the name of ``root``.

    ``kept``: names that will not appear in text, so they need no replacement.
    """
    made = dict(decide_kinds(root))
    if not own_name:
        made[root] = made[root]._replace(name=root.name)
    codes = list(root.walk())
    parents = {nested: code for code in codes for nested in code.nested}
    choices: list[_Choice] = []

    def choice() -> _Choice:
        if not choices:
            choices.append(_Choice(codes))
        return choices[0]

    renames = names_by_use(codes, parents, made, lambda name: choice().fresh(name))
    for code in codes if renames else ():
        made[code] = _as_stored(made[code], renames.get(parents.get(code, code)))
    wanted: dict[str, None] = {}
    for code in codes:
        name = made[code].name
        wanted.update(dict.fromkeys(_unspellable(code, _mangles(code, parents, made), renames.get(code))))
        if (own_name or code is not root) and kind_of(code) in ("function", "class") and not is_name(name):
            wanted[name] = None
    for name in [*filter(kept, wanted)]:
        del wanted[name]
    text_of = {name: choice().of(name, name) for name in wanted}
    texts = {
        code: text_of.get(name, name) if kind_of(code) in ("function", "class") else name
        for code, (name, _) in made.items()
    }
    qualnames = qualified_names(codes, parents, made, texts)
    are_own = all(
        texts[code] == code.name and qualnames[code] == code.qualname
        and (code.docstring is None or code.docstring == _docstring(code))
        for code in codes
    )
    if not wanted and are_own and not renames and not any(code.renamed for code in codes):
        return Respelling(root, {}, {})
    return _copied(codes, texts, qualnames, text_of, choice(), renames)


def _as_stored(made: Made, outer: Renames | None) -> Made:
    """``made`` with the name that is written for the variable that has the value."""
    name, use = made
    if outer is not None and use is not None and use.role == "late":
        return made._replace(name=outer.parameters.get(name, name))
    if outer is None or use is None or not use.stored:
        return made
    text = outer.slots.get(use.stored) or outer.names.get(use.stored)
    if text is None or name not in (use.stored, f"{GENERIC}{use.stored}>"):
        return made
    return made._replace(name=name.replace(use.stored, text))


def _mangles(code: RawCode, parents: Mapping[RawCode, RawCode], made: Mapping[RawCode, Made]) -> bool:
    """Whether the compiler mangles private names in ``code``, by the nearest enclosing class: none from 3.13 on among
    the bases and type parameters of a generic class (symtable.c, ste_mangled_names), while 3.12 leaves no such name.
    """
    at: RawCode | None = code
    while at is not None and (kind := kind_of(at)) != "class":
        if kind == "generic" and any(kind_of(nested) == "class" for nested in at.nested):
            return False
        at = parents.get(at)
    return at is not None and bool(made[at].name.lstrip("_"))


def _unspellable(raw: RawCode, mangles: bool, renames: Renames | None) -> Iterator[str]:
    made = kind_of(raw) not in ("function", "lambda", "module") or is_late(raw)
    renames = renames or Renames()
    fits = partial(_fits, made, mangles)
    operations, instructions = operations_of(raw), readable_instructions(raw)
    suspects = _suspects(raw, instructions)
    known = {*raw.renamed, *renames.slots}
    yield from (name for name in raw.localsplus if name in suspects and name not in known and not fits(name))
    if not suspects and operations.isdisjoint(_GIVES_NAMES):
        return
    modules = {} if operations.isdisjoint(IMPORTS) else _modules(i.arg for i in instructions if i.op in IMPORTS)
    for index, ins in enumerate(instructions):
        if ins.op in _NAMED:
            name = ins.arg[0] if ins.op == "LOAD_SUPER_ATTR" else ins.arg
            module = ins.op == "IMPORT_FROM" and name in modules
            if name in suspects and name not in renames.names and not fits(name, ins.op in _READS_ATTRIBUTE, module):
                yield name
        elif ins.op in IMPORTS:
            parts = _modules([renames.names.get(ins.arg, ins.arg)])
            yield from (part for part in parts if not fits(part, module=True))
        elif ins.op in _GIVES_NAMES:
            yield from filter(_is_no_name, _names_given(instructions, index))


def _fits(made: bool, mangles: bool, name: str, constant: bool = False, module: bool = False) -> bool:
    if name == "__debug__":
        return constant
    is_private = mangles and not module and name[:2] == "__" != name[-2:]
    return not is_private and (is_name(name) or made and name in OF_COMPILERS)


def _suspects(raw: RawCode, instructions: list[Instruction]) -> set[str]:
    """The names that may not be possible: some with an underscore are private, or the compiler's."""
    named = [i.arg[0] if i.op == "LOAD_SUPER_ATTR" else i.arg for i in instructions if i.op in _NAMED]
    return {name for name in (*raw.localsplus, *named) if name[:1] == "_" or not is_name(name)}


def _is_no_name(name: str) -> bool:
    return not is_name(name) or name == "__debug__"


def _modules(paths: Iterable[str]) -> dict[str, None]:
    """The names of imported modules and packages, in order: no class mangles them."""
    return dict.fromkeys(part for path in paths if path for part in path.split("."))


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
    return ins.op in _MATCHES or ins.op in IMPORTS


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
        """An identifier for the name ``real``, similar to ``wanted``, that means it everywhere."""
        text = self.fresh(wanted)
        self.meant[text] = real
        return text

    def fresh(self, wanted: str) -> str:
        """An identifier that nothing has, similar to ``wanted``."""
        base = identifier(unicodedata.normalize("NFKC", wanted), "name") if not is_name(wanted) else wanted
        if base.startswith("__") or base in ("None_", "True_", "False_"):
            base = base.strip("_").lower()  # no class mangles it
        text, number = base, 1
        while text in self.taken or not is_name(text):
            number += 1
            text = f"{base}_{number}"
        self.taken.add(text)
        return text


def _copied(
    codes: list[RawCode],
    names: Mapping[RawCode, str],
    qualnames: Mapping[RawCode, str],
    text_of: Mapping[str, str],
    choice: _Choice,
    renames: Mapping[RawCode, Renames],
) -> Respelling:
    copies: dict[RawCode, RawCode] = {}
    for code in reversed(codes):  # what is nested first
        if code in copies:
            continue
        new = copies[code] = copy.copy(code)
        new.disassembled = None
        own = renames.get(code) or Renames()
        slot_of = {
            name: own.slots.get(name)
            or (choice.of(name, code.renamed[name]) if name in code.renamed else text_of.get(name, name))
            for name in dict.fromkeys((*code.localsplus, *code.varnames, *code.cellvars))
        }
        new.renamed = {text: code.renamed.get(name, name) for name, text in slot_of.items() if text != name}
        new.renamed.update({name: real for name, real in code.renamed.items() if slot_of.get(name) == name})
        for field in ("varnames", "cellvars", "freevars", "localsplus"):
            setattr(new, field, tuple(slot_of.get(name, name) for name in getattr(code, field)))
        new.names = tuple(_respelled(own.names.get(name, name), text_of) for name in code.names)
        new.qualname, new.name = qualnames[code], names[code]
        classes = {nested: names[nested] for nested in code.nested if kind_of(nested) == "class"}
        new.written = _loaded_names(code, text_of, new.qualname, classes, own)
        new.consts = _constants(code, copies, text_of, new.written)
    return Respelling(copies[codes[0]], {new: code for code, new in copies.items()}, choice.meant, renames)


def _respelled(name: str, text_of: Mapping[str, str]) -> str:
    """``name``, or the path of a module, as it is written."""
    if name in text_of or "." not in name:
        return text_of.get(name, name)
    return ".".join(text_of.get(part, part) for part in name.split("."))


def _loaded_names(
    code: RawCode, text_of: Mapping[str, str], qualname: str, classes: Mapping[RawCode, str], renames: Renames
) -> dict[int, Any]:
    """What is written for constants that are names, by the offsets of the instructions that load them.

    ``classes``: what the text calls those in it.
    """
    instructions = readable_instructions(code)
    found = {offset: _written(names, text_of) for offset, names in renames.constants.items()}
    is_prologue = kind_of(code) == "class"
    for index, ins in enumerate(instructions):
        if ins.op != "CONST" or not _may_be_names(ins.arg) or ins.offset in found:
            continue
        made = instructions[index - 2].arg if index > 1 and instructions[index - 1].op == "MAKE_FUNCTION" else None
        if type(ins.arg) is str and isinstance(made, RawCode) and made in classes:
            found[ins.offset] = classes[made]
        elif is_prologue and type(ins.arg) is str and _is_qualname(instructions, index, renames):
            found[ins.offset], is_prologue = qualname, False
        elif type(ins.arg) is tuple and index + 1 < len(instructions) and _takes_names(instructions[index + 1]):
            found[ins.offset] = _written(ins.arg, text_of)
    return _distinct(instructions, found)


def _distinct(instructions: list[Instruction], found: Mapping[int, Any]) -> dict[int, Any]:
    """Those of the texts ``found`` for constants that differ from them, and mean one constant each."""
    loads = [ins for ins in instructions if ins.op == "CONST" and (ins.offset in found or _may_be_names(ins.arg))]
    loads = [ins for ins in loads if _has_hash(ins.arg) and _has_hash(found.get(ins.offset))]
    meant: dict[Any, set[Any]] = {}
    for ins in loads:
        meant.setdefault(found.get(ins.offset, ins.arg), set()).add(ins.arg)
    texts = ((ins, found.get(ins.offset, ins.arg)) for ins in loads)
    return {ins.offset: text for ins, text in texts if ins.arg != text and len(meant[text]) == 1}


def _has_hash(constant: Any) -> bool:
    try:
        hash(constant)
    except Exception:  # no compiler makes such a constant
        return False
    return True


def _docstring(code: RawCode) -> str | None:
    """The docstring that text can give to ``code``: without lone surrogates where the compiler cleans it."""
    if not code.docstring or kind_of(code) != "function" or not cleans_docstrings(code.version):
        return code.docstring
    return cleaned(code.docstring.encode("utf-8", "replace").decode())


def _constants(
    code: RawCode, copies: Mapping[RawCode, RawCode], text_of: Mapping[str, str], written: Mapping[int, Any]
) -> tuple[Any, ...]:
    """The constants of the copy: nested code, and names of keyword arguments and of class patterns."""
    names: dict[Any, Any] = {}
    plain: set[Any] = {code.docstring}
    instructions = readable_instructions(code)
    if kind_of(code) == "generic":  # whose first constant is taken for a docstring
        names.update((ins.arg, written[ins.offset]) for ins in instructions if ins.offset in written)
        plain = set()
    for index, ins in enumerate(instructions):
        given = tuple(_names_given(instructions, index)) if not _takes_names(ins) else ()
        if any(name in text_of for name in given):
            names[given] = _written(given, text_of)
        if ins.op == "CONST" and _may_be_names(ins.arg) and ins.offset not in written:
            plain.add(ins.arg)
    names = _unambiguous(names, plain)
    docstring = _docstring(code)
    is_loaded = any(ins.op == "CONST" and ins.arg == code.docstring for ins in instructions)
    if docstring != code.docstring and not is_loaded:
        while docstring in plain:  # it would be one constant with another
            docstring = f"{docstring}?"
        names[code.docstring] = docstring

    def copied(constant: Any) -> Any:
        if isinstance(constant, RawCode):
            return copies[constant]
        return names.get(constant, constant) if _may_be_names(constant) else constant

    return tuple([copied(constant) for constant in code.consts])


def _may_be_names(constant: Any) -> bool:
    """Whether it is a string or a tuple of strings; another constant may be unhashable: files can be damaged."""
    return type(constant) is str or type(constant) is tuple and all(type(item) is str for item in constant)


def _unambiguous(names: dict[Any, Any], plain: set[Any]) -> dict[Any, Any]:
    """Those of the texts for ``names`` that mean one name each, and are no other constant."""
    texts = [*names.values()]
    taken = {name for name, text in names.items() if name in plain or texts.count(text) > 1}
    while taken:  # a text that means a name can't be another constant, or mean two
        plain |= taken
        names = {name: text for name, text in names.items() if name not in taken}
        taken = {name for name, text in names.items() if text in plain}
    return names


def _is_qualname(instructions: list[Instruction], index: int, renames: Renames) -> bool:
    following = instructions[index + 1] if index + 1 < len(instructions) else None
    stored = following.arg if following is not None and following.op == "STORE_NAME" else None
    return renames.names.get(stored, stored) == "__qualname__"  # type: ignore[arg-type]


def _written(names: Any, text_of: Mapping[str, str]) -> Any:
    """A name, or a tuple of them, as text has it."""
    return tuple([text_of.get(one, one) for one in names]) if type(names) is tuple else text_of.get(names, names)
