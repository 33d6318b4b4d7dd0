"""The work for one file is bounded, in steps that are the same on every machine; what takes more is refused, alone."""

import sys
import types

import pytest

import depyf
from depyf.decompiler.bytecode import RawCode, disassemble, load
from depyf.decompiler.limits.budget import Budget, OutOfBudget, current_budget, part_for, spend
from depyf.decompiler.limits.deep_stack import _on_a_deep_stack
from depyf.decompiler.pipeline import analyze
from depyf.errors import DecompilationError

SOURCE = """\
def small(a):
    return a.b


def large(a):
{}    return a
""".format("".join(f"    a.b{number}(a, {number})\n" for number in range(100)))


def code_of(source: str) -> types.CodeType:
    return compile(source, "file", "exec", dont_inherit=True)


def by_name(result):
    return {part.name: part for part in result.walk()}


def test_code_that_takes_more_than_the_budget_is_refused_and_says_so_and_the_rest_comes_back():
    assert analyze(code_of(SOURCE)).proven
    found = by_name(analyze(code_of(SOURCE), budget=0))
    assert found["small"].verdict.exact
    assert found["large"].verdict.level.value == "refused"
    (reason,) = [reason for reason in found["large"].verdict.reasons if "budget" in reason][:1]
    assert reason.startswith("gave up after ") and " steps in " in reason and "budget of more than 0 steps" in reason
    compile(found["<module>"].source, "text", "exec")


def test_the_public_functions_take_a_budget():
    names: dict = {}
    exec(code_of(SOURCE), names)
    assert depyf.decompile(names["small"], budget=0) == "def small(a):\n    return a.b\n"
    with pytest.raises(DecompilationError, match=r"gave up after \d+ steps"):
        depyf.decompile(names["large"], budget=0)
    assert depyf.decompile(names["large"], budget=20_000).startswith("def large(a):")


def test_the_command_line_takes_a_budget(run_depyf, tmp_path):
    (tmp_path / "file.py").write_text(SOURCE)
    done = run_depyf("decompile", "file.py:large", "--budget", "0")
    assert done.returncode == 3 and "gave up after" in done.stderr
    assert run_depyf("decompile", "file.py:large", "--budget", "20000").returncode == 0
    assert "argument --budget: invalid number of steps value: '-1'" in run_depyf("decompile", "x", "--budget=-1").stderr


def test_the_number_of_steps_is_always_the_same():
    def steps():
        budget = Budget()
        with budget.counted():
            analyze_here(code_of(SOURCE))
        return budget.spent

    first = steps()
    assert first > 1_000 and first == steps()


def analyze_here(code):
    """With the budget of the test: `analyze` makes its own."""
    from depyf.decompiler.driver.decompilation import Decompilation

    return Decompilation(load(code)).run()


def test_ordinary_code_is_far_below_the_budget():
    budget = Budget()
    with budget.counted():
        analyze_here(code_of(SOURCE))
    assert budget.left == budget.steps


def test_later_attempts_have_steps_left_whatever_the_first_ones_took():
    budget = Budget(100_000)
    left = []
    with budget.counted():
        for _ in range(8):
            with pytest.raises(OutOfBudget), part_for("unit", 100, "unit"):
                left.append(budget.parts[-1].most)
                while True:
                    spend(10, "a loop")
    assert left == sorted(left, reverse=True) and left[-1] > 1_000
    assert sum(left) <= budget.steps + 100 * 50 + 8 * 10


def test_a_part_within_another_has_its_own_steps():
    budget = Budget(10_000)
    with budget.counted(), part_for("outer", 10):
        with pytest.raises(OutOfBudget), part_for("inner", 10):
            spend(1e9, "a loop")
        spend(1, "another")
    assert budget.own["outer"] > 0 == budget.own["inner"]


def test_where_nobody_counts_nothing_is_bounded():
    assert current_budget() is None
    with part_for("unit", 10):
        spend(1e12, "a loop")


def test_the_second_try_on_a_deep_stack_has_what_the_first_left():
    budget = Budget(10_000)

    def attempt():
        with budget.counted(), part_for("unit", 1):
            spend(1_000, "a loop")
            return budget

    attempt()
    before = budget.left
    assert _on_a_deep_stack(attempt).left < before


# Sizes that a few bytes can say


def with_bytecode(*instructions: str, consts=(None,)) -> RawCode:
    """Code of 3.9, which has no caches and no prologue: 'OPCODE' or 'OPCODE argument'."""
    raw = load(code_of("def f(a): return a")).nested[0]
    raw.version, raw.consts, raw.exception_table, raw.linetable = (3, 9), consts, (), b""
    rows = {row.name: number for number, row in raw.table.rows.items()}
    units = bytearray()
    for instruction in instructions:
        name, _, argument = instruction.partition(" ")
        number = int(argument or 0)
        for shift in (24, 16, 8):
            if number >> shift:
                units += bytes((rows["EXTENDED_ARG"], number >> shift & 255))
        units += bytes((rows[name], number & 255))
    raw.bytecode = bytes(units)
    return raw


def test_more_values_than_anybody_stores_are_not_unpacked():
    for instructions in ([f"UNPACK_SEQUENCE {2**24}"], 100 * ["LOAD_FAST 0", "UNPACK_SEQUENCE 150"]):
        with pytest.raises(DecompilationError, match="more values than"):
            disassemble(with_bytecode("LOAD_FAST 0", *instructions, "RETURN_VALUE"))
    disassemble(with_bytecode("LOAD_FAST 0", "UNPACK_SEQUENCE 200", *200 * ["POP_TOP"], "LOAD_FAST 0", "RETURN_VALUE"))


def test_a_constant_without_end_is_refused_and_a_large_one_is_not():
    endless: tuple = ()
    for _ in range(40):
        endless = (endless, endless)
    with pytest.raises(DecompilationError, match="too large when it is written out"):
        disassemble(with_bytecode("LOAD_CONST 0", "RETURN_VALUE", consts=(endless,)))
    large = tuple((number, number) for number in range(150_000))
    assert len(disassemble(with_bytecode("LOAD_CONST 0", "RETURN_VALUE", consts=(large,)))) == 2


def test_an_error_is_told_again_without_the_work():
    raw = with_bytecode("LOAD_FAST 0", f"UNPACK_SEQUENCE {2**24}", "RETURN_VALUE")
    errors = []
    for _ in range(2):
        with pytest.raises(DecompilationError) as caught:
            disassemble(raw)
        errors.append(caught.value)
    assert errors[0] is not errors[1] and str(errors[0]) == str(errors[1])


def test_a_pass_that_meets_what_it_does_not_expect_refuses_the_code(monkeypatch):
    module = sys.modules["depyf.decompiler.bytecode.disassemble"]
    monkeypatch.setattr(module, "check_size", lambda instructions, error: [][1])
    with pytest.raises(DecompilationError, match="internal error: IndexError"):
        disassemble(load(code_of("def f(a): return a")).nested[0])
