"""Code objects whose names, files and lines lie: library modules, renamed as obfuscators do, and decompiled with proof.

    PYTHONPATH=src python3.14 benchmarks/attack/renamed.py --sample 60            the library of the running Python
    .venv/bin/python benchmarks/attack/renamed.py FILE.pyc --habits names lines   some habits, on files of this version
    .venv/bin/python benchmarks/attack/renamed.py --sample 20 -v                  with the reasons of what is not proven
    python3.14 benchmarks/attack/renamed.py --obfuscator .../pychd_pyobf/rewrite_native.py --sample 200

Each module gets a seed, and each habit draws from it: ``names`` (of code objects), ``one-name`` (for all of them),
``qualnames``, ``lines`` (no line table, or bytes of none), ``places`` (file names, first lines), ``docstrings``,
``junk`` (behind the end of the code), ``variables`` (other names for local variables, the same in all code),
``hostile-variables`` (keywords, "", letters that are equal when normalised, names with dots) and ``hostile-globals``.
These keep the names of variables that are strings too, of keyword arguments and annotations, and ``self``, which
compilers look for. ``tables`` renames all of it, each table of a code object by itself, and the strings: the names
that compilers give too, and a free variable otherwise than the variable that it is. It makes other programs, and is
run alone. ``--obfuscator``: the file of a function ``anonymise(code)``, which is run in the place of all habits.

Counted are code objects that are proven, refused, lost (proven, but their lines are not in the module's text), and
wrong: a module is proven as a whole, and what `recompile` makes of its text has other names than the original, or a
second witness sees another difference. No packages needed. Exit status 1 if any is wrong.
"""

from __future__ import annotations

import argparse
import collections
import dis
import importlib.util
import inspect
import marshal
import random
import re
import sys
import types
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Tuple

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "benchmarks" / "lib")]

import depyf  # noqa: E402
import witness  # noqa: E402
from chosen import library_files  # noqa: E402
from depyf.decompiler.recompile import recompile  # noqa: E402
from depyf.errors import DepyfError  # noqa: E402
from depyf.without_source.modules import walk  # noqa: E402

LARGEST = 60_000
LIES = ("", "class", "None", "<module>", "<lambda>", "<listcomp>", "<genexpr>", "__annotate__", "\ufb01", "a b", "__x",
        "<generic parameters of T>", "_", "x.y")  # fmt: skip
OF_COMPILERS = ("__class__", "__classdict__", "__conditional_annotations__", "self")
Change = Callable[[types.CodeType, random.Random], types.CodeType]


def everywhere(code: types.CodeType, fields: Callable[[types.CodeType], Dict[str, Any]]) -> types.CodeType:
    """``code`` with other fields, and all code in it."""
    consts = [everywhere(one, fields) if isinstance(one, types.CodeType) else one for one in code.co_consts]
    return code.replace(co_consts=tuple(consts), **fields(code))


def names(code: types.CodeType, dice: random.Random) -> types.CodeType:
    def fields(one: types.CodeType) -> Dict[str, Any]:
        name = dice.choice(LIES) if dice.random() < 0.5 else f"_fn{dice.randrange(10**6)}"
        return {"co_name": name, **({"co_qualname": name} if hasattr(one, "co_qualname") else {})}

    return everywhere(code, fields)


def one_name(code: types.CodeType, dice: random.Random) -> types.CodeType:
    name = dice.choice(["f", *LIES])
    return everywhere(code, lambda one: {"co_name": name})


def qualnames(code: types.CodeType, dice: random.Random) -> types.CodeType:
    return everywhere(code, lambda one: {"co_qualname": dice.choice(LIES)} if hasattr(one, "co_qualname") else {})


def lines(code: types.CodeType, dice: random.Random) -> types.CodeType:
    field = "co_linetable" if hasattr(code, "co_linetable") else "co_lnotab"
    is_kept = dice.random() < 0.5

    def fields(one: types.CodeType) -> Dict[str, Any]:
        size = 2 * dice.randrange(20) if is_kept else 0
        return {field: bytes(dice.randrange(256) for _ in range(size))}

    return everywhere(code, fields)


def places(code: types.CodeType, dice: random.Random) -> types.CodeType:
    def fields(one: types.CodeType) -> Dict[str, Any]:
        number = dice.choice([0, 1, 2**31 - 1, dice.randrange(10**6)])
        return {"co_filename": dice.choice(["", "<string>", "\0", "../x\n.py"]), "co_firstlineno": number}

    return everywhere(code, fields)


def renamed_variables(code: types.CodeType, new_name: Callable[[int], str]) -> types.CodeType:
    new = {name: name for name in (*OF_COMPILERS, ".defaults", ".kwdefaults", ".type_params", ".generic_base")}
    for one in walk(code):
        strings = [item for value in one.co_consts for item in (value if isinstance(value, tuple) else [value])]
        new.update({name: name for name in strings if isinstance(name, str)})
        new.update({name.split(".")[0]: name.split(".")[0] for name in one.co_names if "." in name})  # imports

    def name_of(name: str) -> str:
        return new.setdefault(name, new_name(len(new)))

    def fields(one: types.CodeType) -> Dict[str, Any]:
        kinds = ("co_varnames", "co_cellvars", "co_freevars")
        return {kind: tuple(map(name_of, getattr(one, kind))) for kind in kinds}

    return everywhere(code, fields)


