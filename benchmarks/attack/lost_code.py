"""One code object of a module is damaged: is everything else that can be shown still in the text?

    PYTHONPATH=src python3.14 benchmarks/attack/lost_code.py --sample 40          the library of the running Python
    .venv/bin/python benchmarks/attack/lost_code.py --nested                      every kind of scope inside every other
    .venv/bin/python benchmarks/attack/lost_code.py FILE.py --edits 20 -v         one file, naming what is lost

An edit, chosen by the seed, makes a code object unprovable: an operation that no Python has, a jump to another place,
or a value too many or too few on the stack. The module is decompiled, the marks of refused code are taken out of the
text, since compilers drop what follows a `raise`, and what is left is compiled. A code object is *lost* if it is proven
when it is decompiled alone, and no code in that text is proven to be the same. No packages needed. Exit status 1 if
anything is lost or a text is no Python.
"""

from __future__ import annotations

import argparse
import ast
import collections
import random
import sys
import types
from pathlib import Path
from typing import Any, Iterator, List, NamedTuple, Tuple

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "benchmarks" / "lib")]

import depyf  # noqa: E402
from chosen import library_files  # noqa: E402
from depyf.decompiler.bytecode import RawCode, load  # noqa: E402
from depyf.decompiler.bytecode.kinds import kind_of  # noqa: E402
from depyf.decompiler.proof import prove  # noqa: E402
from depyf.decompiler.proof.symbolic.prove import prove_symbolic  # noqa: E402
from depyf.errors import DepyfError  # noqa: E402

LARGEST = 20_000
EDITS = ("unknown", "jump", "stack")

# ---- sources with every kind of scope in every other

_SCOPES = {
    "function": "def f{n}(a{n}, *b{n}):\n    c{n} = {outer}\n{body}\n    return c{n}",
    "generator": "def g{n}(a{n}=0):\n    c{n} = yield {outer}\n{body}\n    yield c{n}",
    "coroutine": "async def k{n}(a{n}):\n    c{n} = await {outer}\n{body}\n    async with c{n}:\n        pass",
    "class": "class C{n}(object):\n    c{n} = {outer}\n    def before(self):\n        return super().before({outer})\n"
    "{body}\n    def after(self):\n        return __class__",
}
_GENERIC = {
    "generic function": "def t{n}[T{n}: int](a{n}: T{n}):\n    c{n} = {outer}\n{body}\n    return T{n}, c{n}",
    "generic class": "class G{n}[T{n}](object):\n    c{n} = {outer}\n    def before(self) -> T{n}:\n"
    "        return T{n}\n{body}\n    def after(self):\n        return __class__",
}
_EXPRESSIONS = {
    "lambda": "x{n} = lambda a{n}, c{n}=1: (a{n}, {outer}, {inner})",
    "genexpr": "x{n} = list(({outer}, c{n}, {inner}) for c{n} in range(3))",
    "listcomp": "x{n} = [({outer}, {inner}) for c{n} in range(3)]",
    "dictcomp": "x{n} = {{c{n}: ({outer}, {inner}) for c{n} in range(3)}}",
}


def nested_sources() -> Iterator[Tuple[str, str]]:
    """Modules with three scopes in each other, and expressions in them, for all kinds of scopes."""
    scopes = {**_SCOPES, **(_GENERIC if sys.version_info >= (3, 12) else {})}
    for outer in scopes:
        for inner in scopes:
            for value in _EXPRESSIONS:
                last = _expression(value, 3, f"{_name(inner, 2)}, {_name(outer, 1)}", "lambda: c3")
                middle = _scope(scopes[inner], 2, _name(outer, 1), last)
                yield f"{outer}, {inner}, {value}", "import sys\nc0 = 1\n" + _scope(scopes[outer], 1, "c0", middle)


def _name(scope: str, number: int) -> str:
    return "C0" if "class" in scope else f"c{number}"  # functions don't see the names of classes


def _scope(text: str, number: int, outer: str, body: str) -> str:
    inside = "\n".join("    " + line for line in body.splitlines())
    return text.format(n=number, outer=outer, body=inside)


def _expression(kind: str, number: int, outer: str, inner: str) -> str:
    return _EXPRESSIONS[kind].format(n=number, outer=outer, inner=inner) + "\ny = [i for i in x3]\ndel y"


# ---- damage


