"""Every kind of expression in an assert, for pytest to rewrite."""

import asyncio

import pytest


class Thing:
    value = 3
    items = [1, 2, 3]

    def method(self, *args, **options):
        return args or options or self

    def test_in_class(self):
        assert self.value == 3
        assert self.method(1, 2)
        assert self.method(k=1)["k"] == 1, "message"


def calls(*args, **options):
    return args or options or True


thing = Thing()
a, b, c, d = 1, 2, 3, [1, 2, 3]
assert a
assert a < b < c, "at module level"


def test_names():
    x = 1
    assert a
    assert not b - 2
    assert x and a
    assert x
    assert True
    assert "text"
    assert 1
    assert (a, b)[0]
    assert [] == []
    assert {1: 2}
    assert x is not None
    assert x is x, f"{x} {a!r}"


def test_comparisons():
    assert a == 1
    assert a != b
    assert a < b < c <= 3
    assert a == 1 != b
    assert a in d
    assert 9 not in d, ("tuple", a)
    assert (a < b) == True  # noqa: E712
    assert (a < b) is (b < c)
    assert a + b == c
    assert -a < +b
    assert ~a == -2
    assert not a == b
    assert not (a == b and b == c)
    assert d[0] == 1
    assert d[1:] == [2, 3]
    assert thing.value == len(thing.items)
    assert (a if b else c) == a
    assert [x for x in d if x] == d
    assert {x: y for x, y in zip(d, d)}
    assert all(x for x in d)
    assert (lambda: 1)() == 1
    assert f"{a}" == "1"
    assert a * b**c // 1 % 3 @ thing if False else True
    assert 1 < calls(a).__len__() < 3


def test_calls():
    assert calls()
    assert calls(1, *d)
    assert calls(k=1, **{"z": 2})
    assert calls(calls(1), k=calls(2))
    assert calls(a == 1)
    assert calls(a and b, not b)
    assert thing.method().method(1)[0] == 1
    assert thing.items.count(1) == 1, thing.method("m")
    assert isinstance(a, int)
    assert not isinstance(a, str)
    assert isinstance(a, (int, str)) and hasattr(thing, "value")
    assert calls(*d, *d, **{}, **{})
    assert calls(x for x in d)
    assert (calls)(1)


def test_boolean():
    assert a and b
    assert a or b
    assert a and b and c
    assert (a or b) and (c or d)
    assert a == 1 and b == 2 or c == 4
    assert not a or not (b and 0)
    assert a == 1 and calls(b) and thing.value
    assert a == 1 or calls(b) or thing.value, "none"
    assert (a and b) == b
    assert calls(a and (b or c))
    assert a and (b and (c and d))
    assert not (not a)


def test_walrus():
    assert (x := 1)
    assert (y := a) == 1
    assert x == (z := 1) and z == y
    assert (x := calls(x)) and x
    assert calls(w := 3) == (w,)
    assert not (v := 0) and v == 0
    assert (a1 := a) < (b1 := b) < c


def test_in_blocks(values=(1, 2)):
    for value in values:
        assert value
        if value:
            assert value > 0, "in an if"
        else:
            assert False
    while True:
        assert a
        break
    try:
        assert not a
    except AssertionError as error:
        assert "assert" in str(error) or True
    finally:
        assert b
    with pytest.raises(ZeroDivisionError):
        assert 1 / 0
    with pytest.raises(AssertionError, match="m"):
        assert 0, "m"

    def inner():
        assert value and values
        return lambda: value

    assert inner()()


def test_messages():
    assert a, b
    assert a, "%s" % a
    assert a == 1, calls(a, b)
    assert calls(a), f"{a}{b:>{c}}"
    assert a, "{}".format(a) + "%"
    assert a == 1, None
    assert a, a and b


def test_asynchronous():
    async def run():
        assert await later() == 1
        assert await later() and (await later()) + 1
        return [x async for x in items()]

    async def later():
        return 1

    async def items():
        yield 1
        assert a

    assert asyncio.run(run()) == [1]


def test_generator():
    def generator():
        got = yield
        assert got is None
        assert (yield 1) is None
        assert (yield from [1]) is None

    assert list(generator()) == [None, 1, 1]


@pytest.mark.parametrize("number", [1, 2])
def test_parameters(number, *, tmp_path):
    assert number in (1, 2)
    assert tmp_path.exists()
    assert (tmp_path / "x").name == "x", str(tmp_path)
