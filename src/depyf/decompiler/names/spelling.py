"""Spells what has no spelling in Python: constants without a literal, names that are not identifiers.

Dynamo stores any object among the constants of its code (a dtype, a class, the dictionary of a module's globals) and
any string among its names. In the text such a constant is a name, the dotted path of the object if it has one
(``torch.float32``), and such a name is an identifier. The choice depends only on the code object, so it can be
recomputed when the text is compiled, and the objects and names restored.
"""

from __future__ import annotations

import keyword
import re
import sys
import types
import unicodedata
from functools import lru_cache
from typing import Any, Sequence

from ..bytecode import RawCode, readable_instructions
from ..proof.scaffold import Spelled
from ..syntax import nodes
from ..syntax.grammar import cleans_docstrings

_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
LITERAL_TYPES = (bool, int, float, complex, str, bytes, type(None), type(Ellipsis))
_SURROGATES = re.compile("[\ud800-\udfff]")
_TOO_DEEP = 50
_LONGEST_REPR = 32
GLOBALS = ("LOAD_GLOBAL", "STORE_GLOBAL", "DELETE_GLOBAL")
_SAYS_ALL = re.compile(r"[A-Za-z_][\w.]*\([\w\s,.=\[\]()'\"]*\)")


def is_literal(value: Any) -> bool:
    """Whether an expression that the compiler folds to a constant gives exactly ``value``."""
    if type(value) is tuple:
        return all(is_literal(item) for item in value)
    return type(value) in LITERAL_TYPES


@lru_cache(maxsize=4096)
def is_name(text: str) -> bool:
    """Whether ``text`` can be written as a name that parsing leaves unchanged."""
    return text.isidentifier() and not keyword.iskeyword(text) and unicodedata.normalize("NFKC", text) == text


def is_docstring(value: str, raw: RawCode) -> bool:
    """Whether source can have it: compilers encode the docstrings that they clean (compile.c, _PyCompile_CleanDoc)."""
    return not cleans_docstrings(raw.version) or not _SURROGATES.search(value)


def docstring(value: str, raw: RawCode) -> nodes.Constant:
    """The docstring ``value`` of ``raw``."""
    return nodes.Docstring(value) if cleans_docstrings(raw.version) else nodes.Constant(value)


class Spelling:
    """Substitutes for everything in one code object (and its nested code) that can't be written.

    ``constants`` maps the text of a constant to the object, ``names`` identifiers in the text to names of globals and
    attributes, ``variables`` to names of local variables and cells, ``functions`` to names of nested functions, which
    must not be variables or globals of another meaning either.
    """

    def __init__(self, raw: RawCode) -> None:
        self.constants: dict[str, Any] = {}
        self.names: dict[str, str] = {}
        self.variables: dict[str, str] = {}
        self.functions: dict[str, str] = {}
        self.taken: set[str] = set()
        self._numbers: dict[str, int] = {}
        self.used = False  # whether the text has any substitute
        self.named: dict[str, Any] = {}  # constants that were asked for, by their texts
        self._text_of: dict[int, str] = {}
        self._spelled_names: dict[str, str] = {}
        self._spelled_variables: dict[str, str] = {}
        codes = list(raw.walk())
        for code in codes:
            self.taken.update(code.names, code.localsplus, code.varnames)
        self._functions = {code.name: code.name for code in codes}
        for code in codes:
            for name in code.names:
                if not is_name(name) and name not in self._spelled_names:
                    self._spelled_names[name] = spelled = self.fresh(identifier(name, "name"))
                    self.names[spelled] = name
        for code in codes:
            # A global that is also a local variable of this code: one name in text can't mean both.
            below = global_names(code, set(code.localsplus) - set(code.freevars))
            for name in code.localsplus:
                clashes = name in below
                if (clashes or not is_name(name)) and name not in self._spelled_variables:
                    self._spelled_variables[name] = spelled = self.fresh(identifier(name, "local"))
                    self.variables[spelled] = name
        for code in codes:
            for constant in code.consts:
                self._spell(constant, 0)
        for code in codes[1:]:
            if self._functions[code.name] == code.name and (code.name in self.taken or not is_name(code.name)):
                self._functions[code.name] = spelled = self.fresh(identifier(code.name, "function"))
                self.functions[spelled] = code.name

    @property
    def spelled(self) -> Spelled:
        """The substitutes that the text uses."""
        return Spelled(self.constants, self.names, self.variables, self.functions)

    def _found(self, text: str, meant: str) -> str:
        self.used = self.used or text != meant
        return text

    def name(self, name: str) -> str:
        """The identifier for a global or an attribute."""
        return self._found(self._spelled_names.get(name, name), name)

    def variable(self, name: str) -> str:
        """The identifier for a local variable or a cell."""
        return self._found(self._spelled_variables.get(name, name), name)

    def function(self, name: str) -> str:
        """The identifier for a nested function, a variable without another meaning."""
        return self._found(self._functions[name], name)

    def constant(self, value: Any) -> str | None:
        """The text for a constant without a literal; None if it has none."""
        self.used = True
        text = self._text_of.get(id(value))
        if text is not None:
            self.named[text] = value
        return text

    def fresh(self, wanted: str) -> str:
        """``wanted``, or ``wanted_1`` and so on: an identifier without another meaning in this code."""
        number = self._numbers.get(wanted, 0)  # all below are taken
        text = f"{wanted}_{number}" if number else wanted
        while text in self.taken or text in self._functions or not is_name(text):
            number += 1
            text = f"{wanted}_{number}"
        self._numbers[wanted] = number
        self.taken.add(text)
        return text

    def _spell(self, value: Any, depth: int) -> None:
        if is_literal(value) or id(value) in self._text_of or depth > _TOO_DEEP:
            return
        if type(value) is tuple:
            for item in value:
                self._spell(item, depth + 1)
            return
        text = dotted_path(value)
        if text is None or text.split(".")[0] in self.taken or text in self.constants:
            text = self.fresh(identifier(_describe(value), "constant"))
        self._text_of[id(value)] = text
        self.constants[text] = value.code or value if isinstance(value, RawCode) else value


