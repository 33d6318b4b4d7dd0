"""Code objects whose names no compiler makes, checked by the Python that runs this (test_named_alike.py does)."""

from __future__ import annotations

import builtins
import dis
import types
from typing import Any, Callable

import depyf
from depyf.decompiler.bytecode import load
from depyf.decompiler.proof import Level
from depyf.decompiler.recompile import recompile

UNSEEN = "no callee reads this frame's variables"


def subtract() -> int:
    x = 1
    y = 2
    return x - y


def exchanged() -> int:
    x = 1
    y = 2
    return y - x


def keeps(x: int) -> Callable[[], int]:
    def inner() -> int:
        y = 10
        return x - y

    return inner


def shows() -> dict[str, int]:
    x = 1
    y = 2
    return x and y and locals()


def two(a: int, b: int) -> int:
    return a - b


def hides(x: int) -> Callable[[list[int]], Any]:
    def inner(y: list[int]) -> Any:
        z = x
        return z, [x + 1 for x in y], x

    return inner


def same(code: types.CodeType) -> types.CodeType:
    return code.replace(co_varnames=("v",) * len(code.co_varnames))


def called(code: types.CodeType) -> Any:
    return types.FunctionType(code, {"__builtins__": builtins})()


def test_slots_of_one_name() -> None:
    code = same(subtract.__code__)
    result = depyf.analyze(code)
    assert "v_2 = 2" in result.source and "return v - v_2" in result.source, result.source
    assert result.verdict.level is Level.EQUIVALENT, result.verdict.describe()
    assert "'v'" in result.verdict.describe() and "v_2" in result.verdict.describe()
    again = recompile(result.source, code)
    assert called(again) == called(code) == -1


def test_a_slot_of_that_name_which_nothing_uses() -> None:
    code = two.__code__
    code = code.replace(co_varnames=("a", "b", "a"), co_nlocals=3)
    verdict = depyf.analyze(code).verdict
    assert verdict.level is Level.EQUIVALENT and UNSEEN in verdict.assumptions, verdict.describe()


def test_verify_pairs_slots() -> None:
    one, other = same(subtract.__code__), same(exchanged.__code__)
    assert depyf.verify(one, one).proven and depyf.verify(one, one).level is not Level.EQUIVALENT
    assert not depyf.verify(one, other).proven
    space: dict = {}
    exec(depyf.decompile(one), space)
    text = space["subtract"].__code__
    verdict = depyf.verify(one, text)
    assert verdict.level is not Level.EXACT and verdict.reasons, verdict.describe()
    assert depyf.verify(one, one.replace(co_varnames=("w", "v"))).level is Level.UNPROVEN


def test_parameters_of_one_name_are_never_called_exact() -> None:
    code = same(two.__code__)
    result = depyf.analyze(code)
    assert result.verdict.level in (Level.EQUIVALENT, Level.REFUSED), result.verdict.describe()
    assert not depyf.verify(code, two.__code__).proven


def test_a_variable_named_as_a_free_one() -> None:
    inner = keeps(12)
    code = inner.__code__.replace(co_varnames=("x",))
    result = depyf.analyze(code)
    assert "x_2" in result.source or not result.proven, result.source
    assert result.verdict.level in (Level.EQUIVALENT, Level.REFUSED), result.verdict.describe()
    assert depyf.verify(code, inner.__code__).level is not Level.EXACT


def test_locals_would_show_the_names() -> None:
    code = same(shows.__code__)
    result = depyf.analyze(code)
    if result.proven:
        assert called(recompile(result.source, code)) == called(code)


def test_a_comprehension_may_hide_a_free_variable() -> None:
    code = hides(1).__code__
    result = depyf.analyze(code)
    assert result.proven and result.verdict.level is not Level.EQUIVALENT, result.verdict.describe()
    assert "for x in y" in result.source
    assert not any(part.renamed for part in load(code).walk())


# Names that no source can have


def renamed(code: types.CodeType, names: dict[str, str]) -> types.CodeType:
    """The code and all in it with other names, also where they are constants."""

    def new(value: Any) -> Any:
        if isinstance(value, types.CodeType):
            return renamed(value, names)
        if type(value) is tuple:
            return tuple(map(new, value))
        return ".".join(names.get(part, part) for part in value.split(".")) if type(value) is str else value

    fields = ["co_names", "co_varnames", "co_freevars", "co_cellvars", "co_name", "co_consts"]
    if hasattr(code, "co_qualname"):
        fields.append("co_qualname")
    return code.replace(**{field: new(getattr(code, field)) for field in fields})


