"""How often the quotes that ``layout/quotes.py`` infers from parentheses are those of the author.

    python benchmarks/measure/quotes.py --stdlib --tests
    python benchmarks/measure/quotes.py --packages FOLDER --seed 31      the packages of author_layout.py

Counted are the literals in single or double quotes that have neither in them, by what is inferred for their module.
Columns are needed: CPython 3.11 or later.
"""

from __future__ import annotations

import argparse
import collections
import sys
import tokenize
import warnings
from pathlib import Path
from typing import Counter, Dict, Iterator, List, Tuple

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "benchmarks" / "lib")]

import packages  # noqa: E402
from depyf.decompiler.bytecode import load  # noqa: E402
from depyf.decompiler.layout.quotes import usual_quote  # noqa: E402
from roundtrip import add_file_options, chosen_files  # noqa: E402

QUOTES = ("'", '"')
STRINGS = (tokenize.STRING, getattr(tokenize, "FSTRING_START", tokenize.STRING))


def quotes_in(path: str) -> Iterator[str]:
    """The quote of each literal of the file that could as well have the other."""
    with open(path, "rb") as file:
        for token in tokenize.tokenize(file.readline):
            text = token.string.lstrip("rbfutRBFUT")
            is_free = not any(quote in text[1:-1] for quote in QUOTES)
            if token.type in STRINGS and is_free and text[:1] in QUOTES:
                yield text[0]


def counted(files: List[str]) -> Tuple[Dict[str, Counter[str]], int]:
    """For each inferred quote, how many literals have which one; how many have the most common one of their file."""
    most = 0
    found: Dict[str, Counter[str]] = {quote: collections.Counter() for quote in QUOTES}
    for path in files:
        try:
            with open(path, "rb") as file, warnings.catch_warnings():
                warnings.simplefilter("ignore")
                code = compile(file.read(), path, "exec", dont_inherit=True)
            quotes = collections.Counter(quotes_in(path))
            found[usual_quote(load(code))] += quotes
            most += max(quotes.values(), default=0)
        except (SyntaxError, ValueError, tokenize.TokenError):
            continue  # files of tests that are no Python
    return found, most


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    add_file_options(parser)
    parser.add_argument("--packages", type=Path, metavar="FOLDER", help="ten packages that --seed chooses")
    options = parser.parse_args()
    if sys.version_info < (3, 11):
        parser.error("there are no columns before CPython 3.11")
    if options.packages is not None:
        names = packages.chosen(options.seed)
        packages.download(names, options.packages)
        files = packages.files_of(names, options.packages, options.sample, options.seed)
    else:
        files = chosen_files(options)
    found, most = counted(files)
    if not any(found.values()):
        parser.error("no literals in these files")
    for inferred, counts in found.items():
        total = sum(counts.values())
        share = counts[inferred] / max(total, 1)
        print(f"{inferred} inferred: {counts[inferred]} of {total} literals have it ({share:.1%})")
    both = found["'"] + found['"']
    right = sum(counts[inferred] for inferred, counts in found.items())
    print(f"right: {right} of {sum(both.values())}; always single would be {both[QUOTES[0]]}, "
          f"the most common one of each file {most}")  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main())
