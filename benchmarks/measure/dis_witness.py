"""Compare depyf's reading of bytecode with the running interpreter's own ``dis``.

    python3.14 benchmarks/measure/dis_witness.py                 a sample of its standard library, tests included
    python3.14 benchmarks/measure/dis_witness.py --full --json result.json

For each code object: every instruction that is not dropped (name, operand, jump target), exception entries, lines
and the names of local slots. Once: the opcode tables against ``opcode.opmap`` in both directions, inline caches,
operator names. ``dis`` and the tables share no code: what ``dis`` leads to expect is spelled out below by its own
names. Exit code 1 if anything differs.
"""

from __future__ import annotations

import argparse
import dis
import json
import keyword
import opcode
import random
import re
import sys
import sysconfig
import types
import warnings
from pathlib import Path
from typing import Any, Iterator

from depyf.decompiler.bytecode import RawCode, load
from depyf.decompiler.bytecode.decoding.decode import Decoder
from depyf.decompiler.bytecode.reading.load import HOST_VERSION
from depyf.decompiler.bytecode.versions import TABLES
from depyf.errors import DecompilationError

DROPPED = {
    "CACHE", "RESUME", "PRECALL", "EXTENDED_ARG", "KW_NAMES", "COPY_FREE_VARS", "RETURN_GENERATOR", "ASYNC_GEN_WRAP",
    "GEN_START", "NOT_TAKEN",
}  # fmt: skip
RENAMED = {
    "POP_TOP": "POP", "PUSH_NULL": "NULL", "LOAD_METHOD": "LOAD_ATTR", "JUMP_FORWARD": "JUMP", "JUMP_ABSOLUTE": "JUMP",
    "JUMP_BACKWARD": "JUMP", "JUMP_BACKWARD_NO_INTERRUPT": "JUMP", "LOAD_FAST_CHECK": "LOAD_FAST",
    "LOAD_FAST_BORROW": "LOAD_FAST", "CALL_METHOD": "CALL", "LOAD_SMALL_INT": "CONST", "LOAD_CONST": "CONST",
}  # fmt: skip
ROTATIONS = {"ROT_TWO": 2, "ROT_THREE": 3, "ROT_FOUR": 4}
COPIES = {"DUP_TOP": 1, "DUP_TOP_TWO": 2}
UNARY = {"UNARY_POSITIVE": "+", "UNARY_NEGATIVE": "-", "UNARY_NOT": "not", "UNARY_INVERT": "~"}
OPERATORS = {
    "MATRIX_MULTIPLY": "@", "POWER": "**", "MULTIPLY": "*", "MODULO": "%", "ADD": "+", "SUBTRACT": "-", "LSHIFT": "<<",
    "FLOOR_DIVIDE": "//", "TRUE_DIVIDE": "/", "RSHIFT": ">>", "AND": "&", "XOR": "^", "OR": "|",
}  # fmt: skip
BINARY = {
    **{f"BINARY_{word}": symbol for word, symbol in OPERATORS.items()},
    **{f"INPLACE_{word}": f"{symbol}=" for word, symbol in OPERATORS.items()},
}
PARTS = {1: "defaults", 2: "kwdefaults", 4: "annotations", 8: "closure", 16: "annotate"}
INTRINSIC_OPS = {
    "INTRINSIC_PRINT": ("PRINT_EXPR", None), "INTRINSIC_IMPORT_STAR": ("IMPORT_STAR", None),
    "INTRINSIC_UNARY_POSITIVE": ("UNARY_OP", "+"), "INTRINSIC_LIST_TO_TUPLE": ("LIST_TO_TUPLE", None),
    "INTRINSIC_STOPITERATION_ERROR": ("STOPITERATION_ERROR", None),
    "INTRINSIC_PREP_RERAISE_STAR": ("PREP_RERAISE_STAR", None),
}  # fmt: skip
NUMBERS = {
    "UNPACK_SEQUENCE", "BUILD_TUPLE", "BUILD_LIST", "BUILD_SET", "BUILD_MAP", "BUILD_SLICE", "BUILD_STRING",
    "BUILD_CONST_KEY_MAP", "BUILD_LIST_UNPACK", "BUILD_TUPLE_UNPACK", "BUILD_SET_UNPACK", "BUILD_MAP_UNPACK",
    "BUILD_MAP_UNPACK_WITH_CALL", "BUILD_TUPLE_UNPACK_WITH_CALL", "RAISE_VARARGS", "LIST_APPEND", "SET_ADD", "MAP_ADD",
    "LIST_EXTEND", "SET_UPDATE", "DICT_UPDATE", "DICT_MERGE", "COPY", "SWAP", "POP_FINALLY", "MATCH_CLASS",
}  # fmt: skip
GIVES_NONE = {"RETURN_GENERATOR", "INTRINSIC_PRINT", "INTRINSIC_IMPORT_STAR"}