def code_of(source: str, **names: str) -> types.CodeType:
    module = compile(source, "<names>", "exec", dont_inherit=True)
    return renamed(next(one for one in module.co_consts if isinstance(one, types.CodeType)), names)


SPELLED = (
    # source, other names, what the text has
    ("def f(a):\n    return x(a)\n", {"x": "if"}, "return if_(a)"),
    ("def f(a):\n    return a.x\n", {"x": "a b"}, "return a.a_b"),
    ("def f(a):\n    a.x = 1\n    del a.y\n", {"x": "", "y": "3"}, "a.name = 1"),
    ("def f(x):\n    return x\n", {"x": ""}, "def f(name):"),
    ("def f(x, *y, z, **k):\n    return x, y, z, k\n", {"z": "class", "k": "a-b"}, "*y, class_, **a_b"),
    ("def f():\n    global x\n    x = 1\n    del x\n", {"x": "@x"}, "global x\n"),
    ("def f(a):\n    return a(x=1, y=2)\n", {"x": "with", "y": "4"}, "a(with_=1, name_4=2)"),
    ("def f():\n    import x as y\n    from m import z\n    return y\n", {"x": "a-b", "z": "None"}, "import a_b as y"),
    ("def f():\n    import x.y as z\n    return z\n", {"y": "in"}, "import x.in_ as z"),
    ("def f():\n    x = 1\n    return lambda: x\n", {"x": "\ufb01"}, "lambda: fi"),
    ("def f():\n    def x(): pass\n    return x\n", {"x": "def"}, "def def_():"),
    ("def f():\n    class x: y = 1\n    return x\n", {"x": "is", "y": "not"}, "class is_:"),
    ("def x(): pass\n", {"x": "while"}, "def while_():"),
    ("def f():\n    return x\n", {"x": "__debug__"}, "return debug"),
    ("def f(a):\n    a.x = 1\n", {"x": "__debug__"}, "a.debug = 1"),
    ("class C:\n    def f(self): return self.x, y\n", {"x": "__a", "y": "__b"}, "return self.a, b"),
    ("class C:\n    def f(self): return self.__x\n", {"_C__x": "_D__x"}, "return self._D__x"),
)


def check_spelling(source: str, names: dict[str, str], text: str) -> None:
    code = code_of(source, **names)
    result = depyf.analyze(code)
    words = " ".join(part.verdict.describe() for part in result.walk())
    assert result.proven and text in result.source, (result.source, words)
    meant = [name for name in names.values() if ascii(name) in words]
    if "_D__x" in names.values():  # any class can have it
        assert not meant and result.verdict.level is not Level.EQUIVALENT, words
        return
    assert meant == list(names.values()), words
    assert Level.EQUIVALENT in {part.verdict.level for part in result.walk()}
    head = result.source.partition("\nclass" if "class C" in source else "\ndef")[0]
    assert all(ascii(name) in head for name in meant)
    space: dict = {}
    exec(result.source, space)
    if code.co_flags & 1:  # a function
        again = recompile(result.source, code)
        assert depyf.verify(code, again).proven, depyf.verify(code, again).describe()
        assert again.co_varnames == code.co_varnames and set(again.co_names) == set(code.co_names)
        own = next(one for one in space.values() if isinstance(one, types.FunctionType))
        verdict = depyf.verify(code, own.__code__)
        assert verdict.level is not Level.EXACT and verdict.reasons, verdict.describe()


def test_spellings() -> None:
    for source, names, text in SPELLED:
        check_spelling(source, names, text)


def test_an_attribute_that_is_read_may_be_called_debug() -> None:
    result = depyf.analyze(code_of("def f(a):\n    return a.x\n", x="__debug__"))
    assert result.proven and "a.__debug__" in result.source and result.verdict.level is not Level.EQUIVALENT


def test_a_text_is_no_name() -> None:
    """Where the keyword's name is a value too, changing one would change the other."""
    code = code_of("def f(a):\n    return a(x=1), ('x',)\n", x="a b")
    result = depyf.analyze(code)
    assert not result.proven or "('a b',)" in result.source, result.source


MODULE = """
import builtins as py_builtins
import m.rewrite as pytest_ar

def test(a):
    py_assert1 = a.b
    if not py_assert1:
        raise AssertionError(pytest_ar.f({'py1': pytest_ar.g(py_assert1) if 'a' in py_builtins.locals() else 'a'}))
    py_assert1 = None

class Test:
    def test(self):
        py_assert1 = self.c
        return py_assert1, pytest_ar
"""


