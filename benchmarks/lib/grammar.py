"""Python's grammar since 3.8 as templates, and programs that put each construct into each place.

A template has holes: ``$e`` an expression, ``$l`` what may be starred, ``$i`` what may stand in a subscript, ``$t`` a
target, ``$g`` a target of ``+=``, ``$d`` of ``del``, ``$p`` a pattern, ``$s`` statements (on a line of its own). What a
version can't compile is no program there: its own compiler is asked, nothing here knows versions.

`programs` enumerates each construct in each scope, then each construct in each hole of each other one, in a scope that
the seed chooses. Programs are compiled and never run.
"""

from __future__ import annotations

import io
import itertools
import random
import re
import tokenize
from typing import Dict, Iterator, List, NamedTuple, Sequence, Tuple

EXPRESSIONS = (
    # literals and names
    "x", "__debug__", "0", "-1", "1.5", "-0.0", "2j", "1 << 70", "'s'", "b's'", "'s' 't'", "None", "...", "True",
    "()", "[]", "{}", "(1, 2)", "[1, 2]", "[1, 2, 3]", "{1, 2, 3}", "{'k': 1, 'l': 2}", "(1, (2, 'm'), None)",
    # operators
    "$e + $e", "$e @ $e", "$e ** $e", "$e % $e", "1 + $e * 2", "-$e", "~$e", "not $e", "$e and $e", "$e or $e",
    "$e and $e or $e", "($e or $e) and $e", "not ($e and $e)", "$e < $e", "$e < $e <= $e", "$e is not $e",
    "$e not in $e", "$e in [1, 2]", "$e in {1, 2}", "$e is None", "$e == $e != $e == $e", "$e if $e else $e",
    "$e if $e and $e else $e", "(x := $e)", "(y := $e) and y",
    # primaries
    "$e.n", "$e[$i]", "$e[$i][$i]", "x.m($e)", "x.m(*$e, **$e)", "$e.m(k=$e)", "$e()", "x($e, $e)", "x($e, k=$e, l=$e)",
    "x(*$e)", "x(*$e, $e, *$e)", "x(**$e)", "x(k=$e, **$e, l=$e)", "x($e, *$e, k=$e, **$e)", "x($e for y in $e)",
    "super().m($e)", "super().n", "super(x, y).n", "__class__", "locals()",
    # displays
    "($e,)", "($e, $e)", "[$e]", "[$e, $e]", "{$e, $e}", "{$e: $e}", "{'k': $e, 'l': $e}", "{$e: $e, **$e}",
    "{**$e, $e: $e}", "(*$e, $e)", "[*$e, $e, *$e]", "[1, *$e]", "{*$e, $e}", "[$e, 1, 2, 3]",
    # comprehensions
    "[$e for y in $e]", "{$e for y in $e}", "{$e: $e for y in $e}", "($e for y in $e)", "[$e for y in $e if $e]",
    "[$e for y in $e if $e if not $e]", "[$e for y in $e if $e and $e or $e]", "[$e for y in $e for z in $e]",
    "[$e for y in $e for z in [$e] if $e]", "[$e for y, (*z, w) in $e]", "[$e for x in x if x]", "[$e for y.n in $e]",
    "[y for y[$e] in $e]", "[$e async for y in $e]", "($e async for y in $e if $e)", "{$e: await $e for y in $e}",
    "(await $e for y in $e)", "[x := $e for y in $e]", "[$e for y in $e if (z := $e)]", "[*$e for y in $e]",
    "{*$e for y in $e}", "{**$e for y in $e}", "(*$e for y in $e)", "[*$e async for y in $e if $e]",
    "((yield) for y in $e)", "[lambda: ($e, y) for y in $e]",
    # functions
    "lambda: $e", "lambda x: $e", "lambda x, y=$e: (x, $e)", "lambda x, /, y=$e, *z, w=$e, **v: $e", "lambda *, x: $e",
    "lambda: lambda: (x, $e)", "lambda: (yield $e)", "(yield)", "(yield $e)", "(yield *$e, $e)", "(yield from $e)",
    "await $e",
    # strings
    "f'{$e}'", "f'a{$e!r}b{$e:>3}'", "f'{$e=}'", "f'{$e = !s:>4}'", "f'{$e:{$e}.{$e}}'", "f'{$e!a:%Y-{$e}}'",
    "f'{{{$e}}}'", "f'{$e}' 'b' f'{$e}'", "f'{f\"{$e}\"}'", "f'{f'{$e}'}'", "f'{'\\n'}{$e}'", "f'{\n$e\n}'",
    "rf'\\d{$e}'",
    "f'''a\n{$e:\n>3}'''", "'%s, %r' % ($e, $e)", "'%5d%%' % $e", "'a' f''", "''.join($e)",
    "t'{$e}'", "t'a{$e!r:>{$e}}b'", "t'{$e=}'", "t'{t'{$e}'}' t'b'", "f'{t'{$e}'}'",
)  # fmt: skip
LISTS = ("*$e,", "*$e, $e", "$e, *$e", "$e, $e", "*[1, 2], $e")
INDEXES = (
    "$e:$e", ":", "::$e", "$e::", "$e:$e:$e", "1:2", "$e:$e, $e", "$e,", "*$e", "*$e, $e", "$e, *$e", "$e:$e, *$e",
    "x := $e", "1, 2", "(1, 2):None", "...,",
)  # fmt: skip
TARGETS = (
    "x", "$e.n", "$e[$i]", "x, y", "x,", "(x, [y, z])", "x, *y", "*x, y", "[*x]", "x, (y, *z), w", "$e.n, $e[$i]",
    "()", "[x, $e.n, *$e[$i]]",
)  # fmt: skip
AUGMENTED = ("x", "$e.n", "$e[$i]", "x[$e:$e]")
DELETED = ("x", "$e.n", "$e[$i]", "(x, y)", "[x, $e.n]", "$e[$i], $e.n", "(x, (y, z))", "()")
PATTERNS = (
    "1", "-1", "1 + 2j", "'a' 'b'", "b'a'", "None", "True", "x", "_", "x.y", "x.y.z", "$p | $p", "1 | 2 | None",
    "$p as x", "[]", "[$p]", "[$p, $p]", "($p, $p)", "$p, *_", "[$p, *x]", "[*x, $p]", "[$p, *_, $p]", "[*_]", "{}",
    "{'k': $p}", "{'k': $p, **x}", "{x.y: $p, 1: $p}", "{**x}", "C()", "C($p)", "C($p, k=$p)", "C(k=$p, l=$p)",
    "x.C($p)", "(1 | 2) as x", "[1, [2, $p]]", "C($p) | [$p]", "f.d | 'x'",
)  # fmt: skip
SIMPLE = (
    "$e", "x = $e", "$t = $e", "$t = $t = $e", "x = $l", "x, y = $e, $e", "x, y, z = $e, $e, $e", "x, y = y, x",
    "$g += $e", "$g @= $l", "$g **= $e", "x: $e", "x: $e = $e", "(x): $e = $e", "x: $e = $l", "$e.n: $e = $e",
    "$e.n: $e", "$e[$e]: $e = $e", "$e[$e]: $e", "self.x: list[x] = []",
    "return", "return $e", "return $l", "return x if $e else None", "yield $e", "yield", "x = yield", "x = yield $l",
    "x = yield from $e", "await $e", "x = await $e", "del $d", "del $d, $d", "assert $e", "assert $e, $e",
    "raise", "raise $e", "raise $e from $e", "raise x from None", "pass", "break", "continue", "...", "'text'",
    "x = y = []", "__slots__ = ('x',)", "__annotations__",
    "global x", "global x; x = $e", "nonlocal x", "nonlocal x; x = $e", "global x; del x", "global C\nclass C: pass",
    "global f\ndef f(): return f", "global x\nimport x.y", "global x\nx: int = 1",
    "import m", "import m.n", "import m.n as x", "import m, n.o", "from m import x", "from m import x as y, z",
    "from . import x", "from ..m import x", "from m import *", "import x.y.z as x", "lazy import m", "lazy import m.n",
    "lazy import m.n as x", "lazy from m import x", "lazy from . import x as y", "lazy import m, n",
    "type X = $e", "type X[T] = $e", "type X[T, *U, **P] = x[T, *U, P]", "type X[T: $e] = $e",
    "type X[T: ($e, int)] = T",
    "type X[T = $e] = $e", "type X[T: $e = $e, *U = *$e, **P = [$e]] = $e", "type X[T: X] = X[T]",
)  # fmt: skip
COMPOUND = (
    "if $e:\n    $s", "if $e:\n    $s\nelse:\n    $s", "if $e:\n    $s\nelif $e:\n    $s",
    "if $e:\n    $s\nelif $e:\n    $s\nelse:\n    $s", "if not $e:\n    $s\n$s", "if $e and $e or $e:\n    $s",
    "if $e:\n    pass\nelse:\n    $s", "if $e:\n    if $e:\n        $s\n    else:\n        $s",
    "if False:\n    $s", "if False:\n    $s\nelse:\n    $s", "if __debug__:\n    $s",
    "if not __debug__:\n    $s\nelse:\n    $s", "if (x := $e):\n    $s", "if 0 and $e:\n    $s",
    "while $e:\n    $s", "while $e:\n    $s\nelse:\n    $s", "while True:\n    $s", "while not $e:\n    $s\n    $s",
    "while 0:\n    $s", "while True:\n    if $e:\n        break\n    $s", "while $e or $e:\n    $s\n    continue",
    "for x in $e:\n    $s", "for $t in $e:\n    $s\nelse:\n    $s", "for x in $l:\n    $s\n    $s",
    "for x in $e:\n    if $e:\n        continue\n    $s", "for x in $e:\n    if $e:\n        break\nelse:\n    $s",
    "for x in [1, 2]:\n    $s", "for x in (y for y in $e):\n    $s", "for x in $e:\n    for y in $e:\n        $s",
    "async for $t in $e:\n    $s", "async for x in $e:\n    $s\nelse:\n    $s",
    "with $e:\n    $s", "with $e as $t:\n    $s", "with $e as x, $e as y:\n    $s", "with ($e as x, $e as y,):\n    $s",
    "with ($e, $e):\n    $s", "with $e, $e:\n    $s\n    $s", "async with $e:\n    $s",
    "async with $e as $t, $e:\n    $s", "async with ($e as x, $e as y):\n    $s",
    "try:\n    $s\nexcept:\n    $s", "try:\n    $s\nexcept $e:\n    $s", "try:\n    $s\nexcept $e as x:\n    $s",
    "try:\n    $s\nexcept ($e, $e):\n    $s\nexcept:\n    $s", "try:\n    $s\nexcept x as y:\n    $s\nelse:\n    $s",
    "try:\n    $s\nfinally:\n    $s", "try:\n    $s\nexcept x:\n    $s\nfinally:\n    $s",
    "try:\n    $s\nexcept x as y:\n    $s\nelse:\n    $s\nfinally:\n    $s", "try:\n    $s\nexcept x, y:\n    $s",
    "try:\n    $s\nexcept $e, $e:\n    $s\nexcept (z, w) as v:\n    $s", "try:\n    $s\nexcept x:\n    raise\n$s",
    "try:\n    $s\nexcept* $e:\n    $s", "try:\n    $s\nexcept* $e as x:\n    $s\nexcept* y:\n    $s",
    "try:\n    $s\nexcept* x, y:\n    $s\nelse:\n    $s\nfinally:\n    $s",
    "try:\n    try:\n        $s\n    finally:\n        $s\nfinally:\n    $s",
    "match $e:\n    case $p:\n        $s", "match $e:\n    case $p if $e:\n        $s\n    case _:\n        $s",
    "match $l:\n    case $p:\n        $s\n    case $p:\n        $s",
    "match x.y:\n    case 1:\n        $s\n    case $p:\n        $s",
    "match x, $e:\n    case ($p, $p):\n        $s\n    case y:\n        $s",
    "def f():\n    $s", "def f(x=$e, /, *y, z=$e, **w):\n    $s", "def f(x: $e, *y: $e, z: $e = $e) -> $e:\n    $s",
    "def f(*x: *$e):\n    $s", "@$e\ndef f(x):\n    $s", "@$e\n@$e\nclass C:\n    $s", "@(x := $e)\ndef f(): $s",
    "def f(x):\n    'doc'\n    $s", "def f(x):\n    yield\n    $s", "def f(x):\n    return lambda: (x, y)\n    $s",
    "def f(x):\n    global y\n    $s", "def f(x):\n    def g():\n        nonlocal x\n        $s\n    $s",
    "async def f():\n    $s", "async def f(x: $e = $e):\n    yield x\n    $s", "@$e\nasync def f(*x):\n    $s",
    "def f[T]():\n    $s", "def f[T](x: T = $e) -> $e:\n    $s", "def f[T: $e, *U, **P](*x: *U) -> x[P]:\n    $s",
    "def f[T: ($e, $e)](x, *, y=$e):\n    $s", "def f[T = $e, *U = *$e, **P = [$e]](x: $e):\n    $s",
    "@$e\ndef f[T: T](x: T):\n    y: T = x\n    $s", "async def f[T](x: T = $e):\n    $s",
    "class C:\n    $s", "class C($e, k=$e):\n    $s", "class C(*$e, **$e):\n    $s",
    "@$e\nclass C(x):\n    'doc'\n    $s",
    "class C:\n    x: $e = $e\n    y: $e\n    $s", "class C:\n    def m(self):\n        super().m()\n        $s",
    "class C:\n    x = 1\n    if x:\n        z: x\n    $s", "class C:\n    nonlocal x\n    $s",
    "class C:\n    global x\n    $s",
    "class C[T]:\n    $s", "class C[T](x[T], k=$e):\n    y: T\n    $s", "class C[T: $e = $e, *U]($e):\n    $s",
    "@$e\nclass C[T: ($e, int)]:\n    def m(self: T):\n        $s", "class C[T]:\n    type X[U] = x[T, U]\n    $s",
    "class C[T]:\n    def m[U: T](self, x: U = $e):\n        self.x: T = x\n        $s",
    "$s\n$s", "return $e\n$s", "raise x\n$s", "x: $e\n$s", "del x\n$s\nx",
)  # fmt: skip
STATEMENTS = SIMPLE + COMPOUND

