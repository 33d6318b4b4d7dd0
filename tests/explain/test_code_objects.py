"""Functions made by code that stands in for Dynamo's have Dynamo's own code objects."""

import types

from depyf.explain.code_objects import same_instructions, with_nested_of


def code_of(body, filename="theirs.py"):
    text = "def f(a, b):\n" + "".join("    {}\n".format(line) for line in body)
    module = compile(text, filename, "exec")
    return next(constant for constant in module.co_consts if isinstance(constant, types.CodeType))


def nested(code):
    return [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]


def test_a_function_alone_of_its_name_is_kept_though_its_text_differs():
    theirs = code_of(["def resume(x): return x + a", "return resume"])
    ours = code_of(["def resume(x):", "    y = x + a", "    return y", "return resume"], "ours.py")
    kept = with_nested_of(ours, theirs)
    assert nested(kept) == nested(theirs) and nested(kept)[0] is nested(theirs)[0]
    assert kept.co_filename == "ours.py" and kept.co_code == ours.co_code
    made = types.FunctionType(kept, {}, "f")(1, 2)
    assert made(5) == 6 and made.__code__.co_filename == "theirs.py"


def test_functions_of_one_name_are_told_apart_by_their_instructions():
    theirs = code_of(["return (lambda x: x + 1), (lambda x: x * 2)"])
    ours = code_of(["double = lambda x: x * 2", "return (lambda x: x + 1), double"], "ours.py")
    kept = with_nested_of(ours, theirs)
    assert {code.co_filename for code in nested(kept)} == {"theirs.py"}
    one, two = types.FunctionType(kept, {}, "f")(0, 0)
    assert (one(5), two(5)) == (6, 10)


def test_of_two_that_differ_neither_is_taken_for_the_other():
    theirs = code_of(["return (lambda x: x + 1), (lambda x: x * 2)"])
    ours = code_of(["return (lambda x: x - 1), (lambda x: x * 2)"], "ours.py")
    kept = with_nested_of(ours, theirs)
    assert sorted(code.co_filename for code in nested(kept)) == ["ours.py", "theirs.py"]
    assert not same_instructions(nested(ours)[0], nested(theirs)[0])


def test_a_function_that_takes_other_cells_or_arguments_is_not_exchanged():
    theirs = code_of(["def g(x): return x + a + b", "return g"])
    for body in (["def g(x): return x + b", "return g"], ["def g(x, y): return x + a + b", "return g"],
                 ["def g(*x): return x + a + b", "return g"]):
        ours = code_of(body, "ours.py")
        assert with_nested_of(ours, theirs) == ours