def test_a_module_that_pytest_has_rewritten() -> None:
    names = {name: "@" + name for name in ("py_builtins", "pytest_ar", "py_assert1")}
    code = renamed(compile(MODULE, "test_m.py", "exec", dont_inherit=True), names)
    result = depyf.analyze(code)
    assert result.proven, [(part.qualname, part.verdict.describe()) for part in result.walk()]
    assert result.source.startswith("# Names that no source can have here: ")
    assert "py_assert1" in result.source and "'@pytest_ar'" in result.source
    compile(result.source, "<text>", "exec")
    verdicts = {part.qualname: part.verdict.level for part in result.walk()}
    assert verdicts["test"] is verdicts["<module>"] is Level.EQUIVALENT
    assert not any(UNSEEN in part.verdict.assumptions for part in result.walk())
    again = recompile(result.source, code)
    assert again.co_names == code.co_names
    verdict = depyf.verify(code, again)
    assert verdict.proven and verdict.level is not Level.EQUIVALENT, verdict.describe()


def test_a_module_of_one_function() -> None:
    """What `recompile` gives is the module, not the function in it."""
    code = renamed(compile("def f(a, b):\n    return x(a, b)\n", "m.py", "exec", dont_inherit=True), {"x": "if"})
    again = recompile(depyf.analyze(code).source, code)
    space: dict = {"if": max, "__builtins__": builtins}
    exec(again, space)
    assert space["f"](3, 5) == 5
    assert depyf.verify(code, again).proven


def requalified(code: types.CodeType, old: str, new: str) -> types.CodeType:
    """``code`` with another qualified name for what is in it: the code's own, or what MAKE_FUNCTION takes."""

    def changed(value: Any) -> Any:
        if isinstance(value, types.CodeType) and hasattr(value, "co_qualname"):
            return value.replace(co_qualname=new) if value.co_qualname == old else value
        return new if value == old else value

    return code.replace(co_consts=tuple(map(changed, code.co_consts)))


def test_a_qualified_name_that_no_text_gives() -> None:
    module = compile("def f(a, b):\n    def g(): return a\n    return g, b\n", "m.py", "exec", dont_inherit=True)
    for new in ("", "g", "<lambda>"):
        code = requalified(module, "f", new)
        result = depyf.analyze(code)
        verdict = result.nested[0].verdict
        assert verdict.level is Level.EQUIVALENT and "own qualified name" in verdict.describe(), verdict.describe()
        space: dict[str, Any] = {}
        exec(recompile(result.source, code), space)
        assert space["f"].__qualname__ == new
        function = next(one for one in module.co_consts if isinstance(one, types.CodeType))
        code = requalified(function, "f.<locals>.g", new)
        inner = depyf.analyze(code).nested[0].verdict
        assert inner.level is Level.EQUIVALENT and "put back" in inner.reasons[0], inner.describe()
        again = types.FunctionType(recompile(depyf.decompile(code), code), {})
        assert again(1, 2)[0].__qualname__ == new


def test_a_function_called_lambda() -> None:
    fields = {name: "<lambda>" for name in ("co_name", "co_qualname") if hasattr(two.__code__, name)}
    code = subtract.__code__.replace(**fields)
    result = depyf.analyze(code)
    assert "\ndef lambda_" in result.source and result.verdict.level is Level.EQUIVALENT
    assert "put back" in result.verdict.describe()
    assert recompile(result.source, code).co_name == "<lambda>"
    assert depyf.analyze((lambda a: a).__code__).verdict.level is not Level.EQUIVALENT


# Names of code objects, which say nothing about what they are

EVERY_KIND = """
def deco(f): return f
class A:
    x = [i for i in range(3)]
    def __private(self, k=lambda: 1): return (self, k())
    def m(self): return sorted([(a, b) for a in (1, 2) for b in {c for c in (a, a)}]), {k: v for k, v in [(1, 2)]}
    class B:
        def z(self): return self.__class__.__name__
@deco
@deco
def outer(n):
    global shared
    def shared(): return n
    def inner(): return n
    y = lambda q: (lambda: q)
    @deco(lambda one: one)
    def decorated(): return n, y
    z = {(lambda w: deco)([w for w in range(n)])(lambda: None)()}
    return inner(), y(3)(), list(g for g in 'ab'), [w for w in range(n)], decorated()[0]
async def co(): return [x async for x in z]
r = outer(3)[:5], A().m(), A.B().z(), A.x, A()._A__private()[1], shared()
"""
LIES = (
    "a", "", "class", "x y", "\udc80", "\ufb01", "a.b.c\n", "<module>", "<lambda>", "<listcomp>", "<genexpr>",
    "<generic parameters of x>", "__annotate__", "A",
)  # fmt: skip


