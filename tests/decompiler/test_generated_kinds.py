"""Kinds of programs that were refused, each generated from its parts, by every CPython that has the syntax."""

from __future__ import annotations

import functools
import itertools
import random
import textwrap
from typing import Callable, Iterator

import pytest

from depyf.decompiler.bytecode.interpreters import HOST_VERSION, find_interpreter
from depyf.decompiler.bytecode.versions import TABLES
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.proof.scaffold import compile_source
from depyf.errors import DecompilationError

VERSIONS = [one for one in sorted(TABLES) if one == HOST_VERSION or find_interpreter(one)]


def constants_in_arms() -> Iterator[str]:
    """A constant, alone or behind a test that decides nothing, as an arm of a conditional expression."""
    places = [
        "v = x if {} else y",
        "v = x if ({}) and d else y",
        "v = x if d or ({}) else y",
        "if {}: f()",
        "assert {}, m",
    ]
    places += ["v = [x for y in z if ({})]", "v = lambda: [x for y in z if ({})]", "f(x if {} else y)", "while {}: f()"]
    choices = ["(a if b else ({}))", "(({}) if b else a)", "(({}) if b or d else a)"]
    constants = ["True", "0", "c or True", "c and 0", "c and d and None"]
    for place, choice, constant in itertools.product(places, choices, constants):
        yield place.format(choice.format(constant))


def choices_that_decide_nothing() -> Iterator[str]:
    """A conditional expression whose test always leads to one arm, wherever a value is."""
    places = [
        "for a in {}: pass", "for a in b or {}: pass", "for a in {}.b(c): pass", "v = [y for x in z for y in {}]",
        "async def f():\n  async for a in {}: pass", "async def f(): return [x async for x in {}]", "f(x, {})",
        "[*{}]", "f(*{})", "f(**{})", "f(x, *{}, k=1, **{})", "v = {{**{}}}", "{{*{}, *y}}", "class C(*{}): pass",
        "x: {} = 1", "class C:\n  x: {}\n  y: int", "class C:\n  if z:\n    x: {}\n  y: f(a, {})",
        "class C[T]:\n  x: {}", "class C:\n  x: [*{}]\n  y: [z for z in {}]", "def f(x: {}, *y: d or {}) -> {}: pass",
        "v = lambda: {}",
        "while z:\n  if d:\n    pass\n  for a in {}: f()",
    ]  # fmt: skip
    arms = [
        "(a if d and None else b)", "(a if d or 1 else b)", "((1, 2, 3) if d or 1 else b)",
        "({'k': 1} if d or 1 else b)",
        "((a if c or 1 else b) if d or 1 else c)", "(None if c and 0 else b.e)", "(d and (a if c or 1 else b))",
    ]  # fmt: skip
    for place, arm in itertools.product(places, arms):
        yield place.replace("{}", arm).replace("{{", "{").replace("}}", "}")


def loops_that_a_test_passes_by() -> Iterator[str]:
    """An ``if`` statement that does nothing, and a for loop."""
    for test, place in itertools.product(["d", "d or 1", "not d", "d and e", "d < e < c"], PLACES):
        text = f"if {test}: pass\nfor a in x: f()"
        yield place.format(textwrap.indent(text, "  " * (place != "{}")))


def endless_loops_before_the_end_of_a_handler() -> Iterator[str]:
    """A loop that only ``break`` leaves, and a statement, at the end of a ``finally`` body or except clause."""
    loops = [
        "if c: break", "if c: break\nd()", "d()\nif c: break", "if c:\n  d()\n  break", "if c: d()\nelse: break",
        "if c: break\nif d: continue\ne()", "try: d()\nexcept F: break", "for i in j: pass\nelse: break",
    ]  # fmt: skip
    last = [*LAST, "z.x()", "z.x = 2", "if y: z()", "z[1] += 2"]
    for outer, loop, end, after, place in itertools.product(HANDLERS, loops, last, ["", "\ng()"], PLACES):
        body = f"while 1:\n{textwrap.indent(loop, '  ')}\n{end}"
        text = outer.format(textwrap.indent(body, "  ")) + after
        yield place.format(textwrap.indent(text, "  " * (place != "{}")))