SCOPES = (
    "$s", "def f(x, y):\n    $s", "async def f(x, y):\n    $s", "def f(x):\n    yield x\n    $s",
    "async def f(x):\n    yield x\n    $s", "class C:\n    $s", "class C(x):\n    def m(self, x):\n        $s",
    "def f(x):\n    class C(y):\n        $s", "def f():\n    x = y = 1\n    def g(z):\n        $s",
    "def f():\n    x = y = 1\n    def g(z):\n        nonlocal x, y\n        $s", "def f():\n    global x, y\n    $s",
    "def f(x, y):\n    def g():\n        return x, y\n    $s", "def f[T](x: T, y):\n    $s",
    "async def f[T](x: T):\n    $s", "class C[T]:\n    $s",
    "class C[T](x):\n    def m[U](self, x: U) -> T:\n        $s",
    "class C:\n    class D[T](y):\n        $s", "def f(x):\n    for y in x:\n        $s",
    "async def f(x):\n    async for y in x:\n        $s", "def f(x):\n    while x:\n        $s\n    return y",
    "def f(x):\n    try:\n        $s\n    finally:\n        y()",
    "def f(x):\n    try:\n        y()\n    finally:\n        $s",
    "def f(x):\n    for y in x:\n        try:\n            x()\n        except y as z:\n            $s",
    "def f(x):\n    with x as y:\n        $s", "async def f(x):\n    async with x:\n        $s",
    "def f(x):\n    if x:\n        $s\n    else:\n        y()",
    "def f(x):\n    match x:\n        case [y, *z]:\n            $s",
    "if x:\n    $s\nz: int", "class C:\n    if x:\n        $s\n    z: int = 1",
    "def f(x):\n    if False:\n        $s\n    return y",
    "def f(x):\n    if __debug__:\n        $s\n    y()", "for x in y:\n    $s", "def f(x):\n    return x\n    $s",
    "def f(x):\n    try:\n        y()\n    except* x as z:\n        $s",
)  # fmt: skip
EXPRESSION_SCOPES = (
    "v = $e", "v = lambda x: $e", "v = lambda x=$e: x", "def f(x):\n    return lambda y: (x, $e)",
    "v = [$e for x in y]", "v = [y for y in $e]", "v = [x for x in y if $e]", "v = ($e for x in y)",
    "def f(y):\n    return {x: $e for x in y}", "async def f(y):\n    return [$e async for x in y]",
    "class C:\n    v = [$e for x in y]", "class C:\n    v = lambda: $e", "class C[T]:\n    v = [(T, $e) for x in y]",
    "v: $e = 1", "class C:\n    v: $e", "class C[T]:\n    v: $e = T", "def f(x):\n    v: $e = 1",
    "def f(x: $e):\n    pass", "def f(x) -> $e:\n    pass", "class C:\n    def m(self, x: $e = 1):\n        pass",
    "def f(x):\n    def g(*y: $e) -> x:\n        pass", "def f(x=$e):\n    pass", "class C($e):\n    pass",
    "@$e\ndef f():\n    pass", "class C:\n    @$e\n    def m(self):\n        pass", "type X = $e", "type X[T] = $e",
    "class C:\n    type X[T] = $e", "def f(x):\n    type X = $e", "type X[T: $e] = T", "type X[T = $e] = T",
    "def f[T](x: $e = 1):\n    pass", "def f[T](x=$e):\n    pass", "def f[T: $e](x):\n    pass",
    "class C[T]($e):\n    pass", "class C[T: $e]:\n    pass", "class C:\n    def m[T: $e](self):\n        pass",
    "class C[T]:\n    def m[U: (T, $e)](self) -> $e:\n        pass", "if x:\n    v: $e = 1",
    "class C:\n    for x in y:\n        v: $e", "async def f(x):\n    return await x($e)",
)  # fmt: skip

