"""Programs that cost their author a line: name -> (size, source of that size). Each is tried four times as large."""

from __future__ import annotations

from typing import Callable, Dict, List, Tuple

Bomb = Tuple[int, Callable[[int], str]]
BOMBS: Dict[str, Bomb] = {}


def bomb(size: int) -> Callable[[Callable[[int], str]], Callable[[int], str]]:
    def remember(make: Callable[[int], str]) -> Callable[[int], str]:
        BOMBS[make.__name__] = size, make
        return make

    return remember


def function(lines: List[str]) -> str:
    return "def f(x):\n" + "".join(f"    {line}\n" for line in lines)


def repeated(count: int, *lines: str) -> List[str]:
    return [line.replace("@", str(number)) for number in range(count) for line in lines]


@bomb(200)
def tries_in_a_module(n: int) -> str:
    return "try:\n    x = 1\nexcept E:\n    y = 1\nfinally:\n    z = 1\n" * n


@bomb(200)
def tries_in_a_function(n: int) -> str:
    return function(repeated(n, "try:", "    x = g()", "except E:", "    y = 1", "finally:", "    z = 1"))


@bomb(30)
def tries_within_each_other(n: int) -> str:
    lines = [f"{'    ' * depth}try:" for depth in range(6)] + ["    " * 6 + "g()"]
    for depth in reversed(range(6)):
        lines += ["    " * depth + line for line in ("except E:", "    h()", "finally:", "    k()")]
    return function(lines * (n // 6))


@bomb(100)
def returns_through_finally(n: int) -> str:
    return function(repeated(n, "try:", "    if a@: return b@", "finally:", "    g()"))


@bomb(150)
def with_statements(n: int) -> str:
    return function(repeated(n, "with b@ as c:", "    if x: return g()", "    h()"))


@bomb(300)
def handlers_of_one_statement(n: int) -> str:
    return function(["try:", "    g()", *repeated(n, "except E@ as e:", "    h(@)")])


@bomb(2000)
def one_line(n: int) -> str:
    return "; ".join(f"x = g(x, {number % 9})" for number in range(n)) + "\n"


@bomb(2000)
def one_call(n: int) -> str:
    return f"x = g({', '.join('x' for _ in range(n))})\n"


@bomb(300)
def decorators(n: int) -> str:
    return "@d(1)\n" * n + "def f(): pass\n"


@bomb(400)
def keyword_only_parameters(n: int) -> str:
    return f"def f(*, {', '.join(f'a{number}: int={number}' for number in range(n))}): pass\n"


@bomb(300)
def parts_of_a_formatted_string(n: int) -> str:
    return "x = f'" + "{y:{z}}a{{" * n + "'\n"


@bomb(300)
def jumps_in_a_loop(n: int) -> str:
    return function(["for i in x:", *repeated(n, "    if a@: continue", "    if b@: break"), "    g()"])


@bomb(400)
def conditions(n: int) -> str:
    return "x = " + " ".join(f"a{number} {'and' if number % 2 else 'or'}" for number in range(n)) + " a\n"


@bomb(300)
def comparisons(n: int) -> str:
    return function([f"while {' < '.join('a' * n)}:", "    g()"])


@bomb(200)
def folded_numbers(n: int) -> str:
    return "".join(f"y = 1<<{100 + number % 20}\nz = 2**{60 + number % 60}\n" for number in range(n))


@bomb(500)
def large_numbers(n: int) -> str:
    return f"x = [{','.join(hex(16**300 + number) for number in range(n))}, y]\n"


@bomb(3000)
def one_large_number(n: int) -> str:
    return f"x = 0x{'f7' * n}\n"


@bomb(3000)
def a_large_tuple(n: int) -> str:
    return f"x = ({','.join(str(number * 7) for number in range(n))})\n"


@bomb(3000)
def a_large_set(n: int) -> str:
    return "x in {" + ",".join(str(number * 7) for number in range(n)) + "}\n"


@bomb(300)
def functions(n: int) -> str:
    return "def f(a): return a\n" * n


@bomb(100)
def classes(n: int) -> str:
    return "".join(f"class C{number}(A):\n    b: int = 0\n    def g(self): return super().g()\n" for number in range(n))


@bomb(400)
def imports(n: int) -> str:
    return "".join(f"import a{number}.b as c\n" for number in range(n))


@bomb(300)
def stores_and_deletions(n: int) -> str:
    return function(repeated(n, "x.a[b] += @", "del x.a, x[@], y"))


@bomb(500)
def blank_lines(n: int) -> str:
    return ("x = 1\n" + "\n" * 100) * n


@bomb(300)
def closures(n: int) -> str:
    return "def f(a):\n" + "".join(f"    def g{number}():\n        nonlocal a; a = {number}\n" for number in range(n))


def _string(name: str, unit: str) -> None:
    def make(n: int) -> str:
        text = unit * n
        return f"x = {text!a}\ndef f():\n    {text!a}\n"

    BOMBS[f"string_of_{name}"] = 20_000, make


for _name, _unit in {
    "quotes_and_nuls": "'\"\0", "quotes": "'\"", "triple_quotes": "'''\"\"\"", "nuls": "\0", "backslashes": "\\",
    "newlines": "\n", "lines": "a\n'", "controls": "\r\n\t\x0c", "wide": "\U0001f600\u202e", "surrogates": "\ud800a",
    "braces": "{}%s",
}.items():  # fmt: skip
    _string(_name, _unit)