def starred_results() -> Iterator[str]:
    """Tuples with stars that statements give, in ``finally`` and elsewhere."""
    statements = ["return (*a, 1)", "return (*a,)", "yield (*a, b)", "x = yield (*a, b)", "x[(*a, b)] = *a, 1"]
    for outer, inner, statement in itertools.product(HANDLERS, ["{}", *HANDLERS], statements):
        text = outer.format(textwrap.indent(inner.format(textwrap.indent(statement, "  " * (inner != "{}"))), "  "))
        yield f"def f():\n{textwrap.indent(text, '  ')}"


def clauses_of_groups() -> Iterator[str]:
    """An ``except*`` clause whose end is never reached, or whose type a test does not decide."""
    bodies = ["while 1: pass", "while 1: b()", "raise b", "if x:\n  while 1: pass", "for x in y:\n  while 1: pass"]
    types = ["E", "E as x", "(E if d or 1 else F)", "(E if d and 0 else F).x as y"]
    rest = ["", "\nexcept* F: c()", "\nexcept* G as z: raise\nelse: d()", "\nfinally: d()"]
    for kind, body, after, end, place in itertools.product(types, bodies, rest, ["", "\ng()"], PLACES):
        text = f"try: a()\nexcept* {kind}:\n{textwrap.indent(body, '  ')}{after}{end}"
        yield place.format(textwrap.indent(text, "  " * (place != "{}")))


def yields_in_values() -> Iterator[str]:
    """A ``yield`` in a boolean operation or a condition; the compiler copies the end of a lambda that has one."""
    values = [
        "y and {} or z", "{} or z", "y and {}", "y or {} and z", "a if {} else b", "{} if a else b", "not (y and {})",
        "0 and {}", "y and (z or {})", "[x, y and {}]", "f(y or {})", "(a, {})[y and 0]", "a < {} < b",
        "{} in (y or z)",
    ]  # fmt: skip
    places = [
        "v = lambda: ({})", "def f(): return {}", "def f():\n  v = {}", "v = lambda a, b=lambda: ({}): a",
        "f(lambda: {})",
    ]  # fmt: skip
    yields = ["(yield)", "(yield x)", "(yield from x)", "(lambda: (yield))"]
    for place, value, one in itertools.product(places, values, yields):
        yield place.format(value.replace("{}", one))


def constant_slices() -> Iterator[str]:
    """From 3.14 on, such slices are constants, which older Pythons that read the code can't hash."""
    places = [
        "[{} for a in b if {}]", "{{{}: {} for a in b}}", "{{{} for a in b for c in {}}}", "({} for a in {})",
        "[(d := {}) for a in b]", "lambda: [{} for a in b]", "[[{} for a in c] for c in b if {}]",
        "any({} for a in b)", "x if {} else {}", "not {} or {}", "{} in {}", "({}, 3, {})", "f'{{{}}}'",
    ]  # fmt: skip
    for value, text, place in itertools.product(places, ["a[1:2]", "a[:, 1:2]", "a[-1:None][::3]"], PLACES):
        yield place.format("  " * (place != "{}") + "q = " + value.format(text, text))


