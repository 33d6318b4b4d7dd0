"""Twenty functions of ten packages beside their authors' text: which lines are other ones, and what is there instead.

    python benchmarks/measure/beside_author.py FOLDER                  ten packages, which pip downloads into FOLDER
    python benchmarks/measure/beside_author.py FOLDER --seed 31 --functions 40
    python benchmarks/measure/beside_author.py FOLDER --all            every line of them, not just the other ones

The functions are those of at least ten lines of code that the seed chooses, as many of each package. Their modules are
decompiled whole with layout="author", without their sources. Comments are no part of a line, and quotes of either kind
are the same. Prints Markdown.
"""

from __future__ import annotations

import argparse
import ast
import random
import sys
import warnings
from pathlib import Path
from typing import Iterator, List, NamedTuple, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

import packages
from author_layout import unquoted, words_of

_LEAST = 10
_WIDTH = 100


class Chosen(NamedTuple):
    """A function: its file, its name, its first and last line."""

    path: str
    name: str
    lines: range


def functions_of(path: str, text: str) -> Iterator[Chosen]:
    """Yield the functions of a module that have at least ten lines of code."""
    code = words_of(text)
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            lines = range(node.lineno, (node.end_lineno or node.lineno) + 1)
            if sum(line in code for line in lines) >= _LEAST:
                yield Chosen(path, node.name, lines)


def chosen(names: List[str], folder: Path, count: int, seed: int) -> List[Chosen]:
    """Return ``count`` functions, as many of each package."""
    numbers = random.Random(seed)
    found = []
    for name in names:
        functions: List[Chosen] = []
        for path in packages.files_of([name], folder, sys.maxsize, seed):
            try:
                functions += functions_of(path, Path(path).read_text(encoding="utf-8"))
            except (SyntaxError, UnicodeDecodeError):
                continue
        functions.sort(key=lambda one: (one.path, one.lines.start))
        found += numbers.sample(functions, min(count // len(names), len(functions)))
    return found


def beside(function: Chosen) -> Tuple[List[Tuple[int, str, str]], int]:
    """Return the lines that are other ones, each with its number, the author's and ours; and how many there are."""
    from depyf import analyze

    text = Path(function.path).read_text(encoding="utf-8")
    result = analyze(compile(text, function.path, "exec", dont_inherit=True), layout="author")
    author, mine = words_of(text), words_of(result.source)
    lines = [number for number in function.lines if number in author or number in mine]
    pairs = [(number, author.get(number, ""), mine.get(number, "")) for number in lines]
    return pairs, len(pairs)


def main(arguments: List[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path, help="where the packages are, or are downloaded to")
    parser.add_argument("--seed", type=int, default=1, help="which packages and functions (default 1)")
    parser.add_argument("--functions", type=int, default=20, help="how many functions (default 20)")
    parser.add_argument("--all", action="store_true", help="every line, not just those that are other ones")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    names = packages.chosen(options.seed)
    packages.download(names, options.folder)
    total = same = 0
    for function in chosen(names, options.folder, options.functions, options.seed):
        pairs, count = beside(function)
        others = [pair for pair in pairs if unquoted(pair[1]) != unquoted(pair[2])]
        total, same = total + count, same + count - len(others)
        where = Path(function.path).relative_to(options.folder)
        print(f"\n{where}, `{function.name}`: {count - len(others)} of {count} lines\n")
        for number, left, right in pairs if options.all else others:
            mark = "!" if unquoted(left) != unquoted(right) else " "
            print(f"    {number:5} {mark} {left[:_WIDTH]}")
            if mark == "!":
                print(f"          > {right[:_WIDTH]}")
    print(f"\n{same} of {total} lines are the author's, {100 * same / max(total, 1):.1f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