def variables(code: types.CodeType, dice: random.Random) -> types.CodeType:
    return renamed_variables(code, lambda number: f"v{number}")


def hostile_variables(code: types.CodeType, dice: random.Random) -> types.CodeType:
    hard = ["", "class", "None", "__debug__", "\ufb01", "fi", ".0x", "a b", "x.y", "A", "a", "\u00aa", "__p"]
    dice.shuffle(hard)
    return renamed_variables(code, lambda number: hard.pop() if hard else f"{number}v")


def hostile_globals(code: types.CodeType, dice: random.Random) -> types.CodeType:
    """Other names for globals and attributes, but for those that compilers give or that are imported."""
    hard = ["", "class", "None", "\ufb01", "fi", "a b", "A", "a", "\u00aa", "__p", "match", "_"]
    dice.shuffle(hard)
    imported = {name for one in walk(code) for name in one.co_names if "." in name}
    new: Dict[str, str] = {}
    kept = {part for name in imported for part in name.split(".")} | {"super", "AssertionError", "any", "all", "tuple"}

    def name_of(name: str) -> str:
        if name.startswith("__") or "." in name or name in kept:
            return name
        return new.setdefault(name, hard.pop() if hard else f"{len(new)}g")

    strings = {item for one in walk(code) for value in one.co_consts if isinstance(value, tuple) for item in value
               if isinstance(item, str)} | {one.co_name for one in walk(code)}  # fmt: skip
    kept |= strings
    return everywhere(code, lambda one: {"co_names": tuple(map(name_of, one.co_names))})


def docstrings(code: types.CodeType, dice: random.Random) -> types.CodeType:
    texts = ["", "\\", '"""', "x\n  y\t", "\ud800", "\0", "'" * 5, "\r\n", "{x}", "a" * 300]
    consts = [docstrings(one, dice) if isinstance(one, types.CodeType) else one for one in code.co_consts]
    is_documented = consts and isinstance(consts[0], str) and code.co_flags & inspect.CO_OPTIMIZED
    loaded = [i.arg for i in dis.get_instructions(code) if "CONST" in i.opname]
    if is_documented and 0 not in loaded and (sys.version_info < (3, 14) or code.co_flags & 0x4000000):
        consts[0] = dice.choice(texts)
    return code.replace(co_consts=tuple(consts))


def junk(code: types.CodeType, dice: random.Random) -> types.CodeType:
    """Instructions behind the end that nothing leads to."""
    number = dis.opmap
    endings = [bytes([number["NOP"], 0]), bytes([number["RETURN_VALUE"], 0]), bytes([number["POP_TOP"], 0])]
    return everywhere(
        code, lambda one: {"co_code": one.co_code + b"".join(dice.choice(endings) for _ in range(dice.randrange(9)))}
    )


def tables(code: types.CodeType, dice: random.Random) -> types.CodeType:
    """Rename each table by itself, and the strings."""
    new: Dict[Tuple[str, str], str] = {}
    number: collections.Counter[str] = collections.Counter()

    def name_of(kind: str, name: str) -> str:
        return new.setdefault((kind, name), f"_{kind}{len(new)}")

    def renamed(value: Any) -> Any:
        if isinstance(value, (tuple, frozenset)):
            return type(value)(map(renamed, value))
        return name_of("s", value) if isinstance(value, str) else value

    def fields(one: types.CodeType) -> Dict[str, Any]:
        kinds = {"n": "co_names", "v": "co_varnames", "f": "co_freevars", "c": "co_cellvars"}
        found: Dict[str, Any] = {}
        for kind, field in kinds.items():
            found[field] = tuple(name_of(kind, name) for name in getattr(one, field))
        number["code"] += 1
        found["co_name"] = name = f"_fn{number['code']}"
        return {**found, **({"co_qualname": name} if hasattr(one, "co_qualname") else {})}

    def strings(one: types.CodeType) -> types.CodeType:
        consts = [strings(it) if isinstance(it, types.CodeType) else renamed(it) for it in one.co_consts]
        return one.replace(co_consts=tuple(consts))

    return strings(everywhere(code, fields))


HABITS: Dict[str, Change] = {
    "names": names, "one-name": one_name, "qualnames": qualnames, "lines": lines, "places": places,
    "variables": variables, "hostile-variables": hostile_variables, "docstrings": docstrings, "junk": junk,
    "hostile-globals": hostile_globals, "tables": tables,
}  # fmt: skip


def own_fields(code: types.CodeType) -> List[Tuple[Any, ...]]:
    kinds = ("co_name", "co_qualname", "co_varnames", "co_cellvars", "co_freevars")
    return sorted(tuple(getattr(one, kind, None) for kind in kinds) for one in walk(code))