def names_in_dead_clauses() -> Iterator[str]:
    """A comprehension with names that only what is never reached in it binds, reads or shares with a function."""
    elements = [
        "0", "x", "1 and x or q", "(x, 1 or (lambda: x))", "1 or (w := 3)", "1 or [q for q in x]", "(lambda: k)",
    ]  # fmt: skip
    clauses = [
        "if 0 for k in u", "if [k for k in x] if 0 for k in k", "if k if 0 for k in u", "if 1 or [z for z in w]",
        "if [k for k in x] if k if 0 for k in u", "if k if 0 if (k := 0)", "if 0 if (lambda: k)", "if k or 1",
        "if [k for k in k] if 1 or (lambda: x)", "if {0 for a in u for b in c} if 0 for q in b for c in a",
        "if [a for a in u for b in c]", "if [a for a in u for b in a] if 0",
        "if (lambda: k) if 0 for k in u", "if [k for k in x] if 0 if k",
    ]  # fmt: skip
    places = ["{}", "class C:\n  {}", "v = lambda y: {}"]
    places += ["def f(y, w):\n  return {}", "def f(k):\n  {}\n  return lambda: k"]
    for element, clause, form, place in itertools.product(elements, clauses, ["[{}]", "{{{}: 0}}", "({})"], places):
        for target in ("x", "x[0]", "x.a, z"):
            inside = f"{element} for {target} in y {clause}"
            text = f"{{{element}: 0 for {target} in y {clause}}}" if ":" in form else form.format(inside)
            yield place.format(text)


def assigned_operands() -> Iterator[str]:
    """A value that is assigned and used, as a subject is by the first case, before code that branches."""
    values = [
        "not {}", "{} ^ z", "-{}", "f'{{{}!s}}'", "{}[0]", "{}.b", "f({}, 1)", "[*{}]", "(y or {}).b", "{} < y", "{}()",
        "{} if y else z", "x[{}]", "{{{}: 1}}", "await {}", "(yield {})", "[i for i in {}]", "lambda a={}: a",
    ]  # fmt: skip
    statements = ["with 0, {}:\n{}", "if {}:\n{}", "for i in {}:\n{}", "while {}:\n{}", "match {}:\n  case 1:\n  {}"]
    rest = ["y and z", "if y or z: c()", "while y: c()", "match y:\n  case 0: c()\n  case 1: d()", "y if z else c()"]
    for value, after in itertools.product(["{}", *values], rest):
        for named in ("(n := c())", "(n := m := 0)", "(n := c)"):
            yield f"async def f():\n  {value.format(named)}\n{textwrap.indent(after, '  ')}"
            yield from (one.format(value.format(named), textwrap.indent(after, "  ")) for one in statements)


def slices_of_computed_constants() -> Iterator[str]:
    """A slice of constants that an operation gives, which is no constant itself (3.14 on)."""
    bounds = ["f''", "f'a'", "2 * 3", "not 0", "b'a' + b''", "1.0 + 0", "'a' * 2", "None", "3"]
    for lower, upper, place in itertools.product(bounds, bounds, ["x = {}", "{} = x", "del {}"]):
        yield place.format(f"y[{lower}:{upper}]")
        yield place.format(f"y[::{upper}, {lower}:]")


def annotations_of_positional_parameters() -> Iterator[str]:
    """The compiler evaluates the annotations of positional-only parameters last."""
    values = ["0", "(u, [0 for x in y])", "{x for x in y if x}"]
    values += ["[x for x in y for z in x]", "{**k, 'a': 1}", "lambda: 0"]
    for a, b, c in itertools.product(values, values, values):
        yield f"def f(a: {a}, b: {b}, /, c: {c}, *d: {a}, e: {b}) -> {c}: pass"


def clauses_before_a_finally_that_leaves() -> Iterator[str]:
    """The end of each clause has a copy of the ``finally`` body, and a last ``pass`` its own line."""
    handlers = ["pass", "d()", "raise", "return 1", "d()\n  pass"]
    rest = ["b()", "b()\n  pass", "pass", "b", "return 2", "if y: b()", "for i in j:\n    pass"]
    last = ["raise", "raise z", "return 3", "while 1: pass", "f()\n  raise", "if x: raise"]
    for handler, orelse, end, after, place in itertools.product(handlers, rest, last, ["", "\ng()"], PLACES[:2]):
        text = f"try:\n  a()\nexcept K:\n  {handler}\nelse:\n  {orelse}\nfinally:\n  {end}{after}"
        yield place.format(textwrap.indent(text, "  " * (place != "{}")))


