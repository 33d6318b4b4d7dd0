"""The kind of definition that a code object was compiled from.

It comes from what is done with the code, from its flags and its instructions; its name, which tools change, decides
only between forms that have the same code.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Mapping, NamedTuple

from .canonical.hidden_locals import inside_any_comprehension
from .canonical.tested_bools import checks_format
from .code.flags import CO_ASYNC_GENERATOR, CO_COROUTINE, CO_GENERATOR, CO_VARARGS, CO_VARKEYWORDS
from .code.raw_code import RawCode
from .code.slot_names import CONDITIONAL_ANNOTATIONS as CONDITIONAL_ANNOTATIONS
from .disassemble import operations_of, readable_instructions
from .instruction import IMPORTS, Instruction, reached
from .uses import Use, uses_of

GENERIC = "<generic parameters of "
"""The prefix of the name of the function that makes type parameters and what they belong to."""

FORMAT = ".format"
"""The parameter of lazily evaluated functions: the format that the caller wants (3.14 on)."""

_COMPREHENSIONS = {
    "<listcomp>": "BUILD_LIST", "<setcomp>": "BUILD_SET", "<dictcomp>": "BUILD_MAP", "<genexpr>": "",
}  # fmt: skip
"""The names that compilers give to them, which are their kinds here, and the operation that makes the container."""
_OF_GENERICS = frozenset({"TYPEVAR", "TYPEVAR_WITH_BOUND", "TYPEVAR_WITH_CONSTRAINTS", "PARAMSPEC", "TYPEVARTUPLE"})
_NAMES = {"module": "<module>", "lambda": "<lambda>", "annotations": "__annotate__"}
"""The names that compilers give to code of these kinds."""
_OF_STATEMENTS = frozenset(
    {"STORE_ATTR", "STORE_SUBSCR", "STORE_GLOBAL", "DELETE_FAST", "DELETE_DEREF", "DELETE_GLOBAL", "DELETE_ATTR",
     "DELETE_SUBSCR", "RAISE_VARARGS", "BEFORE_WITH",
     "BEFORE_ASYNC_WITH", "POP_EXCEPT", "MATCH_CLASS", "UNPACK_EX", "FOR_ITER", "ASYNC_FOR_ITER", *IMPORTS}
)  # fmt: skip
_CALLS = frozenset({"CALL", "CALL_FUNCTION", "CALL_EX", "CALL_FUNCTION_EX"})
_LEAVES_A_STATEMENT = frozenset({"POP", "STORE_FAST", "STORE_DEREF"})


def kind_of(raw: RawCode) -> str:
    """The kind of ``raw``: 'module', 'expression', 'class', 'lambda', 'comprehension', 'generic', 'annotations' or
    'function'.

    'expression' was compiled in mode 'eval'. 'generic' is the code that makes type parameters, and what they belong
    to; 'annotations' the code that returns the annotations of a function, class or module. ``decide_kinds`` has
    decided it if the code around ``raw`` is known; otherwise it is decided by ``raw`` alone.
    """
    kind = raw.kind or _decided(raw)
    if kind == "module":
        return "expression" if mode_of(raw) == "eval" else "module"
    if kind == "late":
        return "function"
    return "comprehension" if kind in _COMPREHENSIONS else kind


def is_comprehension(raw: RawCode) -> bool:
    """Whether ``raw`` is the code of a comprehension or generator expression."""
    return _decided(raw) in _COMPREHENSIONS


def comprehension_of(raw: RawCode) -> str:
    """'<listcomp>', '<setcomp>', '<dictcomp>' or '<genexpr>'; '' if ``raw`` is no comprehension."""
    kind = _decided(raw)
    return kind if kind in _COMPREHENSIONS else ""


class Made(NamedTuple):
    """The name that a compiler gives to a code object, and how it is used (None for the outermost)."""

    name: str
    use: Use | None


def decide_kinds(root: RawCode) -> Mapping[RawCode, Made]:
    """Decide the kind of ``root`` and of everything nested in it, outermost first."""
    root.kind = root.kind or _alone(root)
    lies = lru_cache(None)(lambda: any(one.name == "<lambda>" and not _may_be_lambda(one) for one in root.walk()))
    found = {root: Made(_compiled_name(root, root.name), None)}
    todo = [root]
    while todo:
        outer = todo.pop()
        inside = [raw for raw in outer.nested if raw not in found]
        if not inside:
            continue
        instructions = readable_instructions(outer)
        uses = uses_of(instructions)
        is_without = _is_without_def_statements(outer)
        for raw in inside:
            use = uses.get(raw) or Use(raw)
            raw.is_value = raw not in uses  # Dynamo passes code itself on
            raw.kind = _alone(raw) if raw.is_value else _kind_by_use(raw, use)
            is_defined = use.stored is not None and not use.is_shared
            if is_without and raw.kind == "function" and not use.is_annotated and _may_be_lambda(raw):
                raw.kind = "lambda"
            elif raw.kind == "lambda" and (use.is_annotated or is_defined and not is_without and lies()):
                raw.kind = "function"
            if outer.kind == "generic":
                _decide_generic(raw, use, found[outer].name[len(GENERIC) : -1], is_known=bool(uses))
            found[raw] = Made(_compiled_name(raw, _plain_name(raw, use)), use)
        todo += inside
    return found


def _decide_generic(raw: RawCode, use: Use, name: str, *, is_known: bool) -> None:
    """Decide what ``raw`` is in the code that makes the type parameters of ``name``."""
    if raw.kind in ("function", "class") or use.role == "alias":
        use.stored = name
        if not is_known and raw.name != name:
            raw.kind, use.stored = "late", None  # of a type parameter


def _is_without_def_statements(raw: RawCode) -> bool:
    """Whether no function in ``raw`` is a statement: in a class these make a cell for the names of the class (3.14 on),
    but if annotations are text.
    """
    is_lazy = raw.table.behavior.annotations_are_lazy and not raw.has_future_annotations
    return is_lazy and raw.kind == "class" and "LOAD_LOCALS" not in operations_of(raw)


def _kind_by_use(raw: RawCode, use: Use) -> str:
    if use.role == "class":
        return "class"
    if not raw.is_function:
        return _alone(raw)
    if use.role in ("annotations", "late", "alias"):
        return "late" if use.role == "alias" else use.role
    kind = _alone(raw)
    if use.role in ("iterates", "called") and kind not in ("generic", "annotations"):
        if _has_iterator(raw, iterated=use.role == "called"):
            return _comprehension_of(raw)
    if kind == "function" and use.stored is None and use.role != "generic" and _may_be_lambda(raw):
        return "lambda"
    return kind


def _plain_name(raw: RawCode, use: Use) -> str:
    """The name that text gives to a function, class, or late evaluated function."""
    if use.role in ("late", "alias"):
        name = use.stored or use.given or raw.name
        return raw.name if is_private(name, raw.name) else name
    own = raw.name[len(GENERIC) : -1] if raw.name.startswith(GENERIC) else raw.name
    if use.stored is None or use.is_shared or is_private(use.stored, own):
        return raw.name
    return use.stored


def _compiled_name(raw: RawCode, name: str) -> str:
    kind = _decided(raw)
    if kind == "generic":
        return name if name.startswith(GENERIC) else f"{GENERIC}{name}>"
    return kind if kind in _COMPREHENSIONS else _NAMES.get(kind, name)


def is_private(stored: str, name: str) -> bool:
    """Whether a class stores the private ``name`` as ``stored``."""
    return stored == name or stored.startswith("_") and stored.endswith(name) and name.startswith("__")


def _decided(raw: RawCode) -> str:
    if raw.kind is None:
        raw.kind = _alone(raw)
    return raw.kind


def _alone(raw: RawCode) -> str:
    """The kind of ``raw`` by its flags, then its instructions, then its name."""
    instructions = readable_instructions(raw)
    if not raw.is_function:
        is_module = raw.name == "<module>" if not instructions else not _begins_class(instructions)
        return "module" if is_module else "class"
    if raw.parameters == (".0",) or _has_iterator(raw, iterated=raw.name in _COMPREHENSIONS):
        return _comprehension_of(raw)
    if not _OF_GENERICS.isdisjoint([i.arg[0] for i in instructions if i.op == "INTRINSIC"]):
        return "generic"
    if not instructions and raw.name.startswith(GENERIC):
        return "generic"
    if gives_annotations(raw):
        return "annotations"
    return "lambda" if raw.name == "<lambda>" and _may_be_lambda(raw) else "function"


def _begins_class(instructions: list[Instruction]) -> bool:
    """Whether these begin as the compiler makes every class: they store the name of the module, then a name."""
    begin = [i for i in instructions[:8] if i.op != "NOP"]
    stores = [i.arg for i in begin if i.op.startswith("STORE_")]
    return stores[:2] == ["__module__", "__qualname__"] and begin[0].arg == "__name__"


def _has_iterator(raw: RawCode, *, iterated: bool) -> bool:
    """Whether ``raw`` loops over its only parameter as if that were an iterator; ``iterated``: or makes one of it.

    No function that source defines can loop over a parameter without making an iterator.
    """
    if raw.argcount != 1 or raw.kwonlyargcount or raw.flags & (CO_VARARGS | CO_VARKEYWORDS):
        return False
    instructions = [i for i in readable_instructions(raw)[:8] if i.op != "NOP"]
    if "RETURN_GENERATOR" in [i.op for i in instructions]:  # only generator expressions run something before that
        iterated, instructions = True, [i for i in instructions if i.op != "RETURN_GENERATOR"]
    ops = [i.op for i in instructions]
    start = 1 if ops[:1] and ops[0] in _COMPREHENSIONS.values() and not instructions[0].arg else 0
    if ops[start : start + 1] != ["LOAD_FAST"] or instructions[start].arg != raw.parameters[0]:
        return False
    following = ops[start + 1 :]
    if iterated and following[:1] in (["GET_ITER"], ["GET_AITER"]):
        following = following[1:]
    return following[:1] in (["FOR_ITER"], ["ASYNC_FOR_ITER"])


def _comprehension_of(raw: RawCode) -> str:
    """The kind of the comprehension ``raw`` by what it makes, else by its name."""
    if raw.flags & (CO_GENERATOR | CO_ASYNC_GENERATOR):
        return "<genexpr>"
    first = next((i.op for i in readable_instructions(raw) if i.op != "NOP"), "")
    made = {operation: name for name, operation in _COMPREHENSIONS.items() if operation}
    return made.get(first) or (raw.name if raw.name in _COMPREHENSIONS else "<genexpr>")


_OF_INLINED_LOOPS = frozenset({"POP_JUMP_IF_TRUE", "POP_JUMP_IF_FALSE", "LIST_APPEND", "SET_ADD"})
"""What takes each item where ``any(... for ...)`` and its kin are inlined; a loop of a statement binds names first."""


def _may_be_lambda(raw: RawCode) -> bool:
    """Whether no instruction of ``raw`` shows that it is more than one expression."""
    if not raw.is_function or raw.flags & (CO_COROUTINE | CO_ASYNC_GENERATOR):
        return False
    instructions = readable_instructions(raw)
    if raw.docstring is not None:
        return False
    hidden: set[str] = set()
    operations = operations_of(raw)
    if "FOR_ITER" in operations:
        hidden = {i.arg for i in instructions if i.op == "LOAD_FAST_AND_CLEAR"}  # restored after the comprehension
        inside = inside_any_comprehension(instructions)  # which stores to any target
        instructions = [i for i, within in zip(instructions, inside) if not within]
    if not _OF_STATEMENTS.isdisjoint(operations) and any(
        i.op in _OF_STATEMENTS and (i.op != "FOR_ITER" or j.op not in _OF_INLINED_LOOPS)
        for i, j in zip(instructions, instructions[1:])
    ):
        return False
    return _LEAVES_A_STATEMENT.isdisjoint(operations) or not any(
        i.op in _CALLS and j.op == "POP"
        or i.op != "COPY" and j.op in ("STORE_FAST", "STORE_DEREF") and j.arg not in hidden
        for i, j in zip(instructions, instructions[1:])
    )


def mode_of(raw: RawCode) -> str:
    """The mode of the compile() call that made ``raw``, the code of a module: 'exec', 'single' or 'eval'.

    Code of mode 'eval' returns its value, code of mode 'single' prints values; where it has none, 'exec' makes the
    same code. Kept with ``raw``: it is asked for again and again.
    """
    instructions = readable_instructions(raw)
    if not instructions:
        return "exec"
    if raw.mode is None or raw.mode[0] is not instructions:
        raw.mode = instructions, _mode_of(instructions)
    return raw.mode[1]


def _mode_of(instructions: list[Instruction]) -> str:
    live = set(map(id, reached(instructions)))
    ends = {index for index, i in enumerate(instructions) if i.op == "RETURN_VALUE" and id(i) in live}
    before = [instructions[index - 1] for index in ends if index]
    falls = len(before) == len(ends) and all(i.op == "CONST" and i.arg is None for i in before)
    if not falls or not ends.isdisjoint([i.target for i in instructions]):
        return "eval"
    return "single" if "PRINT_EXPR" in {i.op for i in instructions} else "exec"


def gives_annotations(raw: RawCode) -> bool:
    """Whether ``raw`` is the code of a function that the compiler made from annotations."""
    if raw.kind is not None or raw.posonlyargcount != 1 or len(raw.parameters) != 1 or is_late(raw):
        return raw.kind == "annotations"
    return checks_format(readable_instructions(raw))


def is_late(raw: RawCode) -> bool:
    """Whether ``raw`` is the code of a lazily evaluated function that takes a format (3.14 on)."""
    return raw.parameters == (FORMAT,)


def is_expression(raw: RawCode) -> bool:
    """Whether ``raw`` was compiled from expressions that are part of a statement: whatever evaluates them, and when."""
    kind = _decided(raw)
    return kind in ("lambda", "annotations", "late") or kind in _COMPREHENSIONS


def compiled_parameter(raw: RawCode) -> str:
    """The name that compilers give to the only parameter of ``raw``; '' if the author did."""
    kind = _decided(raw)
    if len(raw.parameters) != 1:
        return ""
    if kind == "late" and checks_format(readable_instructions(raw)):
        return FORMAT
    return ".0" if kind in _COMPREHENSIONS else "format" if kind == "annotations" else ""


def compiled_with(raw: RawCode) -> str:
    """What ``raw`` is compiled as part of, if it has no source text of its own."""
    if kind_of(raw) == "annotations":
        return "the definition that has these annotations"
    return "the type parameter or type alias that has this value" if is_late(raw) else ""
