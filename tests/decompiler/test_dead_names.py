"""Names that only dead code uses stay in ``co_names``: the text mentions them where nothing is executed."""

from __future__ import annotations

import pytest

from depyf.decompiler.bytecode.interpreters import HOST_VERSION, find_interpreter
from depyf.decompiler.bytecode.versions import HOSTS
from depyf.decompiler.pipeline import analyze
from depyf.decompiler.proof.scaffold import compile_source

VERSIONS = [one for one in HOSTS if one >= (3, 12) and (one == HOST_VERSION or find_interpreter(one))]
SOURCES = {
    "in an if that is never true": (
        "if False:\n    from .a import B, C\nx = 1\n",
        "if False:\n    a\n    B\n    C\nx = 1\n",
    ),
    "in the else of a try whose body raises": (
        "def f(a):\n    try:\n        raise b\n    except c as d:\n        a.d(d)\n    else:\n        a.e()\n",
        "def f(a):\n    try:\n        raise b\n    except c as d:\n        a.d(d)\n    else:\n        a.e\n",
    ),
    "behind an endless loop": (
        "def f(a):\n    while True:\n        a()\n    a.b()\n",
        "def f(a):\n    while True:\n        a()\n    a.b\n",
    ),
}


@pytest.mark.parametrize("name", SOURCES)
def test_they_are_mentioned(name):
    source, expected = SOURCES[name]
    for version in VERSIONS:
        result = analyze(compile_source(source, version))
        assert result.source == expected, version
        assert all(part.verdict.identical for part in result.walk()), version