def code_objects(code: types.CodeType) -> list[types.CodeType]:
    inside = [code_objects(value) for value in code.co_consts if isinstance(value, types.CodeType)]
    return [code, *(one for found in inside for one in found)]


def called_otherwise(code: types.CodeType, name_of: Callable[[types.CodeType], str]) -> types.CodeType:
    consts = [
        called_otherwise(value, name_of) if isinstance(value, types.CodeType) else value for value in code.co_consts
    ]
    names: dict[str, Any] = {field: name_of(code) for field in ("co_name", "co_qualname") if hasattr(code, field)}
    return code.replace(co_consts=tuple(consts), **names)


def own_names(code: types.CodeType) -> list[tuple[str, str]]:
    return [(one.co_name, getattr(one, "co_qualname", "")) for one in code_objects(code)]


def check_other_names(name_of: Callable[[types.CodeType], str]) -> None:
    """The text is that of the code with its own names; the verdicts say which are put back, and they are."""
    code = compile(EVERY_KIND, "m.py", "exec", dont_inherit=True)
    other = called_otherwise(code, name_of)
    result = depyf.analyze(other)
    assert result.proven, [(part.qualname, part.verdict.describe()) for part in result.walk()]
    for line in ("class A:", "    class B:", "def outer(n):", "async def co():", "    global shared"):
        assert f"{line}\n" in result.source, result.source
    for part, plain in zip(result.walk(), depyf.analyze(code).walk()):
        is_said = any(f"{how} {part.name!a}" in part.verdict.describe() for how in ("own name,", "is"))
        assert is_said or part.name in (plain.name, "<lambda>"), (part.name, part.verdict.describe())
        assert part.verdict.level is Level.EQUIVALENT or part.name in (plain.name, "<lambda>"), part.name
    again = recompile(result.source, other)
    assert own_names(again) == own_names(other)
    assert depyf.verify(other, again).proven
    spaces: list[dict[str, Any]] = [{}, {}]
    exec(again, spaces[0])
    exec(code, spaces[1])
    assert spaces[0]["r"] == spaces[1]["r"]


def without_comments(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("#")]


def test_one_name_for_everything() -> None:
    for lie in LIES:
        check_other_names(lambda code, lie=lie: lie)


def test_a_name_for_each() -> None:
    check_other_names(lambda code: f"f{code.co_firstlineno}_{len(code.co_code)}")
    check_other_names(lambda code: code.co_name[::-1])


def test_a_lambda_has_no_annotations() -> None:
    module = compile("def f(a: int): return a\ng = lambda a: a\n", "m.py", "exec", dont_inherit=True)
    code = called_otherwise(module, lambda code: "<lambda>" if code.co_name == "f" else code.co_name)
    result = depyf.analyze(code)
    assert result.proven and "def f(a: int):" in result.source and "g = lambda a: a" in result.source, result.source


def test_methods_of_one_expression_are_no_lambdas() -> None:
    """Their class makes no cell for the names that annotations need where these are text."""
    for future in ("", "from __future__ import annotations\n"):
        source = f"{future}class C:\n    def f(self): return self\n    @property\n    def g(self): return 1\n"
        result = depyf.analyze(compile(source, "m.py", "exec", dont_inherit=True))
        assert result.proven and not any(one.text.own for one in result.walk()), result.source
        assert "def f(self):" in result.source and "def g(self):" in result.source


def test_a_module_is_what_has_no_locals() -> None:
    for name in ("<cell line: 1>", "<template>", "_fn0_0", "A"):
        code = compile("x = 1\ndef f(): return x\n", "m.py", "exec", dont_inherit=True).replace(co_name=name)
        result = depyf.analyze(code)
        assert result.proven and without_comments(result.source)[0] == "x = 1", result.source
        assert recompile(result.source, code).co_name == name


CLASSES = """
class A:
    "A class"
    class B(dict): x = 1
    def f(self): return [i for i in self.g()]
    def g(self): return (1, "C")
class C(A): pass
def h():
    class D: pass
    return D
r = A().f(), C.__name__, A.B.__qualname__, h().__name__, h().__qualname__
"""


def stored_otherwise(code: types.CodeType, names: dict[str, str]) -> types.CodeType:
    """``code`` with other names of variables and attributes: functions and classes get the same names as before."""
    return code.replace(
        co_names=tuple(names.get(name, name) for name in code.co_names),
        co_varnames=tuple(names.get(name, name) for name in code.co_varnames),
        co_consts=tuple(
            stored_otherwise(one, names) if isinstance(one, types.CodeType) else one for one in code.co_consts
        ),
    )