def damage(raw: RawCode, edit: str, dice: random.Random) -> None:
    """Change two bytes of ``raw``; not every change makes it unprovable."""
    opcodes = raw.table.opcodes
    data = bytearray(raw.bytecode)
    place = 2 * dice.randrange(len(data) // 2)
    if edit == "unknown":
        unknown = [number for number in range(1, 256) if number not in opcodes.values()]
        data[place] = unknown[0] if unknown else 255
    elif edit == "jump":
        jumps = [number for name, number in opcodes.items() if name in ("JUMP_FORWARD", "JUMP_ABSOLUTE")]
        data[place : place + 2] = bytes([dice.choice(jumps), dice.randrange(len(data) // 2 + 4) % 256])
    else:
        data[place : place + 2] = bytes([opcodes[dice.choice(["POP_TOP", "LOAD_CONST"])], 0])
    raw.bytecode, raw.code, raw.disassembled = bytes(data), None, None


# ---- what is shown


class _WithoutMarks(ast.NodeTransformer):
    def visit_Raise(self, node: ast.Raise) -> ast.stmt:
        call = node.exc
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "NotImplementedError":
            if call.args and isinstance(call.args[0], ast.Constant) and str(call.args[0].value).startswith("depyf: "):
                return ast.copy_location(ast.Expr(call.args[0]), node)
        return node


def shown(text: str) -> List[RawCode]:
    """The code objects of ``text``, without its marks. Raises SyntaxError."""
    compile(text, "<text>", "exec", dont_inherit=True)
    tree = _WithoutMarks().visit(ast.parse(text))
    return list(load(compile(tree, "<text>", "exec", dont_inherit=True)).walk())


def is_shown(raw: RawCode, among: List[RawCode]) -> bool:
    """Whether one of the code objects is proven to be the same as ``raw``."""
    ordered = sorted(among, key=lambda other: (other.name != raw.name, other.bytecode != raw.bytecode))
    return any(
        prove(raw, other, names=False).proven or prove(raw, other, symbolic=prove_symbolic, names=False).proven
        for other in ordered
        if other.parameters == raw.parameters and {*other.freevars} == {*raw.freevars}
    )


def is_proven_alone(raw: RawCode) -> bool:
    try:
        return depyf.analyze(raw).verdict.proven
    except DepyfError:
        return False


class Outcome(NamedTuple):
    """What came of one edit."""

    victim: str
    kind: str
    lost: List[str]
    refused: int
    fault: str


def decompiled(code: types.CodeType, edit: str, dice: random.Random) -> Any:
    """The outcome of one edit; None if it refuses nothing."""
    root = load(code)
    parts = list(root.walk())
    matters = [one for one in parts if one.nested or kind_of(one) not in ("function", "class")]
    victim = dice.choice(parts if dice.random() < 0.3 else matters)
    damage(victim, edit, dice)
    result = depyf.analyze(root)
    if result.proven:
        return None
    refused = sum(one.verdict.level.value == "refused" for one in result.walk())
    kind = next((kind_of(one.raw) for one in result.walk() if one.raw is victim and one.raw is not None), "?")
    try:
        among = shown(result.source)
    except SyntaxError as error:
        return Outcome(victim.qualname, kind, [], refused, f"no Python: {error}")
    missing = [one for one in parts if one is not victim and not is_shown(one, among)]
    lost = [one.qualname for one in missing if is_proven_alone(one)]
    return Outcome(victim.qualname, kind, lost, refused, "")


def inputs(files: List[str], sample: int, seed: int) -> Iterator[Tuple[str, str]]:
    for path in map(Path, files) if files else library_files(sample, seed, LARGEST):
        yield str(path), path.read_text(encoding="utf-8", errors="surrogateescape")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("files", nargs="*", help=".py files; default: the library")
    parser.add_argument("--nested", action="store_true", help="made sources: every kind of scope in every other")
    parser.add_argument("--sample", type=int, default=20)
    parser.add_argument("--edits", type=int, default=3, help="edits of each file (default 3)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("-v", "--verbose", action="store_true", help="name what is lost")
    options = parser.parse_args()
    counts: collections.Counter[str] = collections.Counter()
    lost: collections.Counter[str] = collections.Counter()
    refused: collections.Counter[str] = collections.Counter()
    for name, text in nested_sources() if options.nested else inputs(options.files, options.sample, options.seed):
        try:
            code = compile(text, name, "exec", dont_inherit=True)
        except (SyntaxError, ValueError):
            continue
        dice = random.Random(f"{options.seed} {Path(name).name}")
        for number in range(options.edits):
            edit = EDITS[number % len(EDITS)]
            outcome = decompiled(code, edit, dice)
            if outcome is None:
                counts["harmless"] += 1
                continue
            refused[outcome.kind] += 1
            lost[outcome.kind] += len(outcome.lost)
            counts.update(edits=1, lost=len(outcome.lost), refused=outcome.refused, faults=bool(outcome.fault))
            if options.verbose and (outcome.lost or outcome.fault):
                print(f"{name}, {edit} in {outcome.kind} {outcome.victim}:")
                print("    " + (outcome.fault or ", ".join(outcome.lost)), flush=True)
    for kind in sorted(refused):
        print(f"{kind:14} {refused[kind]:5} edits  {lost[kind]:6} code objects lost")
    print(f"{counts['edits']} edits ({counts['harmless']} more refuse nothing): {counts['lost']} code objects lost, "
          f"{counts['faults']} texts that are no Python, {counts['refused']} code objects refused")  # fmt: skip
    return 1 if counts["lost"] or counts["faults"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
