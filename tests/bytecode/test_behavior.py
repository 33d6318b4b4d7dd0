"""The facts about compilers: each is shown by what every version makes of one function of tests/cases/behavior.py.

What the compilers make is recorded; those that the machine has are asked too.
"""

from __future__ import annotations

import dataclasses
import subprocess
from pathlib import Path
from typing import Iterator, NamedTuple

import pytest
from recorded_compilers import RecordedCompilers, found_or_recorded, recorded_source

from depyf.decompiler.bytecode import RawCode
from depyf.decompiler.bytecode.interpreters import find_interpreter
from depyf.decompiler.bytecode.versions import TABLES
from depyf.decompiler.bytecode.versions.behavior import Behavior
from depyf.decompiler.proof import scaffold
from depyf.decompiler.proof.scaffold import compile_source

SOURCE = (Path(__file__).parent.parent / "cases" / "behavior.py").read_text(encoding="utf-8")
FACTS = [field.name for field in dataclasses.fields(Behavior)]
OF_THE_INTERPRETER = {"frames_are_left_before_their_call"}
OF_RELEASES = {"some_releases_iterate_twice"}  # tests/test_recorded_releases.py shows it
VERSIONS = list(found_or_recorded(sorted(TABLES)))
WITH_EXCEPTION_TABLES = [version for version in TABLES if version >= (3, 11) and find_interpreter(version)]
LEFT_BEFORE_THE_CALL = """
import dis

def fails():
    raise KeyError

def handles(function):
    try:
        function()
    except KeyError:
        return True

call = next(i.offset // 2 for i in dis.get_instructions(handles) if i.opname in ("CALL", "PRECALL"))
table = bytearray(handles.__code__.co_exceptiontable)
table[1] = call - (table[0] & 63)  # the length of the first range: it ends right before the call
handles.__code__ = handles.__code__.replace(co_exceptiontable=bytes(table))
try:
    print(handles(fails))
except KeyError:
    print(False)
"""


class Step(NamedTuple):
    name: str
    argument: int
    line: int | None


def steps(raw: RawCode) -> Iterator[Step]:
    """The instructions; the functions are too short for an EXTENDED_ARG."""
    for unit, (operation, argument) in enumerate(zip(raw.bytecode[::2], raw.bytecode[1::2])):
        row = raw.table.rows.get(operation)
        if row is not None and row.name != "CACHE":
            yield Step(row.name, argument, raw.positions()[unit][0])


def names(raw: RawCode) -> list[str]:
    return [step.name for step in steps(raw)]


def constants(raw: RawCode) -> list[object]:
    """What is loaded as a constant, in the order of the code."""
    return [raw.consts[step.argument] for step in steps(raw) if step.name in ("LOAD_CONST", "RETURN_CONST")]


def is_last(constant: str, raw: RawCode) -> bool:
    found = [value for value in constants(raw) if isinstance(value, str)]
    assert len(found) == 2 and constant in found
    return found[-1] == constant


def count(raw: RawCode, *wanted: str) -> int:
    return sum(name in wanted for name in names(raw))


def yields(raw: RawCode) -> list[tuple[int, int]]:
    """Operands of each yield and of the RESUME after it, 0 where there is none."""
    found = list(steps(raw))
    return [
        (step.argument, after.argument if after.name == "RESUME" else 0)
        for step, after in zip(found, found[1:])
        if step.name == "YIELD_VALUE" or step.name == "YIELD_FROM"
    ]


def delegation_is_told_by(raw: RawCode) -> str:
    (operand, resume), (operand_from, resume_from) = yields(raw)[:2]
    if (operand, operand_from) == (0, 1):
        return "operand"
    return "resume" if resume < 2 <= resume_from else ""


def close_is_told_by(raw: RawCode) -> str:
    (operand, resume), (operand_inside, resume_inside) = yields(raw)[:2]
    if operand == 1 != operand_inside:
        return "operand"
    return "resume" if resume > resume_inside else ""


def resume_depth1_mask(raw: RawCode) -> int:
    (_, resume), (_, resume_inside) = yields(raw)[:2]
    return resume ^ resume_inside


def raises_on_another_line(raw: RawCode) -> bool:
    loads = [step for step in steps(raw) if step.name in ("LOAD_ASSERTION_ERROR", "LOAD_COMMON_CONSTANT")]
    return loads[0].line != raw.firstlineno + 1


def call_of_import_is_no_method(raw: RawCode) -> bool:
    """Of two attributes, the first of an imported name; a bit of the operand tells methods from 3.12 on."""
    loads = [step for step in steps(raw) if step.name in ("LOAD_ATTR", "LOAD_METHOD")]
    of_import, of_other = ((step.name, raw.version >= (3, 12) and step.argument & 1) for step in loads)
    return of_import != of_other


def jumps_on_one_line(raw: RawCode) -> bool:
    jumps = [step for step in steps(raw) if "JUMP" in step.name]
    return len(jumps) == 2 and {step.line for step in jumps} == {raw.firstlineno + 1}