def test_definitions_stored_under_another_name() -> None:
    for names in (
        {"A": "_n0", "B": "_n1", "C": "_n2", "D": "_n3", "f": "_n4", "g": "_n5", "h": "_n6"},
        {"A": "C", "C": "A", "f": "class", "g": "<lambda>"},
        {"A": "__x", "f": "__y", "D": "a b", "h": ""},
    ):
        code = stored_otherwise(compile(CLASSES, "m.py", "exec", dont_inherit=True), names)
        result = depyf.analyze(code)
        assert result.proven, [(part.qualname, part.verdict.describe()) for part in result.walk()]
        assert result.verdict.level is Level.EQUIVALENT, result.verdict.describe()
        again = recompile(result.source, code)
        assert own_names(again) == own_names(code) and depyf.verify(code, again).proven
        spaces: list[dict[str, Any]] = [{}, {}]
        exec(again, spaces[0])
        exec(code, spaces[1])
        assert spaces[0]["r"] == spaces[1]["r"] == ([1, "C"], "C", "A.B", "D", "h.<locals>.D")


def test_two_classes_under_one_name() -> None:
    """One text can't mean two names: what can't be put back is refused."""
    text = "class A: pass\nr = A.__name__\nclass B: pass\nr += B.__name__\n"
    code = stored_otherwise(compile(text, "m.py", "exec", dont_inherit=True), {"A": "B"})
    result = depyf.analyze(code)
    if result.proven:
        space: dict[str, Any] = {}
        exec(recompile(result.source, code), space)
        assert space["r"] == "AB"
    assert result.proven or "stored elsewhere" in result.verdict.describe()


def test_a_comprehension_alone_is_told_by_its_instructions() -> None:
    for code in code_objects(compile("[[y for y in x] for x in (z for z in a)]", "m.py", "eval"))[1:]:
        for name in ("f", "<lambda>", "<module>"):
            result = depyf.analyze(code.replace(co_name=name))
            assert result.source.split(" for ")[1:], result.source
            assert result.verdict.level is Level.EQUIVALENT, result.verdict.describe()
            assert f"its own name, {name!r}" in result.verdict.describe(), result.verdict.describe()


def test_super_where_the_module_has_a_variable_of_that_name() -> None:
    """It is then called as any other global, also in the text of one method."""
    text = "class A(B):\n    def f(self, x):\n        return super().f(x)\n"
    for more in ("", "other = super\n"):
        (code,) = (one for one in code_objects(compile(text + more, "m.py", "exec")) if one.co_name == "f")
        result = depyf.analyze(code)
        assert result.verdict.proven and "super().f(x)" in result.source, result.verdict.describe()


def test_junk_behind_the_end() -> None:
    for junk in ("POP_TOP", "NOP", "RETURN_VALUE"):
        code = compile("def f(x):\n    yield x\n    return [y for y in x]\n", "m.py", "exec", dont_inherit=True)
        inner = next(one for one in code.co_consts if isinstance(one, types.CodeType))
        behind = bytes([dis.opmap[junk], 0, dis.opmap["RETURN_VALUE"], 0])
        longer = inner.replace(co_code=inner.co_code + behind)
        consts = tuple(longer if one is inner else one for one in code.co_consts)
        result = depyf.analyze(code.replace(co_consts=consts, co_code=code.co_code + behind))
        assert all(part.proven for part in result.walk()), [part.verdict.describe() for part in result.walk()]


def test_a_variable_called_like_a_global_of_the_same_code() -> None:
    code = compile("def f(a):\n    return lambda: (a, b)\n", "m.py", "exec", dont_inherit=True)

    def clashing(one: types.CodeType) -> types.CodeType:
        consts = [clashing(it) if isinstance(it, types.CodeType) else it for it in one.co_consts]
        names = tuple("a" if name == "b" else name for name in one.co_names)
        return one.replace(co_consts=tuple(consts), co_names=names)

    code = clashing(code)
    result = depyf.analyze(code)
    assert all(part.proven for part in result.walk()), result.verdict.describe()
    space: dict[str, Any] = {"a": 2}
    exec(recompile(result.source, code), space)
    assert space["f"](1)() == (1, 2)


def main() -> None:
    for name, check in sorted(globals().items()):
        if name.startswith("test_"):
            check()
            print(name)


if __name__ == "__main__":
    main()
