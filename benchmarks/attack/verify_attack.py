"""Plant changes into compiled files and count those that `depyf verify` misses; then clean trees, and false alarms.

    python benchmarks/attack/verify_attack.py --count 2500                    changes, in files of every CPython found
    python benchmarks/attack/verify_attack.py --count 0 --clean WHEEL_OR_DIR  clean trees: each CPython at each -O level

A change is made by the CPython concerned: in the syntax tree (a statement added, removed, changed, a constant, an
argument) or in the code object (flags, stack size, names, constants, exception table, code behind the end or behind a
jump, ...). The file gets the clean source and the flag UNCHECKED_HASH, so CPython would load it. Prints one line for
each version, then one for each kind of change; ends with 1 if a change was missed or a clean file did not come out as
identical.
"""

from __future__ import annotations

import ast
import json
import marshal
import os
import random
import subprocess
import sys
import types
from collections import Counter
from typing import Any, Callable, Dict, Iterator, List, Optional, Sequence, Tuple

Code = types.CodeType

_LIBRARY = (
    "argparse", "ast", "contextlib", "dataclasses", "functools", "shutil", "tarfile", "zipfile", "traceback", "typing",
    "asyncio/tasks", "asyncio/base_events", "http/client", "email/message", "logging/__init__",
)  # fmt: skip

_FIELDS = (
    "co_name", "co_qualname", "co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_flags", "co_code",
    "co_names", "co_varnames", "co_cellvars", "co_freevars", "co_stacksize", "co_nlocals", "co_exceptiontable",
)  # fmt: skip


# What runs in each CPython: the standard library alone.


def plant_all(job: Dict[str, Any]) -> None:
    """Write ``count`` folders with a clean ``mod.py`` and a changed compiled file; their kinds into ``kinds.json``."""
    dice = random.Random(job["seed"])
    sources = job["sources"]
    kinds: List[str] = []
    for number in range(100 * job["count"]):  # not every version has every kind
        if len(kinds) == job["count"]:
            break
        source = sources[dice.randrange(len(sources))]
        kind, change = _KINDS[number % len(_KINDS)]
        try:
            clean = compile(source, "mod.py", "exec", dont_inherit=True, optimize=0)
            changed = change(source, clean, dice)
        except (SyntaxError, ValueError, RecursionError, TypeError, AttributeError):
            continue  # 3.7 has no `replace` of code objects, so that it changes trees alone
        if changed is None or plain(changed) == plain(clean):
            continue
        folder = os.path.join(job["folder"], str(len(kinds)))
        write(folder, source, changed)
        kinds.append(kind)
    with open(os.path.join(job["folder"], "kinds.json"), "w") as file:
        json.dump(kinds, file)


def write(folder: str, source: str, code: Code) -> None:
    """The published form: a clean source beside a compiled file that is not checked against it."""
    from importlib.util import MAGIC_NUMBER, source_hash

    os.makedirs(os.path.join(folder, "__pycache__"))
    data = source.encode()
    with open(os.path.join(folder, "mod.py"), "wb") as file:
        file.write(data)
    name = "mod.{}.pyc".format(sys.implementation.cache_tag)
    with open(os.path.join(folder, "__pycache__", name), "wb") as file:
        file.write(MAGIC_NUMBER + (1).to_bytes(4, "little") + source_hash(data) + marshal.dumps(code))


def plain(code: Code) -> Any:
    """All that a change may change, but lines, to compare."""
    fields = tuple(getattr(code, field, None) for field in _FIELDS)
    return (*fields, tuple(plain(one) if isinstance(one, Code) else (type(one), repr(one)) for one in code.co_consts))


class _Nth(ast.NodeTransformer):
    """Changes one node, drawn from those that ``change`` gives something for."""

    def __init__(self, change: Callable[[Any], Any], number: int) -> None:
        self.change, self.number, self.count = change, number, 0

    def visit(self, node: ast.AST) -> Any:
        node = self.generic_visit(node)
        new = self.change(node)
        if new is None:
            return node
        self.count += 1
        return ast.copy_location(new, node) if self.count - 1 == self.number else node