def expected(code: types.CodeType) -> list[Any]:
    """(offset, operation, operand) of every instruction that ``dis`` leads to expect; a jump's operand is an offset."""
    found: list[Any] = []
    keywords: tuple[str, ...] = ()
    gives_none = -1  # the offset behind an instruction that leaves a None which compilers pop
    for i in dis.get_instructions(code):
        if i.opname == "KW_NAMES":
            keywords = code.co_consts[i.arg or 0]
        if i.offset == gives_none:
            if i.opname == "POP_TOP":
                continue
            found.append((i.offset - 2, "CONST", None))
        if i.opname in GIVES_NONE or i.argrepr in GIVES_NONE:
            gives_none = i.offset + 2
        if i.opname == "MAKE_CELL" and not found:
            continue
        if i.opname == "RETURN_GENERATOR" and found:
            found.append((i.offset, i.opname, None))
        if i.opname == "SET_FUNCTION_ATTRIBUTE":
            offset, op, parts = found.pop()
            found.append((offset, op, (PARTS[i.arg or 0], *parts)))
            continue
        if i.opname == "CALL_KW" or (i.opname == "CALL_FUNCTION_KW"):
            keywords = found.pop()[2]
        elif i.opname == "MAKE_FUNCTION" and "MAKE_FUNCTION" in opcode.opmap and HOST_VERSION < (3, 11):
            found.pop()
        elif i.opname == "CALL_FUNCTION_EX" and HOST_VERSION >= (3, 14):
            mapping = found[-1][1] != "NULL"
            if not mapping:
                found.pop()
            found.append((i.offset, "CALL_EX", mapping))
            continue
        found.extend((i.offset, *pair) for pair in of_one(i, code, keywords))
        if i.opname.startswith("CALL"):
            keywords = ()
    return found


