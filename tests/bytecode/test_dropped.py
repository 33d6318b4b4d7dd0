"""What the reader drops, it checks first: each check refuses, with the offset, what no compiler puts there.

The table in docs/proof.md names these tests.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from depyf.decompiler.bytecode import RawCode, disassemble, load
from depyf.decompiler.bytecode.code.flags import CO_ASYNC_GENERATOR, CO_GENERATOR
from depyf.decompiler.bytecode.code.raw_code import ExceptionEntry
from depyf.decompiler.bytecode.decoding.dropped import DROPS
from depyf.decompiler.bytecode.decoding.rules import RULES
from depyf.decompiler.bytecode.versions import TABLES
from depyf.errors import DecompilationError

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "proof.md"


def assembled(version, *steps, flags=3, consts=(None, 5, ("k",)), freevars=(), cellvars=()):
    """A function of ``version`` with parameters a and b; steps are names, or (name, operand); caches are added."""
    raw = load(compile("def f(a, b): pass", "text", "exec", dont_inherit=True).co_consts[0])
    raw.version, raw.flags, raw.linetable, raw.exception_table = version, flags, b"", ()
    raw.consts, raw.names, raw.freevars, raw.cellvars = consts, ("n",), freevars, cellvars
    raw.localsplus = ("a", "b", *cellvars, *freevars)
    table = TABLES[version]
    code = b""
    for step in steps:
        name, operand = (step, 0) if isinstance(step, str) else step
        number = table.number(name)
        code += bytes([number, operand]) + bytes(2 * table.rows[number].caches)
    raw.bytecode = code
    return raw


def start(version):
    return ["RESUME"] if version >= (3, 11) else []


def refused(raw: RawCode, reason: str) -> None:
    with pytest.raises(DecompilationError, match=reason):
        disassemble(raw)


def operations(raw: RawCode) -> list[str]:
    return [i.op for i in disassemble(raw)]


LOAD_TWO = [("LOAD_FAST", 0), ("LOAD_FAST", 1)]
NEW = [version for version in TABLES if version >= (3, 11)]
since_3_11 = pytest.mark.parametrize("version", NEW, ids=lambda v: ".".join(map(str, v)))
every_version = pytest.mark.parametrize("version", TABLES, ids=lambda v: ".".join(map(str, v)))


@since_3_11
def test_cache_entries_are_no_instructions(version):
    refused(assembled(version, "RESUME", "CACHE", ("LOAD_FAST", 0), "RETURN_VALUE"), "CACHE is for the interpreter")


def test_cache_entries_hold_nothing():
    raw = assembled((3, 12), "RESUME", *LOAD_TWO, ("BINARY_OP", 0), "RETURN_VALUE")
    assert operations(raw)[2] == "BINARY_OP"
    raw.bytecode = raw.bytecode[:-4] + b"\1\1" + raw.bytecode[-2:]
    refused(raw, "inline cache entries of BINARY_OP that are in use")


@since_3_11
def test_code_may_not_end_inside_cache_entries(version):
    """CPython writes them without looking where the code ends: of a live code object they are outside of it."""
    table = TABLES[version]
    rows = [row for row in table.rows.values() if row.caches and row.rule != "internal"]
    assert rows
    for row in rows:
        for left in range(row.caches):
            raw = assembled(version, "RESUME", ("LOAD_FAST", 0), "RETURN_VALUE", row.name)
            raw.bytecode = raw.bytecode[: len(raw.bytecode) - 2 * row.caches + 2 * left]
            refused(raw, f"the code ends inside the inline cache entries of {row.name}")
    raw = assembled(version, "RESUME", ("LOAD_FAST", 0), "RETURN_VALUE", rows[-1].name)
    assert operations(raw) == ["LOAD_FAST", "RETURN_VALUE"]


@every_version
@pytest.mark.parametrize("operand", [0, 255])
def test_code_may_not_end_with_extended_arg(version, operand):
    raw = assembled(version, *start(version), ("LOAD_FAST", 0), "RETURN_VALUE", ("EXTENDED_ARG", operand))
    refused(raw, "the code ends with EXTENDED_ARG")


@since_3_11
def test_the_first_resume_comes_before_everything(version):
    refused(assembled(version, ("LOAD_FAST", 0), "RETURN_VALUE"), "no RESUME")
    refused(assembled(version, ("LOAD_FAST", 0), "RESUME", "RETURN_VALUE"), "RESUME 0 after what it should come")
    assert operations(assembled(version, "RESUME", ("LOAD_FAST", 0), "RESUME", "RETURN_VALUE"))[-1] == "RETURN_VALUE"


@since_3_11
def test_the_resume_of_generator_expressions_hides_what_comes_behind_it(version):
    """3.15 alone has it: there a generator expression iterates before the generator is made."""
    ends = ["RETURN_GENERATOR", "POP_TOP", "RESUME", ("LOAD_FAST", 0), "RETURN_VALUE"]
    hidden = [("RESUME", 4), ("LOAD_FAST", 0), "GET_ITER"]
    expression = assembled(version, *hidden, *ends, flags=3 | CO_GENERATOR)
    if version >= (3, 15):
        assert "RETURN_GENERATOR" in operations(expression)
    else:
        refused(expression, "RESUME 4 after what it should come before")
    seen = assembled(version, "RESUME", ("LOAD_FAST", 0), "GET_ITER", *ends, flags=3 | CO_GENERATOR)
    refused(seen, "RETURN_GENERATOR of a frame that is not hidden from other code any more")
    plain = assembled(version, ("RESUME", 4), ("LOAD_FAST", 0), "RETURN_VALUE")
    refused(plain, "no RESUME" if version >= (3, 15) else "RESUME 4 after what it should come before")


@since_3_11
def test_the_cells_of_the_code_are_made_at_its_start(version):
    ends = ["RESUME", ("LOAD_FAST", 0), "RETURN_VALUE"]
    refused(assembled(version, *ends, freevars=("c",)), "nothing makes the cells c")
    refused(assembled(version, ("COPY_FREE_VARS", 2), *ends, freevars=("c",)), "COPY_FREE_VARS 2 for 1 free variables")
    refused(assembled(version, "RESUME", ("LOAD_FAST", 0), ("COPY_FREE_VARS", 0), "RETURN_VALUE"), "not at the start")
    refused(assembled(version, *ends, cellvars=("c",)), "nothing makes the cells c")
    refused(assembled(version, ("MAKE_CELL", 0), *ends), "MAKE_CELL of a, which is no cell")
    refused(assembled(version, ("MAKE_CELL", 2), ("MAKE_CELL", 2), *ends, cellvars=("c",)), "or is one already")
    cells = [("COPY_FREE_VARS", 1), ("MAKE_CELL", 2)]
    assert operations(assembled(version, *cells, *ends, cellvars=("c",), freevars=("d",)))


def test_gen_start_is_at_the_start_of_a_generator():
    code = [("LOAD_FAST", 0), "RETURN_VALUE"]
    refused(assembled((3, 10), "GEN_START", *code), "GEN_START is not at the start of a generator")
    refused(assembled((3, 10), "NOP", "GEN_START", *code, flags=3 | CO_GENERATOR), "not at the start")
    assert operations(assembled((3, 10), "GEN_START", *code, flags=3 | CO_GENERATOR)) == ["LOAD_FAST", "RETURN_VALUE"]
    assert operations(assembled((3, 10), *code, flags=3 | CO_GENERATOR)) == ["CONST", "LOAD_FAST", "RETURN_VALUE"]


def test_precall_belongs_to_its_call():
    def called(*steps):
        return assembled((3, 11), "RESUME", "PUSH_NULL", *LOAD_TWO, *steps, "RETURN_VALUE")

    assert "CALL" in operations(called(("PRECALL", 1), ("CALL", 1)))
    refused(called(("PRECALL", 0), ("CALL", 1)), "PRECALL 0 without its CALL")
    refused(called(("PRECALL", 1), "NOP", ("CALL", 1)), "PRECALL 1 without its CALL")


@pytest.mark.parametrize("version", [(3, 11), (3, 12)], ids=["3.11", "3.12"])
def test_names_of_keywords_belong_to_the_next_call(version):
    def called(*steps):
        return assembled(version, "RESUME", "PUSH_NULL", *LOAD_TWO, *steps, "RETURN_VALUE")

    assert disassemble(called(("KW_NAMES", 2), ("CALL", 1)))[3].arg == (1, ("k",))
    refused(called(("KW_NAMES", 2), "NOP", ("CALL", 1)), "KW_NAMES without a call")
    refused(called(("KW_NAMES", 2), ("CALL", 0)), "KW_NAMES without a call of so many arguments")
    refused(called(("KW_NAMES", 1), ("CALL", 1)), "names of keyword arguments that are no names")
    refused(called(("JUMP_FORWARD", 1), ("KW_NAMES", 2), ("CALL", 1)), "where no instruction begins")


def generator(version, *steps, flags=CO_GENERATOR):
    return assembled(version, "RETURN_GENERATOR", "POP_TOP", "RESUME", ("LOAD_FAST", 0), *steps, "RETURN_VALUE",
                     flags=3 | flags)  # fmt: skip


@since_3_11
def test_a_yield_tells_what_it_is(version):
    told = {"resume": ("YIELD_VALUE", ("RESUME", 2)), "operand": (("YIELD_VALUE", 1), ("RESUME", 2))}
    assert "YIELD_VALUE" in operations(generator(version, "YIELD_VALUE", ("RESUME", 1)))
    wrong = generator(version, *told[TABLES[version].behavior.delegation_is_told_by])
    refused(wrong, "a yield that is told for another kind of yield")


@pytest.mark.parametrize("version", [version for version in NEW if version >= (3, 12)])
def test_a_yield_in_a_handler_is_not_passed_by_when_the_generator_is_closed(version):
    by_operand = TABLES[version].behavior.close_is_told_by == "operand"
    for passes in (False, True):
        resume = 1 | TABLES[version].behavior.resume_depth1_mask if passes else 1
        raw = generator(version, ("YIELD_VALUE", int(by_operand and passes)), ("RESUME", resume))
        assert "YIELD_VALUE" in operations(raw)
        end = len(raw.bytecode)
        raw.exception_table = (ExceptionEntry(6, end, end, 0, False),)
        raw.bytecode += bytes([raw.table.number("PUSH_EXC_INFO"), 0, raw.table.number("RERAISE"), 0])
        if passes:
            refused(raw, "passed by when the generator is closed")
        else:
            assert "YIELD_VALUE" in operations(raw)


@pytest.mark.parametrize("wrap", ["ASYNC_GEN_WRAP", ("CALL_INTRINSIC_1", 4)], ids=["3.11", "3.12"])
def test_what_an_asynchronous_generator_yields_is_wrapped(wrap):
    version = (3, 11) if wrap == "ASYNC_GEN_WRAP" else (3, 12)
    asynchronous = generator(version, wrap, "YIELD_VALUE", ("RESUME", 1), flags=CO_ASYNC_GENERATOR)
    assert "YIELD_VALUE" in operations(asynchronous)
    refused(generator(version, wrap, "YIELD_VALUE", ("RESUME", 1)), "a yield of another kind of generator")
    refused(generator(version, "YIELD_VALUE", ("RESUME", 1), flags=CO_ASYNC_GENERATOR), "another kind of generator")
    refused(generator(version, wrap, "NOP", "YIELD_VALUE", flags=CO_ASYNC_GENERATOR), "not right before a yield")


def test_no_jump_leads_behind_extended_arg():
    steps = [("LOAD_FAST", 0), "RETURN_VALUE"]
    raw = assembled((3, 10), ("JUMP_FORWARD", 1), ("EXTENDED_ARG", 1), ("LOAD_CONST", 0), *steps, consts=(None,) * 300)
    refused(raw, "jump to offset 4, where no instruction begins")


@pytest.mark.parametrize(
    ("version", "steps"),
    [
        ((3, 8), [("JUMP_ABSOLUTE", 8), *LOAD_TWO, ("LOAD_CONST", 2), ("CALL_FUNCTION_KW", 1)]),
        ((3, 8), [("JUMP_ABSOLUTE", 6), ("LOAD_CONST", 1), ("LOAD_CONST", 3), ("MAKE_FUNCTION", 0)]),
        ((3, 13), [("JUMP_FORWARD", 2), ("LOAD_CONST", 1), "MAKE_FUNCTION", ("SET_FUNCTION_ATTRIBUTE", 1)]),
    ],
    ids=["names of keywords", "qualified name", "attribute of a function"],
)
def test_no_jump_leads_between_an_operand_and_what_takes_it(version, steps):
    nested = load(compile("def f(a, b): pass", "text", "exec", dont_inherit=True).co_consts[0])
    consts = (None, nested, ("key",), "f")
    refused(assembled(version, *start(version), *steps, "RETURN_VALUE", consts=consts), "where no instruction begins")


OPERANDS = [
    # Operands that the interpreter takes for something else than their lowest bits say, or for nothing known.
    ((3, 12), [*LOAD_TWO, ("COMPARE_OP", 0)]), ((3, 13), [*LOAD_TWO, ("COMPARE_OP", 8)]),
    ((3, 11), [*LOAD_TWO, ("IS_OP", 2)]), ((3, 11), [*LOAD_TWO, ("CONTAINS_OP", 2)]),
    ((3, 11), [*LOAD_TWO, ("BINARY_OP", 26)]), ((3, 10), [*LOAD_TWO, ("BUILD_SLICE", 5)]),
    ((3, 11), [*LOAD_TWO, ("FORMAT_VALUE", 8)]), ((3, 13), [("LOAD_FAST", 0), ("CONVERT_VALUE", 0)]),
    ((3, 14), [*LOAD_TWO, ("BUILD_INTERPOLATION", 0)]), ((3, 11), [("LOAD_CONST", 1), ("MAKE_FUNCTION", 16)]),
    ((3, 12), [*LOAD_TWO, ("CALL_INTRINSIC_2", 5)]), ((3, 13), [*LOAD_TWO, ("CALL_INTRINSIC_1", 0)]),
    ((3, 8), [*LOAD_TWO, ("CALL_FUNCTION_EX", 2)]), ((3, 11), [("LOAD_FAST", 0), ("GET_AWAITABLE", 3)]),
    ((3, 11), [*LOAD_TWO, ("RAISE_VARARGS", 3)]), ((3, 11), [*LOAD_TWO, ("RERAISE", 3)]),
    ((3, 8), [*LOAD_TWO, ("END_ASYNC_FOR", 2)]), ((3, 10), [*LOAD_TWO, ("END_ASYNC_FOR", 1)]),
]  # fmt: skip


@pytest.mark.parametrize(("version", "steps"), OPERANDS, ids=lambda value: str(value[-1]))
def test_operands_of_no_known_meaning(version, steps):
    refused(assembled(version, *start(version), *steps, "RETURN_VALUE"), "out of range|something else of numbers")


def test_an_attribute_of_a_function_that_the_version_does_not_have():
    made = ["RESUME", ("LOAD_FAST", 0), ("LOAD_CONST", 1), "MAKE_FUNCTION", ("SET_FUNCTION_ATTRIBUTE", 16)]
    refused(assembled((3, 13), *made, "RETURN_VALUE"), "SET_FUNCTION_ATTRIBUTE 16 is not one attribute more")
    assert operations(assembled((3, 14), *made, "RETURN_VALUE"))[-1] == "RETURN_VALUE"


def test_entries_of_the_exception_table_do_not_overlap():
    raw = load(compile("def f(a):\n try: a()\n except E: pass", "text", "exec", dont_inherit=True).co_consts[0])
    first = raw.exception_table[0]
    raw.exception_table = (first, first._replace(start=first.start + 2), *raw.exception_table[1:])
    refused(raw, "two entries of the exception table overlap")


@every_version
def test_parts_of_what_is_folded_are_not_left_over(version):
    part = "POP_BLOCK" if version < (3, 11) else "SEND" if version == (3, 11) else "CLEANUP_THROW"
    steps = [("LOAD_FAST", 0)] * 4 + [part, "RETURN_VALUE"]
    with pytest.raises(DecompilationError):
        disassemble(assembled(version, *start(version), *steps))


CHECKED = {
    # Rules that check, with code that is read as something else once they do not.
    "precall": ["RESUME", "PUSH_NULL", *LOAD_TWO, ("PRECALL", 0), ("CALL", 1), "RETURN_VALUE"],
    "internal": ["RESUME", "CACHE", ("LOAD_FAST", 0), "RETURN_VALUE"],
    "make cell": [("MAKE_CELL", 0), "RESUME", ("LOAD_FAST", 0), "RETURN_VALUE"],
    "copy free vars": ["RESUME", ("LOAD_FAST", 0), ("COPY_FREE_VARS", 3), "RETURN_VALUE"],
    "async gen wrap": ["RESUME", ("LOAD_FAST", 0), "ASYNC_GEN_WRAP", "RETURN_VALUE"],
}


@pytest.mark.parametrize("rule", CHECKED)
def test_a_reader_that_drops_a_check_reads_what_it_should_not(monkeypatch, rule):
    """So that the tests above, and the raw attack, find out a reader without it."""
    raw = assembled((3, 11), *CHECKED[rule])
    with pytest.raises(DecompilationError):
        disassemble(raw)
    monkeypatch.setitem(RULES, rule, DROPS["skip"])
    raw = assembled((3, 11), *CHECKED[rule])
    assert operations(raw)[-1] == "RETURN_VALUE"


ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.read_text(encoding="utf-8").partition("## What the reader drops")[2].splitlines()
    if re.match(r"\| `[A-Z]", line)
]


def test_the_table_names_tests_that_exist():
    assert len(ROWS) > 20
    for row in ROWS:
        for path, name in re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", row[-1]):
            assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8"), (path, name)
        assert "tests/" in row[-1], row[0]


def test_the_table_has_every_opcode_that_is_dropped():
    named = {name for row in ROWS for name in re.findall(r"[A-Z][A-Z0-9_]+", row[0])}
    rules = set(DROPS) - {"internal", "yield"} | {"extended", "intrinsic 1", "call keywords", "function and qualname"}
    dropped = {row.name for table in TABLES.values() for row in table.rows.values() if row.rule in rules}
    assert dropped - named == set()