FILLS: Dict[str, Tuple[str, ...]] = {
    "e": EXPRESSIONS, "l": LISTS + EXPRESSIONS, "i": INDEXES + EXPRESSIONS, "t": TARGETS, "g": AUGMENTED, "d": DELETED,
    "p": PATTERNS, "s": STATEMENTS,
}  # fmt: skip
"""What goes into a hole of each kind."""

AS_STATEMENT = {
    "e": ("$e", "v = $e", "v($e)", "return $e", "if $e:\n    $s", "v[$e] = 1"), "l": ("v = $l", "return $l"),
    "i": ("v[$i]", "v[$i] = 1", "v[$i] += 1", "del v[$i]"), "t": ("$t = v",), "g": ("$g += v",), "d": ("del $d",),
    "p": ("match v:\n    case $p:\n        $s", "match v:\n    case $p:\n        $s\n    case _:\n        $s"),
    "s": ("$s",),
}  # fmt: skip
"""Statements that have one thing of each kind in them."""

NAMES = ("x", "y", "z", "w")
BARE = re.compile(r"[\w.]+|'\w*'|\([^()]*\)|\[[^][]*\]")
HOLE = re.compile(r"\$([a-z])")


class Mode(NamedTuple):
    """How a program is laid out and compiled, and what the decompiler is asked for."""

    style: str = "plain"
    optimize: int = 0
    stripped: bool = False
    layout: str = "compact"
    future: bool = False
    private: bool = False

    def __str__(self) -> str:
        words = [self.style] * (self.style != "plain") + ["-O", "-OO"][self.optimize - 1 : self.optimize]
        words += ["stripped"] * self.stripped + ["author layout"] * (self.layout == "author")
        words += ["future annotations"] * self.future + ["private names"] * self.private
        return ", ".join(words) or "plain"