def in_tree(change: Callable[[Any, random.Random], Any]) -> Callable[[str, Code, random.Random], Optional[Code]]:
    """A change of one node of the syntax tree."""

    def changed(source: str, clean: Code, dice: random.Random) -> Optional[Code]:
        counting = _Nth(lambda node: change(node, random.Random(0)), -1)
        counting.visit(ast.parse(source))
        if not counting.count:
            return None
        number = dice.randrange(counting.count)
        tree = _Nth(lambda node: change(node, random.Random(0)), number).visit(ast.parse(source))
        code: Code = compile(ast.fix_missing_locations(tree), "mod.py", "exec", dont_inherit=True, optimize=0)
        return code

    return changed


def _constant(node: Any, dice: random.Random) -> Any:
    if not isinstance(node, ast.Constant):
        return None
    value = node.value
    if isinstance(value, bool) or value is None:
        return ast.Constant(int(bool(value)))
    if isinstance(value, (int, float)):
        return ast.Constant(value + 1 if dice.random() < 0.5 else float(value))
    if isinstance(value, (str, bytes)):
        return ast.Constant(value + (b"x" if isinstance(value, bytes) else "x"))  # type: ignore[operator]
    return None


def _argument(node: Any, dice: random.Random) -> Any:
    if isinstance(node, ast.Call) and node.args:
        return ast.Call(node.func, node.args[:-1], node.keywords)
    if isinstance(node, ast.arguments) and not node.kwarg:
        node = ast.arguments(**dict(ast.iter_fields(node)))
        node.kwarg = ast.arg("planted", None)
        return node
    return None


def _no_statement(node: Any, dice: random.Random) -> Any:
    kinds = (ast.Expr, ast.Assign, ast.AugAssign, ast.Return, ast.Raise, ast.If)
    return ast.Pass() if isinstance(node, kinds) else None


def _added(node: Any, dice: random.Random) -> Any:
    if not isinstance(node, (ast.FunctionDef, ast.If, ast.For, ast.With)) or not node.body:
        return None
    new = type(node)(**dict(ast.iter_fields(node)))
    new.body = [*node.body[:1], ast.parse("__import__('os').getcwd()").body[0], *node.body[1:]]
    return new


def _operator(node: Any, dice: random.Random) -> Any:
    if isinstance(node, ast.Compare):
        other = ast.NotEq() if isinstance(node.ops[0], ast.Eq) else ast.Eq()
        return ast.Compare(node.left, [other, *node.ops[1:]], node.comparators)
    if isinstance(node, ast.BinOp):
        return ast.BinOp(node.left, ast.Sub() if isinstance(node.op, ast.Add) else ast.Add(), node.right)
    if isinstance(node, ast.BoolOp):
        return ast.BoolOp(ast.Or() if isinstance(node.op, ast.And) else ast.And(), node.values)
    return None


def _name(node: Any, dice: random.Random) -> Any:
    if isinstance(node, ast.Name):
        return ast.Name(node.id + "_", node.ctx)
    return ast.Attribute(node.value, node.attr + "_", node.ctx) if isinstance(node, ast.Attribute) else None


def in_code(change: Callable[[Code, random.Random], Optional[Code]]) -> Callable[[str, Code, random.Random], Any]:
    """A change of one code object, drawn from all in the module."""

    def changed(source: str, clean: Code, dice: random.Random) -> Optional[Code]:
        number = [dice.randrange(sum(1 for _ in walk(clean)))]

        def visit(code: Code) -> Code:
            mine = number[0] == 0
            number[0] -= 1
            consts = tuple(visit(one) if isinstance(one, Code) else one for one in code.co_consts)
            code = code.replace(co_consts=consts)
            return change(code, dice) or code if mine else code

        return visit(clean)

    return changed


def walk(code: Code) -> Iterator[Code]:
    """The code object and all in it."""
    yield code
    for one in code.co_consts:
        if isinstance(one, Code):
            yield from walk(one)


def _behind_the_end(code: Code, dice: random.Random) -> Code:
    """Code that is never reached, with a name and a constant of its own."""
    import opcode

    load = bytes([opcode.opmap["LOAD_CONST"], 0, opcode.opmap["POP_TOP"], 0])
    return code.replace(co_code=code.co_code + load * dice.randint(1, 3))


