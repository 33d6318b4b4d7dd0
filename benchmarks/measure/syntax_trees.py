"""In how many functions the decompiled text has the author's syntax tree, and how the others differ, by cause.

    python benchmarks/measure/syntax_trees.py FILE_OR_FOLDER ...
    python benchmarks/measure/syntax_trees.py --stdlib --sample 100             a few minutes
    python benchmarks/measure/syntax_trees.py --stdlib --sample 100 --layout author
    python benchmarks/measure/syntax_trees.py --stdlib --sample 100 --cause If.body --show 5

Nothing is forgiven but the indentation of docstrings and folded constants. The cause of a difference is the first pair
of nodes that is not the same. --show prints lines of both trees around it.
"""

from __future__ import annotations

import argparse
import collections
import difflib
import functools
import sys
import warnings
from pathlib import Path
from typing import List, NamedTuple, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

import same_tree
import workers
from roundtrip import Item, add_file_options, chosen_files, compile_item, read, strip


class Function(NamedTuple):
    """One whose tree is another, and the lines of both texts where ``shown``."""

    name: str
    cause: str
    lines: str = ""


class Measured(NamedTuple):
    """Of one file."""

    functions: int
    different: Tuple[Function, ...]


def measure(path: str, layout: str, stripped: bool, shown: bool) -> Measured:
    """One file; no functions if this Python can't compile it."""
    from depyf.decompiler.pipeline import analyze

    warnings.simplefilter("ignore")
    source = read(Item(path))
    code = compile_item(Item(path), source)
    if code is None:
        return Measured(0, ())
    text = analyze(strip(code) if stripped else code, layout=layout).source
    trees = same_tree.compare(source, text, is_strict=True)
    pairs = iter(same_tree.different_texts(source, text)) if shown else None
    found = [Function(name, cause, _lines(*next(pairs)) if pairs else "") for name, cause in trees.differences]
    return Measured(trees.functions, tuple(found))


def _lines(author: str, ours: str) -> str:
    lines = list(difflib.unified_diff(author.splitlines(), ours.splitlines(), lineterm="", n=2))[2:]
    return "\n".join("    " + line for line in lines[:24])


def main(arguments: List[str] | None = None) -> int:
    """Exit status 1 if a file could not be measured."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add_file_options(parser)
    parser.add_argument("--layout", default="compact", choices=("compact", "author"), help="of the text")
    parser.add_argument("--strip", action="store_true", help="take the line tables away")
    parser.add_argument("--cause", default="", help="only differences that begin so")
    parser.add_argument("--causes", type=int, default=40, metavar="N", help="the most frequent ones (default 40)")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="functions to show of each cause")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="processes (default 1)")
    parser.add_argument("--limit", type=float, default=120, help="seconds per file (default 120)")
    options = parser.parse_args(arguments)
    work = functools.partial(measure, layout=options.layout, stripped=options.strip, shown=options.show > 0)
    files = chosen_files(options)
    functions, failed = 0, 0
    causes: collections.defaultdict[str, List[Tuple[str, Function]]] = collections.defaultdict(list)
    for answer in workers.run(work, files, processes=options.jobs, limit=options.limit):
        if answer.failure:
            failed += 1
            print(f"{answer.item}: {answer.failure}")
            continue
        functions += answer.value.functions
        for one in answer.value.different:
            causes[one.cause].append((answer.item, one))
    different = sum(map(len, causes.values()))
    print(f"CPython {sys.version.split()[0]}, {len(files)} files, layout {options.layout}")
    print(f"{100 - 100 * different / max(functions, 1):.2f} % of {functions} functions; {different} are different")
    chosen = [item for item in causes.items() if item[0].startswith(options.cause)]
    for cause, found in sorted(chosen, key=lambda item: -len(item[1]))[: options.causes]:
        print(f"{len(found):6}  {cause}")
        for path, one in found[: options.show]:
            print(f"  {path}: {one.name}\n{one.lines}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