class Program(NamedTuple):
    """One construct (``inner``) in a hole of another, or in a ``scope``; with ``outer`` "", directly."""

    number: int
    scope: str
    outer: str
    hole: int
    inner: str
    kind: str


def programs(seed: int = 0) -> List[Program]:
    """All programs: each construct in each scope, and each in each hole of each other."""
    found: List[Program] = []
    for kind, constructs in _CONSTRUCTS.items():
        scopes = SCOPES + (EXPRESSION_SCOPES if kind == "e" else ())
        for scope, inner in itertools.product(scopes, constructs):
            found.append(Program(len(found), scope, "", 0, inner, kind))
    dice = random.Random(f"{seed} scopes")
    for kind, constructs in _CONSTRUCTS.items():
        scopes = SCOPES + (EXPRESSION_SCOPES if kind == "e" else ())
        for outer in constructs:
            for hole, inside in enumerate(HOLE.findall(outer)):
                for inner in FILLS[inside]:
                    found.append(Program(len(found), dice.choice(scopes), outer, hole, inner, kind))
    return found


_CONSTRUCTS: Dict[str, Sequence[str]] = {
    "e": EXPRESSIONS, "l": LISTS, "i": INDEXES, "t": TARGETS, "g": AUGMENTED, "d": DELETED, "p": PATTERNS,
    "s": STATEMENTS,
}  # fmt: skip