def _behind_a_jump(code: Code, dice: random.Random) -> Optional[Code]:
    """A dead jump over code, put in front of all that is there."""
    import opcode

    if "RESUME" in opcode.opmap:
        return None  # what stands in front is a matter of offsets there
    unit = 1 if hasattr(code, "co_lines") else 2  # what operands of jumps count
    if any(code.co_code[at] in opcode.hasjabs for at in range(0, len(code.co_code), 2)):
        return None
    head = bytes([opcode.opmap["JUMP_FORWARD"], 4 // unit, opcode.opmap["LOAD_CONST"], 0, opcode.opmap["POP_TOP"], 0])
    return code.replace(co_code=head + code.co_code)


def _table(code: Code, dice: random.Random) -> Optional[Code]:
    table = getattr(code, "co_exceptiontable", b"")
    if not table:
        return None
    at = dice.randrange(len(table))
    return code.replace(co_exceptiontable=table[:at] + bytes([table[at] ^ 1]) + table[at + 1 :])


def _no_rows(code: Code, dice: random.Random) -> Optional[Code]:
    return code.replace(co_exceptiontable=b"") if getattr(code, "co_exceptiontable", b"") else None


def _operand(code: Code, dice: random.Random) -> Code:
    at = dice.randrange(len(code.co_code) // 2) * 2 + 1
    return code.replace(co_code=code.co_code[:at] + bytes([code.co_code[at] ^ 1]) + code.co_code[at + 1 :])


def _exchanged(code: Code, dice: random.Random) -> Optional[Code]:
    if len(code.co_names) < 2:
        return None
    return code.replace(co_names=(code.co_names[1], code.co_names[0], *code.co_names[2:]))


def _other_variable(code: Code, dice: random.Random) -> Optional[Code]:
    names = code.co_varnames
    return code.replace(co_varnames=(*names[:-1], names[-1] + "_")) if names else None


_FLAGS = (0x10, 0x40, 0x100, 1 << 25)
_SIZES = (-1, 1, 50)
_KINDS: List[Tuple[str, Callable[[str, Code, random.Random], Optional[Code]]]] = [
    ("statement removed", in_tree(_no_statement)),
    ("statement added", in_tree(_added)),
    ("operator", in_tree(_operator)),
    ("name in the source", in_tree(_name)),
    ("constant in the source", in_tree(_constant)),
    ("argument", in_tree(_argument)),
    ("flags", in_code(lambda code, dice: code.replace(co_flags=code.co_flags ^ dice.choice(_FLAGS)))),
    ("stack size", in_code(lambda code, dice: code.replace(co_stacksize=code.co_stacksize + dice.choice(_SIZES)))),
    ("constant added", in_code(lambda code, dice: code.replace(co_consts=(*code.co_consts, "planted")))),
    ("code among the constants", in_code(lambda code, dice: code.replace(co_consts=(*code.co_consts, code)))),
    ("list among the constants", in_code(lambda code, dice: code.replace(co_consts=(*code.co_consts, [1])))),
    ("name added", in_code(lambda code, dice: code.replace(co_names=(*code.co_names, "planted")))),
    ("names exchanged", in_code(_exchanged)),
    ("variable", in_code(_other_variable)),
    ("name of the code", in_code(lambda code, dice: code.replace(co_name=code.co_name + "_"))),
    ("code behind the end", in_code(_behind_the_end)),
    ("code behind a jump", in_code(_behind_a_jump)),
    ("exception table", in_code(_table)),
    ("no exception table", in_code(_no_rows)),
    ("operand", in_code(_operand)),
]  # fmt: skip


# What runs here.


def main() -> int:
    """Run it; see the module's docstring."""
    import argparse
    import tempfile

    from depyf.decompiler.bytecode.interpreters import find_interpreter
    from depyf.decompiler.bytecode.versions import TABLES

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--count", type=int, default=1000, help="changes for each version (default: 1000)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--versions", nargs="*", metavar="3.X", help="default: all from 3.7 on that are found")
    parser.add_argument("--clean", nargs="*", default=[], metavar="PATH", help="wheels or folders to compile and check")
    parser.add_argument("--show", type=int, default=5, help="how many of what went wrong to print")
    options = parser.parse_args()
    named = {"{}.{}".format(*version): version for version in TABLES}
    versions = [named[text] for text in options.versions or named if find_interpreter(named[text])]
    wrong = 0
    kinds: Counter[str] = Counter()
    for version in versions if options.count else ():
        with tempfile.TemporaryDirectory() as folder:
            planted, missed = attack(version, options.count, options.seed, folder)
        print("{}.{}: {} planted, {} missed".format(*version, sum(planted.values()), len(missed)), flush=True)
        kinds += planted
        wrong += len(missed)
        for line in missed[: options.show]:
            print("  missed:", line)
    for kind, count in kinds.items():
        print(f"  {count:6} {kind}")
    for path in options.clean:
        for version in versions:
            with tempfile.TemporaryDirectory() as folder:
                files, alarms = clean(path, version, folder)
            print("{}.{}: {}: {} clean files, {} not identical".format(
                *version, os.path.basename(path), files, len(alarms)), flush=True)  # fmt: skip
            wrong += len(alarms)
            for line in alarms[: options.show]:
                print("  alarm:", line)
    return 1 if wrong else 0


def attack(version: Tuple[int, int], count: int, seed: int, folder: str) -> Tuple[Counter[str], List[str]]:
    """Plant ``count`` changes with the CPython of ``version``: how many of each kind, and what was missed."""
    from depyf.decompiler.bytecode.interpreters import find_interpreter
    from depyf.verification.check import verify_tree
    from depyf.verification.report import Status

    executable = find_interpreter(version)
    assert executable is not None
    job = {"folder": folder, "count": count, "seed": seed, "sources": snippets()}
    with open(os.path.join(folder, "job.json"), "w") as file:
        json.dump(job, file)
    options = ["-B", "-I", "-W", "ignore"]
    subprocess.run([executable, *options, os.path.abspath(__file__), "--plant", file.name], check=True)
    with open(os.path.join(folder, "kinds.json")) as file:
        kinds = json.load(file)
    missed = []
    for number, kind in enumerate(kinds):
        # The statements are not the question here, and take most of the time.
        [report] = verify_tree(os.path.join(folder, str(number)), statements=False).files
        if report.status is not Status.DIFFERS or _is_found_by_accident(report.reasons):
            missed.append(f"{kind}: {report.status.value} {report.reasons} (number {number})")
    return Counter(kinds), missed


def _is_found_by_accident(reasons: Sequence[str]) -> bool:
    """Whether nothing is said but what `replace` of code objects loses itself, from 3.14 on: kinds of parameters."""
    return bool(reasons) and all(reason.endswith(": other kinds of variables") for reason in reasons)


def snippets() -> List[str]:
    """Functions and classes of this Python's library, each a text of its own."""
    found = []
    folder = os.path.dirname(os.__file__)
    for name in _LIBRARY:
        path = os.path.join(folder, *(name + ".py").split("/"))
        if not os.path.exists(path):
            continue
        with open(path, encoding="utf-8") as file:
            text = file.read()
        lines = text.splitlines(keepends=True)
        for node in ast.parse(text).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and (node.end_lineno or 0) - node.lineno < 120:
                found.append("import os\n\n" + "".join(lines[node.lineno - 1 : node.end_lineno]))
    return found


def clean(path: str, version: Tuple[int, int], folder: str) -> Tuple[int, List[str]]:
    """Compile a tree with the CPython of ``version`` at each level; how many files, and which are not identical."""
    import shutil
    import zipfile

    from depyf.decompiler.bytecode.interpreters import find_interpreter
    from depyf.verification.check import iter_reports
    from depyf.verification.report import Status

    executable = find_interpreter(version)
    assert executable is not None
    before, tree = os.path.join(folder, "before"), os.path.join(folder, "after")
    if os.path.isdir(path):
        shutil.copytree(path, before, ignore=shutil.ignore_patterns("__pycache__", "*.pyc"))
    else:
        with zipfile.ZipFile(path) as file:
            file.extractall(before)
    for level in ("-q", "-O", "-OO"):
        command = [executable, "-I", *[level] * (level != "-q"), "-m", "compileall", "-q", "-f", before]
        # It fails where a text is not of this version.
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
    shutil.move(before, tree)  # another path, the same times
    count, alarms = 0, []
    for report in iter_reports(tree):
        count += 1
        if report.status is not Status.IDENTICAL:
            alarms.append(f"{os.path.relpath(report.path, tree)}: {report.status.value}: {'; '.join(report.reasons)}")
    return count, alarms


if __name__ == "__main__":
    if sys.argv[1:2] == ["--plant"]:
        with open(sys.argv[2]) as given:
            plant_all(json.load(given))
    else:
        sys.exit(main())
