"""The rules of the opcode tables: how a raw instruction becomes canonical ones.

Where that takes more than looking its operand up, a rule is a function. It gets the decoder, the opcode's row, the
argument and the byte offset, and emits instructions through the decoder. Jump targets are byte offsets here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Sequence

from ..code.slot_names import CONDITIONAL_ANNOTATIONS
from .dropped import DROPS, are_names, emit_none
from .moved_operands import pushed_by

if TYPE_CHECKING:
    from ..instruction import Instruction
    from ..versions.table import OpcodeRow
    from .decode import Decoder

CONVERSIONS = ("", "s", "r", "a")
FUNCTION_PARTS = ("defaults", "kwdefaults", "annotations", "closure", "annotate")
"""What MAKE_FUNCTION and SET_FUNCTION_ATTRIBUTE take from the stack, by bit of their argument."""

INTRINSICS_1 = (
    "", "PRINT", "IMPORT_STAR", "STOPITERATION_ERROR", "ASYNC_GEN_WRAP", "UNARY_POSITIVE", "LIST_TO_TUPLE", "TYPEVAR",
    "PARAMSPEC", "TYPEVARTUPLE", "SUBSCRIPT_GENERIC", "TYPEALIAS",
)  # fmt: skip
INTRINSICS_2 = (
    "", "PREP_RERAISE_STAR", "TYPEVAR_WITH_BOUND", "TYPEVAR_WITH_CONSTRAINTS", "SET_FUNCTION_TYPE_PARAMS",
    "SET_TYPEPARAM_DEFAULT",
)  # fmt: skip
OUTCOMES = {"<": 2, "<=": 10, "==": 8, "!=": 7, ">": 4, ">=": 12}
"""Bits of COMPARE_OP: 1 unordered, 2 less, 4 greater, 8 equal (COMPARISON_* in CPython's pycore_code.h)."""
SPECIAL_METHODS = ("__enter__", "__exit__", "__aenter__", "__aexit__")
IMPORT_KINDS = ("", "LAZY_", "EAGER_")
"""By the two lowest bits of the argument of 3.15's IMPORT_NAME."""

GET_YIELD_FROM = 3
"""Argument of 3.15's GET_ITER that makes it the former GET_YIELD_FROM_ITER."""


def _limited(decoder: Decoder, row: OpcodeRow, argument: int, offset: int, known: range) -> None:
    """Refuse an operand outside of the ``known`` values."""
    if argument not in known:
        raise decoder.error(f"operand {argument} of {row.name} is out of range", offset)


def _plain_0(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    # An instruction without operand, though the interpreter reads one (END_ASYNC_FOR up to 3.10 jumps by it).
    _limited(decoder, row, argument, offset, range(1))
    decoder.emit(row.op, None, offset)


def _fixed(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    op, operand = row.op
    decoder.emit(op, operand, offset)


def _unary(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    decoder.emit("UNARY_OP", row.op, offset)


def _binary(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    decoder.emit("BINARY_OP", row.op, offset)


def _binary_by_number(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    operator = decoder.table.binary_operators[argument]
    if operator == "[]":
        decoder.emit("BINARY_SUBSCR", None, offset)
    else:
        decoder.emit("BINARY_OP", operator, offset)


def _slice(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    decoder.emit("BUILD_SLICE", 2, offset)
    decoder.emit(row.op, None, offset)


def _rotate(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    _emit_rotation(decoder, row.op, offset)


def _rotate_by(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    _emit_rotation(decoder, argument, offset)


def _emit_rotation(decoder: Decoder, count: int, offset: int) -> None:
    # The top moves below the count - 1 entries under it.
    for depth in range(count, 1, -1):
        decoder.emit("SWAP", depth, offset)


def _copies(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    for _ in range(row.op):
        decoder.emit("COPY", row.op, offset)


def _import_with_bits(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    # Eager: where `lazy` is not allowed (in a function, a class, a try), so no option makes it lazy.
    decoder.emit(IMPORT_KINDS[argument & 3] + row.op, decoder.raw.names[argument >> 2], offset)


def _common_constant(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    constant = decoder.table.common_constants[argument]
    if constant == "AssertionError":
        decoder.emit("LOAD_ASSERTION_ERROR", None, offset)
    elif isinstance(constant, tuple):
        decoder.emit("CONST", constant[0], offset)
    else:
        decoder.emit(row.op, constant, offset)


def _return_const(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    decoder.emit("CONST", decoder.raw.consts[argument], offset)
    decoder.emit("RETURN_VALUE", None, offset)


def _count_2_or_3(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    _limited(decoder, row, argument, offset, range(2, 4))
    decoder.emit(row.op, argument, offset)


def _value_first(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    # In dictionary comprehensions 3.7 evaluates the value before the key.
    decoder.emit("SWAP", 2, offset)
    decoder.emit(row.op, argument, offset)


def _cell(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    decoder.emit(row.op, (decoder.raw.cellvars + decoder.raw.freevars)[argument], offset)


def _cell_slot(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    _emit_local(decoder, row.op, argument, offset)


def local_or_cell(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    """The rule of locals, where some of them have the name of a cell too."""
    if decoder.locals[argument] not in decoder.shared:
        decoder.emit(row.op, decoder.locals[argument], offset)
        return
    if not decoder.table.cells_are_locals:
        raise decoder.error(f"{row.name} of {decoder.locals[argument]}, which lives in a cell", offset)
    _emit_local(decoder, row.op, argument, offset)


def _emit_local(decoder: Decoder, op: str, slot: int, offset: int) -> None:
    name = decoder.raw.localsplus[slot]
    if name == CONDITIONAL_ANNOTATIONS and slot != decoder.raw.localsplus.index(name):
        raise decoder.error(f"{op} of the wrong one of two variables called {name}", offset)
    if name in decoder.twins:
        own, free = decoder.twins[name]
        op = "LOAD_CLOSURE" if op == "LOAD_FAST" and slot == free else op
        op = "LOAD_CLOSURE" if op == "LOAD_FAST" and name in decoder.raw.cellvars else op
        if slot != (own if op.endswith("_FAST") else free):
            decoder.doubt(f"{op} of the other one of two variables called {name}", offset)
        decoder.emit(op, name, offset)
        return
    if not op.endswith("_FAST") and name not in decoder.closures:
        raise decoder.error(f"{op} of {name}, which lives in no cell", offset)
    # Reading the slot of a cell as a plain local gives the cell itself (Dynamo does so).
    decoder.emit("LOAD_CLOSURE" if op == "LOAD_FAST" and name in decoder.closures else op, name, offset)


def _slot(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    name = decoder.raw.localsplus[argument]
    if argument != decoder.twins.get(name, (argument, 0))[0]:
        raise decoder.error(f"{row.name} of the wrong one of two variables called {name}", offset)
    decoder.emit(row.op, name, offset)


def _two_locals(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    names = decoder.raw.localsplus
    for op, slot in zip(row.op, (argument >> 4, argument & 15)):
        if names[slot] in decoder.shared:
            _emit_local(decoder, op, slot, offset)
        else:
            decoder.emit(op, names[slot], offset)


def _jump_back(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    target = offset + 2 + 2 * row.caches - argument * decoder.table.jump_unit
    if target < 0:
        raise decoder.error("jump to before the first instruction", offset)
    decoder.emit(row.op, None, offset, target)


def _null_or_global(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    if argument & 1:
        decoder.emit("NULL", None, offset)
    decoder.emit(row.op, decoder.raw.names[argument >> 1], offset)


def _super_attribute(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    # The second bit tells super(C, self) from super().
    decoder.emit(row.op, (decoder.raw.names[argument >> 2], bool(argument & 2)), offset)
    if argument & 1:
        decoder.emit("NULL", None, offset)


def _comparison(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    # The lowest four bits (3.12 on) are for specialization: which outcomes of comparing two numbers are true. The next
    # one (3.13 on) converts to bool, see TO_BOOL.
    operator = decoder.table.comparisons[argument >> row.op]
    if row.op and argument & 15 != OUTCOMES[operator]:
        raise decoder.error(f"{row.name} {argument} is '{operator}' of objects, something else of numbers", offset)
    decoder.emit("COMPARE_OP", operator, offset)
    if row.op == 5 and argument & 16:
        decoder.emit("TO_BOOL", None, offset)


def _comparison_or_test(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    operator = decoder.table.comparisons[argument]
    if operator == "exception match":
        decoder.emit("EXCEPTION_MATCH", None, offset)
    elif operator in ("in", "not in"):
        decoder.emit("CONTAINS_OP", operator, offset)
    else:
        decoder.emit("IS_OP" if operator in ("is", "is not") else "COMPARE_OP", operator, offset)


def _unpack(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    decoder.emit(row.op, (argument & 0xFF, argument >> 8), offset)


def _format(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    _limited(decoder, row, argument, offset, range(8))
    decoder.emit(row.op, (CONVERSIONS[argument & 3], bool(argument & 4)), offset)


def _conversion(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    _limited(decoder, row, argument, offset, range(1, 4))
    decoder.emit(row.op, CONVERSIONS[argument], offset)


def _interpolation(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    # Bit 1 is always set; the conversion is a number, and the value is not yet converted.
    if not argument & 2:
        raise decoder.error(f"operand {argument} of {row.name} is out of range", offset)
    decoder.emit(row.op, (CONVERSIONS[argument >> 2], bool(argument & 1)), offset)


def _function(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    _limited(decoder, row, argument, offset, range(16))
    parts = tuple(part for bit, part in enumerate(FUNCTION_PARTS) if argument & 1 << bit)
    decoder.emit(row.op, parts, offset)


def _function_and_qualname(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    # The qualified name on top of the stack follows from where the code object is nested.
    if not decoder.out or decoder.out[-1].op != "CONST" or not isinstance(decoder.out[-1].arg, str):
        raise decoder.error("MAKE_FUNCTION without its qualified name", offset)
    decoder.no_entry.update(range(decoder.out.pop().offset + 2, offset + 2, 2))
    _function(decoder, row, argument, offset)


def _function_attribute(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    # Always right after MAKE_FUNCTION; what was pushed first is set last.
    made = decoder.out[-1] if decoder.out else None
    if made is None or made.op != "MAKE_FUNCTION":
        raise decoder.error("SET_FUNCTION_ATTRIBUTE without MAKE_FUNCTION", offset)
    decoder.no_entry.update(range(made.offset + 2, offset + 2, 2))
    parts = [part for bit, part in enumerate(FUNCTION_PARTS[: row.op]) if argument == 1 << bit]
    if not parts or parts[0] in made.arg:
        raise decoder.error(f"SET_FUNCTION_ATTRIBUTE {argument} is not one attribute more", offset)
    made.arg = (parts[0], *made.arg)


def _call_keywords(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    names = pushed_by(decoder.out)
    if names is None or names.op != "CONST" or not are_names(names.arg) or len(names.arg) > argument:
        raise decoder.error(f"{row.name} without the constant names of its arguments", offset)
    drop_operand(decoder, names, offset)
    decoder.emit(row.op, (argument, names.arg), offset)


def _call_with_mapping_or_null(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    mapping = pushed_by(decoder.out)
    without = mapping is not None and mapping.op == "NULL"
    if mapping is not None and without:
        mapping.op = "CONST"  # None: popped unused
        drop_operand(decoder, mapping, offset)
    decoder.emit(row.op, not without, offset)


def drop_operand(decoder: Decoder, pushed: Instruction, offset: int) -> None:
    """Pop what ``pushed`` has pushed from the top of the stack."""
    if decoder.out[-1] is pushed:
        decoder.out.pop()
        decoder.no_entry.update(range(pushed.offset + 2, offset + 2, 2))
    else:
        decoder.emit("POP", None, offset)
        decoder.moved_operands.append((pushed, decoder.out[-1]))


def _intrinsic_1(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    _limited(decoder, row, argument, offset, range(1, row.op))
    name = INTRINSICS_1[argument]
    if name in ("PRINT", "IMPORT_STAR"):
        decoder.emit("PRINT_EXPR" if name == "PRINT" else name, None, offset)
        emit_none(decoder, offset)
    elif name == "UNARY_POSITIVE":
        decoder.emit("UNARY_OP", "+", offset)
    elif name in ("LIST_TO_TUPLE", "STOPITERATION_ERROR"):
        decoder.emit(name, None, offset)
    elif name == "ASYNC_GEN_WRAP":
        DROPS["async gen wrap"](decoder, row, argument, offset)
    else:
        decoder.emit("INTRINSIC", (name, 1), offset)


def _intrinsic_2(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    _limited(decoder, row, argument, offset, range(1, row.op))
    name = INTRINSICS_2[argument]
    if name == "PREP_RERAISE_STAR":
        decoder.emit(name, None, offset)
    else:
        decoder.emit("INTRINSIC", (name, 2), offset)


def _iterator_kind(decoder: Decoder, row: OpcodeRow, argument: int, offset: int) -> None:
    if argument not in (0, GET_YIELD_FROM):
        raise decoder.error(f"{row.name} of an unknown kind, {argument}", offset)
    decoder.emit("GET_YIELD_FROM_ITER" if argument == GET_YIELD_FROM else row.op, None, offset)


OPERANDS: dict[Any, Sequence[Any]] = {
    "count": range(1 << 32), "small int": range(256), "count to 1": range(2), "count to 2": range(3),
    "flag": (False, True), "is": ("is", "is not"), "in": ("in", "not in"), "special method": SPECIAL_METHODS,
}  # fmt: skip
"""By rule, where that is all that it says: the operands by argument."""
RULES: dict[str, Any] = {
    **{rule: rule for rule in (*OPERANDS, "plain", "const", "name", "local", "method", "call", "jump by", "jump to")},
    **dict.fromkeys(("attribute or method", "global or null"), "and null"),
    "call function": "call",
}
RULES.update({
    name[1:].replace("_", " "): function
    for name, function in list(globals().items())
    if name.startswith("_") and not name.startswith(("__", "_emit_", "_limit"))
}, **DROPS)
"""Rules by name. A string: the decoder's own loop has what is to be done, since it is frequent. Otherwise a function,
one of those above and in dropped.py, with spaces for underscores."""
