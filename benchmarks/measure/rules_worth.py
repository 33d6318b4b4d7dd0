"""What each rule of the structurer is worth: decompile files with each rule switched off, and count what gets worse.

    python benchmarks/measure/rules_worth.py FILE_OR_FOLDER ...
    python benchmarks/measure/rules_worth.py --stdlib --sample 150 -j 2
    python benchmarks/measure/rules_worth.py --stdlib --sample 150 --rule try:body-loops --show 20

The sample is that of ``make ratchet``; ``--strip`` takes the line tables away. A row has a rule, and how many code
objects are no longer proven, exact or identical without it, how many become so, how many functions lose the author's
tree, how many texts change, and how many characters they grow by. A rule that is worth nothing in all columns can go.
"""

from __future__ import annotations

import argparse
import collections
import functools
import sys
import warnings
from pathlib import Path
from typing import Any, Dict, List, NamedTuple, Tuple

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "lib"))

import same_tree
import workers
from roundtrip import Item, add_file_options, chosen_files, compile_item, read, strip

LEVELS = ("proven", "exact", "identical")


class Worth(NamedTuple):
    """How much is lost without a rule; what is gained without it counts in ``gained``."""

    proven: int = 0
    exact: int = 0
    identical: int = 0
    gained: int = 0
    trees: int = 0
    texts: int = 0
    characters: int = 0

    def plus(self, other: Worth) -> Worth:
        return Worth(*(mine + theirs for mine, theirs in zip(self, other)))


class Outcome(NamedTuple):
    """The text of one file, the levels of its code objects, and how many functions have the author's tree."""

    text: str
    levels: Tuple[Tuple[bool, ...], ...]
    trees: int


def outcome(code: Any, source: bytes, skipped: frozenset[str]) -> Outcome:
    from depyf.decompiler.driver.settings import Settings
    from depyf.decompiler.pipeline import analyze

    result = analyze(code, settings=Settings(skip_rules=skipped))
    levels = tuple(
        tuple(bool(getattr(unit.verdict, level)) for level in LEVELS) for unit in result.walk()
    )
    try:
        trees = same_tree.compare(source, result.source).same
    except SyntaxError:
        trees = 0
    return Outcome(result.source, levels, trees)


def worth(whole: Outcome, without: Outcome) -> Worth:
    if whole.text == without.text and whole.levels == without.levels:
        return Worth()
    proven, exact, identical = (
        sum(before[place] and not after[place] for before, after in zip(whole.levels, without.levels))
        for place in range(len(LEVELS))
    )
    gained = sum(after > before for before, after in zip(whole.levels, without.levels))
    trees, texts = whole.trees - without.trees, int(whole.text != without.text)
    return Worth(proven, exact, identical, gained, trees, texts, len(without.text) - len(whole.text))


def measure(path: str, rules: Tuple[str, ...], stripped: bool) -> Dict[str, Worth]:
    """What each of the rules is worth in one file."""
    warnings.simplefilter("ignore")
    source = read(Item(path))
    code = compile_item(Item(path), source)
    if code is None:
        return {}
    if stripped:
        code = strip(code)
    whole = outcome(code, source, frozenset())
    return {rule: worth(whole, outcome(code, source, frozenset({rule}))) for rule in rules}


def table(total: Dict[str, Worth]) -> str:
    lines = [
        "| rule | not proven | not exact | not identical | better | trees | texts | characters |",
        "|---|---|---|---|---|---|---|---|",
    ]
    lines += [f"| `{rule}` | {' | '.join(map(str, one))} |" for rule, one in total.items()]
    return "\n".join(lines)


def main(arguments: List[str] | None = None) -> int:
    """Exit status 1 if a file could not be measured."""
    from depyf.decompiler.structure import RULES

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    add_file_options(parser)
    parser.add_argument("--strip", action="store_true", help="take the line tables away")
    parser.add_argument("--rule", action="append", choices=list(RULES), metavar="NAME", help="only this rule, ...")
    parser.add_argument("-j", "--jobs", type=int, default=1, help="processes (default 1)")
    parser.add_argument("--limit", type=float, default=600, help="seconds per file (default 600)")
    parser.add_argument("--show", type=int, default=0, metavar="N", help="files to name where a rule counts")
    options = parser.parse_args(arguments)
    rules = tuple(options.rule or RULES)
    files = chosen_files(options)
    total = {rule: Worth() for rule in rules}
    counts: Dict[str, List[str]] = collections.defaultdict(list)
    failed = []
    work = functools.partial(measure, rules=rules, stripped=options.strip)
    for answer in workers.run(work, files, processes=options.jobs, limit=options.limit):
        if answer.failure:
            failed.append(f"{answer.item}: {answer.failure}")
            continue
        for rule, one in answer.value.items():
            total[rule] = total[rule].plus(one)
            if any(one):
                counts[rule].append(answer.item)
    for line in failed:
        print(line)
    for rule, found in counts.items():
        for path in found[: options.show]:
            print(f"{rule}: {path}")
    print(f"{len(files)} files, CPython {sys.version.split()[0]}\n")
    print(table(total))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