def identifier(text: str, default: str) -> str:
    """An identifier similar to ``text``."""
    # \w also matches characters that identifiers can't contain, such as fractions.
    letters = (char if f"a{char}".isidentifier() else " " for char in unicodedata.normalize("NFKC", text))
    base = re.sub(" +", "_", "".join(letters)).strip("_")
    if not base:
        return default
    if not base.isidentifier():
        return f"{default}_{base}"
    return base + "_" if keyword.iskeyword(base) else base


_DEFAULT_REPR: Any = object.__repr__


def dotted_path(value: Any) -> str | None:
    """The ``module.attribute`` path by which a loaded module has exactly this object, or None."""
    if isinstance(value, types.ModuleType):
        candidates = [str(getattr(value, "__name__", ""))]
    elif isinstance(value, (type, types.FunctionType, types.BuiltinFunctionType)):
        module, name = getattr(value, "__module__", None), getattr(value, "__qualname__", "")
        candidates = [name] if module == "builtins" else [f"{module}.{name}"]
    elif type(value).__repr__ is _DEFAULT_REPR or isinstance(value, (dict, list, set, frozenset, RawCode)):
        return None
    else:
        try:
            candidates = [repr(value)]
        except Exception:  # foreign code: an object whose repr fails gets another kind of name
            return None
    for text in candidates:
        if _DOTTED.fullmatch(text) and all(is_name(part) for part in text.split(".")) and _resolve(text) is value:
            return text
    return None


def _resolve(text: str) -> Any:
    parts = text.split(".")
    if len(parts) == 1 and parts[0] not in sys.modules:
        return getattr(sys.modules["builtins"], parts[0], None)
    for split in range(len(parts), 0, -1):
        found: Any = sys.modules.get(".".join(parts[:split]))
        if found is None:
            continue
        for part in parts[split:]:
            found = getattr(found, part, None)
        return found
    return None


def _describe(value: Any) -> str:
    if isinstance(value, (RawCode, types.CodeType)):
        return f"code_of_{value.name if isinstance(value, RawCode) else value.co_name}"
    if type(value) is dict and isinstance(value.get("__name__"), str):
        return f"globals_of_{value['__name__']}"
    name = getattr(value, "__name__", None)
    if isinstance(name, str):
        return name
    try:
        text = repr(value)
    except Exception:  # foreign code
        text = ""
    if 0 < len(text) <= _LONGEST_REPR and _SAYS_ALL.fullmatch(text):
        return text  # torch.Size([2, 3]), slice(1, None, None): as an identifier it still describes the constant
    return f"{type(value).__name__}_constant"


def global_names(raw: RawCode, wanted: set[str], ops: Sequence[str] = GLOBALS) -> set[str]:
    """The ``wanted`` names that are globals in ``raw`` or in code nested in it, which is what ``ops`` say."""
    codes = [code for code in raw.walk() if not wanted.isdisjoint(code.names)]
    return {ins.arg for code in codes for ins in readable_instructions(code) if ins.op in ops and ins.arg in wanted}