def fault(code: types.CodeType, result: Any) -> str:
    """What is wrong with a module that is proven as a whole, ''  if nothing is."""
    try:
        again = recompile(result.source, code)
    except DepyfError as error:
        return f"recompile: {error}"
    levels = {id(one.code): one.verdict for one in result.walk()}
    shuffled = [key for key, verdict in levels.items() if not verdict.exact]
    for one, other in witness.pairs(code, again, shuffled):
        if (one.co_name, getattr(one, "co_qualname", "")) != (other.co_name, getattr(other, "co_qualname", "")):
            return f"{one.co_name!r} is called {other.co_name!r}"
        verdict = levels.get(id(one))
        if verdict is not None and not verdict.assumptions:
            said = witness.disagreement(one, other, "equivalent", verdict.method, False)
            if said:
                return f"{one.co_name!r}: {said}"
    return ""


def is_lost(part: Any, text: set[str]) -> bool:
    """Whether the last line of ``part`` alone is not in the text of the module, whatever names are made up for either.

    Of a comprehension alone, the text iterates over a variable: its element is looked for.
    """
    mine = [line.strip() for line in part.source.splitlines() if line.strip() and not line.strip().startswith("#")]
    last = plain_names(mine[-1].partition(" for ")[0].strip("[{(") if " in iterable" in mine[-1] else mine[-1])
    return not any(last[:60] in plain_names(line) for line in text)  # a long line is wrapped


def plain_names(line: str) -> str:
    return re.sub(r"\b(name|none)_\w+", "name", line)


def inputs(files: List[str], sample: int, seed: int) -> Iterator[Tuple[str, types.CodeType]]:
    for path in map(Path, files) if files else library_files(sample, seed, LARGEST):
        data = path.read_bytes()
        if path.suffix == ".pyc":
            if data[:4] != importlib.util.MAGIC_NUMBER:
                raise SystemExit(f"{path} is of another version: run this script with that")
            yield str(path), marshal.loads(data[16:])
        else:
            yield str(path), compile(data, str(path), "exec", dont_inherit=True)


def foreign(file: str) -> Callable[[types.CodeType], Any]:
    """The function ``anonymise`` of another tool."""
    spec = importlib.util.spec_from_file_location("foreign", file)
    assert spec is not None and spec.loader is not None
    module = sys.modules["foreign"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.anonymise  # type: ignore[no-any-return]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("files", nargs="*", help=".py or .pyc files of this version; default: the library")
    parser.add_argument("--sample", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    together = [habit for habit in HABITS if habit != "tables"]
    parser.add_argument("--habits", nargs="*", choices=list(HABITS), default=together)
    parser.add_argument("--obfuscator", metavar="FILE", help="another tool's function `anonymise`")
    parser.add_argument("-v", "--verbose", action="store_true", help="reasons of what is not proven")
    options = parser.parse_args()
    counts: collections.Counter[str] = collections.Counter()
    reasons: collections.Counter[str] = collections.Counter()
    for path, code in inputs(options.files, options.sample, options.seed):
        dice = random.Random(f"{options.seed} {Path(path).name}")
        if len(options.habits) > 2:  # some of them
            habits = dice.sample(options.habits, dice.randrange(1, len(options.habits) + 1))
        else:
            habits = options.habits
        if options.obfuscator:
            habits, change = ["obfuscator"], foreign(options.obfuscator)
            try:
                code, _ = change(code)
            except TypeError as error:  # it does not know this version
                counts["failed"] += 1
                print(f"{path}: {error}", file=sys.stderr)
                continue
        for habit in habits if not options.obfuscator else ():
            code = HABITS[habit](code, dice)
        result = depyf.analyze(code)
        parts = list(result.walk())
        proven = [part for part in parts if part.verdict.proven]
        text = {line.strip() for line in result.source.splitlines()}
        lost = [] if len(proven) == len(parts) else [part for part in proven if is_lost(part, text)]
        counts.update(objects=len(parts), proven=len(proven), modules=1, lost=len(lost))
        if len(proven) == len(parts):
            wrong = fault(code, result)
            counts.update(whole=1, wrong=bool(wrong))
            if wrong:
                print(f"{path}: {', '.join(habits)}: WRONG: {wrong}", file=sys.stderr)
        for part in parts:
            if not part.verdict.proven:
                reasons[f"{', '.join(habits)}: {part.verdict.reasons[0]:.110}"] += 1
    version = "{}.{}".format(*sys.version_info)
    objects, modules = max(1, counts["objects"]), max(1, counts["modules"])
    print("| CPython | code objects | proven | refused | lost | wrong | modules | proven whole |")
    print("|---|---|---|---|---|---|---|---|")
    print(
        f"| {version} | {counts['objects']} | {counts['proven']} ({counts['proven'] / objects:.2%}) "
        f"| {counts['objects'] - counts['proven']} | {counts['lost']} | {counts['wrong']} "
        f"| {counts['modules']} | {counts['whole']} ({counts['whole'] / modules:.1%}) |"
    )
    for reason, count in reasons.most_common(20) if options.verbose else ():
        print(f"{count:5} {reason}")
    return int(bool(counts["wrong"]))


if __name__ == "__main__":
    raise SystemExit(main())
