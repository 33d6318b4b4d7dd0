"""benchmarks/attack/every_construct.py: the programs, what is counted, and a sample of each Python that is found."""

from __future__ import annotations

import ast
import hashlib
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "benchmarks" / folder) for folder in ("attack", "lib")]

import every_construct  # noqa: E402
import grammar  # noqa: E402
from depyf.decompiler.bytecode.interpreters import HOST_VERSION, find_interpreter  # noqa: E402
from depyf.decompiler.bytecode.versions import HOSTS  # noqa: E402

SCRIPT = ROOT / "benchmarks" / "attack" / "every_construct.py"
PYTHONS = [version for version in HOSTS if version == HOST_VERSION or find_interpreter(version)]


def test_a_sample_is_proven():
    numbers = random.Random(2).sample(range(len(grammar.programs())), 100)
    found = every_construct.work(every_construct.Batch(0, tuple(numbers)))
    assert len(found) > 40 and not [one for one in found if one.outcome not in ("identical", "exact", "equivalent")]


@pytest.mark.parametrize("version", PYTHONS, ids=lambda version: ".".join(map(str, version)))
def test_a_sample_is_proven_by_every_python(version: tuple[int, int], tmp_path: Path):
    python = sys.executable if version == HOST_VERSION else find_interpreter(version)
    out = tmp_path / "table.json"
    done = subprocess.run(
        [python, SCRIPT, "--sample", "120", "--seed", "3", "--json", out],
        capture_output=True, text=True, timeout=300, env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    table = json.loads(out.read_text(encoding="utf-8"))
    assert table["programs"] > 40 and table["objects"] > table["programs"]
    assert table["counts"]["refused"] <= 1, table["bad"]


def test_programs_are_the_same_for_a_seed():
    """On every Python, so that figures can be compared. (Only one that knows the syntax can lay it out over lines.)"""
    found = [(one, grammar.mode_of(one, 7)) for one in grammar.programs(7)[::997]]
    texts = [grammar.text_of(one, mode, 7) for one, mode in found if mode.style != "many lines"]
    assert len(set(texts)) > 70
    assert hashlib.sha256("\0".join(texts).encode()).hexdigest()[:16] == "e6e68c4eed53867e"


def test_every_construct_is_in_every_scope_and_in_every_hole():
    found = grammar.programs()
    alone = {(one.scope, one.inner) for one in found if not one.outer}
    assert {(scope, one) for scope in grammar.SCOPES for one in grammar.STATEMENTS} <= alone
    assert {(scope, one) for scope in grammar.EXPRESSION_SCOPES for one in grammar.EXPRESSIONS} <= alone
    pairs = {(one.outer, one.hole, one.inner) for one in found if one.outer}
    assert ("with $e as $t:\n    $s", 1, "[x, $e.n, *$e[$i]]") in pairs
    assert ("match $l:\n    case $p:\n        $s\n    case $p:\n        $s", 3, "C($p, k=$p)") in pairs


def test_most_programs_are_programs_and_styles_change_the_layout_alone():
    plain, others = grammar.Mode(), [grammar.Mode(style=style) for style in ("one line", "many lines")]
    compiled = 0
    dice = random.Random(1)
    for one in dice.sample(grammar.programs(), 300):
        text = grammar.text_of(one, plain, 0)
        try:
            tree = ast.dump(ast.parse(text))
        except SyntaxError:
            continue
        compiled += 1
        for mode in others:
            if "'''" not in text:  # a string over lines has other indentation
                assert ast.dump(ast.parse(grammar.text_of(one, mode, 0))) == tree, text
    assert compiled > 150


def test_what_is_wrong_or_crashes_is_found(monkeypatch: pytest.MonkeyPatch):
    number = next(one.number for one in grammar.programs() if one.inner == "x = $e" and one.scope == "$s")

    def found():
        return next(every_construct._one(number, 0))

    assert found().outcome in ("identical", "exact")
    analyze = every_construct.analyze

    def other_text(code, **options):
        result = analyze(code, **options)
        monkeypatch.setattr(type(result), "source", "y = 1\n")
        return result

    def noisy(code, **options):
        every_construct.logging.getLogger("depyf").warning("m: no layout: internal error: %r", IndexError())
        return analyze(code, **options)

    monkeypatch.setattr(every_construct, "analyze", noisy)
    assert found().outcome == "crash" and "IndexError" in found().reason
    monkeypatch.setattr(every_construct, "analyze", other_text)
    assert found().outcome == "wrong"