def mode_of(program: Program, seed: int) -> Mode:
    """The mode that the seed draws for a program: half of it as most people write and compile."""
    dice = random.Random(f"{seed} mode {program.number}")
    return Mode(
        dice.choice(("plain", "plain", "one line", "many lines")), dice.choice((0, 0, 1, 2)), dice.random() < 0.3,
        dice.choice(("compact", "author")), dice.random() < 0.15, dice.random() < 0.15,
    )  # fmt: skip


def text_of(program: Program, mode: Mode, seed: int) -> str:
    """The text of a program in a mode; it may be none for the running Python, or for any."""
    dice = random.Random(f"{seed} text {program.number}")
    fresh = itertools.count()
    inner = _filled(program.inner, [], fresh)
    kind = program.kind
    if program.outer:
        holes = [""] * program.hole + [inner]
        inner = _filled(program.outer, holes, fresh)
    if HOLE.search(program.scope) and HOLE.findall(program.scope)[0] != kind:
        inner = _filled(dice.choice(AS_STATEMENT[kind]), [inner], fresh)
    text = _filled(program.scope, [inner] * program.scope.count("$"), fresh) + "\n"
    if mode.private:
        text = re.sub(r"\b(def |type |class )?(y|(?<=def )f|(?<=type )X|(?<=class )D)\b", r"\1__\2", text)
    if mode.style == "one line":
        text = "\n".join(_one_line(text.splitlines())) + "\n" if "'''" not in text else text
    elif mode.style == "many lines":
        text = _many_lines(text)
    return "from __future__ import annotations\n" + text if mode.future else text