SHOWN = {
    "handlers_are_last": lambda raw: is_last("handler", raw),
    "else_is_last": lambda raw: is_last("else", raw),
    "exits_are_copied": lambda raw: count(raw, "RETURN_VALUE", "RETURN_CONST") == 2,
    "loop_tests_are_copied": lambda raw: count(raw, "LOAD_ATTR") == 2,
    "tests_jump_on_line_of_statement": jumps_on_one_line,
    "lines_leave_nops": lambda raw: "NOP" in names(raw),
    "folds_constant_tests": lambda raw: True not in constants(raw),
    "folded_tests_stay": lambda raw: any("IF_FALSE" in name for name in names(raw)),
    "folds_percent_formats": lambda raw: count(raw, "FORMAT_VALUE", "FORMAT_SIMPLE") == 1,
    "joins_long_strings": lambda raw: "BUILD_STRING" not in names(raw),
    "keeps_not": lambda raw: any("IF_TRUE" in name for name in names(raw)),
    "folded_constants_are_last": lambda raw: raw.consts[-1] == 7000,
    "slices_are_constants": lambda raw: not any("SLICE" in name for name in names(raw)),
    "folds_beginnings_of_displays": lambda raw: (1, 2, 3) in constants(raw),
    "drops_overwritten_stores": lambda raw: "POP_TOP" in names(raw),
    "functions_of_imports_are_no_methods": call_of_import_is_no_method,
    "annotations_are_lazy": lambda raw: any(nested.name == "__annotate__" for nested in raw.nested),
    "annotations_are_named_after_functions": lambda raw: any(
        one.name == "__annotate__" and not one.qualname.endswith("<locals>.__annotate__") for one in raw.nested
    ),
    "mappings_are_copied": lambda raw: "DICT_MERGE" in names(raw),
    "generators_have_a_handler": lambda raw: "CALL_INTRINSIC_1" in names(raw),
    "generator_expressions_iterate": lambda raw: "GET_ITER" not in names(raw),
    "comprehensions_in_classes_save_all": lambda raw: ".0" in raw.varnames,
    "asserts_have_lines_of_comparisons": raises_on_another_line,
    "delegation_is_told_by": delegation_is_told_by,
    "close_is_told_by": close_is_told_by,
    "resume_depth1_mask": resume_depth1_mask,
}
WITHOUT_EFFECT = {
    "asserts_have_lines_of_comparisons": [(3, 7), (3, 8)], "folds_beginnings_of_displays": [(3, 7), (3, 8)],
}  # fmt: skip


def test_every_fact_is_shown():
    assert set(SHOWN) == set(FACTS) - OF_THE_INTERPRETER - OF_RELEASES


def test_the_recorded_text_is_that_of_the_file():
    assert recorded_source("behavior") == SOURCE


@pytest.mark.parametrize(("version", "recorded"), VERSIONS, ids=str)
def test_compilers_do_what_their_version_says(version, recorded, monkeypatch):
    if recorded:
        monkeypatch.setattr(scaffold, "POOL", RecordedCompilers())
    functions = {raw.name: raw for raw in compile_source(SOURCE, version, filename="file").nested}
    functions["resume_depth1_mask"] = functions["close_is_told_by"]
    functions["annotations_are_named_after_functions"] = functions["annotations_are_lazy"]
    behavior = TABLES[version].behavior
    shown = {fact: show(functions[fact]) for fact, show in SHOWN.items() if version not in WITHOUT_EFFECT.get(fact, ())}
    assert shown == {fact: getattr(behavior, fact) for fact in shown}


@pytest.mark.parametrize("version", WITH_EXCEPTION_TABLES, ids=str)
def test_interpreters_do_what_their_version_says(version):
    command = [find_interpreter(version), "-c", LEFT_BEFORE_THE_CALL]
    answer = subprocess.run(command, capture_output=True, check=True, text=True).stdout.strip()
    assert answer == str(TABLES[version].behavior.frames_are_left_before_their_call)


@pytest.mark.parametrize("fact", FACTS)
def test_every_fact_changes_somewhere(fact):
    """A fact that all versions share is none."""
    assert len({getattr(table.behavior, fact) for table in TABLES.values()}) > 1


def test_the_page_lists_the_facts():
    page = (Path(__file__).parent.parent.parent / "docs" / "new-python-version.md").read_text(encoding="utf-8")
    for field in dataclasses.fields(Behavior):
        changes, before = [], field.default
        for version, table in sorted(TABLES.items()):
            value = getattr(table.behavior, field.name)
            if value != before:
                words = {True: "yes", False: "no"}.get(value, value) if isinstance(value, bool) else value
                changes.append("{}.{}: {}".format(*version, f"`{words}`" if type(value) is str else words))
            before = value
        assert f"| `{field.name}` | {', '.join(changes)} |" in page