HANDLERS = ["try: a()\nfinally:\n{}", "try: a()\nexcept E:\n{}", "try: a()\nexcept E as x:\n{}", "with a:\n{}"]
OUTER = {
    "try: a()\nexcept E as x:\n{}", "try: a()\nexcept E:\n{}", "try: a()\nexcept* E as x:\n{}", "with a as x:\n{}",
    "try: a()\nfinally:\n{}", "try:\n{}\nexcept E: b()", "try:\n{}\nfinally: b()", "for x in y:\n{}", "while x:\n{}",
    "try: a()\nexcept E: b()\nelse:\n{}",
}  # fmt: skip
INNER = {
    "match x:\n  case 1: c()", "match x:\n  case 1: c()\n  case 2: d()", "match x:\n  case 1: pass", "type X = c",
    "match x:\n  case [1, y] if z: c()\n  case _: d()", "if x: c()", "if x: c()\nelif y: d()\nelse: e()",
    "for i in j: c()", "while i: c()", "while i:\n  if c: break\n  d()\nelse: e()", "while 1:\n  if c: break",
    "try: c()\nfinally: d()", "try: c()\nexcept F: d()", "try: c()\nexcept F as w: d()", "try: c()\nexcept* F: d()",
    "try: c()\nexcept F as w: d()\nelse: e()\nfinally: g()", "with c as d: e()", "with c, d: e()", "if c: raise d",
}  # fmt: skip
LAST = ["last()", "pass", "x = 1", "del z", "raise z"]
PLACES = ["{}", "def f():\n{}", "class C:\n{}"]


def blocks_before_a_last_statement(outer: str = "", inner: str = "") -> Iterator[str]:
    """Two statements that hold others inside one that does, and one more behind the last of them, or behind all. Only
    those statements that ``outer`` or ``inner`` is part of, if given.
    """

    def put(template: str, body: str) -> str:
        return template.format(textwrap.indent(body, "  " * (template != "{}")))

    outers = [one for one in sorted(OUTER) if outer in one]
    for around, first, second, last, place in itertools.product(outers, sorted(INNER), sorted(INNER), LAST, PLACES):
        if inner in first or inner in second:
            yield put(place, put(around, f"{first}\n{second}\n{last}"))
            yield put(place, put(around, f"{first}\n{second}") + f"\n{last}")


KINDS: dict[str, tuple[Callable[[], Iterator[str]], int]] = {
    "yields in values": (yields_in_values, 60),
    "constant slices": (constant_slices, 60),
    "slices of computed constants": (slices_of_computed_constants, 30),
    "assigned operands": (assigned_operands, 100),
    "names in dead clauses": (names_in_dead_clauses, 120),
    "annotations of positional parameters": (annotations_of_positional_parameters, 25),
    "constants in arms": (constants_in_arms, 60),
    "tests that decide nothing": (choices_that_decide_nothing, 60),
    "loops that a test passes by": (loops_that_a_test_passes_by, 15),
    "blocks before a last statement": (blocks_before_a_last_statement, 60),
    "match in finally": (functools.partial(blocks_before_a_last_statement, "finally:\n{}", "match"), 60),
    "endless loops before the end of a handler": (endless_loops_before_the_end_of_a_handler, 80),
    "clauses of groups": (clauses_of_groups, 40),
    "clauses before a finally that leaves": (clauses_before_a_finally_that_leaves, 40),
    "starred results": (starred_results, 40),
}
"""What generates a kind, and how many of its members are tried."""


@pytest.mark.parametrize("kind", list(KINDS))
def test_a_sample_is_proven(kind: str):
    generate, count = KINDS[kind]
    texts = sorted(set(generate()))
    compiled = 0
    for text in random.Random(kind).sample(texts, min(count, len(texts))):
        for version in VERSIONS:
            try:
                raw = compile_source(text + "\n", version)
            except DecompilationError:
                continue
            compiled += 1
            result = analyze(raw)
            assert all(part.verdict.proven for part in result.walk()), (version, text, result.source)
    assert compiled