def _filled(template: str, inside: List[str], fresh: Iterator[int]) -> str:
    """The template with the texts in its first holes (where they are not empty), and simple ones in the others."""
    lines = []
    texts = iter(inside)
    for line in template.split("\n"):
        if line.strip() == "$s":
            indent = line[: -len("$s")]
            block = next(texts, "") or f"v({next(fresh)})"
            lines += [indent + one for one in block.split("\n")]
        else:
            lines.append(HOLE.sub(lambda found: _one(found[1], next(texts, ""), fresh), line))
    return "\n".join(lines)


def _one(kind: str, text: str, fresh: Iterator[int]) -> str:
    if kind == "s":
        return text or f"v({next(fresh)})"
    if kind == "p":
        return f"({text})" if text and not BARE.fullmatch(text) else text or f"n{next(fresh)}"
    if not text:
        return NAMES[next(fresh) % len(NAMES)]
    if kind == "e" and not BARE.fullmatch(text) or kind == "t" and "," in text and not BARE.fullmatch(text):
        return f"({text})"
    return text


def _one_line(lines: List[str]) -> List[str]:
    """Statements side by side, and suites behind their colons where they are simple."""
    found: List[str] = []
    joined = False  # whether the last line found is one that may be followed by another statement
    while lines:
        line = lines.pop(0)
        indent = len(line) - len(line.lstrip())
        suite = []
        while lines and len(lines[0]) - len(lines[0].lstrip()) > indent:
            suite.append(lines.pop(0))
        if suite:
            inside = _one_line(suite)
            short = len(inside) == 1 and not inside[0].rstrip().endswith(":") and not _HEAD.match(inside[0].lstrip())
            found += [f"{line} {inside[0].strip()}"] if short and line.endswith(":") else [line, *inside]
        elif joined and not _HEAD.match(line.lstrip()) and not line.lstrip().startswith("@"):
            found[-1] += "; " + line.strip()
            continue
        else:
            found.append(line)
        joined = not suite and not _HEAD.match(line.lstrip()) and not line.lstrip().startswith("@")
    return found


_HEAD = re.compile(
    r"(if|elif|else|while|for|with|try|except|finally|match|case|def|class|async)\b.*:.*$", re.DOTALL
)


def _many_lines(text: str) -> str:
    """Each element between brackets on a line of its own."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError, IndentationError):
        return text
    lines = text.split("\n")
    depth = formatted = 0
    places: List[Tuple[int, int]] = []
    for token in tokens:
        name = tokenize.tok_name[token.type]
        formatted += name in ("FSTRING_START", "TSTRING_START")
        formatted -= name in ("FSTRING_END", "TSTRING_END")
        depth += token.string in ("(", "[", "{") and token.type == tokenize.OP and not formatted
        depth -= token.string in (")", "]", "}") and token.type == tokenize.OP and not formatted
        breaks = token.string in ("(", "[", "{", ",") or token.string in ("and", "or", "for", "else", "+")
        if depth and breaks and not formatted and token.type in (tokenize.OP, tokenize.NAME):
            places.append(token.end)
    for row, column in reversed(places):
        line = lines[row - 1]
        lines[row - 1] = line[:column] + "\n" + " " * 8 + line[column:].lstrip()
    return "\n".join(lines)