def of_one(i: Any, code: types.CodeType, keywords: tuple[str, ...]) -> list[tuple[str, Any]]:
    """(operation, operand) of the canonical instructions that stand for one of ``dis``."""
    name, arg, value = i.opname, i.arg, i.argval
    op = RENAMED.get(name, name)
    closures = code.co_cellvars + code.co_freevars
    if name in DROPPED:
        return []
    if name == "END_ASYNC_FOR":
        return [(op, None)]  # from 3.14 on its operand tells monitoring tools where the loop began
    if i.opcode in opcode.hasjrel or i.opcode in opcode.hasjabs:
        for word in ("FORWARD_", "BACKWARD_"):
            op = op.replace(f"POP_JUMP_{word}", "POP_JUMP_")
        return [(op, value)]
    if name in ("LOAD_CONST", "LOAD_SMALL_INT"):
        return [("CONST", value)]
    if name == "RETURN_CONST":
        return [("CONST", value), ("RETURN_VALUE", None)]
    if name == "LOAD_COMMON_CONSTANT":
        if i.argrepr == "AssertionError":
            return [("LOAD_ASSERTION_ERROR", None)]
        name = re.sub(r"<(built-in function|class) '?(\w+)'?>", r"\2", i.argrepr)
        return [(op, name) if name.isidentifier() and not keyword.iskeyword(name) else ("CONST", value)]
    if name in ("LOAD_GLOBAL", "LOAD_ATTR", "LOAD_SUPER_ATTR", "LOAD_METHOD"):
        attribute = (value, bool(arg & 2)) if name == "LOAD_SUPER_ATTR" else value
        pair: list[tuple[str, Any]] = [(op, attribute)]
        if name == "LOAD_METHOD":
            return [*pair, ("NULL", None)]
        if name == "LOAD_GLOBAL" and i.argrepr.startswith("NULL + "):
            return [("NULL", None), *pair]
        return (
            [*pair, ("NULL", None)]
            if i.argrepr.endswith((" + NULL", " + NULL|self")) or i.argrepr.startswith("NULL|self + ")
            else pair
        )
    if name.startswith(("LOAD_FAST_", "STORE_FAST_")) and isinstance(value, tuple):
        words = name.replace("_BORROW", "").split("_")  # LOAD_FAST_LOAD_FAST
        return [local("_".join(words[k : k + 2]), value[k // 2], closures) for k in (0, 2)]
    if i.opcode in opcode.haslocal:
        return [local(op, value, closures)]
    if name == "IMPORT_NAME" and HOST_VERSION >= (3, 15):
        module = code.co_names[arg >> 2]
        flag = i.argrepr[len(module) :].strip(" +")
        if not module:  # dis shows no flag where there is no name
            flag = ("", "lazy", "eager")[arg & 3]
        kind = f"{flag.upper()}_" if flag else ""
        return [(kind + op, module)]
    if i.opcode in opcode.hasname or i.opcode in opcode.hasfree:
        return [(op, value)]
    if name in ROTATIONS or name == "ROT_N":
        return [("SWAP", depth) for depth in range(ROTATIONS.get(name, arg), 1, -1)]
    if name in COPIES:
        return [("COPY", COPIES[name])] * COPIES[name]
    if name in UNARY:
        return [("UNARY_OP", UNARY[name])]
    if name in BINARY:
        return [("BINARY_OP", BINARY[name])]
    if name == "BINARY_OP":
        return [("BINARY_SUBSCR", None)] if i.argrepr == "[]" else [(op, i.argrepr)]
    if name in ("BINARY_SLICE", "STORE_SLICE"):
        return [("BUILD_SLICE", 2), (name.replace("SLICE", "SUBSCR"), None)]
    if name == "COMPARE_OP":
        return comparison(i)
    if name == "IS_OP":
        return [(op, "is not" if arg else "is")]
    if name == "CONTAINS_OP":
        return [(op, "not in" if arg else "in")]
    if name in ("CALL", "CALL_METHOD", "CALL_KW"):
        return [("CALL", (arg, keywords))]
    if name in ("CALL_FUNCTION", "CALL_FUNCTION_KW"):
        return [("CALL_FUNCTION", (arg, keywords))]
    if name == "CALL_FUNCTION_EX":
        return [("CALL_EX" if HOST_VERSION >= (3, 11) else name, bool(arg))]
    if name == "MAKE_FUNCTION":
        return [(op, tuple(part for bit, part in PARTS.items() if (arg or 0) & bit))]
    if name.startswith("CALL_INTRINSIC"):
        return (
            []
            if i.argrepr == "INTRINSIC_ASYNC_GEN_WRAP"
            else [INTRINSIC_OPS.get(i.argrepr, ("INTRINSIC", (i.argrepr.replace("INTRINSIC_", ""), int(name[-1]))))]
        )
    if name == "FORMAT_VALUE":
        conversion, spec = value
        return [(name, ({None: "", str: "s", repr: "r", ascii: "a"}[conversion], spec))]
    if name in ("FORMAT_SIMPLE", "FORMAT_WITH_SPEC"):
        return [("FORMAT_VALUE", ("", name == "FORMAT_WITH_SPEC"))]
    if name == "CONVERT_VALUE":
        return [(name, {"str": "s", "repr": "r", "ascii": "a"}[i.argrepr])]
    if name == "BUILD_INTERPOLATION":
        return [(name, (("", "s", "r", "a")[arg >> 2], bool(arg & 1)))]
    if name == "UNPACK_EX":
        return [(op, (arg % 256, arg // 256))]
    if name == "LOAD_SPECIAL":
        return [(op, i.argrepr)]
    if name in ("MATCH_KEYS", "MATCH_CLASS") and HOST_VERSION < (3, 11):
        return [(f"{op}_AND_TEST", arg if name == "MATCH_CLASS" else None)]
    if name == "GET_AWAITABLE":
        return [(op, arg or 0)]
    if name == "RERAISE":
        return [(op, arg or 0)]
    if name == "GET_ITER" and arg == 3:
        return [("GET_YIELD_FROM_ITER", None)]
    if name == "END_FOR" and HOST_VERSION >= (3, 13):
        return [("END_FOR_THEN_POP", None)]
    return [(op, arg if name in NUMBERS else None)]


def local(op: str, name: str, closures: tuple[str, ...]) -> tuple[str, str]:
    """A local slot that holds a cell is read as the cell."""
    return ("LOAD_CLOSURE" if op == "LOAD_FAST" and name in closures else op), name


def comparison(i: Any) -> list[tuple[str, Any]]:
    """Of COMPARE_OP, which before 3.9 is also ``in``, ``is`` and the match of an exception."""
    symbol = i.argrepr
    if symbol in ("in", "not in"):
        return [("CONTAINS_OP", symbol)]
    if symbol in ("is", "is not"):
        return [("IS_OP", symbol)]
    if symbol == "exception match":
        return [("EXCEPTION_MATCH", None)]
    if symbol.startswith("bool("):
        return [("COMPARE_OP", symbol[5:-1]), ("TO_BOOL", None)]
    return [("COMPARE_OP", symbol)]


def same(left: Any, right: Any) -> bool:
    """Whether two operands are the same constant: type, value and sign."""
    if isinstance(left, RawCode):
        left = left.code
    if type(left) is not type(right):
        return False
    return left is right or repr(left) == repr(right) or left == right


def differences(code: types.CodeType, raw: RawCode) -> Iterator[str]:
    """What ``dis`` and depyf read differently in ``code``, in words; nested code is not looked into."""
    decoder = Decoder(raw)
    try:
        decoder.decode()
    except DecompilationError as error:
        yield str(error)
        return
    found = decoder.out
    wanted = expected(code)
    for instruction, (offset, op, operand) in zip(found, wanted):
        if (instruction.op, instruction.offset) != (op, offset):
            yield f"at {instruction.offset}: {instruction!r}, dis: {op} at {offset}"
            return
        operand_found = instruction.target if instruction.target >= 0 else instruction.arg
        if not same(operand_found, operand):
            yield f"at {offset}: {instruction!r} with {operand_found!r}, dis: {operand!r}"
            return
    if len(found) != len(wanted):
        yield f"{len(found)} instructions, dis: {len(wanted)}"
    parse = getattr(dis, "_parse_exception_table", None)
    if parse is not None:
        entries = [tuple(entry) for entry in parse(code)]
        if entries != [tuple(entry) for entry in raw.exception_table]:
            yield f"exception table {raw.exception_table}, dis: {entries}"
    if list(dis.findlinestarts(code)) != line_starts(raw):
        yield f"lines {line_starts(raw)}, dis: {list(dis.findlinestarts(code))}"
    name_of = getattr(code, "_varname_from_oparg", None)
    if name_of is not None and any(name_of(k) != name for k, name in enumerate(raw.localsplus)):
        yield f"local slots {raw.localsplus}"


def line_starts(raw: RawCode) -> list[tuple[int, int | None]]:
    """(byte offset, line) wherever the line changes, as ``dis.findlinestarts`` of the running version gives them."""
    found: list[tuple[int, int | None]] = []
    keeps_none = HOST_VERSION >= (3, 13)
    last: Any = object() if keeps_none else None
    for unit, position in enumerate(raw.positions()):
        line = position[0]
        if line != last and (line is not None or keeps_none):
            found.append((2 * unit, line))
            last = line
    return found


def table_differences() -> Iterator[str]:
    """How the opcode table of the running version differs from what the interpreter says of itself."""
    table = TABLES[HOST_VERSION]
    ours = {row.name: number for number, row in table.rows.items()}
    # Numbers above one byte are the compiler's pseudo instructions; no code object holds them.
    theirs = {name: number for name, number in opcode.opmap.items() if number < 256}
    for name in sorted(ours.keys() | theirs.keys()):
        if ours.get(name) != theirs.get(name):
            yield f"{name}: number {ours.get(name)}, opcode.opmap: {theirs.get(name)}"
    caches = getattr(opcode, "_inline_cache_entries", {})
    if not hasattr(caches, "items"):
        caches = {opcode.opname[number]: count for number, count in enumerate(caches)}
    if HOST_VERSION >= (3, 12):
        for row in table.rows.values():
            if row.rule != "internal" and row.caches != caches.get(row.name, 0):
                yield f"{row.name}: {row.caches} caches, opcode: {caches.get(row.name, 0)}"
    operators = tuple(symbol for _, symbol in getattr(opcode, "_nb_ops", ()))
    if operators and operators != table.binary_operators:
        yield f"binary operators {table.binary_operators}, opcode: {operators}"
    comparisons = tuple(str(symbol) for symbol in opcode.cmp_op if str(symbol) != "BAD")
    if comparisons != table.comparisons:
        yield f"comparisons {table.comparisons}, opcode: {comparisons}"


def library_files() -> list[Path]:
    """The Python files of the running interpreter's standard library, tests included."""
    root = Path(sysconfig.get_paths()["stdlib"])
    return sorted(path for path in root.rglob("*.py") if "site-packages" not in path.parts and path.is_file())


def code_objects(path: Path) -> Iterator[tuple[types.CodeType, RawCode]]:
    """Every code object of the file with its RawCode; none if this Python can't compile the file."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            module = compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError):
        return
    for raw in load(module).walk():
        assert raw.code is not None
        yield raw.code, raw


def main() -> int:
    """Run the comparison; the exit code is 1 if anything differs."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--full", action="store_true", help="the whole standard library, not a sample of it")
    parser.add_argument("--sample", type=int, default=60, help="number of files (default %(default)s)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", help="write the counts to this file")
    options = parser.parse_args()
    files = library_files()
    if not options.full:
        files = random.Random(options.seed).sample(files, min(options.sample, len(files)))
    problems = [f"opcode table: {problem}" for problem in table_differences()]
    codes = 0
    for path in files:
        for code, raw in code_objects(path):
            codes += 1
            problems.extend(f"{path}:{code.co_firstlineno} {raw.qualname}: {text}" for text in differences(code, raw))
    version = f"{HOST_VERSION[0]}.{HOST_VERSION[1]}"
    print(f"CPython {version}: {codes} code objects in {len(files)} files, {len(problems)} differences from dis")
    for problem in problems[:20]:
        print(" ", problem[:400])
    if options.json:
        result = {"version": version, "codes": codes, "files": len(files), "differences": len(problems)}
        Path(options.json).write_text(json.dumps(result), encoding="utf-8")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