GUARDS = [
    "a or b", "a and b or c", "a if b else c", "not (a and b)", "n < 0 or n > 9", "(a or b) and c", "a < b < c or d",
    "any(q for q in n)", "[q for q in n] or b", "False",
]  # fmt: skip
CASES = ["None", "[3]", "{'k': v}", "_", "m if m or a", "1 | 2 if False"]
LOOPS = ["[c for d in e for c in d]", "{c: c for d in e if d for c in d}", "[[c for c in d] for d in e]"]


def test_the_guard_of_a_first_case_is_any_condition():
    """A pattern that always matches does not tell where control goes if the guard is false."""
    for guard, pattern, case in itertools.product(GUARDS, ["n", "[n]", "(1 | 2) as n"], CASES):
        text = f"match x:\n    case {pattern} if {guard}:\n        f()\n    case {case}:\n        g()\nh()\n"
        if (guard, pattern) == ("False", "n"):
            continue  # that is `match (n := x)` as well
        for version in [one for one in VERSIONS if one >= (3, 10)]:
            result = analyze(compile_source(text, version))
            assert result.verdict.level.value in ("identical", "exact"), (version, text, result.source)


def test_a_case_that_never_holds_is_told_beside_alternatives():
    never, last = "    case 0 if False:\n        pass\n", "    case 1 | 2 | 3:\n        pass\n"
    for first, between in itertools.product(["", "    case 7:\n        g()\n"], ["", "    case 4:\n        pass\n"]):
        text = f"match x:\n{first}{never}{between}{never}{last}"
        for version in [one for one in VERSIONS if one >= (3, 10)]:
            result = analyze(compile_source(text, version))
            assert result.verdict.level.value in ("identical", "exact"), (version, text, result.source)


def test_a_comprehension_of_several_loops_is_one_of_several_operands():
    for operand, operator, end in itertools.product(LOOPS, ["or", "and"], ["", " or z", " and z"]):
        text = f"x = a {operator} b {operator} {operand}{end}"
        for version in VERSIONS:
            result = analyze(compile_source(text + "\n", version))
            assert (result.source.strip(), result.verdict.level.value) == (text, "identical"), version


def test_the_end_of_a_loop_behind_finally_is_no_else_clause():
    text = "while a:\n    try:\n        pass\n    {}\n    finally:\n        b\n    @d\n    {}\n"
    for version in VERSIONS:
        for inner, last in itertools.product(["", "except:\n        pass"], ["def g(): pass", "class G: pass"]):
            result = analyze(compile_source(text.format(inner, last), version))
            assert all(part.verdict.proven for part in result.walk()), (version, result.source)


def test_the_guard_of_a_last_case_is_told_without_lines():
    text = "match x:\n    case [1, y] if z:\n        c()\n    case _:\n        d()"
    for version in [one for one in VERSIONS if one >= (3, 10)]:
        raw = compile_source(text + "\n", version)
        raw.linetable = b""
        assert analyze(raw).source.strip() == text, version
        many = compile_source("match x:\n  case [\n  y,\n  z] if w: c()\n  case _:\n    d()\n", version)
        assert analyze(many).verdict.proven, version


def test_a_formatted_string_without_fields_is_one_in_an_operation():
    """Up to 3.13 the compiler does not fold it, as it does a plain one."""
    texts = ["x = f'a{{}}' + 'b'", "raise X(f'a' * 2)", "x = f'abc'[1]", "x = f'a' + 'b' + y", "x = f'a' % (b, c)"]
    for version in VERSIONS:
        for text in texts:
            result = analyze(compile_source(text + "\n", version))
            assert result.verdict.proven, (version, text, result.source)
            if version < (3, 14) and "%" not in text:
                assert (result.source.strip(), result.verdict.level.value) == (text, "identical"), version


def test_two_jumps_out_of_a_loop_before_another_loop_are_two_statements():
    two = "if y is None:\n        break\n    if y in z:\n        break\n"
    for version in [one for one in VERSIONS if one >= (3, 8)]:  # 3.7 joins the first with the loop's test
        raw = compile_source(f"while x:\n    {two}    f()\nfor i in w[::-1]:\n    g(i)\n", version)
        assert two in analyze(raw).source, version
