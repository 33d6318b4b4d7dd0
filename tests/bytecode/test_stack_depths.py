"""The depth of the stack, counted in the raw code and in what was read: they agree, and an error in reading shows."""

from __future__ import annotations

import pytest
import recorded_dynamo

import depyf
from depyf.decompiler.bytecode import RawCode, load
from depyf.decompiler.bytecode.decoding.rules import RULES
from depyf.decompiler.bytecode.stack_depths import depth_difference
from depyf.decompiler.proof import prove

CONSTRUCTS = """
async def f(a, b):
    async with a as c:
        async for d in c:
            yield [e async for e in d if e and b or c]
    try:
        await b
    except (A, B) as e:
        print(*e, **b)
    finally:
        del b
    with a, b: a(b, c=1)
    for i in a:
        if i: break
    def g(x=1, *, y: a = 2): return x, y, a
"""



def code_of(text):
    return compile(text, "text", "exec", dont_inherit=True).co_consts[0]


def test_both_agree_on_what_compilers_make(codes):
    for code in codes:
        assert depth_difference(load(code)) == ""


def test_both_agree_on_what_dynamo_makes():
    for case in recorded_dynamo.cases(sample=150):
        for raw in load(case.code).walk():
            assert depth_difference(raw) == "", case.label


def test_code_that_needs_more_room_than_it_says():
    """The interpreter does not look: it writes over what is behind the stack."""
    code = code_of(PLAIN)
    small = next(size for size in range(code.co_stacksize) if "room for" not in depth_of(code, size + 1))
    assert 1 <= small < code.co_stacksize
    assert "room for {} at offset".format(small) in depth_of(code, small)
    assert not depyf.analyze(code.replace(co_stacksize=small)).proven


def test_reraise_finds_the_offset_that_it_restores():
    """It may have an operand where a handler has kept an offset; elsewhere that is an error of its own (3.11 on)."""
    code = code_of("def f(a):\n try: a()\n except E: pass")
    number = load(code).table.opcodes.get("RERAISE", -1)
    data = bytearray(code.co_code)
    places = [place + 1 for place in range(0, len(data), 2) if data[place] == number and data[place + 1] == 0]
    for place in places if hasattr(code, "co_exceptiontable") else ():
        data[place] = 1
        changed = code.replace(co_code=bytes(data))
        assert "RERAISE finds no offset" in depth_difference(load(changed))
        assert not depyf.analyze(changed).proven
    assert places or not hasattr(code, "co_exceptiontable")


def depth_of(code, size):
    return depth_difference(load(code.replace(co_stacksize=size)))


def dropped(monkeypatch, rule):
    """A reader that drops what ``rule`` reads."""
    monkeypatch.setitem(RULES, rule, lambda decoder, row, argument, offset: None)


PLAIN = "def f(a, b):\n a.c = b\n for d in a: b(d, e=1)\n return a[b:], [a, b] + a"
COROUTINE = "async def f(a):\n with a: await a\n return a"


@pytest.mark.parametrize(
    ("rule", "text"),
    [
        ("const", PLAIN), ("count", PLAIN), ("local", PLAIN), ("call", PLAIN), ("null or global", "def f(): a()"),
        ("name", PLAIN), ("binary by number", PLAIN), ("const", COROUTINE), ("local", COROUTINE), ("call", COROUTINE),
        ("jump by", "def f(a):\n if a: return 1"),
    ],
)  # fmt: skip
def test_a_reader_that_drops_something_is_found_out(monkeypatch, rule, text):
    dropped(monkeypatch, rule)
    assert "offset" in depth_difference(load(code_of(text)))


def test_a_reader_that_drops_a_pop_somewhere_is_found_out(monkeypatch):
    """As `skip_pop` did: the POP_TOP of another value in the place of that behind RETURN_GENERATOR."""
    code = code_of("async def f(a):\n a()\n return a")

    def skipping(decoder, row, argument, offset):
        if row.op != "POP":
            decoder.emit(row.op, None, offset)

    monkeypatch.setitem(RULES, "plain", skipping)
    assert "POP_TOP leaves 1 entries more than it does" in depth_difference(load(code))


def test_nothing_is_proven_of_it(monkeypatch):
    one = load(code_of("def f(a):\n a.b\n return a"))
    other = load(code_of("def f(a):\n a.b;\n return (a)"))
    other.consts = (*other.consts, 1)  # not identical
    assert prove(one, other).proven
    one.disassembled = other.disassembled = None
    monkeypatch.setitem(RULES, "plain", lambda d, row, a, o: None if row.op == "POP" else d.emit(row.op, None, o))
    verdict = prove(one, other)
    assert not verdict.proven and "the depth of the stack is in doubt" in verdict.reasons[0]


def moved(raw: RawCode, **changes: object) -> RawCode:
    raw.exception_table = tuple(entry._replace(**changes) for entry in raw.exception_table)
    return raw


def test_handlers_that_cut_the_stack_elsewhere():
    raw = moved(load(code_of("def f(a):\n try: a()\n except E: pass\n return 1")), depth=3)
    assert "two depths of the stack, 0 and 3, meet" in depth_difference(raw)
    raw = moved(load(code_of("def f(a):\n try: a()\n except E: raise\n return 1")), depth=2)
    assert "a handler keeps 2 entries of 0" in depth_difference(raw)


def test_an_exit_function_that_is_not_there():
    raw = load(code_of("def f(a):\n with a: a()\n return a"))
    assert depth_difference(raw) == ""
    raw.exception_table = tuple(entry._replace(depth=entry.depth - (entry.depth == 1)) for entry in raw.exception_table)
    assert "takes more than the stack holds" in depth_difference(raw)


def test_constructs_are_proven_with_the_check():
    assert depyf.analyze(compile(CONSTRUCTS, "text", "exec")).verdict.proven
