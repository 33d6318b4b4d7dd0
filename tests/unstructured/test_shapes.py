"""Shapes that the events way must write down right, proven and run."""

from __future__ import annotations

import types
from typing import Any, Callable

import pytest
from one_engine import again, analyze

from depyf.errors import DecompilationError


class Log(list):
    """Calls leave their arguments here."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        self.append((args, tuple(kwargs.items())))
        return args[0] if args else None


def branches(log, a, b):
    x = log(a) if a else log(b)
    if b and log(1) or a:
        y = log(2)
    else:
        y = log(3)
    return log(x, y, a is None, not b)


def early_return(log, a, b):
    if a:
        if b:
            return log(1)
        log(2)
    log(3)
    return log(4)


def finally_statement(log, a, b):
    try:
        log(a)
        1 / b
    finally:
        log("out")
    return log(b)


def reraised(log, a, b):
    try:
        1 / a
    except:
        log("failed")
        raise
    return log(b)


def many_arguments(log, a, b):
    return log(a, b, *[a, b], a, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
               25, 26, 27, 28, 29, 30, 31, 32, key=a, **{"not a name": b})  # fmt: skip


def stars(log, a, b):
    return log(*(a, b), *[log(1)], **dict(x=log(2)))  # noqa: C408


def mappings(log, a, b):
    more = dict(x=a, y=b)  # noqa: C408
    other = {"x": 1, "z": 2}
    log(a, key=b, **more)
    log(**more, last=log(b))
    both = {"first": a, **more, "x": log(b), **other}
    log(both, {**more, **other}, more)
    if b:
        return log(1, x=a, **more)  # twice: an error
    more[log("k")] = a
    return log({"k": 0, **more}, z=a, **more)


def changed_while_copied(log, a, b):
    more = dict(x=a)  # noqa: C408
    return log({"first": a, **more}, more.update(y=b), {"x": b, **more}, last=log(a), **more)


def containers(log, a, b):
    items = [a, b, [a, {"k": b}], (a, (b,))]
    items[0] = items
    items += [log(3)]
    del items[0]
    first, *rest = items
    return log(items[1:], rest, first)


def values_in_place(log, a, b):
    x = [a]
    y = x
    x += [b]
    a += 1
    return log(x is y, x, y, a)


def deleted(log, a, b):
    x = log(a)
    y = x
    del x
    x = b
    return log(x, y)


def lists_in_themselves(log, a, b):
    x = [a]
    y = [b, x]
    x += [b, y]
    y[0] = y
    return log(len(x), x[2] is y, y[0] is y, y[1] is x)


def formatted(log, a, b):
    return log(f"{a!r:>{b}} and {b}", a in (1, 2, 3), a in {1, 2}, a[b] if log(0) else -b)


def inner_functions(log, a, b):
    def add(x, y=b, *, z: int = 3) -> Any:
        return log(x, y, z, a)

    def loop(xs):
        for x in xs:
            log(x)

    loop([a, b])
    return add(1), add(2, z=b), log((lambda q, r=a: log(q, r))(b))


EXAMPLES = [
    inner_functions,
    branches, early_return, finally_statement, reraised, many_arguments, stars, mappings,
    changed_while_copied, containers, values_in_place, deleted,
    lists_in_themselves,
]  # fmt: skip


@pytest.mark.parametrize("function", EXAMPLES, ids=lambda function: function.__name__)
def test_shape(function: Callable[..., Any]):
    decompiled = again(function)
    for a in (0, 1, 5):
        for b in (0, 2):
            logs, ends = [Log(), Log()], []
            for one, log in zip((function, decompiled), logs):
                try:
                    ends.append(repr(one(log, a, b)))
                except Exception as error:
                    ends.append(repr(error))
            assert repr(logs[0]) == repr(logs[1])
            assert ends[0] == ends[1]


def test_closure_is_kept_in_order():
    z, a, m = 1, 2, 3

    def f():
        nonlocal m
        m = m + z
        return a, m

    assert again(f)() == (2, 4)
    assert m == 4


def with_free_variables(code: types.CodeType, new: dict[str, str]) -> types.CodeType:
    """``code`` with other names for its free variables: in another order than a compiler has them."""
    consts = tuple(with_free_variables(c, new) if isinstance(c, types.CodeType) else c for c in code.co_consts)
    return code.replace(co_freevars=tuple(new.get(name, name) for name in code.co_freevars), co_consts=consts)


def test_free_variables_keep_an_order_that_no_compiler_makes():
    a, m, z = 1, 20, 300

    def f(q):
        nonlocal m
        m = m + q
        return a, m, z, [lambda: (z, a)]

    swapped = with_free_variables(f.__code__, {"a": "z", "z": "a"})
    assert swapped.co_freevars == ("z", "m", "a")
    result = analyze(swapped)
    assert result.verdict.proven, (result.text, result.verdict.describe())
    assert result.code is not None and result.code.co_freevars == ("z", "m", "a")
    values = types.FunctionType(result.code, {}, "f", None, f.__closure__)(5)
    assert values[:3] == (1, 25, 300)
    assert values[3][0]() == (300, 1)


def replaced(code: types.CodeType, **changes: Any) -> types.CodeType:
    """``code`` with the first code among its constants changed."""
    place = next(i for i, constant in enumerate(code.co_consts) if isinstance(constant, types.CodeType))
    consts = list(code.co_consts)
    consts[place] = consts[place].replace(**changes)
    return code.replace(co_consts=tuple(consts))


@pytest.mark.parametrize("name", ["<resume in f>", "g", "x", "class"])
def test_a_function_that_is_made_with_a_name_of_another_meaning(name: str):
    def f(x):
        def h(y):
            return g(x, y)  # noqa: F821

        return h

    result = analyze(replaced(f.__code__, co_name=name))
    assert result.verdict.proven, (result.text, result.verdict.describe())
    assert result.code is not None
    made = types.FunctionType(result.code, {"g": lambda *args: args})(1)
    assert made.__name__ == name
    assert made(2) == (1, 2)


def test_a_qualified_name_that_no_compiler_makes():
    def f(x):
        def resume_in_g(y):
            return lambda: (x, y)

        return resume_in_g

    code = f.__code__
    if hasattr(code, "co_qualname"):
        code = replaced(code, co_qualname="resume_in_C.g")
    else:
        names = {"test_a_qualified_name_that_no_compiler_makes.<locals>.f.<locals>.resume_in_g": "resume_in_C.g"}
        code = code.replace(co_consts=tuple(names.get(c, c) if type(c) is str else c for c in code.co_consts))
    result = analyze(code)
    assert result.verdict.proven, (result.text, result.verdict.describe())
    assert result.code is not None
    made = types.FunctionType(result.code, {})(1)
    assert (made.__name__, made.__qualname__) == ("resume_in_g", "resume_in_C.g")
    assert made(2)() == (1, 2)


def test_generator_expressions_whose_functions_are_called_here():
    def f(g, x, xs):
        return g((x, y) for y in xs), [xs], g(y for y in xs)

    assert again(f)(list, 1, [2, 3]) == f(list, 1, [2, 3])


def test_a_loop_without_an_iterator_is_refused():
    def f(xs):
        while xs:
            print(xs.pop())

    with pytest.raises(DecompilationError, match=r"loop|iterat"):
        analyze(f.__code__)


def test_constants_without_literals_keep_their_identity():
    marker = object()

    def f():
        return "marker", "marker2"

    code = f.__code__
    code = code.replace(co_consts=tuple((marker, dict) if c == ("marker", "marker2") else c for c in code.co_consts))
    result = analyze(code)
    assert result.verdict.proven
    assert result.code is not None
    value = types.FunctionType(result.code, {})()
    assert value[0] is marker and value[1] is dict
    assert "dict" in result.text


def test_names_that_are_no_identifiers():
    def f(a):
        b = a.attribute
        return g(b)  # noqa: F821

    code = f.__code__
    code = code.replace(co_names=("3", "class"), co_varnames=(".0", "a b"))
    result = analyze(code)
    assert result.verdict.proven, result.verdict.describe()
    assert result.code is not None
    assert set(result.code.co_names) == {"3", "class"}
    assert result.code.co_varnames[0] == ".0"


def test_a_local_variable_with_the_name_of_a_global():
    def f(a):
        b = a
        return c(b)  # noqa: F821

    code = f.__code__.replace(co_varnames=("a", "c"))
    result = analyze(code)
    assert result.verdict.proven, (result.text, result.verdict.describe())
    assert result.code is not None
    assert types.FunctionType(result.code, {"c": lambda x: x + 1})(1) == 2
